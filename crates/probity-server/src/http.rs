//! MCP over Streamable HTTP, and a fleet's API beside it: the listener and every check before a request
//! reaches a handler.
//!
//! Both protocol eras on one path. Never interprets a request: that is the handler's part.

mod allow_list;
mod auth;
mod connections;
mod gate;
mod rate_limit;
mod scopes;
mod sessions;
mod write_timeout;

use std::{io, sync::Arc, time::Duration};

use axum::{Router, middleware, routing};
use probity_runner::tasks::TaskGroup;
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService},
};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use allow_list::AllowList;
pub use auth::{AuthPolicy, Authenticator, CallerIdentity, FileAccess, SharedAuthenticator, TokenTable};
pub use connections::{ConnectionLimits, ConnectionTrust, serve_router};
pub use probity_research::principal::{Principal, RunAccess};
pub use rate_limit::RateLimits;
pub use sessions::SessionLimits;

use connections::ConnectionPlaces;
use gate::RequestGate;

use crate::{
    oauth::{ProtectedResource, WELL_KNOWN},
    rest::{self, RestApi},
};

/// The path of the MCP endpoint.
pub const PATH: &str = "/mcp";
/// Answers `ok` without a token.
pub const HEALTH_PATH: &str = "/health";

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
    connections::accept(&listener, &router, &ConnectionPlaces::new(limits), &tasks, &stop).await;
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
