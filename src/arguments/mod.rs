//! Arguments: from the text on a command line to the JSON text of an object, by the tool's schema.
//!
//! # The grammar
//!
//! A pair is a name, a separator and a value. The first separator in the text decides, and what follows it is never
//! interpreted: `who=@ada` is the text `@ada`, `q=a=b` is the text `a=b`.
//!
//! | pair | value |
//! | --- | --- |
//! | `k=text` | the text, typed by the schema |
//! | `k:=json` | JSON, sent as it stands whatever the schema says |
//! | `k@path` | the text of a file, typed like `k=text` |
//! | `k:@path` | the JSON of a file, sent as it stands |
//!
//! A name that holds `=`, `:=` or `@` itself can be given by `--args` only. Names are never changed.
//!
//! # Typing
//!
//! Without a schema, for a property that the schema does not know and for one without a type, text is a string. Else:
//!
//! 1. `enum` and `const`: text that equals a string member, or the JSON text of another member, is that member.
//! 2. A schema that allows strings and nothing else takes any text, byte for byte: `007`, `true`, `null` and the empty text too.
//! 3. A schema that allows strings *and* something else (`type` lists, `anyOf`, `oneOf`, `nullable`): text that is the one
//!    canonical spelling of a value that the schema allows is that value, tried in the order null, boolean, integer, number,
//!    array, object: `null`, `true`, `5`, `-1.5`, `["a"]`, `{"a":1}`. Everything else is the string: `007`, `1.10`, `1e5`, `+5`, the
//!    empty text. A note says so; `k:='"5"'` forces the string.
//! 4. A schema that allows no string, in the same order:
//!    - null: `null`, or the empty text;
//!    - boolean: `true` or `false`;
//!    - integer: a JSON number without a fraction (`5`, `-1`, `5.0`, `1e3`), as it was typed, however long;
//!    - number: a JSON number, as it was typed;
//!    - array: JSON text if it starts with `[`, else one element, typed by `items`;
//!    - object: JSON text.
//!
//!    What does not fit is an error; nothing is rounded or guessed. `k:=5.5` with `--no-check` sends it all the same.
//! 5. The same name again appends to an array, where each pair is one element (for `k:=json` too). For anything else it is an error.
//! 6. `a.b=1` sets `b` in the object `a`, if the schema has no property called `a.b`, and has a property `a` that may be an object.
//!
//! `--args` gives a JSON object; pairs add members to it, also to objects in it by rule 6. A member that is given twice is an error.
//! Members keep the order in which they were given, numbers every digit. Only whitespace between JSON tokens is dropped.
//! `$ref` is followed inside the schema. Required and unknown members are not judged here, but by [`crate::schema::check`].

mod error;
mod number;
mod object;
mod pairs;
mod typed;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use serde_json::value::RawValue;

use crate::schema::{Alternative, Types, View, alternatives, property};
use crate::wire::json::{self, JsonKind};

pub use error::ArgumentError;
use object::Object;
use pairs::Given;
pub use pairs::{Form, Pair, parse_pair, read_args};

/// The arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The JSON text of an object, on one line.
    pub json: String,
    /// Choices that the user may want to know of: text that could have been a string too.
    pub notes: Vec<String>,
}

/// Builds the arguments of a tool from pairs and the text of `--args`. Files that pairs name are read.
///
/// # Errors
/// Something is not JSON, cannot be typed, is given twice, or a file cannot be read.
pub fn build(pairs: &[Pair], args: Option<&str>, schema: Option<&RawValue>) -> Result<Built, ArgumentError> {
    let mut object = start(args)?;
    let root = schema.map(View::root);
    let root = root.as_ref().map(alternatives).unwrap_or_default();
    let mut notes = Vec::new();
    for group in grouped(pairs)? {
        let key = &group[0].key;
        let (path, view) = locate(key, &root);
        let typed = typed::value(key, view.as_ref(), &group)?;
        notes.extend(typed.note);
        object.set(key, &path, typed.json)?;
    }
    Ok(Built { json: object.text(), notes })
}

/// Builds the arguments of a prompt: every value is a string (`arguments?: { [key: string]: string }` in `GetPromptRequest`
/// of all versions), so `k=5` is the text `5`.
///
/// # Errors
/// As [`build`]; and a typed form (`:=`, `:@`), or a value in `--args` that is not a string.
pub fn build_prompt(pairs: &[Pair], args: Option<&str>) -> Result<String, ArgumentError> {
    let mut object = start(args)?;
    if let Some((name, kind)) = object.members().find(|(_, kind)| *kind != JsonKind::String) {
        return Err(ArgumentError::PromptNotString { argument: name.to_owned(), kind: kind.with_article() });
    }
    if let Some(pair) = pairs.iter().find(|pair| matches!(pair.form, Form::Json | Form::FileJson)) {
        return Err(ArgumentError::PromptTyped { argument: pair.key.clone(), separator: pair.form.separator() });
    }
    for group in grouped(pairs)? {
        let key = &group[0].key;
        if group.len() > 1 {
            return Err(ArgumentError::Twice { argument: key.clone(), array: false });
        }
        object.set(key, std::slice::from_ref(key), json::quote(&group[0].value))?;
    }
    Ok(object.text())
}

/// The members that `--args` gives.
fn start(args: Option<&str>) -> Result<Object, ArgumentError> {
    args.map_or_else(|| Ok(Object::default()), Object::from_args)
}

/// Pairs of one name together, in the order of their first, with their files read.
fn grouped(pairs: &[Pair]) -> Result<Vec<Vec<Given>>, ArgumentError> {
    let mut groups: Vec<Vec<Given>> = Vec::new();
    for pair in pairs {
        let given = pairs::given(pair)?;
        match groups.iter_mut().find(|group| group[0].key == given.key) {
            Some(group) => group.push(given),
            None => groups.push(vec![given]),
        }
    }
    Ok(groups)
}

/// Where a name belongs in the object (rule 6), and the schema of the value there.
fn locate<'a>(key: &str, object: &[Alternative<'a>]) -> (Vec<String>, Option<View<'a>>) {
    if let Some(view) = property(object, key) {
        return (vec![key.to_owned()], Some(view));
    }
    for (dot, _) in key.match_indices('.') {
        let (head, rest) = (&key[..dot], &key[dot + 1..]);
        let Some(view) = property(object, head).filter(|_| !head.is_empty() && !rest.is_empty()) else { continue };
        let below = alternatives(&view);
        if below.iter().any(|one| one.types.has(Types::OBJECT) && !one.is_any()) {
            let (rest, view) = locate(rest, &below);
            return (std::iter::once(head.to_owned()).chain(rest).collect(), view);
        }
    }
    let further = object.iter().flat_map(|one| &one.parts).find_map(|part| {
        let further = part.get("additionalProperties").filter(|node| json::kind(node) == JsonKind::Object)?;
        Some(part.other(further))
    });
    (vec![key.to_owned()], further)
}
