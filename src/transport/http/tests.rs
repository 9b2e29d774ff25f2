//! Streamable HTTP against servers that write exact bytes.

use std::time::{Duration, Instant};

use super::super::fake::{Do, Fake, Request, answer, chunk, chunked_head, events_head, json, text};
use super::super::{AddressFailure, Event, HttpFault, Origin, StreamEnd};
use super::*;
use crate::outcome::{Ledger, WarningId};
use crate::secret::Secret;
use crate::trace::{Entry, Record, Tracer};

const OK: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"text":"好🙂"}}"#;

struct Bench {
    opened: Opened,
    ledger: Ledger,
    records: Arc<Mutex<Vec<Entry>>>,
}

fn settings() -> NetSettings {
    NetSettings {
        connect_timeout: Some(Duration::from_secs(5)),
        cacert: None,
        cert: None,
        key: None,
        insecure: false,
        proxy: None,
        max_message_size: 16 * 1024 * 1024,
    }
}

async fn bench_with(url: url::Url, headers: &[(&str, &str)], settings: NetSettings) -> Bench {
    let records = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&records);
    let mut tracer = Tracer::new();
    tracer.subscribe(move |entry| log.lock().unwrap().push(entry.clone()));
    let ledger = Ledger::default();
    let context = Context { tracer: Arc::new(tracer), ledger: ledger.clone(), timeout: Some(Duration::from_secs(5)) };
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
    let endpoint = HttpEndpoint { url, headers, message_url: None };
    let opened = open(endpoint, &settings, context).await.unwrap();
    Bench { opened, ledger, records }
}

async fn bench(fake: &Fake) -> Bench {
    bench_with(fake.url("/mcp"), &[], settings()).await
}

fn request(key: u64) -> Outgoing {
    Outgoing {
        text: format!(r#"{{"jsonrpc":"2.0","id":{key},"method":"tools/list"}}"#),
        method: "tools/list".to_owned(),
        key: Some(key),
        headers: Vec::new(),
        opens_session: false,
    }
}

fn initialize() -> Outgoing {
    Outgoing { method: "initialize".to_owned(), opens_session: true, ..request(1) }
}

fn notification() -> Outgoing {
    Outgoing { key: None, method: "notifications/initialized".to_owned(), ..request(0) }
}

/// What came of one request.
#[derive(Debug)]
struct Outcome {
    messages: Vec<(String, Option<u16>)>,
    error: Option<TransportError>,
    keep_alives: usize,
}

impl Outcome {
    fn text(&self) -> &str {
        assert!(self.error.is_none(), "{self:?}");
        assert_eq!(self.messages.len(), 1, "{self:?}");
        &self.messages[0].0
    }

    fn fault(&self) -> &HttpFault {
        assert!(self.messages.is_empty(), "{self:?}");
        match &self.error {
            Some(TransportError::Http(fault) | TransportError::Auth(fault)) => fault,
            other => panic!("{other:?}"),
        }
    }
}

impl Bench {
    async fn outcome(&self) -> Outcome {
        let mut outcome = Outcome { messages: Vec::new(), error: None, keep_alives: 0 };
        loop {
            let event = tokio::time::timeout(Duration::from_secs(10), self.opened.inbox.recv()).await.unwrap();
            match event.unwrap() {
                Event::Message { bytes, origin, http_status } => {
                    assert_eq!(origin, Origin::Exchange(1));
                    outcome.messages.push((String::from_utf8(bytes).unwrap(), http_status));
                }
                Event::ExchangeOver { key, error } => {
                    assert_eq!(key, 1);
                    outcome.error = error;
                    return outcome;
                }
                Event::KeepAlive => outcome.keep_alives += 1,
                Event::Stderr(_) => panic!("no child here"),
            }
        }
    }

    async fn ask(&self) -> Outcome {
        self.opened.transport.send(request(1)).await.unwrap();
        self.outcome().await
    }

    fn warnings(&self) -> Vec<WarningId> {
        self.ledger.snapshot().warnings.iter().map(|warning| warning.id).collect()
    }

    fn trace(&self) -> String {
        format!("{:?}", self.records.lock().unwrap())
    }
}

/// Asks a server that answers everything with `steps`.
async fn ask(steps: Vec<Do>) -> (Bench, Outcome) {
    let fake = Fake::start(move |_, _| steps.clone()).await;
    let bench = bench(&fake).await;
    let outcome = bench.ask().await;
    (bench, outcome)
}

fn event(data: &str) -> String {
    format!("data: {data}\n\n")
}

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
    assert!((Duration::from_millis(295)..Duration::from_millis(700)).contains(&waited), "{waited:?}");
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
    assert!(causes[0].contains("no new event"), "{causes:?}");
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
        let id = if number == 0 { "a b" } else { "fine" };
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
