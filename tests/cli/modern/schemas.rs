//! Lists and schemas of 2026-07-28: every page, any value, kept to the byte, and nothing fetched.

use serde_json::{Value, json};

use super::{BOTH, document, run_json, tool};
use crate::support::{ModernOk, Over, complete};

#[test]
fn an_empty_cursor_is_a_cursor() {
    let script = || {
        ModernOk { tools: None, ..ModernOk::default() }.then(|request, conn| {
            let page = match request.json()["params"]["cursor"].as_str() {
                None => json!({"tools": [tool("one", json!({}))], "nextCursor": ""}),
                Some("") => json!({"tools": [tool("two", json!({}))], "nextCursor": "é\""}),
                Some("é\"") => json!({"tools": [tool("three", json!({}))]}),
                other => panic!("the cursor {other:?}"),
            };
            conn.result(request, &complete(page, true));
        })
    };
    for over in BOTH {
        let (run, server) = run_json(*over, script(), &["--protocol", "2026-07-28", "list", "tools"]);
        run.assert_category("ok", None, 0);
        let document = document(&run);
        let tools: Vec<&Value> =
            document["result"]["tools"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(tools, ["one", "two", "three"], "server/utilities/pagination: MUST NOT be taken for the end");
        assert_eq!(document["warnings"], json!([]));
        let first = &server.requests()[0];
        assert!(first.json()["params"].get("cursor").is_none(), "{}", first.text());
    }
}

#[test]
fn structured_content_is_any_value() {
    for value in ["[1,2]", "\"x\"", "1.50", "true", "null", "{}"] {
        let text = format!(r#"{{"resultType":"complete","content":[],"structuredContent":{value}}}"#);
        let tools = json!([{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {}}]);
        let script = ModernOk::with_tools(tools).then(move |request, conn| conn.result(request, &text));
        let (run, _server) = run_json(Over::Http, script, &["--protocol", "2026-07-28", "call", "t"]);
        run.assert_category("ok", None, 0);
        assert_eq!(document(&run)["warnings"], json!([]), "server/tools §Structured Content: {value}");
        assert!(run.stdout_text().contains(&format!(r#""structuredContent":{value}"#)), "{}", run.describe());
    }
    // Checked against any schema, not only against those of objects; absent and null differ.
    let rows = [("[1]", true), ("[\"a\"]", false), ("null", false)];
    for (value, fits) in rows {
        let text = format!(r#"{{"resultType":"complete","content":[],"structuredContent":{value}}}"#);
        let schema = json!({"type": "array", "items": {"type": "integer"}});
        let tools = json!([{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}]);
        let script = ModernOk::with_tools(tools).then(move |request, conn| conn.result(request, &text));
        let (run, _server) = run_json(Over::Http, script, &["--protocol", "2026-07-28", "call", "t"]);
        let warnings = document(&run)["warnings"].as_array().unwrap().len();
        assert_eq!(warnings == 0, fits, "server/tools §Output Schema: {value}\n{}", run.describe());
    }
}

#[test]
fn schemas_are_not_fetched() {
    // The reference leads to the fake server itself, which records a GET as a problem.
    for schema in ["inputSchema", "outputSchema"] {
        let script = ModernOk { tools: None, ..ModernOk::default() }.then(move |request, conn| {
            if request.rpc_method() == "tools/list" {
                let url = format!("http://{}/schema.json", request.header("Host").expect("a host"));
                let mut tool = json!({"name": "t", "inputSchema": {"type": "object"}});
                tool[schema] = json!({"type": "object", "properties": {"a": {"$ref": url}}});
                // Nor is a picture (basic §icons).
                tool["icons"] = json!([{"src": url, "mimeType": "image/png"}]);
                return conn.result(request, &complete(json!({"tools": [tool]}), true));
            }
            conn.result(request, r#"{"resultType":"complete","content":[],"structuredContent":{"a":1}}"#);
        });
        for args in [["call", "t", "a=1"], ["describe", "t", "-v"], ["list", "tools", "-v"]] {
            let (run, server) =
                run_json(Over::Http, script.clone(), &[&["--protocol", "2026-07-28"], &args[..]].concat());
            assert_eq!(run.status, Some(0), "{}", run.describe());
            document(&run);
            assert!(
                server.requests().iter().all(|one| one.method == "POST"),
                "basic §JSON Schema Usage: {}",
                server.describe()
            );
        }
    }
}

#[test]
fn unknown_keywords_are_kept() {
    const TOOL: &str = r##"{"name":"t","x-own":1.10,"inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$anchor":"a","allOf":[{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}],"$defs":{"d":{"$comment":"c"}},"x-unknown":[null,{"k":1e2}],"properties":{"a":{"$ref":"#/$defs/d"}},"unevaluatedProperties":false}}"##;
    let script = || {
        ModernOk { tools: None, ..ModernOk::default() }.then(|request, conn| {
            let result = format!(r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{TOOL}]}}"#);
            conn.result(request, &result);
        })
    };
    for args in [["list", "tools"], ["describe", "t"]] {
        let (run, _server) = run_json(Over::Http, script(), &[&["--protocol", "2026-07-28"], &args[..]].concat());
        run.assert_category("ok", None, 0);
        assert!(run.stdout_text().contains(TOOL), "server/tools: to the byte\n{}", run.describe());
    }
}

#[test]
fn a_dialect_that_nobody_knows_is_told_and_not_fatal() {
    let script = || {
        let schema = json!({"$schema": "https://example.com/no-dialect", "type": "object"});
        let tools = json!([{"name": "t", "inputSchema": schema, "outputSchema": schema}]);
        let text = r#"{"resultType":"complete","content":[],"structuredContent":{}}"#;
        ModernOk::with_tools(tools).then(move |request, conn| conn.result(request, text))
    };
    let (run, server) = run_json(Over::Http, script(), &["--protocol", "2026-07-28", "call", "t", "a=1"]);
    run.assert_category("ok", None, 0);
    let warnings = document(&run)["warnings"].to_string();
    assert!(warnings.contains("no-dialect"), "basic §JSON Schema Usage: {warnings}");
    assert_eq!(server.rpc_methods(), ["tools/list", "tools/call"]);
}
