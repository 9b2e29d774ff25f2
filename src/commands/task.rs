//! Tasks: calls made as one, and what became of them.

use serde_json::value::RawValue;

use super::{Found, TaskDeed, TaskWish};
use crate::client::era::Shape;
use crate::client::{Answer, Client, ClientError, TaskOrigin, TaskView};
use crate::outcome::{Category, Failure, Phase, Reason};
use crate::report::{Body, TaskReport};
use crate::schema::shell_word;
use crate::wire::json;
use crate::wire::mcp::CallResult;

/// What came of a call that may be a task.
pub(super) enum Called {
    /// The result of the call.
    Answer(Answer),
    /// The task, which is left to itself.
    Detached(Box<Body>),
    /// It cannot be one here.
    Impossible(Box<Failure>),
}

/// Calls a tool as a task, and waits for its end unless it is to be left to itself.
pub(super) async fn call(
    wish: &TaskWish,
    tool: &str,
    arguments: &str,
    schema: Option<&RawValue>,
    client: &mut Client,
) -> Result<Called, ClientError> {
    let origin = client.tasks();
    if origin == TaskOrigin::None {
        return Ok(Called::Impossible(Box::new(no_tasks(client))));
    }
    let ttl = wish.ttl_ms.map_or_else(String::new, |ttl| format!("\"ttl\":{ttl}"));
    let more = [("task", format!("{{{ttl}}}"))];
    // In the extension the server alone decides (extension io.modelcontextprotocol/tasks §Task Creation).
    let more: &[_] = if origin == TaskOrigin::Core { &more } else { &[] };
    let answer = client.call_tool(tool, arguments, schema, more).await?;
    let is_task = match client.shape("tools/call", &answer.result)? {
        Shape::Task => true,
        Shape::Complete | Shape::InputRequired(_) => {
            origin == TaskOrigin::Core && json::member(&answer.result, "task").is_some()
        }
    };
    if !is_task {
        return Ok(Called::Answer(answer));
    }
    let task = client.read_task("tools/call", &answer.result)?;
    if wish.detach {
        let report = TaskReport { hint: Some(hint(&task)), task: Some(task.raw), ..TaskReport::default() };
        return Ok(Called::Detached(Box::new(Body::Task(report))));
    }
    client.wait_for_task(task).await.map(Called::Answer)
}

fn hint(task: &TaskView) -> String {
    let id = shell_word(&task.id);
    format!("`mcpcli task get {id} --wait` waits for its result, `mcpcli task cancel {id}` cancels it")
}

fn no_tasks(client: &Client) -> Failure {
    let message = format!(
        "the server has no tasks for tools/call (it speaks {}, and does not advertise them); nothing was sent",
        client.version()
    );
    Failure::usage(Reason::CommandLine, message).with_hint("without --task the tool is called and waited for")
}

/// Runs `task get`, `task cancel` or `task list`.
pub(super) async fn run(deed: &TaskDeed, client: &mut Client) -> Found {
    match deed {
        TaskDeed::Get { id, wait } => get(id, *wait, client).await,
        TaskDeed::Cancel { id } => match client.cancel_task(id).await {
            Ok(answer) => Found::ok(Body::Task(TaskReport { result: Some(answer.result), ..TaskReport::default() })),
            Err(error) => Found::failed(explained(&error, client)),
        },
        TaskDeed::List => list(client).await,
    }
}

async fn get(id: &str, wait: bool, client: &mut Client) -> Found {
    let task = match client.task(id).await {
        Ok(task) => task,
        Err(error) => return Found::failed(explained(&error, client)),
    };
    if !task.is_over() && !wait {
        return Found::ok(Body::Task(TaskReport {
            hint: Some(hint(&task)),
            task: Some(task.raw),
            ..TaskReport::default()
        }));
    }
    let raw = task.raw.clone();
    match client.wait_for_task(task).await {
        Ok(answer) => {
            // Whichever command fetched it, a result with isError is a tool's failure.
            let failed = CallResult::read(&answer.result).is_error;
            let failure = failed.then(|| {
                Failure::new(Category::ToolError, Phase::of_method("tools/call"), "the task's tool reported an error")
            });
            let report = TaskReport { task: Some(raw), result: Some(answer.result), ..TaskReport::default() };
            Found { body: Body::Task(report), failures: failure.into_iter().collect() }
        }
        Err(error) => {
            let body = Body::Task(TaskReport { task: Some(raw), ..TaskReport::default() });
            Found { body, failures: vec![error.to_failure()] }
        }
    }
}

/// 2026-07-28 has no list of tasks: an id is all that leads to one.
async fn list(client: &mut Client) -> Found {
    if client.tasks() == TaskOrigin::Extension {
        let message = "tasks cannot be listed in 2026-07-28; nothing was sent";
        let hint = "`mcpcli task get ID` asks for one; with --protocol 2025-11-25 a server may have a list";
        return Found::failed(Failure::usage(Reason::CommandLine, message).with_hint(hint));
    }
    let pages = client.list("tasks/list", "tasks", |_| false).await;
    let failures = pages.stopped.iter().map(|error| explained(error, client)).collect();
    let report = TaskReport { list: Some(pages.entries), ..TaskReport::default() };
    Found { body: Body::Task(report), failures }
}

/// A server without tasks explains why it knows no such method.
fn explained(error: &ClientError, client: &Client) -> Failure {
    let mut failure = error.to_failure();
    let none = match client.tasks() {
        TaskOrigin::None => true,
        TaskOrigin::Extension => !client.offers_task_extension(),
        TaskOrigin::Core => false,
    };
    if failure.category == Category::RpcError && none {
        failure.hint = Some("the server does not advertise tasks".to_owned());
    }
    failure
}
