//! Whether one more run fits into its tenant's quota, and what a tenant has used.
//!
//! Exact only under the lock of the tenant's starts: see `run_start.rs`.

use probity_research::{
    cost::MicroUsd,
    error::{Code, CodedError},
    principal::Principal,
    spending,
    tenant::TenantQuota,
};
use std::time::Duration;

use super::Postgres;

/// Days of usage in one answer.
const DAYS_MAX: u32 = 366;
/// A queue that is full moves within seconds.
const QUEUE_RETRY: Duration = Duration::from_secs(10);

/// What a tenant uses at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QuotaUsage {
    /// Spent or reserved within 24 hours and the hour that has begun.
    pub money: MicroUsd,
    pub waiting: u32,
}

impl QuotaUsage {
    /// Whether one more run, which may cost `reserve`, fits.
    pub fn fits(self, quota: &TenantQuota, reserve: MicroUsd) -> Result<(), CodedError> {
        if let Some(budget) = quota.budget_per_day
            && !spending::fits(self.money, reserve, budget)
        {
            let left = budget.minus(self.money);
            let message =
                format!("this research may cost {reserve}, and of the {budget} for 24 hours {left} are left");
            return Err(CodedError::new(Code::DayLimit, &message));
        }
        if self.waiting >= quota.waiting_max {
            let message = format!("{} researches wait for their turn already", quota.waiting_max);
            return Err(CodedError::new(Code::RateLimited, &message).with_retry_after(Some(QUEUE_RETRY)));
        }
        Ok(())
    }
}

/// What one day cost, by when the runs were asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyUsage {
    /// `YYYY-MM-DD` in UTC.
    pub day: String,
    pub researches: u64,
    pub spent: MicroUsd,
    /// What the runs that have not ended may cost beyond that.
    pub reserved: MicroUsd,
}

impl Postgres {
    /// The last `days` days on which a run was started, newest first; none is the operator's own.
    pub async fn usage(&self, tenant: Option<&Principal>, days: u32) -> Result<Vec<DailyUsage>, CodedError> {
        // Two texts: one that fits both would use no index.
        let whose = match tenant {
            Some(_) => "tenant = $1",
            None => "tenant IS NULL AND $1::text IS NULL",
        };
        let sql = format!(
            "SELECT to_char(asked_at, 'YYYY-MM-DD'), count(*), sum(spent)::bigint, sum(reserved)::bigint
             FROM research
             WHERE {whose} AND asked_at >= date_trunc('day', now()) - make_interval(days => $2 - 1)
             GROUP BY 1 ORDER BY 1 DESC"
        );
        let days = i32::try_from(days.clamp(1, DAYS_MAX)).unwrap_or(1);
        let rows = self.read(&sql, &[&tenant.map(Principal::as_str), &days]).await?;
        let to_error = |error| self.problem(&error);
        let whole = |number: i64| u64::try_from(number).unwrap_or(0);
        rows.iter()
            .map(|row| {
                Ok(DailyUsage {
                    day: row.try_get(0).map_err(to_error)?,
                    researches: whole(row.try_get(1).map_err(to_error)?),
                    spent: MicroUsd(whole(row.try_get(2).map_err(to_error)?)),
                    reserved: MicroUsd(whole(row.try_get(3).map_err(to_error)?)),
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{Code, cost::MicroUsd, tenant::TenantQuota};

    use super::QuotaUsage;

    #[test]
    fn the_last_cent_may_be_used_and_not_one_more() {
        let quota =
            TenantQuota { budget_per_day: Some(MicroUsd(1_000)), waiting_max: 3, ..TenantQuota::default() };
        let used = QuotaUsage { money: MicroUsd(900), waiting: 2 };
        assert_eq!(used.fits(&quota, MicroUsd(100)), Ok(()));
        assert_eq!(used.fits(&quota, MicroUsd(101)).unwrap_err().code, Code::DayLimit);
        let full = QuotaUsage { waiting: 3, ..used };
        assert_eq!(full.fits(&quota, MicroUsd(0)).unwrap_err().code, Code::RateLimited);
    }
}
