//! Answers that are whole bodies: messages, refusals, and what is neither.

use super::*;

#[tokio::test]
async fn a_json_answer_is_one_message() {
    let fake = Fake::start(|_, _| json("200 OK", OK)).await;
    let bench = bench_with(fake.url("/mcp"), &[("X-Api-Key", "s3cret-value")], settings()).await;
    let outcome = bench.ask().await;
    assert_eq!(outcome.text(), OK);
    assert_eq!(outcome.messages[0].1, Some(200));
    let sent = &fake.requests()[0];
    assert_eq!(sent.header("accept").unwrap(), "application/json, text/event-stream");
    assert_eq!(sent.header("content-type").unwrap(), "application/json");
    assert_eq!(sent.header("x-api-key").unwrap(), "s3cret-value");
    assert_eq!(sent.header("host").unwrap(), format!("127.0.0.1:{}", fake.port));
    assert!(sent.header("user-agent").unwrap().starts_with("mcpcli/"));
    assert_eq!(sent.header("accept-encoding"), None);
    assert_eq!(sent.header("mcp-protocol-version"), None);
    assert_eq!(sent.body, request(1).text);
    assert!(bench.warnings().is_empty());
    assert!(!bench.trace().contains("s3cret-value"), "{}", bench.trace());
}

#[tokio::test]
async fn media_types_are_compared_without_case_and_parameters() {
    for headers in ["Content-Type: Application/JSON; charset=utf-8\r\n", "content-type:application/json\r\n"] {
        let (bench, outcome) = ask(answer("200 OK", headers, OK)).await;
        assert_eq!(outcome.text(), OK);
        assert!(bench.warnings().is_empty());
    }
    let head = "Content-Type: Text/Event-Stream;charset=UTF-8\r\n";
    assert_eq!(ask(answer("200 OK", head, &event(OK))).await.1.text(), OK);
}

#[tokio::test]
async fn a_cut_body_is_no_answer() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n";
    let (_, outcome) = ask(vec![text(head), text("{\"jsonrpc\":"), Do::Close]).await;
    let Some(TransportError::Stream { end, unfinished, .. }) = outcome.error else { panic!("{outcome:?}") };
    assert_eq!(end, StreamEnd::Incomplete { received: 11, announced: Some(500) });
    assert_eq!(unfinished.as_deref(), Some("{\"jsonrpc\":"));
    let (_, outcome) = ask(vec![Do::Close]).await;
    assert!(matches!(outcome.error, Some(TransportError::Stream { end: StreamEnd::Clean, .. })), "{outcome:?}");
    let (_, outcome) = ask(vec![text("SSH-2.0-OpenSSH_9.2\r\n"), Do::Close]).await;
    assert!(matches!(outcome.error, Some(TransportError::Stream { end: StreamEnd::NotHttp, .. })), "{outcome:?}");
}

#[tokio::test]
async fn the_body_beats_the_status() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad x"}}"#;
    for status in ["400 Bad Request", "500 Oops", "404 Not Found", "403 Forbidden"] {
        let (_, outcome) = ask(json(status, error)).await;
        assert_eq!(outcome.text(), error);
        assert_eq!(outcome.messages[0].1, Some(status[..3].parse().unwrap()));
    }
    let (_, outcome) = ask(answer("400 Bad Request", "", error)).await;
    assert_eq!(outcome.text(), error);
    let (_, outcome) = ask(answer("400 B", "Content-Type: text/event-stream\r\n", &event(error))).await;
    assert_eq!(outcome.text(), error);
}

#[tokio::test]
async fn refusals_keep_their_evidence() {
    let page = "<html><head><title>502 Bad Gateway</title></head></html>";
    let (_, outcome) = ask(answer("502 Bad Gateway", "Content-Type: text/html\r\nServer: nginx\r\n", page)).await;
    let fault = outcome.fault();
    assert_eq!((fault.status, fault.headline.as_deref()), (502, Some("502 Bad Gateway")));
    assert_eq!(fault.headers, [("server".to_owned(), "nginx".to_owned())]);
    let (_, outcome) = ask(answer("503 Slow", "Retry-After: 7\r\n", "")).await;
    let fault = outcome.fault();
    assert_eq!((fault.reason_phrase.as_str(), fault.body_bytes), ("Slow", 0));
    assert_eq!(fault.headers, [("retry-after".to_owned(), "7".to_owned())]);
    let (_, outcome) = ask(json("429 Too Many Requests", r#"{"detail":"slow down"}"#)).await;
    assert_eq!(outcome.fault().body, r#"{"detail":"slow down"}"#);
    let (_, outcome) = ask(json("500 X", r#"{"error":{"code":500,"message":"google"}}"#)).await;
    assert_eq!(outcome.fault().status, 500);
    // A refusal whose body never ends is still told.
    let held = vec![text("HTTP/1.1 500 X\r\nContent-Length: 99\r\n\r\nboom"), Do::Hold];
    let (_, outcome) = ask(held).await;
    assert_eq!(outcome.fault().body, "boom");
}

#[tokio::test]
async fn authorization_is_told_apart() {
    let challenge = "WWW-Authenticate: Bearer error=\"invalid_token\"\r\nWWW-Authenticate: Basic\r\n";
    let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no"}}"#;
    let (_, outcome) = ask(answer("401 Unauthorized", challenge, body)).await;
    assert!(matches!(outcome.error, Some(TransportError::Auth(_))), "{outcome:?}");
    assert_eq!(outcome.fault().challenges, ["Bearer error=\"invalid_token\"", "Basic"]);
    assert!(!outcome.fault().credential_sent);
    let (_, outcome) = ask(answer("403 Forbidden", challenge, "")).await;
    assert!(matches!(outcome.error, Some(TransportError::Auth(_))), "{outcome:?}");
    let (_, outcome) = ask(answer("403 Forbidden", "", "host not allowed")).await;
    assert!(matches!(outcome.error, Some(TransportError::Http(_))), "{outcome:?}");
    let fake = Fake::start(|_, _| answer("401 Unauthorized", "", "")).await;
    let bench = bench_with(fake.url("/"), &[("Authorization", "Bearer abcdefgh")], settings()).await;
    assert!(bench.ask().await.fault().credential_sent);
}

#[tokio::test]
async fn other_media_types_are_sniffed() {
    let (bench, outcome) = ask(answer("200 OK", "Content-Type: text/plain\r\n", OK)).await;
    assert_eq!(outcome.text(), OK);
    assert_eq!(bench.warnings(), [WarningId::ContentType]);
    let html = "<!doctype html><title>Welcome</title>";
    let (_, outcome) = ask(answer("200 OK", "Content-Type: text/html\r\n", html)).await;
    assert_eq!(outcome.fault().problem.as_deref(), Some("media type text/html"));
    assert_eq!(outcome.fault().headline.as_deref(), Some("Welcome"));
    let problem = async |steps| ask(steps).await.1.fault().problem.clone().unwrap();
    assert_eq!(problem(json("200 OK", "")).await, "empty body");
    assert_eq!(problem(answer("200 OK", "", "x")).await, "no media type");
    assert_eq!(problem(answer("202 Accepted", "", "")).await, "Accepted without an answer");
    let gzip = answer("200 OK", "Content-Type: application/json\r\nContent-Encoding: zstd\r\n", "xyz");
    assert!(problem(gzip).await.contains("zstd"));
    // Half a JSON text in a whole body is for the client to judge.
    assert_eq!(ask(json("200 OK", "{\"jsonrpc\"")).await.1.text(), "{\"jsonrpc\"");
}
