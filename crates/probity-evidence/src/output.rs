//! Exports of a checked text: annotated Markdown, SARIF for annotations in a pull request, JUnit for test
//! reports.

pub mod junit;
pub mod markdown;
pub mod sarif;

use probity_types::{
    ledger::{Claim, ClaimVerdict, Ledger, Verdict},
    report::{ClaimList, Report, claim_list::ListedClaim},
};

/// A checked text and the name under which it is shown.
#[derive(Debug, Clone, Copy)]
pub struct CheckedText<'a> {
    pub path: &'a str,
    pub report: &'a Report,
    pub ledger: &'a Ledger,
}

/// How much a verdict matters to a reader of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerdictSeverity {
    Fine,
    Note,
    Warning,
    Error,
}

pub fn severity(verdict: &Verdict) -> VerdictSeverity {
    match verdict {
        Verdict::Supported | Verdict::Quoted | Verdict::Follows => VerdictSeverity::Fine,
        Verdict::NotChecked { .. } | Verdict::CheckFailed { .. } => VerdictSeverity::Note,
        Verdict::Partly | Verdict::Qualified => VerdictSeverity::Warning,
        Verdict::Contradicted | Verdict::NotInSource | Verdict::DoesNotFollow => VerdictSeverity::Error,
    }
}

impl<'a> CheckedText<'a> {
    /// Claims that a source could say, with their verdicts.
    pub fn claims(&self) -> impl Iterator<Item = (&'a Claim, &'a ClaimVerdict)> + use<'a> {
        self.ledger.claims.iter().zip(&self.ledger.settled).filter(|(claim, _)| claim.is_checkable())
    }

    /// The same, grouped by what needs attention first, with lines, sections and sources.
    pub fn list(&self) -> ClaimList<'a> {
        ClaimList::of(self.report, self.ledger)
    }
}

/// `contradicted: the page says "rose" where the claim says "fell"`
fn verdict_sentence(settled: &ClaimVerdict) -> String {
    let reason = probity_types::text::line(settled.further_reason(), 400);
    match reason.is_empty() {
        true => settled.verdict.to_string(),
        false => format!("{}: {reason}", settled.verdict),
    }
}

/// The same of a claim in a list, with why its pages were not read.
pub fn listed_sentence(listed: &ListedClaim<'_>) -> String {
    let sentence = verdict_sentence(listed.settled);
    match listed.not_read.is_empty() {
        true => sentence,
        false => format!("{sentence} ({})", listed.not_read),
    }
}

#[cfg(test)]
mod tests;
