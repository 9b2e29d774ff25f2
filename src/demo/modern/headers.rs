//! Holds the headers of a POST against its body: who acts on the body has to refuse a request whose headers say something else
//! (2026-07-28 basic/transports/streamable-http §Server Validation).

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::demo::arguments::integer;
use crate::demo::dispatch;
use crate::demo::message::{Request, RpcError, params};

/// The header that names the protocol version.
pub const VERSION: &str = "mcp-protocol-version";

/// -32020.
fn mismatch(what: String) -> RpcError {
    RpcError::new(-32020, format!("Header mismatch: {what}"))
}

/// The value of a header as it was meant: `=?base64?…?=` holds what cannot stand in a header (2026-07-28
/// basic/transports/streamable-http §Value Encoding). `None` if there is none.
fn value(headers: &HeaderMap, name: &str) -> Result<Option<String>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(mismatch(format!("{name} is there more than once")));
    }
    // A field's value has no spaces around it (RFC 9110 §5.5), whoever put them there.
    let text = value.to_str().map_err(|_| mismatch(format!("{name} holds bytes that are not ASCII")))?.trim();
    let Some(encoded) = text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Some(text.to_owned()));
    };
    let decoded = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.map(Some).ok_or_else(|| mismatch(format!("{name} holds broken base64")))
}

/// Compares a header with the text that the body has in its place.
fn check(headers: &HeaderMap, name: &str, body: &str) -> Result<(), RpcError> {
    match value(headers, name)? {
        Some(given) if given == body => Ok(()),
        Some(given) => Err(mismatch(format!("{name} is {given:?}, but the body says {body:?}"))),
        None => Err(mismatch(format!("{name} is missing, and the body says {body:?}"))),
    }
}

/// `MCP-Protocol-Version`.
pub fn check_version(headers: &HeaderMap, version: &str) -> Result<(), RpcError> {
    check(headers, VERSION, version)
}

/// `Mcp-Method`.
pub fn check_method(headers: &HeaderMap, method: &str) -> Result<(), RpcError> {
    check(headers, "mcp-method", method)
}

/// `Mcp-Name`, which repeats the parameter `key`. Where the body lacks it too, that is the complaint to make.
pub fn check_name(headers: &HeaderMap, request: &Request, key: &str) -> Result<(), RpcError> {
    let params: BTreeMap<String, Box<RawValue>> = params(&request.params)?;
    match params.get(key).and_then(|raw| serde_json::from_str::<String>(raw.get()).ok()) {
        Some(name) => check(headers, "mcp-name", &name),
        None => Ok(()),
    }
}

#[derive(Deserialize)]
struct WithArguments {
    #[serde(default)]
    arguments: Value,
}

/// `Mcp-Param-*`, one for each annotated property that has a value (2026-07-28 basic/transports/streamable-http §Server Behavior for
/// Custom Headers).
pub fn check_params(headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    let Some(row) = dispatch::tool(&request.params) else { return Ok(()) };
    // What cannot be read is the tool's to complain about.
    let Ok(WithArguments { arguments }) = params(&request.params) else { return Ok(()) };
    check_properties(headers, &row.input_schema(), &arguments)
}

/// Annotated properties are reached from the root through `properties` only.
fn check_properties(headers: &HeaderMap, schema: &Value, values: &Value) -> Result<(), RpcError> {
    for (key, property) in schema["properties"].as_object().into_iter().flatten() {
        let body = values.get(key).filter(|value| !value.is_null());
        if let Some(name) = property["x-mcp-header"].as_str() {
            check_param(headers, &format!("mcp-param-{}", name.to_ascii_lowercase()), body)?;
        }
        check_properties(headers, property, body.unwrap_or(&Value::Null))?;
    }
    Ok(())
}

fn check_param(headers: &HeaderMap, name: &str, body: Option<&Value>) -> Result<(), RpcError> {
    let text = match body {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(value)) => value.to_string(),
        Some(Value::Number(number)) => {
            let given = value(headers, name)?;
            // `5` and `5.0` are the same integer.
            if given.as_deref().and_then(integer).is_some_and(|given| Some(given) == integer(number.as_str())) {
                return Ok(());
            }
            number.to_string()
        }
        // Not a value that a header can repeat: the tool will say so.
        Some(_) => return Ok(()),
        None => match value(headers, name)? {
            Some(given) => return Err(mismatch(format!("{name} is {given:?}, but the body has no such value"))),
            None => return Ok(()),
        },
    };
    check(headers, name, &text)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn headers(value: &str) -> HeaderMap {
        let mut map = HeaderMap::new();
        map.insert("x", HeaderValue::from_bytes(value.as_bytes()).expect("a header"));
        map
    }

    #[test]
    fn values_are_decoded_before_they_are_compared() {
        for (header, body, agrees) in [
            ("plain words", "plain words", true),
            ("plain", "Plain", false),
            ("", "", true),
            ("=?base64?w7xiZXI=?=", "über", true),
            ("=?base64?IGE=?=", " a", true),
            ("=?BASE64?IGE=?=", " a", false),
            ("=?base64?***?=", "***", false),
            ("=?base64?/w==?=", "\u{ff}", false),
            ("über", "über", false),
        ] {
            assert_eq!(check(&headers(header), "x", body).is_ok(), agrees, "{header} {body}");
        }
        assert_eq!(check(&HeaderMap::new(), "x", "").expect_err("missing").code, -32020);
        let mut twice = headers("a");
        twice.append("x", HeaderValue::from_static("a"));
        assert!(check(&twice, "x", "a").is_err());
    }

    #[test]
    fn parameters_are_compared_by_their_type() {
        for (header, body, agrees) in [
            ("42", json!(42), true),
            ("42", json!(42.0), true),
            ("43", json!(42), false),
            ("true", json!(true), true),
            ("True", json!(true), false),
            ("a", json!("a"), true),
            ("a", json!(null), false),
            ("a", json!(["a"]), true),
        ] {
            let body = Some(&body).filter(|body| !body.is_null());
            assert_eq!(check_param(&headers(header), "x", body).is_ok(), agrees, "{header} {body:?}");
        }
        assert!(check_param(&HeaderMap::new(), "x", None).is_ok());
    }
}
