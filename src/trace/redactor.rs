//! The masking of secrets, by an allow-list for headers and by value everywhere else.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use crate::secret::Secret;

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
    // Headers that mirror arguments show no more than the message beside them (2026-07-28).
    let mirrors = name.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("mcp-param-"));
    mirrors || HARMLESS_HEADERS.iter().any(|harmless| harmless.eq_ignore_ascii_case(name))
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
pub fn mask_members(text: &str) -> String {
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
}
