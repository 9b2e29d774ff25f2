//! What the grammar refuses: clap's own text for people, the envelope for `--json`.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::ColorChoice;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::grammar::grammar;
use super::options::Show;
use super::{broken, print};
use crate::outcome::{Category, Failure, Reason};
use crate::report::Report;

/// Whether the arguments ask for the JSON view, as far as can be seen without understanding them.
pub(super) fn wants_json(args: &[OsString]) -> bool {
    let options = args.iter().skip(1).take_while(|arg| *arg != "--");
    let words: Vec<&OsString> = options.collect();
    // `--json=x` is refused, and the refusal is a document too.
    let asks = |word: &str| word == "--json" || word.starts_with("--json=") || word == "--output=json";
    words.iter().any(|word| word.to_str().is_some_and(asks))
        || words.windows(2).any(|pair| pair[0] == "--output" && pair[1] == "json")
}

/// Tells of a command line that clap did not take, or shows the help that was asked for; gives the exit code.
pub(super) fn refuse(error: &clap::Error, args: &[OsString]) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return if broken(error.print()) { Category::Usage.exit_code() } else { 0 };
    }
    let show = Show { json: wants_json(args), ..Show::default() };
    let command = command_of(args);
    print(&Report::failed(command, failure(error, command)), &show)
}

/// The command line without a command: the help, on stderr, as a usage error.
pub(super) fn no_command(show: &Show) -> u8 {
    if show.format() == crate::render::Format::Json {
        let failure =
            Failure::usage(Reason::CommandLine, "no command was given").with_hint("`mcpcli --help` shows them");
        return print(&Report::failed("", failure), show);
    }
    let help = grammar().color(ColorChoice::Never).render_help().to_string();
    let _ = io::stderr().write_all(help.as_bytes());
    Category::Usage.exit_code()
}

/// The command that was typed, for the envelope: the first word that is neither an option nor the value of one. Empty when there
/// is none, or no such command.
fn command_of(args: &[OsString]) -> &'static str {
    let grammar = grammar();
    let takes_value = |option: &str| {
        let named = |arg: &&clap::Arg| match option.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            // Of short options in one word the last one may take the next word.
            None => arg.get_short().is_some_and(|short| option.len() > 1 && option.ends_with(short)),
        };
        grammar.get_arguments().find(named).is_some_and(|arg| arg.get_action().takes_values())
    };
    let mut words = args.iter().skip(1).map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return NAMES.into_iter().find(|name| *name == word).unwrap_or_default();
        }
        if takes_value(&word) {
            words.next();
        }
    }
    ""
}

/// Every command. clap has them as owned texts, the report as static ones; a test holds the two together.
const NAMES: [&str; 15] = [
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

/// The usage line of a command, or of mcpcli.
fn usage_of(command: &str) -> String {
    let mut grammar = grammar();
    grammar.build();
    let usage = match grammar.find_subcommand_mut(command) {
        Some(command) => command.render_usage(),
        None => grammar.render_usage(),
    };
    let usage = usage.to_string();
    let words: Vec<_> = usage.split_whitespace().skip(1).collect();
    words.join(" ")
}

/// clap's error as a failure: its first paragraph is the message, the usage is evidence, its suggestions are the hint.
fn failure(error: &clap::Error, command: &str) -> Failure {
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = first.split_whitespace().collect();
    let message = words.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let mut failure = Failure::usage(Reason::CommandLine, message);
    failure = failure.with_evidence("usage", usage_of(command));
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
    let near = (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")));
    let unknown = error.kind() == ErrorKind::UnknownArgument && matches!(command, "call" | "get");
    if let Some(owner) = owner_of(error, command) {
        failure.hint = Some(owner);
        return failure;
    }
    failure.hint = Some(match (near, unknown) {
        // clap would advise `-- --message`, which names a program here.
        (near, true) => {
            let what = if command == "call" { "TOOL" } else { "PROMPT" };
            let near = near.map(|near| format!("{near} ")).unwrap_or_default();
            format!("{near}arguments are written message=hi, `mcpcli describe {what}` shows them")
        }
        (Some(near), false) => near,
        (None, false) if command.is_empty() => "`mcpcli --help` shows what there is".to_owned(),
        (None, false) => format!("`mcpcli {command} --help` shows what there is"),
    });
    failure
}

/// That an option belongs to other commands, and stands behind their names.
fn owner_of(error: &clap::Error, command: &str) -> Option<String> {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = argument.split('=').next()?.strip_prefix("--")?;
    let grammar = grammar();
    let has = |sub: &&clap::Command| sub.get_arguments().any(|arg| arg.get_long() == Some(name));
    let owners: Vec<&str> = grammar.get_subcommands().filter(has).map(clap::Command::get_name).collect();
    if owners.is_empty() || owners.contains(&command) {
        return None;
    }
    Some(format!("--{name} belongs to `{}`, and stands behind the name of the command", owners.join("`, `")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn json_is_seen_in_a_command_line_that_is_wrong() {
        for line in [
            "mcpcli --json --nope",
            "mcpcli list --json=foo",
            "mcpcli list --nope --output json",
            "mcpcli --output=json",
        ] {
            assert!(wants_json(&words(line)), "{line}");
        }
        for line in ["mcpcli --nope", "mcpcli list -- server --json"] {
            assert!(!wants_json(&words(line)), "{line}");
        }
    }

    fn refused(line: &str) -> (Failure, &'static str) {
        let words = words(line);
        let command = command_of(&words);
        (failure(&crate::cli::grammar::parse(&words).unwrap_err(), command), command)
    }

    #[test]
    fn a_slip_is_a_failure_with_the_nearest_name() {
        let (failure, command) = refused("mcpcli --json list --timeot 3");
        assert_eq!(failure.category, Category::Usage);
        assert!(failure.message.contains("'--timeot'"), "{}", failure.message);
        assert_eq!(failure.hint.as_deref(), Some("did you mean --timeout?"));
        assert_eq!(command, "list");
        assert_eq!(refused("mcpcli -s demo lst").1, "");
    }

    #[test]
    fn the_value_of_an_option_is_no_command() {
        let (failure, command) = refused("mcpcli -s demo call echo message=1 --timeout -1 --json");
        assert_eq!(command, "call");
        assert!(failure.message.contains("negative"), "{}", failure.message);
        assert_eq!(refused("mcpcli --server=x -vs demo --nope demo").1, "demo");
    }

    #[test]
    fn an_argument_written_as_an_option_is_told_how_it_is_written() {
        let (failure, _) = refused("mcpcli -s demo call echo --message hi");
        let hint = failure.hint.unwrap();
        assert!(hint.contains("message=hi") && !hint.contains("-- --"), "{hint}");
        assert!(failure.evidence.iter().any(|row| row.label == "usage" && row.text.contains("mcpcli call")));
    }

    #[test]
    fn every_command_is_known_by_name() {
        let names: Vec<_> = grammar().get_subcommands().map(|command| command.get_name().to_owned()).collect();
        assert_eq!(names, NAMES);
        for name in NAMES {
            assert_eq!(refused(&format!("mcpcli {name} --no-such-option")).1, name);
        }
    }
}
