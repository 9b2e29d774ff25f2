//! The operations of the protocol, one method each, and the renewal of what was lost: a session, or the certainty about what
//! the server speaks.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;

use tokio::task::JoinHandle;

use super::connect::{Dialer, Handshake, server_info};
use super::era::{self, Era, MODERN, Modern, Opening, Shape};
use super::error::{ClientError, Fault};
use super::peer::{Answer, Draft, Peer};
use super::state::Unanswered;
use super::{Options, Protocol, Target, negotiate};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::trace::Tracer;
use crate::transport::{Kind, Listening};
use crate::wire::{RawJson, json, jsonrpc};

/// A conversation with a server that has begun.
pub struct Client {
    peer: Arc<Peer>,
    era: Mutex<Era>,
    options: Options,
    tracer: Arc<Tracer>,
    ledger: Ledger,
    capabilities: Option<RawJson>,
    listening: Option<JoinHandle<Result<Listening, ClientError>>>,
    /// The target of a conversation whose era is only remembered; `None` once an answer has confirmed it.
    on_trust: Option<Target>,
    /// Whether the version was changed because the server asked for another one, which it may do once.
    version_changed: bool,
}

/// The parameters of an operation, as name and JSON text.
type Members<'a> = &'a [(&'a str, String)];

impl Client {
    pub(super) fn new(peer: Arc<Peer>, era: Era, dialer: Dialer<'_>, handshake: &Handshake) -> Client {
        let listening = era.server_may_ask().then(|| spawn_listening(&peer, dialer.ledger));
        let capabilities = handshake.result.as_ref().and_then(|result| json::member(result, "capabilities"));
        Client {
            peer,
            era: Mutex::new(era),
            options: dialer.options.clone(),
            tracer: Arc::clone(dialer.tracer),
            ledger: dialer.ledger.clone(),
            capabilities,
            listening,
            on_trust: None,
            version_changed: false,
        }
    }

    /// Says that the era is only remembered: if the first request is refused unheard, it is found out anew.
    pub(super) fn on_trust(&mut self, target: Target) {
        self.on_trust = Some(target);
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

    /// Whether the server advertises this capability. As long as nobody has asked it, it may.
    pub fn offers(&self, capability: &str) -> bool {
        let Some(all) = &self.capabilities else { return true };
        json::member(all, capability).is_some_and(|raw| !json::is_null(&raw))
    }

    /// A member of an advertised capability, as `resources` and `subscribe`.
    pub fn offers_in(&self, pointer: &str) -> bool {
        let found = self.capabilities.as_ref().and_then(|all| json::pointer(all, pointer));
        found.is_some_and(|raw| json::boolean(&raw) != Some(false) && !json::is_null(&raw))
    }

    /// Asks the server what it can do, unless it has said so.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn know_capabilities(&mut self) -> Result<(), ClientError> {
        if self.capabilities.is_none() && !self.era().server_may_ask() {
            self.discover().await?;
        }
        Ok(())
    }

    /// `server/discover`.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn discover(&mut self) -> Result<Answer, ClientError> {
        let answer = self.request("server/discover", &[], false).await?;
        let none = || RawValue::from_string("{}".to_owned()).ok();
        self.capabilities = json::member(&answer.result, "capabilities").or_else(none);
        Ok(answer)
    }

    /// Questions of the server that could not be answered so far.
    pub fn unanswered(&self) -> Vec<Unanswered> {
        self.peer.unanswered()
    }

    /// `tools/call`. `arguments` is the JSON text of an object; `schema` the tool's `inputSchema`, which may want arguments
    /// mirrored in headers; `more` further members of the params.
    ///
    /// # Errors
    /// Everything but a result; a result with `isError` is a result.
    pub async fn call_tool(
        &mut self,
        name: &str,
        arguments: &str,
        schema: Option<&RawValue>,
        more: Members<'_>,
    ) -> Result<Answer, ClientError> {
        self.wait_for_listening().await?;
        let called = self.called(name, arguments, schema, more).await;
        let Err(error) = &called else { return called };
        if schema.is_some() || !negotiate::is_header_mismatch(error) {
            return called;
        }
        // Sent without knowing the schema, and refused for its headers: "SHOULD re-run tools/list, then retry"
        // (2026-07-28 basic/transports/streamable-http §Custom Headers). It did not run, and once is enough.
        let wanted =
            |entry: &RawJson| json::member(entry, "name").and_then(|raw| json::string(&raw)).as_deref() == Some(name);
        let pages = self.list("tools/list", "tools", |entries| entries.iter().any(wanted)).await;
        let schema =
            pages.entries.iter().find(|entry| wanted(entry)).and_then(|tool| json::member(tool, "inputSchema"));
        let Some(schema) = schema else { return called };
        self.tracer.note(format!("{name} wants arguments mirrored in headers; calling it again with them"));
        self.called(name, arguments, Some(&schema), more).await
    }

    async fn called(
        &mut self,
        name: &str,
        arguments: &str,
        schema: Option<&RawValue>,
        more: Members<'_>,
    ) -> Result<Answer, ClientError> {
        let mut members = call_members(name, arguments).to_vec();
        members.extend(more.iter().cloned());
        let kind = self.kind();
        let draft = |era: &Era, members: &[(&str, String)], id: u64| {
            let mut draft = era.draft("tools/call", members, Some(id));
            // What cannot be mirrored was refused before; without it the server says what it misses.
            draft.headers.extend(era.mirrored(schema, arguments, kind).unwrap_or_default());
            draft
        };
        self.in_rounds("tools/call", &members, &draft).await
    }

    /// `resources/read`.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn read_resource(&mut self, uri: &str) -> Result<Answer, ClientError> {
        self.asking("resources/read", &[("uri", json::quote(uri))]).await
    }

    /// `prompts/get`. `arguments` is the JSON text of an object of strings.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn get_prompt(&mut self, name: &str, arguments: &str) -> Result<Answer, ClientError> {
        self.asking("prompts/get", &prompt_members(name, arguments)).await
    }

    async fn asking(&mut self, method: &str, members: Members<'_>) -> Result<Answer, ClientError> {
        let draft = |era: &Era, members: &[(&str, String)], id: u64| era.draft(method, members, Some(id));
        self.in_rounds(method, members, &draft).await
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

    /// Asks for a sign of life, by whatever the era has for it; the method stands beside the answer.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn ping(&mut self) -> Result<(&'static str, Answer), ClientError> {
        let method = self.era().sign_of_life();
        self.request(method, &[], false).await.map(|answer| (method, answer))
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

    /// What a result of a raw request is.
    ///
    /// # Errors
    /// It is invalid by its `resultType`.
    pub fn shape(&self, method: &str, result: &RawJson) -> Result<Shape, ClientError> {
        self.era().shape(method, result, &self.ledger)
    }

    /// A request whose result cannot ask for anything.
    pub(super) async fn request(
        &mut self,
        method: &str,
        members: Members<'_>,
        progress: bool,
    ) -> Result<Answer, ClientError> {
        let draft = |era: &Era, id: u64| era.draft(method, members, progress.then_some(id));
        let answer = self.renewing(&draft).await?;
        self.shape(method, &answer.result)?;
        Ok(answer)
    }

    /// Sends a request, and once more where the failure says that the server did not hear it: another version is asked for,
    /// the era was remembered wrongly, or the session is lost.
    pub(super) async fn renewing(
        &mut self,
        draft: &(dyn Fn(&Era, u64) -> Draft + Sync),
    ) -> Result<Answer, ClientError> {
        let had_session = self.peer.transport().has_session();
        let first = self.once(draft).await;
        let trusted = self.on_trust.take();
        let lost = match first {
            Err(error) if trusted.as_ref().is_some_and(|_| negotiate::refused_unheard(&error)) => {
                let Some(target) = trusted else { return Err(error) };
                self.find_out_anew(&target, &error).await?;
                return self.once(draft).await;
            }
            Err(error) => match self.other_version(&error) {
                Some(version) => {
                    self.tracer.note(format!("{}; asking again in {}", error.fault, version.version));
                    self.set_era(Era::Modern(version));
                    return self.once(draft).await;
                }
                None if had_session && error.session_is_gone() => error,
                None => return Err(error),
            },
            Ok(answer) => return Ok(answer),
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
        let answer = self.peer.request(id, draft).await?;
        self.note_server(&answer.result);
        Ok(answer)
    }

    /// Who the server is, which in 2026-07-28 stands in every result.
    fn note_server(&self, result: &RawJson) {
        if self.era().server_may_ask() || self.ledger.with(|facts| facts.server.name.is_some()) {
            return;
        }
        let Some(info) = server_info(result) else { return };
        let text = |member: &str| json::member(&info, member).and_then(|raw| json::string(&raw));
        self.ledger.with(|facts| (facts.server.name, facts.server.version) = (text("name"), text("version")));
        self.peer.set_server_name(text("name").unwrap_or_default());
    }

    /// The version to go on with after an error -32022, once: the one that was asked for if the server names it, else one of
    /// the same era that both speak, unless the user has said which it must be.
    fn other_version(&mut self, error: &ClientError) -> Option<Modern> {
        let (Era::Modern(now), false) = (self.era(), self.version_changed) else { return None };
        let offered = negotiate::other_versions(error)?;
        let same = offered.contains(&now.version).then(|| now.version.clone());
        let pinned = matches!(self.options.protocol, Protocol::Version(_));
        let other = era::mutual(&offered).filter(|version| !pinned && MODERN.contains(version)).map(str::to_owned);
        let version = same.clone().or(other)?;
        self.version_changed = true;
        if same.is_some() {
            let message = format!("the server refused {version} and names it as supported; it was asked again");
            self.ledger.warn(WarningId::ProtocolVersion, message);
        }
        self.ledger.with(|facts| facts.server.protocol = Some(version.clone()));
        Some(Modern { version, ..now })
    }

    fn set_era(&self, era: Era) {
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = era;
    }

    /// The server does not speak any more what was remembered of it.
    async fn find_out_anew(&mut self, target: &Target, error: &ClientError) -> Result<(), ClientError> {
        self.tracer.note(format!("what was remembered does not hold any more ({}); finding out anew", error.fault));
        let (options, tracer, ledger) = (self.options.clone(), Arc::clone(&self.tracer), self.ledger.clone());
        let dialer = Dialer { options: &options, tracer: &tracer, ledger: &ledger };
        dialer.forget(target);
        let mut handshake = Handshake::default();
        let begun = dialer.find_out(target, &mut handshake).await;
        let phase = error.phase.clone();
        *self = begun.map_err(|failure| ClientError { phase, fault: Fault::Renegotiation(Box::new(failure)) })?;
        self.wait_for_listening().await
    }

    async fn renew(&mut self) -> Result<(), ClientError> {
        if let Some(listening) = self.listening.take() {
            listening.abort();
        }
        self.peer.transport().forget_session();
        let dialer = Dialer { options: &self.options, tracer: &self.tracer, ledger: &self.ledger };
        let mut handshake = Handshake::default();
        let era = dialer.introduce(&self.peer, &Opening::Initialize, &mut handshake).await?;
        self.set_era(era);
        self.listening = Some(spawn_listening(&self.peer, &self.ledger));
        self.wait_for_listening().await
    }

    /// A server may ask on the standing stream only. Where something was declared that it may ask for, that stream
    /// must stand, or be refused, before the request that makes it ask.
    pub(super) async fn wait_for_listening(&mut self) -> Result<(), ClientError> {
        let declares = match &self.options.client_capabilities {
            Some(exactly) => json::compact(exactly.get()) != "{}",
            None => self.options.host.capabilities() != "{}",
        };
        if !declares {
            return Ok(());
        }
        let Some(listening) = self.listening.take() else { return Ok(()) };
        // The stream is optional; a request tells better than it what is wrong with the server.
        super::peer::guard(&self.options, Phase::Initialized, listening).await.map(|_| ())
    }

    /// How the standing stream came out.
    pub(super) async fn listening(&mut self) -> Result<Listening, ClientError> {
        let broken = |why: &str| ClientError { phase: Phase::Initialized, fault: Fault::Broken(why.to_owned()) };
        let Some(listening) = self.listening.take() else {
            return Err(broken("the standing stream was asked for twice"));
        };
        let listening = super::peer::guard(&self.options, Phase::Initialized, listening).await?;
        listening.unwrap_or_else(|_| Err(broken("the task of the standing stream is gone")))
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

fn spawn_listening(peer: &Arc<Peer>, ledger: &Ledger) -> JoinHandle<Result<Listening, ClientError>> {
    let (peer, ledger) = (Arc::clone(peer), ledger.clone());
    tokio::spawn(async move { era::listen(&peer, &ledger).await })
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

/// What would be sent, for `--dry-run`: in the era of the conversation, or without one in the era that is presumed.
pub struct Preview {
    era: Era,
    kind: Kind,
}

impl Preview {
    /// Of a conversation that has begun.
    pub fn of(client: &Client) -> Preview {
        Preview { era: client.era(), kind: client.kind() }
    }

    /// Without one: the version that was asked for, else the newest.
    pub fn presumed(target: &Target, options: &Options) -> Preview {
        let kind = match target {
            Target::Stdio(_) => Kind::Stdio,
            Target::Http(kind, _) => kind.unwrap_or(Kind::Http),
        };
        Preview { era: era::presumed(options, kind), kind }
    }

    /// The message that [`Client::call_tool`] would send, and the headers that mirror it. The id is a stand-in.
    pub fn call(&self, name: &str, arguments: &str, schema: Option<&RawValue>) -> Previewed {
        let mut draft = self.era.draft("tools/call", &call_members(name, arguments), Some(1));
        draft.headers.extend(self.era.mirrored(schema, arguments, self.kind).unwrap_or_default());
        self.finish(draft)
    }

    /// The message that [`Client::get_prompt`] would send.
    pub fn prompt(&self, name: &str, arguments: &str) -> Previewed {
        self.finish(self.era.draft("prompts/get", &prompt_members(name, arguments), Some(1)))
    }

    /// The message that [`Client::raw`] would send.
    pub fn raw(&self, method: &str, params: Option<&str>) -> Previewed {
        self.finish(self.era.raw_draft(method, params))
    }

    fn finish(&self, draft: Draft) -> Previewed {
        let headers = if self.kind == Kind::Http { draft.headers } else { Vec::new() };
        Previewed { message: jsonrpc::request(1, &draft.method, draft.params.as_deref()), headers }
    }
}

/// A message that would be sent.
pub struct Previewed {
    /// The JSON text.
    pub message: String,
    /// The headers that mirror it.
    pub headers: Vec<(String, String)>,
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

    /// How it speaks.
    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    /// The conversation below.
    pub(super) fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    /// How many pages of a list are read at most.
    pub(super) fn max_pages(&self) -> usize {
        self.options.max_pages
    }
}
