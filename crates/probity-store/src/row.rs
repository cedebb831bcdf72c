//! One run as a row, and the hashes over it.
//!
//! The summary hash covers the summary and the id: all that a status answer needs to be trusted. The row hash
//! covers every other column and the summary hash, so that a change of the lease need not touch the summary.
//! A row that does not match its hash is never used, neither for an answer nor as the base of a change.

use probity_research::id::{Fence, OwnerId, RunId, Sequence};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{error::Error, shelf};

pub type Hash = [u8; 32];

/// What a hash usually covers, so that the buffer for it seldom grows.
const HEAD_BYTES: usize = 512;

/// In the order in which `SqliteRunRow::read` takes them.
macro_rules! columns {
    () => {
        "number, id, sequence, chain, status, due, owner, fence, called, asked_at, updated_at, ended_at, \
         engine, words, seal, hash"
    };
}
pub(crate) use columns;

/// The columns of one row, borrowed from SQLite where they are long.
#[derive(Debug, Clone, Copy)]
pub struct SqliteRunRow<'a> {
    pub number: i64,
    pub id: [u8; 16],
    pub sequence: i64,
    /// Hash of the last event, which covers all events before it.
    pub chain: Hash,
    pub status: &'a str,
    pub due: bool,
    pub owner: Option<[u8; 16]>,
    pub fence: i64,
    /// A client appended since the owner last asked.
    pub called: bool,
    pub asked_at: i64,
    pub updated_at: i64,
    pub ended_at: Option<i64>,
    pub engine: &'a str,
    /// The question in lower case, for filtering.
    pub words: &'a str,
    pub seal: Hash,
}

/// The part of a row that a change needs, without the long texts.
#[derive(Debug, Clone, Copy)]
pub struct SqliteRowHead {
    pub number: i64,
    pub sequence: Sequence,
    pub chain: Hash,
    pub owner: Option<OwnerId>,
    pub fence: Fence,
    pub called: bool,
    pub hash: Hash,
}

/// Which process drives a run: the part of a row that changes without an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseColumns {
    pub owner: Option<OwnerId>,
    pub fence: Fence,
    pub called: bool,
}

impl<'a> SqliteRunRow<'a> {
    /// Reads a row that was selected with `columns!()` and checks it against its hash.
    pub fn read(row: &'a Row<'_>) -> Result<(Self, Hash), Error> {
        let columns = Self {
            number: row.get(0)?,
            id: bytes(row, 1)?,
            sequence: row.get(2)?,
            chain: bytes(row, 3)?,
            status: text(row, 4)?,
            due: flag(row, 5)?,
            owner: row.get_ref(6)?.as_bytes_or_null().map_err(not_ours)?.map(sized).transpose()?,
            fence: row.get(7)?,
            called: flag(row, 8)?,
            asked_at: row.get(9)?,
            updated_at: row.get(10)?,
            ended_at: row.get(11)?,
            engine: text(row, 12)?,
            words: text(row, 13)?,
            seal: bytes(row, 14)?,
        };
        let hash: Hash = bytes(row, 15)?;
        if columns.hash() != hash {
            let id = RunId::from_bytes(columns.id);
            return Err(Error::Damaged(format!("the row of {id} does not match its hash")));
        }
        Ok((columns, hash))
    }

    pub fn hash(&self) -> Hash {
        let mut head = Vec::with_capacity(HEAD_BYTES);
        head.extend_from_slice(b"probity research row 1");
        head.extend_from_slice(&self.id);
        head.extend_from_slice(&self.chain);
        head.extend_from_slice(&self.seal);
        for number in [
            self.number,
            self.sequence,
            i64::from(self.due),
            self.fence,
            i64::from(self.called),
            self.asked_at,
            self.updated_at,
            i64::from(self.ended_at.is_some()),
            self.ended_at.unwrap_or(0),
            i64::from(self.owner.is_some()),
        ] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        head.extend_from_slice(&self.owner.unwrap_or([0; 16]));
        for text in [self.status, self.engine, self.words] {
            head.extend_from_slice(&(text.len() as u64).to_le_bytes());
            head.extend_from_slice(text.as_bytes());
        }
        *blake3::hash(&head).as_bytes()
    }

    pub fn head(&self, hash: Hash) -> Result<SqliteRowHead, Error> {
        let unsigned = |number: i64| u64::try_from(number).map_err(|_| negative());
        Ok(SqliteRowHead {
            number: self.number,
            sequence: Sequence(unsigned(self.sequence)?),
            chain: self.chain,
            owner: self.owner.map(OwnerId::from_bytes),
            fence: Fence(unsigned(self.fence)?),
            called: self.called,
            hash,
        })
    }

    /// The hash of this row once `lease` is written to it.
    pub fn hash_with(&self, lease: LeaseColumns) -> Hash {
        Self {
            owner: lease.owner.map(OwnerId::to_bytes),
            fence: signed(lease.fence.0),
            called: lease.called,
            ..*self
        }
        .hash()
    }
}

/// Number of the column that follows `columns!()` when the summary is selected as well.
pub const SUMMARY: usize = 16;

/// The hash of a summary, keyed with the id that it belongs to.
pub fn summary_hash(id: RunId, summary: &str) -> Hash {
    let mut key = *b"probity summary1................";
    for (slot, byte) in key.iter_mut().skip(16).zip(id.to_bytes()) {
        *slot = byte;
    }
    *blake3::keyed_hash(&key, summary.as_bytes()).as_bytes()
}

/// The summary as it was stored under this id.
pub fn checked_summary<'a>(id: RunId, summary: &'a str, found: &Hash) -> Result<&'a str, Error> {
    if summary_hash(id, summary) != *found {
        return Err(Error::Damaged(format!("the status of {id} does not match its hash")));
    }
    Ok(summary)
}

/// Finds the summary of one run that was not removed and passes it to `with`: the fastest read there is.
pub fn find_summary<T>(
    connection: &Connection,
    id: RunId,
    with: impl FnOnce(&str) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let mut statement = connection
        .prepare_cached(concat!("SELECT summary, seal FROM research WHERE id = ?1 AND ", shelf::kept!()))?;
    let mut rows = statement.query([id.to_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    with(checked_summary(id, text(row, 0)?, &bytes(row, 1)?)?).map(Some)
}

/// Finds one run and passes its checked columns to `with`.
pub fn find<T>(
    connection: &Connection,
    id: RunId,
    with: impl FnOnce(&SqliteRunRow<'_>, Hash) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    let mut statement =
        connection.prepare_cached(concat!("SELECT ", columns!(), " FROM research WHERE id = ?1"))?;
    let mut rows = statement.query(params![id.to_bytes()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let (columns, hash) = SqliteRunRow::read(row)?;
    if columns.id != id.to_bytes() {
        return Err(Error::Damaged(format!("looking for {id} led to another row")));
    }
    with(&columns, hash).map(Some)
}

pub fn optional<T>(result: rusqlite::Result<T>) -> Result<Option<T>, Error> {
    Ok(result.optional()?)
}

/// SQLite's integers are signed; ours start at zero and never get near the end.
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub fn bytes<const N: usize>(row: &Row<'_>, column: usize) -> Result<[u8; N], Error> {
    sized(row.get_ref(column)?.as_bytes().map_err(not_ours)?)
}

pub fn count(row: &Row<'_>, column: usize) -> Result<u64, Error> {
    u64::try_from(row.get::<_, i64>(column)?).map_err(|_| negative())
}

pub fn text<'a>(row: &'a Row<'_>, column: usize) -> Result<&'a str, Error> {
    row.get_ref(column)?.as_str().map_err(not_ours)
}

fn flag(row: &Row<'_>, column: usize) -> Result<bool, Error> {
    match row.get::<_, i64>(column)? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Error::Damaged("a flag is neither 0 nor 1".to_owned())),
    }
}

fn sized<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.try_into().map_err(|_| Error::Damaged(format!("a value has {} bytes, not {N}", bytes.len())))
}

fn not_ours(error: rusqlite::types::FromSqlError) -> Error {
    Error::Damaged(format!("a column does not hold what was written: {error}"))
}

fn negative() -> Error {
    Error::Damaged("a counter is negative".to_owned())
}
