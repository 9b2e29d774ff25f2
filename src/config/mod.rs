//! Servers by name: finds the configuration file, reads one server of it, fills in `${VAR}`.
//!
//! The file has the shape that MCP clients share: `{"mcpServers": {"NAME": {…}}}`. A server has either `url`, and optionally
//! `type` or `transport` (`http`, `streamable-http`, `sse`), `headers`, `timeout`, `sse_read_timeout`; or `command`, and optionally `type`
//! (`stdio`), `args`, `env`, `cwd`, `timeout`. A time is a number of seconds, or text such as `"30s"`; `0` is no limit.
//!
//! `${VAR}` and `${VAR:-default}` stand for environment variables in every text value, and are filled in only for the server
//! that is asked for. Values may be secret: no error shows one.

mod entry;
mod error;
mod expand;
mod find;
mod header;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::nearest::nearest;
use crate::secret::Secret;
use crate::wire::RawJson;
use crate::wire::json;

pub use error::ConfigError;
pub use find::{find, user_config_dir};
pub use header::{HeaderError, parse_bearer, parse_header};

/// A server as the configuration describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEntry {
    /// Its name.
    pub name: String,
    /// The file that it stands in.
    pub origin: PathBuf,
    /// How to reach it.
    pub target: Target,
    /// Keys that mean nothing here, such as those of other clients; sorted as in the file.
    pub unused: Vec<String>,
}

/// How a server is reached. `Debug` hides what may be secret: the URL, arguments, values of headers and variables.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    /// By HTTP.
    Http {
        /// The URL. It may hold a secret.
        url: String,
        /// Which of the two HTTP transports, if the file says so.
        transport: Option<TransportHint>,
        /// Headers for every request.
        headers: Vec<(String, Secret)>,
        /// Outer `None`: not given; inner `None`: no limit.
        timeout: Option<Option<Duration>>,
        /// How long the event stream may be silent; as `timeout`.
        sse_read_timeout: Option<Option<Duration>>,
    },
    /// As a child process.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments. They may hold secrets.
        args: Vec<String>,
        /// Variables for its environment.
        env: Vec<(String, Secret)>,
        /// Its working directory; a relative one is taken from the folder of the file.
        cwd: Option<PathBuf>,
        /// Outer `None`: not given; inner `None`: no limit.
        timeout: Option<Option<Duration>>,
    },
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Http { transport, headers, .. } => f
                .debug_struct("Http")
                .field("url", &Secret::MASK)
                .field("transport", transport)
                .field("headers", headers)
                .finish_non_exhaustive(),
            Target::Stdio { command, args, env, .. } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &args.len())
                .field("env", env)
                .finish_non_exhaustive(),
        }
    }
}

/// One of the transports over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportHint {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05.
    Sse,
}

/// A configuration file.
#[derive(Clone)]
pub struct ConfigFile {
    path: PathBuf,
    servers: Vec<(String, RawJson)>,
}

/// Names only: what stands in a server may be secret.
impl fmt::Debug for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigFile").field("path", &self.path).field("servers", &self.names()).finish()
    }
}

impl ConfigFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of its servers in their order.
    pub fn names(&self) -> Vec<&str> {
        self.servers.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// One server, with its variables filled in by `env`. No other server is looked at.
    ///
    /// # Errors
    /// There is no such server, its description is wrong, or a variable is not set.
    pub fn get(&self, name: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<ServerEntry, ConfigError> {
        let mut described = self.servers.iter().filter(|(known, _)| known == name);
        let Some((_, server)) = described.next() else {
            let names = self.names();
            return Err(ConfigError::UnknownServer {
                name: name.to_owned(),
                path: self.path.clone(),
                near: nearest(name, names.iter().copied()),
                names: names.into_iter().map(str::to_owned).collect(),
            });
        };
        let place = entry::Place { file: &self.path, server: name, env };
        if described.next().is_some() {
            return Err(place.wrong("", "stands twice in the file"));
        }
        entry::read(&place, server)
    }

    /// The name of the only server of the file, if it is one that is reached by HTTP. A program is never started without being
    /// asked for by name: a cloned repository must not get code run by surprise.
    pub fn only_http(&self) -> Option<&str> {
        match self.servers.as_slice() {
            [(name, server)] if json::member(server, "url").is_some() && json::member(server, "command").is_none() => {
                Some(name)
            }
            _ => None,
        }
    }
}
