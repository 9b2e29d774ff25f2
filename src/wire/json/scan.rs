//! One pass over JSON text for what a reader would not notice: its depth, and keys that stand twice.

use std::borrow::Cow;
use std::collections::HashSet;

use super::tokens::{TokenKind, tokens};
use super::{pointer_step, unquote};

/// The text is nested deeper than the limit that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooDeep;

/// What [`scan`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// The JSON Pointers of keys that stand twice in their object, at most [`NAMED_DUPLICATES`] of them.
    pub duplicates: Vec<String>,
    /// How many more there are.
    pub more_duplicates: usize,
}

/// So many duplicates are named; the rest is counted.
pub const NAMED_DUPLICATES: usize = 10;

/// So many keys are remembered at once, so that hostile text cannot take many times its own size; further keys go unchecked.
const REMEMBERED_KEYS: usize = 1 << 20;

/// A longer pointer is cut at its front: its end says more.
const POINTER_LENGTH: usize = 300;

/// Up to so many keys of one object are compared pair by pair.
const FEW_KEYS: usize = 8;

enum Frame<'a> {
    /// The index of its first key among the remembered keys, and the literal of its current key.
    Object { first: usize, key: &'a str },
    /// The index of the current element.
    Array { index: usize },
}

/// Scans text that is JSON. Takes linear time, and no stack.
///
/// # Errors
/// More than `limit` containers are open at once.
pub fn scan(text: &str, limit: usize) -> Result<Scan, TooDeep> {
    let mut found = Scan::default();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut keys: Vec<Cow<'_, str>> = Vec::new();
    for token in tokens(text) {
        match (token.kind, token.text) {
            (TokenKind::Punctuation, "{" | "[") if frames.len() >= limit => return Err(TooDeep),
            (TokenKind::Punctuation, "{") => frames.push(Frame::Object { first: keys.len(), key: "" }),
            (TokenKind::Punctuation, "[") => frames.push(Frame::Array { index: 0 }),
            (TokenKind::Punctuation, ",") => {
                if let Some(Frame::Array { index }) = frames.last_mut() {
                    *index += 1;
                }
            }
            (TokenKind::Punctuation, "}" | "]") => {
                if let Some(Frame::Object { first, .. }) = frames.pop() {
                    duplicates(&keys[first..], &frames, &mut found);
                    keys.truncate(first);
                }
            }
            (TokenKind::Key, literal) => {
                if let Some(Frame::Object { key, .. }) = frames.last_mut() {
                    *key = literal;
                    if keys.len() < REMEMBERED_KEYS {
                        keys.push(unquote(literal));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Notes the keys of one object that stand twice.
fn duplicates(keys: &[Cow<'_, str>], frames: &[Frame<'_>], found: &mut Scan) {
    if keys.len() <= FEW_KEYS {
        for (at, key) in keys.iter().enumerate() {
            if keys[..at].iter().filter(|other| *other == key).count() == 1 {
                found.note(frames, key);
            }
        }
        return;
    }
    let (mut seen, mut noted) = (HashSet::with_capacity(keys.len()), HashSet::new());
    for key in keys {
        if !seen.insert(key) && noted.insert(key) {
            found.note(frames, key);
        }
    }
}

impl Scan {
    fn note(&mut self, frames: &[Frame<'_>], key: &str) {
        if self.duplicates.len() >= NAMED_DUPLICATES {
            self.more_duplicates += 1;
            return;
        }
        // Built from its end, so that a long path costs no more than what is shown of it.
        let mut steps = vec![format!("/{}", pointer_step(key))];
        let mut length = steps[0].len();
        let mut above = frames.iter().rev();
        while length <= POINTER_LENGTH {
            let Some(frame) = above.next() else {
                break;
            };
            let step = match frame {
                Frame::Object { key, .. } => format!("/{}", pointer_step(&unquote(key))),
                Frame::Array { index } => format!("/{index}"),
            };
            length += step.len();
            steps.push(step);
        }
        let pointer: String = steps.into_iter().rev().collect();
        self.duplicates.push(if length <= POINTER_LENGTH {
            pointer
        } else {
            let cut = pointer.ceil_char_boundary(pointer.len() - POINTER_LENGTH);
            format!("…{}", &pointer[cut..])
        });
    }
}
