//! Which file lies where under the data directory. Touches nothing.

use std::path::{Path, PathBuf};

use probity_research::id::{Digest, OwnerId};

pub const MARK: &str = "probity.mark";

#[derive(Debug, Clone)]
pub struct Layout {
    directory: PathBuf,
    database: PathBuf,
}

impl Layout {
    pub fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), database: directory.join("probity.db") }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn database(&self) -> &Path {
        &self.database
    }

    pub fn log(&self) -> PathBuf {
        self.directory.join("probity.db-wal")
    }

    pub fn shared_index(&self) -> PathBuf {
        self.directory.join("probity.db-shm")
    }

    /// Number of the last commit that was acknowledged.
    pub fn mark(&self) -> PathBuf {
        self.directory.join(MARK)
    }

    /// Locked by a restore under way.
    pub fn restore_lock(&self) -> PathBuf {
        self.directory.join("restore.lock")
    }

    pub fn owners(&self) -> PathBuf {
        self.directory.join("owners")
    }

    pub fn lock(&self, owner: OwnerId) -> PathBuf {
        self.owners().join(format!("{owner}.lock"))
    }

    pub fn blobs(&self) -> PathBuf {
        self.directory.join("blobs")
    }

    pub fn blob(&self, digest: Digest) -> PathBuf {
        let name = digest.to_string();
        let (folder, rest) = name.split_at_checked(2).unwrap_or(("", &name));
        self.blobs().join(folder).join(rest)
    }

    /// Files under way; each name starts with its owner, so that only a dead owner's are swept.
    pub fn unfinished(&self) -> PathBuf {
        self.blobs().join("unfinished")
    }

    pub fn backups(&self) -> PathBuf {
        self.directory.join("backups")
    }

    /// What purges have begun and not finished.
    pub fn purging(&self) -> PathBuf {
        self.directory.join("purging")
    }
}
