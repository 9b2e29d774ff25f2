//! `watch` before 2026-07-28: subscriptions to resources one by one, and the standing stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::{LISTEN, ended, failed, lines};
use crate::modern::{all, only};
use crate::support::{Conn, FakeServer, InitOk, Over, Run, Sandbox, Script, script};

/// A legacy server that tells of these changes once something was subscribed to, or at once if nothing has to be.
fn legacy(over: Over, changes: &'static [&'static str], at_once: bool) -> FakeServer {
    let subscribed = Arc::new(AtomicUsize::new(usize::from(at_once)));
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    let ok = InitOk { capabilities, ..InitOk::default() };
    FakeServer::start(over, telling(ok, changes, subscribed))
}

fn telling(ok: InitOk, changes: &'static [&'static str], subscribed: Arc<AtomicUsize>) -> Script {
    script(move |request, conn| {
        match (request.method.as_str(), conn.over()) {
            ("GET", Over::Http) => {
                conn.sse_head(200, &[]);
                conn.raw(": open\n\n");
                while subscribed.load(Ordering::SeqCst) == 0 {
                    conn.pause(Duration::from_millis(10));
                }
                for change in changes {
                    conn.event(change);
                }
                conn.hold();
                return;
            }
            _ if ok.answer(request, conn) => {
                // Watching begins some time after that, and no message says when.
                let begun = request.rpc_method() == "notifications/initialized" && conn.over() != Over::Http;
                if begun && subscribed.load(Ordering::SeqCst) > 0 {
                    for _ in 0..50 {
                        tell(conn, changes);
                        conn.pause(Duration::from_millis(100));
                    }
                }
                return;
            }
            _ => {}
        }
        match request.rpc_method().as_str() {
            "resources/subscribe" => {
                conn.result(request, "{}");
                subscribed.fetch_add(1, Ordering::SeqCst);
                tell(conn, changes);
            }
            "resources/unsubscribe" => conn.result(request, "{}"),
            other => panic!("the method {other}"),
        }
    })
}

/// Tells where messages need no stream of their own.
fn tell(conn: &mut Conn, changes: &[&str]) {
    for change in changes {
        match conn.over() {
            Over::Http => {}
            Over::Sse => conn.feed(format!("event: message\ndata: {change}\n\n")),
            Over::Stdio => conn.push(change),
        }
    }
}

const UPDATED: &str = r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:a"}}"#;
const TOOLS: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
const PROMPTS: &str = r#"{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}"#;

fn legacy_watch(server: &FakeServer, args: &[&str]) -> Run {
    Sandbox::new().mcpcli(&server.args(&[&["--json", "--timeout", "5s", "watch"], args].concat())).run()
}

#[test]
fn older_versions_subscribe_one_by_one() {
    for over in Over::ALL {
        let server = legacy(*over, &[PROMPTS, UPDATED], false);
        let notices = ended(&legacy_watch(&server, &["x:a", "--count", "1"]), "count", 1);
        assert_eq!(notices[0]["params"]["uri"], "x:a", "what is not watched for is not shown");
        let params = |method: &str| only(&server, method).json()["params"].clone();
        assert_eq!(params("resources/subscribe"), json!({"uri": "x:a"}), "server/resources §Subscriptions");
        assert_eq!(params("resources/unsubscribe"), json!({"uri": "x:a"}));
        assert!(all(&server, LISTEN).is_empty());
    }
    let server = legacy(Over::Stdio, &[UPDATED], false);
    ended(&legacy_watch(&server, &["x:a", "x:b", "--count", "2"]), "count", 2);
    let uris: Vec<Value> =
        all(&server, "resources/unsubscribe").iter().map(|one| one.json()["params"]["uri"].clone()).collect();
    assert_eq!(uris, ["x:a", "x:b"]);
}

#[test]
fn older_versions_tell_of_lists_without_being_asked() {
    for over in Over::ALL {
        let server = legacy(*over, &[PROMPTS, TOOLS], true);
        let notices = ended(&legacy_watch(&server, &["--tools", "--count", "1"]), "count", 1);
        assert_eq!(notices[0]["method"], "notifications/tools/list_changed");
        let server = legacy(*over, &[PROMPTS, TOOLS], true);
        ended(&legacy_watch(&server, &["--count", "1"]), "count", 1);
        assert!(all(&server, "resources/subscribe").is_empty(), "{}", server.describe());
    }
}

#[test]
fn older_versions_need_the_standing_stream() {
    for status in [405, 404, 401, 500] {
        let capabilities = json!({"resources": {"subscribe": true}});
        let ok = InitOk { capabilities, get_status: status, ..InitOk::default() };
        let server = FakeServer::start(Over::Http, ok.then(|request, conn| conn.result(request, "{}")));
        let run = legacy_watch(&server, &["x:a"]);
        failed(&run, "transport", Some("http"), "initialized", 5);
        assert!(all(&server, "resources/subscribe").is_empty(), "{status}: {}", server.describe());
    }
}

#[test]
fn a_server_that_knows_no_subscriptions_says_so() {
    for over in [Over::Sse, Over::Stdio] {
        let server = FakeServer::start(over, InitOk::default().then(|request, conn| conn.error(request, -32601, "no")));
        failed(&legacy_watch(&server, &["x:a"]), "rpc-error", None, "resources/subscribe", 4);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_subscriptions_of_older_versions() {
    let server = legacy(Over::Stdio, &[], false);
    let sandbox = Sandbox::new();
    let running = sandbox.mcpcli(&server.args(&["--json", "watch", "x:a"])).start();
    running.wait_for_stderr("watching");
    running.signal(nix::sys::signal::Signal::SIGINT);
    ended(&running.wait(), "interrupt", 0);
    assert_eq!(all(&server, "resources/unsubscribe").len(), 1, "{}", server.describe());
}

#[test]
fn a_program_that_ends_ends_watching() {
    let server = FakeServer::start(
        Over::Stdio,
        InitOk::default().then(|request, conn| {
            conn.result(request, "{}");
            conn.exit(0);
        }),
    );
    let run = legacy_watch(&server, &["x:a"]);
    run.assert_exit(5);
    assert_eq!(lines(&run).1["reason"], "stream", "{}", run.describe());
}
