//! The grammar and what comes of it, table by table.

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use super::grammar::{Cli, Command};
use super::plan::Order;
use super::target::{Aim, aim};
use crate::client::{Protocol, Target};
use crate::commands;
use crate::outcome::{Failure, Reason};
use crate::render::Format;
use crate::trace::Tracer;
use crate::transport::Kind;

fn order(args: &[&str]) -> Order {
    match Cli::try_parse_from([&["mcpcli"], args].concat()) {
        Ok(Cli { command: Some(Command::Remote(command)), show, connect }) => Order::of(command, show, connect),
        Ok(other) => panic!("{args:?} is {other:?}"),
        Err(error) => panic!("{args:?}: {error}"),
    }
}

fn aimed(args: &[&str]) -> Result<Aim, Failure> {
    aim(&order(args), &Tracer::new()).map(|(aim, _)| aim)
}

fn target(args: &[&str]) -> Target {
    match aimed(args) {
        Ok(Aim::Server(target)) => target,
        other => panic!("{args:?} goes to {other:?}"),
    }
}

#[test]
fn the_grammar_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn every_option_stands_before_and_behind_the_command() {
    let before = order(&["-s", "http://a/", "--timeout", "5", "--json", "-v", "list", "tools"]);
    let behind = order(&["list", "tools", "-s", "http://a/", "--timeout", "5", "--json", "-v"]);
    assert_eq!((&before.connect, &before.show), (&behind.connect, &behind.show));
    assert_eq!((before.show.format(), before.show.verbose), (Format::Json, 1));
}

#[test]
fn repeated_options_add_up_and_single_ones_take_the_last() {
    let order = order(&[
        "-H",
        "A: 1",
        "--roots",
        "a",
        "--timeout",
        "1",
        "-v",
        "ping",
        "-H",
        "B: 2",
        "-H",
        "C: 3",
        "--timeout",
        "2",
        "-v",
        "--timeout",
        "3",
    ]);
    let headers: Vec<_> = order.connect.header.iter().map(|header| header.0.expose()).collect();
    assert_eq!(headers, ["A: 1", "B: 2", "C: 3"]);
    assert_eq!(order.show.verbose, 2);
    assert_eq!(order.timeout(None), Some(std::time::Duration::from_secs(3)));
}

#[test]
fn clocks_have_defaults_and_zero_is_no_limit() {
    let secs = std::time::Duration::from_secs;
    assert_eq!(order(&["ping"]).timeout(None), Some(secs(30)));
    assert_eq!(order(&["ping"]).timeout(Some(None)), None);
    assert_eq!(order(&["ping", "--timeout", "0"]).timeout(Some(Some(secs(1)))), None);
    assert_eq!(order(&["ping"]).net().unwrap().connect_timeout, Some(secs(10)));
    assert_eq!(order(&["ping"]).net().unwrap().max_message_size, 64 << 20);
    assert_eq!(order(&["ping", "--protocol", "2025-06-18"]).protocol(), Protocol::Version("2025-06-18".to_owned()));
}

#[test]
fn a_program_gets_its_arguments_untouched() {
    let args = ["call", "t", "a=1", "--", "./srv", "--config", "x", "-v", "--", "a b", "-s", "y", ""];
    let Target::Stdio(endpoint) = target(&args) else { panic!("no program") };
    assert_eq!(endpoint.program, "./srv");
    assert_eq!(endpoint.args, ["--config", "x", "-v", "--", "a b", "-s", "y", ""]);
    let Target::Stdio(endpoint) = target(&["-e", "K=V=W", "--cwd", "/tmp", "list", "--", "p"]) else { panic!() };
    assert_eq!(endpoint.env[0].1.expose(), "V=W");
    assert_eq!(endpoint.cwd.as_deref(), Some(std::path::Path::new("/tmp")));
}

#[test]
fn a_url_is_reached_over_the_transport_that_is_asked_for() {
    for (transport, kind) in [("auto", None), ("http", Some(Kind::Http)), ("sse", Some(Kind::Sse))] {
        let Target::Http(found, endpoint) = target(&["-s", "http://h:1/x?k=v", "--transport", transport, "list"])
        else {
            panic!("no URL")
        };
        assert_eq!((found, endpoint.url.as_str()), (kind, "http://h:1/x?k=v"));
    }
    assert!(matches!(aimed(&["-s", "demo", "list"]), Ok(Aim::Demo(_))));
    assert!(matches!(target(&["-s", "demo:exit-early", "list"]), Target::Stdio(_)));
}

#[test]
fn options_that_do_not_belong_together_are_errors() {
    let rows: &[(&[&str], &str)] = &[
        (&["-s", "http://a/", "list", "--", "p"], "--server"),
        (&["-H", "A: 1", "list", "--", "p"], "--header"),
        (&["--bearer", "t", "list", "--", "p"], "--bearer"),
        (&["--insecure", "list", "--", "p"], "--insecure"),
        (&["--proxy", "http://p/", "list", "--", "p"], "--proxy"),
        (&["--transport", "sse", "list", "--", "p"], "--transport sse"),
        (&["--config", "f", "list", "--", "p"], "--config"),
        (&["-e", "A=1", "-s", "http://a/", "list"], "--env"),
        (&["--cwd", "/", "-s", "http://a/", "list"], "--cwd"),
        (&["--transport", "stdio", "-s", "http://a/", "list"], "--transport stdio"),
        (&["--config", "f", "-s", "http://a/", "list"], "--config"),
        (&["--message-url", "http://a/", "--transport", "http", "-s", "http://a/", "list"], "--message-url"),
        (&["--bearer", "t", "-H", "authorization: x", "-s", "http://a/", "list"], "--bearer"),
        (&["-s", "ftp://a/", "list"], "ftp://"),
        (&["-s", "http://", "list"], "URL"),
        (&["-s", "demo:no-such", "list"], "no-such"),
        (&["-s", "demo:no-endpoint", "--transport", "http", "list"], "no-endpoint"),
        (&["-s", "demo", "-e", "A=1", "list"], "--env"),
        (&["-s", "demo", "--transport", "stdio", "-H", "A: 1", "list"], "--header"),
        (&["-H", "no colon", "-s", "http://a/", "list"], "header"),
    ];
    for (args, says) in rows {
        let failure = aimed(args).expect_err(&format!("{args:?}"));
        assert!(failure.message.contains(says), "{args:?}: {}", failure.message);
        assert_eq!(failure.category, crate::outcome::Category::Usage, "{args:?}");
    }
    assert!(order(&["--key", "k", "-s", "demo", "list"]).net().is_err());
    assert!(order(&["--error-pattern", "x", "-s", "demo", "list"]).command().is_err());
    assert!(order(&["--error-pattern", "(", "-s", "demo", "call", "t"]).command().is_err());
}

#[test]
fn what_clap_refuses() {
    let rows: &[&[&str]] = &[
        &["nope"],
        &["list", "nope"],
        &["call"],
        &["--timeout", "-1", "ping"],
        &["--timeout", "abc", "ping"],
        &["--expect", "nope", "ping"],
        &["--max-message-size", "1x", "ping"],
        &["--max-pages", "0", "list"],
        &["--protocol", "", "ping"],
        &["--log-level", "loud", "ping"],
        &["--max-rounds", "-1", "ping"],
        &["--answer", "perhaps", "ping"],
        &["--output", "xml", "ping"],
        &["--retry", "x", "ping"],
        &["complete", "x"],
        &["complete", "--prompt", "a", "--resource", "b", "x"],
        &["explain", "-s", "x"],
        &["doctor"],
        &["watch", "--count", "0"],
        &["task"],
        &["task", "get"],
        &["repl"],
    ];
    for args in rows {
        assert!(Cli::try_parse_from([&["mcpcli"], *args].concat()).is_err(), "{args:?}");
    }
}

#[test]
fn words_become_commands() {
    let command = |args: &[&str]| order(args).command().unwrap();
    match command(&["call", "t", "a=1", "--arg", "b:=-2", "--arg", "-c=3", "--args", "{\"d\":4}", "--dry-run"]) {
        commands::Command::Call(call) => {
            let keys: Vec<_> = call.arguments.iter().map(|pair| pair.key.as_str()).collect();
            assert_eq!(
                (keys, call.args.as_deref(), call.dry_run, call.no_check),
                (vec!["a", "b", "-c"], Some("{\"d\":4}"), true, false)
            );
        }
        other => panic!("{other:?}"),
    }
    match command(&["complete", "--prompt", "p", "language=py=3", "--context", "a=b=c"]) {
        commands::Command::Complete(complete) => {
            assert_eq!((complete.argument.as_str(), complete.value.as_str()), ("language", "py=3"));
            assert_eq!(complete.context, [("a".to_owned(), "b=c".to_owned())]);
        }
        other => panic!("{other:?}"),
    }
    match command(&["request", "m", "--params", "[1]"]) {
        commands::Command::Request { params, .. } => assert_eq!(params.as_deref(), Some("[1]")),
        other => panic!("{other:?}"),
    }
    let bad = order(&["request", "m", "--params", "{x}"]).command().unwrap_err();
    assert_eq!(bad.reason, Some(Reason::CommandLine));
}

#[test]
fn with_a_server_given_by_name_two_dashes_end_the_options() {
    let parse = |args: &[&str]| {
        let args: Vec<OsString> = ["mcpcli"].iter().chain(args).map(OsString::from).collect();
        super::values::as_words(&args).and_then(|words| Cli::try_parse_from(words).ok())
    };
    match parse(&["-s", "demo", "call", "--", "-v", "a=1"]).and_then(|cli| cli.command) {
        Some(Command::Remote(super::grammar::Remote::Call(call))) => {
            assert_eq!((call.own.tool.as_str(), call.own.arguments.pairs.as_slice()), ("-v", &["a=1".to_owned()][..]));
            assert!(call.program.is_empty());
        }
        other => panic!("{other:?}"),
    }
    // Without -s they are a program, and what cannot be words of the command is one server too many.
    assert!(parse(&["call", "t", "--", "-v"]).is_none());
    assert!(parse(&["-s", "demo", "list", "--", "./srv", "-v"]).is_none());
    assert!(aimed(&["-s", "demo", "list", "--", "./srv"]).is_err());
}

#[test]
fn explain_takes_negative_codes() {
    for args in [&["mcpcli", "explain", "-32602"][..], &["mcpcli", "explain", "--", "-32602"]] {
        assert!(Cli::try_parse_from(args).is_ok(), "{args:?}");
    }
}
