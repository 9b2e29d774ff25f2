//! What a server of 2026-07-28 says of its versions, and what a version given by the user rules out.

use serde_json::{Value, json};

use super::{AUTO, Answer, FALLEN_BACK, MODERN, PROBED, error, methods, no_fallback, ok, older};
use crate::modern::{BOTH, DONE, all, run_json};
use crate::support::{
    Conn, Expect, FakeServer, ModernOk, Over, Peer, Request, Row, check_rows, complete, modern_error, script,
};

const BEGUN: &[&str] = &["server/discover", "tools/call"];

/// The data of -32022.
fn unsupported(request: &Request, conn: &mut Conn, supported: &Value) {
    let data = json!({"supported": supported, "requested": "2026-07-28"});
    modern_error(request, conn, 400, &json!({"code": -32022, "message": "Unsupported", "data": data}));
}

fn discovered(request: &Request, conn: &mut Conn, versions: &[&str]) {
    conn.result(request, &complete(json!({"supportedVersions": versions, "capabilities": {"tools": {}}}), true));
}

/// A handshake that asks for this version.
fn asks_for(server: &FakeServer, version: &str) -> Result<(), String> {
    methods(server, FALLEN_BACK)?;
    let asked = all(server, "initialize")[0].json()["params"]["protocolVersion"].clone();
    if asked == version { Ok(()) } else { Err(format!("initialize asks for {asked}")) }
}

#[test]
fn an_error_of_the_modern_era_never_leads_to_initialize() {
    let rpc = |stderr| Expect { category: "rpc-error", phase: "discover", exit: 4, stderr, ..Expect::default() };
    let row = |name, probe, expect| no_fallback(name, BOTH, probe, expect);
    check_rows(&[
        row(
            "versioning: -32020",
            |request, conn| modern_error(request, conn, 400, &json!({"code": -32020, "message": "headers"})),
            rpc(&["-32020", "headers"]),
        ),
        row(
            "versioning: -32021",
            |request, conn| {
                let data = json!({"requiredCapabilities": {"roots": {}}});
                modern_error(request, conn, 400, &json!({"code": -32021, "message": "need", "data": data}));
            },
            rpc(&["-32021", "--roots"]),
        ),
        row(
            "versioning: -32022, nothing in common",
            |request, conn| unsupported(request, conn, &json!(["2027-01-01"])),
            rpc(&["-32022", "2027-01-01"]),
        ),
        row(
            "versioning: -32022, an empty list",
            |request, conn| unsupported(request, conn, &json!([])),
            rpc(&["-32022"]),
        ),
        row(
            "versioning: -32022 without data",
            |request, conn| modern_error(request, conn, 400, &json!({"code": -32022, "message": "Unsupported"})),
            rpc(&["-32022"]),
        ),
        row(
            "versioning: a result with versions that nobody here speaks",
            |request, conn| discovered(request, conn, &["2027-01-01"]),
            Expect {
                category: "protocol",
                phase: "discover",
                reason: Some("version"),
                exit: 7,
                stderr: &["2027-01-01"],
                ..Expect::default()
            },
        ),
        Row {
            seen: Some(|server| methods(server, &["server/discover", "server/discover"])),
            ..row(
                "versioning: -32022 that names the very version is asked once more",
                |request, conn| unsupported(request, conn, &json!(["2026-07-28", "2025-11-25"])),
                Expect { warnings: &["protocol-version"], ..rpc(&["-32022", "2026-07-28"]) },
            )
        },
    ]);
}

#[test]
fn older_versions_that_a_server_names_are_asked_for() {
    let row = |name, probe, seen| Row {
        name,
        over: BOTH,
        peer: Peer::Server(older(probe)),
        args: AUTO,
        expect: ok(),
        seen: Some(seen),
        ..Row::default()
    };
    check_rows(&[
        row(
            "versioning: -32022 that names older versions",
            |request, conn| unsupported(request, conn, &json!(["2024-11-05", "2025-06-18", "2027-01-01"])),
            |server| asks_for(server, "2025-06-18"),
        ),
        row(
            "versioning: -32022 that names the newest with a handshake",
            |request, conn| unsupported(request, conn, &json!(["2025-11-25"])),
            |server| asks_for(server, "2025-11-25"),
        ),
        row(
            "versioning: a result that names older versions alone",
            |request, conn| discovered(request, conn, &["2025-03-26", "2024-11-05"]),
            |server| asks_for(server, "2025-03-26"),
        ),
    ]);
    let (run, server) = run_json(Over::Http, older(|request, conn| discovered(request, conn, &["2025-11-25"])), MODERN);
    run.assert_category("protocol", "version", 7);
    assert_eq!(methods(&server, PROBED), Ok(()), "--protocol modern rules it out");
}

#[test]
fn a_modern_server_is_known_by_its_result() {
    let modern = |versions: Vec<&'static str>| {
        let ok = ModernOk { versions, ..ModernOk::default() };
        Peer::Server(ok.then(|request, conn| conn.result(request, DONE)))
    };
    let row = |name, args, versions| Row {
        name,
        over: BOTH,
        peer: modern(versions),
        args,
        expect: ok(),
        seen: Some(|server| methods(server, BEGUN)),
        ..Row::default()
    };
    check_rows(&[
        row("versioning: one version", AUTO, vec!["2026-07-28"]),
        row("versioning: the newest of both is spoken", AUTO, vec!["2025-11-25", "2026-07-28", "2027-01-01"]),
        row("versioning: --protocol modern", MODERN, vec!["2026-07-28"]),
    ]);
}

#[test]
fn legacy_means_no_probe() {
    const LEGACY: &[&str] = &["--protocol", "legacy", "call", "--no-check", "t"];
    const PINNED: &[&str] = &["--protocol", "2025-06-18", "call", "--no-check", "t"];
    let row = |name, args, peer, expect, seen| Row {
        name,
        over: BOTH,
        peer: Peer::Server(peer),
        args,
        expect,
        seen: Some(seen),
        ..Row::default()
    };
    let refused = || ModernOk::default().then(|request, conn| conn.result(request, DONE));
    fn begun(server: &FakeServer, version: &str) -> Result<(), String> {
        methods(server, &FALLEN_BACK[1..])?;
        let asked = all(server, "initialize")[0].json()["params"]["protocolVersion"].clone();
        if asked == version { Ok(()) } else { Err(format!("it asks for {asked}")) }
    }
    let unheard: Answer = |_, _| panic!("the probe was sent");
    check_rows(&[
        row("--protocol legacy", LEGACY, older(unheard), ok(), |server| begun(server, "2025-11-25")),
        row("--protocol VERSION", PINNED, older(unheard), ok(), |server| begun(server, "2025-06-18")),
        row(
            "--protocol legacy to a server without a handshake",
            LEGACY,
            refused(),
            Expect {
                category: "rpc-error",
                phase: "initialize",
                exit: 4,
                stderr: &["-32022", "--protocol modern"],
                ..Expect::default()
            },
            |server| methods(server, &["initialize"]),
        ),
    ]);
}

#[test]
fn a_pinned_modern_version_tells_what_may_be_wrong() {
    const ARGS: &[&str] = &["--protocol", "2026-07-28", "list", "tools"];
    let peer = Peer::Server(script(|request, conn| match conn.over() {
        Over::Stdio => conn.error(request, -32602, "Received request before initialization was complete"),
        _ => error(request, conn, 400, "ID", -32600),
    }));
    check_rows(&[Row {
        name: "versioning: a version that was given to an older server",
        over: BOTH,
        peer,
        args: ARGS,
        expect: Expect {
            category: "rpc-error",
            phase: "tools/list",
            exit: 4,
            stderr: &["--protocol auto"],
            warnings: &[],
            ..Expect::default()
        },
        seen: Some(|server| methods(server, &["tools/list"])),
        ..Row::default()
    }]);
}
