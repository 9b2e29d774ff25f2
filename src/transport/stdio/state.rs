//! What the tasks of one stdio connection know in common, and the error that they make of it.

use std::collections::VecDeque;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::trace::{Record, Tracer};
use crate::transport::{StreamEnd, TransportError};

/// How long the end of one pipe waits for the exit status and for the rest of the others.
pub(super) const SETTLE: Duration = Duration::from_millis(100);

/// The last lines of stderr: so many, and so many bytes of them.
const TAIL_LINES: usize = 20;
const TAIL_BYTES: usize = 16 * 1024;

/// An unfinished line is evidence, not payload: so many bytes of it are shown.
const UNFINISHED_BYTES: usize = 2 * 1024;
/// Of a line that may still go on, so many.
const PENDING_BYTES: usize = 200;

/// How the child ended; both are `None` where the system does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Exit {
    pub(super) status: Option<i32>,
    pub(super) signal: Option<i32>,
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Exit {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Exit { status: status.code(), signal }
    }
}

/// What the tasks of one connection share.
pub(super) struct State {
    pub(super) tracer: Arc<Tracer>,
    /// The largest message, in bytes.
    pub(super) limit: usize,
    /// Nobody wants messages any more: the shutdown ladder runs.
    pub(super) closing: CancellationToken,
    /// Nothing more comes from stdout.
    pub(super) stdout_over: CancellationToken,
    /// Nothing more comes from stderr.
    pub(super) stderr_over: CancellationToken,
    /// The child is no more; [`State::exit`] says how it ended.
    pub(super) exited: CancellationToken,
    /// The child and its group are no more, or were given up.
    pub(super) gone: CancellationToken,
    exit: OnceLock<Exit>,
    messages: AtomicU64,
    bytes: AtomicU64,
    unfinished: OnceLock<String>,
    /// The line of stdout that is begun: its bytes so far, and how it begins.
    pending: Mutex<Option<(usize, String)>>,
    too_large: OnceLock<usize>,
    tail: Mutex<VecDeque<String>>,
}

impl State {
    pub(super) fn new(tracer: Arc<Tracer>, limit: usize) -> State {
        State {
            tracer,
            limit,
            closing: CancellationToken::new(),
            stdout_over: CancellationToken::new(),
            stderr_over: CancellationToken::new(),
            exited: CancellationToken::new(),
            gone: CancellationToken::new(),
            exit: OnceLock::new(),
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            unfinished: OnceLock::new(),
            pending: Mutex::default(),
            too_large: OnceLock::new(),
            tail: Mutex::new(VecDeque::new()),
        }
    }

    /// Notes how the child ended, and tells the waiting tasks.
    pub(super) fn set_exit(&self, exit: Exit) {
        self.exit.get_or_init(|| exit);
        self.exited.cancel();
    }

    /// So many bytes came from stdout.
    pub(super) fn count_bytes(&self, count: usize) {
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// A message came from stdout.
    pub(super) fn count_message(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes how far the line is that stdout has begun.
    pub(super) fn set_pending(&self, line: &[u8]) {
        let begins = String::from_utf8_lossy(&line[..line.len().min(PENDING_BYTES)]);
        let pending = (!line.is_empty()).then(|| (line.len(), self.tracer.redactor().mask(&begins).into_owned()));
        *self.pending.lock().unwrap_or_else(PoisonError::into_inner) = pending;
    }

    /// The line that stdout has begun, if it has.
    pub(super) fn pending(&self) -> Option<(usize, String)> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stdout ended inside a line.
    pub(super) fn set_unfinished(&self, line: &[u8]) {
        let shown = &line[..line.len().min(UNFINISHED_BYTES)];
        let text = String::from_utf8_lossy(shown);
        self.unfinished.get_or_init(|| self.tracer.redactor().mask(&text).into_owned());
    }

    /// A line was longer than the limit.
    pub(super) fn set_too_large(&self, seen: usize) {
        self.too_large.get_or_init(|| seen);
    }

    /// Records a line of stderr and keeps it for errors. Gives it back with its secrets masked.
    pub(super) fn log(&self, line: String) -> String {
        let line = self.tracer.redactor().mask(&line).into_owned();
        self.tracer.record(Record::Stderr { line: line.clone() });
        if !line.trim().is_empty() {
            let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.push_back(line.clone());
            let mut bytes: usize = tail.iter().map(String::len).sum();
            while tail.len() > TAIL_LINES || bytes > TAIL_BYTES {
                bytes -= tail.pop_front().map_or(bytes, |dropped| dropped.len());
            }
        }
        line
    }

    /// Why nothing can travel any more. An exit that is known by now, or within `patience`, is the reason whatever
    /// the pipe said: a broken pipe is only how a dead child looks from the other side.
    pub(super) async fn verdict(&self, otherwise: StreamEnd, patience: Duration) -> TransportError {
        if let Some(error) = self.too_large() {
            return error;
        }
        let settled = async {
            self.exited.cancelled().await;
            self.stderr_over.cancelled().await;
        };
        // Running into the limit is a normal case: a grandchild may hold stderr open, or the child lives on.
        let _settled_in_time = tokio::time::timeout(patience, settled).await.is_ok();
        let end = match self.exit.get() {
            Some(exit) => StreamEnd::Exited { status: exit.status, signal: exit.signal },
            None => otherwise,
        };
        TransportError::Stream {
            end,
            messages: self.messages.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            stderr: self.tail.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect(),
            unfinished: self.unfinished.get().cloned(),
            reconnects: 0,
            causes: Vec::new(),
        }
    }

    /// The error of a line above the limit, if there was one.
    pub(super) fn too_large(&self) -> Option<TransportError> {
        self.too_large.get().map(|seen| TransportError::TooLarge { limit: self.limit, seen: *seen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn tail(state: &State) -> Vec<String> {
        state.tail.lock().unwrap().iter().cloned().collect()
    }

    #[test]
    fn the_tail_is_bounded_in_lines_and_bytes() {
        let state = State::new(Arc::new(Tracer::new()), 1);
        for n in 0..100 {
            state.log(format!("line {n}"));
            state.log("  ".to_owned());
        }
        assert_eq!(tail(&state).len(), TAIL_LINES);
        assert_eq!(tail(&state)[TAIL_LINES - 1], "line 99");
        for _ in 0..3 {
            state.log("x".repeat(8 * 1024));
        }
        assert_eq!(tail(&state).len(), 2);
    }

    #[test]
    fn secrets_are_masked_before_they_are_kept() {
        let state = State::new(Arc::new(Tracer::new()), 1);
        state.tracer.redactor().add(&Secret::new("hunter22"));
        assert_eq!(state.log("KEY=hunter22".to_owned()), "KEY=***");
        assert_eq!(tail(&state), ["KEY=***"]);
        state.set_unfinished(b"{\"key\":\"hunter22\"");
        assert_eq!(state.unfinished.get().unwrap(), "{\"key\":\"***\"");
    }
}
