//! What a client of 2026-07-28 MUST do, clause by clause. The fake server itself checks what holds for every request (see
//! `support/modern_ok.rs`); a row's name begins with the section that it is about.
//!
//! Clauses of the earlier versions, and where they are tested:
//!
//! | clause | test |
//! | --- | --- |
//! | 2025-11-25 basic §Requests: ids unique, answers matched by them | `conversation::ids_and_errors` |
//! | 2025-03-26 basic §Batching: arrays are taken | `conversation::ids_and_errors` RPC-05 |
//! | 2025-11-25 basic/lifecycle §Timeouts: progress, absolute limit | `conversation::progress_moves_the_idle_clock_and_not_the_absolute_one` |
//! | 2025-11-25 basic/transports §Session Management: 404 begins anew | `conversation::a_lost_session_is_renewed_once` |
//! | 2025-11-25 server/utilities/pagination: cursors | `conversation::cursors_that_loop_end_the_list_and_show_what_came` |
//! | 2025-11-25 basic/utilities/ping, client/*: every question is answered | `questions::every_question_of_the_server_gets_an_answer` |
//! | 2025-11-25 client/elicitation: only what fits the form is sent | `questions::a_question_that_nobody_answers_is_why_the_call_failed` |
//! | 2025-11-25 basic/utilities/cancellation: the server is told | `interruption::a_signal_ends_a_call_in_order` |
//! | 2025-11-25 basic/utilities/cancellation: never `initialize` | `interruption::the_handshake_is_never_cancelled` |
//! | 2025-11-25 basic/lifecycle §Initialization, §Version Negotiation | `negotiation::handshake` |
//! | 2025-11-25 basic/transports §Protocol Version Header, §Session Management | `negotiation::handshake` |
//! | 2025-11-25 basic/transports §Resumability, 2024-11-05 §HTTP with SSE | `src/transport/http/tests`, `src/transport/sse/tests.rs` |
//! | 2025-11-25 basic/utilities/tasks | `tasks::core` |
//! | 2025-11-25 server/resources §Subscriptions | `watch::legacy` |
//! | 2025-11-25 basic/transports §Backwards Compatibility | `negotiation::told` |

use crate::support::{Conn, Expect, Over, Peer, Request, Run, Sandbox, complete, modern_ok};
use crate::support::{FakeServer, Script};
use serde_json::{Value, json};

mod checks;
mod counts;
mod ending;
mod headers;
mod mirrored;
mod remembered;
mod results;
mod rounds;
mod schemas;

pub(crate) const BOTH: &[Over] = &[Over::Http, Over::Stdio];
pub(crate) const HTTP: &[Over] = &[Over::Http];
pub(crate) const STDIO: &[Over] = &[Over::Stdio];

/// A result of `tools/call`.
pub(crate) const DONE: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"done"}]}"#;

/// Arguments of a call that is the only request.
pub(crate) const CALL: &[&str] = &["--protocol", "2026-07-28", "--timeout", "5s", "call", "--no-check", "t"];

/// A well-behaved server whose other requests are answered so.
pub(crate) fn peer(answer: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Peer {
    Peer::Server(modern_ok(answer))
}

pub(crate) fn done() -> Expect {
    Expect { stdout: &["done"], ..Expect::default() }
}

/// One run with `--json` in a sandbox of its own, and the server that it talked to.
pub(crate) fn run_json(over: Over, script: Script, args: &[&str]) -> (Run, FakeServer) {
    let server = FakeServer::start(over, script);
    let run = Sandbox::new().mcpcli(&server.args(&[&["--json"], args].concat())).run();
    (run, server)
}

/// The document of a run, which must fit the schema of the envelope.
#[track_caller]
pub(crate) fn document(run: &Run) -> Value {
    let document = run.json();
    let problems = crate::envelope::problems(&document);
    assert!(problems.is_empty(), "{problems:?}\n{}", run.describe());
    document
}

/// The only request of this method.
#[track_caller]
pub(crate) fn only(server: &FakeServer, method: &str) -> Request {
    let all: Vec<Request> = all(server, method);
    assert_eq!(all.len(), 1, "requests {method}:\n{}", server.describe());
    all.into_iter().next().expect("one")
}

/// All requests of this method.
pub(crate) fn all(server: &FakeServer, method: &str) -> Vec<Request> {
    server.requests().into_iter().filter(|request| request.rpc_method() == method).collect()
}

/// A tool with this schema of its arguments.
pub(crate) fn tool(name: &str, properties: Value) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": properties}})
}

/// A result of `tools/call` with this text.
pub(crate) fn text_result(text: &str) -> String {
    complete(json!({"content": [{"type": "text", "text": text}]}), false)
}
