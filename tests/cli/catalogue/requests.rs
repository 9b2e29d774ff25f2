//! What goes out: redirects, headers that servers insist on, the order of the handshake.

use std::time::Duration;

use super::{CALL, HTTP, MODERN, NETS, SSE, TOOLS, all, check_rows, done, good, http, row, warned};
use crate::support::{Expect, FakeServer, InitOk, Over, Peer, Request, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [redirects(), insisting(), overridden(), orders()].concat()
}

#[test]
fn redirects_are_followed_where_that_is_safe() {
    check_rows(&redirects());
}

#[test]
fn headers_are_as_servers_want_them() {
    check_rows(&[insisting(), overridden()].concat());
}

#[test]
fn the_handshake_comes_first() {
    check_rows(&orders());
}

/// A server at `/mcp/` (or `/sse/`), which sends everybody there from elsewhere.
fn moved(status: u16, location: &'static str) -> Peer {
    Peer::Server(script(move |request, conn| {
        let host = request.header("host").unwrap_or_default();
        if matches!(request.path.as_str(), "/mcp" | "/sse") {
            conn.respond(status, &[("Location", &location.replace("HOST", host))], "");
        } else if request.is_rpc_request() {
            conn.message(&good(request));
        } else {
            InitOk::default().answer(request, conn);
        }
    }))
}

const WITH_SECRETS: &[&str] =
    &["--bearer", "S3CRETBEARER", "-H", "X-Api-Key: S3CRETKEY", "--timeout", "8s", "call", "--no-check", "t"];

/// What was sent to the old place came to the new one as it was.
fn sent_again_as_it_was(server: &FakeServer) -> Result<(), String> {
    let all = server.requests();
    let posts: Vec<&Request> = all.iter().filter(|one| one.method == "POST").collect();
    for pair in posts.chunks(2) {
        let [old, new] = pair else { return Err("a redirect was not followed".to_owned()) };
        let same = |name| old.header(name) == new.header(name) && old.header(name).is_some();
        if new.path != "/mcp/" || old.body != new.body || !same("authorization") || !same("x-api-key") {
            return Err(format!("{} {:?} became {} {:?}", old.path, old.headers, new.path, new.headers));
        }
    }
    Ok(())
}

fn redirects() -> Vec<Row> {
    let followed = |name, status, location| Row {
        seen: Some(sent_again_as_it_was),
        ..row(
            name,
            HTTP,
            moved(status, location),
            WITH_SECRETS,
            Expect { hidden: &["S3CRETBEARER", "S3CRETKEY"], ..warned(&["redirect"]) },
        )
    };
    vec![
        followed("HTTP-11 307 to the slash", 307, "/mcp/"),
        row("HTTP-11 307 without a handshake", HTTP, moved(307, "/mcp/"), MODERN, warned(&["redirect"])),
        row("HTTP-11 307 for the stream", SSE, moved(307, "/sse/"), CALL, warned(&["redirect"])),
        row(
            "HTTP-11 307 for the messages",
            SSE,
            Peer::Server(script(|request, conn| {
                if request.method == "POST" && !request.path.starts_with("/m/") {
                    conn.respond(307, &[("Location", "/m/")], "");
                } else if request.is_rpc_request() {
                    conn.message(&good(request));
                } else {
                    InitOk::default().answer(request, conn);
                }
            })),
            CALL,
            warned(&["redirect"]),
        ),
    ]
}

/// A server that refuses whoever does not send this, with 406 or 415 or 421.
fn particular(why_not: fn(&Request) -> Option<u16>) -> Peer {
    Peer::Server(script(move |request, conn| {
        if let Some(status) = why_not(request) {
            conn.respond(status, &[], "not as it should be");
        } else if request.is_rpc_request() {
            conn.message(&good(request));
        } else {
            InitOk::default().answer(request, conn);
        }
    }))
}

fn is(request: &Request, name: &str, wanted: &str) -> bool {
    request.header(name) == Some(wanted)
}

fn insisting() -> Vec<Row> {
    const WITH_HEADER: &[&str] = &["-H", "X-A: b", "--timeout", "8s", "call", "--no-check", "t"];
    const MODERN_WITH_HEADER: &[&str] =
        &["--protocol", "2026-07-28", "-H", "X-A: b", "--timeout", "8s", "call", "--no-check", "t"];
    fn media_types(request: &Request) -> Option<u16> {
        match request.method.as_str() {
            "POST" if !is(request, "accept", "application/json, text/event-stream") => Some(406),
            "POST" if !is(request, "content-type", "application/json") => Some(415),
            "GET" if !is(request, "accept", "text/event-stream") => Some(406),
            _ => None,
        }
    }
    fn host(request: &Request) -> Option<u16> {
        let host = request.header("host").unwrap_or_default();
        let port = host.strip_prefix("127.0.0.1:").and_then(|port| port.parse::<u16>().ok());
        if port.is_some() { None } else { Some(421) }
    }
    fn framing(request: &Request) -> Option<u16> {
        let length = request.header("content-length").and_then(|length| length.parse::<usize>().ok());
        let fits = request.method != "POST" || length == Some(request.body.len());
        if fits && request.header("transfer-encoding").is_none() && request.header("expect").is_none() {
            None
        } else {
            Some(411)
        }
    }
    vec![
        row("HTTP-13 both media types and no parameter", NETS, particular(media_types), CALL, done()),
        row("HTTP-13 both media types beside a header of the user", NETS, particular(media_types), WITH_HEADER, done()),
        row("HTTP-13 both media types, without a handshake", HTTP, particular(media_types), MODERN_WITH_HEADER, done()),
        row("HTTP-13 a host with its port", NETS, particular(host), WITH_HEADER, done()),
        row("HTTP-13 a length, and no chunks", NETS, particular(framing), CALL, done()),
    ]
}

fn overridden() -> Vec<Row> {
    let strict_accept = || {
        particular(|request| match request.method.as_str() {
            "POST" if !is(request, "accept", "application/json") => Some(406),
            _ => None,
        })
    };
    let refused = |name, status: u16, stderr| {
        row(
            name,
            NETS,
            all(move |_, conn| conn.respond(status, &[], "Invalid Host header")),
            CALL,
            http("initialize", stderr),
        )
    };
    vec![
        row(
            "HTTP-13 a header of the user replaces ours",
            HTTP,
            strict_accept(),
            &["-H", "Accept: application/json", "call", "--no-check", "t"],
            warned(&["header-override"]),
        ),
        row("HTTP-13 406 is told", HTTP, strict_accept(), CALL, http("initialize", &["HTTP 406", "media types"])),
        refused("HTTP-13 421", 421, &["HTTP 421", "allowed hosts", "Invalid Host header"]),
        refused("HTTP-13 403 for the host", 403, &["HTTP 403", "allowed hosts", "Invalid Host header"]),
    ]
}

/// How long a server takes for each step of the handshake.
const SLOW: Duration = Duration::from_millis(250);

/// A server that is slow to answer `initialize` and to take `notifications/initialized`.
fn slow() -> Peer {
    Peer::Server(script(|request, conn| {
        if matches!(request.rpc_method().as_str(), "initialize" | "notifications/initialized") {
            conn.pause(SLOW);
        }
        if !InitOk::default().answer(request, conn) {
            conn.message(&good(request));
        }
    }))
}

/// Nothing came before the step before it was answered.
fn one_after_the_other(server: &FakeServer) -> Result<(), String> {
    let all: Vec<Request> = server
        .requests()
        .into_iter()
        .filter(|one| !one.rpc_method().is_empty() || (one.method == "GET" && server.over() == Over::Http))
        .collect();
    let methods: Vec<String> = all.iter().map(Request::rpc_method).collect();
    let ["initialize", "notifications/initialized", ..] = methods.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        return Err(format!("the order is {methods:?}"));
    };
    let gap = |from: usize, to: usize| all[to].at - all[from].at;
    if gap(0, 1) < SLOW {
        return Err(format!("initialized came {:?} after initialize", gap(0, 1)));
    }
    // Over stdio nothing says when a notification was taken.
    if server.over() != Over::Stdio && all.len() > 2 && gap(1, 2) < SLOW {
        return Err(format!("{} {} came {:?} after initialized", all[2].method, methods[2], gap(1, 2)));
    }
    Ok(())
}

fn orders() -> Vec<Row> {
    let ordered = |name, args| Row { seen: Some(one_after_the_other), ..row(name, super::ALL, slow(), args, done()) };
    vec![
        ordered("HTTP-17 a call", CALL),
        Row { expect: Expect::default(), ..ordered("HTTP-17 a list", TOOLS) },
        Row { expect: Expect::default(), ..ordered("HTTP-17 a ping", &["ping"]) },
    ]
}
