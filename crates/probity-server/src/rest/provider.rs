//! Webhooks from a provider: a run of ours has news. They contain no result, and without a valid signature
//! they are refused.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, StatusCode},
    routing,
};

use super::RestApi;
use crate::webhooks::{
    SignatureHeaders,
    incoming::{BODY_BYTES_MAX, ReceiveOutcome, receive},
};

/// Where Google's webhooks are sent to.
pub const GEMINI_PATH: &str = "/v1/provider/gemini";

pub(crate) fn routes(rest: Arc<RestApi>) -> Router {
    Router::new()
        .route(GEMINI_PATH, routing::post(gemini))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(rest)
}

async fn gemini(State(rest): State<Arc<RestApi>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let find = |name: &'static str| headers.get(name).and_then(|value| value.to_str().ok());
    let now = rest.mcp_server.backend().now();
    let received = SignatureHeaders::read(find)
        .and_then(|headers| receive(&rest.provider_secrets, &headers, &body, now));
    match received {
        Err(_) => StatusCode::UNAUTHORIZED,
        Ok(ReceiveOutcome::Other) => StatusCode::NO_CONTENT,
        // Not found is accepted too: the provider need not know which runs are ours.
        Ok(ReceiveOutcome::Wake(incoming)) => match rest.fleet.wake_remote(&incoming.remote_id).await {
            Ok(()) => StatusCode::NO_CONTENT,
            Err(problem) => {
                tracing::warn!(code = %problem.code, "provider webhook not passed on; run is polled");
                StatusCode::SERVICE_UNAVAILABLE
            }
        },
    }
}
