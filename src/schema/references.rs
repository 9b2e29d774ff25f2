//! `$ref` inside a document: what it points at, and a walk over every subschema.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::wire::json;

/// Keywords whose value is one schema.
const ONE: [&str; 13] = [
    "items",
    "additionalProperties",
    "additionalItems",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
    "extends",
];
/// Keywords whose value is a list of schemas. `items` was one too, until 2019-09.
const LIST: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Keywords whose value maps names to schemas.
const MAP: [&str; 6] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// The subschema that a reference inside the document means. `None` for what is not there, and for other documents.
pub(super) fn resolve<'a>(root: &'a RawValue, reference: &str) -> Option<&'a RawValue> {
    let fragment = reference.strip_prefix('#')?;
    let fragment = percent_decoded(fragment)?;
    if fragment.is_empty() {
        return Some(root);
    }
    if !fragment.starts_with('/') {
        return anchor(root, &fragment);
    }
    let mut at = root;
    for step in fragment.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        at = match json::kind(at) {
            json::JsonKind::Object => json::borrowed_member(at, &step)?,
            json::JsonKind::Array => json::borrowed_elements(at)?.into_iter().nth(step.parse().ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

fn anchor<'a>(root: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let mut found = None;
    walk(root, |node, _| {
        let named =
            |keyword| json::borrowed_member(node, keyword).and_then(json::string).is_some_and(|text| text == name);
        if found.is_none() && (named("$anchor") || named("$dynamicAnchor")) {
            found = Some(node);
        }
    });
    found
}

/// JSON Pointers in URI fragments are percent-encoded (RFC 6901 §6).
fn percent_decoded(fragment: &str) -> Option<Cow<'_, str>> {
    if !fragment.contains('%') {
        return Some(Cow::Borrowed(fragment));
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// So much text is read in a walk; a subschema's text is read again for each level above it.
const MOST_BYTES: usize = 256 << 20;

/// Visits every subschema with its JSON Pointer, without following references; it keeps its own stack.
pub(super) fn walk<'a>(root: &'a RawValue, mut visit: impl FnMut(&'a RawValue, &str)) {
    let mut open = vec![(root, String::new())];
    let mut bytes = MOST_BYTES;
    while let Some((node, pointer)) = open.pop() {
        match bytes.checked_sub(node.get().len() + pointer.len()) {
            Some(left) => bytes = left,
            None => return,
        }
        let Some(members) = json::borrowed_members(node) else { continue };
        visit(node, &pointer);
        let first = open.len();
        for (key, value) in members {
            let key = key.as_ref();
            let below = || format!("{pointer}/{}", json::pointer_step(key));
            if MAP.contains(&key) {
                for (name, schema) in json::borrowed_members(value).unwrap_or_default() {
                    open.push((schema, format!("{}/{}", below(), json::pointer_step(&name))));
                }
            } else if LIST.contains(&key) && json::kind(value) == json::JsonKind::Array {
                for (index, schema) in json::borrowed_elements(value).unwrap_or_default().into_iter().enumerate() {
                    open.push((schema, format!("{}/{index}", below())));
                }
            } else if ONE.contains(&key) {
                open.push((value, below()));
            }
        }
        // The first one shall come off the stack first.
        open[first..].reverse();
    }
}
