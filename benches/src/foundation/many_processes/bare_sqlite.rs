//! The control: SQLite alone, claiming with a select and then an update. The same rig must see it fail.
#![expect(clippy::disallowed_methods, reason = "the bare part that the store is compared with")]

use std::{path::Path, time::Duration};

use anyhow::Context;
use rusqlite::{Connection, OptionalExtension};

use crate::output;

pub fn prepare(directory: &Path, tasks: u64) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory)?;
    let connection = open(directory)?;
    connection.execute_batch("CREATE TABLE task (number INTEGER PRIMARY KEY, owner INTEGER); BEGIN;")?;
    for _ in 0..tasks {
        connection.execute("INSERT INTO task (owner) VALUES (NULL)", [])?;
    }
    connection.execute_batch("COMMIT")?;
    Ok(())
}

pub fn claim_all(directory: &Path, index: u64) -> anyhow::Result<()> {
    let connection = open(directory)?;
    let mut free = connection.prepare("SELECT number FROM task WHERE owner IS NULL LIMIT 1")?;
    let mut take = connection.prepare("UPDATE task SET owner = ?2 WHERE number = ?1")?;
    while let Some(number) = free.query_row([], |row| row.get::<_, i64>(0)).optional()? {
        // What a program decides between the two; without it they rarely meet on so small a table.
        std::thread::sleep(Duration::from_micros(100));
        take.execute((number, i64::try_from(index)?))?;
        output::line(&format!("claim {number}"));
    }
    Ok(())
}

fn open(directory: &Path) -> anyhow::Result<Connection> {
    let connection = Connection::open(directory.join("bare.db")).context("opening the bare database")?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
    Ok(connection)
}
