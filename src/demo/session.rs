//! One client's session: the protocol from `initialize` to `tools/call`, without a transport.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::context::{Asks, Caller, Context, LEVELS, Outlet, Reply, Work};
use super::dispatch;
use super::eras::LEGACY;
use super::faults::Fault;
use super::message::{self, Id, Message, Params, Request, RpcError, params};
use super::misbehave;
use super::modern;
use super::resources;
use super::tasks::Tasks;
use super::world::World;

/// What is offered to a client that asks for another version.
const NEWEST: &str = LEGACY[LEGACY.len() - 1];
/// Streams a session may hold open at once.
const STREAMS: usize = 4;
/// Calls a session may have open at once.
const CALLS: usize = 1024;

/// What a client is told of the server.
pub const INSTRUCTIONS: &str = "The demo server of mcpcli. Call `echo` to see a result, `throw_error` and `return_error` to see \
                                the two ways in which a call fails, `slow` to try timeouts and cancellation.";

/// What one client has said, and what is still open with it.
#[derive(Debug)]
pub struct Session {
    pub(super) world: Arc<World>,
    /// The calls of this client that became tasks.
    pub(super) tasks: Tasks,
    /// The resources that it subscribed to.
    pub(super) subscribed: watch::Sender<BTreeSet<String>>,
    /// Cancelled when the session ends.
    pub(super) ended: CancellationToken,
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
    /// Whether changes are sent to a stream.
    forwards: bool,
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
struct UriParams {
    uri: String,
}

impl Session {
    /// A session before its handshake.
    pub fn new(world: Arc<World>) -> Arc<Session> {
        Arc::new(Session {
            world,
            tasks: Tasks::default(),
            subscribed: watch::Sender::default(),
            ended: CancellationToken::new(),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version that the handshake settled on.
    pub fn version(&self) -> Option<&'static str> {
        self.state().caller.as_ref().map(|caller| caller.version)
    }

    /// Keeps a stream to the client; false when there are too many.
    pub fn add_stream(self: &Arc<Self>, outlet: Outlet) -> bool {
        let mut state = self.state();
        state.streams.retain(|stream| !stream.is_closed());
        let room = state.streams.len() < STREAMS;
        if room {
            state.streams.push(outlet);
        }
        if room && !state.forwards {
            state.forwards = true;
            self.world.spawn(self.forward());
        }
        room
    }

    /// Lets go of the streams, so that they can end.
    pub fn close_streams(&self) {
        self.ended.cancel();
        self.state().streams.clear();
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
        drop(state);
        self.ended.cancel();
        self.tasks.end();
    }

    /// Whether the answer to a request is a stream rather than one message.
    pub fn streams(&self, request: &Request) -> bool {
        match (request.method.as_str(), misbehave::chosen(&self.world.faults)) {
            ("tools/call", Some(fault)) => misbehave::streams(fault),
            // What the task asks the client comes before its result.
            ("tasks/result", _) => true,
            (method, _) => dispatch::streams(method, &request.params) && !self.becomes_a_task(request),
        }
    }

    /// Takes a message. State changes at once; the work that is left, if any, sends the answer to `outlet`.
    pub fn receive(self: &Arc<Self>, message: Message, outlet: Outlet) -> Option<Work> {
        match message {
            Message::Request(request) => {
                self.world.log.method(&request.method);
                Some(self.request(request, outlet))
            }
            Message::Notification { method, params } => {
                self.world.log.method(&method);
                self.notification(&method, &params);
                None
            }
            Message::Response { id, outcome } => {
                self.world.log.answer(&id);
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
        if let Some(id) = message::cancelled(method, request) {
            self.world.log.cancelled(&id);
            if let Some(token) = self.state().open.get(&id) {
                token.cancel();
            }
        }
    }

    fn request(self: &Arc<Self>, request: Request, outlet: Outlet) -> Work {
        let reply = match self.caller_of(&request) {
            Ok(Some(caller)) if self.becomes_a_task(&request) => self.open_task(&request, caller),
            Ok(Some(caller)) if waits(&caller, &request.method) => return self.call(request, caller, outlet),
            Ok(caller) => self.answer(&request, caller),
            Err(error) => Err(error),
        };
        Box::pin(async move {
            outlet.answer(&request.id, &reply).await;
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

    fn answer(&self, request: &Request, caller: Option<Caller>) -> Reply {
        let given = &request.params;
        let method = request.method.as_str();
        match (method, &caller) {
            ("initialize", _) => self.initialize(given),
            ("ping", _) => Ok(json!({})),
            ("logging/setLevel", _) => self.set_level(given),
            ("resources/subscribe", _) => self.subscribe(given, true),
            ("resources/unsubscribe", _) => self.subscribe(given, false),
            (_, Some(caller)) if caller.version >= TASKS_SINCE && method.starts_with("tasks/") => {
                self.task_method(method, given)
            }
            (_, Some(caller)) => dispatch::answer(&self.world, caller, method, given)
                .unwrap_or_else(|| Err(RpcError::method_not_found(method))),
            (_, None) => Err(RpcError::method_not_found(method)),
        }
    }

    fn initialize(&self, request: &Params) -> Reply {
        let InitializeParams { protocol_version, capabilities } = params(request)?;
        // "If the server supports the requested protocol version, it MUST respond with the same version. Otherwise, the server
        // MUST respond with another" (2025-11-25 basic/lifecycle §Version Negotiation).
        if self.world.commits(Fault::UnsupportedVersion) {
            return Err(modern::unsupported(&self.world, &protocol_version));
        }
        let version = LEGACY.into_iter().find(|version| *version == protocol_version).unwrap_or(NEWEST);
        // Without logging/setLevel "the server MAY decide which messages to send" (2025-11-25 server/utilities/logging): all.
        self.state().caller = Some(Caller { version, capabilities, level: Some(0) });
        self.world.log.session(version);
        let mut capabilities = modern::capabilities();
        if version >= TASKS_SINCE {
            capabilities["tasks"] = json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } });
        }
        Ok(json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": modern::server_info(),
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
            caller.level = Some(at);
        }
        Ok(json!({}))
    }

    /// `resources/subscribe` and `resources/unsubscribe` (2025-11-25 server/resources §Subscriptions).
    fn subscribe(&self, request: &Params, wanted: bool) -> Reply {
        let UriParams { uri } = params(request)?;
        if !resources::exists(&uri) {
            return Err(resources::not_found(&uri, false));
        }
        self.subscribed.send_modify(|subscribed| {
            if wanted {
                subscribed.insert(uri)
            } else {
                subscribed.remove(&uri)
            };
        });
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
                outlet.answer(&id, &Err(refusal)).await;
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
        if request.method == "tasks/result" {
            let reply = self.task_result(&request.params, &outlet).await;
            outlet.answer(&request.id, &reply).await;
            return;
        }
        let context = Context {
            caller,
            world: self.world.clone(),
            outlet: outlet.clone(),
            progress_token: dispatch::progress_token(&request.params),
            asks: Asks::Requests(self.clone()),
            task: None,
        };
        match misbehave::chosen(&self.world.faults) {
            Some(fault) if request.method == "tools/call" => misbehave::run(fault, &context, &request.id).await,
            _ => {
                let reply = dispatch::run(&request.method, &request.params, context).await;
                outlet.answer(&request.id, &reply).await;
            }
        }
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

/// The version that brought tasks (2025-11-25 basic/utilities/tasks).
pub(super) const TASKS_SINCE: &str = "2025-11-25";

/// Whether the answer may take its time.
fn waits(caller: &Caller, method: &str) -> bool {
    dispatch::ASKING.contains(&method) || (method == "tasks/result" && caller.version >= TASKS_SINCE)
}

/// Every method that is served.
pub(super) const METHODS: [&str; 17] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "tasks/get",
    "tasks/result",
    "tasks/list",
    "tasks/cancel",
];

#[cfg(test)]
#[path = "session_tests.rs"]
pub(super) mod tests;
