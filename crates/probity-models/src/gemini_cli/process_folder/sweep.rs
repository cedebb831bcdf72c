//! Removes the folders of processes whose owners are dead. Never touches a locked one.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use probity_research::error::CodedError;
use rustix::fs::{FlockOperation, flock};

use super::{ATTACHED_PREFIX, ATTACHED_SUFFIX, HELD, MAKING, RUN_PREFIX, folder_error, lock_file};

/// Folders checked in one sweep. A crash leaves a handful; more than this is another program's directory.
const FOLDERS_MAX: usize = 10_000;

/// Removes what dead owners left; returns how many attached texts were among it.
pub fn sweep(directory: &Path) -> Result<u32, CodedError> {
    try_sweep(directory).map_err(|error| folder_error("look for what was left behind", directory, &error))
}

fn try_sweep(directory: &Path) -> io::Result<u32> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let making = lock_file(&directory.join(MAKING))?;
    if flock(&making, FlockOperation::NonBlockingLockExclusive).is_err() {
        // Another process makes a folder or sweeps at this moment: the next start sweeps again.
        return Ok(0);
    }
    let mut removed = 0;
    for entry in entries.take(FOLDERS_MAX) {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_attached(&name) {
            // Files of older versions and the user's own copies are in the directory itself; they have no
            // owner.
            removed += u32::from(log_removal(fs::remove_file(entry.path()), &entry.path()));
        } else if name.starts_with(RUN_PREFIX) && entry.file_type()?.is_dir() && is_dead(&entry.path()) {
            removed += remove(&entry.path());
        }
    }
    Ok(removed)
}

/// No process has the lock: neither the program that made the folder nor its supervisor.
fn is_dead(folder: &Path) -> bool {
    let Ok(held) = lock_file(&folder.join(HELD)) else { return false };
    flock(&held, FlockOperation::NonBlockingLockExclusive).is_ok()
}

fn remove(folder: &Path) -> u32 {
    let count = attached_in(&folder.join("attached"));
    if log_removal(fs::remove_dir_all(folder), folder) { count } else { 0 }
}

fn attached_in(directory: &Path) -> u32 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().take(FOLDERS_MAX);
    let found = entries.filter(|entry| is_attached(&entry.file_name().to_string_lossy())).count();
    u32::try_from(found).unwrap_or(u32::MAX)
}

fn is_attached(name: &str) -> bool {
    name.starts_with(ATTACHED_PREFIX) && name.ends_with(ATTACHED_SUFFIX)
}

fn log_removal(result: io::Result<()>, path: &Path) -> bool {
    let path: PathBuf = path.to_owned();
    match result {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, path = %path.display(), "orphaned folder was not removed");
            false
        }
    }
}
