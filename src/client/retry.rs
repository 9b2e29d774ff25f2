//! `--retry`: which failures may pass, what may be sent again, and when.

use std::time::{Duration, SystemTime};

use super::Options;
use super::connect::{Dialer, Handshake};
use super::error::{ClientError, Fault};
use super::evidence::closed_unheard;
use super::operations::Client;
use super::peer::{Answer, guard};
use super::renewal::Drafting;
use super::{Activity, Target};
use crate::outcome::{Category, Failure, Phase, Reason, Retry};
use crate::transport::Kind;

/// The pause before the second attempt; it doubles with each.
const FIRST: Duration = Duration::from_millis(250);
/// The longest pause of our own.
const LONGEST: Duration = Duration::from_secs(30);
/// A server that wants to be left alone for longer is not waited for.
const LONGEST_WISH: Duration = Duration::from_secs(300);

/// Methods that change nothing, or the same once and twice. `tools/call` is none of them.
const REPEATABLE: [&str; 17] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "tasks/list",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/get",
    "tasks/result",
    "tasks/cancel",
];

/// Whether a failure may be over the next time: nobody was reached, the way broke, a clock ran out, or the server says that it
/// is in no state to answer. An answer, also a bad one, is an answer.
fn may_pass(failure: &Failure) -> bool {
    match (failure.category, failure.reason) {
        (Category::Timeout, Some(Reason::Idle | Reason::ConnectTimeout)) => true,
        (Category::Transport, Some(Reason::Dns | Reason::Connect | Reason::Stream)) => true,
        (Category::Transport, Some(Reason::Http | Reason::Proxy)) => {
            matches!(failure.http_status, Some(408 | 429 | 500 | 502 | 503 | 504))
        }
        _ => false,
    }
}

/// How long the server wants to be left alone (RFC 9110 §10.2.3).
fn wish(failure: &Failure) -> Option<Duration> {
    let text = &failure.evidence.iter().find(|evidence| evidence.label == "retry-after")?.text;
    let at = || httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok();
    text.trim().parse().map(Duration::from_secs).ok().or_else(at)
}

/// The pause before the next attempt; `None` if there is none.
fn pause(failure: &Failure, attempts: usize, options: &Options) -> Option<Duration> {
    if attempts > options.retries || !may_pass(failure) {
        return None;
    }
    let doubled = u32::try_from(attempts - 1).ok().and_then(|times| 2_u32.checked_pow(times)).unwrap_or(u32::MAX);
    let ours = FIRST.saturating_mul(doubled).min(LONGEST);
    let Some(wish) = wish(failure) else { return Some(ours) };
    let left = options.deadline.map(|deadline| deadline.at.saturating_duration_since(std::time::Instant::now()));
    let in_time = left.is_none_or(|left| wish <= left) && wish <= LONGEST_WISH;
    in_time.then(|| wish.max(ours))
}

/// Says that it is tried again, and rests until then.
async fn rest(dialer: &Dialer<'_>, failure: &Failure, attempt: usize, pause: Duration) -> Result<(), ClientError> {
    let what = failure.message.clone();
    let shown = humantime::format_duration(Duration::from_millis(u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)));
    let phase = failure.phase.clone();
    let text = format!("{phase}: attempt {attempt} failed ({what}); trying again in {shown}");
    (dialer.options.activity)(Activity::Note(text));
    dialer.ledger.with(|facts| facts.retries.push(Retry { phase: phase.clone(), attempt, message: what, pause }));
    let unhurried = Options { timeout: None, ..dialer.options.clone() };
    guard(&unhurried, phase, tokio::time::sleep(pause)).await
}

fn counted(mut failure: Failure, attempts: usize) -> Failure {
    if attempts > 1 {
        failure = failure
            .with_evidence("attempts", format!("{attempts} attempts (--retry), this is how the last one failed"));
    }
    failure
}

impl Dialer<'_> {
    /// Begins the conversation, again and again where that may help. No part of it does anything at the server.
    pub(super) async fn reach_again(&self, target: &Target, handshake: &mut Handshake) -> Result<Client, Failure> {
        let mut attempts = 1;
        loop {
            let failure = match self.reach(target, handshake).await {
                Ok(client) => return Ok(client),
                Err(failure) => failure,
            };
            let Some(pause) = pause(&failure, attempts, self.options) else { return Err(counted(failure, attempts)) };
            rest(self, &failure, attempts, pause).await.map_err(|error| error.to_failure())?;
            attempts += 1;
        }
    }
}

impl Client {
    /// Says that the next call may be repeated: the tool is annotated as read-only or idempotent. Annotations are untrusted
    /// (2025-03-26 and later server/tools §Tool); that they are acted on is what `--retry` asks for.
    pub fn allow_repeating(&mut self) {
        self.may_repeat_call = true;
    }

    fn may_repeat(&self, phase: &Phase, error: &ClientError) -> bool {
        let name = match phase {
            Phase::Initialize => "initialize",
            Phase::Discover => "server/discover",
            phase => phase.name(),
        };
        REPEATABLE.contains(&name) || error.never_reached() || (name == "tools/call" && self.may_repeat_call)
    }

    /// A request, with what has to be renewed for it, again and again where that may help and can do no harm.
    pub(super) async fn renewing(&mut self, draft: &Drafting<'_>) -> Result<Answer, ClientError> {
        let mut attempts = 1;
        let (reused, mut fresh) = (self.kind() == Kind::Http && self.peer().transport().reached(), true);
        loop {
            let error = match self.renewed(draft).await {
                Err(error) if reused && fresh && closed_unheard(&error) && self.may_repeat(&error.phase, &error) => {
                    fresh = false;
                    self.tracer().note("the connection was closed before an answer came; once more over a fresh one");
                    continue;
                }
                Err(error) if self.options().retries > 0 => error,
                other => return other,
            };
            let failure = error.to_failure();
            let pause = pause(&failure, attempts, self.options()).filter(|_| self.may_repeat(&error.phase, &error));
            let Some(pause) = pause else {
                return Err(match attempts {
                    1 => error,
                    _ => ClientError { fault: Fault::Retried(attempts, Box::new(error.fault)), phase: error.phase },
                });
            };
            let (options, tracer, ledger) = (self.options().clone(), self.tracer().clone(), self.ledger().clone());
            let dialer = Dialer { options: &options, tracer: &tracer, ledger: &ledger };
            rest(&dialer, &failure, attempts, pause).await?;
            if self.peer().gone().is_some() {
                self.reconnect(&dialer, &error.phase).await?;
            }
            attempts += 1;
        }
    }

    /// A connection that is gone for good, as that to a program that has ended, is made anew.
    async fn reconnect(&mut self, dialer: &Dialer<'_>, phase: &Phase) -> Result<(), ClientError> {
        let Some(target) = self.target.clone() else { return Ok(()) };
        let mut handshake = Handshake::default();
        let begun = dialer.find_out(&target, &mut handshake).await;
        let renegotiated =
            |failure| ClientError { phase: phase.clone(), fault: Fault::Renegotiation(Box::new(failure)) };
        self.go_on_as(begun.map_err(renegotiated)?).await
    }
}

/// A failure with the number of attempts that it took.
pub(super) fn after_attempts(attempts: usize, failure: Failure) -> Failure {
    counted(failure, attempts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(status: u16) -> Failure {
        let mut failure = Failure::new(Category::Transport, Phase::Discover, "m").with_reason(Reason::Http);
        failure.http_status = Some(status);
        failure
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        for status in [408, 429, 500, 502, 503, 504] {
            assert!(may_pass(&http(status)), "{status}");
        }
        for status in [200, 307, 400, 404, 405, 501] {
            assert!(!may_pass(&http(status)), "{status}");
        }
        let failure = |category, reason| Failure::new(category, Phase::Discover, "m").with_reason(reason);
        assert!(may_pass(&failure(Category::Transport, Reason::Connect)));
        assert!(may_pass(&failure(Category::Timeout, Reason::Idle)));
        assert!(!may_pass(&failure(Category::Timeout, Reason::MaxTime)));
        assert!(!may_pass(&failure(Category::Transport, Reason::Tls)));
        assert!(!may_pass(&failure(Category::Protocol, Reason::NotJson)));
        assert!(!may_pass(&Failure::new(Category::RpcError, Phase::Discover, "m")));
    }

    #[test]
    fn a_server_says_when() {
        let said = |text: &str| wish(&http(503).with_evidence("retry-after", text));
        assert_eq!(said("7"), Some(Duration::from_secs(7)));
        assert_eq!(said("Wed, 21 Oct 2015 07:28:00 GMT"), None, "a time that is over");
        assert!(said(&httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(90))).is_some());
        assert_eq!(said("soon"), None);
    }
}
