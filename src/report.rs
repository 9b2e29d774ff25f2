//! What a command found, as plain data. Every renderer reads the same value; nothing here knows how it was got.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::outcome::{Category, Facts, Failure, Phase, Reason};

/// The outcome of one command.
#[derive(Debug)]
pub struct Report {
    /// The command's name, as typed.
    pub command: &'static str,
    /// What was found, also when some of it failed.
    pub body: Body,
    /// What failed; empty when nothing did.
    pub failures: Vec<Failure>,
    /// Server, warnings, timing.
    pub facts: Facts,
    /// Wall time of the whole command.
    pub total: Duration,
    /// What `--expect` asked for.
    pub expected: Option<Category>,
}

impl Report {
    /// A report of a command that needs no server.
    pub fn local(command: &'static str, body: Body) -> Report {
        Report { command, body, failures: Vec::new(), facts: Facts::default(), total: Duration::ZERO, expected: None }
    }

    /// A report that holds nothing but a failure.
    pub fn failed(command: &'static str, failure: Failure) -> Report {
        Report { failures: vec![failure], ..Report::local(command, Body::None) }
    }

    /// The failure that decides the exit code: the first of the category that ranks first.
    pub fn failure(&self) -> Option<&Failure> {
        self.failures.iter().min_by_key(|failure| failure.category.rank())
    }

    /// The category of the whole run.
    pub fn category(&self) -> Category {
        self.failure().map_or(Category::Ok, |failure| failure.category)
    }

    /// The exit code: the category's, or 0 when `--expect` asked for just that category.
    pub fn exit_code(&self) -> u8 {
        match self.expected {
            Some(expected) if expected.name() == self.category().name() => 0,
            _ => self.category().exit_code(),
        }
    }

    /// Whether the run is a success, with `--expect` taken into account.
    pub fn is_ok(&self) -> bool {
        self.exit_code() == 0
    }

    /// Applies `--strict` and `--expect`, in this order. To be called once, last.
    #[must_use]
    pub fn judged(mut self, strict: bool, expected: Option<Category>) -> Report {
        if strict && self.failures.is_empty() {
            self.failures.extend(self.strict_failure());
        }
        if let Some(expected) = expected {
            let actual = self.category();
            // An interruption is not an outcome of the server, so no expectation turns it round.
            if expected.name() != actual.name() && !matches!(actual, Category::Interrupted(_)) {
                let last = || self.facts.phases.last().map_or(Phase::Resolve, |last| last.phase.clone());
                let phase = self.failure().map_or_else(last, |failure| failure.phase.clone());
                let message = format!("expected the outcome {expected}, but it is {actual}");
                let mut failure = Failure::new(Category::CheckFailed, phase, message);
                failure.also = std::mem::take(&mut self.failures);
                self.failures.push(failure);
            }
            self.expected = Some(expected);
        }
        self
    }

    fn strict_failure(&self) -> Option<Failure> {
        let deviations: Vec<_> = self.facts.warnings.iter().filter(|warning| warning.id.is_deviation()).collect();
        let first = deviations.first()?;
        let message = match deviations.len() {
            1 => format!("a warning counts as a violation under --strict: warning[{}]", first.id.id()),
            n => format!("{n} warnings count as violations under --strict, the first one warning[{}]", first.id.id()),
        };
        let phase = self.facts.phases.last().map_or(Phase::Resolve, |last| last.phase.clone());
        Some(Failure::new(Category::Protocol, phase, message).with_reason(Reason::Strict).with_hint(format!(
            "`mcpcli explain {}` says what it means; without --strict it is a warning",
            first.id.id()
        )))
    }
}

/// What a command found.
#[derive(Debug)]
pub enum Body {
    /// Nothing.
    None,
    /// `list`.
    List(List),
    /// `describe`.
    Describe(Box<Describe>),
    /// `call`.
    Call(CallReport),
    /// `read`.
    Read(ReadReport),
    /// `get`: the `prompts/get` result.
    Get {
        /// The prompt's name.
        prompt: String,
        /// The result as it came.
        result: Box<RawValue>,
    },
    /// `complete`: the `completion/complete` result.
    Complete {
        /// The result as it came.
        result: Box<RawValue>,
    },
    /// `info`.
    Info(Box<Info>),
    /// `ping`.
    Ping {
        /// The method that was asked: `ping`, or in 2026-07-28 `server/discover`.
        method: &'static str,
        /// From sending to the answer.
        took: Duration,
        /// The result as it came.
        result: Box<RawValue>,
    },
    /// `request`: any method's result.
    Request {
        /// The method.
        method: String,
        /// The result as it came.
        result: Box<RawValue>,
    },
    /// `--dry-run`: the message that would be sent.
    DryRun {
        /// The JSON-RPC message.
        message: Box<RawValue>,
        /// The headers that mirror it, as name and value.
        headers: Vec<(String, String)>,
        /// Where it would go, secrets masked.
        target: String,
    },
    /// `task`, and a call that was made as one and left to itself.
    Task(TaskReport),
    /// `watch`.
    Watch(WatchReport),
    /// `explain`.
    Explain(Vec<Explanation>),
    /// `explain` without a name: everything there is, a line each.
    ExplainIndex(Vec<Explanation>),
    /// Text that is the whole output: a completion script, a man page, a table of faults.
    Text {
        /// The text.
        text: String,
        /// The same as JSON, for `--json`.
        json: Box<RawValue>,
    },
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
    /// `prompts/list`.
    Prompts,
}

impl ListKind {
    /// Every kind, in the order they are shown.
    pub const ALL: [ListKind; 4] = [ListKind::Tools, ListKind::Resources, ListKind::Templates, ListKind::Prompts];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ListKind::Tools => "tools",
            ListKind::Resources => "resources",
            ListKind::Templates => "templates",
            ListKind::Prompts => "prompts",
        }
    }

    /// The method.
    pub const fn method(self) -> &'static str {
        match self {
            ListKind::Tools => "tools/list",
            ListKind::Resources => "resources/list",
            ListKind::Templates => "resources/templates/list",
            ListKind::Prompts => "prompts/list",
        }
    }

    /// The member of the result that holds the entries.
    pub const fn member(self) -> &'static str {
        match self {
            ListKind::Templates => "resourceTemplates",
            other => other.name(),
        }
    }

    /// The server capability that announces it.
    pub const fn capability(self) -> &'static str {
        match self {
            ListKind::Tools => "tools",
            ListKind::Resources | ListKind::Templates => "resources",
            ListKind::Prompts => "prompts",
        }
    }
}

/// One or several lists.
#[derive(Debug)]
pub struct List {
    /// One section a list that was asked for, in the order of [`ListKind::ALL`].
    pub sections: Vec<Section>,
    /// Whether the user named one kind, so that one list is the whole result.
    pub single: bool,
}

/// One list.
#[derive(Debug)]
pub struct Section {
    /// Of what.
    pub kind: ListKind,
    /// Every entry of every page, as it came.
    pub entries: Vec<Box<RawValue>>,
    /// Tools that the server lists and that must not be used over this transport.
    pub dropped: Vec<Dropped>,
    /// The result of every page, as it came.
    pub pages: Vec<Box<RawValue>>,
    /// For entries with something wrong: the index and what it is.
    pub defects: Vec<(usize, String)>,
    /// Why the list is missing or incomplete.
    pub state: SectionState,
}

/// A tool that was left out of a list.
#[derive(Debug)]
pub struct Dropped {
    /// Its place in what the server sent.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// Why.
    pub reasons: Vec<String>,
    /// Its definition as it came.
    pub entry: Box<RawValue>,
}

/// Whether a list is whole.
#[derive(Debug)]
pub enum SectionState {
    /// It is.
    Complete,
    /// The server does not have it: the capability is not advertised, or the method does not exist. Not a failure.
    Unavailable(String),
    /// Getting it failed; the entries that came before are there.
    Failed(Box<Failure>),
}

/// One tool, prompt, resource or template in full.
#[derive(Debug)]
pub struct Describe {
    /// What it is: `tool`, `prompt`, `resource`, `template`.
    pub kind: &'static str,
    /// Its name, or its URI.
    pub name: String,
    /// Its definition as it came.
    pub definition: Box<RawValue>,
    /// Its arguments.
    pub arguments: Vec<Field>,
    /// The fields of `structuredContent`, when there is an `outputSchema`.
    pub output: Option<Vec<Field>>,
    /// What is wrong with its schemas.
    pub defects: Vec<String>,
    /// A command to copy; the command line adds the server.
    pub example: String,
}

/// One row of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key; nested ones as `a.b`, items as `a[]`.
    pub path: String,
    /// How deep it is nested, from 0.
    pub depth: usize,
    /// Its type in words.
    pub type_name: String,
    /// Whether it must be given.
    pub required: bool,
    /// The JSON text of its default.
    pub default: Option<String>,
    /// The JSON texts of the values it may have, if they are few.
    pub values: Vec<String>,
    /// Its description.
    pub description: Option<String>,
}

/// The outcome of `call`.
#[derive(Debug)]
pub struct CallReport {
    /// The tool.
    pub tool: String,
    /// The result as it came; `None` when none came.
    pub result: Option<Box<RawValue>>,
    /// Binary blocks that were written to files.
    pub saved: Vec<Saved>,
    /// A text that looks like a failure although `isError` is not set; `None` when there is none.
    pub suspicious: Option<String>,
}

/// The outcome of `read`.
#[derive(Debug)]
pub struct ReadReport {
    /// The resource.
    pub uri: String,
    /// The result as it came.
    pub result: Box<RawValue>,
    /// Blobs that were written to files.
    pub saved: Vec<Saved>,
}

/// A file that was written for `--output-dir`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// Which block of the result, from 0.
    pub block: usize,
    /// Where.
    pub path: PathBuf,
    /// How much, in bytes.
    pub bytes: usize,
    /// Its media type, as the server says.
    pub mime_type: Option<String>,
}

/// What is known of tasks.
#[derive(Debug, Default)]
pub struct TaskReport {
    /// The task as the server told of it.
    pub task: Option<Box<RawValue>>,
    /// The result of its call, or of cancelling it.
    pub result: Option<Box<RawValue>>,
    /// Every task, as it came, for `task list`.
    pub list: Option<Vec<Box<RawValue>>>,
    /// What can be done with the task; the command line adds the server.
    pub hint: Option<String>,
    /// Whether a call has just become it, so that its id is the result.
    pub created: bool,
}

/// The outcome of `watch`; what was seen has been told as it came.
#[derive(Debug, Default)]
pub struct WatchReport {
    /// How many notifications came.
    pub seen: usize,
    /// Why it ended: `count`, `time`, `interrupt`, `server`; `None` when it failed.
    pub ended: Option<&'static str>,
}

/// The outcome of `info`: what came of the handshake.
#[derive(Debug, Default)]
pub struct Info {
    /// The protocol version that was asked for.
    pub requested: Option<String>,
    /// `legacy` or `modern`, once it is known.
    pub era: Option<&'static str>,
    /// The versions that mcpcli speaks, oldest first.
    pub client_versions: Vec<String>,
    /// The versions that the server says it speaks, where it says so.
    pub server_versions: Vec<String>,
    /// The `initialize` or `server/discover` result as it came.
    pub result: Option<Box<RawValue>>,
    /// What mcpcli declared.
    pub client_capabilities: Option<Box<RawValue>>,
    /// Whether the server opened a session.
    pub session: bool,
    /// What was tried, in order, and what came of it.
    pub attempts: Vec<Attempt>,
}

/// One attempt to reach the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What was tried, as `Streamable HTTP: initialize 2025-11-25`.
    pub what: String,
    /// What came of it, as `ok` or `HTTP 405 Method Not Allowed`.
    pub outcome: String,
}

/// One entry of `explain`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Explanation {
    /// What is explained, as `-32601 Method not found`.
    pub title: String,
    /// What sort of thing it is: `code`, `category`, `warning`.
    pub kind: &'static str,
    /// The text, a paragraph a line.
    pub text: Vec<String>,
    /// Further facts as label and value: who sends it, versions, exit code.
    pub facts: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Warning, WarningId};

    fn failed(category: Category) -> Failure {
        Failure::new(category, Phase::Resolve, "m")
    }

    #[test]
    fn the_first_failure_by_rank_decides() {
        let mut report = Report::local("list", Body::None);
        report.failures = vec![failed(Category::ToolError), failed(Category::Auth), failed(Category::Protocol)];
        assert_eq!(report.exit_code(), 8);
    }

    #[test]
    fn an_expectation_turns_the_outcome_round() {
        let held = Report::failed("call", failed(Category::ToolError)).judged(false, Some(Category::ToolError));
        assert_eq!((held.exit_code(), held.category()), (0, Category::ToolError));
        let broken = Report::local("call", Body::None).judged(false, Some(Category::ToolError));
        assert_eq!((broken.exit_code(), broken.is_ok()), (9, false));
        let wrong = Report::failed("call", failed(Category::Auth)).judged(false, Some(Category::Ok));
        assert_eq!((wrong.exit_code(), wrong.failures[0].also.len()), (9, 1));
    }

    #[test]
    fn strict_counts_deviations_only() {
        let with = |id| {
            let mut report = Report::local("call", Body::None);
            report.facts.warnings.push(Warning::new(id, "w"));
            report.judged(true, None).exit_code()
        };
        assert_eq!(with(WarningId::IdType), 7);
        assert_eq!(with(WarningId::SessionRenewed), 0);
    }
}
