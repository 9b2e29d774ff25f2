//! HTTP answers that are no MCP answers, bodies that are cut, and HTTP that is seldom seen.

use super::{
    CALL, HTTP, MODERN, NETS, all, broken, called_once, check_rows, done, fails, feed, good, http, protocol, row,
    silent,
};
use crate::support::{Conn, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [pages(), cut_bodies(), broken_texts(), seldom()].concat()
}

#[test]
fn answers_that_are_none() {
    check_rows(&pages());
}

#[test]
fn bodies_that_are_cut() {
    check_rows(&[cut_bodies(), broken_texts(), seldom()].concat());
}

/// A server in order, but for the answer to this method.
pub(super) fn at(method: &'static str, answer: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Peer {
    all(
        move |request, conn| {
            if request.rpc_method() == method { answer(request, conn) } else { conn.message(&good(request)) }
        },
    )
}

const PAGE: &str = "<html><head><title>The origin\n is down</title><style>p{}</style></head><body><h1>x</h1><script>alert(1)</script></body>";

fn bad_gateway(conn: &mut Conn) {
    let headers = [("Content-Type", "text/html; charset=utf-8"), ("Server", "edge/1.2"), ("Via", "1.1 front")];
    conn.respond(502, &headers, PAGE);
}

fn pages() -> Vec<Row> {
    let call = |name, answer: fn(&mut Conn), stderr| Row {
        seen: Some(called_once),
        ..row(name, NETS, at("tools/call", move |_, conn| answer(conn)), CALL, http("tools/call", stderr))
    };
    let only_http = |row: Row| Row { over: HTTP, ..row };
    vec![
        Row {
            expect: http("tools/call", &["HTTP 502", "text/html", "The origin is down", "edge/1.2", "1.1 front"]),
            ..call("HTTP-06 a page", bad_gateway, &[])
        },
        call(
            "HTTP-06 nothing, and when to come again",
            |conn| conn.respond(503, &[("Retry-After", "7")], ""),
            &["HTTP 503", "retry-after", "7", "(empty)"],
        ),
        call(
            "HTTP-06 too many requests",
            |conn| conn.respond(429, &[("Content-Type", "application/json")], r#"{"detail":"slow down"}"#),
            &["HTTP 429", r#"{"detail":"slow down"}"#, "wait"],
        ),
        call("HTTP-06 a status that nobody knows", |conn| conn.respond(599, &[], "odd"), &["HTTP 599", "odd"]),
        only_http(call(
            "HTTP-06 a page with 200",
            |conn| conn.respond(200, &[("Content-Type", "text/html")], "<title>Welcome</title>"),
            &["media type text/html", "Welcome"],
        )),
        only_http(call("HTTP-06 202 for a request", |conn| conn.respond(202, &[], ""), &["HTTP 202", "Accepted"])),
        only_http(call("HTTP-06 204 for a request", |conn| conn.respond(204, &[], ""), &["HTTP 204", "empty"])),
        only_http(call(
            "HTTP-06 200 and nothing",
            |conn| conn.respond(200, &[("Content-Type", "application/json")], ""),
            &["HTTP 200", "empty body"],
        )),
        row(
            "HTTP-06 200 with JSON that is no JSON-RPC",
            HTTP,
            at("tools/call", |_, conn| conn.message(r#"{"detail":"Not Found"}"#)),
            CALL,
            protocol("not-json-rpc", "tools/call", &["not JSON-RPC", "Not Found"]),
        ),
        row(
            "HTTP-06 a page for the handshake",
            NETS,
            at("initialize", |_, conn| bad_gateway(conn)),
            CALL,
            http("initialize", &["HTTP 502", "The origin is down"]),
        ),
        row(
            "HTTP-06 a page for a resource",
            NETS,
            at("resources/read", |_, conn| bad_gateway(conn)),
            &["--timeout", "8s", "read", "x:y"],
            http("resources/read", &["HTTP 502"]),
        ),
        Row {
            seen: Some(called_once),
            ..row(
                "HTTP-06 a page without a handshake",
                HTTP,
                at("tools/call", |_, conn| bad_gateway(conn)),
                MODERN,
                http("tools/call", &["HTTP 502"]),
            )
        },
        row(
            "HTTP-06 a page for the question what the server speaks",
            HTTP,
            at("server/discover", |_, conn| bad_gateway(conn)),
            &["--protocol", "auto", "--timeout", "8s", "call", "--no-check", "t"],
            http("discover", &["HTTP 502"]),
        ),
        row(
            "HTTP-06 no HTTP at all",
            HTTP,
            all(|_, conn| conn.raw("SSH-2.0-OpenSSH_9.6\r\n")),
            CALL,
            broken("initialize", &["not HTTP"]),
        ),
    ]
}

/// The head of an answer with a body of that length.
fn head(length: usize) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n")
}

fn short(request: &Request, conn: &mut Conn) {
    conn.raw(head(500));
    conn.raw(&good(request)[..60]);
}

fn cut_bodies() -> Vec<Row> {
    let cut = || broken("tools/call", &["the body was cut", "60 of 500", "may have run"]);
    vec![
        Row {
            seen: Some(called_once),
            ..row("HTTP-10 shorter than announced", HTTP, at("tools/call", short), CALL, cut())
        },
        Row {
            seen: Some(called_once),
            ..row(
                "HTTP-10 no last chunk",
                HTTP,
                at("tools/call", |request, conn| {
                    conn.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
                    conn.raw(format!("32\r\n{}\r\n", &good(request)[..50]));
                }),
                CALL,
                broken("tools/call", &["the body was cut", "50 bytes", "may have run"]),
            )
        },
        row(
            "HTTP-10 reset within the body",
            HTTP,
            at("tools/call", |request, conn| {
                short(request, conn);
                conn.pause(std::time::Duration::from_millis(50));
                conn.reset();
            }),
            CALL,
            broken("tools/call", &["reset", "may have run"]),
        ),
        row(
            "HTTP-10 a body that stops",
            HTTP,
            at("tools/call", |request, conn| {
                short(request, conn);
                conn.hold();
            }),
            super::SHORT,
            silent("tools/call", &["HTTP 200", "unknown"]),
        ),
        row(
            "HTTP-10 a head that stops",
            HTTP,
            at("tools/call", |_, conn| {
                conn.raw("HTTP/1.1 200 OK\r\nContent-Ty");
                conn.hold();
            }),
            super::SHORT,
            silent("tools/call", &["no answer"]),
        ),
        row(
            "HTTP-10 a handshake that is shorter than announced",
            HTTP,
            at("initialize", short),
            CALL,
            broken("initialize", &["60 of 500"]),
        ),
        Row {
            seen: Some(called_once),
            ..row("HTTP-10 shorter than announced, without a handshake", HTTP, at("tools/call", short), MODERN, cut())
        },
        row(
            "HTTP-10 a page that is shorter than announced",
            HTTP,
            at("tools/call", |_, conn| {
                conn.raw("HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<h1>No")
            }),
            CALL,
            http("tools/call", &["HTTP 502", "No"]),
        ),
        row(
            "HTTP-10 closed instead of an answer",
            HTTP,
            at("tools/call", |_, conn| conn.close()),
            CALL,
            broken("tools/call", &["may have run"]),
        ),
    ]
}

/// A server whose answers begin with this and end with that; `LENGTH` is that of the body.
fn wrapped(before: &'static str, after: &'static str) -> Peer {
    all(move |request, conn| {
        let body = good(request);
        conn.raw(format!("{}{body}{after}", before.replace("LENGTH", &body.len().to_string())));
    })
}

/// HTTP that is seldom seen and in order.
fn seldom() -> Vec<Row> {
    let taken = |name, before| row(name, HTTP, wrapped(before, ""), CALL, done());
    vec![
        taken("HTTP-10 the older HTTP, and no length", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"),
        taken("HTTP-10 no length", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"),
        taken(
            "HTTP-10 a status of no words, names of odd case",
            "HTTP/1.1 200\r\ncontent-TYPE:application/json\r\nCONTENT-length:LENGTH\r\nconnection: Close\r\n\r\n",
        ),
        taken(
            "HTTP-10 two answers that are not final before the answer",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: \
             application/json\r\nContent-Length: LENGTH\r\nConnection: close\r\n\r\n",
        ),
        row(
            "HTTP-10 more bytes than announced",
            HTTP,
            wrapped(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: LENGTH\r\nConnection: close\r\n\r\n",
                "more",
            ),
            CALL,
            done(),
        ),
        row(
            "HTTP-10 chunks with extensions and a trailer",
            HTTP,
            all(|request, conn| {
                let body = good(request);
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close";
                conn.raw(format!("{head}\r\n\r\n{:x};a=b\r\n{body}\r\n0\r\nX-Sum: 1\r\n\r\n", body.len()));
            }),
            CALL,
            done(),
        ),
    ]
}

/// The answer without its last brace.
fn half(request: &Request) -> String {
    let mut text = good(request);
    text.pop();
    text
}

fn broken_texts() -> Vec<Row> {
    let not_json = |stderr| protocol("not-json", "tools/call", stderr);
    vec![
        row(
            "HTTP-10 half a text",
            HTTP,
            at("tools/call", |request, conn| conn.message(&half(request))),
            CALL,
            not_json(&["not JSON", "line 1", "column"]),
        ),
        row(
            "HTTP-10 half a text as an event",
            NETS,
            at("tools/call", |request, conn| {
                feed(conn, &[format!("data: {}\n\n", half(request)).as_bytes()]);
            }),
            CALL,
            not_json(&["not JSON", "line 1"]),
        ),
        row(
            "HTTP-10 half a text, without a handshake",
            HTTP,
            at("tools/call", |request, conn| conn.message(&half(request))),
            MODERN,
            not_json(&["not JSON"]),
        ),
        row(
            "HTTP-10 something behind the text",
            HTTP,
            at("tools/call", |request, conn| conn.message(&format!("{}garbage", good(request)))),
            CALL,
            not_json(&["not JSON", "garbage"]),
        ),
        row(
            "HTTP-10 half a text on a status that says failure",
            HTTP,
            at("tools/call", |request, conn| {
                let body = format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32050,"#, request.id());
                conn.respond(500, &[("Content-Type", "application/json")], body);
            }),
            CALL,
            fails("transport", "http", 5, "tools/call", &["HTTP 500", "-32050"]),
        ),
    ]
}
