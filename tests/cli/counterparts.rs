//! The binary against servers that others wrote: every server of the catalogue, put to every check of what it offers.
//!
//! They need what `tests/counterparts/install` installs, so a plain `cargo test` ignores them; `tests/run` does not, and
//! there a missing counterpart is a failure.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod catalogue;
mod group;
mod server;

use std::collections::BTreeSet;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use mcpcli::outcome::Category;
use serde_json::Value;

use catalogue::{Catalogue, Check, Offer, Place, Server};
use group::Group;
use server::Running;

/// What each list of checks must show at least.
const REQUIRED: [&str; 8] = [
    "echo",
    "failing tool",
    "unknown tool, not looked up",
    "bad arguments, not checked",
    "unknown method",
    "read",
    "get",
    "ping",
];

/// No run of the binary may take longer, whatever the server does.
const DEADLINE: Duration = Duration::from_secs(120);

macro_rules! counterparts {
    ($($test:ident = $name:literal),+ $(,)?) => {
        const COVERED: &[&str] = &[$($name),+];
        $(
            #[test]
            #[ignore = "needs the counterparts that tests/run installs"]
            fn $test() {
                put_to_the_test($name);
            }
        )+
    };
}

counterparts! {
    everything_stdio = "everything-stdio",
    everything_sse = "everything-sse",
    everything_http = "everything-http",
    python_sdk_stdio = "python-sdk-stdio",
    python_sdk_sse = "python-sdk-sse",
    python_sdk_http_stateful_sse = "python-sdk-http-stateful-sse",
    python_sdk_http_stateful_json = "python-sdk-http-stateful-json",
    python_sdk_http_stateless_sse = "python-sdk-http-stateless-sse",
    python_sdk_http_stateless_json = "python-sdk-http-stateless-json",
    fastmcp_stdio = "fastmcp-stdio",
    fastmcp_sse = "fastmcp-sse",
    fastmcp_http = "fastmcp-http",
    supergateway_sse = "supergateway-sse",
    supergateway_http_stateful = "supergateway-http-stateful",
    supergateway_http_stateless = "supergateway-http-stateless",
}

#[test]
fn the_catalogue_is_whole() {
    let Catalogue { checks, offers, servers } = catalogue::read();
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, COVERED, "each server of the catalogue has its test, in the same order");
    for server in &servers {
        assert!(offers.contains_key(&server.offers), "{}: no such offer {}", server.name, server.offers);
        assert!(["http", "sse", "stdio"].contains(&server.transport.as_str()), "{}", server.name);
        assert!(server.also.iter().all(|list| checks.contains_key(list)), "{}: {:?}", server.name, server.also);
        assert_eq!(server.transport == "stdio", server.path.is_none(), "{}: a URL has a path", server.name);
    }
    for (name, list) in &checks {
        let shown: BTreeSet<&str> = list.iter().map(|check| check.what.as_str()).collect();
        assert_eq!(shown.len(), list.len(), "{name}: two checks of one name");
        let is_whole_set = offers.values().any(|offer| offer.checks == *name);
        for what in REQUIRED.iter().filter(|_| is_whole_set) {
            assert!(shown.contains(what), "{name}: nothing shows {what:?}");
        }
        for check in list {
            assert!(Category::from_name(&check.category).is_some(), "{name}, {}: {}", check.what, check.category);
        }
    }
    for (name, offer) in &offers {
        let rpc = checks[&offer.checks].iter().filter(|check| check.category == "rpc-error");
        let expected: BTreeSet<&str> = rpc.map(|check| check.what.as_str()).collect();
        let given: BTreeSet<&str> = offer.codes.keys().map(String::as_str).collect();
        assert_eq!(given, expected, "{name}: one code for each rpc-error");
    }
}

/// Starts one server, runs every check and then says of all of them which did not hold.
fn put_to_the_test(name: &str) {
    let catalogue = catalogue::read();
    let index = catalogue.servers.iter().position(|server| server.name == name).expect("it is in the catalogue");
    let server = &catalogue.servers[index];
    let offer = &catalogue.offers[&server.offers];
    let lists = std::iter::once(&offer.checks).chain(&server.also);
    let checks: Vec<&Check> = lists.flat_map(|list| &catalogue.checks[list]).collect();
    let checks = checks.as_slice();
    let place = Place::from_env();
    let mut findings = Findings { server: name, transport: &server.transport, wrong: Vec::new() };

    let log = match &server.path {
        None => {
            let command = place.command(server, 0);
            let target = Target::Program(&command);
            findings.lists(&target, offer);
            findings.checks(&target, offer, checks);
            let missing = vec![command[0].clone() + "-that-is-not-there"];
            let run = Run::of(&Target::Program(&missing), &["list"]);
            findings.expect("no such program", &run, &Expected::failure("transport", "spawn"));
            String::from("(stdio: see stderr of each run)")
        }
        Some(path) => over_a_url(server, index, path, &place, offer, checks, &mut findings),
    };
    assert!(findings.wrong.is_empty(), "{}\nthe server's log:\n{log}", findings.wrong.join("\n"));
}

/// The same for a server behind a URL; returns the end of its log.
fn over_a_url(
    server: &Server,
    index: usize,
    path: &str,
    place: &Place,
    offer: &Offer,
    checks: &[&Check],
    findings: &mut Findings<'_>,
) -> String {
    let running = Running::start(server, index, place);
    let url = running.url(path);
    let target = Target::Url(&url);
    findings.lists(&target, offer);
    findings.checks(&target, offer, checks);

    let run = Run::of(&Target::Url(&running.url("/nowhere")), &["list"]);
    let expected = Expected { http_status: Some(404), ..Expected::failure("transport", "http") };
    findings.expect("wrong path", &run, &expected);

    let log = running.log();
    drop(running);
    let run = Run::of(&target, &["list"]);
    findings.expect(
        "stopped server",
        &run,
        &Expected { phase: Some("connect"), ..Expected::failure("transport", "connect") },
    );
    log
}

/// How the binary is told which server is meant.
enum Target<'a> {
    Url(&'a str),
    Program(&'a [String]),
}

/// One run of the binary with `--json`.
struct Run {
    line: String,
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Run {
    fn of(target: &Target<'_>, args: &[&str]) -> Run {
        let home = tempfile::tempdir().expect("a temporary folder");
        let mut words = vec![env!("CARGO_BIN_EXE_mcpcli").to_owned(), "--json".to_owned()];
        if let Target::Url(url) = target {
            words.extend(["-s".to_owned(), (*url).to_owned()]);
        }
        words.extend(args.iter().map(|arg| (*arg).to_owned()));
        if let Target::Program(program) = target {
            words.push("--".into());
            words.extend(program.iter().cloned());
        }
        let line = format!("mcpcli {}", words[1..].join(" "));
        let [out, err] = [(), ()].map(|()| tempfile::NamedTempFile::new().expect("a temporary file"));
        let into = |file: &tempfile::NamedTempFile| Stdio::from(file.reopen().expect("the file opens again"));
        let mut command = Group::command(&words);
        // Nothing of the user's own comes in: no configuration, no variable but the one that finds the interpreters.
        command.env_clear().env("HOME", home.path()).env("PATH", std::env::var_os("PATH").expect("PATH is set"));
        command.current_dir(home.path()).stdout(into(&out)).stderr(into(&err));
        let mut group = Group::start(&mut command);
        let started = Instant::now();
        let code = loop {
            match group.ended() {
                Some(status) => break status.code(),
                None if started.elapsed() > DEADLINE => break None,
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        drop(group);
        let text = |file: tempfile::NamedTempFile| {
            let mut bytes = Vec::new();
            file.reopen().and_then(|mut file| file.read_to_end(&mut bytes)).expect("the output can be read");
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Run { line, code, stdout: text(out), stderr: text(err) }
    }
}

/// What one run must come to.
#[derive(Default)]
struct Expected<'a> {
    category: &'a str,
    phase: Option<&'a str>,
    reason: Option<&'a str>,
    code: Option<i64>,
    http_status: Option<u16>,
    result: Vec<(&'a str, Value)>,
}

impl<'a> Expected<'a> {
    fn failure(category: &'a str, reason: &'a str) -> Expected<'a> {
        Expected { category, reason: Some(reason), ..Expected::default() }
    }
}

/// Everything that did not hold with one server.
struct Findings<'a> {
    server: &'a str,
    transport: &'a str,
    wrong: Vec<String>,
}

impl Findings<'_> {
    /// `list` of all kinds together, and of each.
    fn lists(&mut self, target: &Target<'_>, offer: &Offer) {
        let ok = Expected { category: "ok", ..Expected::default() };
        let run = Run::of(target, &["list"]);
        if let Some(envelope) = self.expect("list", &run, &ok) {
            for (_, member, names) in offer.kinds() {
                self.names("list", &envelope, member, names);
            }
        }
        for (kind, member, names) in offer.kinds() {
            let what = format!("list {kind}");
            if let Some(envelope) = self.expect(&what, &Run::of(target, &["list", kind]), &ok) {
                self.names(&what, &envelope, member, names);
            }
        }
    }

    fn names(&mut self, what: &str, envelope: &Value, member: &str, names: &[String]) {
        let entries = envelope["result"][member].as_array().map(Vec::as_slice).unwrap_or_default();
        let found: BTreeSet<&str> = entries.iter().filter_map(|entry| entry["name"].as_str()).collect();
        let missing: Vec<&String> = names.iter().filter(|name| !found.contains(name.as_str())).collect();
        if !missing.is_empty() {
            let line = format!("{}, {what}: {member} lacks {missing:?}, it holds {found:?}", self.server);
            self.wrong.push(line);
        }
    }

    /// The checks of the catalogue.
    fn checks(&mut self, target: &Target<'_>, offer: &Offer, checks: &[&Check]) {
        for check in checks {
            let args: Vec<&str> = check.args.iter().map(String::as_str).collect();
            let expected = Expected {
                category: &check.category,
                phase: check.phase.as_deref(),
                reason: None,
                code: offer.codes.get(&check.what).copied(),
                http_status: None,
                result: check.result.iter().map(|(pointer, value)| (pointer.as_str(), value.clone())).collect(),
            };
            self.expect(&check.what, &Run::of(target, &args), &expected);
        }
    }

    /// Compares one run with what it must come to; gives its envelope if there is one.
    fn expect(&mut self, what: &str, run: &Run, expected: &Expected<'_>) -> Option<Value> {
        let (wrong, envelope) = match serde_json::from_str::<Value>(&run.stdout) {
            Ok(envelope) => (differences(&envelope, run.code, self.transport, expected), Some(envelope)),
            Err(error) => (vec![format!("stdout is not one JSON document: {error}")], None),
        };
        if !wrong.is_empty() {
            let (server, line, code) = (self.server, &run.line, run.code);
            self.wrong.push(format!(
                "{server}, {what}: {}\n  $ {line}\n  exit {code:?}\n  stdout: {}\n  stderr: {}",
                wrong.join("; "),
                run.stdout,
                run.stderr
            ));
        }
        envelope
    }
}

/// Where an envelope is not as expected, in words.
fn differences(envelope: &Value, code: Option<i32>, transport: &str, expected: &Expected<'_>) -> Vec<String> {
    let exit = Category::from_name(expected.category).expect("a known category").exit_code();
    let mut wanted: Vec<(String, Value)> = vec![
        ("/category".into(), expected.category.into()),
        ("/exit_code".into(), exit.into()),
        ("/ok".into(), (exit == 0).into()),
        ("/server/transport".into(), transport.into()),
    ];
    wanted.extend(expected.phase.map(|phase| ("/phase".into(), phase.into())));
    wanted.extend(expected.reason.map(|reason| ("/reason".into(), reason.into())));
    wanted.extend(expected.code.map(|code| ("/error/code".into(), code.into())));
    wanted.extend(expected.http_status.map(|status| ("/error/http_status".into(), status.into())));
    wanted.extend(expected.result.iter().map(|(pointer, value)| (format!("/result{pointer}"), value.clone())));
    // What never met a server that speaks MCP cannot know its transport: `auto` has tried more than one.
    if expected.category == "transport" {
        wanted.retain(|(pointer, _)| pointer != "/server/transport");
    }

    let mut wrong: Vec<String> = wanted
        .into_iter()
        .filter(|(pointer, value)| envelope.pointer(pointer) != Some(value))
        .map(|(pointer, value)| {
            format!("{pointer} is {:?}, not {value}", envelope.pointer(&pointer).map(Value::to_string))
        })
        .collect();
    if code != Some(i32::from(exit)) {
        wrong.push(format!("the exit code is {code:?}, not {exit}"));
    }
    let message = envelope["error"]["message"].as_str().unwrap_or_default();
    if (exit == 0) != message.is_empty() {
        wrong.push(format!("error.message is {message:?}"));
    }
    wrong
}

#[test]
fn differences_are_seen() {
    let envelope = |category: &str, exit: u8, code: i64| {
        serde_json::json!({
            "ok": false, "category": category, "exit_code": exit, "server": {"transport": "http"},
            "phase": "no/such", "reason": null, "result": null, "error": {"message": "no", "code": code, "http_status": 200}
        })
    };
    let expected =
        Expected { category: "rpc-error", phase: Some("no/such"), code: Some(-32601), ..Expected::default() };
    let seen = |envelope: &Value, code, transport| differences(envelope, Some(code), transport, &expected);
    assert_eq!(seen(&envelope("rpc-error", 4, -32601), 4, "http"), Vec::<String>::new());
    assert_eq!(seen(&envelope("rpc-error", 4, -32602), 4, "http").len(), 1, "another code");
    assert_eq!(seen(&envelope("rpc-error", 4, -32601), 5, "http").len(), 1, "another exit code of the process");
    assert_eq!(seen(&envelope("rpc-error", 4, -32601), 4, "sse").len(), 1, "another transport");
    assert_eq!(seen(&envelope("tool-error", 3, -32601), 4, "http").len(), 2, "another category");
}
