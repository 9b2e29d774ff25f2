//! A server that never stops neither fills the memory nor keeps the command past its time.
#![cfg(target_os = "linux")]

use std::time::Duration;

use crate::support::{FakeServer, InitOk, Over, Sandbox, Script, modern_ok, script};

/// What a run may hold at most, in KiB: the program itself, unoptimised, and some messages of the limit below.
const MOST: u64 = 96 * 1024;
const LIMIT: &str = "--max-message-size=4MiB";

/// Runs the words after the script's name, and prints the largest memory that it was seen to hold.
const WATCHED: &str = r#"
"$@" >/dev/null 2>&1 </dev/null &
pid=$!
while line=$(grep VmHWM "/proc/$pid/status" 2>/dev/null); do last=$line; sleep 0.02; done
wait $pid
echo "$? $last"
"#;

/// The exit code, and the largest memory in KiB.
fn peak(args: &[String]) -> (i32, u64) {
    let mut words = vec!["-c", WATCHED, "watched", env!("CARGO_BIN_EXE_mcpcli"), LIMIT];
    words.extend(args.iter().map(String::as_str));
    let run = Sandbox::new().mcpcli::<&str>(&[]).program("sh", &words).limit(Duration::from_secs(30)).run();
    let text = run.stdout_text();
    let words: Vec<&str> = text.split_whitespace().collect();
    let [code, _, kib, _] = words.as_slice() else { panic!("{}", run.describe()) };
    (code.parse().expect("an exit code"), kib.parse().expect("a number of KiB"))
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

#[test]
fn programs_that_never_stop() {
    let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":77,"result":{}}"#;
    let floods: [(&str, String); 7] = [
        ("stderr", "yes x >&2".to_owned()),
        ("noise", "exec yes x".to_owned()),
        ("a line without end", "exec tr '\\0' x </dev/zero".to_owned()),
        ("a line of stderr without end", "tr '\\0' x </dev/zero >&2".to_owned()),
        ("notifications", format!("exec yes '{note}'")),
        ("requests, with no answer read", format!("exec yes '{ping}'")),
        ("answers to nothing", format!("exec yes '{answer}'")),
    ];
    for (name, flood) in floods {
        for command in ["list", "watch"] {
            let what = if command == "watch" { "--tools" } else { "tools" };
            let clocks = ["--protocol", "legacy", "--timeout", "1s", "--max-time", "2s"];
            let args = [&clocks[..], &[command, what, "--", "sh", "-c", &flood]].concat();
            let (code, kib) = peak(&words(&args));
            assert_ne!(code, 0, "{name}, {command}");
            assert!(kib < MOST, "{name}, {command}: {kib} KiB");
        }
    }
}

/// Writes as long as somebody takes it.
fn endless(conn: &mut crate::support::Conn, piece: &str) {
    let piece = piece.repeat(64 * 1024 / piece.len().max(1));
    // 256 MiB are more than any limit here, and come to an end should a client take them all.
    for _ in 0..4096 {
        conn.raw(&piece);
        if conn.is_gone() {
            return;
        }
    }
}

#[test]
fn http_servers_that_never_stop() {
    fn call(begin: &'static str, piece: &'static str) -> Script {
        InitOk::default().then(move |_, conn| {
            conn.raw(begin);
            endless(conn, piece);
        })
    }
    const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
    const PAGE: &str = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
    let floods: [(&str, Script); 6] = [
        ("comments", call(EVENTS, ": still there\n\n")),
        ("an event without end", call(EVENTS, "data: xxxxxxxxxxxxxxxx\n")),
        ("notifications", call(EVENTS, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")),
        ("a body without end", call(JSON, "[[[[[[[[")),
        ("a page without end", call(PAGE, "<p>wait</p>")),
        ("a head without end", call("HTTP/1.1 200 OK\r\n", "X-More: xxxxxxxxxxxxxxxx\r\n")),
    ];
    for (name, script) in floods {
        let server = FakeServer::start(Over::Http, script);
        let args = server.args(&["--timeout", "1s", "--max-time", "2s", "call", "--no-check", "t"]);
        let (code, kib) = peak(&args);
        assert_ne!(code, 0, "{name}");
        assert!(kib < MOST, "{name}: {kib} KiB");
        server.forgive();
    }
}

#[test]
fn a_probe_that_never_ends() {
    let server = FakeServer::start(
        Over::Http,
        script(|_, conn| {
            conn.sse_head(200, &[]);
            endless(conn, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n");
        }),
    );
    let (code, kib) = peak(&server.args(&["--protocol", "auto", "--timeout", "1s", "--max-time", "2s", "list"]));
    assert!(code != 0 && kib < MOST, "{code}, {kib} KiB");
    server.forgive();
    let server = FakeServer::start(
        Over::Http,
        modern_ok(|_, conn| {
            conn.sse_head(200, &[]);
            endless(conn, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n");
        }),
    );
    let (_, kib) = peak(&server.args(&["--protocol", "modern", "--max-time", "2s", "watch", "--tools"]));
    assert!(kib < MOST, "a subscription: {kib} KiB");
    server.forgive();
}
