//! The categories and their exit codes.

use std::fmt;

/// The kind of outcome. Public and stable: names stand in `--json`, numbers are exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Category {
    /// A usable answer.
    Ok,
    /// A bug in mcpcli itself, never anything the peer did.
    Internal,
    /// Command line, configuration or arguments; nothing was sent to the method concerned.
    Usage,
    /// A `tools/call` result with `isError: true`.
    ToolError,
    /// A well-formed JSON-RPC `error` for our request, on whatever HTTP status.
    RpcError,
    /// The answer could not travel.
    Transport,
    /// A deadline passed.
    Timeout,
    /// Bytes arrived but break JSON, JSON-RPC or MCP rules so that the answer is unusable.
    Protocol,
    /// 401, 403 with a challenge.
    Auth,
    /// An expectation (`--expect`, a check) did not hold.
    CheckFailed,
    /// The server needs an answer that was not supplied.
    InputRequired,
    /// Ctrl-C or SIGTERM.
    Interrupted(Signal),
}

/// The signal that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// SIGINT, Ctrl-C.
    Int,
    /// SIGTERM.
    Term,
}

impl Category {
    /// Every category once, in the order of their exit codes.
    pub const ALL: [Category; 12] = [
        Category::Ok,
        Category::Internal,
        Category::Usage,
        Category::ToolError,
        Category::RpcError,
        Category::Transport,
        Category::Timeout,
        Category::Protocol,
        Category::Auth,
        Category::CheckFailed,
        Category::InputRequired,
        Category::Interrupted(Signal::Int),
    ];

    /// The process exit code (0 to 143), stable across releases.
    pub const fn exit_code(self) -> u8 {
        match self {
            Category::Ok => 0,
            Category::Internal => 1,
            Category::Usage => 2,
            Category::ToolError => 3,
            Category::RpcError => 4,
            Category::Transport => 5,
            Category::Timeout => 6,
            Category::Protocol => 7,
            Category::Auth => 8,
            Category::CheckFailed => 9,
            Category::InputRequired => 10,
            Category::Interrupted(Signal::Int) => 130,
            Category::Interrupted(Signal::Term) => 143,
        }
    }

    /// The name in `--json`, `--expect` and `explain`.
    pub const fn name(self) -> &'static str {
        match self {
            Category::Ok => "ok",
            Category::Internal => "internal",
            Category::Usage => "usage",
            Category::ToolError => "tool-error",
            Category::RpcError => "rpc-error",
            Category::Transport => "transport",
            Category::Timeout => "timeout",
            Category::Protocol => "protocol",
            Category::Auth => "auth",
            Category::CheckFailed => "check-failed",
            Category::InputRequired => "input-required",
            Category::Interrupted(_) => "interrupted",
        }
    }

    /// The heading of the human view: who failed, in words, readable without colour.
    pub const fn heading(self) -> &'static str {
        match self {
            Category::Ok => "ok",
            Category::Internal => "internal error in mcpcli",
            Category::Usage => "usage error",
            Category::ToolError => "tool error",
            Category::RpcError => "JSON-RPC error from the server",
            Category::Transport => "transport failure",
            Category::Timeout => "timeout",
            Category::Protocol => "protocol violation by the server",
            Category::Auth => "authorization refused",
            Category::CheckFailed => "check failed",
            Category::InputRequired => "input required",
            Category::Interrupted(_) => "interrupted",
        }
    }

    /// One sentence for `explain`: what it means and whose fault it is.
    pub const fn meaning(self) -> &'static str {
        match self {
            Category::Ok => "The server gave a usable answer.",
            Category::Internal => "A bug in mcpcli: a panic or a broken invariant. Please report it.",
            Category::Usage => {
                "The command line, a configuration file or the arguments are wrong. Nothing was sent to the method concerned."
            }
            Category::ToolError => {
                "The tool ran and reported a failure: a tools/call result with isError true. JSON-RPC and the transport worked."
            }
            Category::RpcError => {
                "The server answered our request with a well-formed JSON-RPC error object, on whatever HTTP status."
            }
            Category::Transport => {
                "The answer could not travel. `reason` says where: dns, connect, tls, proxy and spawn never reached a peer; \
                 http is an HTTP answer that is not an MCP answer; stream is contact that broke."
            }
            Category::Timeout => {
                "A deadline passed; `phase` says in what. For tools/call the outcome on the server is unknown."
            }
            Category::Protocol => {
                "Bytes arrived, but they break the rules of JSON, JSON-RPC or MCP so that the answer is unusable."
            }
            Category::Auth => {
                "The server asks for authorization, or refuses the one it was given: 401, or 403 with a challenge."
            }
            Category::CheckFailed => "An expectation did not hold, for example one of --expect.",
            Category::InputRequired => {
                "The server needs an answer from the user (elicitation, sampling, roots) that was not supplied."
            }
            Category::Interrupted(_) => "The run was ended from outside, by Ctrl-C (exit 130) or SIGTERM (exit 143).",
        }
    }

    /// Reads a name as [`Category::name`] gives it.
    pub fn from_name(name: &str) -> Option<Category> {
        Category::ALL.into_iter().find(|category| category.name() == name)
    }

    /// Rank when one run has several outcomes; the lowest rank decides the exit code.
    pub const fn rank(self) -> u8 {
        match self {
            Category::Interrupted(_) => 0,
            Category::Internal => 1,
            Category::Usage => 2,
            Category::Auth => 3,
            Category::Transport => 4,
            Category::Timeout => 5,
            Category::Protocol => 6,
            Category::RpcError => 7,
            Category::ToolError => 8,
            Category::InputRequired => 9,
            Category::CheckFailed => 10,
            Category::Ok => 11,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
