//! What `--help` says works as it stands.

use crate::support::Sandbox;

const COMMANDS: [&str; 15] = [
    "list",
    "describe",
    "call",
    "read",
    "get",
    "complete",
    "info",
    "ping",
    "watch",
    "task",
    "request",
    "explain",
    "demo",
    "completions",
    "man",
];

/// The words of a line; single quotes are the only ones that the examples use.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is a word").push(c),
        }
    }
    words
}

fn help(args: &[&str]) -> String {
    let run = Sandbox::new().mcpcli(args).run();
    run.assert_exit(0);
    run.stdout_text()
}

#[test]
fn every_command_has_examples_and_those_with_the_demo_server_work() {
    let mut problems = Vec::new();
    for command in COMMANDS {
        let text = help(&[command, "--help"]);
        let examples = text.lines().filter_map(|line| line.strip_prefix("  mcpcli "));
        let examples: Vec<_> = examples.collect();
        if examples.is_empty() {
            problems.push(format!("{command} --help has no example"));
        }
        for example in examples.into_iter().filter(|example| example.starts_with("-s demo ")) {
            let words = words(example);
            let args: Vec<&str> = words.iter().map(String::as_str).collect();
            let run = Sandbox::new().mcpcli(&args).run();
            if run.status != Some(0) {
                problems.push(format!("mcpcli {example}: {}", run.describe()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_first_screen_is_short_and_names_every_command() {
    let text = help(&["-h"]);
    assert!(text.lines().count() <= 34, "{text}");
    for command in COMMANDS {
        assert!(text.lines().any(|line| line.trim_start().starts_with(command)), "{command} in\n{text}");
    }
    assert!(help(&["--help"]).contains("--max-message-size"));
}
