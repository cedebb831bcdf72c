//! The MCP server on each transport. Nothing here is generic: the protocol library is compiled once, in this
//! crate, and not again in every program and test that serves.

use std::{io, path::PathBuf, pin::Pin, sync::Arc};

use rmcp::service::ServerInitializeError;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    hang_up::HangUpWatch,
    http::{self, HttpSettings},
    local_socket::{self, LocalSocket},
    mcp_server::McpServer,
    stdio,
};

/// Serves until its stop or the client's end.
pub type ServeFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl McpServer {
    /// One client on this process's own stdin and stdout, started where the client works.
    pub fn serve_stdio(
        self,
        working_directory: Option<PathBuf>,
        stop: CancellationToken,
    ) -> ServeFuture<Result<(), ServerInitializeError>> {
        let server = self.session_in(working_directory);
        Box::pin(stdio::serve(server, stdio::streams(), HangUpWatch::new(io::stdin()), stop))
    }

    /// Many clients over HTTP.
    pub fn serve_http(
        self: &Arc<Self>,
        listener: TcpListener,
        settings: HttpSettings,
        stop: CancellationToken,
    ) -> ServeFuture<io::Result<()>> {
        let server = Arc::clone(self);
        Box::pin(http::serve(listener, move || server.session(), settings, stop))
    }

    /// Many clients of this machine's own user over a socket.
    pub fn serve_local(self: &Arc<Self>, socket: LocalSocket, stop: CancellationToken) -> ServeFuture<()> {
        let server = Arc::clone(self);
        Box::pin(local_socket::serve(socket, move |directory| server.session_in(directory), stop))
    }
}
