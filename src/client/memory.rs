//! What was found out about HTTP servers in earlier runs, so that the next one need not ask again
//! (2026-07-28 basic/versioning §Backward Compatibility: the era belongs to the server, and a client SHOULD keep it).

use url::Url;

use super::connect::{Dialer, Handshake};
use super::{Protocol, Target};
use crate::transport::Kind;

/// What was learned about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// The version of the modern era that it speaks; `None` for a server that begins with `initialize`.
    pub modern: Option<String>,
    /// Whether it speaks HTTP+SSE rather than Streamable HTTP.
    pub sse: bool,
}

/// Where it is kept. Nothing depends on it, so nothing here fails.
pub trait Memory: Send + Sync {
    /// What is known of the server at this URL.
    fn recall(&self, url: &Url) -> Option<Learned>;
    /// Keeps what was learned about it.
    fn keep(&self, url: &Url, learned: &Learned);
    /// Drops it.
    fn forget(&self, url: &Url);
}

impl Dialer<'_> {
    /// What is known of a server, if anything may be taken from an earlier run.
    pub(super) fn recall(&self, target: &Target) -> Option<Learned> {
        let (memory, Target::Http(kind, endpoint)) = (self.options.memory.as_ref()?, target) else { return None };
        if self.options.find_out || !matches!(self.options.protocol, Protocol::Auto) {
            return None;
        }
        let learned = memory.recall(&endpoint.url)?;
        // A transport that the user named wins over what was learned about another.
        kind.is_none_or(|kind| learned.sse == (kind == Kind::Sse)).then_some(learned)
    }

    /// Drops what is known of a server.
    pub(super) fn forget(&self, target: &Target) {
        if let (Some(memory), Target::Http(_, endpoint)) = (&self.options.memory, target) {
            memory.forget(&endpoint.url);
        }
    }

    /// Keeps what came out, unless the user had said what it must be.
    pub(super) fn learn(&self, target: &Target, kind: Kind, handshake: &Handshake) {
        let (Some(memory), Target::Http(_, endpoint)) = (&self.options.memory, target) else { return };
        if self.options.protocol == Protocol::Auto {
            let modern = handshake.version.clone().filter(|_| handshake.era == Some("modern"));
            memory.keep(&endpoint.url, &Learned { modern, sse: kind == Kind::Sse });
        }
    }
}
