//! Why bytes are not a usable JSON-RPC message, with what a person needs to find the place.

use super::Id;
use crate::outcome::{Evidence, Reason};
use crate::wire::json::{self, TokenKind};

/// Why bytes are not a usable JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Defect {
    /// Text that is not JSON.
    #[error("not JSON: {detail} at line {line}, column {column} (byte {offset})")]
    NotJson {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        /// In bytes of the decoded text, from 0.
        offset: usize,
        /// Up to 40 characters before the place and 40 from it on.
        excerpt: String,
        /// What the parser missed there.
        detail: String,
        /// The answer's id, if it can be scraped from the text.
        id: Option<u64>,
    },
    /// No bytes, or only blanks.
    #[error("empty: there is no message in it")]
    Empty,
    /// JSON nested deeper than the limit.
    #[error("JSON nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
        /// The answer's id, if it can be scraped from the text.
        id: Option<u64>,
    },
    /// JSON, but neither an object nor an array.
    #[error("not JSON-RPC: {kind} instead of an object")]
    NotObject {
        /// What it is, with its article.
        kind: &'static str,
        /// The beginning of its text.
        excerpt: String,
    },
    /// A JSON object that is not a JSON-RPC 2.0 message.
    #[error("not JSON-RPC: {why}")]
    NotJsonRpc {
        /// What is wrong with it.
        why: String,
        /// The beginning of its text.
        excerpt: String,
        /// The answer's id, if it can be scraped from the text.
        id: Option<u64>,
    },
    /// An empty array. JSON-RPC 2.0 §6: a batch has at least one element.
    #[error("not JSON-RPC: an empty array, without a message in it")]
    EmptyBatch,
    /// Bytes that are no UTF-8 text, such as UTF-16 or compressed data.
    #[error("not UTF-8 text: {looks_like} (from byte {offset})")]
    NotText {
        /// Where the first byte is that cannot be read.
        offset: usize,
        /// The bytes there in hexadecimal, and the number of those before.
        hex: String,
        /// What it could be.
        looks_like: &'static str,
    },
}

/// So many characters are shown of a text that is no message.
const SHOWN: usize = 200;
/// So many characters are shown on each side of the place.
const AROUND: usize = 40;

impl Defect {
    /// The reason inside the category `protocol`.
    pub fn reason(&self) -> Reason {
        match self {
            Defect::NotJson { .. } | Defect::Empty | Defect::NotText { .. } => Reason::NotJson,
            Defect::TooDeep { .. } => Reason::TooDeep,
            Defect::NotObject { .. } | Defect::NotJsonRpc { .. } | Defect::EmptyBatch => Reason::NotJsonRpc,
        }
    }

    /// The id of the answer that this would have been, scraped leniently from the text. `None` too if the text has a
    /// `method`: then the id is the peer's own.
    pub fn scraped_id(&self) -> Option<u64> {
        match self {
            Defect::NotJson { id, .. } | Defect::TooDeep { id, .. } | Defect::NotJsonRpc { id, .. } => *id,
            _ => None,
        }
    }

    /// The place itself, as evidence for a failure.
    pub fn evidence(&self) -> Option<Evidence> {
        let (label, text) = match self {
            Defect::NotJson { excerpt, .. } => ("near", excerpt),
            Defect::NotObject { excerpt, .. } => ("text", excerpt),
            Defect::NotJsonRpc { excerpt, .. } if !excerpt.is_empty() => ("body", excerpt),
            Defect::NotText { hex, .. } => ("bytes", hex),
            _ => return None,
        };
        Some(Evidence { label: label.to_owned(), text: text.clone() })
    }

    pub(super) fn not_json(text: &str, error: &serde_json::Error) -> Defect {
        let full = error.to_string();
        let detail = full.rsplit_once(" at line ").map_or(full.as_str(), |(detail, _)| detail);
        // serde_json counts the line's bytes up to and with the one that it stumbled over.
        let start = line_start(text, error.line());
        let offset = text.floor_char_boundary((start + error.column().saturating_sub(1)).min(text.len()));
        Defect::NotJson {
            line: error.line(),
            column: text[start.min(offset)..offset].chars().count() + 1,
            offset,
            excerpt: around(text, offset),
            detail: detail.to_owned(),
            id: scrape_id(text),
        }
    }

    /// The defect with the beginning of the text that it was found in.
    pub(super) fn in_text(mut self, text: &str) -> Defect {
        if let Defect::NotJsonRpc { excerpt, .. } = &mut self {
            *excerpt = beginning(text, SHOWN);
        }
        self
    }

    pub(super) fn not_object(value: &serde_json::value::RawValue) -> Defect {
        Defect::NotObject { kind: json::kind(value).with_article(), excerpt: beginning(value.get(), 2 * AROUND) }
    }
}

fn line_start(text: &str, line: usize) -> usize {
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    if line < 2 { 0 } else { ends.nth(line - 2).map_or(text.len(), |end| end + 1) }
}

fn around(text: &str, offset: usize) -> String {
    let (before, after) = text.split_at(offset);
    let start = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let cut = if start > 0 { "…" } else { "" };
    format!("{cut}{}{}", &before[start..], beginning(after, AROUND))
}

/// The first characters of a text, with a mark if that is not all of it.
pub(super) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Looks for the `id` of the outermost object in text that may be broken anywhere.
pub(super) fn scrape_id(text: &str) -> Option<u64> {
    let mut open: Vec<u8> = Vec::new();
    let mut id = None;
    // `Some(true)` behind the key `id`, `Some(false)` behind its colon.
    let mut awaited = None;
    for token in json::tokens(text).filter(|token| token.kind != TokenKind::Whitespace) {
        match (token.kind, token.text) {
            (TokenKind::Punctuation, "{" | "[") => open.push(token.text.as_bytes()[0]),
            (TokenKind::Punctuation, "}") => close(&mut open, b'{'),
            (TokenKind::Punctuation, "]") => close(&mut open, b'['),
            (TokenKind::Key, "\"method\"") if open.len() <= 1 => return None,
            (TokenKind::Key, "\"id\"") if open.len() <= 1 => {
                awaited = Some(true);
                continue;
            }
            (TokenKind::Punctuation, ":") if awaited == Some(true) => {
                awaited = Some(false);
                continue;
            }
            (TokenKind::Number | TokenKind::String, text) if awaited == Some(false) => {
                id = id.or_else(|| Id::from_text(text).lenient());
            }
            _ => {}
        }
        awaited = None;
    }
    id
}

/// Closes the innermost container of this kind, and with it what was left open inside.
fn close(open: &mut Vec<u8>, kind: u8) {
    if let Some(at) = open.iter().rposition(|&opened| opened == kind) {
        open.truncate(at);
    }
}
