//! How an operation fails: the facts, and what they mean as category, reason, evidence and hint.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::era;
use super::host::Question;
use super::state::Unanswered;
use crate::outcome::{Category, Failure, Phase, Reason, RpcFacts, Signal};
use crate::transport::{Seen, TransportError};
use crate::wire::json;
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

impl Fault {
    /// The failure as plain data.
    pub fn to_failure(&self, phase: Phase) -> Failure {
        let is_call = matches!(&phase, Phase::Method(method) if method == "tools/call");
        match self {
            Fault::Transport(error) => {
                let mut failure = error.to_failure(phase);
                let about_server = failure.http_status.is_some_and(|status| status >= 500);
                let broken = failure.reason == Some(Reason::Stream);
                if failure.phase == Phase::Discover && (about_server || broken) {
                    // A server that fails on what it does not know is wrong, but exists.
                    let hint = failure.hint.take().map_or_else(String::new, |hint| format!("{hint}; "));
                    failure.hint =
                        Some(format!("{hint}an older server may fail so: --protocol legacy asks it otherwise"));
                }
                if is_call && failure.reason == Some(Reason::Stream) {
                    let hint = failure.hint.map_or_else(String::new, |hint| format!("{hint}; "));
                    failure.hint = Some(format!("{hint}the call may have run on the server"));
                }
                failure
            }
            Fault::Rpc { error, http_status, .. } => rpc_failure(error, *http_status, phase),
            Fault::Timeout(silence) => timeout_failure(silence, phase, is_call),
            Fault::Undecodable(defect, status) => {
                let mut failure = Failure::new(Category::Protocol, phase, defect.to_string())
                    .with_reason(defect.reason())
                    .with_hint("the server's serializer is at fault; --trace FILE keeps the whole text");
                failure.http_status = *status;
                failure.evidence.extend(defect.evidence());
                failure
            }
            Fault::WrongId { excerpt, .. } => {
                let ran = if is_call { "; the call may have run" } else { "" };
                Failure::new(Category::Protocol, phase, self.to_string())
                    .with_reason(Reason::WrongId)
                    .with_evidence("body", excerpt.clone())
                    .with_hint(format!("the server must answer with the id of the request (JSON-RPC 2.0 §5){ran}"))
            }
            Fault::NoAnswer => Failure::new(Category::Protocol, phase, self.to_string())
                .with_reason(Reason::NotJsonRpc)
                .with_hint("what came instead is in -vv or --trace FILE"),
            Fault::Violation { reason, message, evidence, hint } => {
                let mut failure = Failure::new(Category::Protocol, phase, message.clone()).with_reason(*reason);
                if let Some(evidence) = evidence {
                    failure = failure.with_evidence("body", evidence.clone());
                }
                failure.hint = hint.clone();
                failure
            }
            Fault::SessionLost(last) => {
                let inner = last.to_failure(phase.clone());
                let mut failure =
                    Failure::new(Category::Transport, phase, self.to_string()).with_reason(Reason::Http).with_hint(
                        "the server forgets sessions at once: several instances behind a balancer without a shared store?",
                    );
                failure.http_status = inner.http_status;
                failure.causes = std::iter::once(inner.message).chain(inner.causes).collect();
                failure.evidence = inner.evidence;
                failure
            }
            Fault::InputRequired(questions) => questions_failure(questions, phase, &self.to_string()),
            Fault::Rounds(_, questions) => rounds_failure(questions, phase, self.to_string()),
            Fault::TaskCancelled { .. } => Failure::new(Category::ToolError, phase, self.to_string())
                .with_hint("the task ended without a result; the server, or somebody with its id, cancelled it"),
            Fault::TaskLeft(id, silence) => {
                let id = crate::schema::shell_word(id);
                timeout_failure(silence, phase, false).with_hint(format!(
                    "the task goes on at the server; `mcpcli task get {id} --wait` waits for its result"
                ))
            }
            Fault::NoStream { message } => {
                Failure::new(Category::Transport, phase, message.clone()).with_reason(Reason::Http).with_hint(
                    "up to 2025-11-25 a server tells on that stream what it tells on its own; without it nothing comes",
                )
            }
            Fault::Renegotiation(failure) => (**failure).clone(),
            Fault::Interrupted(signal) => {
                let failure = Failure::new(Category::Interrupted(*signal), phase, self.to_string());
                let is_task = matches!(&failure.phase, Phase::Method(method) if method == "tasks/get");
                if is_task {
                    failure
                        .with_hint("a task that this command made was cancelled; one that it only waited for goes on")
                } else if is_call {
                    failure.with_hint("the server was told; whether the call ran is unknown")
                } else {
                    failure
                }
            }
            Fault::Broken(message) => Failure::new(Category::Internal, phase, message.clone())
                .with_hint("this is a bug in mcpcli: please report it with the command and --trace FILE"),
        }
    }
}

fn rounds_failure(questions: &[Question], phase: Phase, message: String) -> Failure {
    let mut failure = Failure::new(Category::InputRequired, phase, message);
    for Question { method, params } in questions {
        let params = params.as_ref().map_or_else(String::new, |params| format!(" {}", json::compact(params.get())));
        failure = failure.with_evidence("asked", format!("{method}{params}"));
    }
    failure.with_hint(match questions {
        [] => "nothing is asked, only to call again: is the server overloaded? --max-rounds allows more",
        _ => "are the answers right? the server keeps asking; --max-rounds allows more",
    })
}

/// One failure for all open questions: each is evidence, and the first says how it can be answered.
fn questions_failure(questions: &[Unanswered], phase: Phase, without: &str) -> Failure {
    let Some((first, others)) = questions.split_first() else {
        return Failure::new(Category::InputRequired, phase, without);
    };
    let mut failure = first.to_failure(phase.clone());
    if others.is_empty() {
        return failure;
    }
    let methods: Vec<&str> = questions.iter().map(|question| question.method.as_str()).collect();
    let whys: Vec<&str> = questions.iter().map(|question| question.why.as_str()).collect();
    let mut ways: Vec<&str> = questions.iter().map(|question| question.how.as_str()).collect();
    ways.dedup();
    failure.message =
        format!("the server asked for input by {} that was not supplied: {}", methods.join(", "), whys.join("; "));
    failure.hint = Some(format!("answer it with {}", ways.join("; and with ")));
    for other in others {
        failure.evidence.extend(other.to_failure(phase.clone()).evidence);
    }
    failure
}

fn rpc_failure(error: &ErrorObject, http_status: Option<u16>, phase: Phase) -> Failure {
    // The words are the server's alone; code and data stand beside them, never inside.
    let category = if wants_input(error) { Category::InputRequired } else { Category::RpcError };
    let mut failure = Failure::new(category, phase, error.message.clone());
    failure.rpc = Some(RpcFacts { code: error.code.clone(), data: error.data.clone() });
    failure.http_status = http_status;
    failure.hint = Some(match (&failure.phase, error.code.as_str()) {
        // A server without a handshake knows no `initialize` (2026-07-28 basic/versioning §Backward Compatibility).
        (Phase::Initialize, "-32022") if era::mutual(&era::supported(error.data.as_deref())).is_none() => {
            versions_hint(error)
        }
        (Phase::Initialize, "-32601" | "-32022") => {
            "the server speaks only a version without the handshake; --protocol modern speaks 2026-07-28".to_owned()
        }
        (Phase::Discover, code) if !["-32020", "-32021", "-32022"].contains(&code) => {
            "no answer of 2026-07-28, so it is an older server: --protocol auto or legacy begins with initialize"
                .to_owned()
        }
        (_, "-32021") => supply_hint(error),
        (_, "-32022") => versions_hint(error),
        (_, code) => format!("`mcpcli explain {code}` says what the code means"),
    });
    failure
}

/// What either side speaks.
fn versions_hint(error: &ErrorObject) -> String {
    let theirs = era::supported(error.data.as_deref()).join(", ");
    let ours: Vec<&str> = era::MODERN.iter().rev().chain(era::LEGACY.iter().rev()).copied().collect();
    let theirs = if theirs.is_empty() { "does not say what it speaks".to_owned() } else { format!("speaks {theirs}") };
    format!("the server {theirs}; mcpcli speaks {}; --protocol VERSION asks for one", ours.join(", "))
}

/// Whether a server says that it will ask for input that nobody said could be supplied: the counterpart in 2026-07-28 of a
/// question that was refused, so that a missing `--answer` ends alike in both eras.
fn wants_input(error: &ErrorObject) -> bool {
    let wanted = error.data.as_deref().and_then(|data| json::member(data, "requiredCapabilities"));
    let names = wanted.and_then(|wanted| json::members(&wanted)).unwrap_or_default();
    let is_input = |name: &str| ["elicitation", "sampling", "roots"].contains(&name);
    error.code == "-32021" && !names.is_empty() && names.iter().all(|(name, _)| is_input(name))
}

/// How to give what a server says it needs (2026-07-28 basic §Error Codes: `data.requiredCapabilities`).
fn supply_hint(error: &ErrorObject) -> String {
    const WAYS: [(&str, &str); 4] = [
        ("elicitation", "--answer '{\"field\": …}', --answer accept for the defaults, or a terminal"),
        ("sampling", "--answer sampling=TEXT"),
        ("roots", "--roots PATH"),
        ("extensions", "call --task"),
    ];
    let wanted = error.data.as_deref().and_then(|data| json::member(data, "requiredCapabilities"));
    let named = |name: &&str| wanted.as_ref().is_some_and(|wanted| json::member(wanted, name).is_some());
    let ways: Vec<&str> = WAYS.iter().filter(|(name, _)| named(name)).map(|(_, way)| *way).collect();
    match ways.as_slice() {
        [] => "the server wants a capability that was not declared; --client-capabilities declares any".to_owned(),
        ways => format!("the server asks for input on the way; supply it with {}", ways.join(" and ")),
    }
}

fn timeout_failure(silence: &Silence, phase: Phase, is_call: bool) -> Failure {
    let message = match silence.reason {
        Reason::MaxTime => format!("{phase} was not done when the whole command's time was over"),
        _ => format!("no answer to {phase}"),
    };
    let option = if silence.reason == Reason::MaxTime { "--max-time" } else { "--timeout" };
    let limit = humantime::format_duration(silence.limit);
    if silence.unreached {
        let message = format!("no connection within {limit} (limit {option})");
        return Failure::new(Category::Timeout, Phase::Connect, message).with_reason(silence.reason).with_hint(
            "is the host up, and is the port not blocked? TCP, TLS or a proxy does not answer; nothing was sent",
        );
    }
    let phase_is_probe = phase == Phase::Discover;
    let phase_is_watch = matches!(phase.name(), "subscriptions/listen" | "watch");
    let mut failure = Failure::new(Category::Timeout, phase, format!("{message} within {limit} (limit {option})"))
        .with_reason(silence.reason);
    if silence.progress > 0 {
        let last = silence.last_progress.as_deref().unwrap_or("?");
        failure = failure.with_evidence("progress", format!("{} notifications, the last one {last}", silence.progress));
    }
    if let Some(seen) = &silence.seen {
        failure = failure.with_evidence("seen", seen.words());
        failure.http_status = seen.status;
    } else if silence.keep_alives > 0 {
        let text = format!("the stream is alive ({} keep-alive comments), but no answer came", silence.keep_alives);
        failure = failure.with_evidence("seen", text);
    }
    if !silence.noise.is_empty() {
        failure = failure.with_evidence("stdout", silence.noise.join("\n"));
    }
    let hint = if phase_is_watch {
        match silence.reason {
            Reason::MaxTime => "watch --for TIME ends watching in order, with exit 0".to_owned(),
            _ => format!("the server did not acknowledge the subscription; a longer {option} waits longer"),
        }
    } else if phase_is_probe {
        format!(
            "no answer says nothing about its version; --protocol legacy begins with initialize, a longer {option} waits longer"
        )
    } else if is_call {
        format!("whether the call ran on the server is unknown; it was told to cancel. A longer {option} waits longer")
    } else if silence.seen.as_ref().is_some_and(|seen| seen.status.is_none()) {
        format!("the connection stands or is being made, and nothing comes; a longer {option} waits longer")
    } else {
        format!("is it an MCP server, and of this transport? it says nothing; a longer {option} waits longer")
    };
    failure.with_hint(hint)
}
