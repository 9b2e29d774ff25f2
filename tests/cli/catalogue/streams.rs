//! How an event stream ends: unfinished, before the answer, or to be taken up again.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{
    CALL, HTTP, MODERN, NETS, SHORT, SSE, TOOLS, all, broken, called_once, check_rows, count, done, fails, feed, good,
    protocol, row, silent, warned,
};
use crate::support::{Conn, Expect, FakeServer, InitOk, Over, Peer, Request, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [unfinished(), ended(), resumed(), not_resumed()].concat()
}

#[test]
fn events_that_are_not_finished() {
    check_rows(&unfinished());
}

#[test]
fn streams_that_end_before_the_answer() {
    check_rows(&ended());
}

#[test]
fn streams_that_are_taken_up_again() {
    check_rows(&[resumed(), not_resumed()].concat());
}

/// A server in order, but for the answer to this method.
fn at(method: &'static str, answer: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Peer {
    all(
        move |request, conn| {
            if request.rpc_method() == method { answer(request, conn) } else { conn.message(&good(request)) }
        },
    )
}

/// Ends the stream of a request in order, whichever it is.
fn end(conn: &mut Conn) {
    if conn.over() == Over::Sse { conn.close_stream() } else { conn.close() }
}

fn reset(conn: &mut Conn) {
    if conn.over() == Over::Sse { conn.reset_stream() } else { conn.reset() }
}

/// Leaves it open.
fn hold(conn: &mut Conn) {
    if conn.over() == Over::Http {
        conn.hold();
    }
}

fn event(request: &Request) -> String {
    format!("data: {}\n\n", good(request))
}

fn unfinished() -> Vec<Row> {
    let open = |method| {
        at(method, |request, conn| {
            feed(conn, &[format!("data: {}\n", good(request)).as_bytes()]);
            hold(conn);
        })
    };
    let cut = |method| {
        at(method, |request, conn| {
            feed(conn, &[format!("data: {}", good(request)).as_bytes()]);
            end(conn);
        })
    };
    let left_open = |method| {
        at(method, |request, conn| {
            feed(conn, &[event(request).as_bytes()]);
            hold(conn);
        })
    };
    let list = &["--timeout", "400ms", "list", "tools"];
    let in_time = |row| Row { within: Duration::from_secs(5), ..row };
    vec![
        row(
            "FRM-08 an event without its end, the stream open",
            NETS,
            open("tools/call"),
            SHORT,
            silent("tools/call", &["unterminated event", "\"result\""]),
        ),
        row(
            "FRM-08 an event without its end, the stream open, at a list",
            NETS,
            open("tools/list"),
            list,
            silent("tools/list", &["unterminated event"]),
        ),
        row(
            "FRM-08 an event without its end, the stream open, at the handshake",
            NETS,
            open("initialize"),
            SHORT,
            silent("initialize", &["unterminated event"]),
        ),
        row("FRM-08 the stream ends within the event", NETS, cut("tools/call"), CALL, warned(&["unterminated-event"])),
        row(
            "FRM-08 the stream ends within the event, at a list",
            HTTP,
            cut("tools/list"),
            TOOLS,
            warned(&["unterminated-event"]),
        ),
        row(
            "FRM-08 the stream ends within the event, at the handshake",
            HTTP,
            cut("initialize"),
            CALL,
            warned(&["unterminated-event"]),
        ),
        row(
            "FRM-08 the stream ends within the event, without a handshake",
            HTTP,
            cut("tools/call"),
            MODERN,
            warned(&["unterminated-event"]),
        ),
        row(
            "FRM-08 the stream ends within the event, strictly",
            HTTP,
            cut("tools/call"),
            &["--strict", "--timeout", "8s", "call", "--no-check", "t"],
            Expect { warnings: &["unterminated-event"], ..protocol("strict", "tools/call", &["unterminated-event"]) },
        ),
        in_time(row("FRM-08 answered, and the stream left open", NETS, left_open("tools/call"), CALL, done())),
        in_time(row(
            "FRM-08 answered, and the stream left open, at a list",
            HTTP,
            left_open("tools/list"),
            TOOLS,
            done(),
        )),
        in_time(row(
            "FRM-08 answered, and the stream left open, at the handshake",
            HTTP,
            left_open("initialize"),
            CALL,
            done(),
        )),
        in_time(row(
            "FRM-08 answered, and the stream left open, without a handshake",
            HTTP,
            left_open("tools/call"),
            MODERN,
            done(),
        )),
    ]
}

const PROGRESS: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";

fn ended() -> Vec<Row> {
    let ends = |method, pieces: &'static str, how: fn(&mut Conn)| {
        at(method, move |_, conn| {
            feed(conn, &[pieces.as_bytes()]);
            conn.pause(Duration::from_millis(30));
            how(conn);
        })
    };
    let once = |row| Row { seen: Some(called_once), within: Duration::from_secs(6), ..row };
    vec![
        once(row(
            "FRM-09 a clean end after a notification",
            HTTP,
            ends("tools/call", PROGRESS, end),
            CALL,
            broken("tools/call", &["ended before the answer", "1 message", "may have run"]),
        )),
        once(row(
            "FRM-09 a clean end at once",
            HTTP,
            ends("tools/call", "", end),
            CALL,
            broken("tools/call", &["ended before the answer", "may have run"]),
        )),
        once(row(
            "FRM-09 reset within an event",
            NETS,
            ends("tools/call", "data: {\"jsonrpc\":\"2.0\",", reset),
            CALL,
            broken("tools/call", &["reset", "may have run"]),
        )),
        once(row(
            "FRM-09 reset after a notification",
            HTTP,
            ends("tools/call", PROGRESS, reset),
            CALL,
            broken("tools/call", &["reset", "1 message"]),
        )),
        once(row(
            "FRM-09 half a message at the end",
            NETS,
            ends("tools/call", "data: {\"jsonrpc\":\"2.0\",\"id\":", end),
            CALL,
            broken("tools/call", &["ended before the answer", "unfinished", "may have run"]),
        )),
        once(row(
            "FRM-09 the only stream ends after the call was accepted",
            SSE,
            ends("tools/call", "", end),
            CALL,
            broken("tools/call", &["ended before the answer", "may have run"]),
        )),
        once(row(
            "FRM-09 no last chunk",
            HTTP,
            at("tools/call", |_, conn| {
                conn.raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                conn.raw(format!("{:x}\r\n{PROGRESS}\r\n", PROGRESS.len()));
            }),
            CALL,
            broken("tools/call", &["cut", "may have run"]),
        )),
        row(
            "FRM-09 a connection that closes after each answer without a word",
            HTTP,
            all(|request, conn| {
                conn.respond(200, &[("Content-Type", "application/json")], good(request));
                conn.pause(Duration::from_millis(10));
                conn.close();
            }),
            TOOLS,
            done(),
        ),
        row(
            "FRM-09 a clean end at a list",
            HTTP,
            ends("tools/list", "", end),
            TOOLS,
            broken("tools/list", &["ended before the answer"]),
        ),
        row(
            "FRM-09 the only stream ends at a list",
            SSE,
            ends("tools/list", "", end),
            TOOLS,
            broken("tools/list", &["ended before the answer"]),
        ),
        row(
            "FRM-09 a clean end at the handshake",
            NETS,
            ends("initialize", "", end),
            CALL,
            broken("initialize", &["ended before the answer"]),
        ),
        row(
            "FRM-09 reset at the handshake",
            NETS,
            ends("initialize", "", reset),
            CALL,
            broken("initialize", &["reset"]),
        ),
        row(
            "FRM-09 nothing is sent again without a handshake",
            HTTP,
            ends("tools/call", PROGRESS, end),
            MODERN,
            broken("tools/call", &["ended before the answer", "may have run"]),
        ),
        row(
            "FRM-09 a resource",
            HTTP,
            ends("resources/read", "", end),
            &["--timeout", "8s", "read", "x:y"],
            broken("resources/read", &["ended before the answer"]),
        ),
    ]
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
