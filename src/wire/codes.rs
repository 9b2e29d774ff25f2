//! The registry of JSON-RPC error codes behind `explain`: who sends which, since when, and what to do about it.
//!
//! It explains; nothing is classified by it. A code says what the peer wrote, never what went wrong on the way.

use std::ops::RangeInclusive;

/// How far the meaning of a code can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// JSON-RPC 2.0 itself defines it.
    JsonRpc,
    /// Some released version of MCP defines it.
    Mcp,
    /// A range that a specification sets aside.
    Reserved,
    /// No released version defines it; some software uses it in this way.
    Practice,
}

impl Standing {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Standing::JsonRpc => "defined by JSON-RPC 2.0",
            Standing::Mcp => "defined by MCP",
            Standing::Reserved => "reserved range",
            Standing::Practice => "practice of some software, defined by no released MCP version",
        }
    }
}

/// One code, or one range of codes, with one meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The codes; first and last are the same for a single one.
    pub codes: RangeInclusive<i64>,
    /// A short name.
    pub name: &'static str,
    /// How far it can be relied on.
    pub standing: Standing,
    /// Who sends it.
    pub sender: &'static str,
    /// In which protocol versions.
    pub versions: &'static str,
    /// The HTTP status that goes with it, if a rule or a habit says one.
    pub http: Option<&'static str>,
    /// What it means.
    pub meaning: &'static str,
    /// What a person can do.
    pub advice: &'static str,
}

impl Row {
    /// The code, or first and last of the range, as text.
    pub fn label(&self) -> String {
        let (first, last) = (self.codes.start(), self.codes.end());
        if first == last { first.to_string() } else { format!("{last} to {first}") }
    }

    fn is_range(&self) -> bool {
        self.codes.start() != self.codes.end()
    }
}

/// What is known of a code: rows for this very code first, then the ranges that it lies in. Empty for a code that is free
/// for applications to use.
pub fn lookup(code: i64) -> Vec<&'static Row> {
    let mut found: Vec<_> = ROWS.iter().filter(|row| row.codes.contains(&code)).collect();
    // Stable: otherwise in the order of the table.
    found.sort_by_key(|row| row.is_range());
    found
}

macro_rules! rows {
    ($($codes:expr, $name:literal, $standing:ident, $sender:literal, $versions:literal, $http:expr, $meaning:literal, $advice:literal;)*) => {
        /// The table, in the order of its explanation.
        pub const ROWS: &[Row] = &[$(Row {
            codes: $codes, name: $name, standing: Standing::$standing, sender: $sender,
            versions: $versions, http: $http, meaning: $meaning, advice: $advice,
        },)*];
    };
}

rows! {
    -32700..=-32700, "Parse error", JsonRpc, "either side", "all", Some("400 is usual; no version fixes one"),
    "The receiver could not read the message as JSON. The id of the answer is often null or missing.",
    "Look at what was sent with -vv: a proxy may have changed or cut the body, or the server may want another encoding.";

    -32600..=-32600, "Invalid request", JsonRpc, "either side", "all; 2025-11-25 also where a tool must be called as a task", Some("400 is usual; no version fixes one"),
    "The message is JSON, but not a request that the receiver accepts.",
    "Check that the handshake is complete and that the server speaks the protocol version in use (-v shows it).";

    -32601..=-32601, "Method not found", JsonRpc, "either side", "all", Some("404 must go with it since 2026-07-28"),
    "The method does not exist there, or needs a capability that the receiver does not have.",
    "See `mcpcli info` for what the server offers. Some servers answer an unknown tool with this code too.";

    -32602..=-32602, "Invalid params", JsonRpc, "either side", "all; since 2026-07-28 also for a resource that does not exist, and for missing _meta fields", Some("400 must go with missing _meta fields since 2026-07-28; else none is fixed"),
    "The method exists, but not with these parameters: an unknown tool, prompt or task, a missing or wrong argument, a bad cursor or log level. \
     Of initialize: often a protocol version that the server does not speak, with data.supported.",
    "Compare the arguments with `mcpcli describe NAME`; `data` may say more.";

    -32603..=-32603, "Internal error", JsonRpc, "either side", "all", None,
    "The receiver failed on its own account. Some servers send it for every exception in a tool.",
    "The server's own log has the cause; the message is all that it tells clients.";

    -32002..=-32002, "Resource not found", Mcp, "server", "2024-11-05 to 2025-11-25; a 2026-07-28 server must not send it, but clients should take it", None,
    "There is no resource with this URI; data.uri names it.",
    "See `mcpcli list resources` and `mcpcli list templates` for the URIs that exist.";

    -32042..=-32042, "URL elicitation required", Mcp, "server", "2025-11-25 only; a 2026-07-28 server must not send it", None,
    "The call needs the user to visit one or more URLs first; data.elicitations lists them.",
    "Visit the URLs in a browser if you trust them, then call again.";

    -32020..=-32020, "Header mismatch", Mcp, "server", "2026-07-28", Some("400 must go with it"),
    "A required HTTP header is missing or malformed, or says something else than the body.",
    "Look at the headers with -v. A proxy may have dropped or changed one of Mcp-Method, Mcp-Name, Mcp-Param-* or MCP-Protocol-Version.";

    -32021..=-32021, "Missing required client capability", Mcp, "server", "2026-07-28", Some("400 must go with it"),
    "The request needs a capability that the client did not declare; data.requiredCapabilities names it.",
    "Supply what makes mcpcli declare it, for instance --answer or --roots.";

    -32022..=-32022, "Unsupported protocol version", Mcp, "server", "2026-07-28", Some("400 must go with it"),
    "The server does not speak the version of the request; data.supported lists those that it speaks.",
    "Pick one of data.supported with --protocol, or leave the choice to --protocol auto.";

    -1..=-1, "User rejected sampling request", Mcp, "client", "2024-11-05 to 2025-11-25", None,
    "The user of the client refused a sampling request of the server.",
    "Only clients send it. From a server it has no defined meaning.";

    -32000..=-32000, "(no meaning in MCP)", Practice, "server, or a client library by itself", "none", Some("400 is usual for \"Bad Request: ...\""),
    "The TypeScript SDK's servers send it as \"Bad Request: ...\" with HTTP 400, for instance for a missing session id. Client libraries make it up when their \
     connection closes (\"Connection closed\"), so elsewhere it may never have been on the wire. mcpcli shows it only if the server sent it.",
    "Read the message: the code says nothing.";

    -32001..=-32001, "(no meaning in MCP)", Practice, "server, or a client library by itself", "none; drafts of 2026-07-28 used it for what is -32020 now", Some("404 is usual for \"Session not found\""),
    "The TypeScript SDK's servers send it as \"Session not found\" with HTTP 404. Client libraries make it up when a request of theirs times out \
     (\"Request timed out\"), so elsewhere it may never have been on the wire. Some servers send it for methods that they do not have.",
    "Read the message: the code says nothing.";

    -32003..=-32003, "(no meaning in MCP)", Practice, "server", "none; drafts of 2026-07-28 used it for what is -32021 now", None,
    "A server written against a draft means: missing required client capability.",
    "Read the message, and tell the server's author that the released number is -32021.";

    -32004..=-32004, "(no meaning in MCP)", Practice, "server", "none; drafts of 2026-07-28 used it for what is -32022 now", None,
    "A server written against a draft means: unsupported protocol version.",
    "Read the message, and tell the server's author that the released number is -32022.";

    -32800..=-32800, "Request cancelled (of the Language Server Protocol)", Practice, "server", "none", None,
    "The Language Server Protocol's code for a cancelled request. No MCP version has one: a cancelled request gets no answer at all.",
    "The server probably uses an LSP library. See with -v whether mcpcli or a proxy cancelled the request.";

    0..=0, "(no meaning in MCP)", Practice, "server", "none", None,
    "The Python SDK 1.x sends it for an exception that its request handler did not expect; the message is the exception's text.",
    "The server's own log has the traceback.";

    -32019..=-32000, "server errors of earlier versions", Reserved, "server", "policy since 2026-07-28", None,
    "Codes here had been given out freely, so none but -32002 has a meaning that can be relied on. New ones are forbidden.",
    "Read the message: it is the server's own.";

    -32099..=-32023, "reserved for MCP", Reserved, "server", "policy since 2026-07-28", None,
    "Set aside for codes that MCP defines. Apart from -32042 (2025-11-25) none is defined, so a server that sends one breaks the rule.",
    "Read the message. The server's author should choose a code outside -32768 to -32000.";

    -32768..=-32100, "reserved by JSON-RPC 2.0", Reserved, "either side", "all", None,
    "Set aside by JSON-RPC 2.0 for its own codes; apart from -32700 and -32603 to -32600 none is defined.",
    "Read the message. The author should choose a code outside -32768 to -32000.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: i64) -> Vec<&'static str> {
        lookup(code).into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn every_code_of_the_specification_has_its_row() {
        for (code, name) in [
            (-32700, "Parse error"),
            (-32600, "Invalid request"),
            (-32601, "Method not found"),
            (-32602, "Invalid params"),
            (-32603, "Internal error"),
            (-32002, "Resource not found"),
            (-32042, "URL elicitation required"),
            (-32020, "Header mismatch"),
            (-32021, "Missing required client capability"),
            (-32022, "Unsupported protocol version"),
            (-1, "User rejected sampling request"),
        ] {
            let found = lookup(code);
            assert_eq!(found[0].name, name);
            assert!(matches!(found[0].standing, Standing::JsonRpc | Standing::Mcp), "{code}");
        }
    }

    #[test]
    fn practice_is_told_from_meaning() {
        for code in [-32000, -32001, -32003, -32004, -32800, 0] {
            assert_eq!(lookup(code)[0].standing, Standing::Practice, "{code}");
        }
        assert_eq!(names(-32000).last(), Some(&"server errors of earlier versions"));
    }

    #[test]
    fn ranges_end_where_they_should() {
        let ranges = |code: i64| {
            names(code).into_iter().filter(|name| name.contains("reserved") || name.contains("earlier")).count()
        };
        for (code, count) in [
            (-32768, 1),
            (-32769, 0),
            (-32100, 1),
            (-32099, 1),
            (-32023, 1),
            (-32022, 0),
            (-32020, 0),
            (-32019, 1),
            (-32000, 1),
            (-31999, 0),
            (-32800, 0),
            (404, 0),
        ] {
            assert_eq!(ranges(code), count, "{code}");
        }
        assert!(lookup(404).is_empty() && lookup(i64::MIN).is_empty());
    }

    #[test]
    fn rows_are_complete_and_labelled() {
        for row in ROWS {
            assert!(row.codes.start() <= row.codes.end() && !row.meaning.is_empty() && !row.advice.is_empty());
            assert!(!row.meaning.contains("  ") && !row.sender.is_empty() && !row.versions.is_empty());
        }
        assert_eq!(
            (lookup(-32700)[0].label(), lookup(-32050)[0].label()),
            ("-32700".into(), "-32023 to -32099".into())
        );
    }
}
