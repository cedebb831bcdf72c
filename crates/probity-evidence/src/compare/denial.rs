//! Which negations of a text deny something. "Cannot … without" asks for what it names, "X, not Y" denies Y alone, and
//! "26 were not" says nothing against "eleven were".

use std::sync::LazyLock;

use super::{other_parts, reading::Reading, senses::cancelled};
use crate::{
    hash::QuickSet,
    names, polarity,
    value::{Measure, Quantity, QuantityForm},
    words::{self, TextWord},
};

/// Words between two negations that cancel each other.
const DOUBLE_REACH: usize = 10;
/// Words and characters between a negation and the number that it denies.
const DENIED_REACH: usize = 8;
const DENIED_CHARACTERS: usize = 60;
/// Words of either part of a contrast.
pub(super) const CONTRAST_REACH: usize = 5;

/// Negations of further languages that one of the words for "without" cancels, folded and without diacritics.
const OTHER_DENIERS: &[&str] = &["zaden", "zadna", "لا", "لم", "لن", "ليس", "ليست"];
const WITHOUT: &[&str] =
    &["without", "unless", "ohne", "sans", "sin", "senza", "sem", "bez", "без", "zonder", "بدون", "دون"];
/// What begins a statement of its own between two negations.
const BREAKS: &[&str] = &[
    "and", "but", "which", "who", "while", "whereas", "although", "und", "aber", "et", "mais", "pero", "y",
    "и", "но", "oraz", "ale", "maar",
];
/// The word by which a contrast goes on: "not Y but X".
const TURNS: &[(&str, &[&str])] = &[
    ("not", &["but"]),
    ("nicht", &["sondern"]),
    ("kein", &["sondern"]),
    ("keine", &["sondern"]),
    ("keinen", &["sondern"]),
    ("pas", &["mais"]),
    ("non", &["mais", "bensi", "ma"]),
    ("no", &["sino"]),
    ("nao", &["mas", "sim"]),
    ("niet", &["maar"]),
    ("nie", &["lecz", "tylko"]),
    ("не", &["а"]),
    ("ليس", &["بل"]),
];
/// Words before the negation that end a contrast: "X and not Y", "X, а не Y".
const JOINTS: &[&str] =
    &["and", "und", "et", "y", "e", "a", "а", "en", "but", "aber", "mais", "pero", "но", "maar"];
/// Words behind which a negation only narrows: "nothing but clay" is clay.
const NARROWING: &[&str] = &["but", "save", "als", "sino", "que"];
/// Negations that those words turn.
const NARROWED: &[&str] = &["nothing", "none", "nobody", "nichts", "niemand", "nada", "nadie"];
/// What says no without a negation: who denies, spares or lacks something.
const DENYING_WORDS: &[&str] = &[
    "denied",
    "denies",
    "deny",
    "denying",
    "rejected",
    "rejects",
    "refused",
    "refuses",
    "failed",
    "fails",
    "lacked",
    "lacks",
    "lack",
    "spared",
    "spares",
    "unable",
    "zero",
    "0",
    "bestritt",
    "bestreitet",
    "dementierte",
    "weigerte",
    "dementi",
    "dement",
    "refuse",
    "refusa",
    "nego",
    "niega",
    "rechazo",
    "отрицал",
    "отрицает",
    "отказался",
];

/// A word as it is looked at here: folded, without diacritics, with its bytes in the text.
#[derive(Debug, Clone)]
pub(super) struct DenialWord {
    pub plain: String,
    pub start: usize,
    pub end: usize,
}

pub(super) fn of_words(words: &[TextWord]) -> Vec<DenialWord> {
    let word = |word: &TextWord| DenialWord {
        plain: names::plain_token(&word.folded),
        start: word.start,
        end: word.end,
    };
    words.iter().map(word).collect()
}

pub(super) fn of_reading(reading: &Reading<'_>) -> Vec<DenialWord> {
    let word = |token: &super::reading::ReadingWord| DenialWord {
        plain: token.plain.clone(),
        start: token.start.saturating_sub(reading.base),
        end: token.end.saturating_sub(reading.base),
    };
    reading.tokens.iter().map(word).collect()
}

/// The places of negations that deny nothing. `other_has` knows the words of the text that it is compared with.
pub(super) fn idle(text: &str, words: &[DenialWord], other_has: impl Fn(&str) -> bool) -> Vec<usize> {
    let mut found = Vec::new();
    // Most texts deny nothing at all.
    if words.iter().any(other_parts::is_negation) {
        find_idle(text, words, &other_has, &mut found);
    }
    if !text.is_ascii() {
        let spans = cancelled(text);
        let inside =
            |word: &DenialWord| spans.iter().any(|(start, end)| *start <= word.start && word.end <= *end);
        found.extend(words.iter().enumerate().filter(|(_, word)| inside(word)).map(|(place, _)| place));
    }
    found
}

/// The same for words between spaces, where one of them negates.
fn find_idle(text: &str, words: &[DenialWord], other_has: &impl Fn(&str) -> bool, found: &mut Vec<usize>) {
    found.extend(doubles(text, words));
    for (place, word) in words.iter().enumerate() {
        if !is_denier(&word.plain) || found.contains(&place) {
            continue;
        }
        let behind = words.get(place + 1);
        // "No. 7" counts, "nothing but clay" is clay.
        let counts = matches!(word.plain.as_str(), "no")
            && behind.is_some_and(|next| next.plain.starts_with(|first: char| first.is_ascii_digit()))
            && !text.get(word.end..).unwrap_or_default().starts_with([',', ';']);
        let narrows = NARROWED.contains(&word.plain.as_str())
            && behind.is_some_and(|next| NARROWING.contains(&next.plain.as_str()));
        let reverses =
            words.get(place + 1).is_some_and(|next| is_reversed(&next.plain) && !other_has(&next.plain));
        let contrasted = contrast(text, words, place).is_some_and(|found| {
            let has =
                |part: &[DenialWord]| part.iter().any(|word| is_telling(word) && other_has(&word.plain));
            // The other text has only what is denied here: that one is denied.
            !found.joint.is_some_and(other_has) && (!has(found.denied) || has(found.stated))
        });
        if counts || narrows || reverses || contrasted {
            found.push(place);
        }
    }
    for place in (0..words.len()).filter(|place| words.get(*place).is_some_and(other_parts::is_negation)) {
        if !found.contains(&place) && other_parts::denies_another(text, words, place, other_has) {
            found.push(place);
        }
    }
}

/// The bytes of the negations of a text that deny something, whatever it is compared with.
pub(super) fn denials(text: &str, words: &[TextWord]) -> Vec<(usize, usize)> {
    let negates = |(_, word): &(usize, &TextWord)| polarity::negates(&word.folded);
    let places: Vec<(usize, &TextWord)> = words.iter().enumerate().filter(negates).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let idle = idle(text, &of_words(words), |word| !is_reversed(word));
    let denying = places.into_iter().filter(|(place, _)| !idle.contains(place));
    denying.map(|(_, word)| (word.start, word.end)).collect()
}

/// Whether a negation is among so many words before a place of the text.
pub(super) fn is_denied(words: &[TextWord], start: usize, reach: usize) -> bool {
    let before = words.iter().rev().filter(|word| word.end <= start).take(reach);
    before.into_iter().any(|word| polarity::negates(&word.folded))
}

/// Whether a text denies something.
pub(super) fn denies(text: &str) -> bool {
    !denials(text, &words::words(text)).is_empty()
}

/// Where a number stands beside the negation of its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeniedSide {
    /// "26 were not children".
    Before,
    /// "Did not finish with eleven".
    Behind,
}

/// Whether a text says no by a word that is no negation.
pub(super) fn says_no(words: &[TextWord]) -> bool {
    words.iter().any(|word| DENYING_WORDS.contains(&names::plain_token(&word.folded).as_str()))
}

/// How a number of the claim is denied, if the sentence beside it denies nothing.
pub(super) fn denied(
    text: &str,
    words: &[TextWord],
    number: &Quantity,
    sentence: &str,
) -> Option<DeniedSide> {
    let mut found = denials(text, words);
    // "18 metres, not 20": a contrast denies nothing but this number.
    let before = words.iter().rev().find(|word| word.end <= number.start);
    let beside = before.filter(|word| polarity::negates(&word.folded) && number.start - word.end <= 3);
    found.extend(beside.map(|word| (word.start, word.end)));
    let bounds = |end: usize| {
        let next = words.iter().find(|word| word.start >= end).map_or("", |word| word.folded.as_str());
        BOUNDS.contains(&next)
    };
    let side = found.into_iter().filter(|(_, end)| !bounds(*end)).find_map(|(start, end)| {
        let (gap, side) = match number.end <= start {
            true => (text.get(number.end..start)?, DeniedSide::Before),
            false => (text.get(end..number.start)?, DeniedSide::Behind),
        };
        let near = gap.split_whitespace().count() <= DENIED_REACH && gap.chars().count() <= DENIED_CHARACTERS;
        (near && !gap.contains([',', ';', ':', '，', '、', '；', '،'])).then_some(side)
    })?;
    denials(sentence, &words::words(sentence)).is_empty().then_some(side)
}

/// Words behind a negation with which it bounds a number: "no fewer than".
const BOUNDS: &[&str] = &[
    "more",
    "less",
    "fewer",
    "later",
    "only",
    "just",
    "mehr",
    "weniger",
    "nur",
    "plus",
    "moins",
    "más",
    "menos",
    "più",
    "meno",
    "mais",
    "менее",
    "более",
    "только",
    "到",
    "超",
    "足",
    "满",
    "滿",
];

/// The claim counts something that the sentence counts otherwise, with a number that is nowhere on the page: a part that
/// did not is no part that did.
pub(super) fn counts_otherwise<'q>(
    mut mine: impl Iterator<Item = &'q Quantity>,
    theirs: &[&Quantity],
    page: &[Quantity],
) -> bool {
    mine.any(|number| {
        let comparable = |other: &Quantity| {
            let (one, two) = (number.unit.measure, other.unit.measure);
            is_count(other) && (one == two || one == Measure::Count || two == Measure::Count)
        };
        is_count(number)
            && theirs.iter().any(|other| comparable(other))
            && !page.iter().any(|other| number.agrees(other))
    })
}

fn is_count(number: &Quantity) -> bool {
    matches!(number.form, QuantityForm::Digits | QuantityForm::Word) && number.value > 1.0
}

/// Those of `words::negation` as words are looked up here, and the others.
static KNOWN_DENIERS: LazyLock<QuickSet<String>> = LazyLock::new(|| {
    let denials = words::negation::DENIALS.iter().map(|word| names::plain_token(word));
    denials.chain(OTHER_DENIERS.iter().map(|word| (*word).to_owned())).collect()
});

pub(super) fn is_denier(plain: &str) -> bool {
    plain.ends_with("n't") || KNOWN_DENIERS.contains(plain)
}

pub(super) fn is_telling(word: &DenialWord) -> bool {
    !words::is_stop_word(&word.plain) && !is_denier(&word.plain) && word.plain.chars().count() > 1
}

fn between<'t>(text: &'t str, words: &[DenialWord], left: usize, right: usize) -> &'t str {
    let bounds = words.get(left).zip(words.get(right));
    bounds.and_then(|(left, right)| text.get(left.end..right.start)).unwrap_or_default()
}

/// "Cannot be sold without", "not unless": both of them.
fn doubles(text: &str, words: &[DenialWord]) -> Vec<usize> {
    let plain = |place: usize| words.get(place).map_or("", |word| word.plain.as_str());
    let is_without = |place: usize| {
        let before = place.checked_sub(1).map_or("", plain);
        WITHOUT.contains(&plain(place))
            || (plain(place) == "не" && before == "если")
            || (before == "a" && matches!(plain(place), "moins" | "menos" | "meno"))
            || (before == "sei" && plain(place) == "denn")
            || (before == "chyba" && plain(place) == "ze")
            || (before == "salvo" && plain(place) == "que")
    };
    let mut found = Vec::new();
    for without in (0..words.len()).filter(|place| is_without(*place)) {
        let from = without.saturating_sub(DOUBLE_REACH);
        for denier in (from..words.len().min(without + DOUBLE_REACH + 1)).filter(|place| *place != without) {
            let (left, right) = (denier.min(without), denier.max(without));
            let parted = between(text, words, left, right).contains([';', ':', '.', '!', '?', '—'])
                || (left + 1..right).any(|place| BREAKS.contains(&plain(place)));
            if is_denier(plain(denier)) && !is_without(denier) && !parted {
                found.extend([denier, without]);
            }
        }
    }
    found
}

/// `unusual`, `impossible`: not being so is being the opposite.
fn is_reversed(plain: &str) -> bool {
    let other = [
        "under", "unter", "unit", "unif", "univ", "union", "until", "unfall", "ungar", "ungef", "unic",
        "undic", "unser", "unid", "unos", "unas", "unto",
    ];
    let negative =
        plain.starts_with("un") && plain.len() >= 6 && !other.iter().any(|front| plain.starts_with(front));
    negative
        || [
            "impossi",
            "imposib",
            "illegal",
            "ilegal",
            "irregular",
            "invalid",
            "insignific",
            "неверн",
            "невозможн",
        ]
        .iter()
        .any(|front| plain.starts_with(front))
}

/// Whether a contrast of this text denies just what the other one has, and states something that it has not: "to the
/// garden, not to the halls" beside "not to the halls".
pub(super) fn denies_just(text: &str, words: &[DenialWord], other_has: &impl Fn(&str) -> bool) -> bool {
    let telling =
        |part: &[DenialWord]| part.iter().filter(|word| is_telling(word)).cloned().collect::<Vec<_>>();
    let places =
        (0..words.len()).filter(|place| words.get(*place).is_some_and(|word| is_denier(&word.plain)));
    places.filter_map(|place| contrast(text, words, place)).any(|found| {
        let (denied, stated) = (telling(found.denied), telling(found.stated));
        !denied.is_empty()
            && denied.iter().all(|word| other_has(&word.plain))
            && stated.iter().any(|word| !other_has(&word.plain))
    })
}

/// Turns that join other statements too: where the other text has one, it is the page's own "but".
const LOOSE_TURNS: &[&str] = &["but", "mais", "ma", "mas", "maar", "tylko", "sim"];

/// The two parts of a contrast, and its joint where that one may be another's.
struct Contrast<'w> {
    stated: &'w [DenialWord],
    denied: &'w [DenialWord],
    joint: Option<&'w str>,
}

/// What a contrast states and what it denies: "X, not Y", "not Y but X".
fn contrast<'w>(text: &str, words: &'w [DenialWord], place: usize) -> Option<Contrast<'w>> {
    let denier = words.get(place)?.plain.as_str();
    let (_, turns) = TURNS.iter().find(|(word, _)| *word == denier)?;
    let end = words.len().min(place + 1 + CONTRAST_REACH);
    let turn =
        (place + 2..end).find(|at| words.get(*at).is_some_and(|word| turns.contains(&word.plain.as_str())));
    if let Some(turn) = turn {
        let stated = words.get(turn + 1..words.len().min(turn + 1 + CONTRAST_REACH))?;
        let joint = words.get(turn).map(|word| word.plain.as_str()).filter(|word| LOOSE_TURNS.contains(word));
        return Some(Contrast { stated, denied: words.get(place + 1..turn)?, joint });
    }
    let before = place.checked_sub(1)?;
    let joined = words.get(before).is_some_and(|word| JOINTS.contains(&word.plain.as_str()));
    let parted = |gap: &str| gap.contains([',', '(', '–', '—', '،']);
    if !joined && !parted(between(text, words, before, place)) {
        return None;
    }
    // "The tower, not built in 1889," denies what it says of the tower; a thing has an article, a capital or a sign.
    let is_thing = words.get(place + 1).is_some_and(|first| {
        let written = text.get(first.start..first.end).unwrap_or_default();
        words::is_stop_word(&first.plain)
            || written.starts_with(|letter: char| {
                letter.is_uppercase() || letter.is_ascii_digit() || !letter.is_alphabetic()
            })
    });
    // "X, а не Y" is a contrast whatever Y is.
    let is_told = joined && matches!(denier, "не" | "nie");
    if !is_told && !is_thing {
        return None;
    }
    // Y goes on to the next comma, or to the end where no verb can follow the negation.
    let ends = |at: &usize| {
        let behind = text.get(words.get(*at).map_or(text.len(), |word| word.end)..).unwrap_or_default();
        let closed = behind.starts_with([',', ')', ';', '–', '—', '،']) || behind.starts_with(" –");
        let last = at + 1 == words.len() && (joined || matches!(denier, "not" | "nicht" | "pas"));
        closed || last
    };
    let last = (place + 1..end).find(ends)?;
    let to = if joined { before } else { place };
    let stated = words.get(to.saturating_sub(CONTRAST_REACH)..to)?;
    Some(Contrast { stated, denied: words.get(place + 1..=last)?, joint: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: usize) {
        let read = words::words(text);
        let found = denials(text, &read);
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }

    #[test]
    fn two_negations_that_cancel_each_other_deny_nothing() {
        for text in [
            "The crane cannot be hired without a permit.",
            "Without a permit, the crane cannot be hired.",
            "The crane is never hired unless a permit is shown.",
            "Der Kran darf nicht ohne Genehmigung fahren.",
            "La grue ne roule pas sans permis.",
            "La grúa no puede circular sin permiso.",
            "La gru non può circolare senza permesso.",
            "A grua não pode circular sem licença.",
            "Кран нельзя использовать без разрешения.",
            "没有许可证就不能使用起重机。",
            "Late trains are not unusual here.",
        ] {
            check(text, 0);
        }
        check("The crane was hired without a permit.", 1);
        check("The crane was built without a permit, and the owner did not pay.", 2);
        check("The crane cannot be hired.", 1);
    }

    #[test]
    fn a_contrast_denies_only_its_other_part() {
        for text in [
            "Ida Ronk, not the council, drew the map.",
            "The map was drawn by Ida Ronk, not by the council.",
            "Die Karte zeichnete nicht der Rat, sondern Ida Ronk.",
            "El mapa no lo trazó el consejo, sino Ida Ronk.",
            "Карту нарисовал не совет, а Ида Ронк.",
        ] {
            check(text, 0);
        }
        let text = "Ida Ronk, not the council, drew the map.";
        let read = of_words(&words::words(text));
        assert_eq!(idle(text, &read, |word| word == "council").len(), 0, "the page has the council alone");
        check("In 2019, no bridge was closed.", 1);
        check("The tower, not built in 1889, is tall.", 1);
        check("The tower is old and not open to guests.", 1);
    }

    #[test]
    fn another_count_is_another_part() {
        let mine = crate::value::values("26 were not children").numbers;
        let page = crate::value::values("37 residents, among them eleven children").numbers;
        let theirs: Vec<&Quantity> = page.iter().collect();
        assert!(counts_otherwise(mine.iter(), &theirs, &page));
        let same = crate::value::values("eleven were not children").numbers;
        assert!(!counts_otherwise(same.iter(), &theirs, &page));
    }
}
