//! `watch`: subscriptions of 2026-07-28 (basic/utilities/subscriptions) and what the versions before have instead.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::modern::{BOTH, all, only};
use crate::support::{Conn, FakeServer, Gone, ModernOk, Over, Request, Run, Sandbox, fresh_ids, modern_error};

mod legacy;

const MODERN: &[&str] = &["--protocol", "2026-07-28", "--timeout", "5s"];
const LISTEN: &str = "subscriptions/listen";

/// A notification of a subscription: these params, and the tag that says whose it is.
fn tagged(request: &Request, method: &str, members: &str) -> String {
    let gap = if members.is_empty() { "" } else { "," };
    let tag = format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}"#, request.id());
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{{members}{gap}{tag}}}}}"#)
}

/// The acknowledgement of everything that was asked for.
fn acknowledge(request: &Request, conn: &mut Conn) {
    let honoured = format!(r#""notifications":{}"#, request.json()["params"]["notifications"]);
    conn.push(&tagged(request, "notifications/subscriptions/acknowledged", &honoured));
}

fn tools_changed(request: &Request, conn: &mut Conn) {
    conn.push(&tagged(request, "notifications/tools/list_changed", ""));
}

fn updated(request: &Request, conn: &mut Conn, uri: &str) {
    conn.push(&tagged(request, "notifications/resources/updated", &format!(r#""uri":"{uri}""#)));
}

/// A server of 2026-07-28 that tells of changes and does this with a subscription.
fn server(over: Over, listen: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> FakeServer {
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    let ok = ModernOk { capabilities, ..ModernOk::default() };
    FakeServer::start(
        over,
        ok.then(move |request, conn| match request.rpc_method().as_str() {
            LISTEN => listen(request, conn),
            other => panic!("the method {other}"),
        }),
    )
}

fn watch(server: &FakeServer, args: &[&str]) -> Run {
    Sandbox::new().mcpcli(&server.args(&[&["--json"], MODERN, &["watch"], args].concat())).run()
}

/// The notifications of a run with `--json`, and its outcome, which is the last line.
#[track_caller]
fn lines(run: &Run) -> (Vec<Value>, Value) {
    let text = run.stdout_text();
    let parse =
        |line: &str| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{line}\n{}", run.describe()));
    let mut lines: Vec<Value> = text.lines().map(parse).collect();
    let outcome = lines.pop().unwrap_or_else(|| panic!("no line\n{}", run.describe()));
    assert_eq!(crate::envelope::problems(&outcome), Vec::<String>::new(), "{}", run.describe());
    (lines, outcome)
}

/// How a run must have ended, and how many notifications it saw.
#[track_caller]
fn ended(run: &Run, how: &str, seen: usize) -> Vec<Value> {
    run.assert_exit(0);
    let (notices, outcome) = lines(run);
    assert_eq!(outcome["result"], json!({"seen": seen, "ended": how}), "{}", run.describe());
    assert_eq!(notices.len(), seen, "{}", run.describe());
    notices
}

#[track_caller]
fn failed(run: &Run, category: &str, reason: Option<&str>, phase: &str, exit: i32) -> Value {
    run.assert_exit(exit);
    let (_, outcome) = lines(run);
    let got = (&outcome["category"], &outcome["reason"], &outcome["phase"]);
    assert_eq!(got, (&json!(category), &json!(reason), &json!(phase)), "{}", run.describe());
    outcome
}

fn warnings(run: &Run) -> Vec<String> {
    let (_, outcome) = lines(run);
    let all = outcome["warnings"].as_array().cloned().unwrap_or_default();
    all.iter().map(|one| one["id"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn notifications_are_shown_as_they_come() {
    for over in BOTH {
        let ends = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&ends);
        let server = server(*over, move |request, conn| {
            acknowledge(request, conn);
            tools_changed(request, conn);
            // Logs and progress belong to other requests; keep-alives are nothing.
            conn.push(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#);
            if conn.over() == Over::Http {
                conn.raw(": keep-alive\n\n");
            }
            updated(request, conn, "x:a/part");
            let gone = conn.hold();
            seen.lock().unwrap().push(gone);
        });
        let run = watch(&server, &["x:a", "x:b\"", "--tools", "--count", "2"]);
        let notices = ended(&run, "count", 2);
        assert_eq!(notices[0]["method"], "notifications/tools/list_changed");
        assert_eq!(notices[1]["params"]["uri"], "x:a/part", "it may be a part of what was subscribed to");
        assert!(notices[0]["at_ms"].is_number() && notices[1]["params"]["_meta"].is_object(), "{notices:?}");
        assert_eq!(warnings(&run), Vec::<String>::new());
        let request = only(&server, LISTEN);
        let asked = json!({"toolsListChanged": true, "resourceSubscriptions": ["x:a", "x:b\""]});
        assert_eq!(request.json()["params"]["notifications"], asked, "only what is wanted is named");
        assert!(request.header("Mcp-Name").is_none());
        // Its end is its cancellation.
        if *over == Over::Stdio {
            let told = server.wait_for(|one| one.rpc_method() == "notifications/cancelled", Duration::from_secs(2));
            assert_eq!(told.expect("stdio: told").json()["params"]["requestId"].to_string(), request.id());
        } else {
            server.wait_for(|_| !ends.lock().unwrap().is_empty(), Duration::from_secs(2));
            assert_eq!(*ends.lock().unwrap(), [Gone::Client]);
            assert_eq!(server.requests().len(), 1, "{}", server.describe());
        }
    }
}

#[test]
fn people_read_a_line_for_each() {
    let server = server(Over::Http, |request, conn| {
        acknowledge(request, conn);
        tools_changed(request, conn);
        updated(request, conn, "x:\\u001b[31m");
        conn.hold();
    });
    let args = [MODERN, &["watch", "--tools", "x:a", "--count", "2"]].concat();
    let run = Sandbox::new().mcpcli(&server.args(&args)).run();
    run.assert_exit(0);
    let text = run.stdout_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.describe());
    assert!(lines[0].ends_with("tools/list_changed"), "{lines:?}");
    assert!(lines[1].contains("resources/updated x:"), "{lines:?}");
    assert!(run.stderr.contains("watching") && run.stderr.contains("toolsListChanged"), "{}", run.describe());
}

#[test]
fn without_a_word_it_watches_what_is_advertised() {
    let server = server(Over::Http, |request, conn| {
        acknowledge(request, conn);
        tools_changed(request, conn);
        conn.hold();
    });
    ended(&watch(&server, &["--count", "1"]), "count", 1);
    assert_eq!(server.rpc_methods(), ["server/discover", LISTEN]);
    assert_eq!(only(&server, LISTEN).json()["params"]["notifications"], json!({"toolsListChanged": true}));

    let silent = FakeServer::start(Over::Http, ModernOk::default().then(|_, _| panic!("something was sent")));
    failed(&watch(&silent, &[]), "usage", Some("command-line"), "resolve", 2);
    assert_eq!(silent.rpc_methods(), ["server/discover"]);
}

#[test]
fn each_kind_of_change_has_its_member() {
    let rows: [(&[&str], Value); 5] = [
        (&["--tools"], json!({"toolsListChanged": true})),
        (&["--prompts"], json!({"promptsListChanged": true})),
        (&["--resources"], json!({"resourcesListChanged": true})),
        (&["x:y"], json!({"resourceSubscriptions": ["x:y"]})),
        (&["--task", "T1", "--task", "T2"], json!({"taskIds": ["T1", "T2"]})),
    ];
    for (args, wanted) in rows {
        let server = server(Over::Http, |request, conn| {
            acknowledge(request, conn);
            tools_changed(request, conn);
            conn.hold();
        });
        ended(&watch(&server, &[args, &["--count", "1"]].concat()), "count", 1);
        let request = only(&server, LISTEN);
        assert_eq!(request.json()["params"]["notifications"], wanted);
        // Whoever names tasks says that it knows them (extension io.modelcontextprotocol/tasks).
        if args[0] == "--task" {
            let declared = &request.json()["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
            assert!(declared["extensions"]["io.modelcontextprotocol/tasks"].is_object(), "{declared}");
        }
    }
}

#[test]
fn its_time_is_not_the_time_of_an_answer() {
    for over in BOTH {
        let server = server(*over, |request, conn| {
            acknowledge(request, conn);
            conn.hold();
        });
        let args = ["--json", "--protocol", "2026-07-28", "--timeout", "300ms", "watch", "--tools", "--for", "900ms"];
        let run = Sandbox::new().mcpcli(&server.args(&args)).run();
        ended(&run, "time", 0);
    }
}

#[test]
fn an_acknowledgement_must_come_in_time() {
    for over in BOTH {
        let server = server(*over, |_, conn| {
            if conn.over() == Over::Http {
                conn.sse_head(200, &[]);
            }
            conn.hold();
        });
        let args = ["--json", "--protocol", "2026-07-28", "--timeout", "300ms", "watch", "--tools"];
        let run = Sandbox::new().mcpcli(&server.args(&args)).run();
        failed(&run, "timeout", Some("idle"), LISTEN, 6);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it() {
    use nix::sys::signal::Signal;
    for over in BOTH {
        for (signal, exit) in [(Signal::SIGINT, 0), (Signal::SIGTERM, 143)] {
            let server = server(*over, |request, conn| {
                acknowledge(request, conn);
                tools_changed(request, conn);
                conn.hold();
            });
            let sandbox = Sandbox::new();
            let args = server.args(&[&["--json"], MODERN, &["watch", "--tools"]].concat());
            let running = sandbox.mcpcli(&args).start();
            running.wait_for_stderr("watching");
            running.signal(signal);
            let run = running.wait();
            run.assert_exit(exit);
            let (_, outcome) = lines(&run);
            let ended = if exit == 0 { json!("interrupt") } else { Value::Null };
            assert_eq!(outcome["result"]["ended"], ended, "{}", run.describe());
            assert_eq!(outcome["category"], if exit == 0 { "ok" } else { "interrupted" });
        }
    }
}

#[test]
fn a_server_may_end_it_in_order() {
    // The clauses differ on how: cancellation has a notification, subscriptions §Graceful Closure a result.
    type End = fn(&Request, &mut Conn);
    let ends: [End; 2] = [
        |request, conn| {
            let tag = format!(r#"{{"io.modelcontextprotocol/subscriptionId":{}}}"#, request.id());
            conn.result(request, &format!(r#"{{"resultType":"complete","_meta":{tag}}}"#));
        },
        |request, conn| {
            let id = request.id();
            conn.push(&format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            ));
            conn.hold();
        },
    ];
    for over in BOTH {
        for end in ends {
            let server = server(*over, move |request, conn| {
                acknowledge(request, conn);
                tools_changed(request, conn);
                end(request, conn);
            });
            ended(&watch(&server, &["--tools"]), "server", 1);
            assert_eq!(all(&server, LISTEN).len(), 1, "it is not opened again");
        }
    }
}

#[test]
fn a_broken_stream_is_opened_again_under_a_new_id() {
    type Break = fn(&mut Conn);
    let breaks: [Break; 2] = [|conn| conn.close(), |conn| conn.reset()];
    for broken in breaks {
        let streams = AtomicUsize::new(0);
        let server = server(Over::Http, move |request, conn| {
            acknowledge(request, conn);
            tools_changed(request, conn);
            if streams.fetch_add(1, Ordering::SeqCst) == 0 {
                conn.pause(Duration::from_millis(100));
                broken(conn);
            } else {
                conn.hold();
            }
        });
        let run = watch(&server, &["--tools", "x:a", "--count", "2"]);
        ended(&run, "count", 2);
        assert!(run.stderr.contains("subscribing again"), "{}", run.describe());
        let both = all(&server, LISTEN);
        assert_eq!(both.len(), 2, "subscriptions: MUST re-send the request after a reconnect");
        assert_eq!(both[0].json()["params"]["notifications"], both[1].json()["params"]["notifications"]);
        // Neither an old id nor `Last-Event-ID`, which the fake server refuses.
        assert_eq!(fresh_ids(&server), Ok(()));
    }
}

#[test]
fn time_ends_a_reconnect_too() {
    let server = server(Over::Http, |request, conn| {
        acknowledge(request, conn);
        conn.close();
    });
    ended(&watch(&server, &["--tools", "--for", "700ms"]), "time", 0);
}

#[test]
fn a_stream_that_never_was_is_a_failure() {
    let before = server(Over::Http, |_, conn| {
        conn.sse_head(200, &[]);
        conn.close();
    });
    failed(&watch(&before, &["--tools"]), "transport", Some("stream"), LISTEN, 5);
    assert_eq!(all(&before, LISTEN).len(), 1);

    let program = server(Over::Stdio, |request, conn| {
        acknowledge(request, conn);
        conn.exit(3);
    });
    failed(&watch(&program, &["--tools"]), "transport", Some("stream"), LISTEN, 5);
    assert_eq!(program.connections(), 1, "a program is not started again");

    for over in BOTH {
        let none = server(*over, |request, conn| {
            modern_error(request, conn, 404, &json!({"code": -32601, "message": "Method not found"}));
        });
        let outcome = failed(&watch(&none, &["--tools"]), "rpc-error", None, LISTEN, 4);
        assert_eq!(outcome["error"]["code"], -32601);
        let status = if *over == Over::Http { json!(404) } else { Value::Null };
        assert_eq!(outcome["error"]["http_status"], status);
    }

    let refused = server(Over::Http, |_, conn| conn.respond(503, &[], "down"));
    failed(&watch(&refused, &["--tools"]), "transport", Some("http"), LISTEN, 5);
}

#[test]
fn doubtful_notifications_are_shown_with_a_warning() {
    type Doubt = fn(&Request, &mut Conn);
    let rows: [(&str, Doubt); 4] = [
        ("subscriptions: MUST carry the subscription's id", |request, conn| {
            acknowledge(request, conn);
            conn.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
        }),
        ("subscriptions: the id of another one", |request, conn| {
            acknowledge(request, conn);
            conn.push(&tagged(request, "notifications/tools/list_changed", "").replace("Id\":", "Id\":99"));
        }),
        ("subscriptions: the id with its JSON type", |request, conn| {
            acknowledge(request, conn);
            let id = request.id();
            let text = tagged(request, "notifications/tools/list_changed", "");
            conn.push(&text.replace(&format!("Id\":{id}"), &format!("Id\":\"{id}\"")));
        }),
        ("subscriptions: the acknowledgement MUST be the first", |request, conn| {
            tools_changed(request, conn);
            acknowledge(request, conn);
        }),
    ];
    for (name, doubt) in rows {
        for over in BOTH {
            let server = server(*over, move |request, conn| {
                doubt(request, conn);
                conn.hold();
            });
            let run = watch(&server, &["--tools", "--count", "1"]);
            ended(&run, "count", 1);
            assert_eq!(warnings(&run), ["subscription"], "{name}");
        }
    }
}
