//! How a store is opened: private directory, lock, schema, the check against the mark, and the fall back
//! to reading where writing is not possible.

use std::time::Duration;

use probity_research::{
    error::{Code, CodedError},
    time::Moment,
};
use rusqlite::Connection;

use crate::{
    backup,
    commit_mark::{self, CommitMark},
    connection::{self, Access},
    error::Error,
    files,
    layout::Layout,
    leases,
    options::{OpenMode, StoreOptions},
    owners::OwnerRegistry,
    restore,
    schema::{self, SchemaAction},
    totals::Totals,
    writer::WriterHandle,
};

pub enum OpenOutcome {
    ForWriting(WriterHandle),
    ForReading(Access, CodedError),
}

pub fn open(
    layout: &Layout,
    options: &StoreOptions,
    owners: &OwnerRegistry,
    steps: &[&str],
) -> Result<OpenOutcome, Error> {
    let refusal = match options.mode {
        OpenMode::ReadOnly => CodedError::new(
            Code::StoreReadOnly,
            &format!("`{}` was opened for reading only", layout.database().display()),
        ),
        OpenMode::ReadWrite => match open_for_writing(layout, options, owners, steps) {
            Ok(writer) => return Ok(OpenOutcome::ForWriting(writer)),
            Err(error) if matches!(error.code(), Code::StoreReadOnly | Code::StoreFull) => {
                owners.release_all(layout);
                error.problem(layout.database(), 0)
            }
            Err(error) => {
                owners.release_all(layout);
                return Err(error);
            }
        },
    };
    match open_for_reading(layout, steps) {
        Ok(access) => Ok(OpenOutcome::ForReading(access, refusal)),
        // Nothing to read: the error that kept us from creating it is the better answer.
        Err(error) if options.mode == OpenMode::ReadWrite && error.code() == Code::StoreReadOnly => {
            Err(refusal.into())
        }
        Err(error) => Err(error),
    }
}

fn open_for_writing(
    layout: &Layout,
    options: &StoreOptions,
    owners: &OwnerRegistry,
    steps: &[&str],
) -> Result<WriterHandle, Error> {
    files::private_directory(layout.directory())?;
    files::private_directory(&layout.owners())?;
    let acknowledged = commit_mark::read(layout)?;
    commit_mark::is_new(layout)?;
    let mark = CommitMark::open(layout)?;
    owners.acquire_lock(layout, options.owner)?;
    // After our own lock, which a restore looks at after it has its own: one of the two sees the other.
    restore::refuse_under_way(layout)?;
    mark.refuse_foreign(layout)?;
    create_database_file(layout)?;
    let connection = connection::open(layout.database(), Access::Write)?;
    prepare(&connection, layout, steps, (options.clocks.wall)(), acknowledged)?;
    commit_mark::check(acknowledged, Totals::read(&connection)?.commits)?;
    sweep(&connection, layout, owners)?;
    WriterHandle::start(layout, connection, mark)
}

/// Removes lock files of dead processes that never had a lease; those with leases are left to `claim_due`.
fn sweep(connection: &Connection, layout: &Layout, owners: &OwnerRegistry) -> Result<(), Error> {
    let known = leases::overview(connection, None)?.owners;
    let mut others = owners.other_owners(layout);
    others.retain(|owner| known.iter().all(|(known, _)| known != owner));
    let gone = owners.find_dead(layout, others.into_iter().map(|owner| (owner, None)), Duration::ZERO);
    owners.remove_dead(layout, gone);
    Ok(())
}

/// Made by us, so that its mode does not depend on the umask; SQLite gives its other files the same.
fn create_database_file(layout: &Layout) -> Result<(), Error> {
    let path = layout.database();
    match files::private_file(path) {
        Ok(_) => files::sync_directory_of(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            if let Err(error) = files::tighten(path, 0o600) {
                tracing::warn!(path = %path.display(), %error, "others may be able to read the database");
            }
            Ok(())
        }
        Err(source) => Err(Error::file("create", path, source)),
    }
}

/// Creates or migrates under the write lock, so that two processes that start together do it once.
fn prepare(
    connection: &Connection,
    layout: &Layout,
    steps: &[&str],
    now: Moment,
    acknowledged: u64,
) -> Result<(), Error> {
    if schema::required_action(connection, steps)? == SchemaAction::Nothing {
        return Ok(());
    }
    let transaction = WriteTransaction::new(connection)?;
    match schema::required_action(connection, steps)? {
        SchemaAction::Nothing => {}
        SchemaAction::Create => {
            commit_mark::check(acknowledged, 0)?;
            schema::perform(connection, steps, 0)?;
            Totals::default().write(connection)?;
        }
        SchemaAction::Migrate { from } => {
            // Seen by another connection: the state before this transaction.
            let copy = backup::copy_aside(layout, from, now)?;
            tracing::info!(from, to = steps.len(), backup = %copy.display(), "migrating the database");
            schema::perform(connection, steps, from)?;
        }
    }
    transaction.commit()
}

/// Tries the ways to read, from the one with most care for other processes to the one that needs no lock
/// files.
fn open_for_reading(layout: &Layout, steps: &[&str]) -> Result<Access, Error> {
    let acknowledged = commit_mark::read(layout)?;
    let has_log = files::length(&layout.log()).is_some_and(|bytes| bytes > 0);
    let last = if has_log { Access::Lockless } else { Access::Immutable };
    let (found, access) = match check_readable(layout, Access::Read, steps, acknowledged) {
        Err(error)
            if matches!(
                error.code(),
                Code::StoreReadOnly | Code::StoreFull | Code::StoreFailed | Code::StoreDisk
            ) =>
        {
            (check_readable(layout, last, steps, acknowledged)?, last)
        }
        found => (found?, Access::Read),
    };
    match found {
        ReadCheck::Yes => Ok(access),
        ReadCheck::NotYet(problem) => Err(problem.into()),
    }
}

/// What a database that could be opened contains.
enum ReadCheck {
    Yes,
    /// Another process may be creating it this moment: it must not be opened without locks because of that.
    NotYet(CodedError),
}

fn check_readable(
    layout: &Layout,
    access: Access,
    steps: &[&str],
    acknowledged: u64,
) -> Result<ReadCheck, Error> {
    let connection = connection::open(layout.database(), access)?;
    match schema::required_action(&connection, steps)? {
        SchemaAction::Nothing => {
            commit_mark::check(acknowledged, Totals::read(&connection)?.commits)?;
            Ok(ReadCheck::Yes)
        }
        SchemaAction::Create => {
            commit_mark::check(acknowledged, 0)?;
            let message = format!("there is nothing in `{}` yet", layout.database().display());
            Ok(ReadCheck::NotYet(CodedError::new(Code::StoreReadOnly, &message)))
        }
        SchemaAction::Migrate { from } => {
            let message = format!("the database has version {from} and must be migrated before it is read");
            Ok(ReadCheck::NotYet(CodedError::new(Code::StoreReadOnly, &message)))
        }
    }
}

/// A write transaction that is rolled back unless committed.
struct WriteTransaction<'a>(&'a Connection);

impl<'a> WriteTransaction<'a> {
    fn new(connection: &'a Connection) -> Result<Self, Error> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self(connection))
    }

    fn commit(self) -> Result<(), Error> {
        Ok(self.0.execute_batch("COMMIT")?)
    }
}

impl Drop for WriteTransaction<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit()
            && let Err(error) = self.0.execute_batch("ROLLBACK")
        {
            tracing::warn!(%error, "could not roll back");
        }
    }
}

#[cfg(test)]
mod tests;
