//! Which era a server speaks: the probe, what its answer proves, and what follows from that.
//!
//! The rules are those of 2026-07-28 basic/versioning §Backward Compatibility and of the two transports' sections of that
//! name. What they leave open is decided for evidence: only an answer that a server of the other era would give leads to
//! the other era. A refusal to authorise, an overloaded server or silence over HTTP say nothing about it.

use std::time::Duration;

use super::connect::{Dialer, Handshake};
use super::draft::{Cancel, Conduct};
use super::era::{self, Era, MODERN, Modern, NEWEST_MODERN, Opening};
use super::error::{ClientError, Fault};
use super::evidence::{is_modern_refusal, is_refusal, other_versions, told};
use super::peer::{Answer, Peer};
use crate::outcome::{Phase, Reason, WarningId};
use crate::transport::Kind;
use crate::wire::{RawJson, json};

/// How long a program may take to answer the probe before `initialize` is sent beside it. Its late answer still counts: a
/// program may take longer than that to start.
const PROBE_PATIENCE: Duration = Duration::from_secs(3);

/// What the answer to a probe proves.
pub(super) enum Verdict {
    /// A server of the modern era, with the versions that it speaks.
    Modern(RawJson, Vec<String>),
    /// A server of the modern era that does not speak the probe's version, and the versions that it does.
    OtherVersion(ClientError, Vec<String>),
    /// A server of the modern era that finds fault with the probe.
    Refused(ClientError),
    /// A server of the legacy era: why that is so, and what came if it was no result.
    Legacy(String, Option<ClientError>),
    /// Nothing about the era.
    Nothing(ClientError),
}

/// What follows from a verdict.
enum Next {
    Begun(Era),
    /// Asking again in this version; what stands if that was done before.
    Again(String, ClientError),
    Initialize(Option<&'static str>),
    Fail(ClientError),
}

impl Dialer<'_> {
    /// Begins the conversation over an open connection, and says what it found out about the server.
    pub(super) async fn introduce(
        &self,
        peer: &Peer,
        opening: &Opening,
        handshake: &mut Handshake,
    ) -> Result<Era, ClientError> {
        let begun = match opening {
            Opening::Initialize => self.initialize(peer, None, handshake).await,
            Opening::Presume(version) => Ok(self.presume(version, handshake)),
            Opening::Probe { fall_back: true } if peer.kind() == Kind::Stdio => {
                self.probe_beside(peer, handshake).await
            }
            Opening::Probe { fall_back } => self.probe(peer, *fall_back, None, handshake).await,
        };
        if let Ok(era) = &begun {
            peer.let_server_ask(era.server_may_ask());
            handshake.era = Some(era.name());
        }
        handshake.session = peer.transport().has_session();
        self.ledger.with(|facts| {
            facts.server.protocol.clone_from(&handshake.version);
            facts.server.name = handshake.info("name");
            facts.server.version = handshake.info("version");
        });
        begun
    }

    /// No word is said before the first request.
    fn presume(&self, version: &str, handshake: &mut Handshake) -> Era {
        if !era::is_released(version) {
            let message =
                format!("{version} is no released version; it is sent as it stands, by the rules of 2026-07-28");
            self.ledger.warn(WarningId::ProtocolVersion, message);
        }
        let modern = Modern::new(version, self.options);
        handshake.declare(&modern);
        handshake.version = Some(version.to_owned());
        Era::Modern(modern)
    }

    async fn initialize(
        &self,
        peer: &Peer,
        version: Option<&'static str>,
        handshake: &mut Handshake,
    ) -> Result<Era, ClientError> {
        let begun = era::initialize(peer, self.options, version, self.ledger, handshake).await;
        let asked = handshake.requested.clone().unwrap_or_default();
        let outcome = match &begun {
            Ok(era) => format!("protocol version {}", era.version()),
            Err(error) => told(error),
        };
        self.tried(handshake, peer.kind(), &format!("initialize {asked}"), outcome);
        begun
    }

    /// Asks `server/discover`, and goes on as its answer says. `other` is the version that the server has named when it was
    /// asked before.
    async fn probe(
        &self,
        peer: &Peer,
        fall_back: bool,
        other: Option<String>,
        handshake: &mut Handshake,
    ) -> Result<Era, ClientError> {
        let mut again = other.is_some();
        let mut version = other.unwrap_or_else(|| NEWEST_MODERN.to_owned());
        loop {
            let modern = Modern::new(&version, self.options);
            handshake.declare(&modern);
            let mark = self.ledger.mark();
            let answer = peer.request(peer.reserve_id(), era::discover(&modern)).await;
            let verdict = self.verdict(answer, mark);
            match self.conclude(peer, verdict, &version, fall_back, handshake) {
                Next::Begun(era) => return Ok(era),
                // Once: a server that refuses the very version it names is asked again as well, since it may have had its
                // reasons, but not for ever.
                Next::Again(other, _) if !again => (version, again) = (other, true),
                Next::Again(_, error) => return Err(error),
                Next::Initialize(version) => return self.initialize(peer, version, handshake).await,
                Next::Fail(error) => return Err(error),
            }
        }
    }

    /// The probe to a program: the first answer decides, be it to `server/discover` or, when that stays silent, to
    /// `initialize` (2026-07-28 basic/transports/stdio §Backward Compatibility).
    async fn probe_beside(&self, peer: &Peer, handshake: &mut Handshake) -> Result<Era, ClientError> {
        let modern = Modern::new(NEWEST_MODERN, self.options);
        handshake.declare(&modern);
        let mut draft = era::discover(&modern);
        draft.conduct = Conduct { patient: true, cancel: Cancel::Never, ..draft.conduct };
        let mark = self.ledger.mark();
        let probe = peer.request(peer.reserve_id(), draft);
        tokio::pin!(probe);
        let patience = self.options.timeout.map_or(PROBE_PATIENCE, |timeout| timeout.min(PROBE_PATIENCE));
        let answer = tokio::select! {
            biased;
            answer = &mut probe => answer,
            () = tokio::time::sleep(patience) => {
                let waited = humantime::format_duration(patience);
                let outcome = format!("no answer within {waited}, so initialize is sent beside it");
                self.tried(handshake, peer.kind(), &format!("server/discover {NEWEST_MODERN}"), outcome);
                // Filled apart, so that a late answer to the probe finds nothing of it.
                let mut beside = Handshake { attempts: std::mem::take(&mut handshake.attempts), ..Handshake::default() };
                let (begun, late) = {
                    let initialize = self.initialize(peer, None, &mut beside);
                    tokio::pin!(initialize);
                    tokio::select! {
                        biased;
                        answer = &mut probe => match self.verdict(answer, mark) {
                            Verdict::Legacy(..) => (Some(initialize.await), None),
                            verdict => (None, Some(verdict)),
                        },
                        begun = &mut initialize => (Some(begun), None),
                    }
                };
                handshake.attempts = std::mem::take(&mut beside.attempts);
                let verdict = match (late, begun) {
                    (Some(verdict), _) => verdict,
                    // The refusal of `initialize` names the version to go on with.
                    (None, Some(Err(error))) if other_versions(&error).is_some() => self.verdict(Err(error), mark),
                    // A refusal of `initialize` decides nothing as long as the probe is open: the program may be of the other
                    // era and slow.
                    (None, Some(Err(error))) if is_refusal(&error) => {
                        let limit = self.options.timeout.unwrap_or(Duration::MAX);
                        match tokio::time::timeout(limit, &mut probe).await {
                            Ok(answer) => match self.verdict(answer, mark) {
                                verdict @ (Verdict::Modern(..) | Verdict::OtherVersion(..)) => verdict,
                                _ => return Err(error),
                            },
                            Err(_) => return Err(error),
                        }
                    }
                    (None, begun) => {
                        beside.attempts = std::mem::take(&mut handshake.attempts);
                        *handshake = beside;
                        return begun.unwrap_or_else(|| Err(broken()));
                    }
                };
                return self.settle(peer, verdict, handshake).await;
            }
        };
        let verdict = self.verdict(answer, mark);
        self.settle(peer, verdict, handshake).await
    }

    async fn settle(&self, peer: &Peer, verdict: Verdict, handshake: &mut Handshake) -> Result<Era, ClientError> {
        match self.conclude(peer, verdict, NEWEST_MODERN, true, handshake) {
            Next::Begun(era) => Ok(era),
            Next::Again(version, _) => self.probe(peer, true, Some(version), handshake).await,
            Next::Initialize(version) => self.initialize(peer, version, handshake).await,
            Next::Fail(error) => Err(error),
        }
    }

    /// Reads the answer to the probe. How an older server words its refusal is no deviation, so warnings about that, which
    /// came after `mark`, are taken back.
    fn verdict(&self, answer: Result<Answer, ClientError>, mark: usize) -> Verdict {
        let verdict = self.proof(answer);
        if matches!(verdict, Verdict::Legacy(..)) {
            for warning in self.ledger.withdraw(mark) {
                self.tracer.note(format!("in the answer to the probe: {}", warning.message));
            }
        }
        verdict
    }

    fn proof(&self, answer: Result<Answer, ClientError>) -> Verdict {
        let error = match answer {
            Ok(answer) => {
                let Some(versions) = era::versions_of(&answer.result, self.ledger) else {
                    return Verdict::Legacy("a result without supportedVersions".to_owned(), None);
                };
                let modern = Era::Modern(Modern::new(NEWEST_MODERN, self.options));
                return match modern.shape("server/discover", &answer.result, self.ledger) {
                    Ok(_) => Verdict::Modern(answer.result, versions),
                    Err(error) => Verdict::Refused(error),
                };
            }
            Err(error) => error,
        };
        if let Some(supported) = other_versions(&error) {
            return Verdict::OtherVersion(error, supported);
        }
        if is_modern_refusal(&error) {
            return Verdict::Refused(error);
        }
        match is_refusal(&error) {
            true => Verdict::Legacy(told(&error), Some(error)),
            false => Verdict::Nothing(error),
        }
    }

    fn conclude(&self, peer: &Peer, verdict: Verdict, asked: &str, fall_back: bool, handshake: &mut Handshake) -> Next {
        let (outcome, next) = match verdict {
            Verdict::Modern(result, versions) => {
                let listed = versions.join(", ");
                handshake.offered = versions;
                let next = self.chosen(peer, result, asked, fall_back, handshake);
                let outcome = match &next {
                    Next::Begun(era) => format!("the server speaks {listed}; {} is the newest of both", era.version()),
                    Next::Again(version, _) => format!("the server speaks {listed}; asking again in {version}"),
                    Next::Initialize(_) => format!("the server speaks {listed}, all of which begin with initialize"),
                    Next::Fail(error) => error.fault.to_string(),
                };
                (outcome, next)
            }
            Verdict::OtherVersion(error, supported) => {
                let (said, next) = (told(&error), self.other_version(error, &supported, asked, fall_back));
                handshake.offered = supported;
                let outcome = match &next {
                    Next::Again(version, _) => format!("{said}; asking again in {version}"),
                    Next::Initialize(Some(version)) => format!("{said}; {version} begins with initialize"),
                    _ => format!("{said}; no version in common, and no fallback, for the error is of 2026-07-28"),
                };
                (outcome, next)
            }
            Verdict::Refused(error) => {
                (format!("{}; an answer of 2026-07-28, so no fallback", told(&error)), Next::Fail(error))
            }
            Verdict::Legacy(why, error) => {
                let allowed = if fall_back { "" } else { ", which --protocol modern rules out" };
                let outcome = format!("{why}; no answer of 2026-07-28, so it is an older server{allowed}");
                let next = match (fall_back, error) {
                    (true, _) => Next::Initialize(None),
                    (false, Some(error)) => Next::Fail(error),
                    (false, None) => Next::Fail(version_violation(format!("server/discover gave {why}"))),
                };
                (outcome, next)
            }
            Verdict::Nothing(error) => {
                (format!("{}; that says nothing about the version, so no fallback", told(&error)), Next::Fail(error))
            }
        };
        self.tried(handshake, peer.kind(), &format!("server/discover {asked}"), outcome);
        next
    }

    /// A `DiscoverResult`: the newest version of both sides is spoken.
    fn chosen(&self, peer: &Peer, result: RawJson, asked: &str, fall_back: bool, handshake: &mut Handshake) -> Next {
        let version = era::mutual(&handshake.offered);
        handshake.result = Some(result);
        match version {
            Some(version) if MODERN.contains(&version) => {
                handshake.version = Some(version.to_owned());
                peer.set_server_name(handshake.server_name());
                if version == asked {
                    Next::Begun(Era::Modern(Modern::new(version, self.options)))
                } else {
                    let message = format!("the server speaks {version}, but not when it is asked in it");
                    Next::Again(version.to_owned(), version_violation(message))
                }
            }
            // The specification is silent; `initialize` is the only way in which that version can be spoken.
            Some(version) if fall_back => Next::Initialize(Some(version)),
            Some(version) => {
                let message =
                    format!("the server speaks {version}, which begins with initialize, and no later version");
                Next::Fail(version_fault(message, "--protocol auto and legacy begin with initialize"))
            }
            None if handshake.offered.is_empty() => {
                let evidence = handshake.result.as_ref().map(|result| json::compact(result.get()));
                let message = "the server names no version that it speaks: supportedVersions holds no text".to_owned();
                let hint = Some("2026-07-28 server/discover: at least one version must be named".to_owned());
                let fault = Fault::Violation { reason: Reason::ResultShape, message, evidence, hint };
                Next::Fail(ClientError { phase: Phase::Discover, fault })
            }
            None => {
                let listed = handshake.offered.join(", ");
                Next::Fail(version_violation(format!("the server speaks {listed}, and mcpcli does not")))
            }
        }
    }

    /// -32022: another version of the modern era at once, `initialize` only if the server names an older version itself.
    fn other_version(&self, error: ClientError, supported: &[String], asked: &str, fall_back: bool) -> Next {
        match era::mutual(supported) {
            Some(version) if MODERN.contains(&version) => {
                if version == asked {
                    let message = format!("the server refused {asked} and names it as supported; it was asked again");
                    self.ledger.warn(WarningId::ProtocolVersion, message);
                }
                Next::Again(version.to_owned(), error)
            }
            Some(version) if fall_back => Next::Initialize(Some(version)),
            _ => Next::Fail(error),
        }
    }

    /// Records an attempt where people and scripts look for it.
    pub(super) fn tried(&self, handshake: &mut Handshake, kind: Kind, what: &str, outcome: String) {
        let what = format!("{what} over {}", kind.title());
        self.tracer.note(format!("{what}: {outcome}"));
        self.ledger.with(|facts| facts.server.negotiation.push((what.clone(), outcome.clone())));
        handshake.attempts.push(super::Attempt { what, outcome });
    }
}

fn version_violation(message: String) -> ClientError {
    version_fault(message, "`--protocol VERSION` asks for another version")
}

fn version_fault(message: String, hint: &str) -> ClientError {
    let hint = Some(hint.to_owned());
    let fault = Fault::Violation { reason: Reason::Version, message, evidence: None, hint };
    ClientError { phase: Phase::Discover, fault }
}

fn broken() -> ClientError {
    ClientError {
        phase: Phase::Discover,
        fault: Fault::Broken("neither probe nor initialize came to an end".to_owned()),
    }
}
