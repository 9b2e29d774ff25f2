//! Streamable HTTP on real sockets, byte by byte.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::demo::testing::{Answer, Connection, POST, call, call_with_progress, initialize, request, start};
use crate::demo::{Fault, Server, Transport};

struct Client {
    server: Server,
    session: String,
}

impl Client {
    async fn new(faults: &[Fault]) -> Client {
        Client::with(faults, "2025-11-25").await
    }

    async fn with(faults: &[Fault], version: &str) -> Client {
        let server = start(Transport::Http, faults).await;
        let answer = Connection::send(&server, "POST", "/mcp", &POST, &initialize(version)).await.finish().await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"), "{answer:?}");
        let session = format!("Mcp-Session-Id: {}", answer.header("mcp-session-id"));
        Client { server, session }
    }

    async fn connection(&self, method: &str, headers: &[&str], body: &str) -> Connection {
        let headers = [headers, &[self.session.as_str()]].concat();
        Connection::send(&self.server, method, "/mcp", &headers, body).await
    }

    async fn send(&self, method: &str, headers: &[&str], body: &str) -> Answer {
        self.connection(method, headers, body).await.finish().await
    }

    async fn post(&self, body: &str) -> Answer {
        self.send("POST", &POST, body).await
    }
}

#[tokio::test]
async fn a_plain_call_is_answered_as_json() {
    let client = Client::new(&[]).await;
    let initialized = client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!((initialized.status, initialized.body.as_str()), (202, ""));
    let answer = client.post(&call(7, "echo", r#"{"message":"hi"}"#)).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.json(), json!({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"hi"}]}}));
    let seen = client.server.log().snapshot();
    assert_eq!(seen.methods, ["initialize", "notifications/initialized", "tools/call"]);
    assert_eq!((seen.posts, seen.connections, seen.sessions), (3, 3, 1));
}

#[tokio::test]
async fn a_tool_that_streams_is_answered_as_events() {
    let client = Client::new(&[]).await;
    let answer = client.post(&call_with_progress(3, "slow", r#"{"seconds":0.65}"#)).await;
    let events = answer.events();
    assert_eq!(events.iter().filter(|event| event["method"] == "notifications/progress").count(), 2);
    assert_eq!(events.last().expect("an answer")["id"], 3);
    assert!(answer.body.ends_with("0\r\n\r\n"), "the stream has a proper end: {answer:?}");
}

#[tokio::test]
async fn the_answer_to_a_question_comes_by_another_post() {
    let client = Client::new(&[]).await;
    let mut asking = client.connection("POST", &POST, &call(3, "ask", "{}")).await;
    let seen = asking.until("elicitation/create").await;
    assert!(seen.contains(r#""id":"ask-1""#), "{seen}");
    let answer = client.post(r#"{"jsonrpc":"2.0","id":"ask-1","result":{"action":"decline"}}"#).await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    assert_eq!(asking.finish().await.events().last().expect("an answer")["result"]["content"][0]["text"], "decline");
}

#[tokio::test]
async fn cancelling_ends_the_stream_without_an_answer() {
    let client = Client::new(&[]).await;
    let mut slow = client.connection("POST", &POST, &call_with_progress(3, "slow", r#"{"seconds":60}"#)).await;
    slow.until("notifications/progress").await;
    client.post(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#).await;
    let answer = slow.finish().await;
    assert!(answer.events().iter().all(|event| event["method"] == "notifications/progress"));
    assert_eq!(client.server.log().snapshot().cancelled, ["3"]);
}

#[tokio::test]
async fn sessions_are_required_found_and_ended() {
    let client = Client::new(&[]).await;
    let body = call(1, "echo", r#"{"message":"hi"}"#);
    let without = Connection::send(&client.server, "POST", "/mcp", &POST, &body).await.finish().await;
    assert_eq!((without.status, &without.json()["error"]["code"]), (400, &json!(-32600)));
    let unknown = [&POST[..], &["Mcp-Session-Id: nonsense"]].concat();
    let unknown = Connection::send(&client.server, "POST", "/mcp", &unknown, &body).await.finish().await;
    assert_eq!((unknown.status, &unknown.json()["id"]), (404, &Value::Null));
    let mut standing = client.connection("GET", &["Accept: text/event-stream"], "").await;
    standing.until("\r\n\r\n").await;
    assert_eq!(client.send("DELETE", &[], "").await.status, 200);
    assert_eq!(standing.finish().await.events(), [Value::Null; 0], "the standing stream ends with its session");
    assert_eq!(client.post(&body).await.status, 404);
    assert_eq!(client.send("DELETE", &[], "").await.status, 404);
    let seen = client.server.log().snapshot();
    assert_eq!((seen.deletes, seen.gets), (1, 1));
}

#[tokio::test]
async fn standing_streams_are_limited() {
    let client = Client::new(&[]).await;
    let mut open = Vec::new();
    for _ in 0..4 {
        let mut stream = client.connection("GET", &["Accept: text/event-stream"], "").await;
        assert!(stream.until("\r\n\r\n").await.starts_with("HTTP/1.1 200"));
        open.push(stream);
    }
    assert_eq!(client.send("GET", &["Accept: text/event-stream"], "").await.status, 409);
}

#[tokio::test]
async fn headers_are_checked() {
    let client = Client::new(&[]).await;
    let ping = request(1, "ping", "{}");
    let [json, accept] = POST;
    for (headers, status) in [
        (vec![json], 406),
        (vec![json, "Accept: application/json"], 406),
        (vec![json, "Accept: */*"], 406),
        (vec![accept], 415),
        (vec![accept, "Content-Type: text/plain"], 415),
        (vec![json, accept, "Origin: http://evil.example"], 403),
        (vec![json, accept, "MCP-Protocol-Version: garbage"], 400),
        (vec![json, accept, "MCP-Protocol-Version: 2026-07-28"], 400),
        (vec![json, accept, "MCP-Protocol-Version: 2025-06-18", "Origin: http://localhost:1"], 200),
        (vec![accept, "Content-Type: Application/JSON; charset=utf-8"], 200),
    ] {
        assert_eq!(client.send("POST", &headers, &ping).await.status, status, "{headers:?}");
    }
    assert_eq!(client.send("GET", &["Accept: application/json"], "").await.status, 406);
    let put = client.send("PUT", &POST, &ping).await;
    assert_eq!((put.status, put.header("allow")), (405, "GET, POST, DELETE"));
    let elsewhere = Connection::send(&client.server, "POST", "/", &POST, &ping).await.finish().await;
    assert_eq!((elsewhere.status, elsewhere.header("mcp-session-id")), (404, ""));
}

#[tokio::test]
async fn bad_bodies_are_answered_with_400() {
    let client = Client::new(&[]).await;
    for (body, code) in [("{", -32700), ("7", -32600), ("[]", -32600)] {
        let answer = client.post(body).await;
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (400, &json!(code)), "{body}");
    }
    let batch = format!("[{},{}]", request(1, "ping", "{}"), request(2, "ping", "{}"));
    assert_eq!(client.post(&batch).await.status, 400);
    let old = Client::with(&[], "2025-03-26").await;
    let ids: Vec<_> = old.post(&batch).await.events().iter().map(|event| event["id"].clone()).collect();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn faults_that_are_a_status() {
    for (fault, status, media_type, text) in [
        (Fault::Http500, 500, "text/html; charset=utf-8", "<title>500 Internal Server Error</title>"),
        (Fault::Http502Empty, 502, "", ""),
        (Fault::Http404, 404, "text/plain; charset=utf-8", "Not Found"),
        (Fault::Html200, 200, "text/html; charset=utf-8", "<!DOCTYPE html>"),
        (Fault::ForbiddenScope, 403, "application/json", "insufficient_scope"),
        (Fault::RpcErrorIn400, 400, "application/json", r#""id":5,"error":{"code":-32603"#),
        (Fault::RpcError, 200, "application/json", r#""id":5,"error":{"code":-32603"#),
        (Fault::NotJson, 200, "application/json", r#""id":5,"result":{"content":[}}"#),
        (Fault::WrongId, 200, "application/json", r#""id":999,"result""#),
    ] {
        let client = Client::new(&[fault]).await;
        assert_eq!(client.post(&request(4, "tools/list", "{}")).await.status, 200, "{fault:?}");
        let answer = client.post(&call(5, "echo", r#"{"message":"hi"}"#)).await;
        assert_eq!((answer.status, answer.header("content-type")), (status, media_type), "{fault:?}");
        assert!(answer.body.contains(text), "{fault:?}: {answer:?}");
        let challenge = answer.header("www-authenticate");
        assert_eq!(challenge.contains("error=\"insufficient_scope\""), fault == Fault::ForbiddenScope, "{challenge}");
    }
}

#[tokio::test]
async fn unauthorized_is_met_at_once() {
    let server = start(Transport::Http, &[Fault::Unauthorized]).await;
    let answer = Connection::send(&server, "POST", "/mcp", &POST, &initialize("2025-11-25")).await.finish().await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (401, ""));
    let challenge = answer.header("www-authenticate");
    let origin = server.url().replace("/mcp", "");
    for part in [
        "Bearer error=\"invalid_token\"",
        "error_description=\"",
        "scope=\"mcp:read mcp:call\"",
        &format!("resource_metadata=\"{origin}/.well-known/oauth-protected-resource\""),
    ] {
        assert!(challenge.contains(part), "{challenge}");
    }
}

#[tokio::test]
async fn a_cut_stream_has_one_event_and_no_end() {
    let client = Client::new(&[Fault::CutStream]).await;
    let answer = client.post(&call_with_progress(5, "echo", r#"{"message":"hi"}"#)).await;
    assert_eq!((answer.status, answer.broken), (200, None));
    let events = answer.events();
    assert_eq!(events.len(), 1, "{answer:?}");
    assert_eq!(events[0]["method"], "notifications/progress");
    assert!(!answer.body.ends_with("0\r\n\r\n"), "no last chunk: {answer:?}");
}

#[tokio::test]
async fn a_reset_comes_in_the_middle_of_an_event() {
    let client = Client::new(&[Fault::Reset]).await;
    let answer = client.post(&call(5, "echo", r#"{"message":"hi"}"#)).await;
    assert_eq!(answer.broken, Some(io::ErrorKind::ConnectionReset), "{answer:?}");
    assert_eq!(answer.events()[0]["method"], "notifications/message");
    assert!(answer.body.trim_end().ends_with(r#"data: {"jsonrpc":"2.0","id":"#), "{answer:?}");
}

#[tokio::test]
async fn a_hanging_call_ends_only_when_it_is_cancelled() {
    let client = Client::new(&[Fault::Hang]).await;
    let mut hanging = client.connection("POST", &POST, &call(5, "echo", r#"{"message":"hi"}"#)).await;
    assert!(tokio::time::timeout(Duration::from_millis(150), hanging.until("\n")).await.is_err(), "not even headers");
    client.post(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#).await;
    assert_eq!(hanging.finish().await.events(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_lost_session_is_lost_each_time() {
    let client = Client::new(&[Fault::SessionLost]).await;
    let body = call(5, "echo", r#"{"message":"hi"}"#);
    assert_eq!(client.post(&request(4, "tools/list", "{}")).await.status, 200);
    assert_eq!(client.post(&body).await.status, 404);
    assert_eq!(client.post(&request(4, "tools/list", "{}")).await.status, 404, "the session is gone");
    let again = Connection::send(&client.server, "POST", "/mcp", &POST, &initialize("2025-11-25")).await.finish().await;
    let session = format!("Mcp-Session-Id: {}", again.header("mcp-session-id"));
    assert_ne!(session, client.session);
    let headers = [&POST[..], &[session.as_str()]].concat();
    let lost = Connection::send(&client.server, "POST", "/mcp", &headers, &body).await.finish().await;
    assert_eq!((lost.status, &lost.json()["id"]), (404, &Value::Null));
}

#[tokio::test]
async fn news_come_on_the_standing_stream_and_on_one_only() {
    let client = Client::new(&[]).await;
    let mut first = client.connection("GET", &["Accept: text/event-stream"], "").await;
    first.until("\r\n\r\n").await;
    let mut second = client.connection("GET", &["Accept: text/event-stream"], "").await;
    second.until("\r\n\r\n").await;
    client.post(&request(1, "resources/subscribe", r#"{"uri":"demo://clock"}"#)).await;
    client.post(&call(2, "change_tools", "{}")).await;
    first.until("notifications/resources/updated").await;
    first.until("notifications/tools/list_changed").await;
    assert_eq!(client.send("DELETE", &[], "").await.status, 200);
    assert_eq!(second.finish().await.events(), [Value::Null; 0]);
}

#[tokio::test]
async fn a_task_asks_on_the_stream_of_its_result() {
    let client = Client::new(&[]).await;
    let job = r#"{"name":"job","arguments":{"steps":0,"ask":true},"task":{}}"#;
    let id = client.post(&request(1, "tools/call", job)).await.json()["result"]["task"]["taskId"].take();
    let result = request(2, "tasks/result", &json!({ "taskId": id }).to_string());
    let mut waiting = client.connection("POST", &POST, &result).await;
    waiting.until("elicitation/create").await;
    let answer = json!({"jsonrpc": "2.0", "id": "ask-1", "result": {"action": "accept", "content": {"answer": "Ada"}}});
    assert_eq!(client.post(&answer.to_string()).await.status, 202);
    let events = waiting.finish().await.events();
    assert_eq!(events.last().expect("an answer")["result"]["content"][0]["text"], "did 0 steps for Ada");
}

#[tokio::test]
async fn prompts_and_resources_ask_too() {
    let client = Client::new(&[]).await;
    for (id, method, params) in
        [(1, "prompts/get", r#"{"name":"greeting"}"#), (2, "resources/read", r#"{"uri":"demo://visitor"}"#)]
    {
        let mut asking = client.connection("POST", &POST, &request(id, method, params)).await;
        asking.until("elicitation/create").await;
        let answer = json!({
            "jsonrpc": "2.0", "id": format!("ask-{id}"),
            "result": {"action": "accept", "content": {"answer": "Ada"}}
        });
        client.post(&answer.to_string()).await;
        let events = asking.finish().await.events();
        assert!(events.last().expect("an answer")["result"].to_string().contains("Ada"), "{events:?}");
    }
}
