//! Whose turn it is: researches that are due wait until they are admitted, fairly among tenants and never more
//! than each tenant and the whole fleet may have in flight.
//!
//! "In flight" is due and admitted. One admitter at a time decides; whoever finds another at work leaves it to
//! that one. Meanwhile what is in flight can only become less, so no limit is ever passed. Giving what was
//! admitted to the engine is the caller's business.

use std::time::Duration;

use probity_research::{
    error::CodedError,
    id::{RunId, Sequence},
    tenant::{TenantQuota, TenantUsage, admissions_per_tenant},
};
use tokio_postgres::Row;

use super::{Postgres, row::sized, tenant_load::ADD_UP};

/// Held by the admitter of this moment.
const LOCK: i64 = 0x5052_4254_0003;
/// Most that one round admits: its row locks are held for milliseconds, and the next round is near.
const ROOM_MAX: usize = 1_000;
/// Tenants that are looked at in one round; the others come with the next ones, for these then have more.
const TENANTS_MAX: i64 = 10_000;
/// Most that the sweep gives out at once.
const UNSUBMITTED_MAX: usize = 1_000;

/// Who waits, since when, and what each has in flight. What it costs depends on how many tenants wait, not on how
/// many researches do: the oldest one of a tenant is the first one from its name on, in the order of the index of
/// those that wait. Asked for as "of this tenant, by number" it would be looked for among everyone's.
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

/// Gives each tenant its turns, oldest first. Whoever is changed by another at this moment is looked at again.
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

/// What one round may do.
#[derive(Debug, Clone, Copy)]
pub struct AdmissionRound {
    /// How many the caller can give to the engine now.
    pub room: usize,
    /// Most that the whole fleet may have in flight.
    pub fleet_max: usize,
    /// What a tenant may use that nobody set up.
    pub unknown: TenantQuota,
}

/// A research that got its turn. Its id and the event that made it due name one submission: giving it to the
/// engine twice is giving it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdmittedRun {
    pub id: RunId,
    pub sequence: Sequence,
}

impl Postgres {
    /// One round. Empty when another admitter is at work, when nothing waits, or when all is full.
    pub async fn admit(&self, round: AdmissionRound) -> Result<Vec<AdmittedRun>, CodedError> {
        Box::pin(self.admit_round(round)).await
    }

    async fn admit_round(&self, round: AdmissionRound) -> Result<Vec<AdmittedRun>, CodedError> {
        let room = round.room.min(ROOM_MAX);
        if room == 0 {
            return Ok(Vec::new());
        }
        let told = |error| self.problem(&error);
        let mut client = self.client().await?;
        let add_up = client.prepare_cached(ADD_UP).await.map_err(told)?;
        let standings = client.prepare_cached(STANDINGS).await.map_err(told)?;
        let admit = client.prepare_cached(ADMIT).await.map_err(told)?;
        let transaction = client.transaction().await.map_err(told)?;
        // Sorting a whole queue is never the better way, whatever is guessed about its length.
        let begin = format!(
            "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off;
             SELECT pg_try_advisory_xact_lock({LOCK})"
        );
        if !is_locked(&transaction.simple_query(&begin).await.map_err(told)?) {
            return Ok(Vec::new());
        }
        transaction.execute(&add_up, &[]).await.map_err(told)?;
        let rows = transaction.query(&standings, &[&TENANTS_MAX]).await.map_err(told)?;
        let (tenants, counts) = turns_by_tenant(&rows, room, &round).map_err(told)?;
        let rows = match tenants.is_empty() {
            true => Vec::new(),
            false => transaction.query(&admit, &[&tenants, &counts]).await.map_err(told)?,
        };
        let admitted = rows.iter().map(read_admitted).collect::<Result<_, _>>().map_err(told)?;
        transaction.commit().await.map_err(told)?;
        Ok(admitted)
    }

    /// Admitted longer ago than `age`, and nobody said that the engine has it: whoever was to give it away may
    /// have died. The oldest first.
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

/// Which tenant gets how many turns.
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
            // The operator's own are limited by the fleet alone.
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
