//! A running child and its three pipes: written to, drained, bounded, and ended with no process left.
//!
//! Needs no task of its own: the caller that waits for the next line drives all three pipes. Closing the
//! pipes ends the child: the supervisor sees the closed pipe and ends everything below it.

use std::{io, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    time::{sleep, timeout},
};

use super::{
    command,
    output_buffers::{HeadAndTail, LineSplitter},
    process_folder::ProcessFolder,
};

/// All that a child may print for one question, on both pipes. An answer with thirty pages has one or two
/// megabytes; more than this is no answer.
pub const OUTPUT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// What is kept of stderr at each end.
const ERRORS_BYTES_EACH: usize = 32 * 1024;
/// Read at once.
const PIECE_BYTES: usize = 64 * 1024;
/// After the child is gone, for what is still in the pipe. Another process that keeps the pipe open does not
/// delay us longer.
const DRAIN: Duration = Duration::from_millis(300);
/// The supervisor gives the child two seconds, kills for some more, and ends. Past this it is stuck.
const STOP_MAX: Duration = Duration::from_secs(15);

/// The next event of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessOutput {
    Line(String),
    /// More than any answer has, or an overlong line.
    TooMuch,
    /// It ended, and everything it printed was read.
    Over(Option<i32>),
}

#[derive(Debug)]
pub struct CliProcess {
    child: Child,
    /// The supervisor leads the group that everything below it begins in.
    leader: Option<u32>,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    piece: Vec<u8>,
    piece_of_errors: Vec<u8>,
    lines: LineSplitter,
    errors: HeadAndTail,
    read: u64,
    outgoing: Vec<u8>,
    input: StdinState,
    exited: Option<Option<i32>>,
    folder: ProcessFolder,
}

/// What happens to stdin once everything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinState {
    Open,
    Closed,
}

impl CliProcess {
    pub fn start(mut command: Command, folder: ProcessFolder) -> io::Result<Self> {
        let mut child = command.spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let leader = child.id();
        Ok(Self {
            child,
            leader,
            stdin,
            stdout,
            stderr,
            piece: vec![0; PIECE_BYTES],
            piece_of_errors: vec![0; PIECE_BYTES],
            lines: LineSplitter::default(),
            errors: HeadAndTail::new(ERRORS_BYTES_EACH),
            read: 0,
            outgoing: Vec::new(),
            input: StdinState::Open,
            exited: None,
            folder,
        })
    }

    pub fn folder(&self) -> &ProcessFolder {
        &self.folder
    }

    /// Head and tail of what came on stderr since the last `reset_output`.
    pub fn errors(&self) -> &HeadAndTail {
        &self.errors
    }

    /// A new question: earlier output does not count against it.
    pub fn reset_output(&mut self) {
        self.read = 0;
        self.errors = HeadAndTail::new(ERRORS_BYTES_EACH);
    }

    /// Queues bytes for stdin; they are written while the child is polled.
    pub fn send(&mut self, bytes: &[u8], then: StdinState) {
        self.outgoing.extend_from_slice(bytes);
        self.input = then;
    }

    /// The next line, or the end. Cancel-safe: nothing read or written is lost.
    pub async fn next_output(&mut self) -> ProcessOutput {
        loop {
            match self.lines.next_line() {
                Ok(Some(line)) => return ProcessOutput::Line(line),
                Err(_) => return ProcessOutput::TooMuch,
                Ok(None) => {}
            }
            if self.read > OUTPUT_BYTES_MAX {
                return ProcessOutput::TooMuch;
            }
            if let (None, Some(code)) = (&self.stdout, self.exited) {
                return self.lines.rest().map_or(ProcessOutput::Over(code), ProcessOutput::Line);
            }
            if self.outgoing.is_empty() && self.input == StdinState::Closed {
                self.stdin = None;
            }
            self.step().await;
        }
    }

    /// Waits for the next event at any pipe, or for the end of the child.
    async fn step(&mut self) {
        let Self { child, stdin, stdout, stderr, piece, piece_of_errors, outgoing, exited, .. } = self;
        let gone = exited.is_some();
        tokio::select! {
            // In this order: errors that the child printed before its answer are known with the answer.
            biased;
            written = write(stdin, outgoing), if stdin.is_some() && !outgoing.is_empty() => match written {
                Ok(count) => { outgoing.drain(..count.min(outgoing.len())); }
                // The child closed its stdin. The reason is on the other pipes.
                Err(_) => { *stdin = None; outgoing.clear(); }
            },
            count = read(stderr, piece_of_errors), if stderr.is_some() => {
                let taken = piece_of_errors.get(..count).unwrap_or_default();
                self.errors.push(taken);
                self.read += count as u64;
                if count == 0 { *stderr = None; }
            }
            count = read(stdout, piece), if stdout.is_some() => {
                let taken = piece.get(..count).unwrap_or_default();
                self.lines.push(taken);
                self.read += count as u64;
                if count == 0 { *stdout = None; }
            }
            status = child.wait(), if !gone => {
                let code = status.ok().and_then(|status| status.code());
                if code.is_none() {
                    // If the supervisor was killed, its group is ours to end.
                    self.leader.into_iter().for_each(command::kill_group);
                }
                *exited = Some(code);
            }
            () = sleep(DRAIN), if gone => { *stdout = None; *stderr = None; }
        }
    }

    /// Whether it has ended by itself.
    pub fn is_dead(&mut self) -> bool {
        self.exited.is_some() || !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the child and everything below it, and waits until that is done.
    pub async fn stop(mut self) {
        self.stdin = None;
        self.stdout = None;
        self.stderr = None;
        if self.exited.is_some() {
            return;
        }
        if timeout(STOP_MAX, self.child.wait()).await.is_err() {
            tracing::error!("timeout: supervisor of the Gemini CLI did not end; killed");
            if let Err(error) = self.child.kill().await {
                tracing::error!(%error, "supervisor of the Gemini CLI was not killed");
            }
            self.leader.into_iter().for_each(command::kill_group);
        }
    }
}

async fn write(stdin: &mut Option<ChildStdin>, bytes: &[u8]) -> io::Result<usize> {
    match stdin {
        Some(stdin) => stdin.write(bytes).await,
        None => std::future::pending().await,
    }
}

/// Zero at the end, whichever way it ended.
async fn read<R: tokio::io::AsyncRead + Unpin>(pipe: &mut Option<R>, piece: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(piece).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}
