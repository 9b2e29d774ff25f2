//! stdio with texts in place of the streams of a process.

use std::io::Cursor;

use serde_json::Value;

use super::*;
use crate::demo::testing::{call, initialize, request};

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
