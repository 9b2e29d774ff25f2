//! Tasks: calls that go on after their request was answered. This file keeps them; each era has its own words for them.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use super::context::{Outlet, Reply, WeakOutlet};
use super::world::{Change, random_id};

/// Tasks that one store keeps; beyond, the oldest is forgotten.
const TASKS: usize = 256;
/// How long a task is kept if nobody says otherwise.
pub const TTL: Duration = Duration::from_secs(60);
/// The longest time that a client can ask for.
const LONGEST: Duration = Duration::from_secs(3600);
/// How often a client may look, in milliseconds.
pub const POLL_MS: u64 = 100;

/// Where a task stands. The words are the same in both eras.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It runs.
    Working,
    /// It waits for the client.
    InputRequired,
    /// It has a result.
    Completed,
    /// It has none.
    Failed,
    /// The client wanted it no more.
    Cancelled,
}

impl Status {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Working => "working",
            Status::InputRequired => "input_required",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }

    /// Whether nothing comes after it.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Status::Completed | Status::Failed | Status::Cancelled)
    }
}

/// What changes about a task.
#[derive(Debug)]
pub struct State {
    pub status: Status,
    pub message: Option<String>,
    pub updated: SystemTime,
    /// How it ended.
    pub outcome: Option<Reply>,
    /// What it asks the client, by key: `method` and `params`.
    pub questions: Map<String, Value>,
    /// What the client answered, by key.
    answers: Map<String, Value>,
    /// Ways to a client of the legacy era that waits for the result; its request keeps them open.
    readers: Vec<WeakOutlet>,
}

/// One task.
#[derive(Debug)]
pub struct Task {
    pub id: String,
    pub created: SystemTime,
    pub ttl: Duration,
    state: watch::Sender<State>,
    cancel: CancellationToken,
    changes: broadcast::Sender<Change>,
}

impl Task {
    /// Reads the state.
    pub fn look<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state.borrow())
    }

    /// Changes the state, unless it is final, and tells everybody.
    fn change(self: &Arc<Self>, change: impl FnOnce(&mut State)) {
        let changed = self.state.send_if_modified(|state| {
            let open = !state.status.is_terminal();
            if open {
                change(state);
                state.updated = SystemTime::now();
            }
            open
        });
        if changed {
            self.changes.send(Change::Task(self.clone())).ok();
        }
    }

    /// Runs `work` to the end of the task. `fails` tells which results count as failures.
    pub async fn run(self: Arc<Self>, work: impl Future<Output = Reply>, fails: fn(&Value) -> bool) {
        let reply = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return,
            reply = work => reply,
        };
        self.change(|state| {
            state.status = match &reply {
                Ok(result) if !fails(result) => Status::Completed,
                Ok(_) => Status::Failed,
                Err(_) => Status::Failed,
            };
            state.message = match &reply {
                Err(error) => Some(error.message.clone()),
                Ok(_) => None,
            };
            state.outcome = Some(reply);
        });
    }

    /// Says how far it is.
    pub fn tell(self: &Arc<Self>, message: String) {
        self.change(|state| state.message = Some(message));
    }

    /// Ends it without a result; false if it has ended already.
    pub fn cancel(self: &Arc<Self>) -> bool {
        let open = !self.look(|state| state.status).is_terminal();
        self.change(|state| {
            state.status = Status::Cancelled;
            state.message = Some("the client cancelled the task".to_owned());
            state.questions.clear();
        });
        self.cancel.cancel();
        open
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        // The sender lives as long as the task, so waiting cannot fail.
        self.state.subscribe().wait_for(|state| state.status.is_terminal()).await.ok();
    }

    /// Asks the client by the task's own state, and waits for `answer`.
    pub async fn ask(self: &Arc<Self>, key: &str, question: Value) -> Value {
        self.change(|state| {
            state.questions.insert(key.to_owned(), question);
            state.status = Status::InputRequired;
        });
        let mut states = self.state.subscribe();
        match states.wait_for(|state| state.answers.contains_key(key)).await {
            Ok(state) => state.answers.get(key).cloned().unwrap_or_default(),
            Err(_) => Value::Null,
        }
    }

    /// Takes the client's answers; keys that nobody asked for are passed over.
    pub fn answer(self: &Arc<Self>, answers: Map<String, Value>) {
        self.change(|state| {
            for (key, answer) in answers {
                if state.questions.remove(&key).is_some() {
                    state.answers.insert(key, answer);
                }
            }
            if state.questions.is_empty() {
                state.status = Status::Working;
            }
        });
    }

    /// Says whether it waits for an answer that comes some other way.
    pub fn waits(self: &Arc<Self>, waits: bool) {
        self.change(|state| state.status = if waits { Status::InputRequired } else { Status::Working });
    }

    /// Adds a way to the client.
    pub fn read_by(&self, outlet: &Outlet) {
        self.state.send_modify(|state| {
            state.readers.retain(|reader| reader.upgrade().is_some());
            state.readers.push(outlet.downgrade());
        });
    }

    /// Waits for a way to the client.
    pub async fn reader(&self) -> Option<Outlet> {
        let open = |state: &State| state.readers.iter().find_map(WeakOutlet::upgrade);
        let mut states = self.state.subscribe();
        loop {
            if let Some(reader) = open(&states.borrow_and_update()) {
                return Some(reader);
            }
            states.changed().await.ok()?;
        }
    }

    fn is_over(&self) -> bool {
        self.created.elapsed().is_ok_and(|age| age > self.ttl)
    }
}

/// A bounded number of tasks.
#[derive(Debug, Default)]
pub struct Tasks(Mutex<VecDeque<Arc<Task>>>);

impl Tasks {
    /// Opens a task. `ttl` is in milliseconds.
    pub fn open(&self, ttl: Option<u64>, changes: &broadcast::Sender<Change>) -> Arc<Task> {
        let now = SystemTime::now();
        let state = State {
            status: Status::Working,
            message: None,
            updated: now,
            outcome: None,
            questions: Map::new(),
            answers: Map::new(),
            readers: Vec::new(),
        };
        let task = Arc::new(Task {
            id: random_id(),
            created: now,
            ttl: ttl.map_or(TTL, Duration::from_millis).min(LONGEST),
            state: watch::Sender::new(state),
            cancel: CancellationToken::new(),
            changes: changes.clone(),
        });
        let mut tasks = self.tasks();
        if tasks.len() >= TASKS
            && let Some(oldest) = tasks.pop_front()
        {
            oldest.cancel.cancel();
        }
        tasks.push_back(task.clone());
        task
    }

    /// The task of that id.
    pub fn find(&self, id: &str) -> Option<Arc<Task>> {
        self.tasks().iter().find(|task| task.id == id).cloned()
    }

    /// Every task, oldest first.
    pub fn all(&self) -> Vec<Arc<Task>> {
        self.tasks().iter().cloned().collect()
    }

    /// Cancels what still runs.
    pub fn end(&self) {
        self.tasks().drain(..).for_each(|task| task.cancel.cancel());
    }

    fn tasks(&self) -> MutexGuard<'_, VecDeque<Arc<Task>>> {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| {
            let over = task.is_over();
            if over {
                task.cancel.cancel();
            }
            !over
        });
        tasks
    }
}

/// A time as the wire has it.
pub fn time(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn store() -> (Tasks, broadcast::Sender<Change>) {
        (Tasks::default(), broadcast::channel(16).0)
    }

    #[tokio::test]
    async fn the_oldest_task_makes_room() {
        let (tasks, changes) = store();
        let first = tasks.open(None, &changes);
        for _ in 0..TASKS {
            tasks.open(None, &changes);
        }
        assert!(tasks.find(&first.id).is_none() && first.cancel.is_cancelled());
        assert_eq!(tasks.all().len(), TASKS);
    }

    #[tokio::test]
    async fn a_task_that_is_too_old_is_forgotten() {
        let (tasks, changes) = store();
        let task = tasks.open(Some(0), &changes);
        while !task.is_over() {
            tokio::task::yield_now().await;
        }
        assert!(tasks.find(&task.id).is_none());
        assert_eq!(tasks.open(Some(u64::MAX), &changes).ttl, LONGEST);
    }

    #[tokio::test]
    async fn an_end_is_final() {
        let (tasks, changes) = store();
        for (reply, fails, status) in [
            (Ok(json!({"isError": true})), (|_| false) as fn(&Value) -> bool, Status::Completed),
            (Ok(json!({"isError": true})), |result| result["isError"] == true, Status::Failed),
            (Err(super::super::message::RpcError::new(-1, "no")), |_| false, Status::Failed),
        ] {
            let task = tasks.open(None, &changes);
            task.clone().run(async { reply }, fails).await;
            assert_eq!(task.look(|state| state.status), status);
            assert!(!task.cancel());
            assert_eq!(task.look(|state| state.status), status);
        }
    }
}
