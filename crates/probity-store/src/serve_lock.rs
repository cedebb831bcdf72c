//! One `probity serve` per data directory: a lock that dies with its process, and contains the address it
//! listens on and what its clients should know of it.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

use probity_research::error::{Code, CodedError};

use crate::files;

/// Locked while this process serves. Dropping is enough: a dead process has no lock.
#[derive(Debug)]
pub struct ServeLock {
    file: File,
}

impl ServeLock {
    /// Fails with `ALREADY_SERVING` while another process serves from this directory.
    pub fn acquire(directory: &Path) -> Result<Self, CodedError> {
        let path = directory.join("serve.lock");
        let file = files::lock_file(directory, &path).map_err(|error| error.problem(&path, 0))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(already_serving(&path)),
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "no file locks here; two servers on one directory go unnoticed");
                Ok(Self { file })
            }
        }
    }

    /// The address, for the error of a second server, and one line for clients.
    pub fn write_notice(&self, place: &str, for_clients: &str) {
        let notice = format!("{place}\n{for_clients}\n");
        let said = self.file.set_len(0).and_then(|()| files::write_start(&self.file, notice.as_bytes()));
        if let Err(error) = said {
            tracing::debug!(%error, "could not write the address to the lock file");
        }
    }

    /// What the server of this directory, or the last one, says to clients.
    pub fn notice_for_clients(directory: &Path) -> Option<String> {
        read_notice(&directory.join("serve.lock"))?.lines().nth(1).map(str::to_owned)
    }
}

fn read_notice(path: &Path) -> Option<String> {
    files::read(path).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok())
}

fn already_serving(path: &Path) -> CodedError {
    let notice = read_notice(path);
    let place = notice.as_deref().and_then(|notice| notice.lines().next());
    let message = match place.filter(|place| !place.is_empty()) {
        Some(place) => format!("another `probity serve` runs already, on {place}"),
        None => "another `probity serve` runs already".to_owned(),
    };
    CodedError::new(Code::AlreadyServing, &message)
}

#[cfg(test)]
mod tests {
    use probity_research::error::Code;

    use super::ServeLock;

    #[test]
    fn a_second_server_is_told_where_the_first_one_is() {
        let directory = tempfile::tempdir().unwrap();
        let first = ServeLock::acquire(directory.path()).unwrap();
        first.write_notice("http://127.0.0.1:8765/mcp", "{}");
        assert_eq!(ServeLock::notice_for_clients(directory.path()).as_deref(), Some("{}"));
        let refused = ServeLock::acquire(directory.path()).unwrap_err();
        assert_eq!(refused.code, Code::AlreadyServing);
        assert!(refused.message.ends_with("on http://127.0.0.1:8765/mcp"), "{}", refused.message);
        drop(first);
        ServeLock::acquire(directory.path()).unwrap();
    }
}
