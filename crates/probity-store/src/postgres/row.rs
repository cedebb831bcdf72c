//! One run as a row of PostgreSQL, and the hash over it.
//!
//! The hash covers the summary and every column that an append writes. The owner of a run changes without an
//! event and in bulk, so its columns are outside of the hash: a wrong one costs a wait, never a wrong answer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use probity_research::{
    id::{RunId, Sequence},
    principal::Principal,
    spending,
    status::RunSummary,
    time::Moment,
};
use tokio_postgres::Row;

use crate::row::{Hash, signed};

/// Changes within one minute touch no index; see `steps/01_research.sql`.
const LISTED_EVERY_MS: i64 = 60_000;
/// Moments that PostgreSQL can store; no real clock is near either end.
const MOMENT_MS_MAX: i64 = 200_000_000_000_000;

/// In the order in which `PostgresRunRow::read` takes them.
macro_rules! stored {
    () => {
        "id, sequence, chain, status, due, tenant, engine, asked_at, updated_at, ended_at, spent, reserved, \
         hash, summary"
    };
}
pub(super) use stored;

/// What an append writes of a run, besides the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostgresRunRow {
    pub id: RunId,
    pub sequence: Sequence,
    pub chain: Hash,
    pub status: String,
    pub due: bool,
    pub tenant: Option<String>,
    pub engine: String,
    pub asked_at: SystemTime,
    pub updated_at: SystemTime,
    pub ended_at: Option<SystemTime>,
    pub spent: i64,
    pub reserved: i64,
    pub summary: String,
}

impl PostgresRunRow {
    pub fn new(summary: &RunSummary, text: String, sequence: Sequence, chain: Hash) -> Self {
        let spent = summary.cost.known().unwrap_or_default();
        let counted = spending::charge(summary);
        Self {
            id: summary.id,
            sequence,
            chain,
            status: summary.status.as_str().to_owned(),
            due: summary.due,
            tenant: summary.asked_by.as_ref().map(|principal| Principal::as_str(principal).to_owned()),
            engine: summary.engine.clone(),
            asked_at: time(summary.asked_at),
            updated_at: time(summary.updated_at),
            ended_at: summary.ended_at.map(time),
            spent: signed(spent.0),
            reserved: signed(counted.minus(spent).0),
            summary: text,
        }
    }

    /// Reads a row that was selected with `stored!()`; the error says what is wrong with it.
    pub fn read(row: &Row) -> Result<Self, String> {
        let stored = Self::columns(row).map_err(|error| format!("a status row is unreadable: {error}"))?;
        let hash: &[u8] = row.try_get(12).map_err(|error| format!("a status row is unreadable: {error}"))?;
        if stored.hash() != hash {
            return Err(format!("the row of {} does not match its hash", stored.id));
        }
        Ok(stored)
    }

    fn columns(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            id: RunId::from_bytes(sized(row.try_get(0)?)),
            sequence: Sequence(u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or(0)),
            chain: sized(row.try_get(2)?),
            status: row.try_get(3)?,
            due: row.try_get(4)?,
            tenant: row.try_get(5)?,
            engine: row.try_get(6)?,
            asked_at: row.try_get(7)?,
            updated_at: row.try_get(8)?,
            ended_at: row.try_get(9)?,
            spent: row.try_get(10)?,
            reserved: row.try_get(11)?,
            summary: row.try_get(13)?,
        })
    }

    pub fn summary(&self) -> Result<RunSummary, String> {
        serde_json::from_str(&self.summary).map_err(|error| format!("a status row is unreadable: {error}"))
    }

    pub fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"probity fleet row 1");
        hasher.update(&self.id.to_bytes());
        hasher.update(&self.chain);
        for number in [
            signed(self.sequence.0),
            i64::from(self.due),
            milliseconds(self.asked_at),
            milliseconds(self.updated_at),
            i64::from(self.ended_at.is_some()),
            self.ended_at.map_or(0, milliseconds),
            self.spent,
            self.reserved,
            i64::from(self.tenant.is_some()),
        ] {
            hasher.update(&number.to_le_bytes());
        }
        let tenant = self.tenant.as_deref().unwrap_or_default();
        for text in [&self.status, tenant, &self.engine, &self.summary] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// The minute of the last change.
    pub fn listed_at(&self) -> SystemTime {
        let changed = milliseconds(self.updated_at);
        time(Moment(changed - changed.rem_euclid(LISTED_EVERY_MS)))
    }
}

pub(super) fn time(moment: Moment) -> SystemTime {
    let moment = moment.0.clamp(-MOMENT_MS_MAX, MOMENT_MS_MAX);
    let distance = Duration::from_millis(moment.unsigned_abs());
    let moved = if moment < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
    moved.unwrap_or(UNIX_EPOCH)
}

fn milliseconds(time: SystemTime) -> i64 {
    let whole = |distance: Duration| i64::try_from(distance.as_millis()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => whole(after),
        Err(before) => -whole(before.duration()),
    }
}

/// Bytes of another length cannot match the hash that is checked next.
pub(super) fn sized<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or([0; N])
}

#[cfg(test)]
mod tests {
    use probity_research::time::Moment;

    use super::{milliseconds, time};

    #[test]
    fn moments_survive_the_way_there_and_back() {
        for moment in [0, 1, -1, 1_790_000_000_123, -86_400_000] {
            assert_eq!(milliseconds(time(Moment(moment))), moment);
        }
        assert!(milliseconds(time(Moment(i64::MAX))) > 0 && milliseconds(time(Moment(i64::MIN))) < 0);
    }
}
