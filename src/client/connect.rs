//! From a target to a conversation: which transport is tried, in which order, and what came of each attempt.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::era::{self, Era};
use super::error::{ClientError, Fault};
use super::peer::{Peer, guard};
use super::{Client, Options, Target};
use crate::outcome::{Failure, Ledger, Phase};
use crate::schema::shell_word;
use crate::trace::Tracer;
use crate::transport::{self, Context, HttpEndpoint, Kind, Opened, TransportError};
use crate::wire::{RawJson, json};

/// What came of beginning a conversation, as far as it came.
#[derive(Debug, Default)]
pub struct Handshake {
    /// The protocol version that was asked for.
    pub requested: Option<String>,
    /// The one that the server named.
    pub version: Option<String>,
    /// The `initialize` result as it came.
    pub result: Option<RawJson>,
    /// What mcpcli declared.
    pub client_capabilities: Option<Box<RawValue>>,
    /// Whether the server opened a session.
    pub session: bool,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
}

/// One attempt to reach the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What was tried.
    pub what: String,
    /// What came of it.
    pub outcome: String,
}

impl Handshake {
    fn info(&self, member: &str) -> Option<String> {
        let info = self.result.as_ref().and_then(|result| json::member(result, "serverInfo"))?;
        json::member(&info, member).and_then(|raw| json::string(&raw))
    }

    /// `serverInfo.name`, or a stand-in.
    pub fn server_name(&self) -> String {
        self.info("name").unwrap_or_else(|| "the server".to_owned())
    }

    /// Whether the server advertises this capability.
    pub fn offers(&self, capability: &str) -> bool {
        let capabilities = self.result.as_ref().and_then(|result| json::member(result, "capabilities"));
        capabilities.and_then(|all| json::member(&all, capability)).is_some_and(|raw| !json::is_null(&raw))
    }
}

/// What every attempt needs.
pub(super) struct Dialer<'a> {
    /// How to speak.
    pub options: &'a Options,
    /// Takes what crosses the border.
    pub tracer: &'a Arc<Tracer>,
    /// Takes warnings and timing.
    pub ledger: &'a Ledger,
}

impl Client {
    /// Opens a connection and begins the conversation. `handshake` holds what came of it, also on failure.
    ///
    /// # Errors
    /// What failed first; further attempts stand in [`Failure::also`].
    pub async fn connect(
        target: &Target,
        options: &Options,
        tracer: &Arc<Tracer>,
        ledger: &Ledger,
        handshake: &mut Handshake,
    ) -> Result<Client, Failure> {
        let dialer = Dialer { options, tracer, ledger };
        let shown = shown(target, tracer);
        ledger.with(|facts| facts.server.target = Some(shown));
        let begun = match target {
            Target::Stdio(_) => dialer.attempt(Kind::Stdio, target, handshake).await,
            Target::Http(Some(kind), _) => dialer.attempt(*kind, target, handshake).await,
            Target::Http(None, _) => return dialer.find_out(target, handshake).await,
        };
        begun.map_err(|error| error.to_failure())
    }
}

impl Dialer<'_> {
    /// Streamable HTTP, then HTTP+SSE if the server refused the POST in a way that such a server would
    /// (2025-03-26 to 2025-11-25 basic/transports §Backwards Compatibility).
    async fn find_out(&self, target: &Target, handshake: &mut Handshake) -> Result<Client, Failure> {
        let first = match self.attempt(Kind::Http, target, handshake).await {
            Ok(client) => return Ok(client),
            Err(error) if may_fall_back(&error) => error,
            Err(error) => return Err(error.to_failure()),
        };
        self.tracer.note(format!("Streamable HTTP was refused ({}); trying HTTP+SSE of 2024-11-05", first.fault));
        match self.attempt(Kind::Sse, target, handshake).await {
            Ok(client) => Ok(client),
            Err(second) => {
                self.ledger.with(|facts| facts.server.transport = Some(Kind::Http.name()));
                let mut failure = first.to_failure();
                failure.also.push(second.to_failure());
                Err(failure)
            }
        }
    }

    async fn attempt(&self, kind: Kind, target: &Target, handshake: &mut Handshake) -> Result<Client, ClientError> {
        self.ledger.with(|facts| facts.server.transport = Some(kind.name()));
        let result = self.begin(kind, target, handshake).await;
        let outcome = match &result {
            Ok(client) => format!("protocol version {}", client.version()),
            Err(error) => error.fault.to_string(),
        };
        self.tracer.note(format!("{}: {outcome}", kind.title()));
        handshake.attempts.push(Attempt { what: kind.title().to_owned(), outcome });
        result
    }

    async fn begin(&self, kind: Kind, target: &Target, handshake: &mut Handshake) -> Result<Client, ClientError> {
        let opened = self.open(kind, target).await?;
        let peer = Arc::new(Peer::start(opened, self.options.clone(), Arc::clone(self.tracer), self.ledger.clone()));
        let begun = self.introduce(&peer, handshake).await;
        match begun {
            Ok(era) => Ok(Client::new(peer, era, self, handshake)),
            Err(error) => {
                peer.tell_noise();
                peer.close().await;
                Err(error)
            }
        }
    }

    /// The handshake, and what it says about the server.
    pub(super) async fn introduce(&self, peer: &Peer, handshake: &mut Handshake) -> Result<Era, ClientError> {
        let begun = era::begin(peer, self.options, self.ledger, handshake).await;
        handshake.session = peer.transport().has_session();
        self.ledger.with(|facts| {
            facts.server.protocol.clone_from(&handshake.version);
            facts.server.name = handshake.info("name");
            facts.server.version = handshake.info("version");
        });
        begun
    }

    async fn open(&self, kind: Kind, target: &Target) -> Result<Opened, ClientError> {
        let context =
            Context { tracer: Arc::clone(self.tracer), ledger: self.ledger.clone(), timeout: self.options.timeout };
        let net = &self.options.net;
        let limit = net.max_message_size;
        let work = async {
            match target {
                Target::Stdio(endpoint) => transport::stdio::open(endpoint.clone(), limit, context).await,
                Target::Http(_, endpoint) => open_http(kind, endpoint, net, context).await,
            }
        };
        // HTTP+SSE waits for its endpoint event here, under a clock of its own that knows what it saw meanwhile.
        let opened = match kind {
            Kind::Sse => guard(&Options { timeout: None, ..self.options.clone() }, Phase::Endpoint, work).await?,
            Kind::Http | Kind::Stdio => guard(self.options, Phase::Connect, work).await?,
        };
        let phase = if kind == Kind::Sse { Phase::Endpoint } else { Phase::Connect };
        opened.map_err(|error| ClientError { phase, fault: Fault::Transport(Arc::new(error)) })
    }
}

async fn open_http(
    kind: Kind,
    endpoint: &HttpEndpoint,
    net: &transport::NetSettings,
    context: Context,
) -> Result<Opened, TransportError> {
    match kind {
        Kind::Sse => transport::sse::open(endpoint.clone(), net, context).await,
        Kind::Http | Kind::Stdio => transport::http::open(endpoint.clone(), net, context).await,
    }
}

/// Whether an answer to the POST of `initialize` is one that a server of HTTP+SSE gives. 401, 403 and 5xx say
/// nothing about the transport, and an error for our very request comes from a server that understood it (HTTP-14).
fn may_fall_back(error: &ClientError) -> bool {
    if error.phase != Phase::Initialize {
        return false;
    }
    match &error.fault {
        Fault::Transport(error) => matches!(error.http_status(), Some(400 | 404 | 405)),
        Fault::Rpc { http_status: Some(404 | 405), own_id, .. } => !own_id,
        _ => false,
    }
}

fn shown(target: &Target, tracer: &Tracer) -> String {
    match target {
        Target::Http(_, endpoint) => {
            let shown = tracer.redactor().url(&endpoint.url);
            tracer.redactor().mask(&shown).into_owned()
        }
        Target::Stdio(endpoint) => {
            let words = std::iter::once(&endpoint.program).chain(&endpoint.args).map(|word| shell_word(word));
            tracer.redactor().mask(&words.collect::<Vec<_>>().join(" ")).into_owned()
        }
    }
}
