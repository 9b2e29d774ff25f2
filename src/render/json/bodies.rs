//! The `result` of the envelope: what the server sent, as it came, by the kind of command.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::report::{Body, Describe, Field, Info, List, Section, SectionState, TaskReport};
use crate::wire::json;

/// `result`: what the server sent, as it came; for `list` all pages of a kind as one array.
pub(super) struct Outcome<'a>(pub(super) &'a Body);

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
