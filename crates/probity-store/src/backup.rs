//! Copies of the database: before a migration and on request. `restore` puts one back.
//!
//! Large blobs are files of their own and are not copied:
//! they are never changed once written.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use probity_research::{
    error::{Code, CodedError},
    time::Moment,
};
use rusqlite::{Connection, backup::Backup};

use crate::{
    connection::{self, Access},
    error::Error,
    files,
    integrity::{self, IntegrityDepth},
    layout::Layout,
    owners::OwnerRegistry,
    totals::Totals,
};

/// Copies kept in `backups/`; the oldest goes when a new one is made.
pub const BACKUPS_MAX: usize = 3;
/// Pages copied at once. Readers and writers go on beside a copy of a log-mode database.
const PAGES_AT_ONCE: i32 = 1024;

/// Copies the database to a new private file.
pub fn copy(database: &Path, to: &Path) -> Result<(), Error> {
    let from = connection::open(database, Access::Read)?;
    let file = files::private_file(to).map_err(|source| Error::file("create", to, source))?;
    drop(file);
    let copied = copy_into(&from, to);
    if copied.is_err() {
        files::remove(to);
    }
    copied
}

fn copy_into(from: &Connection, to: &Path) -> Result<(), Error> {
    let mut target = connection::open(to, Access::Write)?;
    Backup::new(from, &mut target)?.run_to_completion(PAGES_AT_ONCE, Duration::ZERO, None)?;
    // Closing merges the log, so that the copy is one file.
    target.close().map_err(|(_, error)| error)?;
    files::sync_directory_of(to)
}

/// A copy in `backups/`, named by version and time; only the newest few are kept.
pub fn copy_aside(layout: &Layout, version: usize, now: Moment) -> Result<PathBuf, Error> {
    files::private_directory(&layout.backups())?;
    let stamp: String = now.to_string().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let mut path = layout.backups().join(format!("probity-v{version}-{stamp}.db"));
    for attempt in 1..=BACKUPS_MAX {
        if files::length(&path).is_none() {
            break;
        }
        path = layout.backups().join(format!("probity-v{version}-{stamp}-{attempt}.db"));
    }
    copy(layout.database(), &path)?;
    let mut kept = all(layout);
    while kept.len() > BACKUPS_MAX {
        files::remove(&kept.remove(0));
    }
    Ok(path)
}

/// The copies in `backups/`, oldest first.
pub fn all(layout: &Layout) -> Vec<PathBuf> {
    let mut paths = files::names(&layout.backups());
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "db"));
    // By time of change: names start with the version, and a clock may have jumped.
    paths.sort_by_key(|path| path.metadata().and_then(|data| data.modified()).ok());
    paths
}

/// Whether a copy is whole, and what it holds.
pub fn check(layout: &Layout, path: &Path) -> Result<Totals, Error> {
    let connection = connection::open(path, Access::Immutable)?;
    integrity::check_integrity(&connection, layout, IntegrityDepth::Rows)?;
    Totals::read(&connection)
}

pub fn refuse_while_in_use(layout: &Layout) -> Result<(), Error> {
    let owners = OwnerRegistry::default();
    let others = owners.other_owners(layout);
    let count = others.len();
    let free = owners.find_dead(layout, others.into_iter().map(|owner| (owner, None)), Duration::ZERO).len();
    if free < count {
        let message = format!("{} other processes use this store; end them first", count - free);
        return Err(CodedError::new(Code::StoreBusy, &message).into());
    }
    Ok(())
}
