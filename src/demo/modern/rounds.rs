//! Calls that ask before they answer (2026-07-28 basic/patterns/mrtr): the answer is a question and a state, and the client sends the
//! call again with both answered. Nothing is kept here in between, so the call runs again from its beginning, with the answers at hand.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::demo::context::{AGAIN, Asks, Context, Pause, Reply};
use crate::demo::dispatch;
use crate::demo::message::{Request, RpcError, params};
use crate::demo::world::World;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoundParams {
    input_responses: Option<Map<String, Value>>,
    request_state: Option<Value>,
    name: Option<Value>,
    uri: Option<Value>,
    arguments: Option<Box<RawValue>>,
}

/// The parameters that a call keeps over its rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Call {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
}

/// What `requestState` holds.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    method: String,
    call: Call,
    /// What was answered until now, by key.
    answers: Map<String, Value>,
    /// The key that is asked for.
    asked: Option<String>,
}

impl State {
    fn close(&self, world: &World) -> Reply {
        let text =
            serde_json::to_string(self).map_err(|error| RpcError::new(-32603, format!("Internal error: {error}")))?;
        let text = URL_SAFE_NO_PAD.encode(text);
        Ok(Value::String(format!("{text}.{}", world.seal(&text))))
    }

    /// Reads a state that came back from the client, who may have changed it (2026-07-28 basic/patterns/mrtr §Server Requirements): it must
    /// be one of ours, and of this very call.
    fn open(world: &World, given: &Value) -> Option<State> {
        let (text, seal) = given.as_str()?.rsplit_once('.')?;
        if seal != world.seal(text) {
            return None;
        }
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
    }
}

/// Runs a call until it has an answer or a question.
pub async fn run(world: &World, request: &Request, context: impl FnOnce(Asks) -> Context) -> Reply {
    let RoundParams { input_responses, request_state, name, uri, arguments } = params(&request.params)?;
    // What cannot be read is the tool's to complain about.
    let read = |raw: Box<RawValue>| serde_json::from_str(raw.get()).unwrap_or_default();
    let call = Call { name, uri, arguments: arguments.map(read) };
    let mut answers = Map::new();
    if let Some(given) = request_state {
        let state = State::open(world, &given).filter(|state| state.method == request.method && state.call == call);
        let Some(state) = state else {
            let data = json!({ "reason": "invalid_request_state" });
            return Err(RpcError::invalid_params("Invalid requestState: it is not of this call").with_data(data));
        };
        answers = state.answers;
        // Other keys than the one that was asked for are passed over; without it the question is asked again.
        if let Some((key, answer)) = state.asked.and_then(|key| input_responses?.remove_entry(&key)) {
            answers.insert(key, answer);
        }
    }
    let (pauses, mut paused) = mpsc::channel(1);
    let context = context(Asks::Rounds(answers.clone(), pauses));
    let pause = tokio::select! {
        biased;
        Some(pause) = paused.recv() => pause,
        reply = dispatch::run(&request.method, &request.params, context) => return reply,
    };
    let mut state = State { method: request.method.clone(), call, answers, asked: None };
    let mut result = json!({ "resultType": "input_required" });
    match pause {
        Pause::Question(key, question) => {
            result["inputRequests"] = json!({ key.as_str(): question });
            state.asked = Some(key);
        }
        Pause::Again => {
            state.answers.insert(AGAIN.to_owned(), Value::Null);
        }
    }
    result["requestState"] = state.close(world)?;
    Ok(result)
}
