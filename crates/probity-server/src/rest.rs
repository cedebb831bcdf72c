//! The HTTP API of a fleet: every route with its scope, in one table that the router and the OpenAPI document
//! are both made from. No rules: handlers translate between JSON and the backend.

mod administration;
mod authenticator;
mod events;
pub mod openapi;
mod operation;
pub(crate) mod problem;
pub(crate) mod provider;
mod reports;
mod runs;
mod starts;
mod webhooks;
mod wire;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::Path,
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{self, MethodRouter},
};
use probity_research::{Code, CodedError, RunId, principal::Principal, scope::KeyScope, status::RunSummary};
use tokio_util::sync::CancellationToken;

use crate::{
    backend::admin::{AdminBackend, not_found_error},
    http::CallerIdentity,
    mcp_server::McpServer,
    webhooks::WebhookSecret,
};

pub use authenticator::{FleetAuthenticator, KEY_PREFIX};
pub use operation::ApiOperation;

use events::StreamCounter;
use problem::ApiError;

/// Where the document is served.
pub const OPENAPI_PATH: &str = "/v1/openapi.json";
/// Where each error code is explained.
const ERRORS_PATH: &str = "/v1/errors/{code}";
/// How the path of a stream of events ends.
pub(crate) const EVENTS_END: &str = "/events";

/// What the handlers need.
pub struct RestApi {
    mcp_server: Arc<McpServer>,
    fleet: Arc<dyn AdminBackend>,
    streams: StreamCounter,
    /// Streams end when it is cancelled.
    stop: CancellationToken,
    /// The secrets of Google's webhooks; without one none are accepted.
    provider_secrets: Vec<WebhookSecret>,
}

impl std::fmt::Debug for RestApi {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Rest")
    }
}

impl RestApi {
    pub fn new(mcp_server: Arc<McpServer>, fleet: Arc<dyn AdminBackend>) -> Self {
        let (streams, stop) = (StreamCounter::default(), CancellationToken::new());
        Self { mcp_server, fleet, streams, stop, provider_secrets: Vec::new() }
    }

    pub fn with_provider_secrets(mut self, secrets: Vec<WebhookSecret>) -> Self {
        self.provider_secrets = secrets;
        self
    }

    /// Ends the event streams.
    pub(crate) fn end_streams(&self) {
        self.stop.cancel();
    }

    /// The run of this id, if the caller may see it. For other callers it does not exist.
    async fn find(&self, admitted: &CallerIdentity, id: &str) -> Result<RunSummary, ApiError> {
        Ok(self.mcp_server.find_within(&admitted.reach, id).await?)
    }

    /// Audits the outcome, and returns it.
    async fn audit_outcome<T>(
        &self,
        admitted: &CallerIdentity,
        action: &str,
        id: Option<RunId>,
        done: Result<T, CodedError>,
    ) -> Result<T, ApiError> {
        let code = done.as_ref().err().map(|problem| problem.code);
        self.mcp_server.record_audit(admitted, action, id, code).await;
        Ok(done?)
    }
}

/// The tenant that is administered: the caller's own, or any for the operator.
fn tenant_for(admitted: &CallerIdentity, named: Option<&str>) -> Result<Principal, ApiError> {
    let named =
        named.map(|name| Principal::parse(name).map_err(|_| not_found_error("tenant"))).transpose()?;
    match (admitted.reach.principal(), named) {
        (Some(own), None) => Ok(own.clone()),
        (Some(own), Some(named)) if *own == named => Ok(named),
        (Some(_), Some(_)) => Err(not_found_error("tenant").into()),
        (None, Some(named)) => Ok(named),
        (None, None) => {
            Err(CodedError::new(Code::InvalidArguments, "the operator must name a `tenant`").into())
        }
    }
}

type RouteHandler = MethodRouter<Arc<RestApi>>;

/// Every route there is, but for the two that need no token.
pub(crate) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    let all = [
        starts::routes(),
        runs::routes(),
        reports::routes(),
        events::routes(),
        administration::routes(),
        webhooks::routes(),
    ];
    all.into_iter().flatten().collect()
}

/// Routes without a token: the document, and the error codes.
pub(crate) fn open_routes() -> Router {
    Router::new()
        .route(OPENAPI_PATH, routing::get(async || Json(openapi::document())))
        .route(ERRORS_PATH, routing::get(explained))
}

async fn explained(Path(code): Path<String>) -> Response {
    match Code::ALL.iter().find(|known| known.as_str() == code) {
        Some(code) => format!("{code}\n\n{}\n", problem::hint(*code)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Every path with its scope, for tests that go through all of them.
pub fn operations() -> Vec<ApiOperation> {
    routes().into_iter().map(|(operation, _)| operation).collect()
}

/// Refuses every caller but the operator, whatever the rest of the request says.
fn operator_only(admitted: &CallerIdentity) -> Result<(), ApiError> {
    if admitted.reach.principal().is_none() && admitted.scopes.allows(KeyScope::Admin) {
        return Ok(());
    }
    Err(CodedError::new(Code::ScopeMissing, "only the operator of this service may do this").into())
}
