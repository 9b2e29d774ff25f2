//! A server for tests that writes exactly the bytes it is told to.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// What to do on the connection of a request.
#[derive(Clone)]
pub enum Do {
    /// Write these bytes in one go.
    Write(Vec<u8>),
    /// Do nothing for so many milliseconds.
    Wait(u64),
    /// Close in order.
    Close,
    /// Close by RST.
    Reset,
    /// Keep the connection open without another word.
    Hold,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub head: String,
    pub body: String,
    pub at: Instant,
    /// Which connection it came on, counted from 0.
    pub connection: usize,
}

impl Request {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }
}

/// A running server.
pub struct Fake {
    pub port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Fake {
    /// Answers each request by what `script` says of its number (from 0) and its content.
    pub async fn start(script: impl Fn(usize, &Request) -> Vec<Do> + Send + Sync + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, script) = (Arc::clone(&requests), Arc::new(script));
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                stream.set_nodelay(true).unwrap();
                let (log, script) = (Arc::clone(&log), Arc::clone(&script));
                tokio::spawn(async move { serve(stream, connection, &log, &*script).await });
            }
        });
        Fake { port, requests }
    }

    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The requests as `METHOD path`.
    pub fn lines(&self) -> Vec<String> {
        self.requests().iter().map(|request| format!("{} {}", request.method, request.path)).collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    log: &Mutex<Vec<Request>>,
    script: &(dyn Fn(usize, &Request) -> Vec<Do> + Send + Sync),
) {
    while let Some(mut request) = read(&mut stream).await {
        request.connection = connection;
        let number = {
            let mut log = log.lock().unwrap();
            log.push(request.clone());
            log.len() - 1
        };
        for step in script(number, &request) {
            match step {
                Do::Write(bytes) => {
                    // The client may have closed already, which is what some tests are about.
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Do::Wait(time) => tokio::time::sleep(Duration::from_millis(time)).await,
                Do::Close => return,
                Do::Reset => {
                    stream.set_zero_linger().unwrap();
                    return;
                }
                Do::Hold => std::future::pending().await,
            }
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
            let mut words = head.split(' ');
            let request = Request {
                method: words.next()?.to_owned(),
                path: words.next()?.to_owned(),
                body: String::new(),
                at: Instant::now(),
                connection: 0,
                head,
            };
            let length: usize = request.header("content-length").map_or(0, |length| length.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
                return Some(Request { body, ..request });
            }
        }
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return None,
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
        }
    }
}

/// A whole answer with a body of known length.
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<Do> {
    let length = body.len();
    vec![Do::Write(format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes())]
}

/// A whole JSON answer.
pub fn json(status: &str, body: &str) -> Vec<Do> {
    answer(status, "Content-Type: application/json\r\n", body)
}

/// The head of an event stream whose body ends with the connection.
pub fn events_head() -> Do {
    Do::Write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_vec())
}

/// The head of an event stream in chunks.
pub fn chunked_head() -> Do {
    Do::Write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec())
}

/// One chunk of a chunked body.
pub fn chunk(bytes: &[u8]) -> Do {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    Do::Write(chunk)
}

/// Text to write.
pub fn text(text: &str) -> Do {
    Do::Write(text.as_bytes().to_vec())
}
