//! One argument's text, typed by its schema. The rules are those of the module's documentation, by number.

use serde_json::value::RawValue;

use super::pairs::Given;
use super::{ArgumentError, number};
use crate::schema::{Alternative, Types, View, alternatives, shell_word, type_name, type_of};
use crate::wire::json::{self, JsonKind};

/// How far text goes into arrays of arrays; a schema may be recursive.
const DEEPEST: usize = 8;

/// A value ready to be sent.
pub(super) struct Typed {
    /// JSON text on one line.
    pub(super) json: String,
    /// What the user may want to know.
    pub(super) note: Option<String>,
}

/// The value of all pairs of one name.
pub(super) fn value(key: &str, view: Option<&View<'_>>, group: &[Given]) -> Result<Typed, ArgumentError> {
    let found = view.map(alternatives).unwrap_or_default();
    if let [only] = group {
        return one(key, &found, only, DEEPEST);
    }
    // Rule 5.
    let arrays: Vec<&Alternative<'_>> = arrays(&found).collect();
    if arrays.is_empty() {
        return Err(ArgumentError::Twice { argument: key.to_owned(), array: view.is_none() });
    }
    let mut refused = None;
    for array in arrays {
        match elements(key, array, group) {
            Ok(typed) => return Ok(typed),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.unwrap_or_else(|| ArgumentError::Twice { argument: key.to_owned(), array: false }))
}

fn elements(key: &str, array: &Alternative<'_>, group: &[Given]) -> Result<Typed, ArgumentError> {
    let mut elements = Vec::new();
    let mut note = None;
    for (index, given) in group.iter().enumerate() {
        let found = array.element(index).as_ref().map(alternatives).unwrap_or_default();
        let typed = one(key, &found, given, DEEPEST)?;
        note = note.or(typed.note);
        elements.push(typed.json);
    }
    Ok(Typed { json: format!("[{}]", elements.join(",")), note })
}

fn arrays<'a, 'b>(found: &'b [Alternative<'a>]) -> impl Iterator<Item = &'b Alternative<'a>> {
    found.iter().filter(|one| one.types.has(Types::ARRAY) && one.types != Types::ALL && one.values.is_none())
}

/// One pair's value.
fn one(key: &str, found: &[Alternative<'_>], given: &Given, depth: usize) -> Result<Typed, ArgumentError> {
    if given.json {
        return Ok(Typed { json: parsed(key, given, None)?, note: None });
    }
    let text = given.value.as_str();
    if found.is_empty() || found.iter().any(Alternative::is_any) {
        return Ok(Typed { json: json::quote(text), note: None });
    }
    let types = found.iter().filter(|one| one.values.is_none()).fold(Types::NONE, |all, one| all | one.types);
    // A file ends with a line break that nobody means, unless it is the text itself that is wanted.
    let line = if given.path.is_some() { text.trim_end_matches(['\r', '\n']) } else { text };
    // Rule 1.
    if let Some(json) = member(found, text).or_else(|| member(found, line)) {
        return Ok(Typed { json, note: None });
    }
    // An enumeration does not make text a number; what is no member of it is told by the check.
    let strings = found.iter().any(|one| one.types.has(Types::STRING) && takes_strings(one));
    if strings {
        return Ok(with_string(key, types, text));
    }
    let types = found.iter().fold(types, |all, one| if one.types == Types::ALL { all } else { all | one.types });
    without_string(key, found, types, given, line, depth)
}

/// Whether a string may be among the values: without `enum` always.
fn takes_strings(one: &Alternative<'_>) -> bool {
    one.values
        .as_ref()
        .is_none_or(|values| one.types != Types::ALL || values.iter().any(|value| type_of(value) == Types::STRING))
}

/// Rule 1: the member of an enumeration that the text spells.
fn member(found: &[Alternative<'_>], text: &str) -> Option<String> {
    let allowed = found.iter().flat_map(|one| one.values.iter().flatten().map(move |value| (one, *value)));
    let allowed: Vec<&RawValue> = allowed
        .filter(|(one, value)| one.types.has(type_of(value)) || json::kind(value) == JsonKind::Number)
        .map(|(_, value)| value)
        .collect();
    let string = allowed.iter().find(|value| json::string(value).is_some_and(|member| member == text));
    let other = || allowed.iter().find(|value| json::kind(value) != JsonKind::String && value.get() == text);
    string.or_else(other).map(|value| json::compact(value.get()))
}

/// Rules 2 and 3.
fn with_string(key: &str, types: Types, text: &str) -> Typed {
    let canonical = |kind| parses_as(text, kind) && text == json::compact(text);
    let other = if types.has(Types::NULL) && text == "null" {
        Some("null")
    } else if types.has(Types::BOOLEAN) && matches!(text, "true" | "false") {
        Some("the boolean")
    } else if (types.has(Types::INTEGER) && number::is_canonical_integer(text))
        || (types.has(Types::FRACTION) && number::is_canonical_number(text))
    {
        Some("the number")
    } else if types.has(Types::ARRAY) && canonical(JsonKind::Array) {
        Some("the array")
    } else if types.has(Types::OBJECT) && canonical(JsonKind::Object) {
        Some("the object")
    } else {
        None
    };
    match other {
        None => Typed { json: json::quote(text), note: None },
        Some(kind) => {
            let value = if kind == "null" { String::new() } else { format!(" {}", crate::schema::clip(text, 60)) };
            let forced = crate::schema::clip(&shell_word(&format!("{key}:={}", json::quote(text))), 100);
            let note = format!("argument `{key}` goes out as {kind}{value}; the schema allows a string too: {forced}");
            Typed { json: text.to_owned(), note: Some(note) }
        }
    }
}

/// Rule 4.
fn without_string(
    key: &str,
    found: &[Alternative<'_>],
    types: Types,
    given: &Given,
    text: &str,
    depth: usize,
) -> Result<Typed, ArgumentError> {
    let plain = |json: &str| Ok(Typed { json: json.to_owned(), note: None });
    if types.has(Types::NULL) && matches!(text, "null" | "") {
        return plain("null");
    }
    if types.has(Types::BOOLEAN) && matches!(text, "true" | "false") {
        return plain(text);
    }
    if (types.has(Types::INTEGER) && number::is_integer(text))
        || (types.has(Types::FRACTION) && number::is_number(text))
    {
        return plain(text);
    }
    let opening = text.trim_start().chars().next();
    if types.has(Types::ARRAY) && opening == Some('[') {
        return Ok(Typed { json: parsed(key, given, Some(JsonKind::Array))?, note: None });
    }
    if types.has(Types::OBJECT) && opening == Some('{') {
        return Ok(Typed { json: parsed(key, given, Some(JsonKind::Object))?, note: None });
    }
    let mut refused = None;
    for array in arrays(found).filter(|_| depth > 0) {
        let element = array.element(0).as_ref().map(alternatives).unwrap_or_default();
        match one(key, &element, given, depth - 1) {
            Ok(typed) => return Ok(Typed { json: format!("[{}]", typed.json), note: typed.note }),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.unwrap_or_else(|| mismatch(key, found, given)))
}

fn mismatch(key: &str, found: &[Alternative<'_>], given: &Given) -> ArgumentError {
    let members: Vec<String> = found
        .iter()
        .filter_map(|one| one.values.as_ref())
        .flatten()
        .map(|value| json::string(value).unwrap_or_else(|| json::compact(value.get())))
        .collect();
    let expected = type_name(found, DEEPEST);
    ArgumentError::Type {
        argument: key.to_owned(),
        expected,
        members,
        received: given.value.clone(),
        path: given.path.clone(),
    }
}

fn parses_as(text: &str, kind: JsonKind) -> bool {
    let opening = if kind == JsonKind::Array { '[' } else { '{' };
    text.starts_with(opening) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// JSON text on one line, as it was given.
fn parsed(key: &str, given: &Given, kind: Option<JsonKind>) -> Result<String, ArgumentError> {
    let raw: Result<&RawValue, _> = serde_json::from_str(&given.value);
    let raw = raw.map_err(|error| ArgumentError::NotJson {
        place: match kind {
            Some(kind) => format!("argument `{key}`, {} by the schema,", kind.with_article()),
            None => format!("argument `{key}`"),
        },
        received: given.value.clone(),
        cause: error.to_string(),
        path: given.path.clone(),
    })?;
    Ok(json::compact(raw.get()))
}
