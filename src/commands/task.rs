//! Tasks: calls made as one, and what became of them.

use super::{Found, TaskDeed, TaskWish};
use crate::client::era::Shape;
use crate::client::{Answer, Client, ClientError, TaskOrigin, TaskView};
use crate::outcome::{Category, Failure, Phase, Reason};
use crate::report::{Body, TaskReport};
use crate::schema::shell_word;
use crate::wire::json;
use crate::wire::mcp::{CallResult, ToolView};

/// A tool by its name, and what the server says of it if that was asked.
#[derive(Clone, Copy)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    pub(super) declared: Option<&'a ToolView>,
}

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
    tool: Tool<'_>,
    arguments: &str,
    client: &mut Client,
) -> Result<Called, ClientError> {
    let origin = client.tasks();
    if let Some(failure) = forbidden(tool, origin) {
        return Ok(Called::Impossible(Box::new(failure)));
    }
    if origin == TaskOrigin::None {
        return Ok(Called::Impossible(Box::new(no_tasks(client))));
    }
    let ttl = wish.ttl_ms.map_or_else(String::new, |ttl| format!("\"ttl\":{ttl}"));
    let more = [("task", format!("{{{ttl}}}"))];
    // In the extension the server alone decides (extension io.modelcontextprotocol/tasks §Task Creation).
    let more: &[_] = if origin == TaskOrigin::Core { &more } else { &[] };
    let schema = tool.declared.and_then(|declared| declared.input_schema.as_deref());
    let answer = client.call_tool(tool.name, arguments, schema, more).await?;
    let is_task = match client.shape("tools/call", &answer.result)? {
        Shape::Task => true,
        Shape::Complete | Shape::InputRequired(_) => {
            origin == TaskOrigin::Core && json::member(&answer.result, "task").is_some()
        }
    };
    if !is_task {
        if wish.detach {
            client.note("the server made no task of the call; this is its result");
        }
        return Ok(Called::Answer(answer));
    }
    let task = client.read_task("tools/call", &answer.result)?;
    if wish.detach {
        let hint = match client.outlives_command() {
            true => hint(&task),
            false => Some("the server ends with this command, and the task with it; --task waits for it".to_owned()),
        };
        let report = TaskReport { hint, task: Some(task.raw), created: true, ..TaskReport::default() };
        client.keep_session();
        return Ok(Called::Detached(Box::new(Body::Task(report))));
    }
    client.wait_for_new_task(task).await.map(Called::Answer)
}

/// Commands to copy, unless the id could not be typed as it stands.
fn hint(task: &TaskView) -> Option<String> {
    let typeable = !task.id.starts_with('-') && !task.id.contains(|c: char| c.is_control() || c == '`');
    let id = shell_word(&task.id);
    typeable
        .then(|| format!("`mcpcli task get {id} --wait` waits for its result, `mcpcli task cancel {id}` cancels it"))
}

/// In 2025-11-25 a tool says whether it can be a task; one that does not say so cannot (2025-11-25 server/tools
/// §Execution: `taskSupport` defaults to `forbidden`).
fn forbidden(tool: Tool<'_>, origin: TaskOrigin) -> Option<Failure> {
    let says = support(tool.declared?, origin)?;
    let message = format!("the tool {:?} cannot be called as a task (taskSupport {says}); nothing was sent", tool.name);
    let failure = Failure::usage(Reason::CommandLine, message);
    (says == "forbidden").then(|| failure.with_hint("without --task the tool is called and waited for"))
}

/// A tool of 2025-11-25 that can be called as a task only, and is not.
pub(super) fn required(tool: Tool<'_>, client: &Client) -> Option<Failure> {
    let says = support(tool.declared?, client.tasks())?;
    let message = format!("the tool {:?} can be called as a task only; nothing was sent", tool.name);
    let failure = Failure::usage(Reason::CommandLine, message);
    (says == "required").then(|| failure.with_hint("--task makes a task of the call and waits for its end"))
}

fn support(tool: &ToolView, origin: TaskOrigin) -> Option<String> {
    let says = json::member(&tool.raw, "execution").and_then(|execution| json::member(&execution, "taskSupport"));
    let says = says.and_then(|says| json::string(&says)).unwrap_or_else(|| "forbidden".to_owned());
    (origin == TaskOrigin::Core).then_some(says)
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
            Ok(answer) => {
                // 2025-11-25 answers with the task; the extension with nothing, and only `tasks/get` tells what came of it.
                let task = client.read_task("tasks/cancel", &answer.result).ok().map(|task| task.raw);
                let result = task.is_none().then_some(answer.result);
                Found::ok(Body::Task(TaskReport { task, result, ..TaskReport::default() }))
            }
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
        return Found::ok(Body::Task(TaskReport { hint: hint(&task), task: Some(task.raw), ..TaskReport::default() }));
    }
    let raw = task.raw.clone();
    match client.wait_for_task(task).await {
        Ok((task, answer)) => {
            // Whichever command fetched it, a result with isError is a tool's failure.
            let failed = CallResult::read(&answer.result).is_error;
            let failure = failed.then(|| {
                Failure::new(Category::ToolError, Phase::of_method("tools/call"), "the task's tool reported an error")
            });
            let report = TaskReport { task: Some(task.raw), result: Some(answer.result), ..TaskReport::default() };
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
