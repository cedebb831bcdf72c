//! The face on each way in. Nothing here is generic: the protocol's machinery is built once, in this crate,
//! and not again in every program and test that serves.

use std::{io, pin::Pin, sync::Arc};

use rmcp::service::ServerInitializeError;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{
    face::Face,
    http::{self, HttpSettings},
    local::{self, Socket},
    stdio,
};

/// Serving, until its stop or the client's end.
pub type Serving<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl Face {
    /// One client on this process's own stdin and stdout.
    pub fn serve_stdio(self, stop: CancellationToken) -> Serving<Result<(), ServerInitializeError>> {
        let (reader, writer) = stdio::streams();
        Box::pin(stdio::serve(self, reader, writer, stop))
    }

    /// Many clients over HTTP.
    pub fn serve_http(
        self: &Arc<Self>,
        listener: TcpListener,
        settings: HttpSettings,
        stop: CancellationToken,
    ) -> Serving<io::Result<()>> {
        let face = Arc::clone(self);
        Box::pin(http::serve(listener, move || face.session(), settings, stop))
    }

    /// Many clients of this machine's own user over a socket.
    pub fn serve_local(self: &Arc<Self>, socket: Socket, stop: CancellationToken) -> Serving<()> {
        let face = Arc::clone(self);
        Box::pin(local::serve(socket, move || face.session(), stop))
    }
}
