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
    let of_this_kind = |fault: &Fault| {
        matches!(fault, Hang | CutStream | Reset | NotJson | WrongId | RpcError) || broken(*fault, "0").is_some()
    };
    faults.iter().copied().find(of_this_kind)
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

/// The levels of `too-deep`.
const LEVELS: usize = 100_000;

/// The text that stands in place of an answer to `id`, for the faults that are just that.
fn broken(fault: Fault, id: &str) -> Option<String> {
    let result = r#"{"content":[{"type":"text","text":"an answer that breaks the rules"}]}"#;
    let error = r#"{"code":-32603,"message":"the demo server was asked to fail"}"#;
    Some(match fault {
        Fault::NotJson => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[}}}}"#),
        Fault::IdNull => format!(r#"{{"jsonrpc":"2.0","id":null,"error":{error}}}"#),
        Fault::ResultAndError => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result},"error":{error}}}"#),
        Fault::NoResult => format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#),
        Fault::BareResult => result.to_owned(),
        Fault::ResultText => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"done"}}"#),
        Fault::TooDeep => {
            let (open, close) = ("[".repeat(LEVELS), "]".repeat(LEVELS));
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"deep":{open}{close}}}}}"#)
        }
        _ => return None,
    })
}

/// Commits `fault` in place of an answer to `id`.
pub async fn run(fault: Fault, context: &Context, id: &str) {
    if let Some(text) = broken(fault, id) {
        context.outlet.send(Out::Answer(text, None)).await;
        return;
    }
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
