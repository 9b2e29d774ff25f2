//! A server of 2026-07-28 that is in order but for what the script says: `server/discover` and `tools/list`. It checks
//! every request for what a client of that version MUST do; what is broken is a problem of the fake server, which fails the
//! test.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::conn::Conn;
use super::request::Request;
use super::server::{FakeServer, Over, Script, script};

/// The version that it speaks.
pub const MODERN: &str = "2026-07-28";

/// Methods whose `Mcp-Name` mirrors a member of the params.
const NAMED: [(&str, &str); 6] = [
    ("tools/call", "name"),
    ("prompts/get", "name"),
    ("resources/read", "uri"),
    ("tasks/get", "taskId"),
    ("tasks/update", "taskId"),
    ("tasks/cancel", "taskId"),
];

/// How the well-behaved part answers.
#[derive(Debug, Clone)]
pub struct ModernOk {
    /// `supportedVersions`; another version is refused with -32022.
    pub versions: Vec<&'static str>,
    /// `capabilities`.
    pub capabilities: Value,
    /// `tools` of `tools/list`; `None` leaves `tools/list` to the script.
    pub tools: Option<Value>,
}

impl Default for ModernOk {
    fn default() -> ModernOk {
        ModernOk {
            versions: vec![MODERN],
            capabilities: json!({"tools": {}}),
            tools: Some(json!([{
                "name": "t",
                "description": "Does as the script says",
                "inputSchema": {"type": "object"}
            }])),
        }
    }
}

/// A server of 2026-07-28 with one tool `t`; every other request goes to the script.
pub fn modern_ok(rest: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Script {
    ModernOk::default().then(rest)
}

impl ModernOk {
    /// The script: what it does not answer itself goes to `rest`.
    pub fn then(self, rest: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Script {
        script(move |request, conn| {
            if !self.answer(request, conn) {
                rest(request, conn);
            }
        })
    }

    /// The same with these tools.
    pub fn with_tools(tools: Value) -> ModernOk {
        ModernOk { tools: Some(tools), ..ModernOk::default() }
    }

    /// Answers what belongs to the well-behaved part; `false` if the request is none of it.
    pub fn answer(&self, request: &Request, conn: &mut Conn) -> bool {
        let method = request.rpc_method();
        if conn.over() != Over::Stdio && request.method != "POST" {
            conn.respond(405, &[("Allow", "POST")], "");
            panic!("2026-07-28 has only POST, not {}", request.method);
        }
        if method == "initialize" {
            self.refuse_version(request, conn, "initialize is gone");
            return true;
        }
        if let Err(problem) = checked(request, conn.over()) {
            if conn.over() == Over::Stdio {
                conn.exit(1);
            }
            panic!("{problem}\n{} {:?}\n{}", request.method, request.headers, request.text());
        }
        if !request.is_rpc_request() {
            // Only `notifications/cancelled` over stdio comes this far.
            return true;
        }
        let asked = request.json()["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].clone();
        if !self.versions.iter().any(|version| asked == *version) {
            self.refuse_version(request, conn, "Unsupported protocol version");
            return true;
        }
        match method.as_str() {
            "server/discover" => {
                let known = json!({"supportedVersions": self.versions, "capabilities": self.capabilities});
                conn.result(request, &complete(known, true));
            }
            "tools/list" => match &self.tools {
                Some(tools) => conn.result(request, &complete(json!({"tools": tools}), true)),
                None => return false,
            },
            _ => return false,
        }
        true
    }

    fn refuse_version(&self, request: &Request, conn: &mut Conn, message: &str) {
        let data = json!({"supported": self.versions, "requested": "?"});
        modern_error(request, conn, 400, &json!({"code": -32022, "message": message, "data": data}));
    }
}

/// A whole result of 2026-07-28: what every one has, and these members; `cached` adds the hints for caches that lists and
/// `server/discover` must have.
pub fn complete(members: Value, cached: bool) -> String {
    let mut result = json!({"resultType": "complete"});
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "2.0"}});
    let more = if cached { json!({"ttlMs": 0, "cacheScope": "private"}) } else { json!({}) };
    for part in [more, members, json!({"_meta": info})] {
        for (name, value) in part.as_object().expect("the members of an object") {
            result[name] = value.clone();
        }
    }
    result.to_string()
}

/// An error with its status, as 2026-07-28 wants it; over stdio there is no status.
pub fn modern_error(request: &Request, conn: &mut Conn, status: u16, error: &Value) {
    let body = format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, request.id());
    match conn.over() {
        Over::Stdio => conn.message(&body),
        _ => conn.respond(status, &[("Content-Type", "application/json")], body),
    }
}

/// What a client MUST do over several requests: ids that are never used twice (2026-07-28 basic §Requests forbids it while a
/// request is open; mcpcli promises never), nor progress tokens. For `Row::seen`.
pub fn fresh_ids(server: &FakeServer) -> Result<(), String> {
    let mut ids = Vec::new();
    let mut tokens = Vec::new();
    for request in server.requests().iter().filter(|request| request.is_rpc_request()) {
        // A program that was started again is another conversation.
        let place = if server.over() == Over::Stdio { request.connection } else { 0 };
        let id = (place, request.id());
        if ids.contains(&id) {
            return Err(format!("the id {} was used twice", request.id()));
        }
        ids.push(id);
        let token = request.json()["params"]["_meta"]["progressToken"].clone();
        if !token.is_null() {
            let token = (place, token);
            if tokens.contains(&token) {
                return Err(format!("the progress token {} was used twice", token.1));
            }
            tokens.push(token);
        }
    }
    Ok(())
}

/// A header's value as it was meant (basic/transports/streamable-http §Value Encoding).
pub fn decoded(value: &str) -> Result<String, String> {
    if !value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)) {
        return Err(format!("the header value {value:?} is not plain ASCII"));
    }
    let Some(inner) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(value.to_owned());
    };
    let bytes = BASE64_STANDARD.decode(inner).map_err(|error| format!("{value:?}: {error}"))?;
    String::from_utf8(bytes).map_err(|error| format!("{value:?}: {error}"))
}

/// What a client of 2026-07-28 MUST have done with this message.
fn checked(request: &Request, over: Over) -> Result<(), String> {
    let json = request.json();
    let Some(object) = json.as_object() else { return Err("basic §Messages: not one JSON object".to_owned()) };
    if object.get("jsonrpc") != Some(&json!("2.0")) {
        return Err("basic §Messages: no \"jsonrpc\": \"2.0\"".to_owned());
    }
    let Some(method) = object.get("method").and_then(Value::as_str) else {
        return Err("basic/patterns: a client MUST NOT send responses".to_owned());
    };
    let Some(id) = object.get("id") else {
        return match (method, over) {
            ("notifications/cancelled", Over::Stdio) => Ok(()),
            ("notifications/cancelled", _) => {
                Err("basic/utilities/cancellation: over HTTP closing the stream is the cancellation".to_owned())
            }
            _ => Err(format!("the notification {method} does not exist in 2026-07-28")),
        };
    };
    if !id.is_i64() && !id.is_u64() && !id.is_string() {
        return Err(format!("basic §Requests: the id {id} is neither a string nor an integer"));
    }
    let meta = &json["params"]["_meta"];
    let version = meta["io.modelcontextprotocol/protocolVersion"].as_str();
    let Some(version) = version else { return Err("basic §_meta: no protocolVersion".to_owned()) };
    if !meta["io.modelcontextprotocol/clientCapabilities"].is_object() {
        return Err("basic §_meta: no clientCapabilities".to_owned());
    }
    let info = &meta["io.modelcontextprotocol/clientInfo"];
    if !info["name"].is_string() || !info["version"].is_string() {
        return Err("basic §_meta: no clientInfo".to_owned());
    }
    if over == Over::Stdio { Ok(()) } else { headers(request, method, version) }
}

/// basic/transports/streamable-http §Sending Messages, §Protocol Version Header, §Standard Headers, §Earlier Revisions.
fn headers(request: &Request, method: &str, version: &str) -> Result<(), String> {
    let same = |name: &str, wanted: &str| match request.header(name) {
        Some(value) if value == wanted => Ok(()),
        value => Err(format!("the header {name} is {value:?} instead of {wanted:?}")),
    };
    same("MCP-Protocol-Version", version)?;
    same("Mcp-Method", method)?;
    same("Content-Type", "application/json")?;
    let accept = request.header("Accept").unwrap_or_default();
    for kind in ["application/json", "text/event-stream"] {
        if !accept.split(',').any(|one| one.trim() == kind) {
            return Err(format!("Accept {accept:?} lacks {kind}"));
        }
    }
    for gone in ["Mcp-Session-Id", "Last-Event-ID"] {
        if request.header(gone).is_some() {
            return Err(format!("the header {gone} is gone in 2026-07-28"));
        }
    }
    let named = NAMED.iter().find(|(name, _)| *name == method).map(|(_, member)| *member);
    let wanted = named.and_then(|member| request.json()["params"][member].as_str().map(str::to_owned));
    match (request.header("Mcp-Name"), wanted) {
        (None, None) => Ok(()),
        (Some(value), Some(wanted)) if decoded(value)? == wanted => Ok(()),
        (value, wanted) => Err(format!("the header Mcp-Name is {value:?}, and the body says {wanted:?}")),
    }
}
