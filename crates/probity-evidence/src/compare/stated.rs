//! A number that the page does not have and says itself how to compute: half of the 62 million, the double of what was
//! planned, the rest of those who did, the rows of a table that the claim names.
//!
//! Only values of one kind are combined, and only where the page's words or the claim's negation ask for it.

use super::{
    ComparisonSource,
    claim::ClaimFacts,
    denial::DeniedSide,
    derive::{self, NearbyNumber},
    page_comparison::sentence_at,
};
use crate::{
    names,
    page::PageSentence,
    value::{
        Measure, Quantity, QuantityBound, QuantityForm,
        share::{ShareWord, TextShare, shares},
    },
    words,
};

/// What parts the cells of a row.
const BORDER: &str = " | ";
/// Rows of one table that are read.
const ROWS_MAX: usize = 60;
/// Numbers of the passages among which a whole and its part are looked for.
const NUMBERS_MAX: usize = 16;
/// On a page with more numbers the whole of a part is looked for in the passages only.
const PAGE_NUMBERS_MAX: usize = 40;
/// A rounding of what was computed, relative to it.
const ROUNDING_SHARE: f64 = 0.006;
const ABOUT_SHARE: f64 = 0.06;
/// A computed count below this follows from too much.
const SMALL_RESULT: f64 = 20.0;

/// A share in words is rounder than a percentage.
const SHARE_SLACK_PERCENT: f64 = 1.0;

/// The passages say the percentage as a share: "a fifth".
pub(super) fn has_share(source: &ComparisonSource<'_>, number: &Quantity) -> bool {
    source.passages.iter().any(|passage| {
        let text = source.page.text().get(passage.start..passage.end).unwrap_or_default();
        let read = words::words(text);
        let plain: Vec<String> = read.iter().map(|word| names::plain_token(&word.folded)).collect();
        let parts = read.iter().zip(&plain);
        let listed: Vec<ShareWord<'_>> = parts
            .map(|(word, plain)| ShareWord { start: word.start, end: word.end, plain: plain.as_str() })
            .collect();
        let meant = |share: &TextShare| (100.0 * share.value - number.value).abs() <= SHARE_SLACK_PERCENT;
        shares(text, &listed).iter().any(meant)
    })
}

/// How the number follows from what the page says, in words for people.
pub(super) fn derivation(
    claim: &ClaimFacts<'_>,
    claimed: &Quantity,
    source: &ComparisonSource<'_>,
    best: Option<&PageSentence>,
    denied: Option<DeniedSide>,
    is_said: bool,
) -> Option<String> {
    // A sentence that says the same with another figure leaves nothing to compute but what it says itself: "half of 48".
    if is_said {
        return best.and_then(|best| by_share(claimed, source, best));
    }
    if matches!(claimed.form, QuantityForm::Version | QuantityForm::Ordinal) || claimed.value == 0.0 {
        return None;
    }
    let passages = source.passages.iter().filter_map(|passage| sentence_at(source.page, passage.start));
    let sentences: Vec<PageSentence> = best.copied().into_iter().chain(passages.take(3)).collect();
    let rest = || denied.and_then(|_| complement(claimed, source, &sentences));
    rest()
        .or_else(|| sentences.iter().find_map(|sentence| by_share(claimed, source, sentence)))
        .or_else(|| of_rows(claim, claimed, source))
        .or_else(|| best.and_then(|best| of_thousands(claimed, source, best)))
}

fn size(number: &Quantity) -> f64 {
    number.value * number.unit.factor
}

/// Values of different units never combine; a unit may stand once for two numbers.
fn is_alike(one: &Quantity, other: &Quantity) -> bool {
    let is_share = |measure: Measure| matches!(measure, Measure::Percent | Measure::PercentagePoint);
    let (mine, theirs) = (one.unit.measure, other.unit.measure);
    mine == theirs
        || (mine == Measure::Count && !is_share(theirs))
        || (theirs == Measure::Count && !is_share(mine))
}

/// `1.120` as a thousand and more, where it may be little more than one.
fn whole(number: &Quantity) -> Quantity {
    match number.other {
        Some(other) if other > number.value => {
            Quantity { value: other, other: None, slack: 0.0, ..number.clone() }
        }
        _ => number.clone(),
    }
}

/// Both readings of the claimed number.
fn is_meant(claimed: &Quantity, computed: f64, is_rounded: bool) -> bool {
    let share = match claimed.bound {
        QuantityBound::About => ABOUT_SHARE,
        QuantityBound::Exact if is_rounded => ROUNDING_SHARE,
        QuantityBound::Exact => 1e-6,
        QuantityBound::Above | QuantityBound::Below => return false,
    };
    let slack = if is_rounded { claimed.slack * claimed.unit.factor } else { 0.0 };
    [claimed.clone(), whole(claimed)].iter().any(|mine| {
        let mine = size(mine);
        (mine - computed).abs() <= slack.max(share * mine.abs())
    })
}

fn written<'a>(source: &ComparisonSource<'a>, number: &Quantity) -> &'a str {
    source.page.text().get(number.start..number.end).unwrap_or_default()
}

fn numbers_of<'a>(source: &ComparisonSource<'a>, sentence: &PageSentence) -> Vec<&'a Quantity> {
    let numbers = &source.facts.values.numbers;
    let first = numbers.partition_point(|number| number.start < sentence.start);
    let inside = numbers.iter().skip(first).take_while(|number| number.start < sentence.end);
    let plain = inside.filter(|number| matches!(number.form, QuantityForm::Digits | QuantityForm::Word));
    plain.take(NUMBERS_MAX).collect()
}

/// Those who did not: all of them but those who did.
fn complement(
    claimed: &Quantity,
    source: &ComparisonSource<'_>,
    sentences: &[PageSentence],
) -> Option<String> {
    let mut known: Vec<&Quantity> =
        sentences.iter().flat_map(|sentence| numbers_of(source, sentence)).collect();
    known.sort_by_key(|number| number.start);
    known.dedup_by_key(|number| number.start);
    let written_out = |number: &Quantity| written(source, number).to_owned();
    if claimed.unit.measure == Measure::Percent {
        let part = known.iter().find(|number| {
            number.unit.measure == Measure::Percent && is_meant(claimed, 100.0 - size(number), true)
        })?;
        return Some(format!("page: {}; the rest is 100 % less that", written_out(part)));
    }
    // On a short page the whole may stand anywhere; on a long one any number is the rest of some others.
    let page = &source.facts.values.numbers;
    let plain = |number: &&Quantity| matches!(number.form, QuantityForm::Digits | QuantityForm::Word);
    let wholes: Vec<&Quantity> = match page.len() <= PAGE_NUMBERS_MAX {
        true => page.iter().filter(plain).collect(),
        false => known.clone(),
    };
    for all in &wholes {
        for part in known.iter().filter(|part| part.start != all.start && is_alike(all, part)) {
            let left = size(&whole(all)) - size(&whole(part));
            if left > 0.0 && is_alike(claimed, all) && is_meant(claimed, left, false) {
                return Some(format!("page: {}, {}; the rest", written_out(all), written_out(part)));
            }
        }
    }
    None
}

/// "Half of the 62 million", "the double of what was planned", "a third of the 9,000".
fn by_share(claimed: &Quantity, source: &ComparisonSource<'_>, sentence: &PageSentence) -> Option<String> {
    let numbers = numbers_of(source, sentence);
    // Without a number of its kind there is nothing that a share could be taken of.
    if !numbers.iter().any(|number| is_alike(claimed, number)) {
        return None;
    }
    let text = source.page.sentence_text(sentence);
    let read = words::words(text);
    let plain: Vec<String> = read.iter().map(|word| names::plain_token(&word.folded)).collect();
    let listed: Vec<ShareWord<'_>> = read
        .iter()
        .zip(&plain)
        .map(|(word, plain)| ShareWord { start: word.start, end: word.end, plain: plain.as_str() })
        .collect();
    for share in shares(text, &listed) {
        let (from, to) = (sentence.start + share.start, sentence.start + share.end);
        let outside = |number: &&&Quantity| number.end <= from || to <= number.start;
        for number in numbers.iter().filter(outside).filter(|number| is_alike(claimed, number)) {
            let all = size(&whole(number));
            let is_large = |computed: f64| computed.abs() > SMALL_RESULT * number.unit.factor;
            let mut results = computed(all, &share).into_iter().filter(|result| is_large(*result));
            if results.any(|result| is_meant(claimed, result, true)) {
                let words = text.get(share.start..share.end).unwrap_or_default();
                return Some(format!("page: {}, {words}", written(source, number)));
            }
        }
    }
    None
}

/// What a share makes of a number: so much of it, or what it is so much of.
fn computed(all: f64, share: &TextShare) -> Vec<f64> {
    match share.value {
        value if value <= 0.0 || value == 1.0 => Vec::new(),
        value if value < 1.0 => vec![all * value, all * (1.0 - value)],
        value => vec![all / value],
    }
}

/// The rows of a table that the claim names, added up, or one less the other.
fn of_rows(claim: &ClaimFacts<'_>, claimed: &Quantity, source: &ComparisonSource<'_>) -> Option<String> {
    let page = source.page;
    let is_named = |label: &str| {
        let read = words::words(label);
        let mut telling = read.iter().filter(|word| !words::is_stop_word(&word.folded)).peekable();
        telling.peek().is_some()
            && telling.all(|word| {
                let stem = words::stem(&word.folded);
                claim.words.iter().any(|mine| words::stem(&mine.folded) == stem)
            })
    };
    for (first, last) in source.facts.tables() {
        let rows = page.sentences().get(first + 1..(*last).min(first + ROWS_MAX)).unwrap_or_default();
        let named = rows
            .iter()
            .filter(|row| is_named(page.sentence_text(row).split(BORDER).next().unwrap_or_default()));
        let named: Vec<Vec<Quantity>> = named.map(|row| cells(source, row)).collect();
        let columns = named.iter().map(Vec::len).min().unwrap_or(0);
        if named.len() < 2 {
            continue;
        }
        for column in 0..columns {
            let figures: Vec<&Quantity> = named.iter().filter_map(|cells| cells.get(column)).collect();
            let sum: f64 = figures.iter().map(|figure| size(figure)).sum();
            let apart = match figures.as_slice() {
                [one, other] => (size(one) - size(other)).abs(),
                _ => 0.0,
            };
            let alike = figures.iter().all(|figure| is_alike(claimed, figure));
            let results = [(sum, "their sum"), (apart, "their difference")];
            let found = results.iter().find(|(result, _)| *result > 0.0 && is_meant(claimed, *result, true));
            if let Some((_, what)) = found.filter(|_| alike) {
                let shown: Vec<&str> = figures.iter().map(|figure| written(source, figure)).collect();
                return Some(format!("page: {}; {what}", shown.join(", ")));
            }
        }
    }
    None
}

/// The figures of a row, one for each cell behind its label; a cell without one ends them.
fn cells(source: &ComparisonSource<'_>, row: &PageSentence) -> Vec<Quantity> {
    let numbers = numbers_of(source, row);
    let mut found = Vec::new();
    let mut start = row.start;
    for (place, cell) in source.page.sentence_text(row).split(BORDER).enumerate() {
        let end = start + cell.len();
        if place > 0 {
            let Some(number) = numbers.iter().find(|number| start <= number.start && number.start < end)
            else {
                return found;
            };
            found.push(whole(number));
        }
        start = end + BORDER.len();
    }
    found
}

/// The sums and differences of numbers whose points part thousands.
fn of_thousands(claimed: &Quantity, source: &ComparisonSource<'_>, best: &PageSentence) -> Option<String> {
    let near = derive::nearby(source, best);
    if source.facts.is_english || near.iter().all(|near| near.number.other.is_none()) {
        return None;
    }
    let read: Vec<Quantity> = near.iter().map(|near| whole(near.number)).collect();
    let near: Vec<NearbyNumber<'_>> =
        near.iter().zip(&read).map(|(near, number)| NearbyNumber { number, ..*near }).collect();
    let claimed = whole(claimed);
    let found = derive::derivation(&claimed, &near).filter(|found| found.is_sound)?;
    Some(found.reason(&claimed.value.to_string()))
}

#[cfg(test)]
mod tests {
    use crate::{
        compare::{Comparison, ComparisonAspect, ComparisonContext, ComparisonSource, PageFacts, compare},
        locate::locate,
        page::IndexedPage,
    };

    fn found(claim: &str, page: &str) -> Option<Comparison> {
        let page = IndexedPage::new(page);
        let facts = PageFacts::of(&page);
        let passages = locate(claim, &page, 5);
        let context = ComparisonContext::default();
        let source = ComparisonSource { page: &page, facts: &facts, passages: &passages, context };
        let remarks = compare(claim, &source).remarks;
        let numbers = remarks.iter().filter(|remark| remark.aspect == ComparisonAspect::Number);
        numbers.map(|remark| remark.finding).max()
    }

    const FERRY: &str = "The ferry carried 320 passengers, of whom 85 were students. \
        The town pays half of the cost of 48 million euros.";

    #[test]
    fn the_rest_of_a_count_agrees() {
        assert_eq!(found("235 passengers of the ferry were not students.", FERRY), Some(Comparison::Agrees));
        assert_ne!(found("250 passengers of the ferry were not students.", FERRY), Some(Comparison::Agrees));
    }

    #[test]
    fn a_share_that_the_page_names_is_computed() {
        assert_eq!(found("The town pays 24 million euros of the cost.", FERRY), Some(Comparison::Agrees));
        assert_ne!(found("The town pays 31 million euros of the cost.", FERRY), Some(Comparison::Agrees));
    }

    #[test]
    fn points_part_thousands_where_the_page_is_not_english() {
        let page = "Die Zahl der Schüler lag mit 930 unter der Zahl der Rentner (1.150) in der Stadt.";
        assert_eq!(found("Die Stadt hat 220 Rentner mehr als Schüler.", page), Some(Comparison::Agrees));
    }

    #[test]
    fn rows_that_the_claim_names_are_added_up() {
        let page = "Results of the year.\nBranch | Sales 2020 (£m) | Sales 2021 (£m)\nBoats | 31 | 46\nSails | 12 | 17\n\
            Ropes | 9 | 5\nEnd of the results.";
        let claim = "Boats and sails together had sales of £63 million in 2021.";
        assert_eq!(found(claim, page), Some(Comparison::Agrees));
        let claim = "Boats and ropes together had sales of £63 million in 2021.";
        assert_ne!(found(claim, page), Some(Comparison::Agrees));
    }
}
