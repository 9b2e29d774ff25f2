//! The protocol versions and how a conversation begins in each. What differs between eras is here and nowhere else.

use serde_json::value::RawValue;

use super::error::{ClientError, Fault};
use super::peer::{Answer, Draft, Peer};
use super::{Handshake, Options, Protocol};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::transport::{Kind, Listening};
use crate::wire::{RawJson, json};

/// The released versions that begin with `initialize`, oldest first.
pub const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The newest version that begins with `initialize`: what is asked for unless the user says otherwise.
const NEWEST_LEGACY: &str = LEGACY[LEGACY.len() - 1];

/// The first version that has the `MCP-Protocol-Version` header (2025-06-18 basic/transports §Protocol Version Header).
const FIRST_WITH_HEADER: &str = "2025-06-18";

/// How a conversation is held, once it has begun.
#[derive(Debug, Clone)]
pub enum Era {
    /// With a handshake, and a session where the transport has one: 2024-11-05 to 2025-11-25.
    Legacy {
        /// The negotiated version.
        version: String,
    },
}

impl Era {
    /// The negotiated version.
    pub fn version(&self) -> &str {
        match self {
            Era::Legacy { version } => version,
        }
    }

    /// A request of this era. `members` are the parameters as name and JSON text; `token` asks for progress.
    pub fn draft(&self, method: &str, members: &[(&str, String)], token: Option<u64>) -> Draft {
        let mut texts: Vec<String> =
            members.iter().map(|(name, value)| format!("{}:{value}", json::quote(name))).collect();
        match self {
            Era::Legacy { .. } => {
                if let Some(token) = token {
                    texts.push(format!("\"_meta\":{{\"progressToken\":{token}}}"));
                }
            }
        }
        let params = (!texts.is_empty()).then(|| format!("{{{}}}", texts.join(",")));
        Draft { method: method.to_owned(), params, headers: Vec::new(), opens_session: false }
    }

    /// A request whose params are the user's, sent as they stand.
    pub fn raw_draft(&self, method: &str, params: Option<&str>) -> Draft {
        match self {
            Era::Legacy { .. } => Draft {
                method: method.to_owned(),
                params: params.map(str::to_owned),
                headers: Vec::new(),
                opens_session: false,
            },
        }
    }

    /// Whether `structuredContent` must be an object (2025-06-18 and 2025-11-25 server/tools §Structured Content).
    pub fn structured_is_object(&self) -> bool {
        match self {
            Era::Legacy { .. } => true,
        }
    }

    /// Whether an empty `nextCursor` may mean the end of a list, as it did with servers of that time.
    pub fn empty_cursor_is_doubtful(&self) -> bool {
        match self {
            Era::Legacy { .. } => true,
        }
    }
}

/// The era that is used before a connection exists, for `--dry-run`.
pub fn presumed(protocol: &Protocol) -> Era {
    Era::Legacy { version: requested(protocol).to_owned() }
}

/// The version that `initialize` asks for.
fn requested(protocol: &Protocol) -> &str {
    match protocol {
        Protocol::Version(version) => version,
        Protocol::Auto | Protocol::Legacy | Protocol::Modern => NEWEST_LEGACY,
    }
}

/// Begins the conversation, and fills `handshake` as far as it comes.
///
/// # Errors
/// What stopped it, with the phase `initialize` or `initialized`.
pub async fn begin(
    peer: &Peer,
    options: &Options,
    ledger: &Ledger,
    handshake: &mut Handshake,
) -> Result<Era, ClientError> {
    let requested = requested(&options.protocol).to_owned();
    let pinned = matches!(options.protocol, Protocol::Version(_));
    if !LEGACY.contains(&requested.as_str()) {
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
    let draft =
        Draft { method: "initialize".to_owned(), params: Some(params), headers: Vec::new(), opens_session: true };
    let Answer { result, .. } = peer.request(peer.reserve_id(), draft).await?;
    let version = accept(&result, &requested, pinned, ledger, handshake);
    handshake.result = Some(result);
    let version = version?;
    if version.as_str() >= FIRST_WITH_HEADER {
        peer.transport().set_protocol_version(&version);
    }
    peer.set_server_name(handshake.server_name());
    // Nothing else is sent before the server took this (2025-11-25 basic/lifecycle §Initialization).
    let initialized = Draft {
        method: "notifications/initialized".to_owned(),
        params: None,
        headers: Vec::new(),
        opens_session: false,
    };
    peer.notify(initialized).await?;
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
    let violation = |reason, message: String, hint: Option<&str>| ClientError {
        phase: Phase::Initialize,
        fault: Fault::Violation {
            reason,
            message,
            evidence: Some(json::compact(result.get())),
            hint: hint.map(str::to_owned),
        },
    };
    let Some(version) = json::member(result, "protocolVersion").as_ref().and_then(|raw| json::string(raw)) else {
        let message = "the initialize result has no protocolVersion".to_owned();
        return Err(violation(Reason::ResultShape, message, Some("is this an MCP server?")));
    };
    handshake.version = Some(version.clone());
    let shape = |member: &str| match json::member(result, member) {
        Some(raw) if json::kind(&raw) == json::JsonKind::Object => {}
        _ => ledger.warn(WarningId::ResultShape, format!("the initialize result has no object {member}")),
    };
    shape("capabilities");
    shape("serverInfo");
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
pub async fn listen(peer: &Peer, ledger: &Ledger) -> Result<(), ClientError> {
    if peer.kind() != Kind::Http {
        return Ok(());
    }
    match peer.listen().await? {
        // GET refused with 401 or 403 is worth a warning, every other refusal is the server's right (HTTP-02).
        Listening::Refused(status @ (401 | 403)) => {
            ledger.warn(WarningId::ListenRefused, format!("the standing GET stream was refused with HTTP {status}"));
        }
        Listening::Open | Listening::Refused(_) | Listening::Failed(_) | Listening::NotApplicable => {}
    }
    Ok(())
}
