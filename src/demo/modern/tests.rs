//! The era of 2026-07-28, driven request by request without a transport.

use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::demo::Transport;
use crate::demo::context::Out;
use crate::demo::message::{self, Message};
use crate::demo::testing::modern;

/// A client at the other end.
pub struct Client {
    world: Arc<World>,
    outlet: Outlet,
    messages: mpsc::Receiver<Out>,
    capabilities: Value,
}

impl Client {
    pub fn new(faults: &[Fault], capabilities: Value) -> Client {
        let world = World::new(faults, Eras::Both, Transport::Stdio).expect("a world");
        let (outlet, messages) = Outlet::channel();
        Client { world, outlet, messages, capabilities }
    }

    pub fn plain() -> Client {
        Client::new(&[], json!({}))
    }

    pub fn with_tasks() -> Client {
        Client::new(&[], json!({ "extensions": { TASKS: {} }, "elicitation": {} }))
    }

    fn request(&self, method: &str, params: Value, meta: Value) -> Request {
        let text = modern("7", method, params, self.capabilities.clone(), meta);
        match message::parse(text.as_bytes()).expect("JSON-RPC").messages.pop() {
            Some(Message::Request(request)) => request,
            other => panic!("{other:?}"),
        }
    }

    pub fn send_with(&self, method: &str, params: Value, meta: Value) -> CancellationToken {
        let cancel = CancellationToken::new();
        let request = self.request(method, params, meta);
        let caller = admit(&self.world, &request, None).expect("admitted");
        tokio::spawn(serve(&self.world, request, caller, self.outlet.clone(), cancel.clone()));
        cancel
    }

    pub async fn next(&mut self) -> Value {
        let Some(Out::Message(text) | Out::Answer(text, _)) = self.messages.recv().await else { panic!("no message") };
        serde_json::from_str(&text).expect("JSON")
    }

    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send_with(method, params, json!({}));
        self.next().await
    }

    pub async fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    pub async fn code(&mut self, method: &str, params: Value) -> i64 {
        self.ask(method, params).await["error"]["code"].as_i64().expect("an error code")
    }

    /// Looks at a task until it stands at `status`.
    pub async fn until(&mut self, id: &Value, status: &str) -> Value {
        loop {
            let task = self.result("tasks/get", json!({ "taskId": id })).await;
            if task["status"] == status {
                return task;
            }
            assert!(["working", "input_required"].contains(&task["status"].as_str().expect("a status")), "{task}");
            tokio::task::yield_now().await;
        }
    }
}

/// The text of a result.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {result}"))
}

#[tokio::test]
async fn every_method_is_served_and_its_result_is_sealed() {
    let mut client = Client::with_tasks();
    let task = client.call("job", json!({ "steps": 1000 })).await;
    assert_eq!(task["resultType"], "task");
    for (method, params, cached) in [
        ("server/discover", json!({}), true),
        ("tools/list", json!({}), true),
        ("tools/call", json!({"name": "echo", "arguments": {"message": "hi"}}), false),
        ("resources/list", json!({}), true),
        ("resources/templates/list", json!({}), true),
        ("resources/read", json!({"uri": "demo://text"}), true),
        ("prompts/list", json!({}), true),
        ("prompts/get", json!({"name": "hello"}), false),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "language", "value": ""}}),
            false,
        ),
        ("tasks/get", json!({"taskId": task["taskId"]}), false),
        ("tasks/update", json!({"taskId": task["taskId"], "inputResponses": {}}), false),
        ("tasks/cancel", json!({"taskId": task["taskId"]}), false),
    ] {
        let result = client.result(method, params).await;
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcpcli-demo", "{method}");
        // `ttlMs` of a task is another thing.
        let hints = (result["ttlMs"].is_u64() && result.get("taskId").is_none(), result["cacheScope"].is_string());
        assert_eq!(hints, (cached, cached), "{method}");
    }
}

#[tokio::test]
async fn discover_tells_what_there_is() {
    let mut client = Client::plain();
    let told = client.result("server/discover", json!({})).await;
    assert_eq!(
        told["supportedVersions"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    );
    let capabilities = &told["capabilities"];
    assert!(capabilities["extensions"][TASKS].is_object() && capabilities.get("tasks").is_none(), "{told}");
    assert_eq!(capabilities["resources"], json!({"subscribe": true, "listChanged": true}));
    assert_eq!(told.get("serverInfo"), None);
    assert!(told["instructions"].is_string());
    let tools = client.result("tools/list", json!({})).await;
    assert!(!tools.to_string().contains("execution"), "{tools}");
}

#[tokio::test]
async fn requests_are_admitted_by_the_table() {
    let client = Client::plain();
    let version = |version: &str| json!({ "io.modelcontextprotocol/protocolVersion": version });
    let refused = |method: &str, meta: Option<Value>| {
        let mut request = client.request(method, json!({}), json!({}));
        let params = meta.map_or(json!({}), |meta| json!({ "_meta": meta }));
        request.params = Some(serde_json::value::to_raw_value(&params).expect("JSON"));
        admit(&client.world, &request, None).expect_err(method)
    };
    let mut whole = version("2026-07-28");
    whole["io.modelcontextprotocol/clientCapabilities"] = json!({});
    for (method, meta, code) in [
        ("tools/list", None, -32602),
        ("tools/list", Some(json!({})), -32602),
        ("tools/list", Some(json!({"io.modelcontextprotocol/protocolVersion": 7})), -32602),
        ("tools/list", Some(version("2026-07-28")), -32602),
        ("no/such", Some(whole.clone()), -32601),
        ("ping", Some(whole.clone()), -32601),
        ("initialize", Some(whole.clone()), -32601),
        ("logging/setLevel", Some(whole.clone()), -32601),
        ("resources/subscribe", Some(whole.clone()), -32601),
        ("tasks/result", Some(whole.clone()), -32601),
        ("tasks/list", Some(whole.clone()), -32601),
    ] {
        assert_eq!(refused(method, meta.clone()).code, code, "{method} {meta:?}");
    }
    whole["io.modelcontextprotocol/logLevel"] = json!("loud");
    assert_eq!(refused("tools/list", Some(whole.clone())).code, -32602);
    whole["io.modelcontextprotocol/logLevel"] = json!("info");
    for (asked, supported) in [("2099-01-01", 5), ("2025-11-25", 1)] {
        whole["io.modelcontextprotocol/protocolVersion"] = json!(asked);
        let error = refused("server/discover", Some(whole.clone()));
        let data = error.data.expect("data");
        assert_eq!((error.code, &data["requested"]), (-32022, &json!(asked)));
        assert_eq!(data["supported"].as_array().map(Vec::len), Some(supported), "{data}");
    }
}

#[tokio::test]
async fn logs_come_only_where_the_request_asks() {
    let mut client = Client::plain();
    assert_eq!(text(&client.call("log", json!({})).await), "logged at debug, info, notice, warning and error");
    let level = json!({ "io.modelcontextprotocol/logLevel": "warning" });
    client.send_with("tools/call", json!({ "name": "log" }), level);
    let levels = [client.next().await, client.next().await].map(|message| message["params"]["level"].clone());
    assert_eq!(levels, ["warning", "error"]);
    assert_eq!(client.next().await["id"], 7);
}

#[tokio::test]
async fn names_that_lead_nowhere_are_invalid_params() {
    let mut client = Client::plain();
    let unknown = client.ask("resources/read", json!({"uri": "demo://none"})).await;
    assert_eq!((&unknown["error"]["code"], &unknown["error"]["data"]["uri"]), (&json!(-32602), &json!("demo://none")));
    assert_eq!(client.code("tools/call", json!({"name": "none"})).await, -32602);
    assert_eq!(client.code("prompts/get", json!({"name": "none"})).await, -32602);
    assert_eq!(client.call("add", json!({"a": "x"})).await["isError"], true);
}

/// Sends a call with its questions answered until it is complete; gives the states and the result.
async fn play(client: &mut Client, method: &str, call: &Value, answers: &[(&str, Value)]) -> (Vec<String>, Value) {
    let (mut params, mut states) = (call.clone(), Vec::new());
    loop {
        let result = client.result(method, params).await;
        if result["resultType"] == "complete" {
            return (states, result);
        }
        assert_eq!((&result["resultType"], result.get("ttlMs")), (&json!("input_required"), None));
        params = call.clone();
        if let Some(asked) = result.get("inputRequests") {
            let (key, question) = asked.as_object().expect("an object").iter().next().expect("a question");
            assert!(question["method"].is_string() && question.get("id").is_none(), "{question}");
            let (_, answer) = answers.iter().find(|(name, _)| name == key).unwrap_or_else(|| panic!("{key}"));
            params["inputResponses"] = json!({ key.as_str(): answer, "unknown": 7 });
        }
        params["requestState"] = result["requestState"].clone();
        states.push(result["requestState"].as_str().expect("a state").to_owned());
    }
}

#[tokio::test]
async fn questions_are_asked_by_results() {
    let accept = |answer: &str| json!({ "action": "accept", "content": { "answer": answer } });
    let name = json!({ "action": "accept", "content": { "name": "Ada" } });
    let said = json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "hello" } });
    let mut client = Client::new(&[], json!({ "elicitation": { "form": {} }, "sampling": {}, "roots": {} }));
    for (method, call, answers, rounds, told) in [
        ("tools/call", json!({"name": "ask"}), vec![("who", name)], 1, r#"accept: {"name":"Ada"}"#),
        ("tools/call", json!({"name": "ask"}), vec![("who", json!({"action": "decline"}))], 1, "decline"),
        (
            "tools/call",
            json!({"name": "two_questions"}),
            vec![("first", accept("Ada")), ("second", accept("London"))],
            2,
            "Ada from London",
        ),
        ("tools/call", json!({"name": "come_back"}), vec![], 1, "you came back"),
        (
            "tools/call",
            json!({"name": "sample", "arguments": {"prompt": "x"}}),
            vec![("sample", said)],
            1,
            "m says: hello",
        ),
        (
            "tools/call",
            json!({"name": "roots"}),
            vec![("roots", json!({"roots": [{"uri": "file:///a"}]}))],
            1,
            "1 roots: file:///a",
        ),
        (
            "tools/call",
            json!({"name": "job", "arguments": {"steps": 0, "ask": true}}),
            vec![("who", accept("Ada"))],
            1,
            "for Ada",
        ),
        ("prompts/get", json!({"name": "greeting"}), vec![("name", accept("Ada"))], 1, "Greet Ada"),
        ("resources/read", json!({"uri": "demo://visitor"}), vec![("name", accept("Ada"))], 1, r#""text":"Ada""#),
    ] {
        let (mut states, result) = play(&mut client, method, &call, &answers).await;
        assert!(
            result.to_string().contains(&told.replace('"', "\\\"")) || result.to_string().contains(told),
            "{result}"
        );
        assert_eq!(states.len(), rounds, "{call}");
        states.dedup();
        assert_eq!(states.len(), rounds, "each round has its own state: {call}");
    }
}

#[tokio::test]
async fn states_are_checked_and_missing_answers_asked_for_again() {
    let mut client = Client::new(&[], json!({ "elicitation": {} }));
    let first = client.call("two_questions", json!({})).await;
    let state = first["requestState"].as_str().expect("a state").to_owned();
    let again =
        client.result("tools/call", json!({"name": "two_questions", "arguments": {}, "requestState": state})).await;
    assert_eq!(again["inputRequests"], first["inputRequests"]);
    for (what, params) in [
        ("changed", json!({"name": "two_questions", "arguments": {}, "requestState": format!("x{state}")})),
        ("no string", json!({"name": "two_questions", "arguments": {}, "requestState": 7})),
        ("another tool", json!({"name": "ask", "arguments": {}, "requestState": state})),
        ("other arguments", json!({"name": "two_questions", "arguments": {"a": 1}, "requestState": state})),
        (
            "of another server",
            json!({"name": "two_questions", "arguments": {}, "requestState":
            Client::new(&[], json!({"elicitation": {}})).call("two_questions", json!({})).await["requestState"]}),
        ),
    ] {
        assert_eq!(client.code("tools/call", params).await, -32602, "{what}");
    }
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_the_tools_to_complain_about() {
    let mut client = Client::plain();
    let deep = format!("{}{}", "[".repeat(900), "]".repeat(900));
    let mut request = client.request("tools/call", json!({"name": "types"}), json!({}));
    let params = request.params.expect("params").get().replacen('{', &format!(r#"{{"arguments":{{"any":{deep}}},"#), 1);
    request.params = Some(serde_json::value::RawValue::from_string(params).expect("JSON"));
    let caller = admit(&client.world, &request, Some(&headers("tools/call", "types"))).expect("admitted");
    tokio::spawn(serve(&client.world, request, caller, client.outlet.clone(), CancellationToken::new()));
    assert_eq!(client.next().await["result"]["isError"], true);
}

fn headers(method: &str, name: &str) -> HeaderMap {
    let rows = [("mcp-protocol-version", MODERN), ("mcp-method", method), ("mcp-name", name)];
    let rows = rows.map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")));
    HeaderMap::from_iter(rows)
}

#[tokio::test]
async fn undeclared_capabilities_are_named() {
    let mut client = Client::new(&[], json!({ "elicitation": { "url": {} } }));
    for (method, params, needed) in [
        ("tools/call", json!({"name": "ask"}), json!({"elicitation": {"form": {}}})),
        ("tools/call", json!({"name": "sample"}), json!({"sampling": {}})),
        ("tools/call", json!({"name": "roots"}), json!({"roots": {}})),
        ("prompts/get", json!({"name": "greeting"}), json!({"elicitation": {"form": {}}})),
        ("resources/read", json!({"uri": "demo://visitor"}), json!({"elicitation": {"form": {}}})),
        ("tasks/get", json!({"taskId": "x"}), json!({"extensions": {TASKS: {}}})),
    ] {
        let error = client.ask(method, params).await["error"].take();
        assert_eq!((&error["code"], &error["data"]["requiredCapabilities"]), (&json!(-32021), &needed), "{method}");
    }
}

#[tokio::test]
async fn a_changed_list_is_another_list() {
    let mut client = Client::plain();
    assert_eq!(client.code("tools/call", json!({"name": "extra"})).await, -32602);
    client.call("change_tools", json!({})).await;
    assert_eq!(text(&client.call("extra", json!({})).await), "this tool comes and goes");
    client.call("change_tools", json!({})).await;
    assert_eq!(client.code("tools/call", json!({"name": "extra"})).await, -32602);
}

#[tokio::test]
async fn faults_of_the_result_and_of_the_version() {
    let echo = json!({"name": "echo", "arguments": {"message": "hi"}});
    for (fault, result_type) in [(Fault::UnknownResultType, Some("surprise")), (Fault::MissingResultType, None)] {
        let mut client = Client::new(&[fault], json!({}));
        let result = client.result("tools/call", echo.clone()).await;
        assert_eq!(result.get("resultType").and_then(Value::as_str), result_type, "{fault:?}");
        assert_eq!(client.result("tools/list", json!({})).await["resultType"], "complete");
    }
    let client = Client::new(&[Fault::UnsupportedVersion], json!({}));
    for method in ["server/discover", "tools/call"] {
        let error = admit(&client.world, &client.request(method, json!({}), json!({})), None).expect_err("refused");
        assert_eq!(error.data, Some(json!({"supported": ["2099-01-01"], "requested": "2026-07-28"})), "{method}");
    }
}
