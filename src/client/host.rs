//! What mcpcli answers when the server asks: roots, elicitation, sampling.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::value::RawValue;

/// A root that the server may be told of; by the specification a `file://` URI (client/roots, all versions).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The URI.
    pub uri: String,
    /// A name for it.
    pub name: Option<String>,
}

/// One canned answer of `--answer`.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Accept the form, with its defaults filled in and these members over them.
    Accept(Option<Arc<RawValue>>),
    /// Decline.
    Decline,
    /// Cancel.
    Cancel,
}

/// Asks the person at the terminal.
pub trait Asker: Send + Sync {
    /// Shows an elicitation form and gives the action (`accept`, `decline`, `cancel`) with the content's JSON text.
    fn ask<'a>(&'a self, server: &'a str, params: &'a RawValue) -> BoxFuture<'a, Reply>;
}

/// What a person replied to a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The JSON text of the content.
    Accept(String),
    /// No.
    Decline,
    /// Neither.
    Cancel,
}

/// Everything that can be answered, and so may be declared.
#[derive(Clone, Default)]
pub struct Host {
    /// `--roots`; empty means that roots are not declared.
    pub roots: Vec<Root>,
    /// `--answer` for forms, one a request in order, the last one for all that follow.
    pub elicitation: Vec<Answer>,
    /// `--answer sampling=…`: texts or whole results, used likewise.
    pub sampling: Vec<Sampling>,
    /// The terminal, when there is one.
    pub asker: Option<Arc<dyn Asker>>,
}

/// One canned answer to `sampling/createMessage`.
#[derive(Debug, Clone)]
pub enum Sampling {
    /// The text of the assistant's message.
    Text(String),
    /// The whole result.
    Result(Arc<RawValue>),
}
