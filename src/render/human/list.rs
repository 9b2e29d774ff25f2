//! The view of `list`: a heading a kind, then names with their arguments beside the first sentence of their descriptions.

use serde_json::value::RawValue;

use crate::render::terminal::{Stream, columns, first_sentence, fit, line, wrap};
use crate::report::{List, ListKind, Section, SectionState};
use crate::wire::json;
use crate::wire::mcp::{PromptView, ResourceView, TemplateView, ToolView};

/// One entry, ready to be laid out. All texts are safe and on one line.
struct Entry {
    name: String,
    /// Names of arguments, optional ones in brackets.
    signature: String,
    about: String,
    defects: Vec<String>,
}

/// The whole view.
pub(super) fn view(list: &List, stream: Stream) -> String {
    let mut out = String::new();
    // One list in a pipe is for other programs: names at the start of lines, nothing else.
    let bare = list.single && !stream.is_terminal;
    for section in &list.sections {
        if matches!(section.state, SectionState::Unavailable(_)) {
            continue;
        }
        if !bare {
            if !out.is_empty() {
                out.push('\n');
            }
            heading(section, stream, &mut out);
        }
        entries(section, bare, stream, &mut out);
        if !bare {
            dropped(section, stream, &mut out);
            if let Some(hint) = cache_hint(section) {
                out.push_str(&stream.dim(&format!("  {hint}\n")));
            }
        }
    }
    out
}

fn heading(section: &Section, stream: Stream, out: &mut String) {
    let name = section.kind.name();
    out.push_str(&stream.bold(name));
    match &section.state {
        SectionState::Complete => out.push_str(&stream.dim(&format!(" ({})", section.entries.len()))),
        SectionState::Failed(failure) => {
            let count = match section.entries.len() {
                0 => String::new(),
                n => format!(" ({n} and then)"),
            };
            out.push_str(&stream.dim(&count));
            out.push_str(&stream.bad(&format!(" ✗ {}", line(&failure.message))));
        }
        SectionState::Unavailable(_) => {}
    }
    out.push('\n');
}

/// Tools that must not be used here, struck out, each with the reasons.
fn dropped(section: &Section, stream: Stream, out: &mut String) {
    for one in &section.dropped {
        out.push_str(&format!("  {} {}\n", stream.warn("✗"), stream.dim(&line(&one.name))));
        for reason in &one.reasons {
            for text in wrap(&line(reason), stream.width.saturating_sub(4)) {
                out.push_str(&format!("    {}\n", stream.warn(&text)));
            }
        }
    }
}

/// For how long the server says that its list holds (2026-07-28 server/utilities/caching). Nothing is cached here.
fn cache_hint(section: &Section) -> Option<String> {
    let page = section.pages.first()?;
    let ttl = json::member(page, "ttlMs")?.get().parse::<u64>().ok()?;
    let scope = json::member(page, "cacheScope").and_then(|raw| json::string(&raw)).unwrap_or_default();
    Some(super::cache_words(ttl, &scope))
}

fn entries(section: &Section, bare: bool, stream: Stream, out: &mut String) {
    let indent = if bare { 0 } else { 2 };
    let rows: Vec<Entry> = section
        .entries
        .iter()
        .enumerate()
        .map(|(index, raw)| {
            let defects = section.defects.iter().filter(|(at, _)| *at == index).map(|(_, what)| line(what));
            Entry { defects: defects.collect(), ..entry(section.kind, raw) }
        })
        .collect();
    let limit = (stream.width * 2 / 5).max(20);
    let left = |row: &Entry| columns(&row.name) + columns(&row.signature) + usize::from(!row.signature.is_empty());
    let column = rows.iter().map(left).filter(|width| *width <= limit).max().unwrap_or(0);
    for row in &rows {
        put(row, indent, column, stream, out);
    }
}

fn put(row: &Entry, indent: usize, column: usize, stream: Stream, out: &mut String) {
    let room = stream.width.saturating_sub(indent + column + 2);
    let signature = match stream.is_terminal {
        // What does not fit beside the description may still fit on a line of its own.
        true => fit(&row.signature, stream.width.saturating_sub(indent + columns(&row.name) + 1).max(1)),
        false => row.signature.clone(),
    };
    let mut head = stream.bold(&row.name);
    let mut used = columns(&row.name);
    if !signature.is_empty() {
        head.push_str(&format!(" {}", stream.dim(&signature)));
        used += 1 + columns(&signature);
    }
    let mark = if row.defects.is_empty() { String::new() } else { stream.warn(" !") };
    let about = if stream.is_terminal { wrap(&row.about, room) } else { vec![row.about.clone()] };
    let blank = " ".repeat(indent + column + 2);
    out.push_str(&format!("{}{head}", " ".repeat(indent)));
    let beside = used <= column || !stream.is_terminal;
    let mut lines = about.iter().filter(|line| !line.is_empty());
    if beside && let Some(first) = lines.next() {
        out.push_str(&format!("{}{first}", " ".repeat(column.saturating_sub(used) + 2)));
    }
    out.push_str(&mark);
    out.push('\n');
    for rest in lines {
        out.push_str(&format!("{blank}{rest}\n"));
    }
    for defect in &row.defects {
        let text = format!("! {defect}");
        out.push_str(&format!("{}{}\n", " ".repeat(indent + 2), stream.warn(&text)));
    }
}

fn entry(kind: ListKind, raw: &RawValue) -> Entry {
    let unnamed = || format!("(no name) {}", fit(&line(&json::compact(raw.get())), 60));
    let (name, signature, title, description) = match kind {
        ListKind::Tools => {
            let tool = ToolView::read(raw);
            let signature = tool.input_schema.as_deref().map(signature_of).unwrap_or_default();
            let title = tool.display_title().map(str::to_owned);
            (tool.name, signature, title, tool.description)
        }
        ListKind::Prompts => {
            let prompt = PromptView::read(raw);
            let arguments = prompt.arguments.iter().map(|argument| {
                let name = argument.name.as_deref().unwrap_or("?");
                shown_argument(name, argument.required == Some(true))
            });
            (prompt.name, arguments.collect::<Vec<_>>().join(" "), prompt.title, prompt.description)
        }
        ListKind::Resources => {
            let resource = ResourceView::read(raw);
            let mime = resource.mime_type.unwrap_or_default();
            (resource.uri, mime, resource.title.or(resource.name), resource.description)
        }
        ListKind::Templates => {
            let template = TemplateView::read(raw);
            let mime = template.mime_type.unwrap_or_default();
            (template.uri_template, mime, template.title.or(template.name), template.description)
        }
    };
    let about = description.map(|text| first_sentence(&text)).filter(|text| !text.is_empty());
    Entry {
        name: name.map_or_else(unnamed, |name| line(&name)),
        signature: line(&signature),
        about: about.or(title.map(|title| line(&title))).unwrap_or_default(),
        defects: Vec::new(),
    }
}

/// The names of the arguments of a schema, required ones first as they come, optional ones in brackets.
fn signature_of(schema: &RawValue) -> String {
    let required: Vec<String> = json::member(schema, "required")
        .and_then(|raw| json::elements(&raw))
        .unwrap_or_default()
        .iter()
        .filter_map(|raw| json::string(raw))
        .collect();
    let properties = json::member(schema, "properties").and_then(|raw| json::members(&raw)).unwrap_or_default();
    let (must, may): (Vec<_>, Vec<_>) =
        properties.into_iter().map(|(name, _)| name).partition(|name| required.contains(name));
    let must = must.iter().map(|name| shown_argument(name, true));
    must.chain(may.iter().map(|name| shown_argument(name, false))).collect::<Vec<_>>().join(" ")
}

fn shown_argument(name: &str, required: bool) -> String {
    if required { name.to_owned() } else { format!("[{name}]") }
}
