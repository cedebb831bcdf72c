//! The library in order: titles, tags and the trash, and the words of question, title and report that are searched.
//!
//! What the user says of a run is beside the run: no event is written, and no row of it changes. A run in the trash is
//! hidden from every read but those that ask for it; what it cost still counts. The index of words is no record: a
//! damaged one is found by the check of everything, and until then a search may miss a report.

use std::collections::{BTreeMap, BTreeSet};

use probity_research::{
    error::{Code, CodedError},
    id::RunId,
    shelf::{ShelfEntry, Tag, TagEdit, Title},
    status::RunStatus,
    time::Moment,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::{
    error::Error,
    list,
    row::{self, Hash},
    search_text,
    store::Store,
};

/// Runs that are not in the trash; `research` is the row in question.
macro_rules! kept {
    () => {
        "NOT EXISTS (SELECT 1 FROM shelf WHERE shelf.number = research.number AND shelf.removed_at IS NOT NULL)"
    };
}
pub(crate) use kept;

impl Store {
    /// What the user said of these runs; those of which nothing was said are left out.
    pub fn shelf_entries(&self, ids: &[RunId]) -> Result<BTreeMap<RunId, ShelfEntry>, CodedError> {
        self.inner.read_complete(|connection| {
            let mut entries = BTreeMap::new();
            for id in ids {
                let entry =
                    find_number(connection, *id)?.map(|number| read(connection, number)).transpose()?;
                let said = entry.filter(|entry| *entry != ShelfEntry::default());
                entries.extend(said.map(|entry| (*id, entry)));
            }
            Ok(entries)
        })
    }

    /// The one run in the trash whose id starts like this; at least four digits.
    pub fn find_removed(&self, text: &str) -> Result<RunId, CodedError> {
        let found = self.inner.read_complete(|connection| list::find_removed_by_prefix(connection, text))?;
        list::single_match(&found, text)
    }

    /// Gives a run a title, or its question back.
    pub async fn set_title(&self, id: RunId, title: Option<Title>) -> Result<(), CodedError> {
        let bytes = title.as_ref().map_or(0, |title| title.as_str().len());
        let written = self.inner.write(bytes, move |change| {
            let number = kept_number(change.connection, id)?;
            let before = read(change.connection, number)?;
            let shown = search_text::folded(title.as_ref().map_or("", Title::as_str));
            change
                .connection
                .prepare_cached("UPDATE search SET title = ?2 WHERE rowid = ?1")?
                .execute(params![number, shown])?;
            put(change.connection, number, &ShelfEntry { title, ..before })?;
            change.other_changed();
            Ok(())
        });
        Ok(written.await?)
    }

    /// The tags of the run afterwards.
    pub async fn edit_tags(&self, id: RunId, edit: TagEdit) -> Result<Vec<Tag>, CodedError> {
        let written = self.inner.write(0, move |change| {
            let number = kept_number(change.connection, id)?;
            let before = read(change.connection, number)?;
            let tags = edit.apply(before.tags.clone())?;
            put(change.connection, number, &ShelfEntry { tags: tags.clone(), ..before })?;
            change.other_changed();
            Ok(tags)
        });
        Ok(written.await?)
    }

    /// What `remove_runs` would take along with these, or why it would not take them.
    pub fn check_removal(&self, ids: &[RunId]) -> Result<Vec<RunId>, CodedError> {
        self.inner.read_complete(|connection| {
            let along = kept_rechecks(connection, ids)?;
            for id in ids.iter().chain(&along) {
                resting_number(connection, *id)?;
            }
            Ok(along)
        })
    }

    /// Puts runs into the trash with their rechecks, which hold all that they do: all or none. One that is under way is
    /// refused. They are no longer watched.
    pub async fn remove_runs(&self, ids: Vec<RunId>) -> Result<(), CodedError> {
        let now = (self.inner.clocks.wall)();
        let written = self.inner.write(0, move |change| {
            let along = kept_rechecks(change.connection, &ids)?;
            for id in ids.into_iter().chain(along) {
                let number = resting_number(change.connection, id)?;
                let before = read(change.connection, number)?;
                put(change.connection, number, &ShelfEntry { removed_at: Some(now), ..before })?;
                change
                    .connection
                    .prepare_cached("DELETE FROM watch WHERE id = ?1")?
                    .execute([id.to_bytes()])?;
            }
            change.other_changed();
            Ok(())
        });
        Ok(written.await?)
    }

    /// Takes runs out of the trash again, with the rechecks that went there with them: all or none.
    pub async fn restore_runs(&self, ids: Vec<RunId>) -> Result<(), CodedError> {
        let written = self.inner.write(0, move |change| {
            let mut along = BTreeSet::new();
            for id in ids {
                if along.contains(&id) {
                    continue;
                }
                let number = find_number(change.connection, id)?;
                let removed =
                    number.map(|number| read(change.connection, number).map(|entry| (number, entry)));
                match removed.transpose()?.filter(|(_, entry)| entry.removed_at.is_some()) {
                    Some((number, entry)) => {
                        let removed_at = entry.removed_at;
                        put(change.connection, number, &ShelfEntry { removed_at: None, ..entry })?;
                        along.extend(restore_rechecks(change.connection, id, removed_at)?);
                    }
                    None => return Err(not_in_trash(id)),
                }
            }
            change.other_changed();
            Ok(())
        });
        Ok(written.await?)
    }
}

/// Makes a report searchable, with its question and its title.
pub fn index(connection: &Connection, number: i64, question: &str, report: &str) -> Result<(), Error> {
    forget_words(connection, number)?;
    // A damaged title is no reason to lose the report that is indexed here.
    let title = read(connection, number).map(|entry| entry.title).unwrap_or_default();
    let title = title.as_ref().map_or("", Title::as_str);
    let [question, title, report] = [question, title, report].map(search_text::folded);
    connection
        .prepare_cached("INSERT INTO search (rowid, question, title, report) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![number, question, title, report])?;
    Ok(())
}

pub fn forget_words(connection: &Connection, number: i64) -> Result<(), Error> {
    connection.prepare_cached("DELETE FROM search WHERE rowid = ?1")?.execute([number])?;
    Ok(())
}

pub fn is_removed(connection: &Connection, id: RunId) -> Result<bool, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM research JOIN shelf USING (number) WHERE id = ?1 AND removed_at IS NOT NULL",
    )?;
    Ok(statement.exists([id.to_bytes()])?)
}

/// The runs in the trash that were removed at this moment or before; all of them if none is named.
pub fn removed(connection: &Connection, until: Option<Moment>) -> Result<Vec<(i64, RunId)>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT number, id FROM shelf JOIN research USING (number)
         WHERE removed_at IS NOT NULL AND (?1 IS NULL OR removed_at <= ?1) ORDER BY number",
    )?;
    let mut rows = statement.query([until.map(|until| until.0)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        // Damage must not delete a run that nobody removed.
        if read(connection, number)?.removed_at.is_some() {
            found.push((number, RunId::from_bytes(row::bytes(row, 1)?)));
        }
    }
    Ok(found)
}

/// Every row is what was written and belongs to a run. A database from before has none.
pub fn check(connection: &Connection) -> Result<(), Error> {
    if !connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'shelf'")?.exists([])? {
        return Ok(());
    }
    let mut statement = connection.prepare("SELECT number FROM shelf")?;
    let numbers: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for number in numbers {
        read(connection, number)?;
        let belongs =
            connection.prepare_cached("SELECT 1 FROM research WHERE number = ?1")?.exists([number])?;
        if !belongs {
            return Err(Error::Damaged("a title or a tag belongs to no research".to_owned()));
        }
    }
    Ok(())
}

/// What was checked again of these runs, and of those checks in turn.
fn rechecks(connection: &Connection, ids: &[RunId]) -> Result<Vec<RunId>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM research WHERE json_extract(summary, '$.follows') = ?1
         AND json_extract(summary, '$.given') ORDER BY number",
    )?;
    let mut found: Vec<RunId> = Vec::new();
    let mut waiting: Vec<RunId> = ids.to_vec();
    while let Some(parent) = waiting.pop() {
        let mut rows = statement.query([parent.to_string()])?;
        while let Some(row) = rows.next()? {
            let id = RunId::from_bytes(row::bytes(row, 0)?);
            if !ids.contains(&id) && !found.contains(&id) {
                found.push(id);
                waiting.push(id);
            }
        }
    }
    Ok(found)
}

fn kept_rechecks(connection: &Connection, ids: &[RunId]) -> Result<Vec<RunId>, Error> {
    let mut kept = Vec::new();
    for id in rechecks(connection, ids)? {
        if !is_removed(connection, id)? {
            kept.push(id);
        }
    }
    Ok(kept)
}

/// Those that were removed in the same moment as the run that they check; which they were.
fn restore_rechecks(
    connection: &Connection,
    id: RunId,
    removed_at: Option<Moment>,
) -> Result<Vec<RunId>, Error> {
    let mut restored = Vec::new();
    for recheck in rechecks(connection, &[id])? {
        let Some(number) = find_number(connection, recheck)? else { continue };
        let entry = read(connection, number)?;
        if entry.removed_at == removed_at {
            put(connection, number, &ShelfEntry { removed_at: None, ..entry })?;
            restored.push(recheck);
        }
    }
    Ok(restored)
}

fn find_number(connection: &Connection, id: RunId) -> Result<Option<i64>, Error> {
    row::find(connection, id, |columns, _| Ok(columns.number))
}

fn kept_number(connection: &Connection, id: RunId) -> Result<i64, Error> {
    let number = find_number(connection, id)?.ok_or_else(|| missing(id))?;
    if is_removed(connection, id)? {
        return Err(CodedError::new(Code::NotFound, &in_trash(id)).into());
    }
    Ok(number)
}

/// The number of a run that nobody drives any more.
fn resting_number(connection: &Connection, id: RunId) -> Result<i64, Error> {
    let number = kept_number(connection, id)?;
    let is_over = row::find(connection, id, |columns, _| {
        Ok(!columns.due && RunStatus::parse(columns.status).is_some_and(RunStatus::is_final))
    })?;
    if is_over != Some(true) {
        let message = format!("research {id} is under way; cancel it first: `probity runs cancel {id}`");
        return Err(CodedError::new(Code::NotFinished, &message).into());
    }
    Ok(number)
}

fn missing(id: RunId) -> Error {
    CodedError::new(Code::NotFound, &format!("there is no research {id}")).into()
}

fn not_in_trash(id: RunId) -> Error {
    CodedError::new(Code::NotFound, &format!("research {id} is not in the trash")).into()
}

/// What a reader of a removed run is told.
pub fn in_trash(id: RunId) -> String {
    format!("research {id} was removed; until it is purged `probity runs restore {id}` brings it back")
}

fn read(connection: &Connection, number: i64) -> Result<ShelfEntry, Error> {
    let row = connection
        .prepare_cached("SELECT title, tags, removed_at, hash FROM shelf WHERE number = ?1")?
        .query_row([number], |row| {
            let (title, tags): (Option<String>, String) = (row.get(0)?, row.get(1)?);
            let (removed_at, hash): (Option<i64>, Vec<u8>) = (row.get(2)?, row.get(3)?);
            Ok((title, tags, removed_at, hash))
        })
        .optional()?;
    let Some((title, tags, removed_at, hash)) = row else { return Ok(ShelfEntry::default()) };
    let damaged = || Error::Damaged("a title, a tag or a removal is not what was written".to_owned());
    if hash_of(number, title.as_deref(), &tags, removed_at).as_slice() != hash {
        return Err(damaged());
    }
    let title = title.map(|title| Title::parse(&title)).transpose().map_err(|_| damaged())?;
    let names: Vec<String> = serde_json::from_str(&tags).map_err(|_| damaged())?;
    let tags = names.iter().map(|name| Tag::parse(name)).collect::<Result<_, _>>().map_err(|_| damaged())?;
    Ok(ShelfEntry { title, tags, removed_at: removed_at.map(Moment) })
}

fn put(connection: &Connection, number: i64, entry: &ShelfEntry) -> Result<(), Error> {
    if *entry == ShelfEntry::default() {
        return forget(connection, number);
    }
    let names: Vec<&str> = entry.tags.iter().map(Tag::as_str).collect();
    let tags = serde_json::to_string(&names)
        .map_err(|_| Error::Damaged("the tags of a research cannot be written".to_owned()))?;
    let title = entry.title.as_ref().map(Title::as_str);
    let removed_at = entry.removed_at.map(|at| at.0);
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO shelf (number, title, tags, removed_at, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![number, title, tags, removed_at, hash_of(number, title, &tags, removed_at)])?;
    Ok(())
}

pub fn forget(connection: &Connection, number: i64) -> Result<(), Error> {
    connection.prepare_cached("DELETE FROM shelf WHERE number = ?1")?.execute([number])?;
    Ok(())
}

fn hash_of(number: i64, title: Option<&str>, tags: &str, removed_at: Option<i64>) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"probity shelf 1");
    hasher.update(&number.to_le_bytes());
    for text in [title, Some(tags)] {
        hasher.update(&[u8::from(text.is_some())]);
        hasher.update(&row::signed(text.unwrap_or_default().len() as u64).to_le_bytes());
        hasher.update(text.unwrap_or_default().as_bytes());
    }
    hasher.update(&[u8::from(removed_at.is_some())]);
    hasher.update(&removed_at.unwrap_or(0).to_le_bytes());
    *hasher.finalize().as_bytes()
}
