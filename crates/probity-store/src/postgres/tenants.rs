//! Tenants as the operator set them up. What an unknown tenant may use is the caller's setting.

use probity_research::{
    cost::MicroUsd,
    error::{Code, CodedError},
    principal::Principal,
    tenant::{Tenant, TenantQuota},
};
use tokio_postgres::Row;

use super::Postgres;

/// Tenants in one answer: the operator's list, not a search.
const TENANTS_MAX: i64 = 10_000;

const COLUMNS: &str =
    "name, budget_per_day, in_flight_max, waiting_max, requests_per_second, weight, suspended";

impl Postgres {
    pub async fn tenant(&self, name: &Principal) -> Result<Option<Tenant>, CodedError> {
        let sql = format!("SELECT {COLUMNS} FROM tenant WHERE name = $1");
        let rows = self.read(&sql, &[&name.as_str()]).await?;
        rows.first().map(|row| self.read_tenant(row)).transpose()
    }

    /// Every tenant that was set up, by name.
    pub async fn tenants(&self) -> Result<Vec<Tenant>, CodedError> {
        let sql = format!("SELECT {COLUMNS} FROM tenant ORDER BY name LIMIT {TENANTS_MAX}");
        self.read(&sql, &[]).await?.iter().map(|row| self.read_tenant(row)).collect()
    }

    /// Sets a tenant up, or changes its quota. Counts from the next start and the next round on.
    pub async fn put_tenant(&self, tenant: &Tenant) -> Result<(), CodedError> {
        let quota = &tenant.quota;
        let number = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let budget = quota.budget_per_day.map(|budget| i64::try_from(budget.0).unwrap_or(i64::MAX));
        let sql = "INSERT INTO tenant (name, budget_per_day, in_flight_max, waiting_max, requests_per_second,
                                       weight, suspended)
                   VALUES ($1, $2, $3, $4, $5, $6, $7)
                   ON CONFLICT (name) DO UPDATE SET budget_per_day = $2, in_flight_max = $3, waiting_max = $4,
                       requests_per_second = $5, weight = $6, suspended = $7, changed_at = now()";
        self.execute(
            sql,
            &[
                &tenant.name.as_str(),
                &budget,
                &number(quota.in_flight_max),
                &number(quota.waiting_max),
                &number(quota.requests_per_second),
                &number(quota.weight.max(1)),
                &tenant.suspended,
            ],
        )
        .await
        .map(|_| ())
    }

    /// From now on its keys are refused and it starts nothing; what is in flight goes on to its end.
    pub async fn suspend(&self, name: &Principal) -> Result<(), CodedError> {
        self.set_suspended(name, true).await
    }

    /// Its keys open again and it may start; what it may use is as it was.
    pub async fn resume(&self, name: &Principal) -> Result<(), CodedError> {
        self.set_suspended(name, false).await
    }

    async fn set_suspended(&self, name: &Principal, suspended: bool) -> Result<(), CodedError> {
        let sql = "UPDATE tenant SET suspended = $2, changed_at = now() WHERE name = $1";
        match self.execute(sql, &[&name.as_str(), &suspended]).await? {
            0 => {
                let message = format!("there is no tenant `{}`", name.as_str());
                Err(CodedError::new(Code::NotFound, &message))
            }
            _ => Ok(()),
        }
    }

    fn read_tenant(&self, row: &Row) -> Result<Tenant, CodedError> {
        let to_error = |error| self.problem(&error);
        let number = |column: usize| {
            let number: i32 = row.try_get(column).map_err(to_error)?;
            Ok::<u32, CodedError>(u32::try_from(number).unwrap_or(0))
        };
        let budget: Option<i64> = row.try_get(1).map_err(to_error)?;
        Ok(Tenant {
            name: Principal::parse(row.try_get(0).map_err(to_error)?)?,
            quota: TenantQuota {
                budget_per_day: budget.map(|budget| MicroUsd(u64::try_from(budget).unwrap_or(0))),
                in_flight_max: number(2)?,
                waiting_max: number(3)?,
                requests_per_second: number(4)?,
                weight: number(5)?,
            },
            suspended: row.try_get(6).map_err(to_error)?,
        })
    }
}

/// The tenant as tables name it: the operator has the empty name, which no tenant can have.
pub(super) fn tenant_column(tenant: Option<&Principal>) -> &str {
    tenant.map_or("", Principal::as_str)
}

/// The tenant of such a name; none is the operator.
pub(super) fn tenant_from_column(name: &str) -> Result<Option<Principal>, CodedError> {
    if name.is_empty() { Ok(None) } else { Principal::parse(name).map(Some) }
}
