//! Headers that mirror the body: `Mcp-Method`, `Mcp-Name` and how a value is written in one.

use serde_json::json;

use super::{CALL, DONE, HTTP, all, document, done, only, peer, run_json};
use crate::support::{Over, Row, check_rows, complete, decoded, fresh_ids, modern_ok};

/// A name as the user types it, and the header that it becomes.
const NAMES: [(&str, &str); 7] = [
    ("plain", "plain"),
    ("two  words", "two  words"),
    (" led", "=?base64?IGxlZA==?="),
    ("日本", "=?base64?5pel5pys?="),
    ("a\tb", "=?base64?YQli?="),
    ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
    ("50%", "50%"),
];

#[test]
fn value_encoding_of_names() {
    for (name, header) in NAMES {
        let args = ["--protocol", "2026-07-28", "call", "--no-check", "--", name];
        let (run, server) = run_json(Over::Http, modern_ok(|request, conn| conn.result(request, DONE)), &args);
        run.assert_category("ok", None, 0);
        let call = only(&server, "tools/call");
        assert_eq!(call.header("Mcp-Name"), Some(header), "§Value Encoding of {name:?}");
        assert_eq!(call.json()["params"]["name"], name);
    }
}

#[test]
fn value_encoding_of_uris_and_prompts() {
    let script = || {
        modern_ok(|request, conn| match request.rpc_method().as_str() {
            "resources/read" => {
                let contents = json!([{"uri": "x:y", "text": "done"}]);
                conn.result(request, &complete(json!({"contents": contents}), true));
            }
            _ => conn.result(request, &complete(json!({"messages": []}), false)),
        })
    };
    let uri = "file:///a%20b/c?id=1&x=%C3%BC#frag";
    let (run, server) = run_json(Over::Http, script(), &["--protocol", "2026-07-28", "read", uri]);
    run.assert_category("ok", None, 0);
    assert_eq!(only(&server, "resources/read").header("Mcp-Name"), Some(uri), "verbatim, nothing decoded");
    let uri = "file:///ü b";
    let (run, server) = run_json(Over::Http, script(), &["--protocol", "2026-07-28", "read", uri]);
    run.assert_category("ok", None, 0);
    let request = only(&server, "resources/read");
    assert_eq!(request.json()["params"]["uri"], uri, "the body has what the user gave");
    assert_eq!(decoded(request.header("Mcp-Name").unwrap()).as_deref(), Ok(uri));
    let args = ["--protocol", "2026-07-28", "get", "--no-check", "grüß Gott"];
    let (run, server) = run_json(Over::Http, script(), &args);
    run.assert_category("ok", None, 0);
    assert_eq!(only(&server, "prompts/get").header("Mcp-Name"), Some("=?base64?Z3LDvMOfIEdvdHQ=?="));
}

#[test]
fn no_name_where_there_is_none() {
    let script = modern_ok(|request, conn| {
        conn.result(request, &complete(json!({"completion": {"values": ["a"]}, "prompts": []}), false));
    });
    let args = ["--protocol", "2026-07-28", "list", "prompts"];
    let (run, server) = run_json(Over::Http, script, &args);
    document(&run);
    assert!(all(&server, "prompts/list").iter().all(|request| request.header("Mcp-Name").is_none()));
}

#[test]
fn both_types_of_answers() {
    check_rows(&[
        Row {
            name: "streamable-http §Sending Messages: an answer as JSON",
            over: HTTP,
            peer: peer(|request, conn| conn.result(request, DONE)),
            args: CALL,
            expect: done(),
            seen: Some(fresh_ids),
            ..Row::default()
        },
        Row {
            name: "streamable-http §Receiving Messages: the end of a stream; comments and empty events are nothing",
            over: HTTP,
            peer: peer(|request, conn| {
                conn.sse_head(200, &[]);
                conn.raw(": keep-alive\n\nid: 7\ndata:\n\n:\r\n\r\n");
                conn.event(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{DONE}}}"#, request.id()));
                conn.close();
            }),
            args: CALL,
            expect: done(),
            seen: Some(fresh_ids),
            ..Row::default()
        },
    ]);
}
