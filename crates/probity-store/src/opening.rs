//! How a store is opened: private directory, lock, schema, the check against the mark, and the fall back
//! to reading where writing is not possible.

use std::time::Duration;

use probity_research::{
    error::{Code, Problem},
    time::Moment,
};
use rusqlite::Connection;

use crate::{
    backup, claims,
    connection::{self, Access},
    error::Error,
    files,
    layout::Layout,
    mark::{self, Mark},
    options::{Mode, OpenOptions},
    owners::Owners,
    schema::{self, Need},
    totals::Totals,
    writer::Writer,
};

pub enum Opened {
    ForWriting(Writer),
    ForReading(Access, Problem),
}

pub fn open(
    layout: &Layout,
    options: &OpenOptions,
    owners: &Owners,
    steps: &[&str],
) -> Result<Opened, Error> {
    let refusal = match options.mode {
        Mode::ReadOnly => Problem::new(
            Code::StoreReadOnly,
            &format!("`{}` was opened for reading only", layout.database().display()),
        ),
        Mode::ReadWrite => match for_writing(layout, options, owners, steps) {
            Ok(writer) => return Ok(Opened::ForWriting(writer)),
            Err(error) if matches!(error.code(), Code::StoreReadOnly | Code::StoreFull) => {
                owners.leave(layout);
                error.problem(layout.database(), 0)
            }
            Err(error) => {
                owners.leave(layout);
                return Err(error);
            }
        },
    };
    match for_reading(layout, steps) {
        Ok(access) => Ok(Opened::ForReading(access, refusal)),
        // Nothing to read: what kept us from creating it is the better answer.
        Err(error) if options.mode == Mode::ReadWrite && error.code() == Code::StoreReadOnly => {
            Err(refusal.into())
        }
        Err(error) => Err(error),
    }
}

fn for_writing(
    layout: &Layout,
    options: &OpenOptions,
    owners: &Owners,
    steps: &[&str],
) -> Result<Writer, Error> {
    files::private_directory(layout.directory())?;
    files::private_directory(&layout.owners())?;
    let acknowledged = mark::read(layout)?;
    let mark = Mark::open(layout)?;
    owners.hold(layout, options.owner)?;
    mark.refuse_foreign(layout)?;
    create_database_file(layout)?;
    let connection = connection::open(layout.database(), Access::Write)?;
    prepare(&connection, layout, steps, (options.clocks.wall)(), acknowledged)?;
    mark::check(acknowledged, Totals::read(&connection)?.commits)?;
    sweep(&connection, layout, owners)?;
    Writer::start(layout, connection, mark)
}

/// Removes what dead processes left that never held a claim; those with claims are left to `claim_due`.
fn sweep(connection: &Connection, layout: &Layout, owners: &Owners) -> Result<(), Error> {
    let known = claims::view(connection, None)?.owners;
    let mut others = owners.others(layout);
    others.retain(|owner| known.iter().all(|(known, _)| known != owner));
    let gone = owners.judge(layout, others.into_iter().map(|owner| (owner, None)), Duration::ZERO);
    owners.bury(layout, gone);
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
    if schema::need(connection, steps)? == Need::Nothing {
        return Ok(());
    }
    let transaction = Begun::new(connection)?;
    match schema::need(connection, steps)? {
        Need::Nothing => {}
        Need::Create => {
            mark::check(acknowledged, 0)?;
            schema::perform(connection, steps, 0)?;
            Totals::default().write(connection)?;
        }
        Need::Migrate { from } => {
            // Seen by another connection: the state before this transaction.
            let copy = backup::copy_aside(layout, from, now)?;
            tracing::info!(from, to = steps.len(), backup = %copy.display(), "migrating the database");
            schema::perform(connection, steps, from)?;
        }
    }
    transaction.commit()
}

/// Tries the ways to read, from the one with most care for others to the one that needs no lock files.
fn for_reading(layout: &Layout, steps: &[&str]) -> Result<Access, Error> {
    let acknowledged = mark::read(layout)?;
    let has_log = files::length(&layout.log()).is_some_and(|bytes| bytes > 0);
    let last = if has_log { Access::Lockless } else { Access::Immutable };
    let (found, access) = match readable(layout, Access::Read, steps, acknowledged) {
        Err(error) if matches!(error.code(), Code::StoreReadOnly | Code::StoreFull | Code::StoreFailed) => {
            (readable(layout, last, steps, acknowledged)?, last)
        }
        found => (found?, Access::Read),
    };
    match found {
        Readable::Yes => Ok(access),
        Readable::NotYet(problem) => Err(problem.into()),
    }
}

/// What a database that could be opened holds.
enum Readable {
    Yes,
    /// Another process may be creating it this moment: it must not be opened without locks because of that.
    NotYet(Problem),
}

fn readable(layout: &Layout, access: Access, steps: &[&str], acknowledged: u64) -> Result<Readable, Error> {
    let connection = connection::open(layout.database(), access)?;
    match schema::need(&connection, steps)? {
        Need::Nothing => {
            mark::check(acknowledged, Totals::read(&connection)?.commits)?;
            Ok(Readable::Yes)
        }
        Need::Create => {
            mark::check(acknowledged, 0)?;
            let message = format!("there is nothing in `{}` yet", layout.database().display());
            Ok(Readable::NotYet(Problem::new(Code::StoreReadOnly, &message)))
        }
        Need::Migrate { from } => {
            let message = format!("the database has version {from} and must be migrated before it is read");
            Ok(Readable::NotYet(Problem::new(Code::StoreReadOnly, &message)))
        }
    }
}

/// A write transaction that is rolled back unless committed.
struct Begun<'a>(&'a Connection);

impl<'a> Begun<'a> {
    fn new(connection: &'a Connection) -> Result<Self, Error> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self(connection))
    }

    fn commit(self) -> Result<(), Error> {
        Ok(self.0.execute_batch("COMMIT")?)
    }
}

impl Drop for Begun<'_> {
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
