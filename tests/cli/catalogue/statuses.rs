//! Streamable HTTP: acknowledgements, the optional methods, lost sessions, errors on any status.

use std::sync::Mutex;
use std::time::Duration;

use super::{
    CALL, HTTP, MODERN, NETS, TEXT, TOOLS, all, called_once, check_rows, count, done, fails, good, http, peer, row,
    warned,
};
use crate::support::{Conn, Expect, FakeServer, InitOk, Peer, Request, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [acknowledgements(), refused_notifications(), optional(), sessions(), errors_on_a_status()].concat()
}

#[test]
fn notifications_are_acknowledged() {
    check_rows(&[acknowledgements(), refused_notifications()].concat());
}

#[test]
fn get_and_delete_are_optional() {
    check_rows(&optional());
}

#[test]
fn sessions_are_renewed() {
    check_rows(&sessions());
}

#[test]
fn an_error_beats_its_status() {
    check_rows(&errors_on_a_status());
}

/// A server in order, but for the answer to `notifications/initialized`.
fn acknowledging(acknowledge: fn(&mut Conn)) -> Peer {
    Peer::Server(script(move |request, conn| {
        if request.rpc_method() == "notifications/initialized" {
            acknowledge(conn);
        } else if !InitOk::default().answer(request, conn) {
            conn.message(&good(request));
        }
    }))
}

fn acknowledgements() -> Vec<Row> {
    let taken = |name, acknowledge| row(name, NETS, acknowledging(acknowledge), CALL, done());
    vec![
        taken("HTTP-01 204", |conn| conn.respond(204, &[], "")),
        taken("HTTP-01 200 with null", |conn| conn.respond(200, &[("Content-Type", "application/json")], "null")),
        taken("HTTP-01 200 with an object", |conn| conn.respond(200, &[("Content-Type", "application/json")], "{}")),
        taken("HTTP-01 200, labelled as JSON and empty", |conn| {
            conn.respond(200, &[("Content-Type", "application/json")], "")
        }),
        taken("HTTP-01 202 with words", |conn| conn.respond(202, &[("Content-Type", "text/plain")], "Accepted")),
        taken("HTTP-01 200 with half a JSON text", |conn| {
            conn.respond(200, &[("Content-Type", "application/json")], r#"{"ok":"#)
        }),
        taken("HTTP-01 202 with a body that never ends", |conn| {
            conn.raw("HTTP/1.1 202 Accepted\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nAcc");
            conn.hold();
        }),
        Row {
            within: Duration::from_secs(6),
            ..row(
                "HTTP-01 200 with a stream that stays open",
                HTTP,
                acknowledging(|conn| {
                    conn.sse_head(200, &[]);
                    conn.raw(": open\n\n");
                    conn.hold();
                }),
                CALL,
                done(),
            )
        },
    ]
}

fn refused_notifications() -> Vec<Row> {
    let refused = |name, acknowledge, expect| row(name, NETS, acknowledging(acknowledge), CALL, expect);
    vec![
        Row {
            args: &["--timeout", "8s", "info"],
            expect: Expect { stdout: &["fake", "1.0"], ..http("initialized", &["HTTP 500", "boom"]) },
            ..refused("HTTP-01 500, and what the server said of itself", |conn| conn.respond(500, &[], "boom"), done())
        },
        refused("HTTP-01 400", |conn| conn.respond(400, &[], "no"), http("initialized", &["HTTP 400", "no"])),
        refused("HTTP-01 500", |conn| conn.respond(500, &[], "boom"), http("initialized", &["HTTP 500", "boom"])),
        refused(
            "HTTP-01 401",
            |conn| conn.respond(401, &[], ""),
            fails("auth", "unauthorized", 8, "initialized", &["401", "--bearer"]),
        ),
        Row {
            args: &["--timeout", "400ms", "call", "--no-check", "t"],
            ..refused(
                "HTTP-01 nothing",
                |conn| _ = conn.hold(),
                fails("timeout", "idle", 6, "initialized", &["initialized"]),
            )
        },
    ]
}

/// A server with a session whose GET and DELETE are answered so.
fn with_optional(get: fn(&mut Conn), delete: fn(&mut Conn)) -> Peer {
    let rest = InitOk { session: Some("A".to_owned()), ..InitOk::default() };
    Peer::Server(script(move |request, conn| match request.method.as_str() {
        "GET" => get(conn),
        "DELETE" => delete(conn),
        _ if rest.answer(request, conn) => {}
        _ => conn.message(&good(request)),
    }))
}

fn optional() -> Vec<Row> {
    // What was declared makes the call wait for the stream.
    const DECLARED: &[&str] =
        &["--timeout", "600ms", "--client-capabilities", r#"{"roots":{}}"#, "call", "--no-check", "t"];
    let gone = |conn: &mut Conn| conn.respond(200, &[], "");
    let get =
        |name, get| Row { seen: Some(called_once), ..row(name, HTTP, with_optional(get, gone), DECLARED, done()) };
    let delete = |name, delete| Row {
        seen: Some(deleted_once),
        ..row(name, HTTP, with_optional(|conn| conn.respond(405, &[], ""), delete), CALL, done())
    };
    let unauthorized = |mut row: Row| {
        row.expect = warned(&["listen-refused"]);
        row
    };
    vec![
        get("HTTP-02 GET refused with 405", |conn| conn.respond(405, &[], "")),
        get("HTTP-02 GET refused with 400", |conn| {
            let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no GET"}}"#;
            conn.respond(400, &[("Content-Type", "application/json")], body);
        }),
        get("HTTP-02 GET refused with 409", |conn| conn.respond(409, &[], "a stream is there")),
        get("HTTP-02 GET answered with a page", |conn| conn.respond(200, &[("Content-Type", "text/html")], "<p>hi")),
        get("HTTP-02 GET not answered", |conn| _ = conn.hold()),
        get("HTTP-02 GET reset", |conn| conn.reset()),
        get("HTTP-02 GET answered with a stream that ends at once", |conn| conn.sse_head(200, &[])),
        unauthorized(get("HTTP-02 GET refused with 401", |conn| conn.respond(401, &[], ""))),
        unauthorized(get("HTTP-02 GET refused with 403", |conn| conn.respond(403, &[], ""))),
        delete("HTTP-02 DELETE refused with 405", |conn| conn.respond(405, &[], "")),
        delete("HTTP-02 DELETE refused with 500", |conn| conn.respond(500, &[], "boom")),
        delete("HTTP-02 DELETE reset", |conn| conn.reset()),
        Row { within: Duration::from_secs(6), ..delete("HTTP-02 DELETE not answered", |conn| _ = conn.hold()) },
    ]
}

/// The session was ended once, by its id.
fn deleted_once(server: &FakeServer) -> Result<(), String> {
    called_once(server)?;
    let all = server.requests();
    let deletes: Vec<_> = all.iter().filter(|one| one.method == "DELETE").collect();
    match deletes.as_slice() {
        [one] if one.header("mcp-session-id") == Some("A") => Ok(()),
        other => Err(format!("{} DELETEs", other.len())),
    }
}

/// A server that gives the sessions 1, 2, … and has forgotten all that `knows` does not know by their number in this run.
fn forgetful(knows: fn(usize) -> bool, forgotten: fn(&mut Conn)) -> Peer {
    let begun = Mutex::new(Vec::<String>::new());
    Peer::Server(script(move |request, conn| {
        let mut begun = begun.lock().unwrap();
        if request.rpc_method() == "initialize" {
            // The first request of a run has the id 1, a renewal a later one.
            if request.id() == "1" {
                begun.clear();
            }
            let session = format!("session-{}", begun.len() + 1);
            begun.push(session.clone());
            InitOk { session: Some(session), ..InitOk::default() }.answer(request, conn);
            return;
        }
        let number = begun.iter().position(|session| Some(session.as_str()) == request.header("mcp-session-id"));
        let lost = !number.is_some_and(|number| knows(number + 1));
        if lost && request.is_rpc_request() {
            forgotten(conn);
        } else if request.is_rpc_request() {
            conn.message(&good(request));
        } else {
            InitOk::default().answer(request, conn);
        }
    }))
}

fn not_found(conn: &mut Conn) {
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#;
    conn.respond(404, &[("Content-Type", "application/json")], body);
}

/// A new handshake without the old session, and each request twice at most.
fn renewed_once(server: &FakeServer) -> Result<(), String> {
    let all = server.requests();
    let initializes: Vec<&Request> = all.iter().filter(|one| one.rpc_method() == "initialize").collect();
    match initializes.as_slice() {
        [_, again] if again.header("mcp-session-id").is_none() => Ok(()),
        [_, _] => Err("the new initialize carries the old session".to_owned()),
        other => Err(format!("{} initializes", other.len())),
    }
}

/// A server whose session has an id that the specification does not allow (visible ASCII) and HTTP does.
fn odd_session() -> Peer {
    let session = Some("a b=;\u{fc}".to_owned());
    Peer::Server(InitOk { session, ..InitOk::default() }.then(|request, conn| conn.message(&good(request))))
}

fn sessions() -> Vec<Row> {
    let renewed = |name, forgotten, args| Row {
        seen: Some(renewed_once),
        ..row(name, HTTP, forgetful(|number| number == 2, forgotten), args, warned(&["session-renewed"]))
    };
    vec![
        renewed("HTTP-03 a call", not_found, CALL),
        renewed("HTTP-03 a list", not_found, TOOLS),
        renewed("HTTP-03 a resource", not_found, &["--timeout", "8s", "read", "x:y"]),
        renewed("HTTP-03 a prompt", not_found, &["--timeout", "8s", "get", "--no-check", "p"]),
        renewed("HTTP-03 404 with words", |conn| conn.respond(404, &[], "Session not found"), CALL),
        Row {
            seen: Some(|server| {
                let all = server.requests();
                let later: Vec<_> = all.iter().filter(|one| one.rpc_method() != "initialize").collect();
                match later.iter().find(|one| one.header("mcp-session-id") != Some("a b=;\u{fc}")) {
                    Some(one) => Err(format!("{} has {:?}", one.rpc_method(), one.header("mcp-session-id"))),
                    None => Ok(()),
                }
            }),
            ..row("HTTP-03 an id of odd characters", HTTP, odd_session(), CALL, warned(&["session-id"]))
        },
        Row {
            seen: Some(|server| match count(server, "tools/list") {
                2 => renewed_once(server),
                lists => Err(format!("{lists} lists")),
            }),
            ..row(
                "HTTP-03 no session is known",
                HTTP,
                forgetful(|_| false, not_found),
                TOOLS,
                Expect { warnings: &["session-renewed"], ..http("tools/list", &["session was lost again", "404"]) },
            )
        },
        Row {
            seen: Some(|server| match count(server, "initialize") {
                1 => called_once(server),
                many => Err(format!("{many} initializes")),
            }),
            ..row(
                "HTTP-03 400 is no lost session",
                HTTP,
                forgetful(|_| false, |conn| conn.respond(400, &[], "Bad Request: No valid session ID provided")),
                CALL,
                http("tools/call", &["HTTP 400", "No valid session ID"]),
            )
        },
        Row {
            seen: Some(|server| match count(server, "initialize") {
                1 => called_once(server),
                many => Err(format!("{many} initializes")),
            }),
            ..row(
                "HTTP-03 404 where there was no session",
                HTTP,
                peer(|_, conn| conn.respond(404, &[], "")),
                CALL,
                http("tools/call", &["HTTP 404"]),
            )
        },
        row(
            "HTTP-03 404 without a handshake",
            HTTP,
            all(|_, conn| conn.respond(404, &[], "")),
            MODERN,
            http("tools/call", &["HTTP 404"]),
        ),
    ]
}

/// A server whose answer to this method is this body, on a status.
fn refusing(method: &'static str, status: u16, kind: &'static str, body: &'static str) -> Peer {
    all(move |request, conn| {
        if request.rpc_method() == method {
            conn.respond(status, &[("Content-Type", kind)], body.replace("ID", &request.id()));
        } else {
            conn.message(&good(request));
        }
    })
}

fn errors_on_a_status() -> Vec<Row> {
    const ERROR: &str = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad x","data":{"k":1}}}"#;
    const EVENT: &str =
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"error\":{\"code\":-32602,\"message\":\"bad x\"}}\n\n";
    const JSON: &str = "application/json";
    let rpc = |phase, stderr| fails("rpc-error", "", 4, phase, stderr);
    let call =
        |name, status, kind, body, expect| row(name, NETS, refusing("tools/call", status, kind, body), CALL, expect);
    vec![
        call("HTTP-05 400", 400, JSON, ERROR, rpc("tools/call", &["bad x", "-32602", "HTTP 400", r#""k""#])),
        call("HTTP-05 403 without a challenge", 403, JSON, ERROR, rpc("tools/call", &["bad x", "HTTP 403"])),
        call(
            "HTTP-05 a problem document",
            422,
            "application/problem+json",
            ERROR,
            rpc("tools/call", &["bad x", "HTTP 422"]),
        ),
        row(
            "HTTP-05 an event",
            HTTP,
            refusing("tools/call", 400, "text/event-stream", EVENT),
            CALL,
            rpc("tools/call", &["bad x", "HTTP 400"]),
        ),
        row(
            "HTTP-05 a list",
            NETS,
            refusing("tools/list", 400, JSON, ERROR),
            TOOLS,
            rpc("tools/list", &["bad x", "HTTP 400"]),
        ),
        row(
            "HTTP-05 the handshake",
            NETS,
            refusing("initialize", 400, JSON, ERROR),
            CALL,
            rpc("initialize", &["bad x", "HTTP 400"]),
        ),
        row(
            "HTTP-05 without a handshake",
            HTTP,
            refusing("tools/call", 400, JSON, ERROR),
            MODERN,
            rpc("tools/call", &["bad x", "HTTP 400"]),
        ),
        call(
            "HTTP-05 401 asks for a credential",
            401,
            JSON,
            ERROR,
            fails("auth", "unauthorized", 8, "tools/call", &["bad x"]),
        ),
        call(
            "HTTP-05 JSON that is no JSON-RPC",
            400,
            JSON,
            r#"{"error":"bad x"}"#,
            http("tools/call", &["HTTP 400", r#"{"error":"bad x"}"#]),
        ),
        call(
            "HTTP-05 an error that is a text",
            500,
            JSON,
            r#"{"jsonrpc":"2.0","error":"bad x"}"#,
            fails("protocol", "not-json-rpc", 7, "tools/call", &["HTTP 500", "bad x"]),
        ),
        call(
            "HTTP-05 a result on a status that says failure",
            500,
            JSON,
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"好🙂 done"}]}}"#,
            Expect { stdout: &[TEXT], ..warned(&["http-status"]) },
        ),
        Row {
            within: Duration::from_secs(5),
            ..call(
                "HTTP-05 an error for another request",
                400,
                JSON,
                r#"{"jsonrpc":"2.0","id":999,"error":{"code":-32602,"message":"bad x"}}"#,
                fails("protocol", "wrong-id", 7, "tools/call", &["999", "bad x"]),
            )
        },
    ]
}
