//! The headers that mirror a message's body, and how a value is written in one (2026-07-28 basic/transports/streamable-http).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// The version that the body's `_meta` names (§Protocol Version Header).
pub const VERSION: &str = "MCP-Protocol-Version";
/// The body's `method` (§Standard Headers).
pub const METHOD: &str = "Mcp-Method";
/// What the request is about (§Standard Headers), see [`named_member`].
pub const NAME: &str = "Mcp-Name";
/// What the name of a mirrored parameter's header begins with (§Custom Headers).
pub const PARAM: &str = "Mcp-Param-";

/// The marks around a value that cannot stand in a header as it is (§Value Encoding); lower case, exactly.
const BEGIN: &str = "=?base64?";
const END: &str = "?=";

/// Requests whose params have a member that `Mcp-Name` mirrors (§Standard Headers; the last three by the extension
/// io.modelcontextprotocol/tasks).
const NAMED: [(&str, &str); 6] = [
    ("tools/call", "name"),
    ("prompts/get", "name"),
    ("resources/read", "uri"),
    ("tasks/get", "taskId"),
    ("tasks/update", "taskId"),
    ("tasks/cancel", "taskId"),
];

/// The member of `params` that `Mcp-Name` mirrors for this method, if it has one.
pub fn named_member(method: &str) -> Option<&'static str> {
    NAMED.iter().find(|(name, _)| *name == method).map(|(_, member)| *member)
}

/// A value as it stands in a header: as it is where it can, else as base64 of its UTF-8 between marks (§Value Encoding).
pub fn encode(value: &str) -> String {
    let plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) && value.trim_matches([' ', '\t']) == value;
    let looks_encoded = value.starts_with(BEGIN) && value.ends_with(END);
    if plain && !looks_encoded { value.to_owned() } else { format!("{BEGIN}{}{END}", BASE64_STANDARD.encode(value)) }
}

/// Whether a text can be a part of a header's name: a non-empty token of HTTP (RFC 9110 §5.6.2).
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_plain_where_they_can_be() {
        let rows = [
            ("us-west1", "us-west1"),
            ("", ""),
            ("a  b", "a  b"),
            (" a", "=?base64?IGE=?="),
            ("a\t", "=?base64?YQk=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("a\tb", "=?base64?YQli?="),
            ("日本", "=?base64?5pel5pys?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
            ("=?BASE64?YQ==?=", "=?BASE64?YQ==?="),
            ("file:///a%20b?id=1", "file:///a%20b?id=1"),
        ];
        for (value, header) in rows {
            assert_eq!(encode(value), header, "{value:?}");
        }
    }

    #[test]
    fn tokens() {
        assert!(is_token("Region") && is_token("a-b_c.1"));
        for text in ["", "a b", "a:b", "é", "a\u{7f}", "a/b", "(a)"] {
            assert!(!is_token(text), "{text:?}");
        }
    }
}
