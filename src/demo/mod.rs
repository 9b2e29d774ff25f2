//! The MCP server inside the binary: real sockets, and faults on demand.
//!
//! It speaks Streamable HTTP, HTTP+SSE (2024-11-05) and stdio, in both eras: that of `initialize` and that of 2026-07-28. What it offers and how it misbehaves stand in tables: `tools.rs`,
//! `resources.rs`, `prompts.rs`, `faults.rs`. The protocol is `session.rs` for the
//! one era and `modern/` for the other; a transport only carries what they send.

mod arguments;
mod asking;
mod body;
mod calls;
mod context;
mod dispatch;
mod eras;
mod fault_rows;
mod faults;
mod http;
mod lists;
mod log;
mod media;
mod message;
mod misbehave;
mod modern;
mod prompts;
mod replies;
mod resources;
mod server;
mod session;
mod session_tasks;
mod sse;
mod stdio;
mod tasks;
mod tools;
mod world;

pub use eras::Eras;
pub use faults::{FAULTS, Fault, FaultRow};
pub use log::{Log, Seen};
pub use server::{Options, Server};
pub use stdio::serve_stdio;

/// How the demo server is reached.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Transport {
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05.
    Sse,
    /// The standard streams of a process.
    Stdio,
}

impl Transport {
    /// Every transport once.
    pub const ALL: [Transport; 3] = [Transport::Http, Transport::Sse, Transport::Stdio];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Http => "http",
            Transport::Sse => "sse",
            Transport::Stdio => "stdio",
        }
    }

    /// Reads a name as [`Transport::name`] gives it.
    pub fn from_name(name: &str) -> Option<Transport> {
        Transport::ALL.into_iter().find(|transport| transport.name() == name)
    }
}

#[cfg(test)]
mod testing;
