//! MCP for other programs of this machine's own user: a Unix socket that speaks one message per line.
//!
//! No token: only the owner may enter the directory or open the socket, and the owner can access everything.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use probity_runner::tasks::TaskGroup;
use rmcp::ServerHandler;
use tokio::{
    net::{UnixListener, UnixStream},
    sync::Semaphore,
};
use tokio_util::sync::CancellationToken;

use crate::{hang_up::HangUpWatch, stdio};

/// Its name in the data directory.
pub const SOCKET: &str = "serve.sock";

/// Clients attached at the same time; an editor with its agents has some ten. Others wait in the queue.
const CLIENTS_MAX: usize = 256;
/// Pause after a failed accept: usually too many open files, which passes.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// A listening socket. Its file is removed with it.
#[derive(Debug)]
pub struct LocalSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl LocalSocket {
    /// Listens in a directory that only its owner may enter. The socket of a dead server is replaced; a
    /// living one is `AddrInUse`. The caller makes sure that no two processes do this at once.
    pub fn bind(directory: &Path) -> io::Result<Self> {
        let path = directory.join(SOCKET);
        match std::os::unix::net::UnixStream::connect(&path) {
            Ok(_) => return Err(io::ErrorKind::AddrInUse.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => fs::remove_file(&path)?,
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(Self { listener, path })
    }
}

impl Drop for LocalSocket {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the socket was gone already");
        }
    }
}

/// Serves until `stop`. `make` yields the handler of one client, which works in this directory if that is known.
pub async fn serve<H, F>(socket: LocalSocket, make: F, stop: CancellationToken)
where
    H: ServerHandler,
    F: Fn(Option<PathBuf>) -> H,
{
    let tasks = TaskGroup::child_of(&stop);
    let room = Arc::new(Semaphore::new(CLIENTS_MAX));
    loop {
        let accepting = async {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            match socket.listener.accept().await {
                Ok((stream, _)) => {
                    let handler = make(peer_directory(&stream));
                    tasks.spawn_named("attached client", |stop| async move {
                        let _place = place;
                        serve_client(handler, stream, stop).await;
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "client connection not accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = accepting => {}
        }
    }
    drop(socket);
    tasks.close().await;
}

/// The working directory of the process at the other end, where the system tells.
fn peer_directory(stream: &UnixStream) -> Option<PathBuf> {
    let process = stream.peer_cred().ok()?.pid()?;
    fs::read_link(format!("/proc/{process}/cwd")).ok()
}

async fn serve_client<H: ServerHandler>(handler: H, stream: UnixStream, stop: CancellationToken) {
    let hang_up = HangUpWatch::new(&stream);
    if let Err(error) = stdio::serve(handler, stream.into_split(), hang_up, stop).await {
        tracing::debug!(%error, "client session did not start");
    }
}
