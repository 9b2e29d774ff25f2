//! HTTP+SSE against servers that write exact bytes.

use super::super::StreamEnd;
use super::super::fake::{Do, Fake, Request, answer, events_head, json, text};
use super::*;
use crate::outcome::{Ledger, WarningId};
use crate::secret::Secret;
use crate::trace::{Entry, Tracer};

const OK: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

struct Bench {
    ledger: Ledger,
    records: Arc<Mutex<Vec<Entry>>>,
    result: Result<Opened, TransportError>,
}

async fn open_at(url: url::Url, message_url: Option<url::Url>, timeout: u64) -> Bench {
    let records = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&records);
    let mut tracer = Tracer::new();
    tracer.subscribe(move |entry| log.lock().unwrap().push(entry.clone()));
    let ledger = Ledger::default();
    let context =
        Context { tracer: Arc::new(tracer), ledger: ledger.clone(), timeout: Some(Duration::from_millis(timeout)) };
    let settings = NetSettings {
        connect_timeout: Some(Duration::from_secs(2)),
        cacert: None,
        cert: None,
        key: None,
        insecure: false,
        proxy: None,
        max_message_size: 1 << 20,
    };
    let headers = vec![("X-Api-Key".to_owned(), Secret::new("s3cret-value"))];
    let result = open(HttpEndpoint { url, headers, message_url }, &settings, context).await;
    Bench { ledger, records, result }
}

async fn bench(fake: &Fake) -> Bench {
    open_at(fake.url("/sse"), None, 5000).await
}

impl Bench {
    fn error(self) -> TransportError {
        self.result.err().expect("an error")
    }

    fn opened(&self) -> &Opened {
        self.result.as_ref().map_err(|error| format!("{error:?}")).unwrap()
    }

    async fn next(&self) -> Event {
        let received = tokio::time::timeout(Duration::from_secs(5), self.opened().inbox.recv()).await.unwrap();
        received.unwrap()
    }
}

/// A server whose stream says `stream`, and which answers every POST with `posted`.
async fn server(stream: Vec<Do>, posted: Vec<Do>) -> Fake {
    Fake::start(
        move |_, request| {
            if request.method == "GET" { [vec![events_head()], stream.clone()].concat() } else { posted.clone() }
        },
    )
    .await
}

fn request() -> Outgoing {
    Outgoing {
        text: r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned(),
        method: "initialize".to_owned(),
        key: Some(1),
        headers: vec![("Mcp-Name".to_owned(), "x".to_owned())],
        opens_session: true,
        resumable: true,
    }
}

fn posts(fake: &Fake) -> Vec<Request> {
    fake.requests().into_iter().filter(|request| request.method == "POST").collect()
}

const ENDPOINT: &str = "event: endpoint\r\ndata: /messages/?session_id=abcdef123\r\n\r\n";

#[tokio::test]
async fn messages_go_by_post_and_come_on_the_stream() {
    let stream = vec![
        text(": hi\r\n\r\n"),
        text(ENDPOINT),
        Do::Wait(150),
        text(&format!(": ping\r\n\r\nevent: message\r\ndata: {OK}\r\n\r\ndata: {OK}\n\nevent: other\ndata: {OK}\n\n")),
        Do::Hold,
    ];
    let fake = server(stream, answer("202 Accepted", "", "Accepted")).await;
    let bench = bench(&fake).await;
    bench.opened().transport.send(request()).await.unwrap();
    assert!(matches!(bench.next().await, Event::KeepAlive));
    for _ in 0..2 {
        let Event::Message { bytes, origin: Origin::Shared, http_status: None } = bench.next().await else { panic!() };
        assert_eq!(bytes, OK.as_bytes());
    }
    let sent = &posts(&fake)[0];
    assert_eq!((sent.path.as_str(), sent.body.as_str()), ("/messages/?session_id=abcdef123", request().text.as_str()));
    for request in fake.requests() {
        assert_eq!(request.header("x-api-key").as_deref(), Some("s3cret-value"));
        assert_eq!(request.header("mcp-name"), None);
    }
    assert_eq!(fake.requests()[0].header("accept").as_deref(), Some("text/event-stream"));
    let trace = format!("{:?}", bench.records.lock().unwrap());
    assert!(!trace.contains("abcdef123") && !trace.contains("s3cret-value"), "{trace}");
    bench.opened().transport.close().await;
}

#[tokio::test]
async fn a_foreign_endpoint_is_refused_at_once() {
    let other = Fake::start(|_, _| json("200 OK", "{}")).await;
    let data = format!("event: endpoint\ndata: {}\n\n", other.url("/m"));
    let fake = server(vec![text(&data), Do::Hold], json("200 OK", "{}")).await;
    let started = std::time::Instant::now();
    let error = bench(&fake).await.error();
    assert!(matches!(error, TransportError::EndpointOrigin { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(2));
    assert!(posts(&fake).is_empty() && other.requests().is_empty());
}

#[tokio::test]
async fn comments_do_not_extend_the_wait() {
    let mut stream = Vec::new();
    for _ in 0..50 {
        stream.extend([text(": hi\n\n"), Do::Wait(50)]);
    }
    let fake = server(stream, Vec::new()).await;
    let started = std::time::Instant::now();
    let error = open_at(fake.url("/sse"), None, 400).await.error();
    assert!(started.elapsed() < Duration::from_millis(900));
    let TransportError::Timeout { what, phase, seen, hint, .. } = error else { panic!("{error:?}") };
    assert_eq!((what.as_str(), phase), ("no endpoint event", Some(Phase::Endpoint)));
    assert!(seen.unwrap().contains("keep-alive comments"));
    assert!(hint.unwrap().contains("--transport http"));
}

#[tokio::test]
async fn a_stream_that_ends_before_the_endpoint_is_a_stream_failure() {
    let fake = server(vec![text(": hi\n\n"), Do::Close], Vec::new()).await;
    let error = bench(&fake).await.error();
    assert!(matches!(error, TransportError::Stream { end: StreamEnd::Clean, messages: 0, .. }), "{error:?}");
}

#[tokio::test]
async fn what_is_no_event_stream_is_told() {
    let fake = Fake::start(|_, _| answer("200 OK", "Content-Type: text/html\r\n", "<title>Hi</title>")).await;
    let TransportError::Http(fault) = bench(&fake).await.error() else { panic!() };
    assert_eq!(fault.problem.as_deref(), Some("media type text/html instead of text/event-stream"));
    let fake = Fake::start(|_, _| answer("405 Method Not Allowed", "Allow: POST\r\n", "")).await;
    let TransportError::Http(fault) = bench(&fake).await.error() else { panic!() };
    assert!(fault.hint.unwrap().contains("--transport http"));
    let fake = Fake::start(|_, _| answer("401 Unauthorized", "WWW-Authenticate: Bearer\r\n", "")).await;
    let TransportError::Auth(fault) = bench(&fake).await.error() else { panic!() };
    assert!(fault.credential_sent);
}

#[tokio::test]
async fn a_refused_post_ends_the_request_at_once() {
    let stream = vec![text("event: endpoint\ndata: /messages?sid=1\n\n"), Do::Hold];
    let fake = server(stream.clone(), json("500 Oops", r#"{"error":"x"}"#)).await;
    let bench1 = bench(&fake).await;
    bench1.opened().transport.send(request()).await.unwrap();
    let Event::ExchangeOver { key: 1, error: Some(TransportError::Http(fault)) } = bench1.next().await else {
        panic!()
    };
    assert_eq!((fault.status, fault.body.as_str()), (500, r#"{"error":"x"}"#));
    assert_eq!(fault.headers[0], ("endpoint".to_owned(), "/messages?sid=***".to_owned()));
    assert!(fault.url.ends_with("/messages?sid=***"), "{}", fault.url);
    let error = bench1.opened().transport.send(Outgoing { key: None, ..request() }).await.unwrap_err();
    assert!(matches!(error, TransportError::Http(_)), "{error:?}");
}

#[tokio::test]
async fn a_lost_prefix_is_hinted_at_and_overridden() {
    let fake = Fake::start(|_, request| match (request.method.as_str(), request.path.as_str()) {
        ("GET", _) => vec![events_head(), text("event: endpoint\ndata: /messages?sid=1\n\n"), Do::Hold],
        (_, "/gw/messages?sid=1") => answer("202 Accepted", "", ""),
        _ => answer("404 Not Found", "", ""),
    })
    .await;
    let plain = open_at(fake.url("/gw/sse"), None, 5000).await;
    plain.opened().transport.send(request()).await.unwrap();
    let Event::ExchangeOver { error: Some(TransportError::Http(fault)), .. } = plain.next().await else { panic!() };
    let better = fake.url("/gw/messages");
    assert!(fault.hint.as_ref().unwrap().contains(better.as_str()), "{fault:?}");
    let overridden = open_at(fake.url("/gw/sse"), Some(better), 5000).await;
    overridden.opened().transport.send(Outgoing { key: None, ..request() }).await.unwrap();
    assert_eq!(overridden.ledger.snapshot().warnings[0].id, WarningId::EndpointOverride);
}

#[tokio::test]
async fn an_overriding_url_elsewhere_gets_no_credentials() {
    let other = Fake::start(|_, _| answer("202 Accepted", "", "")).await;
    let fake = server(vec![text(ENDPOINT), Do::Hold], Vec::new()).await;
    let bench = open_at(fake.url("/sse"), Some(other.url("/m")), 5000).await;
    bench.opened().transport.send(Outgoing { key: None, ..request() }).await.unwrap();
    assert_eq!(other.requests()[0].header("x-api-key"), None);
}

#[tokio::test]
async fn an_answer_in_the_body_of_the_post_is_taken() {
    for status in ["200 OK", "400 Bad Request"] {
        let fake = server(vec![text(ENDPOINT), Do::Hold], json(status, OK)).await;
        let bench = bench(&fake).await;
        bench.opened().transport.send(request()).await.unwrap();
        let Event::Message { bytes, origin, http_status } = bench.next().await else { panic!() };
        assert_eq!((bytes.as_slice(), origin), (OK.as_bytes(), Origin::Exchange(1)));
        assert_eq!(http_status, status[..3].parse().ok());
    }
}

#[tokio::test]
async fn the_end_of_the_stream_is_told_to_all() {
    for (last, is_clean) in [(Do::Close, true), (Do::Reset, false)] {
        let stream = vec![text(ENDPOINT), text(&format!("data: {OK}\n\ndata: half")), Do::Wait(100), last];
        let fake = server(stream, answer("202 Accepted", "", "")).await;
        let bench = bench(&fake).await;
        assert!(matches!(bench.next().await, Event::Message { .. }));
        for _ in 0..2 {
            let error = bench.opened().inbox.recv().await.unwrap_err();
            let TransportError::Stream { end, messages: 1, unfinished, .. } = &*error else { panic!("{error:?}") };
            assert_eq!(*end == StreamEnd::Clean, is_clean, "{end:?}");
            assert!(unfinished.as_deref().unwrap().contains("half"), "{unfinished:?}");
        }
    }
}

#[tokio::test]
async fn an_unterminated_message_at_the_end_is_used() {
    let stream = vec![text(ENDPOINT), text(&format!("data: {OK}\n")), Do::Close];
    let fake = server(stream, Vec::new()).await;
    let bench = bench(&fake).await;
    assert!(matches!(bench.next().await, Event::Message { .. }));
    assert!(bench.opened().inbox.recv().await.is_err());
    assert_eq!(bench.ledger.snapshot().warnings[0].id, WarningId::UnterminatedEvent);
}
