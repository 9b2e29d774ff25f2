//! The extension of tasks, driven request by request without a transport.

use serde_json::json;

use super::super::tests::{Client, text};

#[tokio::test]
async fn a_job_becomes_a_task_for_those_who_know_tasks() {
    assert_eq!(text(&Client::plain().call("job", json!({"steps": 1})).await), "did 1 steps");
    let mut client = Client::with_tasks();
    for (arguments, status, key) in [
        (json!({"steps": 1}), "completed", "result"),
        (json!({"steps": 0, "fail": true}), "completed", "result"),
        (json!({"steps": 0, "error": true}), "failed", "error"),
    ] {
        let created = client.call("job", arguments).await;
        assert_eq!((&created["resultType"], &created["pollIntervalMs"]), (&json!("task"), &json!(100)));
        assert!(
            ["createdAt", "lastUpdatedAt"].iter().all(|key| created[key].as_str().is_some_and(|at| at.ends_with('Z')))
        );
        let ended = client.until(&created["taskId"], status).await;
        assert!(ended[key].is_object() && ended["ttlMs"].is_u64() && ended.get("ttl").is_none(), "{ended}");
    }
    assert_eq!(client.code("tasks/get", json!({"taskId": "none"})).await, -32602);
    assert_eq!(client.code("tasks/cancel", json!({"taskId": "none"})).await, -32602);
}

#[tokio::test]
async fn a_task_asks_and_is_answered() {
    let mut client = Client::with_tasks();
    let id = client.call("job", json!({"steps": 0, "ask": true})).await["taskId"].take();
    let asking = client.until(&id, "input_required").await;
    assert_eq!(asking["inputRequests"]["who"]["method"], "elicitation/create");
    assert_eq!(client.code("tasks/update", json!({ "taskId": id })).await, -32602);
    client.result("tasks/update", json!({"taskId": id, "inputResponses": {"other": {}}})).await;
    client.until(&id, "input_required").await;
    let answer = json!({"who": {"action": "accept", "content": {"answer": "Ada"}}});
    client.result("tasks/update", json!({"taskId": id, "inputResponses": answer})).await;
    assert_eq!(text(&client.until(&id, "completed").await["result"]), "did 0 steps for Ada");
}

#[tokio::test]
async fn a_cancelled_task_stays_cancelled() {
    let mut client = Client::with_tasks();
    let id = client.call("job", json!({"steps": 1000})).await["taskId"].take();
    client.result("tasks/cancel", json!({ "taskId": id })).await;
    let ended = client.until(&id, "cancelled").await;
    assert_eq!((ended.get("result"), ended.get("error")), (None, None));
    client.result("tasks/cancel", json!({ "taskId": id })).await;
    client.until(&id, "cancelled").await;
}
