//! Takes removed runs out of the store for good: rows, words, events, stored bytes, saved files and copies in backups.
//! Bytes that another run uses stay. What was spent stays counted for the day, without saying for what.
//!
//! The rows go first, all in one commit: until then the runs are whole and can be restored, after it they are not there.
//! Files and copies follow. A record of what is still to go is kept until they are gone: the next purge, or the upkeep,
//! finishes one that was killed.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use probity_research::{
    error::{Code, CodedError},
    id::{Digest, RunId},
    shelf,
};
use rusqlite::{Connection, params};

use crate::{
    backup, blobs, charges,
    connection::{self, Access},
    error::Error,
    events,
    exports::ReportExporter,
    files,
    layout::Layout,
    purge_record::{self, PurgeRecord},
    row,
    shelf::{forget, forget_words, removed},
    store::Store,
    watches,
    writer::WriteContext,
};

/// Hexadecimal digits by which events and reports name bytes.
const DIGEST_DIGITS: usize = 64;

/// Which of the removed runs to purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeChoice {
    /// All that are in the trash.
    Everything,
    /// Those that were there for `TRASH_DAYS`.
    Expired,
}

/// Where copies of a run may lie outside the database.
#[derive(Debug, Clone, Default)]
pub struct PurgePlaces {
    /// The directories below which reports are saved.
    pub report_roots: Vec<PathBuf>,
    /// Pages by their address, for asking whether they changed. Not by run, so all of it goes.
    pub page_cache: Option<PathBuf>,
}

/// What was taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgeReport {
    pub runs: Vec<RunId>,
    /// Reports, answers and pages.
    pub blobs: u64,
    pub exports: Vec<PathBuf>,
    /// Files or copies are left; the next purge or upkeep takes them.
    pub is_unfinished: bool,
}

impl Store {
    /// Refused while a run is driven: it may be about to use bytes that only the purged run is known to use.
    pub async fn purge(&self, choice: PurgeChoice, places: PurgePlaces) -> Result<PurgeReport, CodedError> {
        let now = (self.inner.clocks.wall)();
        let until = match choice {
            PurgeChoice::Everything => None,
            PurgeChoice::Expired => Some(now.plus_ms(-shelf::trash_ms())),
        };
        // Most of the time there is nothing: no reason to wait for the writer.
        let waiting = self.inner.readers.with(|connection| removed(connection, until));
        let is_empty = waiting.map_err(|error| self.inner.problem(&error))?.is_empty();
        if is_empty && !self.has_unfinished_purge() {
            return Ok(PurgeReport::default());
        }
        let layout = self.inner.layout.clone();
        let mut report = self
            .inner
            .write(0, move |change| {
                let gone = removed(change.connection, until)?;
                let mut report = PurgeReport::default();
                if gone.is_empty() {
                    return Ok(report);
                }
                refuse_while_driven(change.connection)?;
                report.runs.extend(gone.iter().map(|(_, id)| *id));
                let deleted = delete_runs(change, &layout, &gone)?;
                report.blobs = deleted.rows;
                PurgeRecord::new(&layout, report.runs.clone(), deleted.files).write(&layout)?;
                Ok(report)
            })
            .await?;
        let is_begun = !report.runs.is_empty();
        let finished = self.finish_purges(places, &mut report).await;
        match finished {
            // The rows are gone, and a run has begun since that may use the same pages: what is left waits for its end.
            Err(problem) if is_begun && problem.code == Code::NotFinished => report.is_unfinished = true,
            finished => finished?,
        }
        Ok(report)
    }

    /// Whether a purge was begun and files or copies of what it took are left.
    pub fn has_unfinished_purge(&self) -> bool {
        purge_record::is_pending(&self.inner.layout)
    }

    /// Deletes what the records of purges name. Refused while a run is driven, for the same reason as the purge itself.
    async fn finish_purges(&self, places: PurgePlaces, report: &mut PurgeReport) -> Result<(), CodedError> {
        let layout = self.inner.layout.clone();
        let (records, deleted) = self
            .inner
            .write(0, move |change| {
                let records = purge_record::all(change.connection, &layout)?;
                if records.is_empty() {
                    return Ok((records, 0));
                }
                refuse_while_driven(change.connection)?;
                let deleted = delete_files(change.connection, &layout, &records)?;
                Ok((records, deleted))
            })
            .await?;
        if records.is_empty() {
            return Ok(());
        }
        report.blobs += deleted;
        report.runs = records.iter().flat_map(|record| record.runs.iter().copied()).collect();
        let runs = report.runs.clone();
        let (exports, is_clear) = self.clear_copies_aside(runs, places).await;
        report.exports.extend(exports);
        report.is_unfinished = !is_clear;
        if is_clear {
            records.iter().for_each(PurgeRecord::remove);
        }
        Ok(())
    }

    /// Copying takes seconds for a large database, so it is done beside the runtime's threads where there is a runtime.
    async fn clear_copies_aside(&self, runs: Vec<RunId>, places: PurgePlaces) -> (Vec<PathBuf>, bool) {
        let store = self.clone();
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let cleared = runtime.spawn_blocking(move || store.clear_copies(&runs, &places)).await;
                cleared.unwrap_or_else(|error| {
                    tracing::warn!(%error, "copies of what was purged were not cleared");
                    (Vec::new(), false)
                })
            }
            Err(_) => store.clear_copies(&runs, &places),
        }
    }

    /// Saved files, entries of the feed, the database without the space that deleted rows leave, and backups without
    /// these runs: the saved files, and whether all is clear. A failure is worth a log line: what was purged is gone from
    /// the library whatever comes of this, and the rest is tried again.
    fn clear_copies(&self, runs: &[RunId], places: &PurgePlaces) -> (Vec<PathBuf>, bool) {
        let layout = &self.inner.layout;
        let mut exports = Vec::new();
        for id in runs {
            files::remove(&files::rescue_path(&self.inner.rescue_directory, *id));
            exports.extend(ReportExporter::new(places.report_roots.clone()).remove(*id));
        }
        for page in places.page_cache.iter().flat_map(|folder| files::names(folder)) {
            files::remove(&page);
        }
        let mut is_clear = true;
        if let Err(error) = watches::forget_in_feed(layout, self.inner.owner, runs) {
            tracing::warn!(%error, "the feed may still name what was purged");
            is_clear = false;
        }
        if let Err(error) = compact(layout.database()) {
            tracing::warn!(%error, "deleted rows may still lie in unused parts of the database");
            is_clear = false;
        }
        backup::sweep(layout, Duration::ZERO);
        let holding: Vec<PathBuf> =
            backup::all(layout).into_iter().filter(|path| holds(path, runs)).collect();
        if holding.is_empty() {
            return (exports, is_clear);
        }
        match self.backup_aside() {
            Ok(_) => holding.iter().for_each(|path| files::remove(path)),
            Err(problem) => {
                tracing::warn!(code = %problem.code, "backups still hold what was purged; no new one was made");
                is_clear = false;
            }
        }
        (exports, is_clear)
    }
}

/// Writes the database anew: what rows have left in it is not in the new file.
fn compact(database: &Path) -> Result<(), Error> {
    let connection = connection::open(database, Access::Write)?;
    // In a file: the copy may be larger than memory.
    connection.execute_batch("PRAGMA temp_store = FILE; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(())
}

/// Whether a backup has one of these runs. One that cannot be read is left alone: `doctor` speaks of it.
fn holds(backup: &Path, runs: &[RunId]) -> bool {
    let found = connection::open(backup, Access::Immutable).and_then(|copy| {
        let mut statement = copy.prepare("SELECT 1 FROM research WHERE id = ?1")?;
        for id in runs {
            if statement.exists([id.to_bytes()])? {
                return Ok(true);
            }
        }
        Ok(false)
    });
    found.unwrap_or(false)
}

fn refuse_while_driven(connection: &Connection) -> Result<(), Error> {
    let driven: Option<[u8; 16]> = row::optional(
        connection
            .prepare_cached("SELECT id FROM research WHERE due = 1 AND owner IS NOT NULL LIMIT 1")?
            .query_row([], |row| row.get(0)),
    )?;
    let Some(driven) = driven else { return Ok(()) };
    let id = RunId::from_bytes(driven);
    let message = format!(
        "research {id} is under way and may share pages with what is purged: purge when it has ended"
    );
    Err(CodedError::new(Code::NotFinished, &message).into())
}

/// The bytes of deleted runs that no other run uses.
struct DeletedBytes {
    /// How many were rows and are deleted.
    rows: u64,
    /// Those in files, which are still there.
    files: Vec<Digest>,
}

/// Deletes the rows; files stay until that is committed.
fn delete_runs(
    change: &mut WriteContext<'_>,
    layout: &Layout,
    gone: &[(i64, RunId)],
) -> Result<DeletedBytes, Error> {
    let connection = change.connection;
    let numbers: BTreeSet<i64> = gone.iter().map(|(number, _)| *number).collect();
    let (ours, others) = named_digests(connection, &numbers)?;
    let ours = reachable(connection, layout, ours)?;
    let others = reachable(connection, layout, others)?;
    let mut deleted = DeletedBytes { rows: 0, files: Vec::new() };
    for digest in ours.difference(&others) {
        let row = connection.prepare_cached("DELETE FROM blob WHERE digest = ?1")?.execute([digest.0])?;
        deleted.rows += u64::from(row > 0);
        if files::length(&layout.blob(*digest)).is_some() {
            deleted.files.push(*digest);
        }
        // Answers of judges are kept by their question, which events name in the same way.
        connection.prepare_cached("DELETE FROM judgement WHERE question = ?1")?.execute([digest.0])?;
    }
    for (number, id) in gone {
        delete_rows(change, *number, *id)?;
    }
    // Merges the index into one part without the words that were deleted.
    change.connection.prepare_cached("INSERT INTO search (search) VALUES ('optimize')")?.execute([])?;
    Ok(deleted)
}

/// Deletes the files that these purges left and that no run has come to use since; how many.
fn delete_files(connection: &Connection, layout: &Layout, records: &[PurgeRecord]) -> Result<u64, Error> {
    let left: BTreeSet<Digest> = records
        .iter()
        .flat_map(|record| record.digests.iter().copied())
        .filter(|digest| files::length(&layout.blob(*digest)).is_some())
        .collect();
    if left.is_empty() {
        return Ok(0);
    }
    let (_, named) = named_digests(connection, &BTreeSet::new())?;
    let used = reachable(connection, layout, named)?;
    let mut deleted = 0;
    for digest in left.difference(&used) {
        files::remove(&layout.blob(*digest));
        deleted += 1;
    }
    Ok(deleted)
}

fn delete_rows(change: &mut WriteContext<'_>, number: i64, id: RunId) -> Result<(), Error> {
    let connection = change.connection;
    let hash = row::find(connection, id, |_, hash| Ok(hash))?;
    let hash = hash.ok_or_else(|| Error::Damaged(format!("the index does not lead to {id}")))?;
    let (first, last) = events::places(number);
    connection
        .prepare_cached("DELETE FROM event WHERE place BETWEEN ?1 AND ?2")?
        .execute(params![first, last])?;
    connection.prepare_cached("DELETE FROM result WHERE number = ?1")?.execute([number])?;
    connection.prepare_cached("DELETE FROM watch WHERE id = ?1")?.execute([id.to_bytes()])?;
    forget_words(connection, number)?;
    forget(connection, number)?;
    charges::make_nameless(connection, number)?;
    connection.prepare_cached("DELETE FROM research WHERE number = ?1")?.execute([number])?;
    change.row_removed(&hash);
    Ok(())
}

/// What the events and status rows of these runs name, and what those of all others do.
fn named_digests(
    connection: &Connection,
    numbers: &BTreeSet<i64>,
) -> Result<(BTreeSet<Digest>, BTreeSet<Digest>), Error> {
    let (mut ours, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut statement = connection.prepare("SELECT place, body FROM event")?;
    let mut rows = statement.query([])?;
    while let Some(found) = rows.next()? {
        let is_ours = numbers.contains(&events::number_at(found.get(0)?));
        collect_digests(row::text(found, 1)?.as_bytes(), if is_ours { &mut ours } else { &mut others });
    }
    let mut statement = connection.prepare("SELECT number, summary FROM research")?;
    let mut rows = statement.query([])?;
    while let Some(found) = rows.next()? {
        let is_ours = numbers.contains(&found.get::<_, i64>(0)?);
        collect_digests(row::text(found, 1)?.as_bytes(), if is_ours { &mut ours } else { &mut others });
    }
    Ok((ours, others))
}

/// These and whatever their bytes name in turn: the report of a further question names pages of the first one.
fn reachable(
    connection: &Connection,
    layout: &Layout,
    named: BTreeSet<Digest>,
) -> Result<BTreeSet<Digest>, Error> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<Digest> = named.into_iter().collect();
    while let Some(digest) = waiting.pop() {
        if !reached.insert(digest) {
            continue;
        }
        let bytes = match blobs::fetch_row(connection, digest)? {
            Some(bytes) => Some(bytes),
            None => blobs::fetch_file(layout, digest)?,
        };
        let mut further = BTreeSet::new();
        collect_digests(&bytes.unwrap_or_default(), &mut further);
        waiting.extend(further.difference(&reached).copied());
    }
    Ok(reached)
}

fn collect_digests(bytes: &[u8], into: &mut BTreeSet<Digest>) {
    for word in bytes.split(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        if word.len() == DIGEST_DIGITS
            && let Ok(digits) = std::str::from_utf8(word)
            && let Ok(digest) = digits.parse::<Digest>()
        {
            into.insert(digest);
        }
    }
}
