//! What a failure proves about the server that it came from: which era it is of, whether it heard the request.

use super::era::{self, MODERN};
use super::error::{ClientError, Fault};
use crate::outcome::Phase;
use crate::wire::jsonrpc::ErrorObject;

/// 2026-07-28 basic §Error Codes: errors that only a server of that era sends.
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;
/// What servers of the legacy era refuse a request with that comes before `initialize`; none of it comes from a tool that ran.
const REFUSALS: [i64; 4] = [-32600, -32601, -32602, -32000];

/// Whether a server of the modern era finds fault with a request that it understood.
pub(super) fn is_modern_refusal(error: &ClientError) -> bool {
    matches!(error.rpc_code(), Some(HEADER_MISMATCH | MISSING_CAPABILITY))
}

/// The versions that an error -32022 names; `None` for any other failure.
pub(super) fn other_versions(error: &ClientError) -> Option<Vec<String>> {
    match &error.fault {
        Fault::Rpc { error: object, .. } if error_is(object, UNSUPPORTED_VERSION) => {
            Some(era::supported(object.data.as_deref()))
        }
        _ => None,
    }
}

fn error_is(object: &ErrorObject, code: i64) -> bool {
    object.code.parse() == Ok(code)
}

/// Whether a request that mirrors arguments was refused for its headers.
pub(super) fn is_header_mismatch(error: &ClientError) -> bool {
    error.rpc_code() == Some(HEADER_MISMATCH)
}

/// Whether a failure is what a server answers to a request that it does not understand: any error but those that only
/// 2026-07-28 has, and any refusal of the POST. "MUST NOT key on one code" (2026-07-28 basic/transports/stdio §Backward
/// Compatibility).
pub(super) fn is_refusal(error: &ClientError) -> bool {
    let status = match &error.fault {
        Fault::Rpc { http_status, .. } | Fault::Undecodable(_, http_status) => *http_status,
        Fault::WrongId { .. } | Fault::NoAnswer | Fault::Violation { .. } => None,
        Fault::Transport(error) => match error.http_status() {
            Some(status) => Some(status),
            None => return false,
        },
        _ => return false,
    };
    status.is_none_or(tells_the_era)
}

/// Whether a connection that had answered before was closed before one byte of this answer came: a server that closes after
/// each answer without saying so. What can be repeated is sent once more over a fresh connection, as curl does.
pub(super) fn closed_unheard(error: &ClientError) -> bool {
    matches!(&error.fault, Fault::Transport(fault) if fault.is_closed_unheard())
}

/// Whether a program ended at the probe, before anything else was asked of it.
pub(super) fn ended_by_probe(error: &ClientError) -> bool {
    matches!(&error.fault, Fault::Transport(fault) if fault.is_exit()) && error.phase == Phase::Discover
}

/// Whether an HTTP status can come from a server because it does not know the version. 401 and 403 are about who asks,
/// 407, 408 and 429 about the way, 3xx about the place, 5xx about a server that is in no state to say.
fn tells_the_era(status: u16) -> bool {
    matches!(status, 200..=299 | 400..=499) && !matches!(status, 401 | 403 | 407 | 408 | 429)
}

/// Whether the first request in a version that was only remembered failed as it may with a server that has changed since. It
/// is worth asking then; only if the server has changed is the request made again.
pub(super) fn casts_doubt(error: &ClientError) -> bool {
    if let Some(offered) = other_versions(error) {
        return !offered.iter().any(|version| MODERN.contains(&version.as_str()));
    }
    match &error.fault {
        Fault::Transport(error) => error.http_status().is_some_and(|status| status >= 400 && tells_the_era(status)),
        Fault::Rpc { http_status, own_id, .. } => {
            let refused = error.rpc_code().is_some_and(|code| REFUSALS.contains(&code));
            http_status.is_none_or(tells_the_era) && (refused || !own_id)
        }
        _ => false,
    }
}

/// What came, in a few words.
pub(super) fn told(error: &ClientError) -> String {
    match &error.fault {
        Fault::Rpc { error, http_status, .. } => {
            let status = http_status.map_or_else(String::new, |status| format!("HTTP {status}, "));
            let ErrorObject { code, message, .. } = &**error;
            format!("{status}error {code} {message:?}")
        }
        fault => fault.to_string(),
    }
}
