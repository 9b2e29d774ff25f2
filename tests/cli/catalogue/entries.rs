//! Entries of lists: those that are not what they should be, nulls, names.

use serde_json::{Value, json};

use super::lists::paged;
use super::{CALL, ENDS, HTTP, TEXT, all, check_rows, done, fails, good, protocol, row, warned};
use crate::support::{Expect, FakeServer, InitOk, Over, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [entries(), nulls(), names()].concat()
}

#[test]
fn entries_that_are_odd() {
    check_rows(&[entries(), nulls()].concat());
}

#[test]
fn names_as_they_are() {
    check_rows(&names());
}

/// Twelve tools, one of them good.
fn zoo() -> Value {
    json!([
        {"name": "good", "inputSchema": {"type": "object"}},
        {"name": "no_schema"},
        {"name": "null_schema", "inputSchema": null},
        {"name": "empty_schema", "inputSchema": {}},
        {"name": "text_schema", "inputSchema": "{\"type\":\"object\"}"},
        {"name": "any_of", "inputSchema": {"anyOf": [{"type": "object"}]}},
        {"name": "bad_output", "inputSchema": {"type": "object"}, "outputSchema": {"type": "strange"}},
        {"name": "dangling", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/X"}}}},
        {"name": "recursive", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#"}}}},
        {"name": "pointing", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}},
        {"description": "no name", "inputSchema": {"type": "object"}},
        7
    ])
}

fn with_zoo() -> Peer {
    Peer::Server(InitOk { tools: Some(zoo()), ..InitOk::default() }.then(|request, conn| conn.message(&good(request))))
}

/// The argument went out as it was typed.
fn sent_as_text(server: &FakeServer) -> Result<(), String> {
    let all = server.requests();
    let call = all.iter().find(|one| one.rpc_method() == "tools/call").map(Request::json).unwrap_or_default();
    if call["params"]["arguments"]["a"] == "5" { Ok(()) } else { Err(call.to_string()) }
}

fn entries() -> Vec<Row> {
    const DEFECTS: &[&str] = &[
        "input-schema",
        "input-schema",
        "input-schema",
        "input-schema",
        "input-schema",
        "output-schema",
        "input-schema",
        "list-entry",
        "list-entry",
    ];
    const NAMES: &[&str] = &[
        "good",
        "no_schema",
        "null_schema",
        "empty_schema",
        "text_schema",
        "any_of",
        "bad_output",
        "dangling",
        "recursive",
        "pointing",
        "no name",
    ];
    let call =
        |name, args| Row { seen: Some(sent_as_text), ..row(name, HTTP, with_zoo(), args, warned(&["input-schema"])) };
    vec![
        row(
            "LST-03 none hides the others",
            ENDS,
            with_zoo(),
            super::TOOLS,
            Expect { stdout: NAMES, warnings: DEFECTS, ..Expect::default() },
        ),
        call("LST-03 a tool without a schema", &["--timeout", "8s", "call", "no_schema", "a=5"]),
        call("LST-03 a tool whose schema is a text", &["--timeout", "8s", "call", "text_schema", "a=5"]),
        call("LST-03 a tool whose schema points nowhere", &["--timeout", "8s", "call", "dangling", "a=5"]),
        row(
            "LST-03 a schema that holds itself",
            HTTP,
            with_zoo(),
            &["describe", "recursive"],
            Expect { stdout: &["recursive"], ..Expect::default() },
        ),
        row(
            "LST-03 a schema that points nowhere",
            HTTP,
            with_zoo(),
            &["describe", "dangling"],
            Expect { stdout: &["dangling", "is not in the schema"], ..Expect::default() },
        ),
        row(
            "LST-03 the strict way",
            HTTP,
            with_zoo(),
            &["--strict", "list", "tools"],
            Expect { stdout: NAMES, warnings: DEFECTS, ..protocol("strict", "tools/list", &["input-schema"]) },
        ),
        row(
            "LST-03 a resource without a URI",
            HTTP,
            paged(|_| json!({"resources": [{"name": "no uri"}, {"uri": "x:y"}]})),
            &["list", "resources"],
            Expect { stdout: &["no uri", "x:y"], warnings: &["list-entry"], ..Expect::default() },
        ),
    ]
}

fn nulls() -> Vec<Row> {
    let everywhere = || {
        all(|request, conn| {
            let result = match request.rpc_method().as_str() {
                "initialize" => json!({
                    "protocolVersion": "2025-11-25", "instructions": null, "_meta": null,
                    "capabilities": {"tools": {"listChanged": null}, "resources": {}, "prompts": {}, "logging": null},
                    "serverInfo": {"name": "fake", "version": "1", "title": null, "icons": null, "websiteUrl": null}
                }),
                "tools/list" => json!({"nextCursor": null, "_meta": null, "tools": [{
                    "name": "t", "title": null, "description": null, "inputSchema": {"type": "object"},
                    "outputSchema": null, "icons": null, "_meta": null, "annotations": {"readOnlyHint": null, "title": null}
                }, {"name": "u", "annotations": null, "inputSchema": {"type": "object"}}]}),
                "resources/list" => json!({"resources": [{
                    "uri": "x:y", "name": "r", "title": null, "description": null, "mimeType": null, "size": null, "annotations": null
                }]}),
                "resources/templates/list" => {
                    json!({"resourceTemplates": [{"uriTemplate": "x:{a}", "name": "r", "mimeType": null}]})
                }
                "prompts/list" => {
                    json!({"prompts": [{"name": "p", "title": null, "description": null, "arguments": null}, {
                        "name": "q", "arguments": [{"name": "a", "description": null, "required": null}]
                    }]})
                }
                "prompts/get" => json!({"description": null, "messages": [
                    {"role": "user", "content": {"type": "text", "text": TEXT, "annotations": null, "_meta": null}}
                ]}),
                "resources/read" => {
                    json!({"contents": [{"uri": "x:y", "mimeType": null, "text": TEXT, "blob": null, "_meta": null}]})
                }
                "ping" => json!([]),
                _ => json!({"isError": null, "_meta": null, "content": [
                    {"type": "text", "text": TEXT, "annotations": null, "_meta": null}
                ]}),
            };
            conn.result(request, &result.to_string());
        })
    };
    vec![
        row("LST-04 in a result", ENDS, everywhere(), CALL, done()),
        row("LST-04 in a tool that is looked up", HTTP, everywhere(), &["--timeout", "8s", "call", "t"], done()),
        typed(
            "LST-04 in a schema: no required arguments",
            json!({"properties": {"n": {"type": "integer"}}, "required": null}),
        ),
        typed(
            "LST-04 in a schema: no definitions",
            json!({"properties": {"n": {"type": "integer", "description": null, "enum": null}}, "$defs": null}),
        ),
        row(
            "LST-04 in lists",
            ENDS,
            everywhere(),
            &["--timeout", "8s", "list"],
            Expect { stdout: &["x:y", "x:{a}", "q"], ..Expect::default() },
        ),
        row("LST-04 in a resource", HTTP, everywhere(), &["--timeout", "8s", "read", "x:y"], done()),
        row("LST-04 in a prompt", HTTP, everywhere(), &["--timeout", "8s", "get", "q"], done()),
        row(
            "LST-04 in the handshake",
            ENDS,
            everywhere(),
            &["--timeout", "8s", "info"],
            Expect { stdout: &["fake"], ..Expect::default() },
        ),
        row("LST-04 an array for a ping", ENDS, everywhere(), &["--timeout", "8s", "ping"], Expect::default()),
    ]
}

/// A call of a tool whose schema is this and more: its argument `n` is an integer all the same.
fn typed(name: &'static str, mut schema: Value) -> Row {
    schema["type"] = json!("object");
    let tools = json!([{"name": "t", "inputSchema": schema}]);
    let peer = InitOk { tools: Some(tools), ..InitOk::default() }.then(|request, conn| conn.message(&good(request)));
    Row {
        seen: Some(|server| {
            let all = server.requests();
            let call = all.iter().find(|one| one.rpc_method() == "tools/call").map(Request::json).unwrap_or_default();
            if call["params"]["arguments"]["n"] == 5 { Ok(()) } else { Err(call.to_string()) }
        }),
        ..row(name, HTTP, Peer::Server(peer), &["--timeout", "8s", "call", "t", "n=5"], done())
    }
}

/// The name of the tool that was called.
fn called(server: &FakeServer, wanted: &str) -> Result<(), String> {
    let all = server.requests();
    let call = all.iter().find(|one| one.rpc_method() == "tools/call").map(Request::json).unwrap_or_default();
    if call["params"]["name"] == wanted { Ok(()) } else { Err(format!("called {}", call["params"]["name"])) }
}

fn names() -> Vec<Row> {
    let odd = || {
        let names = ["a.b/c", "x y", "__init", "-v", "名前", "a:b", " edge ", "k=v", "dup", "dup"];
        let tools: Vec<Value> =
            names.iter().map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
        Peer::Server(
            InitOk { tools: Some(Value::from(tools)), ..InitOk::default() }
                .then(|request, conn| conn.message(&good(request))),
        )
    };
    let call = |name, args, seen| Row { seen: Some(seen), ..row(name, HTTP, odd(), args, done()) };
    vec![
        call("LST-05 dots and slashes", &["call", "a.b/c"], |server| called(server, "a.b/c")),
        call("LST-05 a space", &["call", "x y"], |server| called(server, "x y")),
        call("LST-05 other letters", &["call", "名前"], |server| called(server, "名前")),
        call("LST-05 spaces around", &["call", " edge "], |server| called(server, " edge ")),
        call("LST-05 an equals sign", &["call", "k=v"], |server| called(server, "k=v")),
        Row {
            over: &[Over::Http, Over::Sse],
            ..call("LST-05 a dash in front", &["call", "--", "-v"], |server| called(server, "-v"))
        },
        call("LST-05 one of two", &["call", "dup"], |server| called(server, "dup")),
        row(
            "LST-05 all of them",
            ENDS,
            odd(),
            super::TOOLS,
            Expect {
                stdout: &["a.b/c", "x y", "__init", "-v", "名前", "dup"],
                warnings: &["duplicate-name"],
                ..Expect::default()
            },
        ),
        row(
            "LST-05 nearly the name",
            HTTP,
            odd(),
            &["call", "A.B/C"],
            fails("usage", "unknown-name", 2, "", &["A.B/C", "a.b/c"]),
        ),
    ]
}
