//! The two eras of the protocol. What differs between them is here and in the files below, and nowhere else.
//!
//! The legacy era (2024-11-05 to 2025-11-25) begins with `initialize`; see `legacy.rs`. The modern era (2026-07-28) has no
//! beginning: every request says which version it is of; see `modern.rs`.

use std::collections::BTreeSet;

use super::draft::{Cancel, Conduct, Draft};
use super::error::{ClientError, Fault};
use super::host::Question;
use super::{Options, Protocol};
use crate::outcome::{Ledger, Phase, Reason, WarningId};
use crate::schema;
use crate::trace::mask_members;
use crate::transport::Kind;
use crate::wire::{JsonKind, RawJson, json};

mod legacy;
mod modern;

pub use legacy::{LEGACY, NEWEST_LEGACY, has_header, initialize, listen};
pub use modern::{
    MODERN, Modern, NEWEST_MODERN, SERVER_INFO, TASKS, discover, may_ask, mutual, supported, versions_of,
};

/// How a conversation is held, once it has begun.
#[derive(Debug, Clone)]
pub enum Era {
    /// With a handshake, and a session where the transport has one: 2024-11-05 to 2025-11-25.
    Legacy {
        /// The negotiated version.
        version: String,
    },
    /// Without: 2026-07-28.
    Modern(Modern),
}

/// What a result is, before its method is looked at.
#[derive(Debug, Clone)]
pub enum Shape {
    /// The answer.
    Complete,
    /// The server wants something first (2026-07-28 basic/patterns/mrtr).
    InputRequired(Box<Wanted>),
    /// The call became a task (extension io.modelcontextprotocol/tasks).
    Task,
}

/// What a server wants before it goes on.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Its questions, with the keys that their answers go under.
    pub questions: Vec<(String, Question)>,
    /// `requestState` as it came; it goes back to the byte.
    pub state: Option<RawJson>,
}

impl Era {
    /// `legacy` or `modern`.
    pub fn name(&self) -> &'static str {
        match self {
            Era::Legacy { .. } => "legacy",
            Era::Modern(_) => "modern",
        }
    }

    /// The version in use.
    pub fn version(&self) -> &str {
        match self {
            Era::Legacy { version } => version,
            Era::Modern(modern) => &modern.version,
        }
    }

    /// A request of this era. `members` are the parameters as name and JSON text; `token` asks for progress.
    pub fn draft(&self, method: &str, members: &[(&str, String)], token: Option<u64>) -> Draft {
        match self {
            Era::Legacy { .. } => legacy::draft(method, members, token),
            Era::Modern(modern) => modern.draft(method, members, token),
        }
    }

    /// A request whose params are the user's. In the legacy era they go as they stand; in the modern one `_meta` is added
    /// where they have none, since no request can be without.
    pub fn raw_draft(&self, method: &str, params: Option<&str>) -> Draft {
        match self {
            Era::Legacy { .. } => legacy::raw_draft(method, params),
            Era::Modern(modern) => modern.raw_draft(method, params),
        }
    }

    /// Whether `structuredContent` must be an object (2025-06-18 and 2025-11-25 server/tools §Structured Content; any JSON
    /// value since 2026-07-28).
    pub fn structured_is_object(&self) -> bool {
        matches!(self, Era::Legacy { .. })
    }

    /// Whether an empty `nextCursor` may mean the end of a list, as it did with servers of that time (2026-07-28
    /// server/utilities/pagination: it MUST NOT be taken for the end).
    pub fn empty_cursor_is_doubtful(&self) -> bool {
        matches!(self, Era::Legacy { .. })
    }

    /// Whether a server may send requests of its own.
    pub fn server_may_ask(&self) -> bool {
        matches!(self, Era::Legacy { .. })
    }

    /// The method that shows that a server lives: `ping` is gone in 2026-07-28, and every server there has `server/discover`.
    pub fn sign_of_life(&self) -> &'static str {
        match self {
            Era::Legacy { .. } => "ping",
            Era::Modern(_) => "server/discover",
        }
    }

    /// What is wrong with how a tool wants its arguments mirrored, if that forbids its use here: over Streamable HTTP a
    /// client MUST drop such a tool (2026-07-28 basic/transports/streamable-http §Custom Headers).
    pub fn tool_defects(&self, input_schema: Option<&serde_json::value::RawValue>, kind: Kind) -> Vec<String> {
        let (Era::Modern(_), Kind::Http, Some(schema)) = (self, kind, input_schema) else { return Vec::new() };
        let defects = schema::mirrored(schema).err().unwrap_or_default();
        defects.into_iter().map(|defect| format!("inputSchema{}: {}", defect.pointer, defect.message)).collect()
    }

    /// The headers that mirror arguments of a tool.
    ///
    /// # Errors
    /// The argument that cannot be mirrored, as a sentence.
    pub fn mirrored(
        &self,
        input_schema: Option<&serde_json::value::RawValue>,
        arguments: &str,
        kind: Kind,
    ) -> Result<Vec<(String, String)>, String> {
        let (Era::Modern(_), Kind::Http, Some(schema)) = (self, kind, input_schema) else { return Ok(Vec::new()) };
        let Ok(arguments) = serde_json::from_str::<&serde_json::value::RawValue>(arguments) else {
            return Ok(Vec::new());
        };
        let mirrored = schema::mirrored(schema).unwrap_or_default();
        let headers = schema::mirror_values(&mirrored, arguments)?;
        let prefix = crate::wire::mirror::PARAM;
        Ok(headers.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)).collect())
    }

    /// What a result is, by its `resultType`.
    ///
    /// # Errors
    /// A type that nobody knows, or one that this method or this client cannot get: the result is invalid
    /// (2026-07-28 basic §ResultType).
    pub fn shape(&self, method: &str, result: &RawJson, ledger: &Ledger) -> Result<Shape, ClientError> {
        match self {
            Era::Legacy { .. } => Ok(Shape::Complete),
            Era::Modern(modern) => modern.shape(method, result, ledger),
        }
    }
}

/// The era that is used before a connection exists, for `--dry-run`: the pinned one, else the newest.
pub fn presumed(options: &Options, kind: Kind) -> Era {
    match opening(&options.protocol, kind) {
        Opening::Initialize => Era::Legacy { version: requested(&options.protocol).to_owned() },
        Opening::Probe { .. } => Era::Modern(Modern::new(NEWEST_MODERN, options)),
        Opening::Presume(version) => Era::Modern(Modern::new(&version, options)),
    }
}

/// How a conversation begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// With `initialize`.
    Initialize,
    /// With `server/discover`; whether `initialize` may follow where that fails.
    Probe {
        /// Whether the older versions may be spoken too.
        fall_back: bool,
    },
    /// With the first request, in this version.
    Presume(String),
}

/// How the conversation begins with this setting. HTTP+SSE exists in 2024-11-05 only.
pub fn opening(protocol: &Protocol, kind: Kind) -> Opening {
    match protocol {
        Protocol::Legacy => Opening::Initialize,
        _ if kind == Kind::Sse => Opening::Initialize,
        Protocol::Auto => Opening::Probe { fall_back: true },
        Protocol::Modern => Opening::Probe { fall_back: false },
        // Versions are dates, so a later one is of the later era.
        Protocol::Version(version) if version.as_str() >= MODERN[0] => Opening::Presume(version.clone()),
        Protocol::Version(_) => Opening::Initialize,
    }
}

/// The version that `initialize` asks for.
pub fn requested(protocol: &Protocol) -> &str {
    match protocol {
        Protocol::Version(version) => version,
        Protocol::Auto | Protocol::Legacy | Protocol::Modern => NEWEST_LEGACY,
    }
}

/// Whether this version was released, so that `--protocol` need not warn of it.
pub fn is_released(version: &str) -> bool {
    LEGACY.contains(&version) || MODERN.contains(&version)
}

/// A message of an `initialize` exchange or a plain one of the legacy era.
const LEGACY_CONDUCT: Conduct =
    Conduct { opens_session: false, resumable: true, cancel: Cancel::Notification, patient: false };

/// A request of 2026-07-28: its stream is never resumed, and closing it cancels it
/// (2026-07-28 basic/transports/streamable-http §Cancellation, §Earlier Revisions).
const MODERN_CONDUCT: Conduct =
    Conduct { opens_session: false, resumable: false, cancel: Cancel::Stream, patient: false };

/// `{"a":1,"b":2}` of members that are JSON texts.
fn object(members: &[(&str, String)]) -> String {
    let texts: Vec<String> = members.iter().map(|(name, value)| format!("{}:{value}", json::quote(name))).collect();
    format!("{{{}}}", texts.join(","))
}

/// A result that breaks a rule of MCP.
fn violation(phase: Phase, reason: Reason, message: String, evidence: &RawJson, hint: Option<&str>) -> ClientError {
    // The state of a round is nobody's but the server's.
    let evidence = Some(mask_members(&json::compact(evidence.get())));
    ClientError { phase, fault: Fault::Violation { reason, message, evidence, hint: hint.map(str::to_owned) } }
}

/// Warns of members that must be objects.
fn expect_objects(what: &str, result: &RawJson, members: &[&str], ledger: &Ledger) {
    for member in members {
        match json::member(result, member) {
            Some(raw) if json::kind(&raw) == JsonKind::Object => {}
            _ => ledger.warn(WarningId::ResultShape, format!("the {what} result has no object {member}")),
        }
    }
}

/// The strings of an array, each once.
pub(super) fn strings(array: &RawJson) -> Vec<String> {
    let mut known = BTreeSet::new();
    let all = json::elements(array).unwrap_or_default();
    all.iter().filter_map(|one| json::string(one)).filter(|one| known.insert(one.clone())).collect()
}
