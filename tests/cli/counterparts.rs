//! The binary against servers that others wrote: every server of the catalogue, put to every check of what it offers.
//!
//! They need what `tests/counterparts/install` installs, so a plain `cargo test` ignores them; `tests/run` does not, and
//! there a missing counterpart is a failure.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod catalogue;
pub(crate) mod group;
mod run;
mod server;

use std::collections::BTreeSet;

use mcpcli::outcome::Category;
use serde_json::Value;

use catalogue::{Catalogue, Check, Offer, Place, Protocol, Server};
use run::{Reach, Run, Target};
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
    python_sdk_2_stdio = "python-sdk-2-stdio",
    python_sdk_2_http_stateful_sse = "python-sdk-2-http-stateful-sse",
    python_sdk_2_http_stateless_json = "python-sdk-2-http-stateless-json",
    typescript_sdk_stdio = "typescript-sdk-stdio",
    typescript_sdk_stdio_modern = "typescript-sdk-stdio-modern",
    typescript_sdk_http = "typescript-sdk-http",
    typescript_sdk_http_modern = "typescript-sdk-http-modern",
    typescript_sdk_http_json = "typescript-sdk-http-json",
    typescript_sdk_http_sse = "typescript-sdk-http-sse",
    rmcp_stdio = "rmcp-stdio",
    rmcp_http_session = "rmcp-http-session",
    rmcp_http_stateless = "rmcp-http-stateless",
    rmcp_http_json = "rmcp-http-json",
    rmcp_http_strict = "rmcp-http-strict",
    supergateway_sse = "supergateway-sse",
    supergateway_http_stateful = "supergateway-http-stateful",
    supergateway_http_stateless = "supergateway-http-stateless",
}

#[test]
fn the_catalogue_is_whole() {
    let Catalogue { protocols, checks, offers, servers } = catalogue::read();
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, COVERED, "each server of the catalogue has its test, in the same order");
    for server in &servers {
        assert!(offers.contains_key(&server.offers), "{}: no such offer {}", server.name, server.offers);
        assert!(["http", "sse", "stdio"].contains(&server.transport.as_str()), "{}", server.name);
        assert!(protocols.contains_key(&server.protocols), "{}: no such protocols {}", server.name, server.protocols);
        for protocol in &protocols[&server.protocols] {
            let lists = server.lists(&offers[&server.offers], protocol);
            assert!(lists.iter().all(|list| checks.contains_key(*list)), "{}: {lists:?}", server.name);
        }
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
    for (name, list) in &protocols {
        for Protocol { ask, speaks, refused, .. } in list {
            assert_ne!(speaks.is_some(), refused.is_some(), "{name}, {ask}: it is either spoken or refused");
        }
        assert_eq!(list[0].ask, "auto", "{name}: what a user gets who asks for nothing comes first");
    }
    for (name, offer) in &offers {
        let of_offer = servers.iter().filter(|server| server.offers == *name);
        let lists: BTreeSet<&str> = of_offer
            .flat_map(|server| protocols[&server.protocols].iter().flat_map(|protocol| server.lists(offer, protocol)))
            .collect();
        let put_to: Vec<&Check> = lists.iter().flat_map(|list| &checks[*list]).collect();
        let known: BTreeSet<&str> = put_to.iter().map(|check| check.what.as_str()).collect();
        for what in offer.codes.keys().chain(offer.legacy_codes.keys()) {
            assert!(known.contains(what.as_str()), "{name}: a code for {what:?}, to which it is not put");
        }
        for check in put_to.iter().filter(|check| check.category == "rpc-error") {
            assert!(offer.codes.contains_key(&check.what), "{name}: no code for {:?}", check.what);
        }
    }
}

/// Starts one server, runs every check and then says of all of them which did not hold.
fn put_to_the_test(name: &str) {
    let catalogue = catalogue::read();
    let index = catalogue.servers.iter().position(|server| server.name == name).expect("it is in the catalogue");
    let server = &catalogue.servers[index];
    let place = Place::from_env();
    let mut findings = Findings { server: name, transport: &server.transport, wrong: Vec::new() };

    let log = match &server.path {
        None => {
            let command = place.command(server, 0);
            findings.protocols(&catalogue, server, || Reach::Program(&command));
            let missing = vec![command[0].clone() + "-that-is-not-there"];
            let run = Run::of(&Target::auto(Reach::Program(&missing)), &["list"]);
            findings.expect("no such program", &run, &Expected::failure("transport", "spawn"));
            String::from("(stdio: see stderr of each run)")
        }
        Some(path) => over_a_url(&catalogue, index, path, &place, &mut findings),
    };
    assert!(findings.wrong.is_empty(), "{}\nthe server's log:\n{log}", findings.wrong.join("\n"));
}

/// The same for a server behind a URL; returns the end of its log.
fn over_a_url(catalogue: &Catalogue, index: usize, path: &str, place: &Place, findings: &mut Findings<'_>) -> String {
    let server = &catalogue.servers[index];
    let running = Running::start(server, index, place);
    let url = running.url(path);
    findings.protocols(catalogue, server, || Reach::Url(&url));

    let run = Run::of(&Target::auto(Reach::Url(&running.url("/nowhere"))), &["list"]);
    let expected = Expected { http_status: Some(404), ..Expected::failure("transport", "http") };
    findings.expect("wrong path", &run, &expected);

    let log = running.log();
    drop(running);
    let run = Run::of(&Target::auto(Reach::Url(&url)), &["list"]);
    findings.expect(
        "stopped server",
        &run,
        &Expected { phase: Some("connect"), ..Expected::failure("transport", "connect") },
    );
    log
}

/// What one run must come to.
#[derive(Default)]
struct Expected<'a> {
    category: &'a str,
    phase: Option<&'a str>,
    reason: Option<&'a str>,
    code: Option<i64>,
    http_status: Option<u16>,
    protocol: Option<&'a str>,
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
    /// Everything under each value of `--protocol`.
    fn protocols<'r>(&mut self, catalogue: &Catalogue, server: &Server, reach: impl Fn() -> Reach<'r>) {
        let offer = &catalogue.offers[&server.offers];
        for protocol in &catalogue.protocols[&server.protocols] {
            let target = Target { reach: reach(), protocol: &protocol.ask };
            if let Some(refusal) = &protocol.refused {
                let expected = Expected {
                    category: &refusal.category,
                    phase: refusal.phase.as_deref(),
                    code: refusal.code,
                    ..Expected::default()
                };
                self.expect("refused protocol", &Run::of(&target, &["list", "tools"]), &expected);
                continue;
            }
            if protocol.checks.is_none() {
                self.lists(&target, offer, protocol);
            }
            for list in server.lists(offer, protocol) {
                self.checks(&target, offer, protocol, &catalogue.checks[list]);
            }
        }
    }

    /// `list` of all kinds together, and of each.
    fn lists(&mut self, target: &Target<'_>, offer: &Offer, protocol: &Protocol) {
        let ok = Expected { category: "ok", protocol: protocol.speaks.as_deref(), ..Expected::default() };
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

    /// One list of checks.
    fn checks(&mut self, target: &Target<'_>, offer: &Offer, protocol: &Protocol, checks: &[Check]) {
        for check in checks {
            let args: Vec<&str> = check.args.iter().map(String::as_str).collect();
            let code = offer.code(&check.what, protocol.is_modern());
            let result = check.result.iter().filter(|_| code.is_none());
            let expected = Expected {
                category: match code {
                    // Said beforehand instead of asked for: input that was not supplied all the same.
                    Some(-32021) => "input-required",
                    Some(_) => "rpc-error",
                    None => &check.category,
                },
                phase: check.phase.as_deref(),
                reason: None,
                code,
                http_status: None,
                protocol: protocol.speaks.as_deref(),
                result: result.map(|(pointer, value)| (pointer.as_str(), value.clone())).collect(),
            };
            self.expect(&check.what, &Run::of(target, &args), &expected);
        }
    }

    /// Compares one run with what it must come to; gives its envelope if there is one.
    fn expect(&mut self, what: &str, run: &Run, expected: &Expected<'_>) -> Option<Value> {
        let (wrong, envelope) = match run.envelope() {
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
    wanted.extend(expected.protocol.map(|version| ("/server/protocol".into(), version.into())));
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
