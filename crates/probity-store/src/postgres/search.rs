//! Full-text search over questions and reports.
//!
//! Words are lowered here, not by the database: what is a letter must not depend on its locale. They are not
//! stemmed: questions come in any language. The tenant is a word of its own, so that a search of one tenant
//! does not read the others' matches.

use probity_research::{
    error::CodedError,
    id::RunId,
    list::LIST_MAX,
    principal::{Principal, RunAccess},
    status::RunSummary,
    text,
};

use super::{Postgres, row::stored};
use crate::row::signed;

/// Characters of a report that are indexed: all of any real one, and below what a `tsvector` can store.
const REPORT_CHARACTERS_MAX: usize = 120_000;
const TITLE_CHARACTERS_MAX: usize = 1_000;
/// Characters of a search: a long question fits.
const SEARCH_CHARACTERS_MAX: usize = 500;

const INDEX: &str = "
UPDATE words SET words = array_to_tsvector(ARRAY['@' || coalesce(research.tenant, '')])
    || setweight(to_tsvector('simple', question), 'A')
    || setweight(to_tsvector('simple', $2), 'B') || setweight(to_tsvector('simple', $3), 'C')
FROM research WHERE research.id = $1 AND words.number = research.number";

const SEARCH: &str = concat!(
    "
WITH wanted AS (SELECT websearch_to_tsquery('simple', $1) AS asked), found AS (
    SELECT number, ts_rank_cd(words, asked) AS rank FROM words, wanted
    WHERE numnode(asked) > 0 AND words @@ (CASE WHEN $2::text IS NULL THEN asked
                                           ELSE ('''@' || $2 || '''')::tsquery && asked END)
    ORDER BY rank DESC, number DESC LIMIT $3
)
SELECT ",
    stored!(),
    " FROM found JOIN research USING (number) WHERE $2::text IS NULL OR tenant = $2
ORDER BY rank DESC, number DESC"
);

impl Postgres {
    /// Makes the words of a report findable; to be called when a run has ended, and safe to repeat.
    pub async fn index_report(&self, id: RunId, title: &str, report: &str) -> Result<(), CodedError> {
        let title = lowered(&text::short(title, TITLE_CHARACTERS_MAX));
        let report: String = report.chars().take(REPORT_CHARACTERS_MAX).collect();
        self.execute(INDEX, &[&id.to_bytes().as_slice(), &title, &lowered(&report)]).await?;
        Ok(())
    }

    /// Runs that the caller may access whose question or report has these words, the best matches first.
    /// Words may be `"quoted together"`, left out with `-word`, and separated by `or`.
    pub async fn search(
        &self,
        reach: &RunAccess,
        words: &str,
        limit: usize,
    ) -> Result<Vec<RunSummary>, CodedError> {
        if *reach == RunAccess::Nothing {
            return Ok(Vec::new());
        }
        let words: String = words.chars().take(SEARCH_CHARACTERS_MAX).collect();
        let tenant = reach.principal().map(Principal::as_str);
        let limit = signed(limit.min(LIST_MAX) as u64);
        self.summaries(&self.read(SEARCH, &[&lowered(&words), &tenant, &limit]).await?)
    }
}

/// In lower case, without characters that PostgreSQL's texts cannot store.
pub(super) fn lowered(text: &str) -> String {
    text.replace('\0', " ").to_lowercase()
}
