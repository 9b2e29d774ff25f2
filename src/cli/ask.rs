//! A form of the server, put to the person at the terminal: field by field, checked, reviewed before it is sent.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use rustyline::config::{Behavior, Config};
use rustyline::{DefaultEditor, Editor};
use serde_json::value::RawValue;

use crate::client::host::{Asker, Reply};
use crate::render::terminal::{line, safe};
use crate::render::{ColorChoice, Live, Stream};
use crate::schema::{self, Choice, FieldKind, FormField};
use crate::wire::json::{self, JsonKind};

/// The person at the terminal.
pub(super) struct Person {
    live: Arc<Live>,
    stream: Stream,
    terminal: Mutex<Option<Restore>>,
}

impl Person {
    /// Asks on stderr and the terminal; stdout stays free for the result.
    pub(super) fn new(live: Arc<Live>, colour: ColorChoice) -> Person {
        Person { live, stream: Stream::stderr(colour), terminal: Mutex::default() }
    }

    /// Puts the terminal's settings back if a dialogue was given up in the middle of a line: a timeout, Ctrl-C. To be called
    /// before anything else is shown.
    pub(super) fn leave(&self) {
        self.terminal.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Asker for Person {
    fn ask<'a>(&'a self, server: &'a str, params: &'a RawValue) -> BoxFuture<'a, Reply> {
        let (server, params) = (server.to_owned(), params.to_owned());
        let (live, stream) = (Arc::clone(&self.live), self.stream);
        Box::pin(async move {
            self.terminal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Restore::now);
            // Reading a line blocks, so it has a thread of its own.
            let asked = tokio::task::spawn_blocking(move || {
                live.suspended(|| match Terminal::open(stream) {
                    Some(mut terminal) => converse(&mut terminal, &server, &params),
                    None => Reply::Cancel,
                })
            });
            asked.await.unwrap_or(Reply::Cancel)
        })
    }
}

/// The terminal's settings as they were, put back when this is dropped.
struct Restore {
    #[cfg(unix)]
    was: Option<nix::sys::termios::Termios>,
}

impl Restore {
    fn now() -> Restore {
        Restore {
            #[cfg(unix)]
            was: nix::sys::termios::tcgetattr(std::io::stdin()).ok(),
        }
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(was) = &self.was {
            use nix::sys::termios::{SetArg, tcgetattr, tcsetattr};
            let stdin = std::io::stdin();
            if tcgetattr(&stdin).is_ok_and(|now| now != *was) {
                // A terminal that is gone needs no settings. The sequence ends bracketed paste, which the editor had begun.
                let _ = tcsetattr(&stdin, SetArg::TCSANOW, was);
                let _ = std::io::stderr().write_all(b"\x1b[?2004l\n");
            }
        }
    }
}

/// Where a dialogue takes place.
trait Console {
    fn say(&mut self, text: &str);
    /// A line; `None` when the person wants no more (Ctrl-C, Ctrl-D).
    fn read(&mut self, prompt: &str) -> Option<String>;
    fn stream(&self) -> Stream;
}

struct Terminal {
    editor: DefaultEditor,
    stream: Stream,
}

impl Terminal {
    fn open(stream: Stream) -> Option<Terminal> {
        // The terminal itself and not stdout, which may be a pipe to another program.
        let config = Config::builder().behavior(Behavior::PreferTerm).build();
        Editor::with_config(config).ok().map(|editor| Terminal { editor, stream })
    }
}

impl Console for Terminal {
    fn say(&mut self, text: &str) {
        // Without a terminal there is nobody to ask; the next read ends the dialogue then.
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    fn read(&mut self, prompt: &str) -> Option<String> {
        self.editor.readline(prompt).ok()
    }

    fn stream(&self) -> Stream {
        self.stream
    }
}

/// What a person typed for one field.
enum Typed {
    /// The JSON text of the value.
    Value(String),
    /// Nothing, where nothing need be given.
    Nothing,
    /// The dialogue is over.
    Over(Reply),
}

/// The whole dialogue. The server's texts are untrusted, and so is its name: "Clients MUST … clearly indicate which server
/// is requesting information" (2025-06-18 and 2025-11-25 client/elicitation §User Interaction Model, §Security).
fn converse(console: &mut dyn Console, server: &str, params: &RawValue) -> Reply {
    let stream = console.stream();
    let message = json::member(params, "message").and_then(|raw| json::string(&raw)).unwrap_or_default();
    let server = if server.is_empty() { "the server" } else { server };
    console.say(&format!("{} {}", stream.bold(&format!("{} asks:", line(server))), safe(&message)));
    let schema = json::member(params, "requestedSchema");
    let fields = match schema.as_deref().map(schema::form) {
        Some(Ok(fields)) => fields,
        Some(Err(_)) | None => Vec::new(),
    };
    if !fields.is_empty() {
        console.say(&stream.dim("  Enter takes the default. :decline and :cancel end it; Ctrl-C cancels."));
    }
    loop {
        let mut members = Vec::new();
        for field in &fields {
            match ask(console, field) {
                Typed::Value(value) => members.push(format!("{}:{value}", json::quote(&field.name))),
                Typed::Nothing => {}
                Typed::Over(reply) => return reply,
            }
        }
        let content = format!("{{{}}}", members.join(","));
        let findings = schema.as_deref().map(|schema| schema::check(schema, &content));
        if let Some(Ok(findings)) = findings
            && let Some(finding) = findings.first()
        {
            console.say(&stream.warn(&format!("  it does not fit the form: {}", safe(&finding.message))));
            if fields.is_empty() {
                return Reply::Cancel;
            }
            continue;
        }
        match review(console, &content, fields.is_empty()) {
            Some(reply) => return reply,
            None => continue,
        }
    }
}

/// The last look before anything is sent; `None` asks everything again.
fn review(console: &mut dyn Console, content: &str, is_question: bool) -> Option<Reply> {
    let prompt = if is_question {
        "accept? [y]es, [d]ecline, [c]ancel: ".to_owned()
    } else {
        console.say(&format!("  {}", safe(content)));
        "send this? [Y]es, [a]gain, [d]ecline, [c]ancel: ".to_owned()
    };
    loop {
        let Some(answer) = console.read(&prompt) else { return Some(Reply::Cancel) };
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Some(Reply::Accept(content.to_owned())),
            "" if !is_question => return Some(Reply::Accept(content.to_owned())),
            "a" | "again" if !is_question => return None,
            "d" | "decline" | ":decline" | "n" | "no" => return Some(Reply::Decline),
            "c" | "cancel" | ":cancel" => return Some(Reply::Cancel),
            _ => {}
        }
    }
}

fn ask(console: &mut dyn Console, field: &FormField) -> Typed {
    introduce(console, field);
    let prompt = match field.default.as_ref().map(|default| shown_default(field, default)) {
        Some(default) => format!("  {} [{default}]: ", line(&field.name)),
        None => format!("  {}: ", line(&field.name)),
    };
    loop {
        let Some(typed) = console.read(&prompt) else { return Typed::Over(Reply::Cancel) };
        let typed = typed.trim();
        match (typed, &field.default) {
            (":decline", _) => return Typed::Over(Reply::Decline),
            (":cancel", _) => return Typed::Over(Reply::Cancel),
            ("", Some(default)) => return Typed::Value(default.get().to_owned()),
            ("", None) if !field.required => return Typed::Nothing,
            ("", None) => console.say("  it is required"),
            _ => match value(&field.kind, typed) {
                Ok(value) => return Typed::Value(value),
                Err(why) => {
                    let stream = console.stream();
                    console.say(&stream.warn(&format!("  {why}")));
                }
            },
        }
    }
}

fn introduce(console: &mut dyn Console, field: &FormField) {
    let stream = console.stream();
    let title = field.title.as_deref().unwrap_or(&field.name);
    let must = if field.required { ", required" } else { "" };
    let mut text = format!("  {} {}", stream.bold(&line(title)), stream.dim(&format!("({}{must})", kind(&field.kind))));
    if let Some(description) = &field.description {
        text.push_str(&format!(" {}", line(description)));
    }
    console.say(&text);
    if let FieldKind::Choice(choices) | FieldKind::Choices(choices) = &field.kind {
        for (index, choice) in choices.iter().enumerate() {
            console.say(&format!("    {}) {}", index + 1, line(&choice.title)));
        }
    }
}

fn kind(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text { format: Some(format) } => line(format),
        FieldKind::Text { format: None } => "text".to_owned(),
        FieldKind::Integer => "whole number".to_owned(),
        FieldKind::Number => "number".to_owned(),
        FieldKind::Boolean => "yes or no".to_owned(),
        FieldKind::Choice(_) => "one of these".to_owned(),
        FieldKind::Choices(_) => "some of these, with commas".to_owned(),
        FieldKind::Other(name) => format!("{} as JSON", line(name)),
    }
}

fn shown_default(field: &FormField, default: &RawValue) -> String {
    let titled = match &field.kind {
        FieldKind::Choice(choices) => choices.iter().find(|choice| choice.value == json::compact(default.get())),
        _ => None,
    };
    match titled {
        Some(choice) => line(&choice.title),
        None => line(&json::string(default).unwrap_or_else(|| json::compact(default.get()))),
    }
}

/// The JSON text of what was typed, or why it cannot be.
fn value(kind: &FieldKind, typed: &str) -> Result<String, String> {
    let parsed = || serde_json::from_str::<&RawValue>(typed).ok();
    match kind {
        // The empty text has to be written, as the empty line takes the default.
        FieldKind::Text { .. } if typed == "\"\"" => Ok("\"\"".to_owned()),
        FieldKind::Text { .. } => Ok(json::quote(typed)),
        FieldKind::Integer => match parsed() {
            Some(raw) if json::kind(raw) == JsonKind::Number && !typed.contains(['.', 'e', 'E']) => {
                Ok(typed.to_owned())
            }
            _ => Err("write a whole number".to_owned()),
        },
        FieldKind::Number => match parsed() {
            Some(raw) if json::kind(raw) == JsonKind::Number => Ok(typed.to_owned()),
            _ => Err("write a number".to_owned()),
        },
        FieldKind::Boolean => match typed.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Ok("true".to_owned()),
            "n" | "no" | "false" => Ok("false".to_owned()),
            _ => Err("write yes or no".to_owned()),
        },
        FieldKind::Choice(choices) => chosen(choices, typed).map(|choice| choice.value.clone()),
        FieldKind::Choices(choices) => {
            let words = typed.split(',').map(str::trim).filter(|word| !word.is_empty());
            let values: Result<Vec<_>, _> = words.map(|word| chosen(choices, word).map(|c| c.value.clone())).collect();
            values.map(|values| format!("[{}]", values.join(",")))
        }
        FieldKind::Other(_) => match parsed() {
            Some(raw) => Ok(raw.get().to_owned()),
            None => Err("write JSON".to_owned()),
        },
    }
}

/// A choice by its title, its value, or its number.
fn chosen<'a>(choices: &'a [Choice], typed: &str) -> Result<&'a Choice, String> {
    let by_name = choices.iter().find(|choice| choice.title == typed || choice.value == json::quote(typed));
    let by_number = || typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    by_name.or_else(by_number).ok_or_else(|| format!("write a number from 1 to {}, or the value", choices.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Script {
        lines: Vec<&'static str>,
        said: String,
    }

    impl Console for Script {
        fn say(&mut self, text: &str) {
            self.said.push_str(text);
            self.said.push('\n');
        }

        fn read(&mut self, prompt: &str) -> Option<String> {
            self.said.push_str(prompt);
            self.said.push('\n');
            if self.lines.is_empty() { None } else { Some(self.lines.remove(0).to_owned()) }
        }

        fn stream(&self) -> Stream {
            Stream::PLAIN
        }
    }

    const FORM: &str = r#"{"message":"Who\u001b[2J?","requestedSchema":{"type":"object","required":["name","age"],"properties":{
        "name":{"type":"string","title":"Your name"},
        "age":{"type":"integer","default":7},
        "colour":{"type":"string","enum":["red","green"]},
        "sure":{"type":"boolean"}}}}"#;

    fn play(params: &str, lines: &[&'static str]) -> (Reply, String) {
        let mut script = Script { lines: lines.to_vec(), said: String::new() };
        let reply = converse(&mut script, "evil\u{202e}server", &RawValue::from_string(params.to_owned()).unwrap());
        (reply, script.said)
    }

    #[test]
    fn a_form_is_filled_in_field_by_field() {
        let (reply, said) = play(FORM, &["", "Ada", "x", "36", "2", "y", "yes"]);
        assert_eq!(reply, Reply::Accept(r#"{"name":"Ada","age":36,"colour":"green","sure":true}"#.to_owned()));
        for text in [
            "evil\\u{202e}server asks: Who\\x1b[2J?",
            "Your name (text, required)",
            "age [7]:",
            "2) green",
            "it is required",
            "write a whole number",
        ] {
            assert!(said.contains(text), "{text} in:\n{said}");
        }
    }

    #[test]
    fn defaults_are_taken_and_optional_fields_left_out() {
        let (reply, _) = play(FORM, &["Ada", "", "", "", ""]);
        assert_eq!(reply, Reply::Accept(r#"{"name":"Ada","age":7}"#.to_owned()));
    }

    #[test]
    fn it_can_be_ended_at_any_point() {
        assert_eq!(play(FORM, &[":decline"]).0, Reply::Decline);
        assert_eq!(play(FORM, &["Ada", ":cancel"]).0, Reply::Cancel);
        assert_eq!(play(FORM, &["Ada"]).0, Reply::Cancel);
        assert_eq!(play(FORM, &["Ada", "", "", "", "d"]).0, Reply::Decline);
    }

    #[test]
    fn a_form_without_fields_is_a_question() {
        let form = r#"{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}"#;
        assert_eq!(play(form, &["", "y"]).0, Reply::Accept("{}".to_owned()));
        assert_eq!(play(form, &["n"]).0, Reply::Decline);
    }
}
