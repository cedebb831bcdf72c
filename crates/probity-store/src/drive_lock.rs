//! One background driver per data directory: a lock that dies with its process, and contains how that driver
//! is set up.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use probity_research::error::CodedError;

use crate::files;

/// Locked while this process drives in the background. Dropping is enough: a dead process has no lock.
#[derive(Debug)]
pub struct DriveLock {
    _file: File,
}

/// Who drives in the background.
#[derive(Debug)]
pub enum DriveLockOutcome {
    Acquired(DriveLock),
    /// A living process that is set up in the same way: it drives whatever is due.
    HeldByEqual,
    /// A living process with other settings or keys.
    HeldByOther,
}

impl DriveLock {
    /// `setup` is compared with what the living driver wrote.
    pub fn acquire(directory: &Path, setup: &str) -> Result<DriveLockOutcome, CodedError> {
        let path = directory.join("drive.lock");
        let file = files::lock_file(directory, &path).map_err(|error| error.problem(&path, 0))?;
        match file.try_lock() {
            Ok(()) => {
                let written = file.set_len(0).and_then(|()| files::write_start(&file, setup.as_bytes()));
                if let Err(error) = written {
                    tracing::debug!(%error, "could not write the setup to the lock file");
                }
                Ok(DriveLockOutcome::Acquired(Self { _file: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let held = files::read(&path).ok().flatten();
                Ok(if held.as_deref() == Some(setup.as_bytes()) {
                    DriveLockOutcome::HeldByEqual
                } else {
                    DriveLockOutcome::HeldByOther
                })
            }
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "no file locks here; each background process drives by itself");
                Ok(DriveLockOutcome::HeldByOther)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DriveLock, DriveLockOutcome};

    #[test]
    fn work_is_handed_to_a_living_driver_of_the_same_setup_only() {
        let directory = tempfile::tempdir().unwrap();
        let acquire = |setup| DriveLock::acquire(directory.path(), setup).unwrap();
        let first = acquire("one");
        assert!(matches!(first, DriveLockOutcome::Acquired(_)));
        assert!(matches!(acquire("one"), DriveLockOutcome::HeldByEqual));
        assert!(matches!(acquire("two"), DriveLockOutcome::HeldByOther));
        drop(first);
        let second = acquire("two");
        assert!(matches!(second, DriveLockOutcome::Acquired(_)));
        assert!(matches!(acquire("one"), DriveLockOutcome::HeldByOther));
    }
}
