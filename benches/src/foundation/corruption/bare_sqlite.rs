//! The control: the same file read by SQLite alone, without the store's hashes.
#![expect(clippy::disallowed_methods, reason = "the bare part that the store is compared with")]

use std::path::Path;

use rusqlite::Connection;

use super::store_contents::StoreContents;

/// Whether SQLite answers without an error, and not with what was written.
pub fn is_silently_wrong(directory: &Path, truth: &StoreContents) -> bool {
    let (texts, kept) = truth.texts();
    let read = || -> rusqlite::Result<(Vec<String>, Vec<Vec<u8>>)> {
        let connection = Connection::open(directory.join("probity.db"))?;
        let mut events = connection.prepare("SELECT CAST(body AS BLOB) FROM event")?;
        let events = events.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
        let events: Vec<Vec<u8>> = events.collect::<rusqlite::Result<_>>()?;
        let mut blobs = connection.prepare("SELECT bytes FROM blob")?;
        let blobs = blobs.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok((events.iter().map(|body| String::from_utf8_lossy(body).into_owned()).collect(), blobs))
    };
    let Ok((mut events, blobs)) = read() else { return false };
    events.sort();
    let is_known = |bytes: &Vec<u8>| kept.values().any(|known| known == bytes);
    events != texts || !blobs.iter().all(is_known) || !kept_files(directory).iter().all(is_known)
}

/// Large reports lie in files of their own.
fn kept_files(directory: &Path) -> Vec<Vec<u8>> {
    let found = super::files(&directory.join("blobs")).unwrap_or_default();
    found.into_iter().filter_map(|(path, _)| std::fs::read(path).ok()).collect()
}
