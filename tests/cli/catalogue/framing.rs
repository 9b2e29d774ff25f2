//! Event streams, and what may stand around a message on them: line ends, chunks, comments, names, sizes.

use std::time::Duration;

use super::{
    ALL, CALL, ENDS, HTTP, MODERN, NETS, SHORT, TEXT, TOOLS, all, check_rows, done, feed, good, peer, protocol, row,
    silent,
};
use crate::support::{Conn, Expect, Over, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [line_ends(), characters(), surroundings(), names(), liveness(), sizes()].concat()
}

#[test]
fn lines_and_characters() {
    check_rows(&[line_ends(), characters()].concat());
}

#[test]
fn what_stands_around_a_message() {
    check_rows(&[surroundings(), names(), liveness()].concat());
}

#[test]
fn messages_of_any_size() {
    check_rows(&sizes());
}

/// A server every answer of which is an event, written like this.
fn written(write: fn(&str) -> String) -> Peer {
    all(move |request, conn| feed(conn, &[write(&good(request)).as_bytes()]))
}

/// The same, in pieces of so many bytes.
fn in_pieces(write: fn(&str) -> String, size: usize) -> Peer {
    all(move |request, conn| {
        let text = write(&good(request));
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        feed(conn, &pieces);
    })
}

fn with_crlf(json: &str) -> String {
    format!("event: message\r\nid: 1\r\ndata: {json}\r\n\r\n")
}

fn line_ends() -> Vec<Row> {
    let torn = || {
        all(|request, conn| {
            let text = with_crlf(&good(request));
            let pieces: Vec<&[u8]> = text.as_bytes().split_inclusive(|byte| *byte == b'\r').collect();
            feed(conn, &pieces);
        })
    };
    vec![
        row("FRM-01 CRLF", NETS, written(with_crlf), CALL, done()),
        row("FRM-01 CR and LF in different chunks", NETS, torn(), CALL, done()),
        row("FRM-01 CR and LF in different chunks, without a handshake", HTTP, torn(), MODERN, done()),
        row("FRM-01 CRLF, one byte a chunk", NETS, in_pieces(with_crlf, 1), TOOLS, done()),
        row("FRM-01 CR alone", NETS, written(|json| format!("event: message\rdata: {json}\r\r")), CALL, done()),
        row(
            "FRM-01 every line end in one event",
            NETS,
            written(|json| format!("event: message\r\n: x\rdata: {json}\n\r\n")),
            CALL,
            done(),
        ),
    ]
}

/// A whole HTTP answer with a JSON body, byte by byte.
fn body_byte_by_byte(request: &Request, conn: &mut Conn) {
    let body = good(request);
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    conn.raw(head);
    conn.chunks(body, 1, Duration::from_millis(1));
}

/// The same, every byte an HTTP chunk.
fn chunked_byte_by_byte(request: &Request, conn: &mut Conn) {
    conn.raw(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    for byte in good(request).into_bytes() {
        conn.raw([b"1\r\n", &[byte][..], b"\r\n"].concat());
    }
    conn.raw("0\r\n\r\n");
}

fn characters() -> Vec<Row> {
    let plain = |json: &str| format!("event: message\ndata: {json}\n\n");
    vec![
        row("FRM-03 a body byte by byte", HTTP, all(body_byte_by_byte), CALL, done()),
        row("FRM-03 a chunk a byte", HTTP, all(chunked_byte_by_byte), CALL, done()),
        row("FRM-03 events byte by byte", NETS, in_pieces(plain, 1), CALL, done()),
        row("FRM-03 events byte by byte, without a handshake", HTTP, in_pieces(plain, 1), MODERN, done()),
        row(
            "FRM-03 a line byte by byte",
            &[Over::Stdio],
            peer(|request, conn| conn.chunks(good(request) + "\n", 1, Duration::from_millis(1))),
            CALL,
            done(),
        ),
        row(
            "FRM-03 the message of an error",
            NETS,
            peer(|request, conn| {
                let id = request.id();
                let json = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32050,"message":"{TEXT}"}}}}"#);
                let event = format!("data: {json}\n\n");
                feed(conn, &event.as_bytes().chunks(1).collect::<Vec<_>>());
            }),
            CALL,
            Expect {
                category: "rpc-error",
                exit: 4,
                phase: "tools/call",
                stderr: &[TEXT, "-32050"],
                ..Expect::default()
            },
        ),
    ]
}

/// A server that writes this before each of its answers.
fn after(prelude: &'static str) -> Peer {
    all(move |request, conn| {
        let event = format!("data: {}\n\n", good(request));
        feed(conn, &[prelude.as_bytes(), event.as_bytes()]);
    })
}

fn surroundings() -> Vec<Row> {
    let strict = &["--strict", "--timeout", "8s", "call", "--no-check", "t"];
    vec![
        row("FRM-04 a comment", NETS, after(": ping\n\n"), strict, done()),
        row("FRM-04 an event with an id and no data", NETS, after("id: 7\ndata: \n\n"), strict, done()),
        row("FRM-04 an event of nothing", NETS, after("data:\n\n"), strict, done()),
        row("FRM-04 a time to retry", NETS, after("retry: 500\n\n"), strict, done()),
        row(
            "FRM-04 an event of another name that is no JSON",
            NETS,
            after("event: ping\ndata: 12:00\n\n"),
            strict,
            done(),
        ),
        row(
            "FRM-04 all of them, without a handshake",
            HTTP,
            after(": a\n\nid: 7\ndata: \n\ndata:\n\nretry: 9\n\n"),
            MODERN,
            done(),
        ),
        row("FRM-04 a byte order mark", HTTP, after("\u{feff}"), strict, done()),
        row("FRM-04 a blank event in front of a list", NETS, after("id: 1\ndata:\n\n: x\n\n"), TOOLS, done()),
    ]
}

fn names() -> Vec<Row> {
    vec![
        row("FRM-05 no name", NETS, written(|json| format!("data: {json}\n\n")), CALL, done()),
        row("FRM-05 no name, without a handshake", HTTP, written(|json| format!("data: {json}\n\n")), MODERN, done()),
        row(
            "FRM-05 no space after the colon",
            NETS,
            written(|json| format!("event:message\ndata:{json}\n\n")),
            CALL,
            done(),
        ),
        row(
            "FRM-05 the name behind the data",
            NETS,
            written(|json| format!("id: 1\ndata: {json}\nevent: message\n\n")),
            CALL,
            done(),
        ),
        row(
            "FRM-05 JSON over several data lines",
            NETS,
            written(|json| format!("data: {}\n\n", json.replacen(",\"id\"", "\ndata: ,\"id\"", 1))),
            CALL,
            done(),
        ),
    ]
}

/// A server that shakes hands, and then writes this to the stream again and again.
fn keeping_alive(method: &'static str, text: &'static str) -> Peer {
    all(move |request, conn| {
        if request.rpc_method() != method {
            return conn.message(&good(request));
        }
        feed(conn, &[]);
        for _ in 0..30 {
            match conn.over() {
                Over::Http => conn.raw(text),
                _ => conn.feed(text),
            }
            conn.pause(Duration::from_millis(60));
        }
    })
}

fn liveness() -> Vec<Row> {
    let list = &["--timeout", "400ms", "list", "tools"];
    let modern = &["--protocol", "2026-07-28", "--timeout", "400ms", "call", "--no-check", "t"];
    vec![
        row(
            "FRM-04 comments and no answer",
            NETS,
            keeping_alive("tools/call", ": ping\n\n"),
            SHORT,
            silent("tools/call", &["keep-alive", "no answer", "unknown"]),
        ),
        row(
            "FRM-04 comments and no answer, without a handshake",
            HTTP,
            keeping_alive("tools/call", ": ping\n\n"),
            modern,
            silent("tools/call", &["keep-alive"]),
        ),
        row(
            "FRM-04 comments and no answer to the handshake",
            NETS,
            keeping_alive("initialize", ": ping\n\n"),
            SHORT,
            silent("initialize", &["keep-alive"]),
        ),
        row(
            "FRM-04 comments and no list",
            NETS,
            keeping_alive("tools/list", ":\n\n"),
            list,
            silent("tools/list", &["keep-alive"]),
        ),
        row(
            "FRM-04 empty events and no answer",
            NETS,
            keeping_alive("tools/call", "data:\n\n"),
            SHORT,
            silent("tools/call", &["no answer"]),
        ),
    ]
}

/// A result with a text of so many bytes, and a word at its end.
fn large(size: usize) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{} {TEXT}"}}]}}"#, "a".repeat(size))
}

/// A server that, asked for a call, writes this head and then the letter `a` until nobody reads any more.
fn endless(head: &'static str) -> Peer {
    peer(move |_, conn| {
        let block = vec![b'a'; 64 * 1024];
        match conn.over() {
            Over::Stdio => conn.raw(head),
            _ if head.starts_with("HTTP/") => conn.raw(head),
            _ => feed(conn, &[head.as_bytes()]),
        }
        // Many times the limit; a client that takes it all in fails by its exit code.
        for _ in 0..64 {
            match conn.over() {
                Over::Sse => conn.feed(&block),
                _ => conn.raw(&block),
            }
        }
        if conn.over() == Over::Http {
            conn.hold();
        }
    })
}

fn sizes() -> Vec<Row> {
    const LIMITED: &[&str] = &["--max-message-size", "1MiB", "--timeout", "8s", "call", "--no-check", "t"];
    let too_large = || protocol("too-large", "tools/call", &["1048576", "--max-message-size", "bytes seen"]);
    let three = || large(3 * 1024 * 1024);
    vec![
        row("FRM-12 3 MiB", ALL, peer(move |request, conn| conn.result(request, &three())), CALL, done()),
        row(
            "FRM-12 an event of 3 MiB",
            HTTP,
            peer(|request, conn| {
                conn.push(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
                conn.result(request, &large(3 * 1024 * 1024));
            }),
            CALL,
            done(),
        ),
        row(
            "FRM-12 just below the limit",
            ENDS,
            peer(|request, conn| conn.result(request, &large(1024 * 1024 - 200))),
            LIMITED,
            done(),
        ),
        row("FRM-12 an event without end", NETS, endless("data: "), LIMITED, too_large()),
        // A comment is not kept, so it has no limit; it is no answer either.
        row("FRM-12 a comment without end", NETS, endless(": "), SHORT, silent("tools/call", &["no answer"])),
        row(
            "FRM-12 a body without end",
            HTTP,
            endless("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\""),
            LIMITED,
            too_large(),
        ),
        row(
            "FRM-12 a length beyond the limit",
            HTTP,
            endless("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n\""),
            LIMITED,
            too_large(),
        ),
    ]
}
