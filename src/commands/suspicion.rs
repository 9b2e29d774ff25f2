//! A failure dressed as success: a text that looks like an error although `isError` is not set.
//!
//! Only ever a hint. What decides the category is the shape of the result.

use crate::wire::json;
use crate::wire::mcp::{CallResult, ContentBlock, ContentField};

/// Words that begin a text about a failure.
const OPENERS: [&str; 7] = ["error", "exception", "failed", "failure", "fatal", "traceback", "unauthorized"];

/// A longer object is data, not a report of a failure.
const LARGEST_OBJECT: usize = 64 * 1024;

/// How many characters may stand between such a word and its colon: `Error executing tool x: …`.
const REACH: usize = 60;

/// The first text block that looks like a failure, shortened.
pub(super) fn of(result: &CallResult) -> Option<String> {
    let ContentField::Blocks(blocks) = &result.content else { return None };
    blocks.iter().find_map(|block| match block {
        ContentBlock::Text { text, .. } if looks_like_failure(text) => Some(text.chars().take(80).collect()),
        _ => None,
    })
}

fn looks_like_failure(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with('{') {
        return text.len() <= LARGEST_OBJECT && says_error(text);
    }
    // Only the beginning is looked at, however long the text is.
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let line: String = text.chars().take(REACH).take_while(|c| *c != '\n').collect();
    let line = line.to_ascii_lowercase();
    OPENERS.iter().any(|opener| {
        line.strip_prefix(opener).is_some_and(|rest| {
            let whole_word = !rest.starts_with(|c: char| c.is_alphanumeric());
            // "Error codes explained" is about errors, "Error: codes" is one.
            whole_word && (rest.contains(':') || rest.starts_with('!'))
        })
    })
}

/// A JSON object that reports a failure in a member of its own.
fn says_error(text: &str) -> bool {
    let Ok(object) = serde_json::from_str::<&serde_json::value::RawValue>(text) else { return false };
    let word = |key: &str| json::member(object, key).and_then(|raw| json::string(&raw));
    let status = word("status")
        .is_some_and(|status| ["error", "failed", "failure"].iter().any(|bad| status.eq_ignore_ascii_case(bad)));
    let no_success = json::member(object, "success").is_some_and(|raw| raw.get() == "false");
    let error = json::member(object, "error").is_some_and(|raw| match json::kind(&raw) {
        json::JsonKind::String => json::string(&raw).is_some_and(|text| !text.is_empty()),
        json::JsonKind::Object => raw.get() != "{}",
        json::JsonKind::Bool => raw.get() == "true",
        _ => false,
    });
    status || no_success || error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_seen_and_talk_about_failures_is_not() {
        for text in [
            "ERROR: access denied",
            "Error executing X: 401",
            "❌ Error: no",
            r#"{"status":"error","reason":"y"}"#,
            r#"{"error":"boom"}"#,
            r#"{"success":false}"#,
            "Traceback (most recent call last):",
        ] {
            assert!(looks_like_failure(text), "{text}");
        }
        for text in [
            "Error codes explained",
            "errors: none",
            "No error: all good",
            "hi",
            r#"{"error":null}"#,
            r#"{"status":"ok"}"#,
            "",
        ] {
            assert!(!looks_like_failure(text), "{text}");
        }
    }
}
