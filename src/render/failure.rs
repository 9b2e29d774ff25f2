//! What goes to stderr beside a result: warnings, hints, and failures in one design for all categories.
//!
//! A failure names its category, phase, reason, transport, server, status, causes, evidence and one hint, and reads well
//! without colour.

use serde_json::value::RawValue;

use super::terminal::{Stream, columns, safe, wrap};
use super::{Format, View, human};
use crate::outcome::{Category, Failure, RpcFacts, ServerFacts};
use crate::report::{Body, Report, SectionState, TaskReport};
use crate::wire::{codes, json};

/// How much of a body is shown, in bytes.
const EXCERPT: usize = 200;
/// How many lines of anything else are shown.
const LINES: usize = 20;
/// Labels are padded to at most this.
const LABEL: usize = 16;

/// Everything about a report that is not its result.
pub(super) fn remarks(report: &Report, view: &View<'_>) -> String {
    let mut out = String::new();
    for warning in &report.facts.warnings {
        let label = format!("warning[{}]:", warning.id.id());
        out.push_str(&labelled(&label, &view.err.warn(&label), &mask(view, &warning.message), view.err));
    }
    if !view.quiet {
        out.push_str(&asides(report, view));
    }
    for failure in &report.failures {
        out.push_str(&sheet(failure, report, view));
    }
    out
}

/// Dim lines that `-q` hides.
fn asides(report: &Report, view: &View<'_>) -> String {
    let mut out = String::new();
    let mut aside = |text: &str| {
        out.push_str(&view.err.dim(&safe(text)));
        out.push('\n');
    };
    match &report.body {
        Body::Call(call) => {
            if let Some(text) = &call.suspicious {
                aside(&format!("hint: the text looks like an error, but isError is not set: {text}"));
                aside("      --error-pattern REGEX takes such a text for a tool error (exit 3)");
            }
            if human::is_empty_call(call) && report.failures.is_empty() {
                aside("(empty result)");
            }
            if view.format == Format::Human && human::has_unsaved_blocks(call) {
                aside("hint: --output-dir DIR writes binary blocks to files");
            }
        }
        Body::Read(read) if view.format == Format::Human && human::has_unsaved_blobs(read, view.out) => {
            aside("hint: --output-dir DIR writes it to a file");
        }
        Body::List(list) => {
            for section in &list.sections {
                if let SectionState::Unavailable(why) = &section.state
                    && !report.facts.warnings.iter().any(|warning| warning.message == *why)
                {
                    aside(&format!("no {}: {why}", section.kind.name()));
                }
            }
        }
        Body::Complete { result } => {
            if let Some(more) = human::more_completions(result) {
                aside(&more);
            }
        }
        Body::DryRun { message, headers, target } => {
            aside(&dry_run(message, target, !report.facts.phases.is_empty()));
            for (name, value) in headers {
                aside(&format!("{name}: {value}"));
            }
        }
        Body::Task(TaskReport { hint: Some(hint), .. }) => aside(&format!("hint: {hint}")),
        Body::Watch(report) => {
            let noun = if report.seen == 1 { "notification" } else { "notifications" };
            let end = match report.ended {
                Some("server") => "; the server ended it",
                _ => "",
            };
            aside(&format!("{} {noun}{end}", report.seen));
        }
        _ => {}
    }
    out
}

/// What of a dry run was sent, and what was not.
fn dry_run(message: &RawValue, target: &str, contacted: bool) -> String {
    let method = json::member(message, "method").and_then(|raw| json::string(&raw));
    match method.filter(|_| contacted) {
        Some(method) => {
            format!("dry run: {method} was not sent (the handshake and the look-up were); it would go to {target}")
        }
        None => format!("dry run: nothing was sent; it would go to {target}"),
    }
}

fn mask(view: &View<'_>, text: &str) -> String {
    view.redactor.mask(text).into_owned()
}

/// One failure, and those that belong to it.
fn sheet(failure: &Failure, report: &Report, view: &View<'_>) -> String {
    let mut sheet = Sheet { out: String::new(), stream: view.err, view, indent: 0 };
    sheet.heading(failure, Some(report));
    sheet.body(failure, report, Some(&report.facts.server));
    sheet.indent = 2;
    let mut said: Vec<String> = failure.hint.iter().cloned().collect();
    for other in &failure.also {
        sheet.heading(other, None);
        let mut other = other.clone();
        // What is to be done is said once.
        other.hint = other.hint.filter(|hint| !said.contains(hint));
        said.extend(other.hint.clone());
        sheet.body(&other, report, None);
    }
    sheet.out
}

struct Sheet<'a> {
    out: String,
    stream: Stream,
    view: &'a View<'a>,
    /// Where the heading begins; everything else stands two columns further in.
    indent: usize,
}

impl Sheet<'_> {
    /// `✗ transport failure · http · tools/call · exit 5`
    fn heading(&mut self, failure: &Failure, report: Option<&Report>) {
        let mut details = vec![failure.category.heading().to_owned()];
        let reason = failure.reason.map(|reason| reason.name()).filter(|reason| *reason != failure.phase.name());
        details.extend(reason.map(str::to_owned));
        details.push(safe(failure.phase.name()).into_owned());
        let words = details.join(" · ");
        let held = report.and_then(|report| report.expected).is_some_and(|expected| expected == failure.category);
        let mark = if held { "✓" } else { "✗" };
        let heading = format!("{mark} {words}");
        self.out.push_str(&" ".repeat(self.indent));
        self.out.push_str(&if held { self.stream.bold(&heading) } else { self.stream.bad(&heading) });
        if let Some(report) = report {
            let expected = if held { " · as expected" } else { "" };
            self.out.push_str(&self.stream.dim(&format!("{expected} · exit {}", report.exit_code())));
        } else {
            self.out.push_str(&self.stream.dim(" · also"));
        }
        self.out.push('\n');
    }

    fn body(&mut self, failure: &Failure, report: &Report, server: Option<&ServerFacts>) {
        self.message(failure);
        if failure.category == Category::ToolError && self.view.format == Format::Human {
            self.content(report);
        }
        self.facts(failure, server);
    }

    fn message(&mut self, failure: &Failure) {
        let message = match failure.message.trim() {
            "" => "(the message is empty)".to_owned(),
            _ => mask(self.view, &failure.message),
        };
        for line in self.lines(&safe(&message), 0) {
            self.put(&line);
        }
    }

    /// A line of the body.
    fn put(&mut self, line: &str) {
        let line = format!("{:1$}{line}", "", self.indent + 2);
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    /// Lines of safe text, wrapped on a terminal, as they are elsewhere.
    fn lines(&self, text: &str, column: usize) -> Vec<String> {
        if self.stream.is_terminal {
            wrap(text, self.stream.width.saturating_sub(self.indent + 2 + column))
        } else {
            text.lines().map(str::to_owned).collect()
        }
    }

    /// What the tool said about its failure.
    fn content(&mut self, report: &Report) {
        let Body::Call(call) = &report.body else { return };
        let Some(result) = &call.result else { return };
        let text = human::content_text(result, &call.saved);
        let bar = self.stream.dim("│");
        for line in safe(&text).lines() {
            self.put(&format!("{bar} {line}"));
        }
    }

    fn facts(&mut self, failure: &Failure, server: Option<&ServerFacts>) {
        let masked = |text: &str| mask(self.view, text);
        let mut rows: Vec<(String, String)> = Vec::new();
        if let Some(target) = server.and_then(server_words) {
            rows.push(("server".to_owned(), masked(&target)));
        }
        if let Some(rpc) = &failure.rpc {
            rows.push(("code".to_owned(), code_words(rpc, failure.http_status)));
            // Masked before it is cut: half a secret is one too.
            rows.extend(rpc.data.as_deref().map(|data| ("data".to_owned(), cut_lines(&masked(&data_text(data))))));
        } else if let Some(status) = failure.http_status.filter(|status| *status != 200)
            && !failure.message.contains(&format!("HTTP {status}"))
        {
            rows.push(("status".to_owned(), format!("HTTP {status}")));
        }
        for evidence in &failure.evidence {
            // Without -q each line of it was shown when it came.
            if evidence.label == "stderr" && !self.view.quiet {
                continue;
            }
            let text = masked(&evidence.text);
            let text = if evidence.label == "body" { excerpt(&text) } else { cut_lines(&text) };
            // The target's row has that label already.
            let label = if evidence.label == "server" { "server header" } else { &evidence.label };
            rows.push((label.to_owned(), text));
        }
        for (index, cause) in failure.causes.iter().enumerate() {
            let label = if index == 0 { "caused by" } else { "" };
            let branch = if index == 0 { String::new() } else { format!("{}└ ", "  ".repeat(index - 1)) };
            rows.push((label.to_owned(), format!("{branch}{}", masked(cause))));
        }
        let hint = failure.hint.as_deref().filter(|_| !self.view.quiet).map(masked);
        self.rows(&rows);
        if let Some(hint) = hint {
            self.hint(&hint);
        }
    }

    fn rows(&mut self, rows: &[(String, String)]) {
        let width = rows.iter().map(|(label, _)| columns(label)).max().unwrap_or(0).min(LABEL);
        for (label, text) in rows {
            let label = safe(label);
            let padding = " ".repeat(width.saturating_sub(columns(&label)));
            let mut head = format!("{}{padding}", self.stream.dim(&label));
            for line in self.lines(&safe(text), width + 2) {
                self.put(&format!("{head}  {line}"));
                head = " ".repeat(width);
            }
        }
    }

    fn hint(&mut self, hint: &str) {
        let column = "hint: ".len();
        let mut head = self.stream.hint("hint:");
        for line in self.lines(&safe(hint), column) {
            self.put(&format!("{head} {line}"));
            head = " ".repeat(column - 1);
        }
    }
}

/// `http://… · Streamable HTTP · 2025-11-25`
pub(super) fn server_words(server: &ServerFacts) -> Option<String> {
    let mut words = vec![server.target.clone()?];
    words.extend(server.transport.map(|transport| transport_title(transport).to_owned()));
    words.extend(server.protocol.clone());
    Some(words.join(" · "))
}

/// The name of a transport in sentences.
pub(super) fn transport_title(name: &str) -> &str {
    match name {
        "http" => "Streamable HTTP",
        "sse" => "HTTP+SSE",
        other => other,
    }
}

/// `-32602 (Invalid params), carried by HTTP 400`
fn code_words(rpc: &RpcFacts, status: Option<u16>) -> String {
    let name = rpc.code.parse().ok().and_then(|code| codes::lookup(code).into_iter().next());
    // A name that no released version gives would be an invention; `explain` tells what some software means by it.
    let name = name.filter(|row| matches!(row.standing, codes::Standing::JsonRpc | codes::Standing::Mcp));
    let mut words = rpc.code.clone();
    if let Some(row) = name {
        words.push_str(&format!(" ({})", row.name));
    }
    if let Some(status) = status.filter(|status| *status != 200) {
        words.push_str(&format!(", carried by HTTP {status}"));
    }
    words
}

fn data_text(data: &RawValue) -> String {
    json::string(data).unwrap_or_else(|| json::pretty(data.get(), 2))
}

/// The first 200 bytes, and how many there are in all; a few more are no reason to cut.
fn excerpt(text: &str) -> String {
    if text.len() <= EXCERPT + EXCERPT / 4 {
        return text.trim_end().to_owned();
    }
    let end = text.floor_char_boundary(EXCERPT);
    format!("{} … ({} bytes in all)", &text[..end], text.len())
}

fn cut_lines(text: &str) -> String {
    let count = text.lines().count();
    let mut lines: Vec<String> = text.lines().take(LINES).map(cut_line).collect();
    if count > LINES {
        lines.push(format!("… ({count} lines in all)"));
    }
    lines.join("\n")
}

/// No line of evidence is longer than this, in bytes.
const LINE: usize = 400;

fn cut_line(line: &str) -> String {
    if line.len() <= LINE {
        return line.to_owned();
    }
    format!("{} … ({} bytes in all)", &line[..line.floor_char_boundary(LINE)], line.len())
}

/// A label and its text behind it, wrapped on a terminal with an indent.
fn labelled(label: &str, painted: &str, text: &str, stream: Stream) -> String {
    let text = safe(text);
    if !stream.is_terminal {
        return format!("{painted} {text}\n");
    }
    let room = stream.width.saturating_sub(columns(label) + 1);
    let mut lines = wrap(&text, room).into_iter();
    let mut out = format!("{painted} {}\n", lines.next().unwrap_or_default());
    for line in lines {
        out.push_str(&format!("{:1$}{line}\n", "", columns(label) + 1));
    }
    out
}
