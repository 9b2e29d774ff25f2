//! Event streams that are taken up again after the last event, and how often.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::streams::event;
use super::{
    CALL, HTTP, MODERN, SHORT, TOOLS, all, broken, called_once, check_rows, count, done, fails, feed, good, row, silent,
};
use crate::support::{Conn, FakeServer, InitOk, Peer, Request, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [resumed(), not_resumed()].concat()
}

#[test]
fn streams_that_are_taken_up_again() {
    check_rows(&[resumed(), not_resumed()].concat());
}

/// A server that ends the stream of this method after an event with the id `s1`, and deals with the GETs that want to go on.
///
/// The GET that opens the standing stream has no `Last-Event-ID` and is refused, as the specification allows.
fn resumable(
    method: &'static str,
    first: &'static str,
    again: impl Fn(&str, &str, &mut Conn) + Send + Sync + 'static,
) -> Peer {
    let id = Mutex::new(String::new());
    Peer::Server(script(move |request, conn| {
        if let ("GET", Some(last)) = (request.method.as_str(), request.header("last-event-id")) {
            let id = id.lock().unwrap().clone();
            return again(last, &id, conn);
        }
        if request.rpc_method() == method {
            *id.lock().unwrap() = request.id();
            feed(conn, &[first.as_bytes()]);
        } else if !InitOk::default().answer(request, conn) {
            conn.message(&good(request));
        }
    }))
}

/// An event that answers the request with this id: good for every method.
fn answer_event(id: &str) -> String {
    let result = r#"{"tools":[{"name":"t","description":"好🙂 done","inputSchema":{"type":"object"}}],"content":[{"type":"text","text":"好🙂 done"}]}"#;
    format!("id: last\ndata: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n\n")
}

/// The GETs that wanted to go on, by the id of the last event that they named.
fn resumptions(server: &FakeServer) -> Vec<String> {
    let all = server.requests();
    all.iter()
        .filter(|one| one.method == "GET")
        .filter_map(|one| one.header("last-event-id").map(str::to_owned))
        .collect()
}

fn expect_resumptions(server: &FakeServer, wanted: &[&str]) -> Result<(), String> {
    called_once(server)?;
    let got = resumptions(server);
    if got == wanted { Ok(()) } else { Err(format!("resumed after {got:?} instead of {wanted:?}")) }
}

/// Refuses the first GET of each run and answers the second.
fn failing_once() -> Peer {
    let tries = AtomicUsize::new(0);
    resumable("tools/call", "id: s1\nretry: 100\ndata:\n\n", move |_, id, conn| {
        if tries.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
            return conn.respond(503, &[], "");
        }
        conn.sse_head(200, &[]);
        conn.raw(answer_event(id));
    })
}

const PRIMING: &str = "id: s1\nretry: 300\ndata:\n\n";

fn resumed() -> Vec<Row> {
    let answered = || {
        resumable("tools/call", PRIMING, |_, id, conn| {
            conn.sse_head(200, &[]);
            conn.raw(answer_event(id));
        })
    };
    vec![
        Row {
            seen: Some(|server| {
                expect_resumptions(server, &["s1"])?;
                let all = server.requests();
                let at = |wanted: fn(&&Request) -> bool| all.iter().find(wanted).map(|one| one.at);
                let asked = at(|one| one.rpc_method() == "tools/call");
                let again = at(|one| one.header("last-event-id").is_some());
                match asked.zip(again).map(|(asked, again)| again - asked) {
                    Some(waited) if waited >= Duration::from_millis(300) => Ok(()),
                    waited => Err(format!("waited {waited:?} instead of the 300 ms that were asked for")),
                }
            }),
            ..row("FRM-10 resumed once, after the time that was asked for", HTTP, answered(), CALL, done())
        },
        Row {
            seen: Some(|server| expect_resumptions(server, &["später:1"])),
            ..row(
                "FRM-10 an id of other letters",
                HTTP,
                resumable("tools/call", "id: später:1\nretry: 100\ndata:\n\n", |_, id, conn| {
                    conn.sse_head(200, &[]);
                    conn.raw(answer_event(id));
                }),
                CALL,
                done(),
            )
        },
        Row {
            seen: Some(|server| expect_resumptions(server, &["s1", "s2"])),
            ..row(
                "FRM-10 resumed twice, each time after the last event",
                HTTP,
                resumable("tools/call", "id: s1\nretry: 100\ndata:\n\n", |last, id, conn| {
                    conn.sse_head(200, &[]);
                    conn.raw(if last == "s1" { "id: s2\ndata:\n\n".to_owned() } else { answer_event(id) });
                }),
                CALL,
                done(),
            )
        },
        Row {
            seen: Some(|server| expect_resumptions(server, &["s1", "s1"])),
            ..row("FRM-10 resumed after a failure that passes", HTTP, failing_once(), CALL, done())
        },
        Row {
            seen: Some(|server| match resumptions(server).as_slice() {
                [last] if last == "s1" => Ok(()),
                other => Err(format!("resumed after {other:?}")),
            }),
            ..row(
                "FRM-10 a list is resumed too",
                HTTP,
                resumable("tools/list", "id: s1\nretry: 100\ndata:\n\n", |_, id, conn| {
                    conn.sse_head(200, &[]);
                    conn.raw(answer_event(id));
                }),
                TOOLS,
                done(),
            )
        },
        Row {
            seen: Some(|server| expect_resumptions(server, &[])),
            ..row(
                "FRM-10 no GET once the answer is there",
                HTTP,
                all(|request, conn| feed(conn, &[format!("id: s1\nretry: 0\n{}", event(request)).as_bytes()])),
                CALL,
                done(),
            )
        },
    ]
}

fn not_resumed() -> Vec<Row> {
    let refused = |name, again: fn(&str, &str, &mut Conn), stderr| Row {
        seen: Some(|server| expect_resumptions(server, &["s1"])),
        ..row(
            name,
            HTTP,
            resumable("tools/call", "id: s1\nretry: 100\ndata:\n\n", again),
            CALL,
            broken("tools/call", stderr),
        )
    };
    vec![
        Row {
            seen: Some(|server| match resumptions(server).len() {
                2..=10 => called_once(server),
                many => Err(format!("{many} reconnects")),
            }),
            ..row(
                "FRM-10 a storm is not made",
                HTTP,
                resumable("tools/call", "id: s1\nretry: 0\ndata:\n\n", |_, _, conn| {
                    conn.sse_head(200, &[]);
                    conn.close();
                }),
                CALL,
                broken("tools/call", &["reconnects", "may have run"]),
            )
        },
        refused(
            "FRM-10 the GET is refused with 405",
            |_, _, conn| conn.respond(405, &[], ""),
            &["HTTP 405", "reconnect"],
        ),
        refused(
            "FRM-10 the GET is refused with 404",
            |_, _, conn| conn.respond(404, &[], ""),
            &["HTTP 404", "reconnect"],
        ),
        refused(
            "FRM-10 the GET gets a page",
            |_, _, conn| conn.respond(200, &[("Content-Type", "text/html")], "x"),
            &["text/html"],
        ),
        Row {
            within: Duration::from_secs(5),
            ..row(
                "FRM-10 a time to retry beyond the deadline",
                HTTP,
                resumable("tools/call", "id: s1\nretry: 3600000\ndata:\n\n", |_, _, conn| conn.respond(500, &[], "")),
                SHORT,
                silent("tools/call", &["no answer"]),
            )
        },
        Row {
            within: Duration::from_secs(5),
            ..row(
                "FRM-10 the storm ends with the time of the whole command",
                HTTP,
                resumable("tools/call", "id: s1\nretry: 1\ndata:\n\n", |_, _, conn| {
                    conn.sse_head(200, &[]);
                    // A new event each time, so that it looks as if it got on.
                    conn.raw("id: s1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n");
                }),
                &["--timeout", "8s", "--max-time", "900ms", "call", "--no-check", "t"],
                fails("timeout", "max-time", 6, "tools/call", &["--max-time"]),
            )
        },
        Row {
            seen: Some(|server| match (count(server, "tools/call"), server.requests().len()) {
                (1, 1) => Ok(()),
                (calls, all) => Err(format!("{calls} calls and {all} requests")),
            }),
            ..row(
                "FRM-10 an event id means nothing without a handshake",
                HTTP,
                resumable("tools/call", PRIMING, |_, _, conn| conn.respond(500, &[], "")),
                MODERN,
                broken("tools/call", &["ended before the answer"]),
            )
        },
    ]
}
