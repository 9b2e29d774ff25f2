//! A schema as rows for a table.

use serde_json::value::RawValue;

use super::{Alternative, Types, View, alternatives};
use crate::wire::json::{self, JsonKind};

/// Rows end here.
const MOST_ROWS: usize = 500;
/// Members below this level are not shown.
const DEEPEST: usize = 8;
/// How far a type name follows arrays of arrays.
const ARRAYS: usize = 4;

/// One member that an object may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its path: `a`, `a.b`, `list[].b`.
    pub path: String,
    /// Its type in words: `integer`, `array of string`, `string or null`, `any`.
    pub type_name: String,
    /// Whether its object must have it.
    pub required: bool,
    /// The JSON text of its default.
    pub default: Option<String>,
    /// What the schema says of it.
    pub description: Option<String>,
    /// The only values that it may have, as they are typed: strings without quotes.
    pub enum_values: Vec<String>,
    /// Limits, as `keyword value`.
    pub constraints: Vec<String>,
    /// How many objects it lies in.
    pub depth: usize,
}

/// The members of an object schema, with theirs behind each. A recursive member is named, and not followed.
pub fn outline(schema: &RawValue) -> Vec<Field> {
    let root = View::root(schema);
    let mut rows = Rows { fields: Vec::new(), open: vec![root.place()], cut: false };
    rows.members(&alternatives(&root), "", 0);
    if rows.cut {
        rows.fields.push(Field {
            path: "…".to_owned(),
            type_name: String::new(),
            required: false,
            default: None,
            description: Some(format!("more than {MOST_ROWS} rows")),
            enum_values: Vec::new(),
            constraints: Vec::new(),
            depth: 0,
        });
    }
    rows.fields
}

struct Rows {
    fields: Vec<Field>,
    /// The places that lie around, to see a recursion.
    open: Vec<*const u8>,
    cut: bool,
}

impl Rows {
    /// The rows of all alternatives that are objects; required is what each of them requires.
    fn members(&mut self, alternatives: &[Alternative<'_>], prefix: &str, depth: usize) {
        let objects: Vec<&Alternative<'_>> =
            alternatives.iter().filter(|one| one.types.has(Types::OBJECT) && !one.is_any()).collect();
        let required: Vec<Vec<String>> =
            objects.iter().map(|object| object.parts.iter().flat_map(View::required).collect()).collect();
        let mut named: Vec<String> = Vec::new();
        for part in objects.iter().flat_map(|object| &object.parts) {
            for (name, view) in part.properties() {
                if named.iter().any(|known| *known == name) {
                    continue;
                }
                if self.fields.len() >= MOST_ROWS {
                    self.cut = true;
                    return;
                }
                let required = required.iter().all(|names| names.iter().any(|known| *known == name));
                let path = if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
                self.member(&view, path, required, depth);
                named.push(name.into_owned());
            }
        }
    }

    fn member(&mut self, view: &View<'_>, path: String, required: bool, depth: usize) {
        let found = alternatives(view);
        let parts = || found.iter().flat_map(|one| &one.parts);
        // Through a reference the same definition is met at the same place again.
        let places: Vec<*const u8> = parts().map(View::place).collect();
        let recursive = places.iter().any(|place| self.open.contains(place));
        let mut type_name = type_name(&found, ARRAYS);
        if recursive {
            type_name.push_str(" (recursive)");
        }
        let described = parts().find_map(|part| part.text("description").or_else(|| part.text("title")));
        self.fields.push(Field {
            path: path.clone(),
            type_name,
            required,
            default: parts().find_map(|part| part.get("default")).map(|value| json::compact(value.get())),
            description: described.filter(|text| !text.is_empty()),
            enum_values: values(&found).into_iter().map(as_typed).collect(),
            constraints: parts().flat_map(constraints).collect(),
            depth,
        });
        if recursive || depth + 1 >= DEEPEST {
            return;
        }
        let around = self.open.len();
        self.open.extend(places);
        self.members(&found, &path, depth + 1);
        self.elements(&found, &path, depth + 1);
        self.open.truncate(around);
    }

    /// The members of objects in arrays.
    fn elements(&mut self, alternatives: &[Alternative<'_>], path: &str, depth: usize) {
        let element = alternatives
            .iter()
            .filter(|one| one.types.has(Types::ARRAY) && !one.is_any())
            .find_map(|one| one.element(0));
        let Some(element) = element else { return };
        let found = super::alternatives(&element);
        let places: Vec<*const u8> = found.iter().flat_map(|one| &one.parts).map(View::place).collect();
        if depth >= DEEPEST || places.iter().any(|place| self.open.contains(place)) {
            return;
        }
        let around = self.open.len();
        self.open.extend(places);
        let path = format!("{path}[]");
        self.members(&found, &path, depth);
        self.elements(&found, &path, depth + 1);
        self.open.truncate(around);
    }
}

/// The fixed values of all alternatives, each once.
pub(super) fn values<'a>(alternatives: &[Alternative<'a>]) -> Vec<&'a RawValue> {
    let mut all: Vec<&RawValue> = Vec::new();
    for value in alternatives.iter().filter_map(|one| one.values.as_ref()).flatten() {
        if !all.iter().any(|known| known.get() == value.get()) {
            all.push(value);
        }
    }
    all
}

/// A value as it is typed after `name=`.
fn as_typed(value: &RawValue) -> String {
    json::string(value).unwrap_or_else(|| json::compact(value.get()))
}

/// The types in words, in the order of the schema.
pub(crate) fn type_name(alternatives: &[Alternative<'_>], arrays: usize) -> String {
    if alternatives.iter().any(Alternative::is_any) {
        return "any".to_owned();
    }
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: String| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for one in alternatives {
        let mut types = one.types;
        if let Some(values) = &one.values {
            types = values.iter().fold(Types::NONE, |all, value| all | (type_of(value) & types));
        }
        // The type that says most comes first: `string or null`.
        let (null, other): (Vec<&str>, Vec<&str>) = types.names().into_iter().partition(|name| *name == "null");
        for name in other.into_iter().chain(null) {
            match one.element(0).filter(|_| name == "array" && arrays > 0) {
                Some(element) => {
                    let element = super::alternatives(&element);
                    match type_name_below(&element, arrays - 1) {
                        Some(element) => add(format!("array of {element}")),
                        None => add("array".to_owned()),
                    }
                }
                None => add(name.to_owned()),
            }
        }
    }
    names.join(" or ")
}

fn type_name_below(alternatives: &[Alternative<'_>], arrays: usize) -> Option<String> {
    let name = type_name(alternatives, arrays);
    match name.as_str() {
        "any" => None,
        _ if name.contains(" or ") => Some(format!("({name})")),
        _ => Some(name),
    }
}

/// The type of a value; a number written without a fraction is an integer here.
pub(crate) fn type_of(value: &RawValue) -> Types {
    match json::kind(value) {
        JsonKind::Null => Types::NULL,
        JsonKind::Bool => Types::BOOLEAN,
        JsonKind::Number if value.get().contains(['.', 'e', 'E']) => Types::NUMBER,
        JsonKind::Number => Types::INTEGER,
        JsonKind::String => Types::STRING,
        JsonKind::Array => Types::ARRAY,
        JsonKind::Object => Types::OBJECT,
    }
}

/// Limits that help to write a value.
fn constraints(view: &View<'_>) -> Vec<String> {
    const KEYWORDS: [&str; 13] = [
        "format",
        "pattern",
        "minimum",
        "exclusiveMinimum",
        "maximum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "uniqueItems",
        "additionalProperties",
    ];
    let shown = KEYWORDS.iter().filter_map(|keyword| {
        let value = view.get(keyword)?;
        match json::kind(value) {
            JsonKind::Number => Some(format!("{keyword} {}", value.get())),
            JsonKind::String => Some(format!("{keyword} {}", json::string(value)?)),
            JsonKind::Bool if *keyword == "uniqueItems" && value.get() == "true" => Some((*keyword).to_owned()),
            JsonKind::Bool if *keyword == "additionalProperties" && value.get() == "false" => {
                Some("no other members".to_owned())
            }
            _ => None,
        }
    });
    shown.collect()
}
