//! Headers that a user gives: `Name: value`, and bearer tokens. No error shows a value.

use crate::outcome::{Failure, Reason};
use crate::secret::Secret;

/// Why a header cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// No colon, so no name: the text is not shown, it may be a secret.
    #[error("a header must be `Name: value`, this one has no colon")]
    NoColon,
    /// The name is empty.
    #[error("a header must be `Name: value`, this one has no name in front of its colon")]
    NoName,
    /// The name holds what a name cannot hold. It is not shown, it may be a secret.
    #[error(
        "a header must be `Name: value`, and what stands in front of the first colon of this one is no header name"
    )]
    Name,
    /// The value holds a control character.
    #[error("the value of the header {name} holds {what}, which no header can hold")]
    Value {
        /// The header's name.
        name: String,
        /// What it holds.
        what: &'static str,
    },
    /// `Bearer Bearer …`, or a whole header inside a value.
    #[error("the value of the header {name} names its scheme twice")]
    TwoSchemes {
        /// The header's name.
        name: String,
    },
    /// A bearer token that is empty.
    #[error("the bearer token is empty")]
    NoToken,
    /// A bearer token that brings its scheme or its header along.
    #[error("the bearer token begins with {prefix}, which is added by itself; give the token alone")]
    TokenWithScheme {
        /// `Bearer` or `Authorization:`.
        prefix: &'static str,
    },
    /// A bearer token with something in it that tokens do not have.
    #[error("the bearer token holds {what}, which no token can hold")]
    Token {
        /// What it holds.
        what: &'static str,
    },
}

impl HeaderError {
    /// The failure that it is: usage, the command line.
    pub fn to_failure(&self) -> Failure {
        Failure::usage(Reason::CommandLine, self.to_string()).with_hint("as in -H 'Name: value'")
    }
}

impl From<HeaderError> for Failure {
    fn from(error: HeaderError) -> Failure {
        error.to_failure()
    }
}

/// Reads `Name: value`. The value is everything behind the first colon, trimmed at its ends only.
///
/// # Errors
/// The text is no header, or its value cannot be sent.
pub fn parse_header(text: &str) -> Result<(String, Secret), HeaderError> {
    let (name, value) = text.split_once(':').ok_or(HeaderError::NoColon)?;
    let name = name.trim_matches([' ', '\t']);
    let value = header(name, value)?;
    Ok((name.to_owned(), value))
}

/// Checks a header's name and value by RFC 9110 §5.1 and §5.5, and trims the value.
pub(super) fn header(name: &str, value: &str) -> Result<Secret, HeaderError> {
    if name.is_empty() {
        return Err(HeaderError::NoName);
    }
    let tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !name.bytes().all(tchar) {
        return Err(HeaderError::Name);
    }
    let value = value.trim_matches([' ', '\t']);
    if let Some(what) = control(value) {
        return Err(HeaderError::Value { name: name.to_owned(), what });
    }
    let schemed = ["bearer ", "basic "].into_iter().find_map(|scheme| after(value, scheme));
    let twice = schemed.is_some_and(|rest| {
        ["bearer ", "basic ", "authorization:"].into_iter().any(|scheme| after(rest.trim_start(), scheme).is_some())
    });
    let is_authorization =
        name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("proxy-authorization");
    if is_authorization && (twice || after(value, "authorization:").is_some()) {
        return Err(HeaderError::TwoSchemes { name: name.to_owned() });
    }
    Ok(Secret::new(value))
}

/// Reads a bearer token, which is given without its scheme.
///
/// # Errors
/// The text is empty, brings a scheme along, or holds a blank or control character (RFC 6750 §2.1).
pub fn parse_bearer(text: &str) -> Result<Secret, HeaderError> {
    let token = text.trim_matches([' ', '\t', '\r', '\n']);
    if token.is_empty() {
        return Err(HeaderError::NoToken);
    }
    for (start, prefix) in [("authorization:", "`Authorization:`"), ("bearer ", "`Bearer`"), ("bearer:", "`Bearer`")] {
        if after(token, start).is_some() {
            return Err(HeaderError::TokenWithScheme { prefix });
        }
    }
    if let Some(what) = control(token) {
        return Err(HeaderError::Token { what });
    }
    if token.contains([' ', '\t']) {
        return Err(HeaderError::Token { what: "a blank" });
    }
    Ok(Secret::new(token))
}

/// What follows a prefix, whatever its letter case.
fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// The first character that a field value must not hold.
fn control(value: &str) -> Option<&'static str> {
    value.bytes().find_map(|byte| match byte {
        b'\r' | b'\n' => Some("a line break"),
        0 => Some("a NUL"),
        b'\t' => None,
        byte if byte.is_ascii_control() => Some("a control character"),
        _ => None,
    })
}
