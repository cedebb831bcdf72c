//! Who did what, when, to which run, and what came of it. Never what was asked or answered.
//!
//! Written before the answer goes out; reading it changes nothing.

use probity_research::{error::CodedError, id::RunId, principal::Principal, text, time::Moment};
use tokio_postgres::{Row, types::ToSql};

use super::{
    Postgres,
    keys::milliseconds,
    row::sized,
    tenants::{tenant_column, tenant_from_column},
};

/// Lines in one answer; more are asked for with `before`.
const AUDITED_MAX: usize = 1_000;
/// Longest field of a line: these are names, never contents.
const WORD_CHARACTERS_MAX: usize = 200;

/// One line to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditLine {
    /// None is the operator.
    pub tenant: Option<Principal>,
    /// A key's id or a token's subject.
    pub actor: String,
    /// Such as `research.start`.
    pub action: String,
    pub research: Option<RunId>,
    /// `done`, or the code of the refusal.
    pub outcome: String,
}

/// One line as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLine {
    pub number: u64,
    pub at: Moment,
    pub audit: NewAuditLine,
}

/// Which lines to read, newest first.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Of one tenant; none is all.
    pub tenant: Option<Principal>,
    pub after: Option<Moment>,
    pub before: Option<Moment>,
    pub action: Option<String>,
    pub research: Option<RunId>,
    pub limit: usize,
}

/// Lines as columns: one statement writes them all.
pub(super) const INSERT: &str = "INSERT INTO audit (tenant, actor, action, research, outcome)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[])";

/// The values of `INSERT`.
pub(super) struct AuditColumns {
    tenants: Vec<String>,
    actors: Vec<String>,
    actions: Vec<String>,
    researches: Vec<Option<Vec<u8>>>,
    outcomes: Vec<String>,
}

impl AuditColumns {
    pub fn of(lines: &[NewAuditLine]) -> Self {
        let word = |of: fn(&NewAuditLine) -> &str| {
            lines.iter().map(|line| text::line(of(line), WORD_CHARACTERS_MAX)).collect()
        };
        Self {
            tenants: word(|line| tenant_column(line.tenant.as_ref())),
            actors: word(|line| &line.actor),
            actions: word(|line| &line.action),
            researches: lines.iter().map(|line| line.research.map(|id| id.to_bytes().to_vec())).collect(),
            outcomes: word(|line| &line.outcome),
        }
    }

    pub fn values(&self) -> [&(dyn ToSql + Sync); 5] {
        [&self.tenants, &self.actors, &self.actions, &self.researches, &self.outcomes]
    }
}

impl Postgres {
    pub async fn audit(&self, line: NewAuditLine) -> Result<(), CodedError> {
        self.audit_all(&[line]).await
    }

    /// Several lines at once, for a caller that batches the lines of reads.
    pub async fn audit_all(&self, lines: &[NewAuditLine]) -> Result<(), CodedError> {
        self.execute(INSERT, &AuditColumns::of(lines).values()).await.map(|_| ())
    }

    pub async fn audit_lines(&self, filter: &AuditFilter) -> Result<Vec<AuditLine>, CodedError> {
        let sql = format!(
            "SELECT number, {}, tenant, actor, action, research, outcome FROM audit
             WHERE ($1::text IS NULL OR tenant = $1)
               AND ($2::float8 IS NULL OR at >= to_timestamp($2))
               AND ($3::float8 IS NULL OR at < to_timestamp($3))
               AND ($4::text IS NULL OR action = $4)
               AND ($5::bytea IS NULL OR research = $5)
             ORDER BY at DESC, number DESC LIMIT $6",
            milliseconds("at")
        );
        let tenant = filter.tenant.as_ref().map(Principal::as_str);
        let seconds = |moment: Option<Moment>| moment.map(|moment| moment.0 as f64 / 1000.0);
        let research = filter.research.map(|id| id.to_bytes().to_vec());
        let limit = i64::try_from(filter.limit.clamp(1, AUDITED_MAX)).unwrap_or(1);
        let (after, before) = (seconds(filter.after), seconds(filter.before));
        let rows = self.read(&sql, &[&tenant, &after, &before, &filter.action, &research, &limit]).await?;
        rows.iter().map(|row| self.read_line(row)).collect()
    }

    fn read_line(&self, row: &Row) -> Result<AuditLine, CodedError> {
        let to_error = |error| self.problem(&error);
        let number: i64 = row.try_get(0).map_err(to_error)?;
        let research: Option<&[u8]> = row.try_get(5).map_err(to_error)?;
        Ok(AuditLine {
            number: u64::try_from(number).unwrap_or(0),
            at: Moment(row.try_get(1).map_err(to_error)?),
            audit: NewAuditLine {
                tenant: tenant_from_column(row.try_get(2).map_err(to_error)?)?,
                actor: row.try_get(3).map_err(to_error)?,
                action: row.try_get(4).map_err(to_error)?,
                research: research.map(|bytes| RunId::from_bytes(sized(bytes))),
                outcome: row.try_get(6).map_err(to_error)?,
            },
        })
    }
}
