//! Endpoints for operators and their probes: is a process of a fleet alive, is it ready, what are its
//! metrics.
//!
//! On a port of its own that clients do not reach: no token is asked for, and nothing of a run is shown.

use std::{io, sync::Arc};

use axum::{
    Json, Router,
    http::{StatusCode, header},
    response::IntoResponse as _,
    routing,
};
use probity_research::CodedError;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::backend::BackendFuture;

/// One component that this process needs, and its health.
pub type ComponentHealth = (&'static str, Result<(), CodedError>);

pub trait Operations: Send + Sync + 'static {
    /// The metrics of this process, as Prometheus reads them.
    fn metrics(&self) -> String;
    /// Every component that this process needs; also whether it is draining.
    fn component_health(&self) -> BackendFuture<'_, Vec<ComponentHealth>>;
}

/// Answers `/health`, `/ready` and `/metrics` until `stop`.
pub async fn serve(
    listener: TcpListener,
    operations: Arc<dyn Operations>,
    stop: CancellationToken,
) -> io::Result<()> {
    let (counted, asked) = (Arc::clone(&operations), operations);
    let router = Router::new()
        .route("/health", routing::get(async || "ok"))
        .route(
            "/metrics",
            routing::get(async move || {
                let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
                (kind, counted.metrics())
            }),
        )
        .route("/ready", routing::get(async move || ready(&*asked).await));
    axum::serve(listener, router).with_graceful_shutdown(stop.cancelled_owned()).await
}

async fn ready(operations: &dyn Operations) -> axum::response::Response {
    let parts = match operations.component_health().await {
        Ok(parts) => parts,
        Err(problem) => vec![("parts", Err(problem))],
    };
    let is_ready = parts.iter().all(|(_, answer)| answer.is_ok());
    let described: Vec<Value> = parts
        .iter()
        .map(|(part, answer)| match answer {
            Ok(()) => json!({ "part": part, "ok": true }),
            Err(problem) => json!({ "part": part, "ok": false, "code": problem.code.as_str() }),
        })
        .collect();
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({ "ready": is_ready, "parts": described }))).into_response()
}
