//! A client for the tests: it writes HTTP by hand and keeps every byte that comes back.

use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Eras, Fault, Options, Server, Transport};

/// What came back on one connection.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
    /// How the connection ended, if not by a proper end.
    pub broken: Option<io::ErrorKind>,
}

impl Answer {
    /// The value of a header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value)
        });
        line.unwrap_or_default().trim()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The messages of an event stream.
    pub fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), "text/event-stream", "{self:?}");
        messages(&self.body)
    }
}

/// The JSON texts of the `data` lines.
pub fn messages(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

/// A server on a free port.
pub async fn start(transport: Transport, faults: &[Fault]) -> Server {
    start_as(transport, Eras::Both, faults).await
}

/// A server on a free port that speaks these eras.
pub async fn start_as(transport: Transport, protocol: Eras, faults: &[Fault]) -> Server {
    let options = Options { transport, protocol, faults: faults.to_vec(), ..Options::default() };
    Server::start(options).await.expect("a free port")
}

/// A connection on which a request was sent.
pub struct Connection {
    stream: TcpStream,
    seen: Vec<u8>,
}

impl Connection {
    /// Sends a request; `headers` are whole lines.
    pub async fn send(server: &Server, method: &str, path: &str, headers: &[&str], body: &str) -> Connection {
        let url = server.url();
        let authority = url.split('/').nth(2).expect("an authority");
        let mut stream = TcpStream::connect(authority).await.expect("listening");
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
        for line in headers {
            head.push_str(&format!("{line}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(head.as_bytes()).await.expect("sent");
        Connection { stream, seen: Vec::new() }
    }

    /// Reads until `text` was seen, and gives all that came until now.
    pub async fn until(&mut self, text: &str) -> String {
        loop {
            let seen = String::from_utf8_lossy(&self.seen).into_owned();
            if seen.contains(text) {
                return seen;
            }
            let read = tokio::time::timeout(Duration::from_secs(10), self.stream.read_buf(&mut self.seen)).await;
            let length = read.unwrap_or_else(|_| panic!("no {text} in {seen}")).expect("still connected");
            assert!(length > 0, "the stream ended without {text}: {seen}");
        }
    }

    /// Reads to the end.
    pub async fn finish(mut self) -> Answer {
        let read = tokio::time::timeout(Duration::from_secs(10), self.stream.read_to_end(&mut self.seen)).await;
        let broken = read.expect("an end within ten seconds").err().map(|error| error.kind());
        let text = String::from_utf8(self.seen).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, head: head.to_owned(), body: body.to_owned(), broken }
    }
}

/// The two headers that every POST needs.
pub const POST: [&str; 2] = ["Content-Type: application/json", "Accept: application/json, text/event-stream"];

/// `initialize` of a client that answers elicitation.
pub fn initialize(version: &str) -> String {
    request(
        0,
        "initialize",
        &format!(
            r#"{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"t","version":"0"}}}}"#
        ),
    )
}

/// A request.
pub fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// `tools/call`.
pub fn call(id: u32, tool: &str, arguments: &str) -> String {
    request(id, "tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
}

/// `tools/call` with a progress token.
pub fn call_with_progress(id: u32, tool: &str, arguments: &str) -> String {
    request(
        id,
        "tools/call",
        &format!(r#"{{"name":"{tool}","arguments":{arguments},"_meta":{{"progressToken":"p{id}"}}}}"#),
    )
}

/// A request of 2026-07-28 with these client capabilities and further members of `_meta`. `params` and `meta` are objects.
pub fn modern(id: &str, method: &str, mut params: Value, capabilities: Value, meta: Value) -> String {
    params["_meta"] = meta;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = Value::from("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}
