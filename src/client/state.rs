//! What is known of a conversation: who waits for what, and what has come that nobody waits for.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;

use super::error::Fault;
use crate::outcome::{Category, Failure, Phase};
use crate::transport::TransportError;
use crate::wire::{RawJson, json};

/// What becomes of a request.
pub type Outcome = Result<(RawJson, Option<u16>), Fault>;

/// A request that waits for its answer.
pub struct Waiter {
    /// The method, for messages.
    pub method: String,
    /// Where the outcome goes.
    pub tx: oneshot::Sender<Outcome>,
    /// When progress last came for it.
    pub last_progress: Option<Instant>,
    /// How many progress notifications came for it.
    pub progress: u64,
    /// The last one in words.
    pub last_progress_text: Option<String>,
    /// Something that came and could have been its answer, but cannot be used. It is what is told when nothing
    /// better comes (RPC-02, RPC-14).
    pub unusable: Option<Fault>,
}

impl Waiter {
    /// A waiter for an answer to `method`.
    pub fn new(method: String, tx: oneshot::Sender<Outcome>) -> Waiter {
        Waiter { method, tx, last_progress: None, progress: 0, last_progress_text: None, unusable: None }
    }
}

/// How many ids of requests that were given up are remembered.
const GIVEN_UP_KEPT: usize = 256;

/// What is known of a conversation.
#[derive(Default)]
pub struct State {
    /// Open requests by id.
    pub waiters: BTreeMap<u64, Waiter>,
    /// Why the connection is gone, if it is.
    pub closed: Option<Arc<TransportError>>,
    /// Requests that nobody waits for any more.
    pub given_up: Vec<u64>,
    /// How many questions of the server are with a person right now.
    pub asking: u32,
    /// How many answers to the server are on their way.
    pub answering: usize,
    /// How many requests of the server got none, because too many answers were on their way.
    pub ignored: u64,
    /// When a question of the server was last answered.
    pub asked_at: Option<Instant>,
    /// Questions that could not be answered.
    pub unanswered: Vec<Unanswered>,
    /// SSE comments so far.
    pub keep_alives: u64,
    /// Lines on stdout that are no messages.
    pub noise_lines: u64,
    /// The first of them.
    pub noise: Vec<String>,
    /// Who the server says it is.
    pub server_name: String,
    /// Requests of the server are not answered: its version has none.
    pub silenced: bool,
    /// Why the standing stream is gone for good, if it is.
    pub standing_over: Option<String>,
    /// Takes notifications.
    pub watcher: Option<tokio::sync::mpsc::Sender<Notice>>,
    /// Notifications that the watcher has not taken yet.
    pub notices: VecDeque<Notice>,
    /// How many canned answers were used, per kind.
    pub used: Used,
}

impl State {
    /// Remembers that nobody waits for this request any more.
    pub fn give_up(&mut self, id: u64) {
        self.waiters.remove(&id);
        if self.given_up.len() == GIVEN_UP_KEPT {
            self.given_up.remove(0);
        }
        self.given_up.push(id);
    }
}

/// A notification of the server, for whoever watches.
#[derive(Debug, Clone)]
pub struct Notice {
    /// The method.
    pub method: String,
    /// The params as they came.
    pub params: Option<RawJson>,
}

/// How many canned answers were used.
#[derive(Debug, Default)]
pub struct Used {
    /// Of `--answer` for forms.
    pub elicitation: usize,
    /// Of `--answer sampling=…`.
    pub sampling: usize,
}

/// A question of the server that could not be answered.
#[derive(Debug, Clone)]
pub struct Unanswered {
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The params as they came.
    pub params: Option<RawJson>,
    /// Why, in words.
    pub why: String,
    /// The option that answers it.
    pub how: String,
    /// Whether mcpcli had said that it can be answered.
    pub declared: bool,
}

impl Unanswered {
    /// The failure that an open question is.
    pub fn to_failure(&self, phase: Phase) -> Failure {
        let message = format!("the server asked for input by {} that was not supplied: {}", self.method, self.why);
        let mut failure = Failure::new(Category::InputRequired, phase, message);
        if let Some(params) = &self.params {
            failure = failure.with_evidence("asked", json::compact(params.get()));
        }
        failure.with_hint(format!("answer it with {}", self.how))
    }
}
