//! The way to the provider, which can be closed: then every request is answered with 503, and counted.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

const REFUSAL: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 78\r\n\r\n{\"error\":{\"code\":503,\"message\":\"The service is overloaded\",\"status\":\"DOWN!\"}}\n";
/// A request comes in one or two pieces; whoever sends nothing more is done.
const REQUEST_TAKES: Duration = Duration::from_secs(30);

#[derive(Default)]
struct ProviderGateInner {
    closed: AtomicBool,
    refused: AtomicU64,
    connections: Mutex<Vec<TcpStream>>,
}

pub struct ProviderGate {
    inner: Arc<ProviderGateInner>,
    pub base_url: String,
}

impl ProviderGate {
    /// `provider` is `http://address:port`.
    pub fn open(provider: &str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let inner = Arc::<ProviderGateInner>::default();
        let (provider, kept) = (provider.trim_start_matches("http://").to_owned(), Arc::clone(&inner));
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (provider, inner) = (provider.clone(), Arc::clone(&kept));
                std::thread::spawn(move || {
                    // Either side may go away at any time.
                    pass(&inner, socket, &provider).ok();
                });
            }
        });
        Ok(Self { inner, base_url })
    }

    /// Everything is refused for so long; what is open is cut at either end, as an outage does. How many requests were
    /// answered with 503.
    pub fn close_for(&self, time: Duration) -> u64 {
        for (closed, pause) in [(true, time), (false, Duration::ZERO)] {
            self.inner.closed.store(closed, Ordering::SeqCst);
            let mut connections = self.inner.connections.lock().unwrap_or_else(PoisonError::into_inner);
            for connection in connections.drain(..) {
                connection.shutdown(Shutdown::Both).ok();
            }
            drop(connections);
            std::thread::sleep(pause);
        }
        self.inner.refused.load(Ordering::SeqCst)
    }
}

fn pass(inner: &Arc<ProviderGateInner>, mut client: TcpStream, provider: &str) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let keep = |stream: &TcpStream| -> std::io::Result<()> {
        let mut connections = inner.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.push(stream.try_clone()?);
        Ok(())
    };
    if inner.closed.load(Ordering::SeqCst) {
        keep(&client)?;
        return refuse(inner, &mut client);
    }
    let server = TcpStream::connect(provider)?;
    server.set_nodelay(true)?;
    keep(&client)?;
    keep(&server)?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let up = std::thread::spawn(move || {
        std::io::copy(&mut from_client, &mut to_server).ok();
        to_server.shutdown(Shutdown::Write).ok();
    });
    let mut from_server = server;
    std::io::copy(&mut from_server, &mut client)?;
    client.shutdown(Shutdown::Both).ok();
    up.join().ok();
    Ok(())
}

/// Answers every request of this connection with 503 until the client leaves or the gate is opened.
fn refuse(inner: &ProviderGateInner, client: &mut TcpStream) -> std::io::Result<()> {
    client.set_read_timeout(Some(REQUEST_TAKES))?;
    let mut seen = Vec::new();
    let mut bytes = [0; 16 * 1024];
    loop {
        while let Some(length) = request_length(&seen) {
            seen.drain(..length);
            inner.refused.fetch_add(1, Ordering::SeqCst);
            client.write_all(REFUSAL.as_bytes())?;
        }
        let count = client.read(&mut bytes)?;
        if count == 0 {
            return Ok(());
        }
        seen.extend_from_slice(bytes.get(..count).unwrap_or_default());
    }
}

/// Bytes of the first whole request, if it is there.
fn request_length(seen: &[u8]) -> Option<usize> {
    let head = seen.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(seen.get(..head)?).to_ascii_lowercase();
    let body: usize = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|length| length.trim().parse().ok())
        .unwrap_or(0);
    (seen.len() >= head + body).then_some(head + body)
}

#[cfg(test)]
mod tests {
    use super::{REFUSAL, request_length};

    #[test]
    fn requests_are_counted_whole() {
        assert_eq!(request_length(b"GET / HTTP/1.1\r\n\r\nGET"), Some(18));
        assert_eq!(request_length(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{"), None);
        assert_eq!(request_length(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), Some(40));
    }

    #[test]
    fn the_refusal_says_how_long_it_is() {
        let (_, body) = REFUSAL.split_once("\r\n\r\n").unwrap();
        assert!(REFUSAL.contains(&format!("content-length: {}\r\n", body.len())));
    }
}
