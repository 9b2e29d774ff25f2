//! The tools, the prompt and the resource that ask the client before they answer. Each is written once: how a question travels is the
//! affair of its era (`context.rs`).

use serde_json::{Value, json};

use super::arguments::{Arguments, findings};
use super::calls::{failure, text};
use super::context::{Asked, Context, Reply, Work};
use super::message::RpcError;

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

/// What the client answered; else the reply that the call has to give.
async fn answer(context: &Context, key: &str, method: &str, params: Value) -> Result<Value, Reply> {
    match context.ask(key, method, params).await {
        Asked::Result(result) => Ok(result),
        Asked::Error(error) => Err(Ok(failure(format!("the client answered the question with an error: {error}")))),
        Asked::Gone => Err(Ok(failure("the client went away before it answered"))),
        Asked::Undeclared(reply) => Err(reply),
    }
}

/// Asks for one line of text: what was typed, or `nobody` if the user did not want to.
pub async fn ask_for(context: &Context, key: &str, question: &str) -> Result<String, Reply> {
    let schema = json!({
        "type": "object", "properties": { "answer": { "type": "string", "title": "Answer", "default": "Ada" } },
        "required": ["answer"]
    });
    let params = json!({ "message": question, "requestedSchema": schema });
    let result = answer(context, key, "elicitation/create", params).await?;
    match (result["action"].as_str(), result["content"]["answer"].as_str()) {
        (Some("accept"), Some(answer)) => Ok(answer.to_owned()),
        (Some("decline" | "cancel"), _) => Ok("nobody".to_owned()),
        _ => Err(Ok(failure(format!("the client's answer is no elicitation result: {result}")))),
    }
}

/// The same for a prompt or a resource, which know no `isError`.
pub async fn ask_or_fail(context: &Context, question: &str) -> Result<String, RpcError> {
    ask_for(context, "name", question).await.map_err(|reply| match reply {
        Err(error) => error,
        Ok(failure) => {
            let what = failure["content"][0]["text"].as_str().unwrap_or_default();
            RpcError::new(-32603, format!("Internal error: {what}"))
        }
    })
}

pub fn ask(context: Context, _: Arguments) -> Work<Reply> {
    Box::pin(async move {
        let params = json!({ "message": "Who is there?", "requestedSchema": form() });
        answer(&context, "who", "elicitation/create", params)
            .await
            .map_or_else(|reply| reply, |result| Ok(told(&result)))
    })
}

pub fn two_questions(context: Context, _: Arguments) -> Work<Reply> {
    Box::pin(async move {
        let first = match ask_for(&context, "first", "The first question: what is your name?").await {
            Ok(answer) => answer,
            Err(reply) => return reply,
        };
        let second = match ask_for(&context, "second", &format!("The second question: where is {first} from?")).await {
            Ok(answer) => answer,
            Err(reply) => return reply,
        };
        Ok(text(format!("{first} from {second}")))
    })
}

pub fn come_back(context: Context, _: Arguments) -> Work<Reply> {
    Box::pin(async move {
        context.come_back().await;
        Ok(text("you came back, or did not have to"))
    })
}

pub fn sample(context: Context, arguments: Arguments) -> Work<Reply> {
    Box::pin(async move {
        let prompt = arguments.values.get("prompt").and_then(Value::as_str).unwrap_or("Say hello.");
        let params = json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }], "maxTokens": 100
        });
        let result = match answer(&context, "sample", "sampling/createMessage", params).await {
            Ok(result) => result,
            Err(reply) => return reply,
        };
        Ok(match (result["content"]["text"].as_str(), result["model"].as_str()) {
            (Some(said), Some(model)) => text(format!("{model} says: {said}")),
            _ => failure(format!("the client's answer is no message of text: {result}")),
        })
    })
}

pub fn roots(context: Context, _: Arguments) -> Work<Reply> {
    Box::pin(async move {
        let result = match answer(&context, "roots", "roots/list", json!({})).await {
            Ok(result) => result,
            Err(reply) => return reply,
        };
        Ok(match result["roots"].as_array() {
            Some(roots) => {
                let uris: Vec<_> = roots.iter().map(|root| root["uri"].as_str().unwrap_or("?")).collect();
                text(format!("{} roots: {}", uris.len(), uris.join(" ")))
            }
            None => failure(format!("the client's answer is no list of roots: {result}")),
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
