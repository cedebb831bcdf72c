//! Attaching to a running `probity serve`: bytes from our client to its socket and back.
//!
//! Does not parse what it forwards. Its promises: our client never gets half a message, and no server with other settings
//! than the client's own decides what its runs are and cost.

use std::{io, path::Path, time::Duration};

use probity_research::Code;
use probity_server::{hang_up::HangUpWatch, local_socket::SOCKET, stdio};
use probity_store::ServeLock;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use crate::{command_error::CommandError, exit::Exit, shutdown::wait_for_shutdown};

/// Read at once: a burst of small messages, or a large part of a report.
const CHUNK_BYTES: usize = 64 * 1024;
/// Longest answer without a line break. Reports come in pages far below this.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The server ends a session at once when its client disconnects; what comes later has no reader.
const LAST_ANSWERS_MAX: Duration = Duration::from_secs(2);
/// What a client wrote before it closed its side fits into a pipe and is forwarded at once, unless the server
/// does not read.
const LAST_QUESTIONS_MAX: Duration = Duration::from_secs(1);

mod served_settings;

pub use served_settings::ServedSettings;

/// A connection to the server that runs on this data directory.
#[derive(Debug)]
pub struct ServerConnection {
    stream: UnixStream,
}

/// Why forwarding ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachExit {
    /// Our client closed its side, which is how a session ends.
    ByClient,
    /// The server ended while the client was still connected.
    ServerGone,
}

/// Serves the client of this process through the running server. `None` when there is none, and when it would serve
/// otherwise than this process is told to.
pub async fn serve_client(
    store_directory: &Path,
    wanted: &ServedSettings,
) -> Option<Result<Exit, CommandError>> {
    let attached = connect(store_directory).await?;
    let served = ServeLock::notice_for_clients(store_directory);
    let other = wanted.differing_from(served.as_deref().and_then(ServedSettings::decode).as_ref());
    if !other.is_empty() {
        let names = other.join(", ");
        tracing::warn!(
            "the running `probity serve` has other settings ({names}); this process serves its client itself"
        );
        return None;
    }
    let (input, output) = stdio::streams();
    let hang_up = HangUpWatch::new(io::stdin());
    let ended = tokio::select! {
        ended = attached.pump(input, output) => ended,
        () = abandoned(&hang_up) => AttachExit::ByClient,
        () = wait_for_shutdown() => AttachExit::ByClient,
    };
    Some(match ended {
        AttachExit::ByClient => Ok(Exit::Done),
        AttachExit::ServerGone => {
            Err(CommandError::new(Code::ServerGone, "the server this client was attached to has ended"))
        }
    })
}

/// Returns when our client has closed its side and forwarding has not ended by itself since: the server has
/// stopped reading because the client does not read its answers.
async fn abandoned(hang_up: &HangUpWatch) {
    hang_up.wait().await;
    tokio::time::sleep(LAST_QUESTIONS_MAX + LAST_ANSWERS_MAX).await;
}

/// `None` when no server listens there: no socket, or one left behind by a dead server.
/// Connecting to a local socket never waits.
pub async fn connect(store_directory: &Path) -> Option<ServerConnection> {
    match UnixStream::connect(store_directory.join(SOCKET)).await {
        Ok(stream) => Some(ServerConnection { stream }),
        Err(error) => {
            tracing::debug!(%error, "no server on this socket");
            None
        }
    }
}

impl ServerConnection {
    /// Forwards until one side ends. Only whole lines reach `output`.
    pub async fn pump(self, input: impl AsyncRead + Unpin, output: impl AsyncWrite + Unpin) -> AttachExit {
        let (answers, questions) = self.stream.into_split();
        let asking = carry_questions(input, questions);
        let answering = carry_answers(answers, output);
        tokio::pin!(asking, answering);
        tokio::select! {
            ended = &mut answering => ended,
            ended = &mut asking => {
                // Answers that were already sent still arrive.
                let last = tokio::time::timeout(LAST_ANSWERS_MAX, answering).await;
                tracing::debug!(?last, "last answers forwarded");
                ended
            }
        }
    }
}

async fn carry_questions(mut input: impl AsyncRead + Unpin, mut questions: OwnedWriteHalf) -> AttachExit {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = match input.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => chunk.get(..read).unwrap_or_default(),
        };
        if questions.write_all(read).await.is_err() {
            return AttachExit::ServerGone;
        }
    }
    // The server sees end of input, as we did.
    if let Err(error) = questions.shutdown().await {
        tracing::debug!(%error, "server had closed the connection");
    }
    AttachExit::ByClient
}

async fn carry_answers(mut answers: OwnedReadHalf, mut output: impl AsyncWrite + Unpin) -> AttachExit {
    let mut held = Vec::with_capacity(CHUNK_BYTES);
    loop {
        match answers.read_buf(&mut held).await {
            Ok(0) | Err(_) => return AttachExit::ServerGone,
            Ok(read) => {
                // Only new bytes can contain the line's end: a long line is scanned once.
                let before = held.len().saturating_sub(read);
                let fresh = held.get(before..).unwrap_or_default();
                if let Some(end) = fresh.iter().rposition(|byte| *byte == b'\n').map(|end| before + end + 1) {
                    if write(&mut output, held.get(..end).unwrap_or_default()).await.is_err() {
                        return AttachExit::ByClient;
                    }
                    held.drain(..end);
                } else if held.len() > LINE_BYTES_MAX {
                    tracing::warn!(bytes = held.len(), "answer too long without a line break; detaching");
                    return AttachExit::ServerGone;
                }
            }
        }
    }
}

async fn write(output: &mut (impl AsyncWrite + Unpin), lines: &[u8]) -> io::Result<()> {
    output.write_all(lines).await?;
    output.flush().await
}

#[cfg(test)]
mod tests;
