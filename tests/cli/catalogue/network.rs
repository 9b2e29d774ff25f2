//! The way to the server: challenges, addresses, headers of the user, secrets.

use super::{CALL, HTTP, MODERN, NETS, SSE, all, check_rows, done, fails, good, peer, row};
use crate::support::{Conn, Expect, FakeServer, InitOk, Over, Peer, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [challenges(), addresses(), headers(), secrets()].concat()
}

#[test]
fn challenges_are_told() {
    check_rows(&challenges());
}

#[test]
fn headers_and_addresses() {
    check_rows(&[addresses(), headers()].concat());
}

#[test]
fn secrets_stay_secret() {
    check_rows(&secrets());
}

const CHALLENGE: &str = r#"Bearer error="invalid_token", error_description="expired", resource_metadata="http://127.0.0.1:9/.well-known/oauth-protected-resource", scope="a b""#;

fn challenge(conn: &mut Conn) {
    conn.respond(401, &[("WWW-Authenticate", CHALLENGE)], r#"{"error":"invalid_token"}"#);
}

/// A server in order, but for the answer to this method.
fn challenging(method: &'static str, answer: fn(&mut Conn)) -> Peer {
    all(move |request, conn| if request.rpc_method() == method { answer(conn) } else { conn.message(&good(request)) })
}

/// One request came, and nobody looked for metadata on a guess.
fn one_request(server: &FakeServer) -> Result<(), String> {
    let all = server.requests();
    let posts = all.iter().filter(|one| one.method == "POST").count();
    match all.iter().find(|one| one.path.contains("well-known")) {
        Some(one) => Err(format!("{} was asked for", one.path)),
        None if posts == 1 => Ok(()),
        None => Err(format!("{posts} requests")),
    }
}

fn challenges() -> Vec<Row> {
    const WITH_TOKEN: &[&str] = &["--bearer", "S3CRETTOKEN", "--timeout", "8s", "call", "--no-check", "t"];
    const SAYS: &[&str] =
        &["Bearer", "invalid_token", "expired", "http://127.0.0.1:9/.well-known/oauth-protected-resource", "a b"];
    let auth = |phase, stderr| fails("auth", "unauthorized", 8, phase, stderr);
    vec![
        Row {
            seen: Some(one_request),
            ..row("NET-01 at the handshake", NETS, challenging("initialize", challenge), CALL, auth("initialize", SAYS))
        },
        Row {
            seen: Some(one_request),
            ..row(
                "NET-01 with a token that was refused",
                NETS,
                challenging("initialize", challenge),
                WITH_TOKEN,
                Expect { hidden: &["S3CRETTOKEN"], ..auth("initialize", &["refused the credential", "expired"]) },
            )
        },
        row(
            "NET-01 without a token",
            NETS,
            challenging("initialize", challenge),
            CALL,
            auth("initialize", &["asks for a credential", "--bearer"]),
        ),
        row("NET-01 at a call", NETS, challenging("tools/call", challenge), CALL, auth("tools/call", SAYS)),
        row("NET-01 at a list", NETS, challenging("tools/list", challenge), super::TOOLS, auth("tools/list", SAYS)),
        Row {
            seen: Some(one_request),
            ..row(
                "NET-01 without a handshake",
                HTTP,
                challenging("tools/call", challenge),
                MODERN,
                auth("tools/call", SAYS),
            )
        },
        Row {
            seen: Some(one_request),
            ..row(
                "NET-01 at the question what the server speaks",
                HTTP,
                challenging("server/discover", challenge),
                &["--protocol", "auto", "--transport", "auto", "--timeout", "8s", "call", "--no-check", "t"],
                auth("discover", SAYS),
            )
        },
        row(
            "NET-01 a scope that lacks",
            NETS,
            challenging("tools/call", |conn| {
                conn.respond(
                    403,
                    &[("WWW-Authenticate", r#"Bearer error="insufficient_scope", scope="files:write""#)],
                    "",
                );
            }),
            WITH_TOKEN,
            Expect {
                hidden: &["S3CRETTOKEN"],
                ..fails("auth", "forbidden", 8, "tools/call", &["lacks a scope", "files:write"])
            },
        ),
        row(
            "NET-01 no challenge",
            NETS,
            challenging("initialize", |conn| conn.respond(401, &[], "who are you?")),
            CALL,
            auth("initialize", &["401", "who are you?"]),
        ),
        Row {
            seen: Some(one_request),
            ..row(
                "NET-03 metadata at the root",
                HTTP,
                Peer::Server(script(|request, conn| match request.method.as_str() {
                    "GET" => conn.respond(404, &[("Content-Type", "text/html")], "<h1>404</h1>"),
                    _ => challenge(conn),
                })),
                CALL,
                auth("initialize", &["resource_metadata"]),
            )
        },
    ]
}

fn addresses() -> Vec<Row> {
    vec![Row {
        peer: Peer::Nobody,
        ..row(
            "NET-06 nobody is there",
            NETS,
            Peer::Nobody,
            CALL,
            fails("transport", "connect", 5, "connect", &["no connection", "127.0.0.1", "refused"]),
        )
    }]
}

/// Every request had this.
fn on_every_request(server: &FakeServer, name: &str, wanted: &str) -> Result<(), String> {
    match server.requests().iter().find(|one| one.header(name) != Some(wanted)) {
        Some(one) => Err(format!("{} {} has {:?}", one.method, one.rpc_method(), one.header(name))),
        None => Ok(()),
    }
}

fn headers() -> Vec<Row> {
    let session = || {
        Peer::Server(
            InitOk { session: Some("A".to_owned()), ..InitOk::default() }
                .then(|request, conn| conn.message(&good(request))),
        )
    };
    let usage = |name, args, stderr| Row {
        seen: Some(|server| if server.requests().is_empty() { Ok(()) } else { Err("something was sent".to_owned()) }),
        ..row(
            name,
            HTTP,
            session(),
            args,
            Expect { hidden: &["S3CRET"], ..fails("usage", "command-line", 2, "", stderr) },
        )
    };
    vec![
        Row {
            seen: Some(|server| on_every_request(server, "authorization", "Bearer V:ab c")),
            ..row(
                "NET-07 colons and spaces",
                NETS,
                session(),
                &["-H", "Authorization:  Bearer V:ab c ", "call", "--no-check", "t"],
                done(),
            )
        },
        Row {
            seen: Some(|server| on_every_request(server, "x-a", "1")),
            ..row("NET-07 every request has it", NETS, session(), &["-H", "X-A: 1", "list"], Expect::default())
        },
        Row {
            seen: Some(|server| on_every_request(server, "authorization", "Bearer tok.en-1")),
            ..row("NET-07 a token", NETS, session(), &["--bearer", "tok.en-1", "call", "--no-check", "t"], done())
        },
        Row {
            seen: Some(|server| on_every_request(server, "x-empty", "")),
            ..row("NET-07 an empty value", NETS, session(), &["-H", "X-Empty:", "call", "--no-check", "t"], done())
        },
        usage(
            "NET-07 a whole header as the token",
            &["--bearer", "Authorization: Bearer S3CRET", "list"],
            &["give the token alone"],
        ),
        usage("NET-07 the scheme twice", &["--bearer", "Bearer S3CRET", "list"], &["give the token alone"]),
        usage("NET-07 a line end in a value", &["-H", "X-A: S3CRET\r\nEvil: 1", "list"], &["X-A"]),
        usage("NET-07 no colon", &["-H", "S3CRET", "list"], &["header"]),
    ]
}

fn secrets() -> Vec<Row> {
    const GIVEN: [&str; 5] = ["-vv", "--bearer", "S3CRETBEARER", "-H", "X-Api-Key: S3CRETKEY"];
    const CALLED: &[&str] = &[GIVEN[0], GIVEN[1], GIVEN[2], GIVEN[3], GIVEN[4], "call", "--no-check", "t"];
    const HIDDEN: &[&str] = &["S3CRETBEARER", "S3CRETKEY"];
    let hides =
        |name, over, peer, args, expect: Expect| row(name, over, peer, args, Expect { hidden: HIDDEN, ..expect });
    let echo_headers = |status: u16| {
        peer(move |request, conn| {
            let seen = format!("{:?}", request.headers).replace('"', "'");
            if status == 200 {
                conn.error(request, -32050, &seen);
            } else {
                conn.respond(status, &[("Server", &seen)], &seen);
            }
        })
    };
    vec![
        hides("NET-08 everything is shown", NETS, peer(|request, conn| conn.message(&good(request))), CALLED, done()),
        hides(
            "NET-08 an error that repeats the headers",
            NETS,
            echo_headers(200),
            CALLED,
            fails("rpc-error", "", 4, "tools/call", &["'***'"]),
        ),
        hides(
            "NET-08 a page that repeats the headers",
            NETS,
            echo_headers(502),
            CALLED,
            fails("transport", "http", 5, "tools/call", &["HTTP 502"]),
        ),
        hides(
            "NET-08 a challenge that repeats the headers",
            NETS,
            echo_headers(401),
            CALLED,
            fails("auth", "unauthorized", 8, "tools/call", &["401"]),
        ),
        hides(
            "NET-08 a redirect that repeats the token",
            HTTP,
            all(|_, conn| conn.respond(307, &[("Location", "http://other.invalid/?t=S3CRETBEARER")], "")),
            CALLED,
            fails("transport", "http", 5, "initialize", &["other.invalid"]),
        ),
        hides("NET-08 nobody is there", NETS, Peer::Nobody, CALLED, fails("transport", "connect", 5, "connect", &[])),
        row(
            "NET-08 a password and a query in the URL",
            HTTP,
            all(|_, conn| conn.respond(500, &[], "boom")),
            &["-vv", "-s", "{url}?token=S3CRETQUERY", "list"],
            Expect { hidden: &["S3CRETQUERY"], ..fails("transport", "http", 5, "initialize", &["token=***"]) },
        ),
        row(
            "NET-08 the id of the session",
            HTTP,
            Peer::Server(
                InitOk { session: Some("S3CRETSESSION".to_owned()), ..InitOk::default() }
                    .then(|request, conn| conn.message(&good(request))),
            ),
            &["-vv", "call", "--no-check", "t"],
            Expect { hidden: &["S3CRETSESSION"], ..done() },
        ),
        row(
            "NET-08 the session in the endpoint",
            SSE,
            Peer::Server(script(|request, conn| match request.method.as_str() {
                "GET" => {
                    conn.sse_head(200, &[]);
                    conn.raw("event: endpoint\ndata: /messages?session_id=S3CRETSESSION\n\n");
                    conn.become_stream();
                }
                _ if request.is_rpc_request() => conn.message(&good(request)),
                _ => conn.accepted(),
            })),
            &["-vv", "call", "--no-check", "t"],
            Expect { hidden: &["S3CRETSESSION"], ..done() },
        ),
        row(
            "NET-08 a variable of a program",
            &[Over::Stdio],
            peer(|request, conn| {
                conn.stderr("the key is S3CRETENV\n");
                conn.error(request, -32050, "bad key S3CRETENV");
            }),
            &["-vv", "-e", "TOKEN=S3CRETENV", "call", "--no-check", "t"],
            Expect { hidden: &["S3CRETENV"], ..fails("rpc-error", "", 4, "tools/call", &["bad key ***"]) },
        ),
        row(
            "NET-08 a result is what the server sent",
            NETS,
            super::results(r#"{"content":[{"type":"text","text":"you are S3CRETBEARER"}]}"#),
            &["--bearer", "S3CRETBEARER", "call", "--no-check", "t"],
            Expect { stdout: &["S3CRETBEARER"], ..Expect::default() },
        ),
    ]
}
