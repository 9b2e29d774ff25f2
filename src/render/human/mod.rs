//! The human view of results. On a terminal it is laid out to be read; in a pipe texts are byte-exact and nothing is decorated.

mod content;
mod describe;
mod info;
mod list;

use std::io::{self, Write};

use colored::Color;
use serde_json::value::RawValue;

use super::View;
use super::terminal::{Stream, columns, duration, first_sentence, fit, line, safe, safe_json, span, wrap};
use crate::outcome::{Category, Failure, Reason};
use crate::report::{Body, CallReport, Explanation, Report, TaskReport};
use crate::wire::json::{self, TokenKind};
use crate::wire::mcp::PromptMessage;

pub(super) use content::{content_text, has_unsaved_blobs, has_unsaved_blocks, is_empty_call};

/// Writes the result of a report.
pub(super) fn result(report: &Report, view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let stream = view.out;
    match &report.body {
        Body::None => Ok(()),
        Body::List(list) => out.write_all(list::view(list, stream).as_bytes()),
        Body::Describe(describe) => out.write_all(describe::view(describe, stream).as_bytes()),
        Body::Call(call) => called(call, report, stream, out),
        // Nothing usable came, and the failure says so.
        Body::Read(_) if report.failures.iter().any(is_shapeless) => Ok(()),
        Body::Read(read) => content::resources(&read.result, &read.saved, stream, out),
        Body::Get { result, .. } => prompt(result, stream, out),
        Body::Complete { result } => completions(result, stream, out),
        Body::Info(info) => out.write_all(info::view(info, &report.facts, stream).as_bytes()),
        Body::Ping { method: "ping", took, .. } => writeln!(out, "pong in {}", duration(*took)),
        Body::Ping { method, took, .. } => writeln!(out, "alive: {method} answered in {}", duration(*took)),
        Body::Request { result, .. } => json_value(result, stream, out),
        Body::DryRun { message, .. } => json_value(message, stream, out),
        Body::Task(report) => task(report, stream, out),
        // What was seen has been written as it came.
        Body::Watch(_) => Ok(()),
        Body::Explain(entries) => out.write_all(explanations(entries, stream).as_bytes()),
        Body::ExplainIndex(entries) => out.write_all(index(entries, stream).as_bytes()),
        Body::Text { text, .. } => text_block(text, stream, out),
    }
}

/// A task, and behind it the result of its call.
fn task(report: &TaskReport, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    if report.created && !stream.is_terminal {
        let id = report.task.as_deref().and_then(|task| json::member(task, "taskId"));
        return id.and_then(|id| json::string(&id)).map_or(Ok(()), |id| writeln!(out, "{id}"));
    }
    // In a pipe the result of the call is all that another program wants.
    if stream.is_terminal || report.result.is_none() {
        out.write_all(super::task::view(report, stream).as_bytes())?;
    }
    match &report.result {
        Some(result) if json::member(result, "content").is_some() => content::call(result, &[], stream, out),
        Some(result) if report.task.is_some() => json_value(result, stream, out),
        // Both forms: the task may go on for a while, or come to its end all the same.
        Some(_) => writeln!(out, "the server was asked to cancel it"),
        None => Ok(()),
    }
}

/// What a server says of caching, in words.
fn cache_words(ttl_ms: u64, scope: &str) -> String {
    let scope = if scope.is_empty() { String::new() } else { format!(", {}", line(scope)) };
    match ttl_ms {
        0 => format!("not to be cached{scope}"),
        _ => format!("may be cached for {}{scope}", span(ttl_ms)),
    }
}

fn is_shapeless(failure: &Failure) -> bool {
    failure.reason == Some(Reason::ResultShape)
}

/// The content of a call; of a failed one it is part of the failure, on stderr.
fn called(call: &CallReport, report: &Report, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let Some(result) = &call.result else { return Ok(()) };
    let reported = json::member(result, "isError").is_some_and(|raw| json::boolean(&raw) == Some(true));
    if reported || json::kind(result) != json::JsonKind::Object {
        return Ok(());
    }
    let judged_failed = report.failures.iter().any(|failure| failure.category == Category::ToolError);
    if judged_failed { Ok(()) } else { content::call(result, &call.saved, stream, out) }
}

/// Where blocks are written: texts as they are, and each block at the start of a line.
struct Paper<'a> {
    stream: Stream,
    out: &'a mut dyn Write,
    /// What was written last does not end its line.
    open: bool,
}

impl<'a> Paper<'a> {
    fn new(stream: Stream, out: &'a mut dyn Write) -> Paper<'a> {
        Paper { stream, out, open: false }
    }

    /// A text of the server. It ends its line only if it says so itself, or something follows.
    fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(if self.open { b"\n" } else { b"" })?;
        self.open = !text.ends_with('\n');
        self.out.write_all(self.stream.text(text).as_bytes())
    }

    /// What the next block stands behind, on the same line.
    fn label(&mut self, label: &str) -> io::Result<()> {
        self.out.write_all(if self.open { b"\n" } else { b"" })?;
        self.open = false;
        write!(self.out, "{label} ")
    }

    /// A line of our own.
    fn line(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(if self.open { b"\n" } else { b"" })?;
        self.open = false;
        writeln!(self.out, "{text}")
    }

    /// The end: on a terminal the prompt stands on a line of its own, in a pipe nothing is added.
    fn end(self) -> io::Result<()> {
        if self.open && self.stream.is_terminal { self.out.write_all(b"\n") } else { Ok(()) }
    }
}

/// A text, with one line end behind it unless it has one.
fn text_block(text: &str, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(stream.text(text).as_bytes())?;
    if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") }
}

/// A JSON value: laid out and coloured on a terminal, as it came elsewhere.
fn json_value(value: &RawValue, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    if stream.is_terminal { pretty(value, stream, out) } else { writeln!(out, "{}", value.get()) }
}

/// A JSON value laid out, also in a pipe.
fn pretty(value: &RawValue, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(laid_out(value, stream).as_bytes())
}

fn laid_out(value: &RawValue, stream: Stream) -> String {
    let mut laid_out = String::new();
    json::pretty_with(value.get(), 2, |kind, piece| {
        let text = if stream.is_terminal { safe_json(piece) } else { piece.into() };
        match kind {
            TokenKind::Key => laid_out.push_str(&stream.colour(&text, Color::Blue)),
            TokenKind::String => laid_out.push_str(&stream.colour(&text, Color::Green)),
            TokenKind::Number => laid_out.push_str(&stream.colour(&text, Color::Yellow)),
            TokenKind::Literal => laid_out.push_str(&stream.colour(&text, Color::Magenta)),
            TokenKind::Punctuation | TokenKind::Whitespace | TokenKind::Invalid => laid_out.push_str(&text),
        }
    });
    laid_out.push('\n');
    laid_out
}

/// `prompts/get`: on a terminal each message behind its role, in a pipe the texts alone.
fn prompt(result: &RawValue, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    if let Some(description) = json::member(result, "description").and_then(|raw| json::string(&raw))
        && stream.is_terminal
    {
        writeln!(out, "{}\n", stream.dim(&safe(&description)))?;
    }
    let messages = json::member(result, "messages").and_then(|raw| json::elements(&raw));
    let Some(messages) = messages else { return json_value(result, stream, out) };
    let mut paper = Paper::new(stream, out);
    for message in messages {
        let message = PromptMessage::read(&message);
        if stream.is_terminal {
            let role = message.role.unwrap_or_else(|| "?".to_owned());
            paper.label(&stream.bold(&format!("{}:", safe(&role))))?;
        }
        content::block(&message.content, None, &mut paper)?;
    }
    paper.end()
}

fn completions(result: &RawValue, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let values = json::pointer(result, "/completion/values").and_then(|raw| json::elements(&raw));
    let Some(values) = values else { return json_value(result, stream, out) };
    for value in values {
        match json::string(&value) {
            Some(text) => writeln!(out, "{}", stream.text(&text))?,
            None => writeln!(out, "{}", stream.text(value.get()))?,
        }
    }
    Ok(())
}

/// That there are more values than were sent.
pub(super) fn more_completions(result: &RawValue) -> Option<String> {
    let completion = json::member(result, "completion")?;
    let shown = json::member(&completion, "values").and_then(|raw| json::elements(&raw)).map_or(0, |all| all.len());
    if let Some(total) = json::member(&completion, "total").filter(|total| total.get() != shown.to_string()) {
        return Some(format!("{shown} of {} values", total.get()));
    }
    let more = json::member(&completion, "hasMore").and_then(|raw| json::boolean(&raw)) == Some(true);
    match (more, shown) {
        (true, _) => Some(format!("{shown} values, and there are more")),
        (false, 0) => Some("(no values)".to_owned()),
        (false, _) => None,
    }
}

/// A line an entry under a heading a kind.
fn index(entries: &[Explanation], stream: Stream) -> String {
    let mut out = String::new();
    let mut names = 0;
    let mut kind = "";
    for entry in entries {
        if entry.kind != kind {
            let gap = if kind.is_empty() { "" } else { "\n" };
            kind = entry.kind;
            let widths = entries.iter().filter(|entry| entry.kind == kind).map(|entry| columns(&entry.title));
            names = widths.max().unwrap_or(0).min(stream.width / 2);
            let plural = if kind == "category" { "categories".to_owned() } else { format!("{kind}s") };
            out.push_str(&format!("{gap}{}\n", stream.bold(&plural)));
        }
        let title = fit(&entry.title, names);
        let text = first_sentence(entry.text.first().map(String::as_str).unwrap_or_default());
        let text = if stream.is_terminal { fit(&text, stream.width.saturating_sub(names + 4)) } else { text };
        out.push_str(&format!("  {title}{:1$}  {text}\n", "", names.saturating_sub(columns(&title))));
    }
    out.push_str(&stream.dim("\n`mcpcli explain NAME` says more of one, `mcpcli explain --all` of all\n"));
    out
}

fn explanations(entries: &[Explanation], stream: Stream) -> String {
    let mut out = String::new();
    let width = stream.width;
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&format!("{}  {}\n", stream.bold(&entry.title), stream.dim(entry.kind)));
        for line in entry.text.iter().flat_map(|text| wrap(text, width - 2)) {
            out.push_str(&format!("  {line}\n"));
        }
        let label_width = entry.facts.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
        for (label, text) in &entry.facts {
            for (index, line) in wrap(text, width.saturating_sub(label_width + 4)).iter().enumerate() {
                let label = if index == 0 { label.as_str() } else { "" };
                out.push_str(&format!("  {}  {line}\n", stream.dim(&format!("{label:label_width$}"))));
            }
        }
    }
    out
}
