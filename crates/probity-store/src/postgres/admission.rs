//! The queue: runs that are due wait until they are admitted, fairly among tenants and never more than each
//! tenant and the whole fleet may have in flight.
//!
//! "In flight" is due and admitted. One admitter at a time decides; a process that finds another admitter at
//! work leaves the round to it. Meanwhile the number in flight can only fall, so no limit is ever exceeded.
//! Submitting the admitted runs to the engine is up to the caller.

use std::time::Duration;

use probity_research::{
    error::CodedError,
    id::{RunId, Sequence},
    tenant::{TenantQuota, TenantUsage, admissions_per_tenant},
};
use tokio_postgres::Row;

use super::{Postgres, row::sized, tenant_load::ADD_UP};

/// Advisory lock of the admitter.
const LOCK: i64 = 0x5052_4254_0003;
/// Most runs that one round admits: its row locks last milliseconds, and the next round is near.
const ROOM_MAX: usize = 1_000;
/// Tenants considered in one round; the others come with the next rounds, for these then have more in flight.
const TENANTS_MAX: i64 = 10_000;
/// Most runs that the sweep returns at once.
const UNSUBMITTED_MAX: usize = 1_000;

/// Which tenants wait, since when, and what each has in flight. The cost depends on how many tenants wait,
/// not on how many runs do: the oldest run of a tenant is the first one from its name on, in the order of the
/// index of queued runs. Asked for as "of this tenant, by number" it would be searched among those of all
/// tenants.
const STANDINGS: &str = "
WITH standing AS (
    SELECT tenant, waiting, in_flight, first.number FROM tenant_load, LATERAL (
        (SELECT tenant AS whose, number FROM research WHERE due AND NOT admitted AND tenant >= tenant_load.tenant
         ORDER BY tenant, number LIMIT 1)
        UNION ALL
        (SELECT '', number FROM research WHERE tenant_load.tenant = '' AND due AND NOT admitted AND tenant IS NULL
         ORDER BY tenant, number LIMIT 1)) AS first
    WHERE waiting > 0 AND whose = tenant
)
SELECT standing.tenant, in_flight, known.in_flight_max, known.weight, waiting,
       (SELECT sum(in_flight)::bigint FROM tenant_load)
FROM standing LEFT JOIN tenant AS known ON known.name = standing.tenant
WHERE NOT coalesce(known.suspended, false)
ORDER BY standing.number LIMIT $1";

/// Admits each tenant's runs, oldest first. A row that another transaction changes at this moment is checked
/// again.
const ADMIT: &str = "
WITH moved AS (
    UPDATE research SET admitted = true, admitted_at = now(), submitted_at = NULL
    WHERE number IN (
        SELECT chosen.number FROM unnest($1::text[], $2::bigint[]) AS turn (tenant, researches), LATERAL (
            (SELECT tenant AS whose, number FROM research WHERE due AND NOT admitted AND tenant >= turn.tenant
             ORDER BY tenant, number LIMIT turn.researches)
            UNION ALL
            (SELECT '', number FROM research WHERE turn.tenant = '' AND due AND NOT admitted AND tenant IS NULL
             ORDER BY tenant, number LIMIT turn.researches)) AS chosen
        WHERE whose = turn.tenant)
      AND due AND NOT admitted
    RETURNING id, due_sequence, coalesce(tenant, '') AS tenant
), counted AS (
    INSERT INTO tenant_change (tenant, hour, waiting, in_flight, money)
    SELECT tenant, date_trunc('hour', now()), -count(*), count(*), 0 FROM moved GROUP BY tenant
)
SELECT id, due_sequence FROM moved";

/// The limits of one round.
#[derive(Debug, Clone, Copy)]
pub struct AdmissionRound {
    /// How many runs the caller can submit to the engine now.
    pub room: usize,
    /// Most that the whole fleet may have in flight.
    pub fleet_max: usize,
    /// Quota of a tenant that the administrator did not set up.
    pub unknown: TenantQuota,
}

/// A run that was admitted. Its id and the event that made it due name one submission: submitting it twice is
/// submitting it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmittedRun {
    pub id: RunId,
    pub sequence: Sequence,
}

impl Postgres {
    /// One round. Empty when another admitter is at work, when the queue is empty, or when all limits are
    /// reached.
    pub async fn admit(&self, round: AdmissionRound) -> Result<Vec<AdmittedRun>, CodedError> {
        Box::pin(self.admit_round(round)).await
    }

    async fn admit_round(&self, round: AdmissionRound) -> Result<Vec<AdmittedRun>, CodedError> {
        let room = round.room.min(ROOM_MAX);
        if room == 0 {
            return Ok(Vec::new());
        }
        let to_error = |error| self.problem(&error);
        let mut client = self.client().await?;
        let add_up = client.prepare_cached(ADD_UP).await.map_err(to_error)?;
        let standings = client.prepare_cached(STANDINGS).await.map_err(to_error)?;
        let admit = client.prepare_cached(ADMIT).await.map_err(to_error)?;
        let transaction = client.transaction().await.map_err(to_error)?;
        // Sorting a whole queue is never the better plan, whatever the planner guesses about its length.
        let begin = format!(
            "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off;
             SELECT pg_try_advisory_xact_lock({LOCK})"
        );
        if !is_locked(&transaction.simple_query(&begin).await.map_err(to_error)?) {
            return Ok(Vec::new());
        }
        transaction.execute(&add_up, &[]).await.map_err(to_error)?;
        let rows = transaction.query(&standings, &[&TENANTS_MAX]).await.map_err(to_error)?;
        let (tenants, counts) = turns_by_tenant(&rows, room, &round).map_err(to_error)?;
        let rows = match tenants.is_empty() {
            true => Vec::new(),
            false => transaction.query(&admit, &[&tenants, &counts]).await.map_err(to_error)?,
        };
        let admitted = rows.iter().map(read_admitted).collect::<Result<_, _>>().map_err(to_error)?;
        transaction.commit().await.map_err(to_error)?;
        Ok(admitted)
    }

    /// Runs admitted longer ago than `age` and not marked as submitted: the process that was to submit them
    /// may have died. The oldest first.
    pub async fn unsubmitted(&self, age: Duration, limit: usize) -> Result<Vec<AdmittedRun>, CodedError> {
        let sql = "SELECT id, due_sequence FROM research
                   WHERE due AND admitted AND submitted_at IS NULL AND admitted_at <= now() - make_interval(secs => $1)
                   ORDER BY admitted_at LIMIT $2";
        let limit = i64::try_from(limit.min(UNSUBMITTED_MAX)).unwrap_or(0);
        let rows = self.read(sql, &[&age.as_secs_f64(), &limit]).await?;
        rows.iter().map(read_admitted).collect::<Result<_, _>>().map_err(|error| self.problem(&error))
    }
}

fn is_locked(answers: &[tokio_postgres::SimpleQueryMessage]) -> bool {
    answers.iter().any(|answer| match answer {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0) == Some("t"),
        _ => false,
    })
}

/// How many runs of which tenant are admitted.
fn turns_by_tenant(
    rows: &[Row],
    room: usize,
    round: &AdmissionRound,
) -> Result<(Vec<String>, Vec<i64>), tokio_postgres::Error> {
    let whole = |number: i64| usize::try_from(number).unwrap_or(0);
    let mut tenants = Vec::with_capacity(rows.len());
    let mut standings = Vec::with_capacity(rows.len());
    let mut in_flight = 0;
    for row in rows {
        let tenant: String = row.try_get(0)?;
        let limit: Option<i32> = row.try_get(2)?;
        let weight: Option<i32> = row.try_get(3)?;
        let limit = limit.map_or(round.unknown.in_flight_max, |limit| u32::try_from(limit).unwrap_or(0));
        standings.push(TenantUsage {
            in_flight: whole(row.try_get(1)?),
            // The operator's own runs are limited by the fleet alone.
            in_flight_max: if tenant.is_empty() { round.fleet_max } else { limit as usize },
            waiting: whole(row.try_get(4)?),
            weight: weight.map_or(round.unknown.weight, |weight| u32::try_from(weight).unwrap_or(1)),
        });
        in_flight = whole(row.try_get(5)?);
        tenants.push(tenant);
    }
    let counts = admissions_per_tenant(&standings, in_flight, round.fleet_max, room);
    let chosen = tenants.into_iter().zip(counts).filter(|(_, count)| *count > 0);
    Ok(chosen.map(|(tenant, count)| (tenant, i64::try_from(count).unwrap_or(0))).unzip())
}

fn read_admitted(row: &Row) -> Result<AdmittedRun, tokio_postgres::Error> {
    let sequence: i64 = row.try_get(1)?;
    Ok(AdmittedRun {
        id: RunId::from_bytes(sized(row.try_get(0)?)),
        sequence: Sequence(u64::try_from(sequence).unwrap_or(0)),
    })
}
