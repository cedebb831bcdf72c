//! A run with its report, as answers contain it: one page of the text, its sources and what it cost.

use probity_research::{
    report::{Report, VERIFICATION_BASIS},
    status::{RunStatus, RunSummary},
    text,
    time::Moment,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    markdown::SourceListVisibility,
    outline::{self, OutlineHeading, TextPage},
    wire::{SourceBody, TokensUsed, cents, cost_basis, elapsed_minutes, usd},
};

/// Characters of a report in one answer. Below 25,000 tokens and below the 40,000 characters at which
/// clients start to cut.
pub const REPORT_CHARACTERS: usize = 30_000;
/// Sources listed in one answer; the rest is in the resource.
pub const SOURCES_MAX: usize = 100;
/// A run that ended this soon was answered in the call that started it.
const SYNC_MS_MAX: u64 = 25_000;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Metadata")]
pub struct ResultsMetadata {
    pub duration_minutes: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_used: Option<TokensUsed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    pub mode: &'static str,
    pub model: String,
    pub verified: bool,
    pub verification_basis: String,
    /// Claims by verdict; each is in research://{id}/evidence
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<String>,
}

/// Whether a report is verified, and on what basis.
pub fn verification(report: &Report) -> (bool, &str) {
    let checked = report.ledger.as_ref().and_then(|ledger| ledger.verification.as_ref());
    if let (None, Some(checked)) = (&report.rounds, checked) {
        return (checked.verified, checked.rule_in_words.as_str());
    }
    report
        .rounds
        .as_ref()
        .map_or((false, VERIFICATION_BASIS), |record| (record.verified, record.verification_basis.as_str()))
}

impl ResultsMetadata {
    pub fn of(summary: &RunSummary, report: &Report, now: Moment) -> Self {
        let (verified, verification_basis) = verification(report);
        let model = report.rounds.as_ref().map_or(&summary.agent, |record| &record.model);
        let took = summary.ended_at.unwrap_or(now).since_ms(summary.asked_at);
        Self {
            duration_minutes: elapsed_minutes(summary, now),
            tokens_used: summary.usage.as_ref().map(TokensUsed::of),
            cost_usd: usd(summary.cost),
            cost_basis: cost_basis(summary.cost),
            estimated_cost_usd: summary.estimate.map(|expected| cents(expected.cost_likely.as_usd())),
            mode: if took <= SYNC_MS_MAX { "sync" } else { "async" },
            model: model.clone(),
            verified,
            verification_basis: verification_basis.to_owned(),
            claims: report.ledger.as_ref().map(|ledger| ledger.tally().line()),
        }
    }
}

/// One page of a report with its sources.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Results")]
pub struct RunResults {
    pub report: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceBody>,
    pub metadata: ResultsMetadata,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<OutlineHeading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl RunResults {
    /// One page of `whole`, the report's cleaned text; the outline comes with it when there are more pages.
    pub fn of(
        summary: &RunSummary,
        report: &Report,
        (whole, page): (&str, TextPage),
        sources: SourceListVisibility,
        now: Moment,
    ) -> Self {
        let listed = match sources {
            SourceListVisibility::Listed => {
                report.sources.iter().take(SOURCES_MAX).map(SourceBody::of).collect()
            }
            SourceListVisibility::Omitted => Vec::new(),
        };
        Self {
            outline: if page.is_whole() { Vec::new() } else { outline::list_headings(whole) },
            next_cursor: page.next.map(outline::cursor),
            report: page.text,
            sources: listed,
            metadata: ResultsMetadata::of(summary, report, now),
        }
    }

    /// The same as text.
    pub fn text(&self, summary: &RunSummary) -> String {
        let verified = if self.metadata.verified { "verified" } else { "not verified" };
        let mut lines = format!(
            "# {}\n{} · {} · {} min · {} · {verified} ({})\n\n{}",
            text::line(&summary.query, 200),
            summary.id,
            summary.status.as_str(),
            self.metadata.duration_minutes,
            summary.cost,
            self.metadata.verification_basis,
            self.report
        );
        if let Some(claims) = &self.metadata.claims {
            lines.push_str(&format!("\n\n{claims} (each in research://{}/evidence)", summary.id));
        }
        if !self.sources.is_empty() {
            lines.push_str("\n\n## Sources");
            for (number, source) in self.sources.iter().enumerate() {
                lines.push_str(&format!("\n{}. {} <{}>", number + 1, source.title, source.url));
            }
            if summary.sources as usize > self.sources.len() {
                lines.push_str(&format!("\n(all {} in research://{}/sources)", summary.sources, summary.id));
            }
        }
        if let Some(next) = &self.next_cursor {
            lines.push_str(&format!("\n\n[more: call again with cursor='{next}'; sections:"));
            for heading in &self.outline {
                lines.push_str(&format!("\n{} (cursor='{}')", heading.title, heading.cursor));
            }
            lines.push(']');
        }
        lines
    }
}

/// The report's text without invisible control characters: models read it.
pub fn clean(report: &Report) -> String {
    text::block(&report.text)
}

/// Whether there is a report although the run did not complete.
pub fn is_partial(summary: &RunSummary) -> bool {
    summary.report.is_some() && summary.status != RunStatus::Completed
}
