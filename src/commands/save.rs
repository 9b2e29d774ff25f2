//! Binary blocks as files for `--output-dir`: safe names, nothing overwritten.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::outcome::{Category, Failure, Ledger, Phase, Reason, WarningId};
use crate::report::Saved;
use crate::wire::mcp::{ContentBlock, ResourceContents};

/// A binary block, not yet decoded.
pub(super) struct Blob {
    block: usize,
    stem: String,
    mime_type: Option<String>,
    base64: String,
}

/// What came of saving.
pub(super) struct Outcome {
    /// What was written.
    pub(super) files: Vec<Saved>,
    /// What failed: the first block that could not be decoded or written, after all others were tried.
    pub(super) failure: Option<Failure>,
}

/// The binary blocks of a tool result.
pub(super) fn from_blocks(blocks: &[ContentBlock]) -> Vec<Blob> {
    let blob = |block: usize, stem: &str, mime: &Option<String>, base64: &str| Blob {
        block,
        stem: stem.to_owned(),
        mime_type: mime.clone(),
        base64: base64.to_owned(),
    };
    blocks
        .iter()
        .enumerate()
        .filter_map(|(index, block)| match block {
            ContentBlock::Image { data, mime } => Some(blob(index, "image", mime, data)),
            ContentBlock::Audio { data, mime } => Some(blob(index, "audio", mime, data)),
            ContentBlock::Resource { contents } => of_contents(index, contents),
            _ => None,
        })
        .collect()
}

/// The blob of one resource, if it has one.
pub(super) fn of_contents(block: usize, contents: &ResourceContents) -> Option<Blob> {
    let base64 = contents.blob.clone()?;
    let last = contents.uri.as_deref().and_then(|uri| uri.rsplit(['/', ':']).find(|part| !part.is_empty()));
    let stem = last.map_or_else(|| "resource".to_owned(), safe);
    Some(Blob { block, stem, mime_type: contents.mime_type.clone(), base64 })
}

/// Makes the directory, unless it is there.
///
/// # Errors
/// A usage failure, when it cannot be made.
pub(super) fn prepare(dir: &Path) -> Result<(), Failure> {
    fs::create_dir_all(dir).map_err(|error| {
        let message = format!("the directory {} of --output-dir cannot be made; nothing was sent", dir.display());
        Failure::usage(Reason::File, message)
            .with_evidence("system", error.to_string())
            .with_hint("give a directory that exists, or one that may be made")
    })
}

/// Without files to write, a block that cannot be decoded is a warning.
pub(super) fn note_encoding(blobs: &[Blob], ledger: &Ledger) {
    for blob in blobs {
        if let Err(error) = decode(&blob.base64) {
            ledger.warn(WarningId::BlobEncoding, format!("block {} is not valid base64: {error}", blob.block));
        }
    }
}

/// Writes every blob into `dir`.
pub(super) fn all(dir: &Path, blobs: &[Blob], phase: &Phase) -> Outcome {
    let mut outcome = Outcome { files: Vec::new(), failure: None };
    for blob in blobs {
        let failure = match decode(&blob.base64) {
            Ok(bytes) => match write(dir, blob, &bytes) {
                Ok(path) => {
                    let mime_type = blob.mime_type.clone();
                    outcome.files.push(Saved { block: blob.block, path, bytes: bytes.len(), mime_type });
                    continue;
                }
                Err(error) => {
                    let message = format!("block {} could not be written to {}", blob.block, dir.display());
                    Failure::usage(Reason::File, message).with_evidence("system", error.to_string())
                }
            },
            Err(error) => {
                let message = format!("block {} is not valid base64", blob.block);
                Failure::new(Category::Protocol, phase.clone(), message)
                    .with_reason(Reason::Encoding)
                    .with_evidence("decoder", error.to_string())
            }
        };
        outcome.failure.get_or_insert(failure);
    }
    outcome
}

/// The bytes of a base64 text.
///
/// # Errors
/// What the decoder says.
pub(super) fn decode(base64: &str) -> Result<Vec<u8>, base64::DecodeError> {
    STANDARD.decode(base64.trim())
}

/// Writes a new file; `name-1.ext`, `name-2.ext` … when the name is taken.
fn write(dir: &Path, blob: &Blob, bytes: &[u8]) -> io::Result<PathBuf> {
    let (stem, extension) = match blob.stem.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem.to_owned(), extension.to_owned()),
        _ => (blob.stem.clone(), extension(blob.mime_type.as_deref()).to_owned()),
    };
    for attempt in 0..10_000 {
        let name = match attempt {
            0 => format!("{stem}.{extension}"),
            n => format!("{stem}-{n}.{extension}"),
        };
        let path = dir.join(name);
        match File::options().write(true).create_new(true).open(&path) {
            Ok(mut file) => return file.write_all(bytes).map(|()| path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{stem}.{extension} and 9,999 more are taken")))
}

/// A server's word as a file name: letters, digits, `.`, `_` and `-`, no leading dot, at most 80 bytes.
fn safe(name: &str) -> String {
    let cleaned: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).take(80).collect();
    match cleaned.trim_start_matches('.') {
        "" => "resource".to_owned(),
        rest => rest.to_owned(),
    }
}

fn extension(mime_type: Option<&str>) -> &'static str {
    let essence = mime_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "application/zip" => "zip",
        "application/gzip" => "gz",
        "text/html" => "html",
        "text/markdown" => "md",
        other if other.starts_with("text/") => "txt",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        assert_eq!(safe("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(safe("..."), "resource");
        assert_eq!(safe("a b\u{202e}.png"), "a_b_.png");
    }

    #[test]
    fn nothing_is_overwritten_and_one_bad_block_hides_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let blob = |block, base64: &str| Blob {
            block,
            stem: "image".into(),
            mime_type: Some("image/png; x=1".into()),
            base64: base64.into(),
        };
        let outcome = all(dir.path(), &[blob(0, "aGk="), blob(1, "%%"), blob(2, "eW8=")], &Phase::Connect);
        let names: Vec<_> = outcome.files.iter().map(|f| f.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["image.png", "image-1.png"]);
        assert_eq!(fs::read(&outcome.files[1].path).unwrap(), b"yo");
        assert_eq!(outcome.failure.unwrap().reason, Some(Reason::Encoding));
    }
}
