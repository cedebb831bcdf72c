//! Whose figure it is: a number or date of the claim that the page gives to something else, to another year, or to
//! another row or column of a table.

use super::{Scene, SceneSentence, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, related},
        relative,
    },
    value::{Measure, Quantity, QuantityForm, TextDate, unit},
};

/// Numbers of a claim whose place is looked at.
const NUMBERS_MAX: usize = 6;
/// Counts in words up to this stand anywhere.
const SMALL_COUNT: f64 = 12.0;
/// Places of one figure that are looked at.
const PLACES_MAX: usize = 4;
/// Rows before a row that may be its header.
const HEADER_ROWS_MAX: usize = 40;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let numbers = scene.mine.numbers.iter().take(NUMBERS_MAX).find_map(|number| number_role(scene, number));
    let dates = scene.mine.dates.iter().find_map(|date| date_role(scene, date));
    numbers.into_iter().chain(dates).collect()
}

/// A figure of a page with the words of its own clause.
pub(super) struct OwnWords<'r> {
    pub words: Vec<&'r str>,
    pub names: Vec<&'r str>,
    pub years: Vec<i32>,
}

/// Words that join two figures of one sentence.
pub(super) const JOINTS: &[&str] = &[
    "and",
    "und",
    "et",
    "y",
    "e",
    "и",
    "i",
    "ve",
    "en",
    "or",
    "but",
    "while",
    "against",
    "compared",
    "versus",
    "statt",
    "gegenuber",
    "contre",
    "frente",
    "before",
    "rispetto",
    "ante",
    "przed",
    "مقارنة",
    "wahrend",
    "tandis",
    "mientras",
    "mentre",
    "enquanto",
    "а",
];

/// The clause of a figure: up to a comma, a joint, or the next figure of its kind.
pub(super) fn own_words<'r>(reading: &'r Reading<'_>, number: &Quantity) -> OwnWords<'r> {
    let tokens = &reading.tokens;
    let at = tokens.partition_point(|token| token.end <= number.start);
    let behind = tokens.partition_point(|token| token.start < number.end);
    let rival = |start: usize| {
        reading.numbers.iter().any(|other| {
            other.start <= start
                && start < other.end
                && other.start != number.start
                && other.unit.measure == number.unit.measure
        })
    };
    let mut first = at;
    while let Some(before) = first.checked_sub(1).and_then(|before| tokens.get(before)) {
        if tokens.get(first).is_some_and(|token| token.begins_clause)
            || JOINTS.contains(&before.plain.as_str())
        {
            break;
        }
        if rival(before.start) {
            // What stands between two figures belongs to the first.
            first = at;
            break;
        }
        first -= 1;
    }
    let mut last = behind;
    while let Some(token) = tokens.get(last) {
        if token.begins_clause || JOINTS.contains(&token.plain.as_str()) || rival(token.start) {
            break;
        }
        last += 1;
    }
    let clause = tokens.get(first..last).unwrap_or_default();
    let (from, to) = (
        clause.first().map_or(number.start, |token| token.start),
        clause.last().map_or(number.end, |token| token.end),
    );
    let own = clause
        .iter()
        .filter(|token| token.is_content && !(number.start <= token.start && token.end <= number.end));
    let inside = |date: &&&TextDate| from <= date.start && date.end <= to.max(number.end);
    OwnWords {
        words: own.clone().map(|token| token.plain.as_str()).collect(),
        names: own
            .filter(|token| token.is_capital && token.start != reading.base)
            .map(|token| token.plain.as_str())
            .collect(),
        years: reading.dates.iter().filter(inside).filter_map(|date| date.year).collect(),
    }
}

/// How many of the words and years the claim has.
fn hits(scene: &Scene<'_, '_>, own: &OwnWords<'_>) -> usize {
    let words = own.words.iter().filter(|word| scene.mine.has(word)).count();
    words + own.years.iter().filter(|year| scene.mine.has_year(**year)).count()
}

fn number_role(scene: &Scene<'_, '_>, number: &Quantity) -> Option<ComparisonRemark> {
    if matches!(number.form, QuantityForm::Version | QuantityForm::Ordinal) || number.value == 0.5 {
        return None;
    }
    // A page has many a three.
    if number.unit.measure == Measure::Count
        && number.value <= SMALL_COUNT
        && number.form == QuantityForm::Word
    {
        return None;
    }
    let part = (number.start, number.end);
    let values = &scene.source.facts.values;
    let agreeing: Vec<&Quantity> =
        values.numbers.iter().filter(|theirs| number.agrees(theirs)).take(PLACES_MAX).collect();
    if agreeing.is_empty() {
        return None;
    }
    let mut reasons: Vec<(String, (usize, usize))> = Vec::new();
    for theirs in &agreeing {
        let sentence = sentence_at(scene.source.page, theirs.start)?;
        let reading = Reading::of_sentence(scene.source, &sentence);
        let reason = match reading.text.contains(" | ") {
            true => cell_role(scene, number, theirs, &reading),
            false => labelled_role(scene, &reading).or_else(|| clause_role(scene, theirs, &reading)),
        };
        // One place where it fits is enough.
        reasons.push((reason?, reading.span()));
    }
    let (reason, span) = reasons.into_iter().next()?;
    Some(doubt(ComparisonAspect::Scope, part, Some(span), reason))
}

/// The clause of the figure is about something else, and the claim's words stand by another figure.
fn clause_role(scene: &Scene<'_, '_>, theirs: &Quantity, reading: &Reading<'_>) -> Option<String> {
    let own = own_words(reading, theirs);
    let mine = hits(scene, &own);
    let page = scene.source.page.text();
    let shown = |number: &Quantity| page.get(number.start..number.end).unwrap_or_default().to_owned();
    // The page gives it to another year than the claim.
    let claimed_years: Vec<i32> = scene.mine.dates.iter().filter_map(|date| date.year).collect();
    if let ([claimed], [year]) = (claimed_years.as_slice(), own.years.as_slice())
        && claimed != year
        && scene.source.facts.values.dates.iter().any(|date| date.year == Some(*claimed))
    {
        return Some(format!("the page gives {} for {year}, the claim for {claimed}", shown(theirs)));
    }
    // A figure alone, the end of a range, is another's if that one has more of the claim.
    let is_bare = own.words.is_empty() && own.years.is_empty();
    // All of its words are the claim's too: it is the claim's figure.
    if !is_bare && own.words.iter().all(|word| scene.mine.has(word)) {
        return None;
    }
    let named_other = !own.names.is_empty() && !own.names.iter().any(|name| scene.mine.has(name));
    for sentence in &scene.sentences {
        for rival in &sentence.reading.numbers {
            let is_rival = rival.unit.measure == theirs.unit.measure
                && rival.start != theirs.start
                && !matches!(rival.form, QuantityForm::Version | QuantityForm::Ordinal)
                && !scene.mine.numbers.iter().any(|claimed| claimed.agrees(rival));
            if !is_rival {
                continue;
            }
            let other = own_words(&sentence.reading, rival);
            let theirs_hits = hits(scene, &other);
            let named_here = other.names.iter().any(|name| scene.mine.has(name));
            // In its own sentence one word tells whose figure it is; elsewhere it takes more.
            let is_beside = sentence.reading.base == reading.base;
            let least = match (is_bare, is_beside) {
                (false, true) => 1,
                (false, false) => 2,
                (true, _) => 3,
            };
            let better = (mine == 0 && theirs_hits >= least)
                || (named_other && named_here && theirs_hits >= mine)
                || (mine <= 1 && theirs_hits >= mine + 2);
            if better {
                let about: Vec<&str> = own.words.iter().take(4).copied().collect();
                return Some(format!(
                    "the page gives {} for \"{}\"; by the claim's words stands {}",
                    shown(theirs),
                    about.join(" "),
                    shown(rival)
                ));
            }
        }
    }
    None
}

/// Words of a label before a colon: "Porto: 340 employees".
const LABEL_WORDS_MAX: usize = 4;

/// What stands before the colon of a line of a list.
fn label(line: &str) -> Option<&str> {
    let (label, rest) = line.split_once([':', '：'])?;
    let is_short = crate::words::words(label).len() <= LABEL_WORDS_MAX;
    (is_short && !label.is_empty() && !rest.trim().is_empty()).then_some(label)
}

/// The figure stands behind the label of another line of its list than the one that the claim names.
fn labelled_role(scene: &Scene<'_, '_>, line: &Reading<'_>) -> Option<String> {
    let label_here = label(line.text).filter(|label| !names_row(scene, label))?;
    let page = scene.source.page;
    let at = page.sentences().partition_point(|sentence| sentence.start <= line.base).saturating_sub(1);
    let near = page
        .sentences()
        .get(at.saturating_sub(HEADER_ROWS_MAX)..(at + HEADER_ROWS_MAX).min(page.sentences().len()))?;
    let labels = near.iter().filter_map(|sentence| label(page.sentence_text(sentence)));
    let other = labels.filter(|other| *other != label_here).find(|other| names_row(scene, other))?;
    Some(format!("the page gives the figure for {label_here}, not for {other}"))
}

/// The claim has all telling words of a row's label.
pub(super) fn names_row(scene: &Scene<'_, '_>, label: &str) -> bool {
    let words = crate::words::words(label);
    let mut telling = words.iter().filter(|word| !crate::words::is_stop_word(&word.folded)).peekable();
    telling.peek().is_some()
        && telling.all(|word| {
            let plain = crate::compare::reading::plain(&word.folded);
            scene.mine.tokens.iter().any(|token| related(&token.plain, &plain))
        })
}

/// The figure stands in another row than the one that the claim names, or under a header with another unit.
fn cell_role(
    scene: &Scene<'_, '_>,
    claimed: &Quantity,
    theirs: &Quantity,
    row: &Reading<'_>,
) -> Option<String> {
    let page = scene.source.page;
    let label = row.text.split(" | ").next().unwrap_or_default();
    let at = page.sentences().partition_point(|sentence| sentence.start <= row.base).saturating_sub(1);
    let from = at.saturating_sub(HEADER_ROWS_MAX);
    let near = || {
        page.sentences()
            .get(from..(at + HEADER_ROWS_MAX).min(page.sentences().len()))
            .unwrap_or_default()
            .iter()
    };
    if !names_row(scene, label) {
        let other = near().map(|sentence| page.sentence_text(sentence)).find(|text| {
            let (first, rest) = text.split_once(" | ").unwrap_or(("", ""));
            !rest.is_empty() && first != label && names_row(scene, first)
        })?;
        let other = other.split(" | ").next().unwrap_or_default();
        return Some(format!("the page gives the figure for {label}, not for {other}"));
    }
    // The header of its column: the first row of the table.
    let column =
        row.text.get(..theirs.start.saturating_sub(row.base)).unwrap_or_default().matches(" | ").count();
    let cells = row.text.matches(" | ").count();
    let header = near()
        .map(|sentence| page.sentence_text(sentence))
        .find(|text| text.matches(" | ").count() == cells)?;
    let headers: Vec<&str> = header.split(" | ").collect();
    let mine = headers.get(column).copied()?;
    let fits = |header: &str| {
        crate::words::words(header).iter().any(|word| {
            !crate::words::is_stop_word(&word.folded)
                && scene.mine.has(&crate::compare::reading::plain(&word.folded))
        })
    };
    let unit = crate::words::words(mine)
        .iter()
        .find_map(|word| unit::unit(&word.folded).or_else(|| unit::sign_before(&word.folded)));
    let other_unit =
        unit.is_some_and(|unit| unit.measure != claimed.unit.measure && unit.measure != Measure::Count);
    let other_column =
        headers.iter().skip(1).enumerate().any(|(place, header)| place + 1 != column && fits(header));
    let misplaced = !fits(mine) && (other_unit || other_column);
    misplaced.then(|| format!("the page gives the figure under \"{}\"", mine.trim()))
}

/// A date that the page gives to something else, while the sentence that has the claim's words has another.
fn date_role(scene: &Scene<'_, '_>, date: &TextDate) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.share >= 0.3)?;
    if best.reading.dates.iter().any(|theirs| date.agrees(theirs)) || best.reading.dates.is_empty() {
        return swapped_date(scene, date, best);
    }
    // It has another date, and the sentence with this one has less of the claim.
    let elsewhere =
        scene.sentences.iter().find(|other| other.reading.dates.iter().any(|theirs| date.agrees(theirs)))?;
    if scene.mine.dates.len() != 1 || elsewhere.share + 0.15 > best.share {
        return None;
    }
    // "80 more than a year earlier" speaks of the claim's year.
    let before = relative::year_before(scene.source, best.reading.span()).map(|(year, _)| year);
    let is_compared = relative::says_year_before(scene.claim.text)
        && date.year.is_some_and(|year| best.reading.has_year(year - 1));
    if is_compared || (date.year.is_some() && before == date.year) {
        return None;
    }
    let theirs = best.reading.dates.first()?;
    let shown = scene.source.page.text().get(theirs.start..theirs.end).unwrap_or_default();
    let reason = format!("the sentence with the claim's words says {shown}");
    Some(doubt(ComparisonAspect::Date, (date.start, date.end), Some(best.reading.span()), reason))
}

/// The page has another date between the same neighbours: "the harvest of 2021 was" for "the harvest of 2020 was".
fn swapped_date(
    scene: &Scene<'_, '_>,
    date: &TextDate,
    best: &SceneSentence<'_>,
) -> Option<ComparisonRemark> {
    let around = |reading: &Reading<'_>, start: usize, end: usize| {
        let at = reading.tokens.partition_point(|token| token.end <= start);
        let behind = reading.tokens.partition_point(|token| token.start < end);
        let word = |place: Option<usize>| {
            place.and_then(|place| reading.tokens.get(place)).map(|token| token.plain.clone())
        };
        (word(at.checked_sub(2)), word(at.checked_sub(1)), word(Some(behind)))
    };
    let mine = around(&scene.mine, date.start, date.end);
    let same = |theirs: &TextDate| {
        let (second, left, right) = around(&best.reading, theirs.start, theirs.end);
        left.is_some()
            && left == mine.1
            && (second.is_some() && second == mine.0)
            && ((right.is_some() && right == mine.2) || scene.mine.is_dense)
    };
    if best.reading.dates.iter().any(|theirs| date.agrees(theirs) && same(theirs)) {
        return None;
    }
    let theirs = best.reading.dates.iter().find(|theirs| !date.compatible(theirs) && same(theirs))?;
    let shown = scene.source.page.text().get(theirs.start..theirs.end).unwrap_or_default();
    let reason = format!("the page says {shown} in this place");
    Some(doubt(ComparisonAspect::Date, (date.start, date.end), Some(best.reading.span()), reason))
}
