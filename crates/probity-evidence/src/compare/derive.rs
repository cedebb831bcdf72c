//! A number that a page does not have and that follows from its numbers: sums, differences, shares, changes, multiples.
//!
//! Only numbers of one sentence and its neighbours are combined: on a long page any number follows from some others.

use super::{ComparisonSource, page_comparison::sentence_at};
use crate::{
    page::PageSentence,
    value::{Measure, Quantity, QuantityBound, QuantityForm, TextValues},
};

/// Numbers that are combined; a table has more and would yield anything.
const NUMBERS_MAX: usize = 12;
/// Numbers of one sum.
const SUMMANDS_MAX: usize = 6;
/// How far "about" may be off.
const ABOUT_SHARE: f64 = 0.06;
/// "More than" reaches so many times the number.
const BOUND_REACH: f64 = 1.6;
/// A rounding of what was computed, relative to it.
const ROUNDING_SHARE: f64 = 0.006;

/// Results below this follow from too much.
const SMALL_RESULT: f64 = 20.0;
/// A count without a unit that may share that of the number beside it.
const LARGE_COUNT: f64 = 100_000.0;

/// Numbers and years of the passages that a value is computed from.
const FOLLOWED_FROM_MAX: usize = 24;
/// From here on a unit of time measures spans of years: a month.
const SPAN_SECONDS_MIN: f64 = 2e6;
const YEAR_SECONDS: f64 = 31_557_600.0;
/// A span in months ends within the year, not at its beginning.
const YEAR_SLACK: f64 = 0.6;
/// No span of years is longer, and most years are later.
const SPAN_YEARS_MAX: f64 = 1000.0;
/// Bytes beside a bare number that may say that it counts years.
const SPAN_WORD_BYTES: usize = 24;

/// A number of the page with the sentence that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NearbyNumber<'a> {
    pub number: &'a Quantity,
    pub sentence: usize,
    pub written: &'a str,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Derivation {
    inputs: Vec<String>,
    operation: &'static str,
    /// Whether the unit is right too: a difference of percentages is in percentage points.
    pub is_sound: bool,
}

impl Derivation {
    pub fn reason(&self, written: &str) -> String {
        let inputs = self.inputs.join(", ");
        match self.is_sound {
            true => format!("page: {inputs}; claim: {written} = {}", self.operation),
            false => format!("page: {inputs}; claim: {written}; {} is in percentage points", self.operation),
        }
    }
}

/// The numbers of a sentence and of the ones before and after it.
pub(super) fn nearby<'a>(source: &ComparisonSource<'a>, best: &PageSentence) -> Vec<NearbyNumber<'a>> {
    let page = source.page;
    let Some(place) =
        page.sentences().partition_point(|sentence| sentence.start <= best.start).checked_sub(1)
    else {
        return Vec::new();
    };
    let from = page.sentences().get(place.saturating_sub(1)).map_or(best.start, |before| before.start);
    let to = page.sentences().get(place + 1).map_or(best.end, |after| after.end);
    let numbers = &source.facts.values.numbers;
    let first = numbers.partition_point(|number| number.start < from);
    let near = numbers.iter().skip(first).take_while(|number| number.end <= to);
    let plain = near.filter(|number| !matches!(number.form, QuantityForm::Version | QuantityForm::Ordinal));
    let mut found: Vec<NearbyNumber<'a>> = plain
        .map(|number| NearbyNumber {
            number,
            sentence: sentence_at(page, number.start).map_or(0, |sentence| sentence.start),
            written: page.text().get(number.start..number.end).unwrap_or_default(),
        })
        .collect();
    // The sentence itself comes first where there are too many.
    found.sort_by_key(|near| (near.sentence != best.start, near.number.start));
    found.truncate(NUMBERS_MAX);
    found
}

/// How the number follows from those nearby.
pub(super) fn derivation(claimed: &Quantity, nearby: &[NearbyNumber<'_>]) -> Option<Derivation> {
    if matches!(claimed.form, QuantityForm::Version | QuantityForm::Ordinal) || claimed.value == 0.0 {
        return None;
    }
    temperature(claimed, nearby)
        .or_else(|| sums(claimed, nearby))
        .or_else(|| pairs(claimed, nearby))
        .or_else(|| changed(claimed, nearby))
        .or_else(|| part_of_whole(claimed, nearby))
}

/// So many percent of a number, or the rest of it: 51.6 million where the page has "86 million, 60 % of it from the state".
fn part_of_whole(claimed: &Quantity, nearby: &[NearbyNumber<'_>]) -> Option<Derivation> {
    for percent in nearby.iter().filter(|near| near.number.unit.measure == Measure::Percent) {
        let share = size(percent.number) / 100.0;
        let whole = |near: &&NearbyNumber<'_>| {
            near.number.unit.measure != Measure::Percent
                && alike(near.number, claimed)
                && size(near.number) > SMALL_RESULT * claimed.unit.factor
        };
        for all in nearby.iter().filter(whole).filter(|_| 0.0 < share && share < 1.0) {
            for (part, operation) in [(share, "that share of it"), (1.0 - share, "the rest of it")] {
                if is_meant(claimed, size(all.number) * part, false) {
                    return shown(&[*percent, *all], operation, true);
                }
            }
        }
    }
    None
}

/// What it was before a change in percent: 1,000 where the page has "by 5 %, to 1,050".
fn changed(claimed: &Quantity, nearby: &[NearbyNumber<'_>]) -> Option<Derivation> {
    for percent in nearby.iter().filter(|near| near.number.unit.measure == Measure::Percent) {
        let same = |near: &&NearbyNumber<'_>| {
            near.sentence == percent.sentence
                && near.number.unit.measure != Measure::Percent
                && alike(near.number, claimed)
                && near.number.value > SMALL_RESULT
        };
        for now in nearby.iter().filter(same) {
            let change = size(percent.number) / 100.0;
            let before = [1.0 + change, 1.0 - change].into_iter().filter(|factor| *factor > 0.0);
            if before.map(|factor| size(now.number) / factor).any(|before| is_meant(claimed, before, true)) {
                return shown(&[*percent, *now], "what it was before the change", true);
            }
        }
    }
    None
}

/// The value in the measure's own size.
pub(super) fn size(number: &Quantity) -> f64 {
    number.value * number.unit.factor
}

pub(super) fn shown(
    inputs: &[NearbyNumber<'_>],
    operation: &'static str,
    is_sound: bool,
) -> Option<Derivation> {
    let inputs = inputs.iter().map(|input| input.written.to_owned()).collect();
    Some(Derivation { inputs, operation, is_sound })
}

/// `computed` is the claimed number, as far as that one is written out.
pub(super) fn is_meant(claimed: &Quantity, computed: f64, is_rounded: bool) -> bool {
    let mine = size(claimed);
    let off = (mine - computed).abs();
    let rounding =
        if is_rounded && claimed.value.fract() == 0.0 && claimed.value < 1000.0 { 0.5 } else { 0.0 };
    let slack = claimed.slack.max(rounding) * claimed.unit.factor;
    match claimed.bound {
        QuantityBound::Exact => {
            off <= slack.max(1e-6 * mine.abs()) || (is_rounded && off <= ROUNDING_SHARE * mine.abs())
        }
        QuantityBound::About => off <= slack.max(ABOUT_SHARE * computed.abs()),
        QuantityBound::Above => computed >= mine && computed <= mine * BOUND_REACH,
        QuantityBound::Below => computed <= mine && computed * BOUND_REACH >= mine,
    }
}

/// Whether two numbers count the same.
fn alike(one: &Quantity, other: &Quantity) -> bool {
    // "1.3 billion euros, of which 200 million": the unit stands once.
    let is_large = |number: &Quantity| number.unit.measure == Measure::Count && number.value >= LARGE_COUNT;
    let is_percent = |number: &Quantity| number.unit.measure == Measure::Percent;
    one.unit.measure == other.unit.measure
        || (is_large(one) && !is_percent(other) && other.value >= LARGE_COUNT)
        || (is_large(other) && !is_percent(one) && one.value >= LARGE_COUNT)
}

/// Whether a result of numbers like this one may be claimed so.
fn fits(claimed: &Quantity, input: &Quantity) -> bool {
    alike(claimed, input) || claimed.unit.measure == Measure::Count || input.unit.measure == Measure::Count
}

fn temperature(claimed: &Quantity, nearby: &[NearbyNumber<'_>]) -> Option<Derivation> {
    let found = nearby.iter().find(|near| {
        let theirs = near.number;
        let converted = match (claimed.unit.measure, theirs.unit.measure) {
            (Measure::Celsius, Measure::Fahrenheit) => (theirs.value - 32.0) / 1.8,
            (Measure::Fahrenheit, Measure::Celsius) => theirs.value * 1.8 + 32.0,
            _ => return false,
        };
        (converted - claimed.value).abs() <= 1.0
    })?;
    shown(std::slice::from_ref(found), "the same temperature", true)
}

/// Numbers in a row that add up.
fn sums(claimed: &Quantity, nearby: &[NearbyNumber<'_>]) -> Option<Derivation> {
    for first in 0..nearby.len() {
        let Some(start) = nearby.get(first).filter(|start| fits(claimed, start.number)) else { continue };
        let mut total = size(start.number);
        let mut inputs = vec![*start];
        for next in nearby.iter().skip(first + 1).filter(|next| alike(next.number, start.number)) {
            total += size(next.number);
            inputs.push(*next);
            if inputs.len() > SUMMANDS_MAX {
                break;
            }
            if is_meant(claimed, total, false) {
                return shown(&inputs, "their sum", true);
            }
        }
    }
    None
}

fn pairs(claimed: &Quantity, nearby: &[NearbyNumber<'_>]) -> Option<Derivation> {
    let is_percent = claimed.unit.measure == Measure::Percent;
    let mut unsound = None;
    for (place, one) in nearby.iter().enumerate() {
        for other in nearby.iter().skip(place + 1).filter(|other| alike(one.number, other.number)) {
            let both = [*one, *other];
            let (left, right) = (size(one.number), size(other.number));
            let of_percent = one.number.unit.measure == Measure::Percent;
            let points = claimed.unit.measure == Measure::PercentagePoint && of_percent;
            // A change relative to what it changed from, and the share of one in the other.
            let shares = [(left, right), (right, left)].into_iter().filter(|(_, whole)| *whole > 0.0);
            let mut percents =
                shares.flat_map(|(part, whole)| [100.0 * part / whole, 100.0 * (part - whole).abs() / whole]);
            // Two amounts in one unit belong together across a full stop; bare counts seldom do.
            let is_one_kind = one.sentence == other.sentence || one.number.unit.measure != Measure::Count;
            if is_percent && is_one_kind && percents.any(|share| is_meant(claimed, share, true)) {
                return shown(&both, "one in percent of the other", true);
            }
            if (fits(claimed, one.number) || points) && is_meant(claimed, (left - right).abs(), false) {
                if !(is_percent && of_percent) {
                    return shown(&both, "their difference", true);
                }
                unsound = unsound.or_else(|| shown(&both, "their difference", false));
            }
        }
    }
    unsound
}

/// What a value is counted in: years are no kilometres.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Year,
    Measured(Measure),
}

/// Whether a sum or a difference of the two means anything.
fn combine(one: ValueKind, other: ValueKind) -> bool {
    match (one, other) {
        (ValueKind::Year, ValueKind::Year) => true,
        (ValueKind::Year, ValueKind::Measured(measure)) | (ValueKind::Measured(measure), ValueKind::Year) => {
            measure == Measure::Time
        }
        (ValueKind::Measured(one), ValueKind::Measured(other)) => {
            one == other || one == Measure::Count || other == Measure::Count
        }
    }
}

/// A sum, difference, ratio or percentage change of two numbers, or two years, of one kind.
pub(super) fn follows(values: &TextValues, is_near: impl Fn(usize) -> bool, value: f64) -> bool {
    let numbers = values.numbers.iter().filter(|number| is_near(number.start));
    let numbers = numbers.map(|number| (number.value, ValueKind::Measured(number.unit.measure)));
    let years = values.dates.iter().filter(|date| is_near(date.start));
    let years = years.filter_map(|date| Some((f64::from(date.year?), ValueKind::Year)));
    let known: Vec<(f64, ValueKind)> = numbers.chain(years).take(FOLLOWED_FROM_MAX).collect();
    let near = |other: f64| (value - other).abs() <= 1e-6_f64.max(0.005 * value.abs());
    let exact = |result: f64| (value - result).abs() < 1e-6;
    known.iter().enumerate().any(|(place, (one, kind))| {
        known.iter().skip(place + 1).filter(|(_, other)| combine(*kind, *other)).any(|(other, _)| {
            exact(one + other)
                || exact((one - other).abs())
                || (value.fract() == 0.0
                    && *one != 0.0
                    && (((other - one) / one).abs() * 100.0).round() == value
                    && value > 1.0)
                || (*other != 0.0 && *one != 0.0 && value > 1.0 && (near(one / other) || near(other / one)))
        })
    })
}

/// A year of the passages, and a span of years that they have, before or after it.
pub(super) fn year_follows(
    values: &TextValues,
    text: &str,
    is_near: impl Fn(usize) -> bool,
    year: f64,
) -> bool {
    let near = values.numbers.iter().filter(|number| is_near(number.start));
    let spans: Vec<f64> =
        near.filter_map(|number| span_of_years(number, text)).take(FOLLOWED_FROM_MAX).collect();
    let known = values.dates.iter().filter(|date| is_near(date.start)).filter_map(|date| date.year);
    known.map(f64::from).take(FOLLOWED_FROM_MAX).any(|known| {
        let apart = (known - year).abs();
        spans.iter().any(|span| (apart - span).abs() < YEAR_SLACK)
    })
}

/// Words for years right behind a number, for languages whose units the numbers do not have.
const YEAR_WORDS: &[&str] = &[
    "year",
    "jahr",
    "an ",
    "ans",
    "année",
    "año",
    "ann",
    "ano",
    "rok",
    "lat",
    "jaar",
    "jaren",
    "год",
    "года",
    "лет",
    "yıl",
    "yaş",
    "سنة",
    "سنوات",
    "عام",
    "أعوام",
    "年",
    "岁",
    "歳",
    "周年",
    "년",
    "साल",
    "वर्ष",
];

/// Words before a number that make it an age.
const AGE_WORDS: &[&str] = &[
    "age of",
    "aged",
    "alter von",
    "âge de",
    "edad de",
    "età di",
    "idade de",
    "wieku",
    "возрасте",
    "عمر",
    "享年",
];

/// How many years a number of the page is, if it counts any.
fn span_of_years(number: &Quantity, text: &str) -> Option<f64> {
    let unit = number.unit;
    let is_long = unit.measure == Measure::Time && unit.factor >= SPAN_SECONDS_MIN;
    if is_long {
        return Some(number.value * unit.factor / YEAR_SECONDS);
    }
    if unit.measure != Measure::Count || number.value >= SPAN_YEARS_MAX {
        return None;
    }
    let to = text.floor_char_boundary((number.end + SPAN_WORD_BYTES).min(text.len()));
    let from = text.floor_char_boundary(number.start.saturating_sub(SPAN_WORD_BYTES));
    let behind = text.get(number.end..to)?.trim_start_matches([' ', '-', '\u{a0}']).to_lowercase();
    let before = text.get(from..number.start)?.to_lowercase();
    let counted = YEAR_WORDS.iter().any(|word| behind.starts_with(word));
    (counted || AGE_WORDS.iter().any(|word| before.contains(word))).then_some(number.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::values;

    #[track_caller]
    fn check(text: &str, year: f64, expected: bool) {
        assert_eq!(year_follows(&values(text), text, |_| true, year), expected, "{text}");
    }

    #[test]
    fn a_year_follows_from_years_and_spans_of_years_only() {
        check("The line is 36 kilometres long and was rebuilt in 2018.", 1982.0, false);
        check("The line was rebuilt in 2018, and that was 36 years after its opening.", 1982.0, true);
        check("Die Strecke ist 36 Kilometer lang und wurde im Jahr 2018 erneuert.", 1982.0, false);
        check("Die Strecke wurde im Jahr 2018 erneuert, also 36 Jahre nach der Eröffnung.", 1982.0, true);
    }

    #[test]
    fn a_year_and_a_length_have_no_difference() {
        let found = values("In May 2018 the line had 36 kilometres of track, and 14 kilometres were new.");
        assert!(!follows(&found, |_| true, 1982.0));
        assert!(follows(&found, |_| true, 50.0));
    }

    #[test]
    fn so_many_percent_of_a_number_and_the_rest_follow_from_it() {
        let page = "The hall cost 86 million euros. The state paid 60 % of it, the town the rest.";
        let read = values(page);
        let nearby: Vec<NearbyNumber<'_>> = read
            .numbers
            .iter()
            .map(|number| NearbyNumber {
                number,
                sentence: 0,
                written: page.get(number.start..number.end).unwrap(),
            })
            .collect();
        for (claim, expected) in [
            ("51.6 million euros", Some("page: 60 %, 86 million euros; claim: X = that share of it")),
            ("34.4 million euros", Some("page: 60 %, 86 million euros; claim: X = the rest of it")),
            ("52.6 million euros", None),
            ("60 million euros", None),
        ] {
            let claimed = values(claim);
            let found = derivation(&claimed.numbers[0], &nearby).map(|found| found.reason("X"));
            assert_eq!(found.as_deref(), expected, "{claim}");
        }
    }
}
