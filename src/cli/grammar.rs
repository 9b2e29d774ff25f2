//! The clap grammar: one place for the command line, its help, the completions and the man pages.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

mod watch;

use super::options::{Connect, Show};
use super::values;
pub use watch::{Deed, Task, Watch};

/// curl, grpcurl and hurl for the Model Context Protocol: says who failed, at which step, with which evidence
#[derive(Debug, Parser)]
#[command(
    name = "mcpcli",
    version,
    disable_help_subcommand = true,
    args_override_self = true,
    override_usage = "mcpcli [OPTIONS] <COMMAND> [-- PROGRAM [ARG]...]",
    after_help = AFTER_HELP,
    after_long_help = AFTER_LONG_HELP
)]
pub struct Cli {
    /// What stands before the command.
    #[command(flatten)]
    pub show: Show,
    /// What stands before the command.
    #[command(flatten)]
    pub connect: Connect,
    /// The command.
    #[command(subcommand)]
    pub command: Option<Command>,
}

// Paragraphs are one line each: clap wraps them at the width of the terminal.
const AFTER_HELP: &str = "\
Examples:
  mcpcli -s demo call echo message=hi
  mcpcli -s https://host/mcp list
  mcpcli call add a=1 b=2 -- ./target/debug/my-server

`mcpcli --help` has the options and exit codes, `mcpcli COMMAND --help` examples, `mcpcli explain` what failures mean.";

const AFTER_LONG_HELP: &str = "\
Which server, in this order: `-- PROGRAM ARG...` at the end; -s URL or NAME (or MCPCLI_SERVER); the only server of the nearest \
.mcp.json, if it is an HTTP one. A program from a configuration file is started only when its name was given.

Examples:
  mcpcli -s demo call echo message=hi
  mcpcli -s https://host/mcp --bearer \"$TOKEN\" list
  mcpcli call add a=1 b=2 -- ./target/debug/my-server --verbose
  mcpcli -s prod --json call search query=rust | jq .result

Durations: 1500ms, 30s, 5m, a bare number is seconds, 0 is no limit.

Exit codes: 0 ok, 1 internal, 2 usage, 3 tool-error, 4 rpc-error, 5 transport, 6 timeout, 7 protocol, 8 auth, 9 check-failed, \
10 input-required, 130 and 143 interrupted. `mcpcli explain` says what each means. If the reader of stdout goes away, the \
output ends quietly and the exit code stays that of the outcome.";

/// The grammar as it is parsed: the first screen of mcpcli itself has the commands, `--help` has the options too.
pub fn grammar() -> clap::Command {
    <Cli as clap::CommandFactory>::command().mut_args(|arg| arg.hide_short_help(true))
}

/// Parses a command line.
///
/// # Errors
/// It is not one, or asks for help.
pub fn parse(args: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>) -> Result<Cli, clap::Error> {
    let mut grammar = grammar();
    let mut matches = grammar.try_get_matches_from_mut(args)?;
    <Cli as clap::FromArgMatches>::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut grammar))
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Those that need a server.
    #[command(flatten)]
    Remote(Remote),
    /// Those that need none.
    #[command(flatten)]
    Alone(Alone),
}

/// The commands that need a server.
#[derive(Debug, Subcommand)]
pub enum Remote {
    /// List what the server offers: everything, or one kind; all pages
    List(WithServer<List>),
    /// Show one tool, prompt, resource or template in full, with an example to copy
    Describe(WithServer<Describe>),
    /// Call a tool
    Call(WithServer<Call>),
    /// Read a resource
    Read(WithServer<Read>),
    /// Get a prompt
    Get(WithServer<Get>),
    /// Complete an argument of a prompt or of a resource template
    Complete(WithServer<Complete>),
    /// Show the handshake: server, version, capabilities, instructions
    #[command(after_help = "Examples:\n  mcpcli -s demo info\n  mcpcli -s demo --protocol 2025-06-18 info")]
    Info(WithServer<Nothing>),
    /// Ask for a sign of life
    #[command(after_help = "Examples:\n  mcpcli -s demo ping\n  mcpcli -s demo --timeout 2s --json ping")]
    Ping(WithServer<Nothing>),
    /// Show notifications as they come: changes of lists, resources and tasks
    Watch(WithServer<Watch>),
    /// Ask for, wait for, cancel or list tasks that `call --task` made
    Task(WithServer<Task>),
    /// Send any JSON-RPC request and print its result
    Request(WithServer<Request>),
}

/// The commands that need none.
#[derive(Debug, Subcommand)]
pub enum Alone {
    /// Explain an error code, a category, a warning or a reason
    Explain(Local<Explain>),
    /// Serve the built-in server to others, with faults on demand
    Demo(Local<Demo>),
    /// Print a completion script for a shell
    Completions(Local<Completions>),
    /// Print the manual page, or write all of them to a directory
    Man(Local<Man>),
}

/// A command that needs a server.
#[derive(Debug, Args)]
pub struct WithServer<T: Args> {
    /// Its own words.
    #[command(flatten)]
    pub own: T,
    /// A server program and its arguments, untouched
    #[arg(last = true, value_name = "PROGRAM", value_hint = ValueHint::CommandWithArguments)]
    pub program: Vec<String>,
    /// What stands behind the command.
    #[command(flatten)]
    pub show: Show,
    /// What stands behind the command.
    #[command(flatten)]
    pub connect: Connect,
}

/// A command that needs none.
#[derive(Debug, Args)]
pub struct Local<T: Args> {
    /// Its own words.
    #[command(flatten)]
    pub own: T,
    /// What stands behind the command.
    #[command(flatten)]
    pub show: Show,
}

/// No words of its own.
#[derive(Debug, Args)]
pub struct Nothing {}

/// `list [KIND]`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo list
  mcpcli -s demo list tools
  mcpcli -s demo --json list resources")]
pub struct List {
    /// Which kind; without it everything that the server advertises
    #[arg(value_enum)]
    pub kind: Option<Kind>,
}

/// What can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Tools.
    Tools,
    /// Resources.
    Resources,
    /// Resource templates.
    Templates,
    /// Prompts.
    Prompts,
}

/// `describe NAME`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo describe add
  mcpcli -s demo describe review
  mcpcli -s demo describe 'demo://greeting/{name}'")]
pub struct Describe {
    /// The name of a tool or prompt, or the URI of a resource or template
    #[arg(value_parser = values::word)]
    pub name: String,
}

/// Arguments of a tool or prompt.
#[derive(Debug, Args)]
pub struct Arguments {
    /// key=text (typed by the schema), key:=JSON, key@FILE (its text), key:@FILE (its JSON)
    #[arg(value_name = "KEY=VALUE", value_parser = values::word)]
    pub pairs: Vec<String>,
    /// The same, for scripts; can be repeated
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// All arguments as a JSON object; @FILE reads a file, - reads stdin
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// Print the request instead of sending it
    #[arg(long)]
    pub dry_run: bool,
    /// Do not look it up and do not check the arguments; send
    #[arg(long)]
    pub no_check: bool,
}

/// `call TOOL`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo call echo message=hi
  mcpcli -s demo call add a=1 b:=2
  mcpcli -s demo call add --args '{\"a\": 1, \"b\": 2}'
  mcpcli -s demo call all_content --output-dir out

A tool whose name begins with a dash stands behind `--`, and the server is given by -s:
  mcpcli -s NAME call -- -v")]
pub struct Call {
    /// The name of the tool
    #[arg(value_parser = values::word)]
    pub tool: String,
    /// Its arguments.
    #[command(flatten)]
    pub arguments: Arguments,
    /// Write binary blocks to files in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output_dir: Option<PathBuf>,
    /// Make a task of the call, if the server has tasks, and wait for its end
    #[arg(long)]
    pub task: bool,
    /// Make a task of the call and do not wait; `task get ID` asks for it later
    #[arg(long)]
    pub detach: bool,
    /// How long the server shall keep the task (2025-11-25 only)
    #[arg(long, value_name = "TIME", value_parser = values::limit)]
    pub task_ttl: Option<values::Limit>,
}

/// `read URI`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo read demo://greeting/Ada
  mcpcli -s demo read demo://logo.png --output-dir out")]
pub struct Read {
    /// The URI of the resource
    #[arg(value_parser = values::word)]
    pub uri: String,
    /// Write blobs to files in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output_dir: Option<PathBuf>,
}

/// `get PROMPT`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo get review code='print(1)' language=python
  mcpcli -s demo --json get hello")]
pub struct Get {
    /// The name of the prompt
    #[arg(value_parser = values::word)]
    pub prompt: String,
    /// Its arguments; all are strings.
    #[command(flatten)]
    pub arguments: Arguments,
}

/// `complete`
#[derive(Debug, Args)]
#[command(
    group(clap::ArgGroup::new("reference").required(true).args(["prompt", "resource"])),
    after_help = "\
Examples:
  mcpcli -s demo complete --prompt review language=py
  mcpcli -s demo complete --resource 'demo://greeting/{name}' name=A
  mcpcli -s demo complete --prompt review code --context language=python"
)]
pub struct Complete {
    /// The prompt that has the argument
    #[arg(long, value_name = "NAME")]
    pub prompt: Option<String>,
    /// The URI template that has the argument
    #[arg(long, value_name = "URI")]
    pub resource: Option<String>,
    /// The argument, and what is typed of it so far
    #[arg(value_name = "ARG[=VALUE]", value_parser = values::word)]
    pub argument: String,
    /// An argument that is known already; can be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = context)]
    pub context: Vec<(String, String)>,
}

fn context(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| format!("`{text}` is not KEY=VALUE"))
}

/// `request METHOD`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli -s demo request tools/list
  mcpcli -s demo request prompts/get --params '{\"name\": \"hello\"}'
  mcpcli -s demo request ping --dry-run")]
pub struct Request {
    /// The method, such as tools/list
    #[arg(value_parser = values::word)]
    pub method: String,
    /// Its params; @FILE reads a file, - reads stdin
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    pub params: Option<String>,
    /// Print the request instead of sending it
    #[arg(long)]
    pub dry_run: bool,
}

/// `explain [WHAT]`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli explain -32602
  mcpcli explain tool-error
  mcpcli explain warnings")]
pub struct Explain {
    /// An error code (-32602), an exit code (5), a category (transport), a warning (id-type) or a reason (dns); or all of one
    /// kind: codes, categories, warnings, reasons. Without it an index
    #[arg(value_name = "WHAT", allow_negative_numbers = true)]
    pub what: Vec<String>,
    /// Explain everything there is
    #[arg(long, conflicts_with = "what")]
    pub all: bool,
}

/// `demo`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli demo
  mcpcli demo --transport sse --fault http-500 --port 8080
  mcpcli demo --protocol modern
  mcpcli demo --list-faults")]
pub struct Demo {
    /// The port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    /// The address to listen on; anything but loopback is open to others
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// Over which transport
    #[arg(long, value_name = "KIND", value_enum, default_value = "http")]
    pub transport: Serving,
    /// Which protocol versions to speak
    #[arg(long, value_name = "ERA", value_enum, default_value = "auto")]
    pub protocol: Speaking,
    /// Misbehave in this way; can be repeated
    #[arg(long, value_name = "FAULT", value_delimiter = ',')]
    pub fault: Vec<String>,
    /// Print the table of faults, with the outcome that each must give
    #[arg(long)]
    pub list_faults: bool,
}

/// How the demo is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Serving {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE (2024-11-05).
    Sse,
    /// The standard streams of this process.
    Stdio,
}

/// Which protocol versions the demo speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Speaking {
    /// All of them.
    Auto,
    /// Up to 2025-11-25, by `initialize`.
    Legacy,
    /// Only 2026-07-28.
    Modern,
}

/// `completions SHELL`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli completions bash > ~/.local/share/bash-completion/completions/mcpcli
  mcpcli completions zsh > ~/.zfunc/_mcpcli
  mcpcli completions fish > ~/.config/fish/completions/mcpcli.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `man`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mcpcli man | man -l -
  mcpcli man --dir ~/.local/share/man/man1")]
pub struct Man {
    /// Write a page for every command to this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

impl Alone {
    /// Its name, as typed.
    pub fn name(&self) -> &'static str {
        match self {
            Alone::Explain(_) => "explain",
            Alone::Demo(_) => "demo",
            Alone::Completions(_) => "completions",
            Alone::Man(_) => "man",
        }
    }
}
