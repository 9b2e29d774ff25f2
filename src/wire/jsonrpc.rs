//! JSON-RPC 2.0: what any bytes are, and the text of what is sent.

mod defect;
mod envelope;

use std::fmt;

use super::{RawJson, json};
use crate::outcome::{Warning, WarningId};

pub use defect::Defect;

/// JSON nested deeper than this is not looked at.
pub const MAX_DEPTH: usize = 10_000;

/// An array of more elements is not read as a batch: each would cost many times the bytes that it came in.
pub const MAX_BATCH: usize = 10_000;

/// A JSON-RPC id kept as its JSON text (number or string), so that it can be echoed exactly.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Id(Box<str>);

impl Id {
    /// The id of one of our requests.
    pub fn number(n: u64) -> Id {
        Id(n.to_string().into())
    }

    pub(crate) fn from_text(text: &str) -> Id {
        Id(text.into())
    }

    /// The JSON text, a string with its quotes.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    /// Whether it is exactly this integer, as a JSON integer number text.
    pub fn is(&self, n: u64) -> bool {
        *self.0 == *n.to_string()
    }

    /// The number meant, read leniently: `1`, `"1"`, `1.0` are 1. Gateways turn numbers into strings and floats.
    pub fn lenient(&self) -> Option<u64> {
        let text = self.0.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&self.0);
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().ok();
        }
        if !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+')) {
            return None;
        }
        // Up to 2^53 a double holds every integer exactly.
        let number: f64 = text.parse().ok()?;
        (number.fract() == 0.0 && number <= 9_007_199_254_740_992.0).then_some(number as u64)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The error member of a response.
#[derive(Debug, Clone)]
pub struct ErrorObject {
    /// The JSON text of `code` as it was on the wire, an integer by the specification; `null` if it was missing.
    pub code: String,
    /// `message`, or nothing if it was missing or not a string.
    pub message: String,
    /// `data`, as it came.
    pub data: Option<RawJson>,
}

impl ErrorObject {
    /// Reads an error object that stands somewhere else than in an error response.
    pub fn read(error: &serde_json::value::RawValue) -> ErrorObject {
        // Its deviations show in what is made of it.
        envelope::error_object(error, &mut Vec::new())
    }

    /// The code, if it is the integer that it has to be.
    pub fn integer_code(&self) -> Option<i64> {
        self.code.parse().ok()
    }
}

/// A JSON-RPC message.
#[derive(Debug, Clone)]
pub enum Message {
    /// A request of the peer.
    Request {
        /// Its id, to be echoed.
        id: Id,
        /// The method.
        method: String,
        /// The parameters; absent and null alike are `None`.
        params: Option<RawJson>,
    },
    /// A response with a result.
    Response {
        /// The id of the request.
        id: Id,
        /// The result, of any type.
        result: RawJson,
    },
    /// A response with an error.
    Error {
        /// The id of the request; `None` if absent or null.
        id: Option<Id>,
        /// The error.
        error: ErrorObject,
    },
    /// A notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters; absent and null alike are `None`.
        params: Option<RawJson>,
    },
}

impl Message {
    /// The id, if it has one.
    pub fn id(&self) -> Option<&Id> {
        match self {
            Message::Request { id, .. } | Message::Response { id, .. } => Some(id),
            Message::Error { id, .. } => id.as_ref(),
            Message::Notification { .. } => None,
        }
    }

    /// The method, if it is a request or a notification.
    pub fn method(&self) -> Option<&str> {
        match self {
            Message::Request { method, .. } | Message::Notification { method, .. } => Some(method),
            _ => None,
        }
    }
}

/// What bytes turned out to be.
#[derive(Debug, Clone)]
pub enum Kind {
    /// One message.
    Message(Message),
    /// An array. Protocol version 2025-03-26 alone has batches (basic, Batching).
    Batch(Vec<Result<Message, Defect>>),
    /// Nothing usable.
    Invalid(Defect),
}

/// Bytes and what they turned out to be.
#[derive(Debug, Clone)]
pub struct Classified {
    /// What it is.
    pub kind: Kind,
    /// The text as decoded: without a byte order mark, and with U+FFFD for bytes that are not UTF-8.
    pub text: String,
    /// Deviations that leave it usable.
    pub notices: Vec<Warning>,
}

/// Finds out what some bytes are. Never panics; takes linear time and no stack.
pub fn classify(bytes: &[u8]) -> Classified {
    classify_vec(bytes.to_vec())
}

/// As [`classify`], for bytes that need not be kept: they become the text without being copied.
pub fn classify_vec(bytes: Vec<u8>) -> Classified {
    let (text, bad) = match decode(bytes) {
        Ok(decoded) => decoded,
        Err((text, defect)) => return Classified { kind: Kind::Invalid(defect), text, notices: Vec::new() },
    };
    let mut notices: Vec<Warning> = bad.iter().map(BadBytes::warning).collect();
    let kind = match envelope::read(&text, &mut notices) {
        Err(defect) => Kind::Invalid(match bad {
            Some(bad) => bad.blame(&text, defect),
            None => defect,
        }),
        Ok(kind) => kind,
    };
    Classified { kind, text, notices }
}

/// Looks for a message that has other text in front of it on the same line, as a logger that shares the server's
/// stdout leaves it. Gives where the message starts in the decoded text, and the message.
pub fn behind_noise(text: &str) -> Option<(usize, Message, Vec<Warning>)> {
    /// So many places are tried, each at the cost of one pass.
    const PLACES: usize = 8;
    let starts = text.match_indices("{\"").map(|(at, _)| at).filter(|at| *at > 0);
    starts.take(PLACES).find_map(|at| {
        let mut notices = Vec::new();
        match envelope::read(&text[at..], &mut notices) {
            // The tail of another object must not pass for a message.
            Ok(Kind::Message(message)) if !notices.iter().any(|notice| notice.id == WarningId::JsonRpcVersion) => {
                Some((at, message, notices))
            }
            _ => None,
        }
    })
}

/// Where bytes are not UTF-8.
struct BadBytes {
    /// The byte offset of the first such sequence, in the bytes as they came.
    offset: usize,
    /// Its hexadecimal text.
    hex: String,
    /// The bytes around it, likewise.
    around: String,
    /// How many such sequences there are.
    count: usize,
}

impl BadBytes {
    fn find(bytes: &[u8]) -> BadBytes {
        let (mut offset, mut count, mut first) = (0, 0, None);
        for chunk in bytes.utf8_chunks() {
            if !chunk.invalid().is_empty() {
                count += 1;
                first = first.or(Some((offset + chunk.valid().len(), chunk.invalid().len())));
            }
            offset += chunk.valid().len() + chunk.invalid().len();
        }
        let (offset, length) = first.unwrap_or((0, 0));
        BadBytes {
            offset,
            hex: hex(&bytes[offset..offset + length]),
            around: hex_from(bytes, offset.saturating_sub(8)),
            count,
        }
    }

    fn warning(&self) -> Warning {
        let BadBytes { offset, hex, count, .. } = self;
        let more = if *count > 1 { format!(", and {} more", count - 1) } else { String::new() };
        Warning::new(WarningId::NotUtf8, format!("bytes that are not UTF-8: {hex} at byte {offset}{more}"))
    }

    /// If the bad bytes themselves are why nothing could be read, they are the better evidence.
    fn blame(self, text: &str, defect: Defect) -> Defect {
        match defect {
            Defect::NotJson { offset, .. } if text[offset..].starts_with(char::REPLACEMENT_CHARACTER) => {
                let looks_like = match text.starts_with(char::REPLACEMENT_CHARACTER) {
                    true => "binary data, or text in another encoding",
                    false => "a byte outside a string that no JSON text has",
                };
                Defect::NotText { offset: self.offset, hex: self.around, looks_like }
            }
            other => other,
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

/// 32 bytes from an offset on.
fn hex_from(bytes: &[u8], from: usize) -> String {
    let shown = &bytes[from..bytes.len().min(from + 32)];
    let (before, after) = (if from > 0 { "… " } else { "" }, if from + 32 < bytes.len() { " …" } else { "" });
    format!("{before}{}{after}", hex(shown))
}

type Decoded = (String, Option<BadBytes>);

/// The text of bytes, without a byte order mark. Bytes that are another encoding altogether are a defect.
fn decode(mut bytes: Vec<u8>) -> Result<Decoded, (String, Defect)> {
    let looks_like = match bytes.as_slice() {
        // A byte order mark, or the zero byte of an ASCII character.
        [0xFF, 0xFE, ..] | [b'{' | b'[', 0, ..] | [0xFE, 0xFF, ..] | [0, b'{' | b'[', ..] => Some("UTF-16"),
        [0x1F, 0x8B, ..] => Some("gzip-compressed data"),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => Some("zstd-compressed data"),
        _ => None,
    };
    if let Some(looks_like) = looks_like {
        let defect = Defect::NotText { offset: 0, hex: hex_from(&bytes, 0), looks_like };
        return Err((String::from_utf8_lossy(&bytes).into_owned(), defect));
    }
    let bad = std::str::from_utf8(&bytes).is_err().then(|| BadBytes::find(&bytes));
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        bytes.drain(..3);
    }
    let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok((text, bad))
}

/// The JSON text of a request. `params` is put in as it stands, line ends included.
pub fn request(id: u64, method: &str, params: Option<&str>) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{}{}}}"#, json::quote(method), params_member(params))
}

/// The JSON text of a notification. `params` is put in as it stands, line ends included.
pub fn notification(method: &str, params: Option<&str>) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{}{}}}"#, json::quote(method), params_member(params))
}

fn params_member(params: Option<&str>) -> String {
    params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default()
}

/// The JSON text of our answer to a request of the peer, whose id is echoed exactly.
pub fn response(id: &Id, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The JSON text of our refusal of a request of the peer, whose id is echoed exactly.
pub fn error(id: &Id, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#, json::quote(message))
}

#[cfg(test)]
mod tests;
