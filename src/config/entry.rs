//! One server's description, read key by key, each error with its place.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::value::RawValue;

use super::expand::{Unexpanded, expand};
use super::{ConfigError, ServerEntry, Target, TransportHint, header};
use crate::duration::parse_duration;
use crate::secret::Secret;
use crate::wire::json::{self, JsonKind};

/// Where the description stands, and where variables come from.
pub(super) struct Place<'a> {
    pub(super) file: &'a Path,
    pub(super) server: &'a str,
    pub(super) env: &'a dyn Fn(&str) -> Option<String>,
}

impl Place<'_> {
    /// An error at a JSON Pointer inside the server.
    pub(super) fn wrong(&self, pointer: &str, message: impl Into<String>) -> ConfigError {
        ConfigError::Server {
            path: self.file.to_owned(),
            server: self.server.to_owned(),
            pointer: pointer.to_owned(),
            message: message.into(),
        }
    }

    /// A value of the wrong type. The value is not shown.
    fn must_be(&self, pointer: &str, what: &str, value: &RawValue) -> ConfigError {
        self.wrong(pointer, format!("must be {what}, is {}", json::kind(value).with_article()))
    }

    /// A text with its variables filled in.
    fn text(&self, pointer: &str, value: &RawValue) -> Result<String, ConfigError> {
        let text = json::string(value).ok_or_else(|| self.must_be(pointer, "a string", value))?;
        expand(&text, self.env).map_err(|error| match error {
            Unexpanded::Unset(variable) => ConfigError::Unset {
                path: self.file.to_owned(),
                server: self.server.to_owned(),
                pointer: pointer.to_owned(),
                variable,
            },
            Unexpanded::Malformed(message) => self.wrong(pointer, message),
        })
    }

    /// A text that cannot be empty or hold a NUL, which no program or path can.
    fn word(&self, pointer: &str, value: &RawValue) -> Result<String, ConfigError> {
        let text = self.text(pointer, value)?;
        if text.is_empty() {
            return Err(self.wrong(pointer, "must not be empty"));
        }
        self.no_nul(pointer, text)
    }

    fn no_nul(&self, pointer: &str, text: String) -> Result<String, ConfigError> {
        if text.contains('\0') { Err(self.wrong(pointer, "holds a NUL character")) } else { Ok(text) }
    }
}

/// The keys of a description; `null` counts as absent.
struct Keys<'a> {
    place: &'a Place<'a>,
    members: Vec<(std::borrow::Cow<'a, str>, &'a RawValue)>,
    used: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    fn take(&mut self, key: &'static str) -> Result<Option<&'a RawValue>, ConfigError> {
        self.used.push(key);
        let mut found = self.members.iter().filter(|(known, _)| known == key);
        let value = found.next().map(|(_, value)| *value);
        if found.next().is_some() {
            return Err(self.place.wrong(&format!("/{key}"), "stands twice"));
        }
        Ok(value.filter(|value| json::kind(value) != JsonKind::Null))
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, ConfigError> {
        let place = self.place;
        self.take(key)?.map(|value| place.word(&format!("/{key}"), value)).transpose()
    }

    /// Names with texts.
    fn map(&mut self, key: &'static str) -> Result<Vec<(String, String, String)>, ConfigError> {
        let place = self.place;
        let Some(value) = self.take(key)? else { return Ok(Vec::new()) };
        let members = json::borrowed_members(value)
            .ok_or_else(|| place.must_be(&format!("/{key}"), "an object of strings", value))?;
        let mut texts: Vec<(String, String, String)> = Vec::new();
        for (name, value) in members {
            let pointer = format!("/{key}/{}", json::pointer_step(&name));
            if texts.iter().any(|(known, ..)| *known == name) {
                return Err(place.wrong(&pointer, "stands twice"));
            }
            texts.push((name.into_owned(), place.text(&pointer, value)?, pointer));
        }
        Ok(texts)
    }

    /// A number of seconds, or a text with a unit.
    fn duration(&mut self, key: &'static str) -> Result<Option<Option<Duration>>, ConfigError> {
        let place = self.place;
        let pointer = format!("/{key}");
        let Some(value) = self.take(key)? else { return Ok(None) };
        let text = match json::kind(value) {
            JsonKind::Number => value.get().to_owned(),
            JsonKind::String => place.text(&pointer, value)?,
            _ => return Err(place.must_be(&pointer, "a number of seconds or a text such as \"30s\"", value)),
        };
        // The text may come from a variable, so it is not shown.
        let read = parse_duration(&text);
        let read = read.map_err(|_| {
            place.wrong(
                &pointer,
                "is not a duration: a number of seconds, or \"1500ms\", \"30s\", \"5m\"; 0 is no limit",
            )
        })?;
        Ok(Some(read))
    }

    fn unused(self) -> Vec<String> {
        let unused = self.members.into_iter().map(|(key, _)| key.into_owned());
        unused.filter(|key| !self.used.contains(&key.as_str())).collect()
    }
}

/// What `type` or `transport` says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Http,
    Sse,
    Stdio,
}

/// Reads a server.
pub(super) fn read(place: &Place<'_>, server: &RawValue) -> Result<ServerEntry, ConfigError> {
    let members = json::borrowed_members(server).ok_or_else(|| place.must_be("", "an object", server))?;
    let mut keys = Keys { place, members, used: Vec::new() };
    let kind = kind(&mut keys)?;
    let url = keys.take("url")?;
    let command = keys.take("command")?;
    let target = match (url, command) {
        (Some(_), Some(_)) => return Err(place.wrong("", "has both `url` and `command`; it must have one of them")),
        (None, None) => {
            let unused = keys.members.iter().map(|(key, _)| key.as_ref());
            let near = ["url", "command"].iter().flat_map(|key| crate::nearest::nearest(key, unused.clone()));
            let near: Vec<String> = near.collect();
            let instead = if near.is_empty() { String::new() } else { format!(", but `{}`", near.join("`, `")) };
            return Err(place.wrong("", format!("has neither `url` nor `command`{instead}")));
        }
        (Some(_), None) if kind == Some(Kind::Stdio) => {
            return Err(place.wrong("/url", "does not go with the transport stdio, which needs `command`"));
        }
        (None, Some(_)) if kind.is_some_and(|kind| kind != Kind::Stdio) => {
            return Err(place.wrong("/command", "does not go with a transport over HTTP, which needs `url`"));
        }
        (Some(url), None) => http(&mut keys, url, kind)?,
        (None, Some(command)) => stdio(&mut keys, command)?,
    };
    Ok(ServerEntry { name: place.server.to_owned(), origin: place.file.to_owned(), target, unused: keys.unused() })
}

fn kind(keys: &mut Keys<'_>) -> Result<Option<Kind>, ConfigError> {
    let mut found: Option<Kind> = None;
    for key in ["type", "transport"] {
        let Some(text) = keys.text(key)? else { continue };
        // Clients write `streamable-http`, `streamable_http` and `streamableHttp`.
        let plain: String = text.chars().filter(|c| !"-_ ".contains(*c)).flat_map(char::to_lowercase).collect();
        let kind = match plain.as_str() {
            "http" | "streamablehttp" => Kind::Http,
            "sse" => Kind::Sse,
            "stdio" => Kind::Stdio,
            _ => {
                let message = "must be http (or streamable-http), sse or stdio";
                return Err(keys.place.wrong(&format!("/{key}"), message));
            }
        };
        if found.is_some_and(|before| before != kind) {
            return Err(keys.place.wrong("/transport", "says something else than `type`"));
        }
        found = Some(kind);
    }
    Ok(found)
}

fn http(keys: &mut Keys<'_>, url: &RawValue, kind: Option<Kind>) -> Result<Target, ConfigError> {
    let place = keys.place;
    let url = place.word("/url", url)?;
    let mut headers: Vec<(String, Secret)> = Vec::new();
    for (name, value, pointer) in keys.map("headers")? {
        if headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            return Err(place.wrong(&pointer, "is there already; letter case makes no difference"));
        }
        let value = header::header(&name, &value).map_err(|error| match error {
            header::HeaderError::Name | header::HeaderError::NoName => place.wrong(&pointer, "is no header name"),
            error => place.wrong(&pointer, error.to_string()),
        })?;
        headers.push((name, value));
    }
    let transport = match kind {
        Some(Kind::Http) => Some(TransportHint::Http),
        Some(Kind::Sse) => Some(TransportHint::Sse),
        Some(Kind::Stdio) | None => None,
    };
    let timeout = keys.duration("timeout")?;
    let sse_read_timeout = keys.duration("sse_read_timeout")?;
    Ok(Target::Http { url, transport, headers, timeout, sse_read_timeout })
}

fn stdio(keys: &mut Keys<'_>, command: &RawValue) -> Result<Target, ConfigError> {
    let place = keys.place;
    let command = place.word("/command", command)?;
    let mut args = Vec::new();
    if let Some(value) = keys.take("args")? {
        let elements =
            json::borrowed_elements(value).ok_or_else(|| place.must_be("/args", "an array of strings", value))?;
        for (index, element) in elements.into_iter().enumerate() {
            let pointer = format!("/args/{index}");
            let text = place.text(&pointer, element)?;
            args.push(place.no_nul(&pointer, text)?);
        }
    }
    let mut env = Vec::new();
    for (name, value, pointer) in keys.map("env")? {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(place.wrong(&pointer, "is no name of an environment variable"));
        }
        env.push((name, Secret::new(place.no_nul(&pointer, value)?)));
    }
    let folder = place.file.parent().unwrap_or_else(|| Path::new(""));
    let cwd = keys.text("cwd")?.map(|cwd| folder.join(PathBuf::from(cwd)));
    Ok(Target::Stdio { command, args, env, cwd, timeout: keys.duration("timeout")? })
}
