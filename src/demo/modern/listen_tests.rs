//! Subscriptions, driven request by request without a transport.

use serde_json::json;

use super::super::tests::Client;

#[tokio::test]
async fn a_subscription_brings_what_was_asked_for_and_nothing_else() {
    let mut client = Client::plain();
    let wanted =
        json!({ "toolsListChanged": true, "resourceSubscriptions": ["demo://none", "demo://text"], "taskIds": ["x"] });
    let cancel = client.send_with("subscriptions/listen", json!({ "notifications": wanted }), json!({}));
    let tag = json!({ "io.modelcontextprotocol/subscriptionId": 7 });
    let acknowledged = client.next().await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        acknowledged["params"],
        json!({ "notifications": { "toolsListChanged": true, "resourceSubscriptions": ["demo://text"] }, "_meta": tag })
    );
    for list in ["prompts", "resources", "tools"] {
        client.send_with("tools/call", json!({"name": "change_tools", "arguments": {"list": list}}), json!({}));
    }
    let mut seen = Vec::new();
    while seen.len() < 4 {
        let message = client.next().await;
        seen.push(message["method"].as_str().unwrap_or("an answer").to_owned());
        assert!(message["method"].is_null() || message["params"]["_meta"] == tag, "{message}");
    }
    seen.sort_unstable();
    assert_eq!(seen, ["an answer", "an answer", "an answer", "notifications/tools/list_changed"]);
    cancel.cancel();
    let end = client.next().await;
    assert_eq!((&end["id"], &end["result"]["resultType"]), (&json!(7), &json!("complete")));
    assert_eq!(end["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
    assert_eq!(client.code("subscriptions/listen", json!({})).await, -32602);
}

#[tokio::test]
async fn clocks_and_tasks_can_be_watched() {
    let mut client = Client::with_tasks();
    let filter = json!({ "resourceSubscriptions": ["demo://clock"] });
    let cancel = client.send_with("subscriptions/listen", json!({ "notifications": filter }), json!({}));
    client.next().await;
    for _ in 0..2 {
        let update = client.next().await;
        assert_eq!(
            (&update["method"], &update["params"]["uri"]),
            (&json!("notifications/resources/updated"), &json!("demo://clock"))
        );
    }
    cancel.cancel();
    while client.next().await["id"] != 7 {}
    let id = client.call("job", json!({"steps": 2})).await["taskId"].take();
    client.send_with("subscriptions/listen", json!({ "notifications": { "taskIds": [id] } }), json!({}));
    assert_eq!(client.next().await["params"]["notifications"]["taskIds"], json!([id]));
    loop {
        let message = client.next().await;
        assert_eq!((&message["method"], &message["params"]["taskId"]), (&json!("notifications/tasks"), &id));
        if message["params"]["status"] == "completed" {
            break assert!(message["params"]["result"].is_object(), "{message}");
        }
    }
}
