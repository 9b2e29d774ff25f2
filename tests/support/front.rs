//! What stands in front of a fake server and is none itself: takes connections on a free port and gives each to a handler.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A listener with a thread of its own. Dropping it ends every connection.
pub struct Front {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Front {
    /// Listens on a free port of the loopback and runs the handler for each connection.
    pub fn start<F>(handler: impl Fn(TcpStream) -> F + Send + 'static) -> Front
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Front::bind((Ipv4Addr::LOCALHOST, 0).into(), handler).expect("a free port on the loopback")
    }

    /// The same at this address, which the machine may not have.
    pub fn bind<F>(address: SocketAddr, handler: impl Fn(TcpStream) -> F + Send + 'static) -> std::io::Result<Front>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = thread::spawn(move || {
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener for the runtime");
                let accepting = async {
                    while let Ok((socket, _)) = listener.accept().await {
                        counted.fetch_add(1, Ordering::SeqCst);
                        tokio::spawn(handler(socket));
                    }
                };
                tokio::select! { () = accepting => {}, _ = stopped => {} }
            });
        });
        Ok(Front { address, connections, stop: Some(stop), thread: Some(thread) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// How many connections there were.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join().is_ok();
        }
    }
}

/// Carries bytes both ways until one side has had enough.
pub async fn pipe(mut client: impl AsyncRead + AsyncWrite + Unpin, server: SocketAddr) {
    if let Ok(mut upstream) = TcpStream::connect(server).await {
        let _cut = copy_bidirectional(&mut client, &mut upstream).await.is_err();
    }
}
