//! Sentences of pages that can stand as claims: whole ones, told in another order or shortened by rule.
//!
//! Never decides what is true of them.

use crate::checking::task::JudgeItem;

/// A shorter sentence is a heading, a longer one is no sentence.
const SENTENCE_CHARACTERS: std::ops::RangeInclusive<usize> = 24..=320;
/// Words that begin a part of an English sentence which may as well end it.
const OPENINGS: [&str; 8] = ["In ", "After ", "During ", "Since ", "Before ", "By ", "Until ", "Between "];
/// Words that begin a part which says nothing without the rest.
const DEPENDENT: [&str; 12] =
    ["On ", "At ", "From ", "With ", "While ", "When ", "If ", "Although ", "As ", "For ", "Because ", "To "];
/// Where a sentence may end earlier.
const BOUNDARIES: [&str; 11] =
    [", ", "; ", " and ", " und ", " et ", " y ", " while ", " which ", " who ", "，", "、"];
/// What a shortened sentence keeps at least, in words, or in letters where a script has no spaces.
const WORDS_KEPT_MIN: usize = 5;
const LETTERS_KEPT_MIN: usize = 8;
/// Words for something that was said before, in English, German, French and Spanish.
const PRONOUNS: [&str; 48] = [
    "it", "its", "he", "his", "him", "she", "her", "they", "their", "this", "that", "these", "those", "both",
    "such", "there", "here", "er", "sie", "es", "sein", "seine", "ihr", "ihre", "dies", "diese", "dieser",
    "dieses", "dort", "il", "elle", "ils", "elles", "ce", "cette", "ces", "cela", "son", "sa", "ses", "él",
    "ella", "ellos", "ellas", "este", "esta", "su", "sus",
];

/// A sentence of a page that states something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSentence<'a> {
    pub words: &'a str,
    /// The sentence before it that says what its first word means; empty if it can do without.
    pub before: &'a str,
}

/// The sentences of an item's passages that can be understood as claims.
pub fn sentences(item: &JudgeItem) -> Vec<PageSentence<'_>> {
    let mut found = Vec::new();
    for (place, passage) in item.passages.iter().enumerate() {
        let mut before = item.passage_contexts.get(place).map_or("", |context| context.before.as_str());
        for words in pieces(passage) {
            let needs_before = begins_with_pronoun(words);
            let is_understood = !needs_before || is_statement(before) && !begins_with_pronoun(before);
            if is_statement(words) && is_understood {
                found.push(PageSentence { words, before: if needs_before { before } else { "" } });
            }
            before = words;
        }
    }
    found
}

/// The sentence in another order, or only its first part; none where neither is safe.
pub fn rephrased(sentence: &str) -> Option<String> {
    reordered(sentence).or_else(|| shortened(sentence))
}

/// `In 2024, revenue rose.` as `Revenue rose in 2024.`
pub fn reordered(sentence: &str) -> Option<String> {
    let (opening, rest) = sentence.split_once(", ")?;
    let is_movable = OPENINGS.iter().any(|word| opening.starts_with(word));
    let rest = rest.strip_suffix('.').filter(|rest| is_movable && !rest.contains([',', ';', ':', '(']))?;
    let (first, behind) = first_letter(rest)?;
    let (opening_first, opening_behind) = first_letter(opening)?;
    let (first, opening_first) = (first.to_uppercase(), opening_first.to_lowercase());
    Some(format!("{first}{behind} {opening_first}{opening_behind}."))
}

/// `It was opened on 4 May 1931 and is 412 metres long.` as `It was opened on 4 May 1931.`
pub fn shortened(sentence: &str) -> Option<String> {
    let is_dependent = OPENINGS.iter().chain(&DEPENDENT).any(|word| sentence.starts_with(word));
    let mut ends: Vec<usize> =
        BOUNDARIES.iter().flat_map(|word| sentence.match_indices(word)).map(|(place, _)| place).collect();
    ends.sort_unstable();
    let end = if sentence.ends_with('。') { "。" } else { "." };
    let mut kept = ends.into_iter().filter_map(|place| sentence.get(..place)).filter(|kept| is_whole(kept));
    kept.next().filter(|_| !is_dependent).map(|kept| format!("{kept}{end}"))
}

/// Whether a beginning has enough words, and closes what it opens.
fn is_whole(kept: &str) -> bool {
    let words = kept.split_whitespace().count();
    let is_long = words >= WORDS_KEPT_MIN || words == 1 && kept.chars().count() >= LETTERS_KEPT_MIN;
    is_long && !kept.contains(['(', '（', '"', '“', '„', '«', '「'])
}

fn first_letter(text: &str) -> Option<(char, &str)> {
    let mut letters = text.chars();
    Some((letters.next()?, letters.as_str()))
}

fn begins_with_pronoun(sentence: &str) -> bool {
    let first = sentence.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
    let first = first.to_lowercase();
    PRONOUNS.contains(&first.as_str())
}

pub fn pieces(passage: &str) -> impl Iterator<Item = &str> {
    let mut rest = passage;
    std::iter::from_fn(move || {
        let end = rest.char_indices().find_map(|(place, letter)| {
            let end = place + letter.len_utf8();
            let behind = rest.get(end..)?.chars().next();
            let ends = match letter {
                '.' | '!' | '?' => behind.is_none_or(char::is_whitespace),
                '。' | '！' | '？' => true,
                _ => false,
            };
            ends.then_some(end)
        });
        let (piece, behind) = rest.split_at_checked(end?)?;
        rest = behind;
        Some(piece.trim())
    })
}

fn is_statement(piece: &str) -> bool {
    let begins = piece.chars().next().is_some_and(|first| !first.is_lowercase() && first.is_alphanumeric());
    let is_marked = piece.contains(['[', ']', '{', '}', '<', '>', '|']) || piece.contains("://");
    begins
        && !is_marked
        && piece.ends_with(['.', '。'])
        && SENTENCE_CHARACTERS.contains(&piece.chars().count())
}
