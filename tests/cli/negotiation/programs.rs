//! Programs: the probe may be the end of them, or met with silence (2026-07-28 basic/transports/stdio §Backward
//! Compatibility).

use std::time::Duration;

use serde_json::json;

use super::{AUTO, Answer, MODERN, PROBED, fallen_back, methods, ok, older};
use crate::modern::{STDIO, all, run_json};
use crate::support::{
    Conn, Expect, FakeServer, InitOk, Over, Peer, Request, Row, Script, check_rows, modern_error, script,
};

#[test]
fn a_program_that_ends_at_the_probe_is_started_again() {
    let row = |name, probe, expect, seen| Row {
        name,
        over: STDIO,
        peer: Peer::Server(older(probe)),
        args: AUTO,
        expect,
        seen: Some(seen),
        ..Row::default()
    };
    fn programs(server: &FakeServer, wanted: usize) -> Result<(), String> {
        let got = server.connections();
        if got == wanted { fallen_back(server) } else { Err(format!("{got} programs instead of {wanted}")) }
    }
    check_rows(&[
        row("stdio §Backward Compatibility: exit 1", |_, conn| conn.exit(1), ok(), |server| programs(server, 2)),
        row("stdio §Backward Compatibility: exit 0", |_, conn| conn.exit(0), ok(), |server| programs(server, 2)),
        row("stdio §Backward Compatibility: a signal", |_, conn| conn.signal(6), ok(), |server| programs(server, 2)),
        row(
            "stdio §Backward Compatibility: an error, then no second start",
            |request, conn| conn.error(request, -32601, "no"),
            ok(),
            |server| programs(server, 1),
        ),
    ]);
    let ends = script(|_, conn| conn.exit(1));
    let (run, server) = run_json(Over::Stdio, ends, AUTO);
    run.assert_category("transport", "stream", 5);
    assert_eq!(
        (server.connections(), server.rpc_methods()),
        (2, vec!["server/discover".to_owned(), "initialize".to_owned()])
    );
    let (run, server) = run_json(Over::Stdio, script(|_, conn| conn.exit(1)), MODERN);
    run.assert_category("transport", "stream", 5);
    assert_eq!((server.connections(), server.rpc_methods()), (1, vec!["server/discover".to_owned()]));
}

const SHORT: &[&str] = &["--protocol", "auto", "--timeout", "600ms", "call", "--no-check", "t"];

/// A program that says nothing to the probe, whose id is 1, until `initialize` comes, and then what `then` says.
fn silent(then: Answer) -> Script {
    script(move |request, conn| match request.rpc_method().as_str() {
        "server/discover" => {}
        "initialize" => then(request, conn),
        _ if InitOk::default().answer(request, conn) => {}
        _ if request.is_rpc_request() => {
            conn.result(request, r#"{"resultType":"complete","content":[{"type":"text","text":"done"}]}"#)
        }
        _ => {}
    })
}

fn handshake(request: &Request, conn: &mut Conn) {
    assert!(InitOk::default().answer(request, conn));
}

const LATE: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}"#;

#[test]
fn a_silent_program_is_met_with_initialize_beside_the_probe() {
    let row = |name, script, expect, seen: fn(&FakeServer) -> Result<(), String>| Row {
        name,
        over: STDIO,
        peer: Peer::Server(script),
        args: SHORT,
        expect,
        seen: Some(seen),
        ..Row::default()
    };
    fn modern_after_all(server: &FakeServer) -> Result<(), String> {
        methods(server, &["server/discover", "initialize", "tools/call"])?;
        let meta = all(server, "tools/call")[0].json()["params"]["_meta"].clone();
        let version = &meta["io.modelcontextprotocol/protocolVersion"];
        if version == "2026-07-28" { Ok(()) } else { Err(format!("the call says {meta}")) }
    }
    check_rows(&[
        row("stdio §Backward Compatibility: silence", silent(handshake), ok(), fallen_back),
        row(
            "stdio §Backward Compatibility: a late refusal",
            silent(|request, conn| {
                conn.push(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#);
                conn.pause(Duration::from_millis(50));
                handshake(request, conn);
            }),
            ok(),
            fallen_back,
        ),
        row(
            "stdio §Backward Compatibility: a refusal after the handshake",
            silent(|request, conn| {
                handshake(request, conn);
                conn.push(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#);
            }),
            ok(),
            fallen_back,
        ),
        row(
            "stdio §Backward Compatibility: a late result wins",
            silent(|_, conn| conn.push(LATE)),
            ok(),
            modern_after_all,
        ),
        row(
            "stdio §Backward Compatibility: a late result, and a refusal of initialize",
            silent(|request, conn| {
                conn.push(LATE);
                let data = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
                modern_error(request, conn, 400, &json!({"code": -32022, "message": "gone", "data": data}));
            }),
            ok(),
            modern_after_all,
        ),
        row(
            "stdio §Backward Compatibility: silence to everything",
            silent(|_, _| {}),
            Expect { category: "timeout", phase: "initialize", reason: Some("idle"), exit: 6, ..Expect::default() },
            |server| methods(server, &["server/discover", "initialize"]),
        ),
        Row {
            args: &["--protocol", "modern", "--timeout", "600ms", "call", "--no-check", "t"],
            ..row(
                "stdio: silence under --protocol modern",
                silent(|_, _| panic!("initialize was sent")),
                Expect { category: "timeout", phase: "discover", reason: Some("idle"), exit: 6, ..Expect::default() },
                |server| {
                    let got: Vec<String> =
                        server.rpc_methods().into_iter().filter(|one| one != "notifications/cancelled").collect();
                    if got == PROBED { Ok(()) } else { Err(format!("{got:?}")) }
                },
            )
        },
    ]);
}
