//! Faults of the answer to `tools/call` itself: the same on every transport.

use std::time::Duration;

use serde_json::json;

use super::context::{Context, Out};
use super::faults::Fault;
use super::message::RpcError;

/// Time for what was sent to reach the client before the connection ends.
const SETTLE: Duration = Duration::from_millis(50);

/// The fault that the answer to `tools/call` commits, if one of `faults` is of that kind.
pub fn chosen(faults: &[Fault]) -> Option<Fault> {
    use Fault::{CutStream, Hang, NotJson, Reset, RpcError, WrongId};
    faults.iter().copied().find(|fault| matches!(fault, Hang | CutStream | Reset | NotJson | WrongId | RpcError))
}

/// Whether it is shown on a stream.
pub fn streams(fault: Fault) -> bool {
    matches!(fault, Fault::CutStream | Fault::Reset)
}

/// The error of `rpc-error` and `rpc-error-in-400`.
pub fn rpc_error() -> RpcError {
    RpcError::new(-32603, "Internal error: the demo server was asked to fail")
        .with_data(json!({ "fault": true, "attempt": 1 }))
}

/// Commits `fault` in place of an answer to `id`.
pub async fn run(fault: Fault, context: &Context, id: &str) {
    let result = json!({ "content": [{ "type": "text", "text": "an answer to somebody else" }] });
    match fault {
        Fault::CutStream | Fault::Reset => {
            match context.progress_token {
                Some(_) => context.progress(1.0, 2.0, "half way").await,
                None => context.log("error", json!("half way")).await,
            }
            if fault == Fault::Reset {
                context.outlet.send(Out::Fragment("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":")).await;
            }
            tokio::time::sleep(SETTLE).await;
            context.outlet.send(if fault == Fault::Reset { Out::Reset } else { Out::Cut }).await;
        }
        Fault::NotJson => {
            let broken = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[}}}}"#);
            context.outlet.send(Out::Answer(broken, None)).await;
        }
        Fault::WrongId => {
            let wrong = if id == "999" { "998" } else { "999" };
            context.outlet.answer(wrong, &Ok(result)).await;
        }
        Fault::RpcError => {
            context.outlet.answer(id, &Err(rpc_error())).await;
        }
        // `hang`: as long as somebody could read an answer, none comes.
        _ => context.outlet.closed().await,
    }
}
