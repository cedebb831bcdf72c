//! Providers' limits, shared by all workers: a worker reports what it observed and gets a share for a few
//! seconds.
//!
//! One short transaction under the lock of the provider's one row. The rules are
//! `probity_research::throttle`; here is only their state. Times are the database's.

use std::time::Duration;

use probity_research::{
    error::CodedError,
    id::{Digest, OwnerId},
    throttle::{
        CallRate, ProviderCeiling, ShareAllocator, Throttle, ThrottleTarget,
        share::{ShareDemand, ShareLease, ShareRequest, ThrottleShare, compute_share},
    },
    time::Moment,
};
use tokio_postgres::Row;

use super::{Postgres, row::sized};
use crate::row::signed;

const LOCK: &str = "SELECT state FROM provider_limit WHERE provider = $1 AND key = $2 FOR UPDATE";
const MAKE: &str = "INSERT INTO provider_limit (provider, key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
/// Read after the row is locked: both the clock and what others have leased.
const LEASES: &str = "
SELECT clock.now, owner, slots, rate, slots_wanted, rate_wanted, until, served_at
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock
LEFT JOIN provider_lease ON provider = $1 AND key = $2";
const KEEP: &str = "
WITH learnt AS (
    UPDATE provider_limit SET state = $3 WHERE provider = $1 AND key = $2 AND state <> $3
), gone AS (
    DELETE FROM provider_lease WHERE provider = $1 AND key = $2 AND owner = ANY ($4)
)
INSERT INTO provider_lease
    (provider, key, owner, slots, rate, slots_wanted, rate_wanted, until, served_at)
VALUES ($1, $2, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (provider, key, owner) DO UPDATE SET slots = $6, rate = $7, slots_wanted = $8, rate_wanted = $9,
    until = $10, served_at = $11";
const ALL: &str = "
SELECT provider, key, state, clock.now, coalesce(leased.slots, 0)::bigint, coalesce(leased.workers, 0)
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock, provider_limit
LEFT JOIN LATERAL (
    SELECT sum(slots) AS slots, count(*) AS workers FROM provider_lease
    WHERE provider_lease.provider = provider_limit.provider AND provider_lease.key = provider_limit.key) AS leased
    ON true
ORDER BY provider, key";

/// One provider and key as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderLimit {
    pub target: ThrottleTarget,
    pub throttle: Throttle,
    /// Slots leased out, and to how many workers.
    pub slots_leased: u64,
    pub workers: u64,
    /// When this was read, by the database's clock.
    pub at: Moment,
}

impl ShareAllocator for Postgres {
    async fn take_share(
        &self,
        owner: OwnerId,
        target: &ThrottleTarget,
        ceiling: ProviderCeiling,
        asked: ShareRequest,
        lease: Duration,
    ) -> Result<ThrottleShare, CodedError> {
        Box::pin(self.lease_share(owner, target, ceiling, asked, lease)).await
    }
}

impl Postgres {
    /// All providers that were ever called, with their state.
    pub async fn provider_limits(&self) -> Result<Vec<ProviderLimit>, CodedError> {
        let rows = self.read(ALL, &[]).await?;
        let read = |row: &Row| -> Result<ProviderLimit, tokio_postgres::Error> {
            let whole = |number: i64| u64::try_from(number).unwrap_or(0);
            Ok(ProviderLimit {
                target: ThrottleTarget { provider: row.try_get(0)?, key: Digest(sized(row.try_get(1)?)) },
                throttle: throttle(row.try_get(2)?),
                at: Moment(row.try_get(3)?),
                slots_leased: whole(row.try_get(4)?),
                workers: whole(row.try_get(5)?),
            })
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(|error| self.problem(&error))
    }

    async fn lease_share(
        &self,
        owner: OwnerId,
        target: &ThrottleTarget,
        ceiling: ProviderCeiling,
        asked: ShareRequest,
        lease: Duration,
    ) -> Result<ThrottleShare, CodedError> {
        let mut client = self.client().await?;
        let leased = async {
            let transaction = client.transaction().await?;
            let (provider, key) = (&target.provider, target.key.0.as_slice());
            let lock = transaction.prepare_cached(LOCK).await?;
            let mut row = transaction.query_opt(&lock, &[provider, &key]).await?;
            if row.is_none() {
                transaction.execute(&transaction.prepare_cached(MAKE).await?, &[provider, &key]).await?;
                row = transaction.query_opt(&lock, &[provider, &key]).await?;
            }
            let state = row.as_ref().map(|row| row.try_get(0)).transpose()?;
            let mut throttle = throttle(state.unwrap_or_default());
            let rows =
                transaction.query(&transaction.prepare_cached(LEASES).await?, &[provider, &key]).await?;
            let now = Moment(rows.first().map(|row| row.try_get(0)).transpose()?.unwrap_or_default());
            let leases =
                rows.iter().filter_map(|row| lease_of(row).transpose()).collect::<Result<Vec<_>, _>>()?;

            throttle.observe(ceiling, asked.observed, now);
            let allowed = throttle.allowed(ceiling, now);
            let (given, held) = compute_share(&allowed, &leases, owner, &asked, lease, now);

            let gone: Vec<Vec<u8>> = leases
                .iter()
                .filter(|lease| lease.owner != owner && lease.is_gone(now))
                .map(|lease| lease.owner.to_bytes().to_vec())
                .collect();
            let state = serde_json::to_string(&throttle).unwrap_or_default();
            let (slots, wanted) = (i64::from(held.slots), i64::from(held.wanted.slots));
            let (rate, rate_wanted) = (signed(held.rate.0), signed(held.wanted.rate.0));
            let keep = transaction.prepare_cached(KEEP).await?;
            transaction
                .execute(
                    &keep,
                    &[
                        provider,
                        &key,
                        &state,
                        &gone,
                        &owner.to_bytes().as_slice(),
                        &slots,
                        &rate,
                        &wanted,
                        &rate_wanted,
                        &held.until.0,
                        &held.served_at.0,
                    ],
                )
                .await?;
            transaction.commit().await?;
            Ok(given)
        };
        leased.await.map_err(|error: tokio_postgres::Error| self.problem(&error))
    }
}

/// A state that cannot be parsed is dropped: it is learnt again within seconds.
fn throttle(state: &str) -> Throttle {
    serde_json::from_str(state).unwrap_or_default()
}

/// None where there is no lease at all.
fn lease_of(row: &Row) -> Result<Option<ShareLease>, tokio_postgres::Error> {
    let Some(owner): Option<&[u8]> = row.try_get(1)? else { return Ok(None) };
    let whole = |place: usize| row.try_get::<_, i64>(place).map(|number| u64::try_from(number).unwrap_or(0));
    let count = |place: usize| whole(place).map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    Ok(Some(ShareLease {
        owner: OwnerId::from_bytes(sized(owner)),
        slots: count(2)?,
        rate: CallRate(whole(3)?),
        wanted: ShareDemand { slots: count(4)?, rate: CallRate(whole(5)?) },
        until: Moment(row.try_get(6)?),
        served_at: Moment(row.try_get(7)?),
    }))
}
