//! A failure as plain data.

use serde_json::value::RawValue;

use super::{Category, Phase, Reason};

/// One piece of evidence: what it is, and its text as the peer sent it (not yet made safe for a terminal).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// A short label in lower case, such as `body`, `stderr`, `www-authenticate`.
    pub label: String,
    /// The text. Several lines are allowed.
    pub text: String,
}

/// What a JSON-RPC error object held, verbatim.
#[derive(Debug, Clone)]
pub struct RpcFacts {
    /// The JSON text of `code`: an integer by the specification, whatever it is on the wire.
    pub code: String,
    /// `data`, as it came.
    pub data: Option<Box<RawValue>>,
}

/// A failure as plain data: everything that a person or a script needs to know about it.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Who failed, as a category.
    pub category: Category,
    /// Where inside the category.
    pub reason: Option<Reason>,
    /// At which step.
    pub phase: Phase,
    /// One sentence without a final stop. A server's own words stand in it verbatim, or alone for `rpc-error`.
    pub message: String,
    /// The JSON-RPC error, if that is what came.
    pub rpc: Option<RpcFacts>,
    /// The HTTP status of the answer, if there was one.
    pub http_status: Option<u16>,
    /// The chain of causes down to its leaf, outermost first, without `message`.
    pub causes: Vec<String>,
    /// What was seen on the wire.
    pub evidence: Vec<Evidence>,
    /// One thing that a person can do now.
    pub hint: Option<String>,
    /// Further failures that belong to this one, such as the second transport that was tried.
    pub also: Vec<Failure>,
}

impl Failure {
    /// A failure with the given category, phase and sentence, and nothing else.
    pub fn new(category: Category, phase: Phase, message: impl Into<String>) -> Failure {
        Failure {
            category,
            reason: None,
            phase,
            message: message.into(),
            rpc: None,
            http_status: None,
            causes: Vec::new(),
            evidence: Vec::new(),
            hint: None,
            also: Vec::new(),
        }
    }

    /// A `usage` failure of the phase `resolve`.
    pub fn usage(reason: Reason, message: impl Into<String>) -> Failure {
        Failure::new(Category::Usage, Phase::Resolve, message).with_reason(reason)
    }

    /// Sets the reason.
    #[must_use]
    pub fn with_reason(mut self, reason: Reason) -> Failure {
        self.reason = Some(reason);
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds one piece of evidence.
    #[must_use]
    pub fn with_evidence(mut self, label: impl Into<String>, text: impl Into<String>) -> Failure {
        self.evidence.push(Evidence { label: label.into(), text: text.into() });
        self
    }

    /// Adds the chain of sources of `error`, without `error` itself.
    #[must_use]
    pub fn with_sources(mut self, error: &dyn std::error::Error) -> Failure {
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if self.causes.last() != Some(&text) {
                self.causes.push(text);
            }
            source = cause.source();
        }
        self
    }
}
