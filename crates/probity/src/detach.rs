//! Starts this program again in the background. One of the modules of this crate that start processes.
#![expect(clippy::disallowed_methods, reason = "starts the background process")]

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use probity_research::Code;

use crate::{command_error::CommandError, environment};

/// The child writes this once it has left our session; until then a Ctrl-C here would also end it.
const READY: &[u8] = b"ready\n";
/// Starting a process takes milliseconds; on a loaded machine we wait this long before we report what is
/// known.
const READY_WAIT: Duration = Duration::from_secs(5);

/// Starts `probity drive` and returns once it has left our session.
pub fn start_driver() -> Result<(), CommandError> {
    let failed = |error: &io::Error| {
        CommandError::new(Code::StoreFailed, "could not go to the background")
            .with_cause(error)
            .with_hint("the research is saved; drive it here with `probity runs resume`")
    };
    let program = environment::program().map_err(|error| failed(&error))?;
    let mut child = Command::new(program)
        .arg("drive")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&error))?;
    let Some(mut pipe) = child.stdout.take() else { return Ok(()) };
    let (said, hears) = mpsc::sync_channel(1);
    thread::spawn(move || {
        let mut word = Vec::new();
        let read = pipe.by_ref().take(READY.len() as u64).read_to_end(&mut word);
        // The receiver may have stopped waiting.
        said.send(read.is_ok() && word == READY).ok();
    });
    match hears.recv_timeout(READY_WAIT) {
        Ok(true) => Ok(()),
        Ok(false) | Err(_) => Err(failed(&io::Error::other("the background process did not come up"))),
    }
}

/// In the child: leaves the terminal's session, signals the parent, and closes its pipe.
pub fn leave_session() -> io::Result<()> {
    // Fails only for the leader of a process group, which needs no new session: it was started by hand.
    if let Err(error) = rustix::process::setsid() {
        tracing::debug!(%error, "already leader of a process group");
    }
    let mut out = io::stdout().lock();
    out.write_all(READY)?;
    out.flush()?;
    let nowhere: File = OpenOptions::new().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok(())
}
