//! Control sequences in what a server says: no terminal must see them.

use super::{CALL, ENDS, HTTP, STDIO, check_rows, done, fails, good, http, peer, row, warned};
use crate::support::{Expect, FakeServer, InitOk, Over, Peer, Row, Sandbox};

pub(super) fn rows() -> Vec<Row> {
    controls()
}

#[test]
fn control_sequences() {
    check_rows(&controls());
}

/// What no terminal must see: the screen cleared, the title set, the clipboard written, a hidden link, C1, a carriage
/// return, backspaces, text turned round, and characters of no width.
const NASTY: &str =
    r"\u001b[2J\u001b]0;x\u0007\u001b]52;c;AA\u0007\u001b]8;;http://e\u001b\\\u009b1m\rover\b\b\u202e\u200b end";
/// What of it must not be there.
const RAW: &[&str] = &["\u{1b}", "\u{7}", "\u{9b}", "\r", "\u{8}", "\u{202e}", "\u{200b}"];

fn nasty(text: &str) -> String {
    text.replace("NASTY", NASTY)
}

fn controls() -> Vec<Row> {
    let says = |text: &'static str| peer(move |request, conn| conn.message(&nasty(text).replace("ID", &request.id())));
    let escaped = |expect: Expect| Expect { stderr_not: RAW, ..expect };
    vec![
        row(
            "RES-12 the message of an error",
            ENDS,
            says(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32050,"message":"NASTY"}}"#),
            CALL,
            escaped(fails("rpc-error", "", 4, "tools/call", &["over", "end"])),
        ),
        row(
            "RES-12 the text of a failure",
            ENDS,
            says(r#"{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[{"type":"text","text":"NASTY"}]}}"#),
            CALL,
            escaped(fails("tool-error", "", 3, "tools/call", &["over", "end"])),
        ),
        row(
            "RES-12 a text in a pipe is as it came",
            HTTP,
            says(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"NASTY"}]}}"#),
            CALL,
            escaped(Expect { stdout: RAW, ..Expect::default() }),
        ),
        row(
            "RES-12 a log message",
            ENDS,
            peer(|request, conn| {
                conn.push(&nasty(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"NASTY","logger":"NASTY","data":"NASTY"}}"#));
                conn.message(&good(request));
            }),
            CALL,
            escaped(done()),
        ),
        row(
            "RES-12 progress",
            HTTP,
            peer(|request, conn| {
                let word = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1,"message":"NASTY"}}"#;
                conn.push(&nasty(word).replace("ID", &request.id()));
                conn.message(&good(request));
            }),
            CALL,
            escaped(done()),
        ),
        row(
            "RES-12 a notification that nobody knows",
            HTTP,
            peer(|request, conn| {
                conn.push(&nasty(r#"{"jsonrpc":"2.0","method":"NASTY","params":{"NASTY":"NASTY"}}"#));
                conn.message(&good(request));
            }),
            &["-v", "call", "--no-check", "t"],
            escaped(done()),
        ),
        row(
            "RES-12 the name of the server",
            ENDS,
            super::all(|request, conn| {
                match request.rpc_method().as_str() {
                "initialize" => conn.result(request, &nasty(r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"NASTY","title":"NASTY","version":"NASTY"},"instructions":"NASTY"}"#)),
                _ => conn.error(request, -32050, "boom"),
            }
            }),
            &["-v", "call", "--no-check", "t"],
            escaped(fails("rpc-error", "", 4, "tools/call", &["boom"])),
        ),
        row(
            "RES-12 names of tools that are nearly it",
            HTTP,
            Peer::Server(InitOk { tools: None, ..InitOk::default() }.then(|request, conn| {
                conn.result(request, &nasty(r#"{"tools":[{"name":"NASTY","inputSchema":{"type":"object"}}]}"#))
            })),
            &["call", "over end"],
            escaped(fails("usage", "unknown-name", 2, "", &["over end"])),
        ),
        row(
            "RES-12 a reason and a body",
            HTTP,
            peer(|_, conn| {
                let body = "<title>\u{1b}[2J\u{202e}x</title>\u{9b}1m\rover";
                let length = body.len();
                conn.raw(format!(
                    "HTTP/1.1 500 Oops\u{9b}2J\r\nServer: \u{9b}x\r\nContent-Length: {length}\r\n\r\n{body}"
                ));
            }),
            CALL,
            escaped(http("tools/call", &["HTTP 500", "over"])),
        ),
        row(
            "RES-12 stderr",
            STDIO,
            peer(|_, conn| {
                conn.stderr("\u{1b}[2J\u{202e}last\u{9b}1m words\r\n");
                conn.exit(3);
            }),
            CALL,
            escaped(fails("transport", "stream", 5, "tools/call", &["last", "words", "status 3"])),
        ),
        row(
            "RES-12 noise on stdout",
            STDIO,
            peer(|request, conn| {
                conn.raw("\u{1b}[2J\u{202e}Server \u{9b}1mready\r\n");
                conn.message(&good(request));
            }),
            CALL,
            escaped(Expect { stderr: &["ready"], ..warned(&["stdout-noise"]) }),
        ),
    ]
}

/// RES-12 where it matters most: what is listed is shown on a terminal.
#[test]
fn results_are_escaped_in_lists() {
    let script = InitOk { tools: None, ..InitOk::default() }.then(|request, conn| {
        let tools = nasty(r#"{"tools":[{"name":"NASTY","title":"NASTY","description":"NASTY","inputSchema":{"type":"object","properties":{"NASTY":{"description":"NASTY"}}}}]}"#);
        conn.result(request, &tools);
    });
    let server = FakeServer::start(Over::Http, script);
    let run = Sandbox::new().mcpcli(&server.args(&["list", "tools"])).run();
    run.assert_exit(0);
    for raw in RAW {
        assert!(!run.stdout_text().contains(raw), "{raw:?}: {:?}", run.stdout_text());
    }
}
