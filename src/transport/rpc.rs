//! The little of JSON-RPC that a transport has to see: whether a body is a message at all, and whether a message can be
//! the answer to a request. Anything finer is the client's business.

use std::borrow::Cow;

use crate::wire::json::{self, JsonKind};
use crate::wire::jsonrpc::Id;
use crate::wire::sse::{Item, Parser};

/// What a message means for one open request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// It is no response.
    No,
    /// It is a response to something else.
    Other,
    /// It is the response, or an error without an id, which on the request's own exchange can mean no other.
    Yes,
}

#[derive(Default)]
struct Members<'a> {
    jsonrpc: bool,
    method: bool,
    result: bool,
    error: bool,
    id: Option<Cow<'a, str>>,
}

fn members(text: &str) -> Option<Members<'_>> {
    let mut members = Members::default();
    json::each_member(text, |key, value| match &*key {
        "jsonrpc" => members.jsonrpc = true,
        "method" => members.method = true,
        "result" => members.result = true,
        "error" => members.error = !json::is_null(value),
        "id" if !json::is_null(value) => members.id = Some(Cow::Borrowed(value.get())),
        _ => {}
    })
    .ok()?;
    Some(members)
}

/// Every object of a text: the one that it is, or those of the array that it is.
fn each(text: &str, mut visit: impl FnMut(Members<'_>)) {
    if !text.trim_start().starts_with('[') {
        members(text).into_iter().for_each(visit);
        return;
    }
    // Not JSON at all: no element was usable.
    let _ = json::each_element(text, |value| {
        if json::kind(value) == JsonKind::Object {
            members(value.get()).into_iter().for_each(&mut visit);
        }
    });
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

/// Whether a body is a JSON-RPC response (or a batch with one), whatever its status and media type say. The `jsonrpc`
/// member is what tells it from the many other JSON errors of this world.
pub fn looks_like_response(body: &[u8]) -> bool {
    let mut found = false;
    each(&text(body), |members| found |= members.jsonrpc && (members.result || members.error));
    found
}

/// Whether an event's data is a whole JSON-RPC message.
pub fn looks_like_message(data: &[u8]) -> bool {
    let mut found = false;
    each(&text(data), |members| found |= members.jsonrpc && (members.result || members.error || members.method));
    found
}

/// What a message is for the request `key`.
pub fn answers(message: &[u8], key: u64) -> Answers {
    let mut answers = Answers::No;
    each(&text(message), |members| {
        if members.method || !(members.result || members.error) {
            return;
        }
        let is_ours = match &members.id {
            Some(id) => id_is(id, key),
            None => members.error,
        };
        if is_ours {
            answers = Answers::Yes;
        } else if answers == Answers::No {
            answers = Answers::Other;
        }
    });
    answers
}

/// Gateways turn numeric ids into texts (RPC-01).
fn id_is(id: &str, key: u64) -> bool {
    Id::from_text(id).lenient() == Some(key)
}

/// The first JSON-RPC response in a body that is an event stream.
pub fn response_in_events(body: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut items = Vec::new();
    let mut parser = Parser::new(limit);
    // Larger than the limit: what came before it still counts.
    let _ = parser.push(body, &mut items);
    parser.finish(&mut items);
    items.into_iter().find_map(|item| match item {
        Item::Event(event) | Item::Unterminated(event) if looks_like_response(&event.data) => Some(event.data),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_told_from_other_json() {
        for yes in [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1}}"#,
            r#" {"result":{},"jsonrpc":"2.0"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1e999}",
            r#"[{"jsonrpc":"2.0","id":1,"result":1}]"#,
        ] {
            assert!(looks_like_response(yes.as_bytes()), "{yes}");
        }
        for no in [
            r#"{"error":{"code":429,"message":"m"}}"#,
            r#"{"detail":"x"}"#,
            r#"{"jsonrpc":"2.0","method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":"#,
            "[]",
            "[1]",
            "null",
            "",
            "<html>",
        ] {
            assert!(!looks_like_response(no.as_bytes()), "{no}");
        }
        assert!(looks_like_message(br#"{"jsonrpc":"2.0","method":"x"}"#));
    }

    #[test]
    fn answers_are_matched_by_id() {
        for (message, expected) in [
            (r#"{"id":1,"result":{}}"#, Answers::Yes),
            (r#"{"id":"1","result":{}}"#, Answers::Yes),
            (r#"{"id":2,"result":{}}"#, Answers::Other),
            (r#"{"id":"one","error":{}}"#, Answers::Other),
            (r#"{"id":null,"error":{}}"#, Answers::Yes),
            (r#"{"error":{}}"#, Answers::Yes),
            (r#"{"result":{}}"#, Answers::Other),
            (r#"{"id":1,"method":"ping"}"#, Answers::No),
            (r#"{"method":"x"}"#, Answers::No),
            (r#"[{"id":2,"result":{}},{"id":1,"result":{}}]"#, Answers::Yes),
            ("garbage", Answers::No),
        ] {
            assert_eq!(answers(message.as_bytes(), 1), expected, "{message}");
        }
    }

    #[test]
    fn a_response_is_found_in_events() {
        let body = b": c\n\ndata: {}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n";
        assert_eq!(response_in_events(body, 1000).unwrap(), br#"{"jsonrpc":"2.0","id":1,"error":{}}"#);
        assert_eq!(response_in_events(b"data: {}\n\n", 1000), None);
    }
}
