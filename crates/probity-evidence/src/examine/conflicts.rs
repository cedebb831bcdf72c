//! Sources that disagree about one claim.

use std::collections::BTreeSet;

use probity_research::ledger::Claim;

use crate::{
    compare::{Aspect, Comparison, Context, Finding, PageFacts, Remark, Source, compare},
    locate::Located,
    page::Page,
    words,
};

/// A remark below this does not make a conflict.
const SURE_PERCENT: u8 = 60;

/// The source that has the claim's value and its place there, one that has another, and what it is about.
pub type Between = ((usize, (usize, usize)), (usize, (usize, usize)), String);

/// One page has what the claim says and another has something else in the same place.
pub fn between(single: &[Comparison]) -> Option<Between> {
    let value = |remark: &&Remark| {
        matches!(remark.aspect, Aspect::Number | Aspect::Unit | Aspect::Date | Aspect::Polarity)
            && remark.confidence >= SURE_PERCENT
    };
    for (right, comparison) in single.iter().enumerate() {
        let differing =
            comparison.remarks.iter().filter(value).filter(|remark| remark.finding == Finding::Differs);
        for differs in differing {
            let agreeing =
                single.iter().enumerate().filter(|(left, _)| *left != right).find_map(|(left, other)| {
                    let agrees =
                        |remark: &&Remark| remark.part == differs.part && remark.finding == Finding::Agrees;
                    Some((left, other.remarks.iter().find(agrees)?.span?))
                });
            if let (Some(left), Some(span)) = (agreeing, differs.span) {
                return Some((left, (right, span), differs.reason.clone()));
            }
        }
    }
    None
}

/// Words that two claims must share, in percent of the shorter one's, to speak of the same.
const SAME_TOPIC_PERCENT: usize = 60;
/// Claims whose words are compared with each other; a longer report has more pages than contradictions.
const COMPARED_MAX: usize = 2_000;
/// Conflicts put down for one report.
const CONFLICTS_MAX: usize = 200;

/// Pairs of claims of one report that say the same of the same with other values, and what differs.
pub fn between_claims(claims: &[Claim]) -> Vec<(usize, usize, String)> {
    let read: Vec<(usize, &Claim, BTreeSet<String>)> = claims
        .iter()
        .enumerate()
        .filter(|(_, claim)| !claim.cites.is_empty() && claim.words.chars().any(char::is_numeric))
        .take(COMPARED_MAX)
        .map(|(place, claim)| (place, claim, topic(&claim.words)))
        .collect();
    let mut found = Vec::new();
    for (number, (left, one, words)) in read.iter().enumerate() {
        for (right, other, others) in read.iter().skip(number + 1) {
            let shorter = words.len().min(others.len());
            let shared = words.intersection(others).count();
            if shorter < 2 || shared * 100 < shorter * SAME_TOPIC_PERCENT || one.words == other.words {
                continue;
            }
            if let Some(about) = differs(&one.words, &other.words)
                && found.len() < CONFLICTS_MAX
            {
                found.push((*left, *right, about));
            }
        }
    }
    found
}

/// What a claim speaks of: its words without numbers and small words.
fn topic(text: &str) -> BTreeSet<String> {
    let told = words::words(text)
        .into_iter()
        .filter(|word| word.kind == words::Kind::Plain && !words::is_stop_word(&word.folded));
    told.map(|word| words::stem(&word.folded).to_owned()).collect()
}

/// The one read as if it were the page of the other.
fn differs(one: &str, other: &str) -> Option<String> {
    let page = Page::new(other);
    let facts = PageFacts::of(&page);
    let passages = [Located { start: 0, end: other.len(), score: 1.0 }];
    let source = Source { page: &page, facts: &facts, passages: &passages, context: Context::default() };
    let comparison = compare(one, &source);
    let against = |remark: &&Remark| {
        remark.finding == Finding::Differs
            && matches!(remark.aspect, Aspect::Number | Aspect::Unit | Aspect::Date)
            && remark.confidence >= SURE_PERCENT
    };
    comparison.remarks.iter().find(against).map(|remark| remark.reason.clone())
}
