//! Shares, multiples, bounds and spelled numbers of a claim beside the figures of its passages.

use super::{Scene, SceneSentence, doubt, has};
use crate::compare::reading::Reading;
use crate::{
    compare::{
        Comparison, ComparisonAspect, ComparisonRemark,
        senses::{QUANTITY, Sense},
    },
    value::{
        Measure, Quantity, QuantityBound, QuantityForm,
        share::{ShareWord, TextShare, shares},
    },
};

/// A fraction in words is rounder than a number.
const SHARE_SLACK: f64 = 0.035;
const ABOUT_SLACK: f64 = 0.06;
/// "More than a third" is not said of nine tenths.
const ABOVE_REACH: f64 = 1.5;
/// Sentences whose figures a share is computed from.
const SENTENCES: usize = 3;
/// Share of the claim that a sentence must have before its figures count.
const SAME_TOPIC: f32 = 0.25;

pub(super) fn doubts(scene: &Scene<'_, '_>, remarks: &[ComparisonRemark]) -> Vec<ComparisonRemark> {
    let mut found: Vec<ComparisonRemark> = Vec::new();
    found.extend(points(remarks));
    found.extend(stated_shares(scene));
    found.extend(bounds(scene));
    found.extend(spelled(scene, remarks));
    found
}

/// A difference of percentages that the claim calls a percentage.
fn points(remarks: &[ComparisonRemark]) -> Option<ComparisonRemark> {
    let remark = remarks.iter().find(|remark| {
        remark.aspect == ComparisonAspect::Number
            && remark.finding == Comparison::Weakens
            && remark.reason.ends_with("percentage points")
    })?;
    Some(doubt(ComparisonAspect::Unit, remark.part, remark.span, remark.reason.clone()))
}

pub(super) fn read_shares(reading: &Reading<'_>) -> Vec<TextShare> {
    let words: Vec<ShareWord<'_>> = reading
        .tokens
        .iter()
        .map(|token| ShareWord { start: token.start, end: token.end, plain: &token.plain })
        .collect();
    shares(reading.text, &words)
}

/// "A third" beside percentages and counts that do not make a third.
fn stated_shares(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let claimed = read_shares(&scene.mine);
    let claimed = claimed.first()?;
    let sentences: Vec<&SceneSentence<'_>> =
        scene.sentences.iter().take(SENTENCES).filter(|sentence| sentence.share > 0.0).collect();
    let mut known: Vec<(f64, String)> = Vec::new();
    for sentence in &sentences {
        known.extend(known_shares(scene, sentence));
    }
    if known.is_empty() || known.iter().any(|(value, _)| is_meant(claimed, *value)) {
        return None;
    }
    // "Four times" of a page that counts four, and a part whose whole stands in another sentence.
    if is_counted(claimed, &sentences) || is_part_of_whole(claimed, &sentences) {
        return None;
    }
    let best = scene.best().filter(|best| best.share >= SAME_TOPIC)?;
    let part = (claimed.start, claimed.end);
    let written = scene.claim.text.get(part.0..part.1).unwrap_or_default();
    let shown: Vec<&str> = known.iter().map(|(_, shown)| shown.as_str()).take(3).collect();
    let reason = format!("page: {}; claim: {written}", shown.join(", "));
    Some(doubt(ComparisonAspect::Number, part, Some(best.reading.span()), reason))
}

/// A multiple that one of the sentences has as a number.
fn is_counted(claimed: &TextShare, sentences: &[&SceneSentence<'_>]) -> bool {
    let is_whole = claimed.value >= 2.0 && claimed.value.fract() == 0.0;
    let has = |sentence: &&SceneSentence<'_>| {
        sentence.reading.numbers.iter().any(|number| {
            number.unit.measure == Measure::Count && (number.value - claimed.value).abs() < f64::EPSILON
        })
    };
    is_whole && sentences.iter().any(has)
}

/// How far the share of a whole in another sentence may be off: so many figures give some share by chance.
const ACROSS_SLACK: f64 = 0.002;

fn is_part_of_whole(claimed: &TextShare, sentences: &[&SceneSentence<'_>]) -> bool {
    let all: Vec<Vec<f64>> = sentences.iter().map(|sentence| counts(sentence)).collect();
    claimed.value < 1.0
        && all.iter().enumerate().any(|(place, parts)| {
            let wholes = all.iter().enumerate().filter(|(other, _)| *other != place);
            let wholes: Vec<f64> = wholes.flat_map(|(_, wholes)| wholes.iter().copied()).collect();
            parts
                .iter()
                .any(|part| wholes.iter().any(|whole| (part / whole - claimed.value).abs() <= ACROSS_SLACK))
        })
}

/// The plain counts of a sentence.
fn counts(sentence: &SceneSentence<'_>) -> Vec<f64> {
    let plain = sentence.reading.numbers.iter().filter(|number| {
        matches!(number.form, QuantityForm::Digits | QuantityForm::Word)
            && number.unit.measure == Measure::Count
            && number.value > 1.0
    });
    plain.map(|number| number.value).take(8).collect()
}

/// Percentages, shares in words, and what the figures of one sentence are of each other.
fn known_shares(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>) -> Vec<(f64, String)> {
    let text = scene.source.page.text();
    let written = |number: &Quantity| text.get(number.start..number.end).unwrap_or_default();
    let mut found: Vec<(f64, String)> = Vec::new();
    let numbers: Vec<&&Quantity> = sentence
        .reading
        .numbers
        .iter()
        .filter(|number| {
            matches!(number.form, QuantityForm::Digits | QuantityForm::Word) && number.value != 0.5
        })
        .take(8)
        .collect();
    for (place, number) in numbers.iter().enumerate() {
        let size = number.value * number.unit.factor;
        if number.unit.measure == Measure::Percent {
            found.push((size / 100.0, written(number).to_owned()));
            found.push((1.0 + size / 100.0, written(number).to_owned()));
        }
        for other in numbers.iter().skip(place + 1) {
            let other_size = other.value * other.unit.factor;
            if number.unit.measure != other.unit.measure || size <= 0.0 || other_size <= 0.0 {
                continue;
            }
            let shown = format!("{} and {}", written(number), written(other));
            for ratio in [size / other_size, other_size / size] {
                found.push((ratio, shown.clone()));
                found.push(((ratio - 1.0).abs(), shown.clone()));
            }
        }
    }
    for share in read_shares(&sentence.reading) {
        let shown = sentence.reading.text.get(share.start.saturating_sub(sentence.reading.base)..);
        let length = share.end.saturating_sub(share.start);
        let shown = shown.and_then(|rest| rest.get(..length)).unwrap_or("a share").to_owned();
        found.push((share.value, shown));
    }
    found
}

fn is_meant(claimed: &TextShare, value: f64) -> bool {
    let mine = claimed.value;
    let scale = mine.max(1.0);
    match claimed.bound {
        QuantityBound::Exact => (mine - value).abs() <= SHARE_SLACK * scale,
        QuantityBound::About => (mine - value).abs() <= ABOUT_SLACK * scale,
        // "More than halved" leaves less than half.
        QuantityBound::Above => {
            (value >= mine && value <= mine * ABOVE_REACH.max(1.0 / mine.max(0.4)))
                || (mine == 0.5 && value < mine && value >= 0.3)
        }
        QuantityBound::Below => value <= mine && value * ABOVE_REACH >= mine,
    }
}

/// "Up to 60" on the page and "60" in the claim; "more than" against "less than".
fn bounds(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    for number in &scene.mine.numbers {
        for sentence in &scene.sentences {
            for theirs in sentence.reading.numbers.iter().filter(|theirs| number.same_figure(theirs)) {
                if number.form == QuantityForm::Ordinal || number.unit_differs(theirs) {
                    continue;
                }
                let up_to = theirs.bound == QuantityBound::Below || limited(sentence, theirs);
                let mine_limited = number.bound != QuantityBound::Exact
                    || has(&scene.my_senses, Sense::UpTo)
                    || has(&scene.my_senses, Sense::Hedge);
                let opposed = matches!(
                    (number.bound, theirs.bound),
                    (QuantityBound::Above, QuantityBound::Below)
                        | (QuantityBound::Below, QuantityBound::Above)
                );
                if !(opposed || (up_to && !mine_limited)) {
                    continue;
                }
                let text = scene.source.page.text();
                let from =
                    text.floor_char_boundary(theirs.start.saturating_sub(16)).max(sentence.reading.base);
                let shown = text.get(from..theirs.end).unwrap_or_default();
                let reason = format!("the page bounds the figure: \"{shown}\"");
                let part = (number.start, number.end);
                return Some(doubt(
                    ComparisonAspect::Comparison,
                    part,
                    Some(sentence.reading.span()),
                    reason,
                ));
            }
        }
    }
    None
}

/// Words right before the figure say that it is the most.
fn limited(sentence: &SceneSentence<'_>, number: &Quantity) -> bool {
    let tokens = &sentence.reading.tokens;
    let at = tokens.partition_point(|token| token.start < number.start);
    // "Rose to 1,050", where a language says "up to": a level, no limit.
    let is_level = |token: usize| {
        let plain = tokens.get(token).map_or("", |token| token.plain.as_str());
        matches!(plain, "hasta" | "bis" | "до" | "fino" | "ate" | "jusqu'a" | "tot" | "kadar" | "حتى")
            && sentence.senses.iter().any(|place| matches!(place.sense, Sense::Pole(QUANTITY, _)))
    };
    sentence.senses.iter().any(|place| {
        place.sense == Sense::UpTo
            && !place.token.is_some_and(is_level)
            && match place.token {
                Some(token) => token < at && at - token <= 2,
                None => place.end <= number.start && number.start - place.end <= 12,
            }
    })
}

/// A number in words that is nowhere: pages show some of them by listing, so it is a doubt only.
fn spelled(scene: &Scene<'_, '_>, remarks: &[ComparisonRemark]) -> Option<ComparisonRemark> {
    // The four of "four fifths" is compared with its share.
    if !read_shares(&scene.mine).is_empty() {
        return None;
    }
    let remark = remarks.iter().find(|remark| {
        let absent = remark.aspect == ComparisonAspect::Number && remark.finding == Comparison::Absent;
        absent && remark.confidence >= 50 && {
            let number = scene.mine.numbers.iter().find(|number| number.start == remark.part.0);
            let rough = scene.claim.text.get(remark.part.0..remark.part.1).unwrap_or_default().to_lowercase();
            // Decades and centuries are counted from dates.
            let is_age = [
                "decade",
                "jahrzehnt",
                "décennie",
                "década",
                "decenni",
                "centur",
                "jahrhundert",
                "siècle",
                "siglo",
            ]
            .iter()
            .any(|age| rough.contains(age));
            number.is_some_and(|number| number.form == QuantityForm::Word && number.value >= 3.0) && !is_age
        }
    })?;
    Some(doubt(ComparisonAspect::Number, remark.part, None, remark.reason.clone()))
}
