//! The commands that are one request each: `ping`, `complete`, `request`.

use super::{Complete, Found, Reference, Settings};
use crate::client::era::{Shape, Wanted};
use crate::client::{Client, Preview};
use crate::outcome::{Category, Failure, Phase, Reason};
use crate::report::Body;
use crate::wire::json;
use crate::wire::mcp::CallResult;

/// `ping`.
pub(super) async fn ping(client: &mut Client) -> Found {
    match client.ping().await {
        Ok((method, answer)) => Found::ok(Body::Ping { method, took: answer.took, result: answer.result }),
        Err(error) => error.into(),
    }
}

/// `complete`.
pub(super) async fn complete(complete: &Complete, client: &mut Client) -> Found {
    let reference = match &complete.reference {
        Reference::Prompt(name) => format!("{{\"type\":\"ref/prompt\",\"name\":{}}}", json::quote(name)),
        Reference::Resource(uri) => format!("{{\"type\":\"ref/resource\",\"uri\":{}}}", json::quote(uri)),
    };
    let argument =
        format!("{{\"name\":{},\"value\":{}}}", json::quote(&complete.argument), json::quote(&complete.value));
    let known: Vec<String> =
        complete.context.iter().map(|(name, value)| format!("{}:{}", json::quote(name), json::quote(value))).collect();
    let context = (!known.is_empty()).then(|| format!("{{\"arguments\":{{{}}}}}", known.join(",")));
    match client.complete(&reference, &argument, context.as_deref()).await {
        Ok(answer) => Found::ok(Body::Complete { result: answer.result }),
        Err(error) => {
            let mut failure = error.to_failure();
            if failure.rpc.is_some() && !client.offers("completions") {
                failure.hint = Some("the server does not advertise the capability `completions`".to_owned());
            }
            Found::failed(failure)
        }
    }
}

/// `request`: any method, with params as they stand.
pub(super) async fn request(method: &str, params: Option<&str>, client: &mut Client) -> Found {
    if let Some(failure) = unusable(params) {
        return Found::failed(failure);
    }
    match client.raw(method, params).await {
        Ok(answer) => {
            // Whichever command sent it, a result with isError is a tool's failure.
            let failed = method == "tools/call" && CallResult::read(&answer.result).is_error;
            let failure = match client.shape(method, &answer.result) {
                Ok(Shape::InputRequired(wanted)) => Some(open_questions(method, &wanted)),
                Ok(_) if failed => Some(super::call::tool_error(params, answer.http_status)),
                Ok(_) => None,
                Err(error) => Some(error.to_failure()),
            };
            let body = Body::Request { method: method.to_owned(), result: answer.result };
            Found { body, failures: failure.into_iter().collect() }
        }
        Err(error) => error.into(),
    }
}

/// A raw request is made once: what its result asks for is shown, and answered by who makes the next one.
fn open_questions(method: &str, wanted: &Wanted) -> Failure {
    let asked: Vec<&str> = wanted.questions.iter().map(|(_, question)| question.method.as_str()).collect();
    let message = match asked.as_slice() {
        [] => format!("the result of {method} asks to make the request again with its requestState"),
        asked => format!("the result of {method} asks for input by {}", asked.join(", ")),
    };
    Failure::new(Category::InputRequired, Phase::of_method(method), message).with_hint(
        "send it again with inputResponses and requestState in --params; `call`, `get` and `read` do so by --answer",
    )
}

/// The request that would be sent.
pub(super) fn preview(method: &str, params: Option<&str>, settings: &Settings) -> Found {
    match unusable(params) {
        Some(failure) => Found::failed(failure),
        None => {
            let preview = Preview::presumed(&settings.target, &settings.options);
            super::dry_run(preview.raw(method, params), settings)
        }
    }
}

/// Why the text of `--params` cannot be put into a message. Any JSON value can: sending what a server must refuse is
/// what the command is for.
fn unusable(params: Option<&str>) -> Option<Failure> {
    let error = serde_json::from_str::<&serde_json::value::RawValue>(params?).err()?;
    let message = format!("--params is not JSON: {error}; nothing was sent");
    Some(
        Failure::usage(Reason::Arguments, message)
            .with_evidence("received", params.unwrap_or_default().chars().take(200).collect::<String>())
            .with_hint("quote it for the shell, or use --params @file or --params -"),
    )
}
