//! The reports that are watched, and the feed that tells what changed in them. Rows of this machine's store; a fleet has
//! none. When a report is due is `probity_research::watch`.

use std::path::PathBuf;

use probity_research::{
    error::{Code, CodedError},
    id::{OwnerId, RunId},
    watch::{WATCHES_MAX, Watch},
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{error::Error, files, layout::Layout, row::signed, store::Store};

/// The feed in the data directory.
pub const WATCH_FEED: &str = "watch-feed.json";

impl Store {
    /// All of them, in the order in which they are due.
    pub fn watches(&self) -> Result<Vec<Watch>, CodedError> {
        let mut watches = self.inner.read_complete(all)?;
        watches.sort_by_key(|watch| (watch.due_at, watch.id));
        Ok(watches)
    }

    /// Adds one, or replaces the one of the same run. A new one is refused beyond the limit.
    pub async fn add_watch(&self, watch: Watch) -> Result<(), CodedError> {
        let written = self.inner.write(0, move |change| {
            let others: i64 = change
                .connection
                .prepare_cached("SELECT count(*) FROM watch WHERE id <> ?1")?
                .query_row([watch.id.to_bytes()], |row| row.get(0))?;
            if others >= signed(WATCHES_MAX as u64) {
                let message = format!("{WATCHES_MAX} reports are watched already, which is the limit");
                return Err(CodedError::new(Code::InvalidArguments, &message).into());
            }
            put(change.connection, &watch)?;
            change.other_changed();
            Ok(())
        });
        Ok(written.await?)
    }

    /// Replaces one that still is as it was read; false if somebody else changed or removed it meanwhile.
    pub async fn replace_watch(&self, from: Watch, to: Watch) -> Result<bool, CodedError> {
        let written = self.inner.write(0, move |change| {
            let same = find(change.connection, from.id)?.as_ref() == Some(&from);
            if same {
                put(change.connection, &to)?;
                change.other_changed();
            }
            Ok(same)
        });
        Ok(written.await?)
    }

    /// False if it was not watched.
    pub async fn remove_watch(&self, id: RunId) -> Result<bool, CodedError> {
        let written = self.inner.write(0, move |change| {
            let removed = change
                .connection
                .prepare_cached("DELETE FROM watch WHERE id = ?1")?
                .execute([id.to_bytes()])?;
            if removed > 0 {
                change.other_changed();
            }
            Ok(removed > 0)
        });
        Ok(written.await?)
    }

    /// The feed as it was written last.
    pub fn watch_feed(&self) -> Result<Option<Vec<u8>>, CodedError> {
        let path = self.inner.layout.directory().join(WATCH_FEED);
        files::read(&path).map_err(|error| error.problem(&path, 0))
    }

    /// Replaces the feed; the path of it.
    pub fn write_watch_feed(&self, bytes: &[u8]) -> Result<PathBuf, CodedError> {
        let path = self.inner.layout.directory().join(WATCH_FEED);
        let unfinished = self.inner.layout.directory().join(format!(".{WATCH_FEED}.{}", self.inner.owner));
        files::write_whole(&path, &unfinished, bytes).map_err(|error| error.problem(&path, bytes.len()))?;
        Ok(path)
    }
}

/// Takes the entries that name these runs out of the feed.
pub fn forget_in_feed(layout: &Layout, owner: OwnerId, ids: &[RunId]) -> Result<(), Error> {
    let path = layout.directory().join(WATCH_FEED);
    let Some(bytes) = files::read(&path)? else { return Ok(()) };
    let Ok(mut feed) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return Ok(()) };
    let Some(items) = feed.get_mut("items").and_then(serde_json::Value::as_array_mut) else { return Ok(()) };
    let before = items.len();
    items.retain(|item| {
        let text = item.to_string();
        !ids.iter().any(|id| text.contains(&id.to_string()))
    });
    if items.len() == before {
        return Ok(());
    }
    let unfinished = layout.directory().join(format!(".{WATCH_FEED}.{owner}"));
    files::write_whole(&path, &unfinished, format!("{feed:#}").as_bytes())
}

fn all(connection: &Connection) -> Result<Vec<Watch>, Error> {
    let mut statement = connection.prepare_cached("SELECT watch, hash FROM watch LIMIT ?1")?;
    let rows = statement.query_map([signed(WATCHES_MAX as u64)], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (text, hash): (String, Vec<u8>) = row?;
        parse(&text, &hash)
    })
    .collect()
}

fn find(connection: &Connection, id: RunId) -> Result<Option<Watch>, Error> {
    let row: Option<(String, Vec<u8>)> = connection
        .prepare_cached("SELECT watch, hash FROM watch WHERE id = ?1")?
        .query_row([id.to_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    row.map(|(text, hash)| parse(&text, &hash)).transpose()
}

fn put(connection: &Connection, watch: &Watch) -> Result<(), Error> {
    let text = serde_json::to_string(watch)
        .map_err(|_| Error::Damaged("a watched report cannot be written".to_owned()))?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO watch (id, watch, hash) VALUES (?1, ?2, ?3)")?
        .execute(params![watch.id.to_bytes(), text, hash_of(&text)])?;
    Ok(())
}

fn parse(text: &str, hash: &[u8]) -> Result<Watch, Error> {
    let watch = serde_json::from_str(text).ok().filter(|_| hash_of(text) == hash);
    watch.ok_or_else(|| Error::Damaged("a watched report is not what was written".to_owned()))
}

fn hash_of(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}
