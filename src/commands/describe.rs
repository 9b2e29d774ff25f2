//! `describe`: one tool, prompt, resource or template in full, with an example to copy.

use super::Found;
use super::call::unknown;
use super::list::name_of;
use crate::client::Client;
use crate::outcome::Failure;
use crate::report::{Body, Describe, Field, ListKind};
use crate::wire::mcp::{PromptView, ToolView};
use crate::wire::{RawJson, json};

/// Runs the command: the lists are searched in order, tools first.
pub(super) async fn run(name: &str, client: &mut Client) -> Found {
    let mut names = Vec::new();
    for kind in ListKind::ALL {
        if !client.offers(kind.capability()) {
            continue;
        }
        let wanted = |entry: &RawJson| name_of(kind, entry).as_deref() == Some(name);
        let pages = client.list(kind.method(), kind.member(), |entries| entries.iter().any(wanted)).await;
        if let Some(entry) = pages.entries.iter().find(|entry| wanted(entry)) {
            let mut found = describe(kind, name, entry);
            let schema = ToolView::read(entry).input_schema.filter(|_| kind == ListKind::Tools);
            for defect in client.era().tool_defects(schema.as_deref(), client.kind()) {
                found.defects.push(format!("{defect}; `call` refuses it over HTTP"));
            }
            return Found::ok(Body::Describe(Box::new(found)));
        }
        match pages.stopped {
            // A list that does not exist holds no name; every other failure may hide the one that is wanted.
            Some(error) if error.rpc_code().is_none() => return error.into(),
            _ => names.extend(pages.entries.iter().filter_map(|entry| name_of(kind, entry))),
        }
    }
    let mut failure: Failure = unknown("tool, prompt, resource or template", name, &names, "mcpcli list");
    failure.hint = failure.hint.map(|hint| hint.replace("; --no-check sends it anyway", ""));
    failure.message = failure.message.replace("; nothing was sent", "");
    Found::failed(failure)
}

fn describe(kind: ListKind, name: &str, entry: &RawJson) -> Describe {
    let mut description = Describe {
        kind: "",
        name: name.to_owned(),
        definition: entry.clone(),
        arguments: Vec::new(),
        output: None,
        defects: Vec::new(),
        example: String::new(),
    };
    match kind {
        ListKind::Tools => tool(&mut description, entry),
        ListKind::Prompts => prompt(&mut description, entry),
        ListKind::Resources => {
            description.kind = "resource";
            description.example = format!("mcpcli read {}", crate::schema::shell_word(name));
        }
        ListKind::Templates => {
            description.kind = "template";
            description.example = format!("mcpcli read {}", crate::schema::shell_word(name));
        }
    }
    description
}

fn tool(description: &mut Describe, entry: &RawJson) {
    let tool = ToolView::read(entry);
    description.kind = "tool";
    let mut defects = crate::schema::defects(tool.input_schema.as_deref());
    if let (true, Some(schema)) = (defects.is_empty(), &tool.input_schema) {
        defects = crate::schema::unusable(schema);
    }
    description.defects =
        defects.iter().map(|defect| format!("inputSchema{}: {}", defect.pointer, defect.message)).collect();
    let mut words = Vec::new();
    if let Some(schema) = &tool.input_schema {
        description.arguments = crate::schema::outline(schema).into_iter().map(field).collect();
        words = crate::schema::example(schema).into_iter().map(|(_, word)| word).collect();
    }
    let output = tool.output_schema.filter(|schema| !json::is_null(schema));
    description.output = output.map(|schema: RawJson| crate::schema::outline(&schema).into_iter().map(field).collect());
    description.example = example("call", &description.name, &words);
}

fn prompt(description: &mut Describe, entry: &RawJson) {
    description.kind = "prompt";
    let mut words = Vec::new();
    for argument in PromptView::read(entry).arguments {
        let name = argument.name.unwrap_or_else(|| "?".to_owned());
        if argument.required == Some(true) {
            words.push(crate::schema::shell_word(&format!("{name}=…")));
        }
        description.arguments.push(Field {
            path: name,
            depth: 0,
            type_name: "string".to_owned(),
            required: argument.required == Some(true),
            default: None,
            values: Vec::new(),
            description: argument.description,
        });
    }
    description.example = example("get", &description.name, &words);
}

fn example(verb: &str, name: &str, words: &[String]) -> String {
    let mut example = format!("mcpcli {verb} {}", crate::schema::shell_word(name));
    for word in words {
        example.push(' ');
        example.push_str(word);
    }
    example
}

fn field(field: crate::schema::Field) -> Field {
    Field {
        path: field.path,
        depth: field.depth,
        type_name: field.type_name,
        required: field.required,
        default: field.default,
        values: field.enum_values,
        description: field.description,
    }
}
