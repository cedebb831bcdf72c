//! MCP over stdin and stdout, or over any pair of byte streams that carries one message per line.

use rmcp::{
    ServerHandler, ServiceExt as _,
    service::{QuitReason, ServerInitializeError},
    transport::async_rw::AsyncRwTransport,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Longest line. A question has at most 32 KiB; this leaves room for any client's metadata.
pub const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Serves one client until it goes away or `stop`.
pub async fn serve<H, R, W>(
    handler: H,
    reader: R,
    writer: W,
    stop: CancellationToken,
) -> Result<(), ServerInitializeError>
where
    H: ServerHandler,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = AsyncRwTransport::new_server(reader, writer).with_max_line_length(LINE_BYTES_MAX);
    let serving = match handler.serve_with_ct(transport, stop).await {
        Ok(serving) => serving,
        // The client left before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error),
    };
    match serving.waiting().await {
        Ok(QuitReason::Cancelled | QuitReason::Closed) => {}
        Ok(other) => tracing::debug!(?other, "the client's session ended"),
        Err(error) => tracing::warn!(%error, "the client's session broke"),
    }
    Ok(())
}

/// This process's own stdin and stdout. Non-blocking where they are pipes, as clients start servers.
pub fn streams() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin) {
    rmcp::transport::stdio_pipes()
}
