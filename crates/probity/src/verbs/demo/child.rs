//! Runs this very program again in the demo's world, and waits for it. The demo's door to child processes.
#![expect(clippy::disallowed_methods, reason = "the demo shows the real program by running it")]

use std::{
    io,
    process::{Child, Command, Output, Stdio},
};

use probity_research::Code;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::stage::Stage;
use crate::{environment, failure::Failure};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    /// The user wants no more of it.
    Interrupted,
}

pub struct Caught {
    pub ended: Ended,
    pub out: Vec<u8>,
    pub err: String,
}

/// Its words go where ours go.
pub async fn shown(stage: &Stage, arguments: &[&str]) -> Result<Ended, Failure> {
    Ok(run(command(stage, arguments)?).await?.ended)
}

/// Its words come back.
pub async fn caught(stage: &Stage, arguments: &[&str]) -> Result<Caught, Failure> {
    let mut command = command(stage, arguments)?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    run(command).await
}

fn command(stage: &Stage, arguments: &[&str]) -> Result<Command, Failure> {
    let program = environment::program().map_err(|error| failed(&error))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(stage.variables().iter().map(|(name, value)| (*name, value)))
        .current_dir(stage.home())
        .stdin(Stdio::null());
    Ok(command)
}

/// Waits for the end. Whoever interrupts us interrupts it too, and our directory is still cleared.
async fn run(mut command: Command) -> Result<Caught, Failure> {
    let mut interrupts = listen(SignalKind::interrupt())?;
    let mut ends = listen(SignalKind::terminate())?;
    let child = command.spawn().map_err(|error| failed(&error))?;
    let process = rustix::process::Pid::from_child(&child);
    let mut waiting = tokio::task::spawn_blocking(move || wait(child));
    let interrupted = tokio::select! {
        ended = &mut waiting => return told(ended, false),
        _ = interrupts.recv() => true,
        _ = ends.recv() => true,
    };
    // At a terminal it heard the same Ctrl-C; it may be gone by now.
    if let Err(error) = rustix::process::kill_process(process, rustix::process::Signal::INT) {
        tracing::debug!(%error, "the command had ended");
    }
    told(waiting.await, interrupted)
}

fn wait(child: Child) -> io::Result<Output> {
    child.wait_with_output()
}

fn told(
    ended: Result<io::Result<Output>, tokio::task::JoinError>,
    interrupted: bool,
) -> Result<Caught, Failure> {
    /// What a shell calls a command that a signal ended.
    const BY_SIGNAL: i32 = 128;
    let output = ended.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
    let code = output.status.code().unwrap_or(BY_SIGNAL);
    let interrupted = interrupted || code == i32::from(crate::exit::Exit::Interrupted.number());
    Ok(Caught {
        ended: if interrupted { Ended::Interrupted } else { Ended::Code(code) },
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn listen(kind: SignalKind) -> Result<Signal, Failure> {
    signal(kind).map_err(|error| failed(&error))
}

fn failed(error: &(dyn std::error::Error + 'static)) -> Failure {
    Failure::new(Code::StoreFailed, "the demo could not run a command").because(error)
}
