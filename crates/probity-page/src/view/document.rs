//! A report for the reader: its fragments, lighter where the whole would be too large, and single claims.

use minijinja::{Value, context};
use probity_report::{
    ReportDocument,
    document::{DisplayVerdict, EvidencePassage, PassageRole, ReportClaim},
    html::{self, HtmlFragments},
};
use probity_research::{ledger::AttentionGroup, text};

use super::{link, short};

/// The most bytes that the fragments of one page may have. The frame around them and a margin make 300 KB.
const READER_BYTES_MAX: usize = 260 * 1024;
/// Longest passage on a card once a report is long; the claim's own page has all of it.
const PASSAGE_CHARACTERS_MAX: usize = 160;
/// Sources named in the row of a claim.
const CITED_MAX: usize = 3;

/// Where the cards of a very long report are inserted once they are loaded.
const ON_DEMAND: &str = "<aside class=\"evidence\" id=\"evidence\" aria-label=\"Evidence\">\n<h2>Evidence</h2>\n\
    <p class=\"hint\">Choose a sentence to see the passage that it rests on.</p>\n</aside>";

/// How much of the evidence is on the page itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvidenceDetail {
    Whole,
    /// One short passage for each claim.
    Short,
    /// Verdicts only; evidence is on the claims' own pages.
    Bare,
}

/// The fullest form that fits on a page.
pub(crate) fn reader(document: &ReportDocument) -> (HtmlFragments, EvidenceDetail) {
    let whole = html::fragments(document);
    if weight(&whole) <= READER_BYTES_MAX {
        return (whole, EvidenceDetail::Whole);
    }
    let shorter = html::fragments(&lightened(document, EvidenceDetail::Short));
    if weight(&shorter) <= READER_BYTES_MAX {
        return (shorter, EvidenceDetail::Short);
    }
    let mut bare = html::fragments(&lightened(document, EvidenceDetail::Bare));
    if weight(&bare) > READER_BYTES_MAX {
        bare.evidence = ON_DEMAND.to_owned();
    }
    if weight(&bare) > READER_BYTES_MAX {
        bare.charts.clear();
    }
    (bare, EvidenceDetail::Bare)
}

/// The card of one claim, whole, as the reader shows it.
pub(crate) fn card(document: &ReportDocument, claim: &ReportClaim) -> String {
    let mut part =
        ReportDocument { blocks: Vec::new(), outline: Vec::new(), claims: Vec::new(), ..document.clone() };
    part.conflicts.clear();
    part.claims.push(claim.clone());
    html::fragments(&part).evidence
}

fn weight(reader: &HtmlFragments) -> usize {
    reader.outline.len() + reader.prose.len() + reader.evidence.len() + reader.charts.len()
}

fn lightened(document: &ReportDocument, fullness: EvidenceDetail) -> ReportDocument {
    let mut light = document.clone();
    for claim in &mut light.claims {
        claim.checks.clear();
        claim.evidence.truncate(if fullness == EvidenceDetail::Short { 1 } else { 0 });
        for evidence in &mut claim.evidence {
            evidence.before.clear();
            evidence.after.clear();
            evidence.passage = text::short(&evidence.passage, PASSAGE_CHARACTERS_MAX);
        }
    }
    light
}

pub(crate) fn verdict(verdict: DisplayVerdict) -> Value {
    context! {
        name => verdict.name(),
        label => verdict.label(),
        symbol => verdict.symbol(),
        meaning => verdict.meaning(),
    }
}

pub(crate) fn counts(document: &ReportDocument) -> Vec<Value> {
    let to_count = |count: &probity_report::document::VerdictCount| {
        context! { verdict => verdict(count.verdict), claims => count.claims }
    };
    document.counts.iter().map(to_count).collect()
}

/// `All 25 claims`
pub(crate) fn all_claims(count: usize) -> String {
    match count {
        0 => "No claims".to_owned(),
        1 => "1 claim".to_owned(),
        _ => format!("All {count} claims"),
    }
}

/// `Not verified: 23 of 25 factual sentences are supported, …`
pub(crate) fn outcome(document: &ReportDocument) -> String {
    let word = if document.verified.verified { "Verified" } else { "Not verified" };
    format!("{word}: {}.", document.verified.reason)
}

/// The sources that claims cite, each with how they stand.
pub(crate) fn source_lines(document: &ReportDocument) -> Vec<Value> {
    let cited = document.sources.iter().filter(|source| !source.standing.is_empty());
    cited
        .map(|source| {
            context! {
                number => source.number,
                title => short(&source.title),
                host => short(&source.host),
                standing => source.standing.clone(),
            }
        })
        .collect()
}

/// A claim as a row of the list.
pub(crate) fn claim_line(document: &ReportDocument, claim: &ReportClaim) -> Value {
    let group = AttentionGroup::ALL.into_iter().find(|group| claim.group.as_deref() == Some(group.name()));
    let sources: Vec<Value> = claim
        .cites
        .iter()
        .filter_map(|number| document.source(*number))
        .take(CITED_MAX)
        .map(|source| context! { number => source.number, host => short(&source.host) })
        .collect();
    context! {
        id => claim.id.clone(),
        words => short(&claim.words),
        verdict => verdict(claim.verdict),
        group => group.map_or("Nothing to look at", AttentionGroup::heading),
        line => claim.line,
        section => claim.section.as_deref().map(short),
        load_bearing => claim.load_bearing,
        inference => claim.inference_mark(),
        more_sources => claim.cites.len().saturating_sub(CITED_MAX),
        sources,
    }
}

/// A claim with everything that its verdict rests on.
pub(crate) fn claim(document: &ReportDocument, claim: &ReportClaim) -> Value {
    let evidence: Vec<Value> = claim.evidence.iter().map(|found| passage(document, found)).collect();
    let checks: Vec<Value> = claim
        .checks
        .iter()
        .map(|check| {
            context! {
                aspect => short(&check.aspect),
                opinion => short(&check.opinion),
                by => short(&check.by),
                confidence => check.confidence,
                reason => short(&check.reason),
                source => check.source,
            }
        })
        .collect();
    context! {
        id => claim.id.clone(),
        words => claim.words.clone(),
        verdict => verdict(claim.verdict),
        told => claim.told.clone(),
        reason => claim.reason.clone(),
        judged_by => claim.judged_by.as_deref().map(short),
        judged_on => claim.judged_on.as_deref().map(short),
        confidence => claim.confidence,
        origins => claim.origins,
        load_bearing => claim.load_bearing,
        evidence,
        checks,
        derived => claim.derived.as_ref().map(|derived| context! {
            formula => short(&derived.formula),
            stated => short(&derived.stated),
            computed => derived.computed.as_deref().map(short),
            holds => derived.holds,
        }),
    }
}

fn passage(document: &ReportDocument, found: &EvidencePassage) -> Value {
    let source = document.source(found.source);
    context! {
        before => found.before.clone(),
        passage => found.passage.clone(),
        after => found.after.clone(),
        part => match found.part {
            PassageRole::Decided => "The verdict rests on this passage.",
            PassageRole::Checked => "Another check looked at this passage.",
            PassageRole::Shown => "This passage was laid before the judge.",
        },
        source => source.map(|source| context! {
            number => source.number,
            title => short(&source.title),
            host => short(&source.host),
            href => link(&source.url),
            published => source.published.as_deref().map(short),
            fetched => source.fetched_at.as_deref().map(short),
            archive => source.archive.as_deref().and_then(link),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::all_claims;

    #[test]
    fn one_claim_is_not_all_claims() {
        assert_eq!([0, 1, 2].map(all_claims), ["No claims", "1 claim", "All 2 claims"]);
    }
}
