//! The views as a person sees them: each category at two widths, warnings, results, and the envelope.

use std::time::Duration;

use serde_json::value::RawValue;

use super::{Format, Stream, View, show};
use crate::outcome::{
    Category, Facts, Failure, Phase, PhaseTime, Reason, RpcFacts, ServerFacts, Signal, Warning, WarningId,
};
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
    };
    let phases = vec![PhaseTime { phase: Phase::Initialize, took: Duration::from_millis(4) }];
    Facts { server, warnings: Vec::new(), phases }
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

/// One failure of each category, as the layers below make them.
fn failures() -> Vec<Failure> {
    let mut connect = Failure::new(Category::Transport, Phase::Connect, "no TCP connection to 127.0.0.1:1")
        .with_reason(Reason::Connect)
        .with_evidence("tried", "127.0.0.1:1: Connection refused (os error 111)")
        .with_hint("is the server running, and on this port? start it, or check host and port");
    connect.causes = ["error sending request", "client error (Connect)", "Connection refused (os error 111)"]
        .map(str::to_owned)
        .to_vec();
    let mut http = on_call(Category::Transport, "HTTP 502 Bad Gateway is not an MCP answer")
        .with_reason(Reason::Http)
        .with_evidence("request", "POST http://127.0.0.1:4000/mcp?key=***")
        .with_evidence("content-type", "text/html")
        .with_evidence("body", format!("<html>\n<h1>Bad \x1b[31mGateway</h1>s3cret-token {}", "x".repeat(300)))
        .with_hint("the server or a proxy in front of it failed: its log says why");
    http.http_status = Some(502);
    http.also.push(
        Failure::new(Category::Transport, Phase::Endpoint, "HTTP 404 Not Found is not an event stream")
            .with_reason(Reason::Http)
            .with_evidence("request", "GET http://127.0.0.1:4000/mcp"),
    );
    let mut rpc = on_call(Category::RpcError, "Unknown tool: connect timed out: ECONNREFUSED 401 \u{202e}evil")
        .with_hint("`mcpcli explain -32602` says what the code means");
    rpc.rpc = Some(RpcFacts { code: "-32602".to_owned(), data: Some(raw("{\"tool\":\"nosuch\",\"n\":1.10}")) });
    rpc.http_status = Some(400);
    let mut asked = on_call(
        Category::InputRequired,
        "the server asked for input by elicitation/create that was not supplied",
    )
    .with_evidence("asked", "{\"message\":\"who?\"}")
    .with_hint(
        "answer it with --answer '{\"field\": …}', --answer accept for the defaults, --answer decline, or a terminal",
    );
    asked.also.push(on_call(Category::ToolError, "tool \"t\" reported an error"));
    vec![
        Failure::new(Category::Internal, Phase::Resolve, "mcpcli 0.1.0 panicked at src/x.rs:1:2")
            .with_hint("this is a bug in mcpcli, not in the server: please report it with the command that you ran"),
        Failure::usage(Reason::UnknownName, "the server has no tool called \"ecko\"; nothing was sent")
            .with_hint("did you mean echo? `mcpcli list tools` shows all; --no-check sends it anyway"),
        on_call(Category::ToolError, "tool \"t\" reported an error"),
        rpc,
        connect,
        http,
        on_call(Category::Timeout, "no answer to tools/call within 300ms (limit --timeout)")
            .with_reason(Reason::Idle)
            .with_evidence("progress", "3 notifications, the last one 0.3/1 working")
            .with_hint(
                "whether the call ran on the server is unknown; it was told to cancel. A longer --timeout waits longer",
            ),
        on_call(Category::Protocol, "expected value at line 1 column 1")
            .with_reason(Reason::NotJson)
            .with_evidence("body", "Hello, I am a banner\r\n")
            .with_hint("the server's serializer is at fault; --trace FILE keeps the whole text"),
        Failure::new(Category::Auth, Phase::Initialize, "the server asks for a credential (HTTP 401 Unauthorized)")
            .with_reason(Reason::Unauthorized)
            .with_evidence("www-authenticate", "Bearer realm=\"demo\"")
            .with_hint("pass a credential with --bearer TOKEN or -H 'Authorization: …'"),
        on_call(Category::CheckFailed, "expected the outcome ok, but it is tool-error"),
        asked,
        on_call(Category::Interrupted(Signal::Int), "ended by Ctrl-C")
            .with_hint("the server was told; whether the call ran is unknown"),
    ]
}

fn gallery(stream: Stream) -> String {
    let result = r#"{"content":[{"type":"text","text":"RuntimeError: \u001b[2Jno\nsecond line"}],"isError":true}"#;
    let sheets = failures().into_iter().map(|failure| {
        let result = (failure.category == Category::ToolError).then_some(result);
        let (out, err) = shown(&call_report(result, vec![failure]), Format::Human, stream);
        assert_eq!(out, "", "stdout holds nothing of a failure");
        err
    });
    sheets.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_category_at_80_columns() {
    insta::assert_snapshot!(gallery(terminal(80)), @r#"
    ✗ internal error in mcpcli · resolve · exit 1
      mcpcli 0.1.0 panicked at src/x.rs:1:2
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      hint: this is a bug in mcpcli, not in the server: please report it with the
            command that you ran

    ✗ usage error · unknown-name · resolve · exit 2
      the server has no tool called "ecko"; nothing was sent
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      hint: did you mean echo? `mcpcli list tools` shows all; --no-check sends it
            anyway

    ✗ tool error · tools/call · exit 3
      tool "t" reported an error
      │ RuntimeError: \x1b[2Jno
      │ second line
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25

    ✗ JSON-RPC error from the server · tools/call · exit 4
      Unknown tool: connect timed out: ECONNREFUSED 401 \u{202e}evil
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      code    -32602 (Invalid params), carried by HTTP 400
      data    {
                "tool": "nosuch",
                "n": 1.10
              }
      hint: `mcpcli explain -32602` says what the code means

    ✗ transport failure · connect · exit 5
      no TCP connection to 127.0.0.1:1
      server     http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      tried      127.0.0.1:1: Connection refused (os error 111)
      caused by  error sending request
                 └ client error (Connect)
                   └ Connection refused (os error 111)
      hint: is the server running, and on this port? start it, or check host and
            port

    ✗ transport failure · http · tools/call · exit 5
      HTTP 502 Bad Gateway is not an MCP answer
      server        http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      request       POST http://127.0.0.1:4000/mcp?key=***
      content-type  text/html
      body          <html>
                    <h1>Bad \x1b[31mGateway</h1>***
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … (336 bytes in all)
      hint: the server or a proxy in front of it failed: its log says why
      ✗ transport failure · http · endpoint · also
        HTTP 404 Not Found is not an event stream
        request  GET http://127.0.0.1:4000/mcp

    ✗ timeout · idle · tools/call · exit 6
      no answer to tools/call within 300ms (limit --timeout)
      server    http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      progress  3 notifications, the last one 0.3/1 working
      hint: whether the call ran on the server is unknown; it was told to cancel. A
            longer --timeout waits longer

    ✗ protocol violation by the server · not-json · tools/call · exit 7
      expected value at line 1 column 1
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      body    Hello, I am a banner
      hint: the server's serializer is at fault; --trace FILE keeps the whole text

    ✗ authorization refused · unauthorized · initialize · exit 8
      the server asks for a credential (HTTP 401 Unauthorized)
      server            http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP ·
                        2025-11-25
      www-authenticate  Bearer realm="demo"
      hint: pass a credential with --bearer TOKEN or -H 'Authorization: …'

    ✗ check failed · tools/call · exit 9
      expected the outcome ok, but it is tool-error
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25

    ✗ input required · tools/call · exit 10
      the server asked for input by elicitation/create that was not supplied
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      asked   {"message":"who?"}
      hint: answer it with --answer '{"field": …}', --answer accept for the
            defaults, --answer decline, or a terminal
      ✗ tool error · tools/call · also
        tool "t" reported an error

    ✗ interrupted · tools/call · exit 130
      ended by Ctrl-C
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      hint: the server was told; whether the call ran is unknown
    "#);
}

#[test]
fn each_category_at_120_columns() {
    insta::assert_snapshot!(gallery(terminal(120)), @r#"
    ✗ internal error in mcpcli · resolve · exit 1
      mcpcli 0.1.0 panicked at src/x.rs:1:2
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      hint: this is a bug in mcpcli, not in the server: please report it with the command that you ran

    ✗ usage error · unknown-name · resolve · exit 2
      the server has no tool called "ecko"; nothing was sent
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      hint: did you mean echo? `mcpcli list tools` shows all; --no-check sends it anyway

    ✗ tool error · tools/call · exit 3
      tool "t" reported an error
      │ RuntimeError: \x1b[2Jno
      │ second line
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25

    ✗ JSON-RPC error from the server · tools/call · exit 4
      Unknown tool: connect timed out: ECONNREFUSED 401 \u{202e}evil
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      code    -32602 (Invalid params), carried by HTTP 400
      data    {
                "tool": "nosuch",
                "n": 1.10
              }
      hint: `mcpcli explain -32602` says what the code means

    ✗ transport failure · connect · exit 5
      no TCP connection to 127.0.0.1:1
      server     http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      tried      127.0.0.1:1: Connection refused (os error 111)
      caused by  error sending request
                 └ client error (Connect)
                   └ Connection refused (os error 111)
      hint: is the server running, and on this port? start it, or check host and port

    ✗ transport failure · http · tools/call · exit 5
      HTTP 502 Bad Gateway is not an MCP answer
      server        http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      request       POST http://127.0.0.1:4000/mcp?key=***
      content-type  text/html
      body          <html>
                    <h1>Bad \x1b[31mGateway</h1>***
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
                    xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … (336 bytes in all)
      hint: the server or a proxy in front of it failed: its log says why
      ✗ transport failure · http · endpoint · also
        HTTP 404 Not Found is not an event stream
        request  GET http://127.0.0.1:4000/mcp

    ✗ timeout · idle · tools/call · exit 6
      no answer to tools/call within 300ms (limit --timeout)
      server    http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      progress  3 notifications, the last one 0.3/1 working
      hint: whether the call ran on the server is unknown; it was told to cancel. A longer --timeout waits longer

    ✗ protocol violation by the server · not-json · tools/call · exit 7
      expected value at line 1 column 1
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      body    Hello, I am a banner
      hint: the server's serializer is at fault; --trace FILE keeps the whole text

    ✗ authorization refused · unauthorized · initialize · exit 8
      the server asks for a credential (HTTP 401 Unauthorized)
      server            http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      www-authenticate  Bearer realm="demo"
      hint: pass a credential with --bearer TOKEN or -H 'Authorization: …'

    ✗ check failed · tools/call · exit 9
      expected the outcome ok, but it is tool-error
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25

    ✗ input required · tools/call · exit 10
      the server asked for input by elicitation/create that was not supplied
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      asked   {"message":"who?"}
      hint: answer it with --answer '{"field": …}', --answer accept for the defaults, --answer decline, or a terminal
      ✗ tool error · tools/call · also
        tool "t" reported an error

    ✗ interrupted · tools/call · exit 130
      ended by Ctrl-C
      server  http://127.0.0.1:4000/mcp?key=*** · Streamable HTTP · 2025-11-25
      hint: the server was told; whether the call ran is unknown
    "#);
}

#[test]
fn every_category_has_a_failure_in_the_gallery() {
    let shown: Vec<_> = failures().iter().map(|failure| failure.category.name()).collect();
    for category in Category::ALL.into_iter().filter(|category| *category != Category::Ok) {
        assert!(shown.contains(&category.name()), "{category}");
    }
}

#[test]
fn nothing_that_a_server_sent_reaches_a_terminal_raw_nor_a_secret_at_all() {
    for stream in [terminal(80), Stream::PLAIN] {
        let text = gallery(stream);
        assert!(!text.contains('\x1b') && !text.contains('\u{202e}') && !text.contains("s3cret-token"), "{text}");
    }
}

#[test]
fn warnings_and_hints_stand_before_a_failure_and_are_not_results() {
    let mut report = call_report(Some(r#"{"content":[{"type":"text","text":"ERROR: no"}]}"#), Vec::new());
    report.facts.warnings.push(Warning::new(WarningId::IdType, "the id \"1\"\u{9b} is a string"));
    let Body::Call(call) = &mut report.body else { panic!("a call") };
    call.suspicious = Some("ERROR: no".to_owned());
    let (out, err) = shown(&report, Format::Human, Stream::PLAIN);
    assert_eq!(out, "ERROR: no\n");
    assert_eq!(
        err,
        "warning[id-type]: the id \"1\"\\u{9b} is a string\nhint: the text looks like an error, but isError is not set: ERROR: no\n"
    );
}

#[test]
fn texts_are_exact_in_a_pipe_and_safe_on_a_terminal() {
    let text = |result: &str, stream| shown(&call_report(Some(result), Vec::new()), Format::Human, stream).0;
    let sent = r#"{"content":[{"type":"text","text":"a\u001b[2J\r\n"},{"type":"text","text":"b\u202e"}]}"#;
    assert_eq!(text(sent, Stream::PLAIN), "a\x1b[2J\r\nb\u{202e}\n");
    assert_eq!(text(sent, terminal(80)), "a\\x1b[2J\\r\nb\\u{202e}\n");
}

#[test]
fn structure_is_shown_unless_the_text_says_the_same() {
    let text = |result: &str| shown(&call_report(Some(result), Vec::new()), Format::Human, Stream::PLAIN).0;
    let same = r#"{"content":[{"type":"text","text":"{ \"n\": 1.10 }"}],"structuredContent":{"n":1.10}}"#;
    assert_eq!(text(same), "{ \"n\": 1.10 }\n");
    let more = r#"{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1.10}}"#;
    assert_eq!(text(more), "one\n{\n  \"n\": 1.10\n}\n");
    let only = r#"{"content":[],"structuredContent":{"n":9007199254740993}}"#;
    assert_eq!(text(only), "{\n  \"n\": 9007199254740993\n}\n");
    assert_eq!(text(r#"{"count":3}"#), "{\"count\":3}\n");
    let (out, err) = shown(&call_report(Some(r#"{"content":[]}"#), Vec::new()), Format::Human, Stream::PLAIN);
    assert_eq!((out.as_str(), err.as_str()), ("", "(empty result)\n"));
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
    let section =
        |kind, entries: Vec<_>, defects, state| Section { kind, pages: entries.clone(), entries, defects, state };
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
