//! Media types, with parameters and without, and content encodings that nobody asked for.

use super::answers::at;
use super::{CALL, HTTP, MODERN, NETS, SSE, TOOLS, all, broken, check_rows, done, good, http, protocol, row, warned};
use crate::support::{InitOk, Over, Peer, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [media_types(), encodings()].concat()
}

#[test]
fn media_types_and_encodings() {
    check_rows(&[media_types(), encodings()].concat());
}

/// A server whose JSON answers have this media type.
fn json_as(kind: &'static str) -> Peer {
    all(move |request, conn| {
        let headers = [("Content-Type", kind)];
        conn.respond(200, if kind.is_empty() { &[] } else { &headers }, good(request));
    })
}

/// A server whose event streams have this media type.
fn events_as(kind: &'static str) -> Peer {
    Peer::Server(script(move |request, conn| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
        match (request.method.as_str(), conn.over()) {
            ("GET", Over::Sse) => {
                conn.raw(format!("{head}event: endpoint\ndata: /messages\n\n"));
                conn.become_stream();
            }
            _ if !request.is_rpc_request() => _ = InitOk::default().answer(request, conn),
            (_, Over::Http) => conn.raw(format!("{head}data: {}\n\n", good(request))),
            _ => conn.message(&good(request)),
        }
    }))
}

fn media_types() -> Vec<Row> {
    vec![
        row("HTTP-08 JSON with a charset", HTTP, json_as("application/json; charset=utf-8"), CALL, done()),
        row("HTTP-08 JSON in capitals", HTTP, json_as("Application/JSON;charset=UTF-8"), CALL, done()),
        row(
            "HTTP-08 JSON with a charset, without a handshake",
            HTTP,
            json_as("application/json; charset=utf-8"),
            MODERN,
            done(),
        ),
        row("HTTP-08 events with a charset", NETS, events_as("text/event-stream; charset=utf-8"), CALL, done()),
        row("HTTP-08 events in capitals", NETS, events_as("Text/Event-Stream;charset=UTF-8"), CALL, done()),
        row("HTTP-08 JSON as text", HTTP, json_as("text/plain"), TOOLS, warned(&["content-type"])),
        row("HTTP-08 JSON as nothing", HTTP, json_as(""), TOOLS, warned(&["content-type"])),
        row(
            "HTTP-08 events as JSON",
            HTTP,
            at("tools/call", |request, conn| {
                conn.respond(200, &[("Content-Type", "application/json")], format!("data: {}\n\n", good(request)));
            }),
            CALL,
            protocol("not-json", "tools/call", &["not JSON", "data: {"]),
        ),
        row(
            "HTTP-08 JSON as events",
            HTTP,
            at("tools/call", |request, conn| {
                conn.sse_head(200, &[]);
                conn.raw(good(request));
            }),
            CALL,
            broken("tools/call", &["ended before the answer"]),
        ),
    ]
}

/// A server in order, whose answers to calls have this encoding and this body.
fn encoded(encoding: &'static str, body: &'static [u8]) -> Peer {
    at("tools/call", move |request, conn| {
        let headers = [("Content-Type", "application/json"), ("Content-Encoding", encoding)];
        if body.is_empty() { conn.respond(200, &headers, good(request)) } else { conn.respond(200, &headers, body) }
    })
}

/// No encoding but the plain one was offered.
fn plain_asked(server: &crate::support::FakeServer) -> Result<(), String> {
    let all = server.requests();
    let offers = all.iter().filter_map(|one| one.header("accept-encoding"));
    match offers.into_iter().find(|offer| *offer != "identity") {
        Some(offer) => Err(format!("{offer} was offered")),
        None => Ok(()),
    }
}

fn encodings() -> Vec<Row> {
    const GZIP: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03";
    const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd\x04\x00";
    let foreign = |name, encoding, body, stderr| Row {
        seen: Some(plain_asked),
        ..row(name, HTTP, encoded(encoding, body), CALL, http("tools/call", stderr))
    };
    vec![
        Row { seen: Some(plain_asked), ..row("HTTP-08 identity", HTTP, encoded("identity", b""), CALL, done()) },
        Row { seen: Some(plain_asked), ..row("HTTP-08 Identity", HTTP, encoded("Identity", b""), CALL, done()) },
        foreign("HTTP-08 gzip", "gzip", GZIP, &["gzip", "not asked for"]),
        foreign("HTTP-08 zstd", "zstd", ZSTD, &["zstd", "not asked for"]),
        row(
            "HTTP-08 gzip on an event stream",
            HTTP,
            at("tools/call", |_, conn| {
                conn.sse_head(200, &[("Content-Encoding", "gzip")]);
                conn.raw(GZIP);
                conn.hold();
            }),
            CALL,
            http("tools/call", &["gzip", "not asked for"]),
        ),
        row(
            "HTTP-08 gzip on the only stream",
            SSE,
            Peer::Server(script(|_, conn| {
                conn.sse_head(200, &[("Content-Encoding", "gzip")]);
                conn.raw(GZIP);
                conn.hold();
            })),
            CALL,
            http("endpoint", &["gzip", "not asked for"]),
        ),
    ]
}
