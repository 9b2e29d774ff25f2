//! The transports: how messages travel. The trait that all three share, what they report, and how they fail.
//!
//! A transport moves texts and reports facts. It does not know what a method means, which answer belongs to which
//! question beyond the exchange it came on, or how anything is shown.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{Mutex, mpsc};

use crate::outcome::Ledger;
use crate::secret::Secret;
use crate::trace::Tracer;

mod error;
mod failure;
#[cfg(test)]
mod fake;
pub mod http;
mod net;
mod rpc;
pub mod sse;
pub mod stdio;

use error::signal_name;
pub use error::{AddressFailure, HttpFault, SpawnCause, StreamEnd, TransportError};

/// Which transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Streamable HTTP (2025-03-26 and later).
    Http,
    /// HTTP+SSE (2024-11-05).
    Sse,
    /// A child process, one message a line.
    Stdio,
}

impl Kind {
    /// The name in `--transport` and `--json`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Http => "http",
            Kind::Sse => "sse",
            Kind::Stdio => "stdio",
        }
    }

    /// The name in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Kind::Http => "Streamable HTTP",
            Kind::Sse => "HTTP+SSE",
            Kind::Stdio => "stdio",
        }
    }
}

/// An HTTP server to talk to.
#[derive(Debug, Clone)]
pub struct HttpEndpoint {
    /// The URL as the user gave it; userinfo and query are secret.
    pub url: url::Url,
    /// Headers the user gave, sent on every request to the origin of `url` and to no other.
    pub headers: Vec<(String, Secret)>,
    /// `--message-url`: where HTTP+SSE posts instead of the announced endpoint.
    pub message_url: Option<url::Url>,
}

/// A server program to start.
#[derive(Debug, Clone)]
pub struct StdioEndpoint {
    /// The program, looked up in `PATH` unless it holds a separator.
    pub program: String,
    /// Its arguments, untouched.
    pub args: Vec<String>,
    /// Variables added to the inherited environment.
    pub env: Vec<(String, Secret)>,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
}

/// Settings of the HTTP client.
#[derive(Debug, Clone)]
pub struct NetSettings {
    /// DNS, TCP and TLS together; `None` is no limit.
    pub connect_timeout: Option<Duration>,
    /// A PEM file of further roots.
    pub cacert: Option<PathBuf>,
    /// A PEM file with the client certificate, and its key unless `key` is given.
    pub cert: Option<PathBuf>,
    /// A PEM file with the client key.
    pub key: Option<PathBuf>,
    /// No verification of certificates.
    pub insecure: bool,
    /// A proxy URL that wins over the environment.
    pub proxy: Option<String>,
    /// The largest message, event or body that is taken in, in bytes.
    pub max_message_size: usize,
}

/// What every transport gets from its user.
#[derive(Clone)]
pub struct Context {
    /// Takes everything that crosses the border.
    pub tracer: Arc<Tracer>,
    /// Takes warnings.
    pub ledger: Ledger,
    /// The idle clock, for waits inside a transport (the endpoint event, the answer to a notification); `None` is no limit.
    pub timeout: Option<Duration>,
}

/// One message to put on the wire.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// The JSON text, without a line end.
    pub text: String,
    /// The method, for traces and errors; empty for an answer to the server.
    pub method: String,
    /// For a request: the number of its id. Its exchange is known by it.
    pub key: Option<u64>,
    /// Headers that mirror the body (2026-07-28); ignored by transports without headers.
    pub headers: Vec<(String, String)>,
    /// Whether the answer opens a session, so that an `Mcp-Session-Id` on it is taken
    /// (2025-03-26 to 2025-11-25 basic/transports §Session Management).
    pub opens_session: bool,
    /// Whether a broken event stream may be resumed by GET and `Last-Event-ID`. 2026-07-28 has no such thing: there a
    /// broken stream is a lost request (2026-07-28 basic/transports/streamable-http §Earlier Revisions).
    pub resumable: bool,
}

/// Where a message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// On the HTTP exchange of the request with this key.
    Exchange(u64),
    /// On a stream that all requests share: stdout, the HTTP+SSE stream, the standing GET stream.
    Shared,
}

/// What a transport reports.
#[derive(Debug)]
pub enum Event {
    /// The bytes of one message, or of what stands in its place.
    Message {
        /// As they came, without framing.
        bytes: Vec<u8>,
        /// Where.
        origin: Origin,
        /// The status of the HTTP answer that carried it; `None` outside of exchanges.
        http_status: Option<u16>,
    },
    /// The exchange of one request is over: no answer can come on it any more. A message that came before has been
    /// reported before. `None` is a clean end after at least one message; whether that was the answer is for the
    /// client to say.
    ExchangeOver {
        /// The key of the request.
        key: u64,
        /// How it ended.
        error: Option<TransportError>,
    },
    /// A sign of life that is no message: an SSE comment. It does not extend any deadline.
    KeepAlive,
    /// The standing stream is over and will not come back; why, in words. It is optional, so the connection stands.
    StandingOver(String),
    /// A line of the child's stderr, its secrets masked. Kept by the transport for its errors too.
    Stderr(String),
}

/// The receiving end of a transport.
///
/// It never says "nothing more" without a reason: [`Inbox::recv`] gives the error that closed the connection, each time.
pub struct Inbox {
    events: Mutex<mpsc::Receiver<Result<Event, TransportError>>>,
    closed: std::sync::Mutex<Option<Arc<TransportError>>>,
}

/// The sending side of an [`Inbox`], for transports. The queue is bounded, so a flood waits at the socket.
pub type EventSender = mpsc::Sender<Result<Event, TransportError>>;

impl Inbox {
    /// An inbox and the sender that fills it. An `Err` closes the connection for good.
    pub fn new() -> (EventSender, Inbox) {
        let (sender, receiver) = mpsc::channel(64);
        (sender, Inbox { events: Mutex::new(receiver), closed: std::sync::Mutex::new(None) })
    }

    /// The next event.
    ///
    /// # Errors
    /// Why the connection is gone; the same again at every later call.
    pub async fn recv(&self) -> Result<Event, Arc<TransportError>> {
        if let Some(error) = self.closed() {
            return Err(error);
        }
        let received = self.events.lock().await.recv().await;
        let error = match received {
            Some(Ok(event)) => return Ok(event),
            Some(Err(error)) => error,
            None => TransportError::Closed,
        };
        let error = Arc::new(error);
        *self.closed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Arc::clone(&error));
        Err(error)
    }

    /// Why the connection is gone, if it is.
    pub fn closed(&self) -> Option<Arc<TransportError>> {
        self.closed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// How the standing GET stream of Streamable HTTP came out.
#[derive(Debug)]
pub enum Listening {
    /// It stands.
    Open,
    /// The server refused it with this status, which is its right
    /// (2025-03-26 to 2025-11-25 basic/transports §Listening for Messages from the Server: 405).
    Refused(u16),
    /// It failed otherwise.
    Failed(TransportError),
    /// This transport has none.
    NotApplicable,
}

/// What has come on the exchange of a request so far: what a timeout can tell besides its own limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The status, once the head of the HTTP answer is there.
    pub status: Option<u16>,
    /// Messages that were reported.
    pub messages: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// SSE comments.
    pub keep_alives: u64,
    /// Reconnects to resume the stream.
    pub reconnects: u32,
    /// How many bytes of an event have come that is not finished, and the first 200 of them.
    pub unfinished: Option<(usize, String)>,
}

impl Seen {
    /// One phrase, such as `HTTP 200, then 3 keep-alives and no message`.
    pub fn words(&self) -> String {
        let Some(status) = self.status else { return "no HTTP answer yet".to_owned() };
        let count = |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
        let mut words = format!("HTTP {status}, then ");
        if self.keep_alives > 0 {
            words.push_str(&count(self.keep_alives, "keep-alive"));
            words.push_str(" and ");
        }
        match self.messages {
            0 => words.push_str("no message"),
            n => words.push_str(&count(n, "message")),
        }
        if self.reconnects > 0 {
            words.push_str(&format!(", after {}", count(self.reconnects.into(), "reconnect")));
        }
        if let Some((length, text)) = &self.unfinished {
            words.push_str(&format!("; an unterminated event of {length} bytes is pending: {text}"));
        }
        words
    }
}

/// A connection to a server.
pub trait Transport: Send + Sync {
    /// Which transport.
    fn kind(&self) -> Kind;

    /// Puts one message on the wire.
    ///
    /// A request (`key` is set) returns as soon as it is on its way; whatever comes of its exchange is an [`Event`].
    /// Anything else returns when the peer took it: a 2xx over HTTP (every 2xx counts, HTTP-01), a written line over stdio.
    ///
    /// # Errors
    /// Why it could not be sent or was refused.
    fn send<'a>(&'a self, message: Outgoing) -> BoxFuture<'a, Result<(), TransportError>>;

    /// Gives up the exchange of a request: its HTTP stream is closed and nothing more of it is reported.
    fn abandon(&self, key: u64);

    /// Sets the protocol version for the `MCP-Protocol-Version` header of all later requests (2025-06-18 and later).
    fn set_protocol_version(&self, version: &str);

    /// Forgets the session, so that a new `initialize` can be sent (404 on a session).
    fn forget_session(&self);

    /// Whether a session is open, so that a 404 may mean that the server lost it.
    fn has_session(&self) -> bool {
        false
    }

    /// Whether a peer was ever reached; `false` while the first connection is still being made.
    fn reached(&self) -> bool {
        true
    }

    /// What has come on the exchange of a request, as long as it is open; `None` where requests have no exchange of
    /// their own.
    fn seen(&self, _key: u64) -> Option<Seen> {
        None
    }

    /// What has come of a message that is not finished, on a transport that all requests share: its size in bytes so far, and
    /// how it begins.
    fn pending(&self) -> Option<(usize, String)> {
        None
    }

    /// Opens the standing stream on which a legacy server sends on its own, and returns when it stands or was refused.
    fn listen<'a>(&'a self) -> BoxFuture<'a, Listening>;

    /// Ends the session: DELETE over Streamable HTTP (best effort, at most one second), the shutdown ladder over stdio
    /// (close stdin, wait, SIGTERM to the group, wait, SIGKILL; at most three seconds). Never fails; what happened is traced.
    fn close<'a>(&'a self) -> BoxFuture<'a, ()>;
}

/// A transport that is open, and where its events come out.
pub struct Opened {
    /// The sending side.
    pub transport: Arc<dyn Transport>,
    /// The receiving side.
    pub inbox: Inbox,
}
