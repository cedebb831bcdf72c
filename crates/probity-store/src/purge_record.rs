//! What a purge has begun: which runs it took out of the database, and which files are still to go. Written before the rows
//! are deleted for good and removed when nothing is left, so that a purge that was killed is finished by the next one.
//!
//! A file and no row: a row would be copied into the backup that takes the place of those which held the run.

use std::path::PathBuf;

use probity_research::id::{Digest, RunId};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{error::Error, files, layout::Layout};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeRecord {
    pub runs: Vec<RunId>,
    /// Bytes in files that no other run used.
    pub digests: Vec<Digest>,
    path: PathBuf,
}

impl PurgeRecord {
    pub fn new(layout: &Layout, runs: Vec<RunId>, digests: Vec<Digest>) -> Self {
        let name = runs.first().map(ToString::to_string).unwrap_or_default();
        Self { runs, digests, path: layout.purging().join(format!("{name}.json")) }
    }

    pub fn write(&self, layout: &Layout) -> Result<(), Error> {
        files::private_directory(&layout.purging())?;
        let unfinished = self.path.with_extension("unfinished");
        // Of a purge that was killed while it wrote it.
        files::remove(&unfinished);
        let body = json!({ "runs": self.runs, "digests": self.digests });
        files::write_whole(&self.path, &unfinished, body.to_string().as_bytes())
    }

    pub fn remove(&self) {
        files::remove(&self.path);
    }

    fn read(path: PathBuf) -> Option<Self> {
        let body: Value = serde_json::from_slice(&files::read(&path).ok()??).ok()?;
        let runs = serde_json::from_value(body.get("runs")?.clone()).ok()?;
        let digests = serde_json::from_value(body.get("digests")?.clone()).ok()?;
        Some(Self { runs, digests, path })
    }
}

/// Whether a purge was begun and not finished.
pub fn is_pending(layout: &Layout) -> bool {
    !paths(layout).is_empty()
}

/// The purges that are to be finished. One whose runs are still there was never committed and is forgotten: to be called
/// where no other purge can be between its record and its commit.
pub fn all(connection: &Connection, layout: &Layout) -> Result<Vec<PurgeRecord>, Error> {
    let mut records = Vec::new();
    let mut statement = connection.prepare_cached("SELECT 1 FROM research WHERE id = ?1")?;
    for path in paths(layout) {
        let shown = path.display().to_string();
        let Some(record) = PurgeRecord::read(path) else {
            tracing::warn!(path = %shown, "the record of a purge cannot be read");
            continue;
        };
        let mut is_there = false;
        for id in &record.runs {
            is_there |= statement.exists([id.to_bytes()])?;
        }
        if is_there {
            record.remove();
        } else {
            records.push(record);
        }
    }
    Ok(records)
}

fn paths(layout: &Layout) -> Vec<PathBuf> {
    let mut paths = files::names(&layout.purging());
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths
}
