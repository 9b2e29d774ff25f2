//! The HTTP client: one connection pool, our headers and the user's, TLS, proxies, and redirects as facts.
//!
//! It knows HTTP and nothing of MCP. An answer of any status is an [`Answer`]; what it means is for the transport.

use std::sync::{Arc, Once};
use std::time::Duration;
use std::time::Instant;

use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use url::Url;

use self::reached::Reached;
use super::{Context, HttpEndpoint, NetSettings, TransportError};
use crate::outcome::WarningId;
use crate::trace::{Record, Redactor};

mod answer;
mod events;
mod failure;
mod page;
mod proxy;
mod reached;
mod redirect;
mod tls;
mod tunnel;

pub use answer::Answer;
pub use events::{EventStream, Step};
pub use page::excerpt;

use proxy::ProxyRules;

/// What we call ourselves.
const USER_AGENT: &str = concat!("mcpcli/", env!("CARGO_PKG_VERSION"));

/// An HTTP client for one endpoint.
pub struct Net {
    client: Client,
    reached: Reached,
    proxies: Arc<ProxyRules>,
    origin: url::Origin,
    endpoint: Url,
    user_headers: HeaderMap,
    settings: NetSettings,
    context: Context,
}

/// One request to make.
pub struct Call {
    /// Its method.
    pub method: Method,
    /// Where it goes.
    pub url: Url,
    /// The headers that we set; the user's are added by [`Net::send`].
    pub headers: HeaderMap,
    /// Its body; kept, so that a redirect can send it again.
    pub body: Option<Bytes>,
}

impl Net {
    /// A client for `endpoint`. Opens no socket.
    ///
    /// # Errors
    /// When a setting cannot be used: a header, a certificate file, a proxy URL.
    pub fn new(endpoint: &HttpEndpoint, settings: &NetSettings, context: &Context) -> Result<Net, TransportError> {
        install_crypto();
        let redactor = context.tracer.redactor();
        // Registers the userinfo and the query values as secrets.
        redactor.url(&endpoint.url);
        let proxies = Arc::new(ProxyRules::read(settings.proxy.as_deref(), |name| std::env::var(name).ok(), redactor)?);
        let reached = Reached::default();
        let mut builder = Client::builder()
            .connector_layer(reached.clone())
            // A redirect is a fact that is reported, and never takes a credential to another origin (HTTP-11).
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        if let Some(limit) = settings.connect_timeout {
            builder = builder.connect_timeout(limit);
        }
        builder = if proxies.is_empty() {
            builder.no_proxy()
        } else {
            let rules = Arc::clone(&proxies);
            builder.proxy(reqwest::Proxy::custom(move |url| rules.choose(url).map(|chosen| chosen.url.clone())))
        };
        let wants_tls = endpoint.url.scheme() == "https" || proxies.want_tls();
        let builder = tls::configure(builder, settings, wants_tls, &context.ledger)?;
        let client = builder.build().map_err(|error| failure::of_client(&error, &endpoint.url, settings))?;
        let user_headers = user_headers(endpoint, &client, context)?;
        let mut plain = endpoint.url.clone();
        // Both fail only for URLs that cannot have userinfo. It travels as a header, see `user_headers`.
        let _ = plain.set_username("");
        let _ = plain.set_password(None);
        Ok(Net {
            client,
            reached,
            proxies,
            origin: plain.origin(),
            endpoint: plain,
            user_headers,
            settings: settings.clone(),
            context: context.clone(),
        })
    }

    /// The endpoint's URL without userinfo.
    pub fn endpoint(&self) -> &Url {
        &self.endpoint
    }

    /// Whether a connection stood at some time.
    pub fn reached(&self) -> bool {
        self.reached.get()
    }

    /// The idle clock.
    pub fn idle(&self) -> Option<Duration> {
        self.context.timeout
    }

    /// The largest message, event or body that is taken in, in bytes.
    pub fn limit(&self) -> usize {
        self.settings.max_message_size
    }

    /// Makes a request and returns once the head of the answer is there. Redirects inside the origin that keep method
    /// and body are followed, with a warning; any other is an error with the evidence.
    ///
    /// # Errors
    /// Why no answer came, or why a redirect was not followed.
    pub async fn send(&self, mut call: Call) -> Result<Answer, TransportError> {
        let mut visited = vec![call.url.clone()];
        loop {
            let answer = self.exchange(&call).await?;
            let Some(next) = redirect::next(&answer, &visited) else { return Ok(answer) };
            match next {
                Ok(next) => {
                    let redactor = self.context.tracer.redactor();
                    let (from, to) = (redactor.url(&call.url), redactor.url(&next));
                    self.context.ledger.warn(
                        WarningId::Redirect,
                        format!("HTTP {} redirects {from} to {to}: use the latter as the URL", answer.status()),
                    );
                    visited.push(next.clone());
                    call.url = next;
                    // The body of a redirect is of no use, but its connection is.
                    answer.discard().await;
                }
                Err(refused) => return Err(refused.into_error(answer, self.leaking(&call)).await),
            }
        }
    }

    /// The names of the headers that a redirect to another origin would have carried there.
    fn leaking(&self, call: &Call) -> Vec<String> {
        let own = call.headers.keys().filter(|name| name.as_str() == "mcp-session-id");
        self.user_headers.keys().chain(own).map(|name| name.as_str().to_owned()).collect()
    }

    /// One request and the head of its answer.
    async fn exchange(&self, call: &Call) -> Result<Answer, TransportError> {
        let mut headers = call.headers.clone();
        headers.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(USER_AGENT));
        let ours = call.url.origin() == self.origin;
        if ours {
            self.add_user_headers(&mut headers);
        }
        let recorded = self.context.tracer.is_on().then(|| self.shown_headers(&headers));
        let credential_sent = headers.iter().any(|(name, _)| is_credential(name));
        let mut request = reqwest::Request::new(call.method.clone(), call.url.clone());
        *request.headers_mut() = headers;
        if let Some(body) = &call.body {
            *request.body_mut() = Some(body.clone().into());
        }
        let sent = Instant::now();
        let result = self.client.execute(request).await;
        if let Some(request_headers) = recorded {
            self.record(call, request_headers, result.as_ref().ok(), sent);
        }
        match result {
            Ok(response) => Ok(Answer::new(response, call, credential_sent, self)),
            Err(error) => Err(failure::of_request(self, &error, &call.url).await),
        }
    }

    /// The user's headers add to ours; only one of the same name replaces ours, and that is said (HTTP-13).
    fn add_user_headers(&self, headers: &mut HeaderMap) {
        for name in self.user_headers.keys() {
            if headers.remove(name).is_some() && name != header::USER_AGENT {
                self.context.ledger.warn(
                    WarningId::HeaderOverride,
                    format!("the header {name} given by the user replaces the one that mcpcli sends"),
                );
            }
            for value in self.user_headers.get_all(name) {
                headers.append(name, value.clone());
            }
        }
    }

    fn shown_headers(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let redactor = self.context.tracer.redactor();
        headers
            .iter()
            .map(|(name, value)| {
                let text = String::from_utf8_lossy(value.as_bytes());
                // What the user gave is masked whatever its name is (NET-08).
                let shown = if self.user_headers.get_all(name).iter().any(|given| given == value) {
                    crate::secret::Secret::MASK.to_owned()
                } else {
                    redactor.header(name.as_str(), &text)
                };
                (name.as_str().to_owned(), shown)
            })
            .collect()
    }

    fn record(
        &self,
        call: &Call,
        request_headers: Vec<(String, String)>,
        response: Option<&reqwest::Response>,
        sent: Instant,
    ) {
        let took = sent.elapsed();
        let redactor = self.context.tracer.redactor();
        let response_headers = response.map(|response| {
            let headers = response.headers().iter();
            headers
                .map(|(name, value)| {
                    let text = String::from_utf8_lossy(value.as_bytes());
                    let shown = match (name == header::LOCATION).then(|| call.url.join(&text)) {
                        Some(Ok(location)) => redactor.url(&location),
                        _ => redactor.header(name.as_str(), &text),
                    };
                    (name.as_str().to_owned(), shown)
                })
                .collect()
        });
        self.context.tracer.record(Record::Exchange {
            method: call.method.as_str().to_owned(),
            url: redactor.url(&call.url),
            request_headers,
            status: response.map(|response| response.status().as_u16()),
            version: response.map(|response| format!("{:?}", response.version())).unwrap_or_default(),
            response_headers: response_headers.unwrap_or_default(),
            took,
        });
    }
}

/// reqwest without a built-in provider panics unless one was installed.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error says that there is one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// The user's headers, and the URL's userinfo as one of them.
fn user_headers(endpoint: &HttpEndpoint, client: &Client, context: &Context) -> Result<HeaderMap, TransportError> {
    // They would break the framing of the request.
    const REFUSED: [HeaderName; 2] = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING];
    let redactor = context.tracer.redactor();
    let mut headers = HeaderMap::new();
    for (name, secret) in &endpoint.headers {
        let wrong = |what: &str| TransportError::Setting {
            message: format!("the header {name:?} {what}"),
            hint: Some("headers are given as -H 'Name: value'".to_owned()),
        };
        let parsed =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("has a character that no name may have"))?;
        if REFUSED.contains(&parsed) {
            return Err(wrong("is set by the HTTP client alone"));
        }
        let mut value = HeaderValue::from_bytes(secret.expose().as_bytes())
            .map_err(|_| wrong("has a control character in its value"))?;
        value.set_sensitive(true);
        redactor.add(secret);
        headers.append(parsed, value);
    }
    let has_userinfo = !endpoint.url.username().is_empty() || endpoint.url.password().is_some();
    if has_userinfo && !headers.contains_key(header::AUTHORIZATION) {
        headers.extend(basic(client, &endpoint.url, redactor).map(|value| (header::AUTHORIZATION, value)));
    }
    Ok(headers)
}

/// The userinfo of a URL as the value of a header, a secret from here on.
fn basic(client: &Client, url: &Url, redactor: &Redactor) -> Option<HeaderValue> {
    // The client library decodes the userinfo and writes the header; nothing is sent here.
    let value = client.get(url.clone()).build().ok()?.headers().get(header::AUTHORIZATION)?.clone();
    redactor.add_text(&String::from_utf8_lossy(value.as_bytes()));
    Some(value)
}

/// Whether a header carries a credential, by its name.
fn is_credential(name: &HeaderName) -> bool {
    let name = name.as_str();
    name != "mcp-session-id"
        && ["auth", "cookie", "token", "key", "secret", "credential"].iter().any(|part| name.contains(part))
}

/// Host and port, for sentences.
fn target(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests;
