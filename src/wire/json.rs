//! Raw JSON text, one level at a time: members, elements, strings, pointers. Nothing recurses, nothing is reformatted.

mod scan;
mod tokens;

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::RawJson;

pub use scan::{NAMED_DUPLICATES, Scan, TooDeep, scan};
pub use tokens::{Token, TokenKind, Tokens, compact, pretty, pretty_with, tokens};

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonKind {
    /// The name as JSON Schema has it.
    pub const fn name(self) -> &'static str {
        match self {
            JsonKind::Null => "null",
            JsonKind::Bool => "boolean",
            JsonKind::Number => "number",
            JsonKind::String => "string",
            JsonKind::Array => "array",
            JsonKind::Object => "object",
        }
    }

    /// The name with its article, for sentences.
    pub const fn with_article(self) -> &'static str {
        match self {
            JsonKind::Null => "null",
            JsonKind::Bool => "a boolean",
            JsonKind::Number => "a number",
            JsonKind::String => "a string",
            JsonKind::Array => "an array",
            JsonKind::Object => "an object",
        }
    }
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of a value.
pub fn kind(value: &RawValue) -> JsonKind {
    match value.get().as_bytes().first() {
        Some(b'{') => JsonKind::Object,
        Some(b'[') => JsonKind::Array,
        Some(b'"') => JsonKind::String,
        Some(b't' | b'f') => JsonKind::Bool,
        Some(b'n') => JsonKind::Null,
        _ => JsonKind::Number,
    }
}

/// Whether a value is `null`.
pub fn is_null(value: &RawValue) -> bool {
    kind(value) == JsonKind::Null
}

/// The text of a string; half surrogates become U+FFFD instead of losing the string. `None` for other types.
pub fn string(value: &RawValue) -> Option<String> {
    (kind(value) == JsonKind::String).then(|| unquote(value.get()).into_owned())
}

/// The value of a boolean; `None` for other types.
pub fn boolean(value: &RawValue) -> Option<bool> {
    match value.get() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The members of an object in their order, duplicates included; `None` for other types.
pub fn members(object: &RawValue) -> Option<Vec<(String, RawJson)>> {
    let members = borrowed_members(object)?;
    Some(members.into_iter().map(|(key, value)| (key.into_owned(), value.to_owned())).collect())
}

/// One member of an object; of duplicates the last one wins, as it does for most JSON readers.
pub fn member(object: &RawValue, key: &str) -> Option<RawJson> {
    borrowed_member(object, key).map(ToOwned::to_owned)
}

/// The elements of an array; `None` for other types.
pub fn elements(array: &RawValue) -> Option<Vec<RawJson>> {
    Some(borrowed_elements(array)?.into_iter().map(ToOwned::to_owned).collect())
}

/// The value at a JSON Pointer (RFC 6901); the empty pointer is the value itself. The last of duplicate keys wins.
pub fn pointer(value: &RawValue, json_pointer: &str) -> Option<RawJson> {
    let mut at = value;
    if json_pointer.is_empty() {
        return Some(at.to_owned());
    }
    for step in json_pointer.strip_prefix('/')?.split('/') {
        at = match kind(at) {
            JsonKind::Object => borrowed_member(at, &step.replace("~1", "/").replace("~0", "~"))?,
            JsonKind::Array => borrowed_elements(at)?.into_iter().nth(array_index(step)?)?,
            _ => return None,
        };
    }
    Some(at.to_owned())
}

/// RFC 6901 §4: digits without leading zeros.
fn array_index(step: &str) -> Option<usize> {
    let canonical = step == "0" || (!step.starts_with('0') && !step.starts_with('+'));
    if canonical { step.parse().ok() } else { None }
}

/// One step of a JSON Pointer, escaped by RFC 6901 §3.
pub fn pointer_step(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) { Cow::Owned(key.replace('~', "~0").replace('/', "~1")) } else { Cow::Borrowed(key) }
}

/// As [`members`], without copying the values.
pub fn borrowed_members(object: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    if kind(object) != JsonKind::Object {
        return None;
    }
    let mut found = Vec::new();
    each_member(object.get(), |key, value| found.push((key, value))).ok()?;
    Some(found)
}

/// As [`member`], without copying the value.
pub fn borrowed_member<'a>(object: &'a RawValue, key: &str) -> Option<&'a RawValue> {
    if kind(object) != JsonKind::Object {
        return None;
    }
    let mut found = None;
    each_member(object.get(), |name, value| {
        if name == key {
            found = Some(value);
        }
    })
    .ok()?;
    found
}

/// As [`elements`], without copying the values.
pub fn borrowed_elements(array: &RawValue) -> Option<Vec<&RawValue>> {
    if kind(array) != JsonKind::Array {
        return None;
    }
    let mut found = Vec::new();
    each_element(array.get(), |value| found.push(value)).ok()?;
    Some(found)
}

/// Calls `visit` for every member of the object that `text` is; one pass that checks all of the text.
///
/// # Errors
/// The text is not one JSON object.
pub fn each_member<'a>(text: &'a str, visit: impl FnMut(Cow<'a, str>, &'a RawValue)) -> Result<(), serde_json::Error> {
    struct Members<F>(F);
    impl<'de, F: FnMut(Cow<'de, str>, &'de RawValue)> Visitor<'de> for Members<F> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            // Keys are read raw too: serde_json refuses half a surrogate pair in a `String`.
            while let Some((key, value)) = map.next_entry::<&'de RawValue, &'de RawValue>()? {
                (self.0)(unquote(key.get()), value);
            }
            Ok(())
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_map(Members(visit))?;
    deserializer.end()
}

/// Calls `visit` for every element of the array that `text` is; one pass that checks all of the text.
///
/// # Errors
/// The text is not one JSON array.
pub fn each_element<'a>(text: &'a str, visit: impl FnMut(&'a RawValue)) -> Result<(), serde_json::Error> {
    struct Elements<F>(F);
    impl<'de, F: FnMut(&'de RawValue)> Visitor<'de> for Elements<F> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON array")
        }
        fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
            while let Some(value) = array.next_element::<&'de RawValue>()? {
                (self.0)(value);
            }
            Ok(())
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.deserialize_seq(Elements(visit))?;
    deserializer.end()
}

/// A JSON string literal for `text`, in one line.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The text of a JSON string literal, given with its quotes; half surrogates and broken escapes become U+FFFD.
pub fn unquote(literal: &str) -> Cow<'_, str> {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = escape(&rest[at + 1..], &mut out);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Reads one escape behind its backslash into `out` and gives what follows.
fn escape<'a>(text: &'a str, out: &mut String) -> &'a str {
    let mut characters = text.chars();
    let decoded = match characters.next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some(same @ ('"' | '\\' | '/')) => same,
        Some('u') => return unicode_escape(characters.as_str(), out),
        _ => char::REPLACEMENT_CHARACTER,
    };
    out.push(decoded);
    characters.as_str()
}

fn unicode_escape<'a>(text: &'a str, out: &mut String) -> &'a str {
    let Some((unit, rest)) = four_digits(text) else {
        out.push(char::REPLACEMENT_CHARACTER);
        return text;
    };
    if (0xD800..0xDC00).contains(&unit)
        && let Some((low @ 0xDC00..=0xDFFF, after)) = rest.strip_prefix("\\u").and_then(four_digits)
    {
        let scalar = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        out.push(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
        return after;
    }
    out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

fn four_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}

#[cfg(test)]
mod tests;
