//! A schema read leniently: its members, its local references, and the alternatives that it allows.
//!
//! Nothing here judges a value. It answers which types, members and elements a schema speaks of, so that text can be typed
//! and a table drawn, for any schema that a server may send: recursive, contradictory or of the wrong type.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::Types;
use super::references::resolve;
use crate::wire::json::{self, JsonKind};

/// A subschema within its document.
#[derive(Debug, Clone)]
pub(crate) struct View<'a> {
    root: &'a RawValue,
    node: &'a RawValue,
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> View<'a> {
    /// The whole document.
    pub(crate) fn root(root: &'a RawValue) -> View<'a> {
        View::at(root, root)
    }

    fn at(root: &'a RawValue, node: &'a RawValue) -> View<'a> {
        View { root, node, members: json::borrowed_members(node).unwrap_or_default() }
    }

    /// Another subschema of the same document.
    pub(crate) fn other(&self, node: &'a RawValue) -> View<'a> {
        View::at(self.root, node)
    }

    /// Where its text stands in the document: the same subschema has the same place.
    pub(crate) fn place(&self) -> *const u8 {
        self.node.get().as_ptr()
    }

    /// One keyword; the last of duplicates, as in most readers.
    pub(crate) fn get(&self, keyword: &str) -> Option<&'a RawValue> {
        self.members.iter().rev().find(|(key, _)| key == keyword).map(|(_, value)| *value)
    }

    /// A keyword whose value is a string.
    pub(crate) fn text(&self, keyword: &str) -> Option<String> {
        self.get(keyword).and_then(json::string)
    }

    /// The elements of a keyword whose value is an array.
    pub(crate) fn list(&self, keyword: &str) -> Vec<&'a RawValue> {
        self.get(keyword).and_then(json::borrowed_elements).unwrap_or_default()
    }

    /// The properties in their order.
    pub(crate) fn properties(&self) -> Vec<(Cow<'a, str>, View<'a>)> {
        let properties = self.get("properties").and_then(json::borrowed_members).unwrap_or_default();
        properties.into_iter().map(|(name, node)| (name, self.other(node))).collect()
    }

    /// The names in `required`.
    pub(crate) fn required(&self) -> Vec<String> {
        self.list("required").into_iter().filter_map(json::string).collect()
    }

    /// The types that this node itself allows, not looking into references or combinations.
    fn own_types(&self) -> Types {
        let declared = self.get("type").map(|types| match json::kind(types) {
            JsonKind::Array => json::borrowed_elements(types).unwrap_or_default(),
            _ => vec![types],
        });
        let declared = declared
            .unwrap_or_default()
            .into_iter()
            .filter_map(|name| Types::named(&json::string(name)?))
            .fold(Types::NONE, |all, one| all | one);
        if !declared.is_empty() {
            // OpenAPI 3.0 wrote `nullable` where JSON Schema has a type list; generators still do.
            let nullable = self.get("nullable").and_then(json::boolean).unwrap_or_default();
            return if nullable { declared | Types::NULL } else { declared };
        }
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| self.get(keyword).is_some());
        if has(&["enum", "const"]) {
            Types::ALL
        } else if has(&["properties", "patternProperties", "additionalProperties", "required"]) {
            Types::OBJECT
        } else if has(&["items", "prefixItems"]) {
            Types::ARRAY
        } else {
            Types::ALL
        }
    }

    /// The members of `enum`, or the one of `const`.
    fn own_values(&self) -> Option<Vec<&'a RawValue>> {
        match self.get("const") {
            Some(only) => Some(vec![only]),
            None => self.get("enum").and_then(json::borrowed_elements),
        }
    }
}

/// One way to satisfy a schema, as far as types, fixed values, members and elements go.
#[derive(Debug, Clone)]
pub(crate) struct Alternative<'a> {
    /// The types that it allows.
    pub(crate) types: Types,
    /// The only values that it allows.
    pub(crate) values: Option<Vec<&'a RawValue>>,
    /// The subschemas that hold together: the node, what it refers to, the members of its `allOf`.
    pub(crate) parts: Vec<View<'a>>,
}

impl<'a> Alternative<'a> {
    /// Whether anything goes.
    pub(crate) fn is_any(&self) -> bool {
        self.types == Types::ALL && self.values.is_none()
    }

    /// The schema of the element at `index`.
    pub(crate) fn element(&self, index: usize) -> Option<View<'a>> {
        self.parts.iter().find_map(|part| {
            // Until 2019-09 a list in `items` meant what `prefixItems` means since 2020-12.
            let prefix = if part.get("prefixItems").is_some() { "prefixItems" } else { "items" };
            let first = part.list(prefix).get(index).copied();
            let rest = || part.get("items").filter(|items| json::kind(items) == JsonKind::Object);
            first.or_else(rest).map(|node| part.other(node))
        })
    }

    /// The schema of a declared property.
    pub(crate) fn property(&self, name: &str) -> Option<View<'a>> {
        self.parts.iter().find_map(|part| {
            let node = json::borrowed_member(part.get("properties")?, name)?;
            Some(part.other(node))
        })
    }

    /// Both at once; `None` if no value can satisfy both.
    fn and(&self, other: &Alternative<'a>) -> Option<Alternative<'a>> {
        let types = self.types & other.types;
        let values = match (&self.values, &other.values) {
            (Some(left), Some(right)) => {
                let both = |value: &&&RawValue| right.iter().any(|known| known.get() == value.get());
                Some(left.iter().filter(both).copied().collect())
            }
            (left, right) => left.clone().or_else(|| right.clone()),
        };
        let parts = self.parts.iter().chain(&other.parts).cloned().collect();
        (!types.is_empty()).then_some(Alternative { types, values, parts })
    }
}

/// So many alternatives are told apart.
const MOST_ALTERNATIVES: usize = 64;
/// So many subschemas are looked at to find them.
const MOST_STEPS: usize = 1000;
/// So much text is read to find them; a subschema's text is read again for each level above it.
const MOST_BYTES: usize = 16 << 20;

/// The alternatives that a schema allows, in the order in which it names them: one unless it has `anyOf` or `oneOf`.
/// Never empty: a schema that contradicts itself gives the one alternative that allows anything.
pub(crate) fn alternatives<'a>(view: &View<'a>) -> Vec<Alternative<'a>> {
    let mut search = Search { steps: MOST_STEPS, bytes: MOST_BYTES, open: Vec::new() };
    let found = search.alternatives(view);
    if found.is_empty() {
        return vec![Alternative { types: Types::ALL, values: None, parts: vec![view.clone()] }];
    }
    found
}

/// The schema of a property in the first alternative that declares it.
pub(crate) fn property<'a>(alternatives: &[Alternative<'a>], name: &str) -> Option<View<'a>> {
    alternatives.iter().find_map(|alternative| alternative.property(name))
}

struct Search {
    steps: usize,
    bytes: usize,
    /// The places on the way here: a reference back to one of them adds nothing.
    open: Vec<*const u8>,
}

impl Search {
    fn alternatives<'a>(&mut self, view: &View<'a>) -> Vec<Alternative<'a>> {
        let place = view.place();
        let anything = Alternative { types: Types::ALL, values: None, parts: Vec::new() };
        let size = view.node.get().len();
        if self.steps == 0 || self.bytes < size || self.open.contains(&place) {
            return vec![anything];
        }
        self.steps -= 1;
        self.bytes -= size;
        self.open.push(place);
        let own = Alternative { types: view.own_types(), values: view.own_values(), parts: vec![view.clone()] };
        let mut found = vec![own];
        if let Some(target) = view.text("$ref").and_then(|reference| resolve(view.root, &reference)) {
            let target = self.alternatives(&view.other(target));
            found = all_of(&found, &target);
        }
        for node in view.list("allOf") {
            let member = self.alternatives(&view.other(node));
            found = all_of(&found, &member);
        }
        for keyword in ["anyOf", "oneOf"] {
            let nodes = view.list(keyword);
            if nodes.is_empty() {
                continue;
            }
            let mut any = Vec::new();
            for node in nodes.into_iter().take(MOST_ALTERNATIVES) {
                any.extend(self.alternatives(&view.other(node)));
            }
            found = all_of(&found, &any);
        }
        self.open.pop();
        found
    }
}

fn all_of<'a>(left: &[Alternative<'a>], right: &[Alternative<'a>]) -> Vec<Alternative<'a>> {
    let pairs = left.iter().flat_map(|one| right.iter().map(move |other| one.and(other)));
    pairs.flatten().take(MOST_ALTERNATIVES).collect()
}
