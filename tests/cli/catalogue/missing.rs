//! Lists, tools, resources and prompts that are not there.

use super::{ALL, CALL, ENDS, HTTP, MODERN, check_rows, count, fails, good, http, peer, row};
use crate::support::{Conn, Expect, InitOk, ModernOk, Peer, Request, Row, complete};

pub(super) fn rows() -> Vec<Row> {
    [missing_lists(), unknown_tools()].concat()
}

#[test]
fn lists_and_tools_that_are_not_there() {
    check_rows(&[missing_lists(), unknown_tools()].concat());
}

/// A server that advertises these capabilities and answers lists by this.
fn advertising(capabilities: serde_json::Value, lists: fn(&Request, &mut Conn)) -> Peer {
    Peer::Server(InitOk { capabilities, ..InitOk::default() }.then(lists))
}

fn some_lists(request: &Request, conn: &mut Conn) {
    match request.rpc_method().as_str() {
        "resources/list" => conn.result(request, r#"{"resources":[{"uri":"x:y","name":"good one"}]}"#),
        "resources/templates/list" => conn.error(request, -32601, "Method not found"),
        _ => conn.error(request, -32001, "unsupported method"),
    }
}

fn missing_lists() -> Vec<Row> {
    const EVERYTHING: &[&str] = &["--timeout", "8s", "list"];
    const PROMPTS: &[&str] = &["--timeout", "8s", "list", "prompts"];
    let parts = || serde_json::json!({"tools": {}, "resources": {}, "prompts": {}});
    let shown = &["echo", "good one"];
    vec![
        row(
            "RPC-12 parts that are not there",
            ALL,
            advertising(parts(), some_lists),
            EVERYTHING,
            Expect { stdout: shown, warnings: &["list-unavailable", "list-unavailable"], ..Expect::default() },
        ),
        row(
            "RPC-12 parts that are not there, without a handshake",
            ENDS,
            Peer::Server(ModernOk { capabilities: parts(), ..ModernOk::default() }.then(|request, conn| {
                match request.rpc_method().as_str() {
                    "resources/list" => conn.result(
                        request,
                        &complete(serde_json::json!({"resources": [{"uri": "x:y", "name": "good one"}]}), true),
                    ),
                    _ => conn.error(request, -32601, "Method not found"),
                }
            })),
            &["--protocol", "2026-07-28", "--timeout", "8s", "list"],
            Expect {
                stdout: &["Does as the script says", "good one"],
                warnings: &["list-unavailable", "list-unavailable"],
                ..Expect::default()
            },
        ),
        Row {
            seen: Some(|server| match count(server, "prompts/list") + count(server, "resources/list") {
                0 => Ok(()),
                _ => Err("what is not advertised was asked for".to_owned()),
            }),
            ..row(
                "RPC-12 parts that are not advertised",
                ALL,
                advertising(serde_json::json!({"tools": {}}), some_lists),
                EVERYTHING,
                Expect { stdout: &["echo"], ..Expect::default() },
            )
        },
        row(
            "RPC-12 a part that was asked for",
            ALL,
            advertising(parts(), some_lists),
            PROMPTS,
            fails("rpc-error", "", 4, "prompts/list", &["unsupported method", "-32001"]),
        ),
        row(
            "RPC-12 a part that was asked for and is not advertised",
            ENDS,
            advertising(serde_json::json!({"tools": {}}), some_lists),
            PROMPTS,
            fails("rpc-error", "", 4, "prompts/list", &["-32001", "does not advertise"]),
        ),
        row(
            "RPC-12 a part that fails otherwise",
            ENDS,
            advertising(parts(), |request, conn| match request.rpc_method().as_str() {
                "prompts/list" => conn.error(request, -32603, "the database is away"),
                _ => some_lists(request, conn),
            }),
            EVERYTHING,
            Expect {
                stdout: shown,
                warnings: &["list-unavailable"],
                ..fails("rpc-error", "", 4, "prompts/list", &["the database is away", "-32603"])
            },
        ),
        row(
            "RPC-12 a part whose transport fails",
            HTTP,
            advertising(parts(), |request, conn| match request.rpc_method().as_str() {
                "resources/list" => conn.respond(502, &[], "bad gateway"),
                _ => conn.result(request, r#"{"prompts":[{"name":"good prompt"}],"resourceTemplates":[]}"#),
            }),
            EVERYTHING,
            Expect { stdout: &["echo", "good prompt"], ..http("resources/list", &["HTTP 502"]) },
        ),
        row(
            "RPC-12 capabilities that are null or false",
            ENDS,
            advertising(serde_json::json!({"tools": {}, "resources": null, "prompts": false}), some_lists),
            EVERYTHING,
            Expect { stdout: &["echo"], ..Expect::default() },
        ),
    ]
}

fn unknown_tools() -> Vec<Row> {
    let answered = |code: i64, message: &'static str| peer(move |request, conn| conn.error(request, code, message));
    vec![
        row(
            "RPC-13 an error -32602",
            ALL,
            answered(-32602, "Unknown tool: t"),
            CALL,
            fails("rpc-error", "", 4, "tools/call", &["Unknown tool: t", "-32602"]),
        ),
        row(
            "RPC-13 an error -32601",
            ENDS,
            answered(-32601, "Unknown tool: t"),
            CALL,
            fails("rpc-error", "", 4, "tools/call", &["Unknown tool: t", "-32601"]),
        ),
        row(
            "RPC-13 a result",
            ALL,
            super::results(r#"{"content":[{"type":"text","text":"Unknown tool: t"}],"isError":true}"#),
            CALL,
            fails("tool-error", "", 3, "tools/call", &["Unknown tool: t"]),
        ),
        row(
            "RPC-13 a prefix on a prefix",
            ENDS,
            answered(-32602, "MCP error -32602: MCP error -32602: Unknown tool: t"),
            CALL,
            Expect {
                stderr_not: &["MCP error -32602: MCP error -32602: MCP"],
                ..fails("rpc-error", "", 4, "tools/call", &["MCP error -32602: MCP error -32602: Unknown tool: t"])
            },
        ),
        Row {
            seen: Some(|server| match count(server, "tools/call") {
                0 => Ok(()),
                _ => Err("it was sent".to_owned()),
            }),
            ..row(
                "RPC-13 not on the list",
                ALL,
                peer(|request, conn| conn.message(&good(request))),
                &["--timeout", "8s", "call", "ecco"],
                fails("usage", "unknown-name", 2, "", &["ecco", "echo", "nothing was sent"]),
            )
        },
        row(
            "RPC-13 an error without a handshake",
            ENDS,
            answered_modern(),
            MODERN,
            fails("rpc-error", "", 4, "tools/call", &["Unknown tool: t", "-32602"]),
        ),
        row(
            "RPC-13 an unknown resource",
            ENDS,
            answered(-32002, "Resource not found"),
            &["--timeout", "8s", "read", "x:y"],
            fails("rpc-error", "", 4, "resources/read", &["Resource not found", "-32002"]),
        ),
    ]
}

fn answered_modern() -> Peer {
    Peer::Server(ModernOk::default().then(|request, conn| conn.error(request, -32602, "Unknown tool: t")))
}
