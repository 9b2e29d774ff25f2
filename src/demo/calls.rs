//! What each tool does.

use std::time::Duration;

use serde_json::{Number, Value, json};
use tokio::time::{Instant, sleep_until};

use super::arguments::{Arguments, findings};
use super::context::{Asked, Context, Reply, Work};
use super::media;
use super::message::RpcError;

/// A result of one text block.
pub fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// A result that says that the tool failed (2025-11-25 server/tools §Error Handling).
pub fn failure(message: impl Into<String>) -> Value {
    let mut result = text(message);
    result["isError"] = json!(true);
    result
}

/// Structured output, and the same as text: "SHOULD also return the serialized JSON in a TextContent block"
/// (2025-11-25 server/tools §Structured Content).
fn structured(value: Value) -> Value {
    let mut result = text(value.to_string());
    result["structuredContent"] = value;
    result
}

pub fn echo(_: &Context, arguments: &Arguments) -> Reply {
    Ok(text(arguments.text("message")))
}

pub fn add(_: &Context, arguments: &Arguments) -> Reply {
    let sum = arguments.integer("a").zip(arguments.integer("b")).and_then(|(a, b)| a.checked_add(b));
    Ok(match sum.and_then(Number::from_i128) {
        Some(sum) => {
            let mut result = structured(json!({ "sum": sum }));
            result["content"][0]["text"] = Value::String(sum.to_string());
            result
        }
        None => failure("the numbers or their sum need more than 128 bits"),
    })
}

/// `slow` says nothing for so long, so that a shorter idle clock runs out and a longer one is kept going by progress.
const QUIET: Duration = Duration::from_millis(500);

pub fn slow(context: Context, arguments: Arguments) -> Work<Reply> {
    Box::pin(async move {
        let seconds = arguments.number("seconds").unwrap_or_default();
        if !(0.0..=3600.0).contains(&seconds) {
            return Ok(failure("\"seconds\" must be between 0 and 3600"));
        }
        let start = Instant::now();
        let end = start + Duration::from_secs_f64(seconds);
        let mut next = start + QUIET;
        while next < end {
            sleep_until(next).await;
            let passed = (next - start).as_secs_f64();
            context.progress(passed, seconds, &format!("{passed:.1} of {seconds} s")).await;
            next += Duration::from_millis(100);
        }
        sleep_until(end).await;
        Ok(text(format!("slept {} s", arguments.values["seconds"])))
    })
}

pub fn throw_error(_: &Context, _: &Arguments) -> Reply {
    Ok(failure("RuntimeError: the tool threw an error, as it was asked to"))
}

pub fn return_error(_: &Context, arguments: &Arguments) -> Reply {
    let Ok(code) = i64::try_from(arguments.integer("code").unwrap_or(-32050)) else {
        return Ok(failure("\"code\" needs more than 64 bits"));
    };
    let error = RpcError::new(code, format!("the tool returned JSON-RPC error {code}, as it was asked to"));
    Err(error.with_data(json!({ "tool": "return_error", "retryable": false })))
}

pub fn invalid_access(_: &Context, _: &Arguments) -> Reply {
    Ok(failure(
        "KeyError: no record \"customer-42\" in table \"customers\" (3 records: customer-1, customer-2, customer-3)",
    ))
}

pub fn hidden_error(_: &Context, _: &Arguments) -> Reply {
    let mut result = text("ERROR: access denied");
    result["isError"] = json!(false);
    Ok(result)
}

/// Content blocks with the version that brought them (schema of each version, ContentBlock).
pub fn all_content(context: &Context, _: &Arguments) -> Reply {
    let blocks = [
        ("2024-11-05", json!({ "type": "text", "text": "A text block: grüße, 世界 🙂" })),
        ("2024-11-05", json!({ "type": "image", "data": media::PNG, "mimeType": "image/png" })),
        ("2025-03-26", json!({ "type": "audio", "data": media::WAV, "mimeType": "audio/wav" })),
        (
            "2025-06-18",
            json!({
                "type": "resource_link", "uri": "demo://text", "name": "text", "title": "A text",
                "description": "The text resource of this server", "mimeType": "text/plain"
            }),
        ),
        (
            "2024-11-05",
            json!({
                "type": "resource",
                "resource": { "uri": "demo://embedded.md", "mimeType": "text/markdown", "text": "# Embedded\n\nA text inside the result.\n" }
            }),
        ),
        (
            "2024-11-05",
            json!({
                "type": "resource",
                "resource": { "uri": "demo://embedded.png", "mimeType": "image/png", "blob": media::PNG }
            }),
        ),
    ];
    let known = blocks.into_iter().filter(|(since, _)| *since <= context.caller.version).map(|(_, block)| block);
    Ok(json!({ "content": known.collect::<Vec<_>>() }))
}

/// The form that `ask` shows: flat, with a default wherever one is allowed (2025-11-25 client/elicitation §Requested Schema).
fn form() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "title": "Name", "description": "Who are you?", "minLength": 1 },
            "color": { "type": "string", "title": "Color", "enum": ["red", "green", "blue"], "default": "green" },
            "count": { "type": "integer", "title": "Count", "minimum": 1, "maximum": 10, "default": 3 },
            "subscribe": { "type": "boolean", "title": "Subscribe", "default": true }
        },
        "required": ["name"]
    })
}

pub fn ask(context: Context, _: Arguments) -> Work<Reply> {
    Box::pin(async move {
        // "Servers MUST NOT send elicitation requests with modes that are not supported by the client" (2025-11-25
        // client/elicitation §Capabilities).
        if !context.caller.elicits() {
            return Ok(failure("this client declared no elicitation capability (form mode), so it cannot be asked"));
        }
        let mut params = json!({ "message": "Who is there?", "requestedSchema": form() });
        if context.caller.version >= "2025-11-25" {
            params["mode"] = json!("form");
        }
        Ok(match context.ask("elicitation/create", &params).await {
            Asked::Result(result) => told(&result),
            Asked::Error(error) => failure(format!("the client answered the question with an error: {error}")),
            Asked::Gone => failure("the client went away before it answered"),
        })
    })
}

fn told(result: &Value) -> Value {
    match (result["action"].as_str(), result["content"].as_object()) {
        (Some("accept"), Some(content)) => {
            let found = findings(&form(), content);
            match found.is_empty() {
                true => text(format!("accept: {}", result["content"])),
                false => failure(format!("the accepted answer does not fit the form: {}", found.join("; "))),
            }
        }
        (Some(action @ ("decline" | "cancel")), _) => text(action),
        _ => failure(format!("the client's answer is no elicitation result: {result}")),
    }
}

pub fn big(_: &Context, arguments: &Arguments) -> Reply {
    const LINE: &str = "The quick brown fox jumps over the lazy dog, and then once more. ";
    const MOST: usize = 256 << 20;
    let size = arguments.integer("bytes").and_then(|bytes| usize::try_from(bytes).ok()).filter(|bytes| *bytes <= MOST);
    Ok(match size {
        Some(size) => {
            let mut filling = LINE.repeat(size / LINE.len() + 1);
            filling.truncate(size);
            text(filling)
        }
        None => failure(format!("\"bytes\" must be between 0 and {MOST}")),
    })
}

pub fn log(context: Context, _: Arguments) -> Work<Reply> {
    Box::pin(async move {
        for level in ["debug", "info", "notice", "warning", "error"] {
            context.log(level, json!(format!("a message of level {level}"))).await;
        }
        Ok(text("logged at debug, info, notice, warning and error"))
    })
}

pub fn types(_: &Context, arguments: &Arguments) -> Reply {
    Ok(text(arguments.raw.clone()))
}

pub fn nested(_: &Context, arguments: &Arguments) -> Reply {
    let value = |name: &str| arguments.values.get(name).cloned();
    Ok(structured(json!({ "person": value("person"), "tags": value("tags").unwrap_or(json!([])) })))
}

pub fn upper(_: &Context, arguments: &Arguments) -> Reply {
    Ok(text(arguments.text("text").to_uppercase()))
}

pub fn reverse(_: &Context, arguments: &Arguments) -> Reply {
    Ok(text(arguments.text("text").chars().rev().collect::<String>()))
}

pub fn count_words(_: &Context, arguments: &Arguments) -> Reply {
    let counted = arguments.text("text");
    Ok(structured(json!({ "words": counted.split_whitespace().count(), "characters": counted.chars().count() })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_answers_are_told_and_checked() {
        assert_eq!(
            told(&json!({"action": "accept", "content": {"name": "Ada", "count": 3}})),
            text(r#"accept: {"name":"Ada","count":3}"#)
        );
        assert_eq!(told(&json!({"action": "decline"})), text("decline"));
        assert_eq!(told(&json!({"action": "cancel", "content": null})), text("cancel"));
        for bad in [
            json!({"action": "accept", "content": {"count": 3}}),
            json!({"action": "accept", "content": {"name": "Ada", "color": "pink"}}),
            json!({"action": "accept"}),
            json!({"action": "maybe"}),
            json!({}),
        ] {
            assert_eq!(told(&bad)["isError"], true, "{bad}");
        }
    }
}
