//! From the grammar's words to what is run: the command with its texts read, and the settings of the connection.

use std::time::Duration;

use super::grammar::{self, Arguments, Kind, Remote, WithServer};
use super::input;
use super::options::{Connect, Show};
use super::values::Pin;
use crate::arguments::{Pair, parse_pair};
use crate::client::Protocol;
use crate::commands::{self, Reference, TaskDeed, TaskWish};
use crate::outcome::{Failure, Reason};
use crate::report::ListKind;
use crate::schema::shell_word;
use crate::transport::NetSettings;

/// The idle clock, unless `--timeout` says otherwise.
const TIMEOUT: Duration = Duration::from_secs(30);
/// DNS, TCP and TLS together, unless `--connect-timeout` says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Unless `--max-message-size` says otherwise.
const MAX_MESSAGE_SIZE: usize = 64 << 20;
/// Unless `--max-rounds` says otherwise.
const MAX_ROUNDS: usize = 10;
/// Unless `--max-pages` says otherwise.
const MAX_PAGES: usize = 1000;

/// A command for a server as it was typed, the options before and behind it together.
#[derive(Debug)]
pub(super) struct Order {
    /// The command's name.
    pub(super) name: &'static str,
    /// How things are shown.
    pub(super) show: Show,
    /// Which server, and how.
    pub(super) connect: Connect,
    /// What stands behind `--`.
    pub(super) program: Vec<String>,
    words: Asked,
}

#[derive(Debug)]
enum Asked {
    List(grammar::List),
    Describe(grammar::Describe),
    Call(grammar::Call),
    Read(grammar::Read),
    Get(grammar::Get),
    Complete(grammar::Complete),
    Info,
    Ping,
    Watch(grammar::Watch),
    Task(grammar::Task),
    Request(grammar::Request),
}

impl Asked {
    fn name(&self) -> &'static str {
        match self {
            Asked::List(_) => "list",
            Asked::Describe(_) => "describe",
            Asked::Call(_) => "call",
            Asked::Read(_) => "read",
            Asked::Get(_) => "get",
            Asked::Complete(_) => "complete",
            Asked::Info => "info",
            Asked::Ping => "ping",
            Asked::Watch(_) => "watch",
            Asked::Task(_) => "task",
            Asked::Request(_) => "request",
        }
    }
}

impl Order {
    /// Takes a command apart, and adds what stood before it.
    pub(super) fn of(command: Remote, show: Show, connect: Connect) -> Order {
        fn apart<T: clap::Args>(it: WithServer<T>, words: fn(T) -> Asked) -> (Asked, Vec<String>, Show, Connect) {
            (words(it.own), it.program, it.show, it.connect)
        }
        let (words, program, show_behind, connect_behind) = match command {
            Remote::List(it) => apart(it, Asked::List),
            Remote::Describe(it) => apart(it, Asked::Describe),
            Remote::Call(it) => apart(it, Asked::Call),
            Remote::Read(it) => apart(it, Asked::Read),
            Remote::Get(it) => apart(it, Asked::Get),
            Remote::Complete(it) => apart(it, Asked::Complete),
            Remote::Info(it) => apart(it, |_| Asked::Info),
            Remote::Ping(it) => apart(it, |_| Asked::Ping),
            Remote::Watch(it) => apart(it, Asked::Watch),
            Remote::Task(it) => apart(it, Asked::Task),
            Remote::Request(it) => apart(it, Asked::Request),
        };
        Order {
            name: words.name(),
            show: show.with(show_behind),
            connect: connect.with(connect_behind),
            program,
            words,
        }
    }

    /// The command, with every text read that an option names.
    pub(super) fn command(&self) -> Result<commands::Command, Failure> {
        let whole = self.connect.max_time.and_then(|limit| limit.0);
        let limit = [self.timeout(None), whole].into_iter().flatten().min();
        if self.connect.error_pattern.is_some() && !matches!(self.words, Asked::Call(_)) {
            return Err(usage("--error-pattern judges the result of `call` and of no other command"));
        }
        Ok(match &self.words {
            Asked::List(list) => commands::Command::List { kind: list.kind.map(list_kind) },
            Asked::Describe(describe) => commands::Command::Describe { name: describe.name.clone() },
            Asked::Call(call) => commands::Command::Call(self.call(call, limit)?),
            Asked::Read(read) => commands::Command::Read { uri: read.uri.clone(), output_dir: read.output_dir.clone() },
            Asked::Get(get) => commands::Command::Get {
                prompt: get.prompt.clone(),
                arguments: pairs(&get.arguments)?,
                args: args(&get.arguments, limit)?,
                no_check: get.arguments.no_check,
                dry_run: get.arguments.dry_run,
            },
            Asked::Complete(complete) => commands::Command::Complete(completion(complete)?),
            Asked::Info => commands::Command::Info,
            Asked::Ping => commands::Command::Ping,
            Asked::Watch(watch) => commands::Command::Watch(watched(watch)),
            Asked::Task(task) => commands::Command::Task(deed(task)?),
            Asked::Request(request) => commands::Command::Request {
                method: request.method.clone(),
                params: match &request.params {
                    Some(given) => Some(input::json("--params", given, limit)?),
                    None => None,
                },
                dry_run: request.dry_run,
            },
        })
    }

    fn call(&self, call: &grammar::Call, limit: Option<Duration>) -> Result<commands::Call, Failure> {
        let error_pattern = match &self.connect.error_pattern {
            Some(pattern) => Some(
                regex::Regex::new(pattern)
                    .map_err(|error| usage(format!("--error-pattern is not a regular expression: {error}")))?,
            ),
            None => None,
        };
        Ok(commands::Call {
            tool: call.tool.clone(),
            arguments: pairs(&call.arguments)?,
            args: args(&call.arguments, limit)?,
            no_check: call.arguments.no_check,
            dry_run: call.arguments.dry_run,
            output_dir: call.output_dir.clone(),
            error_pattern,
            task: (call.task || call.detach || call.task_ttl.is_some()).then(|| TaskWish {
                detach: call.detach,
                ttl_ms: call.task_ttl.and_then(|limit| limit.0).and_then(|ttl| u64::try_from(ttl.as_millis()).ok()),
            }),
        })
    }

    /// The settings of the HTTP client.
    pub(super) fn net(&self) -> Result<NetSettings, Failure> {
        let connect = &self.connect;
        if connect.key.is_some() && connect.cert.is_none() {
            return Err(usage("--key belongs to a certificate: give --cert too"));
        }
        Ok(NetSettings {
            connect_timeout: connect.connect_timeout.map_or(Some(CONNECT_TIMEOUT), |limit| limit.0),
            cacert: connect.cacert.clone(),
            cert: connect.cert.clone(),
            key: connect.key.clone(),
            insecure: connect.insecure,
            proxy: connect.proxy.clone(),
            max_message_size: connect.max_message_size.unwrap_or(MAX_MESSAGE_SIZE),
        })
    }

    /// The idle clock; a configured server may have its own, which `--timeout` overrides.
    pub(super) fn timeout(&self, configured: Option<Option<Duration>>) -> Option<Duration> {
        match self.connect.timeout {
            Some(limit) => limit.0,
            None => configured.unwrap_or(Some(TIMEOUT)),
        }
    }

    /// Which protocol versions may be spoken.
    pub(super) fn protocol(&self) -> Protocol {
        match &self.connect.protocol {
            None | Some(Pin::Auto) => Protocol::Auto,
            Some(Pin::Legacy) => Protocol::Legacy,
            Some(Pin::Modern) => Protocol::Modern,
            Some(Pin::Version(version)) => Protocol::Version(version.clone()),
        }
    }

    /// How many times a result may ask for input.
    pub(super) fn max_rounds(&self) -> usize {
        self.connect.max_rounds.unwrap_or(MAX_ROUNDS)
    }

    /// Whether the command has to do with tasks, so that they are declared.
    pub(super) fn uses_tasks(&self) -> bool {
        match &self.words {
            Asked::Call(call) => call.task || call.detach || call.task_ttl.is_some(),
            Asked::Watch(watch) => !watch.task.is_empty(),
            Asked::Task(_) => true,
            _ => false,
        }
    }

    /// How many pages of a list are read at most.
    pub(super) fn max_pages(&self) -> usize {
        self.connect.max_pages.unwrap_or(MAX_PAGES)
    }
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::usage(Reason::CommandLine, message)
}

fn list_kind(kind: Kind) -> ListKind {
    match kind {
        Kind::Tools => ListKind::Tools,
        Kind::Resources => ListKind::Resources,
        Kind::Templates => ListKind::Templates,
        Kind::Prompts => ListKind::Prompts,
    }
}

fn watched(watch: &grammar::Watch) -> commands::Watch {
    commands::Watch {
        uris: watch.uris.clone(),
        tools: watch.tools,
        prompts: watch.prompts,
        resources: watch.resources,
        tasks: watch.task.clone(),
        count: watch.count,
        time: watch.time.and_then(|limit| limit.0),
    }
}

fn deed(task: &grammar::Task) -> Result<TaskDeed, Failure> {
    if task.wait && task.deed != grammar::Deed::Get {
        return Err(usage("--wait belongs to `task get`"));
    }
    let id = task.id.clone().unwrap_or_default();
    match task.deed {
        grammar::Deed::Get => Ok(TaskDeed::Get { id, wait: task.wait }),
        grammar::Deed::Cancel => Ok(TaskDeed::Cancel { id }),
        grammar::Deed::List if task.id.is_some() => Err(usage("`task list` lists all tasks and takes no id")),
        grammar::Deed::List => Ok(TaskDeed::List),
    }
}

fn pairs(arguments: &Arguments) -> Result<Vec<Pair>, Failure> {
    let all = arguments.pairs.iter().chain(&arguments.arg);
    let read = |text: &String| {
        parse_pair(text).map_err(|error| {
            let failure = error.to_failure();
            let is_object = text.trim_start().starts_with('{');
            if is_object { failure.with_hint(format!("JSON is given by --args {}", shell_word(text))) } else { failure }
        })
    };
    all.map(read).collect()
}

fn args(arguments: &Arguments, limit: Option<Duration>) -> Result<Option<String>, Failure> {
    match arguments.args.as_slice() {
        [] => Ok(None),
        [given] => input::text("--args", given, limit).map(Some),
        // The last one wins for a setting; of arguments none may be lost.
        _ => Err(usage("--args was given more than once; put all members into one object, or add pairs k=v")),
    }
}

fn completion(complete: &grammar::Complete) -> Result<commands::Complete, Failure> {
    let reference = match (&complete.prompt, &complete.resource) {
        (Some(prompt), _) => Reference::Prompt(prompt.clone()),
        (None, Some(uri)) => Reference::Resource(uri.clone()),
        (None, None) => return Err(usage("give --prompt NAME or --resource URI")),
    };
    let (argument, value) = complete.argument.split_once('=').unwrap_or((&complete.argument, ""));
    Ok(commands::Complete {
        reference,
        argument: argument.to_owned(),
        value: value.to_owned(),
        context: complete.context.clone(),
    })
}
