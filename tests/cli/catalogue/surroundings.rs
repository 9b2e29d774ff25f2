//! Runs that a table cannot hold: what comes by stdin and files, what a program is given and how it starts, what is left
//! of it, and the file that tells of it all.

use std::time::Duration;

use serde_json::json;

use super::arguments::typist;
use super::{count, good};
use crate::envelope;
use crate::support::{FakeServer, InitOk, Over, Peer, Run, Sandbox, init_ok};

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

/// NET-08: the trace is a file that people send to others.
#[test]
fn no_secret_is_in_a_trace() {
    let secrets = ["S3CRETBEARER", "S3CRETKEY", "S3CRETSESSION", "S3CRETQUERY", "S3CRETPASS"];
    for status in [200, 401, 500] {
        let script =
            InitOk { session: Some("S3CRETSESSION".to_owned()), ..InitOk::default() }.then(move |request, conn| {
                let seen = format!("{:?}", request.headers).replace('"', "'");
                if status == 200 { conn.error(request, -32050, &seen) } else { conn.respond(status, &[], &seen) }
            });
        let server = FakeServer::start(Over::Http, script);
        let sandbox = Sandbox::new();
        let url = format!("{}?t=S3CRETQUERY", server.url().replace("http://", "http://u:S3CRETPASS@"));
        let args = [
            "--bearer",
            "S3CRETBEARER",
            "-H",
            "X-Api-Key: S3CRETKEY",
            "--trace",
            "t.ndjson",
            "-s",
            &url,
            "call",
            "--no-check",
            "t",
        ];
        let args: Vec<&str> = if status == 200 { args[2..].to_vec() } else { args.to_vec() };
        let run = sandbox.mcpcli(&server.args(&args)).run();
        assert_ne!(run.status, Some(0), "{}", run.describe());
        let trace = std::fs::read_to_string(sandbox.work().join("t.ndjson")).expect("the trace");
        assert!(trace.contains("tools/call") || trace.contains("initialize"), "{trace}");
        for secret in secrets {
            assert!(!trace.contains(secret), "{status}: {secret} in {trace}");
            assert!(!run.stderr.contains(secret) && !run.stdout_text().contains(secret), "{}", run.describe());
        }
    }
}
