//! The journal's rows in PostgreSQL: an append is one statement, and so is reading a journal.

use std::sync::LazyLock;

use deadpool_postgres::GenericClient;
use probity_research::{
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    id::{OwnerId, RunId, Sequence},
    ports::{InFlightLock, JournalEntry, JournalError, JournalWriter},
    time::Moment,
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    Postgres,
    deliveries::ON_REST,
    judgements,
    row::{PostgresRunRow, sized},
    search,
    tenant_load::{ON_FIRST, ON_NEXT},
};
use crate::{
    events::{EVENTS_MAX, EventLink, decode_problem},
    row::{Hash, signed},
};

/// The first event of a run. The second of two finds the id taken and adds nothing.
const ASKED: &str = "
WITH moved AS (
    INSERT INTO research (id, sequence, chain, status, due, tenant, engine, asked_at, updated_at, ended_at,
                          spent, reserved, hash, summary, listed_at, owner, admitted, due_sequence)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $21, 1)
    ON CONFLICT (id) DO NOTHING
    RETURNING number
), asked AS (
    INSERT INTO words (number, question, words)
    SELECT number, $22, array_to_tsvector(ARRAY['@' || coalesce($6, '')])
           || setweight(to_tsvector('simple', $22), 'A') FROM moved
)";

/// Every later event. The row is the lock: of two appends at once, the second sees the sequence of the first.
/// Coming to rest frees the lease; becoming due again means waiting to be admitted again. The values before
/// may be read from an older row than the one that is changed: then the sequence differs too, and nothing is
/// changed.
const MOVED: &str = "
WITH moved AS (
    UPDATE research SET
        sequence = $2, chain = $3, status = $4, due = $5, tenant = $6, engine = $7, asked_at = $8,
        updated_at = $9, ended_at = $10, spent = $11, reserved = $12, hash = $13, summary = $14, listed_at = $15,
        owner = CASE WHEN NOT $5 THEN NULL WHEN $21 = 'stepper' THEN $16 ELSE owner END,
        called = $5 AND CASE $21 WHEN 'stepper' THEN called AND $16 IS NOT NULL
                                 WHEN 'guest' THEN owner IS NOT NULL
                                 ELSE called END,
        due_sequence = CASE WHEN $5 AND NOT due THEN $2 ELSE due_sequence END,
        admitted = admitted AND (due OR NOT $5),
        submitted_at = CASE WHEN due OR NOT $5 THEN submitted_at END
    FROM (SELECT number AS place, due AS was_due, spent + reserved AS charged FROM research WHERE id = $1) AS before
    WHERE number = place AND id = $1 AND sequence = $22 AND chain = $23
      AND CASE $21 WHEN 'driver' THEN owner = $24 AND fence = $25
                   WHEN 'stepper' THEN owner IS NULL OR owner = $24
                   ELSE true END
    RETURNING number, id, tenant, status, due_sequence, admitted, was_due, spent + reserved - charged AS more
)";

/// Judge answers in the event, for other runs.
const JUDGED: &str = ", judged AS (
    INSERT INTO judgement (question, answer, hash)
    SELECT question, answer, hash
    FROM unnest($26::bytea[], $27::text[], $28::bytea[]) AS told (question, answer, hash)
    WHERE EXISTS (SELECT FROM moved)
    ON CONFLICT (question) DO UPDATE SET answer = excluded.answer, hash = excluded.hash, kept_at = now()
)";

const ADDED: &str = "
INSERT INTO event (number, sequence, asked_at, version, at, attended_ms, body, hash)
SELECT number, $2, $8, $17, $18, $19, $20, $3 FROM moved";

static FIRST: LazyLock<String> = LazyLock::new(|| format!("{ASKED}{ON_FIRST}{ADDED}"));
static NEXT: LazyLock<String> = LazyLock::new(|| format!("{MOVED}{ON_NEXT}{ADDED}"));
static NEXT_JUDGED: LazyLock<String> = LazyLock::new(|| format!("{MOVED}{ON_NEXT}{ON_REST}{JUDGED}{ADDED}"));
static LAST: LazyLock<String> = LazyLock::new(|| format!("{MOVED}{ON_NEXT}{ON_REST}{ADDED}"));

const LOAD: &str = "
SELECT r.sequence, r.chain, e.sequence, e.version, e.at, e.attended_ms, e.body, e.hash
FROM research r LEFT JOIN event e ON e.number = r.number AND e.asked_at = r.asked_at
WHERE r.id = $1 ORDER BY e.sequence";

/// From the event before the first wanted one on: its hash is where the chain of the others begins.
const AFTER: &str = "
SELECT r.sequence, r.chain, e.sequence, e.version, e.at, e.attended_ms, e.body, e.hash
FROM research r LEFT JOIN event e ON e.number = r.number AND e.asked_at = r.asked_at AND e.sequence >= $2
WHERE r.id = $1 ORDER BY e.sequence LIMIT $3";

type Parameter<'a> = &'a (dyn ToSql + Sync);

/// Whether a new run may be worked on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartAdmission {
    Given,
    /// It waits in the queue of all tenants.
    Waits,
}

/// An entry with everything computed that does not need the database.
struct PostgresAppend {
    entry: JournalEntry,
    body: String,
    summary: String,
}

impl PostgresAppend {
    fn new(entry: JournalEntry) -> Result<Self, CodedError> {
        let unwritable = |error: serde_json::Error| {
            CodedError::new(Code::StoreFailed, &format!("an event could not be written down: {error}"))
        };
        let body = entry.event.encode().map_err(unwritable)?;
        let summary = serde_json::to_string(&entry.summary).map_err(unwritable)?;
        if entry.summary.id != entry.id {
            let message =
                format!("the status row of {} came with an event of {}", entry.summary.id, entry.id);
            return Err(CodedError::new(Code::StoreFailed, &message));
        }
        if entry.expected.0 >= EVENTS_MAX {
            let message = format!("{} has {EVENTS_MAX} events, the most a journal takes", entry.id);
            return Err(CodedError::new(Code::StoreFailed, &message));
        }
        Ok(Self { entry, body, summary })
    }

    fn link(&self) -> EventLink<'_> {
        EventLink {
            id: self.entry.id,
            sequence: self.entry.expected.next(),
            version: self.entry.event.version(),
            at: self.entry.at.0,
            attended_ms: signed(self.entry.attended_ms),
            body: &self.body,
        }
    }
}

impl Postgres {
    /// Appends on this connection or inside this transaction.
    pub(super) async fn append_with(
        &self,
        client: &impl GenericClient,
        entry: JournalEntry,
        admission: StartAdmission,
    ) -> Result<Sequence, JournalError> {
        let prepared = PostgresAppend::new(entry)?;
        let entry = &prepared.entry;
        let before = match entry.expected {
            Sequence(0) => [0; 32],
            expected => match self.inner.chains.at(entry.id, expected) {
                Some(chain) => chain,
                None => self.check_append(client, entry).await?,
            },
        };
        let link = prepared.link();
        let chain = link.hash(&before);
        let stored = PostgresRunRow::new(&entry.summary, prepared.summary.clone(), link.sequence, chain);
        let added = self.add(client, &prepared, &stored, &before, admission).await;
        match added.map_err(|error| self.problem(&error))? {
            0 => {
                self.inner.chains.forget(entry.id);
                // Everything fits now and did not a moment ago: the caller loads again as after any conflict.
                self.check_append(client, entry).await.and(Err(JournalError::Conflict))
            }
            _ => {
                self.inner.chains.remember(entry.id, link.sequence, chain);
                Ok(link.sequence)
            }
        }
    }

    async fn add(
        &self,
        client: &impl GenericClient,
        prepared: &PostgresAppend,
        stored: &PostgresRunRow,
        before: &Hash,
        admission: StartAdmission,
    ) -> Result<u64, tokio_postgres::Error> {
        let entry = &prepared.entry;
        let link = prepared.link();
        let (writer, by, fence, lock_owner) = writer_columns(entry.writer);
        let lock_owner = lock_owner.filter(|_| stored.due);
        let (id, by, lock_owner) =
            (entry.id.to_bytes(), by.map(OwnerId::to_bytes), lock_owner.map(OwnerId::to_bytes));
        let (id, by, lock_owner) = (
            id.as_slice(),
            by.as_ref().map(<[u8; 16]>::as_slice),
            lock_owner.as_ref().map(<[u8; 16]>::as_slice),
        );
        let (sequence, expected) = (signed(link.sequence.0), signed(entry.expected.0));
        let (chain, before, hash) = (stored.chain.as_slice(), before.as_slice(), stored.hash());
        let hash = hash.as_slice();
        let version = i32::try_from(link.version).unwrap_or(i32::MAX);
        let listed_at = stored.listed_at();
        let question = search::lowered(&entry.summary.query);
        let mut parameters: Vec<Parameter<'_>> = vec![
            &id,
            &sequence,
            &chain,
            &stored.status,
            &stored.due,
            &stored.tenant,
            &stored.engine,
            &stored.asked_at,
            &stored.updated_at,
            &stored.ended_at,
            &stored.spent,
            &stored.reserved,
            &hash,
            &stored.summary,
            &listed_at,
            &lock_owner,
            &version,
            &link.at,
            &link.attended_ms,
            &prepared.body,
        ];
        let admitted = admission == StartAdmission::Given;
        let judged = judgements::JudgementColumns::of(&entry.event, entry.at);
        let sql = if entry.expected == Sequence(0) {
            parameters.extend([&admitted as Parameter<'_>, &question]);
            &FIRST
        } else {
            parameters.extend([&writer as Parameter<'_>, &expected, &before, &by, &fence]);
            match (stored.due, judged.is_empty()) {
                (_, false) => {
                    parameters.extend([&judged.questions as Parameter<'_>, &judged.answers, &judged.hashes]);
                    &NEXT_JUDGED
                }
                (true, true) => &NEXT,
                (false, true) => &LAST,
            }
        };
        let statement = client.prepare_cached(sql).await?;
        client.execute(&statement, &parameters).await
    }

    /// Why an entry does not fit, or the hash that its event continues.
    async fn check_append(
        &self,
        client: &impl GenericClient,
        entry: &JournalEntry,
    ) -> Result<Hash, JournalError> {
        let to_error = |error| self.problem(&error);
        let statement = client
            .prepare_cached("SELECT sequence, chain, owner, fence FROM research WHERE id = $1")
            .await
            .map_err(to_error)?;
        let id = entry.id.to_bytes();
        let found = client.query_opt(&statement, &[&id.as_slice()]).await.map_err(to_error)?;
        let held = found.as_ref().map(PostgresRowHead::read).transpose().map_err(to_error)?;
        match entry.writer {
            JournalWriter::Driver(owner, fence)
                if held
                    .as_ref()
                    .is_none_or(|held| held.owner != Some(owner) || held.fence != signed(fence.0)) =>
            {
                Err(JournalError::Fenced)
            }
            JournalWriter::Worker(owner, _)
                if held.as_ref().and_then(|held| held.owner).is_some_and(|holder| holder != owner) =>
            {
                Err(JournalError::Fenced)
            }
            _ => match held {
                Some(held) if held.sequence == signed(entry.expected.0) => Ok(held.chain),
                _ => Err(JournalError::Conflict),
            },
        }
    }

    pub(super) async fn load_with(
        &self,
        client: &impl GenericClient,
        id: RunId,
    ) -> Result<Option<Vec<StoredEvent>>, CodedError> {
        let to_error = |error| self.problem(&error);
        let statement = client.prepare_cached(LOAD).await.map_err(to_error)?;
        let rows = client.query(&statement, &[&id.to_bytes().as_slice()]).await.map_err(to_error)?;
        let Some(first) = rows.first() else { return Ok(None) };
        let sequence: i64 = first.try_get(0).map_err(to_error)?;
        let chain: Hash = sized(first.try_get(1).map_err(to_error)?);
        let mut reader = JournalReader { store: self, id, sequence: Sequence(0), chain: [0; 32] };
        let mut journal = Vec::with_capacity(rows.len());
        for row in &rows {
            journal.push(reader.read(row)?);
        }
        if reader.chain != chain || reader.sequence.0 != u64::try_from(sequence).unwrap_or(0) {
            return Err(
                self.damaged(&format!("{} events of {id} are there, {sequence} were written", journal.len()))
            );
        }
        self.inner.chains.remember(id, reader.sequence, chain);
        Ok(Some(journal))
    }

    /// The events after the one with this sequence, at most `limit`; none for an unknown run.
    pub async fn events_after(
        &self,
        id: RunId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, CodedError> {
        let to_error = |error| self.problem(&error);
        let client = self.client().await?;
        let statement = client.prepare_cached(AFTER).await.map_err(to_error)?;
        let most = signed(limit.min(EVENTS_MAX as usize) as u64).saturating_add(i64::from(after.0 > 0));
        let rows = client
            .query(&statement, &[&id.to_bytes().as_slice(), &signed(after.0), &most])
            .await
            .map_err(to_error)?;
        let mut rows = rows.iter();
        let mut reader = JournalReader { store: self, id, sequence: after, chain: [0; 32] };
        if after.0 > 0 {
            let Some(base) = rows.next() else { return Ok(Vec::new()) };
            if base.try_get::<_, Option<i64>>(2).map_err(to_error)? != Some(signed(after.0)) {
                return Ok(Vec::new());
            }
            reader.chain = sized(base.try_get(7).map_err(to_error)?);
        }
        rows.map(|row| reader.read(row)).collect()
    }
}

/// The part of a row that decides who may append.
struct PostgresRowHead {
    sequence: i64,
    chain: Hash,
    owner: Option<OwnerId>,
    fence: i64,
}

impl PostgresRowHead {
    fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            sequence: row.try_get(0)?,
            chain: sized(row.try_get(1)?),
            owner: row.try_get::<_, Option<&[u8]>>(2)?.map(|bytes| OwnerId::from_bytes(sized(bytes))),
            fence: row.try_get(3)?,
        })
    }
}

/// Reads a journal event by event and checks each against the hash before it.
struct JournalReader<'a> {
    store: &'a Postgres,
    id: RunId,
    sequence: Sequence,
    chain: Hash,
}

impl JournalReader<'_> {
    fn read(&mut self, row: &Row) -> Result<StoredEvent, CodedError> {
        let to_error = |error| self.store.problem(&error);
        let missing = || self.store.damaged(&format!("the events of {} are missing", self.id));
        let sequence = row.try_get::<_, Option<i64>>(2).map_err(to_error)?.ok_or_else(missing)?;
        let body: &str = row.try_get(6).map_err(to_error)?;
        let link = EventLink {
            id: self.id,
            sequence: self.sequence.next(),
            version: u32::try_from(row.try_get::<_, i32>(3).map_err(to_error)?).unwrap_or(0),
            at: row.try_get(4).map_err(to_error)?,
            attended_ms: row.try_get(5).map_err(to_error)?,
            body,
        };
        let chain = link.hash(&self.chain);
        let hash: &[u8] = row.try_get(7).map_err(to_error)?;
        if sequence != signed(link.sequence.0) || chain != hash {
            let message = format!("event {} of {} does not match its hash", link.sequence.0, self.id);
            return Err(self.store.damaged(&message));
        }
        let event = Event::decode(link.version, body).map_err(|error| decode_problem(self.id, &error))?;
        let attended_ms = u64::try_from(link.attended_ms).unwrap_or(0);
        let recorded = StoredEvent { sequence: link.sequence, at: Moment(link.at), attended_ms, event };
        (self.sequence, self.chain) = (link.sequence, chain);
        Ok(recorded)
    }
}

/// The writer as the statement takes it: its kind, its owner, its fence, and the owner that keeps the
/// in-flight lock.
fn writer_columns(writer: JournalWriter) -> (&'static str, Option<OwnerId>, i64, Option<OwnerId>) {
    match writer {
        JournalWriter::Client => ("guest", None, 0, None),
        JournalWriter::Driver(owner, fence) => ("driver", Some(owner), signed(fence.0), None),
        JournalWriter::Worker(owner, InFlightLock::Keep) => ("stepper", Some(owner), 0, Some(owner)),
        JournalWriter::Worker(owner, InFlightLock::Free) => ("stepper", Some(owner), 0, None),
    }
}
