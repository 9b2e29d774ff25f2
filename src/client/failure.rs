//! What a fault of the client means: category, reason, evidence, and what to do.

use super::era;
use super::error::{Fault, Silence};
use super::host::Question;
use super::state::Unanswered;
use crate::outcome::{Category, Failure, Phase, Reason, RpcFacts};
use crate::wire::json;
use crate::wire::jsonrpc::{Defect, ErrorObject};

impl Fault {
    /// The failure as plain data.
    pub fn to_failure(&self, phase: Phase) -> Failure {
        let is_call = matches!(&phase, Phase::Method(method) if method == "tools/call");
        match self {
            Fault::Transport(error) => {
                let mut failure = error.to_failure(phase);
                let about_server = failure.http_status.is_some_and(|status| status >= 500);
                let broken = failure.reason == Some(Reason::Stream);
                if failure.phase == Phase::Discover && (about_server || broken) {
                    // A server that fails on what it does not know is wrong, but exists.
                    let hint = failure.hint.take().map_or_else(String::new, |hint| format!("{hint}; "));
                    failure.hint =
                        Some(format!("{hint}an older server may fail so: --protocol legacy asks it otherwise"));
                }
                if is_call && failure.reason == Some(Reason::Stream) {
                    let hint = failure.hint.map_or_else(String::new, |hint| format!("{hint}; "));
                    failure.hint = Some(format!("{hint}the call may have run on the server"));
                }
                failure
            }
            Fault::Rpc { error, http_status, .. } => rpc_failure(error, *http_status, phase),
            Fault::Timeout(silence) => timeout_failure(silence, phase, is_call),
            Fault::Undecodable(defect, status) => {
                let hint = match defect.as_ref() {
                    Defect::NotJsonRpc { .. } => {
                        "is this the URL of an MCP endpoint? what answers there does not speak JSON-RPC; --trace FILE keeps all of it"
                    }
                    _ => "the server's serializer is at fault; --trace FILE keeps the whole text",
                };
                let mut failure = Failure::new(Category::Protocol, phase, defect.to_string())
                    .with_reason(defect.reason())
                    .with_hint(hint);
                failure.http_status = *status;
                failure.evidence.extend(defect.evidence());
                failure
            }
            Fault::WrongId { excerpt, .. } => {
                let ran = if is_call { "; the call may have run" } else { "" };
                Failure::new(Category::Protocol, phase, self.to_string())
                    .with_reason(Reason::WrongId)
                    .with_evidence("body", excerpt.clone())
                    .with_hint(format!("the server must answer with the id of the request (JSON-RPC 2.0 §5){ran}"))
            }
            Fault::NoAnswer => Failure::new(Category::Protocol, phase, self.to_string())
                .with_reason(Reason::NotJsonRpc)
                .with_hint("what came instead is in -vv or --trace FILE"),
            Fault::Violation { reason, message, evidence, hint } => {
                let mut failure = Failure::new(Category::Protocol, phase, message.clone()).with_reason(*reason);
                if let Some(evidence) = evidence {
                    failure = failure.with_evidence("body", evidence.clone());
                }
                failure.hint = hint.clone();
                failure
            }
            Fault::SessionLost(last) => {
                let inner = last.to_failure(phase.clone());
                let mut failure =
                    Failure::new(Category::Transport, phase, self.to_string()).with_reason(Reason::Http).with_hint(
                        "the server forgets sessions at once: several instances behind a balancer without a shared store?",
                    );
                failure.http_status = inner.http_status;
                failure.causes = std::iter::once(inner.message).chain(inner.causes).collect();
                failure.evidence = inner.evidence;
                failure
            }
            Fault::InputRequired(questions) => questions_failure(questions, phase, &self.to_string()),
            Fault::Rounds(_, questions) => rounds_failure(questions, phase, self.to_string()),
            Fault::TaskCancelled { .. } => Failure::new(Category::ToolError, phase, self.to_string())
                .with_hint("the task ended without a result; the server, or somebody with its id, cancelled it"),
            Fault::TaskLeft(id, silence) => {
                let id = crate::schema::shell_word(id);
                timeout_failure(silence, phase, false).with_hint(format!(
                    "the task goes on at the server; `mcpcli task get {id} --wait` waits for its result"
                ))
            }
            Fault::Retried(attempts, last) => super::retry::after_attempts(*attempts, last.to_failure(phase)),
            Fault::NoStream { message } => {
                Failure::new(Category::Transport, phase, message.clone()).with_reason(Reason::Http).with_hint(
                    "up to 2025-11-25 a server tells on that stream what it tells on its own; without it nothing comes",
                )
            }
            Fault::Renegotiation(failure) => (**failure).clone(),
            Fault::Interrupted(signal) => {
                let failure = Failure::new(Category::Interrupted(*signal), phase, self.to_string());
                let is_task = matches!(&failure.phase, Phase::Method(method) if method == "tasks/get");
                if is_task {
                    failure
                        .with_hint("a task that this command made was cancelled; one that it only waited for goes on")
                } else if is_call {
                    failure.with_hint("the server was told; whether the call ran is unknown")
                } else {
                    failure
                }
            }
            Fault::Broken(message) => Failure::new(Category::Internal, phase, message.clone())
                .with_hint("this is a bug in mcpcli: please report it with the command and --trace FILE"),
        }
    }
}

fn rounds_failure(questions: &[Question], phase: Phase, message: String) -> Failure {
    let mut failure = Failure::new(Category::InputRequired, phase, message);
    for Question { method, params } in questions {
        let params = params.as_ref().map_or_else(String::new, |params| format!(" {}", json::compact(params.get())));
        failure = failure.with_evidence("asked", format!("{method}{params}"));
    }
    failure.with_hint(match questions {
        [] => "nothing is asked, only to call again: is the server overloaded? --max-rounds allows more",
        _ => "are the answers right? the server keeps asking; --max-rounds allows more",
    })
}

/// One failure for all open questions: each is evidence, and the first says how it can be answered.
fn questions_failure(questions: &[Unanswered], phase: Phase, without: &str) -> Failure {
    let Some((first, others)) = questions.split_first() else {
        return Failure::new(Category::InputRequired, phase, without);
    };
    let mut failure = first.to_failure(phase.clone());
    if others.is_empty() {
        return failure;
    }
    let methods: Vec<&str> = questions.iter().map(|question| question.method.as_str()).collect();
    let whys: Vec<&str> = questions.iter().map(|question| question.why.as_str()).collect();
    let mut ways: Vec<&str> = questions.iter().map(|question| question.how.as_str()).collect();
    ways.dedup();
    failure.message =
        format!("the server asked for input by {} that was not supplied: {}", methods.join(", "), whys.join("; "));
    failure.hint = Some(format!("answer it with {}", ways.join("; and with ")));
    for other in others {
        failure.evidence.extend(other.to_failure(phase.clone()).evidence);
    }
    failure
}

fn rpc_failure(error: &ErrorObject, http_status: Option<u16>, phase: Phase) -> Failure {
    // The words are the server's alone; code and data stand beside them, never inside.
    let category =
        if era::may_ask(phase.name()) && wants_input(error) { Category::InputRequired } else { Category::RpcError };
    let mut failure = Failure::new(category, phase, error.message.clone());
    failure.rpc = Some(RpcFacts { code: error.code.clone(), data: error.data.clone() });
    failure.http_status = http_status;
    failure.hint = Some(match (&failure.phase, error.code.as_str()) {
        // A server without a handshake knows no `initialize` (2026-07-28 basic/versioning §Backward Compatibility).
        (Phase::Initialize, "-32022") if era::mutual(&era::supported(error.data.as_deref())).is_none() => {
            versions_hint(error)
        }
        (Phase::Initialize, "-32601" | "-32022") => {
            "the server speaks only a version without the handshake; --protocol modern speaks 2026-07-28".to_owned()
        }
        (Phase::Discover, code) if !["-32020", "-32021", "-32022"].contains(&code) => {
            "no answer of 2026-07-28, so it is an older server: --protocol auto or legacy begins with initialize"
                .to_owned()
        }
        (_, "-32021") => supply_hint(error),
        (_, "-32022") => versions_hint(error),
        (_, code) => format!("`mcpcli explain {code}` says what the code means"),
    });
    failure
}

/// What either side speaks.
fn versions_hint(error: &ErrorObject) -> String {
    let theirs = era::supported(error.data.as_deref()).join(", ");
    let ours: Vec<&str> = era::MODERN.iter().rev().chain(era::LEGACY.iter().rev()).copied().collect();
    let theirs = if theirs.is_empty() { "does not say what it speaks".to_owned() } else { format!("speaks {theirs}") };
    format!("the server {theirs}; mcpcli speaks {}; --protocol VERSION asks for one", ours.join(", "))
}

/// Whether a server says that it will ask for input that nobody said could be supplied: the counterpart in 2026-07-28 of a
/// question that was refused, so that a missing `--answer` ends alike in both eras.
fn wants_input(error: &ErrorObject) -> bool {
    let wanted = error.data.as_deref().and_then(|data| json::member(data, "requiredCapabilities"));
    let names = wanted.and_then(|wanted| json::members(&wanted)).unwrap_or_default();
    let is_input = |name: &str| ["elicitation", "sampling", "roots"].contains(&name);
    error.code == "-32021" && !names.is_empty() && names.iter().all(|(name, _)| is_input(name))
}

/// How to give what a server says it needs (2026-07-28 basic §Error Codes: `data.requiredCapabilities`).
fn supply_hint(error: &ErrorObject) -> String {
    const WAYS: [(&str, &str); 4] = [
        ("elicitation", "--answer '{\"field\": …}', --answer accept for the defaults, or a terminal"),
        ("sampling", "--answer sampling=TEXT"),
        ("roots", "--roots PATH"),
        ("extensions", "call --task"),
    ];
    let wanted = error.data.as_deref().and_then(|data| json::member(data, "requiredCapabilities"));
    let named = |name: &&str| wanted.as_ref().is_some_and(|wanted| json::member(wanted, name).is_some());
    let ways: Vec<&str> = WAYS.iter().filter(|(name, _)| named(name)).map(|(_, way)| *way).collect();
    match ways.as_slice() {
        [] => "the server wants a capability that was not declared; --client-capabilities declares any".to_owned(),
        ways => format!("the server asks for input on the way; supply it with {}", ways.join(" and ")),
    }
}

fn timeout_failure(silence: &Silence, phase: Phase, is_call: bool) -> Failure {
    let message = match silence.reason {
        Reason::MaxTime => format!("{phase} was not done when the whole command's time was over"),
        _ => format!("no answer to {phase}"),
    };
    let option = if silence.reason == Reason::MaxTime { "--max-time" } else { "--timeout" };
    let limit = humantime::format_duration(silence.limit);
    if silence.unreached {
        let message = format!("no connection within {limit} (limit {option})");
        return Failure::new(Category::Timeout, Phase::Connect, message).with_reason(silence.reason).with_hint(
            "is the host up, and is the port not blocked? TCP, TLS or a proxy does not answer; nothing was sent",
        );
    }
    let phase_is_probe = phase == Phase::Discover;
    let phase_is_watch = matches!(phase.name(), "subscriptions/listen" | "watch");
    let mut failure = Failure::new(Category::Timeout, phase, format!("{message} within {limit} (limit {option})"))
        .with_reason(silence.reason);
    if silence.progress > 0 {
        let last = silence.last_progress.as_deref().unwrap_or("?");
        failure = failure.with_evidence("progress", format!("{} notifications, the last one {last}", silence.progress));
    }
    if let Some(seen) = &silence.seen {
        failure = failure.with_evidence("seen", seen.words());
        failure.http_status = seen.status;
    } else if silence.keep_alives > 0 {
        let text = format!("the stream is alive ({} keep-alive comments), but no answer came", silence.keep_alives);
        failure = failure.with_evidence("seen", text);
    }
    if let Some((bytes, begins)) = &silence.pending {
        failure = failure.with_evidence("seen", format!("an unterminated line of {bytes} bytes is pending: {begins}"));
    }
    if !silence.noise.is_empty() {
        failure = failure.with_evidence("stdout", silence.noise.join("\n"));
    }
    let hint = if phase_is_watch {
        match silence.reason {
            Reason::MaxTime => "watch --for TIME ends watching in order, with exit 0".to_owned(),
            _ => format!("the server did not acknowledge the subscription; a longer {option} waits longer"),
        }
    } else if phase_is_probe {
        format!(
            "no answer says nothing about its version; --protocol legacy begins with initialize, a longer {option} waits longer"
        )
    } else if is_call {
        format!("whether the call ran on the server is unknown; it was told to cancel. A longer {option} waits longer")
    } else if silence.seen.as_ref().is_some_and(|seen| seen.status.is_none()) {
        format!("the connection stands or is being made, and nothing comes; a longer {option} waits longer")
    } else {
        format!("is it an MCP server, and of this transport? it says nothing; a longer {option} waits longer")
    };
    failure.with_hint(hint)
}
