//! MCP over stdin and stdout, or over any pair of byte streams with one message per line.

use rmcp::{
    RoleServer, ServerHandler, ServiceExt as _,
    model::{
        ClientRequest, Extensions, GetExtensions as _, GetMeta as _, JsonRpcMessage, ProtocolVersion,
        ServerResult,
    },
    service::{QuitReason, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Longest line. A question has at most 32 KiB; this leaves room for any client's metadata.
pub const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Serves one client until it disconnects or `stop`.
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
    let lines = AsyncRwTransport::new_server(reader, writer).with_max_line_length(LINE_BYTES_MAX);
    let leaving = ShutdownSignal(stop.child_token());
    // Also when this future is dropped: then too no user decided anything about the open calls.
    let _left = leaving.0.clone().drop_guard();
    let transport = WatchedTransport { lines, leaving, begun: false };
    // A token of its own: the library cancels the one it gets when the session ends, and `stop` is other clients' too.
    let serving = match handler.serve_with_ct(transport, stop.child_token()).await {
        Ok(serving) => serving,
        // The client disconnected before its first message, or before it got an answer.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. }) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    match serving.waiting().await {
        Ok(QuitReason::Cancelled | QuitReason::Closed) => {}
        Ok(other) => tracing::debug!(?other, "client session ended"),
        Err(error) => tracing::warn!(%error, "client session broke"),
    }
    Ok(())
}

/// This process's own stdin and stdout. Non-blocking where they are pipes, as clients start servers.
pub fn streams() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin) {
    rmcp::transport::stdio_pipes()
}

/// Cancelled when the client has closed its side or this process is about to end. Travels with every request:
/// a call that waits then answers with what it has, while the answer can still be written.
#[derive(Debug, Clone)]
pub struct ShutdownSignal(CancellationToken);

impl ShutdownSignal {
    /// The token that came with a request. Over HTTP there is none; a token that is never cancelled stands
    /// for it.
    pub fn token_from(extensions: &Extensions) -> CancellationToken {
        extensions.get::<Self>().map_or_else(CancellationToken::new, |leaving| leaving.0.clone())
    }
}

/// The lines, and what they say about the client.
struct WatchedTransport<T> {
    lines: T,
    leaving: ShutdownSignal,
    /// Whether the library has started the session. Until then it accepts anything but a request for the end.
    begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for WatchedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Response(response) = &message {
            self.begun |= matches!(response.result, ServerResult::InitializeResult(_));
        }
        self.lines.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(mut message) = self.lines.receive().await else {
                self.leaving.0.cancel();
                return None;
            };
            if let JsonRpcMessage::Request(request) = &mut message {
                self.begun = self.begun || starts_session(&request.request);
                request.request.extensions_mut().insert(self.leaving.clone());
                return Some(message);
            }
            if self.begun {
                return Some(message);
            }
            tracing::debug!("ignored a message before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}

/// Whether a request begins a session without a handshake.
fn starts_session(request: &ClientRequest) -> bool {
    let probe = matches!(
        request,
        ClientRequest::InitializeRequest(_)
            | ClientRequest::PingRequest(_)
            | ClientRequest::DiscoverRequest(_)
    );
    let meta = request.get_meta();
    !probe
        && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        && meta.protocol_version() == Some(ProtocolVersion::V_2026_07_28)
}

#[cfg(test)]
mod tests;
