//! Runs this very program again in the demo's world, and waits for it. The demo's door to child processes.
#![expect(clippy::disallowed_methods, reason = "the demo shows the real program by running it")]

use std::{
    io,
    process::{Child, Command, Output, Stdio},
};

use probity_research::Code;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::world::DemoWorld;
use crate::{command_error::CommandError, environment};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildExit {
    Code(i32),
    /// The user wants no more of it.
    Interrupted,
}

pub struct DemoOutput {
    pub ended: ChildExit,
    pub out: Vec<u8>,
    pub err: String,
}

/// Its words go where ours go.
pub async fn run_visible(stage: &DemoWorld, arguments: &[&str]) -> Result<ChildExit, CommandError> {
    Ok(run(command(stage, arguments)?).await?.ended)
}

/// Its words come back.
pub async fn run_captured(stage: &DemoWorld, arguments: &[&str]) -> Result<DemoOutput, CommandError> {
    let mut command = command(stage, arguments)?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    run(command).await
}

fn command(stage: &DemoWorld, arguments: &[&str]) -> Result<Command, CommandError> {
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
async fn run(mut command: Command) -> Result<DemoOutput, CommandError> {
    let mut interrupts = listen(SignalKind::interrupt())?;
    let mut ends = listen(SignalKind::terminate())?;
    let child = command.spawn().map_err(|error| failed(&error))?;
    let process = rustix::process::Pid::from_child(&child);
    let mut waiting = tokio::task::spawn_blocking(move || wait(child));
    let interrupted = tokio::select! {
        ended = &mut waiting => return child_output(ended, false),
        _ = interrupts.recv() => true,
        _ = ends.recv() => true,
    };
    // At a terminal it heard the same Ctrl-C; it may be gone by now.
    if let Err(error) = rustix::process::kill_process(process, rustix::process::Signal::INT) {
        tracing::debug!(%error, "the command had ended");
    }
    child_output(waiting.await, interrupted)
}

fn wait(child: Child) -> io::Result<Output> {
    child.wait_with_output()
}

fn child_output(
    ended: Result<io::Result<Output>, tokio::task::JoinError>,
    interrupted: bool,
) -> Result<DemoOutput, CommandError> {
    /// What a shell calls a command that a signal ended.
    const BY_SIGNAL: i32 = 128;
    let output = ended.map_err(|error| failed(&error))?.map_err(|error| failed(&error))?;
    let code = output.status.code().unwrap_or(BY_SIGNAL);
    let interrupted = interrupted || code == i32::from(crate::exit::Exit::Interrupted.number());
    Ok(DemoOutput {
        ended: if interrupted { ChildExit::Interrupted } else { ChildExit::Code(code) },
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

fn listen(kind: SignalKind) -> Result<Signal, CommandError> {
    signal(kind).map_err(|error| failed(&error))
}

fn failed(error: &(dyn std::error::Error + 'static)) -> CommandError {
    CommandError::new(Code::StoreFailed, "the demo could not run a command").with_cause(error)
}
