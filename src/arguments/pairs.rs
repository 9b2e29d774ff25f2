//! Pairs as they are typed, and the files and streams that arguments come from.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::ArgumentError;

/// A larger file is refused.
const LARGEST: u64 = 64 << 20;

/// How the value of a pair is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `k=text`
    Text,
    /// `k:=json`
    Json,
    /// `k@path`: the file's text.
    FileText,
    /// `k:@path`: the file's JSON.
    FileJson,
}

impl Form {
    /// What stands between name and value.
    pub const fn separator(self) -> &'static str {
        match self {
            Form::Text => "=",
            Form::Json => ":=",
            Form::FileText => "@",
            Form::FileJson => ":@",
        }
    }
}

/// A name, and how its value is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The name.
    pub key: String,
    /// How the value is given.
    pub form: Form,
    /// What followed the first separator, untouched.
    pub value: String,
}

/// Cuts a word at its first separator.
///
/// # Errors
/// There is no separator, or nothing in front of it.
pub fn parse_pair(text: &str) -> Result<Pair, ArgumentError> {
    let mark = text.find(['=', '@']).ok_or_else(|| ArgumentError::NoSeparator { received: text.to_owned() })?;
    let typed = text[..mark].ends_with(':');
    let form = match (text.as_bytes()[mark], typed) {
        (b'=', false) => Form::Text,
        (b'=', true) => Form::Json,
        (_, false) => Form::FileText,
        (_, true) => Form::FileJson,
    };
    let key = &text[..mark - usize::from(typed)];
    if key.is_empty() {
        return Err(ArgumentError::EmptyName { received: text.to_owned() });
    }
    Ok(Pair { key: key.to_owned(), form, value: text[mark + 1..].to_owned() })
}

/// A pair with its file read.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) key: String,
    /// Text or JSON.
    pub(super) json: bool,
    pub(super) value: String,
    /// The file that it came from.
    pub(super) path: Option<String>,
}

/// Reads the file of a pair, if it names one.
pub(super) fn given(pair: &Pair) -> Result<Given, ArgumentError> {
    let json = matches!(pair.form, Form::Json | Form::FileJson);
    let (value, path) = match pair.form {
        Form::Text | Form::Json => (pair.value.clone(), None),
        Form::FileText | Form::FileJson => {
            let place = format!("argument `{}`", pair.key);
            (file(&place, &pair.value)?, Some(pair.value.clone()))
        }
    };
    Ok(Given { key: pair.key.clone(), json, value, path })
}

/// The text that `--args` means: a file for `@path`, what `stdin` reads for `-`, else itself.
///
/// Standard input is read only when it is asked for.
///
/// # Errors
/// The file or stream cannot be read, is too large, or is not UTF-8.
pub fn read_args(source: &str, stdin: impl FnOnce() -> io::Result<Vec<u8>>) -> Result<String, ArgumentError> {
    const PLACE: &str = "--args";
    match source.strip_prefix('@') {
        _ if source == "-" => {
            let cannot = |error: io::Error| ArgumentError::File {
                place: PLACE.to_owned(),
                path: "standard input".to_owned(),
                cause: error.to_string(),
            };
            text(PLACE, "standard input", stdin().map_err(cannot)?)
        }
        Some(path) => file(PLACE, path),
        None => Ok(source.to_owned()),
    }
}

fn file(place: &str, path: &str) -> Result<String, ArgumentError> {
    let cannot = |cause: String| ArgumentError::File { place: place.to_owned(), path: path.to_owned(), cause };
    let mut bytes = Vec::new();
    let read = File::open(Path::new(path)).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(cannot(format!("larger than {} MiB", LARGEST >> 20)));
    }
    text(place, path, bytes)
}

/// UTF-8 without its byte order mark.
fn text(place: &str, path: &str, bytes: Vec<u8>) -> Result<String, ArgumentError> {
    let text = String::from_utf8(bytes).map_err(|error| ArgumentError::File {
        place: place.to_owned(),
        path: path.to_owned(),
        cause: format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to()),
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
