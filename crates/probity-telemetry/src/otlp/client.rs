//! The connection to the collector: one HTTP client for traces and logs.
//!
//! Batches are sent from threads of the SDK that belong to no runtime, so the client has a small one of its
//! own: it also works while the program's runtime is busy or already gone.
#![expect(clippy::disallowed_methods, reason = "this is where the collector's HTTP client is built")]

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::{Builder, Runtime};

use crate::record;

/// A collector answers with a few bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

#[derive(Clone)]
pub(super) struct CollectorClient {
    client: reqwest::Client,
    runtime: Arc<ExporterRuntime>,
    /// Whether the last batch was refused: logged once, not every five seconds.
    failing: Arc<AtomicBool>,
}

/// A runtime that may be dropped anywhere, also within another one.
struct ExporterRuntime(Option<Runtime>);

impl Drop for ExporterRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for CollectorClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CollectorClient")
    }
}

impl CollectorClient {
    pub(super) fn new(timeout: Duration) -> Result<Self, HttpError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        // No proxy: a collector runs beside the fleet, and what is sent to it must not go elsewhere.
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .timeout(timeout)
            .build()?;
        let failing = Arc::new(AtomicBool::new(false));
        Ok(Self { client, runtime: Arc::new(ExporterRuntime(Some(runtime))), failing })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let mut answer = self.client.execute(request.try_into()?).await?;
        let status = answer.status();
        let headers = std::mem::take(answer.headers_mut());
        let mut body = BytesMut::new();
        while let Some(chunk) = answer.chunk().await? {
            if body.len().saturating_add(chunk.len()) > ANSWER_BYTES_MAX {
                return Err(io::Error::other("the collector's answer is too large").into());
            }
            body.extend_from_slice(&chunk);
        }
        let mut response = Response::new(body.freeze());
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }

    fn record_result(&self, sent: &Result<Response<Bytes>, HttpError>) {
        let failed = !matches!(sent, Ok(response) if response.status().is_success());
        if failed {
            record::export_failed();
        }
        if failed && !self.failing.swap(true, Ordering::Relaxed) {
            let status = sent.as_ref().ok().map(|response| response.status().as_u16());
            tracing::warn!(target: "opentelemetry", status, "collector refuses traces and logs");
        } else if !failed && self.failing.swap(false, Ordering::Relaxed) {
            tracing::info!(target: "opentelemetry", "collector accepts traces and logs again");
        }
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let gone = || HttpError::from(io::Error::other("the exporter has ended"));
        let runtime = self.runtime.0.as_ref().ok_or_else(gone)?;
        // Blocks the SDK's own thread, which has nothing else to do.
        let sent = runtime.block_on(self.send(request));
        self.record_result(&sent);
        sent
    }
}
