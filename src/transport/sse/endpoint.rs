//! The endpoint event: where messages are POSTed (2024-11-05 basic/transports §HTTP with SSE).

use url::Url;

use super::super::TransportError;
use crate::outcome::{Ledger, WarningId};
use crate::trace::{Direction, Redactor, Tracer};

/// Where to POST, and what the server said about it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where to POST.
    pub url: Url,
    /// The event's data as sent, query values masked.
    pub announced: String,
    /// What to do if nothing is found there.
    pub lost_prefix: Option<String>,
}

/// Makes sense of the endpoint event's data. `stream` is the URL that the stream came from, after redirects.
///
/// It is resolved by the URL standard and never guessed at (SSE-01). The specification has no rule about its origin; as
/// in every SDK it must be the stream's own, because credentials go there (SSE-03). `--message-url` is the way out.
///
/// # Errors
/// When it is no URL, or of another origin.
pub fn resolve(
    data: &str,
    stream: &Url,
    instead: Option<&Url>,
    tracer: &Tracer,
    ledger: &Ledger,
) -> Result<Endpoint, TransportError> {
    let redactor = tracer.redactor();
    let data = data.trim();
    let resolved = if data.is_empty() { Err(url::ParseError::EmptyHost) } else { stream.join(data) };
    let announced = match &resolved {
        Ok(url) => shown(data, url, redactor),
        Err(_) => {
            let (path, query) = data.split_once('?').unwrap_or((data, ""));
            format!("{}{}", redactor.mask(path), if query.is_empty() { "" } else { "?***" })
        }
    };
    tracer.frame(Direction::In, "sse", announced.as_bytes());
    if let Some(instead) = instead {
        let mut url = instead.clone();
        // The query carries the session, which only the server knows.
        if url.query().is_none()
            && let Ok(resolved) = &resolved
        {
            url.set_query(resolved.query());
        }
        let text = redactor.url(&url);
        ledger.warn(
            WarningId::EndpointOverride,
            format!("messages go to {text} (--message-url) instead of the announced {announced}"),
        );
        return Ok(Endpoint { url, announced, lost_prefix: None });
    }
    let mut url = match resolved {
        Ok(url) => url,
        Err(_) => {
            let detail = if data.is_empty() { "the endpoint event is empty" } else { "the endpoint event is no URL" };
            return Err(TransportError::Endpoint { detail: detail.to_owned(), announced });
        }
    };
    url.set_fragment(None);
    if url.origin() != stream.origin() {
        return Err(TransportError::EndpointOrigin {
            announced,
            endpoint: url.origin().ascii_serialization(),
            origin: stream.origin().ascii_serialization(),
        });
    }
    let start = data.get(..8).unwrap_or(data).to_ascii_lowercase();
    if start.starts_with("http%3a") || start.starts_with("https%3a") {
        let resolved = redactor.url(&url);
        ledger.warn(
            WarningId::EndpointEncoded,
            format!(
                "the endpoint event looks like a percent-encoded URL: {announced}; as it stands it means {resolved}"
            ),
        );
    }
    let lost_prefix = lost_prefix(stream, &url);
    Ok(Endpoint { url, announced, lost_prefix })
}

/// The data as sent, with the values of its query masked.
fn shown(data: &str, resolved: &Url, redactor: &Redactor) -> String {
    let masked = redactor.url(resolved);
    match (data.split_once('?'), masked.split_once('?')) {
        (Some((path, _)), Some((_, query))) => format!("{}?{query}", redactor.mask(path)),
        _ => redactor.mask(data).into_owned(),
    }
}

/// The hint for a server behind a proxy that adds a prefix which the server does not know (SSE-01).
fn lost_prefix(stream: &Url, endpoint: &Url) -> Option<String> {
    let (prefix, _) = stream.path().rsplit_once('/')?;
    if prefix.is_empty() || endpoint.path().starts_with(&format!("{prefix}/")) {
        return None;
    }
    let mut better = endpoint.clone();
    better.set_query(None);
    better.set_path(&format!("{prefix}{}", endpoint.path()));
    Some(format!(
        "the SSE URL has the prefix {prefix} and the announced endpoint has not: the server may not know the proxy in front \
         of it; try --message-url {better}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(stream: &str, data: &str, instead: Option<&str>) -> (Result<Endpoint, TransportError>, Vec<WarningId>) {
        let ledger = Ledger::default();
        let instead = instead.map(|url| Url::parse(url).unwrap());
        let stream = Url::parse(stream).unwrap();
        let endpoint = resolve(data, &stream, instead.as_ref(), &Tracer::new(), &ledger);
        (endpoint, ledger.snapshot().warnings.iter().map(|warning| warning.id).collect())
    }

    fn url(stream: &str, data: &str) -> String {
        resolved(stream, data, None).0.unwrap().url.to_string()
    }

    #[test]
    fn endpoints_are_resolved_by_the_url_standard() {
        assert_eq!(url("http://h/gw/sse", "/messages?sid=1"), "http://h/messages?sid=1");
        assert_eq!(url("http://h/gw/sse", "messages"), "http://h/gw/messages");
        assert_eq!(url("http://h/gw/sse?a=b", "?sid=2"), "http://h/gw/sse?sid=2");
        assert_eq!(url("http://h:80/sse", "http://H/m"), "http://h/m");
        assert_eq!(url("http://[::1]:8/sse", "//[::1]:8/m"), "http://[::1]:8/m");
        assert_eq!(url("http://h/a/sse", "  ../m \n"), "http://h/m");
    }

    #[test]
    fn other_origins_are_refused() {
        for (stream, data) in [
            ("http://h/sse", "http://0.0.0.0:9/m?sid=secret-id"),
            ("https://h/sse", "http://h/m"),
            ("http://h:1/sse", "http://h:2/m"),
            ("http://h/sse", "file:///m"),
        ] {
            let error = resolved(stream, data, None).0.unwrap_err();
            assert!(matches!(error, TransportError::EndpointOrigin { .. }), "{data}: {error:?}");
            assert!(!format!("{error:?}").contains("secret-id"));
        }
    }

    #[test]
    fn no_url_is_told() {
        for data in ["", "http://[", "  "] {
            let error = resolved("http://h/sse", data, None).0.unwrap_err();
            assert!(matches!(error, TransportError::Endpoint { .. }), "{data}: {error:?}");
        }
    }

    #[test]
    fn an_encoded_url_is_used_as_it_stands_with_a_warning() {
        let (endpoint, warnings) = resolved("http://h/sse", "http%3A//127.0.0.1%3A8000/messages/?session_id=1", None);
        assert_eq!(endpoint.unwrap().url.as_str(), "http://h/http%3A//127.0.0.1%3A8000/messages/?session_id=1");
        assert_eq!(warnings, [WarningId::EndpointEncoded]);
    }

    #[test]
    fn the_override_keeps_the_announced_session() {
        let (endpoint, warnings) = resolved("http://h/gw/sse", "http://other/m?sid=12345678", Some("http://h/gw/m"));
        let endpoint = endpoint.unwrap();
        assert_eq!(endpoint.url.as_str(), "http://h/gw/m?sid=12345678");
        assert_eq!(endpoint.announced, "http://other/m?sid=***");
        assert_eq!(warnings, [WarningId::EndpointOverride]);
        let (endpoint, _) = resolved("http://h/gw/sse", "/m?sid=1", Some("http://h/gw/m?own=2"));
        assert_eq!(endpoint.unwrap().url.as_str(), "http://h/gw/m?own=2");
        assert_eq!(resolved("http://h/sse", "", Some("http://h/m")).0.unwrap().url.as_str(), "http://h/m");
    }

    #[test]
    fn a_lost_prefix_is_noticed() {
        let hint = resolved("http://h/gw/sse", "/messages?sid=1", None).0.unwrap().lost_prefix.unwrap();
        assert!(hint.contains("--message-url http://h/gw/messages"), "{hint}");
        assert!(resolved("http://h/sse", "/messages", None).0.unwrap().lost_prefix.is_none());
        assert!(resolved("http://h/gw/sse", "/gw/messages", None).0.unwrap().lost_prefix.is_none());
    }
}
