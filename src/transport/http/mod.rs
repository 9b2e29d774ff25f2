//! Streamable HTTP (2025-03-26 and later): every message is a POST, every request has an exchange of its own.
//!
//! Here: the state of the connection, the headers, sending, closing. `exchange` reads the answer to one request,
//! `reading` reads event streams and resumes them, `standing` keeps the GET stream.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use reqwest::Method;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use tokio::task::AbortHandle;

use super::net::{Answer, Call, Net};
use super::{
    Context, EventSender, HttpEndpoint, Inbox, Kind, Listening, NetSettings, Opened, Outgoing, Seen, Transport,
    TransportError,
};
use crate::outcome::{Reason, WarningId};
use crate::trace::Direction;

mod exchange;
mod reading;
mod standing;

/// The media types that every POST accepts (2025-03-26 and later basic/transports §Sending Messages to the Server).
/// Some servers compare the text, or want JSON first (HTTP-13).
const ACCEPT_BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const ACCEPT_EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// How long the DELETE at the end may take (HTTP-02).
const DELETE_TIME: Duration = Duration::from_secs(1);

/// Prepares a connection. Opens no socket yet.
///
/// # Errors
/// When a setting cannot be used.
pub async fn open(endpoint: HttpEndpoint, settings: &NetSettings, context: Context) -> Result<Opened, TransportError> {
    let net = Net::new(&endpoint, settings, &context)?;
    let (events, inbox) = Inbox::new();
    let shared = Arc::new(Shared {
        net,
        context,
        events,
        state: Mutex::default(),
        exchanges: Mutex::default(),
        standing: Mutex::default(),
    });
    Ok(Opened { transport: Arc::new(Http(shared)), inbox })
}

struct Http(Arc<Shared>);

/// What the connection and its tasks share.
struct Shared {
    net: Net,
    context: Context,
    events: EventSender,
    state: Mutex<State>,
    exchanges: Mutex<HashMap<u64, Running>>,
    standing: Mutex<Option<AbortHandle>>,
}

#[derive(Default)]
struct State {
    version: Option<HeaderValue>,
    session: Option<HeaderValue>,
}

/// A request whose task lives.
struct Running {
    task: AbortHandle,
    seen: Arc<Mutex<Seen>>,
    /// Whether all was reported; the task then only frees the connection for the next request.
    over: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that panics happens under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// The headers of every request: the version, and the session once there is one
    /// (2025-06-18 and later §Protocol Version Header; 2025-03-26 to 2025-11-25 §Session Management).
    fn headers(&self, accept: HeaderValue) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept);
        let state = lock(&self.state);
        if let Some(version) = &state.version {
            headers.insert(VERSION, version.clone());
        }
        if let Some(session) = &state.session {
            headers.insert(SESSION, session.clone());
        }
        headers
    }

    fn call(&self, method: Method, headers: HeaderMap, body: Option<Bytes>) -> Call {
        Call { method, url: self.net.endpoint().clone(), headers, body }
    }

    fn post(&self, message: &Outgoing) -> Result<Call, TransportError> {
        let mut headers = self.headers(ACCEPT_BOTH);
        headers.insert(header::CONTENT_TYPE, JSON);
        for (name, value) in &message.headers {
            let wrong = || TransportError::Setting {
                message: format!("the header {name} cannot carry its value for {}", message.method),
                hint: None,
            };
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
            let value = HeaderValue::from_str(value).map_err(|_| wrong())?;
            headers.insert(name, value);
        }
        Ok(self.call(Method::POST, headers, Some(Bytes::from(message.text.clone()))))
    }

    fn get(&self, last_event: Option<HeaderValue>) -> Call {
        let mut headers = self.headers(ACCEPT_EVENTS);
        if let Some(id) = last_event {
            headers.insert(LAST_EVENT, id);
        }
        self.call(Method::GET, headers, None)
    }

    /// Takes the session id of the answer to `initialize`. It must be visible ASCII (2025-03-26 to 2025-11-25
    /// basic/transports §Session Management); another one goes back as it came all the same, since only the server reads it.
    fn take_session(&self, answer: &Answer) {
        let Some(mut value) = answer.raw_header(SESSION.as_str()) else { return };
        let bytes = value.as_bytes();
        if bytes.is_empty() {
            return self.context.tracer.note("the session id is empty and was not taken");
        }
        self.context.tracer.redactor().add_text(&String::from_utf8_lossy(bytes));
        if !bytes.iter().all(|byte| (0x21..=0x7e).contains(byte)) {
            let message = "the session id holds characters that are not visible ASCII; it is sent back as it came";
            self.context.ledger.warn(WarningId::SessionId, message);
        }
        value.set_sensitive(true);
        lock(&self.state).session = Some(value);
    }

    /// POSTs what has no answer and waits for its status. Every 2xx is an acknowledgement (HTTP-01).
    async fn tell(&self, message: &Outgoing) -> Result<(), TransportError> {
        let call = self.post(message)?;
        let exchange = async {
            let mut answer = self.net.send(call).await?;
            if !answer.is_success() {
                let body = answer.read_refusal(self.net.limit(), self.context.timeout).await;
                if !body.is_empty() {
                    self.context.tracer.frame(Direction::In, "POST", &body);
                }
                return Err(answer.refused(&body, None));
            }
            let status = answer.status();
            let body = answer.discard().await;
            if status != 202 || !body.is_empty() {
                let text = String::from_utf8_lossy(&body).into_owned();
                let what = if message.method.is_empty() { "an answer" } else { &message.method };
                self.context.tracer.note(format!("{what} was acknowledged with HTTP {status} {text:?} instead of 202"));
            }
            Ok(())
        };
        let Some(limit) = self.context.timeout else { return exchange.await };
        tokio::time::timeout(limit, exchange).await.unwrap_or_else(|_| {
            let what = if message.method.is_empty() { "our answer" } else { &message.method };
            Err(waited(format!("no HTTP answer to {what}"), limit))
        })
    }

    fn start(self: &Arc<Self>, key: u64, message: &Outgoing) -> Result<(), TransportError> {
        let call = self.post(message)?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let exchange = exchange::Exchange::new(Arc::clone(self), key, message, Arc::clone(&seen));
        // The lock is held until the task is known, so that it cannot be over before.
        let mut exchanges = lock(&self.exchanges);
        let task = tokio::spawn(exchange.run(call)).abort_handle();
        if let Some(former) = exchanges.insert(key, Running { task, seen, over: false }) {
            former.task.abort();
        }
        Ok(())
    }

    fn abort_all(&self, only_unfinished: bool) {
        lock(&self.exchanges).retain(|_, running| {
            let spare = only_unfinished && running.over;
            if !spare {
                running.task.abort();
            }
            spare
        });
        if let Some(standing) = lock(&self.standing).take() {
            standing.abort();
        }
    }
}

/// The idle clock ran out inside the transport.
fn waited(what: String, limit: Duration) -> TransportError {
    TransportError::Timeout { what, limit, reason: Reason::Idle, phase: None, seen: None, hint: None }
}

impl Transport for Http {
    fn kind(&self) -> Kind {
        Kind::Http
    }

    fn send<'a>(&'a self, message: Outgoing) -> BoxFuture<'a, Result<(), TransportError>> {
        Box::pin(async move {
            self.0.context.tracer.frame(Direction::Out, "POST", message.text.as_bytes());
            match message.key {
                Some(key) => self.0.start(key, &message),
                None => self.0.tell(&message).await,
            }
        })
    }

    fn abandon(&self, key: u64) {
        if let Some(running) = lock(&self.0.exchanges).remove(&key) {
            running.task.abort();
        }
    }

    fn set_protocol_version(&self, version: &str) {
        match HeaderValue::from_str(version) {
            Ok(value) => lock(&self.0.state).version = Some(value),
            Err(_) => {
                self.0.context.tracer.note(format!("{version:?} cannot stand in a header and is not sent in one"))
            }
        }
    }

    fn forget_session(&self) {
        lock(&self.0.state).session = None;
    }

    fn has_session(&self) -> bool {
        lock(&self.0.state).session.is_some()
    }

    fn reached(&self) -> bool {
        self.0.net.reached()
    }

    fn seen(&self, key: u64) -> Option<Seen> {
        lock(&self.0.exchanges).get(&key).map(|running| lock(&running.seen).clone())
    }

    fn listen<'a>(&'a self) -> BoxFuture<'a, Listening> {
        Box::pin(standing::listen(&self.0))
    }

    fn close<'a>(&'a self) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let shared = &self.0;
            // An exchange that is over may still be freeing the connection that DELETE can use.
            shared.abort_all(true);
            if self.has_session() {
                let headers = shared.headers(ACCEPT_BOTH);
                self.forget_session();
                // 2025-03-26 to 2025-11-25 basic/transports §Session Management: a client SHOULD say that it is done,
                // and 405 is a proper answer. The exchange is in the trace; nothing depends on it.
                let goodbye = shared.net.send(shared.call(Method::DELETE, headers, None));
                match tokio::time::timeout(DELETE_TIME, goodbye).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => shared.context.tracer.note(format!("DELETE of the session failed: {error}")),
                    Err(_) => shared.context.tracer.note("DELETE of the session had no answer within 1s"),
                }
            }
            shared.abort_all(false);
        })
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.0.abort_all(false);
    }
}

#[cfg(test)]
mod tests;
