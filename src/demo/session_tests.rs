//! The session, driven message by message without a transport.

use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::demo::Transport;
use crate::demo::context::Out;
use crate::demo::eras::Eras;
use crate::demo::log::Log;
use crate::demo::testing::{call, call_with_progress, initialize, request};
use crate::demo::tools::{TOOLS, ToolRow};

/// A client at the other end of a session.
pub struct Client {
    pub session: Arc<Session>,
    log: Log,
    pub outlet: Outlet,
    messages: mpsc::Receiver<Out>,
}

impl Client {
    pub fn new() -> Client {
        let world = World::new(&[], Eras::Both, Transport::Http).expect("a world");
        let (outlet, messages) = Outlet::channel();
        Client { log: world.log.clone(), session: Session::new(world), outlet, messages }
    }

    pub async fn ready(version: &str) -> Client {
        let mut client = Client::new();
        client.ask(&initialize(version)).await;
        client
    }

    pub fn send(&self, text: &str) {
        for message in message::parse(text.as_bytes()).expect(text).messages {
            if let Some(work) = self.session.receive(message, self.outlet.clone()) {
                tokio::spawn(work);
            }
        }
    }

    pub async fn next(&mut self) -> Value {
        let Some(Out::Message(text) | Out::Answer(text, _)) = self.messages.recv().await else { panic!("no message") };
        serde_json::from_str(&text).expect("JSON")
    }

    pub async fn ask(&mut self, text: &str) -> Value {
        self.send(text);
        self.next().await
    }

    pub async fn result(&mut self, text: &str) -> Value {
        self.ask(text).await["result"].take()
    }

    pub async fn code(&mut self, text: &str) -> i64 {
        self.ask(text).await["error"]["code"].as_i64().expect("an error code")
    }
}

#[tokio::test]
async fn versions_are_echoed_or_the_newest_is_offered() {
    for version in LEGACY {
        let mut client = Client::new();
        let result = client.result(&initialize(version)).await;
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "mcpcli-demo");
    }
    for version in ["2026-07-28", "1999-01-01"] {
        assert_eq!(Client::new().result(&initialize(version)).await["protocolVersion"], "2025-11-25");
    }
    assert_eq!(Client::new().code(&request(1, "initialize", "{}")).await, -32602);
}

#[tokio::test]
async fn nothing_but_ping_comes_before_initialize() {
    let mut client = Client::new();
    assert_eq!(client.result(&request(1, "ping", "{}")).await, json!({}));
    assert_eq!(client.code(&request(2, "tools/list", "{}")).await, -32600);
    assert_eq!(client.code(&request(3, "server/discover", "{}")).await, -32601);
    client.ask(&initialize("2025-11-25")).await;
    assert_eq!(client.code(&initialize("2025-11-25")).await, -32600);
}

#[tokio::test]
async fn every_method_is_served_and_no_other() {
    let mut client = Client::ready("2025-11-25").await;
    for method in METHODS.into_iter().filter(|method| *method != "initialize") {
        let answer = client.ask(&request(1, method, "{}")).await;
        assert_ne!(answer["error"]["code"], -32601, "{method}");
    }
    assert_eq!(client.code(&request(1, "no/such", "{}")).await, -32601);
    assert_eq!(client.code(&request(1, "tasks/update", "[]")).await, -32601);
}

#[tokio::test]
async fn tools_come_on_three_pages() {
    let mut client = Client::ready("2025-11-25").await;
    let (mut counts, mut given) = (Vec::new(), json!({}));
    loop {
        let page = client.result(&request(1, "tools/list", &given.to_string())).await;
        counts.push(page["tools"].as_array().expect("tools").len());
        match page.get("nextCursor") {
            Some(cursor) => given = json!({ "cursor": cursor }),
            None => break,
        }
    }
    // The last row is hidden at first.
    assert_eq!((counts.len(), counts.iter().sum::<usize>()), (3, TOOLS.len() - 1));
    assert_eq!(client.code(&request(3, "tools/list", r#"{"cursor":"nonsense"}"#)).await, -32602);
}

#[tokio::test]
async fn values_come_back_exactly() {
    let mut client = Client::ready("2025-11-25").await;
    let message = "tab\tquote\" \u{1b}[2J 世界 🙂\n";
    let echoed = client.result(&call(1, "echo", &json!({ "message": message }).to_string())).await;
    assert_eq!(echoed["content"][0]["text"], message);
    let typed = r#"{"number":1.10,"integer":123456789012345678901234567890,"any":1E5, "object":{"b":1,"a":2}}"#;
    assert_eq!(client.result(&call(2, "types", typed)).await["content"][0]["text"], typed);
    let big = r#"{"a":9007199254740993,"b":123456789012345678901234567890}"#;
    let sum = client.result(&call(3, "add", big)).await;
    assert_eq!(sum["structuredContent"].to_string(), r#"{"sum":123456789012354686100489308883}"#);
    assert_eq!(sum["content"][0]["text"], "123456789012354686100489308883");
    let over = format!(r#"{{"a":{0},"b":{0}}}"#, i128::MAX);
    assert_eq!(client.result(&call(4, "add", &over)).await["isError"], true);
    let filled = client.result(&call(5, "big", r#"{"bytes":100000}"#)).await;
    assert_eq!(filled["content"][0]["text"].as_str().expect("a text").len(), 100_000);
}

#[tokio::test]
async fn each_failing_tool_fails_in_its_own_way() {
    let mut client = Client::ready("2025-11-25").await;
    for tool in ["throw_error", "invalid_access"] {
        assert_eq!(client.result(&call(1, tool, "{}")).await["isError"], true, "{tool}");
    }
    assert_eq!(client.result(&call(1, "hidden_error", "{}")).await["isError"], false);
    assert_eq!(client.code(&call(1, "return_error", "{}")).await, -32050);
    let answer = client.ask(&call(1, "return_error", r#"{"code":-7}"#)).await;
    assert_eq!((&answer["error"]["code"], &answer["error"]["data"]["tool"]), (&json!(-7), &json!("return_error")));
    assert_eq!(client.code(&call(1, "nosuch", "{}")).await, -32602);
    let bad = client.result(&call(1, "add", r#"{"a":"x","c":1}"#)).await;
    assert_eq!(bad["isError"], true);
    let text = bad["content"][0]["text"].as_str().expect("a text");
    assert!(
        ["\"a\" must be", "\"b\" is required", "\"c\" is not known"].iter().all(|what| text.contains(what)),
        "{text}"
    );
    assert_eq!(client.result(&call(1, "add", "[1,2]")).await["isError"], true);
}

#[tokio::test]
async fn every_tool_can_be_called() {
    let mut client = Client::ready("2025-06-18").await;
    for (tool, arguments) in [
        ("upper", r#"{"text":"grüße"}"#),
        ("reverse", r#"{"text":"abc"}"#),
        ("count_words", r#"{"text":"a bc"}"#),
        ("nested", r#"{"person":{"name":"Ada"}}"#),
        ("slow", r#"{"seconds":0}"#),
    ] {
        let result = client.result(&call(1, tool, arguments)).await;
        assert_eq!(result.get("isError"), None, "{result}");
        let declares = ToolRow::find(tool).expect(tool).output.is_some();
        assert_eq!(result.get("structuredContent").is_some(), declares, "{result}");
    }
}

#[tokio::test]
async fn content_types_are_those_of_the_version() {
    for (version, count) in [("2024-11-05", 4), ("2025-03-26", 5), ("2025-06-18", 6), ("2025-11-25", 6)] {
        let mut client = Client::ready(version).await;
        let result = client.result(&call(1, "all_content", "{}")).await;
        assert_eq!(result["content"].as_array().expect("blocks").len(), count, "{version}");
    }
}

#[tokio::test]
async fn progress_rises_every_hundred_milliseconds() {
    let mut client = Client::ready("2025-11-25").await;
    client.send(&call_with_progress(1, "slow", r#"{"seconds":0.75}"#));
    for expected in [0.5, 0.6, 0.7] {
        let progress = client.next().await;
        assert_eq!(progress["params"]["progressToken"], "p1");
        assert_eq!(progress["params"]["progress"].as_f64(), Some(expected));
    }
    assert_eq!(client.next().await["result"]["content"][0]["text"], "slept 0.75 s");
    let silent = client.ask(&call(2, "slow", r#"{"seconds":0.55}"#)).await;
    assert_eq!(silent["id"], 2);
}

#[tokio::test]
async fn a_cancelled_call_gets_no_answer() {
    let mut client = Client::ready("2025-11-25").await;
    client.send(&call(1, "slow", r#"{"seconds":0.3}"#));
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    assert_eq!(client.code(&call(1, "slow", r#"{"seconds":0}"#)).await, -32600, "the id is in use");
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(client.ask(&request(2, "ping", "{}")).await["id"], 2);
    assert_eq!(client.log.snapshot().cancelled, ["1"]);
    assert!(client.session.state().open.is_empty());
}

#[tokio::test]
async fn open_calls_are_limited() {
    let mut client = Client::ready("2025-11-25").await;
    for id in 0..CALLS as u32 {
        client.send(&call(id + 1, "slow", r#"{"seconds":60}"#));
    }
    assert_eq!(client.code(&call(5000, "echo", r#"{"message":"hi"}"#)).await, -32603);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    while client.session.state().open.len() == CALLS {
        tokio::task::yield_now().await;
    }
    assert_eq!(client.ask(&call(5000, "echo", r#"{"message":"hi"}"#)).await["id"], 5000);
}

#[tokio::test]
async fn the_level_decides_which_logs_are_sent() {
    let mut client = Client::ready("2025-11-25").await;
    assert_eq!(client.code(&request(1, "logging/setLevel", r#"{"level":"loud"}"#)).await, -32602);
    for (level, first, count) in [("debug", "debug", 5), ("warning", "warning", 2), ("critical", "", 0)] {
        client.ask(&request(1, "logging/setLevel", &json!({ "level": level }).to_string())).await;
        client.send(&call(2, "log", "{}"));
        let mut seen = Vec::new();
        loop {
            let message = client.next().await;
            if message["id"] == 2 {
                break;
            }
            seen.push(message["params"]["level"].as_str().unwrap_or_default().to_owned());
        }
        assert_eq!((seen.first().map_or("", String::as_str), seen.len()), (first, count));
    }
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_told() {
    for (version, mode) in [("2025-11-25", json!("form")), ("2025-06-18", Value::Null)] {
        let mut client = Client::ready(version).await;
        let question = client.ask(&call(1, "ask", "{}")).await;
        assert_eq!((&question["method"], &question["params"]["mode"]), (&json!("elicitation/create"), &mode));
        let result = json!({"action": "accept", "content": {"name": "Ada"}});
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string());
        assert_eq!(client.next().await["result"]["content"][0]["text"], r#"accept: {"name":"Ada"}"#);
        let question = client.ask(&call(2, "ask", "{}")).await;
        client
            .send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}}).to_string());
        assert_eq!(client.next().await["result"]["isError"], true);
        assert_eq!(client.log.snapshot().answers, [r#""ask-1""#, r#""ask-2""#]);
        assert!(client.session.state().asked.is_empty());
    }
}

#[tokio::test]
async fn a_client_without_elicitation_is_told_so() {
    let mut client = Client::new();
    client.ask(&request(1, "initialize", r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#)).await;
    let result = client.result(&call(2, "ask", "{}")).await;
    assert_eq!(result["isError"], true);
    assert!(result.to_string().contains("no elicitation capability"), "{result}");
}
