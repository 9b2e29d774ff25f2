//! One client's session: the protocol from `initialize` to `tools/call`, without a transport.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::arguments::{Arguments, findings};
use super::calls;
use super::context::{Caller, Context, LEVELS, Out, Outlet, Reply, Work};
use super::faults::Fault;
use super::lists::page;
use super::log::Log;
use super::message::{self, Id, Message, Params, Request, RpcError, params};
use super::misbehave;
use super::prompts::{self, PROMPTS, PromptRow};
use super::resources::{self, RESOURCES, ResourceRow, TEMPLATES, TemplateRow};
use super::tools::{Run, TOOLS, ToolRow};

/// Protocol versions that are opened by `initialize`, oldest first.
pub const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// What is offered to a client that asks for another one.
const NEWEST: &str = VERSIONS[VERSIONS.len() - 1];
/// Streams a session may hold open at once.
const STREAMS: usize = 4;
/// Calls a session may have open at once.
const CALLS: usize = 1024;

const INSTRUCTIONS: &str = "The demo server of mcpcli. Call `echo` to see a result, `throw_error` and `return_error` to see \
                            the two ways in which a call fails, `slow` to try timeouts and cancellation.";

/// What one client has said, and what is still open with it.
#[derive(Debug)]
pub struct Session {
    faults: Vec<Fault>,
    log: Log,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` before the handshake.
    caller: Option<Caller>,
    /// Calls that run, by their id.
    open: HashMap<Id, CancellationToken>,
    /// Questions to the client, by their id.
    asked: HashMap<Id, oneshot::Sender<Result<Value, Value>>>,
    /// How many questions there were.
    questions: u64,
    /// Streams to the client that belong to no request.
    streams: Vec<Outlet>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    protocol_version: String,
    #[serde(default)]
    capabilities: Value,
}

#[derive(Deserialize)]
struct LevelParams {
    level: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: Option<Value>,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    arguments: Option<Box<RawValue>>,
    #[serde(default)]
    _meta: Option<Meta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    progress_token: Option<Value>,
}

impl Session {
    /// A session before its handshake.
    pub fn new(faults: &[Fault], log: Log) -> Arc<Session> {
        Arc::new(Session { faults: faults.to_vec(), log, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version that the handshake settled on.
    pub fn version(&self) -> Option<&'static str> {
        self.state().caller.as_ref().map(|caller| caller.version)
    }

    /// Keeps a stream to the client; false when there are too many.
    pub fn add_stream(&self, outlet: Outlet) -> bool {
        let streams = &mut self.state().streams;
        streams.retain(|stream| !stream.is_closed());
        let room = streams.len() < STREAMS;
        if room {
            streams.push(outlet);
        }
        room
    }

    /// The stream that was opened first, if it is still read.
    pub fn stream(&self) -> Option<Outlet> {
        self.state().streams.iter().find(|stream| !stream.is_closed()).cloned()
    }

    /// Ends what is still open: calls and streams.
    pub fn end(&self) {
        let mut state = self.state();
        state.open.values().for_each(CancellationToken::cancel);
        state.streams.clear();
    }

    /// Whether the answer to a request is a stream rather than one message.
    pub fn streams(&self, request: &Request) -> bool {
        request.method == "tools/call"
            && match misbehave::chosen(&self.faults) {
                Some(fault) => misbehave::streams(fault),
                None => params::<CallParams>(&request.params)
                    .is_ok_and(|call| ToolRow::find(&call.name).is_some_and(ToolRow::streams)),
            }
    }

    /// Takes a message. State changes at once; the work that is left, if any, sends the answer to `outlet`.
    pub fn receive(self: &Arc<Self>, message: Message, outlet: Outlet) -> Option<Work> {
        match message {
            Message::Request(request) => {
                self.log.method(&request.method);
                Some(self.request(request, outlet))
            }
            Message::Notification { method, params } => {
                self.log.method(&method);
                self.notification(&method, &params);
                None
            }
            Message::Response { id, outcome } => {
                self.log.answer(&id);
                if let Some(waiting) = self.state().asked.remove(&id) {
                    // The asker may have gone; then its answer is of no use to anybody.
                    waiting.send(outcome).ok();
                }
                None
            }
        }
    }

    fn notification(&self, method: &str, request: &Params) {
        // A notification never gets an answer, so what cannot be read is passed over (JSON-RPC 2.0 §4.1).
        if method == "notifications/cancelled"
            && let Ok(CancelledParams { request_id: Some(id) }) = params(request)
        {
            let id = id.to_string();
            self.log.cancelled(&id);
            if let Some(token) = self.state().open.get(&id) {
                token.cancel();
            }
        }
    }

    fn request(self: &Arc<Self>, request: Request, outlet: Outlet) -> Work {
        let reply = match self.caller_of(&request) {
            Ok(Some(caller)) if request.method == "tools/call" => return self.call(request, caller, outlet),
            Ok(_) => self.answer(&request),
            Err(error) => Err(error),
        };
        Box::pin(async move {
            outlet.send(Out::Message(message::answer(Some(&request.id), &reply))).await;
        })
    }

    /// Who sends the request, as the handshake told. Before it only `initialize` and `ping` are served (2025-11-25
    /// basic/lifecycle §Initialization).
    fn caller_of(&self, request: &Request) -> Result<Option<Caller>, RpcError> {
        match (self.state().caller.clone(), request.method.as_str()) {
            (None, "initialize" | "ping") => Ok(None),
            (Some(_), "initialize") => {
                Err(RpcError::invalid_request("Invalid Request: this session is initialized already"))
            }
            (Some(caller), _) => Ok(Some(caller)),
            (None, method) if !METHODS.contains(&method) => Err(RpcError::method_not_found(method)),
            (None, method) => Err(RpcError::invalid_request(format!("Invalid Request: {method} before initialize"))),
        }
    }

    fn answer(&self, request: &Request) -> Reply {
        let given = &request.params;
        match request.method.as_str() {
            "initialize" => self.initialize(given),
            "ping" => Ok(json!({})),
            "logging/setLevel" => self.set_level(given),
            "tools/list" => page("tools", TOOLS, given, ToolRow::entry),
            "resources/list" => page("resources", RESOURCES, given, ResourceRow::entry),
            "resources/templates/list" => page("resourceTemplates", TEMPLATES, given, TemplateRow::entry),
            "resources/read" => resources::read(given),
            "prompts/list" => page("prompts", PROMPTS, given, PromptRow::entry),
            "prompts/get" => prompts::get(given),
            "completion/complete" => prompts::complete(given),
            other => Err(RpcError::method_not_found(other)),
        }
    }

    fn initialize(&self, request: &Params) -> Reply {
        let InitializeParams { protocol_version, capabilities } = params(request)?;
        // "If the server supports the requested protocol version, it MUST respond with the same version. Otherwise, the server
        // MUST respond with another" (2025-11-25 basic/lifecycle §Version Negotiation).
        let version = VERSIONS.into_iter().find(|version| *version == protocol_version).unwrap_or(NEWEST);
        // Without logging/setLevel "the server MAY decide which messages to send" (2025-11-25 server/utilities/logging): all.
        self.state().caller = Some(Caller { version, capabilities, level: 0 });
        self.log.session(version);
        Ok(json!({
            "protocolVersion": version,
            "capabilities": { "tools": {}, "resources": {}, "prompts": {}, "completions": {}, "logging": {} },
            "serverInfo": { "name": "mcpcli-demo", "title": "mcpcli demo server", "version": env!("CARGO_PKG_VERSION") },
            "instructions": INSTRUCTIONS
        }))
    }

    fn set_level(&self, request: &Params) -> Reply {
        let LevelParams { level } = params(request)?;
        let Some(at) = LEVELS.iter().position(|name| *name == level) else {
            // 2025-11-25 server/utilities/logging §Error Handling.
            return Err(RpcError::invalid_params(format!("Invalid log level: {level}")));
        };
        if let Some(caller) = &mut self.state().caller {
            caller.level = at;
        }
        Ok(json!({}))
    }

    fn call(self: &Arc<Self>, request: Request, caller: Caller, outlet: Outlet) -> Work {
        let (session, id) = (self.clone(), request.id.clone());
        let cancel = CancellationToken::new();
        let open = self.state().open.len();
        let refusal = if self.state().open.contains_key(&id) {
            // "The request ID MUST NOT have been previously used by the requestor within the same session" (2025-11-25 basic
            // §Requests).
            Some(RpcError::invalid_request(format!("Invalid Request: a request with id {id} is still open")))
        } else {
            (open >= CALLS).then(|| RpcError::new(-32603, format!("Internal error: {open} calls are open already")))
        };
        if let Some(refusal) = refusal {
            return Box::pin(async move {
                outlet.send(Out::Message(message::answer(Some(&id), &Err(refusal)))).await;
            });
        }
        self.state().open.insert(id.clone(), cancel.clone());
        Box::pin(async move {
            tokio::select! {
                // "The receiver SHOULD ... not send a response for the cancelled request" (2025-11-25 basic/utilities/cancellation).
                biased;
                () = cancel.cancelled() => {}
                () = session.run(&request, caller, outlet) => {}
            }
            session.state().open.remove(&id);
        })
    }

    async fn run(self: &Arc<Self>, request: &Request, caller: Caller, outlet: Outlet) {
        let way_back = outlet.clone();
        let context = |token| Context { caller, session: self.clone(), outlet, progress_token: token };
        let reply = match params::<CallParams>(&request.params) {
            Err(error) => Err(error),
            Ok(call) => {
                let context = context(call._meta.and_then(|meta| meta.progress_token));
                match misbehave::chosen(&self.faults) {
                    Some(fault) => return misbehave::run(fault, &context, &request.id).await,
                    None => run_tool(&call.name, call.arguments.as_deref(), context).await,
                }
            }
        };
        way_back.send(Out::Message(message::answer(Some(&request.id), &reply))).await;
    }

    /// Opens a question to the client: its id, as JSON text, and where the answer will come.
    pub fn question(&self) -> (Id, oneshot::Receiver<Result<Value, Value>>) {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        state.questions += 1;
        // A string, so that nobody takes it for one of the client's own ids.
        let id = format!("\"ask-{}\"", state.questions);
        state.asked.insert(id.clone(), sender);
        (id, receiver)
    }

    /// Closes a question.
    pub fn forget_question(&self, id: &str) {
        self.state().asked.remove(id);
    }
}

/// Every method that is served.
const METHODS: [&str; 11] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

async fn run_tool(name: &str, arguments: Option<&RawValue>, context: Context) -> Reply {
    // 2025-11-25 server/tools §Error Handling: an unknown tool is a protocol error, bad arguments are the tool's own failure.
    let Some(row) = ToolRow::find(name) else {
        return Err(RpcError::invalid_params(format!("Unknown tool: {name}")));
    };
    let arguments = match Arguments::read(arguments.map_or("{}", RawValue::get)) {
        Ok(arguments) => arguments,
        Err(what) => return Ok(calls::failure(format!("invalid arguments for \"{name}\": {what}"))),
    };
    let found = findings(&row.input_schema(), &arguments.values);
    if !found.is_empty() {
        return Ok(calls::failure(format!("invalid arguments for \"{name}\": {}", found.join("; "))));
    }
    match row.run {
        Run::Now(run) => run(&context, &arguments),
        Run::Later(run) => run(context, arguments).await,
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
