//! Sources that disagree about one claim.

use std::sync::atomic::{AtomicBool, Ordering};

use probity_types::ledger::Claim;

use crate::{
    compare::{
        ClaimComparison, Comparison, ComparisonAspect, ComparisonContext, ComparisonRemark, ComparisonSource,
        PageFacts, compare, neighbour_words,
    },
    hash::QuickMap,
    locate::LocatedPassage,
    page::IndexedPage,
    value::{Quantity, QuantityForm, values},
    words,
};

/// A remark below this does not make a conflict.
const SURE_PERCENT: u8 = 60;

/// The source that has the claim's value and its place there, one that has another, and what it is about.
pub type PageConflict = ((usize, (usize, usize)), (usize, (usize, usize)), String);

/// One page has what the claim says and another has something else in the same place.
pub fn page_conflict(single: &[ClaimComparison]) -> Option<PageConflict> {
    let value = |remark: &&ComparisonRemark| {
        matches!(
            remark.aspect,
            ComparisonAspect::Number
                | ComparisonAspect::Unit
                | ComparisonAspect::Date
                | ComparisonAspect::Polarity
        ) && remark.confidence >= SURE_PERCENT
    };
    for (right, comparison) in single.iter().enumerate() {
        let differing =
            comparison.remarks.iter().filter(value).filter(|remark| remark.finding == Comparison::Differs);
        for differs in differing {
            let agreeing =
                single.iter().enumerate().filter(|(left, _)| *left != right).find_map(|(left, other)| {
                    let agrees = |remark: &&ComparisonRemark| {
                        remark.part == differs.part && remark.finding == Comparison::Agrees
                    };
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
/// A longer claim is no statement that another one could contradict.
const COMPARED_BYTES_MAX: usize = 4_000;
/// Pairs of claims that are compared; in a report with more of them all claims speak of one thing.
const PAIRS_MAX: usize = 20_000;
/// Conflicts recorded for one report.
const CONFLICTS_MAX: usize = 200;

/// Two claims of one report that say the same of the same with other values.
pub struct ClaimConflict {
    pub left: usize,
    pub right: usize,
    pub about: String,
    /// As the claims write them.
    pub figures: (String, String),
}

/// Pairs of claims that rest on different sources and disagree. None once `stop` is set.
pub fn claim_conflicts(claims: &[Claim], stop: &AtomicBool) -> Option<Vec<ClaimConflict>> {
    let mut numbers = QuickMap::default();
    let read: Vec<(usize, &Claim, Vec<u32>)> = claims
        .iter()
        .enumerate()
        .filter(|(_, claim)| !claim.cites.is_empty() && claim.words.len() <= COMPARED_BYTES_MAX)
        .filter(|(_, claim)| claim.words.chars().any(char::is_numeric))
        .take(COMPARED_MAX)
        .map(|(place, claim)| (place, claim, topic(&claim.words, &mut numbers)))
        .collect();
    // By word: the claims that have it and come later than the one at hand.
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); numbers.len()];
    let mut shared = vec![0_usize; read.len()];
    let mut found = Vec::new();
    for (number, (left, one, words)) in read.iter().enumerate().rev() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut met: Vec<usize> = Vec::new();
        for word in words {
            let Some(with) = later.get_mut(*word as usize) else { continue };
            for other in with.iter() {
                let Some(count) = shared.get_mut(*other) else { continue };
                if *count == 0 {
                    met.push(*other);
                }
                *count += 1;
            }
            with.push(number);
        }
        for place in met {
            let shared = shared.get_mut(place).map(std::mem::take).unwrap_or_default();
            let Some((right, other, others)) = read.get(place) else { continue };
            let shorter = words.len().min(others.len());
            if shorter >= 2 && shared * 100 >= shorter * SAME_TOPIC_PERCENT && one.words != other.words {
                found.push((*left, *right));
            }
        }
    }
    found.sort_unstable();
    let words = |place: usize| claims.get(place).map_or("", |claim| claim.words.as_str());
    let mut conflicts = Vec::new();
    for (left, right) in found.into_iter().take(PAIRS_MAX) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if !has_other_sources(claims, left, right) {
            continue;
        }
        let (one, other) = (words(left), words(right));
        let differing = differs(one, other).or_else(|| rivals(one, other));
        conflicts.extend(differing.map(|(about, figures)| ClaimConflict { left, right, about, figures }));
        if conflicts.len() >= CONFLICTS_MAX {
            break;
        }
    }
    Some(conflicts)
}

/// What one source says twice is no disagreement of sources.
fn has_other_sources(claims: &[Claim], left: usize, right: usize) -> bool {
    let cites = |place: usize| claims.get(place).map_or(&[][..], |claim| claim.cites.as_slice());
    let (mine, theirs) = (cites(left), cites(right));
    !mine.is_empty() && !theirs.is_empty() && !mine.iter().any(|place| theirs.contains(place))
}

/// What a claim speaks of: its words without numbers and small words, each by its number among all words seen so far.
fn topic(text: &str, numbers: &mut QuickMap<String, u32>) -> Vec<u32> {
    let mut topic = Vec::new();
    words::each_word(text, |seen| {
        if seen.kind != words::WordKind::Plain || words::is_stop_word(seen.folded) {
            return;
        }
        let stem = words::stem(seen.folded);
        let number = numbers.get(stem).copied().unwrap_or_else(|| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            numbers.insert(stem.to_owned(), next);
            next
        });
        topic.push(number);
    });
    topic.sort_unstable();
    topic.dedup();
    topic
}

/// What differs, and the two values as they are written.
type Difference = (String, (String, String));

/// Compares one claim as if it were the page of the other. Only values of one kind about one time: a percentage does
/// not contradict a year, nor last year's figure this year's.
fn differs(one: &str, other: &str) -> Option<Difference> {
    let page = IndexedPage::new(other);
    let facts = PageFacts::of(&page);
    let passages = [LocatedPassage { start: 0, end: other.len(), score: 1.0 }];
    let source = ComparisonSource {
        page: &page,
        facts: &facts,
        passages: &passages,
        context: ComparisonContext::default(),
    };
    let (mine, theirs) = (values(one), values(other));
    let same_times = mine.dates.len() == theirs.dates.len()
        && mine.dates.iter().zip(&theirs.dates).all(|(left, right)| left.compatible(right));
    let same_figures = mine.numbers.len() == theirs.numbers.len()
        && mine
            .numbers
            .iter()
            .zip(&theirs.numbers)
            .all(|(left, right)| left.agrees(right) || right.agrees(left));
    let against = |remark: &&ComparisonRemark| {
        let Some(span) = remark.span.filter(|_| remark.finding == Comparison::Differs) else { return false };
        let kind = |numbers: &[Quantity], start: usize| {
            numbers.iter().find(|number| number.start == start).map(|number| number.unit.measure)
        };
        let (left, right) = (kind(&mine.numbers, remark.part.0), kind(&theirs.numbers, span.0));
        remark.confidence >= SURE_PERCENT
            && match remark.aspect {
                ComparisonAspect::Number => same_times && left.is_some() && left == right,
                ComparisonAspect::Date => same_figures,
                _ => false,
            }
    };
    let comparison = compare(one, &source);
    let remark = comparison.remarks.iter().find(against)?;
    let (start, end) = remark.span?;
    let written = |text: &str, part: (usize, usize)| text.get(part.0..part.1).unwrap_or_default().to_owned();
    Some((remark.reason.clone(), (written(one, remark.part), written(other, (start, end)))))
}

/// Two figures of one measure between the same words, `is 324 metres tall` and `is 330 metres tall`, whatever else the
/// sentences say. Not where a date may be what makes the difference.
fn rivals(one: &str, other: &str) -> Option<Difference> {
    let (mine, theirs) = (values(one), values(other));
    if !mine.dates.is_empty() || !theirs.dates.is_empty() {
        return None;
    }
    let written =
        |text: &str, figure: &Quantity| text.get(figure.start..figure.end).unwrap_or_default().to_owned();
    let rival = |left: &Quantity, right: &Quantity| {
        left.form != QuantityForm::Version
            && left.unit.measure == right.unit.measure
            && !left.agrees(right)
            && !right.agrees(left)
            && same_phrase((one, left), (other, right))
    };
    let mut pairs =
        mine.numbers.iter().flat_map(|left| theirs.numbers.iter().map(move |right| (left, right)));
    let (left, right) = pairs.find(|(left, right)| rival(left, right))?;
    let figures = (written(one, left), written(other, right));
    Some((format!("one says {}, the other {}", figures.0, figures.1), figures))
}

/// The same words before and after, the one after being more than a small word.
fn same_phrase(left: (&str, &Quantity), right: (&str, &Quantity)) -> bool {
    let around = |(text, figure): (&str, &Quantity)| {
        let read = words::words(text);
        let places = read.iter().map(|word| (word.start, word.end, word.folded.as_str()));
        let (before, behind) = neighbour_words(places, (figure.start, figure.end));
        (before.map(|word| words::stem(word).to_owned()), behind.map(|word| words::stem(word).to_owned()))
    };
    let ((before, behind), others) = (around(left), around(right));
    let telling = behind.as_ref().is_some_and(|word| !words::is_stop_word(word));
    telling && before.is_some() && (before, behind) == others
}
