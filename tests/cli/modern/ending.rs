//! How a request ends early: cancelled in the way of its transport, or broken and not taken up again
//! (2026-07-28 basic/utilities/cancellation, basic/transports/streamable-http §Earlier Revisions).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{BOTH, CALL, HTTP, all, document, only, peer};
use crate::support::{Conn, Expect, FakeServer, Gone, Over, Row, Sandbox, Script, check_rows, modern_ok};

/// A server that never answers a call, and how the wait ended.
fn silent(begun: fn(&mut Conn)) -> (Script, Arc<Mutex<Vec<Gone>>>) {
    let ends = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ends);
    let script = modern_ok(move |_, conn| {
        begun(conn);
        let gone = conn.hold();
        seen.lock().unwrap().push(gone);
    });
    (script, ends)
}

/// What the server must have seen of the end of its only call.
#[track_caller]
fn cancelled(server: &FakeServer, ends: &Mutex<Vec<Gone>>) {
    let call = only(server, "tools/call");
    if server.over() == Over::Stdio {
        let told = server.wait_for(|one| one.rpc_method() == "notifications/cancelled", Duration::from_secs(2));
        let told = told.unwrap_or_else(|| panic!("stdio: MUST be told\n{}", server.describe()));
        assert_eq!(told.json()["params"]["requestId"].to_string(), call.id());
        return;
    }
    let told = server.wait_for(|_| ends.lock().unwrap().len() == 1, Duration::from_secs(2));
    assert!(told.is_some() && *ends.lock().unwrap() == [Gone::Client], "the stream is closed");
    // Every other message would be a problem of the fake server.
    assert_eq!(server.rpc_methods(), ["tools/call"], "{}", server.describe());
}

#[test]
fn a_timeout_cancels() {
    type Row = (&'static [&'static str], fn(&mut Conn));
    let begun: [Row; 3] = [
        (&["--timeout", "300ms"], |_| {}),
        (&["--timeout", "300ms"], |conn| {
            if conn.over() == Over::Http {
                conn.sse_head(200, &[]);
                conn.raw(": waiting\n\n");
            }
        }),
        (&["--max-time", "600ms"], |conn| {
            conn.push(
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
            );
        }),
    ];
    for over in BOTH {
        for (clock, begun) in begun {
            let (script, ends) = silent(begun);
            let server = FakeServer::start(*over, script);
            let args = [&["--json", "--protocol", "2026-07-28"], clock, &["call", "--no-check", "t"]].concat();
            let run = Sandbox::new().mcpcli(&server.args(&args)).run();
            let reason = if clock[0] == "--timeout" { "idle" } else { "max-time" };
            run.assert_category("timeout", reason, 6);
            assert_eq!(document(&run)["phase"], "tools/call");
            cancelled(&server, &ends);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_signal_cancels() {
    use nix::sys::signal::Signal;
    for over in BOTH {
        for (signal, exit) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let (script, ends) = silent(|_| {});
            let server = FakeServer::start(*over, script);
            let sandbox = Sandbox::new();
            let args = server.args(&["--json", "--protocol", "2026-07-28", "call", "--no-check", "t"]);
            let running = sandbox.mcpcli(&args).start();
            server.wait_for(|one| one.rpc_method() == "tools/call", Duration::from_secs(10)).expect("the call");
            running.signal(signal);
            let run = running.wait();
            run.assert_category("interrupted", None, exit);
            document(&run);
            cancelled(&server, &ends);
        }
    }
}

#[test]
fn a_broken_stream_is_not_taken_up_again() {
    let broken = |name, end: fn(&mut Conn)| Row {
        name,
        over: HTTP,
        peer: peer(move |_, conn| {
            conn.sse_head(200, &[]);
            end(conn);
        }),
        args: CALL,
        expect: Expect {
            category: "transport",
            phase: "tools/call",
            reason: Some("stream"),
            exit: 5,
            stderr: &["may have run"],
            ..Expect::default()
        },
        // A GET or a second POST is what 2025-11-25 would have sent.
        seen: Some(|server| match server.requests().len() {
            1 => Ok(()),
            count => Err(format!("{count} requests instead of one")),
        }),
        ..Row::default()
    };
    check_rows(&[
        broken("streamable-http §Earlier Revisions: ended before anything", |conn| conn.close()),
        broken("streamable-http §Earlier Revisions: ended after a notification", |conn| {
            conn.event(
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
            );
            conn.close();
        }),
        broken("streamable-http §Earlier Revisions: an event id and a retry time mean nothing", |conn| {
            conn.raw("id: 1\nretry: 10\ndata:\n\n");
            conn.raw("id: 2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n");
            conn.close();
        }),
        broken("streamable-http §Earlier Revisions: reset", |conn| {
            conn.raw("id: 2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n");
            conn.pause(Duration::from_millis(50));
            conn.reset();
        }),
        broken("streamable-http §Earlier Revisions: cut within the answer", |conn| {
            conn.raw("id: 3\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"resu");
            conn.close();
        }),
    ]);
}

#[test]
fn a_program_that_ends_is_not_started_again() {
    check_rows(&[Row {
        name: "stdio §Lifecycle: a call is never repeated by itself",
        over: super::STDIO,
        peer: peer(|_, conn| conn.exit(3)),
        args: CALL,
        expect: Expect {
            category: "transport",
            phase: "tools/call",
            reason: Some("stream"),
            exit: 5,
            ..Expect::default()
        },
        seen: Some(|server| match (server.connections(), all(server, "tools/call").len()) {
            (1, 1) => Ok(()),
            (programs, calls) => Err(format!("{programs} programs and {calls} calls")),
        }),
        ..Row::default()
    }]);
}
