//! Tasks: calls whose result is fetched later. Two forms exist: the core feature of 2025-11-25 (experimental there), which the
//! client asks for, and the extension io.modelcontextprotocol/tasks of 2026-07-28, which the client allows and the server
//! decides on.

use std::collections::BTreeSet;
use std::time::Duration;

use super::Activity;
use super::era::{Era, TASKS, Wanted};
use super::error::{ClientError, Fault};
use super::host::Question;
use super::operations::{Client, violation};
use super::peer::Answer;
use crate::outcome::{Phase, WarningId};
use crate::wire::jsonrpc::ErrorObject;
use crate::wire::{RawJson, json};

/// How often to ask when the server does not say.
const POLL: Duration = Duration::from_secs(1);
/// The shortest and the longest pause between two questions, whatever the server says.
const SHORTEST_POLL: Duration = Duration::from_millis(20);
const LONGEST_POLL: Duration = Duration::from_secs(60);

/// What a task can be (both forms).
const STATUSES: [&str; 5] = ["working", "input_required", "completed", "failed", "cancelled"];

/// The first and only version with tasks in its core.
const CORE_TASKS: &str = "2025-11-25";

/// A task as the server told of it, in either form.
#[derive(Debug, Clone)]
pub struct TaskView {
    /// `taskId`
    pub id: String,
    /// `working`, `input_required`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// `statusMessage`
    pub message: Option<String>,
    /// The pause that the server asks for between two questions (`pollIntervalMs`, `pollInterval`).
    pub poll: Option<Duration>,
    /// The object as it came.
    pub raw: RawJson,
}

impl TaskView {
    /// Reads a task: flat as in 2026-07-28, or under `task` as in 2025-11-25. `None` without a `taskId` and a `status`.
    pub fn read(result: &RawJson) -> Option<TaskView> {
        let raw = json::member(result, "task").filter(|task| json::kind(task) == json::JsonKind::Object);
        let raw = raw.unwrap_or_else(|| result.clone());
        let text = |name: &str| json::member(&raw, name).and_then(|value| json::string(&value));
        let number = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| json::member(&raw, name));
            found.filter(|value| json::kind(value) == json::JsonKind::Number).map(|value| value.get().to_owned())
        };
        let poll = number(["pollIntervalMs", "pollInterval"]).and_then(|text| text.parse::<f64>().ok());
        Some(TaskView {
            id: text("taskId")?,
            status: text("status")?,
            message: text("statusMessage"),
            poll: poll.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()),
            raw,
        })
    }

    /// Whether nothing more can come of it.
    pub fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "completed" | "failed" | "cancelled")
    }
}

/// Which form of tasks a conversation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskOrigin {
    /// 2025-11-25: the client asks for a task.
    Core,
    /// 2026-07-28: the server may make one of a call.
    Extension,
    /// Neither.
    None,
}

impl Client {
    /// Which form of tasks this conversation has. The extension is the server's to use, so it need not be advertised.
    pub fn tasks(&self) -> TaskOrigin {
        match self.era() {
            Era::Modern(_) => TaskOrigin::Extension,
            Era::Legacy { version } if version == CORE_TASKS && self.offers_in("/tasks/requests/tools/call") => {
                TaskOrigin::Core
            }
            Era::Legacy { .. } => TaskOrigin::None,
        }
    }

    /// Whether the server says that it has the extension.
    pub fn offers_task_extension(&self) -> bool {
        // As long as nobody has asked it, it may.
        self.capabilities_unknown() || self.offers_in(&format!("/extensions/{}", json::pointer_step(TASKS)))
    }

    /// The task that a result tells of.
    ///
    /// # Errors
    /// It tells of none.
    pub fn read_task(&self, method: &str, result: &RawJson) -> Result<TaskView, ClientError> {
        view(method, result)
    }

    /// `tasks/get`.
    ///
    /// # Errors
    /// Everything but a result that tells of a task.
    pub async fn task(&mut self, id: &str) -> Result<TaskView, ClientError> {
        let answer = self.request("tasks/get", &[("taskId", json::quote(id))], false).await?;
        let task = view("tasks/get", &answer.result)?;
        if task.id != id {
            let message = format!("tasks/get of {id:?} tells of another task, {:?}", task.id);
            return Err(violation("tasks/get", message, &answer.result));
        }
        if !STATUSES.contains(&task.status.as_str()) {
            let message = format!("the task has the unknown status {:?}", task.status);
            self.ledger().warn(WarningId::ResultShape, message);
        }
        Ok(task)
    }

    /// `tasks/cancel`.
    ///
    /// # Errors
    /// Everything but a result.
    pub async fn cancel_task(&mut self, id: &str) -> Result<Answer, ClientError> {
        self.request("tasks/cancel", &[("taskId", json::quote(id))], false).await
    }

    /// Waits for the end of a task that a call has just become.
    ///
    /// # Errors
    /// As [`Client::wait_for_task`]. If the wait is interrupted, the task is cancelled: nobody else knows of it.
    pub async fn wait_for_new_task(&mut self, task: TaskView) -> Result<Answer, ClientError> {
        // One that is over already, or asks something, was told of without its result or its questions.
        let task = match task.status.as_str() {
            "working" => task,
            _ if matches!(self.era(), Era::Legacy { .. }) => task,
            _ => self.task(&task.id).await?,
        };
        let id = task.id.clone();
        let waited = self.wait_for_task(task).await;
        if let Err(ClientError { fault: Fault::Interrupted(_), .. }) = &waited {
            let draft = self.era().draft("tasks/cancel", &[("taskId", json::quote(&id))], None);
            self.peer().last_request(draft).await;
        }
        waited.map(|(_, answer)| answer)
    }

    /// Waits for the end of a task, with the pauses that the server asks for, and answers what it asks meanwhile. Gives the
    /// task as it was told of last, and the result that the call would have had.
    ///
    /// # Errors
    /// How the task failed, or what kept from waiting. The task goes on then.
    pub async fn wait_for_task(&mut self, task: TaskView) -> Result<(TaskView, Answer), ClientError> {
        let id = task.id.clone();
        let waited = self.watch_task(task).await;
        waited.map_err(|error| match error.fault {
            Fault::Timeout(silence) => ClientError { fault: Fault::TaskLeft(id, silence), ..error },
            fault => ClientError { fault, ..error },
        })
    }

    async fn watch_task(&mut self, mut task: TaskView) -> Result<(TaskView, Answer), ClientError> {
        let started = std::time::Instant::now();
        let mut asked = Asked::default();
        loop {
            (self.options().activity)(Activity::Task {
                id: task.id.clone(),
                status: task.status.clone(),
                message: task.message.clone(),
            });
            if let Some(result) = self.outcome(&task, &mut asked).await? {
                return Ok((task, Answer { result, http_status: None, took: started.elapsed() }));
            }
            let pause = task.poll.unwrap_or(POLL).clamp(SHORTEST_POLL, LONGEST_POLL);
            // The pause is the server's wish, so only the clock of the whole command and signals end it.
            let unhurried = super::Options { timeout: None, ..self.options().clone() };
            super::peer::guard(&unhurried, Phase::of_method("tasks/get"), tokio::time::sleep(pause)).await?;
            task = self.task(&task.id).await?;
        }
    }

    /// What a task in this state gives; `None` if there is more to wait for.
    async fn outcome(&mut self, task: &TaskView, asked: &mut Asked) -> Result<Option<RawJson>, ClientError> {
        let extension = matches!(self.era(), Era::Modern(_));
        match task.status.as_str() {
            "working" => Ok(None),
            // 2025-11-25 basic/utilities/tasks: `tasks/result` waits for the end, and what the server asks comes beside it.
            "input_required" | "completed" | "failed" if !extension => {
                let answer = self.request("tasks/result", &[("taskId", json::quote(&task.id))], false).await?;
                Ok(Some(answer.result))
            }
            "input_required" => self.answer_task(task, asked).await.map(|()| None),
            "completed" => match json::member(&task.raw, "result") {
                Some(result) => Ok(Some(result)),
                None => Err(violation("tasks/get", "the task is completed, but has no result", &task.raw)),
            },
            "failed" => Err(failed(task)),
            "cancelled" => {
                let fault = Fault::TaskCancelled { id: task.id.clone(), message: task.message.clone() };
                Err(ClientError { phase: Phase::of_method("tasks/get"), fault })
            }
            other => Err(violation("tasks/get", format!("a task has the unknown status {other:?}"), &task.raw)),
        }
    }

    /// Answers what a task asks by `tasks/update`, each key once. A task that goes on asking, or does not take the answers, is
    /// given up after as many rounds as a result that asks.
    async fn answer_task(&mut self, task: &TaskView, asked: &mut Asked) -> Result<(), ClientError> {
        let requests = json::member(&task.raw, "inputRequests").and_then(|all| json::members(&all));
        let mut questions: Vec<(String, Question)> =
            requests.unwrap_or_default().into_iter().map(|(key, raw)| (key, Question::read(&raw))).collect();
        asked.rounds += 1;
        if asked.rounds > self.options().max_rounds {
            let questions = questions.into_iter().map(|(_, question)| question).collect();
            let fault = Fault::Rounds(self.options().max_rounds, questions);
            return Err(ClientError { phase: Phase::of_method("tasks/get"), fault });
        }
        questions.retain(|(key, _)| asked.answered.insert(key.clone()));
        if questions.is_empty() {
            return Ok(());
        }
        let wanted = Wanted { questions, state: None };
        let mut members = vec![("taskId", json::quote(&task.id))];
        members.extend(self.supply("tasks/get", &wanted).await?);
        self.request("tasks/update", &members, false).await.map(|_| ())
    }
}

/// What a task has asked so far.
#[derive(Default)]
struct Asked {
    /// Keys are never used twice in one task, so what was answered is not answered again.
    answered: BTreeSet<String>,
    /// How often it was found waiting for input.
    rounds: usize,
}

/// Reads a task from a result.
fn view(method: &str, result: &RawJson) -> Result<TaskView, ClientError> {
    let missing =
        || violation(method, format!("the result of {method} tells of no task: no taskId or no status"), result);
    TaskView::read(result).ok_or_else(missing)
}

/// A task of the extension that failed did so by a JSON-RPC error, which stands in it.
fn failed(task: &TaskView) -> ClientError {
    let Some(error) = json::member(&task.raw, "error") else {
        return violation("tasks/get", "the task has failed, but has no error", &task.raw);
    };
    let fault = Fault::Rpc { error: Box::new(ErrorObject::read(&error)), http_status: None, own_id: true };
    ClientError { phase: Phase::of_method("tools/call"), fault }
}
