//! `call`: looks the tool up, builds and checks the arguments, calls, and judges the result by its shape.

use serde_json::value::RawValue;

use super::list::name_of;
use super::{Call, Found, Settings, save, suspicion, task};
use crate::arguments;
use crate::client::{Activity, Answer, Client, Preview};
use crate::outcome::{Category, Failure, Ledger, Phase, Reason, WarningId};
use crate::report::{Body, CallReport, ListKind};
use crate::schema::shell_word;
use crate::wire::mcp::{CallResult, ContentBlock, ContentField, ToolView};
use crate::wire::{RawJson, json};

/// Runs the command.
pub(super) async fn run(call: &Call, client: &mut Client, settings: &Settings) -> Found {
    let tool = if call.no_check {
        None
    } else {
        match look_up(&call.tool, client).await {
            Ok(tool) => Some(tool),
            Err(failure) => return Found::failed(*failure),
        }
    };
    let declared = tool.as_ref().and_then(|tool| tool.input_schema.as_deref());
    if let Some(failure) = dropped(call, declared, client) {
        return Found::failed(failure);
    }
    let schema = tool.as_ref().and_then(|tool| usable_schema(tool, &settings.ledger));
    if call.dry_run {
        return preview(call, schema.as_deref(), &Preview::of(client), settings);
    }
    let arguments = match build(call, schema.as_deref(), settings) {
        Ok(arguments) => arguments,
        Err(failure) => return Found::failed(*failure),
    };
    if let Err(why) = client.era().mirrored(declared, &arguments, client.kind()) {
        let message = format!("{why}; nothing was sent");
        return Found::failed(Failure::usage(Reason::Arguments, message));
    }
    // Before the call, so that what cannot be saved is not done in vain.
    if let Some(failure) = call.output_dir.as_deref().and_then(|dir| save::prepare(dir).err()) {
        return Found::failed(failure);
    }
    let promises = tool.as_ref().map(|tool| &tool.annotations);
    if promises.is_some_and(|promises| promises.read_only == Some(true) || promises.idempotent == Some(true)) {
        client.allow_repeating();
    }
    let known = task::Tool { name: &call.tool, declared: tool.as_ref() };
    if let Some(failure) = call.task.is_none().then(|| task::required(known, client)).flatten() {
        return Found::failed(failure);
    }
    let called = match &call.task {
        None => client.call_tool(&call.tool, &arguments, declared, &[]).await,
        Some(wish) => match task::call(wish, known, &arguments, client).await {
            Ok(task::Called::Answer(answer)) => Ok(answer),
            Ok(task::Called::Detached(body)) => return Found::ok(*body),
            Ok(task::Called::Impossible(failure)) => return Found::failed(*failure),
            Err(error) => Err(error),
        },
    };
    match called {
        Ok(answer) => judge(call, tool.as_ref(), answer, client, settings),
        Err(error) => {
            let failure = asked_in_vain(client, error.to_failure());
            Found { body: Body::Call(report(call, None)), failures: vec![failure] }
        }
    }
}

/// A tool that must not be used here because of how it wants its arguments mirrored.
fn dropped(call: &Call, schema: Option<&RawValue>, client: &Client) -> Option<Failure> {
    let defects = client.era().tool_defects(schema, client.kind());
    if defects.is_empty() {
        return None;
    }
    let message = format!("the tool {:?} cannot be used over HTTP as it is declared; nothing was sent", call.tool);
    let mut failure = Failure::new(Category::Protocol, Phase::of_method("tools/list"), message)
        .with_reason(Reason::ResultShape)
        .with_hint("2026-07-28 basic/transports/streamable-http §Custom Headers: a client must drop it; --no-check calls it all the same");
    for defect in defects {
        failure = failure.with_evidence("tool", defect);
    }
    Some(failure)
}

/// The request that would be sent.
pub(super) fn preview(call: &Call, schema: Option<&RawValue>, preview: &Preview, settings: &Settings) -> Found {
    match build(call, schema, settings) {
        Ok(arguments) => super::dry_run(preview.call(&call.tool, &arguments, schema), settings),
        Err(failure) => Found::failed(*failure),
    }
}

/// Finds the tool in `tools/list`, reading no more pages than needed.
async fn look_up(name: &str, client: &mut Client) -> Result<ToolView, Box<Failure>> {
    let wanted = |entry: &RawJson| name_of(ListKind::Tools, entry).as_deref() == Some(name);
    let pages = client.list("tools/list", "tools", |entries| entries.iter().any(wanted)).await;
    if let Some(entry) = pages.entries.iter().find(|entry| wanted(entry)) {
        return Ok(ToolView::read(entry));
    }
    if let Some(error) = pages.stopped {
        let mut failure = error.to_failure();
        let of_versions =
            failure.rpc.as_ref().is_some_and(|rpc| ["-32020", "-32021", "-32022"].contains(&rpc.code.as_str()));
        if failure.category == Category::RpcError && !of_versions {
            failure.hint = Some("--no-check calls the tool without asking for the list of tools first".to_owned());
        }
        return Err(Box::new(failure));
    }
    let names: Vec<String> = pages.entries.iter().filter_map(|entry| name_of(ListKind::Tools, entry)).collect();
    Err(Box::new(unknown("tool", name, &names, "mcpcli list tools")))
}

/// A name that the server does not know. Nothing was sent to the method concerned.
pub(super) fn unknown(what: &str, name: &str, names: &[String], lists: &str) -> Failure {
    let nearest = crate::nearest::nearest(name, names.iter().map(String::as_str));
    let hint = match nearest.as_slice() {
        [] if names.is_empty() => format!("the server has no {what}s; --no-check sends it anyway"),
        [] => format!("`{lists}` shows what there is; --no-check sends it anyway"),
        near => format!("did you mean {}? `{lists}` shows all; --no-check sends it anyway", near.join(", ")),
    };
    let message = format!("the server has no {what} called {name:?}; nothing was sent");
    Failure::usage(Reason::UnknownName, message).with_hint(hint)
}

/// The tool's schema if arguments can be typed and checked by it; a broken one is a warning, and the call goes on
/// with the arguments as given (LST-03).
fn usable_schema(tool: &ToolView, ledger: &Ledger) -> Option<RawJson> {
    let defects = crate::schema::defects(tool.input_schema.as_deref());
    for defect in &defects {
        warn_of_schema(defect, ledger);
    }
    if defects.is_empty() { tool.input_schema.clone() } else { None }
}

fn warn_of_schema(defect: &crate::schema::SchemaDefect, ledger: &Ledger) {
    let message = format!("inputSchema{}: {}; arguments are sent as given", defect.pointer, defect.message);
    ledger.warn(WarningId::InputSchema, message);
}

/// The arguments to send: typed and checked by the schema, or as given where there is none that can be used.
fn build(call: &Call, schema: Option<&RawValue>, settings: &Settings) -> Result<String, Box<Failure>> {
    let typed_by = |schema| {
        arguments::build(&call.arguments, call.args.as_deref(), schema).map_err(|error| Box::new(error.to_failure()))
    };
    let built = typed_by(schema)?;
    for note in &built.notes {
        (settings.options.activity)(Activity::Note(note.clone()));
    }
    let Some(schema) = schema.filter(|_| !call.no_check) else { return Ok(built.json) };
    match crate::schema::check(schema, &built.json) {
        Ok(findings) if findings.is_empty() => Ok(built.json),
        Ok(findings) => Err(Box::new(arguments_refused(call, schema, &findings))),
        Err(defect) => {
            warn_of_schema(&defect, &settings.ledger);
            typed_by(None).map(|built| built.json)
        }
    }
}

fn arguments_refused(call: &Call, schema: &RawValue, findings: &[crate::schema::Finding]) -> Failure {
    let message = format!("the arguments do not fit the tool {:?}; nothing was sent", call.tool);
    let mut failure = Failure::usage(Reason::Arguments, message);
    for finding in findings {
        let place = if finding.pointer.is_empty() { "arguments".to_owned() } else { finding.pointer.clone() };
        failure = failure.with_evidence(place, finding.message.clone());
    }
    let required: Vec<String> = crate::schema::outline(schema)
        .into_iter()
        .filter(|field| field.depth == 0 && field.required)
        .map(|field| format!("{}={}", field.path, field.type_name))
        .collect();
    let needs = if required.is_empty() { String::new() } else { format!("it needs {}; ", required.join(" ")) };
    let tool = &call.tool;
    failure.with_hint(format!("{needs}`mcpcli describe {tool}` shows all arguments, --no-check sends them as they are"))
}

fn report(call: &Call, result: Option<RawJson>) -> CallReport {
    CallReport { tool: call.tool.clone(), result, saved: Vec::new(), suspicious: None }
}

/// What the result is, by its shape alone.
fn judge(call: &Call, tool: Option<&ToolView>, answer: Answer, client: &Client, settings: &Settings) -> Found {
    if json::kind(&answer.result) != json::JsonKind::Object {
        let kind = json::kind(&answer.result).with_article();
        let message = format!("the result of tools/call is {kind} instead of an object");
        let mut failure = Failure::new(Category::Protocol, tools_call(), message)
            .with_reason(Reason::ResultShape)
            .with_evidence("body", json::compact(answer.result.get()))
            .with_hint("a result must be an object (2025-11-25 basic §Responses): the server is at fault");
        failure.http_status = answer.http_status;
        return Found { body: Body::Call(report(call, Some(answer.result))), failures: vec![failure] };
    }
    let result = CallResult::read(&answer.result);
    let mut report = report(call, None);
    note_deviations(&result, client, &settings.ledger);
    let mut failures = Vec::new();
    if result.is_error {
        failures.push(asked_in_vain(client, reported_error(&call.tool, answer.http_status)));
    } else {
        check_structure(tool, &result, &settings.ledger);
        failures.extend(dressed_as_success(call, &result, answer.http_status));
        if failures.is_empty() {
            failures.extend(not_supplied(client, &answer));
        }
        if failures.is_empty() {
            report.suspicious = suspicion::of(&result);
        }
    }
    let blocks = match &result.content {
        ContentField::Blocks(blocks) => save::from_blocks(blocks),
        _ => Vec::new(),
    };
    if call.output_dir.is_none() {
        save::note_encoding(&blocks, &settings.ledger);
    }
    if let Some(dir) = &call.output_dir {
        let saved = save::all(dir, &blocks, &tools_call());
        report.saved = saved.files;
        failures.extend(saved.failure);
    }
    report.result = Some(answer.result);
    Found { body: Body::Call(report), failures }
}

/// The failure that a result with `isError` is.
fn reported_error(tool: &str, http_status: Option<u16>) -> Failure {
    let mut failure = Failure::new(Category::ToolError, tools_call(), format!("tool {tool:?} reported an error"));
    failure.http_status = http_status;
    failure.hint = Some(format!(
        "the tool itself failed, and says why; `mcpcli describe {}` shows what it takes",
        shell_word(tool)
    ));
    failure
}

/// The same for a `tools/call` whose params were given as they stand.
pub(super) fn tool_error(params: Option<&str>, http_status: Option<u16>) -> Failure {
    let params = params.and_then(|params| RawValue::from_string(params.to_owned()).ok());
    let name = params.and_then(|params| json::member(&params, "name")).and_then(|name| json::string(&name));
    reported_error(&name.unwrap_or_default(), http_status)
}

/// A text that the user's pattern takes for a failure although `isError` is not set (RES-06).
fn dressed_as_success(call: &Call, result: &CallResult, http_status: Option<u16>) -> Option<Failure> {
    let pattern = call.error_pattern.as_ref()?;
    let ContentField::Blocks(blocks) = &result.content else { return None };
    let text = blocks.iter().find_map(|block| match block {
        ContentBlock::Text { text, .. } if pattern.is_match(text) => Some(text),
        _ => None,
    })?;
    let message = format!("tool {:?} answered a text that matches --error-pattern, with isError not set", call.tool);
    let mut failure = Failure::new(Category::ToolError, tools_call(), message).with_evidence("text", text.clone());
    failure.http_status = http_status;
    failure.hint = Some("the server should set isError (2025-11-25 server/tools §Error Handling)".to_owned());
    Some(failure)
}

/// A call that came to an end although mcpcli could not give an answer that it had said it could give: what came is not
/// what the user wanted to see. What was never declared is the server's to do without.
fn not_supplied(client: &Client, answer: &Answer) -> Option<Failure> {
    let question = client.unanswered().into_iter().find(|question| question.declared)?;
    let mut failure = question.to_failure(tools_call());
    failure.http_status = answer.http_status;
    Some(failure)
}

/// A call that failed after the server had asked something that was not supplied: that is why, and what to do.
fn asked_in_vain(client: &Client, failure: Failure) -> Failure {
    let unanswered = client.unanswered();
    let Some(question) = unanswered.first() else { return failure };
    if !matches!(failure.category, Category::ToolError | Category::RpcError) {
        return failure;
    }
    let mut asked = question.to_failure(failure.phase.clone());
    asked.http_status = failure.http_status;
    asked.also.push(failure);
    asked
}

fn tools_call() -> Phase {
    Phase::Method("tools/call".to_owned())
}

/// Deviations that leave the result usable (RES-02, RES-04, RES-05).
fn note_deviations(result: &CallResult, client: &Client, ledger: &Ledger) {
    match &result.content {
        ContentField::Missing if result.structured.is_some() => {
            ledger.warn(WarningId::ResultShape, "the result has no array `content`, only structuredContent");
        }
        ContentField::Missing => {
            ledger.warn(WarningId::ResultShape, "the result has no array `content`; it is shown as it came");
        }
        ContentField::WrongType(raw) => {
            let kind = json::kind(raw).name();
            ledger.warn(WarningId::ResultShape, format!("`content` of the result is {kind} instead of an array"));
        }
        ContentField::Blocks(blocks) => {
            for (index, block) in blocks.iter().enumerate() {
                note_block(block, &format!("content block {index}"), ledger);
            }
        }
    }
    if let Some(wrong) = &result.is_error_wrong {
        let kind = json::kind(wrong).with_article();
        ledger.warn(WarningId::ResultShape, format!("isError is {kind} instead of a boolean; it was taken as not set"));
    }
    let structured = result.structured.as_ref().map(|raw| json::kind(raw));
    if let Some(kind) = structured
        && kind != json::JsonKind::Object
        && client.era().structured_is_object()
    {
        let message = format!("structuredContent is {} instead of an object", kind.name());
        ledger.warn(WarningId::StructuredType, message);
    }
}

/// A block that cannot be shown as what it says it is: of an unknown type, or without what its type must have.
pub(super) fn note_block(block: &ContentBlock, what: &str, ledger: &Ledger) {
    let Some(deviation) = block.deviation() else { return };
    let id = if block.is_incomplete() { WarningId::ResultShape } else { WarningId::ContentTypeUnknown };
    ledger.warn(id, format!("{what} {deviation}"));
}

/// "Servers MUST provide structured results that conform to this schema, clients SHOULD validate" (2025-06-18 and
/// 2025-11-25 server/tools §Output Schema). A failure of it is a warning, never an invented error.
fn check_structure(tool: Option<&ToolView>, result: &CallResult, ledger: &Ledger) {
    let Some(schema) = tool.and_then(|tool| tool.output_schema.as_deref()) else { return };
    if json::is_null(schema) {
        return;
    }
    let Some(structured) = &result.structured else {
        ledger.warn(WarningId::OutputSchema, "the tool has an outputSchema, but the result has no structuredContent");
        return;
    };
    match crate::schema::check(schema, structured.get()) {
        Ok(findings) => {
            for finding in findings {
                let message = format!("structuredContent{}: {}", finding.pointer, finding.message);
                ledger.warn(WarningId::OutputSchema, message);
            }
        }
        Err(defect) => {
            ledger.warn(WarningId::OutputSchema, format!("outputSchema{}: {}", defect.pointer, defect.message));
        }
    }
}
