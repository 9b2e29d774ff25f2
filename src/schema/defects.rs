//! Why a schema that a server sent cannot be used.

use serde_json::value::RawValue;

use super::references::{resolve, walk};
use super::{SchemaDefect, check, clip};
use crate::wire::json::{self, JsonKind};

/// So many broken references are named.
const MOST: usize = 10;
/// So much of a value is quoted.
const QUOTED: usize = 80;

/// What is wrong with a tool's `inputSchema`; nothing if arguments can be typed and checked by it.
///
/// Besides what [`unusable`] finds, the schema must be there and be an object schema: `inputSchema: { type: "object"; … }`
/// is required of every Tool in all versions.
pub fn defects(schema: Option<&RawValue>) -> Vec<SchemaDefect> {
    let Some(schema) = schema else { return vec![SchemaDefect::new("", "missing")] };
    let kind = json::kind(schema);
    if kind != JsonKind::Object {
        return vec![SchemaDefect::new("", format!("is {} instead of an object", kind.with_article()))];
    }
    match json::borrowed_member(schema, "type") {
        None => return vec![SchemaDefect::new("", "has no `type`, which must be \"object\"")],
        Some(declared) if json::string(declared).as_deref() != Some("object") => {
            let declared = clip(&json::compact(declared.get()), QUOTED);
            return vec![SchemaDefect::new("/type", format!("is {declared}, must be \"object\""))];
        }
        Some(_) => {}
    }
    unusable(schema)
}

/// What is wrong with any schema, such as an `outputSchema`: references that lead nowhere, and what does not compile.
pub fn unusable(schema: &RawValue) -> Vec<SchemaDefect> {
    let kind = json::kind(schema);
    if !matches!(kind, JsonKind::Object | JsonKind::Bool) {
        return vec![SchemaDefect::new("", format!("is {} instead of an object", kind.with_article()))];
    }
    if let Err(defect) = check::limits(schema) {
        return vec![defect];
    }
    let mut found = references(schema);
    if found.is_empty() {
        found.extend(check::compiles(schema).err());
    }
    found
}

/// References that lead nowhere. A schema with an `$id` of its own, or of a part, is left to the compiler.
fn references(schema: &RawValue) -> Vec<SchemaDefect> {
    let mut found = Vec::new();
    let mut has_ids = false;
    walk(schema, |node, pointer| {
        has_ids = has_ids || json::borrowed_member(node, "$id").is_some();
        let Some(reference) = json::borrowed_member(node, "$ref") else { return };
        if found.len() >= MOST {
            return;
        }
        let Some(text) = json::string(reference) else { return };
        let shown = clip(&text, QUOTED);
        let pointer = format!("{pointer}/$ref");
        if text.starts_with('#') && resolve(schema, &text).is_none() {
            found.push(SchemaDefect::new(pointer, format!("`{shown}` is not in the schema")));
        } else if !text.starts_with('#') && !text.contains("json-schema.org/") {
            // "MUST NOT automatically dereference" (2026-07-28 basic §JSON Schema Usage).
            found.push(SchemaDefect::new(pointer, format!("`{shown}` is another document, which is never fetched")));
        }
    });
    if has_ids { Vec::new() } else { found }
}
