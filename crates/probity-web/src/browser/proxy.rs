//! Chromium's only access to the network: a proxy on loopback that asks the guard before every connection.
//!
//! Lives as long as one render. Requires a password that only this Chromium gets, so that no other program on
//! the machine can use it; every name is resolved here, and the connection goes to the addresses that were
//! checked.

mod head;
mod relay;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use probity_types::error::{Code, CodedError};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};
use url::Url;

use self::{
    head::{ProxyRequest, ProxyRequestKind},
    relay::{ByteBudget, CONNECT_MAX, HEAD_MAX},
};

/// Connections at a time: Chromium itself opens at most 32 to one proxy, and WebSockets beside them.
const CONNECTIONS_MAX: usize = 64;
/// Hosts that are remembered: those refused and those connected to.
const HOSTS_MAX: usize = 256;
pub const USER: &str = "probity";

/// Decides where a connection may go.
pub trait ConnectionPolicy: Send + Sync + 'static {
    /// The address if it may be requested, or why not. Resolves nothing.
    fn parse(&self, url: &str) -> Result<Url, CodedError>;
    /// The addresses that may be connected to; all of them were checked.
    fn addresses(&self, url: &Url) -> impl Future<Output = Result<Vec<SocketAddr>, CodedError>> + Send;
}

#[derive(Debug)]
pub struct BrowserProxy {
    port: u16,
    shared: Arc<BrowserProxyState>,
    /// Dropped with the proxy: every connection ends.
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
struct BrowserProxyState {
    password: String,
    budget: ByteBudget,
    refusals: AtomicU32,
    refused: Mutex<BTreeSet<String>>,
    reached: Mutex<BTreeMap<String, SocketAddr>>,
}

impl BrowserProxy {
    pub async fn open<G: ConnectionPolicy>(
        gate: Arc<G>,
        password: String,
        bytes_max: u64,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(BrowserProxyState {
            password,
            budget: ByteBudget(AtomicU64::new(bytes_max)),
            refusals: AtomicU32::new(0),
            refused: Mutex::default(),
            reached: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, gate, Arc::clone(&shared)));
        Ok(Self { port, shared, _tasks: tasks })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn password(&self) -> &str {
        &self.shared.password
    }

    /// Requests that the guard refused.
    pub fn refusals(&self) -> u32 {
        self.shared.refusals.load(Ordering::Relaxed)
    }

    /// Counts a refusal that was made before the request came here.
    pub fn count_refusal(&self, url: &str) {
        self.shared.record_refusal(&host_of(url));
    }

    pub fn bytes_left(&self) -> u64 {
        self.shared.budget.left()
    }

    pub fn was_refused(&self, url: &str) -> bool {
        self.shared.refused.lock().unwrap_or_else(PoisonError::into_inner).contains(&host_of(url))
    }

    /// The address that was connected to for a page.
    pub fn reached_address(&self, url: &str) -> Option<SocketAddr> {
        self.shared.reached.lock().unwrap_or_else(PoisonError::into_inner).get(&host_of(url)).copied()
    }
}

impl BrowserProxyState {
    fn record_refusal(&self, host: &str) {
        self.refusals.fetch_add(1, Ordering::Relaxed);
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < HOSTS_MAX {
            refused.insert(host.to_owned());
        }
    }

    fn record_address(&self, host: &str, address: SocketAddr) {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached.len() < HOSTS_MAX {
            reached.insert(host.to_owned(), address);
        }
    }
}

/// `host:port`, by which refusals and connections are remembered.
fn host_of(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return String::new() };
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}

async fn accept<G: ConnectionPolicy>(listener: TcpListener, gate: Arc<G>, shared: Arc<BrowserProxyState>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS_MAX => match accepted {
                Ok((client, _)) => {
                    connections.spawn(serve(client, Arc::clone(&gate), Arc::clone(&shared)));
                }
                Err(error) => {
                    tracing::warn!(%error, "proxy of the browser cannot accept connections");
                    return;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

async fn serve<G: ConnectionPolicy>(mut client: TcpStream, gate: Arc<G>, shared: Arc<BrowserProxyState>) {
    let served = answer(&mut client, gate.as_ref(), &shared).await;
    if let Err(error) = served {
        tracing::debug!(%error, "browser connection ended");
    }
}

async fn answer<G: ConnectionPolicy>(
    client: &mut TcpStream,
    gate: &G,
    shared: &BrowserProxyState,
) -> io::Result<()> {
    let (head, rest) = timeout(HEAD_MAX, relay::read_head(client, Vec::new())).await??;
    let Some(request) = ProxyRequest::parse(&head) else {
        return relay::send_status(client, "400 Bad Request", &[]).await;
    };
    if !request.is_allowed(USER, &shared.password) {
        return relay::send_status(client, "407 Proxy Authentication Required", &[head::CHALLENGE]).await;
    }
    let server = match connect(gate, &request, shared).await {
        Ok(server) => server,
        Err(problem) if problem.code == Code::AddressRefused => {
            tracing::debug!(%problem, "request of the browser refused");
            shared.record_refusal(&host_of(&request.url));
            return relay::send_status(client, "403 Forbidden", &[]).await;
        }
        Err(_) => return relay::send_status(client, "502 Bad Gateway", &[]).await,
    };
    match request.want {
        ProxyRequestKind::Tunnel => {
            relay::start_tunnel(client).await?;
            relay::copy_both_ways(client, server, &rest, &shared.budget).await
        }
        ProxyRequestKind::Page { body } => {
            relay::forward_request(client, server, &request, &rest, body, &shared.budget).await
        }
    }
}

/// A connection to one of the addresses that the guard allows for this request.
async fn connect<G: ConnectionPolicy>(
    gate: &G,
    request: &ProxyRequest,
    shared: &BrowserProxyState,
) -> Result<TcpStream, CodedError> {
    let url = gate.parse(&request.url)?;
    let addresses = timeout(CONNECT_MAX, gate.addresses(&url)).await;
    let addresses = addresses.map_err(|_| unreachable("the name was not found in time"))??;
    for address in addresses {
        if let Ok(Ok(server)) = timeout(CONNECT_MAX, TcpStream::connect(address)).await {
            shared.record_address(&host_of(&request.url), address);
            return Ok(server);
        }
    }
    Err(unreachable("no address answers"))
}

fn unreachable(message: &str) -> CodedError {
    CodedError::new(Code::PageUnreachable, message)
}

#[cfg(test)]
mod tests;
