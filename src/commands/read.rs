//! `read`: one resource, each of its contents text or blob but never both.

use std::path::Path;

use super::{Found, Settings, save};
use crate::client::Client;
use crate::outcome::{Category, Failure, Ledger, Phase, Reason, WarningId};
use crate::report::{Body, ReadReport};
use crate::wire::mcp::ResourceContents;
use crate::wire::{RawJson, json};

/// Runs the command.
pub(super) async fn run(uri: &str, output_dir: Option<&Path>, client: &mut Client, settings: &Settings) -> Found {
    if let Some(failure) = output_dir.and_then(|dir| save::prepare(dir).err()) {
        return Found::failed(failure);
    }
    let answer = match client.read_resource(uri).await {
        Ok(answer) => answer,
        Err(error) => return error.into(),
    };
    let contents = contents(&answer.result);
    let mut failures: Vec<Failure> = match &contents {
        Ok(contents) => check(contents, &settings.ledger).into_iter().collect(),
        Err(message) => vec![violation(message.clone())],
    };
    for failure in &mut failures {
        failure.http_status = answer.http_status;
        *failure = failure.clone().with_evidence("body", json::compact(answer.result.get()));
    }
    let mut report = ReadReport { uri: uri.to_owned(), result: answer.result, saved: Vec::new() };
    if let (Some(dir), Ok(contents)) = (output_dir, &contents) {
        let blobs: Vec<_> =
            contents.iter().enumerate().filter_map(|(index, one)| save::of_contents(index, one)).collect();
        let saved = save::all(dir, &blobs, &phase());
        report.saved = saved.files;
        failures.extend(saved.failure);
    } else if let Ok(contents) = &contents {
        note_encoding(contents, &settings.ledger);
    }
    Found { body: Body::Read(report), failures }
}

fn phase() -> Phase {
    Phase::Method("resources/read".to_owned())
}

fn violation(message: String) -> Failure {
    Failure::new(Category::Protocol, phase(), message).with_reason(Reason::ResultShape).with_hint(
        "each of `contents` must have a `uri` and either `text` or `blob` (server/resources §Resource Contents)",
    )
}

fn contents(result: &RawJson) -> Result<Vec<ResourceContents>, String> {
    let Some(list) = json::member(result, "contents").and_then(|raw| json::elements(&raw)) else {
        return Err("the result of resources/read has no array `contents`".to_owned());
    };
    Ok(list.iter().map(|one| ResourceContents::read(one)).collect())
}

/// "text xor blob" (server/resources §Resource Contents, all versions). Where nothing is left to show, the answer is
/// unusable; where something is, the rest is a warning.
fn check(contents: &[ResourceContents], ledger: &Ledger) -> Option<Failure> {
    let mut usable = 0;
    let mut wrong = Vec::new();
    for (index, one) in contents.iter().enumerate() {
        match (&one.text, &one.blob) {
            (None, None) => wrong.push(format!("contents[{index}] has neither text nor blob")),
            (Some(_), Some(_)) => {
                usable += 1;
                wrong.push(format!("contents[{index}] has both text and blob"));
            }
            _ => usable += 1,
        }
    }
    if usable == 0 && !wrong.is_empty() {
        return Some(violation(wrong.join("; ")));
    }
    for message in wrong {
        ledger.warn(WarningId::ResourceContents, message);
    }
    if contents.is_empty() {
        ledger.warn(WarningId::ResourceContents, "the resource has no contents at all");
    }
    None
}

/// Without files to write, a blob that cannot be decoded is a warning.
fn note_encoding(contents: &[ResourceContents], ledger: &Ledger) {
    for (index, one) in contents.iter().enumerate() {
        if let Some(Err(error)) = one.blob.as_deref().map(save::decode) {
            ledger.warn(WarningId::BlobEncoding, format!("contents[{index}].blob is not valid base64: {error}"));
        }
    }
}
