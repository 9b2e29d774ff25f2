//! What an earlier run found out does not hold any more (2026-07-28 basic/versioning §Backward Compatibility: re-probe on
//! failure): it is found out anew, and the request that was refused is sent again, once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::{DONE, document};
use crate::support::{Conn, FakeServer, InitOk, ModernOk, Over, Request, Run, Sandbox, modern_error, script};

const AUTO: &[&str] = &["--json", "--protocol", "auto", "--timeout", "5s", "call", "t"];
const BEGUN: &[&str] = &["server/discover", "tools/list", "tools/call"];
const SHAKEN: &[&str] = &["initialize", "notifications/initialized", "tools/list", "tools/call"];

type Answer = fn(&Request, &mut Conn);

/// A server of 2026-07-28 that becomes one with a handshake, or the other way round, or none at all.
struct Changing {
    server: FakeServer,
    /// 0 is modern; 1 is legacy, where messages of 2026-07-28 get the refusal; 2 is in trouble, and says nothing else.
    mode: Arc<AtomicUsize>,
    sandbox: Sandbox,
    seen: usize,
}

impl Changing {
    fn new(mode: usize, refusal: Answer, trouble: Answer) -> Changing {
        let mode = Arc::new(AtomicUsize::new(mode));
        let now = Arc::clone(&mode);
        let tools = ModernOk::default().tools;
        let legacy = InitOk { tools, ..InitOk::default() };
        let script = script(move |request, conn| {
            let modern_message = request.header("Mcp-Method").is_some();
            match now.load(Ordering::SeqCst) {
                0 if request.rpc_method() == "initialize" || modern_message => {
                    if !ModernOk::default().answer(request, conn) {
                        conn.result(request, DONE);
                    }
                }
                1 if request.method != "POST" || !modern_message => {
                    if !legacy.answer(request, conn) {
                        conn.result(request, r#"{"content":[{"type":"text","text":"done"}]}"#);
                    }
                }
                2 => trouble(request, conn),
                _ => refusal(request, conn),
            }
        });
        Changing { server: FakeServer::start(Over::Http, script), mode, sandbox: Sandbox::new(), seen: 0 }
    }

    fn becomes(&self, mode: usize) {
        self.mode.store(mode, Ordering::SeqCst);
    }

    /// One more run, and the methods of JSON-RPC that it sent.
    fn run(&mut self, args: &[&str]) -> (Run, Vec<String>) {
        let run = self.sandbox.mcpcli(&self.server.args(args)).run();
        let methods = self.server.rpc_methods();
        let sent = methods[self.seen..].to_vec();
        self.seen = methods.len();
        (run, sent)
    }

    #[track_caller]
    fn runs(&mut self, wanted: &[&[&str]]) {
        let (run, sent) = self.run(AUTO);
        run.assert_category("ok", None, 0);
        assert_eq!(sent, wanted.concat(), "{}\n{}", run.describe(), self.server.describe());
        document(&run);
    }
}

fn plain(conn: &mut Conn, status: u16, kind: &str, body: &str) {
    conn.respond(status, &[("Content-Type", kind)], body);
}

const PAGE: Answer = |_, conn| plain(conn, 404, "text/html", "<h1>no</h1>");

/// How servers with a handshake refuse a message of 2026-07-28 without hearing it.
const REFUSALS: [(&str, Answer); 9] = [
    ("400 -32000, id null", |_, conn| {
        let body =
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#;
        plain(conn, 400, "application/json", body);
    }),
    ("400 -32600, id server-error", |_, conn| {
        conn.header("mcp-session-id", "not-yours");
        let body = r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Missing session ID"}}"#;
        plain(conn, 400, "application/json", body);
    }),
    ("400 -32600, our id", |request, conn| {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32600,"message":"version"}}}}"#, request.id());
        plain(conn, 400, "application/json", &body);
    }),
    ("404 -32601, our id", |request, conn| {
        let error = json!({"code": -32601, "message": "Method not found"});
        modern_error(request, conn, 404, &error);
    }),
    ("400 -32022 that names older versions alone", |request, conn| {
        let data = json!({"supported": ["2025-11-25"], "requested": "2026-07-28"});
        modern_error(request, conn, 400, &json!({"code": -32022, "message": "Unsupported", "data": data}));
    }),
    ("400, words", |_, conn| plain(conn, 400, "text/plain", "Bad Request: no session")),
    ("404, a page", PAGE),
    ("405, empty", |_, conn| plain(conn, 405, "text/plain", "")),
    ("406, empty", |_, conn| plain(conn, 406, "text/plain", "")),
];

#[test]
fn a_modern_server_became_an_older_one() {
    for (name, refusal) in REFUSALS {
        let mut changing = Changing::new(0, refusal, refusal);
        changing.runs(&[BEGUN]);
        changing.runs(&[&BEGUN[1..]]);
        changing.becomes(1);
        // Refused, found out anew, and the list is asked for again.
        changing.runs(&[&["tools/list", "server/discover"], SHAKEN]);
        changing.runs(&[SHAKEN]);
        // With --no-check it is the call itself; it was not heard, so it may be sent again.
        changing.becomes(0);
        changing.runs(&[&["initialize"], BEGUN]);
        changing.becomes(1);
        let (run, sent) = changing.run(&["--json", "--protocol", "auto", "call", "--no-check", "t"]);
        run.assert_category("ok", None, 0);
        let again = ["tools/call", "server/discover", "initialize", "notifications/initialized", "tools/call"];
        assert_eq!(sent, again, "{name}");
    }
}

#[test]
fn an_older_server_became_a_modern_one() {
    let mut changing = Changing::new(1, REFUSALS[0].1, REFUSALS[0].1);
    changing.runs(&[&["server/discover"], SHAKEN]);
    changing.runs(&[SHAKEN]);
    changing.becomes(0);
    changing.runs(&[&["initialize"], BEGUN]);
    changing.runs(&[&BEGUN[1..]]);
}

#[test]
fn a_server_that_refuses_everything_is_asked_once_each() {
    let mut changing = Changing::new(0, PAGE, PAGE);
    changing.runs(&[BEGUN]);
    changing.becomes(2);
    let (run, sent) = changing.run(AUTO);
    run.assert_category("transport", "http", 5);
    assert_eq!(sent, ["tools/list", "server/discover", "initialize"]);
    // And nothing is remembered.
    let (_, sent) = changing.run(AUTO);
    assert_eq!(sent, ["server/discover", "initialize"]);
}

#[test]
fn what_says_nothing_about_the_era_changes_nothing() {
    let troubles: [(Answer, i32); 5] = [
        (|_, conn| plain(conn, 503, "text/plain", "down"), 5),
        (|_, conn| plain(conn, 401, "text/plain", ""), 8),
        (|_, conn| plain(conn, 429, "text/plain", ""), 5),
        (|_, conn| conn.reset(), 5),
        (|request, conn| conn.error(request, -32603, "no"), 4),
    ];
    for (trouble, exit) in troubles {
        let mut changing = Changing::new(0, REFUSALS[0].1, trouble);
        changing.runs(&[BEGUN]);
        changing.becomes(2);
        let (run, sent) = changing.run(AUTO);
        run.assert_exit(exit);
        assert_eq!(sent, ["tools/list"], "{}", run.describe());
        changing.becomes(0);
        changing.runs(&[&BEGUN[1..]]);
    }
    // The same where it began with `initialize`.
    for (trouble, exit) in &troubles[..4] {
        let mut changing = Changing::new(1, REFUSALS[0].1, *trouble);
        changing.runs(&[&["server/discover"], SHAKEN]);
        changing.becomes(2);
        let (run, sent) = changing.run(AUTO);
        run.assert_exit(*exit);
        assert_eq!(sent, ["initialize"], "{}", run.describe());
        changing.becomes(1);
        changing.runs(&[SHAKEN]);
    }
}

#[test]
fn a_server_that_has_not_changed_is_believed() {
    // It may simply not have the method: asked again what it speaks, it says the same, and nothing is sent twice.
    let ok = ModernOk { tools: None, ..ModernOk::default() };
    let script = ok.then(|request, conn| match request.rpc_method().as_str() {
        "tools/list" => modern_error(request, conn, 404, &json!({"code": -32601, "message": "no"})),
        _ => conn.result(request, DONE),
    });
    let (server, sandbox) = (FakeServer::start(Over::Http, script), Sandbox::new());
    sandbox.mcpcli(&server.args(&["--protocol", "auto", "call", "--no-check", "t"])).run().assert_exit(0);
    let before = server.rpc_methods().len();
    let run = sandbox.mcpcli(&server.args(&["--json", "--protocol", "auto", "list", "tools"])).run();
    run.assert_category("rpc-error", None, 4);
    assert_eq!(document(&run)["phase"], "tools/list");
    assert_eq!(server.rpc_methods()[before..], ["tools/list", "server/discover"], "{}", run.describe());
}

#[test]
fn an_answer_confirms_what_was_remembered() {
    // The first answer was in order, so a later refusal is the server's word, not a wrong memory.
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let script = script(move |request, conn| {
        if ModernOk::default().answer(request, conn) {
            return;
        }
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            conn.result(request, DONE);
        } else {
            plain(conn, 404, "text/html", "<h1>no</h1>");
        }
    });
    let (server, sandbox) = (FakeServer::start(Over::Http, script), Sandbox::new());
    sandbox.mcpcli(&server.args(AUTO)).run().assert_category("ok", None, 0);
    sandbox.mcpcli(&server.args(AUTO)).run().assert_category("transport", "http", 5);
    assert_eq!(server.rpc_methods(), [BEGUN, &BEGUN[1..]].concat());
}
