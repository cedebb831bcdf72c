//! Runs this very program again in the demo's environment, and waits for it. The only module of the demo that
//! starts processes.
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
    /// The user interrupted the demo.
    Interrupted,
}

pub struct DemoOutput {
    pub ended: ChildExit,
    pub out: Vec<u8>,
    pub err: String,
}

/// Its output goes where ours goes.
pub async fn run_visible(stage: &DemoWorld, arguments: &[&str]) -> Result<ChildExit, CommandError> {
    Ok(run(command(stage, arguments)?).await?.ended)
}

/// Its output is returned.
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

/// Waits for the end. Ctrl-C here interrupts the child too, and our directory is still removed.
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
    // At a terminal the child got the same Ctrl-C; it may have ended by now.
    if let Err(error) = rustix::process::kill_process(process, rustix::process::Signal::INT) {
        tracing::debug!(%error, "child process had already ended");
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
    /// The exit code that a shell gives to a command that a signal ended.
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
