//! What a server asks within a call, and what it is told: every question gets an answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::conversation::{CALL, TEXT, ok};
use crate::support::{Expect, InitOk, Over, Peer, Request, Row, check_rows, script};

/// Asks five things within a call, and answers it only after five replies.
fn inquisitive() -> Peer {
    const QUESTIONS: [(&str, &str); 5] = [
        (r#""p1""#, r#""ping""#),
        ("7", r#""sampling/createMessage","params":{"messages":[],"maxTokens":1}"#),
        (
            "8",
            r#""elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}"#,
        ),
        ("9", r#""roots/list""#),
        ("10", r#""foo/bar""#),
    ];
    let replies = AtomicUsize::new(0);
    let call = std::sync::Mutex::new(None::<String>);
    Peer::Server(script(move |request, conn| {
        let is_reply = request.method != "GET" && request.method != "DELETE" && request.rpc_method().is_empty();
        if !is_reply && InitOk::default().answer(request, conn) {
            return;
        }
        if request.is_rpc_request() && request.rpc_method() == "tools/call" {
            *call.lock().unwrap() = Some(request.id());
            replies.store(0, Ordering::SeqCst);
            for (id, rest) in QUESTIONS {
                conn.push(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{rest}}}"#));
            }
            if conn.over() == Over::Http {
                for _ in 0..200 {
                    if replies.load(Ordering::SeqCst) == 5 {
                        break;
                    }
                    conn.pause(Duration::from_millis(20));
                }
                conn.result(request, TEXT);
            }
            return;
        }
        conn.accepted();
        if replies.fetch_add(1, Ordering::SeqCst) + 1 == 5 && conn.over() != Over::Http {
            let id = call.lock().unwrap().clone().expect("the call came first");
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{TEXT}}}"#);
            match conn.over() {
                Over::Sse => {
                    conn.feed(format!("event: message\ndata: {answer}\n\n"));
                }
                _ => conn.push(&answer),
            }
        }
    }))
}

#[test]
fn every_question_of_the_server_gets_an_answer() {
    // A script has one conversation in mind, so each transport has a peer of its own.
    let row = |over| Row {
        name: "RPC-06",
        over,
        peer: inquisitive(),
        args: CALL,
        expect: ok(),
        seen: Some(|server| {
            let is_reply = |request: &Request| request.text().contains("jsonrpc") && request.rpc_method().is_empty();
            let replies: Vec<_> = server.requests().into_iter().filter(is_reply).map(|reply| reply.text()).collect();
            let all = replies.join("\n");
            let refusals = [7, 8, 9, 10].map(|id| format!(r#""id":{id},"error":{{"code":-32601"#));
            let pong = r#""id":"p1","result":{}"#.to_owned();
            match std::iter::once(pong).chain(refusals).find(|wanted| !all.contains(wanted)) {
                Some(missing) => Err(format!("no reply {missing} in:\n{all}")),
                None => Ok(()),
            }
        }),
        ..Row::default()
    };
    check_rows(&[row(&[Over::Http]), row(&[Over::Sse]), row(&[Over::Stdio])]);
}

/// Asks for a form and, declined, fails.
fn wants_a_form() -> Peer {
    let call = std::sync::Mutex::new(None::<String>);
    Peer::Server(script(move |request, conn| {
        const FORM: &str = r#"{"message":"who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#;
        const FAILED: &str = r#"{"isError":true,"content":[{"type":"text","text":"nobody said who"}]}"#;
        let is_reply = request.method != "GET" && request.method != "DELETE" && request.rpc_method().is_empty();
        if !is_reply && InitOk::default().answer(request, conn) {
            return;
        }
        if is_reply {
            conn.accepted();
            let id = call.lock().unwrap().clone().expect("the call came first");
            let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{FAILED}}}"#);
            if conn.over() == Over::Stdio {
                conn.push(&answer);
            }
            return;
        }
        *call.lock().unwrap() = Some(request.id());
        conn.push(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{FORM}}}"#));
        if conn.over() == Over::Http {
            conn.pause(Duration::from_millis(300));
            conn.result(request, FAILED);
        }
    }))
}

#[test]
fn a_question_that_nobody_answers_is_why_the_call_failed() {
    let row = |name, over, args| Row {
        name,
        over,
        peer: wants_a_form(),
        args,
        expect: Expect {
            category: "input-required",
            phase: "tools/call",
            exit: 10,
            stderr: &["input required", "elicitation/create", "who?", "--answer", "nobody said who"],
            ..Expect::default()
        },
        ..Row::default()
    };
    const DECLARED: &[&str] = &["--client-capabilities", r#"{"elicitation":{}}"#, "call", "--no-check", "t"];
    const INCOMPLETE: &[&str] = &["--answer", "accept", "call", "--no-check", "t"];
    check_rows(&[
        row("declared, no answer", &[Over::Http], DECLARED),
        row("declared, no answer", &[Over::Stdio], DECLARED),
        row("a required field is missing", &[Over::Http], INCOMPLETE),
        row("not declared", &[Over::Stdio], CALL),
    ]);
}
