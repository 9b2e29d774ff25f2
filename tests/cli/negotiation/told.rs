//! How HTTP+SSE is found where both eras of Streamable HTTP are refused, and what is said of the search.

use serde_json::Value;

use super::{AUTO, error, older};
use crate::modern::{DONE, document, run_json};
use crate::support::{FakeServer, InitOk, ModernOk, Over, Sandbox, script};

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
