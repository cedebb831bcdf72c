//! Shares and multiples in words: a fifth, two thirds, half, twice, doubled, `三分之一`. Reads a text; compares nothing.

use std::sync::LazyLock;

use super::number::QuantityBound;
use crate::{hash::QuickMap, word_table::WordTable};

/// A share or multiple as a text says it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextShare {
    pub start: usize,
    pub end: usize,
    /// Of the whole: a fifth is 0.2, twice is 2.
    pub value: f64,
    pub bound: QuantityBound,
}

/// A folded word with its bytes, as the caller read it.
#[derive(Debug, Clone, Copy)]
pub struct ShareWord<'a> {
    pub start: usize,
    pub end: usize,
    pub plain: &'a str,
}

/// Words that are a share by themselves.
const WHOLE_WORDS: &[(f64, &str)] = &[
    (
        0.5,
        "half halfte mitad moitie metade meta polowa polowe helft yarisi половина половину половины نصف النصف 절반 आधा आधे",
    ),
    (
        2.0,
        "twice doppio doble dobro doppelte doppelten dwukrotnie double doubled doubling doubles doppelt verdoppelt verdoppelte verdoppeln doublé double duplicado duplico duplicaron \
        raddoppiato raddoppiata dobrou duplicou вдвое удвоился удвоилась удвоилось удвоились podwoil verdubbeld ikiye ضعف ضعفي",
    ),
    (
        3.0,
        "triple tripled triples verdreifacht verdreifachte triplé triplico triplicado triplicato triplicou втрое",
    ),
    (4.0, "quadruple quadrupled vervierfacht quadruplé cuadruplico quadruplicou вчетверо"),
    (0.5, "halved halbiert halbierte halbieren"),
    (1.0 / 3.0, "треть трети"),
    (0.25, "четверть"),
];

/// Parts that need a number or an article before them: "third" may be a place in a row.
const PARTS: &[(f64, &str)] = &[
    (3.0, "third thirds drittel dritteln tiers tercio tercios terzo terzi terco tercos derde ثلث ثلثا ثلثي"),
    (4.0, "quarter quarters viertel vierteln quart quarts cuarto cuartos quarto quarti kwart ربع أرباع"),
    (5.0, "fifth fifths funftel funfteln cinquieme cinquiemes quinto quintos quinti vijfde خمس أخماس"),
    (6.0, "sixth sixths sechstel sixieme sexto"),
    (8.0, "eighth eighths achtel huitieme"),
    (10.0, "tenth tenths zehntel dixieme dixiemes decimo decimos decimi"),
];

/// How many parts.
const COUNTS: &[(f64, &str)] = &[
    (1.0, "a an one ein eine einem einen un une uno una um uma einer een"),
    (2.0, "two zwei deux dos due dois duas twee два две"),
    (3.0, "three drei trois tres tre drie"),
    (4.0, "four vier quatre cuatro quattro quatro"),
    (5.0, "five funf cinq cinco cinque piec пяти"),
    (6.0, "six sechs seis"),
    (7.0, "seven sieben sept siete"),
    (9.0, "nine neun neuf nueve"),
    (10.0, "ten zehn dix diez"),
];

/// Words after a count that make a multiple: "four times".
const TIMES: &[&str] =
    &["times", "fold", "mal", "fois", "veces", "volte", "vezes", "keer", "раза", "раз", "kat", "أضعاف", "배"];

/// The values of a table by word. A word that stands twice has the first of its values.
struct ShareTable(LazyLock<WordTable<f64>>);

static COUNTS_BY_WORD: ShareTable = ShareTable(LazyLock::new(|| by_word(COUNTS)));
static WHOLES_BY_WORD: ShareTable = ShareTable(LazyLock::new(|| by_word(WHOLE_WORDS)));
static PARTS_BY_WORD: ShareTable = ShareTable(LazyLock::new(|| by_word(PARTS)));

fn by_word(table: &[(f64, &'static str)]) -> WordTable<f64> {
    let mut found: QuickMap<&'static str, f64> = QuickMap::default();
    for (value, forms) in table {
        for form in forms.split_whitespace() {
            found.entry(form).or_insert(*value);
        }
    }
    found.into_iter().collect()
}

fn listed(table: &ShareTable, word: &str) -> Option<f64> {
    table.0.get(word).copied()
}

/// The shares of a text whose words are given.
pub fn shares(text: &str, words: &[ShareWord<'_>]) -> Vec<TextShare> {
    let mut found = dense(text);
    found.extend((0..words.len()).filter_map(|place| parts_of_whole(words, place)));
    for (place, word) in words.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        let count = before.and_then(|before| {
            listed(&COUNTS_BY_WORD, before.plain)
                .or_else(|| before.plain.parse().ok().filter(|count| *count < 100.0))
        });
        let whole = listed(&WHOLES_BY_WORD, word.plain).filter(|value| {
            // "The first half of 2022" is a time.
            *value != 0.5 || !before.is_some_and(|before| is_ordinal(before.plain))
        });
        let part = listed(&PARTS_BY_WORD, word.plain).zip(count).map(|(parts, count)| count / parts);
        let times = count.filter(|count| *count > 1.0 && TIMES.contains(&word.plain));
        let one_word = compound(word.plain);
        let counted = part.is_some() || times.is_some();
        let Some(value) = whole.or(part.filter(|share| *share < 1.0)).or(times).or(one_word) else {
            continue;
        };
        let first = if counted && whole.is_none() { before.unwrap_or(word) } else { word };
        let place = if counted && whole.is_none() { place - 1 } else { place };
        found.push(TextShare { start: first.start, end: word.end, value, bound: bound(words, place) });
    }
    found
}

/// "Three out of five", "drei von fünf", "deux huîtres sur cinq": the share whose joint stands at `joint`.
fn parts_of_whole(words: &[ShareWord<'_>], joint: usize) -> Option<TextShare> {
    let plain = |place: usize| words.get(place).map_or("", |word| word.plain);
    let count = |place: usize| {
        let is_article = matches!(plain(place), "a" | "an" | "un" | "une" | "um" | "uma" | "een");
        let read = listed(&COUNTS_BY_WORD, plain(place)).or_else(|| plain(place).parse().ok());
        read.filter(|count| !is_article && *count >= 1.0 && *count <= 100.0)
    };
    // How many words the joint has, and whether what is counted may stand before it.
    let (length, is_apart) = match (plain(joint), plain(joint + 1)) {
        ("out", "of") | ("de" | "em", "cada") | ("in", "every") => (2, false),
        ("sur" | "su", _) => (1, true),
        ("of" | "in" | "von" | "na" | "из" | "van", _) => (1, false),
        _ => return None,
    };
    let before = joint.checked_sub(1)?;
    let left = count(before).map(|part| (part, before));
    let left = left.or_else(|| {
        let earlier = before.checked_sub(1).filter(|_| is_apart)?;
        Some((count(earlier)?, earlier))
    });
    let ((part, first), all) = (left?, count(joint + length)?);
    let (start, end) = (words.get(first)?.start, words.get(joint + length)?.end);
    (part < all).then(|| TextShare { start, end, value: part / all, bound: bound(words, first) })
}

/// `dreimal`, `fourfold`, `zweidrittel`.
fn compound(word: &str) -> Option<f64> {
    let stem = word
        .strip_suffix("mal")
        .or_else(|| word.strip_suffix("fold"))
        .or_else(|| word.strip_suffix("fach"))?;
    listed(&COUNTS_BY_WORD, stem).filter(|count| *count > 1.0)
}

fn is_ordinal(word: &str) -> bool {
    matches!(
        word,
        "first"
            | "second"
            | "erste"
            | "ersten"
            | "zweite"
            | "zweiten"
            | "premiere"
            | "seconde"
            | "primera"
            | "segunda"
    )
}

/// What the three words before make of it.
fn bound(words: &[ShareWord<'_>], place: usize) -> QuantityBound {
    let from = place.saturating_sub(3);
    let near = words.get(from..place).unwrap_or_default();
    let has = |list: &[&str]| near.iter().any(|word| list.contains(&word.plain));
    if has(&[
        "more",
        "over",
        "mehr",
        "uber",
        "plus",
        "mas",
        "piu",
        "mais",
        "более",
        "больше",
        "أكثر",
        "meer",
        "ponad",
    ]) {
        QuantityBound::Above
    } else if has(&[
        "less",
        "fewer",
        "under",
        "weniger",
        "unter",
        "moins",
        "menos",
        "meno",
        "менее",
        "أقل",
        "minder",
        "mniej",
    ]) {
        QuantityBound::Below
    } else if has(&[
        "about",
        "roughly",
        "around",
        "nearly",
        "almost",
        "etwa",
        "rund",
        "fast",
        "knapp",
        "environ",
        "presque",
        "pres",
        "casi",
        "unos",
        "circa",
        "quase",
        "cerca",
        "около",
        "почти",
        "حوالي",
        "نحو",
        "ongeveer",
        "okolo",
        "prawie",
    ]) {
        QuantityBound::About
    } else {
        QuantityBound::Exact
    }
}

/// Scripts without spaces: `三分之一`, `3分の2`, `一半`, `半数`.
fn dense(text: &str) -> Vec<TextShare> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for word in ["一半", "半数", "半分", "过半", "過半", "半成"] {
        for (start, _) in text.match_indices(word) {
            let end = start + word.len();
            let after = text.get(end..).unwrap_or_default();
            let above =
                word.starts_with(['过', '過']) || after.starts_with("以上") || after.starts_with("を超");
            let below = after.starts_with("以下") || after.starts_with("不到");
            let bound = match (above, below) {
                (true, _) => QuantityBound::Above,
                (_, true) => QuantityBound::Below,
                _ => QuantityBound::Exact,
            };
            found.push(TextShare { start, end, value: 0.5, bound });
        }
    }
    for joint in ["分之", "分の"] {
        for (at, _) in text.match_indices(joint) {
            let left = text.get(..at).and_then(|before| before.chars().next_back());
            let right = text.get(at + joint.len()..).and_then(|after| after.chars().next());
            let (Some(left), Some(right)) = (left, right) else { continue };
            let (Some(parts), Some(count)) = (digit(left), digit(right)) else { continue };
            if parts > 1.0 && count < parts {
                let end = at + joint.len() + right.len_utf8();
                found.push(TextShare {
                    start: at - left.len_utf8(),
                    end,
                    value: count / parts,
                    bound: QuantityBound::Exact,
                });
            }
        }
    }
    found
}

fn digit(letter: char) -> Option<f64> {
    let plain = crate::words::classes::digit(letter).and_then(|digit| digit.to_digit(10)).map(f64::from);
    let mut written = [0; 4];
    plain
        .or_else(|| super::number_words::han_digit(letter.encode_utf8(&mut written)))
        .or_else(|| (letter == '十').then_some(10.0))
}
