//! The JSON view: one document for every command and every outcome, with the server's own JSON embedded as it came.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use super::View;
use super::terminal::safe_json;
use crate::outcome::{Category, Failure, PhaseTime, Warning};
use crate::report::{Body, Describe, Field, Info, List, Report, Saved, Section, SectionState, TaskReport};
use crate::trace::millis;
use crate::wire::json;

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

/// `result`: what the server sent, as it came; for `list` all pages of a kind as one array.
struct Outcome<'a>(&'a Body);

impl Serialize for Outcome<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Body::None => serializer.serialize_none(),
            Body::List(list) => lists(list, serializer),
            Body::Describe(describe) => Described::of(describe).serialize(serializer),
            Body::Call(call) => call.result.serialize(serializer),
            Body::Read(read) => read.result.serialize(serializer),
            Body::Get { result, .. }
            | Body::Complete { result }
            | Body::Ping { result, .. }
            | Body::Request { result, .. } => result.serialize(serializer),
            Body::Info(info) => Handshake::of(info).serialize(serializer),
            Body::DryRun { message, headers, target } => Preview::of(target, headers, message).serialize(serializer),
            Body::Task(report) => tasks(report, serializer),
            Body::Watch(report) => Watch { seen: report.seen, ended: report.ended }.serialize(serializer),
            Body::Explain(entries) | Body::ExplainIndex(entries) => entries.serialize(serializer),
            Body::Text { json, .. } => json.serialize(serializer),
        }
    }
}

fn lists<S: Serializer>(list: &List, serializer: S) -> Result<S::Ok, S::Error> {
    let present: Vec<_> = list.sections.iter().filter(|section| is_present(section)).collect();
    let mut map = serializer.serialize_map(Some(present.len()))?;
    for section in present {
        map.serialize_entry(section.kind.member(), &section.entries)?;
    }
    map.end()
}

/// A list that could not be had is left out: an empty array would say that the server has none.
fn is_present(section: &Section) -> bool {
    matches!(section.state, SectionState::Complete) || !section.entries.is_empty()
}

#[derive(Serialize)]
struct Preview<'a> {
    target: &'a str,
    headers: BTreeMap<&'a str, &'a str>,
    message: &'a RawValue,
}

impl<'a> Preview<'a> {
    fn of(target: &'a str, headers: &'a [(String, String)], message: &'a RawValue) -> Preview<'a> {
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Preview { target, headers, message }
    }
}

#[derive(Serialize)]
struct Watch {
    seen: usize,
    ended: Option<&'static str>,
}

/// The task as the server told of it; beside a result of its own both are named.
fn tasks<S: Serializer>(report: &TaskReport, serializer: S) -> Result<S::Ok, S::Error> {
    match (&report.list, &report.task, &report.result) {
        (Some(list), ..) => BTreeMap::from([("tasks", list)]).serialize(serializer),
        (None, Some(task), Some(result)) => BTreeMap::from([("task", task), ("result", result)]).serialize(serializer),
        (None, Some(one), None) | (None, None, Some(one)) => one.serialize(serializer),
        (None, None, None) => serializer.serialize_none(),
    }
}

#[derive(Serialize)]
struct Handshake<'a> {
    requested: Option<&'a str>,
    era: Option<&'static str>,
    versions: Versions<'a>,
    initialize: Option<&'a RawValue>,
    discover: Option<&'a RawValue>,
    client_capabilities: Option<&'a RawValue>,
    session: bool,
    attempts: Vec<Tried<'a>>,
}

/// What either side speaks, as far as it says so.
#[derive(Serialize)]
struct Versions<'a> {
    client: &'a [String],
    server: &'a [String],
}

#[derive(Serialize)]
struct Tried<'a> {
    what: &'a str,
    outcome: &'a str,
}

/// Whether a result is that of `server/discover`; `initialize` names one version instead.
fn is_discovery(result: &RawValue) -> bool {
    json::member(result, "supportedVersions").is_some()
}

impl Handshake<'_> {
    fn of(info: &Info) -> Handshake<'_> {
        let tried = info.attempts.iter().map(|one| Tried { what: &one.what, outcome: &one.outcome });
        Handshake {
            requested: info.requested.as_deref(),
            era: info.era,
            versions: Versions { client: &info.client_versions, server: &info.server_versions },
            initialize: info.result.as_deref().filter(|result| !is_discovery(result)),
            discover: info.result.as_deref().filter(|result| is_discovery(result)),
            client_capabilities: info.client_capabilities.as_deref(),
            session: info.session,
            attempts: tried.collect(),
        }
    }
}

#[derive(Serialize)]
struct Described<'a> {
    kind: &'a str,
    name: &'a str,
    definition: &'a RawValue,
    arguments: Vec<Row<'a>>,
    output: Option<Vec<Row<'a>>>,
    defects: &'a [String],
    example: &'a str,
}

#[derive(Serialize)]
struct Row<'a> {
    path: &'a str,
    depth: usize,
    r#type: &'a str,
    required: bool,
    default: Option<Box<RawValue>>,
    values: Vec<Box<RawValue>>,
    description: Option<&'a str>,
}

impl Described<'_> {
    fn of(describe: &Describe) -> Described<'_> {
        Described {
            kind: describe.kind,
            name: &describe.name,
            definition: &describe.definition,
            arguments: describe.arguments.iter().map(row).collect(),
            output: describe.output.as_ref().map(|fields| fields.iter().map(row).collect()),
            defects: &describe.defects,
            example: &describe.example,
        }
    }
}

fn row(field: &Field) -> Row<'_> {
    let raw = |text: &String| RawValue::from_string(text.clone()).ok();
    Row {
        path: &field.path,
        depth: field.depth,
        r#type: &field.type_name,
        required: field.required,
        default: field.default.as_ref().and_then(raw),
        values: field.values.iter().filter_map(raw).collect(),
        description: field.description.as_deref(),
    }
}
