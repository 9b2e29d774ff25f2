//! Why a schema that a server sent cannot be used.

use serde_json::value::RawValue;

use super::references::{resolve, walk};
use super::{SchemaDefect, check, clip};
use crate::wire::json::{self, JsonKind};

/// The types of JSON Schema.
const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/// So many broken references are named.
const MOST: usize = 10;
/// So much of a value is quoted.
const QUOTED: usize = 80;

/// What is wrong with a tool's `inputSchema` as far as a look can tell; nothing if arguments can be typed by it.
///
/// The schema must be there and be an object schema: `inputSchema: { type: "object"; … }` is required of every Tool in all
/// versions. It is not compiled, so that a list of thousands of tools costs little; [`super::check`] does that.
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
    seen(schema)
}

/// What can be seen to be wrong with any schema, such as an `outputSchema`, without compiling it.
pub fn visible(schema: &RawValue) -> Vec<SchemaDefect> {
    let kind = json::kind(schema);
    if !matches!(kind, JsonKind::Object | JsonKind::Bool) {
        return vec![SchemaDefect::new("", format!("is {} instead of an object", kind.with_article()))];
    }
    seen(schema)
}

/// What is wrong with any schema, such as an `outputSchema`: references that lead nowhere, and what does not compile.
pub fn unusable(schema: &RawValue) -> Vec<SchemaDefect> {
    let mut found = visible(schema);
    if found.is_empty() {
        found.extend(check::compiles(schema).err());
    }
    found
}

/// What can be seen without compiling.
fn seen(schema: &RawValue) -> Vec<SchemaDefect> {
    match check::limits(schema) {
        Ok(()) => subschemas(schema),
        Err(defect) => vec![defect],
    }
}

/// Types that do not exist, and references that lead nowhere. Of a schema with an `$id` of its own, or of a part, the
/// references are left to the compiler.
fn subschemas(schema: &RawValue) -> Vec<SchemaDefect> {
    let mut types = Vec::new();
    let mut found = Vec::new();
    let mut has_ids = false;
    walk(schema, |node, pointer| {
        has_ids = has_ids || json::borrowed_member(node, "$id").is_some();
        let named = json::borrowed_member(node, "type").and_then(json::string);
        if let Some(unknown) = named.filter(|named| !TYPES.contains(&named.as_str()))
            && types.len() < MOST
        {
            let message = format!("{} is not a JSON Schema type", json::quote(&clip(&unknown, QUOTED)));
            types.push(SchemaDefect::new(format!("{pointer}/type"), message));
        }
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
    if !has_ids {
        types.append(&mut found);
    }
    types
}
