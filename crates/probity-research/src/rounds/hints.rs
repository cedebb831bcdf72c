//! What a next round is told about the text that it is to verify: what failed and why, which pages could not be read.

use std::collections::BTreeMap;

use crate::{
    ledger::{ClaimId, Ledger, NotCheckedReason, SourceState, Verdict},
    text,
};

/// Claims or pages of one kind: more than a round can look up.
const HINTS_MAX: usize = 25;
const HINT_CHARACTERS_MAX: usize = 400;
/// Of a claim that only shows what rests on a page.
const CLAIM_CHARACTERS_MAX: usize = 120;
/// Claims named with one page.
const CLAIMS_PER_PAGE_MAX: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoundHints {
    /// Claims that the pages do not bear out, each with what was found.
    pub failing: Vec<String>,
    /// Cited pages that could not be read, each with why and with what rests on it.
    pub unreadable: Vec<String>,
    /// Claims that are supported, by one origin only.
    pub single_origin: Vec<String>,
    /// Addresses that no tool returned.
    pub untraced: Vec<String>,
}

impl RoundHints {
    pub fn of(ledger: Option<&Ledger>, untraced: &[String]) -> Self {
        let mut hints = Self { untraced: untraced.to_vec(), ..Self::default() };
        let Some((ledger, verification)) =
            ledger.and_then(|ledger| Some((ledger, ledger.verification.as_ref()?)))
        else {
            return hints;
        };
        let told =
            |id: &&ClaimId| ledger.verdict(**id).is_some_and(|settled| !settled.verdict.is_out_of_reach());
        let describe = |id: &ClaimId| describe(ledger, *id);
        hints.failing =
            verification.failing.iter().filter(told).take(HINTS_MAX).filter_map(describe).collect();
        hints.single_origin = verification
            .single_origin
            .iter()
            .take(HINTS_MAX)
            .filter_map(|id| Some(text::line(&ledger.claim(*id)?.words, HINT_CHARACTERS_MAX)))
            .collect();
        hints.unreadable = unreadable(ledger)
            .iter()
            .take(HINTS_MAX)
            .map(|page| text::line(&page.in_words(), HINT_CHARACTERS_MAX))
            .collect();
        hints
    }
}

fn describe(ledger: &Ledger, id: ClaimId) -> Option<String> {
    let (claim, settled) = (ledger.claim(id)?, ledger.verdict(id)?);
    let reason = if settled.reason.is_empty() { String::new() } else { format!(" ({})", settled.reason) };
    Some(text::line(&format!("{} [{}{reason}]", claim.words, settled.verdict), HINT_CHARACTERS_MAX))
}

/// A cited page that nobody could read, with the claims that rest on such pages alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadablePage<'a> {
    pub url: &'a str,
    pub why: &'a str,
    pub claims: Vec<&'a str>,
}

impl UnreadablePage<'_> {
    fn in_words(&self) -> String {
        let claims: Vec<String> = self
            .claims
            .iter()
            .take(CLAIMS_PER_PAGE_MAX)
            .map(|words| format!("“{}”", text::line(words, CLAIM_CHARACTERS_MAX)))
            .collect();
        format!("{} ({}): {}", self.url, self.why, claims.join(" "))
    }
}

/// The pages that keep claims from being checked, in the order of the sources.
pub fn unreadable(ledger: &Ledger) -> Vec<UnreadablePage<'_>> {
    let failing = ledger.verification.iter().flat_map(|verification| &verification.failing);
    let mut pages: BTreeMap<u32, UnreadablePage<'_>> = BTreeMap::new();
    for id in failing {
        let (Some(claim), Some(settled)) = (ledger.claim(*id), ledger.verdict(*id)) else { continue };
        if settled.verdict != (Verdict::NotChecked { why: NotCheckedReason::Unreachable }) {
            continue;
        }
        for place in &claim.cites {
            let source = usize::try_from(*place).ok().and_then(|place| ledger.sources.get(place));
            let Some(source) = source else { continue };
            let SourceState::Unreachable { why, .. } = &source.state else { continue };
            let page = UnreadablePage { url: source.url.as_str(), why: why.as_str(), claims: Vec::new() };
            pages.entry(*place).or_insert(page).claims.push(claim.words.as_str());
        }
    }
    pages.into_values().collect()
}

/// Why the claims that are out of a round's reach could not be settled, in a sentence without its full stop.
pub fn uncheckable_in_words(ledger: &Ledger) -> String {
    let failing: Vec<&Verdict> = ledger
        .verification
        .iter()
        .flat_map(|verification| &verification.failing)
        .filter_map(|id| Some(&ledger.verdict(*id)?.verdict))
        .collect();
    let mut reasons: Vec<String> = Vec::new();
    let pages: Vec<String> = unreadable(ledger)
        .iter()
        .take(HINTS_MAX)
        .map(|page| format!("{} ({})", page.url, page.why))
        .collect();
    if !pages.is_empty() {
        reasons.push(format!("pages that cannot be read: {}", pages.join(", ")));
    }
    let unchecked = |why| failing.iter().any(|verdict| **verdict == Verdict::NotChecked { why });
    let unjudged = unchecked(NotCheckedReason::NoJudge) || failing.contains(&&Verdict::Quoted);
    let failed = failing.iter().any(|verdict| matches!(verdict, Verdict::CheckFailed { .. }));
    if unjudged && ledger.judge.is_none() {
        reasons.push("nobody was there to judge them; see `checks.judge`".to_owned());
    }
    if failed || unjudged && ledger.judge.is_some() {
        reasons.push("the judge did not answer".to_owned());
    }
    if unchecked(NotCheckedReason::Budget) {
        reasons.push("the budget did not carry every check".to_owned());
    }
    if unchecked(NotCheckedReason::Deadline) {
        reasons.push("there was no time for every check".to_owned());
    }
    if unchecked(NotCheckedReason::Limit) {
        reasons.push("it cites more pages than are fetched; see `checks.pages_max`".to_owned());
    }
    let claims = if failing.len() == 1 { "claim" } else { "claims" };
    format!("{} {claims} could not be checked ({})", failing.len(), reasons.join("; "))
}

#[cfg(test)]
mod tests;
