//! The faults that the demo server commits on demand. Their table stands in `fault_rows.rs`.

use std::io;

use super::Transport;
use super::eras::Eras;
pub use super::fault_rows::FAULTS;
use crate::outcome::{Category, Reason};

/// One way to misbehave. Its facts stand in [`FAULTS`], in the same order.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// 500 with an HTML page.
    Http500,
    /// 502 without a body.
    Http502Empty,
    /// 404 without JSON.
    Http404,
    /// 200 with an HTML page.
    Html200,
    /// 401 with a challenge.
    Unauthorized,
    /// 403 with a challenge.
    ForbiddenScope,
    /// No answer, ever.
    Hang,
    /// The way back ends before the answer.
    CutStream,
    /// TCP reset in the middle of an event.
    Reset,
    /// An answer that is no JSON.
    NotJson,
    /// An answer with the id of no request.
    WrongId,
    /// A JSON-RPC error.
    RpcError,
    /// A JSON-RPC error on HTTP 400.
    RpcErrorIn400,
    /// An endpoint event that names another origin.
    EndpointOrigin,
    /// No endpoint event.
    NoEndpoint,
    /// A session that is forgotten over and over.
    SessionLost,
    /// A process that ends at once.
    ExitEarly,
    /// Other text than messages on stdout.
    StdoutNoise,
    /// A protocol version that nobody speaks.
    UnsupportedVersion,
    /// Headers that are said to differ from the body.
    HeaderMismatch,
    /// A type of result that there is not.
    UnknownResultType,
    /// A result without its type.
    MissingResultType,
    /// No `initialize`.
    ModernOnly,
    /// Nothing but `initialize`.
    LegacyOnly,
    /// No answer to `server/discover`.
    SilentProbe,
    /// An error without a usable id.
    IdNull,
    /// A result and an error in one answer.
    ResultAndError,
    /// Neither a result nor an error.
    NoResult,
    /// A result without the envelope around it.
    BareResult,
    /// A result that is a text.
    ResultText,
    /// A result nested deeper than anyone needs.
    TooDeep,
    /// 429 with `Retry-After`.
    Http429,
    /// 202, and no answer ever.
    Accepted,
    /// A redirect to another origin.
    RedirectElsewhere,
    /// A body in an encoding that was not asked for.
    Gzip,
}

impl Fault {
    /// Reads a name as it stands in [`FAULTS`].
    pub fn from_name(name: &str) -> Option<Fault> {
        FAULTS.iter().find(|row| row.name == name).map(|row| row.fault)
    }

    /// The only era in which it can be shown, if there is one.
    pub(super) fn era(self) -> Option<Eras> {
        match self {
            Fault::SessionLost | Fault::LegacyOnly => Some(Eras::Legacy),
            Fault::ModernOnly => Some(Eras::Modern),
            _ => None,
        }
    }

    /// The facts of the fault.
    pub fn row(self) -> &'static FaultRow {
        // The rows stand in the order of the variants; a test holds them to it.
        &FAULTS[self as usize]
    }
}

/// Refuses faults that cannot be shown over `transport`.
pub(super) fn check(faults: &[Fault], transport: Transport) -> io::Result<()> {
    match faults.iter().map(|fault| fault.row()).find(|row| !row.applies(transport)) {
        Some(row) => {
            let known: Vec<_> = row.transports.iter().map(|transport| transport.name()).collect();
            let what = format!(
                "the fault {} is not known over {}, only over {}",
                row.name,
                transport.name(),
                known.join(", ")
            );
            Err(io::Error::new(io::ErrorKind::InvalidInput, what))
        }
        None => Ok(()),
    }
}

/// What is known of a fault, and what a client must make of it.
#[derive(Debug)]
pub struct FaultRow {
    /// Which one.
    pub fault: Fault,
    /// The name on the command line.
    pub name: &'static str,
    /// What the server does.
    pub summary: &'static str,
    /// Over which transports it can be shown.
    pub transports: &'static [Transport],
    /// The category of a `call echo` that meets it.
    pub category: Category,
    /// Where inside the category.
    pub reason: Option<Reason>,
    /// The phase in which a `call echo` meets it that finds out the version; see [`FaultRow::phase_over`].
    pub phase: &'static str,
    /// The clause of the specification that it breaks or uses.
    pub clause: &'static str,
    /// What a good client does.
    pub client_should: &'static str,
}

impl FaultRow {
    /// The phase in which it is met over `transport`: HTTP+SSE has nothing to probe, and begins with `initialize`.
    pub fn phase_over(&self, transport: Transport) -> &'static str {
        match (transport, self.phase) {
            (Transport::Sse, "discover") => "initialize",
            (_, phase) => phase,
        }
    }

    /// Whether the fault can be shown over `transport`.
    pub fn applies(&self, transport: Transport) -> bool {
        self.transports.contains(&transport)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_variants() {
        for row in FAULTS {
            assert_eq!(row.fault.row().name, row.name);
            assert_eq!(Fault::from_name(row.name), Some(row.fault));
            assert!(!row.transports.is_empty(), "{} is shown nowhere", row.name);
        }
        assert_eq!(Fault::Gzip as usize + 1, FAULTS.len());
        assert_eq!(Fault::from_name("no-such-fault"), None);
    }

    #[test]
    fn a_fault_on_the_wrong_transport_is_refused() {
        assert!(check(&[Fault::Hang, Fault::ExitEarly], Transport::Stdio).is_ok());
        let error = check(&[Fault::Hang, Fault::ExitEarly], Transport::Http).expect_err("refused");
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), "the fault exit-early is not known over http, only over stdio");
    }

    #[test]
    fn names_are_unique_and_made_for_a_command_line() {
        let mut names: Vec<_> = FAULTS.iter().map(|row| row.name).collect();
        assert!(
            names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'))
        );
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FAULTS.len());
    }
}
