//! Event streams: framing, ends, resuming, the standing stream.

use super::*;

#[tokio::test]
async fn chunk_borders_are_invisible() {
    let whole = format!("event: message\r\nid: 1\r\ndata: {OK}\r\n\r\n");
    for size in [1, 2, 3, 7] {
        let mut steps = vec![chunked_head()];
        for piece in whole.as_bytes().chunks(size) {
            steps.extend([chunk(piece), Do::Wait(if size == 1 { 0 } else { 1 })]);
        }
        steps.push(text("0\r\n\r\n"));
        let (_, outcome) = ask(steps).await;
        assert_eq!(outcome.text(), OK);
    }
    let mut steps =
        vec![text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")];
    steps.extend(OK.as_bytes().chunks(1).map(chunk));
    steps.push(text("0\r\n\r\n"));
    assert_eq!(ask(steps).await.1.text(), OK);
}

#[tokio::test]
async fn comments_and_events_without_data_are_no_messages() {
    let body = format!(": ping\n\nid: 7\ndata: \n\ndata:\n\nretry: 500\n\nevent: other\ndata: x\n\n{}", event(OK));
    let (bench, outcome) = ask(vec![events_head(), text(&body), Do::Close]).await;
    assert_eq!(outcome.text(), OK);
    assert_eq!(outcome.keep_alives, 1);
    assert!(bench.trace().contains("other"), "{}", bench.trace());
}

#[tokio::test]
async fn an_answered_stream_that_stays_open_is_left() {
    let (_, outcome) = ask(vec![events_head(), text(&event(OK)), Do::Hold]).await;
    assert_eq!(outcome.text(), OK);
}

#[tokio::test]
async fn an_unterminated_event_at_the_end_is_used_with_a_warning() {
    let (bench, outcome) = ask(vec![events_head(), text(&format!("data: {OK}\n")), Do::Close]).await;
    assert_eq!(outcome.text(), OK);
    assert_eq!(bench.warnings(), [WarningId::UnterminatedEvent]);
}

#[tokio::test]
async fn what_came_is_known_while_the_request_waits() {
    let steps = vec![events_head(), text(": a\n\n: b\n\ndata: {\"half"), Do::Hold];
    let fake = Fake::start(move |_, _| steps.clone()).await;
    let bench = bench(&fake).await;
    bench.opened.transport.send(request(1)).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(bench.opened.inbox.recv().await, Ok(Event::KeepAlive)));
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    let seen = bench.opened.transport.seen(1).unwrap();
    assert_eq!((seen.status, seen.keep_alives, seen.messages), (Some(200), 2, 0));
    assert!(seen.words().contains("{\"half"), "{}", seen.words());
    bench.opened.transport.abandon(1);
    assert_eq!(bench.opened.transport.seen(1), None);
}

#[tokio::test]
async fn a_stream_that_ends_before_the_answer_says_how() {
    let progress = event(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#);
    let fail = |outcome: Outcome| {
        assert_eq!(outcome.messages.len(), 1, "{outcome:?}");
        match outcome.error {
            Some(TransportError::Stream { end, messages: 1, unfinished, .. }) => (end, unfinished),
            other => panic!("{other:?}"),
        }
    };
    let (end, _) = fail(ask(vec![events_head(), text(&progress), Do::Close]).await.1);
    assert_eq!(end, StreamEnd::Clean);
    let cut = format!("{progress}data: {{\"jsonrpc\"");
    let (end, unfinished) = fail(ask(vec![events_head(), text(&cut), Do::Wait(50), Do::Reset]).await.1);
    assert!(matches!(&end, StreamEnd::Reset(words) if words.contains("reset")), "{end:?}");
    assert!(unfinished.unwrap().contains("{\"jsonrpc\""));
    let (end, _) = fail(ask(vec![chunked_head(), chunk(progress.as_bytes()), Do::Close]).await.1);
    assert!(matches!(end, StreamEnd::Incomplete { announced: None, .. }), "{end:?}");
}

#[tokio::test]
async fn too_large_is_told_with_the_limit() {
    let small = NetSettings { max_message_size: 1000, ..settings() };
    for steps in
        [json("200 OK", &"x".repeat(1001)), vec![events_head(), text("data: "), text(&"x".repeat(1001)), Do::Hold]]
    {
        let fake = Fake::start(move |_, _| steps.clone()).await;
        let outcome = bench_with(fake.url("/"), &[], small.clone()).await.ask().await;
        assert!(matches!(outcome.error, Some(TransportError::TooLarge { limit: 1000, .. })), "{outcome:?}");
    }
    let big = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#, "y".repeat(3 * 1024 * 1024));
    assert_eq!(ask(vec![events_head(), text(&event(&big)), Do::Close]).await.1.text(), big);
}

fn resuming(retry: &'static str) -> impl Fn(usize, &Request) -> Vec<Do> {
    move |_, request| match (request.method.as_str(), request.header("last-event-id").as_deref()) {
        ("POST", _) => vec![events_head(), text(&format!("id: s1\nretry: {retry}\ndata:\n\n")), Do::Close],
        ("GET", Some("s1")) => vec![events_head(), text(&event(OK)), Do::Close],
        _ => answer("400 Bad Request", "", ""),
    }
}

#[tokio::test]
async fn a_stream_is_resumed_after_its_last_event() {
    let fake = Fake::start(resuming("300")).await;
    let bench = bench(&fake).await;
    bench.opened.transport.set_protocol_version("2025-11-25");
    assert_eq!(bench.ask().await.text(), OK);
    let requests = fake.requests();
    assert_eq!(fake.lines(), ["POST /mcp", "GET /mcp"]);
    let waited = requests[1].at - requests[0].at;
    assert!((Duration::from_millis(295)..Duration::from_secs(5)).contains(&waited), "{waited:?}");
    assert_eq!(requests[1].header("accept").unwrap(), "text/event-stream");
    assert_eq!(requests[1].header("mcp-protocol-version").unwrap(), "2025-11-25");
}

#[tokio::test]
async fn reconnects_are_bounded() {
    let fake = Fake::start(|_, _| vec![events_head(), text("id: s1\nretry: 0\ndata:\n\n"), Do::Close]).await;
    let bench = bench(&fake).await;
    let started = Instant::now();
    let outcome = bench.ask().await;
    let Some(TransportError::Stream { reconnects, causes, .. }) = outcome.error else { panic!("{outcome:?}") };
    assert_eq!(reconnects, 5);
    assert!(causes[0].contains("no message"), "{causes:?}");
    assert!(started.elapsed() >= Duration::from_millis(500));
    assert_eq!(fake.requests().len(), 6);
}

#[tokio::test]
async fn a_refused_reconnect_ends_it() {
    let fake = Fake::start(|_, request| match request.method.as_str() {
        "POST" => vec![events_head(), text("id: s1\nretry: 1\ndata:\n\n"), Do::Close],
        _ => answer("405 Method Not Allowed", "", ""),
    })
    .await;
    let outcome = bench(&fake).await.ask().await;
    let Some(TransportError::Stream { reconnects: 1, causes, .. }) = outcome.error else { panic!("{outcome:?}") };
    assert!(causes[0].contains("405"), "{causes:?}");
}

#[tokio::test]
async fn the_standing_stream_brings_shared_messages() {
    let asked = r#"{"jsonrpc":"2.0","id":0,"method":"roots/list"}"#;
    let fake = Fake::start(move |number, _| match number {
        0 => vec![events_head(), text(&format!("id: 4\nretry: 1\ndata: {asked}\n\n")), Do::Close],
        _ => vec![events_head(), text(&event(asked)), Do::Hold],
    })
    .await;
    let bench = bench(&fake).await;
    assert!(matches!(bench.opened.transport.listen().await, Listening::Open));
    for _ in 0..2 {
        match bench.opened.inbox.recv().await.unwrap() {
            Event::Message { bytes, origin: Origin::Shared, http_status: None } => assert_eq!(bytes, asked.as_bytes()),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fake.requests()[1].header("last-event-id").as_deref(), Some("4"));
    bench.opened.transport.close().await;
}

#[tokio::test]
async fn a_refused_standing_stream_is_a_status() {
    for (status, expected) in [("405 Method Not Allowed", 405), ("401 Unauthorized", 401), ("200 OK", 200)] {
        let fake = Fake::start(move |_, _| answer(status, "", "")).await;
        let listening = bench(&fake).await.opened.transport.listen().await;
        assert!(matches!(listening, Listening::Refused(status) if status == expected), "{listening:?}");
    }
}
