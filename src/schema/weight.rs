//! How large a schema becomes when its references are written out: twenty small definitions can mean a million.

use std::collections::HashMap;

use serde_json::Value;

/// Beyond this a value is only judged as a whole, because every error would have to be kept.
const HEAVY: u64 = 100_000;

/// Whether the schema is too large, written out, to list all errors of a value.
pub(super) fn is_heavy(schema: &Value) -> bool {
    weigh(schema, schema, &mut HashMap::new()) > HEAVY
}

/// The number of objects with every local reference written out once; a reference back to itself weighs nothing.
/// Recursion is as deep as the schema and its references, so it runs where the check has its stack.
fn weigh(node: &Value, root: &Value, known: &mut HashMap<*const Value, u64>) -> u64 {
    match node {
        Value::Array(elements) => {
            elements.iter().fold(0, |sum: u64, element| sum.saturating_add(weigh(element, root, known)))
        }
        Value::Object(members) => {
            if let Some(weight) = known.get(&std::ptr::from_ref(node)) {
                return *weight;
            }
            known.insert(node, 0);
            let mut weight: u64 = 1;
            for (key, value) in members {
                let below = match (key.as_str(), value) {
                    ("$ref" | "$dynamicRef", Value::String(reference)) => {
                        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
                        target.map_or(0, |target| weigh(target, root, known))
                    }
                    // Definitions weigh where they are used.
                    ("$defs" | "definitions", _) => 0,
                    _ => weigh(value, root, known),
                };
                weight = weight.saturating_add(below);
            }
            known.insert(node, weight);
            weight
        }
        _ => 0,
    }
}
