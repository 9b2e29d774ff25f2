//! Values to the last digit, deep nesting, large output, arguments of prompts.

use serde_json::json;

use super::{CALL, ENDS, HTTP, SHORT, check_rows, done, fails, good, peer, protocol, row, warned};
use crate::support::{Expect, FakeServer, InitOk, Over, Peer, Request, Row, Sandbox, init_ok};

pub(super) fn rows() -> Vec<Row> {
    [keys(), depths(), prompt_arguments()].concat()
}

#[test]
fn keys_and_depths() {
    check_rows(&[keys(), depths()].concat());
}

#[test]
fn arguments_of_prompts() {
    check_rows(&prompt_arguments());
}

const NUMBERS: &str = r#"{"z":123456789012345678901234567890,"a":9007199254740993,"d":1.10,"e":1E2,"a2":-0.0}"#;

fn keys() -> Vec<Row> {
    let duplicate = |name, text, stderr| {
        row(name, HTTP, super::answers(text), CALL, Expect { stderr, ..warned(&["duplicate-key"]) })
    };
    let envelope = |name, text, stderr| {
        row(name, ENDS, super::answers(text), SHORT, protocol("not-json-rpc", "tools/call", stderr))
    };
    vec![
        row(
            "RES-08 numbers as they came",
            HTTP,
            peer(|request, conn| conn.result(request, &format!(r#"{{"content":[],"structuredContent":{NUMBERS}}}"#))),
            CALL,
            Expect {
                stdout: &["123456789012345678901234567890", "9007199254740993", "1.10", "1E2", "-0.0"],
                ..Expect::default()
            },
        ),
        Row {
            seen: Some(|server| {
                match server
                    .requests()
                    .iter()
                    .any(|one| one.text().contains(r#""id":123456789012345678901234567890,"d":1.10"#))
                {
                    true => Ok(()),
                    false => Err("the arguments went out otherwise".to_owned()),
                }
            }),
            ..row(
                "RES-08 arguments as they were typed",
                ENDS,
                peer(|request, conn| conn.message(&good(request))),
                &["call", "--no-check", "t", "id:=123456789012345678901234567890", "d:=1.10"],
                done(),
            )
        },
        duplicate(
            "RES-08 a key twice",
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"好🙂 done"}],"structuredContent":{"a":1,"a":2}}}"#,
            &["/structuredContent/a"],
        ),
        envelope("RES-08 the id twice", r#"{"jsonrpc":"2.0","id":ID,"id":7,"result":{"content":[]}}"#, &["id"]),
        envelope(
            "RES-08 the result twice",
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"result":{"content":[{"type":"text","text":"other"}]}}"#,
            &["result"],
        ),
    ]
}

/// The text of a result with a value this deep in it.
fn nested(depth: usize) -> String {
    let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    format!(r#"{{"content":[{{"type":"text","text":"{}"}}],"structuredContent":{{"deep":{deep}}}}}"#, super::TEXT)
}

/// A server whose answer holds something this deep.
fn deep(depth: usize) -> Peer {
    peer(move |request, conn| conn.result(request, &nested(depth)))
}

fn depths() -> Vec<Row> {
    let too_deep = |phase| protocol("too-deep", phase, &["deeper than"]);
    vec![
        row("RES-10 100 levels", ENDS, deep(100), CALL, done()),
        row("RES-10 100000 levels", ENDS, deep(100_000), CALL, too_deep("tools/call")),
        row(
            "RES-10 100000 levels in an error",
            HTTP,
            peer(|request, conn| {
                let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
                let id = request.id();
                conn.message(&format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32050,"message":"boom","data":{deep}}}}}"#
                ));
            }),
            CALL,
            too_deep("tools/call"),
        ),
        row(
            "RES-10 100000 levels without an end",
            HTTP,
            peer(|request, conn| {
                let id = request.id();
                conn.message(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{}"#, "{\"a\":".repeat(100_000)));
            }),
            CALL,
            protocol("not-json", "tools/call", &["not JSON"]),
        ),
        row(
            "RES-10 a schema of 500 levels is called",
            HTTP,
            deep_schema(),
            &["--timeout", "8s", "call", "t", "a=5"],
            done(),
        ),
        row(
            "RES-10 a handshake of 100000 levels",
            HTTP,
            super::all(|request, conn| conn.result(request, &nested(100_000))),
            CALL,
            too_deep("initialize"),
        ),
    ]
}

/// A server with a tool whose schema is 500 levels deep.
fn deep_schema() -> Peer {
    let mut inner = json!({"type": "string"});
    for _ in 0..500 {
        inner = json!({"type": "object", "properties": {"a": inner}});
    }
    let tools =
        json!([{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}, "b": inner}}}]);
    Peer::Server(InitOk { tools: Some(tools), ..InitOk::default() }.then(|request, conn| {
        match request.rpc_method().as_str() {
            "tools/call" => conn.message(&good(request)),
            _ => conn.error(request, -32601, "no"),
        }
    }))
}

/// Deeper than what a reader of JSON that is used in tests takes by itself.
#[test]
fn five_hundred_levels_are_shown() {
    for over in [Over::Http, Over::Stdio] {
        let server = FakeServer::start(over, init_ok(|request, conn| conn.result(request, &nested(500))));
        let run = Sandbox::new().mcpcli(&server.args(&["--json", "call", "--no-check", "t"])).run();
        run.assert_exit(0);
        assert!(run.stdout_text().contains(&format!("{}{}", "[".repeat(500), "]".repeat(500))), "{}", run.describe());
    }
    let Peer::Server(script) = deep_schema() else { panic!("a server") };
    let server = FakeServer::start(Over::Http, script);
    for args in [["list", "tools"], ["describe", "t"]] {
        let run = Sandbox::new().mcpcli(&server.args(&args)).run();
        run.assert_exit(0);
        assert!(!run.stdout.is_empty(), "{}", run.describe());
    }
}

/// RES-08: the document holds the very text of the result.
#[test]
fn the_document_holds_the_very_text() {
    let result = format!(r#"{{"content":[],"structuredContent":{NUMBERS},"_meta":{{"b":null,"a":[]}}}}"#);
    let text = result.clone();
    let server = FakeServer::start(Over::Http, init_ok(move |request, conn| conn.result(request, &text)));
    for form in ["--output=json", "--output=raw"] {
        let run = Sandbox::new().mcpcli(&server.args(&[form, "call", "--no-check", "t"])).run();
        run.assert_exit(0);
        assert!(run.stdout_text().contains(&result), "{}", run.describe());
    }
}

/// RES-13: no byte of a large output is lost, and who does not want it all is left in peace.
#[cfg(unix)]
#[test]
fn large_output_reaches_whoever_reads_it() {
    const SIZE: usize = 5 * 1024 * 1024;
    let text = format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, "a".repeat(SIZE));
    let script = InitOk { session: Some("A".to_owned()), ..InitOk::default() }
        .then(move |request, conn| conn.result(request, &text));
    for (shell, exit, printed) in [
        ("\"$@\"", 0, SIZE),
        ("\"$@\" | { sleep 0.3; cat; }", 0, SIZE),
        ("{ \"$@\"; echo \"exit $?\" >&2; } | head -c 10", 0, 10),
        ("\"$@\" > /dev/full", 1, 0),
    ] {
        let server = FakeServer::start(Over::Http, script.clone());
        let mut args =
            vec!["-c".to_owned(), shell.to_owned(), "sh".to_owned(), env!("CARGO_BIN_EXE_mcpcli").to_owned()];
        args.extend(server.args(&["call", "--no-check", "t"]));
        let run = Sandbox::new().mcpcli::<&str>(&[]).program("/bin/sh", &args).run();
        assert_eq!(run.stdout.len(), printed, "{shell}");
        assert!(!run.stderr.contains("panicked"), "{shell}: {}", run.stderr);
        if shell.contains("head") {
            assert!(run.stderr.contains("exit 0"), "{shell}: {}", run.stderr);
        } else if exit == 0 {
            assert_eq!(run.status, Some(0), "{shell}: {}", run.stderr);
        } else {
            assert_ne!(run.status, Some(0), "{shell}: a full disk is a failure");
            assert!(!run.stderr.is_empty(), "{shell}: and it is told");
        }
        assert!(server.requests().iter().any(|one| one.method == "DELETE"), "{shell}: the session was closed");
    }
}

/// The arguments of the prompt went out like this.
fn got(server: &FakeServer, wanted: &serde_json::Value) -> Result<(), String> {
    let all = server.requests();
    let get = all.iter().find(|one| one.rpc_method() == "prompts/get").map(Request::json).unwrap_or_default();
    if get["params"]["arguments"] == *wanted { Ok(()) } else { Err(get["params"].to_string()) }
}

fn prompt_arguments() -> Vec<Row> {
    const PROMPT: &str = r#"{"prompts":[{"name":"p","arguments":[{"name":"n","required":true},{"name":"flag"}]}]}"#;
    let prompts = || {
        Peer::Server(InitOk { capabilities: json!({"prompts": {}}), ..InitOk::default() }.then(|request, conn| {
            match request.rpc_method().as_str() {
                "prompts/list" => conn.result(request, PROMPT),
                _ => conn.message(&good(request)),
            }
        }))
    };
    vec![
        Row {
            seen: Some(|server| {
                got(
                    server,
                    &json!({"n": "5", "flag": "true", "empty": "", "text": "two words", "j": "{\"a\":1}", "e": "1e5"}),
                )
            }),
            ..row(
                "RES-14 everything is a text",
                ENDS,
                prompts(),
                &["get", "--no-check", "p", "n=5", "flag=true", "empty=", "text=two words", r#"j={"a":1}"#, "e=1e5"],
                done(),
            )
        },
        Row {
            seen: Some(|server| got(server, &json!({"n": "007", "flag": ""}))),
            ..row(
                "RES-14 everything is a text where the prompt is known",
                HTTP,
                prompts(),
                &["get", "p", "n=007", "flag="],
                done(),
            )
        },
        Row {
            seen: Some(|server| {
                if server.rpc_methods().iter().any(|one| one == "prompts/get") {
                    Err("it was sent".to_owned())
                } else {
                    Ok(())
                }
            }),
            ..row(
                "RES-14 no JSON",
                HTTP,
                prompts(),
                &["get", "p", "n:=5"],
                fails("usage", "arguments", 2, "", &["n", "string"]),
            )
        },
        row(
            "RES-14 an argument that is missing",
            HTTP,
            Peer::Server(InitOk { capabilities: json!({"prompts": {}}), ..InitOk::default() }.then(|request, conn| {
                match request.rpc_method().as_str() {
                    "prompts/list" => conn.result(request, PROMPT),
                    _ => conn.error(request, -32602, "Missing required arguments"),
                }
            })),
            &["get", "p", "flag=x"],
            fails("rpc-error", "", 4, "prompts/get", &["Missing required arguments", "n"]),
        ),
    ]
}
