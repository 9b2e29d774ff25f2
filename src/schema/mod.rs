//! JSON Schema as a client needs it: checking a value, a readable outline, what is broken, an example, a form. Offline.
//!
//! The schemas come from servers, so everything is bounded: size, depth, time, stack, regular expressions, rows. References
//! are followed inside the document only: "Implementations MUST NOT automatically dereference `$ref` or `$dynamicRef`
//! URIs that resolve to network resources" (2026-07-28 basic §JSON Schema Usage). A schema without `$schema` is read as
//! 2020-12 (2025-11-25 and 2026-07-28 basic §JSON Schema Usage).

mod check;
mod defects;
mod example;
mod findings;
mod form;
mod mirrored;
mod outline;
mod references;
mod types;
mod view;
mod weight;

#[cfg(test)]
mod tests;

use std::fmt;

pub use check::check;
pub use defects::{defects, unusable, visible};
pub use example::{example, shell_word};
pub use form::{Choice, FieldKind, FormField, form};
pub use mirrored::{Mirrored, mirror_values, mirrored};
pub use outline::{Field, outline};
pub(crate) use outline::{type_name, type_of};
pub(crate) use types::Types;
pub(crate) use view::{Alternative, View, alternatives, property};

/// One place where a value does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The JSON Pointer of the place in the value; empty for the value itself.
    pub pointer: String,
    /// The keyword that is not satisfied.
    pub keyword: String,
    /// The JSON Pointer of that keyword in the schema.
    pub schema_pointer: String,
    /// A sentence without a final stop; names and values in it may be the server's.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "{pointer}: {}", self.message),
        }
    }
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}{message}", .pointer, if .pointer.is_empty() { "" } else { ": " })]
pub struct SchemaDefect {
    /// A phrase without a final stop.
    pub message: String,
    /// The JSON Pointer of the place in the schema; empty for the schema itself.
    pub pointer: String,
}

impl SchemaDefect {
    fn new(pointer: impl Into<String>, message: impl Into<String>) -> SchemaDefect {
        SchemaDefect { message: message.into(), pointer: pointer.into() }
    }
}

/// Text for a sentence: cut after `limit` characters, so that one value cannot fill the screen.
pub(crate) fn clip(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
