//! Figures and dates put together from two: the figure of one with the unit of another, the day of one date with the
//! year of another, the cell of one row with the name of another. Nothing of it needs a translation.

use super::{Scene, doubt, roles::names_row};
use crate::{
    compare::{ComparisonAspect, ComparisonRemark, page_comparison::sentence_at},
    value::{Measure, Quantity, QuantityForm},
};

/// Figures below this have many units on one page.
const FIGURE_MIN: f64 = 3.0;
/// How far two figures may be off that are written alike.
const FIGURE_SLACK: f64 = 1e-9;
/// Rows on either side that may name what the claim names.
const ROWS_MAX: usize = 40;

pub(super) fn doubts(scene: &Scene<'_, '_>, is_foreign: bool) -> Vec<ComparisonRemark> {
    let row = if is_foreign { other_row(scene) } else { None };
    other_unit(scene).into_iter().chain(other_year(scene)).chain(row).collect()
}

fn span_at(scene: &Scene<'_, '_>, start: usize) -> Option<(usize, usize)> {
    sentence_at(scene.source.page, start).map(|sentence| (sentence.start, sentence.end))
}

/// "1,240 kilometres" where the page has 1240 metres and nothing that is as long.
fn other_unit(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let numbers = &scene.source.facts.values.numbers;
    let is_measured = |number: &&&Quantity| {
        number.form == QuantityForm::Digits
            && number.value >= FIGURE_MIN
            && number.unit.measure != Measure::Count
    };
    for number in scene.mine.numbers.iter().filter(is_measured) {
        // Read with the other separator, "12.600 kilos" would be 12.6 tonnes: the figure as it is written counts.
        let is_other = |theirs: &Quantity| {
            (number.value - theirs.value).abs() < FIGURE_SLACK
                && number.unit.measure == theirs.unit.measure
                && number.unit_differs(theirs)
        };
        if numbers.iter().any(|theirs| number.agrees(theirs) && !is_other(theirs)) {
            continue;
        }
        let other = numbers.iter().find(|theirs| is_other(theirs));
        let Some(theirs) = other else { continue };
        let page = scene.source.page.text();
        let shown = page.get(theirs.start..theirs.end).unwrap_or_default();
        let written = scene.claim.text.get(number.start..number.end).unwrap_or_default();
        let reason = format!("the page says {shown} where the claim says {written}");
        let part = (number.start, number.end);
        return Some(doubt(ComparisonAspect::Unit, part, span_at(scene, theirs.start), reason));
    }
    None
}

/// The day and month of one date of the page with the year of another.
fn other_year(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let dates = &scene.source.facts.values.dates;
    for date in &scene.mine.dates {
        if date.year.is_none() || date.month.is_none() || date.day.is_none() {
            continue;
        }
        let same_day = || dates.iter().filter(|their| their.month == date.month && their.day == date.day);
        // A page may name the year once, in its head.
        if same_day().any(|their| their.year.is_none() || their.year == date.year) {
            continue;
        }
        let Some(theirs) = same_day().next() else { continue };
        let shown = scene.source.page.text().get(theirs.start..theirs.end).unwrap_or_default();
        let written = scene.claim.text.get(date.start..date.end).unwrap_or_default();
        let reason = format!("the page has {shown}, not {written}");
        let part = (date.start, date.end);
        return Some(doubt(ComparisonAspect::Date, part, span_at(scene, theirs.start), reason));
    }
    None
}

/// A figure that the page has only in rows of a table that the claim does not name, beside a row that it names.
fn other_row(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let page = scene.source.page;
    let label = |text: &str| text.split_once(" | ").map(|(label, _)| label.to_owned());
    for number in scene.mine.numbers.iter().filter(|number| number.form == QuantityForm::Digits) {
        let theirs: Vec<&Quantity> =
            scene.source.facts.values.numbers.iter().filter(|theirs| number.agrees(theirs)).collect();
        let rows: Vec<usize> = theirs
            .iter()
            .filter_map(|theirs| {
                page.sentences().partition_point(|sentence| sentence.start <= theirs.start).checked_sub(1)
            })
            .collect();
        let labels: Vec<String> =
            rows.iter().filter_map(|row| label(page.sentence_text(page.sentences().get(*row)?))).collect();
        // It stands in a sentence too, or in the row that is meant.
        if labels.is_empty()
            || labels.len() != theirs.len()
            || labels.iter().any(|label| names_row(scene, label))
        {
            continue;
        }
        let Some(row) = rows.first().copied() else { continue };
        let near = page.sentences().iter().skip(row.saturating_sub(ROWS_MAX)).take(2 * ROWS_MAX);
        let named = near
            .filter_map(|sentence| label(page.sentence_text(sentence)))
            .find(|label| names_row(scene, label));
        if let (Some(named), Some(other)) = (named, labels.first()) {
            let reason = format!("the page gives the figure for {other}, not for {named}");
            let part = (number.start, number.end);
            let start = theirs.first().map_or(0, |theirs| theirs.start);
            return Some(doubt(ComparisonAspect::Scope, part, span_at(scene, start), reason));
        }
    }
    None
}
