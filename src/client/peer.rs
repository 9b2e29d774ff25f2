//! One conversation: ids, waiters, the two clocks, progress, cancelling, and answers to what the server asks.
//!
//! It knows JSON-RPC and the few methods that belong to the conversation itself. What an operation means is for
//! [`super::Client`] to say.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::draft::{Cancel, Conduct, Draft, outgoing};
use super::error::{ClientError, Fault, Silence};
use super::host::{self, HostReply, Question};
use super::inbound::Inbound;
use super::state::{Notice, Outcome, State, Unanswered, Waiter};
use super::{Activity, Options};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::trace::Tracer;
use crate::transport::{Kind, Listening, Opened, Transport, TransportError};
use crate::wire::RawJson;

/// The answer to a request of ours.
#[derive(Debug, Clone)]
pub struct Answer {
    /// `result`, as it came.
    pub result: RawJson,
    /// The status of the HTTP answer that carried it.
    pub http_status: Option<u16>,
    /// From sending to the answer.
    pub took: Duration,
}

/// So many notifications wait for a watcher; then the server waits at the socket.
const NOTICES: usize = 256;

/// How long cancelling may take.
const CANCEL_BUDGET: Duration = Duration::from_secs(1);

/// A conversation over an open transport.
pub struct Peer {
    transport: Arc<dyn Transport>,
    state: Arc<Mutex<State>>,
    options: Options,
    tracer: Arc<Tracer>,
    ledger: Ledger,
    next_id: AtomicU64,
    pump: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

impl Peer {
    /// Starts to take in what the server sends.
    pub fn start(opened: Opened, options: Options, tracer: Arc<Tracer>, ledger: Ledger) -> Peer {
        let state = Arc::new(Mutex::new(State::default()));
        let inbound = Inbound {
            transport: Arc::clone(&opened.transport),
            state: Arc::clone(&state),
            options: options.clone(),
            tracer: Arc::clone(&tracer),
            ledger: ledger.clone(),
        };
        let pump = tokio::spawn(inbound.run(opened.inbox));
        Peer { transport: opened.transport, state, options, tracer, ledger, next_id: AtomicU64::new(1), pump }
    }

    /// Which transport carries it.
    pub fn kind(&self) -> Kind {
        self.transport.kind()
    }

    /// The transport, for what belongs to the session.
    pub fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    /// The next id, which is the progress token of its request too.
    pub fn reserve_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// What the server asked and could not be told, so far.
    pub fn unanswered(&self) -> Vec<Unanswered> {
        self.lock().unanswered.clone()
    }

    /// Cancels a request whose future was dropped.
    pub async fn cancel(&self, id: u64, method: &str, cancel: Cancel, reason: &str) {
        self.give_up(id, method, cancel, reason).await;
    }

    /// Sends a request after all clocks and signals, and gives it a second. What comes of it is in the trace.
    pub async fn last_request(&self, draft: Draft) {
        let id = self.reserve_id();
        let (tx, rx) = oneshot::channel();
        let method = draft.method.clone();
        if self.admit(id, Waiter::new(method.clone(), tx)).is_err() {
            return;
        }
        let _dropped = Dropped { peer: self, id };
        let told = async {
            self.transport.send(outgoing(Some(id), draft)).await.map_err(|error| error.to_string())?;
            match rx.await {
                Ok(Ok(_)) => Ok(()),
                Ok(Err(fault)) => Err(fault.to_string()),
                Err(_) => Err("the connection is gone".to_owned()),
            }
        };
        match tokio::time::timeout(CANCEL_BUDGET, told).await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => self.tracer.note(format!("{method} failed: {why}")),
            Err(_) => self.tracer.note(format!("{method} had no answer within a second")),
        }
    }

    /// What the host answers to a question that came in a result.
    pub async fn ask(&self, question: &Question) -> HostReply {
        let server = self.lock().server_name.clone();
        let Question { method, params } = question;
        let reply = host::reply(&self.options, &self.state, &server, method, params.as_deref()).await;
        let answer = match &reply.unanswered {
            // Here an answer that cannot be given is not sent either.
            Some(unanswered) => format!("not answered: {}", unanswered.why),
            None => reply.words.clone(),
        };
        (self.options.activity)(Activity::Asked { method: method.clone(), answer });
        reply
    }

    /// Why the connection is gone, if it is.
    pub fn gone(&self) -> Option<Arc<TransportError>> {
        self.lock().closed.clone()
    }

    /// Why the standing stream is gone for good, if it is.
    pub fn standing_over(&self) -> Option<String> {
        self.lock().standing_over.clone()
    }

    /// Whether the server may ask something by a request of its own, which then is answered. It may until something else
    /// is said (2026-07-28 basic/patterns: servers do not send requests).
    pub fn let_server_ask(&self, may: bool) {
        self.lock().silenced = !may;
    }

    /// Where notifications go besides the live view, until the receiver is gone.
    pub fn watch(&self) -> tokio::sync::mpsc::Receiver<Notice> {
        let (tx, rx) = tokio::sync::mpsc::channel(NOTICES);
        let mut state = self.lock();
        // What came before stands in the channel, which has room for more than is kept.
        while let Some(notice) = state.notices.pop_front() {
            if let Err(error) = tx.try_send(notice) {
                self.tracer.note(format!("a notification was dropped: {error}"));
            }
        }
        // Where nothing more can come, the channel ends with what had come.
        let over = state.closed.is_some() || state.standing_over.is_some();
        state.watcher = (!over).then_some(tx);
        drop(state);
        rx
    }

    /// Says who the server is, for the person that is asked in its name.
    pub fn set_server_name(&self, name: String) {
        self.lock().server_name = name;
    }

    /// Tells of lines on stdout that were no messages.
    pub fn tell_noise(&self) {
        let state = self.lock();
        if state.noise_lines > 0 {
            let first = state.noise.join(" | ");
            let message = match state.noise_lines {
                1 => format!("a line on stdout was no message: {first}"),
                lines => format!("{lines} lines on stdout were no messages: {first}"),
            };
            self.ledger.warn(WarningId::StdoutNoise, message);
        }
    }

    /// Sends a request under `id` and waits for its answer, under both clocks.
    ///
    /// # Errors
    /// Everything that is not a result, with its phase.
    pub async fn request(&self, id: u64, draft: Draft) -> Result<Answer, ClientError> {
        let phase = Phase::of_method(&draft.method);
        let started = Instant::now();
        (self.options.activity)(Activity::Begin(draft.method.clone()));
        let result = self.exchange(id, draft, started).await;
        let took = started.elapsed();
        self.ledger.took(phase.clone(), took);
        match result {
            Ok((result, http_status)) => Ok(Answer { result, http_status, took }),
            Err(fault) => Err(ClientError { phase, fault }),
        }
    }

    async fn exchange(&self, id: u64, draft: Draft, started: Instant) -> Result<(RawJson, Option<u16>), Fault> {
        let (method, conduct) = (draft.method.clone(), draft.conduct);
        let (tx, mut rx) = oneshot::channel();
        self.admit(id, Waiter::new(method.clone(), tx))?;
        // Whoever drops this future waits no more.
        let _dropped = Dropped { peer: self, id };
        let sending = self.transport.send(outgoing(Some(id), draft));
        tokio::pin!(sending);
        let mut sent = false;
        loop {
            let alarm = self.alarm(id, started, conduct);
            tokio::select! {
                biased;
                outcome = &mut rx => return settle(outcome),
                result = &mut sending, if !sent => match result {
                    Ok(()) => sent = true,
                    Err(error) => {
                        self.lock().waiters.remove(&id);
                        return Err(Fault::Transport(Arc::new(error)));
                    }
                },
                signal = self.options.interrupt.wait() => {
                    self.give_up(id, &method, conduct.cancel, "interrupted by the user").await;
                    return Err(Fault::Interrupted(signal));
                }
                () = sleep_until(alarm.map(|(at, _)| at)) => {
                    let Some((_, reason)) = alarm else { continue };
                    // Progress or a question may have moved the idle clock while it was running.
                    if self.alarm(id, started, conduct).is_some_and(|(at, _)| at > Instant::now()) {
                        continue;
                    }
                    let silence = self.silence(id, reason);
                    self.give_up(id, &method, conduct.cancel, "timeout").await;
                    return Err(silence);
                }
            }
        }
    }

    fn admit(&self, id: u64, waiter: Waiter) -> Result<(), Fault> {
        let mut state = self.lock();
        if let Some(error) = &state.closed {
            return Err(Fault::Transport(Arc::clone(error)));
        }
        state.waiters.insert(id, waiter);
        Ok(())
    }

    /// When the next clock runs out for this request, and which one it is.
    fn alarm(&self, id: u64, started: Instant, conduct: Conduct) -> Option<(Instant, Reason)> {
        let state = self.lock();
        let deadline = self.options.deadline.map(|deadline| (deadline.at, Reason::MaxTime));
        let last = if state.asking > 0 {
            // While a person is asked, the server waits for us, not we for it.
            Instant::now()
        } else {
            let last = state.waiters.get(&id).and_then(|waiter| waiter.last_progress);
            last.max(state.asked_at).map_or(started, |at| at.max(started))
        };
        let idle = self.options.timeout.filter(|_| !conduct.patient).map(|timeout| (last + timeout, Reason::Idle));
        [idle, deadline].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// What to say when a clock has run out: a bare timeout only if nothing else came that explains it.
    fn silence(&self, id: u64, reason: Reason) -> Fault {
        let mut state = self.lock();
        let keep_alives = state.keep_alives;
        let noise = state.noise.clone();
        let Some(waiter) = state.waiters.get_mut(&id) else {
            return Fault::Broken("a clock ran out for a request that nobody waits for".to_owned());
        };
        if let Some(fault) = waiter.unusable.take() {
            return fault;
        }
        let limit = match reason {
            Reason::MaxTime => self.options.deadline.map(|deadline| deadline.limit),
            _ => self.options.timeout,
        };
        Fault::Timeout(Box::new(Silence {
            limit: limit.unwrap_or_default(),
            reason,
            progress: waiter.progress,
            last_progress: waiter.last_progress_text.clone(),
            keep_alives,
            noise,
            seen: self.transport.seen(id),
            pending: self.transport.pending(),
            unreached: !self.transport.reached(),
        }))
    }

    /// Stops to wait for a request and tells the server so, in the way that the era has for it.
    async fn give_up(&self, id: u64, method: &str, cancel: Cancel, reason: &str) {
        self.lock().give_up(id);
        let by_stream = cancel == Cancel::Stream && self.kind() == Kind::Http;
        if by_stream {
            // 2026-07-28 basic/utilities/cancellation: closing the response stream is the cancellation.
            self.tracer.note(format!("closing the stream of request {id} ({method}) cancels it"));
        } else if cancel != Cancel::Never {
            let params = format!("{{\"requestId\":{id},\"reason\":{}}}", crate::wire::json::quote(reason));
            let draft = Draft::notification("notifications/cancelled", Some(params));
            match tokio::time::timeout(CANCEL_BUDGET, self.transport.send(outgoing(None, draft))).await {
                Ok(Ok(())) => self.tracer.note(format!("told the server that request {id} is cancelled")),
                Ok(Err(error)) => self.tracer.note(format!("cancelling request {id} failed: {error}")),
                Err(_) => self.tracer.note(format!("cancelling request {id} took over a second")),
            }
        }
        self.transport.abandon(id);
    }

    /// Sends a notification and waits until the server took it, under the clocks.
    ///
    /// # Errors
    /// Why it could not be sent.
    pub async fn notify(&self, draft: Draft) -> Result<(), ClientError> {
        let phase = Phase::of_method(&draft.method);
        let started = Instant::now();
        let mut result = self.guard(phase.clone(), self.transport.send(outgoing(None, draft.clone()))).await;
        if self.kind() == Kind::Http && matches!(&result, Ok(Err(error)) if error.is_closed_unheard()) {
            // The same twice is the same once.
            self.tracer.note("the connection was closed before an answer came; once more over a fresh one");
            result = self.guard(phase.clone(), self.transport.send(outgoing(None, draft))).await;
        }
        self.ledger.took(phase.clone(), started.elapsed());
        match result {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(ClientError { phase, fault: Fault::Transport(Arc::new(error)) }),
            Err(error) => Err(error),
        }
    }

    /// Opens the standing stream.
    ///
    /// # Errors
    /// When a clock runs out or a signal comes.
    pub async fn listen(&self) -> Result<Listening, ClientError> {
        self.guard(Phase::Initialized, self.transport.listen()).await
    }

    async fn guard<T>(&self, phase: Phase, work: impl Future<Output = T>) -> Result<T, ClientError> {
        guard(&self.options, phase, work).await
    }

    /// Ends the session in order.
    pub async fn close(&self) {
        self.transport.close().await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a request out of the books whose future is dropped before its answer came; does nothing afterwards.
struct Dropped<'a> {
    peer: &'a Peer,
    id: u64,
}

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        let mut state = self.peer.lock();
        if state.waiters.contains_key(&self.id) {
            state.give_up(self.id);
            drop(state);
            self.peer.transport.abandon(self.id);
        }
    }
}

/// Runs `work` under both clocks and the interrupt.
///
/// # Errors
/// Which of them ended it.
pub async fn guard<T>(options: &Options, phase: Phase, work: impl Future<Output = T>) -> Result<T, ClientError> {
    let idle = options.timeout.map(|timeout| (Instant::now() + timeout, Reason::Idle, timeout));
    let whole = options.deadline.map(|deadline| (deadline.at, Reason::MaxTime, deadline.limit));
    let alarm = [idle, whole].into_iter().flatten().min_by_key(|(at, ..)| *at);
    tokio::select! {
        biased;
        done = work => Ok(done),
        signal = options.interrupt.wait() => Err(ClientError { phase, fault: Fault::Interrupted(signal) }),
        () = sleep_until(alarm.map(|(at, ..)| at)) => {
            let (reason, limit) = alarm.map_or((Reason::Idle, Duration::ZERO), |(_, reason, limit)| (reason, limit));
            Err(ClientError { phase, fault: Fault::Timeout(Box::new(Silence { limit, reason, ..Silence::default() })) })
        }
    }
}

/// The answer's stream is left to the transport, which frees its connection for the next request.
fn settle(outcome: Result<Outcome, oneshot::error::RecvError>) -> Outcome {
    // The pump tells every waiter before it goes.
    outcome.unwrap_or_else(|_| Err(Fault::Broken("a waiter was dropped without an answer".to_owned())))
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
