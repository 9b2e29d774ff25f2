//! Reading one event stream over all its connections: what is reported, remembered, and how it is resumed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::HeaderValue;

use super::super::net::{EventStream, Step};
use super::super::{Event, Origin, Seen, StreamEnd, TransportError, rpc};
use super::{Shared, lock};
use crate::outcome::WarningId;
use crate::trace::Direction;
use crate::wire::sse::{self as wire, Item, TooLarge};

/// How long to wait before a reconnect when the server does not say.
const RETRY: Duration = Duration::from_secs(1);
/// The shortest wait, whatever the server says: `retry: 0` must not become a storm (FRM-10).
const SHORTEST_RETRY: Duration = Duration::from_millis(100);
/// How many reconnects in a row may bring no new event.
const MOST_BARREN: u32 = 5;

/// One logical stream.
pub struct Reading<'a> {
    shared: &'a Shared,
    origin: Origin,
    seen: Arc<Mutex<Seen>>,
    channel: &'static str,
    last_id: Option<String>,
    retry: Duration,
    has_response: bool,
    barren: u32,
    /// Bytes of the connections before this one.
    former_bytes: u64,
}

/// Why reading one connection stopped.
pub enum Over {
    /// The answer came.
    Answered,
    /// The stream ended without it.
    Ended(Ended),
    /// What came cannot be taken in.
    Failed(TransportError),
    /// Nobody listens any more.
    Gone,
}

/// How a connection ended.
pub struct Ended {
    /// How.
    pub end: StreamEnd,
    /// The chain of causes.
    pub causes: Vec<String>,
    unfinished: Option<String>,
}

impl<'a> Reading<'a> {
    pub fn new(shared: &'a Shared, origin: Origin, seen: Arc<Mutex<Seen>>) -> Reading<'a> {
        Reading {
            shared,
            channel: if matches!(origin, Origin::Exchange(_)) { "POST" } else { "GET" },
            origin,
            seen,
            last_id: None,
            retry: RETRY,
            has_response: false,
            barren: 0,
            former_bytes: 0,
        }
    }

    /// Whether any response came, be it with the right id or not.
    pub fn has_response(&self) -> bool {
        self.has_response
    }

    /// Whether the server gave an event id, so that the stream can be resumed
    /// (2025-03-26 to 2025-11-25 basic/transports §Resumability and Redelivery).
    pub fn can_resume(&self) -> bool {
        self.last_id.is_some()
    }

    /// Reads one connection until the answer comes or the stream ends.
    pub async fn read(&mut self, stream: &mut EventStream) -> Over {
        let status = stream.status();
        loop {
            let step = stream.next().await;
            self.note_progress(stream);
            match step {
                Step::Progress => {}
                Step::Item(item) => {
                    if let Some(over) = self.item(item, status).await {
                        return over;
                    }
                }
                Step::End { end, causes } => {
                    self.former_bytes += stream.received();
                    let unfinished = stream.pending().map(|(_, text)| text);
                    return Over::Ended(Ended { end, causes, unfinished });
                }
                Step::TooLarge(TooLarge { limit, seen }) => {
                    return Over::Failed(TransportError::TooLarge { limit, seen });
                }
            }
        }
    }

    async fn item(&mut self, item: Item, status: u16) -> Option<Over> {
        match item {
            Item::Event(block) => {
                self.remember(block.id.as_deref());
                return self.event(block, status).await;
            }
            Item::Unterminated(block) => return self.unterminated(block, status).await,
            Item::Comment(_) => {
                lock(&self.seen).keep_alives += 1;
                if self.shared.events.send(Ok(Event::KeepAlive)).await.is_err() {
                    return Some(Over::Gone);
                }
            }
            Item::Retry(milliseconds) => self.retry = Duration::from_millis(milliseconds),
            Item::Notice(notice) => self.shared.context.tracer.note(notice.to_string()),
        }
        None
    }

    fn note_progress(&self, stream: &EventStream) {
        let mut seen = lock(&self.seen);
        seen.bytes = self.former_bytes + stream.received();
        seen.unfinished = stream.pending();
    }

    /// Every event moves the place to resume at, priming events without data too (2025-11-25 §Resumability). An empty
    /// id takes the place away (WHATWG HTML §9.2.6).
    fn remember(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.last_id = (!id.is_empty()).then(|| id.to_owned());
        }
    }

    async fn event(&mut self, block: wire::Event, status: u16) -> Option<Over> {
        // An event without data is no message (2025-11-25 basic/transports: the priming event; FRM-04).
        if !block.has_content() {
            return None;
        }
        self.shared.context.tracer.frame(Direction::In, self.channel, &block.data);
        // The specification names no event of Streamable HTTP; `message` and no name mean the same (FRM-05).
        if block.kind() != "message" {
            self.shared.context.tracer.note(format!("the event {:?} is no message and was ignored", block.kind()));
            return None;
        }
        self.barren = 0;
        let data = block.data;
        let answers = match self.origin {
            Origin::Exchange(key) => rpc::answers(&data, key),
            Origin::Shared => rpc::Answers::No,
        };
        self.has_response |= answers != rpc::Answers::No;
        lock(&self.seen).messages += 1;
        let http_status = matches!(self.origin, Origin::Exchange(_)).then_some(status);
        let event = Event::Message { bytes: data, origin: self.origin, http_status };
        if self.shared.events.send(Ok(event)).await.is_err() {
            return Some(Over::Gone);
        }
        (answers == rpc::Answers::Yes).then_some(Over::Answered)
    }

    /// The body ended inside an event. By the WHATWG rules it is lost; where it is a whole message it is used, with a
    /// warning (FRM-08).
    async fn unterminated(&mut self, block: wire::Event, status: u16) -> Option<Over> {
        if !rpc::looks_like_message(&block.data) {
            return None;
        }
        let length = block.data.len();
        let message = format!("the event stream ended inside an event of {length} bytes; its data was used");
        self.shared.context.ledger.warn(WarningId::UnterminatedEvent, message);
        self.event(block, status).await
    }

    /// Waits as long as the server asked for, and opens the stream again after the last event.
    ///
    /// # Errors
    /// Why it could not be resumed: the last error, or that reconnects brought nothing.
    pub async fn reconnect(&mut self) -> Result<EventStream, Vec<String>> {
        let mut causes = Vec::new();
        while self.barren < MOST_BARREN {
            self.barren += 1;
            // 2025-11-25 §Sending Messages to the Server: the client MUST respect `retry`.
            tokio::time::sleep(self.retry.max(SHORTEST_RETRY)).await;
            lock(&self.seen).reconnects += 1;
            let last_event = self.last_id.as_ref().and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok());
            let answer = match self.shared.net.send(self.shared.get(last_event)).await {
                Ok(answer) => answer,
                Err(error) => {
                    causes = vec![format!("the reconnect failed: {error}")];
                    continue;
                }
            };
            if answer.is_success() && answer.media_type() == "text/event-stream" {
                return Ok(EventStream::new(answer, self.shared.net.limit()));
            }
            let status = answer.status();
            causes = vec![format!("the reconnect was answered with HTTP {status} {}", answer.media_type())];
            answer.discard().await;
            if status != 429 && status < 500 {
                return Err(causes);
            }
        }
        if causes.is_empty() {
            causes.push(format!("{MOST_BARREN} reconnects in a row brought no message"));
        }
        Err(causes)
    }

    /// The stream ended for good and the answer did not come.
    pub fn into_error(self, ended: Ended, more_causes: Vec<String>) -> TransportError {
        let seen = lock(&self.seen);
        let mut causes = ended.causes;
        causes.extend(more_causes);
        TransportError::Stream {
            end: ended.end,
            messages: seen.messages,
            bytes: seen.bytes,
            stderr: Vec::new(),
            unfinished: ended.unfinished,
            reconnects: seen.reconnects,
            causes,
        }
    }
}
