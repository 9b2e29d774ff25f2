//! A server that is in order but for what the script says: handshake, notifications, `ping` and `tools/list`.

use serde_json::{Value, json};

use super::conn::Conn;
use super::request::Request;
use super::server::{Over, Script, script};

/// How the well-behaved part answers.
#[derive(Debug, Clone)]
pub struct InitOk {
    /// `protocolVersion` of the answer to `initialize`; `None` echoes what the client asked for.
    pub protocol: Option<String>,
    /// `Mcp-Session-Id` of the answer to `initialize` (Streamable HTTP).
    pub session: Option<String>,
    /// `capabilities`.
    pub capabilities: Value,
    /// `instructions`, if there are any.
    pub instructions: Option<String>,
    /// `tools` of `tools/list`; `None` leaves `tools/list` to the script.
    pub tools: Option<Value>,
    /// The status for a GET on Streamable HTTP, where no stream is offered.
    pub get_status: u16,
}

impl Default for InitOk {
    fn default() -> InitOk {
        InitOk {
            protocol: None,
            session: None,
            capabilities: json!({"tools": {}}),
            instructions: None,
            tools: Some(json!([{
                "name": "echo",
                "description": "Returns its message",
                "inputSchema": {
                    "type": "object",
                    "properties": {"message": {"type": "string"}},
                    "required": ["message"]
                }
            }])),
            get_status: 405,
        }
    }
}

/// A server with a good handshake and one tool `echo`; every other request goes to the script.
pub fn init_ok(rest: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Script {
    InitOk::default().then(rest)
}

impl InitOk {
    /// The script: what it does not answer itself goes to `rest`.
    pub fn then(self, rest: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Script {
        script(move |request, conn| {
            if !self.answer(request, conn) {
                rest(request, conn);
            }
        })
    }

    /// Answers what belongs to the well-behaved part; `false` if the request is none of it.
    pub fn answer(&self, request: &Request, conn: &mut Conn) -> bool {
        match (request.method.as_str(), conn.over()) {
            ("GET", Over::Sse) => {
                conn.sse_head(200, &[]);
                conn.raw("event: endpoint\ndata: /messages?session=1\n\n");
                conn.become_stream();
                return true;
            }
            ("GET", _) => {
                conn.respond(self.get_status, &[("Allow", "POST, DELETE")], "");
                return true;
            }
            ("DELETE", _) => {
                conn.respond(200, &[], "");
                return true;
            }
            _ => {}
        }
        match request.rpc_method().as_str() {
            "initialize" => self.initialize(request, conn),
            "ping" => conn.result(request, "{}"),
            "tools/list" => match &self.tools {
                Some(tools) => conn.result(request, &json!({"tools": tools}).to_string()),
                None => return false,
            },
            // A notification of the client, or its answer to a request of the server.
            _ if !request.is_rpc_request() => conn.accepted(),
            _ => return false,
        }
        true
    }

    fn initialize(&self, request: &Request, conn: &mut Conn) {
        let asked = request.json()["params"]["protocolVersion"].clone();
        let mut result = json!({
            "protocolVersion": self.protocol.clone().map_or(asked, Value::from),
            "capabilities": self.capabilities,
            "serverInfo": {"name": "fake", "version": "1.0"}
        });
        if let Some(instructions) = &self.instructions {
            result["instructions"] = Value::from(instructions.as_str());
        }
        if let (Some(session), Over::Http) = (&self.session, conn.over()) {
            conn.header("Mcp-Session-Id", session);
        }
        conn.result(request, &result.to_string());
    }
}
