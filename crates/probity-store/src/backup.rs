//! Copies of the database: before a migration and on request. `restore` puts one back.
//!
//! Large blobs are files of their own and are not copied:
//! they are never changed once written.

use std::{
    io,
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

/// How the name of a copy under way ends.
const UNFINISHED: &str = "unfinished";
/// What SQLite puts beside a database.
const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];
/// No copy takes so long: one that old was killed.
const UNFINISHED_AGE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// Copies the database to a new private file, which has its name when it is whole.
pub fn copy(database: &Path, to: &Path) -> Result<(), Error> {
    let from = connection::open(database, Access::Read)?;
    if to.symlink_metadata().is_ok() {
        return Err(Error::file("create", to, io::ErrorKind::AlreadyExists.into()));
    }
    let unfinished = beside(to, &format!(".{UNFINISHED}"));
    // Of a copy to the same name that was killed.
    remove_with_companions(&unfinished);
    let file = files::private_file(&unfinished).map_err(|source| Error::file("create", to, source))?;
    drop(file);
    let copied = copy_into(&from, &unfinished).and_then(|()| files::rename(&unfinished, to));
    if copied.is_err() {
        remove_with_companions(&unfinished);
    }
    copied.and_then(|()| files::sync_directory_of(to))
}

/// The same path with something after its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

fn remove_with_companions(path: &Path) {
    BESIDE.iter().for_each(|ending| files::remove(&beside(path, ending)));
    files::remove(path);
}

/// Removes what killed copies left in `backups/`, if it is at least this old.
pub fn sweep(layout: &Layout, age: Duration) {
    let is_old = |path: &Path| {
        let changed = path.metadata().and_then(|data| data.modified()).ok();
        // A file from the future is of a clock that was wrong.
        changed.is_some_and(|changed| changed.elapsed().unwrap_or(age) >= age)
    };
    for path in files::names(&layout.backups()) {
        let is_empty = is_copy(&path) && files::length(&path) == Some(0);
        let is_left = path.extension().is_some_and(|extension| extension == UNFINISHED) || is_empty;
        if is_left && is_old(&path) {
            remove_with_companions(&path);
        }
    }
}

fn is_copy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "db")
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
    sweep(layout, UNFINISHED_AGE_MAX);
    copy(layout.database(), &path)?;
    let mut kept = all(layout);
    while kept.len() > BACKUPS_MAX {
        files::remove(&kept.remove(0));
    }
    Ok(path)
}

/// The copies in `backups/`, oldest first. An empty file is what a killed copy left.
pub fn all(layout: &Layout) -> Vec<PathBuf> {
    let mut paths = files::names(&layout.backups());
    paths.retain(|path| is_copy(path) && files::length(path) != Some(0));
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
