//! Tolerant views of MCP's shapes: each field is read from the kept raw JSON by itself, so no fault loses the whole.
//!
//! Absent, null and wrongly typed fields are `None`; the raw value stays at hand for whoever has to name the deviation.

mod content;

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::RawJson;
use super::json::{self, JsonKind};

pub use content::{CallResult, ContentBlock, ContentField, PromptMessage, ResourceContents};

/// The members of an object, read once. Of another type: no members. The last of duplicates counts.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    fn of(raw: &'a RawValue) -> Fields<'a> {
        Fields(json::borrowed_members(raw).unwrap_or_default())
    }

    /// The member, null included.
    fn present(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// The member, unless it is null.
    fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.present(key).filter(|value| !json::is_null(value))
    }

    fn raw(&self, key: &str) -> Option<RawJson> {
        self.get(key).map(ToOwned::to_owned)
    }

    fn string(&self, key: &str) -> Option<String> {
        self.get(key).and_then(json::string)
    }

    fn boolean(&self, key: &str) -> Option<bool> {
        self.get(key).and_then(json::boolean)
    }

    /// The text of a number, exactly.
    fn number(&self, key: &str) -> Option<String> {
        self.get(key).filter(|value| json::kind(value) == JsonKind::Number).map(|value| value.get().to_owned())
    }
}

/// `serverInfo` or `clientInfo`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Implementation {
    /// `name`
    pub name: Option<String>,
    /// `version`
    pub version: Option<String>,
    /// `title`, since 2025-06-18.
    pub title: Option<String>,
}

impl Implementation {
    /// Reads an `Implementation`.
    pub fn read(raw: &RawValue) -> Implementation {
        let fields = Fields::of(raw);
        Implementation { name: fields.string("name"), version: fields.string("version"), title: fields.string("title") }
    }
}

/// The annotations of a tool: hints, untrusted (all versions since 2025-03-26, server/tools, Tool).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// `title`
    pub title: Option<String>,
    /// `readOnlyHint`
    pub read_only: Option<bool>,
    /// `destructiveHint`
    pub destructive: Option<bool>,
    /// `idempotentHint`
    pub idempotent: Option<bool>,
    /// `openWorldHint`
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Reads a `ToolAnnotations`.
    pub fn read(raw: &RawValue) -> ToolAnnotations {
        let fields = Fields::of(raw);
        ToolAnnotations {
            title: fields.string("title"),
            read_only: fields.boolean("readOnlyHint"),
            destructive: fields.boolean("destructiveHint"),
            idempotent: fields.boolean("idempotentHint"),
            open_world: fields.boolean("openWorldHint"),
        }
    }
}

/// A tool of `tools/list`.
#[derive(Debug, Clone)]
pub struct ToolView {
    /// `name`; `None` is a deviation.
    pub name: Option<String>,
    /// `title`, since 2025-06-18.
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `inputSchema` of any type; only an object is a usable one.
    pub input_schema: Option<RawJson>,
    /// `outputSchema` of any type, since 2025-06-18.
    pub output_schema: Option<RawJson>,
    /// `annotations`, since 2025-03-26.
    pub annotations: ToolAnnotations,
    /// The entry itself.
    pub raw: RawJson,
}

impl ToolView {
    /// Reads a `Tool`.
    pub fn read(raw: &RawValue) -> ToolView {
        let fields = Fields::of(raw);
        ToolView {
            name: fields.string("name"),
            title: fields.string("title"),
            description: fields.string("description"),
            input_schema: fields.raw("inputSchema"),
            output_schema: fields.raw("outputSchema"),
            annotations: fields.get("annotations").map(ToolAnnotations::read).unwrap_or_default(),
            raw: raw.to_owned(),
        }
    }

    /// What to show as its heading: `title`, else the annotations' title (2025-06-18 and later, basic, display names).
    pub fn display_title(&self) -> Option<&str> {
        self.title.as_deref().or(self.annotations.title.as_deref())
    }
}

/// A resource of `resources/list`.
#[derive(Debug, Clone)]
pub struct ResourceView {
    /// `uri`; `None` is a deviation.
    pub uri: Option<String>,
    /// `name`; `None` is a deviation.
    pub name: Option<String>,
    /// `title`, since 2025-06-18.
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `mimeType`
    pub mime_type: Option<String>,
    /// The number text of `size`, in bytes.
    pub size: Option<String>,
    /// The entry itself.
    pub raw: RawJson,
}

impl ResourceView {
    /// Reads a `Resource`.
    pub fn read(raw: &RawValue) -> ResourceView {
        let fields = Fields::of(raw);
        ResourceView {
            uri: fields.string("uri"),
            name: fields.string("name"),
            title: fields.string("title"),
            description: fields.string("description"),
            mime_type: fields.string("mimeType"),
            size: fields.number("size"),
            raw: raw.to_owned(),
        }
    }
}

/// A template of `resources/templates/list`.
#[derive(Debug, Clone)]
pub struct TemplateView {
    /// `uriTemplate`; `None` is a deviation.
    pub uri_template: Option<String>,
    /// `name`; `None` is a deviation.
    pub name: Option<String>,
    /// `title`, since 2025-06-18.
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `mimeType`
    pub mime_type: Option<String>,
    /// The entry itself.
    pub raw: RawJson,
}

impl TemplateView {
    /// Reads a `ResourceTemplate`.
    pub fn read(raw: &RawValue) -> TemplateView {
        let fields = Fields::of(raw);
        TemplateView {
            uri_template: fields.string("uriTemplate"),
            name: fields.string("name"),
            title: fields.string("title"),
            description: fields.string("description"),
            mime_type: fields.string("mimeType"),
            raw: raw.to_owned(),
        }
    }
}

/// An argument of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptArgument {
    /// `name`; `None` is a deviation.
    pub name: Option<String>,
    /// `title`, since 2025-06-18.
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `required`; absent means no.
    pub required: Option<bool>,
}

impl PromptArgument {
    /// Reads a `PromptArgument`.
    pub fn read(raw: &RawValue) -> PromptArgument {
        let fields = Fields::of(raw);
        PromptArgument {
            name: fields.string("name"),
            title: fields.string("title"),
            description: fields.string("description"),
            required: fields.boolean("required"),
        }
    }
}

/// A prompt of `prompts/list`.
#[derive(Debug, Clone)]
pub struct PromptView {
    /// `name`; `None` is a deviation.
    pub name: Option<String>,
    /// `title`, since 2025-06-18.
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `arguments`; empty if absent or not an array.
    pub arguments: Vec<PromptArgument>,
    /// The entry itself.
    pub raw: RawJson,
}

impl PromptView {
    /// Reads a `Prompt`.
    pub fn read(raw: &RawValue) -> PromptView {
        let fields = Fields::of(raw);
        let arguments = fields.get("arguments").and_then(json::borrowed_elements).unwrap_or_default();
        PromptView {
            name: fields.string("name"),
            title: fields.string("title"),
            description: fields.string("description"),
            arguments: arguments.into_iter().map(PromptArgument::read).collect(),
            raw: raw.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
