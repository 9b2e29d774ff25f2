//! Hostile servers: whatever they say, in whatever place, nothing that a terminal obeys, and nothing invisible, is shown.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{raw, shown};
use crate::outcome::{Category, Facts, Failure, Phase, PhaseTime, Reason, RpcFacts, ServerFacts, Warning, WarningId};
use crate::render::terminal::safe_json;
use crate::render::{Format, Stream, View, complain, watched};
use crate::report::{
    Attempt, Body, CallReport, Describe, Dropped, Field, Info, List, ListKind, ReadReport, Report, Saved, Section,
    SectionState, TaskReport,
};
use crate::trace::Redactor;
use crate::wire::json as text;

/// Stands in every text of the server, to see that it is shown at all.
const MARK: &str = "mark";

/// What a terminal would obey or hide: C0, DEL, C1, bidirectional controls, zero-width characters, tags, separators.
const HOSTILE: &[&str] = &[
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b[31m",
    "\0",
    "\u{8}",
    "\r",
    "\r\n",
    "\u{b}",
    "\u{c}",
    "\x7f",
    "\u{80}",
    "\u{85}",
    "\u{9b}2J",
    "\u{9d}0;t\u{9c}",
    "\u{ad}",
    "\u{34f}",
    "\u{61c}",
    "\u{115f}",
    "\u{17b4}",
    "\u{180e}",
    "\u{200b}",
    "\u{200c}",
    "\u{200d}",
    "\u{200e}",
    "\u{200f}",
    "\u{2028}",
    "\u{2029}",
    "\u{202a}",
    "\u{202e}",
    "\u{2060}",
    "\u{2063}",
    "\u{2066}",
    "\u{2069}",
    "\u{206a}",
    "\u{3164}",
    "\u{feff}",
    "\u{ffa0}",
    "\u{fff9}",
    "\u{fff0}",
    "\u{13430}",
    "\u{1bca0}",
    "\u{1d173}",
    "\u{e0001}",
    "\u{e0041}",
];

/// What surrounds it.
const HARMLESS: &[&str] =
    &[" ", "\n", "\t", "\n\n", ". ", "a", "é", "名前", "👍", "\"", "\\", "{", "]", ":", "https://h/?k=", "-"];

/// The server's words, one after the other, again and again.
#[derive(Debug)]
struct Server {
    words: Vec<String>,
    next: Cell<usize>,
}

impl Server {
    fn says(&self) -> String {
        let index = self.next.get();
        self.next.set(index + 1);
        self.words[index % self.words.len()].clone()
    }

    fn several(&self) -> Vec<String> {
        (0..3).map(|_| self.says()).collect()
    }

    /// JSON as a server may write it: with characters as they are or as escapes, on one line or on several.
    fn raw(&self, value: &Value) -> Box<RawValue> {
        let one = value.to_string();
        raw(&match self.says().len() % 3 {
            0 => one,
            1 => safe_json(&one).into_owned(),
            _ => text::pretty(&one, 1).replace('\n', "\r\n"),
        })
    }

    fn object(&self) -> Value {
        json!({ self.says(): self.says(), self.says(): [self.says(), { self.says(): true }, null] })
    }
}

fn server() -> impl Strategy<Value = Server> {
    let piece = prop_oneof![prop::sample::select(HOSTILE), prop::sample::select(HARMLESS)];
    let word = (prop::collection::vec(piece.clone(), 1..5), prop::collection::vec(piece, 0..4));
    let word = word.prop_map(|(before, after)| format!("{}{MARK}{}", before.concat(), after.concat()));
    prop::collection::vec(word, 41).prop_map(|words| Server { words, next: Cell::new(0) })
}

fn section(kind: ListKind, s: &Server, state: SectionState) -> Section {
    let schema = json!({
        "properties": { s.says(): { "type": s.says(), "description": s.says() }, s.says(): {} }, "required": [s.says()],
    });
    let entry = |s: &Server| {
        s.raw(&json!({
            "name": s.says(), "title": s.says(), "description": s.says(), "uri": s.says(), "uriTemplate": s.says(),
            "mimeType": s.says(), "inputSchema": schema, "arguments": [{ "name": s.says(), "required": true }],
            "annotations": { "title": s.says() },
        }))
    };
    let untitled = s.raw(&json!({ "title": s.says(), s.says(): s.says() }));
    let page = s.raw(&json!({ "ttlMs": 1000, "cacheScope": s.says(), "nextCursor": s.says() }));
    let reasons = s.several();
    let dropped = vec![Dropped { index: 0, name: s.says(), reasons, entry: s.raw(&s.object()) }];
    let entries = vec![entry(s), untitled, s.raw(&json!(s.says())), entry(s)];
    Section { kind, entries, dropped, pages: vec![page], defects: vec![(0, s.says()), (2, s.says())], state }
}

fn list(s: &Server) -> Body {
    let states = [
        SectionState::Complete,
        SectionState::Failed(Box::new(failure(s, Category::Protocol))),
        SectionState::Unavailable(s.says()),
        SectionState::Complete,
    ];
    let sections = ListKind::ALL.into_iter().zip(states).map(|(kind, state)| section(kind, s, state)).collect();
    Body::List(List { sections, single: false })
}

fn fields(s: &Server) -> Vec<Field> {
    let field = |depth, required| Field {
        path: s.says(),
        depth,
        type_name: s.says(),
        required,
        default: Some(s.says()),
        values: s.several(),
        description: Some(s.says()),
    };
    vec![field(0, true), field(1, false)]
}

fn describe(s: &Server, kind: &'static str) -> Body {
    let definition = json!({
        "name": s.says(), "title": s.says(), "description": s.says(), "mimeType": s.says(), "size": s.says(),
        "annotations": { "title": s.says(), "readOnlyHint": true, "openWorldHint": s.says() },
    });
    Body::Describe(Box::new(Describe {
        kind,
        name: s.says(),
        definition: s.raw(&definition),
        arguments: fields(s),
        output: Some(fields(s)),
        defects: s.several(),
        example: s.says(),
    }))
}

fn blocks(s: &Server) -> Vec<Value> {
    vec![
        json!({ "type": "text", "text": s.says() }),
        json!({ "type": "image", "data": s.says(), "mimeType": s.says() }),
        json!({ "type": "audio", "data": "AAAA", "mimeType": s.says() }),
        json!({ "type": "resource", "resource": { "uri": s.says(), "text": s.says(), "mimeType": s.says() } }),
        json!({ "type": "resource", "resource": { "uri": s.says(), "blob": "G1sySm1hcms=", "mimeType": "text/plain" } }),
        json!({ "type": "resource", "resource": { "uri": s.says(), "mimeType": s.says() } }),
        json!({ "type": "resource_link", "uri": s.says(), "name": s.says(), "title": s.says(), "description": s.says(),
                "mimeType": s.says(), "size": 7 }),
        json!({ "type": s.says(), s.says(): s.says() }),
        json!(s.says()),
    ]
}

fn saved(s: &Server) -> Vec<Saved> {
    vec![Saved { block: 1, path: PathBuf::from(s.says()), bytes: 3, mime_type: Some(s.says()) }]
}

fn call(s: &Server, result: &Value) -> Body {
    let result = Some(s.raw(result));
    Body::Call(CallReport { tool: s.says(), result, saved: saved(s), suspicious: Some(s.says()) })
}

fn task(s: &Server) -> Value {
    json!({
        "taskId": s.says(), "status": s.says(), "statusMessage": s.says(), "createdAt": s.says(), "lastUpdatedAt": s.object(),
        "ttlMs": s.says(), "pollInterval": s.says(), "inputRequests": { s.says(): s.object() },
    })
}

fn tasks(s: &Server) -> Vec<Body> {
    let one = || Some(s.raw(&task(s)));
    let result = |value: &Value| Some(s.raw(value));
    let of_call = json!({ "content": blocks(s), "structuredContent": s.object() });
    let list = Some(vec![s.raw(&task(s)), s.raw(&json!({ "taskId": s.object(), "status": s.says() }))]);
    vec![
        Body::Task(TaskReport {
            task: one(),
            result: result(&of_call),
            list: None,
            hint: Some(s.says()),
            created: true,
        }),
        Body::Task(TaskReport { task: one(), result: result(&s.object()), list: None, hint: None, created: false }),
        Body::Task(TaskReport { list, ..TaskReport::default() }),
    ]
}

fn info(s: &Server) -> Body {
    let result = json!({
        "serverInfo": { "name": s.says(), "version": s.says(), "title": s.says() }, "instructions": s.says(), "ttlMs": 5,
        "cacheScope": s.says(), "capabilities": { s.says(): { s.says(): true }, "extensions": { s.says(): s.object() } },
    });
    let attempts = (0..2).map(|_| Attempt { what: s.says(), outcome: s.says() }).collect();
    Body::Info(Box::new(Info {
        requested: Some(s.says()),
        era: Some("modern"),
        client_versions: Vec::new(),
        server_versions: s.several(),
        result: Some(s.raw(&result)),
        client_capabilities: Some(s.raw(&s.object())),
        session: true,
        attempts,
    }))
}

/// Results of every command that shows something of a server.
fn bodies(s: &Server) -> Vec<Body> {
    let contents = vec![
        json!({ "uri": s.says(), "text": s.says() }),
        json!({ "uri": s.says(), "blob": s.says(), "mimeType": s.says() }),
        json!({ "uri": s.says() }),
    ];
    let messages = blocks(s).into_iter().map(|block| json!({ "role": s.says(), "content": block }));
    let prompt = json!({ "description": s.says(), "messages": messages.collect::<Vec<_>>() });
    let completion = json!({ "completion": { "values": [s.says(), s.object()], "total": s.says(), "hasMore": true } });
    let read = |value: &Value| Body::Read(ReadReport { uri: s.says(), result: s.raw(value), saved: saved(s) });
    let get = |value: &Value| Body::Get { prompt: s.says(), result: s.raw(value) };
    let message = s.raw(&json!({ "method": s.says(), "params": s.object() }));
    let mut bodies = vec![
        list(s),
        describe(s, "tool"),
        describe(s, "resource"),
        call(s, &json!({ "content": blocks(s), "structuredContent": s.object(), "_meta": s.object() })),
        call(s, &json!({ "structuredContent": s.object() })),
        call(s, &s.object()),
        call(s, &json!({ "content": blocks(s), "isError": true })),
        read(&json!({ "contents": contents })),
        read(&s.object()),
        get(&prompt),
        get(&s.object()),
        Body::Complete { result: s.raw(&completion) },
        Body::Complete { result: s.raw(&s.object()) },
        info(s),
        Body::Request { method: s.says(), result: s.raw(&s.object()) },
        Body::DryRun { message, headers: vec![(s.says(), s.says())], target: s.says() },
    ];
    bodies.extend(tasks(s));
    bodies
}

fn failure(s: &Server, category: Category) -> Failure {
    let mut failure = Failure::new(category, Phase::Method(s.says()), s.says()).with_reason(Reason::ResultShape);
    // A label is a word.
    for label in [s.says().replace('\n', ""), "body".to_owned(), "server".to_owned(), "stderr".to_owned()] {
        failure = failure.with_evidence(label, s.several().join("\n"));
    }
    failure.causes = s.several();
    failure.hint = Some(s.says());
    failure.http_status = Some(502);
    failure.rpc = Some(RpcFacts { code: json!(s.says()).to_string(), data: Some(s.raw(&s.object())) });
    failure
}

fn facts(s: &Server) -> Facts {
    let server = ServerFacts {
        target: Some(s.says()),
        transport: Some("http"),
        protocol: Some(s.says()),
        name: Some(s.says()),
        version: Some(s.says()),
        negotiation: vec![(s.says(), s.says())],
    };
    let warnings = WarningId::ALL.iter().take(2).map(|id| Warning::new(*id, s.says())).collect();
    let phases = vec![PhaseTime { phase: Phase::Method(s.says()), took: Duration::from_millis(1) }];
    Facts { server, warnings, phases, ..Facts::default() }
}

/// A report of each result, some of them failed, each time in another way.
fn reports(s: &Server) -> Vec<Report> {
    let mut categories = Category::ALL.into_iter().cycle();
    let mut next = || categories.next().unwrap_or(Category::ToolError);
    let report =
        |body: Body, failures: Vec<Failure>| Report { facts: facts(s), failures, ..Report::local("call", body) };
    let mut reports: Vec<Report> = bodies(s).into_iter().map(|body| report(body, Vec::new())).collect();
    for body in bodies(s).into_iter().chain([Body::None]) {
        let mut failed = failure(s, next());
        failed.also.push(failure(s, next()));
        failed.reason = None;
        reports.push(report(body, vec![failed, failure(s, Category::ToolError)]));
    }
    reports
}

/// Whether a terminal must not see a character, by Unicode's own tables: controls but LF and TAB, `Bidi_Control`,
/// `Default_Ignorable_Code_Point` but for what chooses the form of an emoji, and separators of lines.
fn is_harmful(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

fn terminal(colour: bool) -> Stream {
    Stream { is_terminal: true, colour, width: 80 }
}

/// Text without the colours that were put around pieces of it. Blanks at the ends of lines make no difference.
fn uncoloured(text: &str) -> String {
    let mut out = String::new();
    for (index, piece) in text.split("\x1b[").enumerate() {
        let rest = if index == 0 { piece } else { piece.split_once('m').map_or(piece, |(_, rest)| rest) };
        out.push_str(rest);
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::with_cases(2) })]

    #[test]
    fn no_word_of_a_server_is_obeyed_or_hidden(s in server()) {
        colored::control::set_override(true);
        for report in reports(&s) {
            for format in [Format::Human, Format::Json, Format::Raw] {
                let (out, err) = shown(&report, format, terminal(false));
                let bad = out.chars().chain(err.chars()).find(|c| is_harmful(*c));
                prop_assert_eq!(bad, None, "{:?}: {:?} {:?}", format, out, err);
                prop_assert!(out.contains(MARK) || err.contains(MARK), "{:?}", report.body);
            }
            let (plain, coloured) = (shown(&report, Format::Human, terminal(false)), shown(&report, Format::Human, terminal(true)));
            // What a failed call says is part of the failure.
            let failed = !report.failures.is_empty() || matches!(report.body, Body::Call(_));
            prop_assert!(failed || plain.0.contains(MARK), "{:?}", report.body);
            // The only controls with colour are the colours.
            prop_assert_eq!(uncoloured(&plain.0), uncoloured(&coloured.0));
            prop_assert_eq!(uncoloured(&plain.1), uncoloured(&coloured.1));
        }
    }

    #[test]
    fn no_notification_is_obeyed_or_hidden(s in server()) {
        let redactor = Redactor::default();
        let methods = ["resources/updated", "tools/list_changed", "message"].map(|name| format!("notifications/{name}"));
        for method in methods.into_iter().chain(s.several()) {
            for format in [Format::Human, Format::Json, Format::Raw] {
                let view = View { format, quiet: false, out: terminal(false), err: terminal(false), redactor: &redactor };
                let params = s.raw(&json!({ "uri": s.says(), "data": s.object() }));
                let text = watched(&method, Some(params.get()), Duration::from_millis(1), &view);
                prop_assert_eq!(text.chars().find(|c| is_harmful(*c)), None, "{:?}", text);
                prop_assert_eq!(text.lines().count(), 1, "{:?}", text);
                let mut err = Vec::new();
                complain(&failure(&s, Category::Protocol), &view, &mut err);
                let text = String::from_utf8(err).unwrap();
                prop_assert_eq!(text.chars().find(|c| is_harmful(*c)), None, "{:?}", text);
            }
        }
    }
}
