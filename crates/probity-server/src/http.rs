//! MCP over Streamable HTTP, and a fleet's API beside it: the listener and every check before a request
//! reaches a handler.
//!
//! Both protocol eras on one path. Never interprets a request: that is the handler's part.

mod allow_list;
mod auth;
mod gate;
mod rate_limit;
mod scopes;
mod sessions;
mod write_timeout;

use std::{io, sync::Arc, time::Duration};

use axum::{Router, middleware, routing};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use probity_runner::tasks::TaskGroup;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use allow_list::AllowList;
pub use auth::{AuthPolicy, Authenticator, CallerIdentity, FileAccess, SharedAuthenticator, TokenTable};
pub use probity_research::principal::{Principal, RunAccess};
pub use rate_limit::RateLimits;
pub use sessions::SessionLimits;

use gate::RequestGate;
use write_timeout::WriteTimeoutStream;

use crate::{
    oauth::{ProtectedResource, WELL_KNOWN},
    rest::{self, RestApi},
};

/// The path of the MCP endpoint.
pub const PATH: &str = "/mcp";
/// Answers `ok` without a token.
pub const HEALTH_PATH: &str = "/health";

/// Pause after a failed accept: usually too many open files, which passes.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);
/// Request line and headers together; clients send about one kilobyte.
const HEAD_BYTES_MAX: usize = 16 * 1024;
const HEADERS_MAX: usize = 64;
/// A line on every open stream this often keeps proxies and clients from giving up.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How the server behaves. The limits rarely need another value outside of tests.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    pub auth: AuthPolicy,
    pub allowed: AllowList,
    pub pace: RateLimits,
    pub sessions_max: SessionLimits,
    pub limits: ConnectionLimits,
    /// A fleet's own API, beside the protocol.
    pub api: Option<Arc<RestApi>>,
}

impl HttpSettings {
    /// This machine's names only, and the usual limits.
    pub fn new(auth: AuthPolicy) -> Self {
        Self {
            auth,
            allowed: AllowList::default(),
            pace: RateLimits::default(),
            sessions_max: SessionLimits::default(),
            limits: ConnectionLimits::default(),
            api: None,
        }
    }
}

/// The limits of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Beyond this a connection waits in the listener's queue.
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

/// Serves until `stop`, then lets open calls end for a bounded time. `make` yields the handler of one session
/// or request and must be cheap. Handlers find the caller's [`RunAccess`] in the extensions of the
/// `http::request::Parts` that rmcp puts into the extensions of every request.
pub async fn serve<H, F>(
    listener: TcpListener,
    make: F,
    settings: HttpSettings,
    stop: CancellationToken,
) -> io::Result<()>
where
    H: ServerHandler,
    F: Fn() -> H + Clone + Send + Sync + 'static,
{
    let limits = settings.limits;
    let gate = Arc::new(RequestGate {
        allowed: settings.allowed,
        auth: settings.auth,
        shares: rate_limit::RateLimiter::new(settings.pace),
        sessions: Arc::new(sessions::BoundedSessions::new(settings.sessions_max)),
        limits,
        calls: TaskTracker::new(),
    });
    let streams = CancellationToken::new();
    let api = settings.api;
    let router = router(Arc::clone(&gate), make, api.as_ref(), &streams);
    let tasks = TaskGroup::child_of(&CancellationToken::new());
    accept(&listener, &router, limits, &tasks, &stop).await;
    drop(listener);

    gate.calls.close();
    if tokio::time::timeout(limits.drain_time_max, gate.calls.wait()).await.is_err() {
        tracing::warn!("server stopped with calls still open");
    }
    streams.cancel();
    if let Some(api) = &api {
        api.end_streams();
    }
    gate.sessions.close_all().await;
    tasks.close().await;
    Ok(())
}

fn router<H, F>(
    gate: Arc<RequestGate>,
    make: F,
    api: Option<&Arc<RestApi>>,
    streams: &CancellationToken,
) -> Router
where
    H: ServerHandler,
    F: Fn() -> H + Clone + Send + Sync + 'static,
{
    // Host and origin are checked by the gate: one list, for every path.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_json_response(true)
        .with_sse_keep_alive(Some(HEARTBEAT))
        .with_cancellation_token(streams.clone())
        .with_max_request_body_bytes(gate.limits.body_bytes_max);
    let protocol = StreamableHttpService::new(move || Ok(make()), Arc::clone(&gate.sessions), config);
    let protocol =
        routing::any_service(protocol).layer(middleware::from_fn_with_state(Arc::clone(&gate), gate::admit));
    let mut router = Router::new().route(HEALTH_PATH, routing::get(async || "ok")).route(PATH, protocol);
    if let Some(resource) = gate.auth.resource() {
        router = router.merge(description(resource));
    }
    if let Some(api) = api {
        router = router
            .merge(rest::open_routes())
            .merge(rest::provider::routes(Arc::clone(api)))
            .merge(guarded(api, &gate));
    }
    router.layer(middleware::from_fn_with_state(gate, gate::same_house))
}

/// Where clients without a token learn which issuer to ask for one.
fn description(resource: &ProtectedResource) -> Router {
    let document = resource.document();
    let answer = routing::get(async move || axum::Json(document));
    let router = Router::new().route(WELL_KNOWN, answer.clone());
    match resource.metadata_path() {
        path if path == WELL_KNOWN => router,
        path => router.route(&path, answer),
    }
}

/// Every route of the API behind the gate, each with its scope.
fn guarded(api: &Arc<RestApi>, gate: &Arc<RequestGate>) -> Router {
    let mut router = Router::new();
    for (operation, handler) in rest::routes() {
        let demanded = (Arc::clone(gate), operation.scope);
        let handler = handler.layer(middleware::from_fn_with_state(demanded, gate::require_route_scope));
        router = router.route(operation.path, handler);
    }
    router
        .layer(middleware::from_fn_with_state(Arc::clone(gate), gate::gate_api_request))
        .with_state(Arc::clone(api))
}

async fn accept(
    listener: &TcpListener,
    router: &Router,
    limits: ConnectionLimits,
    tasks: &TaskGroup,
    stop: &CancellationToken,
) {
    let room = Arc::new(Semaphore::new(limits.connections_max));
    loop {
        let accepting = async {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (router, draining) = (router.clone(), stop.clone());
                    tasks.spawn_named("connection", |cut| async move {
                        let _place = place;
                        connection(stream, router, limits, &draining, &cut).await;
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

/// Serves one connection until it ends, `cut` is cancelled, or it is idle while `draining`.
async fn connection(
    stream: TcpStream,
    router: Router,
    limits: ConnectionLimits,
    draining: &CancellationToken,
    cut: &CancellationToken,
) {
    // Without this an answer in two parts waits 40 ms for the client's acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "connection closed before it was served");
        return;
    }
    let io = TokioIo::new(WriteTimeoutStream::new(stream, limits.write_time_max));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time_max)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(HEAD_BYTES_MAX * 2);
    let serving = builder.serve_connection(io, TowerToHyperService::new(router));
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
