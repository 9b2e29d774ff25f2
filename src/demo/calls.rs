//! What each tool does.

use std::time::Duration;

use serde_json::{Number, Value, json};
use tokio::time::{Instant, sleep_until};

use super::arguments::Arguments;
use super::asking;
use super::context::{Context, Reply, Work};
use super::media;
use super::message::RpcError;
use super::world::Change;

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

pub fn region(_: &Context, arguments: &Arguments) -> Reply {
    let value = |name: &str| arguments.values.get(name);
    let tier = value("options").and_then(|options| options.get("tier"));
    let rows = [
        ("region", value("region")),
        ("limit", value("limit")),
        ("dry_run", value("dry_run")),
        ("options.tier", tier),
        ("query", value("query")),
    ];
    let lines: Vec<_> = rows.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_ref()?))).collect();
    Ok(text(if lines.is_empty() { "nothing".to_owned() } else { lines.join("\n") }))
}

pub fn change_tools(context: &Context, arguments: &Arguments) -> Reply {
    let method = match arguments.text("list") {
        "prompts" => "notifications/prompts/list_changed",
        "resources" => "notifications/resources/list_changed",
        _ => {
            context.world.toggle_extra_tool();
            "notifications/tools/list_changed"
        }
    };
    context.world.announce(Change::List(method));
    Ok(text(format!("sent {method} to whoever listens")))
}

pub fn extra(_: &Context, _: &Arguments) -> Reply {
    Ok(text("this tool comes and goes"))
}

/// How long a step of `job` takes.
const STEP: Duration = Duration::from_millis(100);

pub fn job(context: Context, arguments: Arguments) -> Work<Reply> {
    Box::pin(async move {
        let flag = |name: &str| arguments.values.get(name) == Some(&Value::Bool(true));
        let Some(steps) = arguments.integer("steps").filter(|steps| (0..=1000).contains(steps)) else {
            return Ok(failure("\"steps\" must be between 0 and 1000"));
        };
        let mut who = String::new();
        if flag("ask") {
            match asking::ask_for(&context, "who", "For whom is the job?").await {
                Ok(told) => who = format!(" for {told}"),
                Err(reply) => return reply,
            }
        }
        for step in 1..=steps {
            let told = format!("step {step} of {steps}");
            if let Some(task) = &context.task {
                task.tell(told.clone());
            }
            context.progress(step as f64, steps as f64, &told).await;
            tokio::time::sleep(STEP).await;
        }
        if flag("fail") {
            return Ok(failure("RuntimeError: the job failed, as it was asked to"));
        }
        if flag("error") {
            return Err(RpcError::new(-32050, "the job returned a JSON-RPC error, as it was asked to"));
        }
        Ok(text(format!("did {steps} steps{who}")))
    })
}
