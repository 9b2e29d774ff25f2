//! The versions with a handshake: `initialize`, `notifications/initialized`, and the standing stream.

use serde_json::value::RawValue;

use super::super::draft::{Cancel, Conduct, Draft};
use super::super::error::ClientError;
use super::super::peer::{Answer, Peer};
use super::super::{Handshake, Options, Protocol};
use super::{Era, LEGACY_CONDUCT, expect_objects, is_released, object, requested, violation};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::transport::{Kind, Listening};
use crate::wire::{RawJson, json};

/// The released versions that begin with `initialize`, oldest first.
pub const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The newest version that begins with `initialize`: what is asked for unless the user says otherwise. 2026-07-28 is never
/// offered in `initialize`: servers exist that accept it there and then speak an older version.
pub const NEWEST_LEGACY: &str = LEGACY[LEGACY.len() - 1];

/// The first version that has the `MCP-Protocol-Version` header (2025-06-18 basic/transports §Protocol Version Header).
const FIRST_WITH_HEADER: &str = "2025-06-18";

/// Whether requests of this version name it in a header.
pub fn has_header(version: &str) -> bool {
    version >= FIRST_WITH_HEADER
}

pub(super) fn draft(method: &str, members: &[(&str, String)], token: Option<u64>) -> Draft {
    let mut members = members.to_vec();
    members.extend(token.map(|token| ("_meta", format!("{{\"progressToken\":{token}}}"))));
    let params = (!members.is_empty()).then(|| object(&members));
    Draft { method: method.to_owned(), params, headers: Vec::new(), conduct: LEGACY_CONDUCT }
}

pub(super) fn raw_draft(method: &str, params: Option<&str>) -> Draft {
    let params = params.map(str::to_owned);
    Draft { method: method.to_owned(), params, headers: Vec::new(), conduct: LEGACY_CONDUCT }
}

/// Shakes hands, and fills `handshake` as far as it comes. `version` is asked for instead of the user's if it is given: the
/// server has named it.
///
/// # Errors
/// What stopped it, with the phase `initialize` or `initialized`.
pub async fn initialize(
    peer: &Peer,
    options: &Options,
    version: Option<&str>,
    ledger: &Ledger,
    handshake: &mut Handshake,
) -> Result<Era, ClientError> {
    let pinned = matches!(options.protocol, Protocol::Version(_));
    let requested = version.unwrap_or_else(|| requested(&options.protocol)).to_owned();
    if !is_released(&requested) {
        let message = format!("{requested} is no released version with a handshake; it is sent as it stands");
        ledger.warn(WarningId::ProtocolVersion, message);
    }
    let capabilities = match &options.client_capabilities {
        Some(exactly) => exactly.get().to_owned(),
        None => options.host.capabilities(),
    };
    let params = format!(
        "{{\"protocolVersion\":{},\"capabilities\":{capabilities},\"clientInfo\":{{\"name\":\"mcpcli\",\"version\":\"{}\"}}}}",
        json::quote(&requested),
        env!("CARGO_PKG_VERSION")
    );
    handshake.requested = Some(requested.clone());
    handshake.client_capabilities = RawValue::from_string(capabilities).ok();
    // "A client MUST NOT attempt to cancel its initialize request" (2025-03-26 to 2025-11-25
    // basic/utilities/cancellation §Behavior Requirements).
    let conduct = Conduct { opens_session: true, cancel: Cancel::Never, ..LEGACY_CONDUCT };
    let draft = Draft { conduct, ..raw_draft("initialize", Some(&params)) };
    let Answer { result, .. } = peer.request(peer.reserve_id(), draft).await?;
    let version = accept(&result, &requested, pinned, ledger, handshake);
    handshake.result = Some(result);
    let version = version?;
    if has_header(&version) {
        peer.transport().set_protocol_version(&version);
    }
    peer.set_server_name(handshake.server_name());
    // Nothing else is sent before the server took this (2025-11-25 basic/lifecycle §Initialization).
    peer.notify(Draft::notification("notifications/initialized", None)).await?;
    Ok(Era::Legacy { version })
}

/// Reads an `initialize` result (basic/lifecycle §Version Negotiation).
fn accept(
    result: &RawJson,
    requested: &str,
    pinned: bool,
    ledger: &Ledger,
    handshake: &mut Handshake,
) -> Result<String, ClientError> {
    let violation =
        |reason, message: String, hint: Option<&str>| violation(Phase::Initialize, reason, message, result, hint);
    let Some(version) = json::member(result, "protocolVersion").as_ref().and_then(|raw| json::string(raw)) else {
        let message = "the initialize result has no protocolVersion".to_owned();
        return Err(violation(Reason::ResultShape, message, Some("is this an MCP server?")));
    };
    handshake.version = Some(version.clone());
    expect_objects("initialize", result, &["capabilities", "serverInfo"], ledger);
    if version == requested {
        return Ok(version);
    }
    if !LEGACY.contains(&version.as_str()) {
        let message = format!("the server offers the protocol version {version}, which mcpcli does not speak here");
        let hint = "`--protocol VERSION` asks for another version";
        return Err(violation(Reason::Version, message, Some(hint)));
    }
    if pinned {
        let message = format!("{requested} was asked for, and the server offers {version} instead, which is used");
        ledger.warn(WarningId::ProtocolVersion, message);
    }
    Ok(version)
}

/// Opens the standing stream of Streamable HTTP where a legacy server may need it. A call waits for it only if the
/// server may ask for something that was declared.
///
/// # Errors
/// When a clock runs out or a signal comes.
pub async fn listen(peer: &Peer, ledger: &Ledger) -> Result<Listening, ClientError> {
    if peer.kind() != Kind::Http {
        return Ok(Listening::NotApplicable);
    }
    let listening = peer.listen().await?;
    // GET refused with 401 or 403 is worth a warning, every other refusal is the server's right (HTTP-02).
    if let Listening::Refused(status @ (401 | 403)) = listening {
        ledger.warn(WarningId::ListenRefused, format!("the standing GET stream was refused with HTTP {status}"));
    }
    Ok(listening)
}
