//! The JSON envelope against its schema.

use std::sync::LazyLock;

use serde_json::Value;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(include_str!("envelope.schema.json")).expect("the schema is JSON");
    jsonschema::draft202012::new(&schema).expect("the schema is valid")
});

/// What is wrong with a document.
pub fn problems(document: &Value) -> Vec<String> {
    SCHEMA.iter_errors(document).map(|error| format!("envelope{}: {error}", error.instance_path())).collect()
}
