//! Results: schemas of the output, structured content, shapes, blocks, and failures in disguise.

use serde_json::json;

use super::{CALL, ENDS, HTTP, TEXT, check_rows, done, fails, peer, protocol, results, row, warned};
use crate::support::{Expect, InitOk, ModernOk, Peer, Row, complete};

pub(super) fn rows() -> Vec<Row> {
    [output_schemas(), structured(), parts(), shapes(), blocks(), disguised()].concat()
}

#[test]
fn structured_results() {
    check_rows(&[output_schemas(), structured(), parts()].concat());
}

#[test]
fn shapes_of_results() {
    check_rows(&shapes());
}

#[test]
fn blocks_of_content() {
    check_rows(&[blocks(), disguised()].concat());
}

const CHECKED: &[&str] = &["--timeout", "8s", "call", "t"];
const STRICT: &[&str] = &["--strict", "--timeout", "8s", "call", "--no-check", "t"];

/// A server whose tool `t` has this schema of its output, and gives this result.
fn promising(schema: serde_json::Value, result: &'static str) -> Peer {
    let tools = json!([{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}]);
    Peer::Server(
        InitOk { tools: Some(tools), ..InitOk::default() }.then(move |request, conn| conn.result(request, result)),
    )
}

fn number() -> serde_json::Value {
    json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
}

const PLAIN: &str = r#"{"content":[{"type":"text","text":"好🙂 done"}]}"#;
const FITTING: &str = r#"{"content":[{"type":"text","text":"好🙂 done"}],"structuredContent":{"n":1}}"#;
const OTHER: &str = r#"{"content":[{"type":"text","text":"好🙂 done"}],"structuredContent":{"n":"x"}}"#;

fn output_schemas() -> Vec<Row> {
    let failed = |stderr| fails("tool-error", "", 3, "tools/call", stderr);
    vec![
        row("RES-01 as promised", HTTP, promising(number(), FITTING), CHECKED, done()),
        row("RES-01 only a text", ENDS, promising(number(), PLAIN), CHECKED, warned(&["output-schema"])),
        row(
            "RES-01 another type",
            ENDS,
            promising(number(), OTHER),
            CHECKED,
            Expect { stderr: &["/n"], ..warned(&["output-schema"]) },
        ),
        row(
            "RES-01 a failure with a text",
            ENDS,
            promising(number(), r#"{"content":[{"type":"text","text":"boom"}],"isError":true}"#),
            CHECKED,
            failed(&["boom"]),
        ),
        row(
            "RES-01 a failure with a structure",
            HTTP,
            promising(number(), r#"{"content":[],"structuredContent":{"error":"boom"},"isError":true}"#),
            CHECKED,
            failed(&["boom"]),
        ),
        row(
            "RES-01 the strict way",
            HTTP,
            promising(number(), OTHER),
            &["--strict", "--timeout", "8s", "call", "t"],
            Expect { warnings: &["output-schema"], ..protocol("strict", "tools/call", &["output-schema", "/n"]) },
        ),
        row("RES-01 a schema of nothing", HTTP, promising(json!({}), FITTING), CHECKED, done()),
        row("RES-01 a schema that is null", HTTP, promising(json!(null), PLAIN), CHECKED, done()),
        row(
            "RES-01 a schema that is none",
            HTTP,
            promising(json!({"type": "strange"}), FITTING),
            CHECKED,
            warned(&["output-schema"]),
        ),
        row("RES-01 a schema that nobody looked up", HTTP, promising(number(), PLAIN), CALL, done()),
    ]
}

fn structured() -> Vec<Row> {
    let odd = |name, result| row(name, ENDS, results(result), CALL, warned(&["structured-type"]));
    let modern = |name, content: &'static str| {
        let result = format!(
            r#"{{"content":[{{"type":"text","text":"{TEXT}"}}],"structuredContent":{content},"resultType":"complete"}}"#
        );
        let peer = ModernOk::default().then(move |request, conn| conn.result(request, &result));
        row(name, HTTP, Peer::Server(peer), super::MODERN, done())
    };
    vec![
        odd("RES-02 an array", r#"{"content":[{"type":"text","text":"好🙂 done"}],"structuredContent":[1,2]}"#),
        odd("RES-02 a text", r#"{"content":[{"type":"text","text":"好🙂 done"}],"structuredContent":"x"}"#),
        odd("RES-02 null", r#"{"content":[{"type":"text","text":"好🙂 done"}],"structuredContent":null}"#),
        // 2026-07-28 server/tools §Structured Content: any JSON value.
        modern("RES-02 an array where the version allows it", "[1,2]"),
        row(
            "RES-02 an array and nothing else",
            HTTP,
            results(r#"{"content":[],"structuredContent":[1,2]}"#),
            CALL,
            Expect { stdout: &["1", "2"], warnings: &["structured-type"], ..Expect::default() },
        ),
    ]
}

fn parts() -> Vec<Row> {
    let shown = |name, result, stdout| row(name, ENDS, results(result), CALL, Expect { stdout, ..Expect::default() });
    vec![
        shown("RES-03 a structure alone", r#"{"content":[],"structuredContent":{"count":3}}"#, &["count", "3"]),
        row(
            "RES-03 a structure, and no content at all",
            ENDS,
            results(r#"{"structuredContent":{"count":3}}"#),
            CALL,
            Expect { stdout: &["count", "3"], warnings: &["result-shape"], ..Expect::default() },
        ),
        shown("RES-03 a text alone", r#"{"content":[{"type":"text","text":"only text"}]}"#, &["only text"]),
        row(
            "RES-03 a structure that is the text once more",
            HTTP,
            results(r#"{"content":[{"type":"text","text":"{\"count\": 3}"}],"structuredContent":{"count":3}}"#),
            CALL,
            Expect { stdout: &[r#"{"count": 3}"#], ..Expect::default() },
        ),
        row(
            "RES-03 nothing",
            ENDS,
            results(r#"{"content":[]}"#),
            CALL,
            Expect { stderr: &["(empty result)"], stdout_not: &["empty", "\n"], ..Expect::default() },
        ),
        row(
            "RES-03 a failure that says nothing",
            HTTP,
            results(r#"{"content":[],"isError":true}"#),
            CALL,
            fails("tool-error", "", 3, "tools/call", &["reported an error"]),
        ),
        row(
            "RES-03 a resource of nothing",
            HTTP,
            results(r#"{"contents":[]}"#),
            &["--timeout", "8s", "read", "x:y"],
            Expect { warnings: &["resource-contents"], ..Expect::default() },
        ),
    ]
}

fn shapes() -> Vec<Row> {
    let object = |name, result, stdout| {
        row(name, ENDS, results(result), CALL, Expect { stdout, warnings: &["result-shape"], ..Expect::default() })
    };
    let no_object =
        |name, result, stderr| row(name, HTTP, results(result), CALL, protocol("result-shape", "tools/call", stderr));
    const READ: &[&str] = &["--timeout", "8s", "read", "x:y"];
    const GET: &[&str] = &["--timeout", "8s", "get", "--no-check", "p"];
    vec![
        object("RES-04 an object of its own", r#"{"count":3}"#, &["count", "3"]),
        object("RES-04 content that is null", r#"{"content":null}"#, &["content"]),
        object("RES-04 content that is one block", r#"{"content":{"type":"text","text":"x"}}"#, &["x"]),
        object("RES-04 a result in a result", r#"{"toolResult":{"content":[]}}"#, &["toolResult"]),
        object("RES-04 nothing at all", "{}", &[]),
        no_object("RES-04 a text", r#""only words""#, &["only words"]),
        no_object("RES-04 null", "null", &["null"]),
        row(
            "RES-04 the strict way",
            HTTP,
            results(r#"{"count":3}"#),
            STRICT,
            Expect { warnings: &["result-shape"], ..protocol("strict", "tools/call", &["result-shape"]) },
        ),
        row(
            "RES-04 isError that is a text",
            HTTP,
            results(r#"{"content":[{"type":"text","text":"好🙂 done"}],"isError":"true"}"#),
            CALL,
            warned(&["result-shape"]),
        ),
        row(
            "RES-04 a resource without contents",
            HTTP,
            results(r#"{"text":"x"}"#),
            READ,
            protocol("result-shape", "resources/read", &["contents"]),
        ),
        row(
            "RES-04 a resource that is a text",
            HTTP,
            results(r#""x""#),
            READ,
            protocol("result-shape", "resources/read", &["x"]),
        ),
        row(
            "RES-04 a prompt without messages",
            HTTP,
            results(r#"{"prompt":"x"}"#),
            GET,
            Expect { stdout: &["prompt"], stderr: &["messages"], warnings: &["result-shape"], ..Expect::default() },
        ),
        row(
            "RES-04 a handshake that is a text",
            HTTP,
            super::all(|request, conn| conn.result(request, r#""hello""#)),
            CALL,
            protocol("result-shape", "initialize", &["hello"]),
        ),
        row(
            "RES-04 without a handshake",
            HTTP,
            Peer::Server(
                ModernOk::default().then(|request, conn| conn.result(request, &complete(json!({"count": 3}), false))),
            ),
            super::MODERN,
            Expect { stdout: &["count"], warnings: &["result-shape"], ..Expect::default() },
        ),
    ]
}

/// Every block that there is, and some that there are not.
const EVERY_BLOCK: &str = r#"{"content":[
    {"type":"text","text":"first words"},
    {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},
    {"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},
    {"type":"resource","resource":{"uri":"x:text","mimeType":"text/plain","text":"text of a resource"}},
    {"type":"resource","resource":{"uri":"x:blob","mimeType":"text/plain","blob":"aGlkZGVuIHdvcmRz"}},
    {"type":"resource","resource":{"uri":"x:pdf","mimeType":"application/pdf","blob":"JVBERi0="}},
    {"type":"resource_link","uri":"x:link","name":"linked","mimeType":"text/csv","size":99},
    {"type":"json","json":{"deep":"inside"}},
    {"type":"error","text":"an error of a block"},
    {"text":"no type"},
    7
]}"#;

fn blocks() -> Vec<Row> {
    const SHOWN: &[&str] = &[
        "first words",
        "image/png",
        "8 B",
        "audio/wav",
        "text of a resource",
        "hidden words",
        "application/pdf",
        "x:link",
        "linked",
        "text/csv",
        "inside",
        "an error of a block",
        "no type",
        "7",
    ];
    const UNKNOWN: &[&str] =
        &["content-type-unknown", "content-type-unknown", "content-type-unknown", "content-type-unknown"];
    let every = || peer(|request, conn| conn.result(request, &EVERY_BLOCK.replace('\n', "")));
    let one = |name, result, expect| row(name, HTTP, results(result), CALL, expect);
    vec![
        row(
            "RES-05 every block",
            ENDS,
            every(),
            CALL,
            Expect { stdout: SHOWN, stdout_not: &["iVBORw0KGgo=", "JVBERi0="], warnings: UNKNOWN, ..Expect::default() },
        ),
        row(
            "RES-05 the strict way",
            HTTP,
            every(),
            STRICT,
            Expect { warnings: UNKNOWN, ..protocol("strict", "tools/call", &["content-type-unknown"]) },
        ),
        one(
            "RES-05 every block of a failure",
            r#"{"isError":true,"content":[{"type":"text","text":"boom"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},{"type":"html","html":"<p>"}]}"#,
            Expect {
                warnings: &["content-type-unknown"],
                ..fails("tool-error", "", 3, "tools/call", &["boom", "image/png"])
            },
        ),
        one(
            "RES-05 a text that is a number",
            r#"{"content":[{"type":"text","text":5}]}"#,
            Expect { stdout: &["5"], warnings: &["result-shape"], ..Expect::default() },
        ),
        one(
            "RES-05 a resource without a resource",
            r#"{"content":[{"type":"resource"}]}"#,
            Expect { stdout: &["resource"], warnings: &["result-shape"], ..Expect::default() },
        ),
        one(
            "RES-05 base64 of the other alphabet",
            r#"{"content":[{"type":"image","data":"-_8=","mimeType":"image/png"}]}"#,
            Expect { stdout: &["image/png"], warnings: &["blob-encoding"], ..Expect::default() },
        ),
        row(
            "RES-05 a prompt with one",
            HTTP,
            results(
                r#"{"messages":[{"role":"user","content":{"type":"html","html":"<p>"}},{"role":"user","content":{"type":"text","text":"好🙂 done"}}]}"#,
            ),
            &["--timeout", "8s", "get", "--no-check", "p"],
            warned(&["content-type-unknown"]),
        ),
        row(
            "RES-05 a prompt whose content is a text",
            HTTP,
            results(r#"{"messages":[{"role":"user","content":"plain words"}]}"#),
            &["--timeout", "8s", "get", "--no-check", "p"],
            Expect { stdout: &["plain words"], warnings: &["content-type-unknown"], ..Expect::default() },
        ),
        row(
            "RES-05 a resource with neither text nor blob",
            HTTP,
            results(r#"{"contents":[{"uri":"x:y"},{"uri":"x:z","text":"好🙂 done"}]}"#),
            &["--timeout", "8s", "read", "x:y"],
            warned(&["resource-contents"]),
        ),
    ]
}

fn disguised() -> Vec<Row> {
    const HINT: &str = "isError is not set";
    let text = |name, result, stderr: &'static [&'static str], stderr_not: &'static [&'static str]| {
        row(name, HTTP, results(result), CALL, Expect { stderr, stderr_not, ..Expect::default() })
    };
    const PATTERN: &[&str] = &["--error-pattern", "(?i)error", "--timeout", "8s", "call", "--no-check", "t"];
    vec![
        text("RES-06 words", r#"{"content":[{"type":"text","text":"Error executing X: 401"}]}"#, &[HINT], &[]),
        text(
            "RES-06 an object",
            r#"{"content":[{"type":"text","text":"{\"status\":\"error\",\"reason\":\"y\"}"}]}"#,
            &[HINT],
            &[],
        ),
        text(
            "RES-06 words about errors",
            r#"{"content":[{"type":"text","text":"Error codes explained"}]}"#,
            &[],
            &[HINT],
        ),
        text(
            "RES-06 isError is false",
            r#"{"content":[{"type":"text","text":"Error: x"}],"isError":false}"#,
            &[HINT],
            &[],
        ),
        row(
            "RES-06 the user says what an error is",
            ENDS,
            results(r#"{"content":[{"type":"text","text":"Error executing X: 401"}]}"#),
            PATTERN,
            fails("tool-error", "", 3, "tools/call", &["--error-pattern"]),
        ),
        row("RES-06 the user says what an error is, and this is none", HTTP, results(PLAIN), PATTERN, done()),
    ]
}
