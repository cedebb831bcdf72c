//! The values of a text: its numbers with their units, and its dates.
//!
//! Reads what is written and compares two readings; knows nothing of claims or pages.

pub mod date;
mod duration;
pub mod number;
mod number_words;
mod power;
pub mod scan;
pub mod share;
pub mod unit;

pub use date::TextDate;
pub use number::{Quantity, QuantityBound, QuantityForm};
pub use unit::{Measure, Unit};

use scan::{ScanPiece, ScanPieceKind};

/// Everything countable in a text, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextValues {
    pub numbers: Vec<Quantity>,
    pub dates: Vec<TextDate>,
}

/// The numbers and dates of a text.
pub fn values(text: &str) -> TextValues {
    values_of(&scan::pieces(text))
}

/// The same from pieces that were already cut.
pub fn values_of(pieces: &[ScanPiece<'_>]) -> TextValues {
    let mut found = TextValues::default();
    let mut place = 0;
    while place < pieces.len() {
        place += one(pieces, place, &mut found).max(1);
    }
    found
}

/// Reads one value, if there is one, and says how many pieces it took.
fn one(pieces: &[ScanPiece<'_>], place: usize, found: &mut TextValues) -> usize {
    if !may_begin(pieces, place) {
        return 0;
    }
    if let Some((time, taken)) = duration::read(pieces, place) {
        found.numbers.push(time);
        return taken;
    }
    let number = number::read(pieces, place);
    if let Some((date, taken)) = date::read(pieces, place) {
        // "2000 metres" and "$1500" are not years.
        let bare_year = date.month.is_none() && date.span == date::DateSpan::Point && taken == 1;
        let counted = number
            .as_ref()
            .is_some_and(|(number, _)| number.unit.measure != Measure::Count || number.slack >= 1e3);
        if !(bare_year && counted) {
            found.dates.push(date);
            if let Some((end, more)) = date::range_end(pieces, place + taken, &date) {
                found.dates.push(end);
                return taken + more;
            }
            return taken;
        }
    }
    let Some((number, taken)) = number else { return 0 };
    found.numbers.push(number);
    taken
}

/// Digits that are glued to letters belong to a name (`H2O`, `COVID-19`), not to a count.
fn may_begin(pieces: &[ScanPiece<'_>], place: usize) -> bool {
    let Some(piece) = pieces.get(place) else { return false };
    if piece.kind != ScanPieceKind::Digits || piece.apart {
        return piece.kind != ScanPieceKind::Sign;
    }
    let before = |back: usize| place.checked_sub(back).and_then(|place| pieces.get(place));
    let letters = |piece: Option<&ScanPiece<'_>>| {
        piece.is_some_and(|piece| {
            piece.kind == ScanPieceKind::Word
                && unit::sign_before(&piece.folded).is_none()
                && piece.text.chars().all(|letter| letter < '\u{2e80}')
        })
    };
    let hyphenated =
        before(1).is_some_and(|piece| matches!(piece.text, "-" | "_") && !piece.apart) && letters(before(2));
    let year = piece.folded.len() == 4;
    !letters(before(1)) && (!hyphenated || year)
}

#[cfg(test)]
mod tests;
