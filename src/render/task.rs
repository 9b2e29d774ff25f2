//! Tasks for people: what the server tells of one, as labelled lines.

use serde_json::value::RawValue;

use super::terminal::{Stream, columns, line, span};
use crate::report::TaskReport;
use crate::wire::json;

/// The labels of members that are milliseconds.
const KEPT: &str = "kept";
const POLLED: &str = "poll";

/// Members that are shown, with their labels; both forms of the protocol.
const MEMBERS: [(&str, &str); 9] = [
    ("taskId", "task"),
    ("status", "status"),
    ("statusMessage", "message"),
    ("createdAt", "created"),
    ("lastUpdatedAt", "updated"),
    ("ttlMs", KEPT),
    ("ttl", KEPT),
    ("pollIntervalMs", POLLED),
    ("pollInterval", POLLED),
];

/// One task, or a line for each of several.
pub(super) fn view(report: &TaskReport, stream: Stream) -> String {
    if let Some(list) = &report.list {
        return all(list, stream);
    }
    report.task.as_deref().map(|task| one(task, stream)).unwrap_or_default()
}

fn text(task: &RawValue, member: &str) -> Option<String> {
    let raw = json::member(task, member).filter(|raw| !json::is_null(raw))?;
    Some(line(&json::string(&raw).unwrap_or_else(|| json::compact(raw.get()))))
}

fn one(task: &RawValue, stream: Stream) -> String {
    let rows = MEMBERS.iter().filter_map(|(member, label)| {
        let text = text(task, member)?;
        Some((label, if [KEPT, POLLED].contains(label) { in_words(label, &text) } else { text }))
    });
    let mut out: String =
        rows.map(|(label, text)| format!("{}  {text}\n", stream.dim(&format!("{label:8}")))).collect();
    let asked = json::member(task, "inputRequests").and_then(|all| json::members(&all)).unwrap_or_default();
    for (key, question) in asked {
        let question = line(&json::compact(question.get()));
        out.push_str(&format!("{}  {} {question}\n", stream.dim("asks    "), line(&key)));
    }
    out
}

fn in_words(label: &str, milliseconds: &str) -> String {
    let Ok(span) = milliseconds.parse().map(span) else { return milliseconds.to_owned() };
    let before = if label == KEPT { "for" } else { "every" };
    format!("{before} {span}")
}

fn all(list: &[Box<RawValue>], stream: Stream) -> String {
    let rows: Vec<(String, String, String)> = list
        .iter()
        .map(|task| {
            let text = |member| text(task, member).unwrap_or_default();
            (text("taskId"), text("status"), text("statusMessage"))
        })
        .collect();
    let ids = rows.iter().map(|(id, ..)| columns(id)).max().unwrap_or(0);
    let mut out = String::new();
    for (id, status, message) in rows {
        let gap = " ".repeat(ids.saturating_sub(columns(&id)));
        out.push_str(format!("{}{gap}  {status:14}  {message}", stream.bold(&id)).trim_end());
        out.push('\n');
    }
    out
}
