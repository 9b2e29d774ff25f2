//! Tasks: the extension io.modelcontextprotocol/tasks of 2026-07-28; those of 2025-11-25 are in `core.rs`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::modern::{BOTH, DONE, all, document, only};
use crate::support::{FakeServer, ModernOk, Over, Run, Sandbox, complete, fresh_ids, modern_error, modern_ok};

mod core;

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
    // Every request of a conversation with tasks says that the client takes them. That each names its task in the header
    // is checked by the fake server.
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

#[test]
fn what_the_server_says_of_a_task_is_shown_as_it_came() {
    let server = FakeServer::start(
        Over::Http,
        modern_ok(|request, conn| {
            let times = json!({"createdAt": "x", "lastUpdatedAt": "y", "ttlMs": null, "own": 1.0});
            let mut members = json!({"taskId": "1", "status": "working"});
            members.as_object_mut().unwrap().extend(times.as_object().unwrap().clone());
            conn.result(request, &complete(members, false));
        }),
    );
    let told = run(&server, &["task", "get", "1"]);
    assert_eq!(document(&told)["result"]["own"], json!(1.0));
}
