//! What a session of the legacy era does besides answering: tasks (2025-11-25), and the news on its standing stream.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{MissedTickBehavior, interval};

use super::context::{Asks, Caller, Context, Out, Outlet, Reply, Work};
use super::dispatch;
use super::lists::page;
use super::message::{self, Params, Request, RpcError, params};
use super::misbehave;
use super::resources::CLOCK;
use super::session::{Session, TASKS_SINCE};
use super::tasks::{POLL_MS, Task, time};
use super::world::{Change, TICK};

#[derive(Deserialize)]
struct Augmented {
    task: Option<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    ttl: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskParams {
    task_id: String,
}

/// A task in the words of 2025-11-25 (schema Task).
pub fn told(task: &Task) -> Value {
    task.look(|state| {
        let mut told = json!({
            "taskId": task.id, "status": state.status.name(), "createdAt": time(task.created),
            "lastUpdatedAt": time(state.updated), "ttl": task.ttl.as_millis() as u64, "pollInterval": POLL_MS
        });
        if let Some(message) = &state.message {
            told["statusMessage"] = json!(message);
        }
        told
    })
}

impl Session {
    /// Whether a request asks to become a task.
    pub(super) fn becomes_a_task(&self, request: &Request) -> bool {
        request.method == "tools/call"
            && self.version().is_some_and(|version| version >= TASKS_SINCE)
            // Faults are committed in the answer to the call itself.
            && misbehave::chosen(&self.world.faults).is_none()
            && params::<Augmented>(&request.params).is_ok_and(|params| params.task.is_some())
    }

    /// Answers a call with the task that it becomes.
    pub(super) fn open_task(self: &Arc<Self>, request: &Request, caller: Caller) -> Reply {
        let Augmented { task: wanted } = params(&request.params)?;
        let Some(row) = dispatch::tool(&request.params) else {
            return dispatch::unknown_tool(&request.params);
        };
        if !row.task {
            // A tool without `execution.taskSupport` cannot (2025-11-25 basic/utilities/tasks §Tool-Level Negotiation).
            return Err(RpcError::new(-32601, format!("Method not found: {} cannot become a task", row.name)));
        }
        let task = self.tasks.open(wanted.and_then(|wanted| wanted.ttl), &self.world.changes);
        let context = Context {
            caller,
            world: self.world.clone(),
            outlet: Outlet::nowhere(),
            progress_token: None,
            asks: Asks::Requests(self.clone()),
            task: Some(task.clone()),
        };
        let given = request.params.clone();
        let work = async move { dispatch::run("tools/call", &given, context).await };
        // Unlike since 2026-07-28, a result with `isError` makes the task `failed` (2025-11-25 basic/utilities/tasks §Result Retrieval).
        let told = told(&task);
        self.world.spawn(task.run(work, |result| result["isError"] == true));
        Ok(json!({ "task": told }))
    }

    fn task(&self, request: &Params) -> Result<Arc<Task>, RpcError> {
        let TaskParams { task_id } = params(request)?;
        self.tasks
            .find(&task_id)
            .ok_or_else(|| RpcError::invalid_params(format!("Failed to retrieve task: no task {task_id}")))
    }

    /// The methods of tasks that are answered at once.
    pub(super) fn task_method(&self, method: &str, request: &Params) -> Reply {
        match method {
            "tasks/get" => Ok(told(&*self.task(request)?)),
            "tasks/list" => page("tasks", &self.tasks.all(), request, |task| told(task)),
            "tasks/cancel" => {
                let task = self.task(request)?;
                match task.cancel() {
                    true => Ok(told(&task)),
                    false => Err(RpcError::invalid_params("Cannot cancel task: it has ended already")),
                }
            }
            other => Err(RpcError::method_not_found(other)),
        }
    }

    /// `tasks/result`, which is answered when the task has ended (2025-11-25 basic/utilities/tasks §Result Retrieval).
    pub(super) async fn task_result(&self, request: &Params, outlet: &Outlet) -> Reply {
        let task = self.task(request)?;
        task.read_by(outlet);
        task.ended().await;
        let outcome = task.look(|state| state.outcome.clone());
        let mut result =
            outcome.unwrap_or_else(|| Err(RpcError::new(-32603, "Internal error: the task was cancelled")))?;
        result["_meta"] = json!({ "io.modelcontextprotocol/related-task": { "taskId": task.id } });
        Ok(result)
    }

    /// Sends what changes to the standing stream, as long as the session lasts.
    pub(super) fn forward(self: &Arc<Self>) -> Work {
        let session = self.clone();
        let mut changes = self.world.changes.subscribe();
        let mut subscribed = self.subscribed.subscribe();
        let mut clock = interval(TICK);
        clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Box::pin(async move {
            loop {
                let watches = subscribed.borrow_and_update().contains(CLOCK);
                let message = tokio::select! {
                    () = session.ended.cancelled() => return,
                    _ = subscribed.changed() => None,
                    _ = clock.tick(), if watches => {
                        Some(message::notification("notifications/resources/updated", &json!({ "uri": CLOCK })))
                    }
                    change = changes.recv() => match change {
                        Ok(change) => session.news(change),
                        Err(RecvError::Lagged(_)) => None,
                        Err(RecvError::Closed) => return,
                    }
                };
                // A message goes to one of the open streams, never to all (2025-11-25 basic/transports §Multiple Connections).
                if let (Some(message), Some(stream)) = (message, session.stream()) {
                    stream.send(Out::Message(message)).await;
                }
            }
        })
    }

    fn news(&self, change: Change) -> Option<String> {
        // Over stdio there may never be a handshake, and then the client hears by its subscriptions only.
        self.version()?;
        match change {
            Change::List(method) => Some(message::notification(method, &json!({}))),
            Change::Task(task) => {
                self.tasks.find(&task.id).map(|task| message::notification("notifications/tasks/status", &told(&task)))
            }
        }
    }
}

#[cfg(test)]
#[path = "session_tasks_tests.rs"]
mod tests;
