//! What is known of a run besides its result, while it is gathered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Phase, Warning, WarningId};

/// How long one phase took.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseTime {
    /// Which phase.
    pub phase: Phase,
    /// Wall time.
    pub took: Duration,
}

/// An attempt that failed and was followed by another (`--retry`).
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// At which step.
    pub phase: Phase,
    /// Which attempt, from 1.
    pub attempt: usize,
    /// How it failed.
    pub message: String,
    /// The pause before the next one.
    pub pause: Duration,
}

/// Which server was spoken to, as far as that became known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerFacts {
    /// The URL with secrets masked, or the command line.
    pub target: Option<String>,
    /// `http`, `sse` or `stdio`.
    pub transport: Option<&'static str>,
    /// The protocol version in use.
    pub protocol: Option<String>,
    /// `serverInfo.name`, untrusted.
    pub name: Option<String>,
    /// `serverInfo.version`, untrusted.
    pub version: Option<String>,
    /// What was tried to find out what the server speaks, and what came of it, in order.
    pub negotiation: Vec<(String, String)>,
}

/// What is known of a run besides its result.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The server.
    pub server: ServerFacts,
    /// Warnings in the order they came.
    pub warnings: Vec<Warning>,
    /// Finished phases in order.
    pub phases: Vec<PhaseTime>,
    /// Attempts that failed and were followed by another.
    pub retries: Vec<Retry>,
}

/// The facts of a run while they are gathered; clones share one store.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Facts>>);

impl Ledger {
    /// Adds a warning, unless the very same one is there already.
    pub fn warn(&self, id: WarningId, message: impl Into<String>) {
        let warning = Warning::new(id, message);
        self.with(|facts| {
            if !facts.warnings.contains(&warning) {
                facts.warnings.push(warning);
            }
        });
    }

    /// How many warnings there are.
    pub fn mark(&self) -> usize {
        self.with(|facts| facts.warnings.len())
    }

    /// Takes back the warnings that came after a mark: what they are about turned out to be no deviation.
    pub fn withdraw(&self, mark: usize) -> Vec<Warning> {
        self.with(|facts| facts.warnings.split_off(mark.min(facts.warnings.len())))
    }

    /// Notes how long a phase took.
    pub fn took(&self, phase: Phase, took: Duration) {
        self.with(|facts| facts.phases.push(PhaseTime { phase, took }));
    }

    /// Changes the facts.
    pub fn with<T>(&self, change: impl FnOnce(&mut Facts) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A copy of what is known now.
    pub fn snapshot(&self) -> Facts {
        self.with(|facts| facts.clone())
    }
}
