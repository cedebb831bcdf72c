//! Which invocation of the engine drives a run: what is needed to wake it, and nothing else.

use probity_research::{
    error::CodedError,
    id::{RunId, Sequence},
};

use super::{AdmittedRun, Postgres};

/// The state of a run in the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvocationState {
    pub sequence: Sequence,
    pub due: bool,
    pub admitted: bool,
    /// None before the run was submitted.
    pub invocation: Option<String>,
}

impl Postgres {
    /// The engine has these runs now, each in the invocation beside it. A run that became due again since it
    /// was admitted is left out.
    pub async fn mark_submitted(&self, handed: &[(AdmittedRun, String)]) -> Result<(), CodedError> {
        let ids: Vec<Vec<u8>> = handed.iter().map(|(one, _)| one.id.to_bytes().to_vec()).collect();
        let sequences: Vec<i64> =
            handed.iter().map(|(one, _)| i64::try_from(one.sequence.0).unwrap_or(i64::MAX)).collect();
        let invocations: Vec<&str> = handed.iter().map(|(_, invocation)| invocation.as_str()).collect();
        let sql = "UPDATE research SET submitted_at = now(), invocation = given.invocation
                   FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS given (id, due_sequence, invocation)
                   WHERE research.id = given.id AND research.due_sequence = given.due_sequence AND admitted";
        self.execute(sql, &[&ids, &sequences, &invocations]).await.map(|_| ())
    }

    /// A later invocation has taken the run over.
    pub async fn store_invocation(&self, id: RunId, invocation: &str) -> Result<(), CodedError> {
        let sql = "UPDATE research SET invocation = $2 WHERE id = $1 AND invocation IS DISTINCT FROM $2";
        self.execute(sql, &[&id.to_bytes().as_slice(), &invocation]).await.map(|_| ())
    }

    pub async fn invocation_state(&self, id: RunId) -> Result<InvocationState, CodedError> {
        let sql = "SELECT sequence, due, admitted, invocation FROM research WHERE id = $1";
        let rows = self.read(sql, &[&id.to_bytes().as_slice()]).await?;
        let row = rows.first().ok_or_else(|| super::journal::not_found(id))?;
        let place = || {
            Ok(InvocationState {
                sequence: Sequence(u64::try_from(row.try_get::<_, i64>(0)?).unwrap_or(0)),
                due: row.try_get(1)?,
                admitted: row.try_get(2)?,
                invocation: row.try_get(3)?,
            })
        };
        place().map_err(|error: tokio_postgres::Error| self.problem(&error))
    }

    /// The run whose job at the provider has this id.
    pub async fn find_by_remote_id(&self, remote_id: &str) -> Result<Option<RunId>, CodedError> {
        let sql = r#"SELECT research.id FROM event JOIN research USING (number)
                     WHERE event.body LIKE '{"type":"remote-started"%' AND event.body::json ->> 'remote_id' = $1
                     ORDER BY event.at DESC LIMIT 1"#;
        let rows = self.read(sql, &[&remote_id]).await?;
        let id = rows.first().map(|row| row.try_get::<_, &[u8]>(0)).transpose();
        let id = id.map_err(|error| self.problem(&error))?;
        Ok(id.and_then(|bytes| bytes.try_into().ok()).map(RunId::from_bytes))
    }

    /// Runs of the whole fleet that are under way.
    pub async fn in_flight_count(&self) -> Result<usize, CodedError> {
        let rows = self.read("SELECT count(*) FROM research WHERE due AND admitted", &[]).await?;
        let count = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose();
        let count = count.map_err(|error| self.problem(&error))?.unwrap_or(0);
        Ok(usize::try_from(count).unwrap_or(0))
    }
}
