//! Forwards bytes between Chromium and a server, counted against the limit of one page.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::TcpStream,
};

use super::head::{self, ProxyRequest};

/// Connect timeout: an unreachable server fails sooner.
pub const CONNECT_MAX: Duration = Duration::from_secs(5);
/// Timeout of a request's head: Chromium sends it at once.
pub const HEAD_MAX: Duration = Duration::from_secs(5);
/// Longest head: what common servers allow.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Read at once.
const PIECE_BYTES: usize = 16 * 1024;
/// Interim answers before the real one.
const INTERIM_MAX: usize = 8;

/// Bytes that are left for this page, both ways and over all its connections.
#[derive(Debug)]
pub struct ByteBudget(pub AtomicU64);

impl ByteBudget {
    pub fn left(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn spend(&self, count: usize) -> io::Result<()> {
        let count = count as u64;
        let spent = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(count));
        if spent.is_err() {
            self.0.store(0, Ordering::Relaxed);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the page asks for more than it may"));
        }
        Ok(())
    }
}

/// Everything up to the empty line, and what came after it; `bytes` were read before.
pub async fn read_head<R: AsyncRead + Unpin>(
    from: &mut R,
    mut bytes: Vec<u8>,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        if let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Ok((bytes, rest));
        }
        if bytes.len() > HEAD_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a head without an end"));
        }
        let count = from.read(&mut piece).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(piece.get(..count).unwrap_or_default());
    }
}

/// A response of the proxy's own.
pub async fn send_status(client: &mut TcpStream, status: &str, lines: &[&str]) -> io::Result<()> {
    let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    let text = format!("HTTP/1.1 {status}\r\n{lines}Content-Length: 0\r\nConnection: close\r\n\r\n");
    client.write_all(text.as_bytes()).await?;
    client.shutdown().await
}

pub async fn start_tunnel(client: &mut TcpStream) -> io::Result<()> {
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await
}

/// Until both sides have closed.
pub async fn copy_both_ways(
    client: &mut TcpStream,
    server: TcpStream,
    early: &[u8],
    budget: &ByteBudget,
) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.into_split();
    budget.spend(early.len())?;
    to_server.write_all(early).await?;
    let up = copy_bounded(&mut from_client, &mut to_server, u64::MAX, budget);
    let down = copy_bounded(&mut from_server, &mut to_client, u64::MAX, budget);
    tokio::try_join!(up, down).map(|_| ())
}

/// One request, one response, and the connection is closed: the next one is checked anew.
pub async fn forward_request(
    client: &mut TcpStream,
    server: TcpStream,
    request: &ProxyRequest,
    early: &[u8],
    body: u64,
    budget: &ByteBudget,
) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.into_split();
    let early = early.get(..usize::try_from(body).unwrap_or(usize::MAX).min(early.len())).unwrap_or_default();
    budget.spend(request.onward.len() + early.len())?;
    to_server.write_all(request.onward.as_bytes()).await?;
    to_server.write_all(early).await?;
    let up = async {
        let sent = copy_bounded(&mut from_client, &mut to_server, body - early.len() as u64, budget).await;
        // The other half stays open: servers take a closed connection for a disconnected client.
        sent.map(|()| &to_server)
    };
    let down = async {
        let rest = forward_response_head(&mut from_server, &mut to_client, budget).await?;
        budget.spend(rest.len())?;
        to_client.write_all(&rest).await?;
        copy_bounded(&mut from_server, &mut to_client, u64::MAX, budget).await
    };
    let done = tokio::try_join!(up, down).map(|_| ());
    to_client.shutdown().await.ok();
    done
}

/// Forwards the head of the response, without the interim ones; returns what came with it.
async fn forward_response_head<R, W>(from: &mut R, to: &mut W, budget: &ByteBudget) -> io::Result<Vec<u8>>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut rest = Vec::new();
    for _ in 0..INTERIM_MAX {
        let (head, after) = read_head(from, rest).await?;
        match head::parse_response_head(&head) {
            Some(Some(text)) => {
                budget.spend(text.len())?;
                to.write_all(text.as_bytes()).await?;
                return Ok(after);
            }
            Some(None) => rest = after,
            None => return Err(io::Error::new(io::ErrorKind::InvalidData, "not an HTTP answer")),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "interim answers without an end"))
}

async fn copy_bounded<R, W>(from: &mut R, to: &mut W, most: u64, budget: &ByteBudget) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut piece = vec![0; PIECE_BYTES];
    let mut left = most;
    while left > 0 {
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
        let count = from.read(piece.get_mut(..room).unwrap_or_default()).await?;
        if count == 0 {
            break;
        }
        budget.spend(count)?;
        to.write_all(piece.get(..count).unwrap_or_default()).await?;
        left -= count as u64;
    }
    if most == u64::MAX {
        to.shutdown().await?;
    }
    Ok(())
}
