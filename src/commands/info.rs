//! `info`: what came of beginning the conversation, and why it is held as it is.

use super::Found;
use crate::client::era::{LEGACY, MODERN};
use crate::client::{Client, Handshake};
use crate::report::{Attempt, Body, Info};

/// Runs the command. A server of 2026-07-28 that was not asked yet, since its version was given, is asked what it is.
pub(super) async fn run(client: &mut Client, handshake: &mut Handshake) -> Found {
    if handshake.result.is_some() || handshake.era != Some("modern") {
        return Found::ok(body(handshake));
    }
    match client.discover().await {
        Ok(answer) => {
            handshake.discovered(answer.result);
            Found::ok(body(handshake))
        }
        Err(error) => Found { body: body(handshake), failures: vec![error.to_failure()] },
    }
}

/// What is known.
pub(super) fn body(handshake: &mut Handshake) -> Body {
    let handshake = std::mem::take(handshake);
    let attempts = handshake.attempts.into_iter();
    Body::Info(Box::new(Info {
        requested: handshake.requested,
        era: handshake.era,
        client_versions: LEGACY.iter().chain(&MODERN).map(|version| (*version).to_owned()).collect(),
        server_versions: handshake.offered,
        result: handshake.result,
        client_capabilities: handshake.client_capabilities,
        session: handshake.session,
        attempts: attempts.map(|attempt| Attempt { what: attempt.what, outcome: attempt.outcome }).collect(),
    }))
}
