//! The extension of tasks: a call that goes on after its request was answered (io.modelcontextprotocol/tasks).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{TASKS, envelope};
use crate::demo::context::{Asks, Caller, Context, Outlet, Reply};
use crate::demo::dispatch;
use crate::demo::message::{Request, RpcError, params};
use crate::demo::tasks::{POLL_MS, Task, time};
use crate::demo::world::World;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskParams {
    task_id: String,
    input_responses: Option<Map<String, Value>>,
}

/// Whether the sender of a request knows tasks.
pub fn known(caller: &Caller) -> bool {
    caller.capabilities["extensions"].get(TASKS).is_some_and(Value::is_object)
}

/// Whether a call becomes a task. The server decides, but never for a client that does not know tasks.
pub fn wanted(request: &Request, caller: &Caller) -> bool {
    known(caller) && dispatch::tool(&request.params).is_some_and(|row| row.task)
}

/// Answers a call with the task that it becomes.
pub fn open(world: &Arc<World>, request: &Request, mut caller: Caller) -> Value {
    let task = world.tasks.open(None, &world.changes);
    // There are no log messages and no progress of a task.
    caller.level = None;
    let context = Context {
        caller,
        world: world.clone(),
        outlet: Outlet::nowhere(),
        progress_token: None,
        asks: Asks::Task,
        task: Some(task.clone()),
    };
    let given = request.params.clone();
    let mut result = told(&task);
    result["resultType"] = json!("task");
    // A result with `isError` is a result: the task is `completed`, unlike in 2025-11-25.
    let work = async move { dispatch::run("tools/call", &given, context).await };
    world.spawn(task.run(work, |_| false));
    result
}

/// A task in the words of the extension.
fn told(task: &Task) -> Value {
    task.look(|state| {
        let mut told = json!({
            "taskId": task.id, "status": state.status.name(), "createdAt": time(task.created),
            "lastUpdatedAt": time(state.updated), "ttlMs": task.ttl.as_millis() as u64, "pollIntervalMs": POLL_MS
        });
        if let Some(message) = &state.message {
            told["statusMessage"] = json!(message);
        }
        told
    })
}

/// The same, with what its status brings: questions, a result, or an error.
pub fn detailed(task: &Task) -> Value {
    let mut told = told(task);
    task.look(|state| {
        if !state.questions.is_empty() {
            told["inputRequests"] = json!(state.questions);
        }
        match &state.outcome {
            Some(Ok(result)) => told["result"] = envelope::seal(result.clone(), None),
            Some(Err(error)) => told["error"] = error.to_json(),
            None => {}
        }
    });
    told
}

/// `tasks/get`, `tasks/update`, `tasks/cancel`.
pub fn method(world: &World, request: &Request, caller: &Caller) -> Reply {
    if !known(caller) {
        let needed = json!({ "requiredCapabilities": { "extensions": { TASKS: {} } } });
        return Err(RpcError::new(-32021, format!("Missing required client capability: {TASKS}")).with_data(needed));
    }
    let TaskParams { task_id, input_responses } = params(&request.params)?;
    let Some(task) = world.tasks.find(&task_id) else {
        return Err(RpcError::invalid_params(format!("Unknown task: {task_id}")));
    };
    match request.method.as_str() {
        "tasks/get" => return Ok(detailed(&task)),
        "tasks/update" => {
            let Some(answers) = input_responses else {
                return Err(RpcError::invalid_params("Invalid params: missing field `inputResponses`"));
            };
            task.answer(answers);
        }
        // Nobody is told whether it came in time.
        _ => {
            task.cancel();
        }
    }
    Ok(json!({}))
}

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;
