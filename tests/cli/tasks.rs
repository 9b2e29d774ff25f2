//! Tasks: the extension io.modelcontextprotocol/tasks of 2026-07-28, and the feature of 2025-11-25 (basic/utilities/tasks).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::modern::{BOTH, DONE, all, document, only};
use crate::support::{
    Conn, FakeServer, InitOk, ModernOk, Over, Request, Run, Sandbox, complete, fresh_ids, modern_error, modern_ok,
};

const MODERN: &[&str] = &["--json", "--protocol", "2026-07-28", "--timeout", "5s"];
const CALL: &[&str] = &["call", "--no-check", "t", "a=1", "--task"];
const TASKS: &str = "io.modelcontextprotocol/tasks";
/// An id that cannot stand in a header as it is.
const ID: &str = "t 1 é";

const COMPLETED: &str = r#""status":"completed","result":{"content":[{"type":"text","text":"done"}]}"#;
const CANCELLED: &str = r#""status":"cancelled","statusMessage":"why""#;
const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#;

/// A task in this state, of the extension; `kind` is the `resultType`.
fn task(kind: &str, state: &str) -> String {
    let times = r#""createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:01Z""#;
    let gap = if state.contains("pollIntervalMs") { "" } else { r#","pollIntervalMs":30"# };
    format!(r#"{{"resultType":"{kind}","taskId":{},{state},{times},"ttlMs":60000{gap}}}"#, json!(ID))
}

/// One run; if it is the first one of its server, its ids are looked at.
fn begin(server: &FakeServer, flags: &[&str], args: &[&str]) -> Run {
    let first = server.requests().is_empty();
    let run = Sandbox::new().mcpcli(&server.args(&[flags, args].concat())).run();
    document(&run);
    assert!(!first || fresh_ids(server).is_ok(), "{:?}", fresh_ids(server));
    run
}

/// A server of the extension whose calls become a task in the first state, and which tells of the others one after the
/// other, the last one again and again.
fn server(over: Over, states: &'static [&'static str]) -> FakeServer {
    let next = AtomicUsize::new(1);
    let capabilities = json!({"tools": {}, "extensions": {TASKS: {}}});
    let ok = ModernOk { capabilities, ..ModernOk::default() };
    FakeServer::start(
        over,
        ok.then(move |request, conn| match request.rpc_method().as_str() {
            "tools/call" => conn.result(request, &task("task", states[0])),
            "tasks/get" => {
                let index = next.fetch_add(1, Ordering::SeqCst).min(states.len() - 1);
                conn.result(request, &task("complete", states[index]));
            }
            "tasks/update" | "tasks/cancel" => conn.result(request, r#"{"resultType":"complete"}"#),
            other => panic!("the method {other}"),
        }),
    )
}

fn run(server: &FakeServer, args: &[&str]) -> Run {
    let run = begin(server, MODERN, args);
    // Every request of a conversation with tasks says that the client takes them, and names the task in the header, which
    // the fake server compares with the body.
    for request in server.requests().iter().filter(|one| one.is_rpc_request()) {
        let declared = &request.json()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert!(declared["extensions"][TASKS].is_object(), "{}", request.text());
    }
    run
}

#[test]
fn a_call_that_becomes_a_task_is_waited_for() {
    for over in BOTH {
        let server =
            server(*over, &[r#""status":"working""#, r#""status":"working","statusMessage":"half""#, COMPLETED]);
        let run = run(&server, CALL);
        run.assert_category("ok", None, 0);
        assert_eq!(document(&run)["result"]["content"][0]["text"], "done");
        assert_eq!(server.rpc_methods(), ["tools/call", "tasks/get", "tasks/get"]);
        let call = only(&server, "tools/call").json()["params"].clone();
        assert!(call.get("task").is_none(), "the server alone decides: {call}");
        let get = &all(&server, "tasks/get")[0];
        assert_eq!(get.json()["params"]["taskId"], ID);
        if *over == Over::Http {
            assert_eq!(get.header("Mcp-Name"), Some("=?base64?dCAxIMOp?="));
        }
    }
}

#[test]
fn tasks_are_declared_only_where_they_are_taken() {
    let script = || modern_ok(|request, conn| conn.result(request, DONE));
    for (args, declared) in [(&CALL[..4], false), (CALL, true)] {
        let server = FakeServer::start(Over::Http, script());
        Sandbox::new().mcpcli(&server.args(&[MODERN, args].concat())).run().assert_category("ok", None, 0);
        let request = only(&server, "tools/call").json();
        let capabilities = &request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        assert_eq!(capabilities["extensions"][TASKS].is_object(), declared, "{capabilities}");
    }
}

#[test]
fn the_pause_is_the_servers() {
    let server = server(Over::Http, &[r#""status":"working","pollIntervalMs":300"#, COMPLETED]);
    run(&server, CALL).assert_category("ok", None, 0);
    let times: Vec<_> = server.requests().iter().map(|one| one.at).collect();
    assert!(times[1].duration_since(times[0]) >= Duration::from_millis(300), "{:?}", times[1].duration_since(times[0]));
}

#[test]
fn a_task_that_is_over_at_once_is_asked_for_its_result() {
    // The answer to the call is a task without a result; only tasks/get tells it.
    let server = server(Over::Http, &[r#""status":"completed""#, COMPLETED]);
    let run = run(&server, CALL);
    run.assert_category("ok", None, 0);
    assert_eq!(server.rpc_methods(), ["tools/call", "tasks/get"]);
}

#[test]
fn each_end_has_its_category() {
    type Row = (&'static str, &'static [&'static str], &'static str, Option<&'static str>, i32);
    let rows: [Row; 7] = [
        (
            "failed is a JSON-RPC error",
            &[r#""status":"working""#, r#""status":"failed","error":{"code":-32050,"message":"boom","data":{"k":1}}"#],
            "rpc-error",
            None,
            4,
        ),
        (
            "isError is a completed task",
            &[r#""status":"working""#, r#""status":"completed","result":{"isError":true,"content":[]}"#],
            "tool-error",
            None,
            3,
        ),
        ("cancelled", &[r#""status":"working""#, CANCELLED], "tool-error", None, 3),
        ("unknown status", &[r#""status":"working""#, r#""status":"paused""#], "protocol", Some("result-shape"), 7),
        (
            "completed without a result",
            &[r#""status":"working""#, r#""status":"completed""#],
            "protocol",
            Some("result-shape"),
            7,
        ),
        (
            "failed without an error",
            &[r#""status":"working""#, r#""status":"failed""#],
            "protocol",
            Some("result-shape"),
            7,
        ),
        ("no status", &[r#""x":1"#], "protocol", Some("result-shape"), 7),
    ];
    for (name, states, category, reason, exit) in rows {
        for over in BOTH {
            let server = server(*over, states);
            let run = run(&server, CALL);
            assert_eq!(
                run.category_problems(category, reason, exit),
                Vec::<String>::new(),
                "{name}\n{}",
                run.describe()
            );
        }
    }
    let server = server(Over::Http, rows[0].1);
    let error = document(&run(&server, CALL))["error"].clone();
    assert_eq!((&error["code"], &error["message"], &error["data"]), (&json!(-32050), &json!("boom"), &json!({"k": 1})));
}

#[test]
fn what_a_task_asks_is_answered_once() {
    const STATES: &[&str] = &[
        r#""status":"working""#,
        r#""status":"input_required","inputRequests":{"k1":FORM}"#,
        r#""status":"input_required","inputRequests":{"k1":FORM}"#,
        r#""status":"input_required","inputRequests":{"k1":FORM,"k2":FORM}"#,
        COMPLETED,
    ];
    for over in BOTH {
        let states: Vec<&'static str> =
            STATES.iter().map(|state| &*Box::leak(state.replace("FORM", FORM).into_boxed_str())).collect();
        let server = server(*over, Box::leak(states.into_boxed_slice()));
        let run = run(&server, &[&["--answer", r#"{"name":"Ada"}"#], CALL].concat());
        run.assert_category("ok", None, 0);
        let updates: Vec<Value> = all(&server, "tasks/update").iter().map(|one| one.json()["params"].clone()).collect();
        let answer = json!({"action": "accept", "content": {"name": "Ada"}});
        assert_eq!(updates.len(), 2, "{updates:?}");
        for (update, key) in updates.iter().zip(["k1", "k2"]) {
            assert_eq!(update["taskId"], ID);
            assert_eq!(update["inputResponses"], json!({key: answer}), "keys are never answered twice");
            assert!(update.get("requestState").is_none(), "{update}");
        }
    }
}

#[test]
fn what_nobody_answers_is_told() {
    let states: Vec<&'static str> = vec![
        r#""status":"working""#,
        Box::leak(format!(r#""status":"input_required","inputRequests":{{"k1":{FORM}}}"#).into_boxed_str()),
    ];
    let server = server(Over::Http, Box::leak(states.into_boxed_slice()));
    let run = run(&server, CALL);
    run.assert_category("input-required", None, 10);
    let text = document(&run)["error"].to_string();
    assert!(text.contains("Name?") && text.contains("--answer"), "{text}");
    assert!(all(&server, "tasks/update").is_empty(), "{}", server.describe());
}

#[test]
fn a_result_that_asks_may_become_a_task() {
    // Questions first (basic/patterns/mrtr), then the task.
    let server = FakeServer::start(
        Over::Http,
        modern_ok(|request, conn| match request.rpc_method().as_str() {
            "tools/call" if request.json()["params"].get("requestState").is_none() => {
                conn.result(request, r#"{"resultType":"input_required","requestState":"s"}"#);
            }
            "tools/call" => conn.result(request, &task("task", r#""status":"working""#)),
            _ => conn.result(request, &task("complete", COMPLETED)),
        }),
    );
    run(&server, CALL).assert_category("ok", None, 0);
    assert_eq!(server.rpc_methods(), ["tools/call", "tools/call", "tasks/get"]);
}

#[test]
fn a_plain_result_is_one_too() {
    let server = FakeServer::start(Over::Http, modern_ok(|request, conn| conn.result(request, DONE)));
    run(&server, CALL).assert_category("ok", None, 0);
    assert_eq!(server.rpc_methods(), ["tools/call"]);
}

#[test]
fn a_task_may_be_left_to_itself() {
    let server = server(Over::Http, &[r#""status":"working""#, COMPLETED]);
    let run = run(&server, &["call", "--no-check", "t", "--detach"]);
    run.assert_category("ok", None, 0);
    assert_eq!(document(&run)["result"]["taskId"], ID);
    assert_eq!(server.rpc_methods(), ["tools/call"]);
}

#[test]
fn task_get_tells_where_it_stands() {
    let working = server(Over::Http, &["", r#""status":"working""#, r#""status":"working""#, COMPLETED]);
    let told = run(&working, &["task", "get", ID]);
    told.assert_category("ok", None, 0);
    assert_eq!(document(&told)["result"]["status"], "working");
    assert_eq!(working.rpc_methods(), ["tasks/get"]);
    let waited = run(&working, &["task", "get", ID, "--wait"]);
    waited.assert_category("ok", None, 0);
    assert!(waited.stdout_text().contains("done"), "{}", waited.describe());
    assert_eq!(working.rpc_methods(), ["tasks/get"; 3]);

    let over = server(Over::Http, &["", COMPLETED]);
    let told = run(&over, &["task", "get", ID]);
    told.assert_category("ok", None, 0);
    assert!(told.stdout_text().contains("done"), "{}", told.describe());
    assert_eq!(over.rpc_methods(), ["tasks/get"]);
}

#[test]
fn task_cancel_is_an_acknowledged_request() {
    for over in BOTH {
        let server = server(*over, &["", COMPLETED]);
        run(&server, &["task", "cancel", ID]).assert_category("ok", None, 0);
        assert_eq!(server.rpc_methods(), ["tasks/cancel"]);
        assert_eq!(only(&server, "tasks/cancel").json()["params"]["taskId"], ID);
    }
}

#[test]
fn there_is_no_list_of_tasks() {
    let server = server(Over::Http, &[]);
    run(&server, &["task", "list"]).assert_category("usage", "command-line", 2);
    assert_eq!(server.rpc_methods(), Vec::<String>::new());
}

#[test]
fn an_unknown_task_is_the_servers_word() {
    for (code, status) in [(-32602, 200), (-32602, 400), (-32021, 400), (-32601, 404)] {
        let server = FakeServer::start(
            Over::Http,
            modern_ok(move |request, conn| {
                modern_error(request, conn, status, &json!({"code": code, "message": "no"}))
            }),
        );
        let run = run(&server, &["task", "get", "nobody"]);
        run.assert_category("rpc-error", None, 4);
        assert_eq!(document(&run)["error"]["code"], code);
        assert_eq!(server.rpc_methods(), ["tasks/get"]);
    }
}

#[test]
fn a_task_is_told_of_by_a_complete_result() {
    let server = FakeServer::start(
        Over::Http,
        modern_ok(|request, conn| conn.result(request, &task("task", r#""status":"working""#))),
    );
    run(&server, &["task", "get", ID]).assert_category("protocol", "result-shape", 7);
}

#[test]
fn a_task_that_takes_too_long_goes_on() {
    let server = server(Over::Http, &[r#""status":"working""#]);
    let args = [MODERN, &["--max-time", "700ms"], CALL].concat();
    let run = Sandbox::new().mcpcli(&server.args(&args)).run();
    run.assert_category("timeout", "max-time", 6);
    assert!(all(&server, "tasks/cancel").is_empty(), "{}", server.describe());
}

#[cfg(unix)]
#[test]
fn ctrl_c_cancels_the_task_and_not_the_request() {
    for over in BOTH {
        // A pause that no test waits for: what it interrupts is not a request.
        let server = server(*over, &[r#""status":"working","pollIntervalMs":60000"#]);
        let sandbox = Sandbox::new();
        let running = sandbox.mcpcli(&server.args(&[&["-v"], MODERN, CALL].concat())).start();
        running.wait_for_stderr("working");
        running.signal(nix::sys::signal::Signal::SIGINT);
        let run = running.wait();
        run.assert_category("interrupted", None, 130);
        assert_eq!(server.rpc_methods(), ["tools/call", "tasks/cancel"], "MUST NOT be notifications/cancelled");
        assert_eq!(only(&server, "tasks/cancel").json()["params"]["taskId"], ID);
    }
}

// --- 2025-11-25 ---

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

#[test]
fn nothing_of_a_task_is_cached_or_hidden() {
    // What the server says of a task is shown as it came, unknown members too.
    let server = FakeServer::start(
        Over::Http,
        modern_ok(|request, conn| {
            let members = json!({"taskId": "1", "status": "working", "createdAt": "x", "lastUpdatedAt": "y", "ttlMs": null, "own": 1.0});
            conn.result(request, &complete(members, false));
        }),
    );
    let told = run(&server, &["task", "get", "1"]);
    assert_eq!(document(&told)["result"]["own"], json!(1.0));
}
