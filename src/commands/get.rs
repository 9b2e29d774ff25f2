//! `get`: one prompt, its arguments all strings.

use super::call::unknown;
use super::list::name_of;
use super::{Found, Settings};
use crate::arguments::{self, Pair};
use crate::client::{Client, Preview};
use crate::outcome::{Category, Failure, WarningId};
use crate::report::{Body, ListKind};
use crate::wire::mcp::{PromptMessage, PromptView};
use crate::wire::{RawJson, json};

/// What is asked for.
pub(super) struct Request<'a> {
    /// The prompt's name.
    pub(super) prompt: &'a str,
    /// `k=v`.
    pub(super) pairs: &'a [Pair],
    /// The text of `--args`.
    pub(super) args: Option<&'a str>,
    /// Whether the prompt is looked up first.
    pub(super) look_up: bool,
}

/// Runs the command.
pub(super) async fn run(request: &Request<'_>, dry_run: bool, client: &mut Client, settings: &Settings) -> Found {
    let arguments = match arguments::build_prompt(request.pairs, request.args) {
        Ok(arguments) => arguments,
        Err(error) => return Found::failed(error.to_failure()),
    };
    let mut missing = Vec::new();
    if request.look_up {
        match look_up(request.prompt, client).await {
            Ok(Some(prompt)) => missing = missing_arguments(&prompt, &arguments),
            Ok(None) => {}
            Err(failure) => return Found::failed(*failure),
        }
    }
    if dry_run {
        return preview(request.prompt, request.pairs, request.args, &Preview::of(client), settings);
    }
    match client.get_prompt(request.prompt, &arguments).await {
        Ok(answer) => {
            match json::member(&answer.result, "messages").and_then(|raw| json::elements(&raw)) {
                None => {
                    settings.ledger.warn(WarningId::ResultShape, "the result of prompts/get has no array `messages`")
                }
                Some(messages) => {
                    for (index, message) in messages.iter().enumerate() {
                        let message = PromptMessage::read(message);
                        super::call::note_block(&message.content, &format!("message {index}"), &settings.ledger);
                    }
                }
            }
            Found::ok(Body::Get { prompt: request.prompt.to_owned(), result: answer.result })
        }
        Err(error) => {
            let mut failure = error.to_failure();
            // The server decides; what it may have missed is a hint (RES-14).
            if failure.category == Category::RpcError && !missing.is_empty() {
                failure.hint = Some(format!("required arguments that were not given: {}", missing.join(", ")));
            }
            Found::failed(failure)
        }
    }
}

/// The request that would be sent.
pub(super) fn preview(
    prompt: &str,
    pairs: &[Pair],
    args: Option<&str>,
    preview: &Preview,
    settings: &Settings,
) -> Found {
    match arguments::build_prompt(pairs, args) {
        Ok(arguments) => super::dry_run(preview.prompt(prompt, &arguments), settings),
        Err(error) => Found::failed(error.to_failure()),
    }
}

/// Finds the prompt. A server that cannot list its prompts is asked for this one all the same.
async fn look_up(name: &str, client: &mut Client) -> Result<Option<PromptView>, Box<Failure>> {
    let wanted = |entry: &RawJson| name_of(ListKind::Prompts, entry).as_deref() == Some(name);
    let pages = client.list("prompts/list", "prompts", |entries| entries.iter().any(wanted)).await;
    if let Some(entry) = pages.entries.iter().find(|entry| wanted(entry)) {
        return Ok(Some(PromptView::read(entry)));
    }
    match pages.stopped {
        Some(error) if error.rpc_code().is_some() => Ok(None),
        Some(error) => Err(Box::new(error.to_failure())),
        None => {
            let names: Vec<String> =
                pages.entries.iter().filter_map(|entry| name_of(ListKind::Prompts, entry)).collect();
            Err(Box::new(unknown("prompt", name, &names, "mcpcli list prompts")))
        }
    }
}

fn missing_arguments(prompt: &PromptView, given: &str) -> Vec<String> {
    let given = serde_json::value::RawValue::from_string(given.to_owned()).ok();
    let names: Vec<String> = given
        .and_then(|raw| json::members(&raw))
        .map(|members| members.into_iter().map(|(name, _)| name).collect())
        .unwrap_or_default();
    let required = prompt.arguments.iter().filter(|argument| argument.required == Some(true));
    required.filter_map(|argument| argument.name.clone()).filter(|name| !names.contains(name)).collect()
}
