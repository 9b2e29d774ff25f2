//! What comes in: every message is matched to a waiter, answered, shown, or recorded; none is lost in silence.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::error::Fault;
use super::host;
use super::state::{Notice, State, Waiter};
use super::{Activity, Options};
use crate::outcome::{Ledger, Reason, WarningId};
use crate::trace::Tracer;
use crate::transport::{Event, Inbox, Kind, Origin, Outgoing, Transport, TransportError};
use crate::wire::jsonrpc::{self, Classified, Defect, ErrorObject, Id, Message};
use crate::wire::{RawJson, json};

/// How many lines of noise are kept.
const NOISE_KEPT: usize = 5;
/// How many notifications are kept for a watcher who is still to come.
const EARLY_KEPT: usize = 64;
/// How many answers to the server may wait to be taken.
const MOST_ANSWERS: usize = 256;
/// How many bytes of one line of noise are kept.
const NOISE_LINE: usize = 200;

/// Takes in what a transport reports.
pub struct Inbound {
    /// Where answers go.
    pub transport: Arc<dyn Transport>,
    /// Shared with the peer.
    pub state: Arc<Mutex<State>>,
    /// The host's answers, and who is told.
    pub options: Options,
    /// Notes what is ignored.
    pub tracer: Arc<Tracer>,
    /// Takes warnings.
    pub ledger: Ledger,
}

impl Inbound {
    /// Runs until the connection is gone, and then tells every waiter why.
    pub async fn run(self, inbox: Inbox) {
        let this = Arc::new(self);
        loop {
            match inbox.recv().await {
                Ok(event) => {
                    this.event(event);
                    this.tell_watcher().await;
                }
                Err(error) => {
                    this.closed(error);
                    return;
                }
            }
        }
    }

    /// Hands notifications on. A watcher that is slow holds up the server, not the memory.
    async fn tell_watcher(&self) {
        loop {
            let (watcher, notice) = {
                let mut state = self.lock();
                let Some(watcher) = state.watcher.clone() else { return };
                let Some(notice) = state.notices.pop_front() else { return };
                (watcher, notice)
            };
            if watcher.send(notice).await.is_err() {
                let mut state = self.lock();
                state.watcher = None;
                state.notices.clear();
            }
        }
    }

    fn closed(&self, error: Arc<TransportError>) {
        let mut state = self.lock();
        state.closed = Some(Arc::clone(&error));
        state.watcher = None;
        for (_, waiter) in std::mem::take(&mut state.waiters) {
            let fault = waiter.unusable.unwrap_or_else(|| Fault::Transport(Arc::clone(&error)));
            let _ = waiter.tx.send(Err(fault));
        }
    }

    fn event(self: &Arc<Self>, event: Event) {
        match event {
            Event::Message { bytes, origin, http_status } => self.message(bytes, origin, http_status),
            Event::ExchangeOver { key, error } => self.exchange_over(key, error),
            Event::KeepAlive => self.lock().keep_alives += 1,
            Event::StandingOver(why) => {
                let mut state = self.lock();
                state.standing_over = Some(why);
                state.watcher = None;
            }
            Event::Stderr(line) => (self.options.activity)(Activity::Stderr(line)),
        }
    }

    /// The exchange of a request is over. If the request still waits, its answer cannot come any more.
    fn exchange_over(&self, key: u64, error: Option<TransportError>) {
        let Some(waiter) = self.lock().waiters.remove(&key) else { return };
        let fault = match (waiter.unusable, error) {
            (Some(fault), _) => fault,
            (None, Some(error)) => Fault::Transport(Arc::new(error)),
            (None, None) => Fault::NoAnswer,
        };
        let _ = waiter.tx.send(Err(fault));
    }

    fn message(self: &Arc<Self>, bytes: Vec<u8>, origin: Origin, http_status: Option<u16>) {
        let Classified { kind, text, notices } = jsonrpc::classify_vec(bytes);
        match kind {
            jsonrpc::Kind::Message(message) => {
                self.notices(notices);
                self.single(message, &text, origin, http_status);
            }
            jsonrpc::Kind::Batch(elements) => {
                self.notices(notices);
                let count = elements.len();
                self.ledger.warn(WarningId::Batch, format!("the server sent an array of {count} messages"));
                for element in elements {
                    match element {
                        Ok(message) => self.single(message, &text, origin, http_status),
                        Err(defect) => self.unusable(Fault::Undecodable(Box::new(defect), http_status), None, origin),
                    }
                }
            }
            jsonrpc::Kind::Invalid(defect) => self.invalid(defect, &text, origin, http_status),
        }
    }

    fn notices(&self, notices: Vec<crate::outcome::Warning>) {
        for notice in notices {
            self.ledger.warn(notice.id, notice.message);
        }
    }

    /// Bytes that are no message: noise on stdout unless they carry the id of an open request; elsewhere an answer
    /// that cannot be used.
    fn invalid(self: &Arc<Self>, defect: Defect, text: &str, origin: Origin, http_status: Option<u16>) {
        let scraped = defect.scraped_id().filter(|id| self.lock().waiters.contains_key(id));
        if self.transport.kind() == Kind::Stdio {
            // A line with a complete message behind other text (STD-01).
            if let Some((at, message, notices)) = jsonrpc::behind_noise(text) {
                let before: String = text[..at].chars().take(NOISE_LINE).collect();
                self.ledger.warn(WarningId::GluedLine, format!("text in front of a message on stdout: {before}"));
                self.notices(notices);
                return self.single(message, &text[at..], origin, http_status);
            }
            if matches!(defect, Defect::Empty) {
                return;
            }
            if scraped.is_none() && !is_meant(&defect, text) {
                return self.noise(text);
            }
        }
        self.unusable(Fault::Undecodable(Box::new(defect), http_status), scraped, origin);
    }

    fn noise(&self, text: &str) {
        let mut state = self.lock();
        state.noise_lines += 1;
        if state.noise.len() < NOISE_KEPT {
            state.noise.push(text.chars().take(NOISE_LINE).collect());
        }
    }

    /// Keeps a fault for the requests that it may belong to; one that surely belongs to a request ends it at once.
    fn unusable(&self, fault: Fault, certain: Option<u64>, origin: Origin) {
        let mut state = self.lock();
        if let Some(waiter) = certain.and_then(|id| state.waiters.remove(&id)) {
            let _ = waiter.tx.send(Err(fault));
            return;
        }
        let mut candidates: Vec<&mut Waiter> = match origin {
            Origin::Exchange(key) => state.waiters.get_mut(&key).into_iter().collect(),
            Origin::Shared => state.waiters.values_mut().collect(),
        };
        match candidates.as_mut_slice() {
            [] => {
                drop(state);
                self.ledger.warn(WarningId::UnmatchedResponse, format!("while nothing was asked: {fault}"));
            }
            waiters => {
                for waiter in waiters {
                    waiter.unusable.get_or_insert_with(|| fault.clone());
                }
            }
        }
    }

    fn single(self: &Arc<Self>, message: Message, text: &str, origin: Origin, http_status: Option<u16>) {
        match message {
            Message::Response { id, result } => self.answer(Some(&id), Ok(result), text, origin, http_status),
            Message::Error { id, error } => self.answer(id.as_ref(), Err(error), text, origin, http_status),
            Message::Notification { method, params } => self.notification(&method, params),
            Message::Request { id, method, params } => self.asked(id, method, params),
        }
    }

    fn answer(
        &self,
        id: Option<&Id>,
        answer: Result<RawJson, ErrorObject>,
        text: &str,
        origin: Origin,
        http_status: Option<u16>,
    ) {
        let mut state = self.lock();
        let matched = id.and_then(|id| matching(&state, id));
        let is_error = answer.is_err();
        // A server that could not read the id sends an error with none, with null, or with one it made up (RPC-03).
        let anonymous = is_error && id.is_none_or(|id| id.lenient().is_none());
        let key = matched.or_else(|| if anonymous { only_candidate(&state, origin) } else { None });
        let Some(waiter) = key.and_then(|key| state.waiters.remove(&key)) else {
            return self.unmatched(state, id, text, origin);
        };
        let own_id = matched.is_some();
        drop(state);
        if let (Some(key), Some(id)) = (matched, id)
            && !id.is(key)
        {
            self.ledger.warn(WarningId::IdType, format!("the answer's id is {} instead of {key}", id.as_json()));
        }
        // 404 on a session is about the session, not about an odd id; `Client` renews it.
        let session_gone = http_status == Some(404) && self.transport.has_session();
        if !own_id && !session_gone {
            let sent = id.map_or("null or missing", Id::as_json);
            let message = format!("an error with the id {sent} was taken for the answer to {}", waiter.method);
            self.ledger.warn(WarningId::IdNull, message);
        }
        if let Some(unusable) = &waiter.unusable {
            self.ledger.warn(WarningId::UnusableMessage, format!("before the answer to {}: {unusable}", waiter.method));
        }
        if let (Ok(_), Some(status)) = (&answer, http_status)
            && !(200..300).contains(&status)
        {
            self.ledger.warn(WarningId::HttpStatus, format!("the result of {} came with HTTP {status}", waiter.method));
        }
        let outcome = match answer {
            Ok(result) => Ok((result, http_status)),
            Err(error) => Err(Fault::Rpc { error: Box::new(error), http_status, own_id }),
        };
        let _ = waiter.tx.send(outcome);
    }

    fn unmatched(&self, state: MutexGuard<'_, State>, id: Option<&Id>, text: &str, origin: Origin) {
        let late = id.and_then(Id::lenient).is_some_and(|id| state.given_up.contains(&id));
        let nobody = state.waiters.is_empty();
        drop(state);
        let shown = id.map_or("null", Id::as_json);
        let excerpt: String = text.chars().take(NOISE_LINE).collect();
        if late {
            self.tracer.note(format!("a late answer came for request {shown}, which was given up"));
        } else if nobody {
            self.ledger
                .warn(WarningId::UnmatchedResponse, format!("the id {shown} belongs to no open request: {excerpt}"));
        } else {
            self.unusable(Fault::WrongId { got: shown.to_owned(), excerpt }, None, origin);
        }
    }

    fn notification(&self, method: &str, params: Option<RawJson>) {
        let member = |key: &str| params.as_deref().and_then(|params| json::member(params, key));
        {
            let mut state = self.lock();
            let early = self.options.keep_notices && state.notices.len() < EARLY_KEPT;
            if state.watcher.is_some() || early {
                state.notices.push_back(Notice { method: method.to_owned(), params: params.clone() });
            }
        }
        let text_of = |raw: &RawJson| json::string(raw).unwrap_or_else(|| json::compact(raw.get()));
        match method {
            "notifications/progress" => self.progress(member("progressToken"), &member),
            "notifications/message" => (self.options.activity)(Activity::Log {
                level: member("level").as_ref().map_or_else(|| "info".to_owned(), text_of),
                logger: member("logger").filter(|raw| !json::is_null(raw)).as_ref().map(text_of),
                text: member("data").as_ref().map_or_else(String::new, text_of),
            }),
            _ => (self.options.activity)(Activity::Notification {
                method: method.to_owned(),
                params: params.map(|params| json::compact(params.get())),
            }),
        }
    }

    fn progress(&self, token: Option<RawJson>, member: &dyn Fn(&str) -> Option<RawJson>) {
        // Our tokens are the ids of our requests; a server may turn a number into a string (RPC-09).
        let token = token.and_then(|token| Id::from_text(token.get()).lenient());
        let progress = member("progress").map_or_else(|| "?".to_owned(), |raw| json::compact(raw.get()));
        let total = member("total").filter(|raw| !json::is_null(raw)).map(|raw| json::compact(raw.get()));
        let message = member("message").as_ref().and_then(|raw| json::string(raw));
        {
            let mut state = self.lock();
            let Some(waiter) = token.and_then(|token| state.waiters.get_mut(&token)) else {
                drop(state);
                self.tracer.note("progress for a token that belongs to no open request was ignored");
                return;
            };
            waiter.progress += 1;
            waiter.last_progress = Some(Instant::now());
            let of = total.as_ref().map_or_else(String::new, |total| format!(" of {total}"));
            waiter.last_progress_text = Some(format!("{progress}{of}"));
        }
        (self.options.activity)(Activity::Progress { progress, total, message });
    }

    /// The server asks us something. It is answered in a task of its own, so that messages keep coming in meanwhile.
    fn asked(self: &Arc<Self>, id: Id, method: String, params: Option<RawJson>) {
        if let Some(key) = self.echoed(&id, &method) {
            let fault = Fault::Violation {
                reason: Reason::NotJsonRpc,
                message: format!("the server sends back the very request it was sent ({method})"),
                evidence: None,
                hint: Some("is this an MCP server, or a program that echoes its input?".to_owned()),
            };
            return self.unusable(fault, Some(key), Origin::Shared);
        }
        if self.lock().silenced {
            // 2026-07-28 basic/patterns: a server asks by a result, and a client sends no responses.
            let message = format!("the server sent the request {method}, which its protocol version does not have");
            return self.ledger.warn(WarningId::ServerRequest, format!("{message}; it was not answered"));
        }
        {
            let mut state = self.lock();
            if state.answering >= MOST_ANSWERS {
                // It asks and takes no answer: each one would wait in memory until the end.
                state.ignored += 1;
                if state.ignored == 1 {
                    let note = format!("the server takes none of {MOST_ANSWERS} answers; what else it asks is ignored");
                    self.tracer.note(note.clone());
                    (self.options.activity)(Activity::Note(note));
                }
                return;
            }
            state.answering += 1;
        }
        let this = Arc::clone(self);
        // Only a person takes time; what mcpcli answers by itself moves no clock, or a server could keep a request open
        // for ever by asking.
        let host = &self.options.host;
        let person = method == "elicitation/create" && host.elicitation.is_empty() && host.asker.is_some();
        tokio::spawn(async move {
            if person {
                this.lock().asking += 1;
            }
            let server = this.lock().server_name.clone();
            let reply = host::reply(&this.options, &this.state, &server, &method, params.as_deref()).await;
            {
                let mut state = this.lock();
                if person {
                    state.asking -= 1;
                    state.asked_at = Some(Instant::now());
                }
                state.unanswered.extend(reply.unanswered);
            }
            let text = match &reply.answer {
                Ok(result) => jsonrpc::response(&id, &related(result, params.as_deref())),
                Err((code, message)) => jsonrpc::error(&id, *code, message),
            };
            (this.options.activity)(Activity::Asked { method: method.clone(), answer: reply.words });
            let message = Outgoing {
                text,
                method: String::new(),
                key: None,
                headers: Vec::new(),
                opens_session: false,
                resumable: false,
            };
            let sent = this.transport.send(message).await;
            this.lock().answering -= 1;
            if let Err(error) = sent {
                let note = format!("our answer to the server's {method} could not be sent: {error}");
                this.tracer.note(note.clone());
                (this.options.activity)(Activity::Note(note));
            }
        });
    }

    /// The open request that comes back as a request: the same id and the same method, which no server has.
    fn echoed(&self, id: &Id, method: &str) -> Option<u64> {
        let key = id.lenient()?;
        let is_ours = self.lock().waiters.get(&key).is_some_and(|waiter| waiter.method == method);
        (is_ours && method != "ping").then_some(key)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer to a question that belongs to a task says so too (2025-11-25 basic/utilities/tasks §Related Task Metadata).
fn related<'a>(result: &'a str, params: Option<&serde_json::value::RawValue>) -> std::borrow::Cow<'a, str> {
    const RELATED: &str = "io.modelcontextprotocol/related-task";
    let meta = params.and_then(|params| json::member(params, "_meta"));
    let task = meta.and_then(|meta| json::member(&meta, RELATED));
    match (task, result.strip_suffix('}')) {
        (Some(task), Some(open)) => {
            let comma = if open.trim_end().ends_with('{') { "" } else { "," };
            format!("{open}{comma}\"_meta\":{{\"{RELATED}\":{}}}}}", task.get()).into()
        }
        _ => result.into(),
    }
}

/// Whether a line on stdout that is no message was meant as one: it speaks of JSON-RPC, is the empty batch of JSON-RPC 2.0 §6,
/// or is text in an encoding that a message must not have. Anything else is what programs print.
fn is_meant(defect: &Defect, text: &str) -> bool {
    match defect {
        Defect::EmptyBatch => true,
        Defect::NotText { looks_like, .. } => looks_like.contains("UTF-16"),
        Defect::NotJsonRpc { .. } | Defect::TooDeep { .. } => {
            text.trim_start().starts_with('{') && text.contains("\"jsonrpc\"")
        }
        _ => false,
    }
}

/// The open request that this id means: the very number, or the one number that it can be read as (RPC-01).
fn matching(state: &State, id: &Id) -> Option<u64> {
    id.lenient().filter(|id| state.waiters.contains_key(id))
}

/// The one open request that an answer without a usable id can belong to.
fn only_candidate(state: &State, origin: Origin) -> Option<u64> {
    match origin {
        Origin::Exchange(key) => state.waiters.contains_key(&key).then_some(key),
        Origin::Shared if state.waiters.len() == 1 => state.waiters.keys().next().copied(),
        Origin::Shared => None,
    }
}
