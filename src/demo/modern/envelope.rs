//! What every result of this era carries beside its own content.

use serde_json::{Value, json};

use crate::demo::faults::Fault;

/// Adds `resultType`, the server's name and, to a complete result of a method that has them, the cache hints (2026-07-28 basic
/// §ResultType, §_meta, server/utilities/caching).
pub fn seal(mut result: Value, cached: Option<(u64, &'static str)>) -> Value {
    let Value::Object(fields) = &mut result else { return result };
    fields.entry("resultType").or_insert(json!("complete"));
    if let Some((ttl, scope)) = cached.filter(|_| fields["resultType"] == "complete") {
        fields.insert("ttlMs".to_owned(), json!(ttl));
        fields.insert("cacheScope".to_owned(), json!(scope));
    }
    if let Some(meta) = fields.entry("_meta").or_insert(json!({})).as_object_mut() {
        meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), super::server_info());
    }
    result
}

/// Commits the faults of the type of a result.
pub fn spoil(result: &mut Value, faults: &[Fault]) {
    if faults.contains(&Fault::UnknownResultType) {
        result["resultType"] = json!("surprise");
    }
    if faults.contains(&Fault::MissingResultType)
        && let Some(fields) = result.as_object_mut()
    {
        fields.shift_remove("resultType");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_results_have_cache_hints() {
        let whole = seal(json!({"a": 1, "_meta": {"k": 2}}), Some((5, "public")));
        assert_eq!(
            (&whole["ttlMs"], &whole["cacheScope"], &whole["_meta"]["k"]),
            (&json!(5), &json!("public"), &json!(2))
        );
        assert_eq!(whole["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcpcli-demo");
        let asking = seal(json!({"resultType": "input_required"}), Some((5, "public")));
        assert_eq!((asking.get("ttlMs"), &asking["resultType"]), (None, &json!("input_required")));
    }

    #[test]
    fn result_types_can_be_spoilt() {
        let mut result = seal(json!({}), None);
        spoil(&mut result, &[Fault::UnknownResultType]);
        assert_eq!(result["resultType"], "surprise");
        spoil(&mut result, &[Fault::MissingResultType]);
        assert_eq!(result.get("resultType"), None);
    }
}
