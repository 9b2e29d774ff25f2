//! The checker's errors in the words of this program.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::{Finding, SchemaDefect, clip};
use crate::nearest::{did_you_mean, nearest};

/// So much of a value is quoted.
const QUOTED: usize = 80;
/// So much of a sentence of the checker is taken.
const SENTENCE: usize = 300;
/// So many names or values are listed.
const LISTED: usize = 12;

/// What does not fit, and where.
pub(super) fn finding(error: &ValidationError<'_>, schema: &Value) -> Finding {
    let schema_pointer = error.schema_path().as_str().to_owned();
    Finding {
        pointer: error.instance_path().as_str().to_owned(),
        keyword: error.kind().keyword().to_owned(),
        message: message(error, schema),
        schema_pointer,
    }
}

/// Why a schema does not compile: the error is about the schema as an instance of its meta-schema, or about a reference.
pub(super) fn defect(error: &ValidationError<'_>) -> SchemaDefect {
    let pointer = error.instance_path().as_str();
    let instance = quoted(error.instance());
    let message = match error.kind() {
        ValidationErrorKind::AnyOf { .. } if pointer.ends_with("/type") => {
            format!("{instance} is not a JSON Schema type")
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            format!("{instance} is not a regular expression that can be used")
        }
        ValidationErrorKind::Referencing(error) => clip(&error.to_string(), SENTENCE),
        _ => clip(&error.to_string(), SENTENCE),
    };
    SchemaDefect::new(pointer, message)
}

fn message(error: &ValidationError<'_>, schema: &Value) -> String {
    let instance = error.instance();
    match error.kind() {
        ValidationErrorKind::Type { kind } => format!("must be {}, is {}", type_names(kind), described(instance)),
        ValidationErrorKind::Required { property } => match property {
            Value::String(name) => format!("`{name}` is required, but missing"),
            other => format!("{other} is required, but missing"),
        },
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unknown(error, unexpected, schema),
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let mut names: Vec<String> = options.iter().take(LISTED).map(quoted).collect();
            if options.len() > LISTED {
                names.push("…".to_owned());
            }
            format!("must be one of {}, is {}", names.join(", "), described(instance))
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("must be {}, is {}", quoted(expected_value), described(instance))
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            alternatives(error, context, schema)
        }
        _ => clip(&error.masked_with(quoted(instance)).to_string(), SENTENCE),
    }
}

/// Why each alternative was refused, as far as that is short to say.
fn alternatives(error: &ValidationError<'_>, context: &[Vec<ValidationError<'_>>], schema: &Value) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for error_of_one in context.iter().filter_map(|errors| errors.first()) {
        let mut reason = message(error_of_one, schema);
        let below = error_of_one.instance_path().as_str();
        if let Some(step) = below.strip_prefix(error.instance_path().as_str()).filter(|step| !step.is_empty()) {
            reason = format!("{step} {reason}");
        }
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let keyword = error.kind().keyword();
    let shown = reasons.iter().take(4).cloned().collect::<Vec<_>>().join("; or ");
    clip(&format!("fits none of the {} alternatives of {keyword}: {shown}", context.len()), 2 * SENTENCE)
}

fn unknown(error: &ValidationError<'_>, unexpected: &[String], schema: &Value) -> String {
    // The keyword's own schema is its parent; that is where the names stand.
    let keyword = error.schema_path().as_str();
    let parent = keyword.rsplit_once('/').map(|(parent, _)| parent).and_then(|parent| schema.pointer(parent));
    let properties = parent.and_then(|parent| parent.get("properties")).and_then(Value::as_object);
    let known: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let names: Vec<String> = unexpected.iter().take(LISTED).map(|name| format!("`{}`", clip(name, QUOTED))).collect();
    let near = match unexpected {
        [only] => did_you_mean(&nearest(only, known.iter().copied())),
        _ => String::new(),
    };
    let verb = if unexpected.len() == 1 { "is" } else { "are" };
    let list = match known.as_slice() {
        _ if !near.is_empty() => near,
        [] => String::new(),
        known if known.len() <= LISTED => format!("; known are {}", known.join(", ")),
        _ => String::new(),
    };
    format!("{} {verb} not known to the schema{list}", names.join(", "))
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => with_article(*one).to_owned(),
        TypeKind::Multiple(several) => several.iter().map(with_article).collect::<Vec<_>>().join(" or "),
    }
}

fn with_article(name: JsonType) -> &'static str {
    match name {
        JsonType::Null => "null",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

/// A value with its type, where its text does not show it.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => format!("the string {}", quoted(value)),
        Value::Array(_) => format!("the array {}", quoted(value)),
        Value::Object(_) => format!("the object {}", quoted(value)),
    }
}

fn quoted(value: &Value) -> String {
    clip(&value.to_string(), QUOTED)
}
