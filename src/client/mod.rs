//! The MCP client: one method an operation, over whichever transport and era came out.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use crate::outcome::Signal;
use crate::transport::{HttpEndpoint, Kind, NetSettings, StdioEndpoint};

mod connect;
mod draft;
pub mod era;
mod error;
mod evidence;
mod failure;
pub mod host;
mod inbound;
mod memory;
mod negotiate;
mod operations;
mod pages;
mod peer;
mod preview;
mod renewal;
mod retry;
mod rounds;
mod state;
mod tasks;
mod watch;

pub use connect::{Attempt, Handshake};
pub use error::{ClientError, Fault};
pub use memory::{Learned, Memory};
pub use operations::Client;
pub use pages::Pages;
pub use peer::Answer;
pub use preview::{Preview, Previewed};
pub use state::{Notice, Unanswered};
pub use tasks::{TaskOrigin, TaskView};
pub use watch::{Seer, WatchEnd, Watched, Watching};

/// Where a server is.
#[derive(Debug, Clone)]
pub enum Target {
    /// At a URL, over the transport that is named, or found out (`None`).
    Http(Option<Kind>, HttpEndpoint),
    /// A program to start.
    Stdio(StdioEndpoint),
}

/// Which protocol versions may be spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protocol {
    /// Find out.
    Auto,
    /// The versions with `initialize`.
    Legacy,
    /// The versions without.
    Modern,
    /// This one, released or not.
    Version(String),
}

/// How to speak to a server.
#[derive(Clone)]
pub struct Options {
    /// Settings of the HTTP client and the size limit.
    pub net: NetSettings,
    /// Which protocol versions may be spoken.
    pub protocol: Protocol,
    /// The idle clock: how long nothing may happen. Progress resets it. `None` is no limit.
    pub timeout: Option<Duration>,
    /// When everything must be over. `None` is no limit.
    pub deadline: Option<Deadline>,
    /// Answers to what the server asks.
    pub host: host::Host,
    /// Exactly these client capabilities are declared, whatever can be answered.
    pub client_capabilities: Option<Arc<RawValue>>,
    /// How many pages of a list are read at most.
    pub max_pages: usize,
    /// How many times more a request is sent whose failure may pass.
    pub retries: usize,
    /// How many times a result may ask for input before it is given up.
    pub max_rounds: usize,
    /// From which level on log messages are asked for.
    pub log_level: Option<String>,
    /// Whether calls may become tasks.
    pub tasks: bool,
    /// What earlier runs found out about HTTP servers.
    pub memory: Option<Arc<dyn Memory>>,
    /// Whether the era is found out anew, whatever is remembered.
    pub find_out: bool,
    /// Whether the server ends with the command.
    pub ephemeral: bool,
    /// Whether notifications that come before anybody watches are kept for who will.
    pub keep_notices: bool,
    /// Told of what happens while a command waits.
    pub activity: Arc<dyn Fn(Activity) + Send + Sync>,
    /// Ends everything in order.
    pub interrupt: Interrupt,
}

/// The absolute clock.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// When it is over.
    pub at: Instant,
    /// `--max-time`, for the message.
    pub limit: Duration,
}

/// Ctrl-C and SIGTERM, as something to wait for.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    token: CancellationToken,
    signal: Arc<std::sync::OnceLock<Signal>>,
}

impl Interrupt {
    /// Says that the signal has come. The first one counts.
    pub fn raise(&self, signal: Signal) {
        let _ = self.signal.set(signal);
        self.token.cancel();
    }

    /// The signal, if one has come.
    pub fn raised(&self) -> Option<Signal> {
        self.signal.get().copied()
    }

    /// Waits for a signal.
    pub async fn wait(&self) -> Signal {
        self.token.cancelled().await;
        self.raised().unwrap_or(Signal::Int)
    }
}

/// What happens while a command waits, for the person who watches.
#[derive(Debug, Clone, PartialEq)]
pub enum Activity {
    /// A phase begins.
    Begin(String),
    /// `notifications/progress` for a request of ours.
    Progress {
        /// The JSON text of `progress`.
        progress: String,
        /// The JSON text of `total`.
        total: Option<String>,
        /// `message` (2025-03-26 and later).
        message: Option<String>,
    },
    /// `notifications/message`.
    Log {
        /// `level`, as sent.
        level: String,
        /// `logger`, as sent.
        logger: Option<String>,
        /// `data`: a string's text, or compact JSON.
        text: String,
    },
    /// Any other notification.
    Notification {
        /// The method.
        method: String,
        /// The compact JSON text of `params`.
        params: Option<String>,
    },
    /// Where a task stands.
    Task {
        /// Its id.
        id: String,
        /// Its status.
        status: String,
        /// `statusMessage`.
        message: Option<String>,
    },
    /// The server asked us something, and this is what it was told.
    Asked {
        /// The method.
        method: String,
        /// In words: `answered {}`, `declined`, `refused: not declared`.
        answer: String,
    },
    /// A line of a stdio server's stderr.
    Stderr(String),
    /// Something that needs saying at once.
    Note(String),
}
