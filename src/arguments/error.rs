//! What can be wrong with arguments: facts, a sentence, and a hint on how to write it.

use crate::outcome::{Failure, Reason};
use crate::schema::{clip, shell_word};

/// So much of what was received is shown.
const SHOWN: usize = 200;

/// Why arguments could not be built. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// A word that is no pair.
    #[error("`{}` is not an argument: it has no `=`", clip(.received, SHOWN))]
    NoSeparator {
        /// The word.
        received: String,
    },
    /// A pair without a name.
    #[error("`{}` has no name in front of its separator", clip(.received, SHOWN))]
    EmptyName {
        /// The word.
        received: String,
    },
    /// Text that should be JSON.
    #[error("{place} is not JSON{}: {cause}", from_file(.path.as_deref()))]
    NotJson {
        /// `--args`, or the argument.
        place: String,
        /// The text.
        received: String,
        /// What the parser says, with line and column.
        cause: String,
        /// The file it came from.
        path: Option<String>,
    },
    /// `--args` with nothing in it.
    #[error("--args is empty; it must be a JSON object")]
    ArgsEmpty,
    /// `--args` with another JSON type.
    #[error("--args must be a JSON object, it is {kind}")]
    ArgsNotObject {
        /// The type with its article.
        kind: &'static str,
        /// The text.
        received: String,
    },
    /// Text that the schema's type does not take.
    #[error("argument `{argument}` must be {}, `{}`{} is not", wanted(.expected, .members), clip(.received, SHOWN), from_file(.path.as_deref()))]
    Type {
        /// The argument's name.
        argument: String,
        /// The type by the schema, in words.
        expected: String,
        /// The members of an enumeration.
        members: Vec<String>,
        /// The text.
        received: String,
        /// The file it came from.
        path: Option<String>,
    },
    /// The same member more than once.
    #[error("argument `{argument}` is given twice")]
    Twice {
        /// The argument's name.
        argument: String,
        /// Whether an array could be meant, because no schema says otherwise.
        array: bool,
    },
    /// `:=` or `:@` for a prompt.
    #[error("argument `{argument}` uses `{separator}`, but the arguments of a prompt are strings")]
    PromptTyped {
        /// The argument's name.
        argument: String,
        /// The separator.
        separator: &'static str,
    },
    /// A value in `--args` for a prompt that is not a string.
    #[error("argument `{argument}` is {kind}, but the arguments of a prompt are strings")]
    PromptNotString {
        /// The argument's name.
        argument: String,
        /// The type with its article.
        kind: &'static str,
    },
    /// A file or stream that cannot be used.
    #[error("{place}: cannot read {path}: {cause}")]
    File {
        /// `--args`, or the argument.
        place: String,
        /// The path.
        path: String,
        /// Why.
        cause: String,
    },
}

fn from_file(path: Option<&str>) -> String {
    path.map(|path| format!(" (from {path})")).unwrap_or_default()
}

fn wanted(type_name: &str, members: &[String]) -> String {
    match members {
        [] => format!("of type {type_name}"),
        members => clip(&format!("one of {}", members.join(", ")), SHOWN),
    }
}

impl ArgumentError {
    /// One thing to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            ArgumentError::NoSeparator { .. } => "write name=text, name:=json, name@file or name:@file.json".to_owned(),
            ArgumentError::EmptyName { .. } => {
                "a name that is empty or holds a separator can be given by --args '{\"name\": …}'".to_owned()
            }
            ArgumentError::NotJson { place, received, path, .. } => not_json(place, received, path.is_some())?,
            ArgumentError::ArgsEmpty => "for a tool without arguments leave --args out".to_owned(),
            ArgumentError::ArgsNotObject { .. } => "write --args '{\"name\": value}', or name=text".to_owned(),
            ArgumentError::Type { argument, received, path: None, .. } => {
                let forced = match serde_json::from_str::<serde::de::IgnoredAny>(received) {
                    Ok(_) => format!("{argument}:={received}"),
                    Err(_) => format!("{argument}:={}", crate::wire::json::quote(received)),
                };
                let forced = clip(&shell_word(&forced), SHOWN);
                format!("{}{forced} with --no-check sends it as it is (then type the others by := too)", self.instead())
            }
            ArgumentError::Type { argument, .. } => {
                format!("{argument}:@file with --no-check sends the JSON of a file whatever the schema says")
            }
            ArgumentError::Twice { argument, array: true } => {
                format!("for an array write {}", shell_word(&format!("{argument}:=[\"a\",\"b\"]")))
            }
            ArgumentError::Twice { .. } => {
                "only arrays take a name more than once; --args and pairs must not give the same member".to_owned()
            }
            ArgumentError::PromptTyped { argument, .. } => {
                format!("write {argument}=text; every text is sent as a string")
            }
            ArgumentError::PromptNotString { argument, .. } => {
                format!("put the value into quotes, or write {argument}=text instead")
            }
            ArgumentError::File { path, .. } if path.starts_with('~') => {
                "the shell does not expand ~ in the middle of a word; write $HOME".to_owned()
            }
            ArgumentError::File { place, path, .. } if place != "--args" && path.contains('=') => {
                "the first separator was `@`, so a file is meant; a name that holds `@` can be given by --args"
                    .to_owned()
            }
            ArgumentError::File { .. } => return None,
        })
    }

    /// How a value of the wanted type is written, where that is not plain.
    fn instead(&self) -> String {
        let ArgumentError::Type { argument, expected, received, .. } = self else { return String::new() };
        match expected.as_str() {
            "boolean" => format!("write {argument}=true or {argument}=false; "),
            _ if received.contains(',') => {
                format!("an array takes one element a word: {argument}=… {argument}=…, or {argument}:='[…]'; ")
            }
            _ => String::new(),
        }
    }

    /// The failure that it is: usage, with what was received as evidence.
    pub fn to_failure(&self) -> Failure {
        let reason = match self {
            ArgumentError::File { .. } => Reason::File,
            _ => Reason::Arguments,
        };
        let mut failure = Failure::usage(reason, format!("{self}; nothing was sent"));
        failure.hint = self.hint();
        match self {
            ArgumentError::NotJson { received, .. } | ArgumentError::ArgsNotObject { received, .. } => {
                failure.with_evidence("received", clip(received, SHOWN))
            }
            _ => failure,
        }
    }
}

impl From<ArgumentError> for Failure {
    fn from(error: ArgumentError) -> Failure {
        error.to_failure()
    }
}

/// What has likely become of JSON on its way through a shell.
fn not_json(place: &str, received: &str, from_file: bool) -> Option<String> {
    if from_file {
        return None;
    }
    let other = if place == "--args" { "--args @file or --args -" } else { "name:@file" };
    let text = received.trim();
    Some(if text.starts_with('\'') {
        format!("the single quotes reached mcpcli, because this shell does not remove them; use {other}")
    } else if text.starts_with(['{', '[']) && !text.contains('"') {
        format!("the shell has removed the quotes, it seems; put JSON into single quotes, or use {other}")
    } else if place == "--args" {
        format!("--args takes a JSON object; it can come from elsewhere with {other}")
    } else {
        "for plain text write name=text; JSON strings need their quotes: name:='\"text\"'".to_owned()
    })
}
