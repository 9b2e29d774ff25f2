//! Lists: cursors that loop, that are empty, and lists that come in part.

use serde_json::{Value, json};

use super::{ENDS, HTTP, check_rows, count, done, fails, good, peer, protocol, row};
use crate::support::{Expect, FakeServer, InitOk, ModernOk, Peer, Request, Row, complete};

pub(super) fn rows() -> Vec<Row> {
    [loops(), partial(), empty_cursors()].concat()
}

#[test]
fn cursors() {
    check_rows(&[loops(), empty_cursors()].concat());
}

#[test]
fn lists_that_come_in_part() {
    check_rows(&partial());
}

const PROMPTS: &[&str] = &["--timeout", "8s", "list", "prompts"];

/// A server that gives the page (of prompts, or of what the method lists) that `page` makes of the cursor.
pub(super) fn paged(page: fn(Option<&str>) -> Value) -> Peer {
    Peer::Server(InitOk { tools: None, ..InitOk::default() }.then(move |request, conn| {
        if !request.rpc_method().ends_with("/list") {
            return conn.message(&good(request));
        }
        let asked = request.json();
        conn.result(request, &page(asked["params"]["cursor"].as_str()).to_string());
    }))
}

/// The same without a handshake.
fn paged_modern(page: fn(Option<&str>) -> Value) -> Peer {
    Peer::Server(
        ModernOk { tools: None, capabilities: json!({"tools": {}, "prompts": {}}), ..ModernOk::default() }.then(
            move |request, conn| {
                let asked = request.json();
                conn.result(request, &complete(page(asked["params"]["cursor"].as_str()), true));
            },
        ),
    )
}

/// One page of every kind of list: entries with this name, and a cursor.
fn page(name: &str, next: Value) -> Value {
    let schema = json!({"type": "object"});
    let entry = json!([{"name": name, "uri": format!("x:{name}"), "uriTemplate": "x:{a}", "inputSchema": schema}]);
    let mut page = json!({"prompts": entry, "tools": entry, "resources": entry, "resourceTemplates": entry});
    if !next.is_null() {
        page["nextCursor"] = next;
    }
    page
}

fn between_two(cursor: Option<&str>) -> Value {
    match cursor {
        None => page("first", json!("A")),
        Some("A") => page("second", json!("B")),
        _ => page("third", json!("A")),
    }
}

fn endless(cursor: Option<&str>) -> Value {
    let number: u64 = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
    page(&format!("entry{number}"), json!((number + 1).to_string()))
}

fn the_same(_: Option<&str>) -> Value {
    page("only", json!("A"))
}

fn loops() -> Vec<Row> {
    let looped = |phase| Expect {
        warnings: &["cursor-loop"],
        ..protocol("cursor-loop", phase, &["cursor \"A\"", "incomplete"])
    };
    let kind =
        |name, args, phase| row(name, HTTP, paged(the_same), args, Expect { stdout: &["only"], ..looped(phase) });
    vec![
        row(
            "LST-01 two cursors in turns",
            HTTP,
            paged(between_two),
            PROMPTS,
            Expect { stdout: &["first", "second", "third"], ..looped("prompts/list") },
        ),
        Row {
            seen: Some(|server| match count(server, "prompts/list") {
                3 => Ok(()),
                lists => Err(format!("{lists} pages")),
            }),
            ..row(
                "LST-01 a new cursor each time",
                HTTP,
                paged(endless),
                &["--timeout", "8s", "--max-pages", "3", "list", "prompts"],
                Expect {
                    stdout: &["entry0", "entry1", "entry2"],
                    ..protocol("cursor-loop", "prompts/list", &["3 pages", "--max-pages"])
                },
            )
        },
        row(
            "LST-01 without a handshake",
            HTTP,
            paged_modern(the_same),
            &["--protocol", "2026-07-28", "--timeout", "8s", "list", "prompts"],
            Expect { stdout: &["only"], ..looped("prompts/list") },
        ),
        kind("LST-01 tools", &["list", "tools"], "tools/list"),
        kind("LST-01 resources", &["list", "resources"], "resources/list"),
        row(
            "LST-01 a tool on the first page is called all the same",
            HTTP,
            paged(the_same),
            &["--timeout", "8s", "call", "only"],
            done(),
        ),
        Row {
            seen: Some(|server| match count(server, "tools/call") {
                0 => Ok(()),
                _ => Err("it was sent".to_owned()),
            }),
            ..row(
                "LST-01 a tool that is on no page",
                HTTP,
                paged(the_same),
                &["--timeout", "8s", "call", "other"],
                looped("tools/list"),
            )
        },
        row(
            "LST-01 everything, and each list has a loop",
            HTTP,
            paged(the_same),
            &["--timeout", "8s", "list"],
            Expect { stdout: &["only"], ..looped("tools/list") },
        ),
    ]
}

fn partial() -> Vec<Row> {
    /// The second page is a failure.
    fn failing(fail: fn(&Request, &mut crate::support::Conn)) -> Peer {
        peer(move |request, conn| match request.json()["params"]["cursor"].as_str() {
            None => conn.result(request, &page("first", json!("A")).to_string()),
            Some(_) => fail(request, conn),
        })
    }
    let first = |expect| Expect { stdout: &["first"], ..expect };
    vec![
        row(
            "LST-01 an error on the second page",
            HTTP,
            failing(|request, conn| conn.error(request, -32602, "Invalid cursor")),
            PROMPTS,
            first(fails("rpc-error", "", 4, "prompts/list", &["Invalid cursor"])),
        ),
        row(
            "LST-01 silence on the second page",
            HTTP,
            failing(|_, conn| _ = conn.hold()),
            &["--timeout", "400ms", "list", "prompts"],
            first(fails("timeout", "idle", 6, "prompts/list", &["no answer"])),
        ),
        row(
            "LST-01 a page that is none",
            HTTP,
            failing(|request, conn| conn.result(request, r#"{"items":[]}"#)),
            PROMPTS,
            first(protocol("result-shape", "prompts/list", &["no array prompts"])),
        ),
        row(
            "LST-01 a cursor that is a number",
            HTTP,
            paged(|_| page("first", json!(7))),
            PROMPTS,
            protocol("result-shape", "prompts/list", &["nextCursor", "not a string"]),
        ),
    ]
}

/// The first page was asked for without a cursor, and no request had a null in it.
fn no_null(server: &FakeServer) -> Result<(), String> {
    match server.requests().into_iter().find(|one| one.text().contains("null")) {
        Some(one) => Err(one.text()),
        None => Ok(()),
    }
}

fn empty_cursors() -> Vec<Row> {
    fn two_pages(cursor: Option<&str>) -> Value {
        match cursor {
            None => page("first", json!("")),
            _ => page("second", Value::Null),
        }
    }
    let both = || Expect { stdout: &["first", "second"], ..Expect::default() };
    vec![
        Row {
            seen: Some(no_null),
            ..row("LST-02 an empty cursor with a second page", HTTP, paged(two_pages), PROMPTS, both())
        },
        row(
            "LST-02 an empty cursor with a second page, without a handshake",
            HTTP,
            paged_modern(two_pages),
            &["--protocol", "2026-07-28", "--timeout", "8s", "list", "prompts"],
            both(),
        ),
        row(
            "LST-02 an empty cursor for ever",
            HTTP,
            paged(|_| page("only", json!(""))),
            PROMPTS,
            Expect { stdout: &["only"], warnings: &["cursor-empty"], ..Expect::default() },
        ),
        row(
            "LST-02 an empty cursor for ever, without a handshake",
            HTTP,
            paged_modern(|_| page("only", json!(""))),
            &["--protocol", "2026-07-28", "--timeout", "8s", "list", "prompts"],
            Expect {
                stdout: &["only"],
                warnings: &["cursor-loop"],
                ..protocol("cursor-loop", "prompts/list", &["cursor \"\""])
            },
        ),
        Row {
            seen: Some(no_null),
            ..row(
                "LST-02 nothing is sent as null",
                ENDS,
                paged(|_| page("only", Value::Null)),
                &["list"],
                Expect { stdout: &["only"], ..Expect::default() },
            )
        },
    ]
}
