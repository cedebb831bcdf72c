//! The connections of a listener: how many there may be, how long each may take, and which one is closed
//! when places run out.
//!
//! Whoever has shown no token is a stranger. A new connection takes the place of the stranger that has waited
//! longest: half-open connections of other programs on this machine keep no place from the owner.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::Router;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use probity_runner::tasks::TaskGroup;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::write_timeout::WriteTimeoutStream;

/// Pause after a failed accept: usually too many open files, which passes.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);
/// Request line and headers together; clients send about one kilobyte.
const HEAD_BYTES_MAX: usize = 16 * 1024;
const HEADERS_MAX: usize = 64;

/// The limits of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Beyond this the stranger that has waited longest is closed; without one a connection waits.
    pub connections_max: usize,
    /// From the first moment of waiting for a request to the end of its headers, idle time included.
    pub head_time_max: Duration,
    pub body_bytes_max: usize,
    /// From the end of the headers to the end of the body, however steadily it drips.
    pub body_time_max: Duration,
    /// A client that reads not one byte for this long is gone.
    pub write_time_max: Duration,
    /// Calls may end in this time after a stop; then streams are ended, and after as long again connections.
    pub drain_time_max: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            // One file each: leaves room under the usual limit of 1024 for the store and the provider.
            connections_max: 384,
            // Node's servers close idle connections after 5 s; clients are used to it.
            head_time_max: Duration::from_secs(15),
            // A question has at most some kilobytes; what the protocol's own library allows.
            body_bytes_max: 4 * 1024 * 1024,
            body_time_max: Duration::from_secs(15),
            write_time_max: Duration::from_secs(30),
            drain_time_max: Duration::from_secs(2),
        }
    }
}

/// In the extensions of every request: whoever checks the token says that it was good.
#[derive(Debug, Clone)]
pub struct ConnectionTrust {
    number: u64,
    places: Arc<ConnectionPlaces>,
}

impl ConnectionTrust {
    /// From now on the connection keeps its place until it ends.
    pub fn grant(&self) {
        self.places.with_strangers(|strangers| strangers.remove(&self.number));
    }
}

/// Serves on all listeners until `stop`, and then as long as open answers need, within bounds. For routers
/// that check their callers themselves.
pub async fn serve_router(
    listeners: Vec<TcpListener>,
    router: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let tasks = TaskGroup::child_of(&CancellationToken::new());
    let places = ConnectionPlaces::new(limits);
    let accepting = listeners.iter().map(|listener| accept(listener, &router, &places, &tasks, &stop));
    futures_util::future::join_all(accepting).await;
    tasks.close().await;
}

/// The places of one server, however many listeners it has.
#[derive(Debug)]
pub(super) struct ConnectionPlaces {
    limits: ConnectionLimits,
    room: Arc<Semaphore>,
    next_number: AtomicU64,
    /// The oldest first. Each is closed by its token.
    strangers: Mutex<BTreeMap<u64, CancellationToken>>,
}

impl ConnectionPlaces {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            room: Arc::new(Semaphore::new(limits.connections_max)),
            next_number: AtomicU64::new(0),
            strangers: Mutex::default(),
        })
    }

    /// A place for a connection that was just accepted.
    async fn take(self: &Arc<Self>) -> Option<ConnectionPlace> {
        let permit = if let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() {
            permit
        } else {
            if let Some((_, close)) = self.with_strangers(BTreeMap::pop_first) {
                close.cancel();
            }
            Arc::clone(&self.room).acquire_owned().await.ok()?
        };
        let (number, close) = (self.next_number.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        self.with_strangers(|strangers| strangers.insert(number, close.clone()));
        let trust = ConnectionTrust { number, places: Arc::clone(self) };
        Some(ConnectionPlace { trust, close, _permit: permit })
    }

    fn with_strangers<Out>(&self, look: impl FnOnce(&mut BTreeMap<u64, CancellationToken>) -> Out) -> Out {
        look(&mut self.strangers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The place of one connection. Free again when dropped.
struct ConnectionPlace {
    trust: ConnectionTrust,
    /// Cancelled when another connection takes the place.
    close: CancellationToken,
    _permit: OwnedSemaphorePermit,
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.trust.grant();
    }
}

pub(super) async fn accept(
    listener: &TcpListener,
    router: &Router,
    places: &Arc<ConnectionPlaces>,
    tasks: &TaskGroup,
    stop: &CancellationToken,
) {
    loop {
        let accepting = async {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let Some(place) = places.take().await else { return };
                    let (router, draining) = (router.clone(), stop.clone());
                    tasks.spawn_named("connection", |cut| async move {
                        connection(stream, router, &place, &draining, &cut).await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "connection not accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = accepting => {}
        }
    }
}

/// Serves one connection until it ends, loses its place, `cut` is cancelled, or it is idle while `draining`.
async fn connection(
    stream: TcpStream,
    router: Router,
    place: &ConnectionPlace,
    draining: &CancellationToken,
    cut: &CancellationToken,
) {
    // Without this an answer in two parts waits 40 ms for the client's acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "connection closed before it was served");
        return;
    }
    let limits = place.trust.places.limits;
    let io = TokioIo::new(WriteTimeoutStream::new(stream, limits.write_time_max));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time_max)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(HEAD_BYTES_MAX * 2);
    let service = service_fn(|mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(place.trust.clone());
        router.clone().oneshot(request)
    });
    let serving = builder.serve_connection(io, service);
    tokio::pin!(serving);
    let mut asked_to_end = false;
    loop {
        tokio::select! {
            ended = serving.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended early");
                }
                return;
            }
            () = place.close.cancelled() => {
                tracing::debug!("connection without a token closed for a newer one");
                return;
            }
            () = draining.cancelled(), if !asked_to_end => {
                asked_to_end = true;
                serving.as_mut().graceful_shutdown();
            }
            () = cut.cancelled() => {
                // Streams were ended a moment ago; their last bytes get as long as calls did.
                let _cut = tokio::time::timeout(limits.drain_time_max, serving.as_mut()).await;
                return;
            }
        }
    }
}
