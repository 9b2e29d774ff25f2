//! Which era a server speaks: what the probe gets, which requests follow, and what comes out
//! (2026-07-28 basic/versioning §Backward Compatibility and the sections of that name of both transports).

use std::time::Duration;

use serde_json::{Value, json};

use crate::modern::{BOTH, DONE, HTTP, STDIO, all, document, run_json};
use crate::support::{
    Conn, Expect, FakeServer, InitOk, ModernOk, Over, Peer, Request, Row, Sandbox, Script, check_rows, complete,
    fresh_ids, modern_error, script,
};

const AUTO: &[&str] = &["--protocol", "auto", "--timeout", "5s", "call", "--no-check", "t"];
const MODERN: &[&str] = &["--protocol", "modern", "--timeout", "5s", "call", "--no-check", "t"];
const FALLEN_BACK: &[&str] = &["server/discover", "initialize", "notifications/initialized", "tools/call"];
const BEGUN: &[&str] = &["server/discover", "tools/call"];
const PROBED: &[&str] = &["server/discover"];

type Answer = fn(&Request, &mut Conn);

/// A server with a handshake whose answer to the probe is this.
fn older(probe: Answer) -> Script {
    script(move |request, conn| match request.rpc_method().as_str() {
        "server/discover" => probe(request, conn),
        _ if InitOk::default().answer(request, conn) => {}
        _ => conn.result(request, r#"{"content":[{"type":"text","text":"done"}]}"#),
    })
}

/// An answer by HTTP with this body, `ID` in which stands for the id of the request.
fn body(request: &Request, conn: &mut Conn, status: u16, kind: &str, body: &str) {
    conn.respond(status, &[("Content-Type", kind)], body.replace("ID", &request.id()));
}

fn error(request: &Request, conn: &mut Conn, status: u16, id: &str, code: i64) {
    let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"refused"}}}}"#);
    match conn.over() {
        Over::Stdio => conn.message(&text.replace("ID", &request.id())),
        _ => body(request, conn, status, "application/json", &text),
    }
}

fn methods(server: &FakeServer, wanted: &[&str]) -> Result<(), String> {
    fresh_ids(server)?;
    let got = server.rpc_methods();
    if got == wanted { Ok(()) } else { Err(format!("the methods are {got:?} instead of {wanted:?}")) }
}

/// The probe, then a handshake that knows nothing of it.
fn fallen_back(server: &FakeServer) -> Result<(), String> {
    methods(server, FALLEN_BACK)?;
    let request = &all(server, "initialize")[0];
    let params = &request.json()["params"];
    // 2026-07-28 is never offered here: servers exist that accept it and then speak an older version.
    if params["protocolVersion"] != "2025-11-25" || params.get("_meta").is_some() {
        return Err(format!("initialize asks for {params}"));
    }
    for name in ["Mcp-Session-Id", "Mcp-Method", "MCP-Protocol-Version"] {
        if request.header(name).is_some() {
            return Err(format!("initialize has the header {name}"));
        }
    }
    let adopted = server.requests().iter().any(|one| one.header("Mcp-Session-Id").is_some());
    if adopted { Err("a session id came from an error".to_owned()) } else { Ok(()) }
}

fn ok() -> Expect {
    Expect { stdout: &["done"], ..Expect::default() }
}

fn falls_back(name: &'static str, over: &'static [Over], probe: Answer) -> Row {
    Row {
        name,
        over,
        peer: Peer::Server(older(probe)),
        args: AUTO,
        expect: ok(),
        seen: Some(fallen_back),
        ..Row::default()
    }
}

/// Every answer that only an older server gives to a proper probe.
fn refusals_over_http() -> Vec<Row> {
    let row = |name, probe| falls_back(name, HTTP, probe);
    vec![
        row("streamable-http §Backward Compatibility: 400, -32000, id null", |request, conn| {
            error(request, conn, 400, "null", -32000)
        }),
        row(
            "streamable-http §Backward Compatibility: 400, -32600, id \"server-error\", a session that is not ours",
            |request, conn| {
                conn.header("mcp-session-id", "not-yours");
                error(request, conn, 400, "\"server-error\"", -32600);
            },
        ),
        row("streamable-http §Backward Compatibility: 400, -32600, words alone", |request, conn| {
            error(request, conn, 400, "ID", -32600)
        }),
        row("streamable-http §Backward Compatibility: 404, -32601", |request, conn| {
            error(request, conn, 404, "ID", -32601)
        }),
        row("streamable-http §Backward Compatibility: 400, -32602", |request, conn| {
            error(request, conn, 400, "ID", -32602)
        }),
        row("streamable-http §Backward Compatibility: 400, -32000", |request, conn| {
            error(request, conn, 400, "ID", -32000)
        }),
        row("streamable-http §Backward Compatibility: 400, without an id", |request, conn| {
            body(request, conn, 400, "application/json", r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"}}"#);
        }),
        row("streamable-http §Backward Compatibility: 200, an empty result", |request, conn| {
            conn.result(request, "{}")
        }),
        row("streamable-http §Backward Compatibility: 200, a result of something else", |request, conn| {
            conn.result(request, r#"{"tools":[]}"#)
        }),
        row("streamable-http §Backward Compatibility: 200, supportedVersions that are no array", |request, conn| {
            conn.result(request, r#"{"resultType":"complete","supportedVersions":"2026-07-28","capabilities":{}}"#);
        }),
        row("streamable-http §Backward Compatibility: 200, as a stream", |request, conn| {
            conn.push(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
            conn.error(request, -32601, "no");
        }),
        row("streamable-http §Backward Compatibility: 202, empty", |_, conn| conn.accepted()),
        row("streamable-http §Backward Compatibility: 200, a page", |request, conn| {
            body(request, conn, 200, "text/html", "<html>Welcome</html>")
        }),
        row("streamable-http §Backward Compatibility: 404, a page", |request, conn| {
            body(request, conn, 404, "text/html", "<h1>Cannot POST</h1>")
        }),
        row("streamable-http §Backward Compatibility: 405, words", |request, conn| {
            body(request, conn, 405, "text/plain", "Method Not Allowed")
        }),
        row("streamable-http §Backward Compatibility: 400, words", |request, conn| {
            body(request, conn, 400, "text/plain", "Bad Request: Missing session ID")
        }),
        row("streamable-http §Backward Compatibility: 400, JSON that is no message", |request, conn| {
            body(request, conn, 400, "application/json", r#"{"e":1}"#)
        }),
        row("streamable-http §Backward Compatibility: 400, empty", |request, conn| {
            body(request, conn, 400, "text/plain", "")
        }),
        row("streamable-http §Backward Compatibility: 406", |request, conn| {
            body(request, conn, 406, "text/plain", "Not Acceptable")
        }),
        row("streamable-http §Backward Compatibility: 415", |request, conn| error(request, conn, 415, "null", -32000)),
    ]
}

/// Refusals by an error of JSON-RPC alone. "MUST NOT key on one code."
fn refusals_by_error() -> Vec<Row> {
    let row = |name, probe| falls_back(name, BOTH, probe);
    vec![
        row("stdio §Backward Compatibility: -32601", |request, conn| conn.error(request, -32601, "no")),
        row("stdio §Backward Compatibility: -32602", |request, conn| conn.error(request, -32602, "no")),
        row("stdio §Backward Compatibility: -32600", |request, conn| conn.error(request, -32600, "no")),
        row("stdio §Backward Compatibility: -32000", |request, conn| conn.error(request, -32000, "no")),
        row("stdio §Backward Compatibility: -32603", |request, conn| conn.error(request, -32603, "no")),
        row("stdio §Backward Compatibility: 0", |request, conn| conn.error(request, 0, "no")),
        row("stdio §Backward Compatibility: id null", |request, conn| error(request, conn, 200, "null", -32700)),
    ]
}

#[test]
fn an_older_server_is_met_with_initialize() {
    check_rows(&[refusals_over_http(), refusals_by_error()].concat());
}

#[test]
fn how_a_probe_is_refused_is_no_deviation() {
    let strict = |mut row: Row| {
        row.args = &["--protocol", "auto", "--strict", "--timeout", "5s", "call", "--no-check", "t"];
        row
    };
    check_rows(&[refusals_over_http(), refusals_by_error()].concat().into_iter().map(strict).collect::<Vec<_>>());
}

#[test]
fn modern_means_no_handshake() {
    let no_handshake = |mut row: Row, expect: &Expect| {
        row.args = MODERN;
        row.expect = expect.clone();
        row.seen = Some(|server| methods(server, PROBED));
        row
    };
    let rpc = Expect { category: "rpc-error", phase: "discover", exit: 4, ..Expect::default() };
    let rows: Vec<Row> = refusals_by_error().into_iter().filter(|row| !row.name.contains("null")).collect();
    check_rows(&rows.into_iter().map(|row| no_handshake(row, &rpc)).collect::<Vec<_>>());
    // However it is refused, `initialize` never follows.
    for row in refusals_over_http() {
        let Peer::Server(script) = row.peer else { continue };
        let (run, server) = run_json(Over::Http, script, MODERN);
        assert_eq!(methods(&server, PROBED), Ok(()), "{}", row.name);
        assert!(matches!(run.status, Some(4 | 5 | 7)), "{}\n{}", row.name, run.describe());
        assert_eq!(document(&run)["phase"], "discover", "{}", row.name);
    }
}

fn no_fallback(name: &'static str, over: &'static [Over], probe: Answer, expect: Expect) -> Row {
    Row {
        name,
        over,
        peer: Peer::Server(older(probe)),
        args: AUTO,
        expect,
        seen: Some(|server| methods(server, PROBED)),
        ..Row::default()
    }
}

#[test]
fn what_says_nothing_about_the_era_leads_nowhere() {
    let fails = |category, reason, exit| Expect { category, phase: "discover", reason, exit, ..Expect::default() };
    let http = || fails("transport", Some("http"), 5);
    let row = |name, probe, expect| no_fallback(name, HTTP, probe, expect);
    check_rows(&[
        row(
            "streamable-http §Backward Compatibility: 401",
            |_, conn| conn.respond(401, &[("WWW-Authenticate", "Bearer")], ""),
            fails("auth", Some("unauthorized"), 8),
        ),
        row(
            "streamable-http §Backward Compatibility: 401, without a challenge",
            |_, conn| conn.respond(401, &[], "no"),
            fails("auth", Some("unauthorized"), 8),
        ),
        row(
            "streamable-http §Backward Compatibility: 401, with a message",
            |request, conn| error(request, conn, 401, "null", -32001),
            fails("auth", Some("unauthorized"), 8),
        ),
        row(
            "streamable-http §Backward Compatibility: 403, with a challenge",
            |_, conn| conn.respond(403, &[("WWW-Authenticate", r#"Bearer error="insufficient_scope""#)], ""),
            fails("auth", Some("forbidden"), 8),
        ),
        row("streamable-http §Backward Compatibility: 407", |_, conn| conn.respond(407, &[], ""), http()),
        row("streamable-http §Backward Compatibility: 408", |_, conn| conn.respond(408, &[], ""), http()),
        row(
            "streamable-http §Backward Compatibility: 429",
            |_, conn| conn.respond(429, &[("Retry-After", "1")], "slow down"),
            http(),
        ),
        row(
            "streamable-http §Backward Compatibility: 500",
            |_, conn| conn.respond(500, &[], "Internal Server Error"),
            http(),
        ),
        row(
            "streamable-http §Backward Compatibility: 502",
            |_, conn| conn.respond(502, &[("Content-Type", "text/html")], "<h1>Bad Gateway</h1>"),
            http(),
        ),
        row("streamable-http §Backward Compatibility: 503", |_, conn| conn.respond(503, &[], ""), http()),
        row("streamable-http §Backward Compatibility: 504", |_, conn| conn.respond(504, &[], ""), http()),
        row(
            "streamable-http §Backward Compatibility: reset",
            |_, conn| conn.reset(),
            fails("transport", Some("stream"), 5),
        ),
        row(
            "streamable-http §Backward Compatibility: cut",
            |_, conn| {
                conn.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"json");
                conn.close();
            },
            fails("transport", Some("stream"), 5),
        ),
        Row {
            args: &["--protocol", "auto", "--timeout", "400ms", "call", "--no-check", "t"],
            ..row(
                "streamable-http §Backward Compatibility: silence",
                |_, conn| _ = conn.hold(),
                fails("timeout", Some("idle"), 6),
            )
        },
    ]);
    for status in [401, 403, 407, 408, 429, 500, 502, 503, 504] {
        let script = script(move |_, conn| conn.respond(status, &[], ""));
        let (_, server) = run_json(Over::Http, script, AUTO);
        assert_eq!(methods(&server, PROBED), Ok(()), "streamable-http §Backward Compatibility: {status}");
    }
}

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

// --- Programs: the probe may be the end of them, or met with silence ---

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

/// A program that says nothing to the probe until `initialize` comes, and then what `then` says; the id of the probe is 1.
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

// --- The older transport ---

/// A server of HTTP+SSE that refuses every POST to the place of its stream.
fn sse_only(status: u16) -> FakeServer {
    let script = script(move |request, conn| {
        if request.method == "POST" && request.path == "/sse" {
            conn.respond(status, &[("Content-Type", "text/html")], "<h1>no</h1>");
        } else if !InitOk::default().answer(request, conn) {
            conn.result(request, r#"{"content":[{"type":"text","text":"done"}]}"#);
        }
    });
    FakeServer::start(Over::Sse, script)
}

fn lines(server: &FakeServer) -> Vec<String> {
    let shown = server.requests().into_iter().map(|one| format!("{} {} {}", one.method, one.path, one.rpc_method()));
    shown.map(|line| line.trim_end().replace("?session=1", "")).collect()
}

#[test]
fn a_server_of_http_sse_is_found() {
    for status in [404, 405, 400] {
        let server = sse_only(status);
        let sandbox = Sandbox::new();
        let args = ["-s", &server.url(), "--json", "--timeout", "5s", "call", "--no-check", "t"];
        let run = sandbox.mcpcli(&args).run();
        run.assert_category("ok", None, 0);
        let document = document(&run);
        assert_eq!(document["server"]["transport"], "sse");
        let tried = document["server"]["negotiation"].as_array().expect("negotiation").len();
        assert!(tried >= 3, "{}", run.describe());
        let found = [
            "POST /sse server/discover",
            "POST /sse initialize",
            "GET /sse",
            "POST /messages initialize",
            "POST /messages notifications/initialized",
            "POST /messages tools/call",
        ];
        assert_eq!(lines(&server), found, "streamable-http §Backward Compatibility: {status}");
        // The next run goes there at once.
        let run = sandbox.mcpcli(&args).run();
        run.assert_category("ok", None, 0);
        assert_eq!(lines(&server)[found.len()..], found[2..]);
    }
    for status in [401, 403, 500, 503] {
        let server = sse_only(status);
        let run = Sandbox::new().mcpcli(&["-s", &server.url(), "--json", "list"]).run();
        assert!(matches!(run.status, Some(5 | 8)), "{}", run.describe());
        assert_eq!(lines(&server), ["POST /sse server/discover"], "{status}");
    }
}

#[test]
fn modern_is_no_version_of_http_sse() {
    let server = sse_only(405);
    let run = Sandbox::new().mcpcli(&["-s", &server.url(), "--json", "--protocol", "modern", "list"]).run();
    run.assert_category("transport", "http", 5);
    assert_eq!(lines(&server), ["POST /sse server/discover"]);
}

// --- What is said about it ---

#[test]
fn the_document_tells_each_probe_and_why() {
    let script = || older(|request, conn| error(request, conn, 400, "null", -32000));
    let (run, _server) = run_json(Over::Http, script(), AUTO);
    let negotiation = document(&run)["server"]["negotiation"].clone();
    let told: Vec<String> = negotiation.as_array().expect("an array").iter().map(Value::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("server/discover 2026-07-28") && told[0].contains("-32000"), "{told:?}");
    assert!(told[1].contains("initialize 2025-11-25"), "{told:?}");

    let (run, _server) = run_json(Over::Http, script(), &["--protocol", "auto", "info"]);
    let result = document(&run)["result"].clone();
    assert_eq!(result["era"], "legacy");
    assert_eq!(result["attempts"], negotiation);

    for (args, over) in [(["info"], Over::Http), (["info"], Over::Stdio)] {
        let script = ModernOk::default().then(|request, conn| conn.result(request, DONE));
        let server = FakeServer::start(over, script);
        let run = Sandbox::new().mcpcli(&server.args(&[&["--protocol", "auto"], &args[..]].concat())).run();
        run.assert_exit(0);
        for text in ["2026-07-28", "server/discover", "modern 2.0"] {
            assert!(run.stdout_text().contains(text), "{text}\n{}", run.describe());
        }
    }
    let server = FakeServer::start(Over::Http, script());
    let run = Sandbox::new().mcpcli(&server.args(&[&["-v"], AUTO].concat())).run();
    for text in ["server/discover 2026-07-28", "initialize"] {
        assert!(run.stderr.contains(text), "-v tells {text}\n{}", run.describe());
    }
}

#[test]
fn a_failure_tells_what_was_tried() {
    let script = script(|_, conn| conn.respond(404, &[("Content-Type", "text/html")], "<h1>no</h1>"));
    let server = FakeServer::start(Over::Http, script);
    let run = Sandbox::new().mcpcli(&["-s", &server.url(), "--json", "list"]).run();
    run.assert_category("transport", "http", 5);
    let document = document(&run);
    assert_eq!(document["phase"], "initialize", "{}", run.describe());
    let tried = document["server"]["negotiation"].to_string();
    for what in ["server/discover", "initialize", "HTTP+SSE"] {
        assert!(tried.contains(what), "{what} in {tried}");
    }
}
