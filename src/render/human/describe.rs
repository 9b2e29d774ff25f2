//! The view of `describe`: what it is, its arguments as a table, and an example to copy.

use crate::render::terminal::{Stream, columns, line, safe, wrap};
use crate::report::{Describe, Field};
use crate::wire::json;
use crate::wire::mcp::{ToolAnnotations, ToolView};

/// The whole view.
pub(super) fn view(describe: &Describe, stream: Stream) -> String {
    let mut out = String::new();
    let text = |key: &str| json::member(&describe.definition, key).and_then(|raw| json::string(&raw));
    out.push_str(&format!("{} {}", stream.dim(describe.kind), stream.bold(&line(&describe.name))));
    if let Some(title) = text("title").filter(|title| *title != describe.name) {
        out.push_str(&stream.dim(&format!("  {}", line(&title))));
    }
    out.push('\n');
    if let Some(description) = text("description") {
        for line in wrap(&safe(&description), stream.width - 2) {
            out.push_str(format!("  {line}").trim_end());
            out.push('\n');
        }
    }
    facts(describe, stream, &mut out);
    match describe.arguments.as_slice() {
        [] if matches!(describe.kind, "tool" | "prompt") => out.push_str(&stream.dim("\nno arguments\n")),
        [] => {}
        fields => table("arguments", fields, stream, &mut out),
    }
    if let Some(fields) = &describe.output {
        table("structured output", fields, stream, &mut out);
    }
    for defect in &describe.defects {
        out.push_str(&stream.warn(&format!("! {}", line(defect))));
        out.push('\n');
    }
    if !describe.example.is_empty() {
        out.push_str(&format!("\n{}\n  {}\n", stream.bold("example"), safe(&describe.example)));
    }
    out
}

/// What the definition says besides: media type, size, hints. The hints are the server's word, nothing more.
fn facts(describe: &Describe, stream: Stream, out: &mut String) {
    let mut facts = Vec::new();
    for key in ["mimeType", "size"] {
        if let Some(value) = json::member(&describe.definition, key).filter(|raw| !json::is_null(raw)) {
            let text = json::string(&value).unwrap_or_else(|| value.get().to_owned());
            facts.push(format!("{key} {}", line(&text)));
        }
    }
    if describe.kind == "tool" {
        facts.extend(hints(&ToolView::read(&describe.definition).annotations));
    }
    if !facts.is_empty() {
        out.push_str(&stream.dim(&format!("  {}", facts.join(" · "))));
        out.push('\n');
    }
}

fn hints(annotations: &ToolAnnotations) -> Vec<String> {
    let rows = [
        (annotations.read_only, "read-only", "may change things"),
        (annotations.destructive, "destructive", "not destructive"),
        (annotations.idempotent, "idempotent", "not idempotent"),
        (annotations.open_world, "open world", "closed world"),
    ];
    rows.iter().filter_map(|(value, yes, no)| Some(if (*value)? { *yes } else { *no }.to_owned())).collect()
}

fn table(title: &str, fields: &[Field], stream: Stream, out: &mut String) {
    out.push_str(&format!("\n{}\n", stream.bold(title)));
    let name = |field: &Field| format!("{}{}", "  ".repeat(field.depth), line(&field.path));
    let widest = |width: &dyn Fn(&Field) -> usize, limit: usize| {
        fields.iter().map(width).filter(|width| *width <= limit).max().unwrap_or(0)
    };
    let names = widest(&|field| columns(&name(field)), stream.width / 3);
    let types = widest(&|field| columns(&field.type_name), stream.width / 4);
    for field in fields {
        let shown = name(field);
        let type_name = line(&field.type_name);
        let gap = " ".repeat(names.saturating_sub(columns(&shown)) + 2);
        out.push_str(&format!("  {}{gap}{}", stream.bold(&shown), stream.colour(&type_name, colored::Color::Yellow)));
        let mut rest = Vec::new();
        if field.required {
            rest.push("required".to_owned());
        }
        if let Some(default) = &field.default {
            rest.push(format!("default {}", line(default)));
        }
        if !field.values.is_empty() {
            rest.push(format!("one of {}", field.values.iter().map(|v| line(v)).collect::<Vec<_>>().join(", ")));
        }
        let indent = names + types + 6;
        let mut text = rest.join("; ");
        if let Some(description) = &field.description {
            if !text.is_empty() {
                text.push_str(" · ");
            }
            text.push_str(&line(description));
        }
        let lines = wrap(&text, stream.width.saturating_sub(indent));
        let gap = types.saturating_sub(columns(&type_name)) + 2;
        for (index, line) in lines.iter().enumerate() {
            let blank = if index == 0 { gap } else { indent };
            out.push_str(&format!("{}{line}\n", " ".repeat(blank)));
        }
        if lines.is_empty() {
            out.push('\n');
        }
    }
}
