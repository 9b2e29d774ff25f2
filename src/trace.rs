//! What crosses the border between mcpcli and a server, both ways, with its time; and the masking of secrets.
//!
//! A leaf that every floor may use. It knows bytes and headers, not the protocol. Every text is masked before a
//! subscriber or the file sees it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::value::RawValue;

use crate::secret::Secret;

/// Which way something went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From mcpcli to the server.
    Out,
    /// From the server to mcpcli.
    In,
}

/// One thing that happened at the border.
#[derive(Debug, Clone)]
pub enum Record {
    /// One JSON-RPC message, or what stood in its place.
    Frame {
        /// Which way.
        direction: Direction,
        /// Where: `POST`, `GET`, `stdin`, `stdout`, `sse`.
        channel: &'static str,
        /// The text as it was, bytes that are not UTF-8 replaced.
        text: String,
    },
    /// The head of an HTTP exchange, once its status is known.
    Exchange {
        /// The request's method.
        method: String,
        /// The request's URL, already redacted.
        url: String,
        /// The request's headers; values are masked unless they are on the list of harmless ones.
        request_headers: Vec<(String, String)>,
        /// The status code, or `None` when no answer came.
        status: Option<u16>,
        /// `HTTP/1.1` or the like; empty when no answer came.
        version: String,
        /// The answer's headers, masked likewise.
        response_headers: Vec<(String, String)>,
        /// From sending to the head of the answer.
        took: Duration,
    },
    /// A line that a stdio server wrote to its stderr.
    Stderr {
        /// The line without its end.
        line: String,
    },
    /// Anything else worth knowing: a process started, a stream ended, a reconnect, a decision.
    Note {
        /// One sentence.
        text: String,
    },
}

/// A record with its time.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Since the tracer was made.
    pub at: Duration,
    /// What happened, masked.
    pub record: Record,
}

type Subscriber = Box<dyn Fn(&Entry) + Send + Sync>;

/// Takes records, masks them, and hands them to the subscribers and the trace file.
pub struct Tracer {
    start: Instant,
    redactor: Redactor,
    subscribers: Vec<Subscriber>,
    file: Option<Mutex<TraceFile>>,
}

struct TraceFile {
    writer: BufWriter<File>,
    failed: Option<io::Error>,
}

impl Default for Tracer {
    fn default() -> Self {
        Tracer::new()
    }
}

impl Tracer {
    /// A tracer without subscribers or a file.
    pub fn new() -> Tracer {
        Tracer { start: Instant::now(), redactor: Redactor::default(), subscribers: Vec::new(), file: None }
    }

    /// Adds a function that sees every entry, in order.
    pub fn subscribe(&mut self, subscriber: impl Fn(&Entry) + Send + Sync + 'static) {
        self.subscribers.push(Box::new(subscriber));
    }

    /// Writes every entry to `path` as one JSON object a line. An existing file is replaced.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn write_to(&mut self, path: &Path) -> io::Result<()> {
        let mut options = File::options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let writer = BufWriter::new(options.open(path)?);
        self.file = Some(Mutex::new(TraceFile { writer, failed: None }));
        Ok(())
    }

    /// The masking of secrets that this tracer uses.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Whether anybody listens; records that cost something to build need not be built otherwise.
    pub fn is_on(&self) -> bool {
        !self.subscribers.is_empty() || self.file.is_some()
    }

    /// Records one thing.
    pub fn record(&self, record: Record) {
        if !self.is_on() {
            return;
        }
        let entry = Entry { at: self.start.elapsed(), record: self.masked(record) };
        for subscriber in &self.subscribers {
            subscriber(&entry);
        }
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            // The first failure is kept and told by `finish`; a full disk must not end the session.
            if file.failed.is_none()
                && let Err(error) = writeln!(file.writer, "{}", line_of(&entry))
            {
                file.failed = Some(error);
            }
        }
    }

    /// Records a frame.
    pub fn frame(&self, direction: Direction, channel: &'static str, bytes: &[u8]) {
        if self.is_on() {
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.record(Record::Frame { direction, channel, text });
        }
    }

    /// Records a note.
    pub fn note(&self, text: impl Into<String>) {
        if self.is_on() {
            self.record(Record::Note { text: text.into() });
        }
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// The first error that writing the trace file met.
    pub fn finish(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        match file.failed.take() {
            Some(error) => Err(error),
            None => file.writer.flush(),
        }
    }

    fn masked(&self, record: Record) -> Record {
        let mask = |text: String| match self.redactor.mask(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        };
        match record {
            Record::Frame { direction, channel, text } => {
                Record::Frame { direction, channel, text: mask_members(&mask(text)) }
            }
            Record::Stderr { line } => Record::Stderr { line: mask(line) },
            Record::Note { text } => Record::Note { text: mask(text) },
            Record::Exchange { method, url, request_headers, status, version, response_headers, took } => {
                Record::Exchange {
                    method,
                    url: mask(url),
                    request_headers: request_headers.into_iter().map(|(n, v)| (n, mask(v))).collect(),
                    status,
                    version,
                    response_headers: response_headers.into_iter().map(|(n, v)| (n, mask(v))).collect(),
                    took,
                }
            }
        }
    }
}

fn line_of(entry: &Entry) -> String {
    #[derive(serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    struct Line<'a> {
        time: String,
        at_ms: f64,
        kind: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        direction: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        channel: Option<&'static str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a RawValue>,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        http: Option<Http<'a>>,
    }
    #[derive(serde::Serialize)]
    struct Http<'a> {
        method: &'a str,
        url: &'a str,
        request_headers: &'a [(String, String)],
        status: Option<u16>,
        version: &'a str,
        response_headers: &'a [(String, String)],
        took_ms: f64,
    }
    let mut line = Line {
        time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        at_ms: millis(entry.at),
        kind: "note",
        direction: None,
        channel: None,
        message: None,
        text: None,
        http: None,
    };
    match &entry.record {
        Record::Frame { direction, channel, text } => {
            line.kind = "frame";
            line.direction = Some(if *direction == Direction::Out { "out" } else { "in" });
            line.channel = Some(channel);
            // A pretty-printed message would break the one-object-a-line rule, so only a one-line one is embedded.
            match serde_json::from_str::<&RawValue>(text) {
                Ok(raw) if !text.contains('\n') => line.message = Some(raw),
                _ => line.text = Some(text),
            }
        }
        Record::Exchange { method, url, request_headers, status, version, response_headers, took } => {
            line.kind = "http";
            line.http = Some(Http {
                method,
                url,
                request_headers,
                status: *status,
                version,
                response_headers,
                took_ms: millis(*took),
            });
        }
        Record::Stderr { line: text } => {
            line.kind = "stderr";
            line.text = Some(text);
        }
        Record::Note { text } => line.text = Some(text),
    }
    serde_json::to_string(&line)
        .unwrap_or_else(|error| format!("{{\"kind\":\"note\",\"text\":\"unwritable: {error}\"}}"))
}

/// Milliseconds with microseconds as decimals.
pub fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

/// Headers whose values are shown; every other value is masked. An allow-list, because a deny-list forgets one.
const HARMLESS_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "host",
    "keep-alive",
    "last-event-id",
    "location",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "retry-after",
    "server",
    "transfer-encoding",
    "user-agent",
    "vary",
    "via",
    "www-authenticate",
    "x-accel-buffering",
];

/// Whether a header's value may be shown as it is.
pub fn is_harmless_header(name: &str) -> bool {
    HARMLESS_HEADERS.iter().any(|harmless| harmless.eq_ignore_ascii_case(name))
}

/// Secrets of this run, and the replacing of them in any text.
#[derive(Default)]
pub struct Redactor {
    secrets: Mutex<Vec<String>>,
}

/// Shorter values are too likely to be a part of ordinary words; where such a value stands in a known place (a header,
/// a URL), that place is masked as a whole instead.
const SHORTEST_SECRET: usize = 6;

impl Redactor {
    /// Adds a secret: from now on its text is masked wherever it shows up.
    pub fn add(&self, secret: &Secret) {
        self.add_text(secret.expose());
    }

    /// Adds the text of a secret, and what follows its authentication scheme, if there is one.
    pub fn add_text(&self, text: &str) {
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let after_scheme = text.split_once(' ').map(|(_, rest)| rest.trim());
        for part in [Some(text.trim()), after_scheme].into_iter().flatten() {
            if part.len() >= SHORTEST_SECRET && !secrets.iter().any(|known| known == part) {
                secrets.push(part.to_owned());
                let escaped = serde_json::Value::from(part).to_string();
                let escaped = escaped[1..escaped.len() - 1].to_owned();
                if escaped != part {
                    secrets.push(escaped);
                }
            }
        }
        // The longest first, so that a secret inside another one does not leave a rest of it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// The text with every known secret replaced.
    pub fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let mut masked = Cow::Borrowed(text);
        for secret in secrets.iter() {
            if masked.contains(secret.as_str()) {
                masked = Cow::Owned(masked.replace(secret.as_str(), Secret::MASK));
            }
        }
        masked
    }

    /// A URL as it may be shown: userinfo and query values masked. What was masked is a secret from here on.
    pub fn url(&self, url: &url::Url) -> String {
        let mut shown = url.clone();
        if !url.username().is_empty() || url.password().is_some() {
            self.add_text(url.username());
            self.add_text(url.password().unwrap_or_default());
            // Setting userinfo fails only for URLs that cannot have any, and those have none to hide.
            let _ = shown.set_username(Secret::MASK);
            let _ = shown.set_password(None);
        }
        let names: Vec<String> = url
            .query_pairs()
            .map(|(name, value)| {
                self.add_text(&value);
                name.into_owned()
            })
            .collect();
        shown.set_query(None);
        shown.set_fragment(None);
        let mut text = shown.to_string();
        for (index, name) in names.iter().enumerate() {
            text.push(if index == 0 { '?' } else { '&' });
            text.push_str(name);
            text.push('=');
            text.push_str(Secret::MASK);
        }
        text
    }

    /// Header values as they may be shown.
    pub fn header(&self, name: &str, value: &str) -> String {
        if is_harmless_header(name) { self.mask(value).into_owned() } else { Secret::MASK.to_owned() }
    }
}

/// Members that the specification says nobody but the server may read (2026-07-28 basic/mrtr), masked in frames.
fn mask_members(text: &str) -> String {
    const MEMBER: &str = "\"requestState\"";
    if !text.contains(MEMBER) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MEMBER) {
        let (before, after) = rest.split_at(at + MEMBER.len());
        out.push_str(before);
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        match value.and_then(|value| value.strip_prefix('"')) {
            Some(string) => {
                out.push_str(":\"***\"");
                rest = after_string(string);
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

/// What follows the end of a JSON string whose opening quote is gone.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn secrets_are_masked_everywhere() {
        let redactor = Redactor::default();
        redactor.add(&Secret::new("Bearer abcdef\"12"));
        assert_eq!(redactor.mask("x abcdef\"12 y"), "x *** y");
        assert_eq!(redactor.mask(r#"{"a":"abcdef\"12"}"#), r#"{"a":"***"}"#);
        assert_eq!(redactor.header("X-Api-Key", "v"), "***");
        assert_eq!(redactor.header("Content-Type", "text/html"), "text/html");
    }

    #[test]
    fn urls_lose_userinfo_and_query_values() {
        let redactor = Redactor::default();
        let url = url::Url::parse("http://me:hunter22@h:1/p?token=abcdefg&x=1#f").unwrap();
        assert_eq!(redactor.url(&url), "http://***@h:1/p?token=***&x=***");
        assert_eq!(redactor.mask("abcdefg hunter22"), "*** ***");
    }

    #[test]
    fn request_state_is_masked_in_frames() {
        let text = r#"{"result":{"requestState" : "a\"b","x":1}}"#;
        assert_eq!(mask_members(text), r#"{"result":{"requestState":"***","x":1}}"#);
    }

    #[test]
    fn a_file_holds_one_object_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.ndjson");
        let seen = Arc::new(Mutex::new(0));
        let counter = Arc::clone(&seen);
        let mut tracer = Tracer::new();
        tracer.write_to(&path).unwrap();
        tracer.subscribe(move |_| *counter.lock().unwrap() += 1);
        tracer.frame(Direction::Out, "POST", br#"{"id":1e400}"#);
        tracer.frame(Direction::In, "POST", b"{\n}");
        tracer.note("n");
        tracer.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.lines().count(), *seen.lock().unwrap()), (3, 3));
        assert!(text.contains(r#""message":{"id":1e400}"#), "{text}");
        assert!(text.contains(r#""text":"{\n}""#), "{text}");
    }
}
