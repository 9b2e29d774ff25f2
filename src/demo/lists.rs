//! Pages: the four list methods answer in pieces, with a cursor that only this server understands.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::message::{Params, RpcError, params};

/// Entries on one page.
pub const PAGE: usize = 10;

#[derive(Deserialize)]
struct ListParams {
    // A present `null` is kept apart from an absent key: a cursor is a string (2025-11-25 schema PaginatedRequestParams).
    #[serde(default, deserialize_with = "present")]
    cursor: Option<Value>,
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The page of `rows` that the parameters ask for, under `key`.
pub fn page<T>(key: &str, rows: &[T], request: &Params, entry: impl Fn(&T) -> Value) -> Result<Value, RpcError> {
    let ListParams { cursor } = params(request)?;
    let start = match cursor {
        None => 0,
        Some(cursor) => position(key, &cursor).filter(|at| *at > 0 && *at < rows.len()).ok_or_else(|| {
            // "Invalid cursors SHOULD result in an error with code -32602" (2025-11-25 server/utilities/pagination §Error Handling).
            RpcError::invalid_params(format!("Invalid cursor: {cursor}"))
        })?,
    };
    let end = rows.len().min(start + PAGE);
    let mut result = json!({ key: rows[start..end].iter().map(entry).collect::<Vec<_>>() });
    if end < rows.len() {
        result["nextCursor"] = Value::String(cursor_for(key, end));
    }
    Ok(result)
}

fn cursor_for(key: &str, position: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("{key}:{position}"))
}

fn position(key: &str, cursor: &Value) -> Option<usize> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor.as_str()?).ok()?).ok()?;
    text.strip_prefix(key)?.strip_prefix(':')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn ask(rows: &[usize], text: &str) -> Result<Value, RpcError> {
        page("rows", rows, &Some(RawValue::from_string(text.to_owned()).expect("JSON")), |row| json!(row))
    }

    #[test]
    fn pages_hold_every_row_once() {
        let rows: Vec<usize> = (0..25).collect();
        let (mut seen, mut request) = (Vec::new(), "{}".to_owned());
        for length in [10, 10, 5] {
            let result = ask(&rows, &request).expect("a page");
            let page = result["rows"].as_array().expect("rows");
            assert_eq!(page.len(), length);
            seen.extend(page.iter().map(|row| row.as_u64().expect("a number") as usize));
            request = json!({ "cursor": result["nextCursor"] }).to_string();
        }
        assert_eq!(seen, rows);
        assert_eq!(request, r#"{"cursor":null}"#, "the last page has no cursor");
    }

    #[test]
    fn other_cursors_are_refused() {
        let rows: Vec<usize> = (0..25).collect();
        let foreign = format!(r#"{{"cursor":"{}"}}"#, cursor_for("tools", 10));
        let beyond = format!(r#"{{"cursor":"{}"}}"#, cursor_for("rows", 25));
        for text in
            [r#"{"cursor":"x"}"#, r#"{"cursor":""}"#, r#"{"cursor":null}"#, r#"{"cursor":7}"#, &foreign, &beyond]
        {
            assert_eq!(ask(&rows, text).expect_err(text).code, -32602);
        }
    }
}
