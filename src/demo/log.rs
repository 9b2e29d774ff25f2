//! What the demo server saw of its clients, for tests that ask "did it send that?".

use std::sync::{Arc, Mutex, PoisonError};

/// Entries that a list keeps; later ones are only counted, so that a server under load does not grow.
const KEPT: usize = 4096;
/// Bytes that an entry keeps of a method or an id.
const ENTRY: usize = 256;

/// A handle on the record of one server; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Seen>>);

/// What a server has seen so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// TCP connections accepted.
    pub connections: u64,
    /// POST requests.
    pub posts: u64,
    /// GET requests.
    pub gets: u64,
    /// DELETE requests that ended a session.
    pub deletes: u64,
    /// Sessions that an `initialize` opened.
    pub sessions: u64,
    /// Requests and notifications of JSON-RPC.
    pub messages: u64,
    /// Their methods in order, the first few thousand.
    pub methods: Vec<String>,
    /// The JSON text of `requestId` of each `notifications/cancelled`.
    pub cancelled: Vec<String>,
    /// The JSON text of `id` of each request whose response stream the client closed before its end.
    pub abandoned: Vec<String>,
    /// The JSON text of `id` of each answer to a request of the server.
    pub answers: Vec<String>,
    /// Protocol versions that an `initialize` settled on.
    pub versions: Vec<&'static str>,
}

impl Log {
    /// A copy of what was seen until now.
    pub fn snapshot(&self) -> Seen {
        self.with(|seen| seen.clone())
    }

    /// Notes something.
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn method(&self, method: &str) {
        self.with(|seen| {
            seen.messages += 1;
            keep(&mut seen.methods, method);
        });
    }

    pub(super) fn cancelled(&self, id: &str) {
        self.with(|seen| keep(&mut seen.cancelled, id));
    }

    pub(super) fn abandoned(&self, id: &str) {
        self.with(|seen| keep(&mut seen.abandoned, id));
    }

    pub(super) fn answer(&self, id: &str) {
        self.with(|seen| keep(&mut seen.answers, id));
    }

    pub(super) fn session(&self, version: &'static str) {
        self.with(|seen| {
            seen.sessions += 1;
            if seen.versions.len() < KEPT {
                seen.versions.push(version);
            }
        });
    }
}

fn keep(list: &mut Vec<String>, text: &str) {
    if list.len() < KEPT {
        list.push(text[..text.floor_char_boundary(ENTRY)].to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_is_bounded_but_counts_on() {
        let log = Log::default();
        for _ in 0..KEPT + 10 {
            log.method(&"é".repeat(ENTRY));
        }
        let seen = log.snapshot();
        assert_eq!((seen.messages, seen.methods.len()), (KEPT as u64 + 10, KEPT));
        assert_eq!(seen.methods[0].len(), ENTRY);
    }
}
