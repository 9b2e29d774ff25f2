//! What the grammar refuses: clap's own text for people, the envelope for `--json`.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory};

use super::grammar::Cli;
use super::options::Show;
use super::{broken, print};
use crate::outcome::{Category, Failure, Reason};
use crate::render::Stream;
use crate::report::Report;

/// Whether the arguments ask for the JSON view, as far as can be seen without understanding them.
pub(super) fn wants_json(args: &[OsString]) -> bool {
    let options = args.iter().skip(1).take_while(|arg| *arg != "--");
    let words: Vec<&OsString> = options.collect();
    words.iter().any(|word| *word == "--json" || *word == "--output=json")
        || words.windows(2).any(|pair| pair[0] == "--output" && pair[1] == "json")
}

/// Tells of a command line that clap did not take, or shows the help that was asked for; gives the exit code.
pub(super) fn refuse(error: &clap::Error, args: &[OsString]) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return if broken(error.print()) { Category::Usage.exit_code() } else { 0 };
    }
    if wants_json(args) {
        let show = Show { json: true, ..Show::default() };
        return print(&Report::failed(command_of(error), failure(error)), &show);
    }
    // clap's text is good: what is wrong, the nearest option, the usage. A stderr that is gone cannot be told so.
    let text = error.render();
    let colour = Stream::stderr(crate::render::ColorChoice::Auto).colour;
    let text = if colour { text.ansi().to_string() } else { text.to_string() };
    let _ = io::stderr().write_all(text.as_bytes());
    Category::Usage.exit_code()
}

/// The command line without a command: the help, on stderr, as a usage error.
pub(super) fn no_command(show: &Show) -> u8 {
    if show.format() == crate::render::Format::Json {
        let failure =
            Failure::usage(Reason::CommandLine, "no command was given").with_hint("`mcpcli --help` shows them");
        return print(&Report::failed("", failure), show);
    }
    let help = Cli::command().color(ColorChoice::Never).render_help().to_string();
    let _ = io::stderr().write_all(help.as_bytes());
    Category::Usage.exit_code()
}

/// The command whose words were wrong, for the envelope; empty when the command itself was.
fn command_of(error: &clap::Error) -> &'static str {
    let usage = error.render().to_string();
    let line = usage.lines().find_map(|line| line.strip_prefix("Usage: mcpcli ")).unwrap_or_default();
    let word = line.split(' ').next().unwrap_or_default();
    NAMES.into_iter().find(|name| *name == word).unwrap_or_default()
}

/// Every command. clap has them as owned texts, the report as static ones; a test holds the two together.
const NAMES: [&str; 13] = [
    "list",
    "describe",
    "call",
    "read",
    "get",
    "complete",
    "info",
    "ping",
    "request",
    "explain",
    "demo",
    "completions",
    "man",
];

/// clap's error as a failure: its first line is the message, the rest hint and evidence.
fn failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(first).trim().to_owned();
    let mut failure = Failure::usage(Reason::CommandLine, message);
    let suggestions = error.context().filter_map(|(kind, value)| match (kind, value) {
        (
            ContextKind::SuggestedArg | ContextKind::SuggestedSubcommand | ContextKind::SuggestedValue,
            ContextValue::String(name),
        ) => Some(vec![name.clone()]),
        (
            ContextKind::SuggestedArg | ContextKind::SuggestedSubcommand | ContextKind::SuggestedValue,
            ContextValue::Strings(names),
        ) => Some(names.clone()),
        _ => None,
    });
    let names: Vec<String> = suggestions.flatten().collect();
    failure.hint = Some(match names.as_slice() {
        [] => "`mcpcli --help` and `mcpcli COMMAND --help` show what there is".to_owned(),
        names => format!("did you mean {}?", names.join(" or ")),
    });
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn json_is_seen_in_a_command_line_that_is_wrong() {
        for line in ["mcpcli --json --nope", "mcpcli list --nope --output json", "mcpcli --output=json"] {
            assert!(wants_json(&words(line)), "{line}");
        }
        for line in ["mcpcli --nope", "mcpcli list -- server --json"] {
            assert!(!wants_json(&words(line)), "{line}");
        }
    }

    fn refused(line: &str) -> clap::Error {
        Cli::try_parse_from(words(line)).unwrap_err()
    }

    #[test]
    fn a_slip_is_a_failure_with_the_nearest_name() {
        let error = refused("mcpcli --json list --timeot 3");
        let failure = failure(&error);
        assert_eq!(failure.category, Category::Usage);
        assert!(failure.message.contains("'--timeot'"), "{}", failure.message);
        assert_eq!(failure.hint.as_deref(), Some("did you mean --timeout?"));
        assert_eq!(command_of(&error), "list");
        assert_eq!(command_of(&refused("mcpcli -s demo lst")), "");
    }

    #[test]
    fn every_command_is_known_by_name() {
        let names: Vec<_> = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        assert_eq!(names, NAMES);
        for name in NAMES {
            assert_eq!(command_of(&refused(&format!("mcpcli {name} --no-such-option"))), name);
        }
    }
}
