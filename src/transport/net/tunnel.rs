//! What a proxy says for itself when it brought nobody anywhere. The client library keeps no word of it, so the proxy is asked
//! once more; this costs a moment, and only after a failure.

use std::io;
use std::time::Duration;

use reqwest::header::{self, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::{Host, Url};

use super::{excerpt, page, target};

/// How much of its answer is read.
const MOST: usize = 8 * 1024;
/// How much of an answer that is no HTTP is shown.
const SHOWN: usize = 200;
/// Of the schemes that a proxy may have only those of SOCKS have no port of their own (RFC 1928 §3).
const SOCKS_PORT: u16 = 1080;

/// A TCP connection to the host of a URL, on any of its addresses.
pub async fn connect(url: &Url) -> io::Result<TcpStream> {
    let port = url.port_or_known_default().unwrap_or(SOCKS_PORT);
    // An IPv6 address stands in brackets in a URL, and nowhere else.
    let host = match url.host() {
        Some(Host::Domain(name)) => name.to_owned(),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(address)) => address.to_string(),
        None => return Err(io::ErrorKind::AddrNotAvailable.into()),
    };
    TcpStream::connect((host.as_str(), port)).await
}

/// Why there is no connection to `url` through the proxy, in its own words or the system's; empty if neither has any. The
/// credential is the one that the proxy was shown before.
pub async fn asked_again(proxy: &Url, url: &Url, credential: Option<&HeaderValue>, limit: Duration) -> Vec<String> {
    let mut answer = Vec::new();
    let asking = async {
        let mut socket = connect(proxy).await?;
        // A tunnel is for TLS alone, and what is said inside of TLS to the proxy is not for this.
        if proxy.scheme() == "http" && url.scheme() == "https" {
            ask(&mut socket, &target(url), credential, &mut answer).await?;
        }
        io::Result::Ok(())
    };
    match tokio::time::timeout(limit, asking).await {
        Ok(Err(error)) if answer.is_empty() => vec![error.to_string()],
        // What came until the end of the time is what there is.
        _ => words(&answer),
    }
}

/// RFC 9110 §9.3.6.
async fn ask(
    socket: &mut TcpStream,
    target: &str,
    credential: Option<&HeaderValue>,
    answer: &mut Vec<u8>,
) -> io::Result<()> {
    let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n").into_bytes();
    if let Some(value) = credential {
        request.extend(header::PROXY_AUTHORIZATION.as_str().bytes().chain(*b": "));
        request.extend(value.as_bytes().iter().chain(b"\r\n"));
    }
    request.extend(b"\r\n");
    socket.write_all(&request).await?;
    while answer.len() < MOST && !is_whole(answer) && socket.read_buf(answer).await? > 0 {}
    Ok(())
}

/// Whether a head with as much body as it announces has come. What announces nothing ends with the connection, or with the
/// time.
fn is_whole(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let status_ends_it = status_line(head).is_some_and(|line| line.starts_with("HTTP 2"));
    let announced = head.lines().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        if name.eq_ignore_ascii_case("content-length") { value.trim().parse::<usize>().ok() } else { None }
    });
    status_ends_it || announced.is_some_and(|length| body.len() >= length)
}

/// `HTTP 407 Proxy Authentication Required`
fn status_line(head: &str) -> Option<String> {
    let (version, rest) = head.lines().next()?.split_once(' ')?;
    version.starts_with("HTTP/").then(|| format!("HTTP {}", rest.trim()))
}

fn words(answer: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(answer);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    match status_line(head) {
        // It has changed its mind, or somebody else answers now.
        Some(line) if line.starts_with("HTTP 2") => Vec::new(),
        Some(line) => {
            let body = page::headline(body).unwrap_or_else(|| excerpt(body.trim().as_bytes(), SHOWN));
            [line, body].into_iter().filter(|words| !words.is_empty()).collect()
        }
        None if answer.is_empty() => Vec::new(),
        None => vec![format!("it answered with no HTTP: {}", excerpt(text.trim().as_bytes(), SHOWN))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_far_as_it_says() {
        for (answer, whole, expected) in [
            ("HTTP/1.1 200 OK\r\n\r\n", true, &[][..]),
            ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", true, &["HTTP 403 No"]),
            ("HTTP/1.1 407 Log in\r\ncontent-length: 9\r\n\r\nnot you", false, &["HTTP 407 Log in", "not you"]),
            ("HTTP/1.1 502 X\r\n\r\n<title>Down</title><p>x", false, &["HTTP 502 X", "Down"]),
            ("HTTP/1.0 503 Busy\r\nVia", false, &["HTTP 503 Busy"]),
            ("220 mail\r\n", false, &["it answered with no HTTP: 220 mail"]),
            ("", false, &[]),
        ] {
            assert_eq!(is_whole(answer.as_bytes()), whole, "{answer}");
            assert_eq!(words(answer.as_bytes()), expected, "{answer}");
        }
    }
}
