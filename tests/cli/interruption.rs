//! Ctrl-C and SIGTERM: the server is told, one document is printed, no process is left.
#![cfg(unix)]

use std::time::Duration;

use nix::sys::signal::Signal;

use crate::envelope;
use crate::support::{FakeServer, InitOk, Over, Run, Sandbox, script};

/// A server that never answers a call.
fn silent(over: Over) -> FakeServer {
    FakeServer::start(
        over,
        script(|request, conn| {
            if !InitOk::default().answer(request, conn) {
                if conn.over() == Over::Sse {
                    conn.accepted();
                } else {
                    conn.hold();
                }
            }
        }),
    )
}

fn interrupted(server: &FakeServer, signal: Signal) -> Run {
    let sandbox = Sandbox::new();
    let running = sandbox.mcpcli(&server.args(&["--json", "call", "--no-check", "t"])).start();
    let called = server.wait_for(|request| request.rpc_method() == "tools/call", Duration::from_secs(10));
    assert!(called.is_some(), "the call never came");
    running.signal(signal);
    running.wait()
}

#[test]
fn a_signal_ends_a_call_in_order() {
    for over in [Over::Http, Over::Sse, Over::Stdio] {
        for (signal, exit) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let server = silent(over);
            let run = interrupted(&server, signal);
            run.assert_category("interrupted", None, exit);
            assert!(envelope::problems(&run.json()).is_empty(), "{}", run.describe());
            let told =
                server.wait_for(|request| request.rpc_method() == "notifications/cancelled", Duration::from_secs(2));
            assert!(told.is_some(), "{} was not told of {signal}:\n{}", over.name(), server.describe());
        }
    }
}

#[test]
fn the_handshake_is_never_cancelled() {
    let server = FakeServer::start(Over::Http, script(|_, conn| _ = conn.hold()));
    let sandbox = Sandbox::new();
    let running = sandbox.mcpcli(&server.args(&["--json", "list"])).start();
    server.wait_for(|request| request.rpc_method() == "initialize", Duration::from_secs(10)).expect("initialize");
    running.signal(Signal::SIGINT);
    running.wait().assert_category("interrupted", None, 130);
    assert!(!server.rpc_methods().contains(&"notifications/cancelled".to_owned()), "{}", server.describe());
}
