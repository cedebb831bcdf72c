//! The only connector: every connection is opened here, to an address that the guard has just returned.
//!
//! The client asks this connector for every host it connects to, literal addresses included, with the host
//! and the port that it will really use. There is no other resolver, no proxy from the environment, no
//! redirect.
#![expect(clippy::disallowed_methods, reason = "the only module that connects to foreign hosts")]

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::Uri;
use http_body_util::Full;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{
        Client,
        connect::{Connected, Connection, proxy::Tunnel},
    },
    rt::{TokioExecutor, TokioIo, TokioTimer},
};
use probity_types::error::{Code, CodedError};
use rustls::{ClientConfig, crypto::aws_lc_rs};
use rustls_platform_verifier::Verifier;
use tokio::{net::TcpStream, task::JoinSet};
use tower_service::Service;
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

use super::{
    guard::{AddressGuard, refused},
    limits::{HEADER_BYTES_MAX, HEADER_LINES_MAX},
    proxy::UpstreamProxy,
};

/// How long an idle connection is kept: the next page of the same host comes soon or not at all.
const IDLE_MAX: Duration = Duration::from_secs(20);
/// Idle connections kept for one host; as many pages as it is asked for at once.
const IDLE_PER_HOST_MAX: usize = 2;
/// The next address is tried beside one that has not answered yet: a host with a dead IPv6 costs this, not seconds.
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);
/// Addresses of one host that are tried.
const TRIES_MAX: usize = 6;

pub(super) type HttpClient = Client<HttpsConnector<GuardedConnector>, Full<Bytes>>;

pub(super) fn client(
    guard: &Arc<AddressGuard>,
    proxy: Option<&Arc<UpstreamProxy>>,
    connect_max: Duration,
) -> Result<HttpClient, CodedError> {
    let unusable = |error: rustls::Error| {
        CodedError::new(Code::Settings, &format!("the certificates of this machine cannot be used: {error}"))
    };
    let provider = Arc::new(aws_lc_rs::default_provider());
    // The machine's own certificates; where it has none, as small containers do, those that browsers trust.
    let verifier = Verifier::new(Arc::clone(&provider)).or_else(|_| {
        Verifier::new_with_extra_roots(TLS_SERVER_ROOT_CERTS.iter().cloned(), Arc::clone(&provider))
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier.map_err(unusable)?))
        .with_no_client_auth();
    let guarded = GuardedConnector { guard: Arc::clone(guard), proxy: proxy.cloned(), connect_max };
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(config)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(guarded);
    Ok(Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_MAX)
        .pool_max_idle_per_host(IDLE_PER_HOST_MAX)
        .http1_max_buf_size(HEADER_BYTES_MAX)
        .http1_max_headers(HEADER_LINES_MAX)
        .http2_max_header_list_size(u32::try_from(HEADER_BYTES_MAX).unwrap_or(u32::MAX))
        .http2_adaptive_window(true)
        .build(connector))
}

/// The peer that a response came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct PeerAddress(pub SocketAddr);

/// Why there is no connection. Nothing of the request was sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct ConnectError(pub CodedError);

#[derive(Debug, Clone)]
pub(super) struct GuardedConnector {
    guard: Arc<AddressGuard>,
    proxy: Option<Arc<UpstreamProxy>>,
    connect_max: Duration,
}

impl Service<Uri> for GuardedConnector {
    type Response = GuardedStream;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<GuardedStream, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.open(to).await.map_err(ConnectError) })
    }
}

impl GuardedConnector {
    async fn open(&self, to: Uri) -> Result<GuardedStream, CodedError> {
        let secure = to.scheme_str() == Some("https");
        let host = to.host().ok_or_else(|| refused("the address has no host"))?.to_owned();
        let port = to.port_u16().unwrap_or(if secure { 443 } else { 80 });
        match &self.proxy {
            Some(proxy) if !self.guard.has_reach_rule(&host, port) => {
                self.guard.check_name(&host, port)?;
                self.through(proxy, to, secure).await
            }
            _ => {
                let addresses = self.guard.resolve(&host, port).await?;
                self.dial(&addresses, ConnectionRoute::Direct).await
            }
        }
    }

    /// The proxy resolves the name and is responsible for where it leads. Plain pages are requested by their
    /// whole address, because proxies open tunnels to port 443 only.
    async fn through(
        &self,
        proxy: &UpstreamProxy,
        to: Uri,
        secure: bool,
    ) -> Result<GuardedStream, CodedError> {
        let addresses = proxy.addresses().await?;
        if !secure {
            return self.dial(&addresses, ConnectionRoute::Proxied).await;
        }
        let dialer = ProxyDialer { connector: self.clone(), addresses };
        let mut tunnel = Tunnel::new(proxy.uri(), dialer);
        if let Some(key) = proxy.authorization() {
            tunnel = tunnel.with_auth(key.clone());
        }
        tunnel.call(to).await.map_err(|error| unreachable(&format!("the proxy opens no tunnel: {error}")))
    }

    async fn dial(
        &self,
        addresses: &[SocketAddr],
        route: ConnectionRoute,
    ) -> Result<GuardedStream, CodedError> {
        let stream = match tokio::time::timeout(self.connect_max, first_to_answer(addresses)).await {
            Ok(stream) => {
                stream.map_err(|error| unreachable(&format!("nobody answers: {}", in_words(&error))))?
            }
            Err(_) => return Err(unreachable("nobody answers in time")),
        };
        let peer = stream.peer_addr().map_err(|error| unreachable(&error.to_string()))?;
        // The second check: whatever the system did with the address, this is the actual peer.
        if !addresses.contains(&peer) {
            return Err(refused(&format!("the connection ended at {peer}, which was not asked for")));
        }
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was not set");
        }
        Ok(GuardedStream { stream: TokioIo::new(stream), peer, route })
    }
}

/// What the system says, without its number.
fn in_words(error: &io::Error) -> String {
    let told = error.to_string();
    told.split_once(" (os error").map_or(told.as_str(), |(words, _)| words).to_owned()
}

async fn first_to_answer(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut waiting = addresses.iter().copied().take(TRIES_MAX);
    let mut tries = JoinSet::new();
    let mut last = io::Error::other("there is no address");
    loop {
        let more = match waiting.next() {
            Some(address) => {
                tries.spawn(TcpStream::connect(address));
                true
            }
            None => false,
        };
        tokio::select! {
            biased;
            tried = tries.join_next() => match tried {
                Some(Ok(Ok(stream))) => return Ok(stream),
                Some(Ok(Err(error))) => last = error,
                Some(Err(error)) => last = io::Error::other(error),
                None => return Err(last),
            },
            () = tokio::time::sleep(NEXT_ADDRESS_AFTER), if more => {}
        }
    }
}

fn unreachable(why: &str) -> CodedError {
    CodedError::new(Code::PageUnreachable, why)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionRoute {
    Direct,
    /// The next request line names the whole address.
    Proxied,
}

/// Dials the proxy for a tunnel through it.
#[derive(Debug, Clone)]
struct ProxyDialer {
    connector: GuardedConnector,
    addresses: Vec<SocketAddr>,
}

impl Service<Uri> for ProxyDialer {
    type Response = GuardedStream;
    type Error = ConnectError;
    type Future = Pin<Box<dyn Future<Output = Result<GuardedStream, ConnectError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let dialer = self.clone();
        Box::pin(async move {
            dialer.connector.dial(&dialer.addresses, ConnectionRoute::Direct).await.map_err(ConnectError)
        })
    }
}

/// A connection that remembers its peer.
#[derive(Debug)]
pub(super) struct GuardedStream {
    stream: TokioIo<TcpStream>,
    peer: SocketAddr,
    route: ConnectionRoute,
}

impl Connection for GuardedStream {
    fn connected(&self) -> Connected {
        Connected::new().extra(PeerAddress(self.peer)).proxy(self.route == ConnectionRoute::Proxied)
    }
}

impl Read for GuardedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, to)
    }
}

impl Write for GuardedStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, pieces)
    }
}
