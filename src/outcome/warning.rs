//! The table of warnings.

macro_rules! warnings {
    ($($(#[$doc:meta])* $variant:ident = $id:literal, $meaning:literal;)*) => {
        /// Deviations that leave the answer usable. `--strict` turns those a server caused into exit 7.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum WarningId { $(#[doc = $meaning] $variant,)* }

        impl WarningId {
            /// Every warning once.
            pub const ALL: &'static [WarningId] = &[$(WarningId::$variant,)*];
            /// The stable id, as in `warning[id]`.
            pub const fn id(self) -> &'static str { match self { $(WarningId::$variant => $id,)* } }
            /// What it means.
            pub const fn meaning(self) -> &'static str { match self { $(WarningId::$variant => $meaning,)* } }
        }
    };
}

warnings! {
    Batch = "batch", "The server answered with a JSON-RPC array; arrays exist in protocol version 2025-03-26 only.";
    BlobEncoding = "blob-encoding", "A binary block or blob is not valid base64.";
    ContentType = "content-type", "The body is MCP, but its media type says something else.";
    ContentTypeUnknown = "content-type-unknown", "A content block has a type that no protocol version defines, or none.";
    CursorEmpty = "cursor-empty", "A list gave an empty nextCursor, and its page repeated the one before.";
    CursorLoop = "cursor-loop", "A list gave a nextCursor that it had given before, or never ended.";
    DuplicateKey = "duplicate-key", "A JSON object holds the same key twice.";
    DuplicateName = "duplicate-name", "Two entries of a list have the same name.";
    EndpointEncoded = "endpoint-encoded", "The endpoint event looks like a percent-encoded absolute URL; it was resolved as it stands.";
    EndpointOverride = "endpoint-override", "--message-url was used instead of the URL that the endpoint event gave.";
    Envelope = "envelope", "A JSON-RPC message has members that do not belong together, or lacks one, yet its meaning is clear.";
    ErrorCode = "error-code", "The code of a JSON-RPC error is not an integer.";
    GluedLine = "glued-line", "A message on stdout had other text in front of it on the same line.";
    HeaderOverride = "header-override", "A header given by the user replaces one that mcpcli sets itself.";
    HttpStatus = "http-status", "A result came with an HTTP status that says failure.";
    IdNull = "id-null", "An error came without a usable id; it was taken for the answer to the only open request.";
    IdType = "id-type", "An answer's id has another JSON type than the request's.";
    InputSchema = "input-schema", "A tool's inputSchema cannot be used, so its arguments are neither typed nor checked.";
    Insecure = "insecure", "Certificates were not verified (--insecure).";
    JsonRpcVersion = "jsonrpc-version", "A message does not say \"jsonrpc\": \"2.0\".";
    ListEntry = "list-entry", "An entry of a list lacks what an entry must have.";
    ListUnavailable = "list-unavailable", "A list could not be had because the server does not offer it.";
    ListenRefused = "listen-refused", "The standing GET stream was refused with 401 or 403.";
    NotUtf8 = "not-utf8", "Bytes that are not UTF-8 were shown as U+FFFD.";
    OutputSchema = "output-schema", "structuredContent does not fit the tool's outputSchema, or is missing.";
    ProtocolVersion = "protocol-version", "A protocol version that is not a released one, or not the one that was asked for.";
    Redirect = "redirect", "The server redirected to another URL of the same origin.";
    ResourceContents = "resource-contents", "A resource's contents hold neither text nor blob, or both.";
    ResultShape = "result-shape", "A result does not have the shape that its method's result must have.";
    ResultType = "result-type", "A result of 2026-07-28 has no resultType; it was taken as complete.";
    ServerRequest = "server-request", "A server of 2026-07-28 sent a request of its own; it was not answered.";
    SessionId = "session-id", "A session id holds characters that are not visible ASCII; it was sent back as it came.";
    SessionRenewed = "session-renewed", "The server had lost the session; a new one was opened and the request sent again.";
    StdoutNoise = "stdout-noise", "A stdio server wrote something other than messages to its stdout.";
    StructuredType = "structured-type", "structuredContent is not a JSON object.";
    Subscription = "subscription", "A subscription was agreed to in part only, or a notification came before that or does not say which subscription it belongs to.";
    ToolDropped = "tool-dropped", "A tool was left out of the list: its x-mcp-header annotations break a rule, so it cannot be used over HTTP.";
    UnmatchedResponse = "unmatched-response", "A response came that belongs to no open request.";
    UnterminatedEvent = "unterminated-event", "The event stream ended in the middle of an event; its data was used.";
    UnusableMessage = "unusable-message", "Something that is no usable message came before the answer.";
}

impl WarningId {
    /// Whether the peer caused it, so that `--strict` counts it as a protocol violation.
    pub const fn is_deviation(self) -> bool {
        !matches!(
            self,
            WarningId::EndpointOverride
                | WarningId::HeaderOverride
                | WarningId::Insecure
                | WarningId::ListUnavailable
                | WarningId::ListenRefused
                | WarningId::ProtocolVersion
                | WarningId::Redirect
                | WarningId::SessionRenewed
        )
    }
}

/// A warning: its stable id and the sentence for this case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Which one.
    pub id: WarningId,
    /// What was seen; a server's words in it are not yet made safe for a terminal.
    pub message: String,
}

impl Warning {
    /// Makes a warning.
    pub fn new(id: WarningId, message: impl Into<String>) -> Warning {
        Warning { id, message: message.into() }
    }
}
