//! Tables partitioned by month: the coming months are made ahead, and old rows are deleted.
//!
//! A missing month does no harm: its rows go to the default partition.

use probity_research::error::CodedError;
use tokio_postgres::error::SqlState;

use super::Postgres;

/// Advisory lock while a partition is made: two processes that make the same one would only see an obscure
/// error.
const LOCK: i64 = 0x5052_4254_0002;
/// Tables partitioned by month.
const CUT_BY_MONTH: &[&str] = &["event", "audit"];
/// Months made ahead, this one included: that long no upkeep is needed.
const MONTHS_AHEAD: i32 = 3;
/// Judgements older than this are bought again: models and pages have changed.
const JUDGEMENT_DAYS_MAX: i32 = 180;
/// An owner that has been silent for this long will not come back under its name.
const OWNER_DAYS_MAX: i32 = 1;

/// What `upkeep` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpkeepReport {
    pub partitions: Vec<String>,
    pub judgements_forgotten: u64,
    pub owners_forgotten: u64,
}

impl Postgres {
    /// To be called about once a day by any process; safe to call often and by many.
    pub async fn upkeep(&self) -> Result<UpkeepReport, CodedError> {
        let partitions = make_partitions_ahead(self).await?;
        let client = self.client().await?;
        let to_error = |error| self.problem(&error);
        let judgements_forgotten = client
            .execute(
                "DELETE FROM judgement WHERE kept_at < now() - make_interval(days => $1)",
                &[&JUDGEMENT_DAYS_MAX],
            )
            .await
            .map_err(to_error)?;
        let owners_forgotten = client
            .execute(
                // An owner that still has a lease or a lock must stay known as dead.
                "DELETE FROM owner WHERE beat_at < now() - make_interval(days => $1)
                 AND NOT EXISTS (SELECT FROM research WHERE due AND research.owner = owner.owner)",
                &[&OWNER_DAYS_MAX],
            )
            .await
            .map_err(to_error)?;
        Ok(UpkeepReport { partitions, judgements_forgotten, owners_forgotten })
    }
}

/// Makes the partitions of this month and of the next ones; names of those that were made.
pub(super) async fn make_partitions_ahead(store: &Postgres) -> Result<Vec<String>, CodedError> {
    let client = store.client().await?;
    let to_error = |error| store.problem(&error);
    let missing = client
        .query(
            "SELECT parent, format('%s_%s', parent, to_char(month, 'YYYY_MM')),
                    to_char(month, 'YYYY-MM-DD'), to_char(month + interval '1 month', 'YYYY-MM-DD')
             FROM unnest($1::text[]) AS parent,
                  generate_series(date_trunc('month', now() AT TIME ZONE 'UTC'),
                                  date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => $2 - 1),
                                  interval '1 month') AS month
             WHERE to_regclass(format('%s_%s', parent, to_char(month, 'YYYY_MM'))) IS NULL",
            &[&CUT_BY_MONTH, &MONTHS_AHEAD],
        )
        .await
        .map_err(to_error)?;
    let mut made = Vec::new();
    for row in missing {
        let text = |column: usize| row.try_get::<_, String>(column).map_err(to_error);
        let (parent, name, from, to) = (text(0)?, text(1)?, text(2)?, text(3)?);
        // Attaching does not block readers and writers; creating it in place would.
        let sql = format!(
            "BEGIN; SELECT pg_advisory_xact_lock({LOCK});
             CREATE TABLE {name} (LIKE {parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
             ALTER TABLE {parent} ATTACH PARTITION {name}
                 FOR VALUES FROM ('{from} 00:00:00+00') TO ('{to} 00:00:00+00');
             COMMIT"
        );
        match client.batch_execute(&sql).await {
            Ok(()) => made.push(name),
            Err(error) => {
                client.batch_execute("ROLLBACK").await.map_err(to_error)?;
                match error.code() {
                    // Another process was faster, or rows of this month are in the default partition already:
                    // they stay.
                    Some(&SqlState::DUPLICATE_TABLE | &SqlState::CHECK_VIOLATION) => {}
                    // Another session has the table locked for long: the next upkeep tries again.
                    Some(&SqlState::LOCK_NOT_AVAILABLE) => {}
                    _ => return Err(to_error(error)),
                }
            }
        }
    }
    Ok(made)
}
