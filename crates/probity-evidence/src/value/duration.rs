//! Hours with a half or a quarter in words: "an hour and three quarters", "anderthalb Stunden", "hora y media".
//!
//! Read as minutes, in which pages and reports give the same time in figures.

use super::{
    number::{self, Quantity, QuantityBound, QuantityForm},
    number_words::{SpelledNumber, han_digit, spelled_number},
    scan::{ScanPiece, ScanPieceKind},
    unit::{Measure, Unit},
};

/// Words of such a time, without apostrophes and hyphens.
const WORDS_MAX: usize = 8;
/// More hours are given in figures.
const HOURS_MAX: f64 = 24.0;
const MINUTES_PER_HOUR: f64 = 60.0;
const SECONDS_PER_MINUTE: f64 = 60.0;

/// Parts of an hour; the longer wording first.
const PARTS: &[(f64, &[&str])] = &[
    (0.75, &["three", "quarters"]),
    (0.75, &["trois", "quarts"]),
    (0.75, &["tres", "cuartos"]),
    (0.75, &["tre", "quarti"]),
    (0.75, &["tres", "quartos"]),
    (0.75, &["drei", "viertel"]),
    (0.75, &["driekwart"]),
    (0.5, &["a", "half"]),
    (0.5, &["een", "half"]),
    (0.5, &["een", "halve"]),
    (0.5, &["eine", "halbe"]),
    (0.5, &["einer", "halben"]),
    (0.5, &["une", "demi"]),
    (0.5, &["half"]),
    (0.5, &["halbe"]),
    (0.5, &["demie"]),
    (0.5, &["demi"]),
    (0.5, &["media"]),
    (0.5, &["mezza"]),
    (0.5, &["mezzo"]),
    (0.5, &["mezz"]),
    (0.5, &["meia"]),
    (0.5, &["pol"]),
    (0.25, &["a", "quarter"]),
    (0.25, &["un", "quart"]),
    (0.25, &["un", "cuarto"]),
    (0.25, &["un", "quarto"]),
    (0.25, &["um", "quarto"]),
    (0.25, &["een", "kwart"]),
    (0.25, &["quarter"]),
    (0.25, &["quart"]),
    (0.25, &["cuarto"]),
];

/// Reads the time that begins at `place`, and how many pieces it takes.
pub fn read(pieces: &[ScanPiece<'_>], place: usize) -> Option<(Quantity, usize)> {
    let first = pieces.get(place)?;
    if !may_begin(first, pieces.get(place + 1)) {
        return None;
    }
    let phrase = Phrase::of(pieces, place);
    let (hours, words) = match first.kind {
        ScanPieceKind::Han => han_hours(&phrase),
        ScanPieceKind::Digits | ScanPieceKind::Word => han_hours(&phrase)
            .or_else(|| compound(&phrase))
            .or_else(|| hours_and_part(&phrase))
            .or_else(|| part_of_hour(&phrase)),
        ScanPieceKind::Sign => None,
    }?;
    let last = phrase.piece(words.checked_sub(1)?)?;
    let mut quantity = Quantity {
        start: first.start,
        end: pieces.get(last)?.end,
        value: hours * MINUTES_PER_HOUR,
        other: None,
        slack: 0.0,
        unit: Unit { measure: Measure::Time, factor: SECONDS_PER_MINUTE },
        bound: QuantityBound::Exact,
        form: QuantityForm::Word,
    };
    number::before(pieces, place, &mut quantity);
    Some((quantity, last + 1 - place))
}

/// A look at the first words, which nearly always says no.
fn may_begin(first: &ScanPiece<'_>, next: Option<&ScanPiece<'_>>) -> bool {
    let word = &*first.folded;
    let goes_on = || next.is_some_and(|next| is_hour(&next.folded) || joins(&next.folded));
    match first.kind {
        ScanPieceKind::Digits => word.len() <= 2,
        ScanPieceKind::Han => first.text == "半" || han_digit(first.text).is_some(),
        ScanPieceKind::Word => {
            one(word) || is_compound(word) || is_hour(word) || begins_part(word) || goes_on()
        }
        ScanPieceKind::Sign => false,
    }
}

/// The next words without the signs that stand inside of words.
struct Phrase<'a> {
    words: [&'a str; WORDS_MAX],
    pieces: [usize; WORDS_MAX],
    count: usize,
}

impl<'a> Phrase<'a> {
    fn of(pieces: &'a [ScanPiece<'_>], place: usize) -> Self {
        let mut phrase = Self { words: [""; WORDS_MAX], pieces: [0; WORDS_MAX], count: 0 };
        for (at, piece) in pieces.iter().enumerate().skip(place).take(2 * WORDS_MAX) {
            if matches!(piece.text, "'" | "’" | "-" | "‑") {
                continue;
            }
            let (Some(word), Some(own)) =
                (phrase.words.get_mut(phrase.count), phrase.pieces.get_mut(phrase.count))
            else {
                break;
            };
            // A sign ends the time.
            *word = &*piece.folded;
            *own = at;
            phrase.count += 1;
        }
        phrase
    }

    fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    fn piece(&self, at: usize) -> Option<usize> {
        self.pieces.get(at).copied().filter(|_| at < self.count)
    }

    /// The part of an hour that begins at a word, and how many words it takes.
    fn part(&self, at: usize) -> Option<(f64, usize)> {
        let stands =
            |words: &[&str]| words.iter().enumerate().all(|(place, word)| self.word(at + place) == *word);
        let (part, words) = PARTS.iter().find(|(_, words)| stands(words))?;
        Some((*part, words.len()))
    }

    /// The whole hours that begin at the front.
    fn whole(&self) -> Option<f64> {
        let word = self.word(0);
        if one(word) {
            return Some(1.0);
        }
        let spelled = match spelled_number(word) {
            Some(SpelledNumber::Cardinal(value)) => Some(value),
            Some(SpelledNumber::Ordinal(_)) | None => word.parse::<f64>().ok(),
        };
        spelled.filter(|hours| (1.0..HOURS_MAX).contains(hours) && hours.fract() == 0.0)
    }
}

/// "An hour and three quarters", "une heure trois quarts", "two and a half hours", "hora y media".
fn hours_and_part(phrase: &Phrase<'_>) -> Option<(f64, usize)> {
    let (hours, at) = if is_hour(phrase.word(0)) { (1.0, 0) } else { (phrase.whole()?, 1) };
    if is_hour(phrase.word(at)) {
        let skip = usize::from(joins(phrase.word(at + 1)));
        // Only French leaves the joint out.
        if skip == 0 && !matches!(phrase.word(at), "heure" | "heures") {
            return None;
        }
        let (part, words) = phrase.part(at + 1 + skip)?;
        let end = at + 1 + skip + words;
        // "An hour and half of the staff".
        return (!is_of(phrase.word(end)) && !is_hour(phrase.word(end))).then_some((hours + part, end));
    }
    if at == 0 || !joins(phrase.word(at)) {
        return None;
    }
    let (part, words) = phrase.part(at + 1)?;
    let end = at + 1 + words;
    is_hour(phrase.word(end)).then_some((hours + part, end + 1))
}

/// "Half an hour", "three quarters of an hour", "un quart d'heure", "media hora".
fn part_of_hour(phrase: &Phrase<'_>) -> Option<(f64, usize)> {
    let (part, words) = phrase.part(0)?;
    let skip = (words..words + 2).take_while(|at| is_of(phrase.word(*at)) || one(phrase.word(*at))).count();
    let end = words + skip;
    is_hour(phrase.word(end)).then_some((part, end + 1))
}

/// "Eine Dreiviertelstunde", "полчаса": one word, with or without its article.
fn compound(phrase: &Phrase<'_>) -> Option<(f64, usize)> {
    let at = usize::from(one(phrase.word(0)));
    let hours = match phrase.word(at) {
        "viertelstunde" | "kwartier" | "kwadrans" => 0.25,
        "mezzora" | "полчаса" => 0.5,
        "dreiviertelstunde" => 0.75,
        _ => return None,
    };
    Some((hours, at + 1))
}

/// "半小时", "一个半小时", "2時間半".
fn han_hours(phrase: &Phrase<'_>) -> Option<(f64, usize)> {
    let digits =
        phrase.word(0).parse::<f64>().ok().filter(|hours| *hours < HOURS_MAX && hours.fract() == 0.0);
    let hours = match phrase.word(0) {
        "半" => Some(0.0),
        word => han_digit(word).or(digits),
    }?;
    // Where the hour stands: two characters in all of them.
    let is_hour =
        |at: usize| matches!((phrase.word(at), phrase.word(at + 1)), ("小", "时" | "時") | ("時", "間"));
    let counter = usize::from(matches!(phrase.word(1), "个" | "個"));
    if phrase.word(0) == "半" {
        return is_hour(1 + counter).then_some((0.5, 3 + counter));
    }
    if phrase.word(1 + counter) == "半" && is_hour(2 + counter) {
        return Some((hours + 0.5, 4 + counter));
    }
    (is_hour(1 + counter) && phrase.word(3 + counter) == "半").then_some((hours + 0.5, 4 + counter))
}

fn one(word: &str) -> bool {
    matches!(
        word,
        "a" | "an" | "one" | "ein" | "eine" | "einer" | "un" | "une" | "una" | "um" | "uma" | "een"
    )
}

fn is_hour(word: &str) -> bool {
    matches!(
        word,
        "hour"
            | "hours"
            | "stunde"
            | "stunden"
            | "heure"
            | "heures"
            | "hora"
            | "horas"
            | "ora"
            | "ore"
            | "uur"
            | "godziny"
            | "godzina"
            | "godzin"
            | "часа"
            | "час"
            | "часов"
    )
}

fn is_compound(word: &str) -> bool {
    matches!(word, "viertelstunde" | "kwartier" | "kwadrans" | "mezzora" | "полчаса" | "dreiviertelstunde")
}

fn begins_part(word: &str) -> bool {
    matches!(
        word,
        "half"
            | "halbe"
            | "demi"
            | "media"
            | "mezza"
            | "mezz"
            | "meia"
            | "pol"
            | "quarter"
            | "quart"
            | "cuarto"
            | "three"
            | "trois"
            | "tres"
            | "tre"
            | "drei"
            | "driekwart"
    )
}

fn joins(word: &str) -> bool {
    matches!(word, "and" | "und" | "et" | "y" | "e" | "en" | "i" | "и")
}

fn is_of(word: &str) -> bool {
    matches!(
        word,
        "of" | "d" | "de" | "di" | "du" | "des" | "der" | "del" | "della" | "do" | "da" | "dos" | "van"
    )
}
