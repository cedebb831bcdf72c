//! The control: SQLite alone, told not to wait for the disk. The same rig must see it lose commits.
#![expect(clippy::disallowed_methods, reason = "the bare part that the store is compared with")]

use std::path::Path;

use rusqlite::Connection;

use crate::output;

/// Commits one row after the other and tells each, until it is killed.
pub fn work(directory: &Path, synchronous: &str) -> anyhow::Result<()> {
    let connection = Connection::open(file(directory))?;
    connection.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
         CREATE TABLE row (number INTEGER PRIMARY KEY, body TEXT NOT NULL);"
    ))?;
    let mut insert = connection.prepare("INSERT INTO row (number, body) VALUES (?1, ?2)")?;
    for number in 0_i64.. {
        insert.execute((number, "x".repeat(300)))?;
        output::line(&format!("row {number}"));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    Ok(())
}

/// How many of the first `told` rows are there; none if the file cannot even be read.
pub fn count_kept_rows(directory: &Path, told: usize) -> usize {
    let count = || -> rusqlite::Result<i64> {
        let connection = Connection::open(file(directory))?;
        let told = i64::try_from(told).unwrap_or(i64::MAX);
        connection.query_row("SELECT count(*) FROM row WHERE number < ?1", [told], |row| row.get(0))
    };
    count().ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(0)
}

fn file(directory: &Path) -> std::path::PathBuf {
    directory.join("bare.db")
}
