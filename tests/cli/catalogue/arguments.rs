//! The command line: what a typed argument becomes, where values come from, clocks, options that must not vanish.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ALL, ENDS, HTTP, NETS, all, check_rows, count, done, fails, good, row, silent};
use crate::support::{Expect, FakeServer, InitOk, Over, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [texts(), typed(), misfits(), awkward(), clocks(), options()].concat()
}

#[test]
fn what_is_typed_arrives() {
    check_rows(&[texts(), typed(), misfits()].concat());
}

#[test]
fn awkward_values_arrive_or_are_refused() {
    check_rows(&awkward());
}

#[test]
fn clocks_and_options() {
    check_rows(&[clocks(), options()].concat());
}

/// A server with a tool of one argument a type.
pub(super) fn typist() -> Peer {
    let schema = json!({"type": "object", "properties": {
        "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
        "l": {"type": "array", "items": {"type": "number"}}, "o": {"type": "object"}, "e": {"enum": ["red", "blue"]},
        "u": {"type": ["string", "null"]}
    }});
    let tools = json!([{"name": "t", "inputSchema": schema}]);
    Peer::Server(InitOk { tools: Some(tools), ..InitOk::default() }.then(|request, conn| conn.message(&good(request))))
}

/// The call went out with these arguments.
fn got(server: &FakeServer, wanted: Value) -> Result<(), String> {
    let all = server.requests();
    let call = all.iter().find(|one| one.rpc_method() == "tools/call").map(Request::json).unwrap_or_default();
    if call["params"]["arguments"] == wanted { Ok(()) } else { Err(call.to_string()) }
}

/// No call went out.
fn not_called(server: &FakeServer) -> Result<(), String> {
    if count(server, "tools/call") == 0 { Ok(()) } else { Err("it was called".to_owned()) }
}

fn arrives(name: &'static str, args: &'static [&'static str], seen: fn(&FakeServer) -> Result<(), String>) -> Row {
    Row { seen: Some(seen), ..row(name, HTTP, typist(), args, done()) }
}

fn texts() -> Vec<Row> {
    let wanted = |server: &FakeServer| {
        got(server, json!({"a": "007", "b": "12345", "c": "true", "d": "null", "e": "1e5", "f": "-1", "v": "1.10"}))
    };
    let strings = || {
        let text = json!({"type": "string"});
        let schema = json!({"type": "object", "properties": {"a": text, "b": text, "c": text, "d": text, "e": text, "f": text, "v": text}});
        let tools = json!([{"name": "t", "inputSchema": schema}]);
        Peer::Server(
            InitOk { tools: Some(tools), ..InitOk::default() }.then(|request, conn| conn.message(&good(request))),
        )
    };
    vec![
        Row {
            seen: Some(wanted),
            ..row(
                "CLI-01 texts that look like numbers",
                ALL,
                strings(),
                &["call", "t", "a=007", "b=12345", "c=true", "d=null", "e=1e5", "f=-1", "v=1.10"],
                done(),
            )
        },
        Row {
            seen: Some(wanted),
            ..row(
                "CLI-01 texts that look like numbers, and no schema",
                ENDS,
                strings(),
                &["call", "--no-check", "t", "a=007", "b=12345", "c=true", "d=null", "e=1e5", "f=-1", "v=1.10"],
                done(),
            )
        },
        arrives("CLI-01 a text for a text", &["call", "t", "s=2003886907"], |server| {
            got(server, json!({"s": "2003886907"}))
        }),
        arrives("CLI-01 a text or null", &["call", "t", "u=null"], |server| got(server, json!({"u": null}))),
        Row {
            seen: Some(not_called),
            ..row(
                "CLI-01 what would be sent can be seen",
                ENDS,
                typist(),
                &["call", "--dry-run", "t", "s=007", "i=7"],
                Expect { stdout: &[r#""s":"007""#, r#""i":7"#], ..Expect::default() },
            )
        },
    ]
}

fn typed() -> Vec<Row> {
    fn every(server: &FakeServer) -> Result<(), String> {
        got(server, json!({"i": 5, "n": 1.5, "b": true, "l": [1, 2], "o": {"k": [1]}, "e": "red"}))
    }
    vec![
        arrives(
            "CLI-02 pairs",
            &["call", "t", "i=5", "n=1.5", "b=true", "l=1", "l=2", r#"o={"k":[1]}"#, "e=red"],
            every,
        ),
        arrives(
            "CLI-02 JSON",
            &["call", "t", "i:=5", "n:=1.5", "b:=true", "l:=[1,2]", r#"o:={"k":[1]}"#, r#"e:="red""#],
            every,
        ),
        arrives(
            "CLI-02 options",
            &[
                "call",
                "t",
                "--arg",
                "i=5",
                "--arg",
                "n=1.5",
                "--arg",
                "b=true",
                "--arg",
                "l:=[1,2]",
                "--arg",
                r#"o={"k":[1]}"#,
                "--arg",
                "e=red",
            ],
            every,
        ),
        arrives(
            "CLI-02 one object",
            &["call", "t", "--args", r#"{"i":5,"n":1.5,"b":true,"l":[1,2],"o":{"k":[1]},"e":"red"}"#],
            every,
        ),
        arrives(
            "CLI-02 one object and pairs",
            &["call", "t", "--args", r#"{"i":5,"n":1.5,"b":true,"o":{"k":[1]}}"#, "l=1", "l=2", "e=red"],
            every,
        ),
        arrives("CLI-02 a list as one JSON text", &["call", "t", "l=[1,2]"], |server| {
            got(server, json!({"l": [1, 2]}))
        }),
        arrives("CLI-02 a list of one", &["call", "t", "l=1"], |server| got(server, json!({"l": [1]}))),
        arrives("CLI-02 an integer that is written as a number", &["call", "t", "i=5.0"], |server| {
            got(server, json!({"i": 5.0}))
        }),
    ]
}

fn misfits() -> Vec<Row> {
    let refused = |name, args, stderr| Row {
        seen: Some(not_called),
        ..row(name, HTTP, typist(), args, fails("usage", "arguments", 2, "", stderr))
    };
    vec![
        refused("CLI-02 no integer", &["call", "t", "i=5.5"], &["`i`", "integer", "5.5", "nothing was sent"]),
        refused("CLI-02 no list of numbers", &["call", "t", "l=a"], &["l", "number"]),
        refused("CLI-02 no object", &["call", "t", "o=a"], &["`o`", "object"]),
        refused("CLI-02 none of the values", &["call", "t", "e=green"], &["e", "red", "blue"]),
        refused("CLI-02 another type of JSON", &["call", "t", r#"i:="5""#], &["i", "integer"]),
        Row {
            seen: Some(|server| got(server, json!({"i": "5.5"}))),
            ..row("CLI-02 sent anyway", HTTP, typist(), &["call", "--no-check", "t", "i=5.5"], done())
        },
    ]
}

fn awkward() -> Vec<Row> {
    let usage = |name, args, stderr| Row {
        seen: Some(not_called),
        ..row(name, HTTP, typist(), args, fails("usage", "arguments", 2, "", stderr))
    };
    vec![
        Row {
            seen: Some(|server| {
                got(
                    server,
                    json!({"q": "a=b=c", "e": "", "at": "@home", "neg": "-1", "nl": "x\ny", "c": "a:=b", "sp": " x "}),
                )
            }),
            ..row(
                "CLI-04 values of every kind",
                ENDS,
                typist(),
                &["call", "--no-check", "t", "q=a=b=c", "e=", "at=@home", "neg=-1", "nl=x\ny", "c=a:=b", "sp= x "],
                done(),
            )
        },
        arrives("CLI-04 a number with a zero at its end", &["call", "t", "n:=5.20"], |server| {
            let all = server.requests();
            let sent = all.iter().any(|one| one.text().contains(r#""n":5.20"#));
            if sent { Ok(()) } else { Err("it was written otherwise".to_owned()) }
        }),
        usage("CLI-04 quotes that the shell ate", &["call", "t", "--args", "{path:x}"], &["{path:x}", "--args"]),
        usage("CLI-04 quotes that the shell left", &["call", "t", "--args", "'{}'"], &["'{}'", "--args"]),
        usage("CLI-04 JSON that the shell split", &["call", "t", r#"o:={"a":"#], &["o"]),
        usage("CLI-04 a key twice", &["call", "t", "s=1", "s=2"], &["s"]),
        usage("CLI-04 no separator", &["call", "t", "word"], &["word"]),
        usage("CLI-04 no object", &["call", "t", "--args", "[1]"], &["array"]),
    ]
}

/// A server that answers this method only after a while.
fn slow(method: &'static str, time: Duration) -> Peer {
    all(move |request, conn| {
        if request.rpc_method() == method {
            conn.pause(time);
        }
        conn.message(&good(request));
    })
}

fn clocks() -> Vec<Row> {
    let late = |name, over, method, args, phase, stderr| Row {
        within: Duration::from_secs(5),
        ..row(name, over, slow(method, Duration::from_secs(4)), args, silent(phase, stderr))
    };
    let usage = |name, args, stderr| row(name, HTTP, typist(), args, fails("usage", "command-line", 2, "", stderr));
    const CALL: &[&str] = &["--timeout", "300ms", "call", "--no-check", "t"];
    vec![
        late("CLI-09 the handshake", ALL, "initialize", CALL, "initialize", &["300ms", "--timeout"]),
        late("CLI-09 a call", ALL, "tools/call", CALL, "tools/call", &["300ms", "--timeout"]),
        late(
            "CLI-09 the look-up of a tool",
            ENDS,
            "tools/list",
            &["--timeout", "300ms", "call", "t"],
            "tools/list",
            &["300ms"],
        ),
        late(
            "CLI-09 a fraction of a second",
            HTTP,
            "tools/call",
            &["--timeout", "0.3", "call", "--no-check", "t"],
            "tools/call",
            &["300ms"],
        ),
        late(
            "CLI-09 the question what the server speaks",
            HTTP,
            "server/discover",
            &["--protocol", "auto", "--timeout", "300ms", "call", "--no-check", "t"],
            "discover",
            &["300ms"],
        ),
        Row {
            within: Duration::from_secs(5),
            ..row(
                "CLI-09 all steps together",
                NETS,
                all(|request, conn| {
                    conn.pause(Duration::from_millis(350));
                    conn.message(&good(request));
                }),
                &["--timeout", "8s", "--max-time", "600ms", "call", "t"],
                fails("timeout", "max-time", 6, "", &["--max-time", "600ms"]),
            )
        },
        row(
            "CLI-09 no limit",
            ENDS,
            slow("tools/call", Duration::from_millis(700)),
            &["--timeout", "0", "call", "--no-check", "t"],
            done(),
        ),
        row(
            "CLI-09 a server that is slow to start",
            &[Over::Stdio],
            slow("initialize", Duration::from_millis(700)),
            &["--timeout", "8s", "--connect-timeout", "100ms", "call", "--no-check", "t"],
            done(),
        ),
        usage("CLI-09 no time", &["--timeout", "abc", "list"], &["--timeout", "abc"]),
        usage("CLI-09 a time below zero", &["--timeout=-1", "list"], &["--timeout", "-1"]),
    ]
}

fn options() -> Vec<Row> {
    let usage =
        |name, over, args, stderr| row(name, over, typist(), args, fails("usage", "command-line", 2, "", stderr));
    vec![
        usage("CLI-10 a header for a program", &[Over::Stdio], &["-H", "X-A: 1", "list"], &["header"]),
        usage("CLI-10 a token for a program", &[Over::Stdio], &["--bearer", "x", "list"], &["--bearer"]),
        usage("CLI-10 a variable for a URL", HTTP, &["-e", "A=1", "list"], &["--env"]),
        usage("CLI-10 a directory for a URL", HTTP, &["--cwd", "/", "list"], &["--cwd"]),
        usage("CLI-10 an option that nobody knows", HTTP, &["list", "--tool"], &["--tool"]),
        usage(
            "CLI-10 two credentials",
            HTTP,
            &["-H", "Authorization: a", "--bearer", "b", "list"],
            &["--bearer", "Authorization"],
        ),
        usage("CLI-10 a variable without a value", &[Over::Stdio], &["-e", "A", "list"], &["KEY=VALUE"]),
    ]
}
