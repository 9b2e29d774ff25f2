//! stdio: a server program as a child process, one JSON-RPC message a line (basic/transports §stdio, all versions).
//!
//! Four tasks serve a connection: one for each pipe, so that no pipe can block another, and one that sees the child
//! through. Whatever breaks, the child's exit and the last lines of its stderr are what the error shows.
//!
//! Writing to a child that is gone must give an error instead of a signal. Rust's runtime ignores SIGPIPE from the start,
//! so this holds as long as nobody sets it back; the child itself starts with the default.

mod child;
mod lines;
mod pumps;
mod spawn;
mod state;
#[cfg(all(test, unix))]
mod tests;

use std::io;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

pub use self::child::kill_all;

use self::child::Group;
use self::pumps::Job;
use self::state::State;
use super::{Context, Inbox, Kind, Listening, Opened, Outgoing, SpawnCause, StdioEndpoint, Transport, TransportError};

/// How many messages may wait for a child that does not read.
const QUEUE: usize = 16;

/// Starts the program and connects to it.
///
/// The values of the endpoint's variables are secrets from here on. A message from the server may be as long as
/// `max_message_size` bytes. Nothing is retried.
///
/// # Errors
/// Why the program did not start.
pub async fn open(endpoint: StdioEndpoint, max_message_size: usize, ctx: Context) -> Result<Opened, TransportError> {
    for (_, value) in &endpoint.env {
        ctx.tracer.redactor().add(value);
    }
    let mut child = spawn::spawn(&endpoint)?;
    let parts = (child.stdin().take(), child.stdout().take(), child.stderr().take(), child.id());
    let (Some(stdin), Some(stdout), Some(stderr), Some(pid)) = parts else {
        return Err(unconnected(&endpoint));
    };
    let Some(group) = Group::led_by(pid).map(Arc::new) else {
        return Err(unconnected(&endpoint));
    };
    let count = endpoint.args.len();
    ctx.tracer
        .note(format!("started {} with {count} arguments as process {pid}, in a group of its own", endpoint.program));

    let state = Arc::new(State::new(ctx.tracer, max_message_size));
    let (events, inbox) = Inbox::new();
    let (queue, jobs) = mpsc::channel(QUEUE);
    let pipes = [
        tokio::spawn(pumps::write_messages(stdin, jobs, events.clone(), Arc::clone(&state))),
        tokio::spawn(pumps::read_log(stderr, events.clone(), Arc::clone(&state))),
        tokio::spawn(pumps::read_messages(stdout, events, Arc::clone(&state))),
    ];
    let supervisor = tokio::spawn(child::supervise(child, Arc::clone(&group), Arc::clone(&state)));
    Ok(Opened { transport: Arc::new(Stdio { queue, state, group, pipes, supervisor }), inbox })
}

fn unconnected(endpoint: &StdioEndpoint) -> TransportError {
    TransportError::Spawn {
        program: endpoint.program.clone(),
        cwd: endpoint.cwd.clone(),
        searched_path: false,
        cause: SpawnCause::Other,
        detail: io::Error::from(io::ErrorKind::BrokenPipe).to_string(),
    }
}

struct Stdio {
    queue: mpsc::Sender<Job>,
    state: Arc<State>,
    group: Arc<Group>,
    pipes: [JoinHandle<()>; 3],
    supervisor: JoinHandle<()>,
}

impl Stdio {
    fn over(&self) -> TransportError {
        self.state.too_large().unwrap_or(TransportError::Closed)
    }

    async fn put(&self, message: Outgoing) -> Result<(), TransportError> {
        if self.state.closing.is_cancelled() {
            return Err(self.over());
        }
        // A request is on its way once it is queued: if the child does not read, the clock of its answer runs, and the
        // caller stays free to take in what a child says that writes before it reads.
        let (written, wait) = match message.key {
            Some(_) => (None, None),
            None => {
                let (written, wait) = oneshot::channel();
                (Some(written), Some(wait))
            }
        };
        let job = Job { text: message.text, key: message.key, written };
        self.queue.send(job).await.map_err(|_| self.over())?;
        match wait {
            Some(wait) => wait.await.map_err(|_| self.over())?,
            None => Ok(()),
        }
    }
}

impl Transport for Stdio {
    fn kind(&self) -> Kind {
        Kind::Stdio
    }

    /// Safe to give up on: a message is written as a whole or not at all.
    fn send<'a>(&'a self, message: Outgoing) -> BoxFuture<'a, Result<(), TransportError>> {
        Box::pin(self.put(message))
    }

    /// Nothing: stdout is shared, and the client says `notifications/cancelled`.
    fn abandon(&self, _key: u64) {}

    fn set_protocol_version(&self, _version: &str) {}

    fn pending(&self) -> Option<(usize, String)> {
        self.state.pending()
    }

    fn forget_session(&self) {}

    fn listen<'a>(&'a self) -> BoxFuture<'a, Listening> {
        Box::pin(async { Listening::NotApplicable })
    }

    fn close<'a>(&'a self) -> BoxFuture<'a, ()> {
        Box::pin(async {
            self.state.closing.cancel();
            self.state.gone.cancelled().await;
            for pipe in &self.pipes {
                pipe.abort();
            }
        })
    }
}

impl Drop for Stdio {
    /// Without a close there is no time for manners: the group is killed.
    fn drop(&mut self) {
        if !self.state.gone.is_cancelled() {
            self.group.kill();
        }
        self.supervisor.abort();
        for pipe in &self.pipes {
            pipe.abort();
        }
    }
}
