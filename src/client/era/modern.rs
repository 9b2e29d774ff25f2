//! 2026-07-28: no handshake. Every request says in `_meta` which version it is of, who asks, and what the client can do;
//! over HTTP headers mirror that.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::super::Options;
use super::super::draft::Draft;
use super::super::error::ClientError;
use super::super::host::Question;
use super::{LEGACY, MODERN_CONDUCT, Shape, Wanted, expect_objects, object, strings, violation};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::wire::{JsonKind, RawJson, json, mirror};

/// The released versions without a handshake, oldest first.
pub const MODERN: [&str; 1] = ["2026-07-28"];

/// The newest of them.
pub const NEWEST_MODERN: &str = MODERN[MODERN.len() - 1];

/// The extension that lets a call become a task.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The key of `_meta` under which a server says who it is (2026-07-28 basic §_meta).
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The methods whose result may ask for input (2026-07-28 basic/patterns/mrtr).
const MAY_ASK: [&str; 3] = ["tools/call", "prompts/get", "resources/read"];

/// Whether the result of this method may ask for input.
pub fn may_ask(method: &str) -> bool {
    MAY_ASK.contains(&method)
}

/// How requests are made in this era.
#[derive(Debug, Clone)]
pub struct Modern {
    /// The version that every request names.
    pub version: String,
    /// The JSON text of what the client can do.
    pub capabilities: Arc<str>,
    /// From which level on log messages are wanted; none without.
    pub log_level: Option<String>,
}

impl Modern {
    /// Requests of this version, with what the options allow.
    pub fn new(version: &str, options: &Options) -> Modern {
        let capabilities = match &options.client_capabilities {
            Some(exactly) => exactly.get().to_owned(),
            None => options.host.modern_capabilities(options.tasks.then_some(TASKS)),
        };
        Modern { version: version.to_owned(), capabilities: capabilities.into(), log_level: options.log_level.clone() }
    }

    /// The members of `_meta` (2026-07-28 basic §_meta: version and capabilities MUST, the client's name SHOULD be there).
    fn meta(&self, token: Option<u64>) -> String {
        let mut members = vec![
            ("io.modelcontextprotocol/protocolVersion", json::quote(&self.version)),
            ("io.modelcontextprotocol/clientCapabilities", self.capabilities.to_string()),
            (
                "io.modelcontextprotocol/clientInfo",
                format!("{{\"name\":\"mcpcli\",\"version\":\"{}\"}}", env!("CARGO_PKG_VERSION")),
            ),
        ];
        let level = self.log_level.as_deref().map(json::quote);
        members.extend(level.map(|level| ("io.modelcontextprotocol/logLevel", level)));
        members.extend(token.map(|token| ("progressToken", token.to_string())));
        object(&members)
    }

    pub(super) fn draft(&self, method: &str, members: &[(&str, String)], token: Option<u64>) -> Draft {
        let mut members = members.to_vec();
        members.push(("_meta", self.meta(token)));
        let params = object(&members);
        self.with_headers(method, Some(params))
    }

    /// Params that are no object, or have a `_meta` of their own, are the user's business.
    pub(super) fn raw_draft(&self, method: &str, params: Option<&str>) -> Draft {
        let Some(params) = params else { return self.draft(method, &[], None) };
        let given = RawValue::from_string(params.to_owned()).ok();
        let members = given.as_ref().and_then(|given| json::members(given));
        let Some(members) = members.filter(|members| !members.iter().any(|(name, _)| name == "_meta")) else {
            return self.with_headers(method, Some(params.to_owned()));
        };
        let members: Vec<(&str, String)> =
            members.iter().map(|(name, value)| (name.as_str(), value.get().to_owned())).collect();
        self.draft(method, &members, None)
    }

    /// The headers that mirror a body, made from the body itself (2026-07-28 basic/transports/streamable-http §Protocol
    /// Version Header, §Standard Headers: they MUST be equal).
    fn with_headers(&self, method: &str, params: Option<String>) -> Draft {
        let raw = params.as_ref().and_then(|params| RawValue::from_string(params.clone()).ok());
        let text = |pointer: &str| {
            raw.as_ref().and_then(|raw| json::pointer(raw, pointer)).and_then(|value| json::string(&value))
        };
        let version = text("/_meta/io.modelcontextprotocol~1protocolVersion");
        let mut headers = vec![
            (mirror::VERSION.to_owned(), version.unwrap_or_else(|| self.version.clone())),
            (mirror::METHOD.to_owned(), mirror::encode(method)),
        ];
        if let Some(name) = mirror::named_member(method).and_then(|member| text(&format!("/{member}"))) {
            headers.push((mirror::NAME.to_owned(), mirror::encode(&name)));
        }
        Draft { method: method.to_owned(), params, headers, conduct: MODERN_CONDUCT }
    }

    /// Whether the client said that it takes tasks.
    fn takes_tasks(&self) -> bool {
        let capabilities = RawValue::from_string(self.capabilities.to_string()).ok();
        let extensions = capabilities.and_then(|all| json::member(&all, "extensions"));
        extensions.is_some_and(|all| json::member(&all, TASKS).is_some())
    }

    pub(super) fn shape(&self, method: &str, result: &RawJson, ledger: &Ledger) -> Result<Shape, ClientError> {
        // A result that is no object is told of by whoever reads it.
        if json::kind(result) != JsonKind::Object {
            return Ok(Shape::Complete);
        }
        let phase = || Phase::of_method(method);
        let invalid =
            |message: String, hint: &str| Err(violation(phase(), Reason::ResultShape, message, result, Some(hint)));
        let Some(raw) = json::member(result, "resultType") else {
            let message = format!("the result of {method} has no resultType; it was taken as complete");
            ledger.warn(WarningId::ResultType, message);
            return Ok(Shape::Complete);
        };
        match json::string(&raw).as_deref() {
            Some("complete") => Ok(Shape::Complete),
            Some("input_required") if MAY_ASK.contains(&method) => wanted(method, result),
            Some("input_required") => invalid(
                format!("the result of {method} asks for input, which only {} may do", MAY_ASK.join(", ")),
                "the server breaks 2026-07-28 basic/patterns/mrtr",
            ),
            Some("task") if method == "tools/call" && self.takes_tasks() => Ok(Shape::Task),
            Some("task") => invalid(
                format!("{method} was answered with a task, which mcpcli had not said that it takes"),
                "`call --task` says so; a server must not make tasks for others (extension io.modelcontextprotocol/tasks)",
            ),
            _ => invalid(
                format!("the result of {method} has the unknown resultType {}", json::compact(raw.get())),
                "2026-07-28 basic §ResultType: a result of an unknown type is invalid",
            ),
        }
    }
}

/// What an `input_required` result asks for.
fn wanted(method: &str, result: &RawJson) -> Result<Shape, ClientError> {
    let invalid = |message: String| {
        let hint = "2026-07-28 basic/patterns/mrtr: inputRequests is an object of requests, requestState a string";
        Err(violation(Phase::of_method(method), Reason::ResultShape, message, result, Some(hint)))
    };
    let present = |name: &str| json::member(result, name).filter(|raw| !json::is_null(raw));
    let (state, asked) = (present("requestState"), present("inputRequests"));
    if let Some(state) = state.as_ref().filter(|state| json::kind(state) != JsonKind::String) {
        return invalid(format!(
            "the requestState of {method} is {} instead of a string",
            json::kind(state).with_article()
        ));
    }
    if let Some(asked) = asked.as_ref().filter(|asked| json::kind(asked) != JsonKind::Object) {
        return invalid(format!(
            "the inputRequests of {method} are {} instead of an object",
            json::kind(asked).with_article()
        ));
    }
    let questions = asked.and_then(|all| json::members(&all)).unwrap_or_default();
    if questions.is_empty() && state.is_none() {
        return invalid(format!(
            "the result of {method} asks for input, but has neither inputRequests nor requestState"
        ));
    }
    let mut read: Vec<(String, Question)> = Vec::with_capacity(questions.len());
    for (key, raw) in questions {
        let question = Question::read(&raw);
        if question.method.is_empty() {
            return invalid(format!("the input request {key:?} of {method} is no request: it has no method"));
        }
        // Of a key that stands there twice the last one counts, as everywhere.
        read.retain(|(known, _)| *known != key);
        read.push((key, question));
    }
    let questions = read;
    Ok(Shape::InputRequired(Box::new(Wanted { questions, state })))
}

/// The request that asks a server what it is and can do, in this version.
pub fn discover(modern: &Modern) -> Draft {
    modern.draft("server/discover", &[], None)
}

/// `supportedVersions` of a `server/discover` result; `None` if the result is not one.
pub fn versions_of(result: &RawJson, ledger: &Ledger) -> Option<Vec<String>> {
    let raw = json::member(result, "supportedVersions").filter(|raw| json::kind(raw) == JsonKind::Array)?;
    expect_objects("server/discover", result, &["capabilities"], ledger);
    Some(strings(&raw))
}

/// The newest version that both sides speak: of the modern era if there is one, else of the legacy one.
pub fn mutual(offered: &[String]) -> Option<&'static str> {
    let all = MODERN.iter().rev().chain(LEGACY.iter().rev());
    all.copied().find(|version| offered.iter().any(|offer| offer == version))
}

/// `data.supported` of an error -32022 (2026-07-28 basic/versioning §Unsupported Versions).
pub fn supported(data: Option<&RawValue>) -> Vec<String> {
    data.and_then(|data| json::member(data, "supported")).map(|raw| strings(&raw)).unwrap_or_default()
}
