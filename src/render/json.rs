//! The JSON view: one document for every command and every outcome, with the server's own JSON embedded as it came.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;

mod bodies;

use super::View;
use super::terminal::safe_json;
use crate::outcome::{Category, Failure, PhaseTime, Warning};
use crate::report::{Body, Report, Saved, Section, SectionState};
use crate::trace::millis;
use crate::wire::json;
use bodies::Outcome;

/// Writes the document: on a terminal laid out and safe, elsewhere on one line with the server's bytes untouched.
pub(super) fn write(report: &Report, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let envelope = envelope(report, view);
    if view.out.is_terminal {
        let text = serde_json::to_string(&envelope)?;
        out.write_all(safe_json(&json::pretty(&text, 2)).as_bytes())?;
    } else {
        serde_json::to_writer(&mut *out, &envelope)?;
    }
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Envelope<'a> {
    ok: bool,
    category: &'static str,
    exit_code: u8,
    command: Option<&'a str>,
    server: Server<'a>,
    phase: Option<&'a str>,
    reason: Option<&'static str>,
    result: Outcome<'a>,
    error: Option<Error<'a>>,
    warnings: Vec<Remark<'a>>,
    timing: Timing<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<BTreeMap<&'static str, Part<'a>>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    saved: Vec<SavedFile<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<Left<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    retries: Vec<Again<'a>>,
}

/// An attempt that failed and was followed by another.
#[derive(Serialize)]
struct Again<'a> {
    phase: &'a str,
    attempt: usize,
    message: String,
    pause_ms: f64,
}

/// A tool that was left out of the list, as the server sent it, and why.
#[derive(Serialize)]
struct Left<'a> {
    name: &'a str,
    reasons: &'a [String],
    definition: &'a RawValue,
}

#[derive(Serialize)]
struct Server<'a> {
    target: Option<&'a str>,
    transport: Option<&'static str>,
    protocol: Option<&'a str>,
    name: Option<String>,
    version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    negotiation: Vec<Probe<'a>>,
}

/// What was tried to find out what the server speaks, and what came of it.
#[derive(Serialize)]
struct Probe<'a> {
    what: &'a str,
    outcome: String,
}

#[derive(Serialize)]
struct Error<'a> {
    message: String,
    code: Option<Box<RawValue>>,
    data: Option<Box<RawValue>>,
    http_status: Option<u16>,
    causes: Vec<String>,
    hint: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Shown<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Also<'a>>,
}

#[derive(Serialize)]
struct Shown<'a> {
    label: &'a str,
    text: String,
}

#[derive(Serialize)]
struct Also<'a> {
    category: &'static str,
    phase: &'a str,
    reason: Option<&'static str>,
    error: Error<'a>,
}

#[derive(Serialize)]
struct Remark<'a> {
    id: &'static str,
    message: std::borrow::Cow<'a, str>,
}

#[derive(Serialize)]
struct Timing<'a> {
    total_ms: f64,
    phases: Vec<Step<'a>>,
}

#[derive(Serialize)]
struct Step<'a> {
    phase: &'a str,
    ms: f64,
}

/// Why a list is missing or not whole.
#[derive(Serialize)]
struct Part<'a> {
    state: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Also<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    defects: Vec<Defect<'a>>,
}

#[derive(Serialize)]
struct Defect<'a> {
    index: usize,
    message: &'a str,
}

#[derive(Serialize)]
struct SavedFile<'a> {
    block: usize,
    path: String,
    bytes: usize,
    mime_type: Option<&'a str>,
}

fn envelope<'a>(report: &'a Report, view: &View<'_>) -> Envelope<'a> {
    let failure = report.failure();
    let server = &report.facts.server;
    // The failure that decides stands in `error`; what else failed in this run stands behind it.
    let others = report.failures.iter().filter(|other| failure.is_none_or(|first| !std::ptr::eq(*other, first)));
    Envelope {
        // An expectation changes the exit code, not what the outcome was.
        ok: report.category() == Category::Ok,
        category: report.category().name(),
        exit_code: report.exit_code(),
        command: Some(report.command).filter(|command| !command.is_empty()),
        server: Server {
            target: server.target.as_deref(),
            transport: server.transport,
            protocol: server.protocol.as_deref(),
            // A server may echo a secret here; `result` alone is what it sent, to the byte.
            name: server.name.as_deref().map(|name| view.redactor.mask(name).into_owned()),
            version: server.version.as_deref().map(|version| view.redactor.mask(version).into_owned()),
            negotiation: server
                .negotiation
                .iter()
                .map(|(what, outcome)| Probe { what, outcome: view.redactor.mask(outcome).into_owned() })
                .collect(),
        },
        phase: phase(report),
        reason: failure.and_then(|failure| failure.reason).map(|reason| reason.name()),
        result: Outcome(&report.body),
        error: failure.map(|failure| {
            let mut error = error(failure, view);
            error.also.extend(others.map(|other| also(other, view)));
            error
        }),
        warnings: report.facts.warnings.iter().map(|warning| remark(warning, view)).collect(),
        timing: timing(report),
        expected: report.expected.map(Category::name),
        parts: parts(&report.body, view),
        saved: saved(&report.body),
        dropped: dropped(&report.body),
        retries: report
            .facts
            .retries
            .iter()
            .map(|retry| Again {
                phase: retry.phase.name(),
                attempt: retry.attempt,
                message: view.redactor.mask(&retry.message).into_owned(),
                pause_ms: millis(retry.pause),
            })
            .collect(),
    }
}

/// Where it failed; of a success, the last step.
fn phase(report: &Report) -> Option<&str> {
    match report.failure() {
        Some(failure) => Some(failure.phase.name()),
        None => report.facts.phases.last().map(|last| last.phase.name()),
    }
}

fn error<'a>(failure: &'a Failure, view: &View<'_>) -> Error<'a> {
    let masked = |text: &str| view.redactor.mask(text).into_owned();
    Error {
        message: masked(&failure.message),
        // A code that is no number would not fit the envelope; `warning[error-code]` tells of it.
        code: failure
            .rpc
            .as_ref()
            .and_then(|rpc| RawValue::from_string(rpc.code.clone()).ok())
            .filter(|code| json::kind(code) == json::JsonKind::Number),
        data: failure.rpc.as_ref().and_then(|rpc| rpc.data.as_deref()).map(|data| masked_json(data, view)),
        http_status: failure.http_status,
        causes: failure.causes.iter().map(|cause| masked(cause)).collect(),
        hint: failure.hint.as_deref().map(masked),
        evidence: failure
            .evidence
            .iter()
            .map(|evidence| Shown { label: &evidence.label, text: masked(&evidence.text) })
            .collect(),
        also: failure.also.iter().map(|other| also(other, view)).collect(),
    }
}

/// A server's data with secrets masked. A mask that breaks the JSON makes a string of it.
fn masked_json(data: &RawValue, view: &View<'_>) -> Box<RawValue> {
    match view.redactor.mask(data.get()) {
        std::borrow::Cow::Borrowed(_) => data.to_owned(),
        std::borrow::Cow::Owned(masked) => RawValue::from_string(masked.clone())
            .or_else(|_| RawValue::from_string(json::quote(&masked)))
            .unwrap_or_else(|_| RawValue::NULL.to_owned()),
    }
}

fn also<'a>(failure: &'a Failure, view: &View<'_>) -> Also<'a> {
    Also {
        category: failure.category.name(),
        phase: failure.phase.name(),
        reason: failure.reason.map(|reason| reason.name()),
        error: error(failure, view),
    }
}

fn remark<'a>(warning: &'a Warning, view: &View<'_>) -> Remark<'a> {
    Remark { id: warning.id.id(), message: view.redactor.mask(&warning.message) }
}

fn timing(report: &Report) -> Timing<'_> {
    let step = |time: &'_ PhaseTime| millis(time.took);
    let phases = report.facts.phases.iter().map(|time| Step { phase: time.phase.name(), ms: step(time) });
    Timing { total_ms: millis(report.total), phases: phases.collect() }
}

fn parts<'a>(body: &'a Body, view: &View<'_>) -> Option<BTreeMap<&'static str, Part<'a>>> {
    let Body::List(list) = body else { return None };
    let told = list.sections.iter().filter_map(|section| Some((section.kind.name(), part(section, view)?)));
    Some(told.collect()).filter(|parts: &BTreeMap<_, _>| !parts.is_empty())
}

/// What is to be said of a list besides its entries; `None` when it is whole and sound.
fn part<'a>(section: &'a Section, view: &View<'_>) -> Option<Part<'a>> {
    let defects: Vec<_> = section.defects.iter().map(|(index, message)| Defect { index: *index, message }).collect();
    let (state, message, failure) = match &section.state {
        SectionState::Complete if defects.is_empty() => return None,
        SectionState::Complete => ("complete", String::new(), None),
        SectionState::Unavailable(why) => ("unavailable", view.redactor.mask(why).into_owned(), None),
        SectionState::Failed(failure) => {
            ("failed", view.redactor.mask(&failure.message).into_owned(), Some(also(failure, view)))
        }
    };
    Some(Part { state, message, failure, defects })
}

fn dropped(body: &Body) -> Vec<Left<'_>> {
    let Body::List(list) = body else { return Vec::new() };
    let all = list.sections.iter().flat_map(|section| &section.dropped);
    all.map(|one| Left { name: &one.name, reasons: &one.reasons, definition: &one.entry }).collect()
}

fn saved(body: &Body) -> Vec<SavedFile<'_>> {
    let files: &[Saved] = match body {
        Body::Call(call) => &call.saved,
        Body::Read(read) => &read.saved,
        _ => &[],
    };
    let file = |file: &'_ Saved| (file.block, file.path.display().to_string(), file.bytes);
    files
        .iter()
        .map(|one| {
            let (block, path, bytes) = file(one);
            SavedFile { block, path, bytes, mime_type: one.mime_type.as_deref() }
        })
        .collect()
}
