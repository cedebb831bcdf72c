//! The tables, in ordered steps. A step is never edited after a release; a change is a new step.

use rusqlite::Connection;

use probity_research::error::{Code, CodedError};

use crate::{connection, error::Error};

/// `PRBT`: tells a Probity database from any other SQLite file.
pub const APPLICATION_ID: i64 = 0x5052_4254;

/// Step 1 leads from an empty file to version 1, and so on.
///
/// `event.place` is `research.number` times 2^20 plus the sequence: one b-tree without a second index,
/// with the events of one run side by side.
pub const STEPS: &[&str] = &[
    "
CREATE TABLE research (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    sequence INTEGER NOT NULL,
    chain BLOB NOT NULL,
    status TEXT NOT NULL,
    due INTEGER NOT NULL,
    owner BLOB,
    fence INTEGER NOT NULL,
    called INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    engine TEXT NOT NULL,
    words TEXT NOT NULL,
    seal BLOB NOT NULL,
    hash BLOB NOT NULL,
    summary TEXT NOT NULL
) STRICT;
CREATE INDEX research_due ON research (owner, called) WHERE due = 1;
CREATE INDEX research_listed ON research (status, updated_at);
CREATE TABLE event (
    place INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    attended_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE blob (
    digest BLOB NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE owner (
    owner BLOB NOT NULL PRIMARY KEY,
    beats INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    pid INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE totals (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    researches INTEGER NOT NULL,
    fold BLOB NOT NULL,
    commits INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
",
    "
CREATE TABLE judgement (
    number INTEGER PRIMARY KEY,
    question BLOB NOT NULL UNIQUE,
    answer TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
",
];

/// What must be done to a database before it can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaAction {
    Nothing,
    Create,
    Migrate { from: usize },
}

/// Compares what is there with what these steps would have made.
pub fn required_action(connection: &Connection, steps: &[&str]) -> Result<SchemaAction, Error> {
    // One moment for all these reads: another process may be creating the tables between them.
    let _snapshot = if connection.is_autocommit() { Some(connection.unchecked_transaction()?) } else { None };
    let version = number(connection, "PRAGMA user_version")?;
    let application = number(connection, "PRAGMA application_id")?;
    let tables = number(connection, "SELECT count(*) FROM sqlite_schema")?;
    if version == 0 && application == 0 && tables == 0 {
        return Ok(SchemaAction::Create);
    }
    if application != APPLICATION_ID {
        return Err(Error::Damaged("it is not a Probity database".to_owned()));
    }
    let from = usize::try_from(version).unwrap_or(usize::MAX);
    if from > steps.len() {
        let message = format!("the database has version {version}; this Probity knows {}", steps.len());
        return Err(CodedError::new(Code::StoreNewer, &message).into());
    }
    let made = steps.get(..from).unwrap_or_default();
    if tables_of(connection)? != tables_of(&build_in_memory(made)?)? {
        return Err(Error::Damaged(format!("its tables are not those of version {version}")));
    }
    Ok(if from == steps.len() { SchemaAction::Nothing } else { SchemaAction::Migrate { from } })
}

/// Performs the steps after `from`, inside the caller's transaction.
pub fn perform(connection: &Connection, steps: &[&str], from: usize) -> Result<(), Error> {
    for step in steps.iter().skip(from) {
        connection.execute_batch(step)?;
    }
    connection.execute_batch(&format!(
        "PRAGMA user_version = {}; PRAGMA application_id = {APPLICATION_ID};",
        steps.len()
    ))?;
    Ok(())
}

fn build_in_memory(steps: &[&str]) -> Result<Connection, Error> {
    let connection = connection::in_memory()?;
    perform(&connection, steps, 0)?;
    Ok(connection)
}

fn tables_of(connection: &Connection) -> Result<Vec<[String; 4]>, Error> {
    let mut statement = connection.prepare(
        "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema ORDER BY type, name, tbl_name",
    )?;
    let rows = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn number(connection: &Connection, sql: &str) -> Result<i64, Error> {
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}
