//! Words for an example call, to copy into a shell.

use serde_json::value::RawValue;

use super::outline::{type_of, values};
use super::{Types, View, alternatives};
use crate::wire::json::{self, JsonKind};

/// How deep an example value goes into required members.
const DEEPEST: usize = 6;

/// The argument words of a call that a schema asks for: a name, and the word for the shell (`a=1`, `tags:='["x"]'`).
///
/// The required arguments in the order of the schema; if there is none, the first optional one. What no pair can express,
/// because the name is empty or holds `=`, `@`, stands in one last word with `--args` as its name.
pub fn example(schema: &RawValue) -> Vec<(String, String)> {
    let root = View::root(schema);
    let found = alternatives(&root);
    let Some(object) = found.iter().find(|one| one.types.has(Types::OBJECT)) else { return Vec::new() };
    let required: Vec<String> = object.parts.iter().flat_map(View::required).collect();
    let mut members: Vec<(String, View<'_>)> = Vec::new();
    for (name, view) in object.parts.iter().flat_map(View::properties) {
        if !members.iter().any(|(known, _)| *known == name) {
            members.push((name.into_owned(), view));
        }
    }
    let first = members.first().map(|(name, _)| name.clone());
    let any_required = members.iter().any(|(name, _)| required.contains(name));
    members.retain(|(name, _)| if any_required { required.contains(name) } else { Some(name) == first.as_ref() });
    let (mut words, mut rest) = (Vec::new(), Vec::new());
    for (name, view) in members {
        let value = sample(&view, DEEPEST);
        if name.is_empty() || name.contains(['=', '@']) {
            rest.push(format!("{}:{value}", json::quote(&name)));
            continue;
        }
        let word = pair(&name, &value, &view);
        words.push((name, word));
    }
    if !rest.is_empty() {
        words.push(("--args".to_owned(), format!("--args={}", quoted(&format!("{{{}}}", rest.join(","))))));
    }
    words
}

/// `name=text` where text can only become this value, else `name:=json`.
fn pair(name: &str, value: &str, view: &View<'_>) -> String {
    let found = alternatives(view);
    let types = found.iter().fold(Types::NONE, |all, one| all | one.types);
    let string = RawValue::from_string(value.to_owned()).ok().and_then(|raw| json::string(&raw));
    let scalar = match &string {
        Some(text) if types == Types::STRING || found.iter().any(|one| one.is_any()) => Some(text.as_str()),
        None if types == Types::BOOLEAN || types == Types::INTEGER || types == Types::NUMBER => Some(value),
        _ => None,
    };
    let (separator, text) = match scalar {
        Some(text) => ("=", text),
        None => (":=", value),
    };
    let pair = match is_plain(name) {
        // A quoted value alone reads better than a quoted pair.
        true => format!("{name}{separator}{}", if text.is_empty() { String::new() } else { shell_word(text) }),
        false => shell_word(&format!("{name}{separator}{text}")),
    };
    if name.starts_with('-') { format!("--arg={pair}") } else { pair }
}

/// The JSON text of a value that the schema likely takes.
fn sample(view: &View<'_>, depth: usize) -> String {
    let found = alternatives(view);
    let Some(one) = found.iter().find(|one| one.types != Types::NULL).or(found.first()) else {
        return "null".to_owned();
    };
    let parts = || found.iter().flat_map(|one| &one.parts);
    let fits = |value: &&RawValue| {
        json::kind(value) != JsonKind::Null && found.iter().any(|one| one.types.has(type_of(value)))
    };
    let given = parts().find_map(|part| part.get("default").into_iter().chain(part.list("examples")).find(fits));
    if let Some(value) = given.or_else(|| values(&found).into_iter().find(fits)) {
        return json::compact(value.get());
    }
    match one.types.names().into_iter().rfind(|name| *name != "null") {
        Some("boolean") => "true".to_owned(),
        Some("integer" | "number") => {
            one.parts.iter().find_map(|part| part.get("minimum")).map_or("1", RawValue::get).to_owned()
        }
        Some("array") => match one.element(0).filter(|_| depth > 0) {
            Some(element) => format!("[{}]", sample(&element, depth - 1)),
            None => "[]".to_owned(),
        },
        Some("object") => object(one, depth),
        Some("string") => json::quote(&text(&one.parts)),
        _ => "null".to_owned(),
    }
}

fn object(one: &super::Alternative<'_>, depth: usize) -> String {
    let mut members = Vec::new();
    for name in one.parts.iter().flat_map(View::required) {
        let value = match one.property(&name).filter(|_| depth > 0) {
            Some(view) => sample(&view, depth - 1),
            None => "null".to_owned(),
        };
        members.push(format!("{}:{value}", json::quote(&name)));
    }
    format!("{{{}}}", members.join(","))
}

/// A text of the wanted format and length.
fn text(parts: &[View<'_>]) -> String {
    let format = parts.iter().find_map(|part| part.text("format"));
    let mut text = match format.as_deref() {
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "12:00:00Z",
        Some("email") => "user@example.com",
        Some("uri" | "url") => "https://example.com/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        Some("ipv4") => "192.0.2.1",
        Some("hostname") => "example.com",
        _ => "text",
    }
    .to_owned();
    let number = |keyword| parts.iter().find_map(|part| part.get(keyword)?.get().parse::<usize>().ok());
    if let Some(least) = number("minLength").filter(|least| *least <= 200) {
        while text.len() < least {
            text.push('x');
        }
    }
    if let Some(most) = number("maxLength").filter(|_| format.is_none()) {
        text.truncate(most);
    }
    text
}

fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,+%=@".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text as one word of a POSIX shell, quoted only where it has to be.
pub fn shell_word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}
