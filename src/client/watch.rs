//! Watching: what a server tells on its own. In the modern era a subscription is asked for and acknowledged
//! (2026-07-28 basic/utilities/subscriptions); in the legacy one resources are subscribed to one by one, and the rest comes on
//! the standing stream.

use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use tokio::sync::mpsc::Receiver;

use super::draft::{Cancel, Conduct};
use super::era::Era;
use super::error::{ClientError, Fault, Silence};
use super::operations::Client;
use super::state::Notice;
use crate::outcome::{Phase, Reason, Signal, WarningId};
use crate::transport::{Kind, Listening};
use crate::wire::{RawJson, json};

const LISTEN: &str = "subscriptions/listen";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const CANCELLED: &str = "notifications/cancelled";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// How many reconnects in a row may bring nothing.
const MOST_BARREN: u32 = 5;
/// The pause before the first reconnect; it doubles.
const RECONNECT: Duration = Duration::from_millis(250);

/// What to watch.
#[derive(Debug, Clone, Default)]
pub struct Watching {
    /// Changes of the list of tools.
    pub tools: bool,
    /// Changes of the list of prompts.
    pub prompts: bool,
    /// Changes of the list of resources.
    pub resources: bool,
    /// These resources.
    pub uris: Vec<String>,
    /// These tasks (extension io.modelcontextprotocol/tasks).
    pub tasks: Vec<String>,
    /// How long to watch, from the moment on that the server has agreed to; `None` is for ever.
    pub time: Option<Duration>,
}

/// Something that a watcher sees.
#[derive(Debug, Clone, PartialEq)]
pub enum Watched {
    /// From now on it watches: what the server said it will tell, as JSON.
    Began(Option<String>),
    /// A notification: its method and the JSON text of its params.
    Notice(String, Option<String>),
    /// The stream broke and is opened again; why.
    Reconnecting(String),
}

/// Why watching ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchEnd {
    /// Enough was seen.
    Enough,
    /// The time is over.
    Time,
    /// A signal came.
    Signal(Signal),
    /// The server ended it in order.
    Server,
}

/// What comes next.
enum Step {
    Notice(Notice),
    /// No notification can come any more.
    Over,
    End(WatchEnd),
    /// A clock ran out: the one for the acknowledgement, or that of the whole command.
    Late(Clock),
}

/// A clock: when it runs out, its limit, and which one it is.
type Clock = (Instant, Duration, Reason);

/// Takes what is seen; `false` means that it was enough. It may take its time, and the server waits meanwhile.
pub type Seer<'a> = dyn FnMut(Watched) -> BoxFuture<'static, bool> + Send + 'a;

/// How one subscription came to its end.
enum Ended {
    Watch(WatchEnd),
    /// The stream broke after it had been acknowledged; whether anything had come on it.
    Broken(ClientError, bool),
}

impl Client {
    /// Watches until `see` has seen enough (it gives `false`), the time is over, a signal comes or the server ends it.
    ///
    /// # Errors
    /// What keeps from watching, or ended it.
    pub async fn watch(&mut self, what: &Watching, see: &mut Seer<'_>) -> Result<WatchEnd, ClientError> {
        let (started, modern) = (Instant::now(), matches!(self.era(), Era::Modern(_)));
        let ended = match modern {
            true => self.watch_subscription(what, see).await,
            false => self.watch_notifications(what, see).await,
        };
        // A subscription that is given up leaves no time of its own behind.
        self.ledger().took(Phase::of_method(if modern { LISTEN } else { "watch" }), started.elapsed());
        ended
    }

    /// "Clients MUST re-send the request after a reconnect" (2026-07-28 basic/utilities/subscriptions), under a new id.
    async fn watch_subscription(&mut self, what: &Watching, see: &mut Seer<'_>) -> Result<WatchEnd, ClientError> {
        let mut barren = 0;
        let mut until = None;
        loop {
            match self.subscribe(what, &mut until, see).await? {
                Ended::Watch(end) => return Ok(end),
                Ended::Broken(error, came) => {
                    barren = if came { 0 } else { barren + 1 };
                    if barren >= MOST_BARREN || self.kind() != Kind::Http {
                        return Err(error);
                    }
                    let why = Watched::Reconnecting(error.fault.to_string());
                    let pause = RECONNECT * 2_u32.pow(barren.min(4));
                    let (seen, rested) = (self.show(why, until, see).await?, self.pause(until, pause).await?);
                    if let Some(end) = seen.or(rested) {
                        return Ok(end);
                    }
                }
            }
        }
    }

    async fn pause(&self, until: Option<Instant>, pause: Duration) -> Result<Option<WatchEnd>, ClientError> {
        self.unless_over(until, tokio::time::sleep(pause)).await.map(Result::err)
    }

    /// Shows an event; gives the end if that was enough, or if whoever looks at it is slower than the clocks.
    async fn show(
        &self,
        event: Watched,
        until: Option<Instant>,
        see: &mut Seer<'_>,
    ) -> Result<Option<WatchEnd>, ClientError> {
        Ok(match self.unless_over(until, see(event)).await? {
            Ok(true) => None,
            Ok(false) => Some(WatchEnd::Enough),
            Err(end) => Some(end),
        })
    }

    /// Does something, unless a signal comes or a clock runs out before it is done.
    async fn unless_over<T>(
        &self,
        until: Option<Instant>,
        work: impl Future<Output = T>,
    ) -> Result<Result<T, WatchEnd>, ClientError> {
        let whole = self.options().deadline.map(|deadline| (deadline.at, deadline.limit, Reason::MaxTime));
        tokio::select! {
            biased;
            done = work => Ok(Ok(done)),
            signal = self.options().interrupt.wait() => Ok(Err(WatchEnd::Signal(signal))),
            () = at(until) => Ok(Err(WatchEnd::Time)),
            () = at(whole.map(|(at, ..)| at)) => match whole {
                Some(clock) => Err(self.silence(clock)),
                None => Ok(Err(WatchEnd::Time)),
            },
        }
    }

    /// One subscription from its request to its end.
    async fn subscribe(
        &mut self,
        what: &Watching,
        until: &mut Option<Instant>,
        see: &mut Seer<'_>,
    ) -> Result<Ended, ClientError> {
        let peer = std::sync::Arc::clone(self.peer());
        let mut notices = peer.watch();
        let id = peer.reserve_id();
        let mut draft = self.era().draft(LISTEN, &[("notifications", filter(what))], None);
        // There is no answer to wait for but the acknowledgement, which has its own deadline below.
        draft.conduct = Conduct { patient: true, ..draft.conduct };
        let listening = peer.request(id, draft);
        tokio::pin!(listening);
        let asked = serde_json::value::RawValue::from_string(filter(what)).ok();
        let asked = asked.and_then(|asked| json::members(&asked)).unwrap_or_default();
        let mut subscription = Subscription { id, asked, acknowledged: false, came: false };
        let late = self.options().timeout.map(|timeout| (Instant::now() + timeout, timeout, Reason::Idle));
        let ended = loop {
            let late = late.filter(|_| !subscription.acknowledged);
            let step = tokio::select! {
                biased;
                step = self.step(*until, &mut notices, late) => step,
                answer = &mut listening => break self.listened(answer.map(|_| ()), &mut notices, &mut subscription, *until, see).await,
            };
            match step {
                Step::Notice(notice) => {
                    if let Some(end) = self.notice(notice, &mut subscription, *until, see).await? {
                        break Ok(Ended::Watch(end));
                    }
                    if subscription.acknowledged && until.is_none() {
                        *until = what.time.map(|time| Instant::now() + time);
                    }
                }
                Step::Over => {
                    let answer = (&mut listening).await.map(|_| ());
                    break self.listened(answer, &mut notices, &mut subscription, *until, see).await;
                }
                Step::End(end) => break Ok(Ended::Watch(end)),
                Step::Late(clock) => break Err(self.silence(clock)),
            }
        };
        // Over HTTP the dropped request closes its stream, which is the cancellation; over stdio the server is told.
        if matches!(ended, Ok(Ended::Watch(WatchEnd::Enough | WatchEnd::Time | WatchEnd::Signal(_)))) {
            peer.cancel(id, LISTEN, Cancel::Stream, "no longer watched").await;
        }
        ended
    }

    /// The subscription's request has come to its end: what had come before it is still told.
    async fn listened(
        &self,
        answer: Result<(), ClientError>,
        notices: &mut Receiver<Notice>,
        subscription: &mut Subscription,
        until: Option<Instant>,
        see: &mut Seer<'_>,
    ) -> Result<Ended, ClientError> {
        while let Ok(notice) = notices.try_recv() {
            if let Some(end) = self.notice(notice, subscription, until, see).await? {
                return Ok(Ended::Watch(end));
            }
        }
        match answer {
            Ok(()) => Ok(Ended::Watch(WatchEnd::Server)),
            Err(error) => match &error.fault {
                Fault::Interrupted(signal) => Ok(Ended::Watch(WatchEnd::Signal(*signal))),
                Fault::Transport(fault) if subscription.acknowledged && fault.http_status().is_none() => {
                    Ok(Ended::Broken(error, subscription.came))
                }
                _ => Err(error),
            },
        }
    }

    /// Takes a notification of a subscription; gives the end if it was the last one.
    async fn notice(
        &self,
        notice: Notice,
        subscription: &mut Subscription,
        until: Option<Instant>,
        see: &mut Seer<'_>,
    ) -> Result<Option<WatchEnd>, ClientError> {
        let doubt = |what: String| self.ledger().warn(WarningId::Subscription, what);
        let params = notice.params.as_ref();
        if notice.method == CANCELLED {
            let ours = params.and_then(|params| json::member(params, "requestId"));
            return Ok(ours.filter(|ours| ours.get() == subscription.id.to_string()).map(|_| WatchEnd::Server));
        }
        let tag = params
            .and_then(|params| json::member(params, "_meta"))
            .and_then(|meta| json::member(&meta, SUBSCRIPTION_ID));
        match &tag {
            Some(tag) if tag.get() == subscription.id.to_string() => {}
            Some(tag) => doubt(format!("{} is tagged with the subscription {}", notice.method, tag.get())),
            // Logs and progress belong to other requests, and are shown as what they are.
            None if matches!(notice.method.as_str(), "notifications/message" | "notifications/progress") => {
                return Ok(None);
            }
            None => doubt(format!("{} has no {SUBSCRIPTION_ID}", notice.method)),
        }
        if notice.method == ACKNOWLEDGED {
            subscription.acknowledged = true;
            let honoured = params.and_then(|params| json::member(params, "notifications"));
            let refused = honoured.as_ref().map(|honoured| refused(&subscription.asked, honoured)).unwrap_or_default();
            if !refused.is_empty() {
                doubt(format!("the server did not agree to tell of {}", refused.join(", ")));
            }
            let honoured = honoured.map(|raw| json::compact(raw.get()));
            return self.show(Watched::Began(honoured), until, see).await;
        }
        if !subscription.acknowledged {
            doubt(format!("{} came before {ACKNOWLEDGED}", notice.method));
        }
        subscription.came = true;
        self.show(told(notice), until, see).await
    }

    async fn step(&self, until: Option<Instant>, notices: &mut Receiver<Notice>, late: Option<Clock>) -> Step {
        let whole = self.options().deadline.map(|deadline| (deadline.at, deadline.limit, Reason::MaxTime));
        let clock = [late, whole].into_iter().flatten().min_by_key(|(at, ..)| *at);
        tokio::select! {
            biased;
            signal = self.options().interrupt.wait() => Step::End(WatchEnd::Signal(signal)),
            notice = notices.recv() => notice.map_or(Step::Over, Step::Notice),
            () = at(until) => Step::End(WatchEnd::Time),
            () = at(clock.map(|(at, ..)| at)) => clock.map_or(Step::Over, Step::Late),
        }
    }

    /// The legacy way.
    async fn watch_notifications(&mut self, what: &Watching, see: &mut Seer<'_>) -> Result<WatchEnd, ClientError> {
        let peer = std::sync::Arc::clone(self.peer());
        self.stand().await?;
        let mut notices = peer.watch();
        let mut early = Vec::new();
        for uri in &what.uris {
            let members = [("uri", json::quote(uri))];
            let subscribed = self.request("resources/subscribe", &members, false);
            tokio::pin!(subscribed);
            loop {
                tokio::select! {
                    biased;
                    answer = &mut subscribed => break answer.map(|_| ())?,
                    // Taken while we wait, or a flood would keep the answer from being read.
                    Some(notice) = notices.recv() => early.push(notice),
                }
            }
        }
        let until = what.time.map(|time| Instant::now() + time);
        let mut end = self.show(Watched::Began(None), until, see).await?;
        for notice in early {
            if end.is_none() && is_wanted(what, &notice) {
                end = self.show(told(notice), until, see).await?;
            }
        }
        let end = loop {
            if let Some(end) = end {
                break end;
            }
            end = match self.step(until, &mut notices, None).await {
                Step::Notice(notice) if is_wanted(what, &notice) => self.show(told(notice), until, see).await?,
                Step::Notice(_) => None,
                Step::End(end) => Some(end),
                Step::Over => return Err(self.over()),
                Step::Late(clock) => return Err(self.silence(clock)),
            };
        };
        for uri in &what.uris {
            let draft = self.era().draft("resources/unsubscribe", &[("uri", json::quote(uri))], None);
            peer.last_request(draft).await;
        }
        Ok(end)
    }

    /// Over Streamable HTTP everything comes on the standing stream, so there must be one.
    async fn stand(&mut self) -> Result<(), ClientError> {
        if self.kind() != Kind::Http {
            return Ok(());
        }
        let phase = Phase::Initialized;
        let refused = |message: String| ClientError { phase: phase.clone(), fault: Fault::NoStream { message } };
        match self.listening().await? {
            Listening::Open | Listening::NotApplicable => Ok(()),
            Listening::Refused(status) => {
                Err(refused(format!("the server refuses the standing GET stream with HTTP {status}")))
            }
            Listening::Failed(error) => Err(refused(format!("the standing GET stream failed: {error}"))),
        }
    }

    fn silence(&self, (_, limit, reason): Clock) -> ClientError {
        let method = if self.era().server_may_ask() { "watch" } else { LISTEN };
        let silence = Silence { limit, reason, ..Silence::default() };
        ClientError { phase: Phase::of_method(method), fault: Fault::Timeout(Box::new(silence)) }
    }

    fn over(&self) -> ClientError {
        let phase = Phase::of_method("resources/subscribe");
        let fault = match (self.peer().gone(), self.peer().standing_over()) {
            (Some(error), _) => Fault::Transport(error),
            (None, Some(message)) => Fault::NoStream { message },
            (None, None) => Fault::Broken("the watcher was dropped".to_owned()),
        };
        ClientError { phase, fault }
    }
}

struct Subscription {
    id: u64,
    /// What was asked for, as the request names it.
    asked: Vec<(String, RawJson)>,
    acknowledged: bool,
    came: bool,
}

fn told(notice: Notice) -> Watched {
    Watched::Notice(notice.method, notice.params.map(|params: RawJson| params.get().to_owned()))
}

/// What of the request the acknowledgement does not name.
fn refused(asked: &[(String, RawJson)], honoured: &RawJson) -> Vec<String> {
    let mut refused = Vec::new();
    for (name, value) in asked {
        let agreed = json::member(honoured, name);
        match json::elements(value) {
            Some(wanted) => {
                let agreed = agreed.and_then(|agreed| json::elements(&agreed)).unwrap_or_default();
                let is_agreed = |one: &RawJson| agreed.iter().any(|other| json::string(other) == json::string(one));
                refused.extend(wanted.iter().filter(|one| !is_agreed(one)).filter_map(|one| json::string(one)));
            }
            None if agreed.is_some_and(|agreed| json::boolean(&agreed) == Some(true)) => {}
            None => refused.push(name.clone()),
        }
    }
    refused
}

/// The `notifications` of the request: only what is asked for is named.
fn filter(what: &Watching) -> String {
    let flags = [
        ("toolsListChanged", what.tools),
        ("promptsListChanged", what.prompts),
        ("resourcesListChanged", what.resources),
    ];
    let mut members: Vec<String> =
        flags.iter().filter(|(_, wanted)| *wanted).map(|(name, _)| format!("\"{name}\":true")).collect();
    let lists = [("resourceSubscriptions", &what.uris), ("taskIds", &what.tasks)];
    for (name, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        let values: Vec<String> = values.iter().map(|value| json::quote(value)).collect();
        members.push(format!("\"{name}\":[{}]", values.join(",")));
    }
    format!("{{{}}}", members.join(","))
}

/// Whether a legacy notification is one of those that are watched for.
fn is_wanted(what: &Watching, notice: &Notice) -> bool {
    match notice.method.as_str() {
        "notifications/tools/list_changed" => what.tools,
        "notifications/prompts/list_changed" => what.prompts,
        "notifications/resources/list_changed" => what.resources,
        // It may name a part of a resource that was subscribed to, so it is not compared.
        "notifications/resources/updated" => !what.uris.is_empty(),
        "notifications/tasks/status" => {
            let id = notice.params.as_ref().and_then(|params| json::member(params, "taskId"));
            id.and_then(|id| json::string(&id)).is_some_and(|id| what.tasks.contains(&id))
        }
        _ => false,
    }
}

async fn at(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
