//! HTTP+SSE (2024-11-05): an event stream at `/sse` that names the place for POSTs.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};

use super::body::{Body, EndsSession, KEEP_ALIVE};
use super::context::Outlet;
use super::faults::Fault;
use super::message;
use super::replies::{self, Refusal};
use super::server::Shared;

const MESSAGES: &str = "/messages";

/// Answers one HTTP request.
pub async fn respond(shared: &Arc<Shared>, request: Request<Incoming>) -> Response<Body> {
    if let Some(refusal) = replies::foreign_origin(request.headers()) {
        return refusal;
    }
    match (request.uri().path(), request.method()) {
        ("/sse", &Method::GET) => open(shared),
        ("/sse", _) => replies::not_allowed("GET"),
        (MESSAGES, &Method::POST) => post(shared, request).await.unwrap_or_else(|refusal| *refusal),
        (MESSAGES, _) => replies::not_allowed("POST"),
        _ => replies::plain(StatusCode::NOT_FOUND, "Not Found"),
    }
}

/// "When a client connects, the server MUST send an endpoint event containing a URI for the client to use for sending messages"
/// (2024-11-05 basic/transports §HTTP with SSE).
fn open(shared: &Arc<Shared>) -> Response<Body> {
    shared.world.log.with(|seen| seen.gets += 1);
    let (outlet, messages) = Outlet::channel();
    let session = shared.session();
    session.add_stream(outlet);
    let id = shared.keep(session);
    let (endpoint, pause) = if shared.world.commits(Fault::NoEndpoint) {
        (None, Duration::from_millis(250))
    } else {
        let origin = if shared.world.commits(Fault::EndpointOrigin) { "http://other.invalid:9" } else { "" };
        (Some(format!("event: endpoint\ndata: {origin}{MESSAGES}?session_id={id}\n\n")), KEEP_ALIVE)
    };
    let ends = EndsSession { shared: shared.clone(), id };
    replies::events(Body::session(messages, endpoint, pause, Some(ends)))
}

async fn post(shared: &Arc<Shared>, request: Request<Incoming>) -> Result<Response<Body>, Refusal> {
    shared.world.log.with(|seen| seen.posts += 1);
    if let Some(refusal) = replies::unauthorized(shared) {
        return Err(refusal.into());
    }
    if !replies::is_json(request.headers()) {
        return Err(replies::plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Content-Type must be application/json").into());
    }
    let query = request.uri().query().unwrap_or_default();
    let Some(id) = query.split('&').find_map(|pair| pair.strip_prefix("session_id=")) else {
        return Err(replies::plain(StatusCode::BAD_REQUEST, "session_id is missing").into());
    };
    let Some((session, stream)) = shared.find(id).and_then(|session| Some((session.clone(), session.stream()?))) else {
        return Err(replies::plain(StatusCode::NOT_FOUND, "there is no such session").into());
    };
    let bytes = replies::read(request.into_body()).await?;
    let incoming = message::parse(&bytes).map_err(|error| Box::new(replies::error(StatusCode::BAD_REQUEST, error)))?;
    if incoming.batch && session.version() != Some("2025-03-26") {
        return Err(replies::plain(
            StatusCode::BAD_REQUEST,
            "arrays of messages exist in protocol version 2025-03-26 only",
        )
        .into());
    }
    if let Some(fault) = replies::fault(shared, incoming.requests()) {
        return Ok(fault);
    }
    for message in incoming.messages {
        if let Some(work) = session.receive(message, stream.clone()) {
            shared.world.spawn(work);
        }
    }
    Ok(replies::plain(StatusCode::ACCEPTED, "Accepted"))
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
