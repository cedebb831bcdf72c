//! Which worker drives which run, and which is in the middle of a paid call. A worker is alive that has sent
//! a heartbeat within the lease time, by the database's clock: no machine's own clock counts.

use probity_research::{
    id::{Fence, OwnerId, RunId, Sequence},
    ports::{InFlightLocks, JournalError, LeaseClaim, LeaseStatus, Leases},
};

use super::{Postgres, journal::not_found, row::sized};
use crate::{CLAIMS_MAX, row::signed};

/// Whether the owner of `research` has sent no heartbeat within `$2` seconds. An unknown owner is alive: its
/// first heartbeat may have been committed after this statement took its view of the table, and before the
/// row was read.
macro_rules! dead {
    () => {
        "EXISTS (SELECT FROM owner WHERE owner.owner = research.owner
                 AND owner.beat_at <= clock_timestamp() - make_interval(secs => $2))"
    };
}

const BEAT: &str = "
INSERT INTO owner (owner, beats, beat_at) VALUES ($1, 1, clock_timestamp())
ON CONFLICT (owner) DO UPDATE SET beats = owner.beats + 1, beat_at = clock_timestamp()";

/// An owner that claims is alive: the first claim counts as a heartbeat. The longest waiting runs come first.
const CLAIM: &str = concat!(
    "
WITH beaten AS (
    INSERT INTO owner (owner, beats, beat_at) VALUES ($1, 1, clock_timestamp()) ON CONFLICT (owner) DO NOTHING
), free AS (
    SELECT number FROM research
    WHERE due AND (owner IS NULL OR owner <> $1 AND ",
    dead!(),
    ")
    ORDER BY number LIMIT $3 FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE research SET owner = $1, fence = fence + 1, called = false
    FROM free WHERE research.number = free.number RETURNING research.number, id, fence
)
SELECT id, fence FROM taken ORDER BY number"
);

const RELEASE: &str =
    "UPDATE research SET owner = NULL, called = false WHERE id = $1 AND owner = $2 AND fence = $3";

const CALLED: &str = "
WITH heard AS (
    UPDATE research SET called = false WHERE due AND owner = $1 AND called RETURNING number, id
)
SELECT id FROM heard ORDER BY number";

/// A dead owner's in-flight lock is dropped, and the fence keeps out what it may still send.
const GLANCE: &str = concat!(
    "
WITH dropped AS (
    UPDATE research SET owner = NULL, fence = fence + 1, called = false
    WHERE id = $1 AND owner <> $3 AND ",
    dead!(),
    " RETURNING number
)
SELECT sequence, owner <> $3 AND NOT EXISTS (SELECT FROM dropped) FROM research WHERE id = $1"
);

const LET_GO: &str = "UPDATE research SET owner = NULL, called = false WHERE id = $1 AND owner = $2";

impl Leases for Postgres {
    async fn heartbeat(&self, owner: OwnerId) -> Result<(), JournalError> {
        self.execute(BEAT, &[&owner.to_bytes().as_slice()]).await?;
        Ok(())
    }

    async fn claim_due(&self, owner: OwnerId, room: usize) -> Result<Vec<LeaseClaim>, JournalError> {
        if room == 0 {
            return Ok(Vec::new());
        }
        let room = signed(room.min(CLAIMS_MAX) as u64);
        let lease = self.inner.lease.as_secs_f64();
        let rows = self.query(CLAIM, &[&owner.to_bytes().as_slice(), &lease, &room]).await?;
        let claim = |row: &tokio_postgres::Row| {
            let id = RunId::from_bytes(sized(row.try_get(0)?));
            Ok(LeaseClaim { id, fence: Fence(u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or(0)) })
        };
        let claims: Result<_, tokio_postgres::Error> = rows.iter().map(claim).collect();
        Ok(claims.map_err(|error| self.problem(&error))?)
    }

    async fn release(&self, owner: OwnerId, claim: LeaseClaim) -> Result<(), JournalError> {
        let (id, owner, fence) = (claim.id.to_bytes(), owner.to_bytes(), signed(claim.fence.0));
        self.execute(RELEASE, &[&id.as_slice(), &owner.as_slice(), &fence]).await?;
        Ok(())
    }

    async fn runs_with_commands(&self, owner: OwnerId) -> Result<Vec<RunId>, JournalError> {
        let rows = self.query(CALLED, &[&owner.to_bytes().as_slice()]).await?;
        let ids: Result<_, tokio_postgres::Error> =
            rows.iter().map(|row| Ok(RunId::from_bytes(sized(row.try_get(0)?)))).collect();
        Ok(ids.map_err(|error| self.problem(&error))?)
    }
}

impl InFlightLocks for Postgres {
    async fn lease_status(&self, owner: OwnerId, id: RunId) -> Result<LeaseStatus, JournalError> {
        let lease = self.inner.lease.as_secs_f64();
        let rows =
            self.query(GLANCE, &[&id.to_bytes().as_slice(), &lease, &owner.to_bytes().as_slice()]).await?;
        let row = rows.first().ok_or_else(|| not_found(id))?;
        let to_error = |error| self.problem(&error);
        let held: Option<bool> = row.try_get(1).map_err(to_error)?;
        if held == Some(true) {
            return Ok(LeaseStatus::Held);
        }
        let sequence: i64 = row.try_get(0).map_err(to_error)?;
        Ok(LeaseStatus::Free(Sequence(u64::try_from(sequence).unwrap_or(0))))
    }

    async fn set_invocation(&self, id: RunId, invocation: &str) -> Result<(), JournalError> {
        Ok(Self::store_invocation(self, id, invocation).await?)
    }

    async fn release_lock(&self, owner: OwnerId, id: RunId) -> Result<(), JournalError> {
        self.execute(LET_GO, &[&id.to_bytes().as_slice(), &owner.to_bytes().as_slice()]).await?;
        Ok(())
    }
}
