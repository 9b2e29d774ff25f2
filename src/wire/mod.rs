//! Bytes to messages and back, without sockets, clocks or tasks: JSON-RPC, event streams, raw JSON and MCP's shapes.
//!
//! Everything here keeps the raw text of what a peer sent: a typed struct would lose `1e400`, 30-digit integers, key
//! order, half a surrogate pair, or the whole answer.

pub mod codes;
pub mod json;
pub mod jsonrpc;
pub mod mcp;
pub mod mirror;
pub mod sse;

pub use json::JsonKind;
pub use jsonrpc::{
    Classified, Defect, ErrorObject, Id, Kind, Message, classify, classify_vec, error, notification, request, response,
};

/// The JSON text of one value, as it came.
pub type RawJson = Box<serde_json::value::RawValue>;
