//! Webhooks of tenants and the outbox: what is to be sent when a run comes to rest, and the state of each
//! delivery.
//!
//! The append that brings a run to rest writes the row in the same statement. A dispatcher that claims a
//! delivery has it for a lease; nothing is sent from here.

use std::{fmt, time::Duration};

use probity_research::{
    error::{Code, CodedError},
    id::{RunId, Sequence},
    principal::Principal,
    status::RunStatus,
    text,
    time::Moment,
};
use tokio_postgres::Row;

use super::{Postgres, keys::milliseconds, row::sized, tenants::tenant_column};

/// How long the dispatcher that claimed a delivery has for one attempt: longer than any attempt may take.
pub const DELIVERY_LEASE: Duration = Duration::from_secs(60);
/// Claims of one delivery. The dispatcher gives up earlier; this ends a delivery that kills every dispatcher
/// that claims it.
pub const DELIVERY_ATTEMPTS_MAX: i32 = 20;
/// Webhooks of one tenant: each adds a row whenever a run ends.
const WEBHOOKS_MAX: i64 = 10;
/// Deliveries in one response and in one claim.
const DELIVERIES_MAX: usize = 500;
/// Deliveries that were sent or given up are listed for this long.
const SETTLED_DAYS_MAX: i32 = 30;
/// Rows deleted at a time: the next call deletes the rest.
const PURGED_MAX: i64 = 10_000;
/// Longest text kept of a receiver's answer.
const ANSWER_CHARACTERS_MAX: usize = 200;

/// The part of an append that writes the outbox: `moved` is the row after it, `$2` the sequence, `$5` whether
/// it is due, `$8` when it was asked and `$9` when this happened. One row for each time that a run comes to
/// rest, whatever is appended afterwards.
pub(super) const ON_REST: &str = ", told AS (
    INSERT INTO delivery (webhook, tenant, research, due_sequence, sequence, status, asked_at, rested_at)
    SELECT webhook.number, webhook.tenant, moved.id, moved.due_sequence, $2, moved.status, $8, $9
    FROM moved JOIN webhook ON webhook.tenant = coalesce(moved.tenant, '')
    WHERE NOT $5 AND (webhook.statuses = '{}' OR moved.status = ANY (webhook.statuses))
    ON CONFLICT DO NOTHING
)";

/// A webhook's secret as its owner stored it: this crate neither seals nor opens it.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredSecret(pub Vec<u8>);

impl fmt::Debug for StoredSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("StoredSecret(hidden)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// None is the operator.
    pub tenant: Option<Principal>,
    pub url: String,
    pub secret: StoredSecret,
    /// Sent only when a run comes to rest with one of these; none is all.
    pub statuses: Vec<RunStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub number: u64,
    pub url: String,
    pub statuses: Vec<RunStatus>,
    pub made_at: Moment,
}

/// A delivery to send now, by the dispatcher that claimed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// The same for every attempt.
    pub number: u64,
    pub attempt: u32,
    pub webhook: u64,
    pub url: String,
    pub secret: StoredSecret,
    pub research: RunId,
    pub sequence: Sequence,
    pub status: RunStatus,
    pub asked_at: Moment,
    /// When the run came to rest.
    pub rested_at: Moment,
}

/// The outcome of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// Not before this pause has passed.
    Again {
        after: Duration,
        why: String,
    },
    Dead {
        why: String,
    },
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    Waiting,
    Delivered,
    /// Given up after the last attempt.
    Dead,
}

impl DeliveryState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Dead => "dead",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Waiting, Self::Delivered, Self::Dead].into_iter().find(|state| state.as_str() == text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub number: u64,
    pub webhook: u64,
    pub research: RunId,
    pub status: RunStatus,
    pub state: DeliveryState,
    pub attempts: u32,
    pub last_answer: Option<String>,
    pub made_at: Moment,
}

impl Postgres {
    /// From now on events of `new.tenant` are sent there. Returns its number.
    pub async fn make_webhook(&self, new: &NewWebhook) -> Result<u64, CodedError> {
        let sql = "INSERT INTO webhook (tenant, url, secret, statuses)
                   SELECT $1, $2, $3, $4 WHERE (SELECT count(*) FROM webhook WHERE tenant = $1) < $5
                   RETURNING number";
        let statuses: Vec<&str> = new.statuses.iter().map(|status| status.as_str()).collect();
        let tenant = tenant_column(new.tenant.as_ref());
        let made = self.query(sql, &[&tenant, &new.url, &new.secret.0, &statuses, &WEBHOOKS_MAX]).await?;
        let Some(row) = made.first() else {
            let message = format!("there are {WEBHOOKS_MAX} webhooks already; remove one first");
            return Err(CodedError::new(Code::InvalidArguments, &message));
        };
        row.try_get(0).map(to_u64).map_err(|error| self.problem(&error))
    }

    pub async fn webhooks(&self, tenant: Option<&Principal>) -> Result<Vec<Webhook>, CodedError> {
        let sql = format!(
            "SELECT number, url, statuses, {} FROM webhook WHERE tenant = $1 ORDER BY number",
            milliseconds("made_at")
        );
        let to_error = |error| self.problem(&error);
        let rows = self.read(&sql, &[&tenant_column(tenant)]).await?;
        rows.iter()
            .map(|row| {
                let statuses: Vec<String> = row.try_get(2).map_err(to_error)?;
                Ok(Webhook {
                    number: to_u64(row.try_get(0).map_err(to_error)?),
                    url: row.try_get(1).map_err(to_error)?,
                    statuses: statuses.iter().filter_map(|status| RunStatus::parse(status)).collect(),
                    made_at: Moment(row.try_get(3).map_err(to_error)?),
                })
            })
            .collect()
    }

    /// The secret of every webhook, with the number and the address that it belongs to.
    pub async fn webhook_secrets(&self) -> Result<Vec<(u64, String, StoredSecret)>, CodedError> {
        let to_error = |error| self.problem(&error);
        let rows = self.read("SELECT number, url, secret FROM webhook ORDER BY number", &[]).await?;
        rows.iter()
            .map(|row| {
                let number = to_u64(row.try_get(0).map_err(to_error)?);
                let secret = StoredSecret(row.try_get(2).map_err(to_error)?);
                Ok((number, row.try_get(1).map_err(to_error)?, secret))
            })
            .collect()
    }

    /// The same secret in another form, unless somebody changed it since it was read.
    pub async fn replace_webhook_secret(
        &self,
        number: u64,
        read: &StoredSecret,
        new: &StoredSecret,
    ) -> Result<bool, CodedError> {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let sql = "UPDATE webhook SET secret = $3 WHERE number = $1 AND secret = $2";
        Ok(self.execute(sql, &[&number, &read.0, &new.0]).await? > 0)
    }

    /// Nothing more is sent there, not even what waits. Whether this tenant had such a webhook.
    pub async fn remove_webhook(&self, tenant: Option<&Principal>, number: u64) -> Result<bool, CodedError> {
        let sql = "WITH gone AS (DELETE FROM webhook WHERE tenant = $1 AND number = $2 RETURNING number),
                   untold AS (DELETE FROM delivery USING gone
                              WHERE delivery.webhook = gone.number AND state = 'waiting')
                   SELECT FROM gone";
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        Ok(!self.query(sql, &[&tenant_column(tenant), &number]).await?.is_empty())
    }

    /// Up to `limit` deliveries that no other dispatcher has, each for `DELIVERY_LEASE`. A dispatcher that
    /// dies leaves its deliveries to the next; those tried too often are given up here.
    pub async fn claim_deliveries(&self, limit: usize) -> Result<Vec<DeliveryAttempt>, CodedError> {
        let sql = format!(
            "WITH ripe AS (
                 SELECT number FROM delivery WHERE state = 'waiting' AND next_at <= now()
                 ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED
             ), moved AS (
                 UPDATE delivery SET
                     state = CASE WHEN attempts < $2 THEN state ELSE 'dead' END,
                     settled_at = CASE WHEN attempts < $2 THEN NULL ELSE now() END,
                     attempts = least(attempts + 1, $2),
                     next_at = now() + make_interval(secs => $3)
                 WHERE number IN (SELECT number FROM ripe) RETURNING *
             )
             SELECT moved.number, attempts, webhook, url, secret, research, sequence, status, {}, {}
             FROM moved JOIN webhook ON webhook.number = moved.webhook WHERE state = 'waiting'
             ORDER BY moved.number",
            milliseconds("asked_at"),
            milliseconds("rested_at")
        );
        let limit = i64::try_from(limit.min(DELIVERIES_MAX)).unwrap_or(0);
        let lease = DELIVERY_LEASE.as_secs_f64();
        let rows = self.query(&sql, &[&limit, &DELIVERY_ATTEMPTS_MAX, &lease]).await?;
        rows.iter().map(|row| self.read_attempt(row)).collect()
    }

    /// Stores the outcome of a claimed delivery. Nothing happens if it was settled already.
    pub async fn settle_delivery(&self, number: u64, settled: &AttemptOutcome) -> Result<(), CodedError> {
        let (state, pause, answer) = match settled {
            AttemptOutcome::Delivered => (DeliveryState::Delivered, Duration::ZERO, None),
            AttemptOutcome::Again { after, why } => (DeliveryState::Waiting, *after, Some(why)),
            AttemptOutcome::Dead { why } => (DeliveryState::Dead, Duration::ZERO, Some(why)),
        };
        let sql =
            "UPDATE delivery SET state = $2, next_at = now() + make_interval(secs => $3), last_answer = $4,
                       settled_at = CASE WHEN $2 = 'waiting' THEN NULL ELSE now() END
                   WHERE number = $1 AND state = 'waiting'";
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let answer = answer.map(|answer| text::line(answer, ANSWER_CHARACTERS_MAX));
        self.execute(sql, &[&number, &state.as_str(), &pause.as_secs_f64(), &answer]).await.map(|_| ())
    }

    /// The newest deliveries of a tenant.
    pub async fn deliveries(
        &self,
        tenant: Option<&Principal>,
        limit: usize,
    ) -> Result<Vec<Delivery>, CodedError> {
        let sql = format!(
            "SELECT number, webhook, research, status, state, attempts, last_answer, {}
             FROM delivery WHERE tenant = $1 ORDER BY number DESC LIMIT $2",
            milliseconds("made_at")
        );
        let limit = i64::try_from(limit.min(DELIVERIES_MAX)).unwrap_or(0);
        let rows = self.read(&sql, &[&tenant_column(tenant), &limit]).await?;
        rows.iter().map(|row| self.read_delivery(row)).collect()
    }

    /// Deletes deliveries settled long ago, and those of removed webhooks; returns how many.
    pub async fn purge_deliveries(&self) -> Result<u64, CodedError> {
        let sql = format!(
            "DELETE FROM delivery WHERE number IN (
                 SELECT number FROM delivery
                 WHERE settled_at < now() - make_interval(days => {SETTLED_DAYS_MAX})
                 ORDER BY settled_at LIMIT {PURGED_MAX} FOR UPDATE SKIP LOCKED)"
        );
        self.execute(&sql, &[]).await
    }

    fn read_attempt(&self, row: &Row) -> Result<DeliveryAttempt, CodedError> {
        let to_error = |error| self.problem(&error);
        Ok(DeliveryAttempt {
            number: to_u64(row.try_get(0).map_err(to_error)?),
            attempt: to_u32(row.try_get(1).map_err(to_error)?),
            webhook: to_u64(row.try_get(2).map_err(to_error)?),
            url: row.try_get(3).map_err(to_error)?,
            secret: StoredSecret(row.try_get(4).map_err(to_error)?),
            research: RunId::from_bytes(sized(row.try_get(5).map_err(to_error)?)),
            sequence: Sequence(to_u64(row.try_get(6).map_err(to_error)?)),
            status: self.read_status(row.try_get(7).map_err(to_error)?)?,
            asked_at: Moment(row.try_get(8).map_err(to_error)?),
            rested_at: Moment(row.try_get(9).map_err(to_error)?),
        })
    }

    fn read_delivery(&self, row: &Row) -> Result<Delivery, CodedError> {
        let to_error = |error| self.problem(&error);
        let state: &str = row.try_get(4).map_err(to_error)?;
        Ok(Delivery {
            number: to_u64(row.try_get(0).map_err(to_error)?),
            webhook: to_u64(row.try_get(1).map_err(to_error)?),
            research: RunId::from_bytes(sized(row.try_get(2).map_err(to_error)?)),
            status: self.read_status(row.try_get(3).map_err(to_error)?)?,
            state: DeliveryState::parse(state).ok_or_else(|| self.damaged("the state of a delivery"))?,
            attempts: to_u32(row.try_get(5).map_err(to_error)?),
            last_answer: row.try_get(6).map_err(to_error)?,
            made_at: Moment(row.try_get(7).map_err(to_error)?),
        })
    }

    fn read_status(&self, text: &str) -> Result<RunStatus, CodedError> {
        RunStatus::parse(text).ok_or_else(|| self.damaged("the status of a delivery"))
    }
}

fn to_u64(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn to_u32(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
