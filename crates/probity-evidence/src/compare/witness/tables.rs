//! Tables of the page: what stands where the row and the column of the claim meet, and which row has the most.

use super::{Scene, direction::claimed_side, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        reading::{plain, related},
        senses::{EXTREME, Sense},
    },
    value::{Measure, Quantity, QuantityForm},
    words,
};

/// What parts the cells of a row.
const BORDER: &str = " | ";
/// Rows of one table that are read.
const ROWS_MAX: usize = 60;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let tables = scene.source.facts.tables();
    tables
        .iter()
        .find_map(|(first, last)| PageTable::of(scene, *first, *last)?.doubt(scene))
        .into_iter()
        .collect()
}

/// A table with the rows and the column that the claim names.
struct PageTable<'a> {
    headers: Vec<&'a str>,
    rows: Vec<PageRow<'a>>,
    /// Places in `rows`, in the order of the claim.
    named: Vec<usize>,
}

struct PageRow<'a> {
    start: usize,
    cells: Vec<&'a str>,
    /// Where in the claim it is named.
    named_at: Option<usize>,
}

impl<'a> PageTable<'a> {
    /// None unless the claim names one of its rows.
    fn of(scene: &Scene<'a, '_>, first: usize, last: usize) -> Option<Self> {
        let page = scene.source.page;
        let lines = page.sentences().get(first..last.min(first + ROWS_MAX))?;
        let headers: Vec<&str> = page.sentence_text(lines.first()?).split(BORDER).collect();
        let mut rows = Vec::new();
        for line in lines.iter().skip(1) {
            let cells: Vec<&str> = page.sentence_text(line).split(BORDER).collect();
            let named_at = cells.first().and_then(|label| named_at(scene, label));
            rows.push(PageRow { start: line.start, cells, named_at });
        }
        let mut named: Vec<usize> =
            (0..rows.len()).filter(|at| rows.get(*at).is_some_and(|row| row.named_at.is_some())).collect();
        named.sort_by_key(|at| rows.get(*at).and_then(|row| row.named_at));
        (!named.is_empty()).then_some(Self { headers, rows, named })
    }

    fn doubt(&self, scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
        let column = self.column(scene)?;
        match self.named.as_slice() {
            [row] => self.cell(scene, *row, column).or_else(|| self.extreme(scene, *row, column)),
            [one, other] => self.compared(scene, *one, *other, column),
            _ => None,
        }
    }

    /// The column whose header has more of the claim's words than any other, or the only one with figures.
    fn column(&self, scene: &Scene<'_, '_>) -> Option<usize> {
        let fits = |header: &str| {
            let telling = words::words(header).into_iter().filter(|word| !words::is_stop_word(&word.folded));
            // The years of the columns tell them apart too.
            let is_year = |word: &words::TextWord| {
                word.kind == words::WordKind::Number
                    && scene.mine.tokens.iter().any(|token| token.plain == word.folded)
            };
            telling.filter(|word| is_year(word) || scene.mine.has(&plain(&word.folded))).count()
        };
        let mut counts: Vec<(usize, usize)> =
            self.headers.iter().enumerate().skip(1).map(|(at, header)| (fits(header), at)).collect();
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        match counts.as_slice() {
            [(_, only)] => Some(*only),
            [(best, at), (second, _), ..] if best > second => Some(*at),
            _ => None,
        }
    }

    fn figure<'s>(&self, scene: &Scene<'s, '_>, row: usize, column: usize) -> Option<&'s Quantity> {
        let row = self.rows.get(row)?;
        let before: usize = row.cells.iter().take(column).map(|cell| cell.len() + BORDER.len()).sum();
        let (start, end) = (row.start + before, row.start + before + row.cells.get(column)?.len());
        let numbers = &scene.source.facts.values().numbers;
        let at = numbers.partition_point(|number| number.start < start);
        numbers.get(at).filter(|number| number.start < end)
    }

    fn shown(&self, row: usize, column: usize) -> &'a str {
        self.rows.get(row).and_then(|row| row.cells.get(column)).copied().unwrap_or_default().trim()
    }

    /// What the page has of two rows.
    fn both_figures(&self, one: usize, other: usize, column: usize) -> String {
        let figure = |row: usize| format!("{} {}", self.shown(row, 0), self.shown(row, column));
        format!("page: {}, {}", figure(one), figure(other))
    }

    fn remark(
        &self,
        aspect: ComparisonAspect,
        part: (usize, usize),
        row: usize,
        reason: String,
    ) -> ComparisonRemark {
        let span = self.rows.get(row).map(|row| {
            let length: usize = row.cells.iter().map(|cell| cell.len() + BORDER.len()).sum();
            (row.start, row.start + length.saturating_sub(BORDER.len()))
        });
        doubt(aspect, part, span, reason)
    }

    /// The one figure of the claim is not the one of its row and column.
    fn cell(&self, scene: &Scene<'_, '_>, row: usize, column: usize) -> Option<ComparisonRemark> {
        let theirs = self.figure(scene, row, column)?;
        let mut figures = scene
            .mine
            .numbers
            .iter()
            .filter(|number| !matches!(number.form, QuantityForm::Ordinal | QuantityForm::Version));
        let claimed = figures.next()?;
        let in_row = (1..self.headers.len())
            .any(|at| at == column && self.figure(scene, row, at).is_some_and(|cell| claimed.agrees(cell)));
        let same_measure = claimed.unit.measure == theirs.unit.measure
            || claimed.unit.measure == Measure::Count
            || theirs.unit.measure == Measure::Count;
        if figures.next().is_some() || in_row || !same_measure || scene.i_have(Sense::Than) {
            return None;
        }
        let reason = format!(
            "the page's table has {} for {} under \"{}\"",
            self.shown(row, column),
            self.shown(row, 0),
            self.headers.get(column).copied().unwrap_or_default().trim()
        );
        Some(self.remark(ComparisonAspect::Number, (claimed.start, claimed.end), row, reason))
    }

    /// "The most" of a row beside which another has more.
    fn extreme(&self, scene: &Scene<'_, '_>, row: usize, column: usize) -> Option<ComparisonRemark> {
        let (side, place) = scene.my_senses.iter().find_map(|place| match place.sense {
            Sense::Pole(EXTREME, side) => Some((side, place)),
            _ => None,
        })?;
        let ranked = scene
            .mine
            .numbers
            .iter()
            .any(|number| number.form == QuantityForm::Ordinal && number.value > 1.0);
        if ranked || scene.i_have(Sense::Not) || scene.i_have(Sense::Than) {
            return None;
        }
        let mine = self.figure(scene, row, column)?;
        let beats = |other: &Quantity| match side {
            true => other.value > mine.value,
            false => other.value < mine.value,
        };
        let better = (0..self.rows.len())
            .filter(|at| *at != row && !is_sum(self.shown(*at, 0)))
            .find(|at| self.figure(scene, *at, column).is_some_and(beats))?;
        let reason = self.both_figures(row, better, column);
        Some(self.remark(ComparisonAspect::Comparison, (place.start, place.end), better, reason))
    }

    /// "More than" of two rows whose figures say less.
    fn compared(
        &self,
        scene: &Scene<'_, '_>,
        one: usize,
        other: usize,
        column: usize,
    ) -> Option<ComparisonRemark> {
        let (side, place) = claimed_side(scene)?;
        let than = scene.my_senses.iter().find(|place| place.sense == Sense::Than)?.start;
        let at = |row: usize| self.rows.get(row).and_then(|row| row.named_at);
        // The first is compared with the second.
        if !(at(one)? < than && than < at(other)?) {
            return None;
        }
        let (mine, theirs) = (self.figure(scene, one, column)?, self.figure(scene, other, column)?);
        if mine.value == theirs.value || (mine.value > theirs.value) == side {
            return None;
        }
        let reason = self.both_figures(one, other, column);
        Some(self.remark(ComparisonAspect::Comparison, (place.start, place.end), one, reason))
    }
}

/// The row that adds up the others.
fn is_sum(label: &str) -> bool {
    let label = label.trim().to_lowercase();
    [
        "total",
        "sum",
        "all",
        "gesamt",
        "summe",
        "insgesamt",
        "ensemble",
        "totale",
        "всего",
        "итого",
        "合计",
        "总计",
        "合計",
        "average",
        "mean",
    ]
    .iter()
    .any(|word| label.starts_with(word))
}

/// Where the claim names the row: all telling words of its label.
fn named_at(scene: &Scene<'_, '_>, label: &str) -> Option<usize> {
    if label.chars().any(words::classes::is_dense) {
        let label = label.trim();
        return scene.claim.text.find(label).filter(|_| label.chars().count() > 1);
    }
    let mut first = None;
    for word in words::words(label).iter().filter(|word| !words::is_stop_word(&word.folded)) {
        let plain = plain(&word.folded);
        let token = scene.mine.tokens.iter().find(|token| related(&token.plain, &plain))?;
        first.get_or_insert(token.start);
    }
    first
}
