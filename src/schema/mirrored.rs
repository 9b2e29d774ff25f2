//! Which arguments a tool wants mirrored in HTTP headers, and whether it asks for it properly
//! (2026-07-28 basic/transports/streamable-http §Custom Headers).

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::SchemaDefect;
use crate::wire::json::{self, JsonKind};
use crate::wire::mirror;

/// The keyword.
const KEYWORD: &str = "x-mcp-header";
/// Keywords that hold a map of schemas by names of the author's choice.
const MAPS: [&str; 5] = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
/// Keywords that hold values, not schemas.
const VALUES: [&str; 4] = ["default", "const", "enum", "examples"];
/// Deeper schemas are not looked into.
const DEEPEST: usize = 64;
/// The largest integer that every JSON reader takes exactly, 2^53 - 1.
const LARGEST_INTEGER: i128 = (1 << 53) - 1;

/// An argument that is to be mirrored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirrored {
    /// What follows `Mcp-Param-` in the header's name.
    pub header: String,
    /// The keys that lead to the argument, from the outermost.
    pub path: Vec<String>,
}

/// The arguments that a tool's `inputSchema` wants mirrored.
///
/// # Errors
/// Every annotation that breaks a rule of the clause: an empty name, a character no header name may have, a name used
/// twice (case does not count), a type other than string, integer and boolean, a place that is not reached from the root
/// through `properties` alone. Over HTTP the tool must not be used then.
pub fn mirrored(schema: &RawValue) -> Result<Vec<Mirrored>, Vec<SchemaDefect>> {
    let mut search = Search::default();
    // Most schemas have none of it, and a list may hold thousands.
    if schema.get().contains(KEYWORD) {
        search.schema(schema, Some(&[]), "", 0);
    }
    if search.defects.is_empty() { Ok(search.found) } else { Err(search.defects) }
}

/// The headers for these arguments, names without the prefix. Absent and null ones have none (§Client Behavior).
///
/// # Errors
/// The argument that cannot be mirrored, as a sentence: an integer beyond 2^53 - 1, an array or an object.
pub fn mirror_values(mirrored: &[Mirrored], arguments: &RawValue) -> Result<Vec<(String, String)>, String> {
    let mut headers = Vec::new();
    for one in mirrored {
        let value = one.path.iter().try_fold(arguments.to_owned(), |value, key| json::member(&value, key));
        let Some(value) = value.filter(|value| !json::is_null(value)) else { continue };
        let text = text_of(&value).map_err(|why| format!("{}: {why}", one.path.join(".")))?;
        headers.push((one.header.clone(), mirror::encode(&text)));
    }
    Ok(headers)
}

fn text_of(value: &RawValue) -> Result<String, String> {
    match json::kind(value) {
        JsonKind::String => Ok(json::string(value).unwrap_or_default()),
        JsonKind::Bool => Ok(value.get().to_owned()),
        JsonKind::Number => match whole(value.get()) {
            Some(number) if (-LARGEST_INTEGER..=LARGEST_INTEGER).contains(&number) => Ok(number.to_string()),
            Some(number) => Err(format!("{number} is beyond 2^53 - 1 and cannot be mirrored in a header")),
            // Not what the schema says; the server has to say what it makes of it.
            None => Ok(value.get().to_owned()),
        },
        other => Err(format!("{} cannot be mirrored in a header", other.with_article())),
    }
}

/// An integer in any of the forms that JSON has for it: `5`, `5.0`, `5e0`.
fn whole(text: &str) -> Option<i128> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    // Beyond that a double has no fraction and no exactness either.
    (number.fract() == 0.0 && number.abs() < 1e18).then_some(number as i128)
}

#[derive(Default)]
struct Search {
    found: Vec<Mirrored>,
    names: BTreeSet<String>,
    defects: Vec<SchemaDefect>,
}

impl Search {
    /// Looks at a schema. `path` is how its value is reached from the root through `properties` alone, if it is.
    fn schema(&mut self, schema: &RawValue, path: Option<&[String]>, pointer: &str, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let Some(members) = json::borrowed_members(schema) else { return };
        for (key, value) in &members {
            let at = format!("{pointer}/{}", json::pointer_step(key));
            if key == KEYWORD {
                self.annotation(value, schema, path, &at);
            } else if MAPS.contains(&key.as_ref()) {
                self.map(value, path.filter(|_| key == "properties"), &at, depth);
            } else if !VALUES.contains(&key.as_ref()) {
                self.anything(value, &at, depth);
            }
        }
    }

    fn map(&mut self, map: &RawValue, path: Option<&[String]>, pointer: &str, depth: usize) {
        for (name, schema) in json::borrowed_members(map).unwrap_or_default() {
            let inner = path.map(|path| path.iter().cloned().chain([name.clone().into_owned()]).collect::<Vec<_>>());
            let at = format!("{pointer}/{}", json::pointer_step(&name));
            self.schema(schema, inner.as_deref(), &at, depth + 1);
        }
    }

    /// A keyword that may hold a schema or several; none of them is reached through `properties` alone.
    fn anything(&mut self, value: &RawValue, pointer: &str, depth: usize) {
        match json::kind(value) {
            JsonKind::Object => self.schema(value, None, pointer, depth + 1),
            JsonKind::Array => {
                for (index, one) in json::borrowed_elements(value).unwrap_or_default().into_iter().enumerate() {
                    self.schema(one, None, &format!("{pointer}/{index}"), depth + 1);
                }
            }
            _ => {}
        }
    }

    fn annotation(&mut self, value: &RawValue, schema: &RawValue, path: Option<&[String]>, pointer: &str) {
        let mut complain = |message: String| self.defects.push(SchemaDefect::new(pointer, message));
        let Some(name) = json::string(value) else {
            return complain(format!("{KEYWORD} is {} instead of a string", json::kind(value).with_article()));
        };
        if name.is_empty() {
            return complain(format!("{KEYWORD} is empty"));
        }
        if !mirror::is_token(&name) {
            return complain(format!("{KEYWORD} {name:?} has a character that no header name may have"));
        }
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return complain(format!("{KEYWORD} {name:?} is not reached through `properties` alone"));
        };
        if let Err(kind) = mirrorable(schema) {
            return complain(format!("{KEYWORD} {name:?} is on {kind}; only string, integer and boolean can have it"));
        }
        if !self.names.insert(name.to_ascii_lowercase()) {
            return complain(format!("{KEYWORD} {name:?} is used twice; case does not count"));
        }
        self.found.push(Mirrored { header: name, path: path.to_vec() });
    }
}

/// Whether a schema's type can be mirrored; a type beside null can, since null is left out.
fn mirrorable(schema: &RawValue) -> Result<(), String> {
    let Some(kind) = json::member(schema, "type") else { return Err("a property without a type".to_owned()) };
    let names: Vec<String> = match json::elements(&kind) {
        Some(all) => all.iter().filter_map(|one| json::string(one)).filter(|name| name != "null").collect(),
        None => json::string(&kind).into_iter().collect(),
    };
    match names.as_slice() {
        [one] if ["string", "integer", "boolean"].contains(&one.as_str()) => Ok(()),
        _ => Err(format!("a property of the type {}", json::compact(kind.get()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    fn properties(text: &str) -> Result<Vec<Mirrored>, Vec<SchemaDefect>> {
        mirrored(&raw(&format!("{{\"type\":\"object\",\"properties\":{text}}}")))
    }

    #[test]
    fn nested_annotations_are_found_and_values_are_written() {
        let found = properties(
            r#"{"region":{"type":"string","x-mcp-header":"Region"},"plain":{"type":"string"},
               "n":{"type":["integer","null"],"x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"},
               "o":{"type":"object","properties":{"tier":{"type":"string","x-mcp-header":"Tier"}}},
               "x-mcp-header":{"type":"string","default":{"x-mcp-header":1}}}"#,
        )
        .unwrap();
        assert_eq!(found.len(), 4);
        assert_eq!(found[3].path, ["o", "tier"]);
        let headers = |text: &str| mirror_values(&found, &raw(text));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            headers(r#"{"region":"a b","n":5.0,"b":false,"o":{"tier":""}}"#).unwrap(),
            [pair("Region", "a b"), pair("N", "5"), pair("B", "false"), pair("Tier", "")]
        );
        assert_eq!(headers(r#"{"region":null,"o":{}}"#).unwrap(), []);
        assert_eq!(headers(r#"{"region":" ä"}"#).unwrap(), [pair("Region", "=?base64?IMOk?=")]);
        assert!(headers(r#"{"n":9007199254740992}"#).unwrap_err().contains("2^53"));
        assert!(headers(r#"{"n":-9007199254740991}"#).is_ok());
    }

    #[test]
    fn improper_annotations() {
        let rows = [
            (r#"{"a":{"type":"string","x-mcp-header":""}}"#, "empty"),
            (r#"{"a":{"type":"string","x-mcp-header":7}}"#, "a number instead of a string"),
            (r#"{"a":{"type":"string","x-mcp-header":"a b"}}"#, "no header name"),
            (r#"{"a":{"type":"string","x-mcp-header":"a:"}}"#, "no header name"),
            (r#"{"a":{"type":"string","x-mcp-header":"é"}}"#, "no header name"),
            (r#"{"a":{"type":"string","x-mcp-header":"a\n"}}"#, "no header name"),
            (r#"{"a":{"type":"number","x-mcp-header":"A"}}"#, "only string"),
            (r#"{"a":{"type":"object","x-mcp-header":"A"}}"#, "only string"),
            (r#"{"a":{"type":"array","items":{},"x-mcp-header":"A"}}"#, "only string"),
            (r#"{"a":{"type":"null","x-mcp-header":"A"}}"#, "only string"),
            (r#"{"a":{"x-mcp-header":"A"}}"#, "without a type"),
            (r#"{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}"#, "used twice"),
            (r#"{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}"#, "properties` alone"),
            (r#"{"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}}"#, "properties` alone"),
            (r#"{"a":{"if":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}"#, "properties` alone"),
        ];
        for (text, words) in rows {
            let defects = properties(text).unwrap_err();
            assert!(defects[0].message.contains(words), "{text}: {defects:?}");
        }
        let referenced = raw(
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}"##,
        );
        assert_eq!(mirrored(&referenced).unwrap_err()[0].pointer, "/$defs/a/x-mcp-header");
    }
}
