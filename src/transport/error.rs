//! How a transport fails: the facts, in types. `failure.rs` says what they mean.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::outcome::{Phase, Reason};

/// One address that was tried, and why it failed.
#[derive(Debug, Clone)]
pub struct AddressFailure {
    /// The address.
    pub address: SocketAddr,
    /// The system's words, such as `Connection refused (os error 111)`.
    pub error: String,
}

/// An HTTP answer that is not an MCP answer, or a refusal.
#[derive(Debug, Clone, Default)]
pub struct HttpFault {
    /// The request's method.
    pub method: String,
    /// The request's URL, redacted.
    pub url: String,
    /// The status code.
    pub status: u16,
    /// The reason phrase as the server sent it, or the standard one.
    pub reason_phrase: String,
    /// The `Content-Type` as sent.
    pub content_type: Option<String>,
    /// Headers worth showing (`server`, `via`, `retry-after`, `location`, `allow`, `content-encoding`), redacted.
    pub headers: Vec<(String, String)>,
    /// Every `WWW-Authenticate` value as sent.
    pub challenges: Vec<String>,
    /// The first bytes of the body as text (at most 2 KiB), markup left in.
    pub body: String,
    /// The title of an HTML page, or its first line without markup.
    pub headline: Option<String>,
    /// The body's length as far as it was read, in bytes.
    pub body_bytes: usize,
    /// Whether a credential had been sent.
    pub credential_sent: bool,
    /// What is wrong with it, where the status does not say it, such as `media type text/html`.
    pub problem: Option<String>,
    /// What to do, where the transport knows better than the status.
    pub hint: Option<String>,
}

/// How a stream ended before its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEnd {
    /// The peer ended it in order.
    Clean,
    /// The connection was reset or aborted; the system's words.
    Reset(String),
    /// The body was shorter than announced.
    Incomplete {
        /// Bytes that came.
        received: u64,
        /// `Content-Length`, if there was one.
        announced: Option<u64>,
    },
    /// What came is no HTTP answer.
    NotHttp,
    /// The child process ended.
    Exited {
        /// Its exit status.
        status: Option<i32>,
        /// The signal that ended it.
        signal: Option<i32>,
    },
    /// The child process closed its stdin but lives on; the system's words.
    InputClosed(String),
}

/// Why a program did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpawnCause {
    /// No such program, in `PATH` or at the path given.
    NotFound,
    /// It exists but may not be executed.
    NotExecutable,
    /// Its first line names an interpreter that does not exist, or it is no program at all.
    BadInterpreter,
    /// The working directory does not exist.
    NoDirectory,
    /// It is a directory.
    IsDirectory,
    /// Anything else; the source says.
    Other,
}

/// How a transport fails.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// The host name has no address.
    #[error("the name {host} could not be resolved")]
    Dns {
        /// The host.
        host: String,
        /// The resolver's words.
        detail: String,
    },
    /// No address accepted a connection.
    #[error("no connection to {target}")]
    Connect {
        /// Host and port.
        target: String,
        /// Every address that was tried.
        tried: Vec<AddressFailure>,
        /// The chain of causes, outermost first.
        causes: Vec<String>,
    },
    /// TLS failed.
    #[error("no TLS session with {target}")]
    Tls {
        /// Host and port.
        target: String,
        /// The chain of causes, outermost first.
        causes: Vec<String>,
        /// What to do.
        hint: Option<String>,
    },
    /// The proxy failed.
    #[error("the proxy {proxy} (from {source_name}) did not connect us")]
    Proxy {
        /// Its URL, redacted.
        proxy: String,
        /// The option or variable it came from.
        source_name: String,
        /// The chain of causes, outermost first.
        causes: Vec<String>,
    },
    /// The program did not start.
    #[error("the server program {program} could not be started: {}", spawn_words(*.cause))]
    Spawn {
        /// The program as given.
        program: String,
        /// The working directory, if one was given.
        cwd: Option<PathBuf>,
        /// Whether `PATH` was searched.
        searched_path: bool,
        /// Why.
        cause: SpawnCause,
        /// The system's words.
        detail: String,
    },
    /// An HTTP answer that is not an MCP answer.
    #[error("{}", http_words(.0))]
    Http(Box<HttpFault>),
    /// 401, or 403 with a challenge.
    #[error("{}", auth_words(.0))]
    Auth(Box<HttpFault>),
    /// Contact existed, then it broke.
    #[error("{}", stream_words(.end, *.messages))]
    Stream {
        /// How.
        end: StreamEnd,
        /// How many messages (or events) had come on it.
        messages: u64,
        /// How many bytes had come on it.
        bytes: u64,
        /// The last lines of the child's stderr, for stdio.
        stderr: Vec<String>,
        /// The text of an event or line that was not finished.
        unfinished: Option<String>,
        /// How often a reconnect was tried.
        reconnects: u32,
        /// The chain of causes, outermost first.
        causes: Vec<String>,
    },
    /// A wait inside the transport was longer than its limit.
    #[error("{what} within {}", humantime::format_duration(*.limit))]
    Timeout {
        /// What was waited for, as `no connection`, `no endpoint event`.
        what: String,
        /// The limit.
        limit: Duration,
        /// Which clock.
        reason: Reason,
        /// In which phase; `None` is the phase of the caller.
        phase: Option<Phase>,
        /// What came meanwhile, such as `3 keep-alive comments`.
        seen: Option<String>,
        /// What to do.
        hint: Option<String>,
    },
    /// One message, event or body is larger than the limit.
    #[error("a message is larger than the limit of {limit} bytes ({seen} bytes seen)")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
        /// How many bytes had come.
        seen: usize,
    },
    /// The endpoint event names another origin (2024-11-05 basic/transports §HTTP with SSE; every SDK refuses it).
    #[error("the endpoint event names another origin: {endpoint} instead of {origin}")]
    EndpointOrigin {
        /// The event's data as sent.
        announced: String,
        /// The origin it resolves to.
        endpoint: String,
        /// The origin of the stream.
        origin: String,
    },
    /// The endpoint event is no URL, or the first event is something else.
    #[error("{detail}")]
    Endpoint {
        /// What is wrong.
        detail: String,
        /// The event's data as sent.
        announced: String,
    },
    /// A setting cannot be used: a certificate file, a proxy URL, a header.
    #[error("{message}")]
    Setting {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The same connection failed before.
    #[error(transparent)]
    Shared(Arc<TransportError>),
    /// The connection was closed by mcpcli itself.
    #[error("the connection was closed by mcpcli")]
    Closed,
}

fn spawn_words(cause: SpawnCause) -> &'static str {
    match cause {
        SpawnCause::NotFound => "there is no such program",
        SpawnCause::NotExecutable => "it is not executable",
        SpawnCause::BadInterpreter => "it is no program, or its interpreter does not exist",
        SpawnCause::NoDirectory => "the working directory does not exist",
        SpawnCause::IsDirectory => "it is a directory",
        SpawnCause::Other => "the system refused",
    }
}

fn http_words(fault: &HttpFault) -> String {
    let status = format!("HTTP {} {}", fault.status, fault.reason_phrase);
    match &fault.problem {
        Some(problem) => format!("{}: {problem}", status.trim_end()),
        None => format!("{} is not an MCP answer", status.trim_end()),
    }
}

fn auth_words(fault: &HttpFault) -> String {
    let status = format!("HTTP {} {}", fault.status, fault.reason_phrase);
    let what = match (fault.lacks_scope(), fault.credential_sent) {
        (true, _) => "says that the credential lacks a scope",
        (false, true) => "refused the credential it was sent",
        (false, false) => "asks for a credential",
    };
    format!("the server {what} ({})", status.trim_end())
}

fn stream_words(end: &StreamEnd, messages: u64) -> String {
    let how = match end {
        StreamEnd::Clean => "the stream ended before the answer".to_owned(),
        StreamEnd::Reset(_) => "the connection was reset before the answer".to_owned(),
        StreamEnd::NotHttp => "the answer is not HTTP".to_owned(),
        StreamEnd::Incomplete { received, announced: Some(announced) } => {
            format!("the body was cut: {received} of {announced} announced bytes came")
        }
        StreamEnd::Incomplete { received, announced: None } => {
            format!("the body was cut after {received} bytes")
        }
        StreamEnd::Exited { status: Some(status), .. } => format!("the server process exited with status {status}"),
        StreamEnd::Exited { signal: Some(signal), .. } => {
            format!("the server process was ended by {}", signal_name(*signal))
        }
        StreamEnd::Exited { .. } => "the server process closed its stdout".to_owned(),
        StreamEnd::InputClosed(_) => "the server process closed its stdin".to_owned(),
    };
    // What a process writes are lines; which of them are messages is not for the transport to say.
    let unit = if matches!(end, StreamEnd::Exited { .. } | StreamEnd::InputClosed(_)) { "line" } else { "message" };
    match messages {
        0 => how,
        1 => format!("{how}, after 1 {unit}"),
        n => format!("{how}, after {n} {unit}s"),
    }
}

impl HttpFault {
    /// Whether the challenge says that the credential is good but not for this: `insufficient_scope` (RFC 6750 §3.1).
    pub fn lacks_scope(&self) -> bool {
        self.challenges.iter().any(|challenge| challenge.contains("insufficient_scope"))
    }
}

/// The name of a signal, such as `SIGKILL`.
pub(super) fn signal_name(signal: i32) -> String {
    #[cfg(unix)]
    if let Ok(signal) = nix::sys::signal::Signal::try_from(signal) {
        return signal.as_str().to_owned();
    }
    format!("signal {signal}")
}
