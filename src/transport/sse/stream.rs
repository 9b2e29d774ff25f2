//! The one stream of HTTP+SSE: first the endpoint event, then messages until it ends.

use std::sync::{Arc, Mutex};

use super::super::net::{EventStream, Step};
use super::super::{Context, Event, EventSender, Origin, Seen, StreamEnd, TransportError, rpc};
use super::{TooLarge, lock};
use crate::outcome::WarningId;
use crate::trace::Direction;
use crate::wire::sse::{self as wire, Item};

/// What the stream began with.
pub enum First {
    /// The data of the endpoint event.
    Endpoint(String),
    /// It ended before that.
    Failed(TransportError),
}

/// Nobody listens any more.
struct Gone;

/// Reads the stream and reports what comes.
pub struct Reader {
    stream: EventStream,
    context: Context,
    events: EventSender,
    seen: Arc<Mutex<Seen>>,
    /// Events that are neither the endpoint nor a message.
    others: u64,
}

impl Reader {
    pub fn new(stream: EventStream, context: Context, events: EventSender, seen: Arc<Mutex<Seen>>) -> Reader {
        Reader { stream, context, events, seen, others: 0 }
    }

    /// Waits for the endpoint event. What comes before it can be no answer to anything.
    pub async fn first(&mut self) -> First {
        loop {
            match self.step().await {
                Ok(Item::Event(block) | Item::Unterminated(block)) if block.kind() == "endpoint" => {
                    // Recorded once its secrets are known.
                    return First::Endpoint(String::from_utf8_lossy(&block.data).into_owned());
                }
                Ok(Item::Event(block)) if block.has_content() => {
                    self.others += 1;
                    self.context.tracer.frame(Direction::In, "sse", &block.data);
                    self.context.tracer.note(format!("the event {:?} came before the endpoint event", block.kind()));
                }
                Ok(Item::Comment(_)) => lock(&self.seen).keep_alives += 1,
                Ok(Item::Notice(notice)) => self.context.tracer.note(notice.to_string()),
                Ok(_) => {}
                Err(error) => return First::Failed(error),
            }
        }
    }

    /// What came instead of the endpoint event.
    pub fn seen_words(&self) -> String {
        let seen = lock(&self.seen);
        let count = |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
        let mut words =
            format!("{} and {}", count(seen.keep_alives, "keep-alive comment"), count(self.others, "other event"));
        if let Some((bytes, text)) = &seen.unfinished {
            words.push_str(&format!("; an unterminated event of {bytes} bytes is pending: {text}"));
        }
        words
    }

    /// Reports messages until the stream ends, and then why it did.
    pub async fn run(mut self) {
        loop {
            let reported = match self.step().await {
                Ok(item) => self.item(item).await,
                Err(error) => {
                    // A closed inbox has no reader that could miss it.
                    let _ = self.events.send(Err(error)).await;
                    return;
                }
            };
            if let Err(Gone) = reported {
                return;
            }
        }
    }

    async fn item(&mut self, item: Item) -> Result<(), Gone> {
        match item {
            Item::Event(block) => self.event(block).await,
            Item::Unterminated(block) if rpc::looks_like_message(&block.data) => {
                let length = block.data.len();
                let message = format!("the event stream ended inside an event of {length} bytes; its data was used");
                self.context.ledger.warn(WarningId::UnterminatedEvent, message);
                self.event(block).await
            }
            Item::Comment(_) => {
                lock(&self.seen).keep_alives += 1;
                self.events.send(Ok(Event::KeepAlive)).await.map_err(|_| Gone)
            }
            Item::Notice(notice) => {
                self.context.tracer.note(notice.to_string());
                Ok(())
            }
            // The stream cannot be resumed, so that there is nothing to wait for.
            Item::Retry(_) | Item::Unterminated(_) => Ok(()),
        }
    }

    /// 2024-11-05 names the event `message`; some servers leave the name out, which means the same (FRM-05).
    async fn event(&mut self, block: wire::Event) -> Result<(), Gone> {
        if !block.has_content() {
            return Ok(());
        }
        self.context.tracer.frame(Direction::In, "sse", &block.data);
        if block.kind() != "message" {
            self.context.tracer.note(format!("the event {:?} is no message and was ignored", block.kind()));
            return Ok(());
        }
        lock(&self.seen).messages += 1;
        let event = Event::Message { bytes: block.data, origin: Origin::Shared, http_status: None };
        self.events.send(Ok(event)).await.map_err(|_| Gone)
    }

    /// The next item, or the error that the end of the stream is.
    async fn step(&mut self) -> Result<Item, TransportError> {
        loop {
            let step = self.stream.next().await;
            let mut seen = lock(&self.seen);
            seen.bytes = self.stream.received();
            seen.unfinished = self.stream.pending();
            return match step {
                Step::Progress => continue,
                Step::Item(item) => Ok(item),
                Step::TooLarge(TooLarge { limit, seen }) => Err(TransportError::TooLarge { limit, seen }),
                Step::End { end, causes } => Err(ended(end, causes, &seen)),
            };
        }
    }
}

fn ended(end: StreamEnd, causes: Vec<String>, seen: &Seen) -> TransportError {
    TransportError::Stream {
        end,
        messages: seen.messages,
        bytes: seen.bytes,
        stderr: Vec::new(),
        unfinished: seen.unfinished.as_ref().map(|(_, text)| text.clone()),
        reconnects: 0,
        causes,
    }
}
