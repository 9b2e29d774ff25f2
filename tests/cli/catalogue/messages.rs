//! JSON-RPC: ids, errors without one, arrays, messages that cannot be decoded.

use std::time::Duration;

use super::{
    ALL, CALL, ENDS, HTTP, MODERN, NETS, SHORT, STDIO, TOOLS, all, answers, check_rows, done, fails, feed, good, http,
    peer, protocol, row, silent, warned,
};
use crate::support::{Conn, Expect, FakeServer, Over, Peer, Request, Row, Sandbox, init_ok};

pub(super) fn rows() -> Vec<Row> {
    [odd_ids(), wrong_ids(), errors_without_an_id(), arrays(), undecodable(), odd_texts()].concat()
}

#[test]
fn ids() {
    check_rows(&[odd_ids(), wrong_ids()].concat());
}

#[test]
fn errors_that_belong_to_nobody() {
    check_rows(&errors_without_an_id());
}

#[test]
fn messages_in_arrays() {
    check_rows(&arrays());
}

#[test]
fn messages_that_cannot_be_decoded() {
    check_rows(&[undecodable(), odd_texts()].concat());
}

/// Serializers that go by UTF-16 write such texts, and they are JSON (RFC 8259 §8.2).
#[test]
fn half_a_surrogate_pair_is_kept() {
    let text = r#"{"content":[{"type":"text","text":"a \ud83d b"}]}"#;
    let server = FakeServer::start(Over::Http, init_ok(move |request, conn| conn.result(request, text)));
    let run = Sandbox::new().mcpcli(&server.args(&["call", "--no-check", "t"])).run();
    run.assert_exit(0);
    assert_eq!(run.stdout_text(), "a \u{fffd} b");
    let run = Sandbox::new().mcpcli(&server.args(&["--json", "call", "--no-check", "t"])).run();
    run.assert_exit(0);
    assert!(run.stdout_text().contains(text), "{}", run.describe());
}

/// A server in order, but for the answer to this method: this text, with `ID` for the id of the request and `GOOD` for the
/// whole answer that were right.
fn at(method: &'static str, text: &'static str) -> Peer {
    all(move |request, conn| {
        if request.rpc_method() == method {
            conn.message(&text.replace("GOOD", &good(request)).replace("ID", &request.id()));
        } else {
            conn.message(&good(request));
        }
    })
}

/// A server whose answers all have an id in this form.
fn with_ids(form: &'static str) -> Peer {
    all(move |request, conn| {
        let old = format!("\"id\":{}", request.id());
        conn.message(&good(request).replacen(&old, &format!("\"id\":{}", form.replace("ID", &request.id())), 1));
    })
}

fn odd_ids() -> Vec<Row> {
    vec![
        row(
            "RPC-01 a warning is never hidden",
            HTTP,
            with_ids(r#""ID""#),
            &["-q", "--timeout", "8s", "call", "--no-check", "t"],
            Expect { stderr: &["warning[id-type]"], ..warned(&["id-type", "id-type"]) },
        ),
        row("RPC-01 every id is a text", ALL, with_ids(r#""ID""#), CALL, warned(&["id-type", "id-type"])),
        row("RPC-01 every id is a text, at a list", ENDS, with_ids(r#""ID""#), TOOLS, warned(&["id-type", "id-type"])),
        row("RPC-01 an id is a text, without a handshake", ENDS, with_ids(r#""ID""#), MODERN, warned(&["id-type"])),
        row(
            "RPC-01 an error whose id is a text",
            ALL,
            answers(r#"{"jsonrpc":"2.0","id":"ID","error":{"code":-32050,"message":"boom"}}"#),
            CALL,
            Expect { warnings: &["id-type"], ..fails("rpc-error", "", 4, "tools/call", &["boom"]) },
        ),
        row(
            "RPC-01 a text that begins with the id is another id",
            HTTP,
            answers(r#"{"jsonrpc":"2.0","id":"ID-x","result":{}}"#),
            CALL,
            protocol("wrong-id", "tools/call", &["-x", "may have run"]),
        ),
        row(
            "RPC-01 the strict way",
            HTTP,
            with_ids(r#""ID""#),
            &["--strict", "--timeout", "8s", "call", "--no-check", "t"],
            Expect { warnings: &["id-type", "id-type"], ..protocol("strict", "tools/call", &["id-type"]) },
        ),
    ]
}

fn wrong_ids() -> Vec<Row> {
    let short = |row: Row| Row { args: SHORT, ..row };
    let wrong = |phase, stderr| protocol("wrong-id", phase, stderr);
    let constant = || {
        all(|request, conn| conn.message(&good(request).replacen(&format!("\"id\":{}", request.id()), "\"id\":0", 1)))
    };
    vec![
        row(
            "RPC-02 the handshake with another id",
            HTTP,
            constant(),
            CALL,
            wrong("initialize", &["unknown id 0", "fake"]),
        ),
        short(row(
            "RPC-02 the handshake with another id, on a shared stream",
            &[Over::Sse, Over::Stdio],
            constant(),
            SHORT,
            wrong("initialize", &["unknown id 0"]),
        )),
        short(row(
            "RPC-02 the id of the request before",
            ALL,
            answers(r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#),
            SHORT,
            wrong("tools/call", &["unknown id 1", "may have run"]),
        )),
        Row {
            args: &["--timeout", "400ms", "list", "tools"],
            ..row(
                "RPC-02 a list",
                ALL,
                at("tools/list", r#"{"jsonrpc":"2.0","id":999,"result":{"tools":[]}}"#),
                SHORT,
                wrong("tools/list", &["999"]),
            )
        },
        row(
            "RPC-02 without a handshake",
            HTTP,
            at("tools/call", r#"{"jsonrpc":"2.0","id":999,"result":{"resultType":"complete","content":[]}}"#),
            MODERN,
            wrong("tools/call", &["999", "may have run"]),
        ),
        row(
            "RPC-02 another id, and then the right one",
            NETS,
            peer(|request, conn| {
                let other = r#"{"jsonrpc":"2.0","id":999,"result":{}}"#;
                feed(conn, &[format!("data: {other}\n\ndata: {}\n\n", good(request)).as_bytes()]);
            }),
            CALL,
            warned(&["unusable-message"]),
        ),
        row(
            "RPC-02 a result without an id",
            HTTP,
            answers(r#"{"jsonrpc":"2.0","result":{"content":[]}}"#),
            CALL,
            fails("protocol", "not-json-rpc", 7, "tools/call", &["id"]),
        ),
        row(
            "RPC-02 a result whose id is null",
            HTTP,
            answers(r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#),
            CALL,
            protocol("not-json-rpc", "tools/call", &["null"]),
        ),
        row(
            "RPC-02 an error for another number",
            HTTP,
            answers(r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32050,"message":"boom"}}"#),
            CALL,
            wrong("tools/call", &["unknown id 0", "boom"]),
        ),
    ]
}

fn errors_without_an_id() -> Vec<Row> {
    const NULL: &str = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"boom"}}"#;
    const NONE: &str = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"boom"}}"#;
    let taken = |phase| Expect { warnings: &["id-null"], ..fails("rpc-error", "", 4, phase, &["boom", "-32700"]) };
    let on_400 =
        |text: &'static str| peer(move |_, conn| conn.respond(400, &[("Content-Type", "application/json")], text));
    let as_event = |text: &'static str| peer(move |_, conn| feed(conn, &[format!("data: {text}\n\n").as_bytes()]));
    vec![
        row("RPC-03 null, on 400", NETS, on_400(NULL), CALL, taken("tools/call")),
        row("RPC-03 none, on 400", NETS, on_400(NONE), CALL, taken("tools/call")),
        row("RPC-03 null, as an event", NETS, as_event(NULL), CALL, taken("tools/call")),
        row("RPC-03 null, at the handshake", ALL, at("initialize", NULL), CALL, taken("initialize")),
        row("RPC-03 none, at a list", ALL, at("tools/list", NONE), TOOLS, taken("tools/list")),
        row("RPC-03 null, without a handshake", ENDS, at("tools/call", NULL), MODERN, taken("tools/call")),
        row(
            "RPC-03 an error without a message",
            ENDS,
            answers(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32050}}"#),
            CALL,
            Expect { warnings: &["envelope"], ..fails("rpc-error", "", 4, "tools/call", &["-32050"]) },
        ),
        row(
            "RPC-03 an error whose code is a text",
            ENDS,
            answers(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":"E42","message":"boom"}}"#),
            CALL,
            Expect { warnings: &["error-code"], ..fails("rpc-error", "", 4, "tools/call", &["E42", "boom"]) },
        ),
        row(
            "RPC-03 an error beside a result that is null",
            ENDS,
            answers(r#"{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":-32050,"message":"boom"}}"#),
            CALL,
            Expect { warnings: &["envelope"], ..fails("rpc-error", "", 4, "tools/call", &["boom"]) },
        ),
        row(
            "RPC-03 a result beside an error that is null",
            ENDS,
            answers(
                r#"{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[{"type":"text","text":"好🙂 done"}]}}"#,
            ),
            CALL,
            warned(&["envelope"]),
        ),
        row(
            "RPC-03 no version of JSON-RPC",
            ENDS,
            answers(r#"{"id":ID,"result":{"content":[{"type":"text","text":"好🙂 done"}]}}"#),
            CALL,
            warned(&["jsonrpc-version"]),
        ),
    ]
}

fn arrays() -> Vec<Row> {
    let array = |name, over, text, args, expect| row(name, over, answers(text), args, expect);
    vec![
        array(
            "RPC-05 the answer alone",
            ALL,
            r#"[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"好🙂 done"}]}}]"#,
            CALL,
            warned(&["batch"]),
        ),
        row(
            "RPC-05 the answer behind a notification",
            ALL,
            at("tools/call", r#"[{"jsonrpc":"2.0","method":"notifications/x"},GOOD]"#),
            CALL,
            warned(&["batch"]),
        ),
        row(
            "RPC-05 the answer in front of a notification",
            ENDS,
            at("tools/call", r#"[GOOD,{"jsonrpc":"2.0","method":"notifications/x"}]"#),
            CALL,
            warned(&["batch"]),
        ),
        row(
            "RPC-05 every answer",
            ENDS,
            all(|request, conn| conn.message(&format!("[{}]", good(request)))),
            TOOLS,
            warned(&["batch"]),
        ),
        row("RPC-05 without a handshake", ENDS, at("tools/call", "[GOOD]"), MODERN, warned(&["batch"])),
        row(
            "RPC-05 an error",
            ENDS,
            at("tools/call", r#"[{"jsonrpc":"2.0","id":ID,"error":{"code":-32050,"message":"boom"}}]"#),
            CALL,
            Expect { warnings: &["batch"], ..fails("rpc-error", "", 4, "tools/call", &["boom"]) },
        ),
        array("RPC-05 an empty array", HTTP, "[]", CALL, protocol("not-json-rpc", "tools/call", &["empty"])),
        array(
            "RPC-05 an empty array, on a shared stream",
            &[Over::Sse, Over::Stdio],
            "[]",
            SHORT,
            protocol("not-json-rpc", "tools/call", &["empty"]),
        ),
        row(
            "RPC-05 an array without the answer",
            HTTP,
            at("tools/call", r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#),
            CALL,
            Expect { warnings: &["batch"], ..protocol("not-json-rpc", "tools/call", &[]) },
        ),
        row(
            "RPC-05 something that is no message beside the answer",
            ENDS,
            at("tools/call", "[7,GOOD]"),
            CALL,
            warned(&["batch", "unusable-message"]),
        ),
    ]
}

fn undecodable() -> Vec<Row> {
    const BROKEN: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[}}"#;
    const NO_ID: &str = r#"{"jsonrpc":"2.0","result":{"tools":[}}"#;
    let not_json = |phase, stderr| protocol("not-json", phase, stderr);
    let at_once = |row: Row| Row { within: Duration::from_secs(6), ..row };
    vec![
        at_once(row(
            "RPC-14 a call",
            ALL,
            at("tools/call", BROKEN),
            CALL,
            not_json("tools/call", &["not JSON", "tools\":[}"]),
        )),
        at_once(row("RPC-14 a list", ALL, at("tools/list", BROKEN), TOOLS, not_json("tools/list", &["not JSON"]))),
        at_once(row(
            "RPC-14 the handshake",
            ALL,
            at("initialize", BROKEN),
            CALL,
            not_json("initialize", &["not JSON"]),
        )),
        at_once(row(
            "RPC-14 without a handshake",
            ENDS,
            at("tools/call", BROKEN),
            MODERN,
            not_json("tools/call", &["not JSON"]),
        )),
        at_once(row(
            "RPC-14 without an id, where the answer is the whole exchange",
            HTTP,
            at("tools/call", NO_ID),
            CALL,
            not_json("tools/call", &["not JSON"]),
        )),
        row(
            "RPC-14 without an id, on a shared stream",
            &[Over::Sse],
            at("tools/call", NO_ID),
            SHORT,
            not_json("tools/call", &["not JSON"]),
        ),
        row(
            "RPC-14 something broken, and then the answer",
            NETS,
            peer(|request, conn| feed(conn, &[format!("data: {NO_ID}\n\ndata: {}\n\n", good(request)).as_bytes()])),
            CALL,
            warned(&["unusable-message"]),
        ),
        row(
            "RPC-14 something broken on a refusal",
            HTTP,
            peer(|_, conn| conn.respond(400, &[("Content-Type", "application/json")], NO_ID)),
            CALL,
            http("tools/call", &["HTTP 400", "tools"]),
        ),
        row(
            "RPC-14 half of an answer on a line",
            STDIO,
            peer(|request, conn| {
                conn.raw(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"con{}"#, request.id(), "\n"))
            }),
            CALL,
            not_json("tools/call", &["not JSON"]),
        ),
    ]
}

fn odd_texts() -> Vec<Row> {
    let call = |name, text, expect| row(name, ENDS, at("tools/call", text), CALL, expect);
    let not_json = |stderr| protocol("not-json", "tools/call", stderr);
    vec![
        call(
            "RPC-14 NaN",
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[],"x":NaN}}"#,
            not_json(&["not JSON", "NaN"]),
        ),
        row(
            "RPC-14 other quotes",
            NETS,
            at("tools/call", r#"{'jsonrpc':'2.0','id':ID,'result':{}}"#),
            SHORT,
            not_json(&["not JSON"]),
        ),
        // On stdout it may be a word of anybody's.
        row(
            "RPC-14 other quotes on a line",
            STDIO,
            at("tools/call", r#"{'jsonrpc':'2.0','id':ID,'result':{}}"#),
            SHORT,
            Expect { warnings: &["stdout-noise"], ..silent("tools/call", &["'jsonrpc'", "no answer"]) },
        ),
        call(
            "RPC-14 a control character in a text",
            "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\tb\"}]}}",
            not_json(&["not JSON"]),
        ),
        row(
            "RPC-14 a byte order mark before the body",
            HTTP,
            peer(|request: &Request, conn: &mut Conn| {
                conn.respond(200, &[("Content-Type", "application/json")], format!("\u{feff}{}", good(request)));
            }),
            CALL,
            done(),
        ),
        row(
            "RPC-14 an answer over many lines",
            HTTP,
            peer(|request, conn| conn.message(&good(request).replace(',', ",\n  "))),
            CALL,
            done(),
        ),
    ]
}
