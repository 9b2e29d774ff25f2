//! The commands: settings in, report out. They never print, and know neither clap nor the environment.

use std::path::PathBuf;
use std::sync::Arc;

use crate::arguments::Pair;
use crate::client;
use crate::outcome::Ledger;
use crate::report::ListKind;
use crate::trace::Tracer;

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
        /// Print the request instead of sending it.
        dry_run: bool,
    },
    /// Completion of one argument.
    Complete(Complete),
    /// The handshake and what it told.
    Info,
    /// Liveness.
    Ping,
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
}
