//! A checked text for others to read: annotated Markdown, SARIF for annotations in a pull request, JUnit for test
//! reports.

pub mod junit;
pub mod markdown;
pub mod sarif;

use probity_research::{
    ledger::{Claim, Ledger, Settled, Verdict},
    report::Report,
};

/// A checked text and the name under which it is shown.
#[derive(Debug, Clone, Copy)]
pub struct Labelled<'a> {
    pub path: &'a str,
    pub report: &'a Report,
    pub ledger: &'a Ledger,
}

/// How much a verdict matters to whoever reads the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    Fine,
    Note,
    Warning,
    Error,
}

pub fn weight(verdict: &Verdict) -> Weight {
    match verdict {
        Verdict::Supported | Verdict::Quoted => Weight::Fine,
        Verdict::NotChecked { .. } | Verdict::CheckFailed { .. } => Weight::Note,
        Verdict::Partly | Verdict::Qualified => Weight::Warning,
        Verdict::Contradicted | Verdict::NotInSource => Weight::Error,
    }
}

impl<'a> Labelled<'a> {
    /// Claims that a source could say, with their verdicts.
    pub fn claims(&self) -> impl Iterator<Item = (&'a Claim, &'a Settled)> + use<'a> {
        self.ledger.claims.iter().zip(&self.ledger.settled).filter(|(claim, _)| claim.is_checkable())
    }

    /// Line and column of a byte of the text, both from 1; columns count characters.
    pub fn place(&self, byte: usize) -> (usize, usize) {
        let text = &self.report.text;
        let before = text.get(..text.floor_char_boundary(byte.min(text.len()))).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        (line, column)
    }
}

/// `contradicted: the page says "rose" where the claim says "fell"`
pub fn sentence(settled: &Settled) -> String {
    let reason = probity_research::text::line(&settled.reason, 400);
    match reason.is_empty() {
        true => settled.verdict.to_string(),
        false => format!("{}: {reason}", settled.verdict),
    }
}

#[cfg(test)]
mod tests;
