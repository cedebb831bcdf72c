//! A wire that listens: every byte that a client sends through it is kept, and passed on as it is.
#![expect(clippy::disallowed_methods, reason = "a wire is a task for each connection")]

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Kept of one research; far more than it sends.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Ends with its last connection when dropped.
pub struct RecordingProxy {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<u8>>>,
    listening: JoinHandle<()>,
}

impl RecordingProxy {
    /// Passes on to `target`.
    pub async fn start(target: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, target, Arc::clone(&kept)));
            }
        });
        Ok(Self { address, heard, listening })
    }

    pub fn heard(&self) -> Vec<u8> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for RecordingProxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn pass_on(client: TcpStream, target: SocketAddr, kept: Arc<Mutex<Vec<u8>>>) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = async {
        let mut piece = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = from_client.read(&mut piece).await {
            let bytes = piece.get(..length).unwrap_or_default();
            {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() < BYTES_MAX {
                    kept.extend_from_slice(bytes);
                }
            }
            if to_server.write_all(bytes).await.is_err() {
                break;
            }
        }
        // The other side may have left first.
        to_server.shutdown().await.ok();
    };
    let back = async {
        tokio::io::copy(&mut from_server, &mut to_client).await.ok();
        to_client.shutdown().await.ok();
    };
    tokio::join!(there, back);
}

/// A door of this machine at which nobody may knock.
pub struct ForbiddenPort {
    listener: std::net::TcpListener,
}

impl ForbiddenPort {
    pub fn open() -> anyhow::Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener })
    }

    pub fn address(&self) -> anyhow::Result<String> {
        Ok(self.listener.local_addr()?.to_string())
    }

    /// Connections since it was opened or asked last.
    pub fn connection_count(&self) -> usize {
        std::iter::from_fn(|| self.listener.accept().ok()).count()
    }
}
