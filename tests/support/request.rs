//! What a fake server was sent: an HTTP request, or a line on stdin.

use std::io::{self, BufRead, Read};
use std::time::Instant;

use serde_json::Value;
use serde_json::value::RawValue;

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// `POST`, `GET`, `DELETE`; over stdio `STDIN` for a line and `EOF` when stdin was closed.
    pub method: String,
    /// The path with its query; empty over stdio.
    pub path: String,
    /// Names as they were sent, in order.
    pub headers: Vec<(String, String)>,
    /// The body, or the line without its end.
    pub body: Vec<u8>,
    /// When it was read to its end.
    pub at: Instant,
    /// Which connection it came on, counted from 1; over stdio which process.
    pub connection: usize,
}

impl Request {
    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; `null` if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The JSON-RPC method in the body; empty if there is none.
    pub fn rpc_method(&self) -> String {
        self.json().get("method").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The JSON text of the id, as it was sent; `null` if there is none.
    pub fn id(&self) -> String {
        #[derive(serde::Deserialize)]
        struct Envelope<'a> {
            #[serde(borrow)]
            id: Option<&'a RawValue>,
        }
        let envelope: Option<Envelope> = serde_json::from_slice(&self.body).ok();
        envelope.and_then(|envelope| envelope.id).map_or("null", RawValue::get).to_owned()
    }

    /// Whether the body is a JSON-RPC request, which needs an answer.
    pub fn is_rpc_request(&self) -> bool {
        let json = self.json();
        json.get("method").is_some() && json.get("id").is_some()
    }
}

/// Reads one HTTP request; `None` when the connection ended before one began.
pub(super) fn read_http(reader: &mut impl BufRead, connection: usize) -> io::Result<Option<Request>> {
    let Some(line) = read_line(reader)? else { return Ok(None) };
    let mut words = line.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(io::Error::other(format!("no request line: {line:?}")));
    };
    let mut headers = Vec::new();
    loop {
        let line = read_line(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| io::Error::other(format!("no header: {line:?}")))?;
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body: Vec::new(),
        at: Instant::now(),
        connection,
    };
    if request.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
        request.body = read_chunks(reader)?;
    } else if let Some(length) = request.header("content-length") {
        let length = length.parse().map_err(io::Error::other)?;
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
    }
    request.at = Instant::now();
    Ok(Some(request))
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if reader.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned()))
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let head = read_line(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let size = head.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        let got = reader.by_ref().take(size).read_to_end(&mut body)?;
        if got as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let end = read_line(reader)?;
        if size == 0 {
            return Ok(body);
        }
        if end.as_deref() != Some("") {
            return Err(io::Error::other("a chunk does not end where it should"));
        }
    }
}
