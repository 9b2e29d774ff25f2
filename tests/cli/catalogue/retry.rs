//! `--retry`: what may be sent again, how often, and what never is.
//!
//! Exponential backoff, only for what may safely be repeated; never `tools/call`, unless the tool is annotated as idempotent
//! or read-only, or the request was never sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{HTTP, NETS, STDIO, all, broken, check_rows, count, done, fails, good, http, row};
use crate::support::{Conn, Expect, FakeServer, InitOk, Over, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [repeated(), never_repeated(), bounded()].concat()
}

#[test]
fn what_may_be_repeated_is() {
    check_rows(&repeated());
}

#[test]
fn what_may_not_be_repeated_is_not() {
    check_rows(&[never_repeated(), bounded()].concat());
}

#[test]
fn a_remembered_server_is_tried_again_too() {
    let state = std::sync::Arc::new(AtomicUsize::new(0));
    let fails = std::sync::Arc::clone(&state);
    let server = FakeServer::start(
        Over::Http,
        crate::support::script(move |request, conn| {
            let shaking = request.rpc_method() == "initialize";
            // Once, when asked to.
            if shaking && fails.compare_exchange(1, 2, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return unavailable(request, conn);
            }
            if !InitOk::default().answer(request, conn) {
                conn.error(request, -32601, "no such method");
            }
        }),
    );
    let sandbox = crate::support::Sandbox::new();
    let args = server.args(&["--protocol", "auto", "--retry", "2", "list", "tools"]);
    sandbox.mcpcli(&args).run().assert_exit(0);
    state.store(1, Ordering::SeqCst);
    sandbox.mcpcli(&args).run().assert_exit(0);
    assert_eq!(count(&server, "server/discover"), 1, "the second run remembers");
    assert_eq!(count(&server, "initialize"), 3);
}

const LIST: &[&str] = &["--retry", "3", "--timeout", "8s", "list", "tools"];
const CALL: &[&str] = &["--retry", "3", "--timeout", "8s", "call", "--no-check", "t"];
/// Looks the tool up, and so knows what it promises.
const KNOWN: &[&str] = &["--retry", "3", "--timeout", "8s", "call", "t"];
/// More often than any run tries.
const ALWAYS: usize = 1_000_000;
const READ: &[&str] = &["--retry", "3", "--timeout", "8s", "read", "x:y"];

/// How often something came, over each transport by itself: the runs of a row go on at the same time.
#[derive(Default)]
struct Tries([AtomicUsize; 3]);

impl Tries {
    fn another(&self, conn: &Conn) -> usize {
        self.0[conn.over() as usize].fetch_add(1, Ordering::SeqCst)
    }
}

/// A server that fails so the first `times` times that this method comes in a run, and is in order then.
///
/// A row runs twice; after a run's last request the count begins anew.
fn failing(method: &'static str, times: usize, fail: fn(&Request, &mut Conn)) -> Peer {
    let tries = Tries::default();
    all(move |request, conn| {
        if request.rpc_method() == method && tries.another(conn) % (times + 1) < times {
            fail(request, conn);
        } else {
            conn.message(&good(request));
        }
    })
}

/// A server whose tool has these annotations, and that fails the first `times` calls of a run.
fn annotated(times: usize, annotations: serde_json::Value) -> Peer {
    let tries = Tries::default();
    let tools = json!([{"name": "t", "inputSchema": {"type": "object"}, "annotations": annotations}]);
    Peer::Server(InitOk { tools: Some(tools), ..InitOk::default() }.then(move |request, conn| {
        if tries.another(conn) % (times + 1) < times {
            conn.respond(503, &[], "");
        } else {
            conn.message(&good(request));
        }
    }))
}

fn unavailable(_: &Request, conn: &mut Conn) {
    conn.respond(503, &[], "");
}

/// This method came so often.
fn came(server: &FakeServer, method: &str, times: usize) -> Result<(), String> {
    match count(server, method) {
        count if count == times => Ok(()),
        count => Err(format!("{method} came {count} times instead of {times}")),
    }
}

fn repeated() -> Vec<Row> {
    vec![
        Row {
            seen: Some(|server| came(server, "tools/list", 3)),
            ..row("FRM-09 retry: a list after 503", NETS, failing("tools/list", 2, unavailable), LIST, done())
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 2)),
            ..row(
                "FRM-09 retry: a list after 429",
                NETS,
                failing("tools/list", 1, |_, conn| conn.respond(429, &[], "")),
                LIST,
                done(),
            )
        },
        Row {
            seen: Some(|server| {
                came(server, "tools/list", 2)?;
                let all = server.requests();
                let lists: Vec<_> = all.iter().filter(|one| one.rpc_method() == "tools/list").collect();
                // RFC 9110 §10.2.3: the server says when.
                if lists[1].at - lists[0].at < Duration::from_secs(1) {
                    Err("it came too soon".to_owned())
                } else {
                    Ok(())
                }
            }),
            ..row(
                "FRM-09 retry: not before the server said",
                HTTP,
                failing("tools/list", 1, |_, conn| conn.respond(503, &[("Retry-After", "1")], "")),
                LIST,
                done(),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 2)),
            ..row(
                "FRM-09 retry: a list after a cut stream",
                HTTP,
                failing("tools/list", 1, |_, conn| conn.sse_head(200, &[])),
                LIST,
                done(),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 2)),
            ..row(
                "FRM-09 retry: a list after a reset",
                HTTP,
                failing("tools/list", 1, |_, conn| conn.reset()),
                LIST,
                done(),
            )
        },
        Row {
            seen: Some(|server| came(server, "resources/read", 2)),
            ..row("FRM-09 retry: a resource", NETS, failing("resources/read", 1, unavailable), READ, done())
        },
        Row {
            seen: Some(|server| came(server, "initialize", 2)),
            ..row("FRM-09 retry: the handshake", NETS, failing("initialize", 1, unavailable), LIST, done())
        },
        Row {
            seen: Some(|server| came(server, "tools/call", 2)),
            ..row(
                "FRM-09 retry: a tool that is idempotent",
                NETS,
                annotated(1, json!({"idempotentHint": true})),
                KNOWN,
                done(),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/call", 2)),
            ..row(
                "FRM-09 retry: a tool that only reads",
                NETS,
                annotated(1, json!({"readOnlyHint": true})),
                KNOWN,
                done(),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 2)),
            ..row(
                "STD-04 retry: a program that ended at a list is started again",
                STDIO,
                failing("tools/list", 1, |_, conn| conn.exit(1)),
                LIST,
                done(),
            )
        },
    ]
}

fn never_repeated() -> Vec<Row> {
    let once =
        |name, over, peer, args, expect| Row { seen: Some(super::called_once), ..row(name, over, peer, args, expect) };
    vec![
        once(
            "FRM-09 retry: a call is never repeated",
            NETS,
            failing("tools/call", ALWAYS, unavailable),
            CALL,
            http("tools/call", &["HTTP 503"]),
        ),
        once(
            "FRM-09 retry: a call whose stream was cut is never repeated",
            HTTP,
            failing("tools/call", ALWAYS, |_, conn| conn.sse_head(200, &[])),
            CALL,
            broken("tools/call", &["may have run"]),
        ),
        once(
            "FRM-09 retry: a tool that promises nothing",
            NETS,
            annotated(ALWAYS, json!({})),
            KNOWN,
            http("tools/call", &["HTTP 503"]),
        ),
        once(
            "FRM-09 retry: a tool that says it is not idempotent",
            NETS,
            annotated(ALWAYS, json!({"idempotentHint": false, "readOnlyHint": false})),
            KNOWN,
            http("tools/call", &["HTTP 503"]),
        ),
        Row {
            seen: Some(|server| came(server, "tools/list", 1)),
            ..row(
                "FRM-09 retry: an error of JSON-RPC is an answer",
                NETS,
                failing("tools/list", ALWAYS, |request, conn| conn.error(request, -32603, "boom")),
                LIST,
                fails("rpc-error", "", 4, "tools/list", &["boom"]),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 1)),
            ..row(
                "NET-01 retry: a challenge is an answer",
                NETS,
                failing("tools/list", ALWAYS, |_, conn| conn.respond(401, &[], "")),
                LIST,
                fails("auth", "unauthorized", 8, "tools/list", &["401"]),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 1)),
            ..row(
                "HTTP-06 retry: 404 will be 404 again",
                NETS,
                failing("tools/list", ALWAYS, |_, conn| conn.respond(404, &[], "")),
                LIST,
                http("tools/list", &["HTTP 404"]),
            )
        },
        Row {
            seen: Some(|server| came(server, "tools/list", 1)),
            ..row(
                "HTTP-06 retry: without the option nothing is repeated",
                NETS,
                failing("tools/list", ALWAYS, unavailable),
                super::TOOLS,
                http("tools/list", &["HTTP 503"]),
            )
        },
    ]
}

fn bounded() -> Vec<Row> {
    let always = |answer: fn(&Request, &mut Conn)| {
        all(
            move |request, conn| {
                if request.rpc_method() == "tools/list" { answer(request, conn) } else { conn.message(&good(request)) }
            },
        )
    };
    vec![
        Row {
            seen: Some(|server| came(server, "tools/list", 3)),
            ..row(
                "FRM-10 retry: no more often than it says",
                NETS,
                always(unavailable),
                &["--retry", "2", "--timeout", "8s", "list", "tools"],
                http("tools/list", &["HTTP 503", "3 attempts"]),
            )
        },
        Row {
            within: Duration::from_secs(5),
            ..row(
                "FRM-10 retry: within the time of the whole command",
                HTTP,
                always(unavailable),
                &["--retry", "1000", "--timeout", "8s", "--max-time", "900ms", "list", "tools"],
                fails("timeout", "max-time", 6, "tools/list", &["--max-time"]),
            )
        },
        Row {
            within: Duration::from_secs(5),
            ..row(
                "FRM-10 retry: a time beyond the deadline is not waited for",
                HTTP,
                always(|_, conn| conn.respond(503, &[("Retry-After", "3600")], "")),
                &["--retry", "3", "--timeout", "8s", "--max-time", "900ms", "list", "tools"],
                http("tools/list", &["HTTP 503", "3600"]),
            )
        },
        Row {
            peer: Peer::Nobody,
            ..row(
                "NET-06 retry: nobody is there, and stays away",
                &[Over::Http, Over::Sse],
                Peer::Nobody,
                &["--retry", "1", "--timeout", "8s", "list", "tools"],
                fails("transport", "connect", 5, "connect", &["2 attempts"]),
            )
        },
        row(
            "CLI-09 retry: a number that is none",
            HTTP,
            always(unavailable),
            &["--retry", "x", "list", "tools"],
            Expect { ..fails("usage", "command-line", 2, "", &["--retry"]) },
        ),
    ]
}
