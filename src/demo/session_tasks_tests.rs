//! Tasks and subscriptions of 2025-11-25, driven message by message without a transport.

use serde_json::json;

use super::super::session::tests::Client;
use super::*;
use crate::demo::testing::{call, initialize, request};

fn job(id: u32, arguments: &str) -> String {
    request(id, "tools/call", &format!(r#"{{"name":"job","arguments":{arguments},"task":{{"ttl":5000}}}}"#))
}

fn of(id: u32, method: &str, task: &Value) -> String {
    request(id, method, &json!({ "taskId": task["taskId"] }).to_string())
}

async fn open(client: &mut Client, arguments: &str) -> Value {
    client.result(&job(1, arguments)).await["task"].take()
}

#[tokio::test]
async fn a_task_is_created_and_its_result_is_waited_for() {
    let mut client = Client::ready("2025-11-25").await;
    let task = open(&mut client, r#"{"steps":1}"#).await;
    assert_eq!((&task["status"], &task["ttl"], &task["pollInterval"]), (&json!("working"), &json!(5000), &json!(100)));
    assert_eq!(client.result(&of(2, "tasks/get", &task)).await["taskId"], task["taskId"]);
    let result = client.result(&of(3, "tasks/result", &task)).await;
    assert_eq!(result["content"][0]["text"], "did 1 steps");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], task["taskId"]);
    assert_eq!(client.result(&of(4, "tasks/get", &task)).await["status"], "completed");
    assert_eq!(client.code(&of(5, "tasks/cancel", &task)).await, -32602, "it has ended");
}

#[tokio::test]
async fn failures_of_both_kinds_fail_the_task() {
    let mut client = Client::ready("2025-11-25").await;
    let failed = open(&mut client, r#"{"steps":0,"fail":true}"#).await;
    assert_eq!(client.result(&of(2, "tasks/result", &failed)).await["isError"], true);
    let refused = open(&mut client, r#"{"steps":0,"error":true}"#).await;
    assert_eq!(client.code(&of(3, "tasks/result", &refused)).await, -32050);
    for task in [failed, refused] {
        assert_eq!(client.result(&of(4, "tasks/get", &task)).await["status"], "failed");
    }
}

#[tokio::test]
async fn tasks_are_listed_in_pages_and_cancelled() {
    let mut client = Client::ready("2025-11-25").await;
    for _ in 0..11 {
        open(&mut client, r#"{"steps":1000}"#).await;
    }
    let page = client.result(&request(2, "tasks/list", "{}")).await;
    assert_eq!(page["tasks"].as_array().map(Vec::len), Some(10));
    let rest = client.result(&request(3, "tasks/list", &json!({"cursor": page["nextCursor"]}).to_string())).await;
    let last = &rest["tasks"][0];
    assert_eq!(client.result(&of(4, "tasks/cancel", last)).await["status"], "cancelled");
    assert_eq!(client.code(&of(5, "tasks/result", last)).await, -32603);
    assert_eq!(client.code(&of(6, "tasks/get", &json!({"taskId": "none"}))).await, -32602);
    client.session.end();
    assert_eq!(client.result(&request(7, "tasks/list", "{}")).await["tasks"], json!([]), "they end with the session");
}

#[tokio::test]
async fn only_some_calls_of_one_version_become_tasks() {
    let mut client = Client::ready("2025-11-25").await;
    let echo = r#"{"name":"echo","arguments":{"message":"hi"},"task":{}}"#;
    assert_eq!(client.code(&request(1, "tools/call", echo)).await, -32601);
    assert_eq!(client.code(&request(1, "tools/call", r#"{"name":"none","task":{}}"#)).await, -32602);
    assert_eq!(client.result(&call(2, "job", r#"{"steps":0}"#)).await["content"][0]["text"], "did 0 steps");
    let tools = client.result(&request(3, "tools/list", r#"{"cursor":"dG9vbHM6MjA"}"#)).await;
    assert_eq!(tools.to_string().matches(r#""execution":{"taskSupport":"optional"}"#).count(), 1, "{tools}");
    let mut old = Client::ready("2025-06-18").await;
    assert_eq!(old.result(&job(1, r#"{"steps":0}"#)).await["content"][0]["text"], "did 0 steps");
    assert_eq!(old.code(&request(2, "tasks/list", "{}")).await, -32601);
    for (version, has) in [("2025-11-25", true), ("2025-06-18", false)] {
        let capabilities = Client::new().result(&initialize(version)).await["capabilities"].take();
        assert_eq!(capabilities.get("tasks").is_some(), has, "{version}");
    }
}

#[tokio::test]
async fn the_question_of_a_task_comes_to_whoever_waits_for_its_result() {
    let mut client = Client::ready("2025-11-25").await;
    let task = open(&mut client, r#"{"steps":0,"ask":true}"#).await;
    while client.result(&of(2, "tasks/get", &task)).await["status"] != "input_required" {}
    let question = client.ask(&of(3, "tasks/result", &task)).await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], task["taskId"]);
    let answer = json!({"action": "accept", "content": {"answer": "Ada"}});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}).to_string());
    assert_eq!(client.next().await["result"]["content"][0]["text"], "did 0 steps for Ada");
}

#[tokio::test]
async fn news_come_on_the_standing_stream() {
    let mut client = Client::ready("2025-11-25").await;
    assert!(client.session.add_stream(client.outlet.clone()));
    client.send(&call(1, "change_tools", "{}"));
    let both = [client.next().await, client.next().await];
    assert!(both.iter().any(|message| message["method"] == "notifications/tools/list_changed"), "{both:?}");
    assert_eq!(client.code(&request(2, "resources/subscribe", r#"{"uri":"demo://none"}"#)).await, -32002);
    client.send(&request(3, "resources/subscribe", r#"{"uri":"demo://clock"}"#));
    let mut updates = 0;
    while updates < 2 {
        let update = client.next().await;
        if update["id"] == 3 {
            assert_eq!(update["result"], json!({}));
            continue;
        }
        updates += 1;
        assert_eq!(
            (&update["method"], &update["params"]["uri"]),
            (&json!("notifications/resources/updated"), &json!("demo://clock"))
        );
    }
    client.send(&request(4, "resources/unsubscribe", r#"{"uri":"demo://clock"}"#));
    while client.next().await["id"] != 4 {}
    client.send(&job(5, r#"{"steps":0}"#));
    let mut statuses = Vec::new();
    while statuses.last() != Some(&json!("completed")) {
        let message = client.next().await;
        if message["method"] == "notifications/tasks/status" {
            statuses.push(message["params"]["status"].clone());
        }
    }
}
