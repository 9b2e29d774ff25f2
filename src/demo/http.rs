//! Streamable HTTP at `/mcp`. Of 2026-07-28 there is only POST, which `modern/post.rs` answers; this is the era from 2025-03-26 on:
//! POST, the standing GET stream, DELETE.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

use super::body::Body;
use super::context::{Out, Outlet};
use super::eras::{Eras, LEGACY};
use super::faults::Fault;
use super::message::{self, Incoming as Messages, Message, RpcError};
use super::modern;
use super::replies::{self, EVENTS, JSON, Refusal};
use super::server::Shared;
use super::session::Session;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// Answers one HTTP request.
pub async fn respond(shared: &Arc<Shared>, request: Request<Incoming>) -> Response<Body> {
    if let Some(refusal) = replies::foreign_origin(request.headers()) {
        return refusal;
    }
    if request.uri().path() != "/mcp" {
        return replies::plain(StatusCode::NOT_FOUND, "Not Found");
    }
    if let Some(refusal) = replies::unauthorized(shared) {
        return refusal;
    }
    let method = request.method().clone();
    let answer = match method {
        Method::POST => post(shared, request).await,
        Method::GET | Method::DELETE if is_modern(shared, request.headers(), None) => Ok(replies::not_allowed("POST")),
        Method::GET => get(shared, request.headers()),
        Method::DELETE => delete(shared, request.headers()),
        _ => Ok(replies::not_allowed("GET, POST, DELETE")),
    };
    answer.unwrap_or_else(|refusal| *refusal)
}

type Answer = Result<Response<Body>, Refusal>;

async fn post(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    shared.world.log.with(|seen| seen.posts += 1);
    let (head, body) = request.into_parts();
    let headers = &head.headers;
    // "The client MUST include an Accept header, listing both" (2025-11-25 basic/transports §Sending Messages to the Server, 2).
    if !(replies::accepts(headers, JSON) && replies::accepts(headers, EVENTS)) {
        let what = "Not Acceptable: Accept must list both application/json and text/event-stream";
        return Err(replies::error(StatusCode::NOT_ACCEPTABLE, RpcError::invalid_request(what)).into());
    }
    if !replies::is_json(headers) {
        let what = "Unsupported Media Type: Content-Type must be application/json";
        return Err(replies::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, RpcError::invalid_request(what)).into());
    }
    let bytes = replies::read(body).await?;
    let incoming = message::parse(&bytes).map_err(|error| Box::new(replies::error(StatusCode::BAD_REQUEST, error)))?;
    match is_modern(shared, headers, Some(&incoming)) {
        // As servers do that have never heard of 2026-07-28: the request is the first without a session.
        true if shared.world.eras == Eras::Legacy => {
            let error = RpcError::new(-32000, "Bad Request: Server not initialized");
            Err(replies::error(StatusCode::BAD_REQUEST, error).into())
        }
        true => Ok(modern::respond(shared, headers, incoming).await),
        false => post_legacy(shared, headers, incoming).await,
    }
}

/// Whether a request is of 2026-07-28: it says so itself, or the version in its header is none that `initialize` opens. A session id
/// speaks against the header, not against the request.
fn is_modern(shared: &Shared, headers: &HeaderMap, incoming: Option<&Messages>) -> bool {
    let unknown = |value: &HeaderValue| !LEGACY.iter().any(|version| value == version);
    shared.world.eras == Eras::Modern
        || incoming.is_some_and(|incoming| incoming.requests().any(modern::claims))
        || (headers.get(VERSION).is_some_and(unknown) && !headers.contains_key(SESSION))
}

async fn post_legacy(shared: &Arc<Shared>, headers: &HeaderMap, incoming: Messages) -> Answer {
    check_version(headers)?;
    let session_id = session_id(headers);
    if let ([Message::Request(request)], false) = (&incoming.messages[..], incoming.batch)
        && request.method == "initialize"
    {
        return Ok(initialize(shared, incoming.messages).await);
    }
    let session = find(shared, session_id)?;
    // Arrays exist in 2025-03-26 only; there "implementations MUST support receiving" them (2025-03-26 basic §Batching).
    if incoming.batch && session.version() != Some("2025-03-26") {
        let what = "Invalid Request: arrays of messages exist in protocol version 2025-03-26 only";
        return Err(replies::error(StatusCode::BAD_REQUEST, RpcError::invalid_request(what)).into());
    }
    if let Some(fault) = replies::fault(shared, incoming.requests()) {
        return Ok(fault);
    }
    if shared.world.commits(Fault::SessionLost) && incoming.requests().any(|request| request.method == "tools/call") {
        shared.forget(session_id.unwrap_or_default());
        return Err(session_not_found().into());
    }
    Ok(carry(shared, &session, incoming.messages, incoming.batch).await)
}

/// The session id is assigned "at initialization time, by including it in an Mcp-Session-Id header on the HTTP response
/// containing the InitializeResult" (2025-11-25 basic/transports §Session Management, 1).
async fn initialize(shared: &Arc<Shared>, messages: Vec<Message>) -> Response<Body> {
    let session = shared.session();
    let mut response = carry(shared, &session, messages, false).await;
    if session.version().is_some()
        && let Ok(id) = shared.keep(session).parse()
    {
        response.headers_mut().insert(SESSION, id);
    } else if shared.world.commits(Fault::UnsupportedVersion) {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}

/// Hands the messages to the session, and brings its answers: one as JSON, a stream as events, none as 202.
async fn carry(shared: &Shared, session: &Arc<Session>, messages: Vec<Message>, batch: bool) -> Response<Body> {
    let (outlet, mut answers) = Outlet::channel();
    let streams = batch
        || messages.iter().any(|message| matches!(message, Message::Request(request) if session.streams(request)));
    let mut requests = 0;
    for message in messages {
        if let Some(work) = session.receive(message, outlet.clone()) {
            requests += 1;
            shared.world.spawn(work);
        }
    }
    drop(outlet);
    if requests == 0 {
        // "the server MUST return HTTP status code 202 Accepted with no body" (2025-11-25 basic/transports §Sending Messages to the
        // Server, 4).
        return replies::empty(StatusCode::ACCEPTED);
    }
    if streams {
        return replies::events(Body::events(answers));
    }
    match answers.recv().await {
        Some(Out::Message(text) | Out::Answer(text, _)) => replies::reply(StatusCode::OK, JSON, Body::whole(text)),
        // A cancelled request gets no answer, but HTTP needs one: a stream without events.
        _ => replies::events(Body::events(answers)),
    }
}

/// The standing stream (2025-11-25 basic/transports §Listening for Messages from the Server).
fn get(shared: &Arc<Shared>, headers: &HeaderMap) -> Answer {
    shared.world.log.with(|seen| seen.gets += 1);
    if !replies::accepts(headers, EVENTS) {
        let what = "Not Acceptable: Accept must list text/event-stream";
        return Err(replies::error(StatusCode::NOT_ACCEPTABLE, RpcError::invalid_request(what)).into());
    }
    check_version(headers)?;
    let session = find(shared, session_id(headers))?;
    let (outlet, messages) = Outlet::channel();
    match session.add_stream(outlet) {
        true => Ok(replies::events(Body::events(messages))),
        false => Err(replies::plain(StatusCode::CONFLICT, "this session has enough streams already").into()),
    }
}

/// The client ends its session (2025-11-25 basic/transports §Session Management, 5).
fn delete(shared: &Arc<Shared>, headers: &HeaderMap) -> Answer {
    check_version(headers)?;
    find(shared, session_id(headers))?;
    shared.forget(session_id(headers).unwrap_or_default());
    shared.world.log.with(|seen| seen.deletes += 1);
    Ok(replies::empty(StatusCode::OK))
}

fn session_id(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION).and_then(|value| value.to_str().ok())
}

/// 400 without a session id, 404 with an unknown one (2025-11-25 basic/transports §Session Management, 2 and 3).
fn find(shared: &Shared, id: Option<&str>) -> Result<Arc<Session>, Refusal> {
    match id {
        Some(id) => shared.find(id).ok_or_else(|| session_not_found().into()),
        None => {
            let what = "Bad Request: the Mcp-Session-Id header is missing";
            Err(replies::error(StatusCode::BAD_REQUEST, RpcError::invalid_request(what)).into())
        }
    }
}

fn session_not_found() -> Response<Body> {
    replies::error(StatusCode::NOT_FOUND, RpcError::invalid_request("Session not found"))
}

/// "If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it MUST respond with 400 Bad Request"
/// (2025-11-25 basic/transports §Protocol Version Header).
fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    match headers.get(VERSION) {
        Some(value) if !LEGACY.iter().any(|version| value == version) => {
            let what = format!("Bad Request: unsupported MCP-Protocol-Version; supported: {}", LEGACY.join(", "));
            Err(replies::error(StatusCode::BAD_REQUEST, RpcError::invalid_request(what)).into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "http_tests.rs"]
mod tests;
