//! Reads `_meta` of a request: version, capabilities and log level stand there (2026-07-28 basic §Per-request fields).

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::demo::context::LEVELS;
use crate::demo::message::{Request, RpcError, params};

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// What a request says of its sender.
#[derive(Debug)]
pub struct Claimed {
    pub version: String,
    pub capabilities: Value,
    pub level: Option<usize>,
}

#[derive(Deserialize)]
struct WithMeta {
    #[serde(default)]
    _meta: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithVersion {
    protocol_version: String,
}

fn meta(request: &Request) -> Option<Map<String, Value>> {
    params::<WithMeta>(&request.params).ok()?._meta
}

/// Whether a request says that it is of this era.
pub fn claims(request: &Request) -> bool {
    meta(request).is_some_and(|meta| meta.contains_key(VERSION))
}

/// The version that an `initialize` asks for.
pub fn initialize_version(request: &Request) -> String {
    params::<WithVersion>(&request.params).map_or_else(|_| String::new(), |given| given.protocol_version)
}

/// Version and capabilities have to be there; what lacks one of them is -32602 (2026-07-28 basic §Per-request fields).
pub fn read(request: &Request) -> Result<Claimed, RpcError> {
    let missing = |what: &str| RpcError::invalid_params(format!("Invalid params: {what}"));
    let meta = meta(request).ok_or_else(|| missing("the request has no _meta"))?;
    let Some(Value::String(version)) = meta.get(VERSION) else {
        return Err(missing(&format!("_meta must have {VERSION}, a string")));
    };
    let Some(capabilities @ Value::Object(_)) = meta.get(CAPABILITIES) else {
        return Err(missing(&format!("_meta must have {CAPABILITIES}, an object")));
    };
    let level = match meta.get(LEVEL) {
        None => None,
        Some(given) => {
            let at = LEVELS.iter().position(|level| given == level);
            // 2026-07-28 server/utilities/logging §Error Handling.
            Some(at.ok_or_else(|| RpcError::invalid_params(format!("Invalid log level: {given}")))?)
        }
    };
    Ok(Claimed { version: version.clone(), capabilities: capabilities.clone(), level })
}
