//! What can be wrong with a configuration: the file, the server, the place in it. Never a value.

use std::path::{Path, PathBuf};

use crate::nearest::did_you_mean;
use crate::outcome::{Failure, Reason};
use crate::wire::json;

/// Why a configuration cannot be used. Nothing was sent or started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration file {}: {cause}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// The file is not JSON.
    #[error("the configuration file {} is not JSON: {cause}", .path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// What the parser says, with line and column.
        cause: String,
    },
    /// The file has no servers where they should be.
    #[error("the configuration file {} {message}", .path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is wrong, as the end of a sentence.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
    /// No server of that name.
    #[error("no server is called `{name}` in {}{}", .path.display(), did_you_mean(.near))]
    UnknownServer {
        /// The name that was asked for.
        name: String,
        /// The file.
        path: PathBuf,
        /// Names near to it.
        near: Vec<String>,
        /// All names.
        names: Vec<String>,
    },
    /// A server's description is wrong.
    #[error("server `{server}` in {}: {}{message}", .path.display(), place(.pointer))]
    Server {
        /// The file.
        path: PathBuf,
        /// The server.
        server: String,
        /// The JSON Pointer inside the server, empty for the server itself.
        pointer: String,
        /// What is wrong.
        message: String,
    },
    /// A variable without a value.
    #[error("server `{server}` in {}: {}the environment variable {variable} is not set", .path.display(), place(.pointer))]
    Unset {
        /// The file.
        path: PathBuf,
        /// The server.
        server: String,
        /// The JSON Pointer inside the server.
        pointer: String,
        /// The variable.
        variable: String,
    },
}

/// `headers/Authorization: `
fn place(pointer: &str) -> String {
    match pointer.strip_prefix('/') {
        Some(pointer) => format!("{pointer}: "),
        None => String::new(),
    }
}

impl ConfigError {
    /// The file that it is about.
    pub fn path(&self) -> &Path {
        match self {
            ConfigError::Read { path, .. }
            | ConfigError::NotJson { path, .. }
            | ConfigError::Shape { path, .. }
            | ConfigError::UnknownServer { path, .. }
            | ConfigError::Server { path, .. }
            | ConfigError::Unset { path, .. } => path,
        }
    }

    /// The JSON Pointer of the place in the file, if it is about one.
    pub fn pointer(&self) -> Option<String> {
        match self {
            ConfigError::Server { server, pointer, .. } | ConfigError::Unset { server, pointer, .. } => {
                Some(format!("/mcpServers/{}{pointer}", json::pointer_step(server)))
            }
            _ => None,
        }
    }

    /// One thing to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ConfigError::UnknownServer { names, .. } if names.is_empty() => Some("the file has no servers".to_owned()),
            ConfigError::UnknownServer { names, .. } => {
                let shown: Vec<&str> = names.iter().take(20).map(String::as_str).collect();
                let more = if names.len() > shown.len() { ", …" } else { "" };
                Some(format!("it has {}{more}; a server can also be given by its URL", shown.join(", ")))
            }
            ConfigError::Unset { variable, .. } => {
                Some(format!("set {variable}, or write ${{{variable}:-default}} in the file"))
            }
            ConfigError::Shape { hint: Some(hint), .. } => Some(hint.clone()),
            ConfigError::Read { .. } => Some("--config FILE names a file that can be read".to_owned()),
            ConfigError::NotJson { .. } => {
                Some("look at the place that it names: JSON has no comments, and no comma before a bracket".to_owned())
            }
            ConfigError::Shape { hint: None, .. } | ConfigError::Server { .. } => {
                let example =
                    r#"{"mcpServers": {"a": {"url": "https://host/mcp"}, "b": {"command": "./server", "args": []}}}"#;
                Some(format!("the form is {example}"))
            }
        }
    }

    /// The failure that it is: usage.
    pub fn to_failure(&self) -> Failure {
        let reason = match self {
            ConfigError::Read { .. } => Reason::File,
            ConfigError::UnknownServer { .. } => Reason::UnknownName,
            _ => Reason::Config,
        };
        let mut failure = Failure::usage(reason, self.to_string());
        failure.hint = self.hint();
        match self.pointer() {
            Some(pointer) => failure.with_evidence("pointer", pointer),
            None => failure,
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        error.to_failure()
    }
}
