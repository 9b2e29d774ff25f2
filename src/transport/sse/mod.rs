//! HTTP+SSE of 2024-11-05: one event stream for everything that the server says, and a POST for every message to it.
//!
//! The stream cannot be resumed: when it ends, every open request is lost, and all learn of it at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use reqwest::Method;
use reqwest::header::{self, HeaderMap, HeaderValue};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::net::{Answer, Call, EventStream, Net};
use super::{
    Context, Event, EventSender, HttpEndpoint, Inbox, Kind, Listening, NetSettings, Opened, Origin, Outgoing, Seen,
    Transport, TransportError, rpc,
};
use crate::outcome::{Phase, Reason};
use crate::trace::Direction;
use crate::wire::sse::TooLarge;

mod endpoint;
mod stream;

use endpoint::Endpoint;
use stream::{First, Reader};

/// Opens the stream and waits for the endpoint event, at most as long as the idle clock allows.
///
/// Errors after the server was reached belong to the phase `endpoint`.
///
/// # Errors
/// Why there is no stream, or no endpoint that messages can be sent to.
pub async fn open(endpoint: HttpEndpoint, settings: &NetSettings, context: Context) -> Result<Opened, TransportError> {
    let net = Net::new(&endpoint, settings, &context)?;
    let limits = Limits { started: Instant::now(), timeout: context.timeout };
    let head = limits.apply(connect(&net)).await;
    let answer = head.unwrap_or_else(|| Err(limits.unanswered(net.reached())))?;
    let stream_url = answer.url().clone();
    let seen = Arc::new(Mutex::new(Seen { status: Some(answer.status()), ..Seen::default() }));
    let (events, inbox) = Inbox::new();
    let stream = EventStream::new(answer, net.limit());
    let mut reader = Reader::new(stream, context.clone(), events.clone(), Arc::clone(&seen));
    let first = limits.apply(reader.first()).await;
    let data = match first {
        Some(First::Endpoint(data)) => data,
        Some(First::Failed(error)) => return Err(error),
        None => return Err(limits.passed("no endpoint event", Some(reader.seen_words()))),
    };
    let tracer = &context.tracer;
    let target = endpoint::resolve(&data, &stream_url, endpoint.message_url.as_ref(), tracer, &context.ledger)?;
    tracer.note(format!("messages go by POST to {}", tracer.redactor().url(&target.url)));
    let shared = Arc::new(Shared { net, context, events, target, seen, posts: Mutex::default() });
    let reading = tokio::spawn(reader.run()).abort_handle();
    Ok(Opened { transport: Arc::new(Sse { shared, reading }), inbox })
}

/// The deadline of opening. Comments do not move it (SSE-05).
struct Limits {
    started: Instant,
    timeout: Option<Duration>,
}

impl Limits {
    async fn apply<T>(&self, step: impl Future<Output = T>) -> Option<T> {
        match self.timeout {
            None => Some(step.await),
            Some(limit) => tokio::time::timeout_at(self.started + limit, step).await.ok(),
        }
    }

    /// No answer to the GET: from a peer that was reached, or because none was.
    fn unanswered(&self, reached: bool) -> TransportError {
        if reached {
            return self.passed("no HTTP answer to the GET of the event stream", None);
        }
        TransportError::Timeout {
            what: "no connection".to_owned(),
            limit: self.timeout.unwrap_or_default(),
            reason: Reason::Idle,
            phase: Some(Phase::Connect),
            seen: None,
            hint: Some("is the host up, and is the port not blocked? TCP, TLS or a proxy does not answer".to_owned()),
        }
    }

    fn passed(&self, what: &str, seen: Option<String>) -> TransportError {
        TransportError::Timeout {
            what: what.to_owned(),
            limit: self.timeout.unwrap_or_default(),
            reason: Reason::Idle,
            phase: Some(Phase::Endpoint),
            seen,
            hint: Some("this may be a Streamable HTTP server: try --transport http".to_owned()),
        }
    }
}

/// The GET of the stream, and whether its answer is one.
async fn connect(net: &Net) -> Result<Answer, TransportError> {
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
    let call = Call { method: Method::GET, url: net.endpoint().clone(), headers, body: None };
    let mut answer = net.send(call).await?;
    let media_type = answer.media_type();
    let problem = if let Some(encoding) = answer.foreign_encoding() {
        Some(format!("content encoding {encoding}, which was not asked for"))
    } else if answer.is_success() && media_type != "text/event-stream" {
        Some(match media_type.as_str() {
            "" => "no media type instead of text/event-stream".to_owned(),
            other => format!("media type {other} instead of text/event-stream"),
        })
    } else if answer.is_success() {
        return Ok(answer);
    } else {
        None
    };
    let body = answer.read_refusal(net.limit(), net.idle()).await;
    let mut error = answer.refused(&body, problem);
    // What the hint for the same status to a POST says would lead astray.
    if let TransportError::Http(fault) = &mut error
        && matches!(fault.status, 400 | 405 | 406)
    {
        fault.hint = Some("this URL gives no event stream: a Streamable HTTP server? try --transport http".to_owned());
    }
    Err(error)
}

struct Sse {
    shared: Arc<Shared>,
    reading: AbortHandle,
}

struct Shared {
    net: Net,
    context: Context,
    events: EventSender,
    target: Endpoint,
    seen: Arc<Mutex<Seen>>,
    posts: Mutex<HashMap<u64, AbortHandle>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that panics happens under these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the answer to a POST holds besides its status.
enum Posted {
    /// Nothing, as it should be.
    Accepted,
    /// A JSON-RPC response, which belongs on the stream but is unambiguous here too.
    Response(Vec<u8>, u16),
}

impl Shared {
    /// POSTs one message. This version knows no headers of its own.
    async fn post(&self, message: &Outgoing) -> Result<Posted, TransportError> {
        let mut headers = HeaderMap::new();
        // The answer is not read for messages, but some servers refuse a POST that does not accept them.
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let body = Some(Bytes::from(message.text.clone()));
        let call = Call { method: Method::POST, url: self.target.url.clone(), headers, body };
        let mut answer = self.net.send(call).await?;
        let status = answer.status();
        if answer.is_success() {
            let body = if answer.media_type() == "application/json" {
                answer.body(self.net.limit()).await?
            } else {
                answer.discard().await
            };
            if rpc::looks_like_response(&body) {
                self.context.tracer.frame(Direction::In, "POST", &body);
                return Ok(Posted::Response(body, status));
            }
            return Ok(Posted::Accepted);
        }
        let body = answer.read_refusal(self.net.limit(), self.context.timeout).await;
        if !body.is_empty() {
            self.context.tracer.frame(Direction::In, "POST", &body);
        }
        // The body of a refusal beats its status where it is the answer to a request (HTTP-05).
        if message.key.is_some() && status != 401 && rpc::looks_like_response(&body) {
            return Ok(Posted::Response(body, status));
        }
        let mut error = answer.refused(&body, None);
        if let TransportError::Http(fault) | TransportError::Auth(fault) = &mut error {
            fault.headers.insert(0, ("endpoint".to_owned(), self.target.announced.clone()));
            if matches!(status, 404 | 405) {
                fault.hint = self.target.lost_prefix.clone();
            }
        }
        Err(error)
    }

    /// POSTs a request. Its answer comes on the stream; only what went wrong is reported for its exchange.
    async fn request(self: Arc<Self>, key: u64, message: Outgoing) {
        let events = match self.post(&message).await {
            Ok(Posted::Accepted) => Vec::new(),
            Ok(Posted::Response(bytes, status)) => {
                let origin = Origin::Exchange(key);
                let message = Event::Message { bytes, origin, http_status: Some(status) };
                // A POST that was refused has no answer on the stream either (HTTP-05).
                let refused = !(200..300).contains(&status);
                let over = refused.then_some(Event::ExchangeOver { key, error: None });
                std::iter::once(message).chain(over).collect()
            }
            Err(error) => vec![Event::ExchangeOver { key, error: Some(error) }],
        };
        lock(&self.posts).remove(&key);
        for event in events {
            // A closed inbox has no reader that could miss it.
            let _ = self.events.send(Ok(event)).await;
        }
    }

    async fn tell(&self, message: Outgoing) -> Result<(), TransportError> {
        let post = self.post(&message);
        let posted = match self.context.timeout {
            None => post.await?,
            Some(limit) => match tokio::time::timeout(limit, post).await {
                Ok(posted) => posted?,
                Err(_) => {
                    let what = if message.method.is_empty() { "our answer" } else { &message.method };
                    return Err(TransportError::Timeout {
                        what: format!("no HTTP answer to {what}"),
                        limit,
                        reason: Reason::Idle,
                        phase: None,
                        seen: None,
                        hint: None,
                    });
                }
            },
        };
        if let Posted::Response(..) = posted {
            self.context.tracer.note("a message that needs no answer was answered in the body of its POST");
        }
        Ok(())
    }
}

impl Transport for Sse {
    fn kind(&self) -> Kind {
        Kind::Sse
    }

    fn send<'a>(&'a self, message: Outgoing) -> BoxFuture<'a, Result<(), TransportError>> {
        Box::pin(async move {
            self.shared.context.tracer.frame(Direction::Out, "POST", message.text.as_bytes());
            let Some(key) = message.key else { return self.shared.tell(message).await };
            // The lock is held until the task is known, so that it cannot be over before.
            let mut posts = lock(&self.shared.posts);
            let task = tokio::spawn(Arc::clone(&self.shared).request(key, message));
            posts.insert(key, task.abort_handle());
            Ok(())
        })
    }

    fn abandon(&self, key: u64) {
        if let Some(post) = lock(&self.shared.posts).remove(&key) {
            post.abort();
        }
    }

    /// 2024-11-05 knows no version header.
    fn set_protocol_version(&self, _version: &str) {}

    /// 2024-11-05 knows no session besides the stream.
    fn forget_session(&self) {}

    /// What has come on the stream that all requests share.
    fn seen(&self, _key: u64) -> Option<Seen> {
        Some(lock(&self.shared.seen).clone())
    }

    fn listen<'a>(&'a self) -> BoxFuture<'a, Listening> {
        Box::pin(async { Listening::NotApplicable })
    }

    /// Closing the stream is all there is to say (2024-11-05 basic/lifecycle §Shutdown).
    fn close<'a>(&'a self) -> BoxFuture<'a, ()> {
        Box::pin(async move { self.abort() })
    }
}

impl Sse {
    fn abort(&self) {
        self.reading.abort();
        for (_, post) in lock(&self.shared.posts).drain() {
            post.abort();
        }
    }
}

impl Drop for Sse {
    fn drop(&mut self) {
        self.abort();
    }
}

#[cfg(test)]
mod tests;
