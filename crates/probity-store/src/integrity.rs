//! Finds damage that a single read cannot show: rows that vanished, were swapped, or that an index
//! no longer leads to.

use probity_research::id::{Digest, RunId};
use rusqlite::Connection;

use crate::{
    blobs, charges,
    error::Error,
    events, files,
    layout::Layout,
    list,
    row::{self, SqliteRunRow},
    shelf,
    totals::Totals,
};

/// How much to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegrityDepth {
    /// The status rows and their indices: what lists and "not found" depend on.
    Rows,
    /// All pages, all journals, all stored blobs.
    Everything,
}

/// What was checked and found undamaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegrityReport {
    pub depth: IntegrityDepth,
    pub researches: u64,
    pub events: u64,
    pub blobs: u64,
    pub commits: u64,
}

/// Call it on a snapshot. An error of code `StoreCorrupt` names the first damage that was found.
pub fn check_integrity(
    connection: &Connection,
    layout: &Layout,
    depth: IntegrityDepth,
) -> Result<IntegrityReport, Error> {
    let totals = Totals::read(connection)?;
    check_pages(connection, depth)?;
    let ids = check_rows(connection, &totals, depth)?;
    // A row there hides a run: "not found" depends on it.
    shelf::check(connection)?;
    let mut audited = IntegrityReport {
        depth,
        researches: totals.researches,
        events: 0,
        blobs: 0,
        commits: totals.commits,
    };
    if depth == IntegrityDepth::Everything {
        for id in ids {
            let journal = events::load(connection, id)?;
            let journal =
                journal.ok_or_else(|| Error::Damaged(format!("the index does not lead to {id}")))?;
            audited.events += journal.len() as u64;
        }
        audited.blobs = check_blob_rows(connection)? + check_blob_files(layout)?;
    }
    Ok(audited)
}

/// With a table's name SQLite also compares that table with its indices and leaves the others alone.
fn check_pages(connection: &Connection, depth: IntegrityDepth) -> Result<(), Error> {
    let sql = match depth {
        IntegrityDepth::Rows => "PRAGMA integrity_check(research)",
        IntegrityDepth::Everything => "PRAGMA integrity_check",
    };
    let found: String = connection.query_row(sql, [], |row| row.get(0))?;
    if found != "ok" {
        return Err(Error::Damaged(found));
    }
    Ok(())
}

fn check_rows(connection: &Connection, totals: &Totals, depth: IntegrityDepth) -> Result<Vec<RunId>, Error> {
    let mut statement =
        connection.prepare(concat!("SELECT ", row::columns!(), ", summary FROM research ORDER BY number"))?;
    let mut rows = statement.query([])?;
    let mut found = Totals { commits: totals.commits, ..Totals::default() };
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        let (columns, hash) = SqliteRunRow::read(row)?;
        let id = RunId::from_bytes(columns.id);
        let summary = row::checked_summary(id, row::text(row, row::SUMMARY)?, &columns.seal)?;
        found.researches += 1;
        found.toggle(&hash);
        if depth == IntegrityDepth::Everything {
            charges::check_row(connection, columns.number, &list::parse_summary(summary)?)?;
            ids.push(id);
        }
    }
    if found != *totals {
        return Err(Error::Damaged(format!(
            "{} researches are there, {} were written, or some were exchanged",
            found.researches, totals.researches
        )));
    }
    Ok(ids)
}

fn check_blob_rows(connection: &Connection) -> Result<u64, Error> {
    let mut statement = connection.prepare("SELECT digest, bytes FROM blob")?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while let Some(found) = rows.next()? {
        blobs::checked(Digest(row::bytes(found, 0)?), Some(found.get(1)?))?;
        count += 1;
    }
    Ok(count)
}

fn check_blob_files(layout: &Layout) -> Result<u64, Error> {
    let mut count = 0;
    for folder in files::names(&layout.blobs()) {
        if folder == layout.unfinished() {
            continue;
        }
        for path in files::names(&folder) {
            let name =
                |path: &std::path::Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
            let digest = name(&folder)
                .zip(name(&path))
                .and_then(|(start, rest)| format!("{start}{rest}").parse().ok());
            let digest: Digest = digest
                .ok_or_else(|| Error::Damaged(format!("`{}` is not named by a digest", path.display())))?;
            blobs::checked(digest, files::read(&path)?)?;
            count += 1;
        }
    }
    Ok(count)
}
