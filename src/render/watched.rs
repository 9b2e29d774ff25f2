//! One notification of `watch` as one line: for people when and what, as JSON all of it.

use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;

use super::terminal::{duration, line, safe_json};
use super::{Format, View};
use crate::trace::millis;
use crate::wire::json;

/// The notification in the JSON form: one document a line.
#[derive(Serialize)]
struct Line<'a> {
    at_ms: f64,
    method: &'a str,
    params: Option<&'a RawValue>,
}

/// The line, with its end.
pub fn watched(method: &str, params: Option<&str>, at: Duration, view: &View<'_>) -> String {
    let params = params.and_then(|params| serde_json::from_str::<&RawValue>(params).ok());
    let text = match view.format {
        Format::Human => return human(method, params, at, view),
        Format::Json => serde_json::to_string(&Line { at_ms: millis(at), method, params }).unwrap_or_default(),
        Format::Raw => {
            let params = params.map_or_else(String::new, |params| format!(",\"params\":{}", params.get()));
            format!("{{\"jsonrpc\":\"2.0\",\"method\":{}{params}}}", json::quote(method))
        }
    };
    // A message may be laid out over several lines; here a line is a message.
    let text = json::compact(&text);
    if view.out.is_terminal { format!("{}\n", safe_json(&text)) } else { format!("{text}\n") }
}

/// `  1.2s  resources/updated demo://clock`
fn human(method: &str, params: Option<&RawValue>, at: Duration, view: &View<'_>) -> String {
    let text = |name: &str| params.and_then(|params| json::member(params, name)).and_then(|raw| json::string(&raw));
    let name = method.strip_prefix("notifications/").unwrap_or(method);
    let words = match name {
        "tools/list_changed" | "prompts/list_changed" | "resources/list_changed" => String::new(),
        "resources/updated" => text("uri").unwrap_or_default(),
        "tasks" | "tasks/status" => {
            let words = ["taskId", "status", "statusMessage"].iter().filter_map(|name| text(name));
            words.collect::<Vec<_>>().join(" ")
        }
        _ => params.map(|params| json::compact(params.get())).unwrap_or_default(),
    };
    let words = view.redactor.mask(&line(&words)).into_owned();
    let gap = if words.is_empty() { "" } else { " " };
    format!("{} {}{gap}{words}\n", view.out.dim(&format!("{:>8}", duration(at))), view.out.bold(&line(name)))
}
