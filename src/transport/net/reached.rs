//! Whether a peer was ever reached: the connector is watched, because a silent peer and no peer are different failures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tower_layer::Layer;
use tower_service::Service;

/// Set once a connection stands, with TLS and through the proxy where there are any.
#[derive(Debug, Clone, Default)]
pub struct Reached(Arc<AtomicBool>);

impl Reached {
    /// Whether a connection stood at some time.
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<S> Layer<S> for Reached {
    type Service = Watched<S>;

    fn layer(&self, connector: S) -> Watched<S> {
        Watched { connector, reached: self.clone() }
    }
}

/// A connector that notes its success.
#[derive(Clone)]
pub struct Watched<S> {
    connector: S,
    reached: Reached,
}

impl<S, R> Service<R> for Watched<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Response: 'static,
    S::Error: 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.connector.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        let connecting = self.connector.call(request);
        let reached = self.reached.clone();
        Box::pin(async move {
            let connected = connecting.await;
            if connected.is_ok() {
                reached.0.store(true, Ordering::Relaxed);
            }
            connected
        })
    }
}
