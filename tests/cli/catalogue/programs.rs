//! Programs as servers: noise, lines, floods on stderr, bytes that are no text.

use std::time::Duration;

use super::{
    CALL, ENDS, HTTP, MODERN, NETS, SHORT, STDIO, TOOLS, all, broken, check_rows, done, feed, good, peer, protocol,
    row, silent, warned,
};
use crate::support::{Conn, Expect, FakeServer, Over, Peer, Request, Row};

pub(super) fn rows() -> Vec<Row> {
    [noise(), lines(), floods(), no_text()].concat()
}

#[test]
fn noise_and_lines() {
    check_rows(&[noise(), lines()].concat());
}

#[test]
fn floods_and_bytes() {
    check_rows(&[floods(), no_text()].concat());
}

/// A program that writes this before each of its answers.
fn noisy(noise: &'static str) -> Peer {
    all(move |request, conn| {
        conn.raw(noise);
        conn.message(&good(request));
    })
}

fn noise() -> Vec<Row> {
    let noisy_row =
        |name, text, stderr| row(name, STDIO, noisy(text), CALL, Expect { stderr, ..warned(&["stdout-noise"]) });
    let strict = &["--strict", "--timeout", "8s", "call", "--no-check", "t"];
    vec![
        noisy_row("STD-01 a banner", "Server ready\n", &["Server ready", "2 lines"]),
        noisy_row("STD-01 a log object", "{\"level\":\"info\",\"msg\":\"x\"}\n", &["level"]),
        noisy_row("STD-01 half a message", "{\"jsonrpc\":\"2.0\"\n", &["jsonrpc"]),
        row("STD-01 empty lines", STDIO, noisy("\n\r\n  \n"), strict, done()),
        row(
            "STD-01 a thousand lines",
            STDIO,
            peer(|request, conn| {
                conn.raw("debug: still at it\n".repeat(1000));
                conn.message(&good(request));
            }),
            CALL,
            Expect { stderr: &["1000 lines", "debug: still at it"], ..warned(&["stdout-noise"]) },
        ),
        row(
            "STD-01 text in front of a message",
            STDIO,
            peer(|request, conn| conn.raw(format!("INFO ready {}\n", good(request)))),
            CALL,
            Expect { stderr: &["INFO ready"], ..warned(&["glued-line"]) },
        ),
        row(
            "STD-01 text in front of every message",
            STDIO,
            all(|request, conn| conn.raw(format!("> {}\n", good(request)))),
            TOOLS,
            warned(&["glued-line"]),
        ),
        row(
            "STD-01 text in front of a message that is broken",
            STDIO,
            peer(|request, conn| conn.raw(format!("INFO {}\n", good(request).replace("]}", "]")))),
            SHORT,
            protocol("not-json", "tools/call", &["not JSON"]),
        ),
        row("STD-01 a banner without a handshake", STDIO, noisy("Server ready\n"), MODERN, warned(&["stdout-noise"])),
        row(
            "STD-01 the strict way",
            STDIO,
            noisy("Server ready\n"),
            strict,
            Expect { warnings: &["stdout-noise"], ..protocol("strict", "tools/call", &["Server ready"]) },
        ),
        row(
            "STD-01 noise and nothing else",
            STDIO,
            all(|_, conn| conn.raw("Usage: server [OPTIONS]\n")),
            SHORT,
            Expect { warnings: &["stdout-noise"], ..silent("initialize", &["Usage: server", "no answer"]) },
        ),
        row(
            "STD-01 noise, and then the end",
            STDIO,
            all(|_, conn| {
                conn.raw("Usage: server [OPTIONS]\n");
                conn.exit(2);
            }),
            CALL,
            Expect { warnings: &["stdout-noise"], ..broken("initialize", &["Usage: server", "status 2"]) },
        ),
    ]
}

/// Every line that came ends in a line feed alone.
fn line_feeds_alone(server: &FakeServer) -> Result<(), String> {
    let all = server.requests();
    match all.iter().find(|one| one.text().contains(['\r', '\n'])) {
        Some(one) => Err(format!("{:?}", one.text())),
        None => Ok(()),
    }
}

fn lines() -> Vec<Row> {
    const LIMITED: &[&str] = &["--max-message-size", "1MiB", "--timeout", "8s", "call", "--no-check", "t"];
    vec![
        Row {
            seen: Some(line_feeds_alone),
            ..row("STD-02 CRLF", STDIO, all(|request, conn| conn.raw(format!("{}\r\n", good(request)))), CALL, done())
        },
        row(
            "STD-02 three MiB in odd pieces",
            STDIO,
            peer(|request, conn| {
                let text =
                    format!("{}\n", good(request)).replace("done", &format!("done{}", "x".repeat(3 * 1024 * 1024)));
                conn.chunks(text, 65_537, Duration::ZERO);
            }),
            CALL,
            done(),
        ),
        row(
            "STD-02 two messages in one piece",
            STDIO,
            peer(|request, conn| {
                conn.raw(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}}\n{}\n", good(request)));
            }),
            CALL,
            done(),
        ),
        row(
            "STD-02 a line without end",
            STDIO,
            peer(|_, conn| {
                let block = "a".repeat(64 * 1024);
                (0..64).for_each(|_| conn.raw(&block));
                conn.hold();
            }),
            LIMITED,
            protocol("too-large", "tools/call", &["1048576", "--max-message-size", "bytes seen"]),
        ),
        row(
            "STD-02 a line without end at the handshake",
            STDIO,
            all(|_, conn| {
                let block = "a".repeat(64 * 1024);
                (0..64).for_each(|_| conn.raw(&block));
                conn.hold();
            }),
            LIMITED,
            protocol("too-large", "initialize", &["--max-message-size"]),
        ),
        row(
            "STD-02 the last line has no end",
            STDIO,
            peer(|request, conn| {
                conn.raw(good(request));
                conn.exit(0);
            }),
            CALL,
            done(),
        ),
        row(
            "STD-02 half a line, and then silence",
            STDIO,
            peer(|_, conn| {
                conn.raw("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"con");
                conn.hold();
            }),
            SHORT,
            silent("tools/call", &["no answer", "\"con"]),
        ),
    ]
}

fn floods() -> Vec<Row> {
    fn flooding(flood: fn(&mut Conn)) -> Peer {
        all(move |request, conn| {
            if request.rpc_method() == "initialize" {
                flood(conn);
            }
            conn.message(&good(request));
        })
    }
    let quiet = &["-q", "--timeout", "8s", "call", "--no-check", "t"];
    vec![
        row(
            "STD-06 a MiB of lines",
            STDIO,
            flooding(|conn| conn.stderr("some words of a log\n".repeat(52_000))),
            CALL,
            done(),
        ),
        row(
            "STD-06 two MiB without a line end",
            STDIO,
            flooding(|conn| conn.stderr("#".repeat(2 * 1024 * 1024))),
            CALL,
            done(),
        ),
        row(
            "STD-06 bytes that are no text",
            STDIO,
            flooding(|conn| conn.stderr([0, 255, 254, 0x1b, 10, 200])),
            CALL,
            Expect { stderr_not: &["\u{1b}"], ..done() },
        ),
        row(
            "STD-06 quietly",
            STDIO,
            flooding(|conn| conn.stderr("a word\n")),
            quiet,
            Expect { stderr_not: &["a word"], ..done() },
        ),
        row(
            "STD-06 and then a failure",
            STDIO,
            all(|_, conn| {
                conn.stderr("x".repeat(1024 * 1024));
                conn.stderr("\nthe reason\n");
                conn.exit(1);
            }),
            CALL,
            broken("initialize", &["the reason", "status 1"]),
        ),
    ]
}

/// The good answer, with the byte 0x97 in its text.
fn with_odd_byte(request: &Request) -> Vec<u8> {
    let text = good(request);
    let at = text.find("done").unwrap_or_default();
    [&text.as_bytes()[..at], b"\x97 ", &text.as_bytes()[at..]].concat()
}

fn no_text() -> Vec<Row> {
    let shown = |name, over, answer: fn(&Request, &mut Conn)| {
        row(
            name,
            over,
            peer(answer),
            CALL,
            Expect { stdout: &["\u{fffd} done"], ..Expect { warnings: &["not-utf8"], ..Expect::default() } },
        )
    };
    fn utf16(request: &Request) -> Vec<u8> {
        good(request).encode_utf16().flat_map(u16::to_le_bytes).collect()
    }
    vec![
        shown("STD-07 in a line", STDIO, |request, conn| conn.raw([&with_odd_byte(request)[..], b"\n"].concat())),
        shown("STD-07 in a body", HTTP, |request, conn| {
            conn.respond(200, &[("Content-Type", "application/json")], with_odd_byte(request));
        }),
        shown("STD-07 in an event", NETS, |request, conn| {
            feed(conn, &[b"data: ", &with_odd_byte(request)[..], b"\n\n"]);
        }),
        row(
            "STD-07 the strict way",
            STDIO,
            peer(|request, conn| conn.raw([&with_odd_byte(request)[..], b"\n"].concat())),
            &["--strict", "--timeout", "8s", "call", "--no-check", "t"],
            Expect { warnings: &["not-utf8"], ..protocol("strict", "tools/call", &["97"]) },
        ),
        row(
            "STD-07 in a list",
            ENDS,
            peer(|request, conn| match conn.over() {
                Over::Stdio => conn.raw([&with_odd_byte(request)[..], b"\n"].concat()),
                _ => conn.respond(200, &[("Content-Type", "application/json")], with_odd_byte(request)),
            }),
            &["--timeout", "8s", "read", "x:y"],
            Expect { warnings: &["not-utf8"], stdout: &["\u{fffd} done"], ..Expect::default() },
        ),
        row(
            "STD-07 UTF-16 as a body",
            HTTP,
            peer(|request, conn| conn.respond(200, &[("Content-Type", "application/json")], utf16(request))),
            CALL,
            protocol("not-json", "tools/call", &["UTF-16"]),
        ),
        row(
            "STD-07 UTF-16 as lines",
            STDIO,
            all(|request, conn| conn.raw([&utf16(request)[..], b"\n\0"].concat())),
            SHORT,
            protocol("not-json", "initialize", &["UTF-16"]),
        ),
    ]
}
