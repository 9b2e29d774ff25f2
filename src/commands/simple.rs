//! The commands that are one request each: `ping`, `complete`, `request`.

use super::{Complete, Found, Reference, Settings};
use crate::client::Client;
use crate::outcome::{Failure, Reason};
use crate::report::Body;
use crate::wire::json;
use crate::wire::mcp::CallResult;

/// `ping`.
pub(super) async fn ping(client: &mut Client) -> Found {
    match client.ping().await {
        Ok(answer) => Found::ok(Body::Ping { took: answer.took, result: answer.result }),
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
            let failures = failed.then(|| super::call::tool_error(params, answer.http_status));
            let body = Body::Request { method: method.to_owned(), result: answer.result };
            Found { body, failures: failures.into_iter().collect() }
        }
        Err(error) => error.into(),
    }
}

/// The request that would be sent.
pub(super) fn preview(method: &str, params: Option<&str>, settings: &Settings) -> Found {
    match unusable(params) {
        Some(failure) => Found::failed(failure),
        None => super::dry_run(crate::client::preview_raw(&settings.options.protocol, method, params), settings),
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
