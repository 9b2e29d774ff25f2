//! The fake server: accepts on a free port, records every request, and lets the script answer.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::conn::{Conn, Wire};
use super::relay;
use super::request::{Request, read_http};

/// Which transport a fake server plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Streamable HTTP, at `/mcp`.
    Http,
    /// HTTP+SSE of 2024-11-05: the stream at `/sse`, messages to `/messages`.
    Sse,
    /// A child process. It is a relay (see `relay.rs`), so its script runs in the test like any other.
    Stdio,
}

impl Over {
    pub const ALL: &'static [Over] = &[Over::Http, Over::Sse, Over::Stdio];

    pub fn name(self) -> &'static str {
        match self {
            Over::Http => "http",
            Over::Sse => "sse",
            Over::Stdio => "stdio",
        }
    }
}

/// What a server does with a request. It runs on a thread of its own for each connection (HTTP) or line (stdio).
pub type Script = Arc<dyn Fn(&Request, &mut Conn) + Send + Sync>;

/// A script from a closure.
pub fn script(script: impl Fn(&Request, &mut Conn) + Send + Sync + 'static) -> Script {
    Arc::new(script)
}

/// A running fake server. Dropping it ends its connections and threads.
pub struct FakeServer {
    address: SocketAddr,
    hub: Arc<Hub>,
    accepting: Option<JoinHandle<()>>,
}

/// What the threads of a server share.
pub(super) struct Hub {
    pub(super) over: Over,
    script: Script,
    requests: Mutex<Vec<Request>>,
    news: Condvar,
    problems: Mutex<Vec<String>>,
    sockets: Mutex<Vec<Weak<TcpStream>>>,
    workers: Mutex<Vec<JoinHandle<()>>>,
    connections: AtomicUsize,
    /// The stream of HTTP+SSE that was opened last.
    pub(super) stream: Mutex<Option<Arc<Wire>>>,
    pub(super) stopping: AtomicBool,
}

impl FakeServer {
    /// Starts a server that does what the script says, for every request from the first on.
    pub fn start(over: Over, script: Script) -> FakeServer {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on the loopback");
        let address = listener.local_addr().expect("a bound socket has an address");
        let hub = Arc::new(Hub {
            over,
            script,
            requests: Mutex::default(),
            news: Condvar::new(),
            problems: Mutex::default(),
            sockets: Mutex::default(),
            workers: Mutex::default(),
            connections: AtomicUsize::new(0),
            stream: Mutex::default(),
            stopping: AtomicBool::new(false),
        });
        let shared = Arc::clone(&hub);
        let accepting = thread::spawn(move || accept(&listener, &shared));
        FakeServer { address, hub, accepting: Some(accepting) }
    }

    /// An address that refuses connections.
    pub fn nobody() -> SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on the loopback");
        listener.local_addr().expect("a bound socket has an address")
    }

    pub fn over(&self) -> Over {
        self.hub.over
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to give to a client; over stdio the address of the relay, which no client needs.
    pub fn url(&self) -> String {
        let path = if self.over() == Over::Sse { "sse" } else { "mcp" };
        format!("http://{}/{path}", self.address)
    }

    /// The program and arguments of a stdio server.
    pub fn command(&self) -> Vec<String> {
        relay::command(self.address)
    }

    /// These arguments, with what makes the binary talk to this server around them. Unless they say which version to speak, it
    /// begins with `initialize`, which most scripts are about.
    pub fn args(&self, args: &[&str]) -> Vec<String> {
        let mut all: Vec<String> = match self.over() {
            Over::Stdio => Vec::new(),
            over => vec!["-s".to_owned(), self.url(), "--transport".to_owned(), over.name().to_owned()],
        };
        if !args.iter().any(|arg| arg.starts_with("--protocol")) {
            all.extend(["--protocol", "legacy"].map(str::to_owned));
        }
        all.extend(args.iter().map(|arg| arg.replace("{url}", &self.url())));
        if self.over() == Over::Stdio {
            all.push("--".to_owned());
            all.extend(self.command());
        }
        all
    }

    /// Everything that came so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.hub.requests.lock().unwrap().clone()
    }

    /// The JSON-RPC methods that came so far, in order.
    pub fn rpc_methods(&self) -> Vec<String> {
        self.requests().iter().map(Request::rpc_method).filter(|method| !method.is_empty()).collect()
    }

    /// How many connections (stdio: processes) there were.
    pub fn connections(&self) -> usize {
        self.hub.connections.load(Ordering::SeqCst)
    }

    /// Waits for a request; `None` when it did not come in time.
    pub fn wait_for(&self, wanted: impl Fn(&Request) -> bool, limit: Duration) -> Option<Request> {
        let deadline = Instant::now() + limit;
        let mut requests = self.hub.requests.lock().unwrap();
        loop {
            if let Some(found) = requests.iter().find(|request| wanted(request)) {
                return Some(found.clone());
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            requests = self.hub.news.wait_timeout(requests, left).unwrap().0;
        }
    }

    /// What went wrong in the server itself: a script that panicked, a request that is no HTTP.
    pub fn problems(&self) -> Vec<String> {
        self.hub.problems.lock().unwrap().clone()
    }

    /// Forgets the problems, for a test that expects them.
    pub fn forgive(&self) {
        self.hub.problems.lock().unwrap().clear();
    }

    /// The requests as text, for the message of a failed test.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        for request in self.requests() {
            let Request { method, path, connection, .. } = &request;
            text.push_str(&format!("[{connection}] {method} {path} {}\n", request.text()));
        }
        text
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.hub.stopping.store(true, Ordering::SeqCst);
        // Wakes up `accept`; it has ended already if this fails.
        let _woken = TcpStream::connect(self.address).is_ok();
        if let Some(accepting) = self.accepting.take() {
            let _ended = accepting.join().is_ok();
        }
        for socket in self.hub.sockets.lock().unwrap().drain(..).filter_map(|socket| socket.upgrade()) {
            let _was_open = socket.shutdown(Shutdown::Both).is_ok();
        }
        loop {
            // A worker of a stdio connection may still start another.
            let Some(worker) = self.hub.workers.lock().unwrap().pop() else { break };
            let _ended = worker.join().is_ok();
        }
        if !thread::panicking() {
            let problems = self.problems();
            assert!(problems.is_empty(), "the fake server: {}", problems.join("; "));
        }
    }
}

fn accept(listener: &TcpListener, hub: &Arc<Hub>) {
    for socket in listener.incoming() {
        if hub.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(socket) = socket else { continue };
        let _without = socket.set_nodelay(true).is_err();
        let socket = Arc::new(socket);
        hub.sockets.lock().unwrap().push(Arc::downgrade(&socket));
        let number = hub.connections.fetch_add(1, Ordering::SeqCst) + 1;
        let shared = Arc::clone(hub);
        hub.work(move || match shared.over {
            Over::Stdio => serve_relay(&shared, socket, number),
            Over::Http | Over::Sse => serve_http(&shared, socket, number),
        });
    }
}

/// Requests on one connection, one after the other, for as long as the answers leave it usable.
fn serve_http(hub: &Arc<Hub>, socket: Arc<TcpStream>, number: usize) {
    let wire = Arc::new(Wire::plain(Arc::clone(&socket)));
    let mut reader = BufReader::new(&*socket);
    loop {
        match read_http(&mut reader, number) {
            Ok(Some(request)) => {
                hub.record(request.clone());
                let mut conn = Conn::new(Arc::clone(hub), Arc::clone(&wire));
                hub.play(&request, &mut conn);
                if !conn.is_kept() {
                    break;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Other => {
                hub.problem(error.to_string());
                break;
            }
            // The client closed or reset it.
            Ok(None) | Err(_) => break,
        }
    }
    wire.finish();
}

/// Lines of one process, each with a thread of its own, so that a script may hold one back while others come.
fn serve_relay(hub: &Arc<Hub>, socket: Arc<TcpStream>, number: usize) {
    let wire = Arc::new(Wire::framed(Arc::clone(&socket)));
    let mut reader = BufReader::new(&*socket);
    let mut line = Vec::new();
    let request = |method: &str, body: &[u8]| Request {
        method: method.to_owned(),
        path: String::new(),
        headers: Vec::new(),
        body: body.to_vec(),
        at: Instant::now(),
        connection: number,
    };
    let mut ended = false;
    while let Ok(1..) = reader.read_until(b'\n', &mut line) {
        if line == relay::END_OF_STDIN {
            ended = true;
            hub.record(request("EOF", b""));
            line.clear();
            continue;
        }
        let request = request("STDIN", line.strip_suffix(b"\n").unwrap_or(&line));
        line.clear();
        hub.record(request.clone());
        let (shared, wire) = (Arc::clone(hub), Arc::clone(&wire));
        hub.work(move || {
            let mut conn = Conn::new(Arc::clone(&shared), wire);
            shared.play(&request, &mut conn);
        });
    }
    if !ended {
        hub.record(request("EOF", b""));
    }
    wire.finish();
}

impl Hub {
    fn work(&self, work: impl FnOnce() + Send + 'static) {
        let mut workers = self.workers.lock().unwrap();
        workers.retain(|worker| !worker.is_finished());
        workers.push(thread::spawn(work));
    }

    fn record(&self, request: Request) {
        self.requests.lock().unwrap().push(request);
        self.news.notify_all();
    }

    fn play(&self, request: &Request, conn: &mut Conn) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.script)(request, conn))) {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            self.problem(format!("the script panicked: {}", text.unwrap_or_default()));
        }
    }

    pub(super) fn problem(&self, problem: String) {
        self.problems.lock().unwrap().push(problem);
    }
}
