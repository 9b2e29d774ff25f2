//! Programs that end before they should, and programs that do not end.

use std::time::Duration;

use super::{CALL, MODERN, SHORT, STDIO, TOOLS, all, broken, called_once, check_rows, done, fails, good, row, silent};
use crate::support::{Conn, Expect, InitOk, Peer, Row, script};

pub(super) fn rows() -> Vec<Row> {
    [ends(), stubborn()].concat()
}

#[test]
fn programs_that_end() {
    check_rows(&ends());
}

#[test]
fn programs_that_do_not_end() {
    check_rows(&stubborn());
}

fn ends() -> Vec<Row> {
    // A program that waits a little, so that what it wrote is there before it ends.
    fn dying(method: &'static str, how: fn(&mut Conn)) -> Peer {
        all(move |request, conn| if request.rpc_method() == method { how(conn) } else { conn.message(&good(request)) })
    }
    let quick = |row: Row| Row { within: Duration::from_secs(6), ..row };
    let gone = |name, method: &'static str, how, args, phase, stderr| {
        quick(row(name, STDIO, dying(method, how), args, Expect { stderr_not: &["-32000"], ..broken(phase, stderr) }))
    };
    vec![
        gone(
            "STD-04 at once",
            "initialize",
            |conn| {
                conn.stderr("Traceback (most recent call last):\nKeyError: 'API_KEY'\n");
                conn.exit(3);
            },
            CALL,
            "initialize",
            &["status 3", "KeyError: 'API_KEY'", "Traceback"],
        ),
        gone(
            "STD-04 in the middle of a call",
            "tools/call",
            |conn| conn.signal(9),
            CALL,
            "tools/call",
            &["SIGKILL", "may have run"],
        ),
        gone("STD-04 in order", "tools/call", |conn| conn.exit(0), CALL, "tools/call", &["status 0", "may have run"]),
        gone(
            "STD-04 half an answer",
            "tools/call",
            |conn| {
                conn.raw("{\"jsonrpc\":\"2.0\",\"id\":2,\"resu");
                conn.exit(1);
            },
            CALL,
            "tools/call",
            &["status 1", "\"resu"],
        ),
        gone("STD-04 at a list", "tools/list", |conn| conn.exit(4), TOOLS, "tools/list", &["status 4"]),
        gone("STD-04 without a handshake", "tools/call", |conn| conn.exit(4), MODERN, "tools/call", &["status 4"]),
        gone(
            "STD-04 no stdout any more",
            "tools/call",
            |conn| conn.close_stdout(),
            CALL,
            "tools/call",
            &["closed its stdout"],
        ),
        quick(Row {
            seen: Some(called_once),
            ..row(
                "STD-04 the call is not sent to another program",
                STDIO,
                dying("tools/call", |conn| conn.exit(7)),
                CALL,
                broken("tools/call", &["status 7"]),
            )
        }),
        quick(row(
            "STD-04 a lot of last words",
            STDIO,
            dying("initialize", |conn| {
                (0..100).for_each(|number| conn.stderr(format!("line {number} of it\n")));
                conn.exit(3);
            }),
            CALL,
            broken("initialize", &["line 99 of it", "line 85 of it"]),
        )),
        quick(row(
            "STD-04 a secret in the last words",
            STDIO,
            dying("initialize", |conn| {
                conn.stderr("invalid key S3CRETVALUE given\n");
                conn.exit(3);
            }),
            &["-e", "API_KEY=S3CRETVALUE", "--timeout", "8s", "call", "--no-check", "t"],
            Expect { hidden: &["S3CRETVALUE"], ..broken("initialize", &["invalid key", "given"]) },
        )),
        quick(row(
            "STD-04 after the answer",
            STDIO,
            Peer::Server(script(|request, conn| {
                if request.rpc_method() == "tools/call" {
                    conn.message(&good(request));
                    conn.exit(9);
                } else {
                    InitOk::default().answer(request, conn);
                }
            })),
            CALL,
            done(),
        )),
        Row {
            peer: Peer::Nobody,
            ..row(
                "STD-05 no such program",
                STDIO,
                Peer::Nobody,
                CALL,
                fails("transport", "spawn", 5, "connect", &["/nonexistent/program", "no such program"]),
            )
        },
    ]
}

fn stubborn() -> Vec<Row> {
    let clinging = |method: &'static str, answer: bool| {
        all(move |request, conn| {
            if request.rpc_method() == "initialize" {
                conn.be_stubborn();
                conn.spawn_grandchild();
            }
            if request.rpc_method() != method || answer {
                conn.message(&good(request));
            }
        })
    };
    let in_time = |row: Row| Row { within: Duration::from_secs(8), ..row };
    vec![
        in_time(row(
            "STD-08 neither the end of stdin nor SIGTERM ends it",
            STDIO,
            clinging("tools/call", true),
            CALL,
            done(),
        )),
        in_time(row(
            "STD-08 the same after a timeout",
            STDIO,
            clinging("tools/call", false),
            SHORT,
            silent("tools/call", &["no answer"]),
        )),
        in_time(row(
            "STD-08 the same after a failure",
            STDIO,
            all(|request, conn| {
                conn.be_stubborn();
                conn.spawn_grandchild();
                conn.error(request, -32050, "boom");
            }),
            CALL,
            fails("rpc-error", "", 4, "initialize", &["boom"]),
        )),
        in_time(row(
            "STD-08 only a grandchild is left",
            STDIO,
            all(|request, conn| {
                if request.rpc_method() == "initialize" {
                    conn.spawn_grandchild();
                }
                conn.message(&good(request));
            }),
            CALL,
            done(),
        )),
    ]
}
