//! Bytes to lines: whole messages from stdout, shortened lines from stderr. Neither ever holds more than its limit.

use std::io::{self, BufRead};

/// Cuts stdout into lines that end in LF or CRLF, however the bytes are chunked.
///
/// Every byte is looked at once, so the time is linear in the length of a line.
#[derive(Debug)]
pub(super) struct MessageLines {
    line: Vec<u8>,
    limit: usize,
}

/// What one step of [`MessageLines::next`] gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A whole line, without its end.
    Line(Vec<u8>),
    /// The input is used up; the line goes on.
    More,
    /// The line is longer than the limit; so many of its bytes have come.
    TooLong(usize),
}

impl MessageLines {
    /// Lines of at most `limit` bytes, the line end not counted.
    pub(super) fn new(limit: usize) -> MessageLines {
        MessageLines { line: Vec::new(), limit }
    }

    /// Takes bytes from the front of `input` until a line is whole or the input is used up.
    pub(super) fn next(&mut self, input: &mut &[u8]) -> io::Result<Step> {
        input.read_until(b'\n', &mut self.line)?;
        let ended = self.line.last() == Some(&b'\n');
        if ended {
            self.line.pop();
        }
        let content = self.line.len() - usize::from(self.line.last() == Some(&b'\r'));
        if content > self.limit {
            return Ok(Step::TooLong(self.line.len()));
        }
        if !ended {
            return Ok(Step::More);
        }
        self.line.truncate(content);
        Ok(Step::Line(std::mem::take(&mut self.line)))
    }

    /// The line that is begun.
    pub(super) fn pending(&self) -> &[u8] {
        &self.line
    }

    /// What stands after the last line end.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.line)
    }
}

/// The longest stderr line that is kept, in bytes; what follows up to the line end is dropped.
pub(super) const LONGEST_LOG_LINE: usize = 8 * 1024;

/// Cuts stderr into lines of at most [`LONGEST_LOG_LINE`] bytes.
#[derive(Debug, Default)]
pub(super) struct LogLines {
    line: Vec<u8>,
    /// The line was too long and was given out; its rest is skipped.
    cut: bool,
}

impl LogLines {
    /// Takes bytes, and gives each line that they end.
    pub(super) fn push(&mut self, bytes: &[u8], mut give: impl FnMut(String)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ended = part.ends_with(b"\n");
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            if !self.cut {
                let room = LONGEST_LOG_LINE - self.line.len();
                self.line.extend_from_slice(&text[..text.len().min(room)]);
                if text.len() > room {
                    self.cut = true;
                    give(format!("{}… (line cut)", self.take()));
                }
            }
            if ended {
                if !self.cut {
                    give(self.take());
                }
                self.cut = false;
            }
        }
    }

    /// Whether a line is begun that nobody has seen yet.
    pub(super) fn is_begun(&self) -> bool {
        !self.line.is_empty()
    }

    /// The line that is begun, as it is now.
    pub(super) fn take(&mut self) -> String {
        let line = std::mem::take(&mut self.line);
        String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(&line)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(limit: usize, chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Vec<u8>, Option<usize>) {
        let mut lines = MessageLines::new(limit);
        let mut got = Vec::new();
        for chunk in chunks {
            let mut input = *chunk;
            loop {
                match lines.next(&mut input).unwrap() {
                    Step::Line(line) => got.push(line),
                    Step::More => break,
                    Step::TooLong(seen) => return (got, Vec::new(), Some(seen)),
                }
            }
        }
        (got, lines.rest(), None)
    }

    #[test]
    fn lines_do_not_depend_on_chunks_or_line_ends() {
        let text = b"{\"a\":1}\r\n\n{\"b\":\"\r\"}\nrest";
        let whole = all(100, &[text]);
        assert_eq!(whole.0, vec![b"{\"a\":1}".to_vec(), b"".to_vec(), b"{\"b\":\"\r\"}".to_vec()]);
        assert_eq!(whole.1, b"rest");
        for size in 1..text.len() {
            let chunks: Vec<&[u8]> = text.chunks(size).collect();
            assert_eq!(all(100, &chunks), whole, "chunks of {size}");
        }
    }

    #[test]
    fn the_limit_counts_the_line_without_its_end() {
        assert_eq!(all(4, &[b"1234\r\n1234\n"]).0.len(), 2);
        assert_eq!(all(4, &[b"1234", b"\r", b"\n"]).0.len(), 1);
        assert_eq!(all(4, &[b"12345\n"]).2, Some(5));
        assert_eq!(all(4, &[b"12", b"345"]).2, Some(5));
    }

    #[test]
    fn a_log_line_is_cut_once_and_the_next_one_is_whole() {
        let mut lines = LogLines::default();
        let mut got = Vec::new();
        for _ in 0..100 {
            lines.push(&[b'x'; 1000], |line| got.push(line));
        }
        lines.push(b"\nnext\r\nhalf", |line| got.push(line));
        assert_eq!(got.len(), 2);
        assert!(got[0].starts_with("xxx") && got[0].ends_with("… (line cut)"));
        assert_eq!(got[0].trim_start_matches('x'), "… (line cut)");
        assert_eq!(got[1], "next");
        assert!(lines.is_begun());
        assert_eq!(lines.take(), "half");
        assert!(!lines.is_begun());
    }
}
