//! A provider calls back: something of ours is worth a look. It brings no result, and without its signature it is
//! nobody.

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
        // Not found is an answer too: the provider need not know what is ours.
        Ok(ReceiveOutcome::Wake(incoming)) => match rest.fleet.wake_remote(&incoming.remote_id).await {
            Ok(()) => StatusCode::NO_CONTENT,
            Err(problem) => {
                tracing::warn!(code = %problem.code, "a provider's call was not passed on; it is looked anyway");
                StatusCode::SERVICE_UNAVAILABLE
            }
        },
    }
}
