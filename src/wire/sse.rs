//! Event streams: a push parser by the WHATWG rules (HTML, §9.2.6 "Interpreting an event stream") that hides nothing.
//!
//! It takes bytes cut anywhere and gives items. Memory is bounded by the limit for one event; time is linear.

mod lines;

use std::borrow::Cow;
use std::fmt;

use lines::{Lines, Piece};

/// The value of a comment is kept up to this length.
const COMMENT_KEPT: usize = 4 * 1024;

/// What stands before the data in its line is not counted.
const FIELD: &[u8] = b"data: ";

/// The text of [`Pending`] and of a [`Notice`] is kept up to these lengths.
const PENDING_KEPT: usize = 4 * 1024;
const NOTICE_KEPT: usize = 120;

/// One event is larger than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {limit} bytes ({seen} so far)")]
pub struct TooLarge {
    /// The limit.
    pub limit: usize,
    /// How much of the event had come.
    pub seen: usize,
}

/// A block of the stream that had at least one of the fields `event`, `data`, `id`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// The `event` field; `None` if there was none or an empty one: both mean `message`.
    pub name: Option<String>,
    /// The `data` lines joined with LF. Bytes, so that whoever reads the message can tell what is not UTF-8.
    pub data: Vec<u8>,
    /// The `id` field of this very block.
    pub id: Option<String>,
    /// Whether there was a `data` field at all. By the standard a block without one is not dispatched.
    pub had_data: bool,
}

impl Event {
    /// The event type: `message` unless it was named.
    pub fn kind(&self) -> &str {
        self.name.as_deref().unwrap_or("message")
    }

    /// Whether there is something in it to be read. Not so for blocks without `data`, and for the priming event: an id
    /// with empty data (2025-11-25, transports, Sending Messages to the Server, 6).
    pub fn has_content(&self) -> bool {
        self.had_data && !self.data.is_empty()
    }
}

/// What the parser saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A block that ended with its blank line. See [`Event::has_content`].
    Event(Event),
    /// A comment line, without its colon and one blank; a long one is cut.
    Comment(String),
    /// A `retry` field: milliseconds to wait before connecting again.
    Retry(u64),
    /// Something odd that the standard says to ignore.
    Notice(Notice),
    /// The stream ended in an event that has data but no blank line. By the standard it is discarded.
    Unterminated(Event),
}

/// Something that the standard says to ignore, but a person may want to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The stream began with a byte order mark, as it may.
    ByteOrderMark,
    /// A `retry` field that is not ASCII digits, or more than 64 bits hold.
    BadRetry(String),
    /// An `id` field with a NUL character.
    IdWithNul,
    /// Bytes in the `event` or `id` field, or a comment, that are not UTF-8; they became U+FFFD.
    NotUtf8(&'static str),
    /// A line that is none of the fields, for instance a message without `data:` in front; its beginning.
    UnknownField(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::ByteOrderMark => f.write_str("the event stream begins with a byte order mark"),
            Notice::BadRetry(value) => {
                write!(f, "a retry field that is not a number of milliseconds was ignored: {value:?}")
            }
            Notice::IdWithNul => f.write_str("an id field with a NUL character was ignored"),
            Notice::NotUtf8(field) => write!(f, "the {field} holds bytes that are not UTF-8"),
            Notice::UnknownField(line) => write!(f, "a line that is no field of an event stream was ignored: {line}"),
        }
    }
}

/// An event that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// How many bytes of it are held.
    pub bytes: usize,
    /// The beginning of its text: the data so far, then the unfinished line.
    pub text: String,
}

/// The push parser of one stream.
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    lines: Lines,
    block: Event,
    /// The id buffer of the standard; it becomes the last event id when a block ends.
    id_buffer: Option<String>,
    last_event_id: Option<String>,
    failed: Option<TooLarge>,
}

impl Parser {
    /// A parser that holds `limit` bytes of one event at most, its data and an unfinished line together. Only a name or an id
    /// that is not UTF-8 takes more: three bytes for one.
    pub fn new(limit: usize) -> Parser {
        Parser {
            limit,
            lines: Lines::default(),
            block: Event::default(),
            id_buffer: None,
            last_event_id: None,
            failed: None,
        }
    }

    /// Takes the next bytes of the stream and adds what they complete to `out`.
    ///
    /// # Errors
    /// One event is larger than the limit. The parser is of no more use then and gives the same error again.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<Item>) -> Result<(), TooLarge> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let mut rest = chunk;
        loop {
            let room = self.limit.saturating_add(FIELD.len()).saturating_sub(self.block_size());
            match self.lines.next(&mut rest, room) {
                Piece::ByteOrderMark => out.push(Item::Notice(Notice::ByteOrderMark)),
                Piece::More => return Ok(()),
                Piece::Line => {
                    let line = self.lines.take();
                    self.owned_line(line, out);
                }
                Piece::Whole(line) => self.line(line, out),
                Piece::Comment => {
                    let (text, cut) = self.lines.take_comment();
                    comment(&text, cut, out);
                }
                Piece::TooLong(length) => {
                    let failed = TooLarge { limit: self.limit, seen: self.block_size() + length };
                    self.failed = Some(failed);
                    (self.lines, self.block) = (Lines::default(), Event::default());
                    return Err(failed);
                }
            }
        }
    }

    /// The stream has ended: gives an event that has data but no blank line. A field that was cut in its own line is
    /// used only if it is `data`, since the rest of an id or a number may be missing.
    pub fn finish(&mut self, out: &mut Vec<Item>) {
        let line = self.lines.finish();
        if line.starts_with(b"data") {
            self.line(&line, out);
        }
        let block = std::mem::take(&mut self.block);
        if block.had_data {
            out.push(Item::Unterminated(block));
        }
    }

    /// The event that has begun and not ended, if there is one.
    pub fn pending(&self) -> Option<Pending> {
        let line = self.lines.unfinished();
        let bytes = self.block_size() + line.len();
        let begun = self.block != Event::default() || !line.is_empty();
        begun.then(|| {
            let mut text = self.block.data[..self.block.data.len().min(PENDING_KEPT)].to_vec();
            if !text.is_empty() && !line.is_empty() {
                text.push(b'\n');
            }
            text.extend_from_slice(&line[..line.len().min(PENDING_KEPT)]);
            text.truncate(PENDING_KEPT);
            Pending { bytes, text: String::from_utf8_lossy(&text).into_owned() }
        })
    }

    /// The last event id: what `Last-Event-ID` has to say when the stream is taken up again.
    pub fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    fn block_size(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.block.data.len() + text(&self.block.name) + text(&self.block.id)
    }

    /// As [`Parser::line`], for a line in a buffer of its own: the data of a large event is not copied.
    fn owned_line(&mut self, mut line: Vec<u8>, out: &mut Vec<Item>) {
        if !self.block.had_data && line.starts_with(b"data:") {
            line.drain(..if line.starts_with(FIELD) { FIELD.len() } else { FIELD.len() - 1 });
            self.block.data = line;
            self.block.had_data = true;
        } else {
            self.line(&line, out);
            self.lines.give_back(line);
        }
    }

    /// One line, without its end and not a comment.
    fn line(&mut self, line: &[u8], out: &mut Vec<Item>) {
        if line.is_empty() {
            return self.dispatch(out);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            // "If value starts with a U+0020 SPACE character, remove it from value."
            Some(colon) => (&line[..colon], line[colon + 1..].strip_prefix(b" ").unwrap_or(&line[colon + 1..])),
            None => (line, &line[line.len()..]),
        };
        match field {
            b"data" => {
                if self.block.had_data {
                    self.block.data.push(b'\n');
                }
                self.block.had_data = true;
                self.block.data.extend_from_slice(value);
            }
            b"event" => self.block.name = Some(text(value, "event field", out)).filter(|name| !name.is_empty()),
            b"id" if value.contains(&0) => out.push(Item::Notice(Notice::IdWithNul)),
            b"id" => {
                let id = text(value, "id field", out);
                self.id_buffer = Some(id.clone());
                self.block.id = Some(id);
            }
            b"retry" => out.push(retry(value)),
            _ => out.push(Item::Notice(Notice::UnknownField(excerpt(line, NOTICE_KEPT)))),
        }
    }

    /// A blank line: the block is complete.
    fn dispatch(&mut self, out: &mut Vec<Item>) {
        // The id counts even if the block is not dispatched for want of data; it stands until another one comes.
        if self.id_buffer.is_some() {
            self.last_event_id = self.id_buffer.take();
        }
        let block = std::mem::take(&mut self.block);
        if block != Event::default() {
            out.push(Item::Event(block));
        }
    }
}

/// "If the field value consists of only ASCII digits": no sign, no blanks.
fn retry(value: &[u8]) -> Item {
    let digits = std::str::from_utf8(value).ok().filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    match digits.and_then(|digits| digits.parse().ok()) {
        Some(milliseconds) => Item::Retry(milliseconds),
        None => Item::Notice(Notice::BadRetry(excerpt(value, NOTICE_KEPT))),
    }
}

fn comment(bytes: &[u8], cut: usize, out: &mut Vec<Item>) {
    let bytes = bytes.strip_prefix(b" ").unwrap_or(bytes);
    // A character may have been cut in two: then it is no fault of the server.
    let mut comment = if cut > 0 { String::from_utf8_lossy(bytes).into_owned() } else { text(bytes, "comment", out) };
    if cut > 0 {
        comment.push_str(&format!("… ({cut} more bytes)"));
    }
    out.push(Item::Comment(comment));
}

/// "Streams must be decoded using the UTF-8 decode algorithm", which replaces and never fails.
fn text(bytes: &[u8], field: &'static str, out: &mut Vec<Item>) -> String {
    let text = String::from_utf8_lossy(bytes);
    if let Cow::Owned(_) = text {
        out.push(Item::Notice(Notice::NotUtf8(field)));
    }
    text.into_owned()
}

fn excerpt(bytes: &[u8], length: usize) -> String {
    let mut text = String::from_utf8_lossy(&bytes[..bytes.len().min(length)]).into_owned();
    if bytes.len() > length {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
