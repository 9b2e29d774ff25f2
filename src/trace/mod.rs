//! What crosses the border between mcpcli and a server, both ways, with its time; and the masking of secrets.
//!
//! A leaf that every floor may use. It knows bytes and headers, not the protocol. Every text is masked before a
//! subscriber or the file sees it.

mod redactor;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::value::RawValue;

pub use redactor::mask_members;
pub use redactor::{Redactor, is_harmless_header};

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

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
