//! Tasks of 2025-11-25 (basic/utilities/tasks): the client asks for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::begin;
use crate::modern::{BOTH, all, document, only};
use crate::support::{Conn, FakeServer, InitOk, Over, Request, Run, Sandbox};

const CORE: &[&str] = &["--json", "--protocol", "2025-11-25", "--timeout", "5s"];

/// What a legacy server does with a request about a task; the number counts `tasks/get`.
type Deed = fn(&Request, &mut Conn, usize);

fn core_task(status: &str) -> String {
    format!(
        r#"{{"taskId":"t1","status":"{status}","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000,"pollInterval":30}}"#
    )
}

fn tool(name: &str, support: Value) -> Value {
    let mut tool = json!({"name": name, "inputSchema": {"type": "object"}});
    if !support.is_null() {
        tool["execution"] = json!({"taskSupport": support});
    }
    tool
}

fn core(over: Over, deed: Deed) -> FakeServer {
    let gets = Arc::new(AtomicUsize::new(0));
    let tasks = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
    let tools =
        [("t", json!("optional")), ("must", json!("required")), ("never", json!("forbidden")), ("plain", Value::Null)];
    let tools: Vec<Value> = tools.into_iter().map(|(name, support)| tool(name, support)).collect();
    let ok =
        InitOk { capabilities: json!({"tools": {}, "tasks": tasks}), tools: Some(tools.into()), ..InitOk::default() };
    FakeServer::start(
        over,
        ok.then(move |request, conn| match request.rpc_method().as_str() {
            "tools/call" if request.json()["params"].get("task").is_some() => {
                conn.result(request, &format!(r#"{{"task":{}}}"#, core_task("working")));
            }
            "tools/call" => conn.result(request, r#"{"content":[{"type":"text","text":"done"}]}"#),
            "tasks/get" => deed(request, conn, gets.fetch_add(1, Ordering::SeqCst)),
            _ => deed(request, conn, 0),
        }),
    )
}

/// Working once, then in this state.
fn then(request: &Request, conn: &mut Conn, count: usize, status: &str) {
    conn.result(request, &core_task(if count == 0 { "working" } else { status }));
}

fn core_run(server: &FakeServer, args: &[&str]) -> Run {
    begin(server, CORE, args)
}

/// The methods after the handshake.
fn after_handshake(server: &FakeServer) -> Vec<String> {
    let all = server.rpc_methods();
    assert_eq!(all[..2], ["initialize", "notifications/initialized"]);
    all[2..].to_vec()
}

fn done(request: &Request, conn: &mut Conn, count: usize) {
    match request.rpc_method().as_str() {
        "tasks/get" => then(request, conn, count, "completed"),
        _ => conn.result(
            request,
            r#"{"content":[{"type":"text","text":"done"}],"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}"#,
        ),
    }
}

#[test]
fn in_2025_11_25_the_client_asks_for_a_task() {
    for over in BOTH {
        for (flags, wanted) in
            [(&["--task"][..], json!({})), (&["--task", "--task-ttl", "60s"][..], json!({"ttl": 60000}))]
        {
            let server = core(*over, done);
            let run = core_run(&server, &[&["call", "t"], flags].concat());
            run.assert_category("ok", None, 0);
            assert_eq!(document(&run)["result"]["content"][0]["text"], "done");
            assert_eq!(
                after_handshake(&server),
                ["tools/list", "tools/call", "tasks/get", "tasks/get", "tasks/result"]
            );
            assert_eq!(only(&server, "tools/call").json()["params"]["task"], wanted);
            assert_eq!(only(&server, "tasks/result").json()["params"]["taskId"], "t1");
        }
        let server = core(*over, done);
        let run = core_run(&server, &["call", "t", "--detach"]);
        run.assert_category("ok", None, 0);
        assert_eq!(document(&run)["result"]["taskId"], "t1");
        assert_eq!(after_handshake(&server), ["tools/list", "tools/call"]);
    }
}

#[test]
fn the_ends_of_2025_11_25() {
    type Row = (&'static str, Deed, &'static str, i32);
    let rows: [Row; 4] = [
        (
            "a result with isError is a failed task",
            |request, conn, count| match request.rpc_method().as_str() {
                "tasks/get" => then(request, conn, count, "failed"),
                _ => conn.result(request, r#"{"isError":true,"content":[]}"#),
            },
            "tool-error",
            3,
        ),
        (
            "an error of JSON-RPC is one too",
            |request, conn, count| match request.rpc_method().as_str() {
                "tasks/get" => then(request, conn, count, "failed"),
                _ => conn.error(request, -32050, "boom"),
            },
            "rpc-error",
            4,
        ),
        (
            "input_required leads to tasks/result, which waits",
            |request, conn, count| match request.rpc_method().as_str() {
                "tasks/get" => then(request, conn, count, "input_required"),
                _ => done(request, conn, 0),
            },
            "ok",
            0,
        ),
        ("cancelled", |request, conn, count| then(request, conn, count, "cancelled"), "tool-error", 3),
    ];
    for (name, deed, category, exit) in rows {
        let server = core(Over::Http, deed);
        let run = core_run(&server, &["call", "t", "--task"]);
        assert_eq!(run.category_problems(category, None, exit), Vec::<String>::new(), "{name}\n{}", run.describe());
        let results = all(&server, "tasks/result").len();
        assert_eq!(results, usize::from(name != "cancelled"), "{name}");
    }
}

#[test]
fn the_deeds_of_2025_11_25() {
    let server = core(Over::Http, |request, conn, count| match request.rpc_method().as_str() {
        "tasks/list" if request.json()["params"].get("cursor").is_none() => {
            conn.result(request, &format!(r#"{{"tasks":[{}],"nextCursor":"2"}}"#, core_task("working")));
        }
        "tasks/list" => conn.result(request, &format!(r#"{{"tasks":[{}]}}"#, core_task("completed"))),
        "tasks/cancel" => conn.result(request, &core_task("cancelled")),
        _ => done(request, conn, count),
    });
    let list = core_run(&server, &["task", "list"]);
    list.assert_category("ok", None, 0);
    assert_eq!(document(&list)["result"]["tasks"].as_array().map(Vec::len), Some(2), "{}", list.describe());
    let get = core_run(&server, &["task", "get", "t1"]);
    assert_eq!(document(&get)["result"]["status"], "working");
    let get = core_run(&server, &["task", "get", "t1"]);
    assert!(get.stdout_text().contains("done"), "a task that is over is told with its result: {}", get.describe());
    let cancel = core_run(&server, &["task", "cancel", "t1"]);
    cancel.assert_category("ok", None, 0);
    assert_eq!(document(&cancel)["result"]["status"], "cancelled");
}

#[test]
fn a_server_without_tasks_is_not_asked_for_one() {
    let without = [
        InitOk::default(),
        InitOk { capabilities: json!({"tools": {}, "tasks": {"list": {}}}), ..InitOk::default() },
        // 2025-06-18 has none, whatever is advertised.
        InitOk {
            protocol: Some("2025-06-18".to_owned()),
            capabilities: json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}),
            ..InitOk::default()
        },
    ];
    for ok in without {
        let server = FakeServer::start(Over::Http, ok.then(|request, _| panic!("{} was sent", request.rpc_method())));
        let args = server.args(&["--json", "call", "--no-check", "t", "--task"]);
        Sandbox::new().mcpcli(&args).run().assert_category("usage", "command-line", 2);
    }
}

#[test]
fn the_tool_says_whether_it_can_be_a_task() {
    // §Tool-Level Negotiation: without `optional` or `required` clients MUST NOT make a task of the call.
    for name in ["never", "plain"] {
        let server = core(Over::Http, done);
        let run = core_run(&server, &["call", name, "--task"]);
        assert_eq!(run.status, Some(2), "{name}\n{}", run.describe());
        assert!(all(&server, "tools/call").is_empty(), "{name}: {}", server.describe());
        // Who wants to see what the server makes of it can.
        let server = core(Over::Http, done);
        core_run(&server, &["call", "--no-check", name, "--task"]).assert_category("ok", None, 0);
    }
    // §Tool-Level Negotiation: with `required` they MUST make one.
    let server = core(Over::Http, done);
    core_run(&server, &["call", "must"]);
    for call in all(&server, "tools/call") {
        assert!(call.json()["params"].get("task").is_some(), "{}", call.text());
    }
}

#[test]
fn an_answer_to_a_task_says_which() {
    // §Associating Task-Related Messages: every message about a task MUST name it.
    let waiting = Arc::new(std::sync::Mutex::new(String::new()));
    let tasks = json!({"requests": {"tools": {"call": {}}}});
    let ok = InitOk { capabilities: json!({"tools": {}, "tasks": tasks}), ..InitOk::default() };
    let server = FakeServer::start(
        Over::Stdio,
        crate::support::script(move |request, conn| {
            let method = request.rpc_method();
            if method.is_empty() {
                let id = waiting.lock().unwrap().clone();
                return conn.push(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#));
            }
            if ok.answer(request, conn) {
                return;
            }
            match method.as_str() {
                "tools/call" => conn.result(request, &format!(r#"{{"task":{}}}"#, core_task("working"))),
                "tasks/get" => conn.result(request, &core_task("input_required")),
                _ => {
                    *waiting.lock().unwrap() = request.id();
                    let meta = r#""_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}"#;
                    let form = r#""message":"ok?","requestedSchema":{"type":"object","properties":{}}"#;
                    conn.push(&format!(
                        r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{{{form},{meta}}}}}"#
                    ));
                }
            }
        }),
    );
    let args = [CORE, &["--answer", "accept", "call", "--no-check", "t", "--task"]].concat();
    Sandbox::new().mcpcli(&server.args(&args)).run().assert_category("ok", None, 0);
    let requests = server.requests();
    let answer = requests.iter().find(|one| one.json()["id"] == "q").expect("an answer").json();
    assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], "t1", "{answer}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_a_task_of_2025_11_25() {
    let server = core(Over::Stdio, |request, conn, _| match request.rpc_method().as_str() {
        "tasks/cancel" => conn.result(request, &core_task("cancelled")),
        _ => conn.result(request, &core_task("working").replace("\"pollInterval\":30", "\"pollInterval\":60000")),
    });
    let sandbox = Sandbox::new();
    let args = [&["-v"], CORE, &["call", "--no-check", "t", "--task"]].concat();
    let running = sandbox.mcpcli(&server.args(&args)).start();
    server.wait_for(|one| one.rpc_method() == "tasks/get", Duration::from_secs(10)).expect("tasks/get");
    running.wait_for_stderr("working");
    std::thread::sleep(Duration::from_millis(300));
    running.signal(nix::sys::signal::Signal::SIGINT);
    running.wait().assert_category("interrupted", None, 130);
    assert_eq!(all(&server, "tasks/cancel").len(), 1, "{}", server.describe());
    assert!(all(&server, "notifications/cancelled").is_empty(), "{}", server.describe());
}
