//! The values of options: texts of the command line to types, with a sentence for the user when they cannot be read.

use std::ffi::OsString;
use std::time::Duration;

use crate::duration::parse_duration;
use crate::outcome::Category;
use crate::secret::Secret;

/// A duration; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Option<Duration>);

/// A secret text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secretive(pub Secret);

/// Which protocol versions may be spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pin {
    /// Find out.
    Auto,
    /// The versions with `initialize`.
    Legacy,
    /// The versions without.
    Modern,
    /// This one.
    Version(String),
}

impl Pin {
    /// As it is typed.
    pub fn name(&self) -> &str {
        match self {
            Pin::Auto => "auto",
            Pin::Legacy => "legacy",
            Pin::Modern => "modern",
            Pin::Version(version) => version,
        }
    }
}

/// One canned answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The form's defaults.
    Defaults,
    /// The JSON text of these members over the defaults.
    Members(String),
    /// Members from a file.
    File(String),
    /// Decline.
    Decline,
    /// Cancel.
    Cancel,
    /// The text of the assistant's message.
    SamplingText(String),
    /// The JSON text of a whole sampling result.
    SamplingResult(String),
}

/// Marks a word that begins with a dash and is no option. No argument of a process can hold a NUL.
const MARK: char = '\0';

/// A word that may have been marked by [`as_words`].
pub(super) fn word(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.strip_prefix(MARK).unwrap_or(text).to_owned())
}

/// The command line with the words behind `--` as words of the command itself, if the server was given by -s: then they cannot
/// be a program. `None` where that does not apply.
pub(super) fn as_words(args: &[OsString]) -> Option<Vec<OsString>> {
    let dashes = args.iter().position(|arg| arg == "--")?;
    let (before, behind) = (&args[..dashes], &args[dashes + 1..]);
    let names_server = |arg: &OsString| {
        let arg = arg.to_string_lossy();
        arg == "--server" || arg.starts_with("--server=") || arg.starts_with("-s")
    };
    if behind.is_empty() || !before.iter().any(names_server) {
        return None;
    }
    let marked = behind.iter().map(|arg| {
        let mut word = OsString::from(MARK.to_string());
        word.push(arg);
        if arg.to_string_lossy().starts_with('-') { word } else { arg.clone() }
    });
    Some(before.iter().cloned().chain(marked).collect())
}

/// Reads a duration.
pub(super) fn limit(text: &str) -> Result<Limit, String> {
    parse_duration(text).map(Limit)
}

/// Takes a secret as it is. It is read later: clap's complaints would show it.
pub(super) fn secret(text: &str) -> Result<Secretive, std::convert::Infallible> {
    Ok(Secretive(Secret::new(text)))
}

/// Reads a protocol version.
pub(super) fn protocol(text: &str) -> Result<Pin, String> {
    match text {
        "auto" => Ok(Pin::Auto),
        "legacy" => Ok(Pin::Legacy),
        "modern" => Ok(Pin::Modern),
        "" => Err("give auto, legacy, modern or a version such as 2026-07-28".to_owned()),
        version => {
            // A version is sent as it stands, whatever it looks like; but no version looks like a slip of these words.
            let near = crate::nearest::nearest(version, ["auto", "legacy", "modern"]);
            match near.first().filter(|_| !version.contains(|c: char| c.is_ascii_digit())) {
                Some(word) => Err(format!("did you mean {word}? versions are dates, such as 2026-07-28")),
                None => Ok(Pin::Version(version.to_owned())),
            }
        }
    }
}

/// Reads a size in bytes: `64MiB`, `500k` (1024 each), `10MB` (1000 each). Zero is no limit.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let complaint =
        || format!("`{text}` is not a size; write 64MiB, 500k, 10MB or a number of bytes, and 0 for no limit");
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: usize = number.parse().map_err(|_| complaint())?;
    let factor: usize = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err(complaint()),
    };
    match number.checked_mul(factor).ok_or_else(complaint)? {
        0 => Ok(usize::MAX),
        bytes => Ok(bytes),
    }
}

/// Reads a count of at least one.
pub(super) fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("`{text}` is not a number from 1 on")),
        Ok(number) => Ok(number),
    }
}

/// Reads a count that may be zero.
pub(super) fn rounds(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number from 0 on"))
}

/// Reads the name of a category.
pub(super) fn category(text: &str) -> Result<Category, String> {
    // An interruption is no outcome of the server, so nothing can be expected of it.
    let known = || Category::ALL.into_iter().filter(|category| !matches!(category, Category::Interrupted(_)));
    known().find(|category| category.name() == text).ok_or_else(|| {
        let names: Vec<_> = known().map(Category::name).collect();
        format!("there is no category `{text}`; there are {}", names.join(", "))
    })
}

/// Reads a canned answer.
pub(super) fn answer(text: &str) -> Result<Answer, String> {
    match text {
        "accept" | "defaults" => return Ok(Answer::Defaults),
        "decline" => return Ok(Answer::Decline),
        "cancel" => return Ok(Answer::Cancel),
        _ => {}
    }
    if let Some(json) = text.strip_prefix("sampling:=") {
        return object(json).map(Answer::SamplingResult);
    }
    if let Some(words) = text.strip_prefix("sampling=") {
        return Ok(Answer::SamplingText(words.to_owned()));
    }
    if let Some(path) = text.strip_prefix('@') {
        return Ok(Answer::File(path.to_owned()));
    }
    if text.trim_start().starts_with('{') {
        return object(text).map(Answer::Members);
    }
    Err("an answer is accept, decline, cancel, a JSON object, @FILE, sampling=TEXT or sampling:=JSON".to_owned())
}

/// The text of a JSON object, checked.
pub(super) fn object(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    match serde_json::from_str::<&serde_json::value::RawValue>(text) {
        Ok(_) if text.starts_with('{') => Ok(text.to_owned()),
        Ok(_) => Err("it is JSON, but not an object".to_owned()),
        Err(error) => Err(format!("it is not JSON ({error})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let rows =
            [("64MiB", 64 << 20), ("1k", 1024), ("10MB", 10_000_000), ("7", 7), ("0", usize::MAX), ("2 GiB", 2 << 30)];
        for (text, bytes) in rows {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "-1", "1.5M", "1x", "99999999999999999999", "99999999999G"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn answers() {
        let rows = [
            ("accept", Answer::Defaults),
            ("decline", Answer::Decline),
            (" {\"a\": 1} ", Answer::Members("{\"a\": 1}".to_owned())),
            ("@f.json", Answer::File("f.json".to_owned())),
            ("sampling=a=b", Answer::SamplingText("a=b".to_owned())),
            ("sampling:={\"role\":\"assistant\"}", Answer::SamplingResult("{\"role\":\"assistant\"}".to_owned())),
        ];
        for (text, read) in rows {
            assert_eq!(answer(text), Ok(read), "{text}");
        }
        for text in ["", "yes", "{a:1}", "[1]", "sampling:=[]"] {
            assert!(answer(text).is_err(), "{text}");
        }
    }

    #[test]
    fn categories_and_versions() {
        assert_eq!(category("tool-error"), Ok(Category::ToolError));
        assert!(category("interrupted").is_err() && category("nope").unwrap_err().contains("rpc-error"));
        assert_eq!(protocol("2099-01-01"), Ok(Pin::Version("2099-01-01".to_owned())));
        assert_eq!(protocol("modern"), Ok(Pin::Modern));
        assert!(protocol("").is_err());
    }
}
