//! What a server says or asks on its own, progress and the clocks, cancellation.

use std::time::Duration;

use super::{
    ALL, CALL, ENDS, HTTP, MODERN, SHORT, all, check_rows, count, done, fails, good, peer, row, silent, warned,
};
use crate::support::{FakeServer, InitOk, Over, Peer, Request, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [asked(), notified(), progressing(), cancelled()].concat()
}

#[test]
fn what_a_server_says_on_its_own() {
    check_rows(&[asked(), notified()].concat());
}

#[test]
fn progress_and_the_clocks() {
    check_rows(&progressing());
}

#[test]
fn what_is_given_up_is_cancelled() {
    check_rows(&cancelled());
}

/// A server that pushes these messages before its answer to this method.
fn pushing(method: &'static str, messages: &'static [&'static str]) -> Peer {
    all(move |request, conn| {
        if request.rpc_method() == method {
            messages.iter().for_each(|message| conn.push(&message.replace("ID", &request.id())));
            // The reply to a question may be on its way.
            conn.pause(Duration::from_millis(50));
        }
        conn.message(&good(request));
    })
}

/// One reply came that holds this.
fn replied(server: &FakeServer, wanted: &str) -> Result<(), String> {
    let is_reply = |one: &Request| one.text().contains("jsonrpc") && one.rpc_method().is_empty();
    let found = server.wait_for(|one| is_reply(one) && one.text().contains(wanted), Duration::from_secs(2));
    found.map(|_| ()).ok_or_else(|| format!("no reply holds {wanted}"))
}

fn asked() -> Vec<Row> {
    const PING: &[&str] = &[r#"{"jsonrpc":"2.0","id":"p1","method":"ping"}"#];
    const FOREIGN: &[&str] = &[r#"{"jsonrpc":"2.0","id":7,"method":"foo/bar","params":{}}"#];
    let pong = |row: Row| Row { seen: Some(|server| replied(server, r#""id":"p1","result":{}"#)), ..row };
    vec![
        pong(row("RPC-06 a ping within a call", ALL, pushing("tools/call", PING), CALL, done())),
        pong(row("RPC-06 a ping within a list", ALL, pushing("tools/list", PING), super::TOOLS, done())),
        pong(row("RPC-06 a ping within the handshake", ALL, pushing("initialize", PING), CALL, done())),
        Row {
            seen: Some(|server| replied(server, r#""id":7,"error":{"code":-32601"#)),
            ..row("RPC-06 something that nobody can answer", ALL, pushing("tools/call", FOREIGN), CALL, done())
        },
        Row {
            seen: Some(|server| match count(server, "") {
                0 if server.requests().iter().all(|one| one.method == "EOF" || one.is_rpc_request()) => Ok(()),
                _ => Err("it was answered".to_owned()),
            }),
            ..row(
                "RPC-06 a question where the version has none",
                ENDS,
                pushing("tools/call", PING),
                MODERN,
                warned(&["server-request"]),
            )
        },
    ]
}

fn notified() -> Vec<Row> {
    const UNKNOWN: &[&str] = &[
        r#"{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3,"message":"hi"}}"#,
        r#"{"jsonrpc":"2.0","method":"codex/event","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/stderr","params":null}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":7,"data":null}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
    ];
    let after_initialize = || {
        Peer::Server(script(|request, conn| {
            if request.rpc_method() != "notifications/initialized" {
                if !InitOk::default().answer(request, conn) {
                    conn.message(&good(request));
                }
                return;
            }
            const ERROR: &str =
                r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found: notifications/initialized"}}"#;
            match conn.over() {
                Over::Http => conn.message(ERROR),
                _ => {
                    conn.push(UNKNOWN[0]);
                    conn.push(ERROR);
                }
            }
        }))
    };
    let strict = &["--strict", "--timeout", "8s", "call", "--no-check", "t"];
    vec![
        row(
            "RPC-08 notifications that nobody knows, within a call",
            ALL,
            pushing("tools/call", UNKNOWN),
            strict,
            done(),
        ),
        row(
            "RPC-08 notifications that nobody knows, within the handshake",
            ALL,
            pushing("initialize", UNKNOWN),
            strict,
            done(),
        ),
        row(
            "RPC-08 notifications that nobody knows, without a handshake",
            ENDS,
            pushing("tools/call", UNKNOWN),
            MODERN,
            done(),
        ),
        row("RPC-08 an error as the acknowledgement of a notification", HTTP, after_initialize(), CALL, done()),
    ]
}

/// A server that sends progress every 150 ms with this token, so many times, and then answers or not.
fn progress(token: &'static str, times: u32, answer: bool) -> Peer {
    peer(move |request, conn| {
        for round in 0..times {
            let token = token.replace("ID", &request.id());
            // Going down, which the specification forbids, and without a total.
            let progress = times - round;
            conn.push(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress}}}}}"#
            ));
            conn.pause(Duration::from_millis(150));
        }
        if answer {
            conn.message(&good(request));
        } else if conn.over() == Over::Http {
            conn.hold();
        }
    })
}

/// A token went along with the call.
fn token_sent(server: &FakeServer) -> Result<(), String> {
    let all = server.requests();
    let call = all.iter().find(|one| one.rpc_method() == "tools/call").map(Request::json).unwrap_or_default();
    if call["params"]["_meta"]["progressToken"].is_null() { Err(format!("no token in {call}")) } else { Ok(()) }
}

fn progressing() -> Vec<Row> {
    const IDLE: &[&str] = &["--timeout", "600ms", "call", "--no-check", "t"];
    let with_token = |row: Row| Row { seen: Some(token_sent), ..row };
    vec![
        with_token(row("RPC-09 progress that goes down", ALL, progress("ID", 8, true), IDLE, done())),
        with_token(row("RPC-09 a token that became a text", ENDS, progress("\"ID\"", 8, true), IDLE, done())),
        with_token(row(
            "RPC-09 a token that nobody knows",
            ALL,
            progress("\"other\"", 8, true),
            IDLE,
            silent("tools/call", &["no answer", "unknown"]),
        )),
        row(
            "RPC-09 other notifications are no progress",
            ENDS,
            peer(|request, conn| {
                for _ in 0..8 {
                    conn.push(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"still here"}}"#);
                    conn.pause(Duration::from_millis(150));
                }
                conn.message(&good(request));
            }),
            IDLE,
            silent("tools/call", &["no answer", "still here"]),
        ),
        row(
            "RPC-10 progress without end",
            ALL,
            progress("ID", 20, false),
            &["--timeout", "500ms", "--max-time", "1100ms", "call", "--no-check", "t"],
            fails("timeout", "max-time", 6, "tools/call", &["--max-time", "notifications, the last one", "unknown"]),
        ),
        row(
            "RPC-10 progress that stops",
            ENDS,
            progress("ID", 2, false),
            &["--timeout", "500ms", "--max-time", "8s", "call", "--no-check", "t"],
            fails("timeout", "idle", 6, "tools/call", &["--timeout", "2 notifications"]),
        ),
    ]
}

/// The server was told once which request is given up, and why.
fn told(server: &FakeServer, method: &str) -> Result<(), String> {
    let cancelled = |one: &Request| one.rpc_method() == "notifications/cancelled";
    let Some(word) = server.wait_for(cancelled, Duration::from_secs(2)) else {
        return Err("nobody was told".to_owned());
    };
    let all = server.requests();
    let id = all.iter().find(|one| one.rpc_method() == method).map(Request::id);
    let params = word.json()["params"].clone();
    match (
        Some(params["requestId"].to_string()) == id,
        params["reason"].is_string(),
        count(server, "notifications/cancelled"),
    ) {
        (true, true, 1) => Ok(()),
        other => Err(format!("{other:?}: {params}")),
    }
}

fn cancelled() -> Vec<Row> {
    let never = |method: &'static str| {
        all(move |request, conn| {
            if request.rpc_method() != method {
                conn.message(&good(request));
            } else if conn.over() == Over::Http {
                conn.hold();
            } else {
                conn.accepted();
            }
        })
    };
    let answering_late = || {
        Peer::Server(script(|request, conn| {
            let is_word = request.rpc_method() == "notifications/cancelled";
            if is_word && conn.over() != Over::Http {
                let id = request.json()["params"]["requestId"].to_string();
                conn.push(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#));
            } else if request.rpc_method() == "tools/call" {
                if conn.over() == Over::Http { _ = conn.hold() } else { conn.accepted() }
            } else {
                InitOk::default().answer(request, conn);
            }
        }))
    };
    let refusing_the_word = || {
        Peer::Server(script(|request, conn| match request.rpc_method().as_str() {
            "notifications/cancelled" => conn.respond(500, &[], "what?"),
            "tools/call" => _ = conn.hold(),
            _ => _ = InitOk::default().answer(request, conn),
        }))
    };
    vec![
        Row {
            seen: Some(|server| told(server, "tools/call")),
            ..row(
                "RPC-11 a call",
                ALL,
                never("tools/call"),
                SHORT,
                silent("tools/call", &["told to cancel", "unknown"]),
            )
        },
        Row {
            seen: Some(|server| match count(server, "notifications/cancelled") {
                0 => Ok(()),
                _ => Err("initialize was cancelled".to_owned()),
            }),
            ..row("RPC-11 never the handshake", ALL, never("initialize"), SHORT, silent("initialize", &["no answer"]))
        },
        row("RPC-11 an answer that comes too late", ALL, answering_late(), SHORT, silent("tools/call", &["no answer"])),
        Row {
            within: Duration::from_secs(5),
            ..row(
                "RPC-11 a server that chokes on the word",
                HTTP,
                refusing_the_word(),
                SHORT,
                silent("tools/call", &["no answer"]),
            )
        },
    ]
}
