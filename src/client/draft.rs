//! A message before it has an id, and how its exchange is held.

use crate::transport::Outgoing;
use crate::wire::jsonrpc;

/// A message that is to be sent, before it has an id.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The method.
    pub method: String,
    /// The JSON text of `params`; the era has put its `_meta` into it.
    pub params: Option<String>,
    /// Headers that mirror the body.
    pub headers: Vec<(String, String)>,
    /// How its exchange is held.
    pub conduct: Conduct,
}

impl Draft {
    /// A notification.
    pub fn notification(method: &str, params: Option<String>) -> Draft {
        let conduct = Conduct { opens_session: false, resumable: false, cancel: Cancel::Never, patient: false };
        Draft { method: method.to_owned(), params, headers: Vec::new(), conduct }
    }
}

/// How the exchange of a request is held. The era says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conduct {
    /// Whether the answer opens a session.
    pub opens_session: bool,
    /// Whether a broken event stream may be resumed.
    pub resumable: bool,
    /// How the server is told that nobody waits any more.
    pub cancel: Cancel,
    /// Whether the idle clock does not run: what comes is no answer but whatever happens.
    pub patient: bool,
}

/// How a request is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancel {
    /// Not at all.
    Never,
    /// By `notifications/cancelled`.
    Notification,
    /// By closing the stream of the request, where it has one of its own; else by `notifications/cancelled`.
    Stream,
}

/// A message for the transport: a request with an id, else a notification.
pub fn outgoing(id: Option<u64>, draft: Draft) -> Outgoing {
    let Draft { method, params, headers, conduct } = draft;
    let text = match id {
        Some(id) => jsonrpc::request(id, &method, params.as_deref()),
        None => jsonrpc::notification(&method, params.as_deref()),
    };
    Outgoing { text, method, key: id, headers, opens_session: conduct.opens_session, resumable: conduct.resumable }
}
