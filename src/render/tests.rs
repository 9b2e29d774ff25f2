//! The views as a person sees them: each category at two widths, warnings, results, and the envelope.

mod gallery;
mod hostile;

use std::time::Duration;

use serde_json::value::RawValue;

use super::{Format, Stream, View, show};
use crate::outcome::{Category, Facts, Failure, Phase, PhaseTime, RpcFacts, ServerFacts, Warning, WarningId};
use crate::report::{Body, CallReport, List, ListKind, Report, Section, SectionState};
use crate::trace::Redactor;

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn terminal(width: usize) -> Stream {
    Stream { is_terminal: true, colour: false, width }
}

/// Stdout and stderr of a report.
fn shown(report: &Report, format: Format, stream: Stream) -> (String, String) {
    let redactor = Redactor::default();
    redactor.add_text("s3cret-token");
    let view = View { format, quiet: false, out: stream, err: stream, redactor: &redactor };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    show(report, &view, &mut out, &mut err).unwrap();
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn facts() -> Facts {
    let server = ServerFacts {
        target: Some("http://127.0.0.1:4000/mcp?key=***".to_owned()),
        transport: Some("http"),
        protocol: Some("2025-11-25".to_owned()),
        name: Some("demo".to_owned()),
        version: Some("1.0".to_owned()),
        negotiation: Vec::new(),
    };
    let phases = vec![PhaseTime { phase: Phase::Initialize, took: Duration::from_millis(4) }];
    Facts { server, phases, ..Facts::default() }
}

fn call_report(result: Option<&str>, failures: Vec<Failure>) -> Report {
    let body =
        Body::Call(CallReport { tool: "t".to_owned(), result: result.map(raw), saved: Vec::new(), suspicious: None });
    let total = Duration::from_micros(12_100);
    Report { facts: facts(), failures, total, ..Report::local("call", body) }
}

fn on_call(category: Category, message: &str) -> Failure {
    Failure::new(category, Phase::Method("tools/call".to_owned()), message)
}

#[test]
fn warnings_and_hints_stand_before_a_failure_and_are_not_results() {
    let mut report = call_report(Some(r#"{"content":[{"type":"text","text":"ERROR: no"}]}"#), Vec::new());
    report.facts.warnings.push(Warning::new(WarningId::IdType, "the id \"1\"\u{9b} is a string"));
    let Body::Call(call) = &mut report.body else { panic!("a call") };
    call.suspicious = Some("ERROR: no".to_owned());
    let (out, err) = shown(&report, Format::Human, Stream::PLAIN);
    assert_eq!(out, "ERROR: no");
    assert_eq!(
        err,
        "warning[id-type]: the id \"1\"\\u{9b} is a string\nhint: the text looks like an error, but isError is not set: ERROR: no\n      --error-pattern REGEX takes such a text for a tool error (exit 3)\n"
    );
}

#[test]
fn texts_are_exact_in_a_pipe_and_safe_on_a_terminal() {
    let text = |result: &str, stream| shown(&call_report(Some(result), Vec::new()), Format::Human, stream).0;
    let sent = r#"{"content":[{"type":"text","text":"a\u001b[2J\r\n"},{"type":"text","text":"b\u202e"}]}"#;
    assert_eq!(text(sent, Stream::PLAIN), "a\x1b[2J\r\nb\u{202e}");
    assert_eq!(text(sent, terminal(80)), "a\\x1b[2J\\r\nb\\u{202e}\n");
}

#[test]
fn structure_is_shown_unless_the_text_says_the_same() {
    let text = |result: &str| shown(&call_report(Some(result), Vec::new()), Format::Human, Stream::PLAIN).0;
    let same = r#"{"content":[{"type":"text","text":"{ \"n\": 1.10 }"}],"structuredContent":{"n":1.10}}"#;
    assert_eq!(text(same), "{ \"n\": 1.10 }");
    let more = r#"{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1.10}}"#;
    assert_eq!(text(more), "one");
    let (seen, _) = shown(&call_report(Some(more), Vec::new()), Format::Human, terminal(80));
    assert_eq!(seen, "one\nstructured content\n{\n  \"n\": 1.10\n}\n");
    let only = r#"{"content":[],"structuredContent":{"n":9007199254740993}}"#;
    assert_eq!(text(only), "{\n  \"n\": 9007199254740993\n}\n");
    assert_eq!(text(r#"{"count":3}"#), "{\"count\":3}\n");
    let (out, err) = shown(&call_report(Some(r#"{"content":[]}"#), Vec::new()), Format::Human, Stream::PLAIN);
    assert_eq!((out.as_str(), err.as_str()), ("", "(empty result)\n"));
}

#[test]
fn texts_are_joined_by_one_line_end_and_get_none_at_the_end() {
    let text = |texts: &str| {
        let result = format!("{{\"content\":[{texts}]}}");
        shown(&call_report(Some(&result), Vec::new()), Format::Human, Stream::PLAIN).0
    };
    let one = |text: &str| format!("{{\"type\":\"text\",\"text\":{text:?}}}");
    assert_eq!(text(&[one("a"), one("b")].join(",")), "a\nb");
    assert_eq!(text(&[one("a\n"), one("b\n\n")].join(",")), "a\nb\n\n");
    assert_eq!(text(&[one(""), one("b")].join(",")), "\nb");
}

fn read_report(contents: &str) -> Report {
    let result = raw(&format!("{{\"contents\":[{contents}]}}"));
    let body = Body::Read(crate::report::ReadReport { uri: "a:1".to_owned(), result, saved: Vec::new() });
    Report::local("read", body)
}

#[test]
fn the_only_blob_goes_into_a_pipe_as_bytes_and_others_as_placeholders() {
    let blob = r#"{"uri":"a:1","blob":"aGk=","mimeType":"image/png"}"#;
    let (out, err) = shown(&read_report(blob), Format::Human, Stream::PLAIN);
    assert_eq!((out.as_str(), err.as_str()), ("hi", ""));
    let (out, err) = shown(&read_report(blob), Format::Human, terminal(80));
    assert_eq!(out, "[blob image/png, 2 B]\n");
    assert!(err.contains("--output-dir DIR"), "{err}");
    let (out, err) = shown(&read_report(&format!("{blob},{blob}")), Format::Human, Stream::PLAIN);
    assert_eq!(out, "[blob image/png, 2 B]\n".repeat(2));
    assert!(err.contains("--output-dir DIR"), "{err}");
    let text = r#"{"uri":"a:1","text":"no end"}"#;
    assert_eq!(shown(&read_report(text), Format::Human, Stream::PLAIN).0, "no end");
}

#[test]
fn a_dry_run_tells_what_was_sent_and_what_was_not() {
    let message = || raw(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#);
    let body = || Body::DryRun { message: message(), headers: Vec::new(), target: "http://h/".to_owned() };
    let (_, err) = shown(&Report::local("call", body()), Format::Human, Stream::PLAIN);
    assert_eq!(err, "dry run: nothing was sent; it would go to http://h/\n");
    let (_, err) = shown(&Report { facts: facts(), ..Report::local("call", body()) }, Format::Human, Stream::PLAIN);
    assert!(err.starts_with("dry run: tools/call was not sent (the handshake"), "{err}");
}

#[test]
fn evidence_is_told_once_and_under_a_label_of_its_own() {
    let mut failure = on_call(Category::Transport, "gone").with_hint("look").with_evidence("stderr", "Traceback");
    failure = failure.with_evidence("server", "nginx").with_evidence("body", "x".repeat(250));
    failure.also.push(on_call(Category::Transport, "gone too").with_hint("look"));
    let (_, err) = shown(&call_report(None, vec![failure]), Format::Human, Stream::PLAIN);
    assert!(!err.contains("Traceback") && err.contains("server header  nginx"), "{err}");
    assert!(err.contains(&"x".repeat(250)) && !err.contains("in all"), "{err}");
    assert_eq!(err.matches("hint: look").count(), 1, "{err}");
}

#[test]
fn each_block_has_its_line() {
    let result = r#"{"content":[
        {"type":"image","data":"AAAA","mimeType":"image/png"},
        {"type":"audio","data":"AAA="},
        {"type":"resource","resource":{"uri":"a:1","text":"inner"}},
        {"type":"resource","resource":{"uri":"a:2","blob":"aGk=","mimeType":"text/plain"}},
        {"type":"resource","resource":{"uri":"a:3","blob":"aGk=","mimeType":"application/pdf"}},
        {"type":"resource_link","uri":"a:4","name":"n","mimeType":"text/csv","size":2048},
        {"type":"json","json":{}}, 7]}"#;
    let (out, _) = shown(&call_report(Some(result), Vec::new()), Format::Human, Stream::PLAIN);
    assert_eq!(
        out,
        "[image image/png, 3 B]\n[audio of no type, 2 B]\ninner\nhi\n[blob application/pdf, 2 B]\n\
         [link n a:4, text/csv, 2.0 kB]\n{\"type\":\"json\",\"json\":{}}\n7\n"
    );
}

fn sections() -> List {
    let tool = |text: &str| raw(text);
    let entries = vec![
        tool(
            r#"{"name":"add","description":"Adds two integers. And more.","inputSchema":{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a","b"]}}"#,
        ),
        tool(
            r#"{"name":"a_tool_with_a_very_long_name_indeed","description":"Does something that takes a whole sentence of some length to tell.","inputSchema":{"properties":{"x":{}}}}"#,
        ),
        tool("7"),
    ];
    let failure = Failure::new(Category::Timeout, Phase::Method("prompts/list".to_owned()), "no answer");
    let section = |kind, entries: Vec<_>, defects, state| Section {
        kind,
        pages: entries.clone(),
        entries,
        dropped: Vec::new(),
        defects,
        state,
    };
    List {
        single: false,
        sections: vec![
            section(ListKind::Tools, entries, vec![(2, "it is a number".to_owned())], SectionState::Complete),
            section(
                ListKind::Resources,
                Vec::new(),
                Vec::new(),
                SectionState::Unavailable("not advertised".to_owned()),
            ),
            section(ListKind::Prompts, Vec::new(), Vec::new(), SectionState::Failed(Box::new(failure))),
        ],
    }
}

#[test]
fn a_list_at_80_columns() {
    let report = Report::local("list", Body::List(sections()));
    insta::assert_snapshot!(shown(&report, Format::Human, terminal(80)).0, @r#"
    tools (3)
      add a b [c]  Adds two integers.
      a_tool_with_a_very_long_name_indeed [x]
                   Does something that takes a whole sentence of some length to
                   tell.
      (no name) 7 !
        ! it is a number

    prompts ✗ no answer
    "#);
}

#[test]
fn one_list_in_a_pipe_is_names_at_the_start_of_lines() {
    let mut list = sections();
    list.sections.truncate(1);
    list.single = true;
    let (out, _) = shown(&Report::local("list", Body::List(list)), Format::Human, Stream::PLAIN);
    assert!(
        out.lines()
            .next()
            .is_some_and(|line| line.starts_with("add a b [c]  ") && line.ends_with("Adds two integers.")),
        "{out}"
    );
}

#[test]
fn a_list_as_json_has_the_entries_as_they_came_and_tells_of_missing_parts() {
    let (out, _) = shown(&Report::local("list", Body::List(sections())), Format::Json, Stream::PLAIN);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["result"]["tools"][2], 7);
    assert!(document["result"].get("prompts").is_none());
    assert_eq!(document["parts"]["prompts"]["state"], "failed");
    assert_eq!(document["parts"]["resources"]["state"], "unavailable");
    assert_eq!(document["parts"]["tools"]["defects"][0]["index"], 2);
}

#[test]
fn the_envelope_has_its_members_in_order_and_the_result_untouched() {
    let result = r#"{"z":1e400, "a":[1.10,9007199254740993,null],"isError":true}"#;
    let failure = on_call(Category::ToolError, "tool \"t\" reported an error");
    let (out, err) = shown(&call_report(Some(result), vec![failure]), Format::Json, Stream::PLAIN);
    assert_eq!(err, "");
    assert_eq!(out.lines().count(), 1);
    let expected = format!(
        "{{\"ok\":false,\"category\":\"tool-error\",\"exit_code\":3,\"command\":\"call\",\"server\":{{\"target\":\"http://127.0.0.1:4000/mcp?key=***\",\
         \"transport\":\"http\",\"protocol\":\"2025-11-25\",\"name\":\"demo\",\"version\":\"1.0\"}},\"phase\":\"tools/call\",\"reason\":null,\"result\":{result},\
         \"error\":{{\"message\":\"tool \\\"t\\\" reported an error\",\"code\":null,\"data\":null,\"http_status\":null,\"causes\":[],\"hint\":null}},\
         \"warnings\":[],\"timing\":{{\"total_ms\":12.1,\"phases\":[{{\"phase\":\"initialize\",\"ms\":4.0}}]}}}}\n"
    );
    assert_eq!(out, expected);
}

#[test]
fn a_code_is_the_number_that_came() {
    let mut failure = on_call(Category::RpcError, "no");
    failure.rpc = Some(RpcFacts { code: "-32050.0".to_owned(), data: Some(raw("[1E5]")) });
    let (out, _) = shown(&call_report(None, vec![failure.clone()]), Format::Json, Stream::PLAIN);
    assert!(out.contains(r#""code":-32050.0,"data":[1E5]"#), "{out}");
    failure.rpc = Some(RpcFacts { code: "\"E_NO\"".to_owned(), data: None });
    let (out, _) = shown(&call_report(None, vec![failure]), Format::Json, Stream::PLAIN);
    assert!(out.contains(r#""code":null"#), "{out}");
}

#[test]
fn json_on_a_terminal_is_safe_and_the_same_value() {
    let report = call_report(Some("{\"content\":[{\"type\":\"text\",\"text\":\"\u{202e}\u{9b}x\"}]}"), Vec::new());
    let (piped, _) = shown(&report, Format::Json, Stream::PLAIN);
    let (seen, _) = shown(&report, Format::Json, terminal(80));
    assert!(piped.contains('\u{202e}') && !seen.contains('\u{202e}') && !seen.contains('\u{9b}'));
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(parse(&piped), parse(&seen));
}

#[test]
fn raw_is_what_came_and_a_list_is_a_page_a_line() {
    let result = r#"{"content": [ ] ,"n":1.10}"#;
    assert_eq!(shown(&call_report(Some(result), Vec::new()), Format::Raw, Stream::PLAIN).0, format!("{result}\n"));
    let (out, _) = shown(&Report::local("list", Body::List(sections())), Format::Raw, Stream::PLAIN);
    assert_eq!(out.lines().count(), 3);
}

#[test]
fn a_held_expectation_is_told_as_such() {
    let report = call_report(None, vec![on_call(Category::ToolError, "tool \"t\" reported an error")]);
    let report = report.judged(false, Some(Category::ToolError));
    let (_, err) = shown(&report, Format::Human, Stream::PLAIN);
    assert!(err.starts_with("✓ tool error · tools/call · as expected · exit 0\n"), "{err}");
}
