//! What a script can do to the connection that a request came on: proper answers, single bytes, and every way to break.

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::relay::Frame;
use super::request::Request;
use super::server::{Hub, Over};

/// How often waits look around.
const TICK: Duration = Duration::from_millis(5);

/// A socket that several threads may write to, and that ends only once.
pub(super) struct Wire {
    socket: Mutex<Option<Arc<TcpStream>>>,
    framed: bool,
    /// The other side is gone (stdio only; HTTP is asked when it matters).
    gone: AtomicBool,
    order: Mutex<Option<End>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Close,
    Reset,
}

impl Wire {
    pub(super) fn plain(socket: Arc<TcpStream>) -> Wire {
        Wire { socket: Mutex::new(Some(socket)), framed: false, gone: AtomicBool::new(false), order: Mutex::new(None) }
    }

    pub(super) fn framed(socket: Arc<TcpStream>) -> Wire {
        Wire { framed: true, ..Wire::plain(socket) }
    }

    /// Writes bytes: to the connection, or to the stdout of the process. `false` when nobody is there any more.
    fn write(&self, bytes: &[u8]) -> bool {
        if self.framed { self.frame(Frame::Stdout, bytes) } else { self.put(&[bytes]) }
    }

    fn frame(&self, kind: Frame, payload: &[u8]) -> bool {
        assert!(self.framed, "{kind:?} is for stdio");
        let length = u32::try_from(payload.len()).expect("a frame of a sane size");
        self.put(&[&[kind as u8], &length.to_be_bytes(), payload])
    }

    fn put(&self, parts: &[&[u8]]) -> bool {
        let socket = self.socket.lock().unwrap();
        let Some(mut socket) = socket.as_deref() else { return false };
        parts.iter().all(|part| socket.write_all(part).is_ok())
    }

    /// Ends it as a script ordered. The socket closes when the last of its holders lets go.
    pub(super) fn finish(&self) {
        self.gone.store(true, Ordering::SeqCst);
        let Some(socket) = self.socket.lock().unwrap().take() else { return };
        let _was_gone = match *self.order.lock().unwrap() {
            Some(End::Reset) => socket2::SockRef::from(&*socket).set_linger(Some(Duration::ZERO)).is_err(),
            _ => socket.shutdown(Shutdown::Write).is_err(),
        };
    }

    fn is_peer_gone(&self) -> bool {
        if self.gone.load(Ordering::SeqCst) || self.framed {
            return self.gone.load(Ordering::SeqCst);
        }
        let Some(socket) = self.socket.lock().unwrap().clone() else { return true };
        if socket.set_read_timeout(Some(TICK)).is_err() {
            return true;
        }
        match socket.peek(&mut [0]) {
            Ok(0) => true,
            Ok(_) => false,
            Err(error) => !matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
        }
    }

    fn order(&self, end: End) {
        *self.order.lock().unwrap() = Some(end);
    }
}

/// Why a [`Conn::hold`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// The client closed the connection, or its process ended.
    Client,
    /// The test is over, or another request ended it.
    Server,
}

/// The connection that a request came on.
///
/// Each operation says what it means over stdio, where there are no HTTP answers. Writing to a client that is gone is
/// never an error.
pub struct Conn {
    hub: Arc<Hub>,
    wire: Arc<Wire>,
    kept: bool,
    headers: Vec<(String, String)>,
    /// An event stream was begun as the answer.
    streaming: bool,
    /// A whole answer was given.
    answered: bool,
}

impl Conn {
    pub(super) fn new(hub: Arc<Hub>, wire: Arc<Wire>) -> Conn {
        Conn { hub, wire, kept: false, headers: Vec::new(), streaming: false, answered: false }
    }

    pub(super) fn is_kept(&self) -> bool {
        self.kept
    }

    /// Which transport is played.
    pub fn over(&self) -> Over {
        self.hub.over
    }

    // --- Messages: the same over every transport ---

    /// The answer, or any last message: a JSON body (200), or the last event of a stream that was begun; over HTTP+SSE
    /// an event on the open stream and 202 for the POST; over stdio a line.
    pub fn message(&mut self, json: &str) {
        match self.over() {
            Over::Http if self.streaming => {
                self.event(json);
                self.close();
            }
            Over::Http => self.respond(200, &[("Content-Type", "application/json")], json),
            _ => self.push(json),
        }
    }

    /// A message that others follow: over HTTP it begins an event stream.
    pub fn push(&mut self, json: &str) {
        match self.over() {
            Over::Http => {
                if !self.streaming {
                    self.sse_head(200, &[]);
                }
                self.event(json);
            }
            Over::Sse => {
                self.accepted();
                self.feed(format!("event: message\ndata: {json}\n\n"));
            }
            Over::Stdio => {
                self.wire.write(format!("{json}\n").as_bytes());
            }
        }
    }

    /// The answer to a request with this result, given as JSON text.
    pub fn result(&mut self, request: &Request, result: &str) {
        self.message(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id()));
    }

    /// The answer to a request with an error.
    pub fn error(&mut self, request: &Request, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.message(&format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, request.id()));
    }

    /// Takes a message that needs no answer: 202, once. Nothing over stdio.
    pub fn accepted(&mut self) {
        if self.over() != Over::Stdio && !self.answered {
            self.respond(202, &[], "");
        }
    }

    // --- HTTP answers ---

    /// A header for every HTTP answer that this connection gives from here on to this request.
    pub fn header(&mut self, name: &str, value: &str) {
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// A whole HTTP answer with a `Content-Length` (unless one is given); the connection stays usable.
    pub fn respond(&mut self, status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) {
        assert!(self.over() != Over::Stdio, "an HTTP answer over stdio");
        let body = body.as_ref();
        let mut head = self.head(status, headers);
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length")) && status != 204 {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        self.answered = true;
        self.kept = self.wire.write(&[head.as_bytes(), body].concat());
    }

    /// The head of an answer whose body is an event stream until the connection closes.
    pub fn sse_head(&mut self, status: u16, headers: &[(&str, &str)]) {
        let head = self.head(status, headers);
        let rest = "Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n";
        self.streaming = true;
        self.answered = true;
        self.raw(format!("{head}{rest}"));
    }

    /// One event without a name.
    pub fn event(&mut self, data: &str) {
        self.raw(format!("data: {data}\n\n"));
    }

    fn head(&self, status: u16, headers: &[(&str, &str)]) -> String {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason_phrase(status));
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in headers.iter().copied().chain(own) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }

    // --- Bytes, pauses and ends ---

    /// These bytes as they are, on the connection or on stdout. The connection closes after the script unless
    /// [`Conn::keep`] says otherwise.
    pub fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.kept = false;
        self.wire.write(bytes.as_ref());
    }

    /// These bytes in pieces, with a pause after each.
    pub fn chunks(&mut self, bytes: impl AsRef<[u8]>, size: usize, pause: Duration) {
        for chunk in bytes.as_ref().chunks(size) {
            self.raw(chunk);
            self.pause(pause);
        }
    }

    /// Waits, but not longer than the test runs.
    pub fn pause(&self, pause: Duration) {
        let deadline = Instant::now() + pause;
        while Instant::now() < deadline && !self.hub.stopping.load(Ordering::SeqCst) {
            thread::sleep(TICK.min(deadline.saturating_duration_since(Instant::now())));
        }
    }

    /// Leaves the connection usable after raw bytes that were a whole answer.
    pub fn keep(&mut self) {
        self.kept = true;
    }

    /// Closes the connection in order; over stdio the process exits with 0.
    pub fn close(&mut self) {
        self.end(End::Close);
        if self.over() == Over::Stdio {
            self.exit(0);
        }
    }

    /// Resets the connection (RST); over stdio the process dies by SIGKILL.
    pub fn reset(&mut self) {
        self.end(End::Reset);
        if self.over() == Over::Stdio {
            self.signal(9);
        }
    }

    fn end(&mut self, end: End) {
        self.kept = false;
        self.wire.order(end);
    }

    /// Whether nobody takes any more what is written, or the test is over.
    pub fn is_gone(&self) -> bool {
        self.hub.stopping.load(Ordering::SeqCst) || self.wire.is_peer_gone()
    }

    /// Does nothing, with the connection open, until the client or the test ends it.
    pub fn hold(&mut self) -> Gone {
        self.kept = false;
        loop {
            // Asked first, since the end of the test looks like the end of the connection.
            let gone = self.wire.is_peer_gone();
            if self.hub.stopping.load(Ordering::SeqCst) || self.wire.order.lock().unwrap().is_some() {
                return Gone::Server;
            }
            if gone {
                return Gone::Client;
            }
            thread::sleep(TICK);
        }
    }

    // --- The stream of HTTP+SSE, from the GET that opens it and from the POSTs that feed it ---

    /// Makes this connection the stream that [`Conn::feed`] writes to, and holds it. The head must have been written.
    pub fn become_stream(&mut self) -> Gone {
        *self.hub.stream.lock().unwrap() = Some(Arc::clone(&self.wire));
        self.hold()
    }

    /// Writes bytes to the open stream.
    pub fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream().write(bytes.as_ref());
    }

    /// Closes the open stream in order.
    pub fn close_stream(&mut self) {
        self.stream().order(End::Close);
    }

    /// Resets the open stream.
    pub fn reset_stream(&mut self) {
        self.stream().order(End::Reset);
    }

    fn stream(&self) -> Arc<Wire> {
        let deadline = Instant::now() + Duration::from_secs(2);
        loop {
            if let Some(stream) = self.hub.stream.lock().unwrap().clone() {
                return stream;
            }
            assert!(Instant::now() < deadline, "no stream was opened");
            thread::sleep(TICK);
        }
    }

    // --- The process of stdio ---

    /// Writes bytes to stderr.
    pub fn stderr(&mut self, bytes: impl AsRef<[u8]>) {
        self.wire.frame(Frame::Stderr, bytes.as_ref());
    }

    /// Exits with a status.
    pub fn exit(&mut self, status: u8) {
        self.wire.frame(Frame::Exit, &[status]);
    }

    /// Dies by a signal.
    pub fn signal(&mut self, signal: u8) {
        self.wire.frame(Frame::Signal, &[signal]);
    }

    /// Closes stdout and lives on.
    pub fn close_stdout(&mut self) {
        self.wire.frame(Frame::CloseStdout, &[]);
    }

    /// From here on neither the end of stdin nor SIGTERM ends the process.
    pub fn be_stubborn(&mut self) {
        self.wire.frame(Frame::Stubborn, &[]);
    }

    /// Starts a process that sleeps for a minute and holds stdout and stderr open.
    pub fn spawn_grandchild(&mut self) {
        self.wire.frame(Frame::Grandchild, &[]);
    }
}

fn reason_phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        409 => "Conflict",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unusual",
    }
}
