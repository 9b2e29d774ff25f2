//! Which configuration file counts, and reading it.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use serde_json::value::RawValue;

use super::{ConfigError, ConfigFile};
use crate::wire::json::{self, JsonKind};

/// The file of a project.
const PROJECT: &str = ".mcp.json";
/// The file of a user, in [`user_config_dir`].
const USER: &str = "mcp.json";
/// A larger file is refused.
const LARGEST: u64 = 16 << 20;

/// The folder of mcpcli's own files: `$XDG_CONFIG_HOME/mcpcli`, as a rule `~/.config/mcpcli`; on Windows in the roaming profile.
pub fn user_config_dir() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("mcpcli"))
}

/// The configuration file that counts, read: `explicit`, else the nearest `.mcp.json` from `start_dir` upward, else `mcp.json` in
/// `user_config_dir`. `None` if there is none.
///
/// # Errors
/// The file cannot be read, or is not a configuration file. A file that is found is not passed over because it is broken.
pub fn find(
    explicit: Option<&Path>,
    start_dir: &Path,
    user_config_dir: Option<&Path>,
) -> Result<Option<ConfigFile>, ConfigError> {
    if let Some(path) = explicit {
        return read(path).map(Some);
    }
    let project = start_dir.ancestors().map(|folder| folder.join(PROJECT));
    let user = user_config_dir.map(|folder| folder.join(USER));
    // A folder of that name, or one that may not be entered, is no configuration.
    let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|found| !found.is_dir());
    project.chain(user).find(is_file).map(|path| read(&path)).transpose()
}

fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
    let cannot = |cause: String| ConfigError::Read { path: path.to_owned(), cause };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| cannot(error.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(cannot(format!("larger than {} MiB", LARGEST >> 20)));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| cannot(format!("not UTF-8 at byte {}", error.utf8_error().valid_up_to())))?;
    parse(path, text.strip_prefix('\u{feff}').unwrap_or(&text))
}

/// Reads the text of a configuration file.
pub(super) fn parse(path: &Path, text: &str) -> Result<ConfigFile, ConfigError> {
    let shape = |message: String, hint: Option<&str>| ConfigError::Shape {
        path: path.to_owned(),
        message,
        hint: hint.map(str::to_owned),
    };
    let root: &RawValue = serde_json::from_str(text)
        .map_err(|error| ConfigError::NotJson { path: path.to_owned(), cause: error.to_string() })?;
    if json::kind(root) != JsonKind::Object {
        return Err(shape(format!("is {} instead of an object", json::kind(root).with_article()), None));
    }
    match json::borrowed_member(root, "mcpServers") {
        Some(servers) => match json::members(servers) {
            Some(servers) => Ok(ConfigFile { path: path.to_owned(), servers }),
            None => {
                let kind = json::kind(servers).with_article();
                Err(shape(format!("has {kind} as `mcpServers`, which must be an object"), None))
            }
        },
        None => {
            let other = json::borrowed_member(root, "servers").is_some();
            let hint = other.then_some("it has `servers`; mcpcli reads them as `mcpServers`");
            Err(shape("has no `mcpServers`".to_owned(), hint))
        }
    }
}
