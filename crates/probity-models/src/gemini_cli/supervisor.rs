//! The supervisor: a small process between Probity and the CLI that outlives neither.
//!
//! Whatever the CLI starts becomes the supervisor's child when its own parent dies, so no process can escape
//! by leaving the group or the session. When Probity ends, however it ends, the supervisor's stderr has no
//! reader any more; the supervisor notices, ends everything below it, and exits. It runs this program twice:
//! the first step watches, the second confines itself and becomes the CLI.

pub mod confine;
mod descendants;

use std::{
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Pid, Resource, Rlimit, Signal, WaitOptions, getpid, getppid, setrlimit, wait},
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
    time::timeout,
};

use super::{command, failure::SUPERVISOR_FAILED, process_folder};

/// How long the CLI has to end by itself after SIGTERM. It takes 40 ms.
pub const END_MAX: Duration = Duration::from_secs(2);
/// The same for what the CLI left running when it ended.
const REST_MAX: Duration = Duration::from_millis(200);
/// Between two rounds of killing, for the dead to be reaped.
const KILL_EVERY: Duration = Duration::from_millis(50);
/// Rounds of killing. Each kills all that is there; only a process that forks faster needs a second.
const KILLS_MAX: usize = 100;
/// Events queued at a time: an exit, a request to end, and the last child gone.
const NOTICES_MAX: usize = 8;

/// What to supervise, and within which bounds.
#[derive(Debug, Clone)]
pub struct SupervisorOptions {
    /// The private folder: the only place that may be written.
    pub own: PathBuf,
    /// What may be read besides the system's directories.
    pub reads: Vec<PathBuf>,
    /// Ports that may be connected to.
    pub ports: Vec<u16>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    pub step: SupervisorStep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupervisorStep {
    /// Watch over everything below.
    Watch,
    /// Confine this process and become the program. Knows the supervisor's pid.
    Become { supervisor: i32 },
}

/// An event for the supervisor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SupervisorNotice {
    Exited(i32),
    /// There is no child any more, of any generation.
    AllGone,
    /// Our stderr has no reader, or a signal asked us to end.
    End,
}

/// Runs the supervisor; the exit code is the program's. `again` is the command of the second step: everything
/// up to its own arguments.
pub fn run_supervisor(order: &SupervisorOptions, again: &[OsString]) -> u8 {
    let code = match order.step {
        SupervisorStep::Watch => watch(order, again),
        SupervisorStep::Become { supervisor } => Err(become_program(order, supervisor)),
    };
    let code = code.unwrap_or_else(|error| {
        // stderr may have no reader any more; there is no better place to report this.
        writeln!(io::stderr(), "probity keep: could not run the program: {error}").ok();
        SUPERVISOR_FAILED
    });
    u8::try_from(code & 0xff).unwrap_or(1)
}

fn watch(order: &SupervisorOptions, again: &[OsString]) -> io::Result<i32> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(getpid()))?;
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    let _held = process_folder::lock_folder(&order.own)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let code = runtime.block_on(supervise(order, again));
    if stderr_reader_is_gone() {
        // The owner is gone and cannot remove the folder.
        fs::remove_dir_all(&order.own).ok();
    }
    code
}

async fn supervise(order: &SupervisorOptions, again: &[OsString]) -> io::Result<i32> {
    let mut term = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let child = start(order, again)?;
    let (tell, mut told) = mpsc::channel(NOTICES_MAX);
    let ends = tell.clone();
    thread::spawn(move || reap(child, &ends));
    thread::spawn(move || watch_stderr_reader(&tell));
    let mut code = None;
    let mut patience = END_MAX;
    // Until the program has ended or is to end.
    while code.is_none() {
        let news = tokio::select! {
            news = told.recv() => news.unwrap_or(SupervisorNotice::End),
            _ = term.recv() => SupervisorNotice::End,
            _ = interrupt.recv() => SupervisorNotice::End,
            _ = hang_up.recv() => SupervisorNotice::End,
        };
        match news {
            SupervisorNotice::Exited(exit) => (code, patience) = (Some(exit), REST_MAX),
            SupervisorNotice::AllGone => return Ok(code.unwrap_or(SUPERVISOR_FAILED)),
            SupervisorNotice::End => break,
        }
    }
    let mut end = DescendantShutdown { told, code };
    end.end_descendants(patience).await;
    Ok(end.code.unwrap_or(128 + Signal::KILL.as_raw()))
}

/// The last part: everything below is ended.
struct DescendantShutdown {
    told: mpsc::Receiver<SupervisorNotice>,
    code: Option<i32>,
}

impl DescendantShutdown {
    async fn end_descendants(&mut self, patience: Duration) {
        descendants::signal_all(Signal::TERM);
        if self.gone_within(patience).await {
            return;
        }
        for _ in 0..KILLS_MAX {
            descendants::signal_all(Signal::KILL);
            if self.gone_within(KILL_EVERY).await {
                return;
            }
        }
    }

    async fn gone_within(&mut self, limit: Duration) -> bool {
        let gone = timeout(limit, async {
            loop {
                match self.told.recv().await {
                    Some(SupervisorNotice::Exited(exit)) => self.code = Some(exit),
                    Some(SupervisorNotice::AllGone) | None => return,
                    Some(SupervisorNotice::End) => {}
                }
            }
        });
        gone.await.is_ok()
    }
}

/// Starts the second step, from the main thread: the child dies with the thread that started it.
fn start(order: &SupervisorOptions, again: &[OsString]) -> io::Result<Pid> {
    let program = std::env::current_exe()?;
    let mut command = command::program_command(&program);
    command.args(again).arg("--own").arg(&order.own);
    for path in &order.reads {
        command.arg("--read").arg(path);
    }
    for port in &order.ports {
        command.arg("--port").arg(port.to_string());
    }
    command.arg("--keeper").arg(getpid().as_raw_nonzero().to_string());
    let child = command.arg("--").args(&order.command).spawn()?;
    // The pipes belong to the program now; the supervisor only watches stderr.
    let nowhere = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nowhere)?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| io::Error::other("the program has no number"))
}

/// Reaps dead children of any generation.
fn reap(child: Pid, tell: &mpsc::Sender<SupervisorNotice>) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == child => {
                let code = status.exit_status().or(status.terminating_signal().map(|signal| 128 + signal));
                if tell.blocking_send(SupervisorNotice::Exited(code.unwrap_or(1))).is_err() {
                    return;
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => {
                // The channel has no receiver once the supervisor is exiting.
                tell.blocking_send(SupervisorNotice::AllGone).ok();
                return;
            }
        }
    }
}

/// Waits until our stderr has no reader.
fn watch_stderr_reader(tell: &mpsc::Sender<SupervisorNotice>) {
    let stderr = io::stderr();
    loop {
        let mut watched = [PollFd::new(&stderr, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => {
                tell.blocking_send(SupervisorNotice::End).ok();
                return;
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn stderr_reader_is_gone() -> bool {
    let stderr = io::stderr();
    let mut watched = [PollFd::new(&stderr, PollFlags::empty())];
    let now = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&now)).is_ok_and(|count| count > 0)
}

/// Confines this process and becomes the program. Returns only on failure.
fn become_program(order: &SupervisorOptions, supervisor: i32) -> io::Error {
    let Some((program, arguments)) = order.command.split_first() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "there is no program to run");
    };
    #[cfg(target_os = "linux")]
    {
        if let Err(error) = rustix::process::set_parent_process_death_signal(Some(Signal::KILL)) {
            return error.into();
        }
        if getppid().map(|parent| parent.as_raw_nonzero().get()) != Some(supervisor) {
            return io::Error::other("the keeper is gone");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (supervisor, getppid());
    if let Err(error) = confine::confine(order) {
        return error;
    }
    command::program_command(program.as_ref()).args(arguments).exec()
}
