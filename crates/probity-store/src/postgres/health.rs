//! What `probity fleet status` and the readiness check show of the database.

use probity_research::error::CodedError;

use super::{Postgres, schema};

#[derive(Debug, Clone, PartialEq)]
pub struct PostgresHealth {
    /// Host and database, without user and password.
    pub place: String,
    pub connections_max: usize,
    pub connections_open: usize,
    pub connections_idle: usize,
    /// Requests that wait for a connection.
    pub waiting: usize,
    pub answer: Result<DatabaseInfo, CodedError>,
}

/// What the server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseInfo {
    pub version: String,
    pub database_bytes: u64,
    /// A standby answers questions but takes no writes.
    pub is_standby: bool,
    /// Rows for which no month was made in time; nothing is wrong with them.
    pub outside_months: bool,
    /// Owners with a heartbeat within the lease time.
    pub owners_alive: u64,
    pub steps_missing: Vec<String>,
}

const ASK: &str = "
SELECT current_setting('server_version'), pg_database_size(current_database()), pg_is_in_recovery(),
       EXISTS (SELECT FROM event_default),
       (SELECT count(*) FROM owner WHERE beat_at > clock_timestamp() - make_interval(secs => $1))";

impl Postgres {
    /// Whether the database answers at all.
    pub async fn ping(&self) -> Result<(), CodedError> {
        self.read("SELECT 1", &[]).await.map(drop)
    }

    pub async fn health(&self) -> PostgresHealth {
        let pool = self.inner.pool.status();
        PostgresHealth {
            place: self.inner.place.clone(),
            connections_max: pool.max_size,
            connections_open: pool.size,
            connections_idle: pool.available,
            waiting: pool.waiting,
            answer: self.database_info().await,
        }
    }

    async fn database_info(&self) -> Result<DatabaseInfo, CodedError> {
        let steps_missing = schema::missing_steps(self).await?;
        let rows = self.read(ASK, &[&self.inner.lease.as_secs_f64()]).await?;
        let row = rows.first().ok_or_else(|| self.damaged("no answer to a question that always has one"))?;
        let number = |column| row.try_get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or(0));
        let answer = || {
            Ok(DatabaseInfo {
                version: row.try_get(0)?,
                database_bytes: number(1)?,
                is_standby: row.try_get(2)?,
                outside_months: row.try_get(3)?,
                owners_alive: number(4)?,
                steps_missing,
            })
        };
        answer().map_err(|error: tokio_postgres::Error| self.problem(&error))
    }
}
