//! The form that an elicitation asks to be filled in: its fields, with everything that a prompt needs.
//!
//! "Form mode elicitation schemas are limited to flat objects with primitive properties only" (2025-11-25
//! client/elicitation §Requested Schema); what a server sends beyond that is still shown, as [`FieldKind::Other`].

use serde_json::value::RawValue;

use super::{Alternative, SchemaDefect, Types, View, alternatives, outline};
use crate::wire::RawJson;
use crate::wire::json::{self, JsonKind};

/// One field of a form.
#[derive(Debug, Clone)]
pub struct FormField {
    /// The member's name in the answer.
    pub name: String,
    /// What to call it.
    pub title: Option<String>,
    /// What the server says of it.
    pub description: Option<String>,
    /// What may be entered.
    pub kind: FieldKind,
    /// Whether the answer must have it.
    pub required: bool,
    /// What it is when nothing is entered (SEP-1034, since 2025-11-25; earlier versions had it for booleans).
    pub default: Option<RawJson>,
}

/// What may be entered into a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text {
        /// `email`, `uri`, `date`, `date-time`, or another.
        format: Option<String>,
    },
    /// An integer.
    Integer,
    /// Any number.
    Number,
    /// Yes or no.
    Boolean,
    /// One of several values.
    Choice(Vec<Choice>),
    /// Some of several values (an array of enum, since 2025-11-25).
    Choices(Vec<Choice>),
    /// Something that a form may not ask for; the type in words. It is entered as JSON.
    Other(String),
}

/// One value that may be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its JSON text.
    pub value: String,
    /// What to show for it.
    pub title: String,
}

/// The fields of a form in its order.
///
/// # Errors
/// The schema is not an object with `properties`.
pub fn form(schema: &RawValue) -> Result<Vec<FormField>, SchemaDefect> {
    if json::kind(schema) != JsonKind::Object {
        return Err(SchemaDefect::new("", format!("is {} instead of an object", json::kind(schema).with_article())));
    }
    let root = View::root(schema);
    match root.get("properties").map(json::kind) {
        Some(JsonKind::Object) => {}
        Some(kind) => {
            return Err(SchemaDefect::new("/properties", format!("is {} instead of an object", kind.with_article())));
        }
        None => return Err(SchemaDefect::new("", "has no `properties`")),
    }
    let required = root.required();
    let fields = root.properties().into_iter().map(|(name, view)| FormField {
        required: required.iter().any(|known| *known == name),
        name: name.into_owned(),
        title: view.text("title"),
        description: view.text("description"),
        kind: kind(&view),
        default: view.get("default").map(ToOwned::to_owned),
    });
    Ok(fields.collect())
}

fn kind(view: &View<'_>) -> FieldKind {
    if let Some(choices) = choices(view) {
        return FieldKind::Choice(choices);
    }
    let found = alternatives(view);
    let types = found.iter().fold(Types::NONE, |all, one: &Alternative<'_>| all | one.types);
    if types == Types::STRING {
        FieldKind::Text { format: view.text("format") }
    } else if types == Types::INTEGER {
        FieldKind::Integer
    } else if types == Types::NUMBER {
        FieldKind::Number
    } else if types == Types::BOOLEAN {
        FieldKind::Boolean
    } else if types == Types::ARRAY
        && let Some(choices) = found.iter().find_map(|one| one.element(0)).as_ref().and_then(choices)
    {
        FieldKind::Choices(choices)
    } else {
        FieldKind::Other(outline::type_name(&found, 2))
    }
}

/// The choices of an enumeration in any of its spellings: `oneOf` or `anyOf` of `const` with `title` (since 2025-11-25), `enum`,
/// and `enum` with the older `enumNames`.
fn choices(view: &View<'_>) -> Option<Vec<Choice>> {
    for keyword in ["oneOf", "anyOf"] {
        let mut choices = Vec::new();
        let list = view.list(keyword);
        for node in &list {
            let member = view.other(node);
            let Some(value) = member.get("const") else { break };
            let title = member.text("title").unwrap_or_else(|| shown(value));
            choices.push(Choice { value: json::compact(value.get()), title });
        }
        if !list.is_empty() && choices.len() == list.len() {
            return Some(choices);
        }
    }
    let values = view.get("enum").and_then(json::borrowed_elements)?;
    let names = view.list("enumNames");
    let titled = values.into_iter().enumerate().map(|(index, value)| Choice {
        value: json::compact(value.get()),
        title: names.get(index).and_then(|name| json::string(name)).unwrap_or_else(|| shown(value)),
    });
    Some(titled.collect())
}

fn shown(value: &RawValue) -> String {
    json::string(value).unwrap_or_else(|| json::compact(value.get()))
}
