//! Which processes are alive: a lock file per owner, and a heartbeat for those that hang.
//!
//! A lock that can be taken belongs to a dead process, whatever the clock says. An owner with a lock but
//! without heartbeats is timed by this process's own monotonic clock, so a jump of the wall clock frees no
//! lease.

use std::{
    collections::{HashMap, VecDeque},
    fs::{File, TryLockError},
    io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use probity_research::{
    error::{Code, CodedError},
    event::Event,
    id::{OwnerId, RunId},
    ports::{JournalEntry, LeaseClaim},
};

use crate::{error::Error, files, layout::Layout};

/// An owner without a heartbeat for this long lost its leases, even if its process still exists.
pub const LEASE: Duration = Duration::from_secs(30);

/// Runs that this process asked for and has not claimed yet; the oldest are forgotten, for after a moment anybody may
/// claim them.
const ASKED_MAX: usize = 256;

#[derive(Debug, Default)]
pub struct OwnerRegistry {
    held: Mutex<HashMap<OwnerId, File>>,
    seen: Mutex<HashMap<OwnerId, LastBeat>>,
    asked: Mutex<VecDeque<RunId>>,
}

/// Last number of heartbeats seen of another owner, and since when it has not changed.
#[derive(Debug, Clone, Copy)]
struct LastBeat {
    beats: i64,
    since: Duration,
}

/// An owner whose leases can be freed.
#[derive(Debug)]
pub struct DeadOwner {
    pub owner: OwnerId,
    /// For one that fell silent: its heartbeats when it was found dead. Another heartbeat since then keeps it
    /// alive.
    pub beats: Option<i64>,
    /// Its lock, kept by us until its leases are freed.
    lock: Option<File>,
}

impl OwnerRegistry {
    /// Remembers a run that begins with this entry as asked for by this process.
    pub fn note_asked(&self, entry: &JournalEntry) {
        if matches!(entry.event, Event::Asked { .. }) {
            let mut asked = guard(&self.asked);
            asked.push_back(entry.id);
            if asked.len() > ASKED_MAX {
                asked.pop_front();
            }
        }
    }

    /// Runs that this process asked for and has not claimed yet.
    pub fn asked(&self) -> Vec<RunId> {
        guard(&self.asked).iter().copied().collect()
    }

    pub fn forget_asked(&self, claimed: &[LeaseClaim]) {
        guard(&self.asked).retain(|id| claimed.iter().all(|claim| claim.id != *id));
    }

    /// Takes the lock that shows the others that this owner lives.
    pub fn acquire_lock(&self, layout: &Layout, owner: OwnerId) -> Result<(), Error> {
        let mut held = guard(&self.held);
        if held.contains_key(&owner) {
            return Ok(());
        }
        let path = layout.lock(owner);
        if files::length(&path).is_some() {
            let message = format!("{owner} is in use by another process");
            return Err(CodedError::new(Code::StoreBusy, &message).into());
        }
        // Locked before it gets its name: a lock file that is found free belongs to a dead owner.
        let unfinished = path.with_extension("new");
        let file =
            files::private_file(&unfinished).map_err(|source| Error::file("create", &unfinished, source))?;
        if let Err(error) = file.try_lock() {
            tracing::warn!(%error, "no file locks here; only its missing heartbeat shows a dead process");
        }
        files::rename(&unfinished, &path)?;
        held.insert(owner, file);
        Ok(())
    }

    /// Owners of the lock files that are there, ours left out.
    pub fn other_owners(&self, layout: &Layout) -> Vec<OwnerId> {
        let locks = files::names(&layout.owners());
        locks.iter().filter_map(|path| owner_of(path)).filter(|owner| !self.is_held(*owner)).collect()
    }

    pub fn is_held(&self, owner: OwnerId) -> bool {
        guard(&self.held).contains_key(&owner)
    }

    /// Whether the process of this owner lives, as far as its lock tells.
    pub fn is_alive(&self, layout: &Layout, owner: OwnerId) -> bool {
        self.is_held(owner) || matches!(probe_lock(layout, owner), LockProbe::Held)
    }

    pub fn all_held(&self) -> Vec<OwnerId> {
        guard(&self.held).keys().copied().collect()
    }

    /// Removes our own lock files, after the leases were released.
    pub fn release_all(&self, layout: &Layout) {
        for (owner, file) in guard(&self.held).drain() {
            files::remove(&layout.lock(owner));
            drop(file);
        }
    }

    /// Which of these other owners are dead. `beats` is the number of heartbeats in their row, if they have
    /// one.
    pub fn find_dead(
        &self,
        layout: &Layout,
        others: impl IntoIterator<Item = (OwnerId, Option<i64>)>,
        now: Duration,
    ) -> Vec<DeadOwner> {
        let others = others.into_iter().filter(|(owner, _)| !self.is_held(*owner));
        others.filter_map(|(owner, beats)| self.check_owner(layout, owner, beats, now)).collect()
    }

    fn check_owner(
        &self,
        layout: &Layout,
        owner: OwnerId,
        beats: Option<i64>,
        now: Duration,
    ) -> Option<DeadOwner> {
        match probe_lock(layout, owner) {
            LockProbe::Free(lock) => Some(DeadOwner { owner, beats: None, lock }),
            LockProbe::Held => {
                let beats = beats.unwrap_or(0);
                self.is_silent(owner, beats, now).then_some(DeadOwner {
                    owner,
                    beats: Some(beats),
                    lock: None,
                })
            }
        }
    }

    fn is_silent(&self, owner: OwnerId, beats: i64, now: Duration) -> bool {
        let mut seen = guard(&self.seen);
        let last = seen.entry(owner).or_insert(LastBeat { beats, since: now });
        if last.beats != beats {
            *last = LastBeat { beats, since: now };
        }
        now.saturating_sub(last.since) > LEASE
    }

    /// After the leases of these were freed: removes their files, and what we remember of them.
    pub fn remove_dead(&self, layout: &Layout, gone: Vec<DeadOwner>) {
        for DeadOwner { owner, lock, beats } in gone {
            guard(&self.seen).remove(&owner);
            if beats.is_none() {
                files::remove(&layout.lock(owner));
                remove_unfinished(layout, owner);
            }
            drop(lock);
        }
    }
}

enum LockProbe {
    /// No process has the lock; ours now, unless the file was not even there.
    Free(Option<File>),
    Held,
}

fn probe_lock(layout: &Layout, owner: OwnerId) -> LockProbe {
    match File::open(layout.lock(owner)) {
        Ok(file) => match file.try_lock() {
            Ok(()) => LockProbe::Free(Some(file)),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => LockProbe::Held,
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => LockProbe::Free(None),
        Err(_) => LockProbe::Held,
    }
}

fn owner_of(lock: &Path) -> Option<OwnerId> {
    let digits = lock.file_name()?.to_str()?.strip_prefix("own_")?.strip_suffix(".lock")?;
    u128::from_str_radix(digits, 16).ok().map(OwnerId::from_random)
}

/// Files that a dead owner did not finish; those of a living one are left alone.
fn remove_unfinished(layout: &Layout, owner: OwnerId) {
    let prefix = format!("{owner}.");
    for path in files::names(&layout.unfinished()) {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)) {
            files::remove(&path);
        }
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
