//! No secret leaves the program: every command, with a marked secret in every place that takes one, in every form of output.

use std::path::Path;

use serde_json::json;

use crate::support::{FakeServer, InitOk, Over, Request, Sandbox, Script, script};

/// Marks that stand in secrets, each for one place.
const MARKS: [&str; 8] = [
    "marked-header-1",
    "marked-bearer-2",
    "marked-user-3",
    "marked-word-4",
    "marked-query-5",
    "marked-variable-6",
    "marked-environment-7",
    "marked-session-8",
];

/// Every command that speaks to a server.
const COMMANDS: [&[&str]; 14] = [
    &["list"],
    &["list", "tools"],
    &["describe", "echo"],
    &["call", "echo", "message=hi"],
    &["call", "echo", "message=hi", "--dry-run"],
    &["call", "echo", "message=hi", "--task"],
    &["call", "nosuch"],
    &["read", "x:y"],
    &["get", "p"],
    &["complete", "--prompt", "p", "a=b"],
    &["info"],
    &["ping"],
    &["task", "get", "t1"],
    &["request", "no/such"],
];

/// A server that has a session, lists one tool, and answers everything else with an error.
fn plain() -> Script {
    let session = Some(MARKS[7].to_owned());
    InitOk { session, ..InitOk::default() }.then(|request, conn| conn.error(request, -32603, "no"))
}

/// A server that refuses everybody.
fn refusing() -> Script {
    script(|_: &Request, conn| conn.respond(401, &[("WWW-Authenticate", "Bearer realm=\"r\"")], "no"))
}

/// A server whose answers nobody can read.
fn broken() -> Script {
    script(|_: &Request, conn| conn.respond(200, &[("Content-Type", "text/html")], "<h1>hello</h1>"))
}

/// Everything below a folder, as text.
fn everything_below(dir: &Path, text: &mut String) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        text.push_str(&path.display().to_string());
        if path.is_dir() {
            everything_below(&path, text);
        } else {
            text.push_str(&String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()));
        }
    }
}

/// The marks that a run of these arguments shows anywhere.
fn shown(args: &[String], at_all: &mut String) -> Vec<&'static str> {
    let sandbox = Sandbox::new();
    let trace = sandbox.work().join("trace.ndjson");
    let mut all = args.to_vec();
    all.insert(0, format!("--trace={}", trace.display()));
    let run = sandbox.mcpcli(&all).env("MCPCLI_BEARER", MARKS[6]).run();
    let mut text = format!("{}\n{}\n", run.stdout_text(), run.stderr);
    everything_below(&sandbox.home(), &mut text);
    text.push_str(&std::fs::read_to_string(&trace).unwrap_or_default());
    at_all.push_str(&text);
    MARKS.into_iter().filter(|mark| text.contains(mark)).collect()
}

const FORMS: [&[&str]; 3] = [&["-vv"], &["-vv", "--json"], &["-v", "--output", "raw"]];

fn check(over: Over, servers: &[fn() -> Script], protocols: &[&str]) {
    let mut leaks = Vec::new();
    let mut seen = String::new();
    for make in servers {
        for protocol in protocols {
            let server = FakeServer::start(over, make());
            for (command, form) in COMMANDS.iter().flat_map(|command| FORMS.iter().map(move |form| (command, form))) {
                let mut args = vec!["--protocol".to_owned(), (*protocol).to_owned(), "--timeout".into(), "3s".into()];
                args.extend(form.iter().map(|word| (*word).to_owned()));
                match over {
                    Over::Stdio => args.push(format!("--env=SECRET={}", MARKS[5])),
                    _ => {
                        let address = server.address();
                        let (user, word, query) = (MARKS[2], MARKS[3], MARKS[4]);
                        let url = format!("http://{user}:{word}@{address}/mcp?key={query}");
                        args.extend(["-s".to_owned(), url, "--transport".to_owned(), over.name().to_owned()]);
                        args.push(format!("--header=X-Key: {}", MARKS[0]));
                        // A user in the URL and a bearer are two credentials for one header; each run has one of them.
                        if command.len() % 2 == 0 {
                            args.push(format!("--bearer={}", MARKS[1]));
                        }
                    }
                }
                args.extend(command.iter().map(|word| (*word).to_owned()));
                if over == Over::Stdio {
                    args.push("--".to_owned());
                    args.extend(server.command());
                }
                for mark in shown(&args, &mut seen) {
                    leaks.push(format!("{mark} is shown by {}", args.join(" ")));
                }
            }
            server.forgive();
        }
    }
    assert!(leaks.is_empty(), "{} leaks\n{}", leaks.len(), leaks.join("\n"));
    // The runs did show what they did, so that the marks could have been there.
    assert!(seen.contains("initialize") && seen.contains("***") == (over != Over::Stdio), "nothing was shown");
}

#[test]
fn over_http_none_is_shown() {
    check(Over::Http, &[plain, refusing, broken], &["legacy"]);
}

#[test]
fn while_the_version_is_found_out_none_is_shown() {
    check(Over::Http, &[plain], &["auto", "2026-07-28"]);
}

#[test]
fn over_sse_none_is_shown() {
    check(Over::Sse, &[plain], &["legacy"]);
}

#[cfg(unix)]
#[test]
fn over_stdio_none_is_shown() {
    check(Over::Stdio, &[plain], &["legacy"]);
}

#[test]
fn a_configuration_gives_none_away() {
    let server = FakeServer::start(Over::Http, plain());
    for command in COMMANDS {
        let sandbox = Sandbox::new();
        let config = json!({"mcpServers": {"here": {
            "url": server.url(),
            "headers": {"Authorization": format!("Bearer {}", MARKS[1]), "X-Key": "${KEY}"}
        }}});
        let path = sandbox.write("mcp.json", config.to_string());
        let mut args =
            vec!["--config".to_owned(), path.display().to_string(), "-s".into(), "here".into(), "-vv".into()];
        args.extend(["--protocol", "legacy"].map(str::to_owned));
        args.extend(command.iter().map(|word| (*word).to_owned()));
        let run = sandbox.mcpcli(&args).env("KEY", MARKS[0]).run();
        let text = format!("{}{}", run.stdout_text(), run.stderr);
        let leaks: Vec<_> = MARKS.into_iter().filter(|mark| text.contains(mark)).collect();
        assert!(leaks.is_empty(), "{leaks:?}\n{}", run.describe());
    }
}
