//! What results hold: content blocks, resource contents, the result of `tools/call`.

use serde_json::value::RawValue;

use super::Fields;
use crate::wire::RawJson;
use crate::wire::json::{self, JsonKind};

/// The contents of a resource, of `resources/read` or embedded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceContents {
    /// `uri`; `None` is a deviation.
    pub uri: Option<String>,
    /// `mimeType`
    pub mime_type: Option<String>,
    /// `text`; by the schema there is either this or `blob`.
    pub text: Option<String>,
    /// `blob`: base64, not decoded.
    pub blob: Option<String>,
}

impl ResourceContents {
    /// Reads a `TextResourceContents` or `BlobResourceContents`.
    pub fn read(raw: &RawValue) -> ResourceContents {
        let fields = Fields::of(raw);
        ResourceContents {
            uri: fields.string("uri"),
            mime_type: fields.string("mimeType"),
            text: fields.string("text"),
            blob: fields.string("blob"),
        }
    }
}

/// A content block of a tool result or prompt message.
#[derive(Debug, Clone)]
pub enum ContentBlock {
    /// `text`
    Text {
        /// `text`
        text: String,
    },
    /// `image`
    Image {
        /// Base64, not decoded.
        data: String,
        /// `mimeType`; `None` is a deviation.
        mime: Option<String>,
    },
    /// `audio`, since 2025-03-26.
    Audio {
        /// Base64, not decoded.
        data: String,
        /// `mimeType`; `None` is a deviation.
        mime: Option<String>,
    },
    /// `resource_link`, since 2025-06-18.
    ResourceLink {
        /// `uri`
        uri: String,
        /// `name`; `None` is a deviation.
        name: Option<String>,
        /// `title`
        title: Option<String>,
        /// `description`
        description: Option<String>,
        /// `mimeType`
        mime: Option<String>,
        /// The number text of `size`, in bytes.
        size: Option<String>,
    },
    /// `resource`: an embedded one.
    Resource {
        /// `resource`
        contents: ResourceContents,
    },
    /// Another type, none at all, or a known type that lacks what makes it one (text, data, uri, resource).
    Unknown {
        /// `type`, if it is a string.
        kind: Option<String>,
        /// The block itself, of any JSON type.
        raw: RawJson,
    },
}

/// The block types that some released version defines.
const KNOWN_TYPES: [&str; 5] = ["text", "image", "audio", "resource_link", "resource"];

impl ContentBlock {
    /// Reads a `ContentBlock`.
    pub fn read(raw: &RawValue) -> ContentBlock {
        let fields = Fields::of(raw);
        let kind = fields.string("type");
        let mime = || fields.string("mimeType");
        let block = match kind.as_deref() {
            Some("text") => fields.string("text").map(|text| ContentBlock::Text { text }),
            Some("image") => fields.string("data").map(|data| ContentBlock::Image { data, mime: mime() }),
            Some("audio") => fields.string("data").map(|data| ContentBlock::Audio { data, mime: mime() }),
            Some("resource_link") => fields.string("uri").map(|uri| ContentBlock::ResourceLink {
                uri,
                name: fields.string("name"),
                title: fields.string("title"),
                description: fields.string("description"),
                mime: mime(),
                size: fields.number("size"),
            }),
            Some("resource") => fields
                .get("resource")
                .filter(|resource| json::kind(resource) == JsonKind::Object)
                .map(|resource| ContentBlock::Resource { contents: ResourceContents::read(resource) }),
            _ => None,
        };
        block.unwrap_or_else(|| ContentBlock::Unknown { kind, raw: raw.to_owned() })
    }

    /// Whether the block is of a known type and lacks what makes it one.
    pub fn is_incomplete(&self) -> bool {
        matches!(self, ContentBlock::Unknown { kind: Some(kind), .. } if KNOWN_TYPES.contains(&kind.as_str()))
    }

    /// For an unknown block: what is wrong with it, as the end of a sentence about it.
    pub fn deviation(&self) -> Option<String> {
        let ContentBlock::Unknown { kind, raw } = self else {
            return None;
        };
        Some(match kind {
            None if json::kind(raw) != JsonKind::Object => format!("is {}", json::kind(raw).with_article()),
            None => "has no type".to_owned(),
            Some(kind) if KNOWN_TYPES.contains(&kind.as_str()) => {
                format!("has the type {kind:?}, but not what such a block must have")
            }
            Some(kind) => format!("has the unknown type {kind:?}, which no protocol version defines"),
        })
    }
}

/// A message of `prompts/get`.
#[derive(Debug, Clone)]
pub struct PromptMessage {
    /// `role`; `None` is a deviation.
    pub role: Option<String>,
    /// `content`: one block; [`ContentBlock::Unknown`] also if it is missing, then of the message itself.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// Reads a `PromptMessage`.
    pub fn read(raw: &RawValue) -> PromptMessage {
        let fields = Fields::of(raw);
        let content = match fields.get("content") {
            Some(content) => ContentBlock::read(content),
            None => ContentBlock::Unknown { kind: None, raw: raw.to_owned() },
        };
        PromptMessage { role: fields.string("role"), content }
    }
}

/// The `content` of a tool result.
#[derive(Debug, Clone)]
pub enum ContentField {
    /// Absent or null.
    Missing,
    /// An array, as it has to be.
    Blocks(Vec<ContentBlock>),
    /// Something else.
    WrongType(RawJson),
}

/// The result of `tools/call`.
#[derive(Debug, Clone)]
pub struct CallResult {
    /// Whether the result is an object at all.
    pub is_object: bool,
    /// `content`
    pub content: ContentField,
    /// `structuredContent` of any type; absent is `None`, null is `Some`: 2026-07-28 allows null as a value.
    pub structured: Option<RawJson>,
    /// Whether `isError` is true.
    pub is_error: bool,
    /// `isError`, if it is neither absent, null nor a boolean.
    pub is_error_wrong: Option<RawJson>,
}

impl CallResult {
    /// Reads a `CallToolResult`.
    pub fn read(raw: &RawValue) -> CallResult {
        let fields = Fields::of(raw);
        let content = match fields.get("content") {
            None => ContentField::Missing,
            Some(content) => match json::borrowed_elements(content) {
                Some(blocks) => ContentField::Blocks(blocks.into_iter().map(ContentBlock::read).collect()),
                None => ContentField::WrongType(content.to_owned()),
            },
        };
        CallResult {
            is_object: json::kind(raw) == JsonKind::Object,
            content,
            structured: fields.present("structuredContent").map(ToOwned::to_owned),
            is_error: fields.boolean("isError").unwrap_or(false),
            is_error_wrong: fields.raw("isError").filter(|value| json::boolean(value).is_none()),
        }
    }
}
