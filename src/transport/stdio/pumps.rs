//! The three pipes of a child: one task each, so that none can block another.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::lines::{LogLines, MessageLines, Step};
use super::state::{SETTLE, State};
use crate::trace::Direction;
use crate::transport::{Event, EventSender, Origin, StreamEnd, TransportError, rpc};

/// As much as a pipe of the usual size holds.
const CHUNK: usize = 64 * 1024;

/// The most that a child can have left in the pipe when it exited (the largest pipe that Linux gives by default). What
/// comes after that was written by somebody else.
const LARGEST_PIPE: usize = 1024 * 1024;

/// How long a stderr line may stay unfinished before it is shown as it is: a prompt has no line end.
const PROMPT: Duration = Duration::from_millis(300);

/// How long queued messages may still be written once the connection is closing.
const LINGER: Duration = Duration::from_millis(200);

/// Hands out the lines of stdout until it ends, then says why.
pub(super) async fn read_messages(mut stdout: ChildStdout, events: EventSender, state: Arc<State>) {
    let over = state.stdout_over.clone().drop_guard();
    let mut reader = Reader { lines: MessageLines::new(state.limit), events, state: Arc::clone(&state) };
    let stop = reader.pump(&mut stdout).await;
    // With its reader gone, a child that writes on meets a broken pipe instead of waiting for ever.
    drop(stdout);
    drop(over);
    if state.closing.is_cancelled() {
        return;
    }
    let error = match stop {
        Stop::Ended => state.verdict(StreamEnd::Exited { status: None, signal: None }, SETTLE).await,
        Stop::Orphaned => state.verdict(StreamEnd::Exited { status: None, signal: None }, Duration::ZERO).await,
        Stop::Failed(error) => state.verdict(StreamEnd::Reset(error.to_string()), SETTLE).await,
        Stop::TooLarge => state.verdict(StreamEnd::Clean, Duration::ZERO).await,
    };
    reader.give(Err(error)).await;
    if state.too_large().is_some() {
        // It will not stop by itself.
        state.closing.cancel();
    }
}

/// Why reading stdout stopped.
enum Stop {
    /// It ended.
    Ended,
    /// The child exited, and whoever still holds its stdout is not the server.
    Orphaned,
    /// The system failed.
    Failed(std::io::Error),
    /// A line was longer than the limit.
    TooLarge,
}

struct Reader {
    lines: MessageLines,
    events: EventSender,
    state: Arc<State>,
}

impl Reader {
    async fn pump(&mut self, stdout: &mut ChildStdout) -> Stop {
        let mut chunk = vec![0; CHUNK];
        // What is left once the child has exited: time to wait for bytes, and bytes that can be its own.
        let mut left: Option<(Duration, usize)> = None;
        loop {
            let read = match left {
                None => tokio::select! {
                    read = stdout.read(&mut chunk) => read,
                    () = self.state.exited.cancelled() => {
                        left = Some((SETTLE, LARGEST_PIPE));
                        continue;
                    }
                },
                Some((_, 0)) => return Stop::Orphaned,
                Some((patience, bytes)) => {
                    let start = Instant::now();
                    let Ok(read) = tokio::time::timeout(patience, stdout.read(&mut chunk)).await else {
                        return Stop::Orphaned;
                    };
                    let used = read.as_ref().map_or(0, |count| *count);
                    left = Some((patience.saturating_sub(start.elapsed()), bytes.saturating_sub(used)));
                    read
                }
            };
            let stop = match read {
                Ok(0) => self.last_line().await,
                Ok(count) => self.take(&chunk[..count]).await,
                Err(error) => Some(Stop::Failed(error)),
            };
            if let Some(stop) = stop {
                return stop;
            }
        }
    }

    async fn take(&mut self, mut input: &[u8]) -> Option<Stop> {
        self.state.count_bytes(input.len());
        loop {
            match self.lines.next(&mut input) {
                // basic/transports §stdio (all versions): messages are delimited by newlines.
                Ok(Step::Line(line)) => self.deliver(line).await,
                Ok(Step::More) => {
                    self.state.set_pending(self.lines.pending());
                    return None;
                }
                Ok(Step::TooLong(seen)) => {
                    self.state.set_too_large(seen);
                    return Some(Stop::TooLarge);
                }
                Err(error) => return Some(Stop::Failed(error)),
            }
        }
    }

    async fn last_line(&mut self) -> Option<Stop> {
        let rest = self.lines.rest();
        if !rest.is_empty() {
            self.state.set_unfinished(&rest);
            // A program that ends in the middle of a message has broken off; one that only forgot the line end has not.
            if rpc::looks_like_message(&rest) || !rest.trim_ascii_start().starts_with(b"{") {
                self.deliver(rest).await;
            } else {
                self.state.tracer.frame(Direction::In, "stdout", &rest);
            }
        }
        Some(Stop::Ended)
    }

    async fn deliver(&mut self, line: Vec<u8>) {
        if line.is_empty() {
            return;
        }
        self.state.tracer.frame(Direction::In, "stdout", &line);
        self.state.count_message();
        self.give(Ok(Event::Message { bytes: line, origin: Origin::Shared, http_status: None })).await;
    }

    /// Waits for room in the queue, unless nobody wants it any more: then stdout is only drained.
    async fn give(&self, event: Result<Event, TransportError>) {
        give(&self.events, &self.state, event).await;
    }
}

async fn give(events: &EventSender, state: &State, event: Result<Event, TransportError>) {
    tokio::select! {
        biased;
        () = state.closing.cancelled() => {}
        // An error here means that the receiver is gone, which is the same as closing.
        _ = events.send(event) => {}
    }
}

/// Drains stderr for as long as it is open, whatever becomes of its lines.
pub(super) async fn read_log(mut stderr: ChildStderr, events: EventSender, state: Arc<State>) {
    let _over = state.stderr_over.clone().drop_guard();
    let mut lines = LogLines::default();
    let mut chunk = vec![0; CHUNK];
    let mut backlog = Backlog::default();
    loop {
        let begun = lines.is_begun();
        let read = tokio::select! {
            biased;
            read = stderr.read(&mut chunk) => read,
            () = backlog.tell_one(&events) => continue,
            () = tokio::time::sleep(PROMPT), if begun => {
                backlog.push(state.log(lines.take()));
                continue;
            }
        };
        match read {
            Ok(0) => break,
            Ok(count) => {
                lines.push(&chunk[..count], |line| backlog.push(state.log(line)));
                // A flood is always ready to be read; clocks and messages have their turn in between.
                tokio::task::yield_now().await;
            }
            Err(error) => {
                state.tracer.note(format!("reading the stderr of the server process failed: {error}"));
                break;
            }
        }
    }
    if lines.is_begun() {
        backlog.push(state.log(lines.take()));
    }
    // The last words are the ones that matter; whoever no longer listens ends this at once.
    while !backlog.is_empty() {
        backlog.tell_one(&events).await;
    }
}

/// Lines of stderr that wait for room in the queue, which they share with messages one by one. Reading goes on meanwhile, so a
/// flood neither stops the child nor fills the memory: the oldest lines make room, and it is said how many.
#[derive(Default)]
struct Backlog {
    lines: VecDeque<String>,
    dropped: usize,
}

impl Backlog {
    /// So many lines wait at most; the trace has them all.
    const MOST: usize = 10_000;

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.dropped == 0
    }

    fn push(&mut self, line: String) {
        if self.lines.len() == Backlog::MOST {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(line);
    }

    /// Hands on one line once there is room; never comes back while there is none to hand on.
    async fn tell_one(&mut self, events: &EventSender) {
        if self.is_empty() {
            std::future::pending::<()>().await;
        }
        let Ok(permit) = events.reserve().await else {
            // Nobody listens any more.
            self.lines.clear();
            self.dropped = 0;
            return;
        };
        let line = match std::mem::take(&mut self.dropped) {
            0 => self.lines.pop_front(),
            dropped => Some(format!("({dropped} lines are not shown here; --trace has them)")),
        };
        if let Some(line) = line {
            permit.send(Ok(Event::Stderr(line)));
        }
    }
}

/// A message on its way to stdin.
pub(super) struct Job {
    /// Its text.
    pub(super) text: String,
    /// The key of a request, whose failure is told as an event.
    pub(super) key: Option<u64>,
    /// Whoever waits until it is written.
    pub(super) written: Option<oneshot::Sender<Result<(), TransportError>>>,
}

/// Writes queued messages to stdin, each as a whole, and closes stdin when the connection closes.
///
/// A task of its own, so that giving up on sending never leaves half a line, and a child that does not read blocks
/// nobody but this.
pub(super) async fn write_messages(
    mut stdin: ChildStdin,
    mut queue: mpsc::Receiver<Job>,
    events: EventSender,
    state: Arc<State>,
) {
    let lingering = async {
        state.closing.cancelled().await;
        tokio::time::sleep(LINGER).await;
    };
    let writing = async {
        loop {
            let job = tokio::select! {
                biased;
                job = queue.recv() => job,
                () = state.closing.cancelled() => queue.try_recv().ok(),
            };
            let Some(job) = job else { break };
            write(&mut stdin, job, &events, &state).await;
        }
    };
    tokio::select! {
        () = writing => {}
        () = lingering => {}
    }
}

async fn write(stdin: &mut ChildStdin, job: Job, events: &EventSender, state: &State) {
    state.tracer.frame(Direction::Out, "stdin", job.text.as_bytes());
    let mut line = one_line(&job.text).into_owned().into_bytes();
    line.push(b'\n');
    let result = match stdin.write_all(&line).await {
        Ok(()) => Ok(()),
        Err(error) => Err(state.verdict(StreamEnd::InputClosed(error.to_string()), SETTLE).await),
    };
    match (job.written, job.key, result) {
        // Whoever gave up waiting does not need to know.
        (Some(written), _, result) => drop(written.send(result)),
        // When the child has exited, the reader of stdout says so for all requests at once.
        (None, Some(key), Err(error)) if !state.exited.is_cancelled() => {
            give(events, state, Ok(Event::ExchangeOver { key, error: Some(error) })).await;
        }
        (None, _, _) => {}
    }
}

/// The text on one line. Inside of JSON a raw line end can only be white space between tokens, and messages must not
/// contain any (basic/transports §stdio, all versions).
fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r']) { Cow::Owned(text.replace(['\n', '\r'], " ")) } else { Cow::Borrowed(text) }
}
