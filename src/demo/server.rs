//! The listener of the HTTP transports: accepts connections, keeps sessions, and ends everything when it is dropped.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::DropGuard;

use super::Transport;
use super::eras::Eras;
use super::faults::Fault;
use super::log::Log;
use super::session::Session;
use super::world::{World, random_id};
use super::{http, sse};

/// Sessions that are kept; beyond, the oldest is forgotten, as a server may do (2025-11-25 basic/transports §Session Management).
const SESSIONS: usize = 4096;

/// How a server is to be started.
#[derive(Debug, Clone)]
pub struct Options {
    /// `Http` or `Sse`.
    pub transport: Transport,
    /// How it misbehaves.
    pub faults: Vec<Fault>,
    /// Which eras of the protocol it speaks.
    pub protocol: Eras,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The address; anything but loopback is open to others.
    pub host: IpAddr,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            transport: Transport::Http,
            faults: Vec::new(),
            protocol: Eras::default(),
            port: 0,
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
        }
    }
}

/// A running server. Dropping it ends all of its connections and tasks.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
    _stop: DropGuard,
}

impl Server {
    /// Starts to listen; the tasks run on the current Tokio runtime.
    pub async fn start(options: Options) -> io::Result<Server> {
        if options.transport == Transport::Stdio {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "stdio has no address to listen on"));
        }
        let world = World::new(&options.faults, options.protocol, options.transport)?;
        let listener = TcpListener::bind(SocketAddr::new(options.host, options.port)).await?;
        let shared = Arc::new(Shared {
            transport: options.transport,
            world,
            address: listener.local_addr()?,
            sessions: Mutex::default(),
        });
        let stop = shared.world.stop.clone().drop_guard();
        let accepting = tokio::spawn(accept(listener, shared.clone()));
        Ok(Server { shared, accepting, _stop: stop })
    }

    /// The URL to give to a client.
    pub fn url(&self) -> String {
        let path = if self.shared.transport == Transport::Sse { "/sse" } else { "/mcp" };
        format!("{}{path}", self.shared.origin())
    }

    /// What the server sees of its clients.
    pub fn log(&self) -> Log {
        self.shared.world.log.clone()
    }

    /// Serves until this future is dropped.
    pub async fn wait(self) -> io::Result<()> {
        let Server { accepting, _stop, .. } = self;
        accepting.await.map_err(io::Error::other)
    }
}

/// What all connections share.
#[derive(Debug)]
pub struct Shared {
    pub transport: Transport,
    pub world: Arc<World>,
    address: SocketAddr,
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
struct Sessions {
    /// By id, with a number that tells which one is older.
    by_id: HashMap<String, (u64, Arc<Session>)>,
    opened: u64,
}

impl Shared {
    /// `http://HOST:PORT`, with a host that a client can reach.
    pub fn origin(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// A new session that nobody can find yet.
    pub fn session(&self) -> Arc<Session> {
        Session::new(self.world.clone())
    }

    /// Makes a session known, and gives its id.
    pub fn keep(&self, session: Arc<Session>) -> String {
        let id = random_id();
        let mut sessions = self.sessions();
        if sessions.by_id.len() >= SESSIONS
            && let Some(oldest) = sessions.by_id.iter().min_by_key(|(_, (number, _))| *number).map(|(id, _)| id.clone())
            && let Some((_, forgotten)) = sessions.by_id.remove(&oldest)
        {
            forgotten.end();
        }
        sessions.opened += 1;
        let number = sessions.opened;
        sessions.by_id.insert(id.clone(), (number, session));
        id
    }

    /// The session of that id.
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        self.sessions().by_id.get(id).map(|(_, session)| session.clone())
    }

    /// Ends a session; false if there is none of that id.
    pub fn forget(&self, id: &str) -> bool {
        match self.sessions().by_id.remove(id) {
            Some((_, session)) => {
                session.end();
                true
            }
            None => false,
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let accepted = tokio::select! {
            biased;
            () = shared.world.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                shared.world.log.with(|seen| seen.connections += 1);
                // Small answers are all there is; a socket that refuses is merely slower.
                let _ = stream.set_nodelay(true);
                shared.world.spawn(serve(stream, shared.clone()));
            }
            // Out of file descriptors, or a client that is gone already: both pass.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    // It fails only on a socket that is dead already, and then the first read says so too.
    stream.set_nodelay(true).ok();
    let service = service_fn(move |request| {
        let shared = shared.clone();
        async move {
            Ok::<_, Infallible>(match shared.transport {
                Transport::Sse => sse::respond(&shared, request).await,
                _ => http::respond(&shared, request).await,
            })
        }
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    // A body that ends with an error is how `cut-stream` and `reset` end a connection, and a client may leave at any time.
    if let Err(error) = (&mut connection).await
        && is_reset(&error)
    {
        // With no time to linger, closing sends RST in place of FIN.
        connection.into_parts().io.into_inner().set_zero_linger().ok();
    }
}

fn is_reset(error: &hyper::Error) -> bool {
    let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>());
    error.is_user() && source.is_some_and(|source| source.kind() == io::ErrorKind::ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn dropping_the_server_ends_it() {
        let server = Server::start(Options::default()).await.expect("a port");
        let address = server.shared.address;
        let connection = TcpStream::connect(address).await.expect("listening");
        while server.log().snapshot().connections == 0 {
            tokio::task::yield_now().await;
        }
        let shared = Arc::downgrade(&server.shared);
        drop(server);
        let mut byte = [0];
        connection.readable().await.expect("an end");
        assert_eq!(connection.try_read(&mut byte).expect("closed"), 0);
        assert!(TcpStream::connect(address).await.is_err());
        assert!(shared.upgrade().is_none(), "no task holds on to the server");
    }

    #[tokio::test]
    async fn stdio_has_no_listener() {
        let options = Options { transport: Transport::Stdio, ..Options::default() };
        assert_eq!(Server::start(options).await.expect_err("refused").kind(), io::ErrorKind::InvalidInput);
    }

    #[tokio::test]
    async fn the_oldest_session_makes_room() {
        let server = Server::start(Options::default()).await.expect("a port");
        let first = server.shared.keep(server.shared.session());
        let mut last = String::new();
        for _ in 0..SESSIONS {
            last = server.shared.keep(server.shared.session());
        }
        assert!(server.shared.find(&first).is_none());
        assert!(server.shared.find(&last).is_some());
        assert_eq!(server.shared.sessions().by_id.len(), SESSIONS);
    }
}
