//! Sources that disagree about one claim.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use probity_types::ledger::Claim;

use super::subject::{ClaimLead, ClaimSubject, SubjectSurroundings, are_same_titles};
use crate::{
    compare::{
        ClaimComparison, Comparison, ComparisonAspect, ComparisonContext, ComparisonRemark, ComparisonSource,
        PageFacts, compare, neighbour_words,
    },
    hash::{QuickMap, QuickSet},
    locate::LocatedPassage,
    page::IndexedPage,
    value::{Quantity, QuantityForm, TextDate, values},
    words,
};

/// A remark below this does not make a conflict.
const SURE_PERCENT: u8 = 60;

/// The source that has the claim's value and its place there, one that has another, and what it is about.
pub type PageConflict = ((usize, (usize, usize)), (usize, (usize, usize)), String);

/// What differs on one page from what another has: each page with its bytes, and the bytes of the claim.
pub struct PageDifference {
    pub agreeing: (usize, (usize, usize)),
    pub differing: (usize, (usize, usize)),
    pub part: (usize, usize),
}

/// One page has what the claim says and another has something else in the same place. `is_about_it` says whether the two
/// are two sources that speak of what the claim speaks of.
pub fn page_conflict(
    single: &[ClaimComparison],
    is_about_it: impl Fn(&PageDifference) -> bool,
) -> Option<PageConflict> {
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
            let Some(span) = differs.span else { continue };
            let agreeing =
                single.iter().enumerate().filter(|(left, _)| *left != right).find_map(|(left, other)| {
                    let agrees = |remark: &&ComparisonRemark| {
                        remark.part == differs.part && remark.finding == Comparison::Agrees
                    };
                    let found = other.remarks.iter().find(agrees)?.span?;
                    let (agreeing, differing) = ((left, found), (right, span));
                    let difference = PageDifference { agreeing, differing, part: differs.part };
                    is_about_it(&difference).then_some(agreeing)
                });
            if let Some(left) = agreeing {
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

/// Pairs of claims that rest on different sources and disagree about the same of the same. `leads` has one entry per
/// claim, `title` the words of the title of the page that a claim rests on. None once `stop` is set.
pub fn claim_conflicts(
    claims: &[Claim],
    leads: &[ClaimLead],
    title: impl Fn(&Claim) -> BTreeSet<String>,
    stop: &AtomicBool,
) -> Option<Vec<ClaimConflict>> {
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
    let mut subjects: QuickMap<usize, ClaimSubject<'_>> = QuickMap::default();
    for (place, claim, _) in &read {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let Some(lead) = leads.get(*place) else { continue };
        subjects.insert(*place, ClaimSubject::of(&claim.words, lead));
    }
    let known: QuickSet<String> = subjects.values().flat_map(|subject| subject.sure_names()).collect();
    let mut conflicts = Vec::new();
    for (left, right) in found.into_iter().take(PAIRS_MAX) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let (Some(one), Some(other)) = (claims.get(left), claims.get(right)) else { continue };
        let (Some(mine), Some(theirs)) = (subjects.get(&left), subjects.get(&right)) else { continue };
        let around = || surroundings(one, other, &title);
        if !has_other_sources(one, other) || !mine.is_same(theirs, &known, around) {
            continue;
        }
        let is_same = |part: (usize, usize), span: (usize, usize)| mine.is_same_quantity(part, theirs, span);
        let differing =
            differs(&one.words, &other.words, is_same).or_else(|| rivals(&one.words, &other.words, is_same));
        conflicts.extend(differing.map(|(about, figures)| ClaimConflict { left, right, about, figures }));
        if conflicts.len() >= CONFLICTS_MAX {
            break;
        }
    }
    Some(conflicts)
}

/// What one source says twice is no disagreement of sources.
fn has_other_sources(one: &Claim, other: &Claim) -> bool {
    let (mine, theirs) = (&one.cites, &other.cites);
    !mine.is_empty() && !theirs.is_empty() && !mine.iter().any(|place| theirs.contains(place))
}

/// What stands around two claims and says whether they can speak of the same.
fn surroundings(
    one: &Claim,
    other: &Claim,
    title: impl Fn(&Claim) -> BTreeSet<String>,
) -> SubjectSurroundings {
    let above = |claim: &Claim| -> Vec<String> {
        claim.context.headings.iter().chain([&claim.context.stem]).cloned().collect()
    };
    let (mine, theirs) = (above(one), above(other));
    // The time of a heading that both are under is no difference.
    let times = |own: &[String], others: &[String]| -> Vec<TextDate> {
        own.iter()
            .filter(|heading| !others.contains(heading))
            .flat_map(|heading| values(heading).dates)
            .collect()
    };
    let (my_times, their_times) = (times(&mine, &theirs), times(&theirs, &mine));
    SubjectSurroundings {
        same_section: mine == theirs,
        same_titles: are_same_titles(&title(one), &title(other)),
        same_times: my_times.len() == their_times.len()
            && my_times.iter().zip(&their_times).all(|(left, right)| left.compatible(right)),
    }
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
fn differs(
    one: &str,
    other: &str,
    is_same: impl Fn((usize, usize), (usize, usize)) -> bool,
) -> Option<Difference> {
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
        let left = mine.numbers.iter().find(|number| number.start == remark.part.0);
        let right = theirs.numbers.iter().find(|number| number.start == span.0);
        remark.confidence >= SURE_PERCENT
            && is_same(remark.part, span)
            && match remark.aspect {
                ComparisonAspect::Number => {
                    same_times && left.zip(right).is_some_and(|(left, right)| are_apart(left, right))
                }
                ComparisonAspect::Date => same_figures,
                _ => false,
            }
    };
    let comparison = compare(one, &source);
    let remark = comparison.remarks.iter().find(against)?;
    let span = remark.span?;
    let written = |text: &str, part: (usize, usize)| text.get(part.0..part.1).unwrap_or_default().to_owned();
    Some(told((written(one, remark.part), written(other, span))))
}

/// Two values, in words.
fn told(figures: (String, String)) -> Difference {
    (format!("one says {}, the other {}", figures.0, figures.1), figures)
}

/// Of one measure, and further apart than rounding takes them.
fn are_apart(left: &Quantity, right: &Quantity) -> bool {
    left.form != QuantityForm::Version
        && left.unit.measure == right.unit.measure
        && !left.agrees(right)
        && !right.agrees(left)
        && !left.finer_than(right)
        && !right.finer_than(left)
}

/// Two figures of one measure between the same words, `is 324 metres tall` and `is 330 metres tall`, whatever else the
/// sentences say. Not where a date may be what makes the difference.
fn rivals(
    one: &str,
    other: &str,
    is_same: impl Fn((usize, usize), (usize, usize)) -> bool,
) -> Option<Difference> {
    let (mine, theirs) = (values(one), values(other));
    if !mine.dates.is_empty() || !theirs.dates.is_empty() {
        return None;
    }
    let written =
        |text: &str, figure: &Quantity| text.get(figure.start..figure.end).unwrap_or_default().to_owned();
    let rival = |left: &Quantity, right: &Quantity| {
        are_apart(left, right)
            && same_phrase((one, left), (other, right))
            && is_same((left.start, left.end), (right.start, right.end))
    };
    let mut pairs =
        mine.numbers.iter().flat_map(|left| theirs.numbers.iter().map(move |right| (left, right)));
    let (left, right) = pairs.find(|(left, right)| rival(left, right))?;
    Some(told((written(one, left), written(other, right))))
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
