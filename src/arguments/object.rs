//! The object under construction: members in their order, each a text of JSON.

use serde_json::value::RawValue;

use super::ArgumentError;
use crate::wire::json::{self, JsonKind};

/// An object whose members are given one by one.
#[derive(Debug, Default)]
pub(super) struct Object(Vec<(String, Node)>);

#[derive(Debug)]
enum Node {
    /// JSON text; `open` if it came with `--args`, so that pairs may add members to an object in it.
    Text { json: String, open: bool },
    /// An object that pairs fill.
    Object(Object),
}

impl Object {
    /// Reads the text of `--args`.
    pub(super) fn from_args(text: &str) -> Result<Object, ArgumentError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return Err(ArgumentError::ArgsEmpty);
        }
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| ArgumentError::NotJson {
            place: "--args".to_owned(),
            received: text.to_owned(),
            cause: error.to_string(),
            path: None,
        })?;
        let Some(members) = json::members(raw) else {
            let kind = json::kind(raw).with_article();
            return Err(ArgumentError::ArgsNotObject { kind, received: text.to_owned() });
        };
        let mut object = Object::default();
        for (name, value) in members {
            if object.0.iter().any(|(known, _)| *known == name) {
                return Err(ArgumentError::Twice { argument: name, array: false });
            }
            object.0.push((name, Node::Text { json: json::compact(value.get()), open: true }));
        }
        Ok(object)
    }

    /// The members with their types.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, JsonKind)> {
        self.0.iter().map(|(name, node)| {
            let kind = match node {
                Node::Text { json, .. } => kind(json),
                Node::Object(_) => JsonKind::Object,
            };
            (name.as_str(), kind)
        })
    }

    /// Sets a member, through the objects that the path names. `key` is what the user called it.
    pub(super) fn set(&mut self, key: &str, path: &[String], json: String) -> Result<(), ArgumentError> {
        let twice = || ArgumentError::Twice { argument: key.to_owned(), array: false };
        let Some((name, below)) = path.split_first() else { return Err(twice()) };
        let known = self.0.iter_mut().find(|(known, _)| known == name).map(|(_, node)| node);
        match (known, below) {
            (Some(_), []) => Err(twice()),
            (None, []) => {
                self.0.push((name.clone(), Node::Text { json, open: false }));
                Ok(())
            }
            (None, below) => {
                let mut object = Object::default();
                object.set(key, below, json)?;
                self.0.push((name.clone(), Node::Object(object)));
                Ok(())
            }
            (Some(Node::Object(object)), below) => object.set(key, below, json),
            (Some(node), below) => {
                let mut object = node.opened().ok_or_else(twice)?;
                object.set(key, below, json)?;
                *node = Node::Object(object);
                Ok(())
            }
        }
    }

    /// The JSON text.
    pub(super) fn text(&self) -> String {
        let mut text = String::from("{");
        self.write(&mut text);
        text
    }

    /// Writes the members and the closing brace; as deep as the names have dots.
    fn write(&self, text: &mut String) {
        for (index, (name, node)) in self.0.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&json::quote(name));
            text.push(':');
            match node {
                Node::Text { json, .. } => text.push_str(json),
                Node::Object(object) => {
                    text.push('{');
                    object.write(text);
                }
            }
        }
        text.push('}');
    }
}

impl Node {
    /// The members of an object from `--args`.
    fn opened(&self) -> Option<Object> {
        let Node::Text { json, open: true } = self else { return None };
        if kind(json) != JsonKind::Object {
            return None;
        }
        let mut object = Object::default();
        json::each_member(json, |name, value| {
            object.0.push((name.into_owned(), Node::Text { json: value.get().to_owned(), open: true }));
        })
        .ok()?;
        Some(object)
    }
}

/// The type of compact JSON text.
fn kind(json: &str) -> JsonKind {
    match json.as_bytes().first() {
        Some(b'{') => JsonKind::Object,
        Some(b'[') => JsonKind::Array,
        Some(b'"') => JsonKind::String,
        Some(b't' | b'f') => JsonKind::Bool,
        Some(b'n') => JsonKind::Null,
        _ => JsonKind::Number,
    }
}
