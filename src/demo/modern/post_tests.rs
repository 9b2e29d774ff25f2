//! Streamable HTTP of 2026-07-28 on real sockets, byte by byte.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use crate::demo::testing::{Answer, Connection, POST, call, initialize, modern, request, start, start_as};
use crate::demo::{Eras, Fault, Server, Transport};

const VERSION: &str = "MCP-Protocol-Version: 2026-07-28";
const ECHO: &str = r#"{"name":"echo","arguments":{"message":"hi"}}"#;

/// The body of a request, with the headers that go with it.
struct Post {
    headers: Vec<String>,
    body: String,
}

impl Post {
    fn new(method: &str, params: &str) -> Post {
        Post::with(method, params, json!({}), json!({}))
    }

    fn with(method: &str, params: &str, capabilities: Value, meta: Value) -> Post {
        let params: Value = serde_json::from_str(params).expect("JSON");
        let key = match method {
            "resources/read" => "uri",
            _ if method.starts_with("tasks/") => "taskId",
            _ => "name",
        };
        let mut headers: Vec<String> = POST.iter().map(|line| (*line).to_owned()).collect();
        headers.push(VERSION.to_owned());
        headers.push(format!("Mcp-Method: {method}"));
        headers.extend(params[key].as_str().map(|name| format!("Mcp-Name: {name}")));
        Post { headers, body: modern("5", method, params, capabilities, meta) }
    }

    /// With a header in the place of the one of that name; without it, if there is nothing behind the colon.
    fn header(mut self, line: &str) -> Post {
        let (name, value) = line.split_once(':').expect("a header");
        self.headers.retain(|other| !other.starts_with(&format!("{name}:")));
        if !value.is_empty() {
            self.headers.push(line.to_owned());
        }
        self
    }

    async fn open(&self, server: &Server) -> Connection {
        let headers: Vec<&str> = self.headers.iter().map(String::as_str).collect();
        Connection::send(server, "POST", "/mcp", &headers, &self.body).await
    }

    async fn send(&self, server: &Server) -> Answer {
        self.open(server).await.finish().await
    }

    /// Status and code.
    async fn refused(&self, server: &Server) -> (u16, i64) {
        let answer = self.send(server).await;
        let json = answer.json();
        assert_eq!(json["id"], 5, "{answer:?}");
        (answer.status, json["error"]["code"].as_i64().unwrap_or_default())
    }
}

#[tokio::test]
async fn a_plain_call_is_answered_as_json_without_a_session() {
    let server = start(Transport::Http, &[]).await;
    let answer = Post::new("tools/call", ECHO).header("Mcp-Session-Id: whatever").send(&server).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.header("mcp-session-id"), "");
    let result = &answer.json()["result"];
    assert_eq!((&result["resultType"], &result["content"][0]["text"]), (&json!("complete"), &json!("hi")));
    assert_eq!(server.log().snapshot().sessions, 0);
}

#[tokio::test]
async fn headers_are_held_against_the_body() {
    let server = start(Transport::Http, &[]).await;
    let echo = || Post::new("tools/call", ECHO);
    for (what, post, expected) in [
        ("all there", echo(), (200, 0)),
        ("names of headers in any case", echo().header("Mcp-Method:").header("mcp-method: tools/call"), (200, 0)),
        ("no version", echo().header("MCP-Protocol-Version:"), (400, -32020)),
        ("an older version", echo().header("MCP-Protocol-Version: 2025-11-25"), (400, -32020)),
        ("no method", echo().header("Mcp-Method:"), (400, -32020)),
        ("another method", echo().header("Mcp-Method: tools/list"), (400, -32020)),
        ("method in another case", echo().header("Mcp-Method: Tools/Call"), (400, -32020)),
        ("no name", echo().header("Mcp-Name:"), (400, -32020)),
        ("another name", echo().header("Mcp-Name: add"), (400, -32020)),
        ("an encoded name", echo().header("Mcp-Name: =?base64?ZWNobw==?="), (200, 0)),
        ("broken base64", echo().header("Mcp-Name: =?base64?ZWNobw?="), (400, -32020)),
        ("a URI", Post::new("resources/read", r#"{"uri":"demo://text"}"#), (200, 0)),
        ("no URI", Post::new("resources/read", r#"{"uri":"demo://text"}"#).header("Mcp-Name:"), (400, -32020)),
        ("no prompt", Post::new("prompts/get", r#"{"name":"hello"}"#).header("Mcp-Name:"), (400, -32020)),
        ("no task", Post::new("tasks/get", r#"{"taskId":"x"}"#).header("Mcp-Name:"), (400, -32020)),
        ("a list needs no name", Post::new("tools/list", "{}"), (200, 0)),
        ("nothing to compare", Post::new("tools/call", "{}"), (200, -32602)),
        ("an unknown method", Post::new("no/such", "{}"), (404, -32601)),
        ("a method of the other era", Post::new("ping", "{}"), (404, -32601)),
        ("initialize in this framing", Post::new("initialize", "{}"), (404, -32601)),
        ("no capability for tasks", Post::new("tasks/get", r#"{"taskId":"x"}"#), (400, -32021)),
        ("no capability for a question", Post::new("tools/call", r#"{"name":"ask"}"#), (400, -32021)),
    ] {
        assert_eq!(post.refused(&server).await, expected, "{what}");
    }
}

#[tokio::test]
async fn mirrored_parameters_are_held_against_the_arguments() {
    let server = start(Transport::Http, &[]).await;
    let params = r#"{"name":"region","arguments":{"region":"eu","limit":7,"dry_run":true,"options":{"tier":"gold"},"query":"q"}}"#;
    let mirrored = || {
        ["Region: eu", "Limit: 7", "Dry-Run: true", "Tier: gold"]
            .iter()
            .fold(Post::new("tools/call", params), |post, line| post.header(&format!("Mcp-Param-{line}")))
    };
    let answer = mirrored().send(&server).await.json();
    let told = "region=\"eu\"\nlimit=7\ndry_run=true\noptions.tier=\"gold\"\nquery=\"q\"";
    assert_eq!(answer["result"]["content"][0]["text"], told);
    for line in ["Region:", "Region: us", "Limit: 8", "Limit:", "Dry-Run: false", "Dry-Run:", "Tier: tin", "Tier:"] {
        let post = mirrored().header(&format!("Mcp-Param-{line}"));
        assert_eq!(post.refused(&server).await, (400, -32020), "{line}");
    }
    let none = Post::new("tools/call", r#"{"name":"region","arguments":{"options":{}}}"#);
    assert_eq!(none.refused(&server).await, (200, 0));
    let extra = Post::new("tools/call", r#"{"name":"region"}"#).header("Mcp-Param-Region: eu");
    assert_eq!(extra.refused(&server).await, (400, -32020), "a header without its argument");
}

#[tokio::test]
async fn versions_and_bodies_are_checked() {
    let server = start(Transport::Http, &[]).await;
    let mut post = Post::new("tools/list", "{}").header("MCP-Protocol-Version: 2099-01-01");
    post.body = post.body.replace("2026-07-28", "2099-01-01");
    let answer = post.send(&server).await;
    let data = &answer.json()["error"]["data"];
    assert_eq!(
        (answer.status, &data["requested"], &data["supported"][0]),
        (400, &json!("2099-01-01"), &json!("2026-07-28"))
    );
    let body = |text: &str| Post { body: text.to_owned(), ..Post::new("tools/list", "{}") };
    assert_eq!(body(&request(5, "tools/list", "{}")).refused(&server).await, (400, -32602), "no _meta");
    for (text, status, code) in [
        ("{".to_owned(), 400, -32700),
        ("7".to_owned(), 400, -32600),
        (format!("[{}]", Post::new("tools/list", "{}").body), 400, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(), 400, -32600),
    ] {
        let answer = body(&text).send(&server).await;
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (status, &json!(code)), "{text}");
    }
    let notification = body(r#"{"jsonrpc":"2.0","method":"notifications/any"}"#).send(&server).await;
    assert_eq!((notification.status, notification.body.as_str()), (202, ""));
    for (line, status) in
        [("Accept: application/json", 406), ("Content-Type: text/plain", 415), ("Origin: http://evil.example", 403)]
    {
        assert_eq!(Post::new("tools/list", "{}").header(line).send(&server).await.status, status, "{line}");
    }
    for method in ["GET", "DELETE"] {
        let answer = Connection::send(&server, method, "/mcp", &[VERSION, POST[1]], "").await.finish().await;
        assert_eq!((answer.status, answer.header("allow")), (405, "POST"), "{method}");
    }
}

#[tokio::test]
async fn progress_turns_the_answer_into_a_stream() {
    let server = start(Transport::Http, &[]).await;
    let slow = r#"{"name":"slow","arguments":{"seconds":0.65}}"#;
    let answer = Post::with("tools/call", slow, json!({}), json!({ "progressToken": 9 })).send(&server).await;
    assert_eq!(answer.header("x-accel-buffering"), "no");
    let events = answer.events();
    assert_eq!((events.len(), &events[0]["params"]["progressToken"]), (3, &json!(9)));
    assert_eq!((&events[2]["id"], &events[2]["result"]["resultType"]), (&json!(5), &json!("complete")));
    let silent = Post::new("tools/call", slow).send(&server).await;
    assert_eq!(silent.header("content-type"), "application/json");
}

/// Waits until the server knows that request 5 was abandoned.
async fn abandoned(server: &Server) {
    for _ in 0..1000 {
        if server.log().snapshot().abandoned == ["5"] {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{:?}", server.log().snapshot());
}

#[tokio::test]
async fn closing_the_stream_cancels_the_request() {
    let slow = r#"{"name":"slow","arguments":{"seconds":60}}"#;
    for (meta, seen) in [(json!({"progressToken": 1}), "notifications/progress"), (json!({}), "")] {
        let server = start(Transport::Http, &[]).await;
        let mut open = Post::with("tools/call", slow, json!({}), meta).open(&server).await;
        if seen.is_empty() {
            while server.log().snapshot().messages == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        } else {
            open.until(seen).await;
        }
        drop(open);
        abandoned(&server).await;
    }
    let server = start(Transport::Http, &[]).await;
    let listen = Post::new("subscriptions/listen", r#"{"notifications":{"resourceSubscriptions":["demo://clock"]}}"#);
    let mut open = listen.open(&server).await;
    open.until("notifications/resources/updated").await;
    drop(open);
    abandoned(&server).await;
}

#[tokio::test]
async fn subscriptions_hear_of_other_requests() {
    let server = start(Transport::Http, &[]).await;
    let listen = Post::new("subscriptions/listen", r#"{"notifications":{"toolsListChanged":true}}"#);
    let mut open = listen.open(&server).await;
    let head = open.until("notifications/subscriptions/acknowledged").await;
    assert!(head.to_ascii_lowercase().contains("content-type: text/event-stream"), "{head}");
    assert_eq!(Post::new("tools/call", r#"{"name":"change_tools"}"#).refused(&server).await, (200, 0));
    open.until("notifications/tools/list_changed").await;
    open.until(": keep-alive").await;
}

#[tokio::test]
async fn tasks_outlive_their_connection() {
    let server = start(Transport::Http, &[]).await;
    let known = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let job = Post::with("tools/call", r#"{"name":"job","arguments":{"steps":1}}"#, known.clone(), json!({}));
    let id = job.send(&server).await.json()["result"]["taskId"].as_str().expect("a task").to_owned();
    loop {
        let get = Post::with("tasks/get", &json!({ "taskId": id }).to_string(), known.clone(), json!({}));
        let task = get.send(&server).await.json()["result"].take();
        match task["status"].as_str() {
            Some("working") => tokio::time::sleep(Duration::from_millis(10)).await,
            status => {
                break assert_eq!((status, &task["result"]["resultType"]), (Some("completed"), &json!("complete")));
            }
        }
    }
}

#[tokio::test]
async fn both_eras_are_served_on_one_address() {
    let server = start(Transport::Http, &[]).await;
    assert_eq!(Post::new("server/discover", "{}").refused(&server).await, (200, 0));
    let answer = Connection::send(&server, "POST", "/mcp", &POST, &initialize("2025-11-25")).await.finish().await;
    assert_eq!((answer.status, answer.header("mcp-session-id").len()), (200, 32));
}

#[tokio::test]
async fn one_era_refuses_the_other() {
    let legacy = start_as(Transport::Http, Eras::Legacy, &[]).await;
    for post in [Post::new("server/discover", "{}"), Post::new("tools/list", "{}")] {
        let answer = post.send(&legacy).await;
        let json = answer.json();
        assert_eq!((answer.status, &json["id"], &json["error"]["code"]), (400, &Value::Null, &json!(-32000)));
    }
    let initialized = Connection::send(&legacy, "POST", "/mcp", &POST, &initialize("2025-11-25")).await.finish().await;
    assert_eq!(initialized.status, 200);

    let only = start_as(Transport::Http, Eras::Modern, &[]).await;
    let told = Post::new("server/discover", "{}").send(&only).await.json();
    assert_eq!(told["result"]["supportedVersions"], json!(["2026-07-28"]));
    for (body, status, code) in [
        (initialize("2025-11-25"), 400, -32022),
        (request(1, "ping", "{}"), 404, -32601),
        (request(1, "logging/setLevel", "{}"), 404, -32601),
        (request(1, "tools/list", "{}"), 400, -32602),
    ] {
        let answer = Connection::send(&only, "POST", "/mcp", &POST, &body).await.finish().await;
        assert_eq!((answer.status, &answer.json()["error"]["code"]), (status, &json!(code)), "{body}");
        if code == -32022 {
            assert_eq!(answer.json()["error"]["data"], json!({"supported": ["2026-07-28"], "requested": "2025-11-25"}));
        }
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(Connection::send(&only, method, "/mcp", &[POST[1]], "").await.finish().await.status, 405);
    }
}

#[tokio::test]
async fn faults_are_the_same_as_in_the_other_era() {
    for (fault, status, text) in [
        (Fault::Http500, 500, "<title>500 Internal Server Error</title>"),
        (Fault::Http502Empty, 502, ""),
        (Fault::Http404, 404, "Not Found"),
        (Fault::Html200, 200, "<!DOCTYPE html>"),
        (Fault::ForbiddenScope, 403, "insufficient_scope"),
        (Fault::RpcErrorIn400, 400, r#""id":5,"error":{"code":-32603"#),
        (Fault::RpcError, 200, r#""id":5,"error":{"code":-32603"#),
        (Fault::NotJson, 200, r#""id":5,"result":{"content":[}}"#),
        (Fault::WrongId, 200, r#""id":999,"result""#),
        (Fault::HeaderMismatch, 400, r#""id":5,"error":{"code":-32020"#),
        (Fault::UnknownResultType, 200, r#""resultType":"surprise""#),
    ] {
        let server = start(Transport::Http, &[fault]).await;
        let answer = Post::new("tools/call", ECHO).send(&server).await;
        assert_eq!(answer.status, status, "{fault:?}");
        assert!(answer.body.contains(text), "{fault:?}: {answer:?}");
        assert_eq!(Post::new("server/discover", "{}").refused(&server).await, (200, 0), "{fault:?}");
    }
    let server = start(Transport::Http, &[Fault::Unauthorized]).await;
    assert_eq!(Post::new("server/discover", "{}").send(&server).await.status, 401);
}

#[tokio::test]
async fn streams_break_in_the_same_way() {
    for (fault, broken) in [(Fault::CutStream, None), (Fault::Reset, Some(io::ErrorKind::ConnectionReset))] {
        let server = start(Transport::Http, &[fault]).await;
        for meta in [json!({ "progressToken": 1 }), json!({})] {
            let answer = Post::with("tools/call", ECHO, json!({}), meta).send(&server).await;
            assert_eq!(answer.broken, broken, "{fault:?}");
            assert!(!answer.body.contains("\"result\""), "{answer:?}");
        }
    }
    let server = start(Transport::Http, &[Fault::Hang]).await;
    let mut hanging = Post::new("tools/call", ECHO).open(&server).await;
    assert!(tokio::time::timeout(Duration::from_millis(150), hanging.until("\n")).await.is_err());
}

#[tokio::test]
async fn faults_that_narrow_the_eras() {
    let lost = start(Transport::Http, &[Fault::SessionLost]).await;
    assert_eq!(Post::new("server/discover", "{}").send(&lost).await.json()["error"]["code"], -32000);
    let unsupported = start(Transport::Http, &[Fault::UnsupportedVersion]).await;
    assert_eq!(Post::new("server/discover", "{}").refused(&unsupported).await, (400, -32022));
    let refused = Connection::send(&unsupported, "POST", "/mcp", &POST, &initialize("2025-11-25")).await.finish().await;
    let data = refused.json()["error"]["data"].take();
    assert_eq!(
        (refused.status, refused.header("mcp-session-id"), &data["supported"]),
        (400, "", &json!(["2099-01-01"]))
    );
    let sse = start(Transport::Sse, &[]).await;
    let answer = Connection::send(&sse, "POST", "/mcp", &POST, &call(1, "echo", "{}")).await.finish().await;
    assert_eq!(answer.status, 404);
}
