//! How a connection to SQLite is opened and what is switched on for it.
#![expect(clippy::disallowed_methods, reason = "the one place where SQL connections are opened")]

use std::{fmt::Write as _, path::Path, thread, time::Duration};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::Error;

/// How long a write waits for another process. Long, because the alternative is an error to a user;
/// bounded, because a stopped process must not stop this one for ever.
const BUSY_WAIT: Duration = Duration::from_secs(30);
/// Pause between two tries for a lock that another process has: about one commit.
const BUSY_PAUSE: Duration = Duration::from_millis(1);
const BUSY_TRIES_MAX: i32 = (BUSY_WAIT.as_millis() / BUSY_PAUSE.as_millis()) as i32;
/// The log is cut back to this after a checkpoint: enough for a burst, too little to fill a disk.
const LOG_BYTES_KEPT: u32 = 16 * 1024 * 1024;
/// Distinct statements per connection; more than there are.
const STATEMENTS_CACHED: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Write,
    Read,
    /// Reads a database in a directory where not even SQLite's lock files can be made.
    Immutable,
    /// The same with a log that was not merged yet: read without locks, the index of the log in memory.
    Lockless,
}

/// Pages that one connection keeps, at most. The index of the ids of a hundred thousand runs fits, so that
/// a status read fetches one page and not three.
pub const CACHE_KIB: usize = 6 * 1024;

pub fn open(path: &Path, access: Access) -> Result<Connection, Error> {
    let common = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let read = common | OpenFlags::SQLITE_OPEN_READ_ONLY;
    let mut connection = match access {
        Access::Write => Connection::open_with_flags(path, common | OpenFlags::SQLITE_OPEN_READ_WRITE)?,
        Access::Read => Connection::open_with_flags(path, read)?,
        Access::Immutable => {
            let uri = uri(path, "immutable=1");
            Connection::open_with_flags(uri, read | OpenFlags::SQLITE_OPEN_URI)?
        }
        Access::Lockless => {
            let uri = uri(path, "vfs=unix-none");
            Connection::open_with_flags(uri, read | OpenFlags::SQLITE_OPEN_URI)?
        }
    };
    connection.busy_handler(Some(wait_for_others))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_CACHED);
    if access == Access::Lockless {
        connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE;")?;
    }
    connection.execute_batch(&format!(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0; PRAGMA cache_size = -{CACHE_KIB};",
    ))?;
    if access == Access::Write {
        prepare_for_writing(&connection)?;
    }
    Ok(connection)
}

/// A private database in memory, for comparing schemas.
pub fn in_memory() -> Result<Connection, Error> {
    Ok(Connection::open_in_memory()?)
}

fn prepare_for_writing(connection: &Connection) -> Result<(), Error> {
    let mut waits = 0;
    let mode: String = loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)) {
            // Another process changes it too; SQLite does not ask the busy handler for this.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && wait_for_others(waits) =>
            {
                waits += 1;
            }
            read => break read?,
        }
    };
    if mode != "wal" {
        return Err(Error::Damaged(format!("the journal mode is `{mode}` instead of `wal`")));
    }
    connection.execute_batch(&format!(
        "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = {LOG_BYTES_KEPT};"
    ))?;
    Ok(())
}

fn wait_for_others(tries: i32) -> bool {
    thread::sleep(BUSY_PAUSE);
    tries < BUSY_TRIES_MAX
}

fn uri(path: &Path, query: &str) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(*byte));
            }
            // Writing to a `String` cannot fail.
            other => drop(write!(uri, "%{other:02X}")),
        }
    }
    uri.push('?');
    uri.push_str(query);
    uri
}
