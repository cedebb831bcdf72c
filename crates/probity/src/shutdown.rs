//! The end of this process: the signals that ask for it, and the moment at which it ends, whatever is still
//! under way then.
//!
//! Everything that matters is on disk before it is done, so a process may end at any moment. What a shutdown
//! waits for is a paid start: its answer has the id under which the run is found again.

use std::{process, sync::Once, thread, time::Duration};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;

/// What SIGTERM leaves to a start that is under way. Service managers and containers kill after ten seconds,
/// some after five.
const TERMINATE_PATIENCE: Duration = Duration::from_millis(3_000);
/// After this the process ends although a thread is still computing: such work cannot be cancelled.
const TERMINATE_DEADLINE: Duration = Duration::from_millis(3_600);
/// For the last line of the log, in case nobody reads it.
const LAST_LINE_TAKES: Duration = Duration::from_millis(100);

/// Who asked this process to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownRequest {
    /// Ctrl-C: a person, who sees what is waited for and can press it again.
    Interrupt,
    /// SIGTERM: a program, which kills soon.
    Terminate,
}

impl ShutdownRequest {
    /// How long work may go on that would take up to `otherwise`.
    pub fn patience(self, otherwise: Duration) -> Duration {
        match self {
            Self::Interrupt => otherwise,
            Self::Terminate => otherwise.min(TERMINATE_PATIENCE),
        }
    }
}

/// Ctrl-C, or SIGTERM.
pub struct ShutdownSignals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
}

impl ShutdownSignals {
    pub fn new() -> Self {
        enforce_deadline();
        Self { interrupt: listen(SignalKind::interrupt()), terminate: listen(SignalKind::terminate()) }
    }

    pub async fn wait(&mut self) -> ShutdownRequest {
        tokio::select! {
            () = next(&mut self.interrupt) => ShutdownRequest::Interrupt,
            () = next(&mut self.terminate) => ShutdownRequest::Terminate,
        }
    }
}

/// Returns when the user or the system asks this process to end.
pub async fn wait_for_shutdown() {
    ShutdownSignals::new().wait().await;
}

/// Returns when work that outlasts a shutdown request is to be left: at the second request, or some time after
/// a SIGTERM.
pub async fn wait_for_impatience() {
    let mut leave = ShutdownSignals::new();
    match leave.wait().await {
        ShutdownRequest::Interrupt => {
            leave.wait().await;
        }
        ShutdownRequest::Terminate => {
            tokio::select! {
                _ = leave.wait() => {}
                () = tokio::time::sleep(TERMINATE_PATIENCE) => {}
            }
        }
    }
}

fn listen(kind: SignalKind) -> Option<Signal> {
    signal(kind)
        .inspect_err(|error| tracing::warn!(%error, "no handler for a signal; it ends the program at once"))
        .ok()
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whoever listens for SIGTERM has taken away its default, which is to end the process. A thread of its own
/// gives it back: the others may all be busy.
fn enforce_deadline() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let watching = thread::Builder::new().name("deadline".to_owned()).spawn(|| {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            runtime.block_on(async {
                next(&mut listen(SignalKind::terminate())).await;
                tokio::time::sleep(TERMINATE_DEADLINE).await;
            });
            thread::spawn(|| {
                tracing::warn!(
                    "shutdown timeout: work that cannot be cancelled was left; what is saved resumes"
                );
            });
            thread::sleep(LAST_LINE_TAKES);
            process::exit(i32::from(Exit::Interrupted.number()));
        });
        if let Err(error) = watching {
            tracing::warn!(%error, "no thread for the shutdown timeout");
        }
    });
}
