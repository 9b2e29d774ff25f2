//! Commands to copy name the server in the way the user did, so that they work as they stand.

use super::options::Connect;
use crate::outcome::Failure;
use crate::report::{Body, Report, SectionState};
use crate::schema::shell_word;
use crate::trace::Redactor;

/// The commands that need a server, and so the words for it.
const REMOTE: [&str; 11] =
    ["list", "describe", "call", "read", "get", "complete", "info", "ping", "watch", "task", "request"];

/// How the user named the server; empty where a variable or the configuration named it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerWords {
    /// What stands behind `mcpcli`.
    before: String,
    /// What stands at the end.
    behind: String,
}

impl ServerWords {
    /// The words of a command line, secrets masked.
    pub(super) fn of(connect: &Connect, program: &[String], redactor: &Redactor) -> ServerWords {
        let mut before = String::new();
        if let Some(server) = &connect.server {
            before.push_str(&format!(" -s {}", shell_word(server)));
        }
        if let Some(config) = &connect.config {
            before.push_str(&format!(" --config {}", shell_word(&config.to_string_lossy())));
        }
        if let Some(protocol) = &connect.protocol {
            before.push_str(&format!(" --protocol {}", shell_word(protocol.name())));
        }
        let mut behind = String::new();
        if !program.is_empty() {
            behind.push_str(" --");
            program.iter().for_each(|word| behind.push_str(&format!(" {}", shell_word(word))));
        }
        let mask = |text: &str| redactor.mask(text).into_owned();
        ServerWords { before: mask(&before), behind: mask(&behind) }
    }

    /// The report with the server in every command that it proposes.
    pub(super) fn carried(&self, mut report: Report) -> Report {
        if *self == ServerWords::default() {
            return report;
        }
        report.failures.iter_mut().for_each(|failure| self.hint(failure));
        match &mut report.body {
            Body::Task(task) => task.hint = task.hint.as_deref().map(|hint| self.sentence(hint)),
            Body::Describe(describe) => describe.example = self.command(&describe.example),
            Body::List(list) => {
                for section in &mut list.sections {
                    if let SectionState::Failed(failure) = &mut section.state {
                        self.hint(failure);
                    }
                }
            }
            _ => {}
        }
        report
    }

    fn hint(&self, failure: &mut Failure) {
        if let Some(hint) = &mut failure.hint {
            *hint = self.sentence(hint);
        }
        failure.also.iter_mut().for_each(|other| self.hint(other));
    }

    /// A sentence with commands between backticks.
    fn sentence(&self, text: &str) -> String {
        let parts = text.split('`').enumerate();
        let parts = parts.map(|(index, part)| if index % 2 == 1 { self.command(part) } else { part.to_owned() });
        parts.collect::<Vec<_>>().join("`")
    }

    fn command(&self, text: &str) -> String {
        let Some(rest) = text.strip_prefix("mcpcli ") else { return text.to_owned() };
        if !REMOTE.contains(&rest.split(' ').next().unwrap_or_default()) || rest.ends_with(" --help") {
            return text.to_owned();
        }
        format!("mcpcli{} {rest}{}", self.before, self.behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(server: Option<&str>, program: &[&str]) -> ServerWords {
        let connect = Connect { server: server.map(str::to_owned), ..Connect::default() };
        let program: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
        let redactor = Redactor::default();
        redactor.add_text("s3cret-token");
        ServerWords::of(&connect, &program, &redactor)
    }

    #[test]
    fn a_command_to_copy_has_the_server() {
        let hint = "did you mean echo? `mcpcli list tools` shows all; `mcpcli explain dns`, `mcpcli call --help` too";
        assert_eq!(
            words(Some("demo"), &[]).sentence(hint),
            "did you mean echo? `mcpcli -s demo list tools` shows all; `mcpcli explain dns`, `mcpcli call --help` too"
        );
        assert_eq!(
            words(None, &["./my srv", "-v"]).command("mcpcli call echo message=text"),
            "mcpcli call echo message=text -- './my srv' -v"
        );
        assert_eq!(words(None, &[]).sentence(hint), hint);
    }

    #[test]
    fn it_holds_no_secret() {
        let url = words(Some("http://h/?k=s3cret-token"), &[]).command("mcpcli read a:1");
        assert!(!url.contains("s3cret") && url.contains("http://h/"), "{url}");
    }

    #[test]
    fn every_command_that_needs_a_server_is_known() {
        use clap::CommandFactory;
        let grammar = crate::cli::grammar::Cli::command();
        let with_server = |command: &&clap::Command| command.get_arguments().any(|arg| arg.get_id() == "server");
        let names: Vec<_> = grammar.get_subcommands().filter(with_server).map(|c| c.get_name().to_owned()).collect();
        assert_eq!(names, REMOTE);
    }
}
