//! A start, in one transaction: the idempotency key, the quota, the queue, the first event, the audit line.
//!
//! Where a limit is near, starts of one tenant are made one after the other, so that the counts are exact. A
//! started run waits in the queue until it is admitted.

use probity_research::{
    cost::MicroUsd,
    error::{Code, CodedError},
    event::Event,
    id::RunId,
    ports::{JournalEntry, JournalError},
    spending::{self, RepeatRule},
    tenant::TenantQuota,
    time::Moment,
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    Postgres, audit,
    audit::NewAuditLine,
    events::StartAdmission,
    idempotency::{IdempotencyKey, KEY_HOURS_MAX, REMEMBER},
    quotas::QuotaUsage,
    row::sized,
    tenants::tenant_column,
};

/// First half of the lock that a tenant's starts take; the second half is drawn from its name.
const LOCK: i32 = 0x5052_0002;

/// Starts that all front ends together can have under way: as many as they have connections, and some more.
const SIDE_BY_SIDE_MAX: u32 = 2_000;

/// Everything that decides a start. The tenant's limits as they are at this moment; `$2` and `$5` stand in
/// for those of a tenant that the administrator did not set up. What was charged counts by whole hours: this
/// one and the 24 before.
const LOOK: &str = "
SELECT coalesce(known.suspended, false), before.request, before.research,
       CASE WHEN known.name IS NULL THEN $5::bigint ELSE known.budget_per_day END,
       coalesce(known.waiting_max, $2::int),
       (SELECT coalesce(sum(money), 0)::bigint FROM (
            SELECT money FROM tenant_spending WHERE tenant = $1 AND hour >= now() - interval '25 hours'
            UNION ALL
            SELECT money FROM tenant_change WHERE tenant = $1 AND hour >= now() - interval '25 hours') AS charged),
       (SELECT coalesce(sum(waiting), 0)::bigint FROM (
            SELECT waiting FROM tenant_load WHERE tenant = $1
            UNION ALL SELECT waiting FROM tenant_change WHERE tenant = $1) AS queue),
       (SELECT due OR status = 'unknown' OR status = 'cancelled' AND summary::jsonb #>> '{problem,code}' = 'CREATE_UNCERTAIN'
        FROM research WHERE id = before.research)
FROM (SELECT) AS one
LEFT JOIN tenant AS known ON known.name = $1
LEFT JOIN (SELECT request, research FROM idempotency
           WHERE tenant = $1 AND key = $3::text AND made_at > now() - make_interval(hours => $4)) AS before ON true";

/// What `LOOK` adds up, by hour. Asked only by a start that is refused.
const HOURS: &str = "
SELECT (extract(epoch FROM hour) * 1000)::bigint, sum(money)::bigint FROM (
    SELECT hour, money FROM tenant_spending WHERE tenant = $1 AND hour >= now() - interval '25 hours'
    UNION ALL
    SELECT hour, money FROM tenant_change WHERE tenant = $1 AND hour >= now() - interval '25 hours') AS charged
GROUP BY hour ORDER BY hour";

/// A run to be started.
#[derive(Debug)]
pub struct RunStartRequest<'a> {
    /// The `Asked` event; its summary names the tenant and what it may cost.
    pub entry: JournalEntry,
    pub idempotency: Option<IdempotencyKey>,
    /// Without a key of the client's own: what happens where an equal start is running.
    pub repeat: RepeatRule,
    /// Quota of a tenant that the administrator did not set up.
    pub unknown: &'a TenantQuota,
    /// Who acts for the tenant, for the audit log.
    pub actor: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStartOutcome {
    New,
    /// The same start was made before, or an equal one is running; nothing was started now.
    Same(RunId),
}

impl Postgres {
    /// When this returns, the run is on disk and its id may be given out; it waits in the queue.
    pub async fn start(&self, started: RunStartRequest<'_>) -> Result<RunStartOutcome, CodedError> {
        if let Some(idempotency) = &started.idempotency {
            idempotency.check()?;
        }
        let key = StartKey::of(&started);
        let tenant = started.entry.summary.asked_by.clone();
        let line = |outcome: &str| NewAuditLine {
            tenant: tenant.clone(),
            actor: started.actor.to_owned(),
            action: "research.start".to_owned(),
            research: Some(started.entry.id),
            outcome: outcome.to_owned(),
        };
        let begun = Box::pin(self.start_in_turn(&started, key.as_ref(), line("done"))).await;
        if let Err(problem) = &begun
            && is_refusal(problem.code)
            && let Err(error) = self.audit(line(problem.code.as_str())).await
        {
            tracing::warn!(%error, "refused start not written to the audit log");
        }
        begun
    }

    async fn start_in_turn(
        &self,
        started: &RunStartRequest<'_>,
        key: Option<&StartKey>,
        line: NewAuditLine,
    ) -> Result<RunStartOutcome, CodedError> {
        let tenant = tenant_column(started.entry.summary.asked_by.as_ref());
        let _turn = self.inner.turns.take(tenant).await?;
        let to_error = |error| self.problem(&error);
        let mut client = self.client().await?;
        let transaction = client.transaction().await.map_err(to_error)?;
        if let Some(before) = self.check_start(&transaction, started, key, tenant).await? {
            return Ok(RunStartOutcome::Same(before));
        }
        let remembered = async {
            let Some(IdempotencyKey { key, request }) = key.map(StartKey::row) else { return Ok(0) };
            let statement = transaction.prepare_cached(REMEMBER).await?;
            let research = started.entry.id.to_bytes();
            let (request, research) = (request.0.as_slice(), research.as_slice());
            transaction.execute(&statement, &[&tenant, key, &request, &research]).await
        };
        let columns = audit::AuditColumns::of(&[line]);
        let audited = async {
            let statement = transaction.prepare_cached(audit::INSERT).await?;
            transaction.execute(&statement, &columns.values()).await
        };
        // All three are on their way at once; the database takes them in this order.
        let asked = self.append_with(&transaction, started.entry.clone(), StartAdmission::Waits);
        let (asked, remembered, audited) = tokio::join!(asked, remembered, audited);
        match asked {
            Ok(_) => {}
            // Ids are drawn at random: this very start was committed before.
            Err(JournalError::Conflict) => return Ok(RunStartOutcome::Same(started.entry.id)),
            Err(JournalError::Refused(problem)) => return Err(problem),
            Err(error @ JournalError::Fenced) => {
                return Err(CodedError::new(Code::StoreFailed, &error.to_string()));
            }
        }
        remembered.and(audited).map_err(to_error)?;
        transaction.commit().await.map_err(to_error)?;
        Ok(RunStartOutcome::New)
    }

    /// Checks whether this start fits; returns the run that it started before, if it did. Where it might be
    /// one too many, it waits for the tenant's other starts and checks again: then the counts are exact.
    async fn check_start(
        &self,
        transaction: &deadpool_postgres::Transaction<'_>,
        started: &RunStartRequest<'_>,
        start_key: Option<&StartKey>,
        tenant: &str,
    ) -> Result<Option<RunId>, CodedError> {
        let to_error = |error| self.problem(&error);
        let look = transaction.prepare_cached(LOOK).await.map_err(to_error)?;
        let unknown = started.unknown;
        let budget = unknown.budget_per_day.map(|budget| i64::try_from(budget.0).unwrap_or(i64::MAX));
        let waiting_max = i32::try_from(unknown.waiting_max).unwrap_or(i32::MAX);
        let key = start_key.map(|key| key.row().key.as_str());
        let looking: [&(dyn ToSql + Sync); 5] = [&tenant, &waiting_max, &key, &KEY_HOURS_MAX, &budget];
        let row = transaction.query_one(&look, &looking).await.map_err(to_error)?;
        let mut seen = StartCheckRow::read(&row).map_err(to_error)?;
        // The same start twice at once waits for itself; near a limit, for every start of the tenant. Always in
        // this order, so that no two wait for each other.
        let of_start = key.map(|key| lock_of(&[tenant, key]));
        let of_tenant = seen.is_near_limit().then(|| lock_of(&[tenant]));
        let locks: Vec<i32> = of_start.into_iter().chain(of_tenant).collect();
        if let Some((last, first)) = locks.split_last() {
            let lock =
                transaction.prepare_cached("SELECT pg_advisory_xact_lock($1, $2)").await.map_err(to_error)?;
            for half in first {
                let locking: [&(dyn ToSql + Sync); 2] = [&LOCK, half];
                transaction.query_one(&lock, &locking).await.map_err(to_error)?;
            }
            let locking: [&(dyn ToSql + Sync); 2] = [&LOCK, last];
            // The second is sent before the first has answered, and sees the state once the lock is taken.
            let (locked, row) =
                tokio::join!(transaction.query_one(&lock, &locking), transaction.query_one(&look, &looking));
            locked.map_err(to_error)?;
            seen = StartCheckRow::read(&row.map_err(to_error)?).map_err(to_error)?;
        }
        match (start_key, &seen.before) {
            (Some(StartKey::Client(key)), Some((request, research))) => {
                return key.check_repeat(request, *research).map(Some);
            }
            (Some(StartKey::Derived(_)), Some((_, research))) if seen.running => return Ok(Some(*research)),
            _ => {}
        }
        if seen.suspended {
            return Err(CodedError::new(Code::Unauthorised, "this tenant is suspended"));
        }
        if started.entry.summary.asked_by.is_some() {
            let quota =
                TenantQuota { budget_per_day: seen.budget, waiting_max: seen.waiting_max, ..*unknown };
            let reserve = spending::charge(&started.entry.summary);
            if let Some(budget) = seen.used.budget_exceeded_by(&quota, reserve) {
                let hours = self.hours_charged(transaction, tenant).await?;
                return Err(seen.used.day_limit_reached(budget, reserve, hours));
            }
            seen.used.check_queue(&quota)?;
        }
        Ok(None)
    }

    /// What was charged in each hour that counts, oldest first.
    async fn hours_charged(
        &self,
        transaction: &deadpool_postgres::Transaction<'_>,
        tenant: &str,
    ) -> Result<Vec<(Moment, MicroUsd)>, CodedError> {
        let to_error = |error| self.problem(&error);
        let hours = transaction.prepare_cached(HOURS).await.map_err(to_error)?;
        let rows = transaction.query(&hours, &[&tenant]).await.map_err(to_error)?;
        let read = |row: &Row| {
            let money: i64 = row.try_get(1)?;
            Ok((Moment(row.try_get(0)?), MicroUsd(u64::try_from(money).unwrap_or(0))))
        };
        rows.iter().map(read).collect::<Result<_, _>>().map_err(to_error)
    }
}

/// The name under which a start is remembered.
enum StartKey {
    /// The client's own: the same start again gives the same run.
    Client(IdempotencyKey),
    /// Drawn from what is asked for: the same start again gives the same run while that is running.
    Derived(IdempotencyKey),
}

impl StartKey {
    fn of(started: &RunStartRequest<'_>) -> Option<Self> {
        match (&started.idempotency, started.repeat, &started.entry.event) {
            (Some(key), _, _) => Some(Self::Client(key.clone())),
            (None, RepeatRule::ReturnRunning, Event::Asked { query, plan }) => {
                let request = spending::start_key(query, plan);
                Some(Self::Derived(IdempotencyKey { key: format!("running {request}"), request }))
            }
            (None, _, _) => None,
        }
    }

    fn row(&self) -> &IdempotencyKey {
        match self {
            Self::Client(key) | Self::Derived(key) => key,
        }
    }
}

/// The row that `LOOK` reads.
struct StartCheckRow {
    suspended: bool,
    before: Option<(Vec<u8>, RunId)>,
    /// That run has not ended, or nobody knows whether it was billed.
    running: bool,
    budget: Option<MicroUsd>,
    waiting_max: u32,
    used: QuotaUsage,
}

impl StartCheckRow {
    /// Whether concurrent starts could make this one too many.
    fn is_near_limit(&self) -> bool {
        self.budget.is_some() || self.used.waiting.saturating_add(SIDE_BY_SIDE_MAX) >= self.waiting_max
    }

    fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let request: Option<Vec<u8>> = row.try_get(1)?;
        let research: Option<&[u8]> = row.try_get(2)?;
        let money = |money: i64| MicroUsd(u64::try_from(money).unwrap_or(0));
        let waiting: i64 = row.try_get(6)?;
        Ok(Self {
            suspended: row.try_get(0)?,
            before: request.zip(research.map(|bytes| RunId::from_bytes(sized(bytes)))),
            running: row.try_get::<_, Option<bool>>(7)?.unwrap_or(false),
            budget: row.try_get::<_, Option<i64>>(3)?.map(money),
            waiting_max: u32::try_from(row.try_get::<_, i32>(4)?).unwrap_or(0),
            used: QuotaUsage {
                money: money(row.try_get(5)?),
                waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            },
        })
    }
}

/// Two names that share a lock wait for each other now and then; nothing else happens.
fn lock_of(names: &[&str]) -> i32 {
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
    }
    let [a, b, c, d, ..] = *hasher.finalize().as_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// Refused by a rule, not by a fault.
fn is_refusal(code: Code) -> bool {
    matches!(code, Code::Budget | Code::DayLimit | Code::RateLimited | Code::KeyReused | Code::Unauthorised)
}
