//! The way of a request to its answer, with what has to be renewed on it: the session, the version, or the certainty about
//! what the server speaks. And the standing stream, which belongs to the session.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use tokio::task::JoinHandle;

use super::connect::{Dialer, Handshake, server_info};
use super::draft::Draft;
use super::era::{self, Era, MODERN, Modern, Opening};
use super::error::{ClientError, Fault};
use super::operations::Client;
use super::peer::{Answer, Peer};
use super::{Protocol, Target, evidence};
use crate::outcome::{Ledger, Phase, WarningId};
use crate::transport::Listening;
use crate::wire::{RawJson, json};

/// Makes a request of an era under an id.
pub(super) type Drafting<'a> = dyn Fn(&Era, u64) -> Draft + Sync + 'a;

/// How long a request waits for the standing stream at most.
const LISTENING: std::time::Duration = std::time::Duration::from_secs(2);

impl Client {
    /// Sends a request, and once more where the failure says that the server did not hear it: another version is asked for,
    /// the era was remembered wrongly, or the session is lost.
    pub(super) async fn renewed(&mut self, draft: &Drafting<'_>) -> Result<Answer, ClientError> {
        let had_session = self.peer.transport().has_session();
        let mark = self.ledger.mark();
        let first = self.once(draft).await;
        let trusted = self.on_trust.take();
        let lost = match first {
            Err(error) if trusted.as_ref().is_some_and(|_| evidence::casts_doubt(&error)) => {
                let Some(target) = trusted else { return Err(error) };
                // Warnings about how a changed server words its refusal are no deviations of it.
                let about_it = self.ledger.withdraw(mark);
                if !self.find_out_anew(&target, &error).await? {
                    about_it.into_iter().for_each(|warning| self.ledger.warn(warning.id, warning.message));
                    return Err(error);
                }
                return self.once(draft).await;
            }
            Err(error) => match self.other_version(&error) {
                Some(version) => {
                    self.tracer.note(format!("{}; asking again in {}", error.fault, version.version));
                    self.set_era(Era::Modern(version));
                    return self.once(draft).await;
                }
                None if had_session && error.session_is_gone() => error,
                None => return Err(error),
            },
            Ok(answer) => return Ok(answer),
        };
        // 404 proves that the request was not executed, so that even a call may be sent again
        // (2025-03-26 to 2025-11-25 basic/transports §Session Management: MUST start a new session).
        self.tracer.note(format!("the server has lost the session ({}); opening a new one", lost.fault));
        self.renew().await?;
        let message = "the server had lost the session (HTTP 404); a new one was opened and the request sent again";
        self.ledger.warn(WarningId::SessionRenewed, message);
        match self.once(draft).await {
            Err(error) if error.session_is_gone() => {
                let fault = Fault::SessionLost(Box::new(error.fault));
                Err(ClientError { phase: error.phase, fault })
            }
            other => other,
        }
    }

    async fn once(&self, draft: &Drafting<'_>) -> Result<Answer, ClientError> {
        let id = self.peer.reserve_id();
        let draft = draft(&self.era(), id);
        let answer = self.peer.request(id, draft).await?;
        self.heard.store(true, Ordering::Relaxed);
        self.note_server(&answer.result);
        Ok(answer)
    }

    /// Who the server is, which in 2026-07-28 stands in every result.
    fn note_server(&self, result: &RawJson) {
        if self.era().server_may_ask() || self.ledger.with(|facts| facts.server.name.is_some()) {
            return;
        }
        let Some(info) = server_info(result) else { return };
        let text = |member: &str| json::member(&info, member).and_then(|raw| json::string(&raw));
        self.ledger.with(|facts| (facts.server.name, facts.server.version) = (text("name"), text("version")));
        self.peer.set_server_name(text("name").unwrap_or_default());
    }

    /// The version to go on with after an error -32022, once: the one that was asked for if the server names it, else one of
    /// the same era that both speak, unless the user has said which it must be.
    fn other_version(&mut self, error: &ClientError) -> Option<Modern> {
        let (Era::Modern(now), false) = (self.era(), self.version_changed) else { return None };
        let offered = evidence::other_versions(error)?;
        let same = offered.contains(&now.version).then(|| now.version.clone());
        let pinned = matches!(self.options.protocol, Protocol::Version(_));
        let other = era::mutual(&offered).filter(|version| !pinned && MODERN.contains(version)).map(str::to_owned);
        let version = same.clone().or(other)?;
        self.version_changed = true;
        if same.is_some() {
            let message = format!("the server refused {version} and names it as supported; it was asked again");
            self.ledger.warn(WarningId::ProtocolVersion, message);
        }
        self.ledger.with(|facts| facts.server.protocol = Some(version.clone()));
        Some(Modern { version, ..now })
    }

    fn set_era(&self, era: Era) {
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = era;
    }

    /// The server may not speak any more what was remembered of it; whether that is so. A request that such a server refused
    /// did not run, so that even a call may be made again.
    async fn find_out_anew(&mut self, target: &Target, error: &ClientError) -> Result<bool, ClientError> {
        self.tracer.note(format!("what was remembered may not hold any more ({}); finding out anew", error.fault));
        let before = self.era().version().to_owned();
        let (options, tracer, ledger) = (self.options.clone(), Arc::clone(&self.tracer), self.ledger.clone());
        let dialer = Dialer { options: &options, tracer: &tracer, ledger: &ledger };
        dialer.forget(target);
        let mut handshake = Handshake::default();
        let begun = dialer.find_out(target, &mut handshake).await;
        let phase = error.phase.clone();
        let fresh = begun.map_err(|failure| ClientError { phase, fault: Fault::Renegotiation(Box::new(failure)) })?;
        self.go_on_as(fresh).await?;
        Ok(self.era().version() != before)
    }

    /// Takes the place of a conversation that cannot go on; what belongs to the command stays.
    pub(super) async fn go_on_as(&mut self, mut fresh: Client) -> Result<(), ClientError> {
        (fresh.target, fresh.may_repeat_call) = (self.target.take(), self.may_repeat_call);
        *self = fresh;
        self.wait_for_listening().await
    }

    async fn renew(&mut self) -> Result<(), ClientError> {
        if let Some(listening) = self.listening.take() {
            listening.abort();
        }
        self.peer.transport().forget_session();
        let dialer = Dialer { options: &self.options, tracer: &self.tracer, ledger: &self.ledger };
        let mut handshake = Handshake::default();
        let era = dialer.introduce(&self.peer, &Opening::Initialize, &mut handshake).await?;
        self.set_era(era);
        self.listening = Some(spawn_listening(&self.peer, &self.ledger));
        self.wait_for_listening().await
    }

    /// A server may ask on the standing stream only. Where something was declared that it may ask for, that stream
    /// must stand, or be refused, before the request that makes it ask.
    pub(super) async fn wait_for_listening(&mut self) -> Result<(), ClientError> {
        let declares = match &self.options.client_capabilities {
            Some(exactly) => json::compact(exactly.get()) != "{}",
            None => self.options.host.capabilities() != "{}",
        };
        if !declares {
            return Ok(());
        }
        let Some(listening) = self.listening.take() else { return Ok(()) };
        // The stream is optional; a request tells better than it what is wrong with the server. One that is not answered at all
        // is waited for no longer than a part of the request's own time.
        let limit = self.options.timeout.map_or(LISTENING, |timeout| LISTENING.min(timeout / 2));
        let listening = tokio::time::timeout(limit, listening);
        match super::peer::guard(&self.options, Phase::Initialized, listening).await? {
            Ok(_) => {}
            Err(_) => self.tracer.note("the standing GET stream has no answer yet; going on without it"),
        }
        Ok(())
    }

    /// How the standing stream came out.
    pub(super) async fn listening(&mut self) -> Result<Listening, ClientError> {
        let broken = |why: &str| ClientError { phase: Phase::Initialized, fault: Fault::Broken(why.to_owned()) };
        let Some(listening) = self.listening.take() else {
            return Err(broken("the standing stream was asked for twice"));
        };
        let listening = super::peer::guard(&self.options, Phase::Initialized, listening).await?;
        listening.unwrap_or_else(|_| Err(broken("the task of the standing stream is gone")))
    }
}

/// Opens the standing stream beside the conversation.
pub(super) fn spawn_listening(peer: &Arc<Peer>, ledger: &Ledger) -> JoinHandle<Result<Listening, ClientError>> {
    let (peer, ledger) = (Arc::clone(peer), ledger.clone());
    tokio::spawn(async move { era::listen(&peer, &ledger).await })
}
