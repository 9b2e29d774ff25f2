//! What can come of an operation: categories, exit codes, reasons, phases, warnings, and the facts of a failure.
//!
//! A leaf that every floor may use. It does not know how any of this is printed.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;

/// The kind of outcome. Public and stable: names stand in `--json`, numbers are exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// A usable answer.
    Ok,
    /// A bug in mcpcli itself, never anything the peer did.
    Internal,
    /// Command line, configuration or arguments; nothing was sent to the method concerned.
    Usage,
    /// A `tools/call` result with `isError: true`.
    ToolError,
    /// A well-formed JSON-RPC `error` for our request, on whatever HTTP status.
    RpcError,
    /// The answer could not travel.
    Transport,
    /// A deadline passed.
    Timeout,
    /// Bytes arrived but break JSON, JSON-RPC or MCP rules so that the answer is unusable.
    Protocol,
    /// 401, 403 with a challenge.
    Auth,
    /// An expectation (`--expect`, a check) did not hold.
    CheckFailed,
    /// The server needs an answer that was not supplied.
    InputRequired,
    /// Ctrl-C or SIGTERM.
    Interrupted(Signal),
}

/// The signal that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// SIGINT, Ctrl-C.
    Int,
    /// SIGTERM.
    Term,
}

impl Category {
    /// Every category once, in the order of their exit codes.
    pub const ALL: [Category; 12] = [
        Category::Ok,
        Category::Internal,
        Category::Usage,
        Category::ToolError,
        Category::RpcError,
        Category::Transport,
        Category::Timeout,
        Category::Protocol,
        Category::Auth,
        Category::CheckFailed,
        Category::InputRequired,
        Category::Interrupted(Signal::Int),
    ];

    /// The process exit code (0 to 143), stable across releases.
    pub const fn exit_code(self) -> u8 {
        match self {
            Category::Ok => 0,
            Category::Internal => 1,
            Category::Usage => 2,
            Category::ToolError => 3,
            Category::RpcError => 4,
            Category::Transport => 5,
            Category::Timeout => 6,
            Category::Protocol => 7,
            Category::Auth => 8,
            Category::CheckFailed => 9,
            Category::InputRequired => 10,
            Category::Interrupted(Signal::Int) => 130,
            Category::Interrupted(Signal::Term) => 143,
        }
    }

    /// The name in `--json`, `--expect` and `explain`.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Ok => "ok",
            Category::Internal => "internal",
            Category::Usage => "usage",
            Category::ToolError => "tool-error",
            Category::RpcError => "rpc-error",
            Category::Transport => "transport",
            Category::Timeout => "timeout",
            Category::Protocol => "protocol",
            Category::Auth => "auth",
            Category::CheckFailed => "check-failed",
            Category::InputRequired => "input-required",
            Category::Interrupted(_) => "interrupted",
        }
    }

    /// The heading of the human view: who failed, in words, readable without colour.
    pub const fn heading(self) -> &'static str {
        match self {
            Category::Ok => "ok",
            Category::Internal => "internal error in mcpcli",
            Category::Usage => "usage error",
            Category::ToolError => "tool error",
            Category::RpcError => "JSON-RPC error from the server",
            Category::Transport => "transport failure",
            Category::Timeout => "timeout",
            Category::Protocol => "protocol violation by the server",
            Category::Auth => "authorization refused",
            Category::CheckFailed => "check failed",
            Category::InputRequired => "input required",
            Category::Interrupted(_) => "interrupted",
        }
    }

    /// One sentence for `explain`: what it means and whose fault it is.
    pub const fn meaning(self) -> &'static str {
        match self {
            Category::Ok => "The server gave a usable answer.",
            Category::Internal => "A bug in mcpcli: a panic or a broken invariant. Please report it.",
            Category::Usage => {
                "The command line, a configuration file or the arguments are wrong. Nothing was sent to the method concerned."
            }
            Category::ToolError => {
                "The tool ran and reported a failure: a tools/call result with isError true. JSON-RPC and the transport worked."
            }
            Category::RpcError => {
                "The server answered our request with a well-formed JSON-RPC error object, on whatever HTTP status."
            }
            Category::Transport => {
                "The answer could not travel. `reason` says where: dns, connect, tls, proxy and spawn never reached a peer; \
                 http is an HTTP answer that is not an MCP answer; stream is contact that broke."
            }
            Category::Timeout => {
                "A deadline passed; `phase` says in what. For tools/call the outcome on the server is unknown."
            }
            Category::Protocol => {
                "Bytes arrived, but they break the rules of JSON, JSON-RPC or MCP so that the answer is unusable."
            }
            Category::Auth => {
                "The server asks for authorization, or refuses the one it was given: 401, or 403 with a challenge."
            }
            Category::CheckFailed => "An expectation did not hold, for example one of --expect.",
            Category::InputRequired => {
                "The server needs an answer from the user (elicitation, sampling, roots) that was not supplied."
            }
            Category::Interrupted(_) => "The run was ended from outside, by Ctrl-C (exit 130) or SIGTERM (exit 143).",
        }
    }

    /// Reads a name as [`Category::name`] gives it.
    pub fn from_name(name: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| category.name() == name)
    }

    /// Rank when one run has several outcomes; the lowest rank decides the exit code.
    pub const fn rank(self) -> u8 {
        match self {
            Category::Interrupted(_) => 0,
            Category::Internal => 1,
            Category::Usage => 2,
            Category::Auth => 3,
            Category::Transport => 4,
            Category::Timeout => 5,
            Category::Protocol => 6,
            Category::RpcError => 7,
            Category::ToolError => 8,
            Category::InputRequired => 9,
            Category::CheckFailed => 10,
            Category::Ok => 11,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where inside its category a failure happened. Names are stable and stand in `--json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// transport: the host name has no address.
    Dns,
    /// transport: no TCP connection.
    Connect,
    /// transport: no TLS session.
    Tls,
    /// transport: the proxy refused or is unreachable.
    Proxy,
    /// transport: the server program could not be started.
    Spawn,
    /// transport: an HTTP answer that is not an MCP answer.
    Http,
    /// transport: contact existed, then it broke.
    Stream,
    /// timeout: nothing happened for as long as `--timeout`.
    Idle,
    /// timeout: `--max-time` is over.
    MaxTime,
    /// timeout: no connection within `--connect-timeout`.
    ConnectTimeout,
    /// protocol: not JSON.
    NotJson,
    /// protocol: JSON, but not a JSON-RPC 2.0 message.
    NotJsonRpc,
    /// protocol: one message is larger than `--max-message-size`.
    TooLarge,
    /// protocol: JSON nested deeper than the limit.
    TooDeep,
    /// protocol: an answer whose id belongs to no request of ours.
    WrongId,
    /// protocol: the endpoint event of HTTP+SSE is missing or no URL.
    Endpoint,
    /// protocol: the endpoint event names another origin.
    EndpointOrigin,
    /// protocol: a result that lacks what the method's result must have.
    ResultShape,
    /// protocol: no protocol version in common.
    Version,
    /// protocol: a list whose cursors never end.
    CursorLoop,
    /// protocol: a binary block that cannot be decoded.
    Encoding,
    /// protocol: a warning, under `--strict`.
    Strict,
    /// auth: 401.
    Unauthorized,
    /// auth: 403 with a challenge.
    Forbidden,
    /// usage: the command line.
    CommandLine,
    /// usage: a configuration file, or what it names.
    Config,
    /// usage: an argument of a tool or prompt.
    Arguments,
    /// usage: no tool, prompt, resource or server of that name.
    UnknownName,
    /// usage: a file could not be read or written.
    File,
}

impl Reason {
    /// The name in `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Dns => "dns",
            Reason::Connect => "connect",
            Reason::Tls => "tls",
            Reason::Proxy => "proxy",
            Reason::Spawn => "spawn",
            Reason::Http => "http",
            Reason::Stream => "stream",
            Reason::Idle => "idle",
            Reason::MaxTime => "max-time",
            Reason::ConnectTimeout => "connect-timeout",
            Reason::NotJson => "not-json",
            Reason::NotJsonRpc => "not-json-rpc",
            Reason::TooLarge => "too-large",
            Reason::TooDeep => "too-deep",
            Reason::WrongId => "wrong-id",
            Reason::Endpoint => "endpoint",
            Reason::EndpointOrigin => "endpoint-origin",
            Reason::ResultShape => "result-shape",
            Reason::Version => "version",
            Reason::CursorLoop => "cursor-loop",
            Reason::Encoding => "encoding",
            Reason::Strict => "strict",
            Reason::Unauthorized => "unauthorized",
            Reason::Forbidden => "forbidden",
            Reason::CommandLine => "command-line",
            Reason::Config => "config",
            Reason::Arguments => "arguments",
            Reason::UnknownName => "unknown-name",
            Reason::File => "file",
        }
    }
}

/// The step in which something happened.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Making sense of the command line and the configuration; nothing is on the wire yet.
    Resolve,
    /// Reaching the peer: DNS, TCP, TLS, starting a process.
    Connect,
    /// Waiting for the endpoint event of HTTP+SSE (2024-11-05).
    Endpoint,
    /// `server/discover` as a probe (2026-07-28).
    Discover,
    /// The `initialize` request.
    Initialize,
    /// The `notifications/initialized` notification.
    Initialized,
    /// Any other method, by its name.
    Method(String),
}

impl Phase {
    /// The phase of a JSON-RPC method.
    pub fn of_method(method: &str) -> Phase {
        match method {
            "initialize" => Phase::Initialize,
            "notifications/initialized" => Phase::Initialized,
            "server/discover" => Phase::Discover,
            other => Phase::Method(other.to_owned()),
        }
    }

    /// The name in `--json`.
    pub fn name(&self) -> &str {
        match self {
            Phase::Resolve => "resolve",
            Phase::Connect => "connect",
            Phase::Endpoint => "endpoint",
            Phase::Discover => "discover",
            Phase::Initialize => "initialize",
            Phase::Initialized => "initialized",
            Phase::Method(method) => method,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One piece of evidence: what it is, and its text as the peer sent it (not yet made safe for a terminal).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// A short label in lower case, such as `body`, `stderr`, `www-authenticate`.
    pub label: String,
    /// The text. Several lines are allowed.
    pub text: String,
}

/// What a JSON-RPC error object held, verbatim.
#[derive(Debug, Clone)]
pub struct RpcFacts {
    /// The JSON text of `code`: an integer by the specification, whatever it is on the wire.
    pub code: String,
    /// `data`, as it came.
    pub data: Option<Box<RawValue>>,
}

/// A failure as plain data: everything that a person or a script needs to know about it.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Who failed, as a category.
    pub category: Category,
    /// Where inside the category.
    pub reason: Option<Reason>,
    /// At which step.
    pub phase: Phase,
    /// One sentence without a final stop. A server's own words stand in it verbatim, or alone for `rpc-error`.
    pub message: String,
    /// The JSON-RPC error, if that is what came.
    pub rpc: Option<RpcFacts>,
    /// The HTTP status of the answer, if there was one.
    pub http_status: Option<u16>,
    /// The chain of causes down to its leaf, outermost first, without `message`.
    pub causes: Vec<String>,
    /// What was seen on the wire.
    pub evidence: Vec<Evidence>,
    /// One thing that a person can do now.
    pub hint: Option<String>,
    /// Further failures that belong to this one, such as the second transport that was tried.
    pub also: Vec<Failure>,
}

impl Failure {
    /// A failure with the given category, phase and sentence, and nothing else.
    pub fn new(category: Category, phase: Phase, message: impl Into<String>) -> Failure {
        Failure {
            category,
            reason: None,
            phase,
            message: message.into(),
            rpc: None,
            http_status: None,
            causes: Vec::new(),
            evidence: Vec::new(),
            hint: None,
            also: Vec::new(),
        }
    }

    /// A `usage` failure of the phase `resolve`.
    pub fn usage(reason: Reason, message: impl Into<String>) -> Failure {
        Failure::new(Category::Usage, Phase::Resolve, message).with_reason(reason)
    }

    /// Sets the reason.
    #[must_use]
    pub fn with_reason(mut self, reason: Reason) -> Failure {
        self.reason = Some(reason);
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds one piece of evidence.
    #[must_use]
    pub fn with_evidence(mut self, label: impl Into<String>, text: impl Into<String>) -> Failure {
        self.evidence.push(Evidence { label: label.into(), text: text.into() });
        self
    }

    /// Adds the chain of sources of `error`, without `error` itself.
    #[must_use]
    pub fn with_sources(mut self, error: &dyn std::error::Error) -> Failure {
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if self.causes.last() != Some(&text) {
                self.causes.push(text);
            }
            source = cause.source();
        }
        self
    }
}

macro_rules! warnings {
    ($($(#[$doc:meta])* $variant:ident = $id:literal, $meaning:literal;)*) => {
        /// Deviations that leave the answer usable. `--strict` turns those a server caused into exit 7.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum WarningId { $(#[doc = $meaning] $variant,)* }

        impl WarningId {
            /// Every warning once.
            pub const ALL: &'static [WarningId] = &[$(WarningId::$variant,)*];
            /// The stable id, as in `warning[id]`.
            pub const fn id(self) -> &'static str { match self { $(WarningId::$variant => $id,)* } }
            /// What it means.
            pub const fn meaning(self) -> &'static str { match self { $(WarningId::$variant => $meaning,)* } }
        }
    };
}

warnings! {
    Batch = "batch", "The server answered with a JSON-RPC array; arrays exist in protocol version 2025-03-26 only.";
    BlobEncoding = "blob-encoding", "A binary block or blob is not valid base64.";
    ContentType = "content-type", "The body is MCP, but its media type says something else.";
    ContentTypeUnknown = "content-type-unknown", "A content block has a type that no protocol version defines, or none.";
    CursorEmpty = "cursor-empty", "A list gave an empty nextCursor, and its page repeated the one before.";
    CursorLoop = "cursor-loop", "A list gave a nextCursor that it had given before, or never ended.";
    DuplicateKey = "duplicate-key", "A JSON object holds the same key twice.";
    DuplicateName = "duplicate-name", "Two entries of a list have the same name.";
    EndpointEncoded = "endpoint-encoded", "The endpoint event looks like a percent-encoded absolute URL; it was resolved as it stands.";
    EndpointOverride = "endpoint-override", "--message-url was used instead of the URL that the endpoint event gave.";
    Envelope = "envelope", "A JSON-RPC message has members that do not belong together, or lacks one, yet its meaning is clear.";
    ErrorCode = "error-code", "The code of a JSON-RPC error is not an integer.";
    GluedLine = "glued-line", "A message on stdout had other text in front of it on the same line.";
    HeaderOverride = "header-override", "A header given by the user replaces one that mcpcli sets itself.";
    IdNull = "id-null", "An error came without a usable id; it was taken for the answer to the only open request.";
    IdType = "id-type", "An answer's id has another JSON type than the request's.";
    InputSchema = "input-schema", "A tool's inputSchema cannot be used, so its arguments are neither typed nor checked.";
    Insecure = "insecure", "Certificates were not verified (--insecure).";
    JsonRpcVersion = "jsonrpc-version", "A message does not say \"jsonrpc\": \"2.0\".";
    ListEntry = "list-entry", "An entry of a list lacks what an entry must have.";
    ListUnavailable = "list-unavailable", "A list could not be had because the server does not offer it.";
    ListenRefused = "listen-refused", "The standing GET stream was refused with 401 or 403.";
    NotUtf8 = "not-utf8", "Bytes that are not UTF-8 were shown as U+FFFD.";
    OutputSchema = "output-schema", "structuredContent does not fit the tool's outputSchema, or is missing.";
    ProtocolVersion = "protocol-version", "A protocol version that is not a released one, or not the one that was asked for.";
    Redirect = "redirect", "The server redirected to another URL of the same origin.";
    ResourceContents = "resource-contents", "A resource's contents hold neither text nor blob, or both.";
    ResultShape = "result-shape", "A result does not have the shape that its method's result must have.";
    SessionRenewed = "session-renewed", "The server had lost the session; a new one was opened and the request sent again.";
    StdoutNoise = "stdout-noise", "A stdio server wrote something other than messages to its stdout.";
    StructuredType = "structured-type", "structuredContent is not a JSON object.";
    TransportFallback = "transport-fallback", "Streamable HTTP was refused; HTTP+SSE (2024-11-05) is in use.";
    UnmatchedResponse = "unmatched-response", "A response came that belongs to no open request.";
    UnterminatedEvent = "unterminated-event", "The event stream ended in the middle of an event; its data was used.";
}

impl WarningId {
    /// Whether the peer caused it, so that `--strict` counts it as a protocol violation.
    pub const fn is_deviation(self) -> bool {
        !matches!(
            self,
            WarningId::EndpointOverride
                | WarningId::HeaderOverride
                | WarningId::Insecure
                | WarningId::ListUnavailable
                | WarningId::ListenRefused
                | WarningId::Redirect
                | WarningId::SessionRenewed
                | WarningId::TransportFallback
        )
    }
}

/// A warning: its stable id and the sentence for this case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Which one.
    pub id: WarningId,
    /// What was seen; a server's words in it are not yet made safe for a terminal.
    pub message: String,
}

impl Warning {
    /// Makes a warning.
    pub fn new(id: WarningId, message: impl Into<String>) -> Warning {
        Warning { id, message: message.into() }
    }
}

/// How long one phase took.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTime {
    /// Which phase.
    pub phase: Phase,
    /// Wall time.
    pub took: Duration,
}

/// Which server was spoken to, as far as that became known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerFacts {
    /// The URL with secrets masked, or the command line.
    pub target: Option<String>,
    /// `http`, `sse` or `stdio`.
    pub transport: Option<&'static str>,
    /// The protocol version in use.
    pub protocol: Option<String>,
    /// `serverInfo.name`, untrusted.
    pub name: Option<String>,
    /// `serverInfo.version`, untrusted.
    pub version: Option<String>,
}

/// What is known of a run besides its result.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The server.
    pub server: ServerFacts,
    /// Warnings in the order they came.
    pub warnings: Vec<Warning>,
    /// Finished phases in order.
    pub phases: Vec<PhaseTime>,
}

/// The facts of a run while they are gathered; clones share one store.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Facts>>);

impl Ledger {
    /// Adds a warning, unless the very same one is there already.
    pub fn warn(&self, id: WarningId, message: impl Into<String>) {
        let warning = Warning::new(id, message);
        self.with(|facts| {
            if !facts.warnings.contains(&warning) {
                facts.warnings.push(warning);
            }
        });
    }

    /// Notes how long a phase took.
    pub fn took(&self, phase: Phase, took: Duration) {
        self.with(|facts| facts.phases.push(PhaseTime { phase, took }));
    }

    /// Changes the facts.
    pub fn with<T>(&self, change: impl FnOnce(&mut Facts) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A copy of what is known now.
    pub fn snapshot(&self) -> Facts {
        self.with(|facts| facts.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_unique() {
        let mut names: Vec<_> = Category::ALL.iter().map(|c| c.name()).collect();
        let mut codes: Vec<_> = Category::ALL.iter().map(|c| c.exit_code()).collect();
        names.sort_unstable();
        codes.dedup();
        names.dedup();
        assert_eq!((names.len(), codes.len()), (Category::ALL.len(), Category::ALL.len()));
        for category in Category::ALL {
            assert_eq!(Category::from_name(category.name()), Some(category));
        }
    }

    #[test]
    fn several_failures_rank_as_documented() {
        use Category::*;
        let order = [Auth, Transport, Timeout, Protocol, RpcError, ToolError, InputRequired, CheckFailed];
        assert!(order.windows(2).all(|pair| pair[0].rank() < pair[1].rank()));
    }

    #[test]
    fn warning_ids_are_sorted_and_unique() {
        let ids: Vec<_> = WarningId::ALL.iter().map(|w| w.id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    }
}
