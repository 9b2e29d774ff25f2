//! The envelope: which of its members a JSON text has, and which message they make.

use serde_json::value::RawValue;

use super::defect::{beginning, scrape_id};
use super::{Defect, ErrorObject, Id, Kind, MAX_BATCH, MAX_DEPTH, Message};
use crate::outcome::{Warning, WarningId};
use crate::wire::json::{self, JsonKind};

/// Reads one JSON text.
pub(super) fn read(text: &str, notices: &mut Vec<Warning>) -> Result<Kind, Defect> {
    let first = text.trim_start_matches([' ', '\t', '\n', '\r']).as_bytes().first();
    // serde_json skips over raw values without recursing, so it may see any depth.
    let not_json = |error: serde_json::Error| Defect::not_json(text, &error);
    match first {
        _ if text.trim().is_empty() => Err(Defect::Empty),
        Some(b'{') => {
            let mut envelope = Envelope::default();
            json::each_member(text, |key, value| envelope.take(&key, value)).map_err(not_json)?;
            scan(text, notices)?;
            envelope.message(notices).map(Kind::Message).map_err(|defect| defect.in_text(text))
        }
        Some(b'[') => {
            let (mut elements, mut count) = (Vec::new(), 0_usize);
            json::each_element(text, |value| {
                count += 1;
                if count <= MAX_BATCH {
                    elements.push(value);
                }
            })
            .map_err(not_json)?;
            scan(text, notices)?;
            match count {
                0 => Err(Defect::EmptyBatch),
                1..=MAX_BATCH => Ok(Kind::Batch(elements.into_iter().map(|value| element(value, notices)).collect())),
                _ => Err(not_jsonrpc(format!("an array of {count} elements; {MAX_BATCH} are read at most"), None)),
            }
        }
        _ => {
            let value: &RawValue = serde_json::from_str(text).map_err(not_json)?;
            Err(Defect::not_object(value))
        }
    }
}

/// One message of a batch.
fn element(value: &RawValue, notices: &mut Vec<Warning>) -> Result<Message, Defect> {
    if json::kind(value) != JsonKind::Object {
        return Err(Defect::not_object(value));
    }
    let mut envelope = Envelope::default();
    json::each_member(value.get(), |key, value| envelope.take(&key, value))
        .map_err(|error| Defect::not_json(value.get(), &error))?;
    envelope.message(notices).map_err(|defect| defect.in_text(value.get()))
}

fn scan(text: &str, notices: &mut Vec<Warning>) -> Result<(), Defect> {
    let found = json::scan(text, MAX_DEPTH)
        .map_err(|json::TooDeep| Defect::TooDeep { limit: MAX_DEPTH, id: scrape_id(text) })?;
    for pointer in found.duplicates {
        notices.push(Warning::new(
            WarningId::DuplicateKey,
            format!("the key {pointer} stands twice; the last one counts"),
        ));
    }
    if found.more_duplicates > 0 {
        let text = format!("{} more keys stand twice", found.more_duplicates);
        notices.push(Warning::new(WarningId::DuplicateKey, text));
    }
    Ok(())
}

fn not_jsonrpc(why: impl Into<String>, id: Option<u64>) -> Defect {
    Defect::NotJsonRpc { why: why.into(), excerpt: String::new(), id }
}

/// So many names of other members are remembered, to say what an object looks like.
const OTHER_NAMES: usize = 12;

/// The members that JSON-RPC 2.0 knows, raw; the others are ignored but for their names.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    duplicate: Option<&'static str>,
    others: Vec<String>,
}

impl<'a> Envelope<'a> {
    fn take(&mut self, key: &str, value: &'a RawValue) {
        let (name, slot) = match key {
            "jsonrpc" => ("jsonrpc", &mut self.jsonrpc),
            "id" => ("id", &mut self.id),
            "method" => ("method", &mut self.method),
            "params" => ("params", &mut self.params),
            "result" => ("result", &mut self.result),
            "error" => ("error", &mut self.error),
            other => {
                if self.others.len() < OTHER_NAMES {
                    self.others.push(beginning(other, 40));
                }
                return;
            }
        };
        if slot.replace(value).is_some() {
            self.duplicate = self.duplicate.or(Some(name));
        }
    }

    /// The message that the members make. JSON-RPC 2.0 §4, §5; all protocol versions, basic, Messages.
    fn message(self, notices: &mut Vec<Warning>) -> Result<Message, Defect> {
        // Two ids or two results leave open which one is meant.
        if let Some(name) = self.duplicate {
            return Err(not_jsonrpc(format!("duplicate member {name:?}"), None));
        }
        let method = self.method.filter(|method| !json::is_null(method));
        let result = self.result.filter(|result| !json::is_null(result));
        let error = self.error.filter(|error| !json::is_null(error));
        let mut found = Vec::new();
        let message = match (method, result, error) {
            (Some(method), None, None) => self.call(method, &mut found),
            (Some(_), ..) => Err(not_jsonrpc("both a method and a result or error in one message", None)),
            (None, Some(_), Some(_)) => Err(not_jsonrpc("both a result and an error", self.lenient_id())),
            (None, Some(result), None) => self.result(result, &mut found),
            (None, None, Some(error)) => self.error(error, &mut found),
            (None, None, None) => match self.result {
                Some(null) => self.result(null, &mut found),
                None => Err(not_jsonrpc(self.without_any(), self.lenient_id())),
            },
        }?;
        self.version(notices);
        notices.append(&mut found);
        Ok(message)
    }

    /// "jsonrpc" MUST be "2.0", but nothing hangs on it.
    fn version(&self, notices: &mut Vec<Warning>) {
        let text = match self.jsonrpc {
            None => "the message has no \"jsonrpc\": \"2.0\"".to_owned(),
            Some(version) if json::string(version).as_deref() == Some("2.0") => return,
            Some(version) => format!("\"jsonrpc\" is {} instead of \"2.0\"", beginning(version.get(), 40)),
        };
        notices.push(Warning::new(WarningId::JsonRpcVersion, text));
    }

    /// A member that is null, beside the one that counts: some serializers write every member that they know.
    fn null_beside(&self, what: &str, nulls: &[(&str, Option<&RawValue>)], notices: &mut Vec<Warning>) {
        for (name, value) in nulls {
            if value.is_some_and(json::is_null) {
                let text = format!("a {what} also has {name:?}: null, which was ignored");
                notices.push(Warning::new(WarningId::Envelope, text));
            }
        }
    }

    fn call(&self, method: &RawValue, notices: &mut Vec<Warning>) -> Result<Message, Defect> {
        let Some(method) = json::string(method) else {
            let text = format!("the method is {} instead of a string", json::kind(method).with_article());
            return Err(not_jsonrpc(text, None));
        };
        let params = self.params.filter(|params| !json::is_null(params)).map(ToOwned::to_owned);
        let message = match self.id {
            None => Message::Notification { method, params },
            // MCP, all versions, basic, Requests: the id MUST NOT be null.
            Some(null) if json::is_null(null) => {
                return Err(not_jsonrpc(
                    format!("a request with a null id (method {:?})", beginning(&method, 80)),
                    None,
                ));
            }
            Some(id) => Message::Request { id: self.read_id(id)?, method, params },
        };
        self.null_beside("request or notification", &[("result", self.result), ("error", self.error)], notices);
        Ok(message)
    }

    fn result(&self, result: &RawValue, notices: &mut Vec<Warning>) -> Result<Message, Defect> {
        let id = match self.id {
            None => return Err(not_jsonrpc("a result without an id", None)),
            Some(null) if json::is_null(null) => return Err(not_jsonrpc("a result with a null id", None)),
            Some(id) => self.read_id(id)?,
        };
        self.null_beside("result", &[("error", self.error), ("method", self.method)], notices);
        Ok(Message::Response { id, result: result.to_owned() })
    }

    fn error(&self, error: &RawValue, notices: &mut Vec<Warning>) -> Result<Message, Defect> {
        if json::kind(error) != JsonKind::Object {
            let text = beginning(error.get(), 120);
            let why = format!("the error is {} instead of an object: {text}", json::kind(error).with_article());
            return Err(not_jsonrpc(why, self.lenient_id()));
        }
        // MCP 2025-11-25 and later, basic, Error Responses: the id may be missing if it could not be read. Earlier
        // versions ask for it, and JSON-RPC 2.0 §5 then says null. Servers of any version do either.
        let id = match self.id.filter(|id| !json::is_null(id)) {
            None => None,
            Some(id) => Some(self.read_id(id)?),
        };
        self.null_beside("error", &[("result", self.result), ("method", self.method)], notices);
        Ok(Message::Error { id, error: error_object(error, notices) })
    }

    fn read_id(&self, id: &RawValue) -> Result<Id, Defect> {
        match json::kind(id) {
            JsonKind::Number | JsonKind::String => Ok(Id::from_text(id.get())),
            other => {
                Err(not_jsonrpc(format!("the id is {} instead of a number or a string", other.with_article()), None))
            }
        }
    }

    fn lenient_id(&self) -> Option<u64> {
        self.id.filter(|_| self.method.is_none()).and_then(|id| Id::from_text(id.get()).lenient())
    }

    fn without_any(&self) -> String {
        let has = |names: &[&str]| names.iter().any(|name| self.others.iter().any(|other| other == name));
        let looks_like = if self.error.is_some() {
            "the error is null and there is no result".to_owned()
        } else if self.others.is_empty() && self.id.is_none() {
            "it has no members that say anything".to_owned()
        } else if has(&["level", "severity", "lvl", "levelname"]) {
            "looks like a log line".to_owned()
        } else if has(&["protocolVersion", "serverInfo"]) {
            "looks like the bare result of initialize, without its envelope".to_owned()
        } else if has(&["tools", "resources", "resourceTemplates", "prompts"]) {
            "looks like the bare result of a list, without its envelope".to_owned()
        } else if has(&["content", "structuredContent", "isError", "contents"]) {
            "looks like a bare result, without its envelope".to_owned()
        } else if has(&["code"]) && has(&["message"]) {
            "looks like a bare error object, without its envelope".to_owned()
        } else if has(&["detail", "errors", "message", "msg", "status", "statusCode", "title"]) {
            "looks like the error of a web framework or gateway".to_owned()
        } else {
            let names: Vec<_> = self.id.iter().map(|_| "id").chain(self.others.iter().map(String::as_str)).collect();
            format!("its members are {}", names.join(", "))
        };
        format!("a JSON object without method, result or error: {looks_like}")
    }
}

/// Reads an error object as far as it can be read.
pub(super) fn error_object(error: &RawValue, notices: &mut Vec<Warning>) -> ErrorObject {
    let (mut code, mut message, mut data) = (None, None, None);
    for (key, value) in json::borrowed_members(error).unwrap_or_default() {
        match &*key {
            "code" => code = Some(value),
            "message" => message = Some(value),
            "data" => data = Some(value),
            _ => {}
        }
    }
    // JSON-RPC 2.0 §5.1: the code MUST be an integer, the message SHOULD be a string.
    let code = code.map_or("null", RawValue::get);
    let digits = code.strip_prefix('-').unwrap_or(code);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let text = format!("the error's code is {} instead of an integer", beginning(code, 40));
        notices.push(Warning::new(WarningId::ErrorCode, text));
    }
    let text = message.and_then(json::string);
    if text.is_none() {
        let found = message.map_or("missing", |message| json::kind(message).with_article());
        let text = format!("the error's message is {found}; it has to be a string");
        notices.push(Warning::new(WarningId::Envelope, text));
    }
    ErrorObject { code: code.to_owned(), message: text.unwrap_or_default(), data: data.map(ToOwned::to_owned) }
}
