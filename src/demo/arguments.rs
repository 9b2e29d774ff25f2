//! A tool's arguments, checked against the part of JSON Schema that the demo's own schemas use.

use serde_json::{Map, Value};

/// The arguments of one call.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The JSON text as it came.
    pub raw: String,
    /// The same, read.
    pub values: Map<String, Value>,
}

impl Arguments {
    /// Reads the JSON text of `arguments`; the error is a sentence for the caller.
    pub fn read(raw: &str) -> Result<Arguments, String> {
        match serde_json::from_str(raw) {
            Ok(Value::Object(values)) => Ok(Arguments { raw: raw.to_owned(), values }),
            Ok(Value::Null) => Ok(Arguments { raw: "{}".to_owned(), values: Map::new() }),
            Ok(other) => Err(format!("they must be an object, not {}", kind(&other))),
            Err(error) => Err(format!("they cannot be read: {error}")),
        }
    }

    /// A string that the schema requires; empty if it is none.
    pub fn text(&self, name: &str) -> &str {
        self.values.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number as a float.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.values.get(name).and_then(Value::as_f64)
    }

    /// An integer, `5.0` and `5e3` included: JSON Schema counts both as integers (2020-12 validation §6.1.1).
    pub fn integer(&self, name: &str) -> Option<i128> {
        match self.values.get(name) {
            Some(Value::Number(number)) => integer(number.as_str()),
            _ => None,
        }
    }
}

/// Reads the text of an integer.
pub fn integer(text: &str) -> Option<i128> {
    text.parse().ok().or_else(|| {
        let float: f64 = text.parse().ok()?;
        // Below 2^53 a float is exact.
        (float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0).then_some(float as i128)
    })
}

/// What does not fit `schema`, one sentence a finding.
pub fn findings(schema: &Value, values: &Map<String, Value>) -> Vec<String> {
    let properties = schema["properties"].as_object();
    let mut found = Vec::new();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !values.contains_key(name) {
            found.push(format!("\"{name}\" is required"));
        }
    }
    for (name, value) in values {
        match properties.and_then(|properties| properties.get(name)) {
            Some(property) => found.extend(misfit(property, value).map(|what| format!("\"{name}\" must be {what}"))),
            None if schema["additionalProperties"] == false => found.push(format!("\"{name}\" is not known")),
            None => {}
        }
    }
    found
}

fn misfit(property: &Value, value: &Value) -> Option<String> {
    if let Some(choices) = property["enum"].as_array()
        && !choices.contains(value)
    {
        let choices: Vec<_> = choices.iter().map(Value::to_string).collect();
        return Some(format!("one of {}, not {}", choices.join(", "), shown(value)));
    }
    let types: Vec<&str> = match &property["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let fits = types.iter().any(|name| is_of(name, value));
    (!fits).then(|| format!("of type {}, not {}", types.join(" or "), shown(value)))
}

fn is_of(name: &str, value: &Value) -> bool {
    match (name, value) {
        ("integer", Value::Number(number)) => {
            let text = number.as_str();
            !text.contains(['.', 'e', 'E']) || integer(text).is_some()
        }
        _ => kind(value) == name,
    }
}

/// The JSON Schema name of a value's type.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn shown(value: &Value) -> String {
    let mut text = value.to_string();
    if text.len() > 60 {
        text.truncate(text.floor_char_boundary(57));
        text.push_str("...");
    }
    format!("{} {text}", kind(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(values: &str) -> Vec<String> {
        let schema = json!({
            "properties": {"a": {"type": "integer"}, "b": {"type": ["string", "null"]}, "c": {"enum": ["x", "y"]}, "d": {}},
            "required": ["a"],
            "additionalProperties": false
        });
        findings(&schema, &Arguments::read(values).expect("an object").values)
    }

    #[test]
    fn what_fits_has_no_findings() {
        assert_eq!(found(r#"{"a":1}"#), [""; 0]);
        assert_eq!(found(r#"{"a":123456789012345678901234567890,"b":null,"c":"y","d":[1]}"#), [""; 0]);
        assert_eq!(found(r#"{"a":5.0}"#), [""; 0]);
    }

    #[test]
    fn every_misfit_is_named() {
        assert_eq!(
            found(r#"{"b":1,"c":"z","e":0}"#),
            [
                "\"a\" is required",
                "\"b\" must be of type string or null, not number 1",
                "\"c\" must be one of \"x\", \"y\", not string \"z\"",
                "\"e\" is not known"
            ]
        );
        assert_eq!(found(r#"{"a":"5"}"#), ["\"a\" must be of type integer, not string \"5\""]);
        assert_eq!(found(r#"{"a":5.5}"#), ["\"a\" must be of type integer, not number 5.5"]);
    }

    #[test]
    fn arguments_are_an_object_or_nothing() {
        assert!(Arguments::read("[1]").is_err());
        assert!(Arguments::read("null").expect("none").values.is_empty());
        assert!(Arguments::read(&format!("{{\"a\":{}{}}}", "[".repeat(900), "]".repeat(900))).is_err());
    }
}
