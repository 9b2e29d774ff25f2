//! What an error of the HTTP client means. Types decide, along the whole chain of sources; texts are evidence only.
//!
//! The `Display` of a reqwest error holds the URL with its query, so that layer is never shown.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use url::{Host, Url};

use super::super::{AddressFailure, NetSettings, StreamEnd, TransportError};
use super::proxy::Proxy;
use super::{Net, target, tls, tunnel};
use crate::outcome::{Phase, Reason};

/// How long one address is given when addresses are tried again to find out what is wrong with each.
const PROBE_TIME: Duration = Duration::from_secs(1);
/// How many addresses are tried again.
const MOST_PROBES: usize = 8;

/// The chain of an error, the error itself first.
///
/// `io::Error::source` skips the very error that it wraps, which is where rustls hides.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner as &(dyn Error + 'static)),
        None => error.source(),
    })
}

fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    chain(error).find_map(|error| error.downcast_ref::<T>())
}

/// Whether the peer ended a connection that stood. The end of a handshake is an error of the TLS library's own, not of the
/// system, so that every error of the chain counts.
fn is_cut(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    chain(error)
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .any(|error| matches!(error.kind(), UnexpectedEof | ConnectionReset | ConnectionAborted | BrokenPipe))
}

/// The texts of the chain, without the client library's own wrappers and without repetitions.
fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    for error in chain(error).filter(|error| !error.is::<reqwest::Error>()) {
        let text = match error.downcast_ref::<rustls::Error>() {
            Some(error) => tls::words(error),
            None if error.is::<io::Error>() && find::<rustls::Error>(error).is_some() => continue,
            None => error.to_string(),
        };
        // The pool's wrapper says "client error (Connect)" and nothing more.
        if !text.starts_with("client error (") && causes.last() != Some(&text) {
            causes.push(text);
        }
    }
    causes
}

/// An error from building the client.
pub fn of_client(error: &reqwest::Error, url: &Url, settings: &NetSettings) -> TransportError {
    find(error).and_then(|cause| tls::of_identity(cause, settings)).unwrap_or_else(|| of_build(error, url))
}

/// An error from building the client or a request.
pub fn of_build(error: &reqwest::Error, url: &Url) -> TransportError {
    let causes = causes(error);
    match find::<rustls::Error>(error) {
        Some(cause) => TransportError::Tls { target: target(url), causes, hint: tls::hint(Some(cause)) },
        None => TransportError::Setting {
            message: format!("the HTTP client cannot be set up: {}", causes.join(": ")),
            hint: None,
        },
    }
}

/// An error from sending a request, before the head of an answer.
pub async fn of_request(net: &Net, error: &reqwest::Error, url: &Url) -> TransportError {
    let causes = causes(error);
    let target = target(url);
    let os_error = chain(error)
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .find(|error| error.raw_os_error().is_some() || error.get_ref().is_none());
    let tls_error = find::<rustls::Error>(error);
    if error.is_connect() {
        let proxy = net.proxies.choose(url);
        if error.is_timeout()
            && os_error.is_none()
            && let Some(limit) = net.settings.connect_timeout
        {
            return connect_timeout(net, url, proxy, limit).await;
        }
        if let Some(cause) = tls_error {
            // A plain URL is no reason for TLS, so that it was spoken with the proxy.
            let with_proxy = proxy.filter(|_| url.scheme() == "http");
            let target = with_proxy.map_or(target, |proxy| shown_proxy(net, proxy));
            return TransportError::Tls { target, causes, hint: tls::hint(Some(cause)) };
        }
        if let Some(proxy) = proxy {
            return of_proxy(net, proxy, url, causes, os_error.is_some()).await;
        }
        if error.is_dns() {
            let detail = causes.last().cloned().unwrap_or_default();
            return TransportError::Dns { host: url.host_str().unwrap_or_default().to_owned(), detail };
        }
        // A TCP connection existed, and the handshake on it was cut off.
        if url.scheme() == "https" && is_cut(error) {
            let hint = "the port may not speak TLS: try http:// instead of https://";
            return TransportError::Tls { target, causes, hint: Some(hint.to_owned()) };
        }
        let words = os_error.map(ToString::to_string).or_else(|| causes.last().cloned()).unwrap_or_default();
        return TransportError::Connect { target, tried: tried(url, &words).await, causes };
    }
    if let Some(cause) = tls_error {
        return TransportError::Tls { target, causes, hint: tls::hint(Some(cause)) };
    }
    stream(end_of(error, 0, None), causes)
}

/// An error inside the body of an answer: how it broke off, and the chain of causes.
pub fn of_body(error: &reqwest::Error, received: u64, announced: Option<u64>) -> (StreamEnd, Vec<String>) {
    (end_of(error, received, announced), causes(error))
}

fn stream(end: StreamEnd, causes: Vec<String>) -> TransportError {
    TransportError::Stream { end, messages: 0, bytes: 0, stderr: Vec::new(), unfinished: None, reconnects: 0, causes }
}

fn end_of(error: &reqwest::Error, received: u64, announced: Option<u64>) -> StreamEnd {
    let in_body = error.is_body() || error.is_decode();
    if let Some(cause) = find::<hyper::Error>(error) {
        if cause.is_parse() && !in_body {
            return StreamEnd::NotHttp;
        }
        if cause.is_incomplete_message() && !in_body {
            return StreamEnd::Clean;
        }
    }
    match find::<io::Error>(error) {
        Some(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => StreamEnd::Incomplete { received, announced },
        Some(cause) => StreamEnd::Reset(cause.to_string()),
        None => StreamEnd::Reset(causes(error).pop().unwrap_or_default()),
    }
}

/// A proxy that did not connect us. Where the system has no words for it, the proxy may have.
async fn of_proxy(net: &Net, proxy: &Proxy, url: &Url, mut causes: Vec<String>, system_told: bool) -> TransportError {
    let redactor = net.context.tracer.redactor();
    if !system_told {
        let credential = super::basic(&net.client, &proxy.url, redactor);
        let words = tunnel::asked_again(&proxy.url, url, credential.as_ref(), PROBE_TIME).await;
        causes.extend(words.iter().map(|words| redactor.mask(words).into_owned()));
    }
    let (proxy, source_name) = (redactor.url(&proxy.url), proxy.source_name.to_owned());
    TransportError::Proxy { proxy, source_name, causes }
}

/// A proxy and where it was named, for sentences.
fn shown_proxy(net: &Net, proxy: &Proxy) -> String {
    let shown = net.context.tracer.redactor().url(&proxy.url);
    format!("the proxy {shown} (from {})", proxy.source_name)
}

async fn connect_timeout(net: &Net, url: &Url, proxy: Option<&Proxy>, limit: Duration) -> TransportError {
    let target = target(url);
    // The client does not tell how far it came, so the first step is tried again.
    let stands = stands(proxy.map_or(url, |proxy| &proxy.url), limit).await;
    let shown = proxy.map(|proxy| shown_proxy(net, proxy));
    let (what, hint) = match (shown, stands) {
        (None, true) if url.scheme() == "https" => (
            format!("a TCP connection to {target} stands, but no TLS session comes of it"),
            "does the port speak TLS? if not, try http://; --connect-timeout gives it more time",
        ),
        (None, _) => (
            format!("no connection to {target}"),
            "is the host up, and the port not blocked? --connect-timeout gives it more time",
        ),
        (Some(proxy), true) => (
            format!("{proxy} takes the connection, but none to {target} comes of it"),
            "does the proxy reach the server? --connect-timeout gives it more time",
        ),
        (Some(proxy), false) => (
            format!("no connection to {target} through {proxy}"),
            "check the proxy; --connect-timeout gives it more time",
        ),
    };
    TransportError::Timeout {
        what,
        limit,
        reason: Reason::ConnectTimeout,
        phase: Some(Phase::Connect),
        seen: None,
        hint: Some(hint.to_owned()),
    }
}

/// Whether a TCP connection to the host of a URL can be had, on any of its addresses. No longer than the connection itself
/// was given.
async fn stands(url: &Url, limit: Duration) -> bool {
    tokio::time::timeout(PROBE_TIME.min(limit), tunnel::connect(url)).await.is_ok_and(|connected| connected.is_ok())
}

/// Every address of the host with what is wrong with it. The client tells of one only, so the others are tried again
/// (NET-06); this costs a moment, and only after a failure.
async fn tried(url: &Url, words: &str) -> Vec<AddressFailure> {
    let Some(port) = url.port_or_known_default() else { return Vec::new() };
    let addresses: Vec<SocketAddr> = match url.host() {
        Some(Host::Ipv4(address)) => vec![(address, port).into()],
        Some(Host::Ipv6(address)) => vec![(address, port).into()],
        Some(Host::Domain(name)) => match tokio::net::lookup_host((name, port)).await {
            Ok(found) => found.take(MOST_PROBES).collect(),
            Err(_) => Vec::new(),
        },
        None => Vec::new(),
    };
    if let [address] = addresses[..] {
        return vec![AddressFailure { address, error: words.to_owned() }];
    }
    join_all(addresses.into_iter().map(async |address| {
        let error = match tokio::time::timeout(PROBE_TIME, tokio::net::TcpStream::connect(address)).await {
            Ok(Ok(_)) => "accepted a connection when tried again".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer".to_owned(),
        };
        AddressFailure { address, error }
    }))
    .await
}
