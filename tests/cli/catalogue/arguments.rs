//! The command line: what a typed argument becomes, where values come from, clocks, options that must not vanish.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ALL, ENDS, HTTP, NETS, all, check_rows, count, done, fails, good, row, silent};
use crate::envelope;
use crate::support::{Expect, FakeServer, InitOk, Over, Peer, Request, Row, Run, Sandbox, init_ok};

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
fn typist() -> Peer {
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

/// CLI-05: stdin is read only when that was asked for.
#[test]
fn stdin_is_read_when_asked_for() {
    let Peer::Server(script) = typist() else { panic!("a server") };
    let server = FakeServer::start(Over::Http, script);
    let sandbox = Sandbox::new();
    let run = sandbox.mcpcli(&server.args(&["call", "t"])).stdin_open().run();
    run.assert_exit(0);
    let with = |input: &[u8]| sandbox.mcpcli(&server.args(&["--json", "call", "t", "--args", "-"])).stdin(input).run();
    for input in [&b"{\"i\":1}\n"[..], b"\xef\xbb\xbf{\"i\":1}", b"\r\n {\"i\":1} \r\n"] {
        with(input).assert_category("ok", None, 0);
        let last = server.requests().into_iter().rfind(|one| one.rpc_method() == "tools/call").expect("the call");
        assert_eq!(last.json()["params"]["arguments"], json!({"i": 1}));
    }
    let calls = count(&server, "tools/call");
    for input in [&b""[..], b"  \n", b"[1]", b"7", b"{", b"\xff\xfe{}"] {
        let run = with(input);
        assert_eq!(run.status, Some(2), "{input:?}: {}", run.describe());
        assert_eq!(run.json()["category"], "usage");
    }
    let run = sandbox.mcpcli(&server.args(&["--json", "call", "t", "--args", "@missing.json"])).run();
    run.assert_category("usage", "file", 2);
    assert!(run.json()["error"]["message"].as_str().expect("a message").contains("missing.json"), "{}", run.describe());
    assert_eq!(count(&server, "tools/call"), calls, "nothing of that was sent");
    sandbox.write("args.json", "\u{feff}{\"i\": 2}");
    sandbox.mcpcli(&server.args(&["call", "t", "--args", "@args.json"])).run().assert_exit(0);
    // Asked for, and nobody says anything: the clock of the command counts.
    let run = sandbox
        .mcpcli(&server.args(&["--json", "--max-time", "500ms", "call", "t", "--args", "-"]))
        .stdin_open()
        .limit(Duration::from_secs(10))
        .run();
    assert!(!run.killed && matches!(run.status, Some(2 | 6)), "{}", run.describe());
}

/// CLI-08: one document, whatever the surroundings ask for.
#[test]
fn the_document_is_alone_on_stdout() {
    let noisy = init_ok(|request, conn| {
        if conn.over() == Over::Stdio {
            conn.raw("\u{1b}[31mnoise\u{1b}[0m\n");
        }
        conn.message(&good(request));
    });
    for over in [Over::Http, Over::Stdio] {
        for args in [
            &["--json", "call", "--no-check", "t"][..],
            &["--json", "list"],
            &["--json", "call", "t"],
            &["--json", "nonsense"],
        ] {
            let server = FakeServer::start(over, noisy.clone());
            let run = Sandbox::new()
                .mcpcli(&server.args(&[&["--color", "always", "-vv"], args].concat()))
                .env("CLICOLOR_FORCE", "1")
                .env("TERM", "xterm-256color")
                .run();
            let document = run.json();
            let problems = envelope::problems(&document);
            assert!(problems.is_empty(), "{problems:?}\n{}", run.describe());
            assert!(!run.stdout_text().contains('\u{1b}'), "{}", run.describe());
        }
    }
}

/// CLI-10: what stands behind the first `--` is the program's alone.
#[cfg(unix)]
#[test]
fn arguments_of_a_program_arrive_as_they_are() {
    const DUMP: &str =
        r#"for word in "$@"; do printf '<%s>' "$word" >&2; done; printf '%s %s\n' "$KV" "$PWD" >&2; exit 3"#;
    let sandbox = Sandbox::new();
    let args = [
        "-e", "KV=V=W", "list", "--", "sh", "-c", DUMP, "srv", "--config", "x", "-v", "--", "a b", "", "--json", "-e",
        "A=1",
    ];
    let run = sandbox.mcpcli(&args).run();
    run.assert_exit(5);
    assert!(run.stderr.contains("<--config><x><-v><--><a b><><--json><-e><A=1>"), "{}", run.describe());
}

/// CLI-10: options beside a configured server count.
#[test]
fn options_beside_a_name_count() {
    let server = FakeServer::start(Over::Http, init_ok(|request, conn| conn.message(&good(request))));
    let sandbox = Sandbox::new();
    let url = server.url();
    let config = json!({"mcpServers": {
        "one": {"url": url, "headers": {"X-A": "configured", "X-B": "kept"}},
        "unset": {"url": url, "headers": {"Authorization": "Bearer ${NOPE_S3CRET}"}}
    }});
    sandbox.write(".mcp.json", config.to_string());
    let run = |args: &[&str]| -> Run { sandbox.mcpcli(&[&["--json", "--protocol", "legacy"], args].concat()).run() };
    run(&["-s", "one", "-H", "X-A: typed", "-H", "X-C: more", "call", "--no-check", "t"])
        .assert_category("ok", None, 0);
    for request in server.requests() {
        let values = ["x-a", "x-b", "x-c"].map(|name| request.header(name));
        assert_eq!(values, [Some("typed"), Some("kept"), Some("more")], "{} {}", request.method, request.rpc_method());
    }
    // NET-07: a variable that is not set is named, and nothing is sent.
    let before = server.requests().len();
    let unset = run(&["-s", "unset", "list"]);
    unset.assert_category("usage", "config", 2);
    assert!(unset.json()["error"].to_string().contains("NOPE_S3CRET"), "{}", unset.describe());
    assert_eq!(server.requests().len(), before);
    run(&["-s", "one", "-e", "A=1", "list"]).assert_category("usage", "command-line", 2);
}

/// STD-05: five ways not to be a program.
#[cfg(unix)]
#[test]
fn each_way_not_to_start_is_told_apart() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("plain.sh", "#!/bin/sh\n");
    for (name, content) in [("shebang.sh", "#!/no/such/interpreter\n"), ("bytes", "\u{1}\u{2}\u{3}")] {
        let path = sandbox.write(name, content);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    }
    std::fs::create_dir(sandbox.work().join("folder")).expect("a directory");
    let cases: [(&[&str], &[&str]); 7] = [
        (&["--", "no-such-program-at-all"], &["no such program", "no-such-program-at-all", "PATH"]),
        (&["--", "./no-such-file"], &["no such program", "./no-such-file"]),
        (&["--", "./plain.sh"], &["not executable", "./plain.sh"]),
        (&["--", "./shebang.sh"], &["interpreter", "./shebang.sh"]),
        (&["--", "./folder"], &["directory", "./folder"]),
        (&["--cwd", "no/such/dir", "--", "sh"], &["working directory", "no/such/dir"]),
        (&["--", "sh -c true"], &["no such program", "separate words"]),
    ];
    for (end, says) in cases {
        let run = sandbox.mcpcli(&[&["list"], end].concat()).run();
        run.assert_exit(5);
        for text in says {
            assert!(run.stderr.contains(text), "{end:?} lacks {text:?}: {}", run.describe());
        }
        let json = sandbox.mcpcli(&[&["--json", "list"], end].concat()).run();
        json.assert_category("transport", "spawn", 5);
        assert_eq!(json.json()["phase"], "connect");
    }
}

/// STD-08: nothing that the program started is left, however the run ends.
#[cfg(target_os = "linux")]
#[test]
fn no_process_is_left() {
    use nix::sys::signal::Signal;
    let marker = format!("71{:05}", std::process::id() % 100_000);
    let program = format!("trap '' TERM; sleep {marker} & sleep {marker} & while :; do sleep {marker}; done");
    let args = ["--timeout", "500ms", "list", "--", "sh", "-c", &program];
    let left = || {
        let processes = std::fs::read_dir("/proc").expect("the processes").flatten();
        let lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
        lines.filter(|line| line.starts_with(format!("sleep\0{marker}").as_bytes())).count()
    };
    let sandbox = Sandbox::new();
    let run = sandbox.mcpcli(&args).run();
    run.assert_exit(6);
    assert_eq!(left(), 0, "after a timeout");
    for (signal, exit) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let running = sandbox.mcpcli(&[&["--timeout", "20s"], &args[2..]].concat()).start();
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while left() < 3 && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        running.signal(signal);
        running.wait().assert_exit(exit);
        assert_eq!(left(), 0, "after {signal}");
    }
}
