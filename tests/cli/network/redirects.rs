//! Redirects: which are followed, which are reported, and that no credential goes to another origin.

use std::sync::Arc;

use super::{HTTP, LEGACY, OK, REFUSED, Row, SSE, Stage, check_rows};
use crate::support::{Conn, FakeServer, InitOk, Over, Request, Script, Tls, TlsServer, script};
use crate::tls::all;

/// The session of the handshake, and what the user gives; none of it may come to another origin.
const SESSION: &str = "s3cret-session";
const GIVEN: &[&str] = &["-H", "Authorization: Bearer S3CRET1", "-H", "X-Api-Key: S3CRET2"];

fn well_behaved() -> InitOk {
    InitOk { session: Some(SESSION.to_owned()), ..InitOk::default() }
}

fn serve(request: &Request, conn: &mut Conn) {
    if !well_behaved().answer(request, conn) {
        conn.error(request, -32601, "no such method");
    }
}

/// Sends everything that comes to the endpoint elsewhere, with this status.
fn moved(status: u16, to: impl Into<String>) -> Script {
    let to = to.into();
    script(move |request, conn| {
        if matches!(request.path.as_str(), "/mcp" | "/sse") {
            conn.respond(status, &[("Location", &to)], "<title>Moved</title>");
        } else {
            serve(request, conn);
        }
    })
}

/// Serves the handshake, and sends the request for the tools elsewhere.
fn moved_later(status: u16, to: impl Into<String>) -> Script {
    let to = to.into();
    script(move |request, conn| match request.rpc_method().as_str() {
        "tools/list" => conn.respond(status, &[("Location", &to)], ""),
        _ => serve(request, conn),
    })
}

fn one(over: Over, script: Script) -> Stage {
    let server = FakeServer::start(over, script);
    Stage::new(server.url(), server)
}

/// A redirect inside the origin: what the user gave goes along.
fn inside(over: Over, status: u16) -> Stage {
    let server = Arc::new(FakeServer::start(over, moved(status, "/elsewhere?x=1#part")));
    Stage::new(server.url(), Arc::clone(&server)).look(move |_| {
        let requests = server.requests();
        let lacking = requests.iter().filter(|request| {
            request.header("authorization") != Some("Bearer S3CRET1") || request.header("x-api-key") != Some("S3CRET2")
        });
        let mut problems: Vec<String> = lacking.map(|request| format!("{} lacks a header", request.path)).collect();
        if !requests.iter().any(|request| request.path == "/elsewhere?x=1") {
            problems.push(format!("the server saw\n{}", server.describe()));
        }
        problems
    })
}

/// A redirect to another server, which must not be sent anything, by a script that knows where that is.
fn outside(over: Over, script: fn(String) -> Script) -> Stage {
    let other = FakeServer::start(over, script_of_other());
    let server = FakeServer::start(over, script(other.url()));
    untouched(Stage::new(server.url(), server), other)
}

fn script_of_other() -> Script {
    script(serve)
}

fn untouched(stage: Stage, other: FakeServer) -> Stage {
    stage.look(
        move |_| if other.requests().is_empty() { Vec::new() } else { vec![format!("it saw\n{}", other.describe())] },
    )
}

/// From https to http, on the same host.
fn downgrade(over: Over) -> Stage {
    let other = FakeServer::start(over, script_of_other());
    let server = TlsServer::start(over, moved(308, other.url()), &Tls::new(&all().good));
    let stage = Stage::new(server.url("127.0.0.1"), server).arg("--cacert").arg("ca.pem");
    untouched(stage, other)
}

/// What a refused redirect shows, and never shows.
const REPORTED: Row = Row { says: &["not followed", "location"], hides: &["S3CRET", SESSION], args: GIVEN, ..REFUSED };

const POSTS: &[super::Way] = &[HTTP, LEGACY];

const ROWS: &[Row] = &[
    Row {
        name: "HTTP-11 307 inside the origin",
        stage: |over| inside(over, 307),
        args: GIVEN,
        warnings: &["redirect"],
        says: &["warning[redirect]", "/elsewhere?x=***"],
        hides: &["S3CRET", SESSION],
        ..OK
    },
    Row {
        name: "HTTP-11 308 inside the origin",
        stage: |over| inside(over, 308),
        args: GIVEN,
        warnings: &["redirect"],
        says: &["use the latter as the URL"],
        hides: &["S3CRET", SESSION],
        ..OK
    },
    Row {
        name: "HTTP-11 a location with a credential of its own",
        stage: |over| {
            let script = script(|request, conn| {
                let to = format!("http://me:hidden-too@{}/elsewhere", request.header("host").unwrap_or_default());
                if request.path == "/elsewhere" || request.path.starts_with("/messages") {
                    assert_eq!(request.header("authorization"), Some("Bearer S3CRET1"));
                    serve(request, conn);
                } else {
                    conn.respond(308, &[("Location", &to)], "");
                }
            });
            one(over, script)
        },
        args: GIVEN,
        warnings: &["redirect"],
        hides: &["S3CRET", "hidden-too"],
        ..OK
    },
    Row {
        name: "HTTP-11 302 of the GET of a stream",
        ways: &[SSE],
        stage: |over| inside(over, 302),
        args: GIVEN,
        warnings: &["redirect"],
        ..OK
    },
    Row { name: "HTTP-11 301 of a POST", ways: POSTS, stage: |over| one(over, moved(301, "/b")), ..TURNED },
    Row { name: "HTTP-11 302 of a POST", ways: POSTS, stage: |over| one(over, moved(302, "/b")), ..TURNED },
    Row { name: "HTTP-11 303 of a POST", ways: POSTS, stage: |over| one(over, moved(303, "/b")), ..TURNED },
    Row {
        name: "HTTP-11 301 of a POST to the messages of HTTP+SSE",
        ways: &[SSE],
        stage: |over| one(over, moved_later(301, "/b")),
        phase: "tools/list",
        ..TURNED
    },
    Row {
        name: "HTTP-11 307 to another port",
        stage: |over| outside(over, |to| moved(307, to)),
        says: &["another origin, not followed", "authorization", "x-api-key", "following would have sent"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 308 to another port, within the session",
        ways: &[LEGACY],
        stage: |over| outside(over, |to| moved_later(308, to)),
        phase: "tools/list",
        says: &["another origin, not followed", "authorization", "x-api-key", "mcp-session-id"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 307 to another port, of a message of HTTP+SSE",
        ways: &[SSE],
        stage: |over| outside(over, |to| moved_later(307, to)),
        phase: "tools/list",
        says: &["another origin, not followed", "authorization", "x-api-key"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 307 to another name of the host",
        stage: |over| outside(over, |to| moved(307, to.replace("127.0.0.1", "localhost"))),
        ..REPORTED
    },
    Row {
        name: "HTTP-11 302 of a GET to another port",
        ways: &[SSE],
        stage: |over| outside(over, |to| moved(302, to)),
        phase: "endpoint",
        says: &["another origin, not followed"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 a location with a secret",
        stage: |over| {
            outside(over, |to| moved(307, format!("{}?token=hidden-value", to.replace("//", "//me:hidden-too@"))))
        },
        hides: &["S3CRET", "hidden-value", "hidden-too"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 from https to http",
        stage: downgrade,
        says: &["from https to http, not followed"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 a location of another kind",
        stage: |over| one(over, moved(307, "file:///etc/passwd")),
        says: &["not followed", "file:///etc/passwd"],
        ..REPORTED
    },
    Row { name: "HTTP-11 a loop", stage: |over| one(over, moved(307, "")), says: &["redirect loop"], ..REPORTED },
    Row {
        name: "HTTP-11 no end of redirects",
        stage: |over| {
            one(
                over,
                script(|request, conn| {
                    let to = format!("{}x", request.path);
                    conn.respond(307, &[("Location", &to)], "");
                }),
            )
        },
        // Each names another pair of URLs.
        warnings: &["redirect"; 5],
        says: &["more than 5 redirects"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 no location",
        stage: |over| one(over, script(|_, conn| conn.respond(307, &[], ""))),
        says: &["without a usable location"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 a location that is no URL",
        stage: |over| one(over, moved(307, "http://[::1")),
        says: &["without a usable location", "http://[::1"],
        ..REPORTED
    },
    Row {
        name: "HTTP-11 300 is no redirect",
        stage: |over| outside(over, |to| moved(300, to)),
        says: &["300", "location"],
        ..REPORTED
    },
];

/// A redirect that would lose the body.
const TURNED: Row = Row { says: &["into a GET, not followed", "/b"], ..REPORTED };

#[test]
fn http_11_redirects_stay_inside_the_origin() {
    check_rows(ROWS);
}
