//! The options that several commands share. Each stands before or behind the command; given twice, the later one counts, and
//! options that can be repeated add up.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::values::{self, Answer, Limit, Pin, Secretive};
use crate::outcome::Category;
use crate::render;

/// `--output`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// Designed to be read; in a pipe texts are byte-exact.
    Human,
    /// One document for every outcome.
    Json,
    /// The result as it came over the wire.
    Raw,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On terminals; NO_COLOR and CLICOLOR_FORCE are minded.
    Auto,
    /// Also in pipes.
    Always,
    /// Nowhere.
    Never,
}

/// `--transport`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// Streamable HTTP, then HTTP+SSE by the rule of the specification.
    Auto,
    /// Streamable HTTP (2025-03-26 and later).
    Http,
    /// HTTP+SSE (2024-11-05).
    Sse,
    /// The standard streams of a process.
    Stdio,
}

/// `--log-level`, by RFC 5424.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// Everything.
    Debug,
    /// Ordinary messages.
    Info,
    /// Significant ones.
    Notice,
    /// Warnings.
    Warning,
    /// Errors.
    Error,
    /// Critical conditions.
    Critical,
    /// What must be acted on at once.
    Alert,
    /// What makes the system unusable.
    Emergency,
}

impl Level {
    /// The word of the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Critical => "critical",
            Level::Alert => "alert",
            Level::Emergency => "emergency",
        }
    }
}

/// How things are shown. Every command has these.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Output")]
pub struct Show {
    /// In which form the outcome is shown [default: human]
    #[arg(long, value_name = "FORM", value_enum)]
    pub output: Option<Output>,
    /// The same as --output json
    #[arg(long)]
    pub json: bool,
    /// When to colour [default: auto]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub color: Option<Color>,
    /// Hide logs, progress, hints and the server's stderr; never a failure or a warning
    #[arg(short, long)]
    pub quiet: bool,
    /// Show the handshake, HTTP exchanges and notifications; twice: every message
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl Show {
    /// The form of the output.
    pub fn format(&self) -> render::Format {
        match self.output {
            Some(Output::Raw) if !self.json => render::Format::Raw,
            Some(Output::Json) => render::Format::Json,
            _ if self.json => render::Format::Json,
            _ => render::Format::Human,
        }
    }

    /// When to colour.
    pub fn colour(&self) -> render::ColorChoice {
        match self.color {
            None | Some(Color::Auto) => render::ColorChoice::Auto,
            Some(Color::Always) => render::ColorChoice::Always,
            Some(Color::Never) => render::ColorChoice::Never,
        }
    }

    /// These options with those of `later`, which stood behind the command.
    #[must_use]
    pub fn with(self, later: Show) -> Show {
        Show {
            output: later.output.or(self.output),
            json: self.json || later.json,
            color: later.color.or(self.color),
            quiet: self.quiet || later.quiet,
            verbose: self.verbose.saturating_add(later.verbose),
        }
    }
}

/// Which server, and how to speak to it. Every command that needs a server has these.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct Connect {
    /// A URL, the name of a configured server, or `demo`, `demo:FAULT[,FAULT]` for the server inside the binary
    /// (environment: MCPCLI_SERVER)
    #[arg(short, long, value_name = "URL|NAME", help_heading = "Server")]
    pub server: Option<String>,
    /// Read named servers from this file instead of the nearest .mcp.json
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Server")]
    pub config: Option<PathBuf>,
    /// Over which transport [default: auto]
    #[arg(long, value_name = "KIND", value_enum, help_heading = "Server")]
    pub transport: Option<Transport>,
    /// Which protocol version: auto, legacy (with initialize), modern (without), or one such as 2026-07-28, released or not
    /// [default: auto]
    #[arg(long, value_name = "VERSION", value_parser = values::protocol, help_heading = "Server")]
    pub protocol: Option<Pin>,
    /// Neither use nor keep what was found out about a server's version
    #[arg(long, help_heading = "Server")]
    pub no_cache: bool,
    /// Where HTTP+SSE posts to, instead of the endpoint that the server announces
    #[arg(long, value_name = "URL", help_heading = "Server")]
    pub message_url: Option<String>,

    /// Send this HTTP header; can be repeated
    #[arg(short = 'H', long, value_name = "NAME: VALUE", value_parser = values::secret, help_heading = "Credentials")]
    pub header: Vec<Secretive>,
    /// Send `Authorization: Bearer TOKEN` (environment: MCPCLI_BEARER)
    #[arg(long, value_name = "TOKEN", value_parser = values::secret, help_heading = "Credentials")]
    pub bearer: Option<Secretive>,
    /// Set this variable for a server program; can be repeated
    #[arg(short, long, value_name = "KEY=VALUE", value_parser = values::secret, help_heading = "Credentials")]
    pub env: Vec<Secretive>,
    /// The working directory of a server program
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Server")]
    pub cwd: Option<PathBuf>,

    /// How long nothing may happen; progress resets it, 0 is no limit [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = values::limit, allow_hyphen_values = true, help_heading = "Time")]
    pub timeout: Option<Limit>,
    /// How long the whole command may take [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = values::limit, allow_hyphen_values = true, help_heading = "Time")]
    pub max_time: Option<Limit>,
    /// How long DNS, TCP and TLS may take together [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = values::limit, allow_hyphen_values = true, help_heading = "Time")]
    pub connect_timeout: Option<Limit>,

    /// Try again up to N times what failed and may pass; never a tool that may do something twice [default: 0]
    #[arg(long, value_name = "N", value_parser = values::rounds, allow_hyphen_values = true, help_heading = "Time")]
    pub retry: Option<usize>,

    /// Trust the certificates in this PEM file too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Network")]
    pub cacert: Option<PathBuf>,
    /// Present this client certificate (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Network")]
    pub cert: Option<PathBuf>,
    /// The key of --cert, if it is in another file (PEM)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Network")]
    pub key: Option<PathBuf>,
    /// Do not verify certificates
    #[arg(long, help_heading = "Network")]
    pub insecure: bool,
    /// Use this proxy instead of the one that the environment names
    #[arg(long, value_name = "URL", help_heading = "Network")]
    pub proxy: Option<String>,
    /// The largest message that is taken in, as 64MiB or 500k; 0 is no limit [default: 64MiB]
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_hyphen_values = true, help_heading = "Network")]
    pub max_message_size: Option<usize>,
    /// How many pages of a list are read at most [default: 1000]
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = "Network")]
    pub max_pages: Option<usize>,

    /// A root to tell the server of: a path or a file:// URI; can be repeated
    #[arg(long, value_name = "PATH|URI", help_heading = "When the server asks")]
    pub roots: Vec<String>,
    /// Answer a question of the server; can be repeated, the last answer serves for all that follow
    #[arg(long, value_name = "ANSWER", value_parser = values::answer, help_heading = "When the server asks",
          long_help = ANSWER_HELP)]
    pub answer: Vec<Answer>,
    /// How many times a result may ask for input before it is given up [default: 10]
    #[arg(long, value_name = "N", value_parser = values::rounds, allow_hyphen_values = true,
          help_heading = "When the server asks")]
    pub max_rounds: Option<usize>,
    /// Declare exactly these client capabilities, whatever can be answered: JSON or @FILE
    #[arg(long, value_name = "JSON|@FILE", help_heading = "When the server asks")]
    pub client_capabilities: Option<String>,

    /// Ask for log messages from this level on
    #[arg(long, value_name = "LEVEL", value_enum, help_heading = "Judgement")]
    pub log_level: Option<Level>,
    /// Write everything that crosses the border to this file, one JSON object a line, secrets masked
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Judgement")]
    pub trace: Option<PathBuf>,
    /// Take warnings about the server for protocol violations (exit 7)
    #[arg(long, help_heading = "Judgement")]
    pub strict: bool,
    /// Exit 0 if the outcome has this category, else 9
    #[arg(long, value_name = "CATEGORY", value_parser = values::category, help_heading = "Judgement")]
    pub expect: Option<Category>,
    /// A text result that matches this regular expression is a tool error, whatever isError says
    #[arg(long, value_name = "REGEX", help_heading = "Judgement")]
    pub error_pattern: Option<String>,
}

const ANSWER_HELP: &str = "\
Answer a question of the server; can be repeated, the last answer serves for all that follow.

For elicitation:
  accept, defaults   fill the form with its defaults
  {\"name\": \"Ada\"}    accept with these members over the defaults; @FILE reads them from a file
  decline            decline
  cancel             cancel
For sampling:
  sampling=TEXT      the assistant's message
  sampling:=JSON     the whole result
Without an answer, on a terminal, a form is asked for field by field.";

impl Connect {
    /// These options with those of `later`, which stood behind the command.
    #[must_use]
    pub fn with(self, later: Connect) -> Connect {
        fn both<T>(mut first: Vec<T>, later: Vec<T>) -> Vec<T> {
            first.extend(later);
            first
        }
        Connect {
            server: later.server.or(self.server),
            config: later.config.or(self.config),
            transport: later.transport.or(self.transport),
            protocol: later.protocol.or(self.protocol),
            no_cache: self.no_cache || later.no_cache,
            message_url: later.message_url.or(self.message_url),
            header: both(self.header, later.header),
            bearer: later.bearer.or(self.bearer),
            env: both(self.env, later.env),
            cwd: later.cwd.or(self.cwd),
            timeout: later.timeout.or(self.timeout),
            max_time: later.max_time.or(self.max_time),
            connect_timeout: later.connect_timeout.or(self.connect_timeout),
            retry: later.retry.or(self.retry),
            cacert: later.cacert.or(self.cacert),
            cert: later.cert.or(self.cert),
            key: later.key.or(self.key),
            insecure: self.insecure || later.insecure,
            proxy: later.proxy.or(self.proxy),
            max_message_size: later.max_message_size.or(self.max_message_size),
            max_pages: later.max_pages.or(self.max_pages),
            roots: both(self.roots, later.roots),
            answer: both(self.answer, later.answer),
            client_capabilities: later.client_capabilities.or(self.client_capabilities),
            max_rounds: later.max_rounds.or(self.max_rounds),
            log_level: later.log_level.or(self.log_level),
            trace: later.trace.or(self.trace),
            strict: self.strict || later.strict,
            expect: later.expect.or(self.expect),
            error_pattern: later.error_pattern.or(self.error_pattern),
        }
    }
}
