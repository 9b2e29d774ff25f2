//! The conversation with a peer that does odd things: ids, errors without one, batches, progress, sessions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{Conn, Expect, InitOk, Over, Peer, Request, Row, check_rows, init_ok, script};

pub(crate) const TEXT: &str = r#"{"content":[{"type":"text","text":"done"}]}"#;
pub(crate) const CALL: &[&str] = &["--timeout", "2s", "call", "--no-check", "t"];

/// A peer that shakes hands and answers everything else by `answer`.
fn peer(answer: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Peer {
    Peer::Server(init_ok(answer))
}

/// A peer whose answer is this text, with `ID` standing for the id of the request.
fn answers(text: &'static str) -> Peer {
    peer(move |request, conn| conn.message(&text.replace("ID", &request.id())))
}

pub(crate) fn ok() -> Expect {
    Expect { stdout: &["done"], ..Expect::default() }
}

fn warns(warnings: &'static [&'static str]) -> Expect {
    Expect { warnings, ..ok() }
}

fn rpc_error(warnings: &'static [&'static str]) -> Expect {
    Expect {
        category: "rpc-error",
        phase: "tools/call",
        exit: 4,
        stderr: &["boom", "-32050"],
        warnings,
        ..Expect::default()
    }
}

fn protocol(reason: &'static str, stderr: &'static [&'static str]) -> Expect {
    Expect { category: "protocol", phase: "tools/call", reason: Some(reason), exit: 7, stderr, ..Expect::default() }
}

#[test]
fn ids_and_errors() {
    check_rows(&[
        Row {
            name: "plain",
            peer: peer(|request, conn| conn.result(request, TEXT)),
            args: CALL,
            expect: ok(),
            ..Row::default()
        },
        Row {
            name: "RPC-01 id as a string",
            peer: answers(r#"{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"done"}]}}"#),
            args: CALL,
            expect: warns(&["id-type"]),
            ..Row::default()
        },
        Row {
            name: "RPC-01 id as a decimal",
            peer: answers(r#"{"jsonrpc":"2.0","id":ID.0,"result":{"content":[{"type":"text","text":"done"}]}}"#),
            args: CALL,
            expect: warns(&["id-type"]),
            ..Row::default()
        },
        Row {
            name: "RPC-02 unknown id",
            peer: answers(r#"{"jsonrpc":"2.0","id":999,"result":{}}"#),
            args: CALL,
            expect: protocol("wrong-id", &["999", "may have run"]),
            ..Row::default()
        },
        Row {
            name: "RPC-03 error with a null id",
            peer: answers(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32050,"message":"boom"}}"#),
            args: CALL,
            expect: rpc_error(&["id-null"]),
            ..Row::default()
        },
        Row {
            name: "RPC-03 error without an id",
            peer: answers(r#"{"jsonrpc":"2.0","error":{"code":-32050,"message":"boom"}}"#),
            args: CALL,
            expect: rpc_error(&["id-null"]),
            ..Row::default()
        },
        Row {
            name: "RPC-03 error with a made-up id",
            peer: answers(r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32050,"message":"boom"}}"#),
            args: CALL,
            expect: rpc_error(&["id-null"]),
            ..Row::default()
        },
        Row {
            name: "RPC-05 batch with the answer",
            peer: answers(
                r#"[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"done"}]}}]"#,
            ),
            args: CALL,
            expect: warns(&["batch"]),
            ..Row::default()
        },
        Row {
            name: "RPC-14 broken answer with our id",
            peer: answers(r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":[}}"#),
            args: CALL,
            expect: protocol("not-json", &["not JSON"]),
            ..Row::default()
        },
        Row {
            name: "the words of an error never decide",
            peer: answers(
                r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32050,"message":"boom: connect timed out: ECONNREFUSED 401 Unauthorized"}}"#,
            ),
            args: CALL,
            expect: rpc_error(&[]),
            ..Row::default()
        },
    ]);
}

#[test]
fn errors_on_any_status() {
    let with_status = |status: u16, id: &'static str| {
        peer(move |request, conn| {
            let id = if id == "ID" { request.id() } else { id.to_owned() };
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32050,"message":"boom","data":{{"k":1}}}}}}"#);
            conn.respond(status, &[("Content-Type", "application/json")], body);
        })
    };
    let row = |name, status, id, expect| Row {
        name,
        over: &[Over::Http],
        peer: with_status(status, id),
        args: CALL,
        expect,
        ..Row::default()
    };
    check_rows(&[
        row("HTTP-05 400", 400, "ID", Expect { stderr: &["boom", "HTTP 400"], ..rpc_error(&[]) }),
        row("HTTP-05 500", 500, "ID", Expect { stderr: &["boom", "HTTP 500"], ..rpc_error(&[]) }),
        row("HTTP-05 404 without a session", 404, "ID", rpc_error(&[])),
        row("HTTP-05 400, null id", 400, "null", rpc_error(&["id-null"])),
    ]);
}

#[test]
fn progress_moves_the_idle_clock_and_not_the_absolute_one() {
    let progressing = |rounds: u64, answer: bool| {
        peer(move |request, conn| {
            for round in 0..rounds {
                conn.push(&format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{round}}}}}"#,
                    request.id()
                ));
                conn.pause(Duration::from_millis(200));
            }
            if answer {
                conn.result(request, TEXT);
            } else {
                conn.hold();
            }
        })
    };
    let over = &[Over::Http, Over::Stdio];
    check_rows(&[
        Row {
            name: "RPC-09",
            over,
            peer: progressing(6, true),
            args: &["--timeout", "600ms", "call", "--no-check", "t"],
            expect: ok(),
            ..Row::default()
        },
        Row {
            name: "RPC-10",
            over,
            peer: progressing(50, false),
            args: &["--timeout", "600ms", "--max-time", "1500ms", "call", "--no-check", "t"],
            expect: Expect {
                category: "timeout",
                phase: "tools/call",
                reason: Some("max-time"),
                exit: 6,
                stderr: &["--max-time", "progress", "unknown"],
                ..Expect::default()
            },
            within: Duration::from_secs(5),
            ..Row::default()
        },
    ]);
}

#[test]
fn a_lost_session_is_renewed_once() {
    let forgetful = |always: bool| {
        let calls = AtomicUsize::new(0);
        Peer::Server(InitOk { session: Some("A".to_owned()), ..InitOk::default() }.then(move |request, conn| {
            // Each row runs twice, so every other call is the first one of a run.
            if calls.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) || always {
                let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#;
                conn.respond(404, &[("Content-Type", "application/json")], body);
            } else {
                conn.result(request, TEXT);
            }
        }))
    };
    check_rows(&[
        Row {
            name: "HTTP-03",
            over: &[Over::Http],
            peer: forgetful(false),
            args: CALL,
            expect: warns(&["session-renewed"]),
            seen: Some(|server| {
                let initializes = server.rpc_methods().iter().filter(|method| *method == "initialize").count();
                if initializes == 2 { Ok(()) } else { Err(format!("{initializes} initializes")) }
            }),
            ..Row::default()
        },
        Row {
            name: "HTTP-03 variant",
            over: &[Over::Http],
            peer: forgetful(true),
            args: CALL,
            expect: Expect {
                category: "transport",
                phase: "tools/call",
                reason: Some("http"),
                exit: 5,
                stderr: &["session was lost again"],
                warnings: &["session-renewed"],
                ..Expect::default()
            },
            ..Row::default()
        },
    ]);
}

#[test]
fn cursors_that_loop_end_the_list_and_show_what_came() {
    let looping = |next: &'static str| {
        peer(move |request, conn| {
            conn.result(request, &format!(r#"{{"prompts":[{{"name":"one"}},{{"name":"two"}}],"nextCursor":{next}}}"#));
        })
    };
    let expect = |warnings: &'static [&'static str]| Expect {
        category: "protocol",
        phase: "prompts/list",
        reason: Some("cursor-loop"),
        exit: 7,
        stdout: &["one", "two"],
        warnings,
        ..Expect::default()
    };
    check_rows(&[
        Row {
            name: "LST-01",
            over: &[Over::Stdio, Over::Http],
            peer: looping(r#""A""#),
            args: &["list", "prompts"],
            expect: expect(&["cursor-loop"]),
            ..Row::default()
        },
        Row {
            name: "LST-02 empty cursor that repeats the page",
            over: &[Over::Http],
            peer: looping(r#""""#),
            args: &["list", "prompts"],
            expect: Expect { stdout: &["one", "two"], warnings: &["cursor-empty"], ..Expect::default() },
            ..Row::default()
        },
        Row {
            name: "LST-02 null cursor",
            over: &[Over::Http],
            peer: looping("null"),
            args: &["list", "prompts"],
            expect: Expect { stdout: &["one", "two"], ..Expect::default() },
            ..Row::default()
        },
    ]);
}

#[test]
fn a_program_that_echoes_is_told_from_a_server() {
    let echo = || {
        Peer::Server(script(|request, conn| {
            let text = request.text();
            match conn.over() {
                Over::Http if request.method != "POST" => conn.respond(405, &[], ""),
                _ => conn.message(&text),
            }
        }))
    };
    check_rows(&[Row {
        name: "echo",
        over: &[Over::Http, Over::Stdio],
        peer: echo(),
        args: &["list"],
        expect: Expect {
            category: "protocol",
            phase: "initialize",
            reason: Some("not-json-rpc"),
            exit: 7,
            stderr: &["sends back", "echoes"],
            ..Expect::default()
        },
        ..Row::default()
    }]);
}

#[test]
fn a_block_that_cannot_be_decoded_is_a_warning() {
    check_rows(&[Row {
        name: "base64",
        over: &[Over::Http],
        peer: answers(
            r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"image","data":"@@","mimeType":"image/png"}]}}"#,
        ),
        args: CALL,
        expect: Expect { warnings: &["blob-encoding"], ..Expect::default() },
        ..Row::default()
    }]);
}

#[test]
fn a_secret_in_the_name_of_the_server_is_masked() {
    let peer = Peer::Server(script(|request, conn| {
        if request.rpc_method() == "initialize" {
            let info = r#"{"name":"n S3CRETBEARER","version":"1"}"#;
            let result =
                format!(r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{info}}}"#);
            conn.result(request, &result);
        } else if !InitOk::default().answer(request, conn) {
            conn.result(request, TEXT);
        }
    }));
    check_rows(&[Row {
        name: "echoed bearer",
        over: &[Over::Http],
        peer,
        args: &["--bearer", "S3CRETBEARER", "call", "--no-check", "t"],
        expect: Expect { hidden: &["S3CRETBEARER"], ..ok() },
        ..Row::default()
    }]);
}
