//! The operations of the protocol, one method each, and the renewal of a lost session.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinHandle;

use super::connect::{Dialer, Handshake};
use super::era::{self, Era};
use super::error::{ClientError, Fault};
use super::peer::{Answer, Draft, Peer};
use super::state::Unanswered;
use super::{Options, Protocol};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::trace::Tracer;
use crate::transport::Kind;
use crate::wire::{RawJson, json, jsonrpc};

/// A conversation with a server that has begun.
pub struct Client {
    peer: Arc<Peer>,
    era: Mutex<Era>,
    options: Options,
    tracer: Arc<Tracer>,
    ledger: Ledger,
    capabilities: Option<RawJson>,
    listening: Option<JoinHandle<()>>,
}

/// The parameters of an operation, as name and JSON text.
type Members<'a> = &'a [(&'a str, String)];

impl Client {
    pub(super) fn new(peer: Arc<Peer>, era: Era, dialer: &Dialer<'_>, handshake: &Handshake) -> Client {
        let listening = Some(spawn_listening(&peer, dialer.ledger));
        let capabilities = handshake.result.as_ref().and_then(|result| json::member(result, "capabilities"));
        Client {
            peer,
            era: Mutex::new(era),
            options: dialer.options.clone(),
            tracer: Arc::clone(dialer.tracer),
            ledger: dialer.ledger.clone(),
            capabilities,
            listening,
        }
    }

    /// The protocol version in use.
    pub fn version(&self) -> String {
        self.era().version().to_owned()
    }

    /// The era in use.
    pub fn era(&self) -> Era {
        self.era.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Which transport carries it.
    pub fn kind(&self) -> Kind {
        self.peer.kind()
    }

    /// Whether the server advertises this capability.
    pub fn offers(&self, capability: &str) -> bool {
        let capability = self.capabilities.as_ref().and_then(|all| json::member(all, capability));
        capability.is_some_and(|raw| !json::is_null(&raw))
    }

    /// Questions of the server that could not be answered so far.
    pub fn unanswered(&self) -> Vec<Unanswered> {
        self.peer.unanswered()
    }

    /// `tools/call`. `arguments` is the JSON text of an object.
    ///
    /// # Errors
    /// Everything but a result; a result with `isError` is a result.
    pub async fn call_tool(&mut self, name: &str, arguments: &str) -> Result<Answer, ClientError> {
        self.wait_for_listening().await?;
        let members = call_members(name, arguments);
        self.request("tools/call", &members, true).await
    }

    /// `resources/read`.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn read_resource(&mut self, uri: &str) -> Result<Answer, ClientError> {
        self.request("resources/read", &[("uri", json::quote(uri))], true).await
    }

    /// `prompts/get`. `arguments` is the JSON text of an object of strings.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn get_prompt(&mut self, name: &str, arguments: &str) -> Result<Answer, ClientError> {
        self.request("prompts/get", &prompt_members(name, arguments), true).await
    }

    /// `completion/complete`. The three texts are JSON; `context` came with 2025-06-18.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn complete(
        &mut self,
        reference: &str,
        argument: &str,
        context: Option<&str>,
    ) -> Result<Answer, ClientError> {
        let mut members = vec![("ref", reference.to_owned()), ("argument", argument.to_owned())];
        members.extend(context.map(|context| ("context", context.to_owned())));
        self.request("completion/complete", &members, false).await
    }

    /// `ping`.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn ping(&mut self) -> Result<Answer, ClientError> {
        self.request("ping", &[], false).await
    }

    /// Any method with params as they stand.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn raw(&mut self, method: &str, params: Option<&str>) -> Result<Answer, ClientError> {
        self.wait_for_listening().await?;
        let draft = |era: &Era, _| era.raw_draft(method, params);
        self.renewing(&draft).await
    }

    /// A request of an operation, with the session renewed once if the server has lost it.
    pub(super) async fn request(
        &mut self,
        method: &str,
        members: Members<'_>,
        progress: bool,
    ) -> Result<Answer, ClientError> {
        let draft = |era: &Era, id: u64| era.draft(method, members, progress.then_some(id));
        self.renewing(&draft).await
    }

    async fn renewing(&mut self, draft: &(dyn Fn(&Era, u64) -> Draft + Sync)) -> Result<Answer, ClientError> {
        let had_session = self.peer.transport().has_session();
        let lost = match self.once(draft).await {
            Err(error) if had_session && error.session_is_gone() => error,
            other => return other,
        };
        // 404 proves that the request was not executed, so that even a call may be sent again
        // (2025-03-26 to 2025-11-25 basic/transports §Session Management: MUST start a new session).
        self.tracer.note(format!("the server has lost the session ({}); opening a new one", lost.fault));
        self.renew().await?;
        let message = "the server had lost the session (HTTP 404); a new one was opened and the request sent again";
        self.ledger.warn(WarningId::SessionRenewed, message);
        match self.once(draft).await {
            Err(error) if error.session_is_gone() => {
                let fault = Fault::SessionLost(Box::new(error.fault));
                Err(ClientError { phase: error.phase, fault })
            }
            other => other,
        }
    }

    async fn once(&self, draft: &(dyn Fn(&Era, u64) -> Draft + Sync)) -> Result<Answer, ClientError> {
        let id = self.peer.reserve_id();
        let draft = draft(&self.era(), id);
        self.peer.request(id, draft).await
    }

    async fn renew(&mut self) -> Result<(), ClientError> {
        if let Some(listening) = self.listening.take() {
            listening.abort();
        }
        self.peer.transport().forget_session();
        let dialer = Dialer { options: &self.options, tracer: &self.tracer, ledger: &self.ledger };
        let mut handshake = Handshake::default();
        let era = dialer.introduce(&self.peer, &mut handshake).await?;
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = era;
        self.listening = Some(spawn_listening(&self.peer, &self.ledger));
        self.wait_for_listening().await
    }

    /// A server may ask on the standing stream only. Where something was declared that it may ask for, that stream
    /// must stand, or be refused, before the request that makes it ask.
    async fn wait_for_listening(&mut self) -> Result<(), ClientError> {
        let declares = match &self.options.client_capabilities {
            Some(exactly) => json::compact(exactly.get()) != "{}",
            None => self.options.host.capabilities() != "{}",
        };
        if !declares {
            return Ok(());
        }
        let Some(listening) = self.listening.take() else { return Ok(()) };
        // A task that was aborted or panicked has nothing to say that the request would not say better.
        super::peer::guard(&self.options, Phase::Initialized, listening).await.map(|_| ())
    }

    /// Ends the session in order: DELETE, or the shutdown of the child.
    pub async fn close(self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
        self.peer.close().await;
    }

    /// Tells of lines on stdout that were no messages. To be called when the command is done.
    pub fn tell_noise(&self) {
        self.peer.tell_noise();
    }
}

fn spawn_listening(peer: &Arc<Peer>, ledger: &Ledger) -> JoinHandle<()> {
    let (peer, ledger) = (Arc::clone(peer), ledger.clone());
    tokio::spawn(async move {
        // The stream is optional; a request tells better than it what is wrong with the server.
        let _ = era::listen(&peer, &ledger).await;
    })
}

fn call_members(name: &str, arguments: &str) -> [(&'static str, String); 2] {
    [("name", json::quote(name)), ("arguments", arguments.to_owned())]
}

fn prompt_members(name: &str, arguments: &str) -> Vec<(&'static str, String)> {
    let mut members = vec![("name", json::quote(name))];
    if arguments != "{}" {
        members.push(("arguments", arguments.to_owned()));
    }
    members
}

/// The message that [`Client::call_tool`] would send, for `--dry-run`. The id is the one that it would have.
pub fn preview_call(protocol: &Protocol, name: &str, arguments: &str) -> String {
    preview(protocol, "tools/call", &call_members(name, arguments))
}

/// The message that [`Client::get_prompt`] would send.
pub fn preview_prompt(protocol: &Protocol, name: &str, arguments: &str) -> String {
    preview(protocol, "prompts/get", &prompt_members(name, arguments))
}

fn preview(protocol: &Protocol, method: &str, members: Members<'_>) -> String {
    let draft = era::presumed(protocol).draft(method, members, Some(1));
    jsonrpc::request(1, &draft.method, draft.params.as_deref())
}

/// The message that [`Client::raw`] would send.
pub fn preview_raw(protocol: &Protocol, method: &str, params: Option<&str>) -> String {
    let draft = era::presumed(protocol).raw_draft(method, params);
    jsonrpc::request(1, &draft.method, draft.params.as_deref())
}

/// An answer that breaks a rule of MCP so that it cannot be used.
pub(super) fn violation(method: &str, message: impl Into<String>, evidence: &RawJson) -> ClientError {
    ClientError {
        phase: Phase::of_method(method),
        fault: Fault::Violation {
            reason: Reason::ResultShape,
            message: message.into(),
            evidence: Some(json::compact(evidence.get())),
            hint: None,
        },
    }
}

impl Client {
    /// Where warnings go.
    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How many pages of a list are read at most.
    pub(super) fn max_pages(&self) -> usize {
        self.options.max_pages
    }
}
