//! Results that ask for input first (2026-07-28 basic/patterns/mrtr), from their answers to what is never said.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::{BOTH, DONE, all, document, run_json};
use crate::support::{
    Expect, FakeServer, Over, Peer, Request, Row, Sandbox, Script, check_rows, complete, fresh_ids, modern_ok,
};

const FORM: &str = r#"{"method":"elicitation/create","params":{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}"#;
const SAMPLING: &str = r#"{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"2+2?"}}],"maxTokens":5}}"#;
const ROOTS: &str = r#"{"method":"roots/list"}"#;
const URL: &str =
    r#"{"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"https://example.com/login"}}"#;

/// The state as it travels, in a form that no writer of JSON would choose.
const STATE: &str = r#""S3CRETSTATE\u00e9\/\u0041""#;

/// A result that asks these questions and has this state.
fn asks(questions: &[(&str, &str)], state: Option<&str>) -> String {
    let mut members = vec![r#""resultType":"input_required""#.to_owned()];
    if !questions.is_empty() {
        let all: Vec<String> = questions.iter().map(|(key, question)| format!("{}:{question}", json!(key))).collect();
        members.push(format!(r#""inputRequests":{{{}}}"#, all.join(",")));
    }
    members.extend(state.map(|state| format!(r#""requestState":{state}"#)));
    format!("{{{}}}", members.join(","))
}

/// What a method's result is in the end.
fn finished(request: &Request) -> String {
    match request.rpc_method().as_str() {
        "tools/call" => DONE.to_owned(),
        "prompts/get" => {
            let message = json!({"role": "user", "content": {"type": "text", "text": "done"}});
            complete(json!({"messages": [message]}), false)
        }
        _ => complete(json!({"contents": [{"uri": "x:y", "text": "done"}]}), true),
    }
}

/// A server that asks this as long as nothing has been answered or sent back.
fn asking(questions: &'static [(&'static str, &'static str)], state: Option<&'static str>) -> Script {
    modern_ok(move |request, conn| {
        let params = request.json()["params"].clone();
        if params.get("inputResponses").is_none() && params.get("requestState").is_none() {
            conn.result(request, &asks(questions, state));
        } else {
            conn.result(request, &finished(request));
        }
    })
}

/// The members of `params` without `_meta`.
fn params(request: &Request) -> Value {
    let mut params = request.json()["params"].clone();
    params.as_object_mut().expect("params").remove("_meta");
    params
}

const ANSWERS: &[&str] =
    &["--protocol", "2026-07-28", "--answer", r#"{"name":"Ada"}"#, "--answer", "sampling=4", "--roots", "file:///r"];

/// The three requests that may be asked in, with the arguments that make them and their params.
fn requests() -> [(&'static [&'static str], &'static str, Value); 3] {
    [
        (&["call", "--no-check", "t", "a:=1"], "tools/call", json!({"name": "t", "arguments": {"a": 1}})),
        (&["get", "--no-check", "p", "a=1"], "prompts/get", json!({"name": "p", "arguments": {"a": "1"}})),
        (&["read", "x:y"], "resources/read", json!({"uri": "x:y"})),
    ]
}

#[test]
fn each_question_is_answered_in_each_request() {
    let answers: [(&'static [(&str, &str)], Value); 4] = [
        (&[("who", FORM)], json!({"who": {"action": "accept", "content": {"name": "Ada"}}})),
        (&[("roots", ROOTS)], json!({"roots": {"roots": [{"uri": "file:///r"}]}})),
        (&[("model", SAMPLING)], Value::Null),
        (&[("b", FORM), ("a", SAMPLING), ("é", ROOTS)], Value::Null),
    ];
    for over in BOTH {
        for (args, method, original) in requests() {
            for (questions, wanted) in &answers {
                let (run, server) = run_json(*over, asking(questions, Some(STATE)), &[ANSWERS, args].concat());
                run.assert_category("ok", None, 0);
                let all = all(&server, method);
                assert_eq!(all.len(), 2, "{}", server.describe());
                assert_eq!(params(&all[0]), original, "§Client Requirements: nothing is sent back unasked");
                let mut second = params(&all[1]);
                let responses = second["inputResponses"].take();
                let keys: Vec<&String> = responses.as_object().expect("responses").keys().collect();
                let asked: Vec<&str> = questions.iter().map(|(key, _)| *key).collect();
                assert_eq!(keys, asked, "§Client Requirements: an answer under each key");
                if !wanted.is_null() {
                    assert_eq!(responses, *wanted);
                }
                for (key, question) in *questions {
                    if *question == SAMPLING {
                        assert_eq!(responses[key]["content"]["text"], "4");
                        assert_eq!(responses[key]["role"], "assistant");
                        assert!(responses[key]["model"].is_string(), "{responses}");
                    }
                }
                second.as_object_mut().unwrap().retain(|name, _| name != "inputResponses" && name != "requestState");
                assert_eq!(second, original, "§Client Requirements: the original parameters");
                assert!(
                    all[1].text().contains(&format!(r#""requestState":{STATE}"#)),
                    "to the byte: {}",
                    all[1].text()
                );
                assert_eq!(fresh_ids(&server), Ok(()), "§Client Requirements: a new id");
                document(&run);
            }
        }
    }
}

#[test]
fn neither_key_is_made_up() {
    for over in BOTH {
        let (run, server) = run_json(*over, asking(&[], Some(STATE)), super::CALL);
        run.assert_category("ok", None, 0);
        let second = &all(&server, "tools/call")[1];
        assert!(second.json()["params"].get("inputResponses").is_none(), "only the state came: {}", second.text());
        drop(server);
        let (run, server) = run_json(*over, asking(&[("who", FORM)], None), &[ANSWERS, requests()[0].0].concat());
        run.assert_category("ok", None, 0);
        let second = &all(&server, "tools/call")[1];
        assert!(second.json()["params"].get("requestState").is_none(), "no state came: {}", second.text());
    }
}

#[test]
fn each_round_has_the_state_and_the_answers_of_its_own_result() {
    // Asks for a name, then sends only a state, then asks with another one, then ends.
    let script = modern_ok(|request, conn| {
        let params = request.json()["params"].clone();
        let answered = |key: &str| params["inputResponses"].get(key).is_some();
        match params["requestState"].as_str() {
            None if params.get("inputResponses").is_none() => {
                conn.result(request, &asks(&[("one", FORM)], Some(r#""s1""#)));
            }
            Some("s1") if answered("one") => conn.result(request, &asks(&[], Some(r#""s2""#))),
            Some("s2") if params.get("inputResponses").is_none() => {
                conn.result(request, &asks(&[("two", SAMPLING)], None))
            }
            None if answered("two") && !answered("one") => conn.result(request, DONE),
            _ => conn.error(request, -32602, "not what this round asked for"),
        }
    });
    for over in BOTH {
        let (run, server) = run_json(*over, script.clone(), &[ANSWERS, requests()[0].0].concat());
        run.assert_category("ok", None, 0);
        assert_eq!(all(&server, "tools/call").len(), 4);
        assert_eq!(fresh_ids(&server), Ok(()));
    }
}

#[test]
fn a_retry_mirrors_what_the_first_request_did() {
    let tools = json!([super::tool("t", json!({"a": {"type": "string", "x-mcp-header": "A"}}))]);
    let ok = crate::support::ModernOk::with_tools(tools);
    let script = ok.then(|request, conn| {
        assert_eq!(request.header("Mcp-Param-A"), Some("x"), "the header belongs to the body of every request");
        if request.json()["params"].get("requestState").is_some() {
            conn.result(request, DONE);
        } else {
            conn.result(request, &asks(&[], Some(r#""s""#)));
        }
    });
    let (run, server) = run_json(Over::Http, script, &["--protocol", "2026-07-28", "call", "t", "a=x"]);
    run.assert_category("ok", None, 0);
    assert_eq!(server.rpc_methods(), ["tools/list", "tools/call", "tools/call"]);
}

#[test]
fn refusals_are_answers() {
    for (answer, action) in [("decline", "decline"), ("cancel", "cancel")] {
        let args = ["--protocol", "2026-07-28", "--answer", answer, "call", "--no-check", "t"];
        let (run, server) = run_json(Over::Http, asking(&[("who", FORM)], None), &args);
        run.assert_category("ok", None, 0);
        assert_eq!(
            all(&server, "tools/call")[1].json()["params"]["inputResponses"],
            json!({"who": {"action": action}})
        );
    }
}

/// A server that always asks, by a state alone.
fn endless() -> Peer {
    Peer::Server(modern_ok(|request, conn| conn.result(request, &asks(&[], Some(STATE)))))
}

#[test]
fn rounds_come_to_an_end() {
    let given_up = Expect {
        category: "input-required",
        phase: "tools/call",
        exit: 10,
        stderr: &["input required", "--max-rounds"],
        hidden: &["S3CRETSTATE"],
        ..Expect::default()
    };
    let row = |name, args, seen| Row {
        name,
        over: BOTH,
        peer: endless(),
        args,
        expect: given_up.clone(),
        seen: Some(seen),
        ..Row::default()
    };
    check_rows(&[
        row(
            "mrtr: --max-rounds 0",
            &["--protocol", "2026-07-28", "--max-rounds", "0", "call", "--no-check", "t"],
            |server| calls(server, 1),
        ),
        row(
            "mrtr: --max-rounds 1",
            &["--protocol", "2026-07-28", "--max-rounds", "1", "call", "--no-check", "t"],
            |server| calls(server, 2),
        ),
        row(
            "mrtr: --max-rounds 2",
            &["--protocol", "2026-07-28", "--max-rounds", "2", "call", "--no-check", "t"],
            |server| calls(server, 3),
        ),
        row("mrtr: ten rounds without the option", super::CALL, |server| calls(server, 11)),
    ]);
}

fn calls(server: &FakeServer, wanted: usize) -> Result<(), String> {
    fresh_ids(server)?;
    let got = all(server, "tools/call").len();
    if got == wanted { Ok(()) } else { Err(format!("{got} calls instead of {wanted}")) }
}

#[test]
fn what_is_not_supplied_is_not_sent_in_part() {
    const SAMPLED: &[&str] = &["--protocol", "2026-07-28", "--answer", "sampling=4", "call", "--no-check", "t"];
    const WRONG: &[&str] = &["--protocol", "2026-07-28", "--answer", r#"{"nme":"Ada"}"#, "call", "--no-check", "t"];
    let row = |name, script, args, stderr| Row {
        name,
        over: BOTH,
        peer: Peer::Server(script),
        args,
        expect: Expect {
            category: "input-required",
            phase: "tools/call",
            exit: 10,
            stderr,
            hidden: &["S3CRETSTATE"],
            ..Expect::default()
        },
        seen: Some(|server| calls(server, 1)),
        ..Row::default()
    };
    check_rows(&[
        row(
            "mrtr: a form",
            asking(&[("who", FORM)], Some(STATE)),
            super::CALL,
            &["elicitation/create", "Name?", "--answer"],
        ),
        row(
            "mrtr: sampling",
            asking(&[("m", SAMPLING)], Some(STATE)),
            super::CALL,
            &["sampling/createMessage", "2+2?", "--answer sampling="],
        ),
        row("mrtr: roots", asking(&[("r", ROOTS)], Some(STATE)), super::CALL, &["roots/list", "--roots"]),
        row(
            "client/elicitation: a URL is shown and never opened",
            asking(&[("u", URL)], Some(STATE)),
            super::CALL,
            &["elicitation/create", "https://example.com/login"],
        ),
        row(
            "mrtr: one of two",
            asking(&[("m", SAMPLING), ("who", FORM)], Some(STATE)),
            SAMPLED,
            &["elicitation/create", "Name?"],
        ),
        row(
            "client/elicitation: an answer that does not fit",
            asking(&[("who", FORM)], Some(STATE)),
            WRONG,
            &["elicitation/create", "name"],
        ),
        row(
            "mrtr: a question that nobody knows",
            asking(&[("x", r#"{"method":"no/such","params":{}}"#)], Some(STATE)),
            super::CALL,
            &["no/such"],
        ),
    ]);
}

#[test]
fn results_that_ask_wrongly_are_invalid() {
    let invalid = |text: &'static str| Peer::Server(modern_ok(move |request, conn| conn.result(request, text)));
    let row = |name, text| Row {
        name,
        over: BOTH,
        peer: invalid(text),
        args: super::CALL,
        expect: Expect {
            category: "protocol",
            phase: "tools/call",
            reason: Some("result-shape"),
            exit: 7,
            ..Expect::default()
        },
        seen: Some(|server| calls(server, 1)),
        ..Row::default()
    };
    check_rows(&[
        row("mrtr §Server Requirements: neither key", r#"{"resultType":"input_required"}"#),
        row(
            "mrtr §Server Requirements: no question and no state",
            r#"{"resultType":"input_required","inputRequests":{}}"#,
        ),
        row(
            "mrtr §Server Requirements: a null state is none",
            r#"{"resultType":"input_required","requestState":null}"#,
        ),
        row(
            "mrtr §Server Requirements: a state is a string",
            r#"{"resultType":"input_required","requestState":{"a":1}}"#,
        ),
        row(
            "mrtr §Server Requirements: questions are an object",
            r#"{"resultType":"input_required","inputRequests":[{"method":"roots/list"}]}"#,
        ),
    ]);
}

#[test]
fn the_state_is_shown_nowhere() {
    let sandbox = Sandbox::new();
    for (over, flags) in [(Over::Http, "-vv"), (Over::Stdio, "-vv"), (Over::Http, "--json"), (Over::Stdio, "--json")] {
        let server = FakeServer::start(over, asking(&[("who", FORM)], Some(STATE)));
        let trace = sandbox.work().join(format!("{}{flags}.ndjson", over.name()));
        let trace_arg = trace.to_string_lossy().into_owned();
        let args = [&[flags, "--trace", &trace_arg], ANSWERS, requests()[0].0].concat();
        let run = sandbox.mcpcli(&server.args(&args)).run();
        run.assert_exit(0);
        assert_eq!(all(&server, "tools/call").len(), 2);
        let trace = std::fs::read_to_string(&trace).expect("the trace");
        assert!(trace.contains("requestState"), "the trace tells that there was one: {trace}");
        for text in [run.stdout_text(), run.stderr.clone(), trace] {
            assert!(!text.contains("S3CRETSTATE"), "{text}");
        }
    }
}

#[test]
fn capabilities_are_declared_as_far_as_they_can_be_answered() {
    let declared = Mutex::new(Vec::new());
    let declared: &'static Mutex<Vec<Value>> = Box::leak(Box::new(declared));
    let script = modern_ok(move |request, conn| {
        let meta = request.json()["params"]["_meta"].clone();
        declared.lock().unwrap().push(meta["io.modelcontextprotocol/clientCapabilities"].clone());
        conn.result(request, DONE);
    });
    let rows: [(&[&str], Value); 6] = [
        (&[], json!({})),
        (&["--answer", "accept"], json!({"elicitation": {"form": {}}})),
        (&["--answer", "sampling=x"], json!({"sampling": {}})),
        (&["--roots", "file:///r"], json!({"roots": {}})),
        (&["--client-capabilities", r#"{"x":{"y":1}}"#], json!({"x": {"y": 1}})),
        (&["--client-capabilities", "{}", "--answer", "accept"], json!({})),
    ];
    for (flags, wanted) in rows {
        let args = [&["--protocol", "2026-07-28"], flags, &["call", "--no-check", "t"]].concat();
        let (run, _server) = run_json(Over::Http, script.clone(), &args);
        run.assert_category("ok", None, 0);
        assert_eq!(declared.lock().unwrap().pop(), Some(wanted), "basic §_meta with {flags:?}");
    }
}
