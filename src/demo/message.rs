//! JSON-RPC 2.0 as the demo server reads and writes it: strict on what comes in, exact in what goes out.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The JSON text of a request's id, kept as it came: an answer must carry the same id, type included (2025-11-25 basic §Responses).
pub type Id = String;

/// The JSON text of `params`.
pub type Params = Option<Box<RawValue>>;

/// What a client can send.
#[derive(Debug)]
pub enum Message {
    /// It wants an answer.
    Request(Request),
    /// It does not.
    Notification {
        /// Which one.
        method: String,
        /// Its parameters.
        params: Params,
    },
    /// It answers a request of ours.
    Response {
        /// The id that we gave.
        id: Id,
        /// `result`, or `error` as `Err`.
        outcome: Result<Value, Value>,
    },
}

/// A request of the client.
#[derive(Debug)]
pub struct Request {
    /// Its id.
    pub id: Id,
    /// Its method.
    pub method: String,
    /// Its parameters.
    pub params: Params,
}

/// What one body, event or line held.
#[derive(Debug)]
pub struct Incoming {
    /// The messages, at least one.
    pub messages: Vec<Message>,
    /// Whether they stood in an array.
    pub batch: bool,
}

impl Incoming {
    /// The requests among them.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.messages.iter().filter_map(|message| match message {
            Message::Request(request) => Some(request),
            _ => None,
        })
    }
}

/// A JSON-RPC error of ours.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// `code`.
    pub code: i64,
    /// `message`.
    pub message: String,
    /// `data`, if any.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }

    /// -32600, "the JSON sent is not a valid Request object" (JSON-RPC 2.0 §5.1).
    pub fn invalid_request(message: impl Into<String>) -> RpcError {
        RpcError::new(-32600, message)
    }

    /// -32601 (JSON-RPC 2.0 §5.1).
    pub fn method_not_found(method: &str) -> RpcError {
        RpcError::new(-32601, format!("Method not found: {method}"))
    }

    /// -32602 (JSON-RPC 2.0 §5.1).
    pub fn invalid_params(message: impl Into<String>) -> RpcError {
        RpcError::new(-32602, message)
    }

    /// As it stands on the wire.
    pub fn to_json(&self) -> Value {
        let mut object = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            object["data"] = data.clone();
        }
        object
    }

    /// Adds data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> RpcError {
        self.data = Some(data);
        self
    }
}

/// Reads what a client sent: one message, or an array of them.
pub fn parse(bytes: &[u8]) -> Result<Incoming, RpcError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| RpcError::new(-32700, format!("Parse error: not UTF-8: {error}")))?;
    let parse_error = |error| RpcError::new(-32700, format!("Parse error: {error}"));
    if text.trim_start().starts_with('[') {
        let entries: Vec<&RawValue> = serde_json::from_str(text).map_err(parse_error)?;
        if entries.is_empty() {
            return Err(RpcError::invalid_request("Invalid Request: an empty array"));
        }
        let messages = entries.into_iter().map(|entry| message(entry.get())).collect::<Result<_, _>>()?;
        return Ok(Incoming { messages, batch: true });
    }
    serde_json::from_str::<&RawValue>(text).map_err(parse_error)?;
    Ok(Incoming { messages: vec![message(text)?], batch: false })
}

fn message(text: &str) -> Result<Message, RpcError> {
    // A map of raw values, so that nothing below the top level is judged or changed here, however deep it is nested.
    let mut fields: BTreeMap<String, Box<RawValue>> =
        serde_json::from_str(text).map_err(|_| RpcError::invalid_request("Invalid Request: not a JSON object"))?;
    if fields.get("jsonrpc").map(|version| version.get()) != Some("\"2.0\"") {
        return Err(RpcError::invalid_request("Invalid Request: `jsonrpc` must be \"2.0\""));
    }
    let id = match fields.remove("id") {
        Some(raw) => Some(id(raw.get())?),
        None => None,
    };
    let Some(method) = fields.remove("method") else {
        return response(id, &mut fields);
    };
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return Err(RpcError::invalid_request("Invalid Request: `method` must be a string"));
    };
    let params = fields.remove("params");
    Ok(match id {
        Some(id) => Message::Request(Request { id, method, params }),
        None => Message::Notification { method, params },
    })
}

/// "Requests MUST include a string or integer ID. Unlike base JSON-RPC, the ID MUST NOT be null" (2025-11-25 basic §Requests).
fn id(text: &str) -> Result<Id, RpcError> {
    match serde_json::from_str(text) {
        Ok(Value::String(id)) => Ok(Value::String(id).to_string()),
        Ok(Value::Number(id)) if !id.as_str().contains(['.', 'e', 'E']) => Ok(id.to_string()),
        _ => Err(RpcError::invalid_request("Invalid Request: `id` must be a string or an integer")),
    }
}

fn response(id: Option<Id>, fields: &mut BTreeMap<String, Box<RawValue>>) -> Result<Message, RpcError> {
    let mut value = |name: &str| match fields.remove(name).map(|raw| serde_json::from_str::<Value>(raw.get())) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(error)) => Err(RpcError::new(-32700, format!("Parse error: in `{name}`: {error}"))),
    };
    match (id, value("result")?, value("error")?) {
        (Some(id), Some(result), None) => Ok(Message::Response { id, outcome: Ok(result) }),
        (Some(id), None, Some(error)) => Ok(Message::Response { id, outcome: Err(error) }),
        _ => {
            Err(RpcError::invalid_request("Invalid Request: neither a method, nor an id with one of result and error"))
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: Option<Value>,
}

/// The id that `notifications/cancelled` names.
pub fn cancelled(method: &str, request: &Params) -> Option<Id> {
    let id = params::<CancelledParams>(request).ok().filter(|_| method == "notifications/cancelled")?.request_id?;
    Some(id.to_string())
}

/// Reads `params`; where there are none, as from `{}`.
pub fn params<T: DeserializeOwned>(params: &Params) -> Result<T, RpcError> {
    let text = params.as_ref().map_or("{}", |raw| raw.get());
    serde_json::from_str(text).map_err(|error| RpcError::invalid_params(format!("Invalid params: {error}")))
}

/// The text of an answer to `id`; without one, of an error that belongs to no request.
pub fn answer(id: Option<&str>, outcome: &Result<Value, RpcError>) -> String {
    let id = id.unwrap_or("null");
    match outcome {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, error.to_json()),
    }
}

/// The text of a notification of ours.
pub fn notification(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

/// The text of a request of ours.
pub fn request(id: &str, method: &str, params: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> i64 {
        parse(text.as_bytes()).expect_err(text).code
    }

    #[test]
    fn bad_input_gets_the_code_of_json_rpc() {
        assert_eq!(refused("{"), -32700);
        assert_eq!(parse(b"\xff").expect_err("not UTF-8").code, -32700);
        for text in [
            "7",
            "[]",
            "{}",
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
        ] {
            assert_eq!(refused(text), -32600, "{text}");
        }
    }

    #[test]
    fn ids_come_back_with_their_type() {
        for id in ["1", "\"1\"", "123456789012345678901234567890", "-4"] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let incoming = parse(text.as_bytes()).expect("a request");
            let Message::Request(request) = &incoming.messages[0] else { panic!("{incoming:?}") };
            assert_eq!(
                answer(Some(&request.id), &Ok(json!({}))),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
            );
        }
    }

    #[test]
    fn an_array_is_a_batch() {
        let incoming =
            parse(br#" [{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"method":"b"}]"#).expect("two");
        assert!(incoming.batch);
        assert!(matches!(&incoming.messages[..], [Message::Notification { .. }, Message::Request(_)]));
    }

    #[test]
    fn deep_params_are_no_reason_to_lose_the_request() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{deep}}}}}"#);
        assert!(parse(text.as_bytes()).is_ok());
    }

    #[test]
    fn errors_carry_their_data() {
        let error = RpcError::new(-5, "no").with_data(json!({"k": 1}));
        assert_eq!(
            answer(None, &Err(error)),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-5,"message":"no","data":{"k":1}}}"#
        );
    }
}
