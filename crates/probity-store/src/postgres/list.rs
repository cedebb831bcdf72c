//! Status rows and lists of them, newest change first; each row is checked against its hash.

use probity_research::{
    error::{Code, CodedError},
    id::{RunId, Sequence},
    list::{LIST_MAX, ListFilter},
    principal::Principal,
    shelf::ShelfPart,
    status::{RunStatus, RunSummary},
};
use tokio_postgres::{Row, types::ToSql};

use super::{
    Postgres,
    journal::not_found,
    row::{PostgresRunRow, sized, stored, time},
    search,
};
use crate::{list, row::signed};

/// Status rows in one answer of the database: some megabytes.
const STATUSES_AT_ONCE: usize = 2_000;

impl Postgres {
    /// The status of a run: one row.
    pub async fn status(&self, id: RunId) -> Result<RunSummary, CodedError> {
        let sql = concat!("SELECT ", stored!(), " FROM research WHERE id = $1");
        let rows = self.read(sql, &[&id.to_bytes().as_slice()]).await?;
        let row = rows.first().ok_or_else(|| not_found(id))?;
        let stored = self.read_row(row)?;
        if stored.id != id {
            return Err(self.damaged(&format!("looking for {id} led to another row")));
        }
        self.summary(&stored)
    }

    /// The status of many runs, for subscribers; ids that are not there are left out.
    pub async fn statuses(&self, ids: &[RunId]) -> Result<Vec<(Sequence, RunSummary)>, CodedError> {
        let sql = concat!("SELECT ", stored!(), " FROM research WHERE id = ANY ($1)");
        let mut statuses = Vec::with_capacity(ids.len());
        for some in ids.chunks(STATUSES_AT_ONCE) {
            let bytes: Vec<[u8; 16]> = some.iter().map(|id| id.to_bytes()).collect();
            let wanted: Vec<&[u8]> = bytes.iter().map(<[u8; 16]>::as_slice).collect();
            for row in self.read(sql, &[&wanted]).await? {
                let stored = self.read_row(&row)?;
                statuses.push((stored.sequence, self.summary(&stored)?));
            }
        }
        Ok(statuses)
    }

    /// Newest change first; the same meaning as on a laptop.
    pub async fn list(&self, filter: &ListFilter) -> Result<Vec<RunSummary>, CodedError> {
        refuse_shelf(filter)?;
        let text = filter.text.as_deref().map(search::lowered);
        let tenant = filter.asked_by.as_ref().map(Principal::as_str);
        let status = filter.status.map(RunStatus::as_str);
        let (after, before) = (filter.asked_after.map(time), filter.asked_before.map(time));
        let limit = signed(filter.limit.min(LIST_MAX) as u64);
        let offset = signed(filter.offset as u64);
        let mut wanted: Vec<(&str, &(dyn ToSql + Sync))> = Vec::new();
        // Only the filters that are set are in the statement, so that the right index is chosen for it.
        if tenant.is_some() {
            wanted.push(("tenant = ", &tenant));
        }
        if status.is_some() {
            wanted.push(("status = ", &status));
        }
        if filter.engine.is_some() {
            wanted.push(("engine = ", &filter.engine));
        }
        if after.is_some() {
            wanted.push(("asked_at >= ", &after));
        }
        if before.is_some() {
            wanted.push(("asked_at < ", &before));
        }
        if text.is_some() {
            wanted.push(("number IN (SELECT number FROM words WHERE strpos(question, ", &text));
        }
        let mut sql = format!("SELECT {} FROM research WHERE true", stored!());
        let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&limit, &offset];
        for (condition, value) in wanted {
            parameters.push(value);
            let close = if condition.contains("strpos") { ") > 0)" } else { "" };
            sql.push_str(&format!(" AND {condition}${}{close}", parameters.len()));
        }
        // The minute first, which an index has; see `steps/01_research.sql`.
        sql.push_str(" ORDER BY listed_at DESC, updated_at DESC, number DESC LIMIT $1 OFFSET $2");
        self.summaries(&self.read(&sql, &parameters).await?)
    }

    /// How many runs have each status; those without any are left out.
    pub async fn counts(&self) -> Result<Vec<(RunStatus, u64)>, CodedError> {
        let rows = self.read("SELECT status, count(*) FROM research GROUP BY status", &[]).await?;
        let to_error = |error| self.problem(&error);
        let mut counted = Vec::new();
        for row in rows {
            let text: &str = row.try_get(0).map_err(to_error)?;
            let status =
                RunStatus::parse(text).ok_or_else(|| self.damaged(&format!("`{text}` is not a status")))?;
            counted.push((status, u64::try_from(row.try_get::<_, i64>(1).map_err(to_error)?).unwrap_or(0)));
        }
        counted.sort();
        Ok(counted)
    }

    /// Whether any run is due.
    pub async fn has_due(&self) -> Result<bool, CodedError> {
        Ok(!self.read("SELECT 1 FROM research WHERE due LIMIT 1", &[]).await?.is_empty())
    }

    /// The run that was started last.
    pub async fn latest(&self) -> Result<Option<RunSummary>, CodedError> {
        let sql = concat!("SELECT ", stored!(), " FROM research ORDER BY number DESC LIMIT 1");
        let rows = self.read(sql, &[]).await?;
        Ok(self.summaries(&rows)?.pop())
    }

    /// The one run whose id starts like this; at least four digits.
    pub async fn find_by_prefix(&self, text: &str) -> Result<RunId, CodedError> {
        let (from, to) = list::prefix_range(text)?;
        let sql = "SELECT id FROM research WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3";
        let most = signed(list::CANDIDATES_NAMED as u64);
        let rows = self.read(sql, &[&from.as_slice(), &to.as_slice(), &most]).await?;
        let ids: Result<Vec<_>, _> =
            rows.iter().map(|row| row.try_get(0).map(|id| RunId::from_bytes(sized(id)))).collect();
        list::single_match(&ids.map_err(|error| self.problem(&error))?, text)
    }

    pub(super) fn summaries(&self, rows: &[Row]) -> Result<Vec<RunSummary>, CodedError> {
        rows.iter().map(|row| self.summary(&self.read_row(row)?)).collect()
    }

    fn read_row(&self, row: &Row) -> Result<PostgresRunRow, CodedError> {
        PostgresRunRow::read(row).map_err(|what| self.damaged(&what))
    }

    fn summary(&self, stored: &PostgresRunRow) -> Result<RunSummary, CodedError> {
        stored.summary().map_err(|what| self.damaged(&what))
    }
}

/// Titles, tags, the trash and the words of reports are kept on one machine; nothing is removed here, so that all is what
/// is kept.
fn refuse_shelf(filter: &ListFilter) -> Result<(), CodedError> {
    if filter.words.is_some() || filter.tag.is_some() || filter.part == ShelfPart::Removed {
        let message = "a fleet has no tags, no trash and no search in reports";
        return Err(CodedError::new(Code::InvalidArguments, message));
    }
    Ok(())
}
