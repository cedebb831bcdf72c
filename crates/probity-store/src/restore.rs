//! Puts the newest whole backup in the place of a damaged or lost database, or goes on with one that lacks its newest
//! changes, so that nothing is paid for twice and the day's limit holds: what was sent and spent since is counted as far as
//! it can be read, and else assumed.
//!
//! All of that is written to the copy before it gets the database's name: a restore that is killed is begun anew. A
//! damaged file is renamed, never deleted.

use std::{
    collections::BTreeSet,
    fs::{File, TryLockError},
    path::{Path, PathBuf},
};

use probity_research::{
    Event, RunState, StoredEvent,
    cost::MicroUsd,
    error::{Code, CodedError},
    id::RunId,
    ports::{JournalEntry, JournalWriter},
    spending,
    time::Moment,
};
use rusqlite::Connection;

use crate::{
    backup,
    charges::{self, LostCharge},
    commit_mark::{self, CommitMark},
    connection::{self, Access},
    error::Error,
    events::{self, SqliteAppend},
    files,
    integrity::{self, IntegrityDepth},
    layout::Layout,
    row,
    schema::{self, STEPS, SchemaAction},
    totals::Totals,
    writer::{self, WriteContext},
};

/// What `restore` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReport {
    pub backup: PathBuf,
    /// Where the damaged files are now.
    pub set_aside: Vec<PathBuf>,
    pub researches: u64,
    pub loss: LossReport,
}

/// How what is lost was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LossReport {
    /// Runs of which nobody knows whether they were sent and paid for since.
    pub unknown: u64,
    pub spending: CarriedSpending,
}

/// What a day's limit counts for the time that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CarriedSpending {
    /// What the lost database had spent and reserved beyond the backup.
    Known(MicroUsd),
    /// It could not be read: any limit counts as spent until then.
    Unreadable { room_at: Moment },
}

/// Held while files are put in the place of others. A dead process holds none.
struct RestoreLock {
    _file: File,
}

impl RestoreLock {
    fn acquire(layout: &Layout) -> Result<Self, Error> {
        let path = layout.restore_lock();
        let file = files::lock_file(layout.directory(), &path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(under_way()),
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "no file locks here; nobody else may restore meanwhile");
                Ok(Self { _file: file })
            }
        }
    }
}

/// For who opens the store: not while its files are being exchanged.
pub fn refuse_under_way(layout: &Layout) -> Result<(), Error> {
    let path = layout.restore_lock();
    // Nobody has ever restored here.
    if files::length(&path).is_none() {
        return Ok(());
    }
    let file = files::private_file_kept(&path).map_err(|source| Error::file("open", &path, source))?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Err(under_way()),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn under_way() -> Error {
    CodedError::new(Code::StoreBusy, "another process restores this store at the moment").into()
}

fn newest_backup(layout: &Layout) -> Option<(PathBuf, Totals)> {
    let mut newest_first = backup::all(layout).into_iter().rev();
    newest_first.find_map(|path| backup::check(layout, &path).ok().map(|totals| (path, totals)))
}

/// Goes on with a database that is whole but for its newest commits: what is missing stays missing, is not sent again by
/// itself, and counts for the day.
pub fn accept_loss(layout: &Layout, now: Moment) -> Result<LossReport, Error> {
    let _lock = RestoreLock::acquire(layout)?;
    backup::refuse_while_in_use(layout)?;
    let place = layout.database().display();
    if files::length(layout.database()).is_none_or(|bytes| bytes == 0) {
        return Err(Error::Gone(format!("`{place}` is gone or empty: there is nothing to go on with")));
    }
    let here = with_current(layout, |connection| check_rows(layout, connection))?;
    let acknowledged = commit_mark::read(layout)?;
    if acknowledged > 0 && acknowledged <= here.commits {
        let message = format!("`{place}` is whole: none of its changes is missing");
        return Err(CodedError::new(Code::StoreWhole, &message).into());
    }
    if let Some((path, there)) = newest_backup(layout).filter(|(_, there)| there.commits > here.commits) {
        let (there, here) = (there.commits, here.commits);
        return Err(Error::Damaged(format!(
            "`{place}` holds {here} changes and the backup {} holds {there}: more would be lost than a restore loses",
            path.display()
        )));
    }
    let (loss, commits) = complete(layout.database(), now, None)?;
    CommitMark::open(layout)?.set(commits);
    Ok(loss)
}

/// Refused while another process has the store open, and for a database that is whole.
pub fn restore(layout: &Layout, now: Moment) -> Result<RestoreReport, Error> {
    let _lock = RestoreLock::acquire(layout)?;
    backup::refuse_while_in_use(layout)?;
    let newest = newest_backup(layout);
    refuse_whole(layout, newest.as_ref())?;
    let (backup, totals) = newest.ok_or_else(|| {
        let message = format!("there is no whole backup in {}", layout.backups().display());
        CodedError::new(Code::NoBackup, &message)
    })?;
    let lost = lost_charges(layout, now, &totals)?;
    let unfinished = layout.directory().join("probity.db.unfinished");
    remove_database(&unfinished);
    backup::copy(&backup, &unfinished)?;
    let (loss, commits) = complete(&unfinished, now, lost.as_deref())?;
    let set_aside = set_aside(layout, now)?;
    files::rename(&unfinished, layout.database())?;
    files::sync_directory_of(layout.database())?;
    CommitMark::open(layout)?.set(commits);
    Ok(RestoreReport { backup, set_aside, researches: totals.researches, loss })
}

fn refuse_whole(layout: &Layout, newest: Option<&(PathBuf, Totals)>) -> Result<(), Error> {
    // A folder of that name is set aside as well.
    if files::length(layout.database()).is_none() || layout.database().is_dir() {
        return Ok(());
    }
    match check_current(layout) {
        Ok(()) => {}
        // Of these nothing is known against what is stored.
        Err(error)
            if matches!(
                error.code(),
                Code::StoreNewer | Code::StoreBusy | Code::StoreDisk | Code::StoreReadOnly
            ) =>
        {
            return Err(error);
        }
        Err(_) => return Ok(()),
    };
    let place = layout.database().display();
    let otherwise = match newest {
        None => "there is no backup either".to_owned(),
        Some((path, _)) => {
            let lost = missing_in(layout, path)?;
            let noun = if lost == 1 { "research" } else { "researches" };
            format!(
                "going back to `{}` would lose {lost} {noun} and whatever else changed since it was made",
                path.display()
            )
        }
    };
    let message = format!("`{place}` is whole and nothing needs restoring; {otherwise}");
    Err(CodedError::new(Code::StoreWhole, &message).into())
}

/// How many runs of the database this copy does not have.
fn missing_in(layout: &Layout, copy: &Path) -> Result<usize, Error> {
    let here = with_current(layout, all_ids)?;
    let there = all_ids(&connection::open(copy, Access::Immutable)?)?;
    Ok(here.difference(&there).count())
}

fn all_ids(connection: &Connection) -> Result<BTreeSet<RunId>, Error> {
    ids(connection, "SELECT id FROM research")
}

/// What a query for ids finds.
fn ids<C: FromIterator<RunId>>(connection: &Connection, query: &str) -> Result<C, Error> {
    let mut statement = connection.prepare(query)?;
    let found = statement.query_and_then([], |found| row::bytes(found, 0).map(RunId::from_bytes))?;
    found.collect()
}

/// The whole database as `doctor` checks it.
fn check_current(layout: &Layout) -> Result<(), Error> {
    let acknowledged = commit_mark::read(layout)?;
    let here = with_current(layout, |connection| check_rows(layout, connection))?;
    commit_mark::check(acknowledged, here.commits)
}

fn check_rows(layout: &Layout, connection: &Connection) -> Result<Totals, Error> {
    let depth = match schema::required_action(connection, STEPS)? {
        SchemaAction::Nothing => IntegrityDepth::Everything,
        // Tables of later versions are not there yet.
        SchemaAction::Migrate { .. } => IntegrityDepth::Rows,
        SchemaAction::Create => return Err(Error::Damaged("it is empty".to_owned())),
    };
    integrity::check_integrity(connection, layout, depth)?;
    Totals::read(connection)
}

/// Reads the database under its name, also where no lock files can be made.
fn with_current<T>(layout: &Layout, read: impl Fn(&Connection) -> Result<T, Error>) -> Result<T, Error> {
    let has_log = files::length(&layout.log()).is_some_and(|bytes| bytes > 0);
    let last = if has_log { Access::Lockless } else { Access::Immutable };
    let attempt = |access| connection::open(layout.database(), access).and_then(|opened| read(&opened));
    match attempt(Access::Read) {
        Err(error) if matches!(error.code(), Code::StoreReadOnly | Code::StoreFull | Code::StoreFailed) => {
            attempt(last)
        }
        done => done,
    }
}

/// What the lost database counted for; `None` if nobody can tell.
fn lost_charges(layout: &Layout, now: Moment, backup: &Totals) -> Result<Option<Vec<LostCharge>>, Error> {
    let acknowledged = commit_mark::read(layout)?;
    // 0 is a mark that is not there.
    if acknowledged > 0 && acknowledged <= backup.commits {
        return Ok(Some(Vec::new()));
    }
    if files::length(layout.database()).is_none() || acknowledged == 0 {
        return Ok(None);
    }
    let read = with_current(layout, |connection| {
        commit_mark::check(acknowledged, Totals::read(connection)?.commits)?;
        charges::of_lost(connection, now)
    });
    if let Err(error) = &read {
        tracing::debug!(%error, "what the damaged database had spent cannot be read");
    }
    Ok(read.ok())
}

/// Writes to the copy what it does not know; what that is, and its last commit.
fn complete(copy: &Path, now: Moment, lost: Option<&[LostCharge]>) -> Result<(LossReport, u64), Error> {
    let connection = connection::open(copy, Access::Write)?;
    if let SchemaAction::Migrate { from } = schema::required_action(&connection, STEPS)? {
        schema::perform(&connection, STEPS, from)?;
    }
    let loss = writer::write_alone(&connection, |change| {
        let unknown = mark_unknown(change, now)?;
        Ok(LossReport { unknown, spending: carry(change, now, lost)? })
    })?;
    let commits = Totals::read(&connection)?.commits;
    // Closing merges the log, so that the copy is one file.
    connection.close().map_err(|(_, error)| error)?;
    Ok((loss, commits))
}

/// Runs that the lost database may have sent since: none of them is sent again by itself.
fn mark_unknown(change: &mut WriteContext<'_>, now: Moment) -> Result<u64, Error> {
    let mut marked = 0;
    for id in unended(change.connection)? {
        let journal = match events::load(change.connection, id) {
            Ok(journal) => journal.unwrap_or_default(),
            Err(error) => {
                // It cannot be driven either.
                tracing::warn!(research = %id, %error, "journal cannot be read");
                continue;
            }
        };
        let entry = RunState::replay(id, &journal).ok().and_then(|research| entry_after_loss(research, now));
        if let Some(entry) = entry {
            SqliteAppend::new(entry)?.append(change)?;
            marked += 1;
        }
    }
    Ok(marked)
}

fn unended(connection: &Connection) -> Result<Vec<RunId>, Error> {
    ids(connection, "SELECT id FROM research WHERE ended_at IS NULL ORDER BY number")
}

fn entry_after_loss(mut research: RunState, at: Moment) -> Option<JournalEntry> {
    let event: Event = research.event_after_loss()?;
    let (expected, attended_ms) = (research.sequence, research.attended_ms);
    let recorded = StoredEvent { sequence: expected.next(), at, attended_ms, event };
    research.apply(&recorded).ok()?;
    Some(JournalEntry {
        id: research.id,
        expected,
        writer: JournalWriter::Client,
        at,
        attended_ms,
        event: recorded.event,
        summary: research.summary(),
    })
}

fn carry(
    change: &WriteContext<'_>,
    now: Moment,
    lost: Option<&[LostCharge]>,
) -> Result<CarriedSpending, Error> {
    if let Some(lost) = lost {
        return charges::carry_over(change.connection, lost, now).map(CarriedSpending::Known);
    }
    charges::add_lost(change.connection, now, spending::UNREADABLE)?;
    let day_ms = now.0 - spending::day_before(now).0;
    // The moment itself still counts.
    Ok(CarriedSpending::Unreadable { room_at: now.plus_ms(day_ms + 1) })
}

fn set_aside(layout: &Layout, now: Moment) -> Result<Vec<PathBuf>, Error> {
    let mut set_aside = Vec::new();
    for path in [layout.database().to_owned(), layout.log(), layout.shared_index()] {
        if files::length(&path).is_some() {
            let mut name = path.clone().into_os_string();
            name.push(format!(".damaged-{}", now.0));
            files::rename(&path, Path::new(&name))?;
            set_aside.push(PathBuf::from(name));
        }
    }
    Ok(set_aside)
}

/// What a restore that was killed has left.
fn remove_database(path: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.to_owned().into_os_string();
        name.push(end);
        files::remove(Path::new(&name));
    }
}
