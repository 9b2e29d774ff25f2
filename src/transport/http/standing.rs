//! The standing GET stream on which a legacy server sends on its own.
//!
//! It is optional for both sides (2025-03-26 to 2025-11-25 basic/transports §Listening for Messages from the Server), so
//! nothing that happens on it fails the connection.

use std::sync::{Arc, Mutex};

use tokio::sync::oneshot;

use super::super::net::EventStream;
use super::super::{Event, Listening, Origin, Seen};
use super::reading::{Over, Reading};
use super::{Shared, lock, waited};

/// Opens the stream and returns once the server said whether it stands. Where it says so late, the stream is kept all
/// the same.
pub async fn listen(shared: &Arc<Shared>) -> Listening {
    let (told, listening) = oneshot::channel();
    let task = tokio::spawn(stand(Arc::clone(shared), told)).abort_handle();
    if let Some(former) = lock(&shared.standing).replace(task) {
        former.abort();
    }
    let listening = match shared.context.timeout {
        None => listening.await,
        Some(limit) => match tokio::time::timeout(limit, listening).await {
            Ok(listening) => listening,
            Err(_) => {
                return Listening::Failed(waited("no HTTP answer to the GET of the standing stream".into(), limit));
            }
        },
    };
    // The task is gone only if the connection was closed meanwhile.
    listening.unwrap_or(Listening::Failed(super::TransportError::Closed))
}

async fn stand(shared: Arc<Shared>, told: oneshot::Sender<Listening>) {
    let tracer = &shared.context.tracer;
    let answer = match shared.net.send(shared.get(None)).await {
        Ok(answer) => answer,
        Err(error) => {
            let _ = told.send(Listening::Failed(error));
            return;
        }
    };
    if !answer.is_success() || answer.media_type() != "text/event-stream" {
        let _ = told.send(Listening::Refused(answer.status()));
        answer.discard().await;
        return;
    }
    let _ = told.send(Listening::Open);
    let mut reading = Reading::new(&shared, Origin::Shared, Arc::new(Mutex::new(Seen::default())));
    let mut stream = EventStream::new(answer, shared.net.limit());
    loop {
        match reading.read(&mut stream).await {
            Over::Ended(ended) => tracer.note(format!("the standing stream ended: {:?} {:?}", ended.end, ended.causes)),
            Over::Failed(error) => return over(&shared, format!("the standing stream was closed: {error}")).await,
            Over::Answered | Over::Gone => return,
        }
        // Without an event id nothing can be redelivered, but what comes from now on can be heard.
        stream = match reading.reconnect().await {
            Ok(stream) => stream,
            Err(causes) => {
                return over(&shared, format!("the standing stream is given up: {}", causes.join("; "))).await;
            }
        };
    }
}

/// Says that nothing more will come on it; a closed inbox has no reader who could miss that.
async fn over(shared: &Shared, why: String) {
    shared.context.tracer.note(why.clone());
    let _ = shared.events.send(Ok(Event::StandingOver(why))).await;
}
