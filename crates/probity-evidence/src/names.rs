//! Names in a text: capitalised runs, acronyms, katakana runs and addresses, each with its bytes.
//!
//! Found by how they are written, without lists of people or places. German writes every noun with a capital, so
//! there only runs of two and acronyms count.

use std::borrow::Cow;

use crate::{
    value::{date, scan, unit},
    words::{LetterCase, TextWord, WordKind, is_stop_word, stop},
};

/// A name as a text writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameMention {
    pub start: usize,
    pub end: usize,
    /// Its words: folded, without diacritics, small words left out.
    pub tokens: Vec<String>,
    pub kind: NameKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// Capitalised words in a row, or one inside a sentence.
    Capitals,
    /// One capitalised word at the beginning of a sentence, where any word has a capital.
    Initial,
    Acronym,
    Katakana,
    Address,
}

/// Capitalised words that are no names: days, titles, languages' own pronouns.
const NOT_NAMES: &[&str] = &[
    "i",
    "according",
    "selon",
    "segun",
    "secondo",
    "laut",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mr",
    "mrs",
    "ms",
    "dr",
    "sir",
    "lord",
    "prof",
    "professor",
    "president",
    "herr",
    "frau",
    "monsieur",
    "madame",
    "senor",
    "senora",
    "st",
    "jr",
    "sr",
    "vs",
    "ok",
];

/// Small words that may be inside a name: `Bank of England`, `Ursula von der Leyen`.
const JOINTS: &[&str] =
    &["of", "de", "del", "la", "le", "du", "des", "von", "van", "der", "den", "al", "bin"];
/// The second of two small words: `Lord of the Rings`, `Ursula von der Leyen`.
const SECOND_JOINTS: &[&str] = &["the", "la", "los", "las", "der", "den", "le", "les"];

/// The names of a text whose words are given.
pub fn names(text: &str, words: &[TextWord]) -> Vec<NameMention> {
    let german = is_german(words);
    let mut found = addresses(text);
    found.extend(katakana(text));
    let inside = |word: &TextWord, found: &[NameMention]| {
        found.iter().any(|name| name.start <= word.start && word.end <= name.end)
    };
    let mut place = 0;
    while let Some(word) = words.get(place) {
        if !is_capital(word) || inside(word, &found) {
            place += 1;
            continue;
        }
        let end = run_end(text, words, place, german);
        let run = words.get(place..end).unwrap_or_default();
        if let Some(name) = name_of(text, words, place, run, german) {
            found.push(name);
        }
        place = end.max(place + 1);
    }
    found.sort_by_key(|name| name.start);
    found
}

/// Whether the small words are German ones.
pub fn is_german(words: &[TextWord]) -> bool {
    let small = |word: &&TextWord| {
        matches!(
            word.folded.as_str(),
            "der"
                | "die"
                | "das"
                | "und"
                | "ist"
                | "nicht"
                | "ein"
                | "eine"
                | "von"
                | "mit"
                | "für"
                | "den"
                | "dem"
                | "wird"
                | "auf"
                | "zu"
                | "im"
                | "werden"
                | "sich"
                | "auch"
                | "oder"
                | "sind"
                | "einen"
                | "bei"
                | "als"
                | "wurde"
                | "wurden"
                | "am"
                | "war"
                | "des"
                | "hat"
                | "nach"
                | "sie"
                | "er"
                | "es"
        )
    };
    let english = |word: &&TextWord| {
        matches!(word.folded.as_str(), "the" | "and" | "of" | "is" | "to" | "with" | "was" | "for")
    };
    // `von der` inside a name is no German sentence.
    let named = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|before| is_capital(before) || before.folded == "von")
    };
    let inside_name =
        |place: usize, word: &TextWord| matches!(word.folded.as_str(), "von" | "der" | "den") && named(place);
    let german =
        words.iter().enumerate().filter(|(place, word)| small(word) && !inside_name(*place, word)).count();
    let english = words.iter().filter(english).count();
    let few = (german >= 2 || words.len() <= 8) && german > english && german * 12 >= words.len();
    // Other small words tell it too: "ins", "kann", "man".
    let outside = words.iter().enumerate().filter(|(place, word)| !inside_name(*place, word));
    few || stop::likely_language(outside.map(|(_, word)| word.folded.as_str())) == Some("de")
}

fn is_capital(word: &TextWord) -> bool {
    word.kind == WordKind::Plain && word.case != LetterCase::Lower
}

/// Where a run of capitals ends: joints are kept only with a capital after them, punctuation ends the run.
fn run_end(text: &str, words: &[TextWord], first: usize, german: bool) -> usize {
    let mut end = first + 1;
    loop {
        let close = |one: usize, other: usize| {
            let (Some(one), Some(other)) = (words.get(one), words.get(other)) else { return false };
            let between = text.get(one.end..other.start).unwrap_or_default();
            between.chars().all(|letter| matches!(letter, ' ' | '\u{a0}' | '-' | '&' | '\'' | '’' | '.'))
                && between.len() <= 3
                && between != ". "
                || (between == ". " && one.end - one.start <= 2)
        };
        let Some(next) = words.get(end) else { return end };
        if is_capital(next) && close(end - 1, end) {
            end += 1;
            continue;
        }
        // "Norden der Bucht" is no name: the article of another noun.
        let article = german && matches!(next.folded.as_str(), "der" | "des" | "den");
        let joint = !article && JOINTS.contains(&next.folded.as_str()) && close(end - 1, end);
        let second = |after: &TextWord| SECOND_JOINTS.contains(&after.folded.as_str());
        let two = joint && words.get(end + 1).is_some_and(second) && close(end, end + 1);
        let behind = end + 1 + usize::from(two);
        if joint && words.get(behind).is_some_and(is_capital) && close(behind - 1, behind) {
            end = behind + 1;
            continue;
        }
        return end;
    }
}

fn name_of(
    text: &str,
    words: &[TextWord],
    place: usize,
    run: &[TextWord],
    german: bool,
) -> Option<NameMention> {
    let initial = begins_sentence(text, words, place);
    let mut kept: Vec<&TextWord> = run.iter().filter(|word| is_capital(word)).collect();
    if initial
        && kept.first().is_some_and(|word| is_stop_word(&word.folded) && word.case != LetterCase::Upper)
    {
        kept.remove(0);
    }
    let tokens: Vec<String> = kept
        .iter()
        .filter(|word| word.case == LetterCase::Upper || !is_stop_word(&word.folded))
        .map(|word| plain_token(&word.folded))
        .filter(|token| !NOT_NAMES.contains(&token.as_str()) && date::month(token).is_none())
        .filter(|token| token.chars().count() > 1)
        .collect();
    let (first, last) = (kept.first()?, kept.last()?);
    let acronym =
        kept.len() == 1 && first.case == LetterCase::Upper && (2..=6).contains(&first.folded.chars().count());
    let kind = if acronym {
        NameKind::Acronym
    } else if initial && run.len() == 1 {
        NameKind::Initial
    } else {
        NameKind::Capitals
    };
    let weak_german = german && !acronym && tokens.len() < 2;
    let named = !tokens.is_empty() && !weak_german;
    named.then_some(NameMention { start: first.start, end: last.end, tokens, kind })
}

/// Whether the text writes names with case endings: Polish, and scripts of Russian.
pub fn declines(words: &[TextWord]) -> bool {
    let cyrillic = |word: &TextWord| word.folded.starts_with(|letter: char| ('а'..='я').contains(&letter));
    words.iter().any(cyrillic)
        || stop::likely_language(words.iter().map(|word| word.folded.as_str())) == Some("pl")
}

/// Case endings of names, folded; what is left of the two forms is the same.
const CASES: &[&str] = &[
    "", "a", "y", "i", "e", "ie", "u", "owi", "em", "iem", "ego", "emu", "ym", "im", "ej", "iej", "o", "ze",
    "а", "у", "ы", "и", "е", "ю", "я", "й", "ой", "ей", "ом", "ем", "ым", "им", "ого", "ему", "ому", "ая",
    "ую", "ия", "ии", "ию", "ией", "ь",
];
/// Letters that the forms of one name have in common.
const CASE_FRONT_MIN: usize = 2;

/// Forms of one name in a language with case endings: `Ewa` and `Ewie`, `Stroka` and `Stroce`, `Полина` and `Полины`.
pub fn is_declined(one: &str, other: &str) -> bool {
    let shared: usize = one
        .chars()
        .zip(other.chars())
        .take_while(|(left, right)| left == right)
        .map(|(letter, _)| letter.len_utf8())
        .sum();
    let (front, mine, theirs) = (one.get(..shared), one.get(shared..), other.get(shared..));
    let (Some(front), Some(mine), Some(theirs)) = (front, mine, theirs) else { return false };
    // Before some endings the last consonant changes: k to c, g to dz, r to rz.
    let changed =
        |ending: &str| matches!(ending, "ka" | "ki" | "ke" | "ce" | "ga" | "dze" | "ra" | "rze" | "ze");
    let ends = |ending: &str| CASES.contains(&ending);
    let length = front.chars().count();
    length >= CASE_FRONT_MIN && ends(mine) && ends(theirs)
        || (length > CASE_FRONT_MIN && changed(mine) && changed(theirs))
}

/// A token as it is looked up: no possessive, no diacritics.
pub fn plain_token(folded: &str) -> String {
    as_plain_token(folded).into_owned()
}

/// The same without a copy of what is plain already, as most words are.
pub(crate) fn as_plain_token(folded: &str) -> Cow<'_, str> {
    let bare = folded.strip_suffix("'s").or_else(|| folded.strip_suffix('\'')).unwrap_or(folded);
    scan::folded(bare)
}

fn begins_sentence(text: &str, words: &[TextWord], place: usize) -> bool {
    let Some(word) = words.get(place) else { return true };
    let Some(before) = place.checked_sub(1).and_then(|before| words.get(before)) else { return true };
    let between = text.get(before.end..word.start).unwrap_or_default();
    between.contains(['!', '?', ':', '\n', '"', '“', '«', '„', '*', '#', '|'])
        || (between.contains('.') && before.folded.chars().count() > 2)
}

/// Web addresses and paths, which must be on the page unchanged.
fn addresses(text: &str) -> Vec<NameMention> {
    let mut found = Vec::new();
    for scheme in ["https://", "http://"] {
        for (start, _) in text.match_indices(scheme) {
            let rest = text.get(start..).unwrap_or_default();
            let length = rest
                .find(|letter: char| {
                    letter.is_whitespace() || matches!(letter, ')' | ']' | '>' | '"' | '，' | '。' | '、')
                })
                .unwrap_or(rest.len());
            let address = rest.get(..length).unwrap_or_default().trim_end_matches(['.', ',', ';', ':']);
            let token = address.trim_start_matches(scheme).trim_end_matches('/').to_lowercase();
            found.push(NameMention {
                start,
                end: start + address.len(),
                tokens: vec![token],
                kind: NameKind::Address,
            });
        }
    }
    found
}

/// Runs of at least three katakana: foreign names and terms.
fn katakana(text: &str) -> Vec<NameMention> {
    let mut found: Vec<NameMention> = Vec::new();
    let mut run: Option<(usize, usize)> = None;
    let is_kana = |letter: char| matches!(letter, '\u{30a1}'..='\u{30fa}' | 'ー' | '・');
    for (place, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if is_kana(letter) {
            run =
                Some(run.map_or((place, place + letter.len_utf8()), |(start, _)| {
                    (start, place + letter.len_utf8())
                }));
        } else if let Some((start, end)) = run.take() {
            let token = text.get(start..end).unwrap_or_default();
            // メガバイト is what a number counts.
            if token.chars().count() >= 3 && unit::unit(token).is_none() {
                found.push(NameMention {
                    start,
                    end,
                    tokens: vec![token.to_owned()],
                    kind: NameKind::Katakana,
                });
            }
        }
    }
    found
}

/// The first letters of a name's words, as an acronym would have them.
pub fn initials(tokens: &[String]) -> String {
    tokens.iter().filter_map(|token| token.chars().next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = names(text, &words(text)).iter().map(|name| name.tokens.join(" ")).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn runs_of_capitals_are_names() {
        check(
            "Yesterday the Bank of England raised rates, said Andrew Bailey.",
            &["yesterday", "bank england", "andrew bailey"],
        );
        check("The WHO met in Zürich on Monday in May.", &["who", "zurich"]);
        check("Ursula von der Leyen spoke to J. R. Smith's team.", &["ursula leyen", "smith"]);
    }

    #[test]
    fn german_nouns_are_no_names() {
        check("Die Katze sitzt auf dem Dach und das Haus ist von Angela Merkel.", &["angela merkel"]);
    }

    #[test]
    fn an_article_between_german_nouns_joins_no_name() {
        check("Die Sterblichkeit im Osten der Insel lag bei 12 Prozent.", &[]);
        check("Ins Krankenhaus kann man wegen eines Staus nicht kommen.", &[]);
        check("Das sagte Ursula von der Leyen, die in der Stadt war.", &["ursula leyen"]);
    }

    #[test]
    fn case_endings_make_no_other_name() {
        for (one, other) in [
            ("ewa", "ewie"),
            ("stroka", "stroce"),
            ("kordyl", "kordylowi"),
            ("полина", "полины"),
            ("дымов", "дымовым"),
            ("мария", "марии"),
        ] {
            assert!(is_declined(one, other) && is_declined(other, one), "{one} {other}");
        }
        for (one, other) in [("ewa", "ola"), ("lis", "lipska"), ("дымов", "дымченко")] {
            assert!(!is_declined(one, other), "{one} {other}");
        }
        assert!(declines(&words("Radna Ewa Kordyl skrytykowała brak windy w części dla dzieci.")));
        assert!(!declines(&words("Maria met Marie in the town.")));
    }

    #[test]
    fn katakana_and_addresses_are_names() {
        check("これはパイソンの例です", &["パイソン"]);
        check("約 10メガバイト です", &[]);
        check("see https://Example.org/Docs/ for more", &["example.org/docs"]);
    }

    #[test]
    fn months_days_and_titles_name_nobody() {
        check("it was on Friday, in June, that Mr Brown came", &["brown"]);
    }
}
