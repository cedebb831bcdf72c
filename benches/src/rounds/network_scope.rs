//! Runs work where there is no network but this machine's own: a namespace of its own with nothing but loopback.

use std::{fs, thread};

use anyhow::anyhow;

use crate::rig;

/// What surrounds the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkScope {
    /// Loopback and nothing else, seen from inside.
    LoopbackOnly,
    /// Namespaces need rights that this user does not have.
    Whole,
}

impl NetworkScope {
    pub fn words(self) -> &'static str {
        match self {
            Self::LoopbackOnly => "in a network namespace with loopback only",
            Self::Whole => {
                "with the whole network: a namespace with loopback only is not possible here (it needs root)"
            }
        }
    }
}

/// Does the work on a thread that has left the network, and with it everything that it starts.
pub fn run_isolated<T: Send>(
    work: impl FnOnce(NetworkScope) -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let working = scope.spawn(|| work(leave()));
        working.join().map_err(|_| anyhow!("the work panicked"))?
    })
}

#[expect(deprecated, reason = "what makes it unsafe concerns tables of files; unsafe code is denied here")]
fn leave() -> NetworkScope {
    use rustix::thread::{UnshareFlags, unshare};
    let raised = || rig::command("ip").args(["link", "set", "lo", "up"]).status();
    if unshare(UnshareFlags::NEWNET).is_err() || !raised().is_ok_and(|status| status.success()) {
        return NetworkScope::Whole;
    }
    if has_only_loopback() { NetworkScope::LoopbackOnly } else { NetworkScope::Whole }
}

/// As this thread sees it: two lines of heading, then one for each interface.
fn has_only_loopback() -> bool {
    let devices = fs::read_to_string("/proc/thread-self/net/dev").unwrap_or_default();
    let mut names = devices.lines().skip(2).filter_map(|line| line.split(':').next());
    names.next().is_some_and(|name| name.trim() == "lo") && names.next().is_none()
}
