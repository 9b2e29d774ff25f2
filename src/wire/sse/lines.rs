//! Cuts the bytes of an event stream into lines: LF, CR and CRLF, whatever the borders of the chunks, and a byte order mark.

use super::COMMENT_KEPT;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A buffer of more than this is not kept for the next line.
const SPARE_KEPT: usize = 64 * 1024;

/// What [`Lines::next`] found.
#[derive(Debug)]
pub(super) enum Piece<'a> {
    /// The chunk is used up.
    More,
    /// The stream began with a byte order mark.
    ByteOrderMark,
    /// A line that lay within the chunk.
    Whole(&'a [u8]),
    /// A line that began in an earlier chunk: take it with [`Lines::take`].
    Line,
    /// A comment: take it with [`Lines::take_comment`].
    Comment,
    /// The unfinished line is longer than there is room for; so much of it has been seen.
    TooLong(usize),
}

/// The state between two chunks.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The unfinished line; of a comment its beginning, without the colon.
    line: Vec<u8>,
    /// Whether the unfinished line is a comment, and how many bytes of it were dropped.
    comment: Option<usize>,
    /// The line before ended in CR, so a LF that follows belongs to it.
    skip_lf: bool,
    /// Whether it is known if the stream begins with a byte order mark.
    begun: Begun,
}

#[derive(Debug)]
enum Begun {
    /// So many bytes of the mark have come.
    MarkSoFar(usize),
    /// It is known.
    Decided,
}

impl Default for Begun {
    fn default() -> Begun {
        Begun::MarkSoFar(0)
    }
}

impl Lines {
    /// Takes bytes off the front of `rest` until there is something to tell. `room` is how long a line may be.
    pub(super) fn next<'a>(&mut self, rest: &mut &'a [u8], room: usize) -> Piece<'a> {
        if let Begun::MarkSoFar(matched) = self.begun
            && let Some(piece) = self.byte_order_mark(matched, rest)
        {
            return piece;
        }
        if self.skip_lf && !rest.is_empty() {
            self.skip_lf = false;
            *rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        let Some(&first) = rest.first() else {
            return Piece::More;
        };
        if first == b':' && self.line.is_empty() && self.comment.is_none() {
            self.comment = Some(0);
            *rest = &rest[1..];
        }
        let end = memchr::memchr2(b'\n', b'\r', rest);
        let part = &rest[..end.unwrap_or(rest.len())];
        if self.comment.is_none() && self.line.len().saturating_add(part.len()) > room {
            return Piece::TooLong(self.line.len() + part.len());
        }
        let begins_here = self.line.is_empty();
        if self.comment.is_some() || !begins_here || end.is_none() {
            self.keep(part);
        }
        let Some(end) = end else {
            *rest = &[];
            return Piece::More;
        };
        // A CR ends the line at once: whether a LF follows may take long to be known.
        self.skip_lf = rest[end] == b'\r';
        *rest = &rest[end + 1..];
        match (self.comment, begins_here) {
            (Some(_), _) => Piece::Comment,
            (None, true) => Piece::Whole(part),
            (None, false) => Piece::Line,
        }
    }

    /// "One leading U+FEFF BYTE ORDER MARK character must be ignored if any are present."
    fn byte_order_mark<'a>(&mut self, matched: usize, rest: &mut &'a [u8]) -> Option<Piece<'a>> {
        let missing = &BYTE_ORDER_MARK[matched..];
        let same = rest.iter().zip(missing).take_while(|(byte, expected)| byte == expected).count();
        if same == missing.len() {
            self.begun = Begun::Decided;
            *rest = &rest[same..];
            return Some(Piece::ByteOrderMark);
        }
        if same == rest.len() {
            self.begun = Begun::MarkSoFar(matched + same);
            *rest = &[];
            return Some(Piece::More);
        }
        // No mark after all: what an earlier chunk held of it is the beginning of a line.
        self.begun = Begun::Decided;
        self.line.extend_from_slice(&BYTE_ORDER_MARK[..matched]);
        None
    }

    fn keep(&mut self, part: &[u8]) {
        match &mut self.comment {
            // An endless comment must not take memory.
            Some(dropped) => {
                let kept = part.len().min(COMMENT_KEPT.saturating_sub(self.line.len()));
                self.line.extend_from_slice(&part[..kept]);
                *dropped += part.len() - kept;
            }
            None => self.line.extend_from_slice(part),
        }
    }

    /// The line that is complete.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.line)
    }

    /// Gives the buffer of [`Lines::take`] back, to be used again.
    pub(super) fn give_back(&mut self, mut buffer: Vec<u8>) {
        if buffer.capacity() <= SPARE_KEPT && self.line.is_empty() {
            buffer.clear();
            self.line = buffer;
        }
    }

    /// The comment that is complete, and how many bytes of it were dropped.
    pub(super) fn take_comment(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.line), self.comment.take().unwrap_or(0))
    }

    /// The unfinished line, unless it is a comment.
    pub(super) fn unfinished(&self) -> &[u8] {
        if self.comment.is_some() { &[] } else { &self.line }
    }

    /// The stream has ended: its unfinished line, unless it is a comment.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        if self.comment.take().is_some() { Vec::new() } else { line }
    }

    /// How much memory is held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.line.capacity()
    }
}
