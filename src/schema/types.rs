//! The set of JSON types that a schema allows.

use std::ops::{BitAnd, BitOr};

/// A set of JSON Schema types. A number is an integer or a fraction, so `number` is both bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Types = Types(0);
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(1 << 1);
    pub(crate) const INTEGER: Types = Types(1 << 2);
    pub(crate) const FRACTION: Types = Types(1 << 3);
    pub(crate) const NUMBER: Types = Types(1 << 2 | 1 << 3);
    pub(crate) const STRING: Types = Types(1 << 4);
    pub(crate) const ARRAY: Types = Types(1 << 5);
    pub(crate) const OBJECT: Types = Types(1 << 6);
    pub(crate) const ALL: Types = Types((1 << 7) - 1);

    /// The type of that name, if JSON Schema has it.
    pub(crate) fn named(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    }

    /// Whether all of `other` is in it.
    pub(crate) fn has(self, other: Types) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing is in it.
    pub(crate) fn is_empty(self) -> bool {
        self == Types::NONE
    }

    /// The names in the fixed order null, boolean, integer, number, array, object, string.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for (types, name) in [(Types::NULL, "null"), (Types::BOOLEAN, "boolean")] {
            if self.has(types) {
                names.push(name);
            }
        }
        if self.has(Types::FRACTION) {
            names.push("number");
        } else if self.has(Types::INTEGER) {
            names.push("integer");
        }
        for (types, name) in [(Types::ARRAY, "array"), (Types::OBJECT, "object"), (Types::STRING, "string")] {
            if self.has(types) {
                names.push(name);
            }
        }
        names
    }
}

impl BitOr for Types {
    type Output = Types;
    fn bitor(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }
}

impl BitAnd for Types {
    type Output = Types;
    fn bitand(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }
}
