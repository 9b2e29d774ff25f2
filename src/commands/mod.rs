//! The commands: settings in, report out. They never print, and know neither clap nor the environment.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::arguments::Pair;
use crate::client::{self, Client, Handshake, Preview, Previewed};
use crate::outcome::{Category, Failure, Ledger, Reason};
use crate::report::{Body, ListKind, Report};
use crate::trace::Tracer;

mod call;
mod describe;
pub mod explain;
mod get;
mod info;
mod list;
mod read;
mod save;
mod simple;
mod suspicion;
mod task;
mod watch;

/// What is wanted, with everything resolved that does not need the server.
#[derive(Debug)]
pub enum Command {
    /// All lists, or one.
    List {
        /// Which; `None` is all that the server advertises.
        kind: Option<ListKind>,
    },
    /// One tool, prompt, resource or template in full.
    Describe {
        /// Its name or URI.
        name: String,
    },
    /// A tool call.
    Call(Call),
    /// A resource.
    Read {
        /// Its URI.
        uri: String,
        /// Where blobs go.
        output_dir: Option<PathBuf>,
    },
    /// A prompt.
    Get {
        /// Its name.
        prompt: String,
        /// Its arguments.
        arguments: Vec<Pair>,
        /// The text of `--args`.
        args: Option<String>,
        /// Do not look the prompt up first.
        no_check: bool,
        /// Print the request instead of sending it.
        dry_run: bool,
    },
    /// Completion of one argument.
    Complete(Complete),
    /// The handshake and what it told.
    Info,
    /// Liveness.
    Ping,
    /// Tasks that were made earlier.
    Task(TaskDeed),
    /// Notifications as they come.
    Watch(Watch),
    /// Any method, raw.
    Request {
        /// The method.
        method: String,
        /// The JSON text of `params`.
        params: Option<String>,
        /// Print the request instead of sending it.
        dry_run: bool,
    },
}

/// A tool call.
#[derive(Debug, Default)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// `k=v` and its kin.
    pub arguments: Vec<Pair>,
    /// The JSON text of `--args`.
    pub args: Option<String>,
    /// Neither look the tool up nor check anything; send.
    pub no_check: bool,
    /// Print the request instead of sending it.
    pub dry_run: bool,
    /// Where binary blocks go.
    pub output_dir: Option<PathBuf>,
    /// A text block that matches makes the result a tool error.
    pub error_pattern: Option<regex::Regex>,
    /// Whether it may, or shall, be a task.
    pub task: Option<TaskWish>,
}

/// How a call is made as a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskWish {
    /// Do not wait for its end; tell what is needed to ask for it later.
    pub detach: bool,
    /// How long the server shall keep it, in milliseconds (2025-11-25 only).
    pub ttl_ms: Option<u64>,
}

/// What is to be done with tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskDeed {
    /// Tell where one stands, with its result if it has one.
    Get {
        /// Its id.
        id: String,
        /// Wait for its end first.
        wait: bool,
    },
    /// Cancel one.
    Cancel {
        /// Its id.
        id: String,
    },
    /// List all.
    List,
}

/// What is watched for, as far as the user has said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watch {
    /// These resources.
    pub uris: Vec<String>,
    /// Changes of the list of tools.
    pub tools: bool,
    /// Changes of the list of prompts.
    pub prompts: bool,
    /// Changes of the list of resources.
    pub resources: bool,
    /// These tasks.
    pub tasks: Vec<String>,
    /// After how many notifications to stop.
    pub count: Option<usize>,
    /// After how long to stop.
    pub time: Option<std::time::Duration>,
}

/// Completion of one argument of a prompt or a resource template.
#[derive(Debug)]
pub struct Complete {
    /// The prompt's name or the template's URI.
    pub reference: Reference,
    /// The argument that is being typed.
    pub argument: String,
    /// What is typed so far.
    pub value: String,
    /// Arguments that are already known (2025-06-18 and later).
    pub context: Vec<(String, String)>,
}

/// What has the argument to complete.
#[derive(Debug)]
pub enum Reference {
    /// `ref/prompt`.
    Prompt(String),
    /// `ref/resource`.
    Resource(String),
}

/// Everything a command needs besides its own words.
pub struct Settings {
    /// Where the server is.
    pub target: client::Target,
    /// How to speak to it.
    pub options: client::Options,
    /// Takes what crosses the border.
    pub tracer: Arc<Tracer>,
    /// Takes warnings and timing.
    pub ledger: Ledger,
    /// Takes what `watch` sees, as it comes.
    pub watched: Option<tokio::sync::mpsc::Sender<client::Watched>>,
}

/// What a command left behind.
pub struct Finished {
    /// What it found.
    pub report: Report,
    /// The conversation, still open, so that the report can be shown before it is ended in order.
    pub client: Option<Client>,
}

/// What a command found out before it was over: a body, and what failed.
struct Found {
    body: Body,
    failures: Vec<Failure>,
}

impl Found {
    fn ok(body: Body) -> Found {
        Found { body, failures: Vec::new() }
    }

    fn failed(failure: Failure) -> Found {
        Found { body: Body::None, failures: vec![failure] }
    }
}

impl From<client::ClientError> for Found {
    fn from(error: client::ClientError) -> Found {
        Found::failed(error.to_failure())
    }
}

impl Command {
    /// The command's name, as typed.
    pub fn name(&self) -> &'static str {
        match self {
            Command::List { .. } => "list",
            Command::Describe { .. } => "describe",
            Command::Call(_) => "call",
            Command::Read { .. } => "read",
            Command::Get { .. } => "get",
            Command::Complete(_) => "complete",
            Command::Info => "info",
            Command::Ping => "ping",
            Command::Task(_) => "task",
            Command::Watch(_) => "watch",
            Command::Request { .. } => "request",
        }
    }
}

/// Runs a command to its end and reports what came of it.
pub async fn run(command: &Command, settings: &Settings) -> Finished {
    let started = Instant::now();
    if let Some(found) = without_server(command, settings) {
        return Finished { report: finish(command, settings, found, started), client: None };
    }
    let mut handshake = Handshake::default();
    // What is remembered is not what `info` is asked for.
    let find_out = matches!(command, Command::Info);
    let keep_notices = matches!(command, Command::Watch(_));
    let options = client::Options { find_out, keep_notices, ..settings.options.clone() };
    let connected =
        Client::connect(&settings.target, &options, &settings.tracer, &settings.ledger, &mut handshake).await;
    let (found, client) = match connected {
        Ok(mut client) => {
            client.ask_for_logs().await;
            let mut found = with_server(command, settings, &mut client, &mut handshake).await;
            doubted(&mut found, &client);
            client.tell_noise();
            (found, Some(client))
        }
        Err(failure) => {
            // `info` shows whatever came of the handshake, also when it failed.
            let body = if matches!(command, Command::Info) { info::body(&mut handshake) } else { Body::None };
            (Found { body, failures: vec![failure] }, None)
        }
    };
    Finished { report: finish(command, settings, found, started), client }
}

/// A server that was told which version to speak and does not even give a list in it may not speak it. Errors of that version
/// prove that it does, and what a call or an unknown method fails with says nothing.
fn doubted(found: &mut Found, client: &Client) {
    let Some(doubt) = client.doubt() else { return };
    for failure in &mut found.failures {
        let code = failure.rpc.as_ref().and_then(|rpc| rpc.code.parse::<i64>().ok());
        let modern = code.is_some_and(|code| (-32022..=-32020).contains(&code));
        let listing = failure.category == Category::RpcError && failure.phase.name().ends_with("/list");
        let refused = listing || failure.reason == Some(Reason::Http);
        if refused && !modern {
            failure.hint = Some(doubt.to_owned());
        }
    }
}

fn finish(command: &Command, settings: &Settings, found: Found, started: Instant) -> Report {
    Report {
        command: command.name(),
        body: found.body,
        failures: found.failures,
        facts: settings.ledger.snapshot(),
        total: started.elapsed(),
        expected: None,
    }
}

/// What can be said without a server: the requests that need nothing from it.
fn without_server(command: &Command, settings: &Settings) -> Option<Found> {
    match command {
        Command::Call(call) if call.dry_run && call.no_check => {
            Some(call::preview(call, None, &presumed(settings), settings))
        }
        Command::Get { prompt, arguments, args, no_check: true, dry_run: true } => {
            Some(get::preview(prompt, arguments, args.as_deref(), &presumed(settings), settings))
        }
        Command::Request { method, params, dry_run: true } => {
            Some(simple::preview(method, params.as_deref(), settings))
        }
        _ => None,
    }
}

async fn with_server(command: &Command, settings: &Settings, client: &mut Client, handshake: &mut Handshake) -> Found {
    match command {
        Command::List { kind } => list::run(*kind, client, settings).await,
        Command::Describe { name } => describe::run(name, client).await,
        Command::Call(call) => call::run(call, client, settings).await,
        Command::Read { uri, output_dir } => read::run(uri, output_dir.as_deref(), client, settings).await,
        Command::Get { prompt, arguments, args, no_check, dry_run } => {
            let request = get::Request { prompt, pairs: arguments, args: args.as_deref(), look_up: !no_check };
            get::run(&request, *dry_run, client, settings).await
        }
        Command::Complete(complete) => simple::complete(complete, client).await,
        Command::Info => info::run(client, handshake).await,
        Command::Ping => simple::ping(client).await,
        Command::Task(deed) => task::run(deed, client).await,
        Command::Watch(watch) => watch::run(watch, client, settings).await,
        Command::Request { method, params, .. } => simple::request(method, params.as_deref(), client).await,
    }
}

/// Where a request would go, secrets masked, for `--dry-run`.
fn shown_target(settings: &Settings) -> String {
    match &settings.target {
        client::Target::Http(_, endpoint) => settings.tracer.redactor().url(&endpoint.url),
        client::Target::Stdio(endpoint) => endpoint.program.clone(),
    }
}

fn presumed(settings: &Settings) -> Preview {
    Preview::presumed(&settings.target, &settings.options)
}

/// A message that would be sent, as a body.
fn dry_run(previewed: Previewed, settings: &Settings) -> Found {
    match serde_json::value::RawValue::from_string(previewed.message) {
        Ok(message) => Found::ok(Body::DryRun { message, headers: previewed.headers, target: shown_target(settings) }),
        Err(error) => Found::failed(Failure::new(
            crate::outcome::Category::Internal,
            crate::outcome::Phase::Resolve,
            format!("the request that would be sent is not JSON: {error}"),
        )),
    }
}
