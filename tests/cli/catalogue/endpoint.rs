//! HTTP+SSE of 2024-11-05: the endpoint event, and a handshake that stalls.

use std::time::Duration;

use super::{CALL, SHORT, SSE, broken, check_rows, done, fails, good, http, protocol, row, silent, warned};
use crate::support::{Conn, Expect, FakeServer, InitOk, Peer, Request, Row, script};

/// A server that announces this endpoint (`HOST` is its host and port), and takes messages at paths that begin so.
fn announcing(data: &'static str, takes: &'static str) -> Peer {
    Peer::Server(script(move |request, conn| {
        if request.method == "GET" {
            let host = request.header("host").unwrap_or_default();
            let event = format!("event: endpoint\ndata: {}\n\n", data.replace("HOST", host));
            conn.sse_head(200, &[]);
            conn.raw(event);
            conn.become_stream();
        } else if !request.path.starts_with(takes) {
            conn.respond(404, &[("Content-Type", "text/plain")], "no such path");
        } else if request.is_rpc_request() {
            conn.message(&good(request));
        } else {
            conn.accepted();
        }
    }))
}

/// A server whose answer to the GET of the stream is this.
fn opening(open: fn(&mut Conn)) -> Peer {
    Peer::Server(script(move |request, conn| match request.method.as_str() {
        "GET" => open(conn),
        _ => panic!("{} {} although there is no endpoint", request.method, request.path),
    }))
}

/// A server that is in order, but for the answer to the POST of this method.
fn refusing(method: &'static str, refuse: fn(&Request, &mut Conn)) -> Peer {
    Peer::Server(script(move |request, conn| {
        if request.rpc_method() == method {
            refuse(request, conn);
        } else if !InitOk::default().answer(request, conn) {
            conn.message(&good(request));
        }
    }))
}

/// Messages went to this path and nowhere else.
fn posted_to(server: &FakeServer, path: &str) -> Result<(), String> {
    let posts: Vec<_> = server.requests().into_iter().filter(|request| request.method == "POST").collect();
    match posts.iter().find(|request| request.path != path) {
        Some(other) => Err(format!("a message went to {}", other.path)),
        None if posts.len() == 3 => Ok(()),
        None => Err(format!("{} messages instead of 3", posts.len())),
    }
}

/// Nothing but the GET of the stream came.
fn nothing_posted(server: &FakeServer) -> Result<(), String> {
    match server.requests().iter().find(|request| request.method != "GET") {
        Some(request) => Err(format!("{} {} came", request.method, request.path)),
        None if server.requests().len() == 1 => Ok(()),
        None => Err("the stream was asked for again".to_owned()),
    }
}

/// One message was sent, and not again.
fn posted_once(server: &FakeServer) -> Result<(), String> {
    match server.requests().iter().filter(|request| request.method == "POST").count() {
        1 => Ok(()),
        posts => Err(format!("{posts} messages")),
    }
}

pub(super) fn rows() -> Vec<Row> {
    [prefixes(), origins(), refused_origins(), openings(), refusals()].concat()
}

#[test]
fn endpoints() {
    check_rows(&[prefixes(), origins(), refused_origins()].concat());
}

#[test]
fn stalls_and_refusals() {
    check_rows(&[openings(), refusals()].concat());
}

/// The SSE URL has the prefix `/sse/gw`.
const PREFIXED: &[&str] = &["-s", "{url}/gw/sse", "--timeout", "8s", "call", "--no-check", "t"];

fn prefixes() -> Vec<Row> {
    let with =
        |name, data, takes, seen| Row { seen: Some(seen), ..row(name, SSE, announcing(data, takes), PREFIXED, done()) };
    vec![
        Row {
            seen: Some(posted_once),
            ..row(
                "SSE-01 the endpoint lacks the prefix of the proxy",
                SSE,
                announcing("/messages?sid=S3CRETSID", "/sse/gw/"),
                PREFIXED,
                Expect {
                    hidden: &["S3CRETSID"],
                    ..http(
                        "initialize",
                        &["HTTP 404", "/messages?sid=***", "prefix /sse/gw", "--message-url", "no such path"],
                    )
                },
            )
        },
        Row {
            args: &["--message-url", "{url}/gw/messages", "-s", "{url}/gw/sse", "call", "--no-check", "t"],
            expect: warned(&["endpoint-override"]),
            ..with("SSE-01 the prefix given by the user", "/messages?sid=1", "/sse/gw/", |server| {
                posted_to(server, "/sse/gw/messages?sid=1")
            })
        },
        with("SSE-01 a path beside the stream", "messages?sid=1", "/sse/gw/", |server| {
            posted_to(server, "/sse/gw/messages?sid=1")
        }),
        with("SSE-01 a path above the stream", "../messages?sid=1", "/sse/", |server| {
            posted_to(server, "/sse/messages?sid=1")
        }),
        with("SSE-01 a query alone", "?sid=1", "/sse/gw/", |server| posted_to(server, "/sse/gw/sse?sid=1")),
        with("SSE-01 a whole URL of the same origin", "http://HOST/sse/gw/m", "/sse/gw/", |server| {
            posted_to(server, "/sse/gw/m")
        }),
        with("SSE-01 a URL without a scheme", "//HOST/sse/gw/m", "/sse/gw/", |server| posted_to(server, "/sse/gw/m")),
    ]
}

fn origins() -> Vec<Row> {
    vec![
        Row {
            seen: Some(posted_once),
            ..row(
                "SSE-04 a percent-encoded URL",
                SSE,
                announcing("http%3A//127.0.0.1%3A8000/messages/?session_id=1", "/messages"),
                CALL,
                Expect {
                    warnings: &["endpoint-encoded"],
                    ..http("initialize", &["HTTP 404", "/http%3A//127.0.0.1%3A8000/messages/"])
                },
            )
        },
        row(
            "SSE-04 a percent-encoded URL in capitals",
            SSE,
            announcing("HTTPS%3a%2f%2fh%2fm", "/messages"),
            CALL,
            Expect { warnings: &["endpoint-encoded"], ..http("initialize", &["HTTP 404"]) },
        ),
        row(
            "SSE-04 the right URL given by the user",
            SSE,
            announcing("http%3A//127.0.0.1%3A8000/messages/?session_id=1", "/sse/m"),
            &["--message-url", "{url}/m", "call", "--no-check", "t"],
            warned(&["endpoint-override"]),
        ),
        Row {
            seen: Some(|server| posted_to(server, "/a%20b/m%3Ax")),
            ..row("SSE-04 a path with percent signs is none", SSE, announcing("/a%20b/m%3Ax", "/a%20b/"), CALL, done())
        },
    ]
}

fn refused_origins() -> Vec<Row> {
    const WITH_BEARER: &[&str] = &["--timeout", "8s", "--bearer", "S3CRETBEARER", "call", "--no-check", "t"];
    let refused = |name, data, stderr| Row {
        seen: Some(nothing_posted),
        within: Duration::from_secs(6),
        ..row(
            name,
            SSE,
            announcing(data, "/"),
            WITH_BEARER,
            Expect { hidden: &["S3CRETBEARER"], ..protocol("endpoint-origin", "endpoint", stderr) },
        )
    };
    vec![
        refused(
            "SSE-03 an address of no host",
            "http://0.0.0.0:9/messages?sid=1",
            &["http://0.0.0.0:9", "http://127.0.0.1:", "proxy", "--message-url"],
        ),
        refused("SSE-03 another host", "http://other.invalid/m", &["http://other.invalid", "http://127.0.0.1:"]),
        refused("SSE-03 another scheme", "https://HOST/m", &["https://127.0.0.1:"]),
        refused("SSE-03 no web at all", "file:///etc/hosts", &["another origin"]),
        Row {
            expect: protocol("endpoint", "endpoint", &["is no URL", "--message-url"]),
            ..refused("SSE-03 no URL", "http://[", &[])
        },
        Row {
            expect: protocol("endpoint", "endpoint", &["is empty", "--message-url"]),
            ..refused("SSE-03 nothing", "", &[])
        },
        row(
            "SSE-03 the URL given by the user",
            SSE,
            announcing("http://0.0.0.0:9/messages?sid=1", "/sse/m"),
            &["--message-url", "{url}/m", "call", "--no-check", "t"],
            warned(&["endpoint-override"]),
        ),
    ]
}

fn openings() -> Vec<Row> {
    let opened =
        |name, open, args, expect| Row { seen: Some(nothing_posted), ..row(name, SSE, opening(open), args, expect) };
    vec![
        opened(
            "SSE-05 comments instead of the endpoint",
            |conn| {
                conn.sse_head(200, &[]);
                for _ in 0..40 {
                    conn.raw(": hi\n\n");
                    conn.pause(Duration::from_millis(100));
                }
            },
            SHORT,
            silent("endpoint", &["no endpoint event", "keep-alive", "--transport http"]),
        ),
        opened(
            "SSE-05 other events instead of the endpoint",
            |conn| {
                conn.sse_head(200, &[]);
                conn.raw("event: ready\ndata: 1\n\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n");
                conn.hold();
            },
            SHORT,
            silent("endpoint", &["2 other events", "--transport http"]),
        ),
        opened(
            "SSE-05 an endpoint that is not finished",
            |conn| {
                conn.sse_head(200, &[]);
                conn.raw("event: endpoint\ndata: /mess");
                conn.hold();
            },
            SHORT,
            silent("endpoint", &["unterminated event", "/mess"]),
        ),
        opened("SSE-05 no answer to the GET", |conn| _ = conn.hold(), SHORT, silent("endpoint", &["no HTTP answer"])),
        opened(
            "SSE-05 the stream ends before the endpoint",
            |conn| {
                conn.sse_head(200, &[]);
                conn.raw(": hi\n\n");
            },
            CALL,
            broken("endpoint", &["ended before"]),
        ),
        opened(
            "SSE-05 the stream is reset before the endpoint",
            |conn| {
                conn.sse_head(200, &[]);
                conn.pause(Duration::from_millis(50));
                conn.reset();
            },
            CALL,
            broken("endpoint", &["reset"]),
        ),
        opened(
            "SSE-05 a page instead of the stream",
            |conn| conn.respond(200, &[("Content-Type", "text/html")], "<title>Welcome</title>"),
            CALL,
            http("endpoint", &["media type text/html", "Welcome"]),
        ),
        opened(
            "SSE-05 GET refused with 405",
            |conn| conn.respond(405, &[("Allow", "POST")], ""),
            CALL,
            http("endpoint", &["HTTP 405", "--transport http"]),
        ),
        opened(
            "SSE-05 GET refused with 401",
            |conn| conn.respond(401, &[("WWW-Authenticate", "Bearer")], ""),
            CALL,
            fails("auth", "unauthorized", 8, "endpoint", &["Bearer"]),
        ),
    ]
}

fn refusals() -> Vec<Row> {
    let refused = |name, method, refuse, expect| Row {
        // The stream stays open, and nobody waits for it.
        within: Duration::from_secs(6),
        ..row(name, SSE, refusing(method, refuse), CALL, expect)
    };
    vec![
        Row {
            seen: Some(posted_once),
            ..refused(
                "SSE-05 initialize refused with 500",
                "initialize",
                |_, conn| conn.respond(500, &[("Content-Type", "application/json")], r#"{"error":"x"}"#),
                http("initialize", &["HTTP 500", r#"{"error":"x"}"#]),
            )
        },
        Row {
            seen: Some(posted_once),
            ..refused(
                "SSE-05 initialize refused with 404",
                "initialize",
                |_, conn| conn.respond(404, &[], ""),
                http("initialize", &["HTTP 404", "(empty)"]),
            )
        },
        refused(
            "SSE-05 initialized refused",
            "notifications/initialized",
            |_, conn| conn.respond(500, &[], "boom"),
            http("initialized", &["HTTP 500", "boom"]),
        ),
        refused(
            "SSE-05 the call refused",
            "tools/call",
            |_, conn| conn.respond(502, &[("Content-Type", "text/html")], "<h1>Bad Gateway</h1>"),
            http("tools/call", &["HTTP 502", "Bad Gateway"]),
        ),
        refused(
            "SSE-05 the call refused with 401",
            "tools/call",
            |_, conn| conn.respond(401, &[], ""),
            fails("auth", "unauthorized", 8, "tools/call", &["401"]),
        ),
        refused(
            "SSE-05 the answer in the body of the POST",
            "tools/call",
            |request, conn| conn.respond(200, &[("Content-Type", "application/json")], good(request)),
            done(),
        ),
        Row {
            args: SHORT,
            ..refused(
                "SSE-05 accepted and never answered",
                "initialize",
                |_, conn| conn.accepted(),
                silent("initialize", &["no answer to initialize"]),
            )
        },
    ]
}
