//! Content blocks and resource contents, each with its line in order: text verbatim, binary as type and size, links as such.

use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::{Paper, json_value, laid_out};
use crate::render::terminal::{Stream, size};
use crate::report::{CallReport, ReadReport, Saved};
use crate::wire::json;
use crate::wire::mcp::{CallResult, ContentBlock, ContentField, ResourceContents};

/// The result of `tools/call`.
///
/// In a pipe the texts are the whole output: structured content is printed there only if no block holds a text.
pub(super) fn call(result: &RawValue, saved: &[Saved], stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    whole(result, saved, !stream.is_terminal, stream, out)
}

fn whole(result: &RawValue, saved: &[Saved], exact: bool, stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let view = CallResult::read(result);
    let blocks = match &view.content {
        ContentField::Blocks(blocks) => blocks.as_slice(),
        ContentField::Missing if view.structured.is_some() => &[],
        ContentField::Missing | ContentField::WrongType(_) => return json_value(result, stream, out),
    };
    let mut paper = Paper::new(stream, out);
    for (index, one) in blocks.iter().enumerate() {
        block(one, saved.iter().find(|saved| saved.block == index), &mut paper)?;
    }
    let has_text = blocks.iter().any(|block| matches!(block, ContentBlock::Text { .. }));
    if let Some(structured) = view.structured.as_deref().filter(|_| !(exact && has_text))
        && !says_the_same(blocks, structured)
    {
        if stream.is_terminal && !blocks.is_empty() {
            paper.line(&stream.dim("structured content"))?;
        }
        paper.line(laid_out(structured, stream).trim_end())?;
    }
    paper.end()
}

/// Whether a binary block is shown as a mere placeholder.
pub(crate) fn has_unsaved_blocks(call: &CallReport) -> bool {
    call.result.as_deref().is_some_and(|result| match CallResult::read(result).content {
        ContentField::Blocks(blocks) => blocks.iter().enumerate().any(|(index, block)| {
            let binary = match block {
                ContentBlock::Image { .. } | ContentBlock::Audio { .. } => true,
                ContentBlock::Resource { contents } => is_binary(contents),
                _ => false,
            };
            binary && !call.saved.iter().any(|saved| saved.block == index)
        }),
        _ => false,
    })
}

/// Whether a blob is shown as a mere placeholder on this stream.
pub(crate) fn has_unsaved_blobs(read: &ReadReport, stream: Stream) -> bool {
    let contents = json::member(&read.result, "contents").and_then(|raw| json::elements(&raw)).unwrap_or_default();
    if !stream.is_terminal && sole_blob(&contents, &read.saved).is_some() {
        return false;
    }
    let unsaved = |index| !read.saved.iter().any(|saved| saved.block == index);
    contents.iter().enumerate().any(|(index, one)| is_binary(&ResourceContents::read(one)) && unsaved(index))
}

fn is_binary(contents: &ResourceContents) -> bool {
    let blob = contents.blob.as_deref().filter(|_| contents.text.is_none());
    blob.is_some_and(|blob| text_of_blob(blob, contents.mime_type.as_deref()).is_none())
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
    let _ = whole(result, saved, false, Stream::PLAIN, &mut out);
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
pub(super) fn block(block: &ContentBlock, saved: Option<&Saved>, paper: &mut Paper<'_>) -> io::Result<()> {
    match block {
        ContentBlock::Text { text } => paper.text(text),
        ContentBlock::Image { data, mime } => binary("image", data, mime.as_deref(), saved, paper),
        ContentBlock::Audio { data, mime } => binary("audio", data, mime.as_deref(), saved, paper),
        ContentBlock::Resource { contents } => resource(contents, saved, paper),
        ContentBlock::ResourceLink { .. } => link(block, paper),
        ContentBlock::Unknown { raw, .. } => paper.line(&paper.stream.text(&json::compact(raw.get()))),
    }
}

/// The result of `resources/read`.
pub(super) fn resources(result: &RawValue, saved: &[Saved], stream: Stream, out: &mut dyn Write) -> io::Result<()> {
    let Some(contents) = json::member(result, "contents").and_then(|raw| json::elements(&raw)) else {
        return json_value(result, stream, out);
    };
    if !stream.is_terminal
        && let Some(bytes) = sole_blob(&contents, saved)
    {
        return out.write_all(&bytes);
    }
    let mut paper = Paper::new(stream, out);
    for (index, one) in contents.iter().enumerate() {
        let file = saved.iter().find(|saved| saved.block == index);
        resource(&ResourceContents::read(one), file, &mut paper)?;
    }
    paper.end()
}

/// The bytes of the only contents, if they are a blob that went to no file: a pipe gets them as they are.
fn sole_blob(contents: &[Box<RawValue>], saved: &[Saved]) -> Option<Vec<u8>> {
    let [only] = contents else { return None };
    let only = ResourceContents::read(only);
    let blob = only.blob.filter(|_| only.text.is_none() && saved.is_empty())?;
    STANDARD.decode(blob.as_bytes()).ok()
}

fn resource(contents: &ResourceContents, saved: Option<&Saved>, paper: &mut Paper<'_>) -> io::Result<()> {
    let mime = contents.mime_type.as_deref();
    match (&contents.text, &contents.blob) {
        (Some(text), _) => paper.text(text),
        (None, Some(blob)) => match text_of_blob(blob, mime) {
            // Text that a server packed as a blob is text all the same.
            Some(text) if saved.is_none() => paper.text(&text),
            _ => binary("blob", blob, mime, saved, paper),
        },
        (None, None) => {
            let uri = contents.uri.as_deref().unwrap_or("?");
            line(&format!("[resource {uri}, neither text nor blob]"), paper)
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
fn binary(what: &str, data: &str, mime: Option<&str>, saved: Option<&Saved>, paper: &mut Paper<'_>) -> io::Result<()> {
    let mime = mime.unwrap_or("of no type");
    let text = match saved {
        Some(file) => format!("[{what} {mime}, {}] {}", size(file.bytes), file.path.display()),
        None => format!("[{what} {mime}, {}]", size(decoded_length(data))),
    };
    line(&text, paper)
}

/// How many bytes base64 text stands for.
fn decoded_length(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

/// `[link report.pdf demo://report, application/pdf, 1.2 kB] The report`
fn link(block: &ContentBlock, paper: &mut Paper<'_>) -> io::Result<()> {
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
    line(&words, paper)
}

fn line(text: &str, paper: &mut Paper<'_>) -> io::Result<()> {
    let text = text.replace('\n', " ");
    paper.line(&paper.stream.text(&text))
}
