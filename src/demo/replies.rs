//! What both HTTP transports share: reading headers, short answers, and the faults that are an HTTP status.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, ORIGIN,
    RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::{Response, StatusCode};

use super::body::Body;
use super::faults::Fault;
use super::message::{self, Request, RpcError};
use super::misbehave;
use super::server::Shared;

/// Bytes that a request body may have.
const MOST: usize = 64 << 20;

/// The media type of JSON.
pub const JSON: &str = "application/json";
/// The media type of event streams.
pub const EVENTS: &str = "text/event-stream";

/// An answer that ends the work early; boxed, because it is rare and large.
pub type Refusal = Box<Response<Body>>;

/// An answer with a body of a media type.
pub fn reply(status: StatusCode, media_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// An answer of plain text.
pub fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    reply(status, "text/plain; charset=utf-8", Body::whole(text))
}

/// An answer without a body.
pub fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::whole(""));
    *response.status_mut() = status;
    response
}

/// A JSON-RPC error that belongs to no request.
pub fn error(status: StatusCode, error: RpcError) -> Response<Body> {
    reply(status, JSON, Body::whole(message::answer(None, &Err(error))))
}

/// An event stream.
pub fn events(body: Body) -> Response<Body> {
    let mut response = reply(StatusCode::OK, EVENTS, body);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// 405, with the methods that there are.
pub fn not_allowed(methods: &'static str) -> Response<Body> {
    let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}

/// Refuses pages of other hosts: "Servers MUST validate the Origin header ... respond with HTTP 403 Forbidden"
/// (2025-11-25 basic/transports §Security Warning).
pub fn foreign_origin(headers: &HeaderMap) -> Option<Response<Body>> {
    let origin = headers.get(ORIGIN)?;
    let host = origin.to_str().ok().and_then(|origin| url::Url::parse(origin).ok());
    let local = match host.as_ref().and_then(url::Url::host) {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    (!local).then(|| error(StatusCode::FORBIDDEN, RpcError::invalid_request("Forbidden: Origin is not local")))
}

/// Whether `Accept` lists a media type.
pub fn accepts(headers: &HeaderMap, media_type: &str) -> bool {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|entry| essence(entry).eq_ignore_ascii_case(media_type))
}

/// Whether the body is labelled as JSON.
pub fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| essence(value).eq_ignore_ascii_case(JSON))
}

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// The whole body of a request.
pub async fn read(body: Incoming) -> Result<Bytes, Refusal> {
    match Limited::new(body, MOST).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => {
            Err(plain(StatusCode::PAYLOAD_TOO_LARGE, "Payload Too Large").into())
        }
        Err(_) => Err(plain(StatusCode::BAD_REQUEST, "the body ended early").into()),
    }
}

/// 401 with a challenge (2025-11-25 basic/authorization §Protected Resource Metadata Discovery Requirements, RFC 6750 §3), if
/// that fault was asked for.
pub fn unauthorized(shared: &Shared) -> Option<Response<Body>> {
    shared.world.commits(Fault::Unauthorized).then(|| {
        let metadata = format!("{}/.well-known/oauth-protected-resource", shared.origin());
        challenge(
            StatusCode::UNAUTHORIZED,
            &format!(
                "Bearer error=\"invalid_token\", error_description=\"The access token is missing or expired\", \
                 scope=\"mcp:read mcp:call\", resource_metadata=\"{metadata}\""
            ),
            r#"{"error":"invalid_token","error_description":"The access token is missing or expired"}"#,
        )
    })
}

fn challenge(status: StatusCode, challenge: &str, body: &'static str) -> Response<Body> {
    let mut response = reply(status, JSON, Body::whole(body));
    if let Ok(value) = HeaderValue::from_str(challenge) {
        response.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
    response
}

/// The answer to a POST that holds `tools/call`, if a fault that is an HTTP answer was asked for.
pub fn fault<'a>(shared: &Shared, mut requests: impl Iterator<Item = &'a Request>) -> Option<Response<Body>> {
    let id = &requests.find(|request| request.method == "tools/call")?.id;
    shared.world.faults.iter().find_map(|fault| {
        Some(match fault {
            Fault::Http500 => html(StatusCode::INTERNAL_SERVER_ERROR, "500 Internal Server Error"),
            Fault::Http502Empty => empty(StatusCode::BAD_GATEWAY),
            Fault::Http404 => plain(StatusCode::NOT_FOUND, "Not Found"),
            Fault::Html200 => html(StatusCode::OK, "Please log in"),
            Fault::ForbiddenScope => challenge(
                StatusCode::FORBIDDEN,
                "Bearer error=\"insufficient_scope\", error_description=\"Calling tools needs another scope\", scope=\"mcp:call\"",
                r#"{"error":"insufficient_scope","error_description":"Calling tools needs another scope"}"#,
            ),
            Fault::Http429 => with(plain(StatusCode::TOO_MANY_REQUESTS, "Too Many Requests"), RETRY_AFTER, "1"),
            Fault::Accepted => empty(StatusCode::ACCEPTED),
            Fault::RedirectElsewhere => {
                with(empty(StatusCode::TEMPORARY_REDIRECT), LOCATION, "http://other.invalid:9/mcp")
            }
            Fault::Gzip => with(reply(StatusCode::OK, JSON, Body::whole(GZIPPED)), CONTENT_ENCODING, "gzip"),
            Fault::RpcErrorIn400 => reply(
                StatusCode::BAD_REQUEST,
                JSON,
                Body::whole(message::answer(Some(id), &Err(misbehave::rpc_error()))),
            ),
            _ => return None,
        })
    })
}

/// The beginning of a body in gzip; nobody reads more of it.
const GZIPPED: &[u8] = &[0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03];

/// An answer with one header more.
fn with(mut response: Response<Body>, name: HeaderName, value: &'static str) -> Response<Body> {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
    response
}

fn html(status: StatusCode, title: &str) -> Response<Body> {
    let page = format!(
        "<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n<body>\n<h1>{title}</h1>\n\
         <p>This page comes from the demo server of mcpcli, which was asked to fail.</p>\n</body>\n</html>\n"
    );
    reply(status, "text/html; charset=utf-8", Body::whole(page))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(entries: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in entries {
            map.append(*name, HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn accept_is_read_as_a_list() {
        let both = headers(&[("accept", "Application/JSON;q=0.9, text/event-stream")]);
        assert!(accepts(&both, JSON) && accepts(&both, EVENTS));
        let lines = headers(&[("accept", "application/json"), ("accept", "text/event-stream")]);
        assert!(accepts(&lines, JSON) && accepts(&lines, EVENTS));
        assert!(!accepts(&headers(&[("accept", "*/*")]), JSON));
    }

    #[test]
    fn only_local_origins_pass() {
        for origin in ["http://localhost", "http://localhost:6274", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(foreign_origin(&headers(&[("origin", origin)])).is_none(), "{origin}");
        }
        for origin in ["http://evil.example", "null", "http://localhost.evil.example", "http://10.0.0.1"] {
            let refused = foreign_origin(&headers(&[("origin", origin)])).expect(origin);
            assert_eq!(refused.status(), StatusCode::FORBIDDEN);
        }
        assert!(foreign_origin(&HeaderMap::new()).is_none());
    }
}
