//! From a name to addresses: the system's resolver, or whatever a test puts in its place.

use std::{fmt, io, net::IpAddr, net::ToSocketAddrs, pin::Pin, sync::Arc, time::Duration};

use tokio::sync::Semaphore;

/// Concurrent lookups. Each blocks a thread that cannot be interrupted until the resolver gives up.
const LOOKUPS_AT_ONCE_MAX: usize = 16;
/// Timeout: past this a name counts as unknown.
const LOOKUP_MAX: Duration = Duration::from_secs(5);

pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves names.
#[derive(Clone)]
pub struct NameResolver(Arc<dyn Fn(String) -> LookupFuture + Send + Sync>);

impl NameResolver {
    /// As every program on this machine resolves names.
    pub fn system() -> Self {
        let room = Arc::new(Semaphore::new(LOOKUPS_AT_ONCE_MAX));
        Self::from_fn(move |name| {
            let room = Arc::clone(&room);
            Box::pin(async move {
                let permit = room.acquire_owned().await.map_err(io::Error::other)?;
                let lookup = tokio::task::spawn_blocking(move || {
                    let _held_until_the_thread_is_free = permit;
                    let found = (name.as_str(), 0).to_socket_addrs()?;
                    Ok(found.map(|address| address.ip()).collect())
                });
                lookup.await.map_err(io::Error::other)?
            })
        })
    }

    pub fn from_fn(answer: impl Fn(String) -> LookupFuture + Send + Sync + 'static) -> Self {
        Self(Arc::new(answer))
    }

    pub async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        match tokio::time::timeout(LOOKUP_MAX, (self.0)(name.to_owned())).await {
            Ok(answer) => answer,
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the name server did not answer in time")),
        }
    }
}

impl fmt::Debug for NameResolver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Lookup")
    }
}
