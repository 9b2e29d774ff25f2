//! `x-mcp-header`: arguments mirrored in headers, and tools that ask for it wrongly
//! (2026-07-28 basic/transports/streamable-http §Custom Headers).

use serde_json::{Value, json};

use super::{BOTH, DONE, HTTP, all, document, only, run_json, text_result, tool};
use crate::support::{
    Expect, FakeServer, ModernOk, Over, Peer, Request, Row, Script, check_rows, fresh_ids, modern_error,
};

/// A tool with arguments of every kind that can be mirrored.
fn sql() -> Value {
    tool(
        "sql",
        json!({
            "region": {"type": ["string", "null"], "x-mcp-header": "Region"},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "dry": {"type": "boolean", "x-mcp-header": "Dry-Run"},
            "where": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
            // A property of that name is no annotation.
            "x-mcp-header": {"type": "string", "default": {"x-mcp-header": ""}},
            "q": {"type": "string"}
        }),
    )
}

/// A server that takes the call only if its headers mirror the region (§Server Behavior for Custom Headers).
fn sql_server() -> Script {
    ModernOk::with_tools(json!([tool("other", json!({})), sql()])).then(|request, conn| {
        let region = request.json()["params"]["arguments"]["region"].as_str().map(str::to_owned);
        if request.header("Mcp-Param-Region").map(str::to_owned) == region {
            conn.result(request, DONE);
        } else {
            let error = json!({"code": -32020, "message": "Mcp-Param-Region does not mirror the body"});
            modern_error(request, conn, 400, &error);
        }
    })
}

/// The names and values of the mirrored arguments, sorted.
fn params(request: &Request) -> Vec<(String, String)> {
    let wanted = |name: &str| name.get(..10).is_some_and(|begin| begin.eq_ignore_ascii_case("mcp-param-"));
    let mut found: Vec<_> = request
        .headers
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, value)| (name[10..].to_ascii_lowercase(), value.clone()))
        .collect();
    found.sort();
    found
}

#[test]
fn arguments_are_mirrored() {
    type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);
    let rows: [Row; 8] = [
        (
            "§Client Behavior: string, integer, boolean, nested",
            r#"{"region":"us-west1","limit":5,"dry":false,"where":{"zone":"a"},"q":"x"}"#,
            &[("dry-run", "false"), ("limit", "5"), ("region", "us-west1"), ("zone", "a")],
        ),
        ("§Client Behavior: null has no header", r#"{"region":null,"q":"x"}"#, &[]),
        ("§Client Behavior: nor has what is absent", r#"{"where":{}}"#, &[]),
        ("§Value Encoding: the empty string is an empty value", r#"{"region":""}"#, &[("region", "")]),
        ("§Value Encoding: inner spaces", r#"{"region":"a  b"}"#, &[("region", "a  b")]),
        ("§Value Encoding: outer spaces", r#"{"region":" a "}"#, &[("region", "=?base64?IGEg?=")]),
        ("§Value Encoding: beyond ASCII", r#"{"region":"\u00fc"}"#, &[("region", "=?base64?w7w=?=")]),
        ("§Value Encoding: an integer in another form", r#"{"limit":-50e-1}"#, &[("limit", "-5")]),
    ];
    for (name, arguments, headers) in rows {
        let script = ModernOk::with_tools(json!([sql()])).then(|request, conn| conn.result(request, DONE));
        let args = ["--protocol", "2026-07-28", "call", "sql", "--args", arguments];
        let (run, server) = run_json(Over::Http, script, &args);
        run.assert_category("ok", None, 0);
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        assert_eq!(params(&only(&server, "tools/call")), headers, "{name}");
    }
}

#[test]
fn what_cannot_be_mirrored_is_not_sent() {
    let script = ModernOk::with_tools(json!([sql()])).then(|request, conn| conn.result(request, DONE));
    // 2^53 is not exact in a double, so §Schema Extension keeps it out.
    let args = ["--protocol", "2026-07-28", "call", "sql", "--args", r#"{"limit":9007199254740992}"#];
    let (run, server) = run_json(Over::Http, script, &args);
    run.assert_category("usage", "arguments", 2);
    assert!(all(&server, "tools/call").is_empty(), "{}", server.describe());
}

fn calls(server: &FakeServer, wanted: &[&str]) -> Result<(), String> {
    fresh_ids(server)?;
    let got = server.rpc_methods();
    if got == wanted { Ok(()) } else { Err(format!("{got:?} instead of {wanted:?}")) }
}

#[test]
fn a_header_mismatch_is_mended_once() {
    const ARGS: &[&str] = &["--protocol", "2026-07-28", "call", "--no-check", "sql", "region=eu"];
    let mismatch = |tools: Option<Value>| {
        Peer::Server(ModernOk { tools, ..ModernOk::default() }.then(|request, conn| {
            let error = json!({"code": -32020, "message": "headers differ"});
            modern_error(request, conn, 400, &error);
        }))
    };
    let refused = Expect {
        category: "rpc-error",
        phase: "tools/call",
        exit: 4,
        stderr: &["-32020", "headers differ", "HTTP 400"],
        ..Expect::default()
    };
    check_rows(&[
        Row {
            name: "§Client Behavior: -32020 → tools/list, then once more with the headers",
            over: HTTP,
            peer: Peer::Server(sql_server()),
            args: ARGS,
            expect: Expect { stdout: &["done"], ..Expect::default() },
            seen: Some(|server| calls(server, &["tools/call", "tools/list", "tools/call"])),
            ..Row::default()
        },
        Row {
            name: "§Client Behavior: -32020 again is reported, never asked a third time",
            over: HTTP,
            peer: mismatch(Some(json!([sql()]))),
            args: ARGS,
            expect: refused.clone(),
            seen: Some(|server| calls(server, &["tools/call", "tools/list", "tools/call"])),
            ..Row::default()
        },
        Row {
            name: "§Client Behavior: no list, no second call",
            over: HTTP,
            peer: mismatch(None),
            args: ARGS,
            expect: refused.clone(),
            seen: Some(|server| calls(server, &["tools/call", "tools/list"])),
            ..Row::default()
        },
        Row {
            name: "§Client Behavior: a tool that the list lacks is not called again",
            over: HTTP,
            peer: mismatch(Some(json!([tool("other", json!({}))]))),
            args: ARGS,
            expect: refused,
            seen: Some(|server| calls(server, &["tools/call", "tools/list"])),
            ..Row::default()
        },
        Row {
            name: "§Client Behavior: the mended call mirrors null by no header",
            over: HTTP,
            peer: Peer::Server(sql_server()),
            args: &["--protocol", "2026-07-28", "call", "--no-check", "sql", "region:=null"],
            expect: Expect { stdout: &["done"], ..Expect::default() },
            seen: Some(|server| calls(server, &["tools/call"])),
            ..Row::default()
        },
    ]);
}

/// Every way in which an annotation breaks a rule (§Schema Extension), as the tool that has it.
fn broken_tools() -> Vec<(&'static str, Value)> {
    let annotated = |kind: &str| json!({"type": kind, "x-mcp-header": "H"});
    let with = |name: Value| json!({"type": "string", "x-mcp-header": name});
    let schema = |name: &'static str, schema: Value| (name, json!({"name": name, "inputSchema": schema}));
    let properties = |name: &'static str, properties: Value| (name, tool(name, properties));
    vec![
        properties("empty", json!({"a": with(json!(""))})),
        properties("space", json!({"a": with(json!("a b"))})),
        properties("colon", json!({"a": with(json!("a:b"))})),
        properties("newline", json!({"a": with(json!("a\r\nEvil: 1"))})),
        properties("non-ascii", json!({"a": with(json!("é"))})),
        properties("not-a-string", json!({"a": with(json!(5))})),
        properties("null-name", json!({"a": with(Value::Null)})),
        properties("twice", json!({"a": with(json!("Region")), "b": with(json!("rEGION"))})),
        properties(
            "twice-nested",
            json!({"a": with(json!("X")), "b": {"type": "object", "properties": {"c": with(json!("x"))}}}),
        ),
        properties("number", json!({"a": annotated("number")})),
        properties("array", json!({"a": annotated("array")})),
        properties("object", json!({"a": annotated("object")})),
        properties("two-types", json!({"a": {"type": ["string", "integer"], "x-mcp-header": "H"}})),
        properties("no-type", json!({"a": {"x-mcp-header": "H"}})),
        properties("in-items", json!({"a": {"type": "array", "items": annotated("string")}})),
        properties("in-prefix-items", json!({"a": {"type": "array", "prefixItems": [annotated("string")]}})),
        properties("in-additional", json!({"a": {"type": "object", "additionalProperties": annotated("string")}})),
        properties(
            "in-property-of-one-of",
            json!({"a": {"type": "object", "oneOf": [{"properties": {"b": annotated("string")}}]}}),
        ),
        schema("in-one-of", json!({"type": "object", "oneOf": [{"properties": {"a": annotated("string")}}]})),
        schema("in-any-of", json!({"type": "object", "anyOf": [{"properties": {"a": annotated("string")}}]})),
        schema("in-all-of", json!({"type": "object", "allOf": [{"properties": {"a": annotated("string")}}]})),
        schema("in-not", json!({"type": "object", "not": {"properties": {"a": annotated("string")}}})),
        schema("in-if", json!({"type": "object", "if": {"properties": {"a": annotated("string")}}})),
        schema("in-then", json!({"type": "object", "then": {"properties": {"a": annotated("string")}}})),
        schema("in-else", json!({"type": "object", "else": {"properties": {"a": annotated("string")}}})),
        schema(
            "in-defs",
            json!({"type": "object", "$defs": {"d": annotated("string")}, "properties": {"a": {"$ref": "#/$defs/d"}}}),
        ),
        schema("in-pattern", json!({"type": "object", "patternProperties": {"a": annotated("string")}})),
        schema("root", json!({"type": "object", "x-mcp-header": "H"})),
    ]
}

fn broken_server() -> Script {
    let mut tools: Vec<Value> = broken_tools().into_iter().map(|(_, tool)| tool).collect();
    tools.insert(3, tool("good", json!({"a": {"type": "string", "x-mcp-header": "H"}})));
    ModernOk::with_tools(Value::from(tools)).then(|request, conn| conn.result(request, &text_result("done")))
}

#[test]
fn broken_annotations_drop_the_tool_over_http() {
    let (run, server) = run_json(Over::Http, broken_server(), &["--protocol", "2026-07-28", "list", "tools"]);
    run.assert_category("ok", None, 0);
    let document = document(&run);
    let names = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().map(|one| one["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(&document["result"]["tools"]), ["good"], "{}", run.describe());
    let wanted: Vec<&str> = broken_tools().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names(&document["dropped"]), wanted);
    for one in document["dropped"].as_array().unwrap() {
        assert!(!one["reasons"].as_array().unwrap().is_empty(), "{one}");
        assert!(one["definition"]["inputSchema"].is_object(), "the definition as it came: {one}");
    }
    let warned: Vec<&str> =
        document["warnings"].as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect();
    for name in wanted {
        assert!(warned.iter().any(|message| message.contains(name)), "no warning names {name}: {warned:?}");
    }
    assert!(document["warnings"].as_array().unwrap().iter().all(|one| one["id"] == "tool-dropped"));
    drop(server);
    let human = FakeServer::start(Over::Http, broken_server());
    let run = crate::support::Sandbox::new().mcpcli(&human.args(&["--protocol", "2026-07-28", "list"])).run();
    run.assert_exit(0);
    assert!(run.stderr.contains("warning[tool-dropped]"), "{}", run.describe());
    assert!(run.stdout_text().contains("good"), "{}", run.describe());
}

#[test]
fn a_dropped_tool_is_not_called_over_http() {
    for (name, definition) in broken_tools() {
        let tools = json!([tool("good", json!({})), definition]);
        let script = ModernOk::with_tools(tools).then(|request, conn| conn.result(request, DONE));
        let (run, server) = run_json(Over::Http, script, &["--protocol", "2026-07-28", "call", name]);
        run.assert_category("protocol", "result-shape", 7);
        assert_eq!(document(&run)["phase"], "tools/list", "{name}");
        assert_eq!(server.rpc_methods(), ["tools/list"], "{name}");
    }
    let (run, _server) = run_json(Over::Http, broken_server(), &["--protocol", "2026-07-28", "call", "good", "a=b"]);
    run.assert_category("ok", None, 0);
}

#[test]
fn broken_annotations_mean_nothing_over_stdio() {
    let (run, server) = run_json(Over::Stdio, broken_server(), &["--protocol", "2026-07-28", "list", "tools"]);
    run.assert_category("ok", None, 0);
    let list = document(&run);
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(broken_tools().len() + 1));
    assert_eq!(list["warnings"], json!([]), "{}", run.describe());
    drop(server);
    let (run, _server) = run_json(Over::Stdio, broken_server(), &["--protocol", "2026-07-28", "call", "number", "a=1"]);
    run.assert_category("ok", None, 0);
}

#[test]
fn other_eras_know_no_annotations() {
    // A legacy server that has them by chance: nothing is mirrored, nothing is dropped.
    let server = || {
        let tools: Vec<Value> = broken_tools().into_iter().map(|(_, tool)| tool).chain([sql()]).collect();
        let init = crate::support::InitOk { tools: Some(Value::from(tools)), ..Default::default() };
        init.then(|request, conn| conn.result(request, r#"{"content":[]}"#))
    };
    for over in BOTH {
        let (run, server) = run_json(*over, server(), &["call", "sql", "region=eu"]);
        run.assert_category("ok", None, 0);
        assert_eq!(document(&run)["warnings"], json!([]));
        let call = only(&server, "tools/call");
        assert!(params(&call).is_empty() && call.header("Mcp-Method").is_none(), "{:?}", call.headers);
    }
}
