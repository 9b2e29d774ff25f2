//! Which transport and which version: what is tried after a refusal, and what is not.

use super::{CALL, HTTP, NETS, SSE, all, check_rows, count, done, fails, good, http, protocol, row, warned};
use crate::support::{Conn, Expect, FakeServer, Peer, Request, Row, script};

type Answer = fn(&Request, &mut Conn);

pub(super) fn rows() -> Vec<Row> {
    [fallen_back(), not_fallen_back(), refused_versions(), agreed_versions()].concat()
}

#[test]
fn transports() {
    check_rows(&[fallen_back(), not_fallen_back()].concat());
}

#[test]
fn versions() {
    check_rows(&[refused_versions(), agreed_versions()].concat());
}

const GUESS: &[&str] = &["--transport", "auto", "--timeout", "8s", "call", "--no-check", "t"];
const GUESS_ALL: &[&str] = &["--transport", "auto", "--protocol", "auto", "--timeout", "8s", "call", "--no-check", "t"];

/// A server of HTTP+SSE, with this answer to whoever POSTs to the URL of its stream.
fn older(refuse: Answer) -> Peer {
    Peer::Server(script(move |request, conn| {
        if request.method == "POST" && request.path == "/sse" {
            refuse(request, conn);
        } else if request.is_rpc_request() {
            conn.message(&good(request));
        } else {
            crate::support::InitOk::default().answer(request, conn);
        }
    }))
}

fn nobody_home(conn: &mut Conn) {
    conn.respond(404, &[("Content-Type", "text/html")], "<title>No such page</title>");
}

fn fallen_back() -> Vec<Row> {
    let back = |name, refuse: Answer| row(name, SSE, older(refuse), GUESS, done());
    vec![
        back("HTTP-14 405", |_, conn| conn.respond(405, &[("Allow", "GET")], "")),
        back("HTTP-14 405 with an error of JSON-RPC", |_, conn| {
            let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Method not allowed."}}"#;
            conn.respond(405, &[("Content-Type", "application/json")], body);
        }),
        back("HTTP-14 404 with a page", |_, conn| nobody_home(conn)),
        back("HTTP-14 400 with words", |_, conn| conn.respond(400, &[], "Missing sessionId parameter")),
        Row {
            args: GUESS_ALL,
            seen: Some(|server| match server.rpc_methods().as_slice() {
                [a, b, c, ..] if a == "server/discover" && b == "initialize" && c == "initialize" => Ok(()),
                other => Err(format!("{other:?}")),
            }),
            ..back("HTTP-14 both eras and both transports", |_, conn| conn.respond(405, &[], ""))
        },
        Row {
            args: &["--transport", "auto", "--timeout", "8s", "list", "tools"],
            ..back("HTTP-14 a list", |_, conn| conn.respond(405, &[], ""))
        },
    ]
}

/// Only POSTs came, and one `initialize`.
fn one_transport(server: &FakeServer) -> Result<(), String> {
    match (server.requests().iter().any(|one| one.method == "GET"), count(server, "initialize")) {
        (false, 1) => Ok(()),
        other => Err(format!("(a GET came, initializes) is {other:?}")),
    }
}

fn not_fallen_back() -> Vec<Row> {
    let stays =
        |name, answer: Answer, expect| Row { seen: Some(one_transport), ..row(name, HTTP, all(answer), GUESS, expect) };
    let both = |name, answer: Answer, stderr| row(name, HTTP, refusing_get(answer), GUESS, http("initialize", stderr));
    vec![
        stays(
            "HTTP-14 401",
            |_, conn| conn.respond(401, &[], ""),
            fails("auth", "unauthorized", 8, "initialize", &["401"]),
        ),
        stays(
            "HTTP-14 403 with a challenge",
            |_, conn| conn.respond(403, &[("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")], ""),
            fails("auth", "forbidden", 8, "initialize", &["insufficient_scope"]),
        ),
        stays("HTTP-14 403", |_, conn| conn.respond(403, &[], "no"), http("initialize", &["HTTP 403", "no"])),
        stays("HTTP-14 500", |_, conn| conn.respond(500, &[], "boom"), http("initialize", &["HTTP 500", "boom"])),
        stays(
            "HTTP-14 400 with an error for the request",
            |request, conn| {
                let body =
                    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32602,"message":"bad"}}}}"#, request.id());
                conn.respond(400, &[("Content-Type", "application/json")], body);
            },
            fails("rpc-error", "", 4, "initialize", &["bad", "-32602", "HTTP 400"]),
        ),
        stays("HTTP-14 reset", |_, conn| conn.reset(), fails("transport", "stream", 5, "initialize", &[])),
        Row {
            args: &["--transport", "auto", "--timeout", "400ms", "call", "--no-check", "t"],
            ..stays("HTTP-14 silence", |_, conn| _ = conn.hold(), fails("timeout", "idle", 6, "initialize", &[]))
        },
        both(
            "HTTP-14 400 about the version, and no stream either",
            |_, conn| conn.respond(400, &[], "Unsupported protocol version"),
            &["HTTP 400", "Unsupported protocol version", "HTTP 405"],
        ),
        both(
            "HTTP-14 404, and no stream either",
            |_, conn| nobody_home(conn),
            &["HTTP 404", "No such page", "HTTP 405"],
        ),
        Row {
            args: CALL,
            seen: Some(one_transport),
            ..both(
                "HTTP-14 405, and the transport was named",
                |_, conn| conn.respond(405, &[], ""),
                &["HTTP 405", "--transport sse"],
            )
        },
    ]
}

/// A server that answers POSTs so and refuses GETs.
fn refusing_get(answer: Answer) -> Peer {
    Peer::Server(script(move |request, conn| match request.method.as_str() {
        "GET" => conn.respond(405, &[], ""),
        _ => answer(request, conn),
    }))
}

/// A server that answers `initialize` so.
fn initializing(answer: Answer) -> Peer {
    all(
        move |request, conn| {
            if request.rpc_method() == "initialize" { answer(request, conn) } else { conn.message(&good(request)) }
        },
    )
}

/// A server that answers `initialize` by this result.
fn introduced(result: &'static str) -> Peer {
    all(
        move |request, conn| {
            if request.rpc_method() == "initialize" {
                conn.result(request, result)
            } else {
                conn.message(&good(request))
            }
        },
    )
}

/// An error with this code, on a status where there is one.
fn refuse(request: &Request, conn: &mut Conn, code: i64, data: &str) {
    let id = request.id();
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no initialize","data":{data}}}}}"#);
    match conn.over() {
        crate::support::Over::Stdio => conn.message(&body),
        _ => conn.respond(400, &[("Content-Type", "application/json")], body),
    }
}

fn refused_versions() -> Vec<Row> {
    let rpc = |stderr| fails("rpc-error", "", 4, "initialize", stderr);
    vec![
        row(
            "HTTP-15 what came of the handshake is shown",
            super::ALL,
            introduced(
                r#"{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"old one","version":"0.1"}}"#,
            ),
            &["--timeout", "8s", "info"],
            Expect { stdout: &["old one", "0.1"], ..protocol("version", "initialize", &["1999-01-01"]) },
        ),
        row(
            "HTTP-15 400 with words about versions",
            NETS,
            initializing(|_, conn| {
                conn.respond(400, &[], "Bad Request: Unsupported protocol version (supported versions: 2025-03-26)")
            }),
            CALL,
            http("initialize", &["HTTP 400", "supported versions: 2025-03-26", "--protocol"]),
        ),
        row(
            "HTTP-15 -32022 for initialize",
            super::ALL,
            initializing(|request, conn| {
                refuse(request, conn, -32022, r#"{"supported":["2026-07-28"],"requested":"2025-11-25"}"#)
            }),
            CALL,
            rpc(&["-32022", "2026-07-28", "--protocol modern"]),
        ),
        row(
            "HTTP-15 -32601 for initialize",
            super::ALL,
            initializing(|request, conn| refuse(request, conn, -32601, "null")),
            CALL,
            rpc(&["-32601", "--protocol modern"]),
        ),
        row(
            "HTTP-15 a server without a handshake is found",
            super::ENDS,
            initializing(|request, conn| refuse(request, conn, -32601, "null")),
            &["--protocol", "auto", "--timeout", "8s", "call", "--no-check", "t"],
            done(),
        ),
        row(
            "HTTP-15 the question is refused for want of a session",
            HTTP,
            all(|request, conn| match request.rpc_method().as_str() {
                "server/discover" => conn.respond(400, &[], "Bad Request: Mcp-Session-Id header is required"),
                _ => conn.message(&good(request)),
            }),
            &["--protocol", "auto", "--timeout", "8s", "call", "--no-check", "t"],
            done(),
        ),
        row(
            "HTTP-15 a version that nobody knows",
            super::ALL,
            introduced(r#"{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}"#),
            CALL,
            protocol("version", "initialize", &["1999-01-01", "--protocol"]),
        ),
    ]
}

/// The version header stands on everything but `initialize`, and says this; `None`: nowhere.
fn version_header(server: &FakeServer, wanted: Option<&str>) -> Result<(), String> {
    for request in server.requests() {
        let wanted = wanted.filter(|_| request.rpc_method() != "initialize");
        if request.header("mcp-protocol-version") != wanted {
            return Err(format!(
                "{} {} has {:?}",
                request.method,
                request.rpc_method(),
                request.header("mcp-protocol-version")
            ));
        }
    }
    Ok(())
}

fn agreed_versions() -> Vec<Row> {
    const OLDER: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"x","version":"1"}}"#;
    const OLD: &str = r#"{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"1"}}"#;
    const OLDEST: &str =
        r#"{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"1"}}"#;
    vec![
        Row {
            seen: Some(|server| version_header(server, Some("2025-11-25"))),
            ..row(
                "HTTP-15 the version that was asked for",
                HTTP,
                all(|request, conn| conn.message(&good(request))),
                CALL,
                done(),
            )
        },
        Row {
            seen: Some(|server| version_header(server, Some("2025-06-18"))),
            ..row("HTTP-15 an older version", HTTP, introduced(OLDER), CALL, done())
        },
        Row {
            seen: Some(|server| version_header(server, None)),
            ..row("HTTP-15 a version without the header", HTTP, introduced(OLD), CALL, done())
        },
        row("HTTP-15 the oldest version", super::ALL, introduced(OLDEST), CALL, done()),
        row(
            "HTTP-15 another version than the one that was named",
            super::ENDS,
            introduced(OLDER),
            &["--protocol", "2025-11-25", "--timeout", "8s", "call", "--no-check", "t"],
            warned(&["protocol-version"]),
        ),
        Row {
            seen: Some(|server| {
                let all = server.requests();
                let asked =
                    all.iter().find(|one| one.rpc_method() == "initialize").map(Request::json).unwrap_or_default();
                if asked["params"]["protocolVersion"] == "2025-03-26" { Ok(()) } else { Err(asked.to_string()) }
            }),
            ..row(
                "HTTP-15 the version that the user picks",
                HTTP,
                introduced(OLD),
                &["--protocol", "2025-03-26", "--timeout", "8s", "call", "--no-check", "t"],
                Expect { ..done() },
            )
        },
    ]
}
