//! The exchange of one request: what its HTTP answer is, and what is reported of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::net::{Answer, Call, EventStream};
use super::super::{Event, Origin, Outgoing, Seen, TransportError, rpc};
use super::reading::{Over, Reading};
use super::{Shared, lock};
use crate::outcome::WarningId;
use crate::trace::Direction;

/// How long an event stream may take to end after its answer, so that its connection can be used again. Nobody waits
/// for it (FRM-08: a stream that is left open is closed).
const END_TIME: Duration = Duration::from_millis(100);

/// One request on its way.
pub struct Exchange {
    shared: Arc<Shared>,
    key: u64,
    opens_session: bool,
    resumable: bool,
    seen: Arc<Mutex<Seen>>,
}

/// Nobody listens any more.
struct Gone;

/// How the reading of an answer came out: the error for the exchange, and a stream that may end by itself.
type Outcome = Result<(Option<TransportError>, Option<EventStream>), Gone>;

impl Exchange {
    pub fn new(shared: Arc<Shared>, key: u64, message: &Outgoing, seen: Arc<Mutex<Seen>>) -> Exchange {
        Exchange { shared, key, opens_session: message.opens_session, resumable: message.resumable, seen }
    }

    /// Sends the request and reports everything that comes of it.
    pub async fn run(self, call: Call) {
        if let Ok((error, rest)) = self.answer(call).await {
            if let Some(running) = lock(&self.shared.exchanges).get_mut(&self.key) {
                running.over = true;
            }
            // A closed inbox has no reader that could miss it.
            let _ = self.shared.events.send(Ok(Event::ExchangeOver { key: self.key, error })).await;
            if let Some(rest) = rest {
                let _ = tokio::time::timeout(END_TIME, rest.run_out()).await;
            }
        }
        lock(&self.shared.exchanges).remove(&self.key);
    }

    async fn answer(&self, call: Call) -> Outcome {
        let mut answer = match self.shared.net.send(call).await {
            Ok(answer) => answer,
            Err(error) => return Ok((Some(error), None)),
        };
        lock(&self.seen).status = Some(answer.status());
        if self.opens_session && answer.is_success() {
            self.shared.take_session(&answer);
        }
        if let Some(encoding) = answer.foreign_encoding() {
            let body = answer.read_refusal(0, self.shared.context.timeout).await;
            let problem = format!("content encoding {encoding}, which was not asked for");
            return Ok((Some(answer.refused(&body, Some(problem))), None));
        }
        if !answer.is_success() {
            return self.refused(answer).await;
        }
        if answer.media_type() == "text/event-stream" {
            return self.events(answer).await;
        }
        // What does not say that it is JSON is read as long as a refusal is: a page that stalls is no reason to wait.
        if answer.media_type() != "application/json" && !answer.media_type().is_empty() {
            let body = answer.read_refusal(self.shared.net.limit(), self.shared.context.timeout).await;
            return self.body(answer, body).await;
        }
        match answer.body(self.shared.net.limit()).await {
            Ok(body) => self.body(answer, body).await,
            Err(error) => Ok((Some(error), None)),
        }
    }

    /// The whole body of a 2xx answer that is no stream.
    async fn body(&self, answer: Answer, body: Vec<u8>) -> Outcome {
        lock(&self.seen).bytes = body.len() as u64;
        let media_type = answer.media_type();
        if body.iter().all(u8::is_ascii_whitespace) {
            let problem = if answer.status() == 202 { "Accepted without an answer" } else { "empty body" };
            return Ok((Some(answer.refused(&body, Some(problem.to_owned()))), None));
        }
        if media_type != "application/json" {
            let named =
                if media_type.is_empty() { "no media type".to_owned() } else { format!("media type {media_type}") };
            if !rpc::looks_like_response(&body) {
                self.trace(&body);
                return Ok((Some(answer.refused(&body, Some(named))), None));
            }
            let message = format!("the answer is a JSON-RPC message with {named} instead of application/json");
            self.shared.context.ledger.warn(WarningId::ContentType, message);
        }
        self.report(body, answer.status()).await
    }

    /// The body of a refusal beats its status: a JSON-RPC message in it is the answer (HTTP-05;
    /// 2025-03-26 and later basic/transports §Sending Messages to the Server allow an error in it).
    async fn refused(&self, mut answer: Answer) -> Outcome {
        let limit = self.shared.net.limit();
        let mut body = answer.read_refusal(limit, self.shared.context.timeout).await;
        lock(&self.seen).bytes = body.len() as u64;
        if answer.media_type() == "text/event-stream"
            && let Some(message) = rpc::response_in_events(&body, limit)
        {
            body = message;
        }
        // 401 and 403 with a challenge ask for a credential, whatever words they are wrapped in (NET-01).
        if !answer.challenges() && rpc::looks_like_response(&body) {
            return self.report(body, answer.status()).await;
        }
        self.trace(&body);
        Ok((Some(answer.refused(&body, None)), None))
    }

    async fn report(&self, bytes: Vec<u8>, status: u16) -> Outcome {
        self.trace(&bytes);
        lock(&self.seen).messages += 1;
        let event = Event::Message { bytes, origin: Origin::Exchange(self.key), http_status: Some(status) };
        self.shared.events.send(Ok(event)).await.map_err(|_| Gone)?;
        Ok((None, None))
    }

    fn trace(&self, body: &[u8]) {
        if !body.is_empty() {
            self.shared.context.tracer.frame(Direction::In, "POST", body);
        }
    }

    /// An event stream, resumed as long as the answer is missing and can still come.
    async fn events(&self, answer: Answer) -> Outcome {
        let mut reading = Reading::new(&self.shared, Origin::Exchange(self.key), Arc::clone(&self.seen));
        let mut stream = EventStream::new(answer, self.shared.net.limit());
        loop {
            let ended = match reading.read(&mut stream).await {
                Over::Answered => return Ok((None, Some(stream))),
                Over::Gone => return Err(Gone),
                Over::Failed(error) => return Ok((Some(error), None)),
                Over::Ended(ended) => ended,
            };
            // A response with a foreign id came: that is what the server has to say, and no reconnect changes it.
            if reading.has_response() {
                return Ok((None, None));
            }
            if !self.resumable || !reading.can_resume() {
                return Ok((Some(reading.into_error(ended, Vec::new())), None));
            }
            stream = match reading.reconnect().await {
                Ok(stream) => stream,
                Err(causes) => return Ok((Some(reading.into_error(ended, causes)), None)),
            };
        }
    }
}
