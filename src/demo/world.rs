//! What all clients of one server share, over whichever transport: eras, faults, tasks, changes, and the key of request states.

use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

use super::Transport;
use super::eras::Eras;
use super::faults::{self, Fault};
use super::log::Log;
use super::tasks::{Task, Tasks};
use super::tools::{TOOLS, ToolRow};

/// Changes that wait for a slow listener; what it misses beyond is lost to it.
const CHANGES: usize = 256;
/// Streams of `subscriptions/listen` that may be open at once.
const LISTENERS: usize = 256;

/// How often the resource `demo://clock` changes.
pub const TICK: Duration = Duration::from_millis(100);

/// Something that listeners may want to hear of.
#[derive(Debug, Clone)]
pub enum Change {
    /// A list: the method of its notification.
    List(&'static str),
    /// The state of a task.
    Task(Arc<Task>),
}

/// What all clients share.
#[derive(Debug)]
pub struct World {
    pub eras: Eras,
    pub faults: Vec<Fault>,
    pub log: Log,
    /// The tasks of clients that have no session.
    pub tasks: Tasks,
    pub changes: broadcast::Sender<Change>,
    pub listeners: Arc<Semaphore>,
    pub stop: CancellationToken,
    extra: AtomicBool,
    key: RandomState,
    started: Instant,
}

impl World {
    /// A world of its own; refuses faults and eras that do not go together or over `transport`.
    pub fn new(faults: &[Fault], protocol: Eras, transport: Transport) -> io::Result<Arc<World>> {
        faults::check(faults, transport)?;
        Ok(Arc::new(World {
            eras: protocol.with(faults, transport)?,
            faults: faults.to_vec(),
            log: Log::default(),
            tasks: Tasks::default(),
            changes: broadcast::channel(CHANGES).0,
            listeners: Arc::new(Semaphore::new(LISTENERS)),
            stop: CancellationToken::new(),
            extra: AtomicBool::new(false),
            key: RandomState::new(),
            started: Instant::now(),
        }))
    }

    /// Whether a fault was asked for.
    pub fn commits(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    /// Runs `work` until it is done or the server is dropped.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = work => {}
            }
        });
    }

    /// The tools that there are now: the last row of the table comes and goes.
    pub fn tools(&self) -> &'static [ToolRow] {
        let hidden = usize::from(!self.extra.load(Ordering::Relaxed));
        &TOOLS[..TOOLS.len().saturating_sub(hidden)]
    }

    /// Shows the last row of the tools if it is hidden, and hides it otherwise.
    pub fn toggle_extra_tool(&self) {
        self.extra.fetch_xor(true, Ordering::Relaxed);
    }

    /// Tells listeners, if there are any.
    pub fn announce(&self, change: Change) {
        self.changes.send(change).ok();
    }

    /// How often the clock has ticked.
    pub fn ticks(&self) -> u128 {
        self.started.elapsed().as_millis() / TICK.as_millis()
    }

    /// A seal that only this process can make, because a client may change the state that it sends back (2026-07-28
    /// basic/patterns/mrtr §Server Requirements).
    pub fn seal(&self, text: &str) -> String {
        format!("{:016x}", self.key.hash_one(text))
    }
}

/// 64 bits that cannot be guessed: the standard library keys each `RandomState` from the system's random source. "The session
/// ID SHOULD be globally unique and cryptographically secure" (2025-11-25 basic/transports §Session Management).
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// An id that cannot be guessed.
pub fn random_id() -> String {
    format!("{:016x}{:016x}", random(), random())
}
