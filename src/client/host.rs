//! What mcpcli answers when the server asks: roots, elicitation, sampling.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::value::RawValue;

use super::Options;
use super::state::{State, Unanswered};
use crate::wire::{RawJson, json};

/// A root that the server may be told of; by the specification a `file://` URI (client/roots, all versions).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The URI.
    pub uri: String,
    /// A name for it.
    pub name: Option<String>,
}

/// One canned answer of `--answer`.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Accept the form, with its defaults filled in and these members over them.
    Accept(Option<Arc<RawValue>>),
    /// Decline.
    Decline,
    /// Cancel.
    Cancel,
}

/// Asks the person at the terminal.
pub trait Asker: Send + Sync {
    /// Shows an elicitation form and gives the action (`accept`, `decline`, `cancel`) with the content's JSON text.
    fn ask<'a>(&'a self, server: &'a str, params: &'a RawValue) -> BoxFuture<'a, Reply>;
}

/// What a person replied to a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The JSON text of the content.
    Accept(String),
    /// No.
    Decline,
    /// Neither.
    Cancel,
}

/// Everything that can be answered, and so may be declared.
#[derive(Clone, Default)]
pub struct Host {
    /// `--roots`; empty means that roots are not declared.
    pub roots: Vec<Root>,
    /// `--answer` for forms, one a request in order, the last one for all that follow.
    pub elicitation: Vec<Answer>,
    /// `--answer sampling=…`: texts or whole results, used likewise.
    pub sampling: Vec<Sampling>,
    /// The terminal, when there is one.
    pub asker: Option<Arc<dyn Asker>>,
}

/// One canned answer to `sampling/createMessage`.
#[derive(Debug, Clone)]
pub enum Sampling {
    /// The text of the assistant's message.
    Text(String),
    /// The whole result.
    Result(Arc<RawValue>),
}

/// A question of the server, be it a request of its own or a part of a result.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The params as they came.
    pub params: Option<RawJson>,
}

impl Question {
    /// Reads an entry of `inputRequests`: a request without `jsonrpc` and `id` (2026-07-28 basic/patterns/mrtr).
    pub fn read(raw: &RawValue) -> Question {
        let method = json::member(raw, "method").and_then(|method| json::string(&method));
        Question { method: method.unwrap_or_default(), params: json::member(raw, "params") }
    }
}

/// What the server is told.
pub struct HostReply {
    /// The JSON text of the result, or an error's code and message.
    pub answer: Result<String, (i64, String)>,
    /// The answer in words, for the person who watches.
    pub words: String,
    /// Set when the question remains open.
    pub unanswered: Option<Unanswered>,
}

/// JSON-RPC 2.0 §5.1.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
/// 2024-11-05 to 2025-11-25 client/sampling §Error Handling: the user refused.
const USER_REJECTED: i64 = -1;

impl Host {
    /// What may be declared: exactly what can be answered (2025-06-18 basic/lifecycle §Capability Negotiation).
    pub fn capabilities(&self) -> String {
        let mut members = Vec::new();
        if !self.roots.is_empty() {
            members.push("\"roots\":{}");
        }
        if !self.sampling.is_empty() {
            members.push("\"sampling\":{}");
        }
        if !self.elicitation.is_empty() || self.asker.is_some() {
            // An empty object declares the form mode alone (2025-11-25 client/elicitation §Capabilities).
            members.push("\"elicitation\":{}");
        }
        format!("{{{}}}", members.join(","))
    }

    /// The same for a request of 2026-07-28, with an extension that the request takes.
    pub fn modern_capabilities(&self, extension: Option<&str>) -> String {
        let mut members = Vec::new();
        if !self.roots.is_empty() {
            members.push("\"roots\":{}".to_owned());
        }
        if !self.sampling.is_empty() {
            members.push("\"sampling\":{}".to_owned());
        }
        if !self.elicitation.is_empty() || self.asker.is_some() {
            members.push("\"elicitation\":{\"form\":{}}".to_owned());
        }
        members.extend(extension.map(|name| format!("\"extensions\":{{{}:{{}}}}", json::quote(name))));
        format!("{{{}}}", members.join(","))
    }

    fn roots_result(&self) -> String {
        let roots: Vec<String> = self
            .roots
            .iter()
            .map(|root| match &root.name {
                Some(name) => format!("{{\"uri\":{},\"name\":{}}}", json::quote(&root.uri), json::quote(name)),
                None => format!("{{\"uri\":{}}}", json::quote(&root.uri)),
            })
            .collect();
        format!("{{\"roots\":[{}]}}", roots.join(","))
    }
}

impl HostReply {
    fn result(result: impl Into<String>, words: impl Into<String>) -> HostReply {
        HostReply { answer: Ok(result.into()), words: words.into(), unanswered: None }
    }

    fn open(mut self, method: &str, params: Option<&RawValue>, why: &str, how: &str) -> HostReply {
        // An answer with an error code says that it is not supported; any other one was to be expected.
        let declared = !matches!(self.answer, Err((METHOD_NOT_FOUND | INVALID_PARAMS, _)));
        self.unanswered = Some(Unanswered {
            method: method.to_owned(),
            params: params.map(ToOwned::to_owned),
            why: why.to_owned(),
            how: how.to_owned(),
            declared,
        });
        self
    }

    fn error(code: i64, message: &str) -> HostReply {
        let words = format!("refused with {code}: {message}");
        HostReply { answer: Err((code, message.to_owned())), words, unanswered: None }
    }
}

/// The answer to one question of the server. Every question gets one (2025-11-25 basic §Responses).
pub async fn reply(
    options: &Options,
    state: &Mutex<State>,
    server: &str,
    method: &str,
    params: Option<&RawValue>,
) -> HostReply {
    let host = &options.host;
    match method {
        // "The receiver MUST respond promptly with an empty response" (2024-11-05 to 2025-11-25 basic/utilities/ping).
        "ping" => HostReply::result("{}", "answered {}"),
        "roots/list" if !host.roots.is_empty() => {
            HostReply::result(host.roots_result(), format!("told the {} given with --roots", host.roots.len()))
        }
        "roots/list" => HostReply::error(METHOD_NOT_FOUND, "roots are not supported by this client").open(
            method,
            params,
            "no roots were given",
            "--roots PATH",
        ),
        "sampling/createMessage" => sample(options, state, method, params),
        "elicitation/create" => elicit(options, state, server, method, params).await,
        _ => HostReply::error(METHOD_NOT_FOUND, "Method not found"),
    }
}

fn sample(options: &Options, state: &Mutex<State>, method: &str, params: Option<&RawValue>) -> HostReply {
    let used = &mut lock(state).used.sampling;
    let Some(answer) = next(&options.host.sampling, used) else {
        let (code, message) = match declared(options, "sampling") {
            true => (USER_REJECTED, "User rejected sampling request"),
            false => (METHOD_NOT_FOUND, "sampling is not supported by this client"),
        };
        return HostReply::error(code, message).open(
            method,
            params,
            "no answer to sampling was given",
            "--answer sampling=TEXT",
        );
    };
    match answer {
        Sampling::Result(result) => HostReply::result(result.get(), "answered from --answer"),
        Sampling::Text(text) => HostReply::result(
            format!(
                "{{\"role\":\"assistant\",\"content\":{{\"type\":\"text\",\"text\":{}}},\"model\":\"mcpcli-canned-answer\",\"stopReason\":\"endTurn\"}}",
                json::quote(text)
            ),
            "answered from --answer",
        ),
    }
}

async fn elicit(
    options: &Options,
    state: &Mutex<State>,
    server: &str,
    method: &str,
    params: Option<&RawValue>,
) -> HostReply {
    const HOW: &str = "--answer '{\"field\": …}', --answer accept for the defaults, --answer decline, or a terminal";
    let mode = params.and_then(|params| json::member(params, "mode")).and_then(|mode| json::string(&mode));
    let answer = next(&options.host.elicitation, &mut lock(state).used.elicitation).cloned();
    let refusal = matches!(answer, Some(Answer::Decline | Answer::Cancel));
    if let Some(mode) = mode.filter(|mode| mode != "form" && !refusal) {
        let why = match mode.as_str() {
            "url" => "it asks to open a URL, which mcpcli does not do".to_owned(),
            mode => format!("it asks in the unknown mode {mode:?}"),
        };
        // 2025-11-25 client/elicitation §Error Handling: a mode that was not declared.
        return HostReply::error(INVALID_PARAMS, "only the form mode of elicitation is supported by this client").open(
            method,
            params,
            &why,
            "--answer decline or --answer cancel",
        );
    }
    let content = match (answer, &options.host.asker) {
        (Some(Answer::Decline), _) => return HostReply::result("{\"action\":\"decline\"}", "declined"),
        (Some(Answer::Cancel), _) => return HostReply::result("{\"action\":\"cancel\"}", "cancelled"),
        (Some(Answer::Accept(members)), _) => match fill(params, members.as_deref()) {
            Ok(content) => content,
            Err(why) => {
                return HostReply::result("{\"action\":\"cancel\"}", format!("cancelled: {why}")).open(
                    method,
                    params,
                    &why,
                    &fields_of(params).unwrap_or_else(|| HOW.to_owned()),
                );
            }
        },
        (None, Some(asker)) => match asker.ask(server, params.unwrap_or(RawValue::NULL)).await {
            Reply::Accept(content) => content,
            Reply::Decline => return HostReply::result("{\"action\":\"decline\"}", "declined"),
            Reply::Cancel => return HostReply::result("{\"action\":\"cancel\"}", "cancelled"),
        },
        (None, None) if declared(options, "elicitation") => {
            return HostReply::result("{\"action\":\"decline\"}", "declined: no answer was given").open(
                method,
                params,
                "no answer was given",
                HOW,
            );
        }
        (None, None) => {
            return HostReply::error(METHOD_NOT_FOUND, "elicitation is not supported by this client").open(
                method,
                params,
                "no answer was given",
                HOW,
            );
        }
    };
    let schema = params.and_then(|params| json::member(params, "requestedSchema"));
    let given = RawValue::from_string(content.clone()).ok();
    let foreign = schema.map(|schema| foreign(&schema, given.as_deref())).unwrap_or_default();
    HostReply::result(
        format!("{{\"action\":\"accept\",\"content\":{content}}}"),
        format!("accepted with {content}{foreign}"),
    )
}

/// The answer that a form needs at least, to copy and fill in; `None` where it needs nothing in particular.
fn fields_of(params: Option<&RawValue>) -> Option<String> {
    let schema = params.and_then(|params| json::member(params, "requestedSchema"))?;
    let required: Vec<String> =
        json::elements(&json::member(&schema, "required")?)?.iter().filter_map(|name| json::string(name)).collect();
    let members: Vec<String> = required.iter().map(|name| format!("{}: …", json::quote(name))).collect();
    (!members.is_empty()).then(|| format!("--answer '{{{}}}', --answer decline, or a terminal", members.join(", ")))
}

/// The content of a form: its defaults (2025-11-25 client/elicitation §Requested Schema), and the given members over
/// them. It must satisfy the form, or it is not sent.
fn fill(params: Option<&RawValue>, given: Option<&RawValue>) -> Result<String, String> {
    let schema = params.and_then(|params| json::member(params, "requestedSchema"));
    let mut members: Vec<(String, RawJson)> = Vec::new();
    let properties = schema.as_ref().and_then(|schema| json::member(schema, "properties"));
    for (name, property) in properties.as_ref().and_then(|raw| json::members(raw)).unwrap_or_default() {
        if let Some(default) = json::member(&property, "default") {
            members.push((name, default));
        }
    }
    for (name, value) in given.and_then(json::members).unwrap_or_default() {
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => members.push((name, value)),
        }
    }
    let content: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{}", json::quote(name), value.get())).collect();
    let content = format!("{{{}}}", content.join(","));
    let Some(schema) = schema else { return Ok(content) };
    match crate::schema::check(&schema, &content) {
        Ok(findings) => match findings.first() {
            None => Ok(content),
            Some(finding) => {
                Err(format!("the answer does not fit the form: {}{}", finding.message, foreign(&schema, given)))
            }
        },
        // A form that cannot be checked is the server's to judge.
        Err(_) => Ok(content),
    }
}

/// Members of an answer that the form does not have, as the rest of a sentence: a slip in a name shows there.
fn foreign(schema: &RawValue, given: Option<&RawValue>) -> String {
    let known = json::member(schema, "properties").and_then(|all| json::members(&all)).unwrap_or_default();
    let given = given.and_then(json::members).unwrap_or_default();
    let is_known = |name: &str| known.iter().any(|(known, _)| known == name);
    let names: Vec<String> = given.into_iter().map(|(name, _)| name).filter(|name| !is_known(name)).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!("; the form has no `{}`", names.join("`, `")),
    }
}

/// Whether a client capability is declared.
fn declared(options: &Options, capability: &str) -> bool {
    match &options.client_capabilities {
        Some(exactly) => json::member(exactly, capability).is_some_and(|raw| !json::is_null(&raw)),
        None => options.host.capabilities().contains(&format!("\"{capability}\"")),
    }
}

/// The next canned answer; the last one serves for all that follow.
fn next<'a, T>(answers: &'a [T], used: &mut usize) -> Option<&'a T> {
    let answer = answers.get(*used).or(answers.last());
    *used += 1;
    answer
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
