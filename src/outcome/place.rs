//! Where a failure happened: the reason inside its category, and the phase.

use std::fmt;

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
