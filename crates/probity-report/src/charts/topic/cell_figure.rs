//! One cell of a table as a figure that can be drawn: its size, its unit, its own words.
//!
//! Read by the parser of the checks, so that what is drawn is the number that was checked. A range, a bound and two
//! numbers are no single figure. Never decides whether a figure holds.

use probity_evidence::value::{
    self, Measure, Quantity, QuantityBound, QuantityForm,
    date::DateSpan,
    number,
    scan::{self, ScanPiece},
};
use probity_types::text;

/// A longer cell is a sentence, and its number one of the things that it says.
const CELL_CHARACTERS_MAX: usize = 40;
/// As many as there is room for behind the longest bar.
const SHOWN_CHARACTERS_MAX: usize = 18;

#[derive(Debug, Clone, PartialEq)]
pub struct CellFigure {
    /// Below zero where a minus is before it.
    pub value: f64,
    /// The cell's own words.
    pub shown: String,
    pub unit: FigureUnit,
    /// Four digits without a unit.
    pub may_be_year: bool,
    /// The other reading of an ambiguous separator.
    other: Option<f64>,
    /// The digits with their separators.
    written: String,
}

/// Figures with the same can stand side by side. The words beside a figure are its unit where no unit is known: `12 dB`,
/// `SEK 500`.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureUnit {
    measure: Measure,
    factor: f64,
    before: String,
    behind: String,
}

impl CellFigure {
    pub fn read(cell: &str, column_unit: Option<&str>) -> Option<Self> {
        let own = text::line(cell, CELL_CHARACTERS_MAX + 1);
        if own.chars().count() > CELL_CHARACTERS_MAX {
            return None;
        }
        // As the checks read a row: a bare figure has the unit of its column.
        let is_bare = own.chars().last().is_some_and(char::is_numeric);
        let words = match column_unit.filter(|_| is_bare) {
            Some(unit) => format!("{own} {unit}"),
            None => own,
        };
        let pieces = scan::pieces(&words);
        let (quantity, may_be_year) = single(&pieces)?;
        let (before, behind) = (words.get(..quantity.start)?.trim_end(), words.get(quantity.end..)?);
        let is_exact = match quantity.bound {
            QuantityBound::Exact | QuantityBound::About => true,
            QuantityBound::Above | QuantityBound::Below => false,
        };
        // Accountants write losses in brackets; a margin has no length.
        let is_other = before.ends_with(['(', '±']) || quantity.form != QuantityForm::Digits;
        if !is_exact || is_other || !quantity.value.is_finite() {
            return None;
        }
        let sign = if before.ends_with(['-', '−', '–', '‑']) { -1.0 } else { 1.0 };
        let unit = FigureUnit {
            measure: quantity.unit.measure,
            factor: quantity.unit.factor,
            before: word_before(before, quantity.bound),
            behind: word_behind(behind),
        };
        Some(Self {
            value: sign * quantity.value,
            shown: text::line(&words, SHOWN_CHARACTERS_MAX),
            unit,
            may_be_year,
            other: quantity.other,
            written: digits(words.get(quantity.start..quantity.end)?),
        })
    }

    /// The separator that may part thousands or decimals.
    fn open_separator(&self) -> Option<char> {
        self.other?;
        self.written.chars().find_map(separator)
    }

    /// The mark before the decimals, where the digits leave no doubt of it.
    fn decimal_mark(&self) -> Option<char> {
        if self.other.is_some() {
            return None;
        }
        let marks: Vec<char> = self.written.chars().filter_map(separator).collect();
        match marks.as_slice() {
            [] => None,
            [only] => Some(*only),
            [first, .., last] if first != last => Some(*last),
            // What stands there twice parts thousands.
            [',', ..] => Some('.'),
            _ => Some(','),
        }
    }
}

/// Decides from a whole column whether `1.204` is a thousand or little more than one. False where the column leaves it
/// open too.
pub fn settle_separators(figures: Vec<&mut CellFigure>) -> bool {
    let open: Vec<char> = figures.iter().filter_map(|figure| figure.open_separator()).collect();
    let Some(first) = open.first().copied() else { return true };
    let is_alike = open.iter().all(|separator| *separator == first);
    // Whichever it is, all have it: the bars are as long beside each other either way.
    if is_alike && open.len() == figures.len() {
        return true;
    }
    let mut marks: Vec<char> = figures.iter().filter_map(|figure| figure.decimal_mark()).collect();
    marks.sort_unstable();
    marks.dedup();
    let mark = match marks.as_slice() {
        [only] => *only,
        // Among whole numbers a comma parts thousands; a dot is written for both.
        [] if is_alike && first == ',' => '.',
        _ => return false,
    };
    for figure in figures {
        if let (Some(separator), Some(other)) = (figure.open_separator(), figure.other) {
            let (less, more) = (figure.value.min(other), figure.value.max(other));
            figure.value = if separator == mark { less } else { more };
        }
    }
    true
}

/// The only number of a cell, and whether it may be a year.
fn single(pieces: &[ScanPiece<'_>]) -> Option<(Quantity, bool)> {
    let found = value::values_of(pieces);
    match (found.numbers.as_slice(), found.dates.as_slice()) {
        ([only], _) => Some((only.clone(), false)),
        ([], [date]) if date.month.is_none() && date.span == DateSpan::Point => {
            let place = pieces.iter().position(|piece| piece.start == date.start)?;
            let (quantity, _) = number::read(pieces, place)?;
            Some((quantity, true))
        }
        _ => None,
    }
}

/// `us` says nothing: a dollar without it is one too.
fn word_before(before: &str, bound: QuantityBound) -> String {
    let mut words = before.split_whitespace().rev();
    let word = match bound {
        // "about" is before the figure, and a currency may be before that.
        QuantityBound::About => words.nth(1),
        QuantityBound::Exact | QuantityBound::Above | QuantityBound::Below => words.next(),
    };
    let letters = word.unwrap_or_default().trim_matches(|letter: char| !letter.is_alphabetic());
    let folded = letters.to_lowercase();
    if folded == "us" { String::new() } else { folded }
}

/// In the singular, so that `1 site` and `2 sites` are of one unit. A remark in brackets is no unit.
fn word_behind(behind: &str) -> String {
    let ends = |letter: char| {
        letter.is_whitespace() || matches!(letter, '(' | '[' | ',' | ';' | ':' | '*' | '†' | '‡' | '–' | '—')
    };
    let word = behind.trim_start().split(ends).next().unwrap_or_default();
    word.trim_end_matches('.').to_lowercase().trim_end_matches('s').to_owned()
}

fn digits(written: &str) -> String {
    let from_first = written.trim_start_matches(|letter: char| !letter.is_numeric());
    let belongs = |letter: &char| {
        letter.is_numeric() || separator(*letter).is_some() || matches!(letter, ' ' | '\'' | '’')
    };
    let run: String = from_first.chars().take_while(belongs).collect();
    run.trim_end_matches(|letter: char| !letter.is_numeric()).to_owned()
}

fn separator(letter: char) -> Option<char> {
    match letter {
        ',' | '，' | '٬' => Some(','),
        '.' => Some('.'),
        _ => None,
    }
}
