//! What a client concludes from answers of 2026-07-28: the types of results, errors with their statuses, and what it must
//! leave alone.

use serde_json::{Value, json};

use super::{BOTH, CALL, DONE, HTTP, all, document, done, only, peer, run_json};
use crate::support::{
    Expect, FakeServer, ModernOk, Over, Peer, Row, Sandbox, check_rows, fresh_ids, modern_error, modern_ok,
};

/// A peer whose result is this text.
fn results(text: &'static str) -> Peer {
    peer(move |request, conn| conn.result(request, text))
}

fn once(server: &FakeServer) -> Result<(), String> {
    let count = server.rpc_methods().len();
    if count == 1 { Ok(()) } else { Err(format!("{count} requests instead of one")) }
}

#[test]
fn the_type_of_a_result_decides() {
    let invalid = |name, args, phase, text| Row {
        name,
        over: BOTH,
        peer: Peer::Server(
            ModernOk { tools: None, ..ModernOk::default() }.then(move |request, conn| conn.result(request, text)),
        ),
        args,
        expect: Expect { category: "protocol", phase, reason: Some("result-shape"), exit: 7, ..Expect::default() },
        seen: Some(once),
        ..Row::default()
    };
    const LIST: &[&str] = &["--protocol", "2026-07-28", "list", "tools"];
    const PROMPT: &[&str] = &["--protocol", "2026-07-28", "get", "--no-check", "p"];
    const READ: &[&str] = &["--protocol", "2026-07-28", "read", "x:y"];
    const ASKS: &str = r#"{"resultType":"input_required","requestState":"s","tools":[]}"#;
    const TASK: &str = r#"{"resultType":"task","taskId":"1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":1}"#;
    check_rows(&[
        Row {
            name: "basic §ResultType: absent is taken for complete, with a warning",
            over: BOTH,
            peer: results(r#"{"content":[{"type":"text","text":"done"}]}"#),
            args: CALL,
            expect: Expect { warnings: &["result-type"], stderr: &["warning[result-type]"], ..done() },
            ..Row::default()
        },
        Row {
            name: "basic §ResultType: absent under --strict",
            over: BOTH,
            peer: results(r#"{"content":[{"type":"text","text":"done"}]}"#),
            args: &["--protocol", "2026-07-28", "--strict", "call", "--no-check", "t"],
            expect: Expect {
                category: "protocol",
                reason: Some("strict"),
                exit: 7,
                warnings: &["result-type"],
                ..Expect::default()
            },
            ..Row::default()
        },
        invalid("basic §ResultType: unknown", CALL, "tools/call", r#"{"resultType":"partial","content":[]}"#),
        invalid("basic §ResultType: case counts", CALL, "tools/call", r#"{"resultType":"Complete","content":[]}"#),
        invalid("basic §ResultType: not a string", CALL, "tools/call", r#"{"resultType":1,"content":[]}"#),
        invalid("basic §ResultType: null", CALL, "tools/call", r#"{"resultType":null,"content":[]}"#),
        invalid("basic §ResultType: unknown, of a list", LIST, "tools/list", r#"{"resultType":"x","tools":[]}"#),
        invalid("mrtr: not of tools/list", LIST, "tools/list", ASKS),
        invalid("ext tasks: undeclared", CALL, "tools/call", TASK),
        invalid("ext tasks: not of prompts/get", PROMPT, "prompts/get", TASK),
        invalid("ext tasks: not of resources/read", READ, "resources/read", TASK),
    ]);
}

#[test]
fn errors_are_errors_on_any_status() {
    let rows: [(u16, i64, Value); 8] = [
        (404, -32601, Value::Null),
        (400, -32602, Value::Null),
        (400, -32020, Value::Null),
        (400, -32021, json!({"requiredCapabilities": {"elicitation": {"form": {}}}})),
        (400, -32022, json!({"supported": ["2027-01-01"], "requested": "2026-07-28"})),
        (200, -32603, json!({"k": 1})),
        (500, -32603, Value::Null),
        (200, -32042, Value::Null),
    ];
    for over in BOTH {
        for (status, code, data) in rows.clone() {
            let expected = data.clone();
            let script = modern_ok(move |request, conn| {
                let mut error = json!({"code": code, "message": "boom"});
                if !data.is_null() {
                    error["data"] = data.clone();
                }
                modern_error(request, conn, status, &error);
            });
            let args = ["--protocol", "2026-07-28", "request", "no/such", "--params", "{}"];
            let (run, server) = run_json(*over, script, &args);
            run.assert_category("rpc-error", None, 4);
            let document = document(&run);
            let wanted = if *over == Over::Http { json!(status) } else { Value::Null };
            let error = &document["error"];
            assert_eq!(
                (&error["http_status"], &error["code"], &error["data"]),
                (&wanted, &json!(code), &expected),
                "streamable-http §Sending Messages: the body decides, not the status"
            );
            assert_eq!(once(&server), Ok(()), "{}", server.describe());
        }
    }
}

#[test]
fn a_refusal_without_a_message_is_of_the_transport() {
    let row = |name, status: u16, kind: &'static str, body: &'static str| Row {
        name,
        over: HTTP,
        peer: peer(move |_, conn| conn.respond(status, &[("Content-Type", kind)], body)),
        args: CALL,
        expect: Expect {
            category: "transport",
            phase: "tools/call",
            reason: Some("http"),
            exit: 5,
            ..Expect::default()
        },
        seen: Some(once),
        ..Row::default()
    };
    check_rows(&[
        row("streamable-http: 404 without a message is a wrong path", 404, "text/html", "<h1>Not Found</h1>"),
        row("streamable-http: 404, empty", 404, "text/plain", ""),
        row("streamable-http: 405", 405, "text/plain", "no"),
        row("streamable-http: 400 in words", 400, "text/plain", "Bad Request"),
        row("streamable-http: 404, JSON that is no message", 404, "application/json", r#"{"detail":"Not Found"}"#),
    ]);
}

#[test]
fn a_hint_says_how_to_supply_a_missing_capability() {
    check_rows(&[Row {
        name: "basic §Error Codes: -32021",
        over: BOTH,
        peer: peer(|request, conn| {
            let data = json!({"requiredCapabilities": {"elicitation": {"form": {}}}});
            modern_error(request, conn, 400, &json!({"code": -32021, "message": "need", "data": data}));
        }),
        args: CALL,
        expect: Expect {
            category: "input-required",
            phase: "tools/call",
            exit: 10,
            stderr: &["-32021", "--answer"],
            ..Expect::default()
        },
        seen: Some(once),
        ..Row::default()
    }]);
}

#[test]
fn a_refused_version_is_asked_for_once_more() {
    const SUPPORTED: &str =
        r#"{"code":-32022,"message":"Unsupported","data":{"supported":["2026-07-28"],"requested":"2026-07-28"}}"#;
    const OTHER: &str =
        r#"{"code":-32022,"message":"Unsupported","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}"#;
    let refuses = |error: &'static str, times: usize| {
        let refusals = std::sync::atomic::AtomicUsize::new(0);
        peer(move |request, conn| {
            // A row runs twice, so the count begins anew after the answer.
            if refusals.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < times {
                return modern_error(request, conn, 400, &serde_json::from_str(error).unwrap());
            }
            refusals.store(0, std::sync::atomic::Ordering::SeqCst);
            conn.result(request, DONE);
        })
    };
    fn calls(server: &FakeServer, wanted: usize) -> Result<(), String> {
        fresh_ids(server)?;
        let got = server.rpc_methods();
        if got == vec!["tools/call"; wanted] { Ok(()) } else { Err(format!("{got:?}, not {wanted} calls")) }
    }
    let refused = |warnings| Expect {
        category: "rpc-error",
        phase: "tools/call",
        exit: 4,
        stderr: &["-32022", "Unsupported"],
        warnings,
        ..Expect::default()
    };
    let row = |name, over, peer, expect, seen| Row {
        name,
        over,
        peer,
        args: CALL,
        expect,
        seen: Some(seen),
        ..Row::default()
    };
    let rows = [HTTP, super::STDIO].map(|over| {
        [
            row(
                "versioning: -32022 that names the same version, then an answer",
                over,
                refuses(SUPPORTED, 1),
                Expect { warnings: &["protocol-version"], ..done() },
                |server: &FakeServer| calls(server, 2),
            ),
            row(
                "versioning: -32022 that names the same version, again and again",
                over,
                refuses(SUPPORTED, usize::MAX),
                refused(&["protocol-version"]),
                |server: &FakeServer| calls(server, 2),
            ),
            row(
                "versioning: -32022 that names another version",
                over,
                refuses(OTHER, usize::MAX),
                refused(&[]),
                |server: &FakeServer| calls(server, 1),
            ),
        ]
    });
    check_rows(&rows.concat());
}

#[test]
fn requests_of_a_server_are_never_answered() {
    for over in BOTH {
        let script = modern_ok(|request, conn| {
            for (id, method) in [("7", "ping"), (r#""e""#, "elicitation/create"), ("0", "roots/list")] {
                conn.push(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#));
            }
            conn.result(request, DONE);
        });
        let args =
            ["--protocol", "2026-07-28", "--answer", "accept", "--roots", "file:///r", "call", "--no-check", "t"];
        let (run, server) = run_json(*over, script, &args);
        run.assert_category("ok", None, 0);
        let warnings = document(&run)["warnings"].clone();
        let warnings: Vec<&str> = warnings.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(warnings, ["server-request"; 3], "basic/patterns: servers do not ask");
        assert_eq!(once(&server), Ok(()), "basic/patterns: a client MUST NOT send responses\n{}", server.describe());
    }
}

#[test]
fn what_is_not_known_is_ignored() {
    check_rows(&[
        Row {
            name: "basic §Notifications: unknown methods",
            over: BOTH,
            peer: peer(|request, conn| {
                conn.push(r#"{"jsonrpc":"2.0","method":"notifications/no/such","params":{"a":1}}"#);
                conn.push(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#);
                conn.push(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody","progress":1}}"#);
                conn.result(request, DONE);
            }),
            args: CALL,
            expect: done(),
            seen: Some(once),
            ..Row::default()
        },
        Row {
            name: "basic §Responses: an answer that nobody waits for",
            over: BOTH,
            peer: peer(|request, conn| {
                conn.push(r#"{"jsonrpc":"2.0","id":4711,"result":{"resultType":"complete"}}"#);
                conn.result(request, DONE);
            }),
            args: CALL,
            expect: Expect { warnings: &["unusable-message"], ..done() },
            seen: Some(once),
            ..Row::default()
        },
    ]);
}

#[test]
fn the_level_of_logs_is_of_the_request() {
    let levels = |flags: &[&str]| -> Vec<Value> {
        let args = [&["--protocol", "2026-07-28"], flags, &["call", "t"]].concat();
        let (run, server) = run_json(Over::Http, modern_ok(|request, conn| conn.result(request, DONE)), &args);
        run.assert_category("ok", None, 0);
        let meta = |request: &crate::support::Request| request.json()["params"]["_meta"].clone();
        server.requests().iter().map(|one| meta(one)["io.modelcontextprotocol/logLevel"].clone()).collect()
    };
    assert_eq!(levels(&[]), [Value::Null, Value::Null], "server/utilities/logging: nothing is asked for");
    assert_eq!(levels(&["--log-level", "warning"]), ["warning", "warning"]);
}

#[test]
fn who_the_server_is_stands_in_each_result() {
    let script = modern_ok(|request, conn| {
        let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "me", "version": "3"}});
        conn.result(request, &json!({"resultType": "complete", "content": [], "_meta": info}).to_string());
    });
    let (run, server) = run_json(Over::Http, script, CALL);
    let document = document(&run);
    assert_eq!((&document["server"]["name"], &document["server"]["version"]), (&json!("me"), &json!("3")));
    assert_eq!(document["server"]["protocol"], "2026-07-28");
    only(&server, "tools/call");
}

#[test]
fn a_raw_request_is_whole_too() {
    // What every request has (basic §_meta) is added to params without a `_meta`; the fake server checks it.
    let script = || modern_ok(|request, conn| conn.result(request, DONE));
    for params in [None, Some("{}"), Some(r#"{"name":"t","arguments":{}}"#)] {
        let mut args = vec!["--protocol", "2026-07-28", "request", "tools/call"];
        args.extend(params.into_iter().flat_map(|params| ["--params", params]));
        let (run, server) = run_json(Over::Http, script(), &args);
        run.assert_category("ok", None, 0);
        assert_eq!(all(&server, "tools/call").len(), 1);
    }
    // A `_meta` of the user's is the user's business, down to the header that mirrors it.
    let server = FakeServer::start(Over::Http, crate::support::script(|request, conn| conn.result(request, DONE)));
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}"#;
    let args = ["--protocol", "2026-07-28", "request", "x/y", "--params", meta];
    Sandbox::new().mcpcli(&server.args(&args)).run().assert_exit(0);
    let request = only(&server, "x/y");
    assert_eq!(request.header("MCP-Protocol-Version"), Some("2099-01-01"));
    assert_eq!(request.json()["params"], serde_json::from_str::<Value>(meta).unwrap());
}
