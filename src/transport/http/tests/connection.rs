//! Sessions, headers, notifications, abandoning, and what is recorded.

use super::*;

#[tokio::test]
async fn a_session_is_kept_and_ended() {
    let fake = Fake::start(|_, request| match request.method.as_str() {
        "DELETE" => answer("405 Method Not Allowed", "", ""),
        _ => {
            let id = if request.header("mcp-session-id").is_some() { "other" } else { "session-A1" };
            answer("200 OK", &format!("Content-Type: application/json\r\nMcp-Session-Id: {id}\r\n"), OK)
        }
    })
    .await;
    let bench = bench(&fake).await;
    let transport = &bench.opened.transport;
    bench.ask().await;
    assert!(!transport.has_session(), "only initialize opens a session");
    transport.send(initialize()).await.unwrap();
    bench.outcome().await;
    assert!(transport.has_session());
    transport.set_protocol_version("2025-06-18");
    bench.ask().await;
    transport.close().await;
    assert!(!transport.has_session());
    let ids: Vec<_> = fake.requests().iter().map(|request| request.header("mcp-session-id")).collect();
    assert_eq!(ids, [None, None, Some("session-A1".to_owned()), Some("session-A1".to_owned())]);
    let last = &fake.requests()[3];
    assert_eq!((last.method.as_str(), last.header("mcp-protocol-version").as_deref()), ("DELETE", Some("2025-06-18")));
    assert!(!bench.trace().contains("session-A1"), "{}", bench.trace());
    assert!(fake.requests().iter().all(|request| request.connection == 0), "one connection serves all");
}

#[tokio::test]
async fn a_forgotten_or_impossible_session_is_not_sent() {
    let fake = Fake::start(|number, _| {
        let id = if number == 0 { "" } else { "a b" };
        answer("200 OK", &format!("Content-Type: application/json\r\nMcp-Session-Id: {id}\r\n"), OK)
    })
    .await;
    let bench = bench(&fake).await;
    for expected in [false, true] {
        bench.opened.transport.send(initialize()).await.unwrap();
        bench.outcome().await;
        assert_eq!(bench.opened.transport.has_session(), expected);
    }
    bench.opened.transport.forget_session();
    bench.opened.transport.close().await;
    assert_eq!(fake.lines(), ["POST /mcp", "POST /mcp"]);
}

#[tokio::test]
async fn a_silent_delete_costs_a_second_at_most() {
    let fake = Fake::start(|_, request| match request.method.as_str() {
        "DELETE" => vec![Do::Hold],
        _ => answer("200 OK", "Content-Type: application/json\r\nMcp-Session-Id: abc\r\n", OK),
    })
    .await;
    let bench = bench(&fake).await;
    bench.opened.transport.send(initialize()).await.unwrap();
    bench.outcome().await;
    let started = Instant::now();
    bench.opened.transport.close().await;
    assert!(started.elapsed() < Duration::from_millis(1300));
}

#[tokio::test]
async fn every_2xx_acknowledges_a_notification() {
    for steps in [
        answer("202 Accepted", "", ""),
        answer("204 No Content", "", ""),
        answer("200 OK", "", ""),
        json("200 OK", "null"),
        answer("202 Accepted", "Content-Type: text/plain\r\n", "Accepted"),
        vec![events_head(), Do::Hold],
    ] {
        let fake = Fake::start(move |_, _| steps.clone()).await;
        bench(&fake).await.opened.transport.send(notification()).await.unwrap();
    }
    let fake =
        Fake::start(|_, _| json("400 Bad Request", r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}"#)).await;
    let error = bench(&fake).await.opened.transport.send(notification()).await.unwrap_err();
    assert!(matches!(&error, TransportError::Http(fault) if fault.body.contains("-1")), "{error:?}");
}

#[tokio::test]
async fn the_users_headers_add_and_override_with_a_warning() {
    let fake = Fake::start(|_, _| json("200 OK", OK)).await;
    let bench = bench_with(fake.url("/"), &[("ACCEPT", "application/json"), ("X-A", "b")], settings()).await;
    bench.ask().await;
    let sent = &fake.requests()[0];
    assert_eq!(sent.header("accept").unwrap(), "application/json");
    assert_eq!(sent.header("x-a").unwrap(), "b");
    assert_eq!(bench.warnings(), [WarningId::HeaderOverride]);
}

#[tokio::test]
async fn mirrored_headers_are_sent() {
    let fake = Fake::start(|_, _| json("200 OK", OK)).await;
    let bench = bench(&fake).await;
    let message = Outgoing {
        headers: vec![("Mcp-Name".into(), "a  b".into()), ("Mcp-Param-X".into(), String::new())],
        ..request(1)
    };
    bench.opened.transport.send(message).await.unwrap();
    bench.outcome().await;
    let sent = &fake.requests()[0];
    assert_eq!((sent.header("mcp-name").unwrap(), sent.header("mcp-param-x").unwrap()), ("a  b".into(), String::new()));
}

#[tokio::test]
async fn an_abandoned_exchange_closes_its_connection() {
    let fake =
        Fake::start(|number, _| if number == 0 { vec![events_head(), Do::Hold] } else { json("200 OK", OK) }).await;
    let bench = bench(&fake).await;
    bench.opened.transport.send(Outgoing { key: Some(7), ..request(7) }).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    bench.opened.transport.abandon(7);
    assert_eq!(bench.ask().await.text(), OK);
    assert_eq!(fake.requests()[1].connection, 1);
}

#[tokio::test]
async fn nothing_listening_names_every_address() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    for host in ["127.0.0.1", "localhost"] {
        let url = url::Url::parse(&format!("http://{host}:{port}/mcp?token=hidden-value")).unwrap();
        let outcome = bench_with(url, &[], settings()).await.ask().await;
        let Some(TransportError::Connect { target, tried, causes }) = outcome.error else { panic!("{outcome:?}") };
        assert_eq!(target, format!("{host}:{port}"));
        let is_refused = |one: &AddressFailure| one.address.port() == port && one.error.contains("os error");
        assert!(!tried.is_empty() && tried.iter().all(is_refused), "{tried:?}");
        assert!(causes.last().unwrap().contains("os error"), "{causes:?}");
        assert!(!format!("{causes:?}").contains("hidden-value"));
    }
}

#[tokio::test]
async fn exchanges_are_recorded() {
    let fake = Fake::start(|_, _| json("200 OK", OK)).await;
    let bench = bench_with(fake.url("/mcp?key=hidden-value"), &[], settings()).await;
    bench.ask().await;
    let records = bench.records.lock().unwrap();
    let exchange = records.iter().find_map(|entry| match &entry.record {
        Record::Exchange { url, status, version, .. } => Some((url.clone(), *status, version.clone())),
        _ => None,
    });
    let (url, status, version) = exchange.unwrap();
    assert!(url.ends_with("/mcp?key=***"), "{url}");
    assert_eq!((status, version.as_str()), (Some(200), "HTTP/1.1"));
    let frames = records.iter().filter(|entry| matches!(entry.record, Record::Frame { channel: "POST", .. })).count();
    assert_eq!(frames, 2);
}
