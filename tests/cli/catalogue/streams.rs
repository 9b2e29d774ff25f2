//! How an event stream ends: unfinished, or before the answer.

use std::time::Duration;

use super::{
    CALL, HTTP, MODERN, NETS, SHORT, SSE, TOOLS, all, broken, called_once, check_rows, done, feed, good, protocol, row,
    silent, warned,
};
use crate::support::{Conn, Expect, Over, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [unfinished(), ended()].concat()
}

#[test]
fn events_that_are_not_finished() {
    check_rows(&unfinished());
}

#[test]
fn streams_that_end_before_the_answer() {
    check_rows(&ended());
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

pub(super) fn event(request: &Request) -> String {
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
