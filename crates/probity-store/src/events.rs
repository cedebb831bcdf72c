//! The journal's rows: how an event is added and how a complete journal is read back and checked.

use probity_research::{
    error::{Code, CodedError},
    event::{DecodeError, Event, StoredEvent},
    id::{Digest, RunId, Sequence},
    ports::{GatedAppend, InFlightLock, JournalEntry, JournalWriter},
    spending::SpendingGate,
    time::Moment,
};
use rusqlite::{Connection, params};

use crate::{
    charges,
    error::Error,
    judgements,
    results::ReadableResult,
    row::{self, Hash, SqliteRowHead, SqliteRunRow, signed},
    writer::WriteContext,
};

/// Bits of `event.place` that contain the sequence.
const SEQUENCE_BITS: u32 = 20;
/// Events of one run: far above what the longest run leaves, and it must fit the bits above.
pub const EVENTS_MAX: u64 = (1 << SEQUENCE_BITS) - 1;

/// An entry with its texts serialized, ready for the writer.
pub struct SqliteAppend {
    entry: JournalEntry,
    body: String,
    words: String,
    summary: String,
    result: Option<ReadableResult>,
}

impl SqliteAppend {
    pub fn new(entry: JournalEntry) -> Result<Self, Error> {
        let unwritable = |error: serde_json::Error| {
            Error::Refused(CodedError::new(
                Code::StoreFailed,
                &format!("an event could not be written down: {error}"),
            ))
        };
        let body = entry.event.encode().map_err(unwritable)?;
        let summary = serde_json::to_string(&entry.summary).map_err(unwritable)?;
        if entry.summary.id != entry.id {
            let message =
                format!("the status row of {} came with an event of {}", entry.summary.id, entry.id);
            return Err(CodedError::new(Code::StoreFailed, &message).into());
        }
        let words = entry.summary.query.to_lowercase();
        Ok(Self { entry, body, words, summary, result: None })
    }

    pub fn with_result(self, result: Option<ReadableResult>) -> Self {
        Self { result, ..self }
    }

    pub fn bytes(&self) -> usize {
        let result = self.result.as_ref().map_or(0, ReadableResult::bytes);
        self.body.len() + self.words.len() + self.summary.len() + result
    }

    /// Appends the event and replaces the status row.
    pub fn append(&self, change: &mut WriteContext<'_>) -> Result<Sequence, Error> {
        let held = self.held(change)?;
        self.append_after(change, held)
    }

    /// The same for an event that lets the run spend more, if the gate lets it pass.
    pub fn append_gated(
        &self,
        change: &mut WriteContext<'_>,
        gate: SpendingGate,
    ) -> Result<GatedAppend, Error> {
        let held = self.held(change)?;
        let number = held.as_ref().map(|held| held.number);
        match charges::check(change.connection, number, &self.entry, gate)? {
            Some(running) => Ok(GatedAppend::Running(running)),
            None => self.append_after(change, held).map(GatedAppend::Appended),
        }
    }

    fn held(&self, change: &WriteContext<'_>) -> Result<Option<SqliteRowHead>, Error> {
        let held = row::find(change.connection, self.entry.id, |columns, hash| columns.head(hash))?;
        check(&self.entry, held.as_ref())?;
        Ok(held)
    }

    fn append_after(
        &self,
        change: &mut WriteContext<'_>,
        held: Option<SqliteRowHead>,
    ) -> Result<Sequence, Error> {
        let entry = &self.entry;
        let sequence = entry.expected.next();
        if sequence.0 > EVENTS_MAX {
            let message = format!("{} has {EVENTS_MAX} events, the most a journal takes", entry.id);
            return Err(CodedError::new(Code::StoreFailed, &message).into());
        }
        let number = match &held {
            Some(held) => held.number,
            None => next_number(change.connection)?,
        };
        let chain = self.insert_event(change.connection, number, sequence, held.as_ref())?;
        self.write_row(change, number, sequence, chain, held.as_ref())?;
        charges::write(change.connection, number, entry)?;
        judgements::remember(change.connection, &entry.event, entry.at)?;
        if let Some(result) = &self.result {
            result.write(change.connection, number, &entry.summary.query)?;
        }
        Ok(sequence)
    }

    fn insert_event(
        &self,
        connection: &Connection,
        number: i64,
        sequence: Sequence,
        held: Option<&SqliteRowHead>,
    ) -> Result<Hash, Error> {
        let link = EventLink {
            id: self.entry.id,
            sequence,
            version: self.entry.event.version(),
            at: self.entry.at.0,
            attended_ms: signed(self.entry.attended_ms),
            body: &self.body,
        };
        let hash = link.hash(&held.map_or([0; 32], |held| held.chain));
        connection
            .prepare_cached(
                "INSERT INTO event (place, version, at, attended_ms, body, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                place(number, sequence),
                link.version,
                link.at,
                link.attended_ms,
                self.body,
                hash
            ])?;
        Ok(hash)
    }

    fn write_row(
        &self,
        change: &mut WriteContext<'_>,
        number: i64,
        sequence: Sequence,
        chain: Hash,
        held: Option<&SqliteRowHead>,
    ) -> Result<(), Error> {
        let summary = &self.entry.summary;
        let owner = match self.entry.writer {
            JournalWriter::Worker(owner, InFlightLock::Keep) => Some(owner),
            JournalWriter::Worker(_, InFlightLock::Free) => None,
            JournalWriter::Driver(..) | JournalWriter::Client => held.and_then(|held| held.owner),
        };
        let owner = owner.filter(|_| summary.due);
        let by_guest = matches!(self.entry.writer, JournalWriter::Client);
        let columns = SqliteRunRow {
            number,
            id: self.entry.id.to_bytes(),
            sequence: signed(sequence.0),
            chain,
            status: summary.status.as_str(),
            due: summary.due,
            owner: owner.map(|owner| owner.to_bytes()),
            fence: held.map_or(0, |held| signed(held.fence.0)),
            called: owner.is_some() && (by_guest || held.is_some_and(|held| held.called)),
            asked_at: summary.asked_at.0,
            updated_at: summary.updated_at.0,
            ended_at: summary.ended_at.map(|at| at.0),
            engine: &summary.engine,
            words: &self.words,
            seal: row::summary_hash(self.entry.id, &self.summary),
        };
        let hash = columns.hash();
        let sql = match held {
            None => concat!(
                "INSERT INTO research (",
                row::columns!(),
                ", summary) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
            ),
            Some(_) => {
                "UPDATE research SET id = ?2, sequence = ?3, chain = ?4, status = ?5, due = ?6, owner = ?7, \
                 fence = ?8, called = ?9, asked_at = ?10, updated_at = ?11, ended_at = ?12, engine = ?13, \
                 words = ?14, seal = ?15, hash = ?16, summary = ?17 WHERE number = ?1"
            }
        };
        change.connection.prepare_cached(sql)?.execute(params![
            columns.number,
            columns.id,
            columns.sequence,
            columns.chain,
            columns.status,
            columns.due,
            columns.owner,
            columns.fence,
            columns.called,
            columns.asked_at,
            columns.updated_at,
            columns.ended_at,
            columns.engine,
            columns.words,
            columns.seal,
            hash,
            self.summary
        ])?;
        match held {
            None => change.row_added(&hash),
            Some(held) => change.row_replaced(&held.hash, &hash),
        }
        Ok(())
    }
}

/// The complete journal of one run, or `None` if there is no such run.
/// Call it on a snapshot: the row and its events must be of one moment.
pub fn load(connection: &Connection, id: RunId) -> Result<Option<Vec<StoredEvent>>, Error> {
    let Some(held) = row::find(connection, id, |columns, hash| columns.head(hash))? else {
        return Ok(None);
    };
    let mut statement = connection.prepare_cached(
        "SELECT place, version, at, attended_ms, body, hash FROM event WHERE place BETWEEN ?1 AND ?2 ORDER BY place",
    )?;
    let mut rows = statement
        .query(params![place(held.number, Sequence(0)), place(held.number, Sequence(EVENTS_MAX))])?;
    let mut journal = Vec::new();
    let mut chain = [0; 32];
    while let Some(found) = rows.next()? {
        let sequence = Sequence(journal.len() as u64 + 1);
        let body = row::text(found, 4)?;
        let link = EventLink {
            id,
            sequence,
            version: found.get(1)?,
            at: found.get(2)?,
            attended_ms: found.get(3)?,
            body,
        };
        chain = link.hash(&chain);
        if found.get::<_, i64>(0)? != place(held.number, sequence) || row::bytes::<32>(found, 5)? != chain {
            return Err(Error::Damaged(format!("event {} of {id} does not match its hash", sequence.0)));
        }
        journal.push(StoredEvent {
            sequence,
            at: Moment(link.at),
            attended_ms: u64::try_from(link.attended_ms).unwrap_or(0),
            event: Event::decode(link.version, body).map_err(|error| decode_problem(id, &error))?,
        });
    }
    if chain != held.chain || journal.len() as u64 != held.sequence.0 {
        return Err(Error::Damaged(format!(
            "{} events of {id} are there, {} were written",
            journal.len(),
            held.sequence.0
        )));
    }
    Ok(Some(journal))
}

/// Digest of bytes to be kept.
pub fn digest(bytes: &[u8]) -> Digest {
    Digest(*blake3::hash(bytes).as_bytes())
}

/// A driver without the lease is stopped before anything else is checked.
fn check(entry: &JournalEntry, held: Option<&SqliteRowHead>) -> Result<(), Error> {
    if let JournalWriter::Driver(owner, fence) = entry.writer
        && held.is_none_or(|held| held.owner != Some(owner) || held.fence != fence)
    {
        return Err(Error::Fenced);
    }
    if let JournalWriter::Worker(owner, _) = entry.writer
        && held.is_some_and(|held| held.owner.is_some_and(|holder| holder != owner))
    {
        return Err(Error::Fenced);
    }
    if held.map_or(Sequence(0), |held| held.sequence) != entry.expected {
        return Err(Error::Conflict);
    }
    Ok(())
}

/// Everything that the hash of an event covers, besides the hash before it.
pub struct EventLink<'a> {
    pub id: RunId,
    pub sequence: Sequence,
    pub version: u32,
    pub at: i64,
    pub attended_ms: i64,
    pub body: &'a str,
}

impl EventLink<'_> {
    pub fn hash(&self, before: &Hash) -> Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"probity event 1");
        hasher.update(before);
        hasher.update(&self.id.to_bytes());
        hasher.update(&self.sequence.0.to_le_bytes());
        hasher.update(&self.version.to_le_bytes());
        hasher.update(&self.at.to_le_bytes());
        hasher.update(&self.attended_ms.to_le_bytes());
        hasher.update(self.body.as_bytes());
        *hasher.finalize().as_bytes()
    }
}

/// The first and the last place that events of this run may have.
pub fn places(number: i64) -> (i64, i64) {
    (place(number, Sequence(0)), place(number, Sequence(EVENTS_MAX)))
}

/// The number of the run whose event has this place.
pub fn number_at(place: i64) -> i64 {
    place >> SEQUENCE_BITS
}

fn place(number: i64, sequence: Sequence) -> i64 {
    (number << SEQUENCE_BITS) | signed(sequence.0 & EVENTS_MAX)
}

fn next_number(connection: &Connection) -> Result<i64, Error> {
    Ok(connection
        .prepare_cached("SELECT ifnull(max(number), 0) + 1 FROM research")?
        .query_row([], |row| row.get(0))?)
}

pub fn decode_problem(id: RunId, error: &DecodeError) -> CodedError {
    let code = match error {
        DecodeError::Newer(_) => Code::StoreNewer,
        DecodeError::Unreadable(_) => Code::StoreCorrupt,
    };
    CodedError::new(code, &format!("an event of {id} could not be read: {error}"))
}
