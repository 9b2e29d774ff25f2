//! HTTP+SSE on real sockets, byte by byte.

use std::io;
use std::time::Duration;

use serde_json::Value;

use crate::demo::testing::{Answer, Connection, call, initialize, messages, request, start};
use crate::demo::{Fault, Server, Transport};

const JSON: [&str; 1] = ["Content-Type: application/json"];

struct Client {
    server: Server,
    stream: Connection,
    endpoint: String,
}

impl Client {
    async fn new(faults: &[Fault]) -> Client {
        let server = start(Transport::Sse, faults).await;
        let mut stream = Connection::send(&server, "GET", "/sse", &["Accept: text/event-stream"], "").await;
        let seen = stream.until("\n\n\r\n").await;
        let endpoint =
            seen.split("event: endpoint\ndata: ").nth(1).and_then(|rest| rest.lines().next()).expect("an endpoint");
        let endpoint = endpoint.to_owned();
        let mut client = Client { server, stream, endpoint };
        assert_eq!(client.post(&initialize("2024-11-05")).await.status, 202);
        let seen = client.stream.until("\"id\":0").await;
        assert!(seen.contains("event: message\ndata: {"), "{seen}");
        client
    }

    async fn post(&self, body: &str) -> Answer {
        Connection::send(&self.server, "POST", &self.endpoint, &JSON, body).await.finish().await
    }

    async fn call(&self) -> Answer {
        self.post(&call(5, "echo", r#"{"message":"hi"}"#)).await
    }
}

#[tokio::test]
async fn posts_are_accepted_and_answered_on_the_stream() {
    let mut client = Client::new(&[]).await;
    let accepted = client.call().await;
    assert_eq!((accepted.status, accepted.body.as_str()), (202, "Accepted"));
    let seen = messages(&client.stream.until("\"id\":5").await);
    assert_eq!(seen.last().expect("an answer")["result"]["content"][0]["text"], "hi");
    assert_eq!(client.post("{").await.status, 400);
    let session = client.endpoint.split('=').nth(1).expect("an id").to_owned();
    for (path, status) in [("/messages", 400), ("/messages?session_id=no", 404), ("/mcp", 404), ("/sse", 405)] {
        let answer =
            Connection::send(&client.server, "POST", path, &JSON, &request(1, "ping", "{}")).await.finish().await;
        assert_eq!(answer.status, status, "{path}");
    }
    let found = format!("/messages?x=1&session_id={session}");
    let answer =
        Connection::send(&client.server, "POST", &found, &JSON, &request(6, "ping", "{}")).await.finish().await;
    assert_eq!(answer.status, 202);
}

#[tokio::test]
async fn the_session_ends_with_its_stream() {
    let Client { server, stream, endpoint } = Client::new(&[]).await;
    drop(stream);
    let mut status = 202;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        status =
            Connection::send(&server, "POST", &endpoint, &JSON, &request(1, "ping", "{}")).await.finish().await.status;
        if status == 404 {
            break;
        }
    }
    assert_eq!(status, 404);
}

#[tokio::test]
async fn faults_that_are_a_status_answer_the_post() {
    for (fault, status) in
        [(Fault::Http500, 500), (Fault::Http502Empty, 502), (Fault::Http404, 404), (Fault::ForbiddenScope, 403)]
    {
        assert_eq!(Client::new(&[fault]).await.call().await.status, status, "{fault:?}");
    }
}

#[tokio::test]
async fn faults_of_the_answer_are_on_the_stream() {
    for (fault, text) in [
        (Fault::NotJson, r#"data: {"jsonrpc":"2.0","id":5,"result":{"content":[}}"#),
        (Fault::WrongId, r#"data: {"jsonrpc":"2.0","id":999,"result""#),
        (Fault::RpcError, r#"data: {"jsonrpc":"2.0","id":5,"error":{"code":-32603"#),
    ] {
        let mut client = Client::new(&[fault]).await;
        assert_eq!(client.call().await.status, 202, "{fault:?}");
        client.stream.until(text).await;
    }
    let mut client = Client::new(&[Fault::Hang]).await;
    assert_eq!(client.call().await.status, 202);
    assert!(tokio::time::timeout(Duration::from_millis(150), client.stream.until("\"id\":5")).await.is_err());
}

#[tokio::test]
async fn the_stream_is_cut_or_reset_after_the_post() {
    for (fault, broken) in [(Fault::CutStream, None), (Fault::Reset, Some(io::ErrorKind::ConnectionReset))] {
        let client = Client::new(&[fault]).await;
        assert_eq!(client.call().await.status, 202);
        let answer = client.stream.finish().await;
        assert_eq!(answer.broken, broken, "{fault:?}");
        assert_eq!(answer.events().last().expect("an event")["method"], "notifications/message");
        assert!(!answer.body.ends_with("0\r\n\r\n"), "no last chunk: {answer:?}");
    }
}

#[tokio::test]
async fn unauthorized_answers_the_first_post() {
    let server = start(Transport::Sse, &[Fault::Unauthorized]).await;
    let mut stream = Connection::send(&server, "GET", "/sse", &["Accept: text/event-stream"], "").await;
    stream.until("event: endpoint").await;
    let answer = Connection::send(&server, "POST", "/messages", &JSON, &initialize("2024-11-05")).await.finish().await;
    assert_eq!(answer.status, 401);
    assert!(answer.header("www-authenticate").starts_with("Bearer error=\"invalid_token\""));
}

#[tokio::test]
async fn the_endpoint_is_missing_or_elsewhere() {
    let server = start(Transport::Sse, &[Fault::EndpointOrigin]).await;
    let mut stream = Connection::send(&server, "GET", "/sse", &["Accept: text/event-stream"], "").await;
    stream.until("event: endpoint\ndata: http://other.invalid:9/messages?session_id=").await;
    let server = start(Transport::Sse, &[Fault::NoEndpoint]).await;
    let mut stream = Connection::send(&server, "GET", "/sse", &["Accept: text/event-stream"], "").await;
    let seen = stream.until(": keep-alive\n\n").await;
    assert_eq!(messages(&seen), [Value::Null; 0]);
    assert!(!seen.contains("endpoint"), "{seen}");
}
