//! Whether one more run fits into its tenant's quota, and what a tenant has used.
//!
//! Exact only under the lock of the tenant's starts: see `run_start.rs`.

use probity_research::{
    cost::MicroUsd,
    error::{Code, CodedError},
    principal::Principal,
    spending,
    tenant::TenantQuota,
    time::Moment,
};
use std::time::Duration;

use super::Postgres;

/// Days of usage in one answer.
const DAYS_MAX: u32 = 366;
/// What is charged counts by whole hours.
const HOUR_MS: i64 = 3_600_000;
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
    /// The budget that does not carry one more run, which may cost `reserve`.
    pub fn budget_exceeded_by(self, quota: &TenantQuota, reserve: MicroUsd) -> Option<MicroUsd> {
        quota.budget_per_day.filter(|budget| !spending::fits(self.money, reserve, *budget))
    }

    /// What a tenant is told that has used up its budget, and when there is room again: `hours` are those that count,
    /// oldest first, with what was charged in them.
    pub fn day_limit_reached(
        self,
        budget: MicroUsd,
        reserve: MicroUsd,
        hours: impl IntoIterator<Item = (Moment, MicroUsd)>,
    ) -> CodedError {
        // An hour counts until it has been over for a day.
        let ended = hours.into_iter().map(|(hour, money)| (hour.plus_ms(HOUR_MS), money));
        let room = spending::day_limit_end(self.money, reserve, budget, ended).in_words();
        let left = budget.minus(self.money);
        let message = format!(
            "the day's limit is reached: this research may cost {reserve}, and of the {budget} for 24 hours {left} are \
             left; {room}"
        );
        CodedError::new(Code::DayLimit, &message)
    }

    /// Whether one more run finds a place among those that wait.
    pub fn check_queue(self, quota: &TenantQuota) -> Result<(), CodedError> {
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
    use probity_research::{Code, cost::MicroUsd, tenant::TenantQuota, time::Moment};

    use super::QuotaUsage;

    #[test]
    fn the_last_cent_may_be_used_and_not_one_more() {
        let quota =
            TenantQuota { budget_per_day: Some(MicroUsd(1_000)), waiting_max: 3, ..TenantQuota::default() };
        let used = QuotaUsage { money: MicroUsd(900), waiting: 2 };
        assert_eq!(used.budget_exceeded_by(&quota, MicroUsd(100)), None);
        assert_eq!(used.budget_exceeded_by(&quota, MicroUsd(101)), Some(MicroUsd(1_000)));
        assert_eq!(used.check_queue(&quota), Ok(()));
        let full = QuotaUsage { waiting: 3, ..used };
        assert_eq!(full.check_queue(&quota).unwrap_err().code, Code::RateLimited);
    }

    #[test]
    fn a_tenant_hears_when_its_limit_has_room_again() {
        let used = QuotaUsage { money: MicroUsd(9_000_000), waiting: 0 };
        let hours = [(Moment(0), MicroUsd(4_000_000)), (Moment(3_600_000), MicroUsd(5_000_000))];
        let refused =
            |reserve| used.day_limit_reached(MicroUsd(10_000_000), MicroUsd(reserve), hours.iter().copied());
        let told = refused(3_000_000);
        assert_eq!(told.code, Code::DayLimit);
        let expected = format!("it has room again at {}", Moment(25 * 3_600_000 + 1));
        assert!(told.message.ends_with(&expected), "{}", told.message);
        let expected = format!("it has room again at {}", Moment(26 * 3_600_000 + 1));
        assert!(refused(8_000_000).message.ends_with(&expected));
        assert!(refused(11_000_000).message.ends_with("so waiting does not help"));
    }
}
