//! The fake server of 2026-07-28 must be able to complain: each thing that it checks, broken once.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::support::{FakeServer, Over, complete, fresh_ids, modern_ok};

/// A proper call: its headers and its body.
fn proper() -> (Vec<(&'static str, &'static str)>, Value) {
    let headers = vec![
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "t"),
    ];
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "progressToken": 1
    });
    let params = json!({"name": "t", "arguments": {}, "_meta": meta});
    (headers, json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
}

fn send(server: &FakeServer, method: &str, headers: &[(&str, &str)], body: &str) {
    let mut socket = TcpStream::connect(server.address()).expect("the server");
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!(
        "{method} /mcp HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(request.as_bytes()).expect("it reads");
    socket.shutdown(std::net::Shutdown::Write).expect("it is open");
    let _until_it_closed = socket.read_to_end(&mut Vec::new()).is_ok();
}

fn server() -> FakeServer {
    FakeServer::start(Over::Http, modern_ok(|request, conn| conn.result(request, &complete(json!({}), false))))
}

#[test]
fn a_proper_request_is_no_problem() {
    let server = server();
    let (headers, body) = proper();
    send(&server, "POST", &headers, &body.to_string());
    assert_eq!(server.problems(), Vec::<String>::new());
}

/// Sends the proper request with one thing changed, and gives the problems.
fn problems(change: impl FnOnce(&mut Vec<(&'static str, &'static str)>, &mut Value)) -> Vec<String> {
    let server = server();
    let (mut headers, mut body) = proper();
    change(&mut headers, &mut body);
    send(&server, "POST", &headers, &body.to_string());
    let problems = server.problems();
    server.forgive();
    problems
}

#[test]
fn each_broken_header_is_a_problem() {
    for gone in ["Content-Type", "Accept", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        assert_eq!(problems(|headers, _| headers.retain(|(name, _)| *name != gone)).len(), 1, "{gone}");
    }
    let values = [
        ("Content-Type", "text/plain"),
        ("Accept", "application/json"),
        ("Accept", "text/event-stream"),
        ("MCP-Protocol-Version", "2025-11-25"),
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", "Tools/Call"),
        ("Mcp-Name", "u"),
        ("Mcp-Name", "=?base64?dQ==?="),
        ("Mcp-Name", "=?base64?!?="),
    ];
    for (name, value) in values {
        let found = problems(|headers, _| headers.iter_mut().find(|one| one.0 == name).expect("it is there").1 = value);
        assert_eq!(found.len(), 1, "{name}: {value}");
    }
    for more in [("Mcp-Session-Id", "1"), ("Last-Event-ID", "1")] {
        assert_eq!(problems(|headers, _| headers.push(more)).len(), 1, "{more:?}");
    }
}

#[test]
fn each_broken_body_is_a_problem() {
    let set = |pointer: &str, value: Value| {
        let pointer = pointer.to_owned();
        move |_: &mut Vec<_>, body: &mut Value| *body.pointer_mut(&pointer).expect("it is there") = value
    };
    for id in [Value::Null, json!(1.5), json!([1]), json!(true)] {
        assert_eq!(problems(set("/id", id.clone())).len(), 1, "the id {id}");
    }
    for key in ["protocolVersion", "clientCapabilities", "clientInfo"] {
        let pointer = format!("/params/_meta/io.modelcontextprotocol~1{key}");
        assert_eq!(problems(set(&pointer, Value::Null)).len(), 1, "{key}");
    }
    assert_eq!(problems(set("/params", json!({"name": "t"}))).len(), 1, "no _meta");
    assert_eq!(problems(set("/jsonrpc", json!("1.0"))).len(), 1);
    let bodies = [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]),
        json!("x"),
    ];
    for body in bodies {
        assert_eq!(problems(|_, old| *old = body.clone()).len(), 1, "{body}");
    }
}

#[test]
fn other_methods_of_http_are_a_problem() {
    for method in ["GET", "DELETE"] {
        let server = server();
        send(&server, method, &[], "");
        assert_eq!(server.problems().len(), 1, "{method}");
        server.forgive();
    }
}

#[test]
fn an_id_or_a_token_that_comes_twice_is_told() {
    for (id, token, told) in [(1, 2, "id 1"), (2, 1, "token 1")] {
        let server = server();
        let (headers, mut body) = proper();
        send(&server, "POST", &headers, &body.to_string());
        assert_eq!(fresh_ids(&server), Ok(()));
        body["id"] = json!(id);
        body["params"]["_meta"]["progressToken"] = json!(token);
        send(&server, "POST", &headers, &body.to_string());
        let found = fresh_ids(&server).expect_err("it came twice");
        assert!(found.contains(told), "{found}");
    }
}
