//! Tells that a client has closed its side while nobody reads from it.
//!
//! The end of input is seen by reading, and a client with too many unread answers is not read from. The system
//! reports the closed side all the same.

use std::{
    os::fd::{AsFd, OwnedFd},
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How often the system is asked, while somebody waits.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the system says of an end whose other side is closed, also if there is something left to read.
#[cfg(target_os = "linux")]
const CLOSED: PollFlags = PollFlags::HUP.union(PollFlags::ERR).union(PollFlags::RDHUP);
#[cfg(not(target_os = "linux"))]
const CLOSED: PollFlags = PollFlags::HUP.union(PollFlags::ERR);

/// Watches the other end of a pipe or socket. Reads nothing.
#[derive(Debug)]
pub struct HangUpWatch(Option<OwnedFd>);

impl HangUpWatch {
    pub fn new(end: impl AsFd) -> Self {
        let end = end.as_fd().try_clone_to_owned();
        Self(end.inspect_err(|error| tracing::debug!(%error, "end of input is seen by reading only")).ok())
    }

    /// For streams that are no files of the system.
    pub fn none() -> Self {
        Self(None)
    }

    /// Returns when the other side is closed; never for a file, which has no other side. Safe to drop and to
    /// call again.
    pub async fn wait(&self) {
        let Some(end) = &self.0 else { return std::future::pending().await };
        while !is_closed(end) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

fn is_closed(end: &OwnedFd) -> bool {
    let mut watched = [PollFd::new(end, CLOSED)];
    match poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => watched.iter().any(|end| end.revents().intersects(CLOSED)),
        Err(error) => {
            tracing::debug!(%error, "end of input is seen by reading only");
            false
        }
    }
}
