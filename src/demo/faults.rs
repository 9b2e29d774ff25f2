//! The faults that the demo server commits on demand: one table, one row each, with the outcome that a client must reach.

use std::io;

use super::Transport;
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
}

impl Fault {
    /// Reads a name as it stands in [`FAULTS`].
    pub fn from_name(name: &str) -> Option<Fault> {
        FAULTS.iter().find(|row| row.name == name).map(|row| row.fault)
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
    /// The phase in which a `call echo` meets it.
    pub phase: &'static str,
    /// The clause of the specification that it breaks or uses.
    pub clause: &'static str,
    /// What a good client does.
    pub client_should: &'static str,
}

impl FaultRow {
    /// Whether the fault can be shown over `transport`.
    pub fn applies(&self, transport: Transport) -> bool {
        self.transports.contains(&transport)
    }
}

use Transport::{Http, Sse, Stdio};

/// Every fault once.
pub const FAULTS: &[FaultRow] = &[
    FaultRow {
        fault: Fault::Http500,
        name: "http-500",
        summary: "tools/call is answered with 500 and an HTML error page",
        transports: &[Http, Sse],
        category: Category::Transport,
        reason: Some(Reason::Http),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Sending Messages to the Server",
        client_should: "show status, media type and the page's title; not parse HTML as JSON; not send the call again",
    },
    FaultRow {
        fault: Fault::Http502Empty,
        name: "http-502-empty",
        summary: "tools/call is answered with 502 and no body, as by a proxy",
        transports: &[Http, Sse],
        category: Category::Transport,
        reason: Some(Reason::Http),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Sending Messages to the Server",
        client_should: "name the status and say that the body was empty; never end with an empty message",
    },
    FaultRow {
        fault: Fault::Http404,
        name: "http-404",
        summary: "tools/call is answered with 404 and plain text, each time",
        transports: &[Http, Sse],
        category: Category::Transport,
        reason: Some(Reason::Http),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Session Management",
        client_should: "open at most one new session if it had one, then report the 404; never loop",
    },
    FaultRow {
        fault: Fault::Html200,
        name: "html-200",
        summary: "tools/call is answered with 200 and an HTML page, as by a login portal",
        transports: &[Http],
        category: Category::Transport,
        reason: Some(Reason::Http),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Sending Messages to the Server",
        client_should: "name the media type; not report a JSON syntax error",
    },
    FaultRow {
        fault: Fault::Unauthorized,
        name: "unauthorized",
        summary: "every POST is answered with 401 and a Bearer challenge",
        transports: &[Http, Sse],
        category: Category::Auth,
        reason: Some(Reason::Unauthorized),
        phase: "initialize",
        clause: "2025-11-25 basic/authorization §Error Handling",
        client_should: "show scheme, error, scope and metadata URL; not try another transport",
    },
    FaultRow {
        fault: Fault::ForbiddenScope,
        name: "forbidden-scope",
        summary: "tools/call is answered with 403 and error=\"insufficient_scope\"",
        transports: &[Http, Sse],
        category: Category::Auth,
        reason: Some(Reason::Forbidden),
        phase: "tools/call",
        clause: "2025-11-25 basic/authorization §Scope Challenge Handling",
        client_should: "name the scope that is missing, and ask for it if it can log in",
    },
    FaultRow {
        fault: Fault::Hang,
        name: "hang",
        summary: "tools/call is accepted and never answered",
        transports: &[Http, Sse, Stdio],
        category: Category::Timeout,
        reason: Some(Reason::Idle),
        phase: "tools/call",
        clause: "2025-11-25 basic/lifecycle §Timeouts",
        client_should: "end at its deadline, send notifications/cancelled, and say that the outcome is unknown",
    },
    FaultRow {
        fault: Fault::CutStream,
        name: "cut-stream",
        summary: "one notification comes, then the stream (stdio: the process) ends without the answer",
        transports: &[Http, Sse, Stdio],
        category: Category::Transport,
        reason: Some(Reason::Stream),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Sending Messages to the Server",
        client_should: "fail at once, never at the deadline; say how the stream ended; not send the call again",
    },
    FaultRow {
        fault: Fault::Reset,
        name: "reset",
        summary: "one notification and half an event come, then the TCP connection is reset",
        transports: &[Http, Sse],
        category: Category::Transport,
        reason: Some(Reason::Stream),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Resumability and Redelivery",
        client_should: "fail at once and name the reset; not use the half event",
    },
    FaultRow {
        fault: Fault::NotJson,
        name: "not-json",
        summary: "the only answer to tools/call is broken JSON, labelled as JSON",
        transports: &[Http, Sse, Stdio],
        category: Category::Protocol,
        reason: Some(Reason::NotJson),
        phase: "tools/call",
        clause: "2025-11-25 basic §Messages",
        client_should: "show where the text breaks, at the latest at the deadline; never report a bare timeout",
    },
    FaultRow {
        fault: Fault::WrongId,
        name: "wrong-id",
        summary: "the only answer to tools/call carries an id that belongs to no request",
        transports: &[Http, Sse, Stdio],
        category: Category::Protocol,
        reason: Some(Reason::WrongId),
        phase: "tools/call",
        clause: "2025-11-25 basic §Responses",
        client_should: "name both ids, at the latest at the deadline; never take it for the answer",
    },
    FaultRow {
        fault: Fault::RpcError,
        name: "rpc-error",
        summary: "tools/call is answered with JSON-RPC error -32603 and data",
        transports: &[Http, Sse, Stdio],
        category: Category::RpcError,
        reason: None,
        phase: "tools/call",
        clause: "2025-11-25 basic §Responses",
        client_should: "show code, message and data verbatim, and keep it apart from a tool's own failure",
    },
    FaultRow {
        fault: Fault::RpcErrorIn400,
        name: "rpc-error-in-400",
        summary: "tools/call is answered with JSON-RPC error -32603 in an HTTP 400",
        transports: &[Http],
        category: Category::RpcError,
        reason: None,
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Sending Messages to the Server",
        client_should: "read the body whatever the status, and say that HTTP 400 carried it",
    },
    FaultRow {
        fault: Fault::EndpointOrigin,
        name: "endpoint-origin",
        summary: "the endpoint event names another origin",
        transports: &[Sse],
        category: Category::Protocol,
        reason: Some(Reason::EndpointOrigin),
        phase: "endpoint",
        clause: "2024-11-05 basic/transports §HTTP with SSE",
        client_should: "stop at once, name both origins, and send nothing there",
    },
    FaultRow {
        fault: Fault::NoEndpoint,
        name: "no-endpoint",
        summary: "the event stream opens and holds comments only, no endpoint event",
        transports: &[Sse],
        category: Category::Timeout,
        reason: Some(Reason::Idle),
        phase: "endpoint",
        clause: "2024-11-05 basic/transports §HTTP with SSE",
        client_should: "end at its deadline, which comments do not extend, and say what it waited for",
    },
    FaultRow {
        fault: Fault::SessionLost,
        name: "session-lost",
        summary: "the session is forgotten before each tools/call, which gets 404",
        transports: &[Http],
        category: Category::Transport,
        reason: Some(Reason::Http),
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §Session Management",
        client_should: "initialize once more without the old id, send the call once more, then report; never loop",
    },
    FaultRow {
        fault: Fault::ExitEarly,
        name: "exit-early",
        summary: "the process writes `KeyError: API_KEY` to stderr and exits with 3 before any answer",
        transports: &[Stdio],
        category: Category::Transport,
        reason: Some(Reason::Stream),
        phase: "initialize",
        clause: "2025-11-25 basic/transports §stdio",
        client_should: "fail at once with the exit status and the last lines of stderr",
    },
    FaultRow {
        fault: Fault::StdoutNoise,
        name: "stdout-noise",
        summary: "a banner and JSON logs stand between the messages on stdout",
        transports: &[Stdio],
        category: Category::Ok,
        reason: None,
        phase: "tools/call",
        clause: "2025-11-25 basic/transports §stdio",
        client_should: "use the messages and warn once about the other lines",
    },
];

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
        assert_eq!(Fault::StdoutNoise as usize + 1, FAULTS.len());
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
