//! How many requests a command costs, and what one run keeps for the next (2026-07-28 basic/versioning §Backward
//! Compatibility: the era belongs to the server, and a client SHOULD keep it).

use super::{DONE, run_json};
use crate::support::{FakeServer, InitOk, ModernOk, Over, Sandbox, modern_ok, script};

const LEARNING: &[&str] = &["server/discover", "tools/list", "tools/call"];

fn server(over: Over) -> FakeServer {
    FakeServer::start(over, modern_ok(|request, conn| conn.result(request, DONE)))
}

/// What one more run sends.
#[track_caller]
fn sent(sandbox: &Sandbox, server: &FakeServer, args: &[&str]) -> Vec<String> {
    let before = server.requests().iter().filter(|one| one.method != "EOF").count();
    let run = sandbox.mcpcli(&server.args(args)).run();
    run.assert_exit(0);
    let after = server.requests().into_iter().filter(|one| one.method != "EOF").skip(before);
    after.map(|one| if one.rpc_method().is_empty() { one.method.clone() } else { one.rpc_method() }).collect()
}

#[test]
fn a_pinned_version_costs_no_probe() {
    for over in super::BOTH {
        let script = modern_ok(|request, conn| conn.result(request, DONE));
        let (run, server) = run_json(*over, script.clone(), super::CALL);
        run.assert_category("ok", None, 0);
        assert_eq!(server.rpc_methods(), ["tools/call"]);
        assert_eq!(server.connections(), 1);
        let (_, server) = run_json(*over, script, &["--protocol", "2026-07-28", "call", "t"]);
        assert_eq!(server.rpc_methods(), ["tools/list", "tools/call"]);
        assert_eq!(server.connections(), 1, "one connection is enough");
    }
}

#[test]
fn what_was_found_out_is_kept() {
    let (sandbox, server) = (Sandbox::new(), server(Over::Http));
    let auto = ["--protocol", "auto", "call", "t"];
    assert_eq!(sent(&sandbox, &server, &auto), LEARNING);
    assert_eq!(sent(&sandbox, &server, &auto), LEARNING[1..]);
    assert_eq!(sent(&sandbox, &server, &["--protocol", "auto", "call", "--no-check", "t"]), LEARNING[2..]);
    // Whoever asks for the modern era by name wants to know.
    assert_eq!(sent(&sandbox, &server, &["--protocol", "modern", "call", "t"]), LEARNING);
    // Another home knows nothing.
    assert_eq!(
        sent(&Sandbox::new(), &server, &["--protocol", "auto", "call", "--no-check", "t"]),
        [LEARNING[0], LEARNING[2]]
    );
}

#[test]
fn a_program_is_asked_each_time() {
    let (sandbox, server) = (Sandbox::new(), server(Over::Stdio));
    for _ in 0..2 {
        assert_eq!(sent(&sandbox, &server, &["--protocol", "auto", "call", "t"]), LEARNING);
    }
}

/// Every file in the cache, with its content.
fn cache(sandbox: &Sandbox) -> Vec<(String, String)> {
    let servers = sandbox.home().join(".cache/mcpcli/servers");
    let Ok(entries) = std::fs::read_dir(servers) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("a file"))).collect()
}

#[test]
fn no_cache_neither_reads_nor_writes() {
    let (sandbox, server) = (Sandbox::new(), server(Over::Http));
    let auto = ["--protocol", "auto", "call", "t"];
    let without = ["--protocol", "auto", "--no-cache", "call", "t"];
    assert_eq!(sent(&sandbox, &server, &without), LEARNING);
    assert!(cache(&sandbox).is_empty(), "{:?}", cache(&sandbox));
    assert_eq!(sent(&sandbox, &server, &auto), LEARNING, "nothing was kept");
    let kept = cache(&sandbox);
    assert_eq!(kept.len(), 1);
    assert_eq!(sent(&sandbox, &server, &without), LEARNING, "nothing is read");
    assert_eq!(cache(&sandbox), kept);
}

#[test]
fn a_named_version_teaches_nothing() {
    let (sandbox, server) = (Sandbox::new(), server(Over::Http));
    for protocol in ["2026-07-28", "modern"] {
        sent(&sandbox, &server, &["--protocol", protocol, "call", "t"]);
        assert!(cache(&sandbox).is_empty(), "{protocol}: {:?}", cache(&sandbox));
    }
}

#[test]
fn a_file_that_cannot_be_used_is_as_if_it_were_not_there() {
    let (sandbox, server) = (Sandbox::new(), server(Over::Http));
    let auto = ["--protocol", "auto", "call", "t"];
    sent(&sandbox, &server, &auto);
    let (path, content) = cache(&sandbox).remove(0);
    for broken in ["", "{", "[]", &content.replace("http://", "https://"), &content.replace("\"at\":", "\"at\":1")] {
        std::fs::write(&path, broken).expect("the file");
        assert_eq!(sent(&sandbox, &server, &auto), LEARNING, "{broken}");
        assert_eq!(sent(&sandbox, &server, &auto), LEARNING[1..], "it was mended");
    }
}

#[test]
fn no_secret_of_the_url_is_kept() {
    let (sandbox, server) = (Sandbox::new(), server(Over::Http));
    let url = format!("{}/S3CRETPATH?token=S3CRETQUERY", server.url().replace("http://", "http://u:S3CRETPASS@"));
    let run = sandbox.mcpcli(&["-s", &url, "--transport", "http", "list"]).run();
    run.assert_exit(0);
    let kept = cache(&sandbox);
    assert_eq!(kept.len(), 1);
    assert!(!format!("{kept:?}").contains("S3CRET"), "{kept:?}");
}

#[test]
fn a_legacy_server_is_probed_once() {
    let (sandbox, server) = (Sandbox::new(), FakeServer::start(Over::Http, legacy()));
    let auto = ["--protocol", "auto", "call", "echo", "message=x"];
    let methods =
        |sent: Vec<String>| -> Vec<String> { sent.into_iter().filter(|one| one != "GET" && one != "DELETE").collect() };
    let first = methods(sent(&sandbox, &server, &auto));
    assert_eq!(first, ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"]);
    assert_eq!(methods(sent(&sandbox, &server, &auto)), first[1..]);
    assert_eq!(methods(sent(&sandbox, &server, &["--protocol", "legacy", "call", "echo", "message=x"])), first[1..]);
}

fn legacy() -> crate::support::Script {
    script(|request, conn| match request.rpc_method().as_str() {
        "server/discover" => conn.error(request, -32601, "Method not found"),
        _ if InitOk::default().answer(request, conn) => {}
        _ => conn.result(request, r#"{"content":[]}"#),
    })
}

#[test]
fn a_list_of_everything_asks_for_what_is_advertised() {
    let capabilities = serde_json::json!({"tools": {}});
    let script =
        ModernOk { capabilities, ..ModernOk::default() }.then(|request, conn| conn.error(request, -32601, "no"));
    let (run, server) = run_json(Over::Http, script, &["--protocol", "auto", "list"]);
    run.assert_category("ok", None, 0);
    assert_eq!(server.rpc_methods(), ["server/discover", "tools/list"]);
}
