//! The operations of the protocol, one method each. `renewal.rs` sends their requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;

use tokio::task::JoinHandle;

use super::connect::{Dialer, Handshake};
use super::era::{Era, Shape};
use super::error::{ClientError, Fault};
use super::peer::{Answer, Peer};
use super::renewal::spawn_listening;
use super::state::Unanswered;
use super::{Activity, Options, Protocol, Target, evidence};
use crate::outcome::{Ledger, Phase, Reason};
use crate::trace::Tracer;
use crate::transport::{Kind, Listening};
use crate::wire::{RawJson, json};

/// A conversation with a server that has begun.
pub struct Client {
    pub(super) peer: Arc<Peer>,
    pub(super) era: Mutex<Era>,
    pub(super) options: Options,
    pub(super) tracer: Arc<Tracer>,
    pub(super) ledger: Ledger,
    pub(super) capabilities: Option<RawJson>,
    pub(super) listening: Option<JoinHandle<Result<Listening, ClientError>>>,
    /// The target of a conversation whose era is only remembered; `None` once an answer has confirmed it.
    pub(super) on_trust: Option<Target>,
    /// Where the server is, for a connection that has to be made anew.
    pub(super) target: Option<Target>,
    /// Whether the tool that is called says that a call can be repeated.
    pub(super) may_repeat_call: bool,
    /// Whether any request was answered by a result.
    pub(super) heard: AtomicBool,
    /// Whether the version was changed because the server asked for another one, which it may do once.
    pub(super) version_changed: bool,
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
            target: None,
            may_repeat_call: false,
            heard: AtomicBool::new(false),
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

    /// What a failure may come from when the version was given and the server has not given one result in it.
    pub fn doubt(&self) -> Option<&'static str> {
        let given = matches!(self.options.protocol, Protocol::Version(_)) && !self.era().server_may_ask();
        let doubtful = given && !self.heard.load(Ordering::Relaxed);
        doubtful.then_some(
            "no request in this version was answered: an older server? --protocol auto finds out what it speaks",
        )
    }

    /// Whether the server advertises this capability. As long as nobody has asked it, it may.
    pub fn offers(&self, capability: &str) -> bool {
        let Some(all) = &self.capabilities else { return true };
        json::member(all, capability).is_some_and(|raw| !json::is_null(&raw) && json::boolean(&raw) != Some(false))
    }

    /// Whether the server has not been asked what it can do.
    pub(super) fn capabilities_unknown(&self) -> bool {
        self.capabilities.is_none()
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

    /// Asks for log messages where that is a request of its own (2024-11-05 to 2025-11-25 server/utilities/logging). A server
    /// that cannot send any is told of, since the user waits for them.
    pub async fn ask_for_logs(&mut self) {
        let Some(level) = self.options.log_level.clone().filter(|_| self.era().server_may_ask()) else { return };
        let asked = match self.offers("logging") {
            true => self.request("logging/setLevel", &[("level", json::quote(&level))], false).await.map(|_| ()),
            false => {
                let message = "the server does not advertise log messages (capability `logging`)".to_owned();
                return (self.options.activity)(Activity::Note(message));
            }
        };
        if let Err(error) = asked {
            (self.options.activity)(Activity::Note(format!("--log-level: {}", error.fault)));
        }
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
        if schema.is_some() || !evidence::is_header_mismatch(error) {
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

    /// Whether the server goes on when the command is over.
    pub fn outlives_command(&self) -> bool {
        self.kind() != Kind::Stdio && !self.options.ephemeral
    }

    /// Leaves the session open at the end: a server may forget what belongs to it.
    pub fn keep_session(&self) {
        self.peer.transport().forget_session();
    }

    /// Tells the person who watches.
    pub fn note(&self, text: &str) {
        (self.options.activity)(Activity::Note(text.to_owned()));
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

pub(super) fn call_members(name: &str, arguments: &str) -> [(&'static str, String); 2] {
    [("name", json::quote(name)), ("arguments", arguments.to_owned())]
}

pub(super) fn prompt_members(name: &str, arguments: &str) -> Vec<(&'static str, String)> {
    let mut members = vec![("name", json::quote(name))];
    if arguments != "{}" {
        members.push(("arguments", arguments.to_owned()));
    }
    members
}

/// An answer that breaks a rule of MCP so that it cannot be used.
pub(super) fn violation(method: &str, message: impl Into<String>, evidence: &RawJson) -> ClientError {
    ClientError {
        phase: Phase::of_method(method),
        fault: Fault::Violation {
            reason: Reason::ResultShape,
            message: message.into(),
            evidence: Some(crate::trace::mask_members(&json::compact(evidence.get()))),
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

    /// Takes what crosses the border, and masks secrets.
    pub(super) fn tracer(&self) -> &Arc<Tracer> {
        &self.tracer
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
