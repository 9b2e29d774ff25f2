//! An HTTP answer: its head as facts, its body in bounded pieces.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Response, StatusCode, header};
use url::Url;

use super::super::{HttpFault, StreamEnd, TransportError};
use super::{Call, Net, excerpt, failure, page};
use crate::trace::Tracer;

/// How long a body of no use may take: enough for what is already on its way, so that the connection can be used again.
const DISCARD_TIME: Duration = Duration::from_millis(100);
/// How much of a body of no use is read.
const DISCARD_BYTES: usize = 64 * 1024;
/// How long the body of a refusal may take. Its status is known, so that the body is worth a moment and no more.
const REFUSAL_TIME: Duration = Duration::from_secs(1);
/// How much of it is read: a JSON-RPC error fits, an endless page does not.
const REFUSAL_BYTES: usize = 1024 * 1024;
/// How much of a body is kept as evidence.
const BODY_EXCERPT: usize = 2048;
/// Headers of an answer that help to find who sent it and why.
const SHOWN_HEADERS: [&str; 6] = ["server", "via", "retry-after", "location", "allow", "content-encoding"];

/// An answer whose head has come.
pub struct Answer {
    response: Response,
    method: Method,
    shown_url: String,
    credential_sent: bool,
    received: u64,
    announced: Option<u64>,
    tracer: Arc<Tracer>,
    /// The proxy that forwarded the request, if it saw the plain request, and where it was named.
    forwarded_by: Option<(String, &'static str)>,
}

impl Answer {
    pub(super) fn new(response: Response, call: &Call, credential_sent: bool, net: &Net) -> Answer {
        let tracer = Arc::clone(&net.context.tracer);
        let proxy = net.proxies.choose(&call.url).filter(|_| call.url.scheme() == "http");
        let forwarded_by = proxy.map(|proxy| (tracer.redactor().url(&proxy.url), proxy.source_name));
        Answer {
            method: call.method.clone(),
            shown_url: tracer.redactor().url(&call.url),
            credential_sent,
            received: 0,
            announced: response.content_length(),
            response,
            tracer,
            forwarded_by,
        }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    pub(super) fn status_code(&self) -> StatusCode {
        self.response.status()
    }

    /// Whether the status is 2xx.
    pub fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    /// Where it came from, after redirects.
    pub fn url(&self) -> &Url {
        self.response.url()
    }

    pub(super) fn method(&self) -> &Method {
        &self.method
    }

    pub(super) fn tracer(&self) -> &Tracer {
        &self.tracer
    }

    /// Bytes of the body that have come.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<String> {
        let value = self.response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    }

    /// A header's value, to the byte.
    pub fn raw_header(&self, name: &str) -> Option<header::HeaderValue> {
        self.response.headers().get(name).cloned()
    }

    /// The media type in lower case without parameters (RFC 9110 §8.3.1, HTTP-08); empty if there is none.
    pub fn media_type(&self) -> String {
        let value = self.header(header::CONTENT_TYPE.as_str()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// A content encoding that cannot be read. None was asked for (HTTP-08).
    pub fn foreign_encoding(&self) -> Option<String> {
        let value = self.header(header::CONTENT_ENCODING.as_str())?;
        let value = value.trim().to_ascii_lowercase();
        (!value.is_empty() && value != "identity").then_some(value)
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// How the body broke off, and the chain of causes.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, (StreamEnd, Vec<String>)> {
        match self.response.chunk().await {
            Ok(Some(chunk)) => {
                self.received += chunk.len() as u64;
                Ok(Some(chunk))
            }
            Ok(None) => Ok(None),
            Err(error) => Err(failure::of_body(&error, self.received, self.announced)),
        }
    }

    /// The whole body.
    ///
    /// # Errors
    /// When it breaks off, or is larger than `limit`.
    pub async fn body(&mut self, limit: usize) -> Result<Vec<u8>, TransportError> {
        let mut body = Vec::new();
        loop {
            match self.chunk().await {
                Ok(Some(chunk)) => {
                    if body.len() + chunk.len() > limit {
                        return Err(TransportError::TooLarge { limit, seen: body.len() + chunk.len() });
                    }
                    body.extend_from_slice(&chunk);
                }
                Ok(None) => return Ok(body),
                Err((end, causes)) => {
                    return Err(TransportError::Stream {
                        end,
                        messages: 0,
                        bytes: self.received,
                        stderr: Vec::new(),
                        unfinished: (!body.is_empty()).then(|| excerpt(&body, 200)),
                        reconnects: 0,
                        causes,
                    });
                }
            }
        }
    }

    /// Reads what little may still come, so that the connection can be used again, and gives it. A body that is late or
    /// endless closes the connection instead, by dropping the answer.
    pub async fn discard(mut self) -> Vec<u8> {
        self.read_some(DISCARD_BYTES, DISCARD_TIME).await
    }

    /// As much of the body of a refusal as comes in time. One that breaks off is evidence as far as it came; the status
    /// says what happened.
    ///
    /// The wait is a part of the idle clock at most, so that the status is told and not a timeout.
    pub async fn read_refusal(&mut self, limit: usize, idle: Option<Duration>) -> Vec<u8> {
        let time = idle.map_or(REFUSAL_TIME, |idle| REFUSAL_TIME.min(idle / 2));
        self.read_some(limit.min(REFUSAL_BYTES), time).await
    }

    async fn read_some(&mut self, limit: usize, time: Duration) -> Vec<u8> {
        let mut body = Vec::new();
        let read = async {
            while body.len() <= limit
                && let Ok(Some(chunk)) = self.chunk().await
            {
                body.extend_from_slice(&chunk);
            }
        };
        // Over the time, what came until then is what there is.
        let _ = tokio::time::timeout(time, read).await;
        body
    }

    /// The facts of this answer as a fault.
    pub fn fault(&self, body: &[u8], problem: Option<String>) -> HttpFault {
        let redactor = self.tracer.redactor();
        let headers = self.response.headers();
        let shown = SHOWN_HEADERS.iter().filter_map(|&name| {
            let value = self.header(name)?;
            let location = (name == "location").then(|| self.url().join(&value));
            let value = match location {
                Some(Ok(url)) => redactor.url(&url),
                _ => redactor.mask(&value).into_owned(),
            };
            Some((name.to_owned(), value))
        });
        let challenges = headers.get_all(header::WWW_AUTHENTICATE).iter();
        let text = match self.foreign_encoding() {
            Some(encoding) if !body.is_empty() => format!("({} bytes of {encoding})", body.len()),
            // Masked before it is cut, so that no cut leaves a part of a secret that is not known as one.
            _ => {
                let masked = redactor.mask(&excerpt(body, 2 * BODY_EXCERPT)).into_owned();
                excerpt(masked.as_bytes(), BODY_EXCERPT)
            }
        };
        HttpFault {
            method: self.method.as_str().to_owned(),
            url: self.shown_url.clone(),
            status: self.status(),
            reason_phrase: self.reason_phrase(),
            content_type: self.header(header::CONTENT_TYPE.as_str()),
            headers: shown.collect(),
            challenges: challenges
                .map(|value| redactor.mask(&String::from_utf8_lossy(value.as_bytes())).into_owned())
                .collect(),
            headline: page::headline(&text),
            body: text,
            body_bytes: body.len(),
            credential_sent: self.credential_sent,
            problem,
            hint: None,
        }
    }

    fn reason_phrase(&self) -> String {
        match self.response.extensions().get::<hyper::ext::ReasonPhrase>() {
            Some(phrase) => String::from_utf8_lossy(phrase.as_bytes()).into_owned(),
            None => self.response.status().canonical_reason().unwrap_or_default().to_owned(),
        }
    }

    /// What a refusal means: 401, and 403 with a challenge, ask for authorization
    /// (2025-06-18 and later basic/authorization §Error Handling); a proxy that forwards says its own troubles by status.
    /// Whether it asks for a credential: 401, or 403 with a challenge.
    pub fn challenges(&self) -> bool {
        let has_challenge = self.response.headers().contains_key(header::WWW_AUTHENTICATE);
        self.status() == 401 || (self.status() == 403 && has_challenge)
    }

    pub fn refused(&self, body: &[u8], problem: Option<String>) -> TransportError {
        let fault = Box::new(self.fault(body, problem));
        match (&self.forwarded_by, fault.status) {
            _ if self.challenges() => TransportError::Auth(fault),
            (Some((proxy, source_name)), 407 | 502 | 504) => {
                let mut causes = vec![format!("HTTP {} {}", fault.status, fault.reason_phrase).trim_end().to_owned()];
                let HttpFault { headline, body, .. } = *fault;
                causes.extend(headline.or_else(|| Some(body).filter(|body| !body.is_empty())));
                TransportError::Proxy { proxy: proxy.clone(), source_name: (*source_name).to_owned(), causes }
            }
            _ => TransportError::Http(fault),
        }
    }
}
