//! Dates and years as texts write them, read and compared.
//!
//! A claim agrees with a page that says at least as much: "in 2019" with "3 May 2019", not the reverse.

use std::sync::LazyLock;

use super::{
    number_words::{han_digit, han_number},
    scan::{ScanPiece, ScanPieceKind},
};
use crate::word_table::WordTable;

/// A date as far as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextDate {
    pub start: usize,
    pub end: usize,
    pub year: Option<i32>,
    pub month: Option<u8>,
    pub day: Option<u8>,
    pub span: DateSpan,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateSpan {
    /// A day, month or year.
    Point,
    /// `2010s`: ten years from `year` on.
    Decade,
}

/// Years that a bare number of four digits may mean.
const YEARS: std::ops::RangeInclusive<i32> = 1000..=2199;

impl TextDate {
    fn new(start: usize, end: usize, year: Option<i32>, month: Option<u8>, day: Option<u8>) -> Self {
        Self { start, end, year, month, day, span: DateSpan::Point }
    }

    /// The page's date says everything that this one says.
    pub fn agrees(&self, page: &Self) -> bool {
        let years = match (self.span, self.year, page.span, page.year) {
            // The 1800s are a century.
            (DateSpan::Decade, Some(mine), _, Some(theirs)) => {
                (mine..mine + if mine % 100 == 0 { 100 } else { 10 }).contains(&theirs)
            }
            (DateSpan::Point, Some(mine), DateSpan::Point, Some(theirs)) => mine == theirs,
            (DateSpan::Point, Some(_), DateSpan::Decade, _) => false,
            (_, None, _, _) => true,
            (_, Some(_), _, None) => false,
        };
        years && states(self.month, page.month) && states(self.day, page.day)
    }

    /// Nothing that both say is different, though the page may say less.
    pub fn compatible(&self, page: &Self) -> bool {
        let years = match (self.year, page.year) {
            (Some(mine), Some(theirs)) => {
                mine == theirs
                    || (self.span == DateSpan::Decade || page.span == DateSpan::Decade)
                        && (mine / 10 == theirs / 10 || (mine % 100 == 0 && mine / 100 == theirs / 100))
            }
            _ => true,
        };
        years && fits(self.month, page.month) && fits(self.day, page.day)
    }

    /// How much of a date is written: year, month, day.
    pub fn parts(&self) -> usize {
        [self.year.is_some(), self.month.is_some(), self.day.is_some()]
            .into_iter()
            .filter(|&part| part)
            .count()
    }
}

fn states(mine: Option<u8>, theirs: Option<u8>) -> bool {
    mine.is_none() || mine == theirs
}

fn fits(mine: Option<u8>, theirs: Option<u8>) -> bool {
    mine.is_none() || theirs.is_none() || mine == theirs
}

/// Reads the date that begins at `place`, and how many pieces it takes.
pub fn read(pieces: &[ScanPiece<'_>], place: usize) -> Option<(TextDate, usize)> {
    let first = pieces.get(place)?;
    match first.kind {
        ScanPieceKind::Digits => from_digits(pieces, place),
        ScanPieceKind::Word => from_month(pieces, place),
        ScanPieceKind::Han => from_han(pieces, place),
        ScanPieceKind::Sign => None,
    }
}

/// The second year of `1965-66` or `2010–2015`, for which the hyphen is at `place`.
pub fn range_end(pieces: &[ScanPiece<'_>], place: usize, from: &TextDate) -> Option<(TextDate, usize)> {
    let (dash, end) = (pieces.get(place)?, pieces.get(place + 1)?);
    if !matches!(dash.text, "-" | "–" | "—" | "/") || from.month.is_some() {
        return None;
    }
    let start = from.year?;
    let number: i32 = end.folded.parse().ok()?;
    let year = match end.folded.len() {
        2 => start / 100 * 100 + number,
        4 => number,
        _ => return None,
    };
    let follows = end.folded.len() == 4
        || (year > start && !pieces.get(place + 2).is_some_and(|next| next.text == "-" && !next.apart));
    (follows && YEARS.contains(&year)).then(|| (TextDate::new(end.start, end.end, Some(year), None, None), 2))
}

fn from_digits(pieces: &[ScanPiece<'_>], place: usize) -> Option<(TextDate, usize)> {
    let first = pieces.get(place)?;
    if let Some(date) = dotted(first) {
        return Some((date, 1));
    }
    let value = plain_number(first)?;
    let text = |offset: usize| pieces.get(place + offset).map_or("", |piece| piece.text);
    let tight = |offset: usize| pieces.get(place + offset).is_some_and(|piece| !piece.apart);
    let part = |offset: usize| {
        pieces.get(place + offset).and_then(plain_number).and_then(|value| u8::try_from(value).ok())
    };
    let end = |offset: usize| pieces.get(place + offset).map_or(first.end, |piece| piece.end);
    if first.folded.len() == 4 && YEARS.contains(&value) {
        let separator = text(1);
        if matches!(separator, "-" | "/" | "‑") && tight(1) && text(3) == separator && tight(3) && tight(4)
        {
            let (month, day) = (
                part(2).filter(|month| (1..=12).contains(month))?,
                part(4).filter(|day| (1..=31).contains(day))?,
            );
            return Some((TextDate::new(first.start, end(4), Some(value), Some(month), Some(day)), 5));
        }
        if separator == "年" || separator == "년" {
            return Some(after_year_sign(pieces, place + 1, first.start, value));
        }
        if matches!(separator, "s" | "er") && tight(1) && value % 10 == 0 {
            return Some((
                TextDate {
                    span: DateSpan::Decade,
                    ..TextDate::new(first.start, end(1), Some(value), None, None)
                },
                2,
            ));
        }
        // `1970's`
        if matches!(separator, "'" | "’") && tight(1) && text(2) == "s" && tight(2) && value % 10 == 0 {
            let decade = TextDate::new(first.start, end(2), Some(value), None, None);
            return Some((TextDate { span: DateSpan::Decade, ..decade }, 3));
        }
        return Some((TextDate::new(first.start, first.end, Some(value), None, None), 1));
    }
    let small = u8::try_from(value).ok().filter(|&day| (1..=31).contains(&day))?;
    if text(1) == "月" {
        let month = Some(small).filter(|month| (1..=12).contains(month))?;
        let day = part(2).filter(|_| matches!(text(3), "日" | "号"));
        return Some((
            TextDate::new(first.start, end(if day.is_some() { 3 } else { 1 }), None, Some(month), day),
            if day.is_some() { 4 } else { 2 },
        ));
    }
    if text(1) == "/" && text(3) == "/" && tight(1) && tight(3) {
        return slashed(pieces, place, small);
    }
    day_first(pieces, place, small)
}

/// `3 May 2019`, `3. Mai 2019`, `3rd of May, 2019`, `3 de mayo de 2019`, `3 мая 2019 года`.
fn day_first(pieces: &[ScanPiece<'_>], place: usize, day: u8) -> Option<(TextDate, usize)> {
    let first = pieces.get(place)?;
    let mut next = place + 1;
    let at = |place: usize| pieces.get(place);
    if at(next).is_some_and(|piece| {
        !piece.apart && (piece.text == "." || matches!(&*piece.folded, "st" | "nd" | "rd" | "th" | "er"))
    }) {
        next += 1;
    }
    if at(next).is_some_and(|piece| matches!(&*piece.folded, "of" | "de")) {
        next += 1;
    }
    let month = at(next).and_then(|piece| month(&piece.folded))?;
    let mut last = next;
    let (year, used) = year_after(pieces, next + 1);
    last += used;
    Some((TextDate::new(first.start, at(last)?.end, year, Some(month), Some(day)), last + 1 - place))
}

/// `May 3, 2019`, `May 2019`, `mayo de 2019`, and a month alone where it can be nothing else.
fn from_month(pieces: &[ScanPiece<'_>], place: usize) -> Option<(TextDate, usize)> {
    let first = pieces.get(place)?;
    let named = month(&first.folded)?;
    let capital = first.text.chars().next().is_some_and(char::is_uppercase);
    let mut next = place + 1;
    if first.folded.len() <= 4 && pieces.get(next).is_some_and(|dot| dot.text == "." && !dot.apart) {
        next += 1;
    }
    let day = pieces.get(next).and_then(plain_number).and_then(|value| u8::try_from(value).ok());
    let day = day.filter(|day| {
        capital && (1..=31).contains(day) && pieces.get(next).is_some_and(|piece| piece.folded.len() <= 2)
    });
    if day.is_some() {
        next += 1;
        if pieces
            .get(next)
            .is_some_and(|piece| !piece.apart && matches!(&*piece.folded, "st" | "nd" | "rd" | "th"))
        {
            next += 1;
        }
    }
    let (year, used) = year_after(pieces, next);
    next += used;
    let alone = day.is_none() && year.is_none();
    if alone
        && (!capital
            || first.folded.len() < 4
            || matches!(&*first.folded, "march" | "mars" | "august" | "june" | "sept"))
    {
        return None;
    }
    let end = pieces.get(next - 1)?.end;
    Some((TextDate::new(first.start, end, year, Some(named), day), next - place))
}

fn from_han(pieces: &[ScanPiece<'_>], place: usize) -> Option<(TextDate, usize)> {
    let digits = |piece: &&ScanPiece<'_>| han_digit(piece.text).is_some();
    let run: Vec<&ScanPiece<'_>> = pieces.get(place..)?.iter().take_while(digits).take(5).collect();
    let first = run.first()?;
    if run.len() != 4 || pieces.get(place + 4).is_none_or(|next| next.text != "年") {
        return None;
    }
    let value = han_number(run.iter().map(|piece| piece.text))? as i32;
    let (date, taken) = after_year_sign(pieces, place + 4, first.start, value);
    YEARS.contains(&value).then_some((date, taken + 3))
}

/// From `年` on: `5月3日` may follow. The count includes the year itself.
fn after_year_sign(pieces: &[ScanPiece<'_>], sign: usize, start: usize, year: i32) -> (TextDate, usize) {
    let text = |offset: usize| pieces.get(sign + offset).map_or("", |piece| piece.text);
    let part = |offset: usize| {
        pieces.get(sign + offset).and_then(plain_number).and_then(|value| u8::try_from(value).ok())
    };
    let end = |offset: usize| pieces.get(sign + offset).map_or(start, |piece| piece.end);
    let month = part(1).filter(|month| matches!(text(2), "月" | "월") && (1..=12).contains(month));
    let day = part(3)
        .filter(|day| month.is_some() && matches!(text(4), "日" | "号" | "일") && (1..=31).contains(day));
    let last = if day.is_some() {
        4
    } else if month.is_some() {
        2
    } else {
        0
    };
    (TextDate::new(start, end(last), Some(year), month, day), last + 2)
}

/// `03/05/2019`: the day is what cannot be a month; where both could, the American order is as good as the other,
/// so that only the year is taken.
fn slashed(pieces: &[ScanPiece<'_>], place: usize, first: u8) -> Option<(TextDate, usize)> {
    let second = u8::try_from(plain_number(pieces.get(place + 2)?)?).ok()?;
    let year = plain_number(pieces.get(place + 4)?).filter(|year| YEARS.contains(year))?;
    let (month, day) = match (first, second) {
        (13.., 1..=12) => (Some(second), Some(first)),
        (1..=12, 13..=31) => (Some(first), Some(second)),
        _ => (None, None),
    };
    let (start, end) = (pieces.get(place)?.start, pieces.get(place + 4)?.end);
    Some((TextDate::new(start, end, Some(year), month, day), 5))
}

/// `3.5.2019`, which the scanner keeps as one piece.
fn dotted(piece: &ScanPiece<'_>) -> Option<TextDate> {
    let mut parts = piece.folded.split('.');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    let (day, month, year) = (day.parse::<u8>().ok()?, month.parse::<u8>().ok()?, year.parse::<i32>().ok()?);
    let valid = (1..=31).contains(&day) && (1..=12).contains(&month) && YEARS.contains(&year);
    valid.then(|| TextDate::new(piece.start, piece.end, Some(year), Some(month), Some(day)))
}

/// A year after a month, with what may be between, and how many pieces it took.
fn year_after(pieces: &[ScanPiece<'_>], place: usize) -> (Option<i32>, usize) {
    let mut next = place;
    if pieces
        .get(next)
        .is_some_and(|piece| piece.text == "," || matches!(&*piece.folded, "of" | "de" | "del"))
    {
        next += 1;
    }
    let year = pieces
        .get(next)
        .filter(|piece| piece.folded.len() == 4)
        .and_then(plain_number)
        .filter(|year| YEARS.contains(year));
    (year, if year.is_some() { next + 1 - place } else { 0 })
}

fn plain_number(piece: &ScanPiece<'_>) -> Option<i32> {
    let digits = piece.kind == ScanPieceKind::Digits
        && piece.folded.len() <= 4
        && piece.folded.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| piece.folded.parse().ok()).flatten()
}

/// Folded month names in English, German, French, Spanish and Russian (as dates decline them), January first.
const MONTHS: [&str; 12] = [
    "january jan januar janner janvier enero января январь январе",
    "february feb februar fevrier febrero февраля февраль феврале",
    "march mar marz mars marzo марта март марте",
    "april apr avril abril апреля апрель апреле",
    "may mai mayo мая май мае",
    "june jun juni juin junio июня июнь июне",
    "july jul juli juillet julio июля июль июле",
    "august aug aout agosto августа август августе",
    "september sep sept septembre septiembre setiembre сентября сентябрь сентябре",
    "october oct oktober okt octobre octubre октября октябрь октябре",
    "november nov novembre noviembre ноября ноябрь ноябре",
    "december dec dezember dez decembre diciembre декабря декабрь декабре",
];

static MONTH_NUMBERS: LazyLock<WordTable<u8>> = LazyLock::new(|| {
    let months = MONTHS.into_iter().zip(1..);
    months.flat_map(|(names, month)| names.split(' ').map(move |name| (name, month))).collect()
});

/// The number of a folded month name.
pub fn month(word: &str) -> Option<u8> {
    MONTH_NUMBERS.get(word).copied()
}
