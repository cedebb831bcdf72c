//! Builds the document: gathers what summary, report and ledger contain, cleaned and bounded.

mod claims;
mod ledger_labels;
mod metadata;
mod passages;
mod prose;
mod sources;

use probity_types::text;

use crate::{
    DocumentInput,
    document::{ReportDocument, SCHEMA_VERSION},
};

use self::{claims::ClaimTable, prose::ReportProse, sources::SourceTable};

/// A question may have 10,000 characters; a title is one line.
pub(crate) const TITLE_CHARACTERS_MAX: usize = 300;
const QUESTION_CHARACTERS_MAX: usize = 10_000;
/// Longest sentence of ours or of a provider about something.
const REMARK_CHARACTERS_MAX: usize = 600;
/// Lists for people: a run has some tens of each.
const REMARKS_MAX: usize = 200;

/// Builds the document of a run.
pub fn build_document(materials: &DocumentInput<'_>) -> ReportDocument {
    let DocumentInput { summary, report, .. } = *materials;
    let sources = SourceTable::of(report);
    let claims = ClaimTable::of(materials, &sources);
    let mut prose = ReportProse::of(report, &sources);
    prose.cite(&claims.claims);
    let mut remarks = metadata::remarks(report);
    remarks.extend(sources.left_out());
    remarks.extend(prose.left_out());
    let question = text::block(&summary.query).chars().take(QUESTION_CHARACTERS_MAX).collect::<String>();
    ReportDocument {
        schema_version: SCHEMA_VERSION,
        id: summary.id.to_string(),
        title: prose.title().unwrap_or_else(|| text::line(&question, TITLE_CHARACTERS_MAX)),
        question,
        language: sources.language(),
        answer: metadata::answer(summary, report),
        verified: metadata::verified(report),
        counts: claims.counts(),
        outline: prose.outline,
        list_of_sources_at: prose.list_of_sources_at,
        blocks: prose.blocks,
        conflicts: claims.conflicts,
        not_checked: claims.not_checked,
        altered: sources.altered(report),
        sources: sources.with_citations(report, &claims.claims),
        claims: claims.claims,
        not_examined: report
            .ledger
            .iter()
            .flat_map(|ledger| ledger.not_examined())
            .map(remark)
            .take(REMARKS_MAX)
            .collect(),
        remarks,
        mended: report
            .ledger
            .iter()
            .flat_map(|ledger| &ledger.mended)
            .map(remark)
            .take(REMARKS_MAX)
            .collect(),
        queries: metadata::queries(report),
        costs: metadata::costs(materials.costs),
        written_at: materials.written_at.to_string(),
        program: text::line(&format!("Probity {}", materials.version), 60),
    }
}

fn remark(words: impl AsRef<str>) -> String {
    text::line(words.as_ref(), REMARK_CHARACTERS_MAX)
}

#[cfg(test)]
mod tests;
