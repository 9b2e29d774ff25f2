//! What the tests of the binary stand on: a sandbox to run it in, servers that do exactly what a script says, and
//! tables of failures.
//!
//! ```ignore
//! let server = FakeServer::start(Over::Http, init_ok(|request, conn| conn.error(request, -32601, "no such method")));
//! let run = Sandbox::new().mcpcli(&server.args(&["--json", "request", "no/such"])).run();
//! run.assert_category("rpc-error", None, 4);
//! assert_eq!(server.rpc_methods(), ["initialize", "notifications/initialized", "no/such"]);
//! ```
//!
//! Everything is std, threads and port 0; no other language is needed to run a server.
// A toolbox: a table takes from it what it needs.
#![allow(dead_code, unused_imports)]

mod conn;
mod front;
mod init_ok;
mod modern_ok;
mod proxy;
mod relay;
mod request;
mod rows;
mod sandbox;
mod server;
mod tests;
mod tls;

pub use conn::{Conn, Gone};
pub use front::{Front, pipe};
pub use init_ok::{InitOk, init_ok};
pub use modern_ok::{MODERN, ModernOk, complete, decoded, fresh_ids, modern_error, modern_ok};
pub use proxy::{Asked, Does, FakeProxy};
pub use request::Request;
pub use rows::{Expect, Peer, Row, Seen, check_rows};
pub use sandbox::{Invocation, Run, Running, Sandbox};
pub use server::{FakeServer, Over, Script, script};
pub use tls::{Authority, Identity, Tls, TlsServer, Valid, tls_front};
