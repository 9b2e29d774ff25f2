//! The classifier of JSON-RPC: any bytes are something; what is a message has the parts that another JSON reader finds, and is
//! the same message when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcpcli::wire::{
    self, Classified, Defect, ErrorObject, Id, Kind, Message, RawJson, classify, classify_vec, json, jsonrpc,
};
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let found = classify(bytes);
    assert_eq!(format!("{found:?}"), format!("{:?}", classify_vec(bytes.to_vec())));
    tokens(&found.text);
    match &found.kind {
        Kind::Message(message) => {
            parts(message, serde_json::from_str(&found.text).ok().as_ref());
            again(message);
        }
        Kind::Batch(messages) => {
            let values: Option<Vec<Value>> = serde_json::from_str(&found.text).ok();
            for (index, message) in messages.iter().enumerate() {
                match message {
                    Ok(message) => {
                        parts(message, values.as_ref().map(|values| &values[index]));
                        again(message);
                    }
                    Err(defect) => described(defect, &found),
                }
            }
        }
        Kind::Invalid(defect) => described(defect, &found),
    }
    if let Some((at, message, _)) = jsonrpc::behind_noise(&found.text) {
        assert!(at > 0);
        parts(&message, serde_json::from_str(&found.text[at..]).ok().as_ref());
        let Kind::Message(same) = classify(found.text[at..].as_bytes()).kind else { panic!("no message behind noise") };
        assert_eq!(format!("{message:?}"), format!("{same:?}"));
    }
});

/// Text is cut into tokens without loss, and what is laid out anew is the same JSON.
fn tokens(text: &str) {
    assert_eq!(json::tokens(text).map(|token| token.text).collect::<String>(), text);
    let compact = json::compact(text);
    let pretty = json::pretty(text, 2);
    assert_eq!(json::compact(&compact), compact);
    assert_eq!(json::compact(&pretty), compact);
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        for other in [&compact, &pretty] {
            assert_eq!(serde_json::from_str::<Value>(other).ok().as_ref(), Some(&value), "{other}");
        }
        assert!(!compact.contains('\n'));
    }
}

/// Whether a raw part is this value, number texts included. A reader that gave up (nested too deeply for it, half a surrogate)
/// has no say.
fn is(raw: &str, value: &Value) {
    if let Ok(read) = serde_json::from_str::<Value>(raw) {
        assert_eq!(&read, value, "{raw}");
        if let Value::Number(number) = value {
            assert_eq!(raw, number.to_string(), "the text of a number");
        }
    }
}

/// Holds a message to what another reader makes of its text.
fn parts(message: &Message, value: Option<&Value>) {
    let Some(value) = value else { return };
    let id = |id: &Id| is(id.as_json(), &value["id"]);
    let params = |params: &Option<RawJson>| match params {
        Some(params) => is(params.get(), &value["params"]),
        None => assert!(value["params"].is_null()),
    };
    match message {
        Message::Request { id: of, method, params: with } => {
            id(of);
            assert_eq!(value["method"], method.as_str());
            params(with);
        }
        Message::Notification { method, params: with } => {
            assert!(value.get("id").is_none());
            assert_eq!(value["method"], method.as_str());
            params(with);
        }
        Message::Response { id: of, result } => {
            id(of);
            is(result.get(), &value["result"]);
        }
        Message::Error { id: of, error: ErrorObject { code, message, data } } => {
            match of {
                Some(of) => id(of),
                None => assert!(value["id"].is_null()),
            }
            let error = &value["error"];
            is(code, &error["code"]);
            assert_eq!(error["message"].as_str().unwrap_or_default(), message);
            match data {
                Some(data) => is(data.get(), &error["data"]),
                None => assert!(error.get("data").is_none()),
            }
        }
    }
}

/// Writes a message again and reads it: each part has the very same text.
fn again(message: &Message) {
    let method = |method: &str| json::quote(method);
    let params = |params: &Option<RawJson>| {
        params.as_ref().map(|params| format!(r#","params":{}"#, params.get())).unwrap_or_default()
    };
    let text = match message {
        Message::Request { id, method: name, params: with } => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{}{}}}"#, method(name), params(with))
        }
        Message::Notification { method: name, params: with } => {
            wire::notification(name, with.as_ref().map(|params| params.get()))
        }
        Message::Response { id, result } => wire::response(id, result.get()),
        Message::Error { id, error } => {
            let id = id.as_ref().map_or("null", Id::as_json);
            let data = error.data.as_ref().map(|data| format!(r#","data":{}"#, data.get())).unwrap_or_default();
            let (code, message) = (&error.code, json::quote(&error.message));
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}{data}}}}}"#)
        }
    };
    let Kind::Message(same) = classify(text.as_bytes()).kind else { panic!("no message when written again: {text}") };
    assert_eq!(format!("{message:?}"), format!("{same:?}"));
}

/// A defect can be told, and what it tells of the text is bounded.
fn described(defect: &Defect, found: &Classified) {
    let _ = (defect.reason(), defect.scraped_id());
    assert!(!defect.to_string().is_empty());
    assert!(defect.evidence().is_none_or(|evidence| evidence.text.chars().count() <= 130), "{defect:?}");
    if let Defect::NotJson { offset, line, column, .. } = defect {
        assert!(*offset <= found.text.len() && *line >= 1 && *column >= 1);
    }
}
