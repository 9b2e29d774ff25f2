//! Content blocks and resource contents, each with its line in order: text verbatim, binary as type and size, links as such.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::{json_value, pretty, text_block};
use crate::render::terminal::{Stream, size};
use crate::report::{CallReport, Saved};
use crate::wire::json;
use crate::wire::mcp::{CallResult, ContentBlock, ContentField, ResourceContents};

/// The result of `tools/call`.
pub(super) fn call(result: &RawValue, saved: &[Saved], stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let view = CallResult::read(result);
    let blocks = match &view.content {
        ContentField::Blocks(blocks) => blocks.as_slice(),
        ContentField::Missing if view.structured.is_some() => &[],
        ContentField::Missing | ContentField::WrongType(_) => return json_value(result, stream, out),
    };
    for (index, one) in blocks.iter().enumerate() {
        block(one, saved.iter().find(|saved| saved.block == index), stream, out)?;
    }
    match &view.structured {
        Some(structured) if !says_the_same(blocks, structured) => {
            if stream.is_terminal && !blocks.is_empty() {
                writeln!(out, "{}", stream.dim("structured content"))?;
            }
            pretty(structured, stream, out)
        }
        _ => Ok(()),
    }
}

/// Whether there is nothing at all to show.
pub(crate) fn is_empty_call(call: &CallReport) -> bool {
    call.result.as_deref().is_some_and(|result| {
        let view = CallResult::read(result);
        view.structured.is_none() && matches!(view.content, ContentField::Blocks(blocks) if blocks.is_empty())
    })
}

/// The content of a failed call, for stderr.
pub(crate) fn content_text(result: &RawValue, saved: &[Saved]) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail; the caller makes the text safe.
    let _ = call(result, saved, Stream::PLAIN, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether the sole text block is exactly the JSON of the structured content.
fn says_the_same(blocks: &[ContentBlock], structured: &RawValue) -> bool {
    let [ContentBlock::Text { text }] = blocks else { return false };
    let text = text.trim();
    if json::compact(text) == json::compact(structured.get()) {
        return true;
    }
    // The same value in another notation: escapes, order of members.
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    text.len() < 1 << 20 && parse(text).is_some_and(|value| Some(value) == parse(structured.get()))
}

/// One block.
pub(super) fn block(
    block: &ContentBlock,
    saved: Option<&Saved>,
    stream: Stream,
    out: &mut dyn Write,
) -> io::Result<()> {
    match block {
        ContentBlock::Text { text } => text_block(text, stream, out),
        ContentBlock::Image { data, mime } => binary("image", data, mime.as_deref(), saved, stream, out),
        ContentBlock::Audio { data, mime } => binary("audio", data, mime.as_deref(), saved, stream, out),
        ContentBlock::Resource { contents } => resource(contents, saved, stream, out),
        ContentBlock::ResourceLink { .. } => link(block, stream, out),
        ContentBlock::Unknown { raw, .. } => text_block(&json::compact(raw.get()), stream, out),
    }
}

/// The result of `resources/read`.
pub(super) fn resources(result: &RawValue, saved: &[Saved], stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let Some(contents) = json::member(result, "contents").and_then(|raw| json::elements(&raw)) else {
        return json_value(result, stream, out);
    };
    for (index, one) in contents.iter().enumerate() {
        let file = saved.iter().find(|saved| saved.block == index);
        resource(&ResourceContents::read(one), file, stream, out)?;
    }
    Ok(())
}

fn resource(contents: &ResourceContents, saved: Option<&Saved>, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let mime = contents.mime_type.as_deref();
    match (&contents.text, &contents.blob) {
        (Some(text), _) => text_block(text, stream, out),
        (None, Some(blob)) => match text_of_blob(blob, mime) {
            // Text that a server packed as a blob is text all the same.
            Some(text) if saved.is_none() => text_block(&text, stream, out),
            _ => binary("blob", blob, mime, saved, stream, out),
        },
        (None, None) => {
            let uri = contents.uri.as_deref().unwrap_or("?");
            line(&format!("[resource {uri}, neither text nor blob]"), stream, out)
        }
    }
}

fn text_of_blob(blob: &str, mime: Option<&str>) -> Option<String> {
    let mime = mime?.split(';').next()?.trim().to_ascii_lowercase();
    let is_text = mime.starts_with("text/") || mime == "application/json" || mime.ends_with("+json");
    if !is_text {
        return None;
    }
    String::from_utf8(STANDARD.decode(blob).ok()?).ok()
}

/// `[image image/png, 1.2 kB]`
fn binary(
    what: &str,
    data: &str,
    mime: Option<&str>,
    saved: Option<&Saved>,
    stream: Stream,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mime = mime.unwrap_or("of no type");
    let text = match saved {
        Some(file) => format!("[{what} {mime}, {}] {}", size(file.bytes), file.path.display()),
        None => format!("[{what} {mime}, {}]", size(decoded_length(data))),
    };
    line(&text, stream, out)
}

/// How many bytes base64 text stands for.
fn decoded_length(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

/// `[link report.pdf demo://report, application/pdf, 1.2 kB] The report`
fn link(block: &ContentBlock, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let ContentBlock::ResourceLink { uri, name, title, description, mime, size: bytes } = block else { return Ok(()) };
    let mut words = String::from("[link ");
    if let Some(name) = title.as_ref().or(name.as_ref()) {
        words.push_str(&format!("{name} "));
    }
    words.push_str(uri);
    if let Some(mime) = mime {
        words.push_str(&format!(", {mime}"));
    }
    if let Some(bytes) = bytes {
        words.push_str(&match bytes.parse() {
            Ok(bytes) => format!(", {}", size(bytes)),
            Err(_) => format!(", size {bytes}"),
        });
    }
    words.push(']');
    if let Some(description) = description {
        words.push_str(&format!(" {}", crate::render::terminal::first_sentence(description)));
    }
    line(&words, stream, out)
}

fn line(text: &str, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let text = text.replace('\n', " ");
    writeln!(out, "{}", stream.text(&text))
}
