//! The number of the last acknowledged commit, in a small file beside the database.
//!
//! SQLite drops the end of a damaged log without a word, and an emptied database file is a valid empty
//! database. The mark is written after a commit is on disk and not synced itself: it may lag behind the
//! database, but a database that lags behind the mark has lost commits.

use std::{fs::File, io};

use crate::{backup, error::Error, files, layout::Layout};

/// Eight bytes of number, eight bytes of its hash.
const BYTES: usize = 16;

#[derive(Debug)]
pub struct CommitMark(File);

impl CommitMark {
    pub fn open(layout: &Layout) -> Result<Self, Error> {
        let path = layout.mark();
        files::private_file_kept(&path).map(Self).map_err(|source| Error::file("open", &path, source))
    }

    /// Ours was just made or opened by us: a directory of another user is refused by comparing owners.
    pub fn refuse_foreign(&self, layout: &Layout) -> Result<(), Error> {
        files::refuse_foreign(layout.directory(), &self.0)
    }

    /// A mark that cannot be written weakens one check; the commit is valid all the same.
    pub fn set(&self, commits: u64) {
        if let Err(error) = files::write_start(&self.0, &encode(commits)) {
            tracing::warn!(%error, "could not write the commit mark");
        }
    }
}

/// The acknowledged commits, or 0 if no mark is there or it is unreadable.
pub fn read(layout: &Layout) -> Result<u64, Error> {
    let Some(bytes) = files::read(&layout.mark())? else { return Ok(0) };
    let number = bytes.first_chunk::<8>().map(|number| u64::from_le_bytes(*number));
    match number.filter(|number| encode(*number).as_slice() == bytes) {
        Some(number) => Ok(number),
        None => {
            if !bytes.is_empty() {
                tracing::warn!(path = %layout.mark().display(), "the commit mark is unreadable");
            }
            Ok(0)
        }
    }
}

/// Whether there is no database yet; an error if there was one and it is gone.
pub fn is_new(layout: &Layout) -> Result<bool, Error> {
    let path = layout.database();
    match files::identity(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match read(layout)? {
            0 if backup::all(layout).is_empty() => Ok(true),
            // Another process may have made it since.
            0 if files::identity(path).is_ok() => Ok(false),
            0 => Err(Error::Gone(format!(
                "`{}` is gone, although there are backups of it in {}",
                path.display(),
                layout.backups().display()
            ))),
            // Another process may have made both since: the database comes first.
            _ if files::identity(path).is_ok() => Ok(false),
            commits => Err(Error::Gone(format!(
                "`{}` is gone, although {commits} changes were written to it",
                path.display()
            ))),
        },
        Err(source) => Err(Error::file("look at", path, source)),
    }
}

/// Read the mark before the database: commits only grow.
pub fn check(mark: u64, commits: u64) -> Result<(), Error> {
    if commits < mark {
        return Err(Error::Damaged(format!(
            "it holds {commits} commits, but {mark} were acknowledged: the newest are lost"
        )));
    }
    Ok(())
}

fn encode(commits: u64) -> [u8; BYTES] {
    let number = commits.to_le_bytes();
    let mut bytes = [0; BYTES];
    let hash = blake3::hash(&number);
    for (slot, byte) in bytes.iter_mut().zip(number.iter().chain(hash.as_bytes())) {
        *slot = *byte;
    }
    bytes
}
