//! Bytes under their own digest: small ones in the database, large ones as files.
//!
//! Both are on disk before `store_blob` returns, and the digest is checked on every read.

use std::sync::atomic::{AtomicU64, Ordering};

use probity_research::id::{Digest, OwnerId};
use rusqlite::{Connection, params};

use crate::{error::Error, events, files, layout::Layout, row, writer::WriteContext};

/// Up to here a row in the shared commit is cheaper than the four syncs of a file.
pub const ROW_BYTES_MAX: usize = 64 * 1024;

/// Tells files under way in one process apart.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);

pub fn is_row(connection: &Connection, digest: Digest, length: usize) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached("SELECT length(bytes) FROM blob WHERE digest = ?1")?;
    let found = row::optional(statement.query_row(params![digest.0], |row| row.get::<_, i64>(0)))?;
    Ok(found == Some(row::signed(length as u64)))
}

pub fn has_row(connection: &Connection, digest: Digest) -> Result<bool, Error> {
    Ok(connection.prepare_cached("SELECT 1 FROM blob WHERE digest = ?1")?.exists([digest.0])?)
}

pub fn keep_row(change: &mut WriteContext<'_>, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
    change
        .connection
        .prepare_cached("INSERT OR REPLACE INTO blob (digest, bytes) VALUES (?1, ?2)")?
        .execute(params![digest.0, bytes])?;
    change.other_changed();
    Ok(())
}

pub fn keep_file(layout: &Layout, owner: OwnerId, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
    let target = layout.blob(digest);
    if files::length(&target) == Some(bytes.len() as u64) {
        // The process that wrote it may not have synced the directory yet.
        return files::sync_directory_of(&target);
    }
    files::private_directory(&layout.unfinished())?;
    let folder = target.parent().unwrap_or(&target);
    if files::length(folder).is_none() {
        files::private_directory(folder)?;
        files::sync_directory_of(folder)?;
    }
    let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
    let unfinished = layout.unfinished().join(format!("{owner}.{number}"));
    files::write_whole(&target, &unfinished, bytes)
}

pub fn fetch_row(connection: &Connection, digest: Digest) -> Result<Option<Vec<u8>>, Error> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM blob WHERE digest = ?1")?;
    row::optional(statement.query_row(params![digest.0], |row| row.get(0)))
}

pub fn fetch_file(layout: &Layout, digest: Digest) -> Result<Option<Vec<u8>>, Error> {
    files::read(&layout.blob(digest))
}

/// Digests come out of events, so bytes that are not there were there once.
pub fn checked(digest: Digest, bytes: Option<Vec<u8>>) -> Result<Vec<u8>, Error> {
    let bytes = bytes.ok_or_else(|| Error::Damaged(format!("the bytes of {digest} are missing")))?;
    if events::digest(&bytes) != digest {
        return Err(Error::Damaged(format!("the bytes of {digest} have another digest")));
    }
    Ok(bytes)
}
