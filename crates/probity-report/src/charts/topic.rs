//! Charts about the topic: a column of figures in a table of the report, as far as its claims were confirmed.
//!
//! A chart has no numbers of its own: every bar is a cell of the table above it, in the cell's own words. What is not
//! drawn is said below the chart, and the table stays beside it. Not drawn at all: columns without a heading, of several
//! units, with figures below zero, of years, and those that only number their rows.

mod cell_figure;

use probity_evidence::split::unit_of;
use probity_types::text;

use self::cell_figure::{CellFigure, settle_separators};
use super::bars::{ChartBar, bars};
use crate::document::{DisplayVerdict, ReportDocument, TextRun, prose::TableCell};

/// Charts of one report: more would stand in the way of the text.
pub const TOPIC_CHARTS_MAX: usize = 3;
/// Fewer figures are compared faster in the table.
const BARS_MIN: usize = 3;
/// More are unreadable; the table has them.
const BARS_MAX: usize = 20;
/// As much as fits above the bars.
const TITLE_CHARACTERS_MAX: usize = 72;
const LABEL_CHARACTERS_MAX: usize = 120;
/// A bar is measured in thousandths of the longest.
const LENGTH_MAX: u16 = 1_000;

/// One column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableChart {
    /// The heading of the column.
    title: String,
    /// In the order of the table.
    bars: Vec<TableBar>,
    /// Rows with a figure whose claims are neither supported nor quoted.
    not_confirmed: usize,
    /// Rows without a name, or without exactly one figure.
    without_figure: usize,
    /// Confirmed rows after the last bar.
    beyond: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct TableBar {
    label: String,
    figure: CellFigure,
}

/// The charts of a table, from its left column to its right one; at most so many.
pub fn table_charts(
    document: &ReportDocument,
    head: &[TableCell],
    rows: &[Vec<TableCell>],
    most: usize,
) -> Vec<TableChart> {
    let columns = head.iter().enumerate().skip(1);
    columns.filter_map(|(place, heading)| column(document, heading, place, rows)).take(most).collect()
}

impl TableChart {
    /// The chart with what it leaves out; none where all figures are zero.
    pub fn figure(&self) -> Option<String> {
        let picture = bars(&self.title, self.chart_bars())?;
        Some(format!(
            "<figure class=\"chart\">{picture}\n<figcaption>{}</figcaption></figure>\n",
            self.caption()
        ))
    }

    fn chart_bars(&self) -> Vec<ChartBar> {
        let longest = self.bars.iter().map(|bar| bar.figure.value).fold(0.0, f64::max);
        let to_bar = |bar: &TableBar| ChartBar {
            label: bar.label.clone(),
            value: length(bar.figure.value / longest),
            shown: bar.figure.shown.clone(),
            fill: "var(--link,#1c5793)",
        };
        self.bars.iter().map(to_bar).collect()
    }

    /// Our own words and counts alone.
    fn caption(&self) -> String {
        let mut caption = "Figures of the table above that are supported or quoted.".to_owned();
        let left_out = [
            (self.not_confirmed, "left out: not confirmed"),
            (self.without_figure, "left out: no name or no single figure"),
            (self.beyond, "more: in the table"),
        ];
        for (count, what) in left_out.into_iter().filter(|(count, _)| *count > 0) {
            let rows = if count == 1 { "row" } else { "rows" };
            caption.push_str(&format!(" {count} {rows} {what}."));
        }
        caption
    }
}

fn column(
    document: &ReportDocument,
    heading: &TableCell,
    place: usize,
    rows: &[Vec<TableCell>],
) -> Option<TableChart> {
    let title = text::line(&words(&heading.runs), TITLE_CHARACTERS_MAX);
    let unit = unit_of(title.trim_end_matches([':', '：', ' '])).1;
    let mut drawn: Vec<TableBar> = Vec::new();
    let (mut not_confirmed, mut without_figure, mut are_years) = (0, 0, true);
    for row in rows {
        let name = row.first().map(|cell| words(&cell.runs)).unwrap_or_default();
        let label = text::line(&name, LABEL_CHARACTERS_MAX);
        let cell = row.get(place);
        let figure = cell.and_then(|cell| CellFigure::read(&words(&cell.runs), unit));
        match figure.filter(|_| !label.is_empty()) {
            None => without_figure += 1,
            Some(figure) => {
                are_years &= figure.may_be_year;
                match cell.is_some_and(|cell| is_confirmed(document, cell)) {
                    true => drawn.push(TableBar { label, figure }),
                    false => not_confirmed += 1,
                }
            }
        }
    }
    if title.is_empty() || are_years || drawn.len() < BARS_MIN || !is_comparable(&drawn) {
        return None;
    }
    if !settle_separators(drawn.iter_mut().map(|bar| &mut bar.figure).collect()) {
        return None;
    }
    let beyond = drawn.len().saturating_sub(BARS_MAX);
    drawn.truncate(BARS_MAX);
    Some(TableChart { title, bars: drawn, not_confirmed, without_figure, beyond })
}

/// One unit, nothing below zero, and more than the numbers of the rows.
fn is_comparable(bars: &[TableBar]) -> bool {
    let Some(first) = bars.first() else { return false };
    let has_one_unit = bars.iter().all(|bar| bar.figure.unit == first.figure.unit);
    let is_drawable = bars.iter().all(|bar| bar.figure.value >= 0.0);
    let is_numbering =
        bars.iter().zip(1_u32..).all(|(bar, number)| (bar.figure.value - f64::from(number)).abs() < 1e-9);
    has_one_unit && is_drawable && !is_numbering
}

/// Whether all that a cell says was found on its pages. Words that nobody checked are not.
fn is_confirmed(document: &ReportDocument, cell: &TableCell) -> bool {
    let says =
        |run: &&TextRun| words(std::slice::from_ref(*run)).chars().any(|letter| letter.is_alphanumeric());
    let holds = |run: &TextRun| {
        matches!(
            document.strictest_verdict(&run.claims),
            Some(DisplayVerdict::Supported | DisplayVerdict::Quoted)
        )
    };
    cell.runs.iter().filter(says).all(holds)
}

/// The words of runs without marks of citation, which would read as figures, and without what is struck out.
fn words(runs: &[TextRun]) -> String {
    let spans = runs.iter().flat_map(|run| &run.spans);
    let told = spans.filter(|span| span.cites.is_empty() && !span.image && !span.struck);
    told.map(|span| if span.line_break { " " } else { span.text.as_str() }).collect()
}

/// A share of the longest bar as a whole number. What is no number has no length.
fn length(share: f64) -> u64 {
    let reaches = |step: &u16| f64::from(*step) <= share * f64::from(LENGTH_MAX);
    (1..=LENGTH_MAX).take_while(reaches).count().try_into().unwrap_or_default()
}

#[cfg(test)]
mod tests;
