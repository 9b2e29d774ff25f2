//! One failure of each category, as a person sees it at two widths.

use super::{call_report, on_call, raw, shown, terminal};
use crate::outcome::{Category, Failure, Phase, Reason, RpcFacts, Signal};
use crate::render::{Format, Stream};

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
