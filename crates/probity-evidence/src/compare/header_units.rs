//! The unit of a column: "Revenue (£m)" over 57 is £57 million.

use crate::{
    page::IndexedPage,
    value::{
        Measure, Quantity, QuantityForm, Unit,
        scan::{self, ScanPieceKind},
        unit,
    },
};

/// What parts the cells of a row.
const BORDER: &str = " | ";
/// Columns of one table that are read.
const COLUMNS_MAX: usize = 24;
/// Rows of one table that are read.
const ROWS_MAX: usize = 400;

/// A unit with the scale that stands beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HeaderUnit {
    unit: Unit,
    scale: f64,
}

/// Gives the bare numbers of each table the unit of their column.
pub(super) fn join(page: &IndexedPage, tables: &[(usize, usize)], numbers: &mut [Quantity]) {
    for (first, last) in tables {
        let Some(header) = page.sentences().get(*first) else { continue };
        let columns: Vec<Option<HeaderUnit>> =
            page.sentence_text(header).split(BORDER).take(COLUMNS_MAX).map(header_unit).collect();
        if columns.iter().skip(1).all(Option::is_none) {
            continue;
        }
        let rows = page.sentences().get(first + 1..(*last).min(first + ROWS_MAX)).unwrap_or_default();
        for row in rows {
            let mut start = row.start;
            for (place, cell) in page.sentence_text(row).split(BORDER).enumerate() {
                let end = start + cell.len();
                let known = columns.get(place).copied().flatten().filter(|_| place > 0);
                let at = numbers.partition_point(|number| number.start < start);
                let number = numbers.get_mut(at).filter(|number| number.end <= end);
                if let Some((known, number)) = known.zip(number) {
                    let is_bare =
                        number.unit.measure == Measure::Count && number.form == QuantityForm::Digits;
                    let alone = cell.trim().trim_start_matches(['-', '−', '+', '~']).trim_start();
                    let written = page.text().get(number.start..number.end);
                    if is_bare && written == Some(alone) {
                        give(number, known);
                    }
                }
                start = end + BORDER.len();
            }
        }
    }
}

fn give(number: &mut Quantity, header: HeaderUnit) {
    number.unit = header.unit;
    if header.scale == 1.0 {
        return;
    }
    // A claim may leave the scale to the table, as the cell does.
    number.other = number.other.map(|other| other * header.scale).or(Some(number.value));
    let least = if number.slack == 0.0 { 0.5 } else { number.slack };
    number.slack = least * header.scale;
    number.value *= header.scale;
}

/// "Revenue (£m)", "Share in %", "Area [km²]", "Toneladas 2021".
fn header_unit(header: &str) -> Option<HeaderUnit> {
    let header = header.trim();
    let inside = [('(', ')'), ('（', '）'), ('[', ']')].into_iter().find_map(|(open, close)| {
        let rest = header.get(header.find(open)? + open.len_utf8()..)?;
        rest.get(..rest.find(close)?)
    });
    if let Some(inside) = inside {
        return read(inside);
    }
    let behind = [" in ", " en ", " w ", " в "].iter().find_map(|joint| header.rsplit_once(joint));
    if let Some(found) = behind.and_then(|(_, behind)| read(behind)) {
        return Some(found);
    }
    // "Day" and "Year" are what a row is, not what it counts.
    let is_short = header.split_whitespace().count() <= 2 && (header.chars().count() > 1 || header == "%");
    read(header).filter(|found| is_short && found.unit.measure != Measure::Time)
}

/// A unit with its scale, and nothing else but years and small words.
fn read(text: &str) -> Option<HeaderUnit> {
    let joined: String = scan::fold(text).split_whitespace().collect();
    if let Some(unit) = unit::unit(&joined) {
        return Some(HeaderUnit { unit, scale: 1.0 });
    }
    let pieces = scan::pieces(text);
    let sign = |piece: &scan::ScanPiece<'_>| {
        let written = if piece.folded.is_empty() { piece.text } else { &*piece.folded };
        unit::sign_before(written)
    };
    let has_currency = pieces.iter().any(|piece| sign(piece).is_some());
    let (mut found, mut scale): (Option<Unit>, f64) = (None, 1.0);
    for piece in &pieces {
        let folded = if piece.folded.is_empty() { piece.text } else { &*piece.folded };
        let is_small = matches!(folded, "in" | "of" | "de" | "di" | "von" | "en" | "." | "'" | "’" | "s");
        if piece.kind == ScanPieceKind::Digits || is_small {
            continue;
        }
        let times = unit::scale(folded).or_else(|| unit::scale_letter(folded).filter(|_| has_currency));
        let unit = sign(piece).or_else(|| unit::unit(folded)).or_else(|| kilotonnes(folded));
        match (times, unit) {
            (Some(times), _) => scale *= times,
            (None, Some(unit)) if found.is_none() => found = Some(unit),
            _ => return None,
        }
    }
    let is_scaled = scale != 1.0;
    found.or(is_scaled.then_some(Unit::COUNT)).map(|unit| HeaderUnit { unit, scale })
}

fn kilotonnes(word: &str) -> Option<Unit> {
    (word == "kt").then_some(Unit { measure: Measure::Mass, factor: 1e9 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_the_unit_of_its_column() {
        for (header, measure, scale) in [
            ("Revenue 2023 (£m)", Measure::Pound, 1e6),
            ("Umsatz (Mio. €)", Measure::Euro, 1e6),
            ("Share in %", Measure::Percent, 1.0),
            ("Fläche (km²)", Measure::Area, 1.0),
            ("Emissions (kt)", Measure::Mass, 1.0),
            ("Toneladas 2021", Measure::Mass, 1.0),
        ] {
            let found = header_unit(header).map(|found| (found.unit.measure, found.scale));
            assert_eq!(found, Some((measure, scale)), "{header}");
        }
        for header in ["Staff 2023", "Year", "Segment", "Weight (adults)", "b"] {
            assert_eq!(header_unit(header), None, "{header}");
        }
    }

    #[test]
    fn a_cell_has_the_unit_of_its_header() {
        let page = IndexedPage::new(
            "Results.\nBranch | Sales (£m) | Staff\nBoats | 46 | 120\nSails | 17 | 46\nEnd of it.",
        );
        let facts = super::super::PageFacts::of(&page);
        let agrees = |claim: &str| {
            let claimed = crate::value::values(claim).numbers;
            claimed.iter().all(|mine| facts.values().numbers.iter().any(|theirs| mine.agrees(theirs)))
        };
        assert!(agrees("£46 million"));
        assert!(!agrees("£46 billion"));
        assert!(!agrees("£120 million"));
        assert!(agrees("120 people"));
    }
}
