//! A POST of this era over Streamable HTTP: one request, and its answer as JSON or, if something comes before it, as events
//! (2026-07-28 basic/transports/streamable-http §Sending Messages).

use std::sync::Arc;
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::{admit, serve};
use crate::demo::body::Body;
use crate::demo::context::{Out, Outlet};
use crate::demo::message::{self, Incoming, Message, Request, RpcError};
use crate::demo::misbehave;
use crate::demo::replies::{self, JSON};
use crate::demo::server::Shared;

/// Time between two comments on a stream that is otherwise silent.
const KEEP_ALIVE: Duration = Duration::from_secs(3);

/// Answers the messages of a POST.
pub async fn respond(shared: &Arc<Shared>, headers: &HeaderMap, incoming: Incoming) -> Response<Body> {
    let refused = |what: &str| replies::error(StatusCode::BAD_REQUEST, RpcError::invalid_request(what));
    let mut messages = incoming.messages;
    let message = match messages.pop() {
        Some(message) if !incoming.batch => message,
        _ => return refused("Invalid Request: arrays of messages exist in protocol version 2025-03-26 only"),
    };
    match message {
        Message::Request(request) => answer(shared, headers, request).await,
        Message::Notification { method, .. } => {
            shared.world.log.method(&method);
            replies::empty(StatusCode::ACCEPTED)
        }
        Message::Response { .. } => refused("Invalid Request: the server asked nothing, so nothing can be answered"),
    }
}

async fn answer(shared: &Arc<Shared>, headers: &HeaderMap, request: Request) -> Response<Body> {
    let caller = match admit(&shared.world, &request, Some(headers)) {
        Ok(caller) => caller,
        Err(error) => {
            let status = if error.code == -32601 { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
            return replies::reply(status, JSON, Body::whole(message::answer(Some(&request.id), &Err(error))));
        }
    };
    if let Some(fault) = replies::fault(shared, [&request].into_iter()) {
        return fault;
    }
    let chosen = misbehave::chosen(&shared.world.faults).filter(|_| request.method == "tools/call");
    let (outlet, mut answers) = Outlet::channel();
    shared.world.spawn(serve(&shared.world, request, caller, outlet, CancellationToken::new()));
    if chosen.is_some_and(misbehave::streams) {
        return events(Body::session(answers, None, KEEP_ALIVE, None));
    }
    match answers.recv().await {
        Some(Out::Answer(text, code)) => replies::reply(status(code), JSON, Body::whole(text)),
        Some(Out::Message(text)) => {
            let first = Body::event(&text);
            events(Body::session(answers, Some(first), KEEP_ALIVE, None))
        }
        // Nothing is left to say; a stream without events says it.
        _ => events(Body::session(answers, None, KEEP_ALIVE, None)),
    }
}

/// The status that goes with an error (2026-07-28 basic §Error Codes); for all others there is none.
fn status(code: Option<i64>) -> StatusCode {
    match code {
        Some(-32601) => StatusCode::NOT_FOUND,
        Some(-32022..=-32020) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// An event stream that proxies do not hold back (2026-07-28 basic/transports/streamable-http §Receiving Messages).
fn events(body: Body) -> Response<Body> {
    let mut response = replies::events(body);
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

#[cfg(test)]
#[path = "post_tests.rs"]
mod tests;
