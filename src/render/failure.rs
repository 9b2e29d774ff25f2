//! What goes to stderr beside a result: warnings, hints, and failures in one design for all categories.
//!
//! A failure names its category, phase, reason, transport, server, status, causes, evidence and one hint, and reads well
//! without colour.

use serde_json::value::RawValue;

use super::terminal::{Stream, columns, safe, wrap};
use super::{Format, View, human};
use crate::outcome::{Category, Failure, RpcFacts, ServerFacts};
use crate::report::{Body, Report, SectionState};
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
        out.push_str(&hanging(&label, &view.err.warn(&label), &mask(view, &warning.message), 2, view.err));
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
            }
            if human::is_empty_call(call) && report.failures.is_empty() {
                aside("(empty result)");
            }
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
        Body::DryRun { target, .. } => aside(&format!("dry run: nothing was sent; it would go to {target}")),
        _ => {}
    }
    out
}

fn mask(view: &View<'_>, text: &str) -> String {
    view.redactor.mask(text).into_owned()
}

/// One failure, and those that belong to it.
fn sheet(failure: &Failure, report: &Report, view: &View<'_>) -> String {
    let mut sheet = Sheet { out: String::new(), stream: view.err, view };
    sheet.heading(failure, Some(report));
    sheet.message(failure);
    if failure.category == Category::ToolError && view.format == Format::Human {
        sheet.content(report);
    }
    sheet.facts(failure, Some(&report.facts.server));
    for other in &failure.also {
        sheet.out.push_str("  ");
        sheet.heading(other, None);
        sheet.message(other);
        if other.category == Category::ToolError && view.format == Format::Human {
            sheet.content(report);
        }
        sheet.facts(other, None);
    }
    sheet.out
}

struct Sheet<'a> {
    out: String,
    stream: Stream,
    view: &'a View<'a>,
}

impl Sheet<'_> {
    /// `✗ transport failure · http · tools/call · exit 5`
    fn heading(&mut self, failure: &Failure, report: Option<&Report>) {
        let mut details = vec![failure.category.heading().to_owned()];
        details.extend(failure.reason.map(|reason| reason.name().to_owned()));
        details.push(safe(failure.phase.name()).into_owned());
        let words = details.join(" · ");
        let held = report.and_then(|report| report.expected).is_some_and(|expected| expected == failure.category);
        let mark = if held { "✓" } else { "✗" };
        let heading = format!("{mark} {words}");
        self.out.push_str(&if held { self.stream.bold(&heading) } else { self.stream.bad(&heading) });
        if let Some(report) = report {
            let expected = if held { " · as expected" } else { "" };
            self.out.push_str(&self.stream.dim(&format!("{expected} · exit {}", report.exit_code())));
        } else {
            self.out.push_str(&self.stream.dim(" · also"));
        }
        self.out.push('\n');
    }

    fn message(&mut self, failure: &Failure) {
        let message = match failure.message.trim() {
            "" => "(the message is empty)".to_owned(),
            _ => mask(self.view, &failure.message),
        };
        let text = safe(&message).into_owned();
        self.paragraph(&text);
    }

    fn paragraph(&mut self, text: &str) {
        for line in self.lines(text, 2) {
            self.out.push_str(&format!("  {line}\n"));
        }
    }

    /// Lines of safe text, wrapped on a terminal, as they are elsewhere.
    fn lines(&self, text: &str, indent: usize) -> Vec<String> {
        if self.stream.is_terminal {
            wrap(text, self.stream.width.saturating_sub(indent))
        } else {
            text.lines().map(str::to_owned).collect()
        }
    }

    /// What the tool said about its failure.
    fn content(&mut self, report: &Report) {
        let Body::Call(call) = &report.body else { return };
        let Some(result) = &call.result else { return };
        let text = human::content_text(result, &call.saved);
        for line in safe(&text).lines() {
            self.out.push_str(&format!("  {} {line}\n", self.stream.dim("│")));
        }
    }

    fn facts(&mut self, failure: &Failure, server: Option<&ServerFacts>) {
        let mut rows: Vec<(String, String)> = Vec::new();
        if let Some(target) = server.and_then(server_words) {
            rows.push(("server".to_owned(), target));
        }
        if let Some(rpc) = &failure.rpc {
            rows.extend(rpc_rows(rpc, failure.http_status));
        } else if let Some(status) = failure.http_status.filter(|status| *status != 200)
            && !failure.message.contains(&format!("HTTP {status}"))
        {
            rows.push(("status".to_owned(), format!("HTTP {status}")));
        }
        for evidence in &failure.evidence {
            let text = if evidence.label == "body" { excerpt(&evidence.text) } else { cut_lines(&evidence.text) };
            rows.push((evidence.label.clone(), text));
        }
        for (index, cause) in failure.causes.iter().enumerate() {
            let label = if index == 0 { "caused by" } else { "" };
            let branch = if index == 0 { String::new() } else { format!("{}└ ", "  ".repeat(index - 1)) };
            rows.push((label.to_owned(), format!("{branch}{cause}")));
        }
        self.rows(&rows);
        if let Some(hint) = failure.hint.as_ref().filter(|_| !self.view.quiet) {
            let painted = self.stream.hint("hint:");
            let text = hanging("hint:", &painted, &mask(self.view, hint), 4, self.stream);
            self.out.push_str(&format!("  {text}"));
        }
    }

    fn rows(&mut self, rows: &[(String, String)]) {
        let width = rows.iter().map(|(label, _)| columns(label)).max().unwrap_or(0).min(LABEL);
        for (label, text) in rows {
            let text = mask(self.view, text);
            let text = safe(&text).into_owned();
            let lines = self.lines(&text, width + 4);
            let label = safe(label);
            let padding = " ".repeat(width.saturating_sub(columns(&label)));
            for (index, line) in lines.iter().enumerate() {
                let head = match index {
                    0 => format!("{}{padding}", self.stream.dim(&label)),
                    _ => " ".repeat(width),
                };
                self.out.push_str(format!("  {head}  {line}").trim_end());
                self.out.push('\n');
            }
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

fn rpc_rows(rpc: &RpcFacts, status: Option<u16>) -> Vec<(String, String)> {
    let name = rpc.code.parse().ok().and_then(|code| codes::lookup(code).into_iter().next());
    // A name that no released version gives would be an invention; `explain` tells what some software means by it.
    let name = name.filter(|row| matches!(row.standing, codes::Standing::JsonRpc | codes::Standing::Mcp));
    let mut code = match name {
        Some(row) => format!("{} ({})", rpc.code, row.name),
        None => rpc.code.clone(),
    };
    if let Some(status) = status.filter(|status| *status != 200) {
        code.push_str(&format!(", carried by HTTP {status}"));
    }
    let mut rows = vec![("code".to_owned(), code)];
    if let Some(data) = &rpc.data {
        rows.push(("data".to_owned(), cut_lines(&data_text(data))));
    }
    rows
}

fn data_text(data: &RawValue) -> String {
    json::string(data).unwrap_or_else(|| json::pretty(data.get(), 2))
}

/// The first 200 bytes, and how many there are in all.
fn excerpt(text: &str) -> String {
    if text.len() <= EXCERPT {
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
fn hanging(label: &str, painted: &str, text: &str, indent: usize, stream: Stream) -> String {
    let text = safe(text);
    if !stream.is_terminal {
        return format!("{painted} {text}\n");
    }
    let first = " ".repeat(columns(label) + 1);
    let rest = " ".repeat(indent);
    let options = textwrap::Options::new(stream.width.saturating_sub(2).max(20))
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .initial_indent(&first)
        .subsequent_indent(&rest);
    let wrapped = textwrap::fill(&text, options);
    format!("{painted} {}\n", wrapped.get(first.len()..).unwrap_or_default())
}
