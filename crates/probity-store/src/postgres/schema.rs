//! The tables, in steps that are performed once each and in order. A step is never edited after a release; a
//! change is a new step in a file of its own.

use probity_research::error::{Code, CodedError};
use tokio_postgres::error::SqlState;

use super::{Postgres, partitions};

/// Advisory lock while steps are performed: one process at a time, others wait for it.
const LOCK: i64 = 0x5052_4254_0001;
/// A step waits no longer for a lock than this: statements behind it in the queue wait as well.
const STEP_LOCK_WAIT: &str = "2s";
/// Building an index over a large library takes its time, outside of any transaction.
const STEP_TIME_MAX: &str = "2h";

/// What older programs can do with a database that has a step they do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationEffect {
    /// Go on: it only adds what they need not know.
    Adds,
    /// Nothing: they refuse the database.
    Breaks,
}

/// How a step is performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationMethod {
    /// All of it or nothing.
    Transaction,
    /// Statement by statement, each safe to repeat: `CREATE INDEX CONCURRENTLY IF NOT EXISTS` on a large table.
    Concurrent,
}

#[derive(Debug, Clone, Copy)]
pub struct MigrationStep {
    /// Recorded in the database; never changed.
    pub name: &'static str,
    pub sql: &'static str,
    pub effect: MigrationEffect,
    pub method: MigrationMethod,
}

impl MigrationStep {
    const fn adds(name: &'static str, sql: &'static str) -> Self {
        Self { name, sql, effect: MigrationEffect::Adds, method: MigrationMethod::Transaction }
    }
}

pub const STEPS: &[MigrationStep] = &[
    MigrationStep::adds("research", include_str!("steps/01_research.sql")),
    MigrationStep::adds("tenants", include_str!("steps/02_tenants.sql")),
    MigrationStep::adds("limits", include_str!("steps/03_limits.sql")),
    MigrationStep::adds("invocations", include_str!("steps/04_invocations.sql")),
    MigrationStep::adds("remote ids", include_str!("steps/05_remote_ids.sql")),
];

/// What `migrate` did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationReport {
    /// Steps performed now, by name.
    pub performed: Vec<String>,
    /// Partitions made now.
    pub partitions: Vec<String>,
}

/// Refuses a database that lacks a step, or has one that this program cannot work with.
pub(super) async fn check(store: &Postgres) -> Result<(), CodedError> {
    let done = performed_steps(store).await?;
    if let Some(step) = STEPS.iter().find(|step| !is_done(&done, step)) {
        let message =
            format!("`{}` lacks the step `{}`; run `probity fleet migrate`", store.inner.place, step.name);
        return Err(CodedError::new(Code::Settings, &message));
    }
    let unknown = |name: &str| !STEPS.iter().any(|step| step.name == name);
    if let Some((name, _)) = done.iter().find(|(name, adds)| !adds && unknown(name)) {
        let message =
            format!("`{}` has the step `{name}`, which this Probity does not know", store.inner.place);
        return Err(CodedError::new(Code::StoreNewer, &message));
    }
    Ok(())
}

/// Names of the steps that were not performed yet.
pub(super) async fn missing_steps(store: &Postgres) -> Result<Vec<String>, CodedError> {
    let done = performed_steps(store).await?;
    let missing = STEPS.iter().filter(|step| !is_done(&done, step));
    Ok(missing.map(|step| step.name.to_owned()).collect())
}

fn is_done(done: &[(String, bool)], step: &MigrationStep) -> bool {
    done.iter().any(|(name, _)| name == step.name)
}

/// Names of the steps that were performed, and whether each only adds.
async fn performed_steps(store: &Postgres) -> Result<Vec<(String, bool)>, CodedError> {
    let client = store.client().await?;
    match client.query("SELECT name, adds FROM schema_step", &[]).await {
        Ok(rows) => rows
            .iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
            .collect::<Result<_, _>>()
            .map_err(|error: tokio_postgres::Error| store.problem(&error)),
        Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Ok(Vec::new()),
        Err(error) => Err(store.problem(&error)),
    }
}

pub(super) async fn migrate(
    store: &Postgres,
    steps: &[MigrationStep],
) -> Result<MigrationReport, CodedError> {
    let client = store.client().await?;
    let to_error = |error: tokio_postgres::Error| store.problem(&error);
    let prepare = format!(
        "SET statement_timeout = '{STEP_TIME_MAX}'; SET lock_timeout = '{STEP_TIME_MAX}'; \
         SELECT pg_advisory_lock({LOCK}); SET lock_timeout = '{STEP_LOCK_WAIT}'; \
         CREATE TABLE IF NOT EXISTS schema_step (
             name TEXT PRIMARY KEY, adds BOOLEAN NOT NULL, performed_at TIMESTAMPTZ NOT NULL DEFAULT now())"
    );
    let performed = async {
        client.batch_execute(&prepare).await.map_err(to_error)?;
        let mut performed = Vec::new();
        for step in steps {
            if perform(&client, step).await.map_err(to_error)? {
                performed.push(step.name.to_owned());
            }
        }
        Ok::<_, CodedError>(performed)
    }
    .await;
    // Its settings are those of a migration and the lock is its own: it does not go back to the pool.
    drop(deadpool_postgres::Object::take(client));
    let performed = performed?;
    let partitions = partitions::make_partitions_ahead(store).await?;
    Ok(MigrationReport { performed, partitions })
}

async fn perform(
    client: &tokio_postgres::Client,
    step: &MigrationStep,
) -> Result<bool, tokio_postgres::Error> {
    let is_done = client.query_opt("SELECT 1 FROM schema_step WHERE name = $1", &[&step.name]).await?;
    if is_done.is_some() {
        return Ok(false);
    }
    let adds = step.effect == MigrationEffect::Adds;
    let record = format!("INSERT INTO schema_step (name, adds) VALUES ('{}', {adds})", step.name);
    match step.method {
        MigrationMethod::Transaction => {
            // One message: if any statement fails, none of them happened.
            client.batch_execute(&format!("BEGIN; {};\n{record}; COMMIT", step.sql)).await.map(|()| true)
        }
        MigrationMethod::Concurrent => {
            for statement in step.sql.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
                client.batch_execute(statement).await?;
            }
            client.batch_execute(&record).await?;
            Ok(true)
        }
    }
}
