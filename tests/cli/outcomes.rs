//! One run per category, with and without `--json`, and the promises of the README's first screen.

use crate::envelope;
use crate::support::{FakeServer, Run, Sandbox};

struct Row {
    args: &'static [&'static str],
    category: &'static str,
    reason: Option<&'static str>,
    exit: i32,
    stdout: &'static str,
    /// What stderr must hold.
    says: &'static [&'static str],
}

const ROWS: &[Row] = &[
    Row {
        args: &["-s", "demo", "call", "echo", "--arg", "message=hi"],
        category: "ok",
        reason: None,
        exit: 0,
        stdout: "hi",
        says: &[],
    },
    Row {
        args: &["-s", "demo", "call", "echo", "message=hi"],
        category: "ok",
        reason: None,
        exit: 0,
        stdout: "hi",
        says: &[],
    },
    Row {
        args: &["-s", "demo", "call", "throw_error"],
        category: "tool-error",
        reason: None,
        exit: 3,
        stdout: "",
        says: &["tool error", "throw_error"],
    },
    Row {
        args: &["-s", "demo", "call", "return_error"],
        category: "rpc-error",
        reason: None,
        exit: 4,
        stdout: "",
        says: &["JSON-RPC error", "-32050"],
    },
    Row {
        args: &["-s", "demo", "call", "return_error", "code=-32603"],
        category: "rpc-error",
        reason: None,
        exit: 4,
        stdout: "",
        says: &["-32603", "Internal error"],
    },
    Row {
        args: &["-s", "demo", "call", "invalid_access"],
        category: "tool-error",
        reason: None,
        exit: 3,
        stdout: "",
        says: &["tool error"],
    },
    Row {
        args: &["-s", "demo", "request", "no/such"],
        category: "rpc-error",
        reason: None,
        exit: 4,
        stdout: "",
        says: &["-32601", "no/such"],
    },
    Row {
        args: &["-s", "demo:http-500", "call", "echo", "message=hi"],
        category: "transport",
        reason: Some("http"),
        exit: 5,
        stdout: "",
        says: &["500", "tools/call", "hint"],
    },
    Row {
        args: &["-s", "demo:cut-stream", "call", "echo", "message=hi"],
        category: "transport",
        reason: Some("stream"),
        exit: 5,
        stdout: "",
        says: &["the body was cut", "may have run"],
    },
    Row {
        args: &["-s", "demo:not-json", "call", "echo", "message=hi"],
        category: "protocol",
        reason: Some("not-json"),
        exit: 7,
        stdout: "",
        says: &["protocol violation"],
    },
    Row {
        args: &["-s", "demo:unauthorized", "call", "echo", "message=hi"],
        category: "auth",
        reason: Some("unauthorized"),
        exit: 8,
        stdout: "",
        says: &["401", "www-authenticate", "--bearer"],
    },
    Row {
        args: &["-s", "demo", "--expect", "tool-error", "call", "throw_error"],
        category: "tool-error",
        reason: None,
        exit: 0,
        stdout: "",
        says: &[],
    },
    Row {
        args: &["-s", "demo", "--expect", "ok", "call", "throw_error"],
        category: "check-failed",
        reason: None,
        exit: 9,
        stdout: "",
        says: &["expected the outcome ok", "tool error"],
    },
    Row {
        args: &["-s", "demo", "call", "nosuch"],
        category: "usage",
        reason: Some("unknown-name"),
        exit: 2,
        stdout: "",
        says: &["nosuch", "nothing was sent"],
    },
    Row {
        args: &["-s", "demo", "call", "ecko", "message=hi"],
        category: "usage",
        reason: Some("unknown-name"),
        exit: 2,
        stdout: "",
        says: &["did you mean echo"],
    },
    Row {
        args: &["-s", "demo", "call", "--no-check", "nosuch"],
        category: "rpc-error",
        reason: None,
        exit: 4,
        stdout: "",
        says: &["-32602"],
    },
    Row {
        args: &["-s", "demo", "call", "add", "--arg", "a=x", "--arg", "b=1"],
        category: "usage",
        reason: Some("arguments"),
        exit: 2,
        stdout: "",
        says: &["`a`", "integer", "nothing was sent"],
    },
    Row {
        args: &["-s", "demo", "call", "add", "--arg", "a=1"],
        category: "usage",
        reason: Some("arguments"),
        exit: 2,
        stdout: "",
        says: &["b", "required", "nothing was sent"],
    },
    Row {
        args: &["-s", "demo", "--strict", "read", "demo://broken"],
        category: "protocol",
        reason: Some("result-shape"),
        exit: 7,
        stdout: "",
        says: &["neither text nor blob"],
    },
    Row {
        args: &["-s", "demo", "call", "hidden_error"],
        category: "ok",
        reason: None,
        exit: 0,
        stdout: "ERROR: access denied",
        says: &["isError is not set"],
    },
    Row {
        args: &["-s", "demo", "--error-pattern", "^ERROR", "call", "hidden_error"],
        category: "tool-error",
        reason: None,
        exit: 3,
        stdout: "",
        says: &["--error-pattern"],
    },
    Row {
        args: &["-s", "demo", "--protocol", "legacy", "--client-capabilities", r#"{"elicitation":{}}"#, "call", "ask"],
        category: "input-required",
        reason: None,
        exit: 10,
        stdout: "decline",
        says: &["elicitation/create", "--answer"],
    },
    Row {
        args: &["-s", "demo", "--protocol", "legacy", "--answer", "{\"nme\":\"Ada\"}", "call", "ask"],
        category: "input-required",
        reason: None,
        exit: 10,
        stdout: "cancel",
        says: &["name", "does not fit the form"],
    },
    Row {
        args: &["-s", "demo", "request", "tools/call", "--params", r#"{"name":"throw_error"}"#],
        category: "tool-error",
        reason: None,
        exit: 3,
        stdout: "RuntimeError",
        says: &["throw_error"],
    },
    Row {
        args: &["-s", "demo", "--answer", "{\"name\":\"Ada\"}", "call", "ask"],
        category: "ok",
        reason: None,
        exit: 0,
        stdout: "Ada",
        says: &[],
    },
    Row {
        args: &["-s", "no-such-server", "list"],
        category: "usage",
        reason: Some("unknown-name"),
        exit: 2,
        stdout: "",
        says: &["no-such-server"],
    },
    Row {
        args: &["list", "--", "/no/such/program"],
        category: "transport",
        reason: Some("spawn"),
        exit: 5,
        stdout: "",
        says: &["/no/such/program"],
    },
    Row {
        args: &["list", "--no-such-option"],
        category: "usage",
        reason: Some("command-line"),
        exit: 2,
        stdout: "",
        says: &["--no-such-option"],
    },
];

/// The transports of a row: what goes to the demo server without a fault that is bound to one goes over all three.
fn transports(row: &Row) -> &'static [&'static [&'static str]] {
    match row.args.get(1) {
        Some(&"demo") => &[&["--transport", "http"], &["--transport", "sse"], &["--transport", "stdio"]],
        _ => &[&[]],
    }
}

fn check(row: &Row, transport: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let args = [transport, row.args].concat();
    let run = sandbox.mcpcli(&args).run();
    let mut problems = Vec::new();
    if run.status != Some(row.exit) {
        problems.push(format!("exit {:?} instead of {}", run.status, row.exit));
    }
    let stdout = run.stdout_text();
    let fits = if row.stdout.ends_with('\n') || row.stdout.is_empty() {
        stdout == row.stdout
    } else {
        stdout.contains(row.stdout)
    };
    if !fits {
        problems.push(format!("stdout is {stdout:?}"));
    }
    problems.extend(
        row.says.iter().filter(|text| !run.stderr.contains(**text)).map(|text| format!("stderr lacks {text:?}")),
    );
    let json = sandbox.mcpcli(&[&["--json"], args.as_slice()].concat()).run();
    problems.extend(json_problems(&json, row));
    if !problems.is_empty() {
        problems.push(run.describe());
        problems.push(json.describe());
    }
    problems.into_iter().map(|problem| format!("{args:?}: {problem}")).collect()
}

fn json_problems(run: &Run, row: &Row) -> Vec<String> {
    let mut problems = run.category_problems(row.category, row.reason, row.exit);
    match run.try_json() {
        Ok(document) => problems.extend(envelope::problems(&document)),
        Err(error) => problems.push(error),
    }
    problems
}

#[test]
fn each_outcome_has_its_category_and_exit_code() {
    let cases: Vec<_> = ROWS.iter().flat_map(|row| transports(row).iter().map(move |over| (row, *over))).collect();
    let problems: Vec<String> = std::thread::scope(|scope| {
        let halves = cases.chunks(cases.len().div_ceil(4));
        let workers: Vec<_> = halves
            .map(|cases| scope.spawn(move || cases.iter().flat_map(|(row, over)| check(row, over)).collect::<Vec<_>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_closed_port_is_a_connect_failure() {
    let address = FakeServer::nobody();
    let url = format!("http://{address}/mcp");
    let sandbox = Sandbox::new();
    let run = sandbox.mcpcli(&["-s", &url, "--json", "list"]).run();
    run.assert_category("transport", "connect", 5);
    let human = sandbox.mcpcli(&["-s", &url, "list"]).run();
    assert!(human.stderr.contains("refused"), "{}", human.describe());
}

#[test]
fn a_timeout_ends_in_time_and_the_server_is_told() {
    for transport in ["http", "sse", "stdio"] {
        let sandbox = Sandbox::new();
        let trace = sandbox.work().join("trace.ndjson");
        let trace_arg = trace.to_string_lossy().into_owned();
        let args = ["-s", "demo", "--transport", transport, "--json", "--timeout", "300ms", "--trace", &trace_arg];
        let run = sandbox.mcpcli(&[&args[..], &["call", "slow", "--arg", "seconds=5"]].concat()).run();
        run.assert_category("timeout", "idle", 6);
        // The tool takes five seconds.
        assert!(run.took < std::time::Duration::from_secs(4), "{transport}: {}", run.describe());
        assert_eq!(run.json()["phase"], "tools/call");
        let text = std::fs::read_to_string(&trace).expect("the trace file");
        // 2026-07-28 basic/utilities/cancellation: over HTTP closing the stream is the cancellation.
        let told = if transport == "http" { "cancels it" } else { "notifications/cancelled" };
        assert!(text.contains(told), "{transport}: {text}");
    }
}

#[test]
fn progress_keeps_a_slow_call_going() {
    let sandbox = Sandbox::new();
    let run = sandbox.mcpcli(&["-s", "demo", "--timeout", "800ms", "call", "slow", "seconds=1.5"]).run();
    run.assert_exit(0);
    assert_eq!(run.stdout_text(), "slept 1.5 s");
}

#[test]
fn a_connection_that_never_stands_is_not_a_silent_server() {
    // It accepts, and says nothing: over https no TLS session comes of it, over http it is a peer that does not answer.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let sandbox = Sandbox::new();
    for (scheme, transport, phase) in [
        ("https", "http", "connect"),
        ("https", "sse", "connect"),
        ("http", "http", "discover"),
        ("http", "sse", "endpoint"),
    ] {
        let url = format!("{scheme}://127.0.0.1:{port}/mcp");
        let run = sandbox.mcpcli(&["-s", &url, "--transport", transport, "--timeout", "400ms", "--json", "list"]).run();
        run.assert_category("timeout", "idle", 6);
        assert_eq!(run.json()["phase"], phase, "{}", run.describe());
    }
}

#[test]
fn a_server_that_asks_for_ever_does_not_keep_a_request_open() {
    use crate::support::{Over, init_ok};
    use std::time::Duration;
    let server = FakeServer::start(
        Over::Http,
        init_ok(|_, conn| {
            for id in 0..100 {
                conn.push(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
                conn.pause(Duration::from_millis(100));
            }
        }),
    );
    let run = Sandbox::new().mcpcli(&server.args(&["--json", "--timeout", "700ms", "call", "--no-check", "t"])).run();
    run.assert_category("timeout", "idle", 6);
    assert!(run.took < Duration::from_secs(4), "{}", run.describe());
}

#[test]
fn a_refusal_is_told_although_its_body_stalls() {
    use crate::support::{Over, init_ok};
    for (status, category, reason, exit) in [(503, "transport", "http", 5), (401, "auth", "unauthorized", 8)] {
        let server = FakeServer::start(
            Over::Http,
            init_ok(move |_, conn| {
                conn.raw(format!(
                    "HTTP/1.1 {status} No\r\nContent-Type: text/html\r\nContent-Length: 500\r\n\r\n<p>down"
                ));
                conn.hold();
            }),
        );
        let args = server.args(&["--json", "--timeout", "1s", "call", "--no-check", "t"]);
        Sandbox::new().mcpcli(&args).run().assert_category(category, reason, exit);
    }
}
