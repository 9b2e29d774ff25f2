//! What a tool may use while it runs: who called, the way back, progress, logs, questions.

use std::future::Future;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::message::{self, RpcError};
use super::session::Session;

/// Messages that wait for a slow reader before the sender waits too.
const QUEUE: usize = 64;

/// What goes to the client.
#[derive(Debug)]
pub enum Out {
    /// A whole JSON-RPC message (or what a fault sends in its place).
    Message(String),
    /// The beginning of an event that never ends.
    Fragment(&'static str),
    /// The way back ends here, without a proper end.
    Cut,
    /// The TCP connection is reset here.
    Reset,
}

/// The way back to the client for one request, or for a whole session where the transport has only one.
#[derive(Debug, Clone)]
pub struct Outlet(mpsc::Sender<Out>);

impl Outlet {
    /// A way back and its other end.
    pub fn channel() -> (Outlet, mpsc::Receiver<Out>) {
        let (sender, receiver) = mpsc::channel(QUEUE);
        (Outlet(sender), receiver)
    }

    /// Sends; false when nobody reads any more.
    pub async fn send(&self, out: Out) -> bool {
        self.0.send(out).await.is_ok()
    }

    /// Waits until nobody reads any more.
    pub async fn closed(&self) {
        self.0.closed().await;
    }

    /// Whether nobody reads any more.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// Severities of log messages, lowest first (RFC 5424, 2025-11-25 server/utilities/logging §Log Levels).
pub const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What the sender of a request can do, and asked for. Until 2025-11-25 the handshake says so, for the whole session.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The protocol version in use.
    pub version: &'static str,
    /// The client's capabilities.
    pub capabilities: Value,
    /// Index in [`LEVELS`] of the lowest severity that is sent.
    pub level: usize,
}

impl Caller {
    /// Whether the client answers elicitation in form mode. An empty object means form mode (2025-11-25 client/elicitation §Capabilities).
    pub fn elicits(&self) -> bool {
        match self.capabilities.get("elicitation") {
            Some(Value::Object(modes)) => modes.is_empty() || modes.contains_key("form"),
            _ => false,
        }
    }
}

/// How a question to the client ended.
#[derive(Debug)]
pub enum Asked {
    /// The client's `result`.
    Result(Value),
    /// The client's `error`.
    Error(Value),
    /// No answer can come any more.
    Gone,
}

/// What a running tool holds.
#[derive(Debug)]
pub struct Context {
    /// Who called.
    pub caller: Caller,
    /// The session of the call.
    pub session: Arc<Session>,
    /// The way back.
    pub outlet: Outlet,
    /// The token that the client wants progress under, if it does.
    pub progress_token: Option<Value>,
}

impl Context {
    /// Sends progress, if it was asked for (2025-11-25 basic/utilities/progress §Progress Flow).
    pub async fn progress(&self, progress: f64, total: f64, text: &str) {
        if let Some(token) = &self.progress_token {
            let params = json!({ "progressToken": token, "progress": progress, "total": total, "message": text });
            self.notify("notifications/progress", &params).await;
        }
    }

    /// Sends a log message, if its severity is high enough.
    pub async fn log(&self, level: &str, data: Value) {
        if LEVELS.iter().position(|name| *name == level).is_some_and(|at| at >= self.caller.level) {
            let params = json!({ "level": level, "logger": "demo", "data": data });
            self.notify("notifications/message", &params).await;
        }
    }

    async fn notify(&self, method: &str, params: &Value) {
        // Nobody reading is no failure of the tool: a lost connection does not cancel the call (2025-11-25 basic/transports
        // §Sending Messages to the Server, 6).
        self.outlet.send(Out::Message(message::notification(method, params))).await;
    }

    /// Asks the client and waits for its answer, as long as one can come.
    pub async fn ask(&self, method: &str, params: &Value) -> Asked {
        let (id, answer) = self.session.question();
        if !self.outlet.send(Out::Message(message::request(&id, method, params))).await {
            self.session.forget_question(&id);
            return Asked::Gone;
        }
        let asked = tokio::select! {
            answer = answer => match answer {
                Ok(Ok(result)) => Asked::Result(result),
                Ok(Err(error)) => Asked::Error(error),
                Err(_) => Asked::Gone,
            },
            () = self.outlet.closed() => Asked::Gone,
        };
        self.session.forget_question(&id);
        asked
    }
}

/// A result, or a JSON-RPC error.
pub type Reply = Result<Value, RpcError>;

/// A future that a transport runs.
pub type Work<T = ()> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_elicitation_capability_means_forms() {
        let caller = |capabilities| Caller { version: "2025-11-25", capabilities, level: 0 };
        assert!(caller(json!({"elicitation": {}})).elicits());
        assert!(caller(json!({"elicitation": {"form": {}, "url": {}}})).elicits());
        assert!(!caller(json!({"elicitation": {"url": {}}})).elicits());
        assert!(!caller(json!({})).elicits());
    }
}
