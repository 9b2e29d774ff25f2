//! What a tool may use while it runs: who called, the way back, progress, logs, questions.

use std::future::Future;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use super::calls;
use super::eras::MODERN;
use super::message::{self, RpcError};
use super::session::Session;
use super::tasks::Task;
use super::world::World;

/// Messages that wait for a slow reader before the sender waits too.
const QUEUE: usize = 64;

/// What goes to the client.
#[derive(Debug)]
pub enum Out {
    /// A whole JSON-RPC message that is not an answer.
    Message(String),
    /// The answer to the request (or what a fault sends in its place), with the code if it is an error.
    Answer(String, Option<i64>),
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

    /// Sends the answer to a request.
    pub async fn answer(&self, id: &str, reply: &Reply) -> bool {
        let code = reply.as_ref().err().map(|error| error.code);
        self.send(Out::Answer(message::answer(Some(id), reply), code)).await
    }

    /// A way back that leads nowhere.
    pub fn nowhere() -> Outlet {
        Outlet::channel().0
    }

    /// A way back that does not keep it open.
    pub fn downgrade(&self) -> WeakOutlet {
        WeakOutlet(self.0.downgrade())
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

/// A way back that ends with the others.
#[derive(Debug, Clone)]
pub struct WeakOutlet(mpsc::WeakSender<Out>);

impl WeakOutlet {
    /// The way back, as long as somebody else keeps it open and somebody reads.
    pub fn upgrade(&self) -> Option<Outlet> {
        self.0.upgrade().map(Outlet).filter(|outlet| !outlet.is_closed())
    }
}

/// Severities of log messages, lowest first (RFC 5424, 2025-11-25 server/utilities/logging §Log Levels).
pub const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// What the sender of a request can do, and asked for. Until 2025-11-25 the handshake says so, for the whole session; since
/// 2026-07-28 each request says it for itself.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The protocol version in use.
    pub version: &'static str,
    /// The client's capabilities.
    pub capabilities: Value,
    /// Index in [`LEVELS`] of the lowest severity that is sent; without one, none is.
    pub level: Option<usize>,
}

impl Caller {
    /// Whether each of its requests stands alone.
    pub fn is_modern(&self) -> bool {
        self.version >= MODERN
    }

    /// The capabilities that a question of `method` needs and the client lacks, as an object like that of its capabilities. An empty
    /// `elicitation` means form mode (2025-11-25 client/elicitation §Capabilities).
    pub fn lacks(&self, method: &str) -> Option<Value> {
        let declared = |name: &str| self.capabilities.get(name).and_then(Value::as_object);
        let (has, needed) = match method {
            "elicitation/create" => (
                declared("elicitation").is_some_and(|modes| modes.is_empty() || modes.contains_key("form")),
                json!({ "elicitation": { "form": {} } }),
            ),
            "sampling/createMessage" => (declared("sampling").is_some(), json!({ "sampling": {} })),
            _ => (declared("roots").is_some(), json!({ "roots": {} })),
        };
        (!has).then_some(needed)
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
    /// It could not be asked; this is the answer to its request.
    Undeclared(Reply),
}

/// The key under which a call remembers that the client came back; no question has it.
pub const AGAIN: &str = "again";

/// What stops a call of 2026-07-28 until the client sends it again (2026-07-28 basic/patterns/mrtr).
#[derive(Debug)]
pub enum Pause {
    /// The client is to answer this, under that key.
    Question(String, Value),
    /// The client is only to come back.
    Again,
}

/// How a tool asks the client.
#[derive(Debug)]
pub enum Asks {
    /// By a request to it, as until 2025-11-25.
    Requests(Arc<Session>),
    /// By a result that asks for more, since 2026-07-28: what was answered in earlier rounds, and where the next question goes.
    Rounds(Map<String, Value>, mpsc::Sender<Pause>),
    /// By the state of the task, since 2026-07-28.
    Task,
}

/// What a running tool holds.
#[derive(Debug)]
pub struct Context {
    /// Who called.
    pub caller: Caller,
    /// What is shared with all others.
    pub world: Arc<World>,
    /// The way back.
    pub outlet: Outlet,
    /// The token that the client wants progress under, if it does.
    pub progress_token: Option<Value>,
    /// How it asks.
    pub asks: Asks,
    /// The task that the call has become.
    pub task: Option<Arc<Task>>,
}

impl Context {
    /// Sends progress, if it was asked for (2025-11-25 basic/utilities/progress §Progress Flow).
    pub async fn progress(&self, progress: f64, total: f64, text: &str) {
        if let Some(token) = &self.progress_token {
            let params = json!({ "progressToken": token, "progress": progress, "total": total, "message": text });
            self.notify("notifications/progress", &params).await;
        }
    }

    /// Sends a log message, if its severity is high enough. A request of 2026-07-28 that asks for none gets none (2026-07-28
    /// server/utilities/logging).
    pub async fn log(&self, level: &str, data: Value) {
        let at = LEVELS.iter().position(|name| *name == level);
        if self.caller.level.is_some_and(|lowest| at.is_some_and(|at| at >= lowest)) {
            let params = json!({ "level": level, "logger": "demo", "data": data });
            self.notify("notifications/message", &params).await;
        }
    }

    async fn notify(&self, method: &str, params: &Value) {
        // Nobody reading is no failure of the tool: a lost connection does not cancel the call (2025-11-25 basic/transports
        // §Sending Messages to the Server, 6).
        self.outlet.send(Out::Message(message::notification(method, params))).await;
    }

    /// Asks the client and waits for its answer, as long as one can come. `key` names the question within its call.
    pub async fn ask(&self, key: &str, method: &str, mut params: Value) -> Asked {
        if let Some(needed) = self.caller.lacks(method) {
            return Asked::Undeclared(self.undeclared(method, &needed));
        }
        if method == "elicitation/create" && self.caller.version >= "2025-11-25" {
            params["mode"] = json!("form");
        }
        match (&self.asks, &self.task) {
            (Asks::Requests(session), Some(task)) => {
                // Every message that belongs to a task names it (2025-11-25 basic/utilities/tasks §Associating Task-Related Messages).
                params["_meta"] = json!({ "io.modelcontextprotocol/related-task": { "taskId": task.id } });
                task.waits(true);
                let asked = self.ask_a_reader(session, task, method, &params).await;
                task.waits(false);
                asked
            }
            (Asks::Requests(session), None) => request(session, &self.outlet, method, &params).await,
            (Asks::Rounds(given, pauses), _) => match given.get(key) {
                Some(answer) => Asked::Result(answer.clone()),
                None => {
                    let question = json!({ "method": method, "params": params });
                    self.pause(pauses, Pause::Question(key.to_owned(), question)).await
                }
            },
            (Asks::Task, Some(task)) => {
                Asked::Result(task.ask(key, json!({ "method": method, "params": params })).await)
            }
            (Asks::Task, None) => Asked::Gone,
        }
    }

    /// Lets the client come back once before the call goes on, where the era knows that.
    pub async fn come_back(&self) {
        if let Asks::Rounds(given, pauses) = &self.asks
            && !given.contains_key(AGAIN)
        {
            self.pause(pauses, Pause::Again).await;
        }
    }

    /// Stops the call; it is run again from its beginning when the client sends it again.
    async fn pause(&self, pauses: &mpsc::Sender<Pause>, pause: Pause) -> Asked {
        pauses.send(pause).await.ok();
        std::future::pending().await
    }

    /// "Servers MUST NOT send elicitation requests with modes that are not supported by the client" (2025-11-25 client/elicitation
    /// §Capabilities); since 2026-07-28 there is an error for it.
    fn undeclared(&self, method: &str, needed: &Value) -> Reply {
        if self.caller.is_modern() {
            let what = format!("Missing required client capability for {method}");
            return Err(RpcError::new(-32021, what).with_data(json!({ "requiredCapabilities": needed })));
        }
        let name = method.split('/').next().unwrap_or_default();
        let mode = if name == "elicitation" { " (form mode)" } else { "" };
        Ok(calls::failure(format!("this client declared no {name} capability{mode}, so it cannot be asked")))
    }

    /// A task outlives its request, so its question goes over whichever stream the client reads.
    async fn ask_a_reader(&self, session: &Arc<Session>, task: &Task, method: &str, params: &Value) -> Asked {
        loop {
            let outlet = match session.stream() {
                Some(stream) => stream,
                None => match task.reader().await {
                    Some(reader) => reader,
                    None => return Asked::Gone,
                },
            };
            match request(session, &outlet, method, params).await {
                Asked::Gone => {}
                asked => return asked,
            }
        }
    }
}

async fn request(session: &Session, outlet: &Outlet, method: &str, params: &Value) -> Asked {
    let (id, answer) = session.question();
    if !outlet.send(Out::Message(message::request(&id, method, params))).await {
        session.forget_question(&id);
        return Asked::Gone;
    }
    let asked = tokio::select! {
        answer = answer => match answer {
            Ok(Ok(result)) => Asked::Result(result),
            Ok(Err(error)) => Asked::Error(error),
            Err(_) => Asked::Gone,
        },
        () = outlet.closed() => Asked::Gone,
    };
    session.forget_question(&id);
    asked
}

/// A result, or a JSON-RPC error.
pub type Reply = Result<Value, RpcError>;

/// A future that a transport runs.
pub type Work<T = ()> = std::pin::Pin<Box<dyn Future<Output = T> + Send>>;

#[cfg(test)]
impl Context {
    /// A context of 2025-11-25 with nobody at the other end.
    pub fn alone() -> Context {
        let world = World::new(&[], super::Eras::Both, super::Transport::Http).expect("a world");
        Context {
            caller: Caller { version: "2025-11-25", capabilities: Value::Null, level: None },
            asks: Asks::Requests(Session::new(world.clone())),
            world,
            outlet: Outlet::nowhere(),
            progress_token: None,
            task: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_looked_up_by_the_question() {
        for (method, capabilities, has) in [
            ("elicitation/create", json!({"elicitation": {}}), true),
            ("elicitation/create", json!({"elicitation": {"form": {}, "url": {}}}), true),
            ("elicitation/create", json!({"elicitation": {"url": {}}}), false),
            ("elicitation/create", json!({}), false),
            ("sampling/createMessage", json!({"sampling": {}}), true),
            ("sampling/createMessage", json!({"roots": {}}), false),
            ("roots/list", json!({"roots": {}}), true),
            ("roots/list", json!({"roots": true}), false),
        ] {
            let caller = Caller { version: "2025-11-25", capabilities, level: None };
            assert_eq!(caller.lacks(method).is_none(), has, "{method} {caller:?}");
        }
    }
}
