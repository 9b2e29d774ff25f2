//! Streamable HTTP against servers that write exact bytes.

pub use std::time::{Duration, Instant};

pub use super::super::fake::{Do, Fake, Request, answer, chunk, chunked_head, events_head, json, text};
pub use super::super::{AddressFailure, Event, HttpFault, Origin, StreamEnd};
pub use super::*;
pub use crate::outcome::{Ledger, WarningId};
use crate::secret::Secret;
pub use crate::trace::{Entry, Record, Tracer};

mod answers;
mod connection;
mod streams;

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
        resumable: true,
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
                Event::Stderr(_) | Event::StandingOver(_) => panic!("neither a child nor a standing stream here"),
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
