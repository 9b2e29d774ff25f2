//! stdio with texts in place of the streams of a process.

use std::io::Cursor;

use serde_json::{Value, json};

use super::*;
use crate::demo::testing::{call, initialize, modern, request};

/// Serves `input`, and gives exit status, stdout and stderr.
async fn serve_text(faults: &[Fault], input: &str) -> (u8, String, String) {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let input = input.to_owned();
    let status =
        serve(faults, Eras::Both, || Cursor::new(input.into_bytes()), &mut output, &mut errors).await.expect("served");
    (status, String::from_utf8(output).expect("UTF-8"), String::from_utf8(errors).expect("UTF-8"))
}

fn conversation() -> String {
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let echo = call(1, "echo", r#"{"message":"hi\nthere"}"#);
    format!("{}\n{initialized}\r\n\n{echo}\n{}", initialize("2025-11-25"), request(2, "ping", "{}"))
}

fn lines(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[tokio::test]
async fn every_request_read_before_the_end_is_answered() {
    let (status, output, errors) = serve_text(&[], &conversation()).await;
    let answers = lines(&output);
    assert_eq!(answers.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(answers[1]["result"]["content"][0]["text"], "hi\nthere");
    assert_eq!((status, errors.as_str()), (0, ""));
}

#[tokio::test]
async fn bad_lines_are_answered_and_survived() {
    let batch = format!("[{}]", request(3, "ping", "{}"));
    let (_, output, _) = serve_text(&[], &format!("nonsense\n{batch}\n{}\n", request(4, "ping", "{}"))).await;
    let codes: Vec<_> = lines(&output).iter().map(|answer| answer["error"]["code"].clone()).collect();
    assert_eq!(codes, [Value::from(-32700), Value::from(-32600), Value::Null]);
    let old = format!("{}\n{batch}\n", initialize("2025-03-26"));
    let (_, output, _) = serve_text(&[], &old).await;
    assert_eq!(lines(&output)[1]["id"], 3);
}

#[tokio::test]
async fn the_end_of_input_does_not_wait_for_long_calls() {
    let slow = call(1, "slow", r#"{"seconds":60}"#);
    let start = Instant::now();
    let (status, output, _) = serve_text(&[], &format!("{}\n{slow}\n", initialize("2025-11-25"))).await;
    assert_eq!((status, lines(&output).len()), (0, 1));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[tokio::test]
async fn exit_early_answers_nothing() {
    let (status, output, errors) = serve_text(&[Fault::ExitEarly], &conversation()).await;
    assert_eq!((status, output.as_str()), (3, ""));
    assert!(errors.ends_with("KeyError: API_KEY\n"), "{errors}");
}

#[tokio::test]
async fn noise_stands_between_the_messages() {
    let (status, output, _) = serve_text(&[Fault::StdoutNoise], &conversation()).await;
    assert_eq!(status, 0);
    assert!(output.starts_with("mcpcli demo server, ready to serve\n\n{\"level\""), "{output}");
    let messages: Vec<_> = output.lines().filter(|line| line.contains("\"jsonrpc\"")).collect();
    assert_eq!(lines(&messages.join("\n")).len(), 3);
    assert_eq!(output.lines().filter(|line| line.starts_with("{\"level\":\"debug\"")).count(), 3);
}

#[tokio::test]
async fn a_cut_ends_the_process_without_the_answer() {
    let (status, output, errors) = serve_text(&[Fault::CutStream], &conversation()).await;
    let seen = lines(&output);
    assert_eq!(seen.iter().filter(|message| message["method"] == "notifications/message").count(), 1, "{output}");
    assert!(seen.iter().all(|message| message["id"] != 1), "{output}");
    assert_eq!(status, 1);
    assert!(errors.contains("in the middle of tools/call"), "{errors}");
}

#[tokio::test]
async fn faults_of_the_answer_are_lines() {
    for (fault, text) in [
        (Fault::NotJson, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[}}"#),
        (Fault::WrongId, r#"{"jsonrpc":"2.0","id":999,"result""#),
        (Fault::RpcError, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603"#),
    ] {
        let (_, output, _) = serve_text(&[fault], &conversation()).await;
        assert!(output.lines().any(|line| line.starts_with(text)), "{fault:?}: {output}");
    }
    let (_, output, _) = serve_text(&[Fault::Hang], &conversation()).await;
    assert!(lines(&output).iter().all(|message| message["id"] != 1), "{output}");
}

#[tokio::test]
async fn faults_of_http_are_refused() {
    let refused = serve(&[Fault::Http500], Eras::Both, || Cursor::new(Vec::new()), Vec::new(), Vec::new()).await;
    assert_eq!(refused.expect_err("refused").kind(), io::ErrorKind::InvalidInput);
}

/// A conversation of 2026-07-28: each request with its id.
fn requests(requests: &[(&str, &str, Value, Value)]) -> String {
    let line = |(id, method, params, capabilities): &(&str, &str, Value, Value)| {
        modern(id, method, params.clone(), capabilities.clone(), json!({}))
    };
    requests.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn echo(id: &'static str) -> (&'static str, &'static str, Value, Value) {
    (id, "tools/call", json!({"name": "echo", "arguments": {"message": "hi"}}), json!({}))
}

#[tokio::test]
async fn both_eras_share_one_pair_of_streams() {
    let input = requests(&[
        ("10", "server/discover", json!({}), json!({})),
        echo("\"a\""),
        ("11", "ping", json!({}), json!({})),
    ]);
    let (status, output, _) = serve_text(&[], &format!("{input}{}", conversation())).await;
    let answers = lines(&output);
    let find =
        |id: Value| answers.iter().find(|answer| answer["id"] == id).unwrap_or_else(|| panic!("{id} in {output}"));
    assert_eq!((status, answers.len()), (0, 6));
    assert_eq!(find(json!(10))["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(find(json!("a"))["result"]["resultType"], "complete");
    assert_eq!(find(json!(11))["error"]["code"], -32601);
    assert_eq!(find(json!(1))["result"].get("resultType"), None);
    assert_eq!(find(json!(2))["result"], json!({}));
}

#[tokio::test]
async fn one_era_refuses_the_other() {
    let discover = requests(&[("10", "server/discover", json!({}), json!({}))]);
    let initialize = initialize("2025-11-25");
    let bare = request(2, "tools/list", "{}");
    for (protocol, faults, input, code) in [
        (Eras::Legacy, &[][..], &discover, json!(-32601)),
        (Eras::Both, &[Fault::LegacyOnly], &discover, json!(-32601)),
        (Eras::Legacy, &[], &initialize, Value::Null),
        (Eras::Modern, &[], &discover, Value::Null),
        (Eras::Modern, &[], &initialize, json!(-32022)),
        (Eras::Both, &[Fault::ModernOnly], &initialize, json!(-32022)),
        (Eras::Modern, &[], &bare, json!(-32602)),
        (Eras::Both, &[Fault::UnsupportedVersion], &discover, json!(-32022)),
        (Eras::Both, &[Fault::UnsupportedVersion], &initialize, json!(-32022)),
        (Eras::Both, &[], &requests(&[("1", "ping", json!({}), json!({}))]), json!(-32601)),
    ] {
        let mut output = Vec::new();
        let bytes = input.clone().into_bytes();
        serve(faults, protocol, || Cursor::new(bytes), &mut output, Vec::new()).await.expect("served");
        let answers = lines(std::str::from_utf8(&output).expect("UTF-8"));
        assert_eq!((answers.len(), &answers[0]["error"]["code"]), (1, &code), "{protocol:?} {faults:?} {input}");
    }
}

#[tokio::test]
async fn a_silent_probe_is_followed_by_initialize() {
    let discover = requests(&[("10", "server/discover", json!({}), json!({}))]);
    let (_, output, _) = serve_text(&[Fault::SilentProbe], &format!("{discover}{}", conversation())).await;
    assert_eq!(lines(&output).iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [0, 1, 2]);
}

#[tokio::test]
async fn subscriptions_end_when_they_are_cancelled_or_stdin_ends() {
    let listen = |id: &'static str| {
        (id, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}), json!({}))
    };
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L1"}}"#;
    let input = format!("{}{cancel}\n", requests(&[listen("\"L1\""), listen("2"), listen("2")]));
    let (status, output, _) = serve_text(&[], &input).await;
    let ends: Vec<_> = lines(&output).into_iter().filter(|message| message["method"].is_null()).collect();
    assert_eq!((status, ends.len()), (0, 3), "{output}");
    let refused = ends.iter().find(|end| end["error"]["code"] == -32600).expect("the id is in use");
    assert_eq!(refused["id"], 2);
    for id in [json!("L1"), json!(2)] {
        let end = ends.iter().find(|end| end["id"] == id && end["error"].is_null()).expect("an end");
        assert_eq!(end["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    }
}

#[tokio::test]
async fn news_reach_only_those_who_asked() {
    let call = ("1", "tools/call", json!({"name": "change_tools"}), json!({}));
    let (_, output, _) = serve_text(&[], &requests(&[call])).await;
    assert_eq!(lines(&output).len(), 1, "nobody subscribed, and nobody shook hands: {output}");
}

#[tokio::test]
async fn cancelled_requests_get_no_answer() {
    let slow = ("1", "tools/call", json!({"name": "slow", "arguments": {"seconds": 60}}), json!({}));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let (_, output, _) = serve_text(&[], &format!("{}{cancel}\n{}", requests(&[slow]), requests(&[echo("2")]))).await;
    assert_eq!(lines(&output).iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn faults_of_the_answer_are_lines_in_both_eras() {
    for (fault, text) in [
        (Fault::NotJson, r#"{"jsonrpc":"2.0","id":1,"result":{"content":[}}"#),
        (Fault::WrongId, r#"{"jsonrpc":"2.0","id":999,"result""#),
        (Fault::RpcError, r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603"#),
        (
            Fault::UnknownResultType,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}],"resultType":"surprise""#,
        ),
        (
            Fault::MissingResultType,
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}],"_meta""#,
        ),
    ] {
        let (_, output, _) = serve_text(&[fault], &requests(&[echo("1")])).await;
        assert!(output.lines().any(|line| line.starts_with(text)), "{fault:?}: {output}");
    }
    let (status, output, _) = serve_text(&[Fault::CutStream], &requests(&[echo("1")])).await;
    assert_eq!((status, output.as_str()), (1, ""), "nobody asked for a notification");
}

#[tokio::test]
async fn tasks_work_over_stdio() {
    let known = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let job = ("1", "tools/call", json!({"name": "job", "arguments": {"steps": 0}}), known.clone());
    let (_, output, _) = serve_text(&[], &requests(&[job, ("2", "tasks/get", json!({"taskId": "x"}), known)])).await;
    let mut answers = lines(&output);
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!((&answers[0]["result"]["resultType"], &answers[1]["error"]["code"]), (&json!("task"), &json!(-32602)));
}
