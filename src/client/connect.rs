//! From a target to a conversation: which transport is tried, in which order, and what came of each attempt. Which era is
//! spoken on it is found out in `negotiate.rs`.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::era::{self, Modern, Opening, SERVER_INFO};
use super::error::{ClientError, Fault};
use super::memory::Learned;
use super::peer::{Peer, guard};
use super::{Client, Options, Protocol, Target, evidence};
use crate::outcome::{Failure, Ledger, Phase, Reason};
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
    /// `legacy` or `modern`, once it is known.
    pub era: Option<&'static str>,
    /// The versions that the server says it speaks, where it says so.
    pub offered: Vec<String>,
    /// Whether the era was remembered from an earlier run.
    pub remembered: bool,
    /// The `initialize` or `server/discover` result as it came.
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
    /// A member of what the server says of itself.
    pub(super) fn info(&self, member: &str) -> Option<String> {
        let info = server_info(self.result.as_ref()?)?;
        json::member(&info, member).and_then(|raw| json::string(&raw))
    }

    /// Takes a `server/discover` result that was asked for after the conversation had begun.
    pub fn discovered(&mut self, result: RawJson) {
        self.offered = json::member(&result, "supportedVersions").map(|raw| era::strings(&raw)).unwrap_or_default();
        self.result = Some(result);
    }

    /// What requests of the modern era say of the client.
    pub(super) fn declare(&mut self, modern: &Modern) {
        self.requested = Some(modern.version.clone());
        self.client_capabilities = RawValue::from_string(modern.capabilities.to_string()).ok();
    }

    /// `serverInfo.name`, or a stand-in.
    pub fn server_name(&self) -> String {
        self.info("name").unwrap_or_else(|| "the server".to_owned())
    }

    /// Whether the server advertises this capability.
    pub fn offers(&self, capability: &str) -> bool {
        let capabilities = self.result.as_ref().and_then(|result| json::member(result, "capabilities"));
        capabilities
            .and_then(|all| json::member(&all, capability))
            .is_some_and(|raw| !json::is_null(&raw) && json::boolean(&raw) != Some(false))
    }
}

/// What a server says of itself: a member of the `initialize` result, since 2026-07-28 in `_meta` of every result.
pub(super) fn server_info(result: &RawJson) -> Option<RawJson> {
    let meta = || json::member(result, "_meta").and_then(|meta| json::member(&meta, SERVER_INFO));
    json::member(result, "serverInfo").or_else(meta)
}

/// What every attempt needs.
#[derive(Clone, Copy)]
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
        if let Some(failure) = impossible(target, options) {
            return Err(failure);
        }
        let mut client = dialer.reach_again(target, handshake).await?;
        client.target = (options.retries > 0).then(|| target.clone());
        Ok(client)
    }
}

/// A failure of `initialize` that followed a probe, with what the probe brought: the one does not explain itself without the
/// other. Where `initialize` was not even known, the server is of neither era, or its `server/discover` is broken.
fn after_a_probe(mut failure: Failure, handshake: &Handshake) -> Failure {
    let probes = handshake.attempts.iter().filter(|attempt| attempt.what.starts_with("server/discover"));
    let probes: Vec<String> = probes.map(|attempt| format!("{}: {}", attempt.what, attempt.outcome)).collect();
    if probes.is_empty() || failure.phase != Phase::Initialize {
        return failure;
    }
    let code = failure.rpc.as_ref().map(|rpc| rpc.code.as_str());
    if matches!(code, Some("-32601" | "-32022")) {
        let hint =
            "neither server/discover nor initialize has a usable answer: is its server/discover in order? -vv shows it";
        failure.hint = Some(hint.to_owned());
    }
    failure.with_evidence("before", probes.join("\n"))
}

/// What cannot go together: HTTP+SSE exists in 2024-11-05 only.
fn impossible(target: &Target, options: &Options) -> Option<Failure> {
    let Target::Http(Some(Kind::Sse), _) = target else { return None };
    let modern = match &options.protocol {
        Protocol::Modern => true,
        Protocol::Version(version) => version.as_str() >= era::MODERN[0],
        Protocol::Auto | Protocol::Legacy => false,
    };
    let message = "HTTP+SSE is a transport of 2024-11-05; 2026-07-28 is spoken over Streamable HTTP and stdio";
    modern.then(|| Failure::usage(Reason::CommandLine, message).with_hint("use --transport http, or --protocol legacy"))
}

impl Dialer<'_> {
    /// What is remembered of the server, as long as it holds; else what is found out.
    pub(super) async fn reach(&self, target: &Target, handshake: &mut Handshake) -> Result<Client, Failure> {
        if let Some(learned) = self.recall(target) {
            match self.remembered(&learned, target, handshake).await {
                Ok(client) => return Ok(client),
                Err(error) if !evidence::is_refusal(&error) => return Err(error.to_failure()),
                Err(error) => {
                    let note =
                        format!("what was remembered does not hold any more ({}); finding out anew", error.fault);
                    self.tracer.note(note);
                    self.forget(target);
                    handshake.remembered = false;
                }
            }
        }
        self.find_out(target, handshake).await
    }

    /// The transports that may be meant, and the era on each. Streamable HTTP, then HTTP+SSE if the server refused the POST
    /// in a way that such a server would (2025-03-26 to 2026-07-28 basic/transports §Backwards Compatibility).
    pub(super) async fn find_out(&self, target: &Target, handshake: &mut Handshake) -> Result<Client, Failure> {
        let kinds = match target {
            Target::Stdio(_) => (Kind::Stdio, None),
            Target::Http(Some(kind), _) => (*kind, None),
            Target::Http(None, _) => (Kind::Http, Some(Kind::Sse)),
        };
        let opening = era::opening(&self.options.protocol, kinds.0);
        let mark = self.ledger.mark();
        let first = match self.attempt(kinds.0, target, &opening, handshake).await {
            Ok(client) => return Ok(client),
            Err(error) => error,
        };
        let Some(second) = kinds.1.filter(|_| may_fall_back(&first)) else {
            return Err(after_a_probe(first.to_failure(), handshake));
        };
        self.tracer.note(format!("Streamable HTTP was refused ({}); trying HTTP+SSE of 2024-11-05", first.fault));
        let refusal = self.ledger.withdraw(mark);
        match self.attempt(second, target, &Opening::Initialize, handshake).await {
            Ok(client) => {
                // How a server of HTTP+SSE words its refusal of a POST is no deviation (HTTP-14).
                for warning in refusal {
                    self.tracer.note(format!("in the refusal of Streamable HTTP: {}", warning.message));
                }
                Ok(client)
            }
            Err(second) => {
                refusal.into_iter().for_each(|warning| self.ledger.warn(warning.id, warning.message));
                self.ledger.with(|facts| facts.server.transport = Some(Kind::Http.name()));
                let mut failure = after_a_probe(first.to_failure(), handshake);
                failure.also.push(second.to_failure());
                Err(failure)
            }
        }
    }

    /// One transport. What it brings out about an HTTP server is kept for the next time.
    async fn attempt(
        &self,
        kind: Kind,
        target: &Target,
        opening: &Opening,
        handshake: &mut Handshake,
    ) -> Result<Client, ClientError> {
        let mut begun = self.begin(kind, target, opening, handshake).await;
        if let (Kind::Stdio, Opening::Probe { fall_back: true }, Err(error)) = (kind, opening, &begun)
            && evidence::ended_by_probe(error)
        {
            // Programs exist that end at the first request that is not `initialize` (2026-07-28 basic/transports/stdio
            // §Backward Compatibility: any other outcome of the probe means an older server).
            self.tracer.note("the program ended at server/discover; starting it again for initialize");
            begun = self.begin(kind, target, &Opening::Initialize, handshake).await;
        }
        if begun.is_ok() && !matches!(opening, Opening::Presume(_)) {
            self.learn(target, kind, handshake);
        }
        begun
    }

    /// The era and transport that an earlier run found out.
    async fn remembered(
        &self,
        learned: &Learned,
        target: &Target,
        handshake: &mut Handshake,
    ) -> Result<Client, ClientError> {
        handshake.remembered = true;
        let kind = if learned.sse { Kind::Sse } else { Kind::Http };
        let opening = match &learned.modern {
            Some(version) => Opening::Presume(version.clone()),
            None => Opening::Initialize,
        };
        let what = learned.modern.as_deref().unwrap_or("initialize");
        self.tried(handshake, kind, what, "remembered from an earlier run; --no-cache finds out anew".to_owned());
        let mut client = self.begin(kind, target, &opening, handshake).await?;
        if learned.modern.is_some() {
            client.on_trust(target.clone());
        }
        Ok(client)
    }

    async fn begin(
        &self,
        kind: Kind,
        target: &Target,
        opening: &Opening,
        handshake: &mut Handshake,
    ) -> Result<Client, ClientError> {
        self.ledger.with(|facts| facts.server.transport = Some(kind.name()));
        let opened = match self.open(kind, target).await {
            Ok(opened) => opened,
            Err(error) => {
                self.tried(handshake, kind, "connecting", error.fault.to_string());
                return Err(error);
            }
        };
        let peer = Arc::new(Peer::start(opened, self.options.clone(), Arc::clone(self.tracer), self.ledger.clone()));
        match self.introduce(&peer, opening, handshake).await {
            Ok(era) => Ok(Client::new(peer, era, *self, handshake)),
            Err(error) => {
                peer.tell_noise();
                peer.close().await;
                Err(error)
            }
        }
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
