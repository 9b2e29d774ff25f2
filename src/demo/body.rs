//! Bodies of HTTP answers: a whole one, or an event stream that ends with its request, with comments to keep it alive.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, interval_at};

use super::context::Out;
use super::server::Shared;

/// Time between two comments on a stream that is otherwise silent.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The body of an answer.
#[derive(Debug)]
pub enum Body {
    /// All of it.
    Whole(Bytes),
    /// An event stream.
    Events(Box<Events>),
}

/// An event stream.
#[derive(Debug)]
pub struct Events {
    messages: mpsc::Receiver<Out>,
    keep_alive: Interval,
    /// The first event, where it is not a message.
    first: Option<String>,
    /// Ends a session of HTTP+SSE with its stream.
    _ends: Option<EndsSession>,
}

/// Ends a session when it is dropped.
#[derive(Debug)]
pub struct EndsSession {
    pub shared: Arc<Shared>,
    pub id: String,
}

impl Drop for EndsSession {
    fn drop(&mut self) {
        self.shared.forget(&self.id);
    }
}

impl Body {
    /// A whole body.
    pub fn whole(text: impl Into<Bytes>) -> Body {
        Body::Whole(text.into())
    }

    /// A message as an event.
    pub fn event(message: &str) -> String {
        format!("event: message\ndata: {message}\n\n")
    }

    /// A stream of what `messages` brings.
    pub fn events(messages: mpsc::Receiver<Out>) -> Body {
        Body::session(messages, None, KEEP_ALIVE, None)
    }

    /// A stream that starts with `first`, has a comment every `pause`, and carries a whole session.
    pub fn session(
        messages: mpsc::Receiver<Out>,
        first: Option<String>,
        pause: Duration,
        ends: Option<EndsSession>,
    ) -> Body {
        let keep_alive = interval_at(Instant::now() + pause, pause);
        Body::Events(Box::new(Events { messages, keep_alive, first, _ends: ends }))
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Body::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Body::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Body::Events(events) => events.poll(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Body::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::Events(_) => SizeHint::default(),
        }
    }
}

impl Events {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let data = |text: Bytes| Poll::Ready(Some(Ok(Frame::data(text))));
        if let Some(first) = self.first.take() {
            return data(first.into());
        }
        match self.messages.poll_recv(context) {
            // JSON text holds no line break, so one `data` line is enough (2024-11-05 basic/transports §HTTP with SSE: `message` events).
            Poll::Ready(Some(Out::Message(text) | Out::Answer(text, _))) => data(Body::event(&text).into()),
            Poll::Ready(Some(Out::Fragment(text))) => data(text.into()),
            Poll::Ready(Some(Out::Cut)) => Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into()))),
            Poll::Ready(Some(Out::Reset)) => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(self.keep_alive.poll_tick(context));
                data(Bytes::from_static(b": keep-alive\n\n"))
            }
        }
    }
}
