//! How an operation fails: the facts, and what they mean as category, reason, evidence and hint.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::host::Question;
use super::state::Unanswered;
use crate::outcome::{Failure, Phase, Reason, Signal};
use crate::transport::{Seen, TransportError};
use crate::wire::jsonrpc::{Defect, ErrorObject};

/// A failure of the client, with the step it happened at.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{phase}: {fault}")]
pub struct ClientError {
    /// At which step.
    pub phase: Phase,
    /// What failed.
    pub fault: Fault,
}

/// What failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Fault {
    /// The transport.
    #[error("{0}")]
    Transport(Arc<TransportError>),
    /// The server answered with a JSON-RPC error.
    #[error("{}", .error.message)]
    Rpc {
        /// The error object.
        error: Box<ErrorObject>,
        /// The status of the HTTP answer that carried it.
        http_status: Option<u16>,
        /// Whether it carried the id of our request.
        own_id: bool,
    },
    /// A clock ran out.
    #[error("{0}")]
    Timeout(Box<Silence>),
    /// The only thing that came is not a JSON-RPC message.
    #[error("{0}")]
    Undecodable(Box<Defect>, Option<u16>),
    /// The only answer that came has an id that is not ours.
    #[error("a response for the unknown id {got} came instead of the answer")]
    WrongId {
        /// The JSON text of its id.
        got: String,
        /// How it begins.
        excerpt: String,
    },
    /// The exchange ended in order, and nothing on it was the answer.
    #[error("the server ended the exchange without an answer")]
    NoAnswer,
    /// The answer breaks a rule of MCP so that it cannot be used.
    #[error("{message}")]
    Violation {
        /// Which rule.
        reason: Reason,
        /// What is wrong.
        message: String,
        /// The text it is about.
        evidence: Option<String>,
        /// What to do.
        hint: Option<String>,
    },
    /// The session was lost again after it had been renewed.
    #[error("the session was lost again after it had been renewed")]
    SessionLost(Box<Fault>),
    /// The server wants something that was not supplied.
    #[error("the server asked for input that was not supplied")]
    InputRequired(Vec<Unanswered>),
    /// The server wants something again and again: how often it was given, and what it asks now.
    #[error("the server has asked for another round after {0} of them (--max-rounds)")]
    Rounds(usize, Vec<Question>),
    /// A task ended without a result.
    #[error("the task {id} was cancelled{}", .message.as_ref().map(|message| format!(": {message}")).unwrap_or_default())]
    TaskCancelled {
        /// Its id.
        id: String,
        /// `statusMessage`.
        message: Option<String>,
    },
    /// A clock ran out while a task with this id went on.
    #[error("{1}")]
    TaskLeft(String, Box<Silence>),
    /// It failed as often as it was tried.
    #[error("{1}")]
    Retried(usize, Box<Fault>),
    /// Nothing can come that is waited for: there is no stream for it.
    #[error("{message}")]
    NoStream {
        /// Why.
        message: String,
    },
    /// Finding out anew what the server speaks failed.
    #[error("{}", .0.message)]
    Renegotiation(Box<Failure>),
    /// Ctrl-C or SIGTERM.
    #[error("ended by {}", match .0 { Signal::Int => "Ctrl-C", Signal::Term => "SIGTERM" })]
    Interrupted(Signal),
    /// An invariant of mcpcli does not hold.
    #[error("{0}")]
    Broken(String),
}

/// What is known when a clock has run out.
#[derive(Debug, Clone)]
pub struct Silence {
    /// The limit.
    pub limit: Duration,
    /// Which clock.
    pub reason: Reason,
    /// How many progress notifications had come for the request.
    pub progress: u64,
    /// The last one in words.
    pub last_progress: Option<String>,
    /// How many SSE comments had come.
    pub keep_alives: u64,
    /// Lines on stdout that were no messages.
    pub noise: Vec<String>,
    /// What came on the exchange of the request.
    pub seen: Option<Seen>,
    /// A message that had begun on a transport that all requests share: its bytes so far, and how it begins.
    pub pending: Option<(usize, String)>,
    /// No peer was reached in all that time.
    pub unreached: bool,
}

impl Default for Silence {
    fn default() -> Self {
        Silence {
            limit: Duration::ZERO,
            reason: Reason::Idle,
            progress: 0,
            last_progress: None,
            keep_alives: 0,
            noise: Vec::new(),
            seen: None,
            pending: None,
            unreached: false,
        }
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = humantime::format_duration(self.limit);
        match self.reason {
            Reason::MaxTime => write!(f, "not done within {limit} (--max-time)"),
            _ => write!(f, "no answer within {limit} (--timeout)"),
        }
    }
}

impl ClientError {
    /// The failure as plain data.
    pub fn to_failure(&self) -> Failure {
        self.fault.to_failure(self.phase.clone())
    }

    /// Whether nothing of the request can have been executed.
    pub fn never_reached(&self) -> bool {
        matches!(&self.fault, Fault::Transport(error) if error.never_reached())
    }

    /// The JSON-RPC error code, if that is what came.
    pub fn rpc_code(&self) -> Option<i64> {
        match &self.fault {
            Fault::Rpc { error, .. } => error.code.parse().ok(),
            _ => None,
        }
    }

    /// Whether the server says that it knows no such session: 404 to a request that carried a session id
    /// (2025-03-26 to 2025-11-25 basic/transports §Session Management). An error for the very id of the request is an
    /// answer, whatever its status.
    pub fn session_is_gone(&self) -> bool {
        match &self.fault {
            Fault::Transport(error) => error.http_status() == Some(404),
            Fault::Rpc { http_status: Some(404), own_id, .. } => !own_id,
            _ => false,
        }
    }
}
