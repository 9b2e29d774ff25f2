//! What the README says about tables in code is what they hold.

use mcpcli::outcome::{Category, WarningId};

use crate::support::Sandbox;

const README: &str = include_str!("../../README.md");

#[test]
fn every_warning_is_listed_with_its_meaning() {
    for warning in WarningId::ALL {
        let row = format!("| `{}` | {} |", warning.id(), warning.meaning());
        assert!(README.contains(&row), "the README lacks the row\n{row}");
    }
}

#[test]
fn every_category_is_listed_with_its_exit_code() {
    for category in Category::ALL {
        let row = format!("| {} | `{}` |", category.exit_code(), category.name());
        let both = row.replace("| 130 |", "| 130, 143 |");
        assert!(README.contains(&both), "the README lacks the row {both}");
    }
}

/// The commands of the console blocks, each with the output that stands below it.
fn blocks() -> Vec<(String, String)> {
    let mut runs: Vec<(String, String)> = Vec::new();
    for block in README.split("```console\n").skip(1) {
        for line in block.split("```").next().expect("a block ends").lines() {
            match line.strip_prefix("$ ") {
                Some(command) => runs.push((command.to_owned(), String::new())),
                None => {
                    let (_, output) = runs.last_mut().expect("a block begins with a command");
                    output.push_str(line);
                    output.push('\n');
                }
            }
        }
    }
    runs
}

/// Ports differ from run to run.
fn with_one_port(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("127.0.0.1:") {
        let (before, after) = rest.split_at(at + "127.0.0.1:".len());
        out.push_str(before);
        out.push_str("4000");
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

#[test]
fn the_console_blocks_show_what_the_commands_print() {
    let runs = blocks();
    assert!(runs.len() >= 3, "{runs:?}");
    for (command, output) in runs {
        let words: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(words.first(), Some(&"mcpcli"), "{command}");
        let run = Sandbox::new().mcpcli(&words[1..]).run();
        let stdout = run.stdout_text();
        let end = if stdout.is_empty() || stdout.ends_with('\n') { "" } else { "\n" };
        let shown = with_one_port(&format!("{stdout}{end}{}", run.stderr));
        assert_eq!(shown, output, "{command}");
    }
}
