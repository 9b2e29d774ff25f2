//! The versions with a handshake, request by request: what the server named goes into every one that follows
//! (2025-03-26 to 2025-11-25 basic/transports, basic/lifecycle §Version Negotiation).

use serde_json::Value;

use super::{all, document, methods, run_json};
use crate::support::{FakeServer, InitOk, Over, fresh_ids};

const SESSION: &str = "S3CRET-session";
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const WHOLE: &[&str] = &["initialize", "notifications/initialized", "tools/call"];

/// A call to a server that speaks this version and opens a session.
fn called(over: Over, version: &str, args: &[&str]) -> FakeServer {
    let ok = InitOk { protocol: Some(version.to_owned()), session: Some(SESSION.to_owned()), ..InitOk::default() };
    let script = ok.then(|request, conn| conn.result(request, r#"{"content":[{"type":"text","text":"done"}]}"#));
    let (run, server) = run_json(over, script, &[args, &["call", "--no-check", "t"]].concat());
    run.assert_category("ok", None, 0);
    assert_eq!(document(&run)["server"]["protocol"], version);
    assert!(!format!("{}{}", run.stdout_text(), run.stderr).contains(SESSION), "{}", run.describe());
    server
}

#[test]
fn every_request_after_the_handshake_names_version_and_session() {
    for version in VERSIONS {
        let server = called(Over::Http, version, &["--protocol", "legacy"]);
        let requests = server.requests();
        assert_eq!(server.rpc_methods(), WHOLE, "§Initialization: nothing comes before initialized");
        let first = &requests[0];
        for name in ["MCP-Protocol-Version", "Mcp-Session-Id", "Mcp-Method"] {
            assert!(first.header(name).is_none(), "initialize has {name}");
        }
        // §Protocol Version Header came with 2025-06-18.
        let named = (version >= "2025-06-18").then_some(version);
        for request in &requests[1..] {
            let what = format!("{version}: {} {}", request.method, request.rpc_method());
            assert_eq!(request.header("MCP-Protocol-Version"), named, "§Protocol Version Header of {what}");
            assert_eq!(request.header("Mcp-Session-Id"), Some(SESSION), "§Session Management of {what}");
        }
        for request in requests.iter().filter(|request| request.method == "POST") {
            let accept = request.header("Accept").unwrap_or_default();
            assert!(accept.contains("application/json") && accept.contains("text/event-stream"), "§Sending Messages");
            assert_eq!(request.header("Content-Type"), Some("application/json"));
        }
        let ended = requests.iter().any(|request| request.method == "DELETE");
        assert!(ended, "§Session Management: SHOULD end the session\n{}", server.describe());
        assert_eq!(fresh_ids(&server), Ok(()), "basic §Requests");
    }
}

#[test]
fn no_message_of_the_legacy_era_has_a_header_or_meta_of_the_modern_one() {
    for over in Over::ALL {
        let server = called(*over, "2024-11-05", &["--protocol", "2024-11-05"]);
        assert_eq!(methods(&server, WHOLE), Ok(()));
        assert_eq!(all(&server, "initialize")[0].json()["params"]["protocolVersion"], "2024-11-05");
        for request in server.requests() {
            let meta = request.json()["params"]["_meta"].clone();
            assert!(meta.get("io.modelcontextprotocol/protocolVersion").is_none(), "{}", request.text());
            assert!(request.header("Mcp-Method").is_none() && request.header("Mcp-Name").is_none());
        }
    }
}

#[test]
fn a_version_that_is_not_spoken_ends_it() {
    // §Version Negotiation: if the client does not support the version in the response, it SHOULD disconnect. 2026-07-28
    // cannot be agreed on in a handshake.
    for version in ["2023-01-01", "2026-07-28", "DRAFT"] {
        for over in [Over::Http, Over::Stdio] {
            let ok = InitOk { protocol: Some(version.to_owned()), ..InitOk::default() };
            let (run, server) =
                run_json(over, ok.then(|_, _| panic!("the call was sent")), &["call", "--no-check", "t"]);
            run.assert_category("protocol", "version", 7);
            let document = document(&run);
            assert_eq!(document["phase"], "initialize");
            assert!(document["error"]["message"].as_str().is_some_and(|message| message.contains(version)));
            assert_eq!(server.rpc_methods(), ["initialize"], "{}", server.describe());
        }
    }
}

#[test]
fn a_counter_offer_is_taken() {
    for over in [Over::Http, Over::Stdio] {
        let server = called(over, "2025-03-26", &["--protocol", "legacy"]);
        assert_eq!(
            all(&server, "initialize")[0].json()["params"]["protocolVersion"],
            "2025-11-25",
            "the latest is asked for"
        );
        // Asked for by name, another one is worth a warning.
        let ok = InitOk { protocol: Some("2025-03-26".to_owned()), ..InitOk::default() };
        let script = ok.then(|request, conn| conn.result(request, r#"{"content":[]}"#));
        let (run, _server) = run_json(over, script, &["--protocol", "2025-06-18", "call", "--no-check", "t"]);
        run.assert_category("ok", None, 0);
        let ids: Vec<Value> =
            document(&run)["warnings"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        assert_eq!(ids, ["protocol-version"]);
    }
}
