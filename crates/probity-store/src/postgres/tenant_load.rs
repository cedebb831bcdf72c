//! What each tenant has queued, in flight and charged, kept up to date by every append without waiting for a
//! lock.
//!
//! Counting runs would cost more with every one of them. So an append that changes a count adds a line, in
//! the same statement; the admitter sums the lines now and then. The total is the last sum plus the lines
//! that are left, and both are read by one statement.

use probity_research::{error::CodedError, principal::Principal};

use super::{Postgres, tenants::tenant_from_column};

/// Hours of spending that are kept: twice what is asked for.
const HOURS_KEPT: i32 = 48;

/// The part of a first append that counts: `$5` says whether it is due, `$6` is the tenant, `$8` when it was asked,
/// `$11` and `$12` what it is charged, `$21` whether it is admitted.
pub(super) const ON_FIRST: &str = ", counted AS (
    INSERT INTO tenant_change (tenant, hour, waiting, in_flight, money)
    SELECT coalesce($6, ''), date_trunc('hour', $8), ($5 AND NOT $21)::int, ($5 AND $21)::int, $11 + $12 FROM moved
)";

/// The part of a later append that counts. `moved` has the row after it, `was_due` and `more`: what is charged
/// beyond what was. Whether it is admitted changes only when it becomes due, and then it was not counted before.
pub(super) const ON_NEXT: &str = ", counted AS (
    INSERT INTO tenant_change (tenant, hour, waiting, in_flight, money)
    SELECT coalesce(tenant, ''), date_trunc('hour', $8),
           ($5 AND NOT admitted)::int - (was_due AND NOT admitted)::int,
           ($5 AND admitted)::int - (was_due AND admitted)::int, more
    FROM moved WHERE was_due <> $5 OR more <> 0
)";

/// Sums the lines. Only the admitter does this: two at once would wait for each other.
pub(super) const ADD_UP: &str = "
WITH lines AS (
    DELETE FROM tenant_change RETURNING tenant, hour, waiting, in_flight, money
), counted AS (
    INSERT INTO tenant_load (tenant, waiting, in_flight)
    SELECT tenant, sum(waiting), sum(in_flight) FROM lines GROUP BY tenant
    ON CONFLICT (tenant) DO UPDATE
    SET waiting = tenant_load.waiting + excluded.waiting, in_flight = tenant_load.in_flight + excluded.in_flight
)
INSERT INTO tenant_spending (tenant, hour, money)
SELECT tenant, hour, sum(money) FROM lines GROUP BY tenant, hour HAVING sum(money) <> 0
ON CONFLICT (tenant, hour) DO UPDATE SET money = tenant_spending.money + excluded.money";

/// What a tenant has under way; none is the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TenantLoadRow {
    pub tenant: Option<Principal>,
    pub waiting: u64,
    pub in_flight: u64,
}

impl Postgres {
    /// Queued runs and runs in flight, by tenant; for status and metrics.
    pub async fn tenant_loads(&self) -> Result<Vec<TenantLoadRow>, CodedError> {
        let sql = "SELECT tenant, sum(waiting)::bigint, sum(in_flight)::bigint FROM (
                       SELECT tenant, waiting, in_flight FROM tenant_load
                       UNION ALL SELECT tenant, waiting, in_flight FROM tenant_change) AS counted
                   GROUP BY tenant HAVING sum(waiting) <> 0 OR sum(in_flight) <> 0 ORDER BY tenant";
        let to_error = |error| self.problem(&error);
        let whole = |number: i64| u64::try_from(number).unwrap_or(0);
        let rows = self.read(sql, &[]).await?;
        rows.iter()
            .map(|row| {
                Ok(TenantLoadRow {
                    tenant: tenant_from_column(row.try_get(0).map_err(to_error)?)?,
                    waiting: whole(row.try_get(1).map_err(to_error)?),
                    in_flight: whole(row.try_get(2).map_err(to_error)?),
                })
            })
            .collect()
    }

    /// Deletes spending of hours that no longer count; returns how many. To be called about once a day.
    pub async fn purge_spending(&self) -> Result<u64, CodedError> {
        let sql = "DELETE FROM tenant_spending WHERE hour < now() - make_interval(hours => $1)";
        self.execute(sql, &[&HOURS_KEPT]).await
    }
}
