//! A text as words, each with its bytes: the same rules for claims and pages, for every script.
//!
//! Words are folded so that what a reader takes for the same word is the same text: small letters, one form for
//! wide and joined letters, one apostrophe, no invisible characters. Letters keep their accents. Scripts
//! that write no spaces give one word per character; a caller that needs longer units joins neighbours.

pub mod classes;
pub mod negation;
pub mod stem;
pub mod stop;

pub use negation::is_negation;
pub use stem::stem;
pub use stop::is_stop_word;

use std::str::Chars;

use classes::{CharacterClass, class};
use unicode_normalization::UnicodeNormalization;

/// Bytes of one word; what is longer is data, and is cut so that comparing words stays cheap.
pub const WORD_BYTES_MAX: usize = 200;
/// Bytes of a word with what parts it from the next, more or less.
const WORD_BYTES_USUAL: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordKind {
    /// Letters of a script that writes spaces between words.
    Plain,
    /// Digits with their separators: `1,234.5` is one, `12th` is `12` and `th`.
    Number,
    /// One character of a script without spaces.
    Dense,
    /// A sign that belongs to a number: `%`, `$`, `°`.
    Symbol,
}

/// How a word is written, before folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LetterCase {
    /// No capital letter in front; also every word of a script without capitals.
    Lower,
    /// A capital letter, then at least one small one.
    Capital,
    /// Capital letters only.
    Upper,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextWord {
    /// The word's bytes in the text.
    pub start: usize,
    pub end: usize,
    pub folded: String,
    pub kind: WordKind,
    pub case: LetterCase,
}

/// A word that is not kept: `folded` is only borrowed.
#[derive(Debug, Clone, Copy)]
pub struct WordRef<'a> {
    pub start: usize,
    pub end: usize,
    pub folded: &'a str,
    pub kind: WordKind,
    pub case: LetterCase,
}

pub fn words(text: &str) -> Vec<TextWord> {
    let mut found = Vec::with_capacity(text.len() / WORD_BYTES_USUAL);
    each_word(text, |seen| {
        let WordRef { start, end, folded, kind, case } = seen;
        found.push(TextWord { start, end, folded: folded.to_owned(), kind, case });
    });
    found
}

/// Every word in its order, without an allocation for each.
pub fn each_word(text: &str, mut take: impl FnMut(WordRef<'_>)) {
    let mut reader = WordReader { text, at: 0 };
    let mut folded = String::new();
    while let Some(byte) = text.as_bytes().get(reader.at) {
        let start = reader.at;
        if byte.is_ascii_alphabetic()
            && let Some(raw) = reader.simple()
        {
            folded.clear();
            folded.push_str(raw);
            folded.make_ascii_lowercase();
            take(WordRef {
                start,
                end: reader.at,
                folded: &folded,
                kind: WordKind::Plain,
                case: ascii_case(raw),
            });
            continue;
        }
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'%' | b'$') {
            reader.at += 1;
            continue;
        }
        let Some((kind, end)) = reader.any() else { continue };
        let raw = text.get(start..end).unwrap_or_default();
        folded.clear();
        if kind == WordKind::Number {
            fold_number(raw, &mut folded)
        } else {
            fold(raw, &mut folded)
        }
        if !folded.is_empty() {
            let case = if kind == WordKind::Plain { case(raw) } else { LetterCase::Lower };
            take(WordRef { start, end, folded: &folded, kind, case });
        }
    }
}

/// Reads words; `at` is the offset of the next character.
struct WordReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> WordReader<'a> {
    /// The word that begins here if it is of letters `a` to `z` only and nothing after it needs a second
    /// look: most words are.
    fn simple(&mut self) -> Option<&'a str> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let plain = match rest.get(length) {
            None => true,
            // Initials have one letter.
            Some(b'.') => length > 1,
            Some(next) => next.is_ascii() && *next != b'\'',
        };
        if !plain || length >= WORD_BYTES_MAX {
            return None;
        }
        let word = self.text.get(self.at..self.at + length)?;
        self.at += length;
        Some(word)
    }

    /// The kind and the end of the word that begins with the next character, if one does.
    fn any(&mut self) -> Option<(WordKind, usize)> {
        let (start, character) = self.next()?;
        let class = class(character);
        let kind = match class {
            CharacterClass::Letter => WordKind::Plain,
            CharacterClass::Digit | CharacterClass::Fraction => WordKind::Number,
            CharacterClass::Dense => WordKind::Dense,
            CharacterClass::Symbol => WordKind::Symbol,
            CharacterClass::Raised if self.after_digit(start) => WordKind::Number,
            CharacterClass::Mark
            | CharacterClass::Hidden
            | CharacterClass::Apostrophe
            | CharacterClass::Raised
            | CharacterClass::Other => return None,
        };
        let end = match (kind, class) {
            (WordKind::Plain, _) => self.letters(start, self.at),
            (WordKind::Number, CharacterClass::Digit) => self.digits(start, self.at),
            (WordKind::Number, CharacterClass::Raised) => self.run_of(CharacterClass::Raised, self.at),
            (WordKind::Dense, _) => self.run_of(CharacterClass::Mark, self.at),
            _ => self.at,
        };
        Some((kind, end))
    }

    fn rest(&self) -> Chars<'a> {
        self.text.get(self.at..).unwrap_or_default().chars()
    }

    fn peek(&self) -> Option<(usize, char)> {
        self.rest().next().map(|character| (self.at, character))
    }

    fn next(&mut self) -> Option<(usize, char)> {
        let (at, character) = self.peek()?;
        self.at += character.len_utf8();
        Some((at, character))
    }

    /// Whether the character that comes so many after the next one is of this class.
    fn ahead(&self, places: usize, wanted: CharacterClass) -> bool {
        self.rest().nth(places).is_some_and(|character| class(character) == wanted)
    }

    /// The end of a word of letters that begins at `start` and has been read up to `end`.
    fn letters(&mut self, start: usize, mut end: usize) -> usize {
        // `U.S.A.`: single letters with points between them are one word; `J.Smith` is two.
        let mut initials = true;
        let mut after_point = false;
        while let Some((at, character)) = self.peek() {
            let goes_on = match class(character) {
                CharacterClass::Letter => {
                    initials &= after_point;
                    true
                }
                CharacterClass::Mark | CharacterClass::Hidden => true,
                CharacterClass::Apostrophe => {
                    initials = false;
                    self.ahead(1, CharacterClass::Letter)
                        && !is_elision(self.text.get(start..at).unwrap_or_default())
                }
                CharacterClass::Other => {
                    character == '.'
                        && initials
                        && self.ahead(1, CharacterClass::Letter)
                        && !self.ahead(2, CharacterClass::Letter)
                }
                CharacterClass::Digit
                | CharacterClass::Fraction
                | CharacterClass::Dense
                | CharacterClass::Symbol
                | CharacterClass::Raised => false,
            };
            if !goes_on || at - start >= WORD_BYTES_MAX {
                break;
            }
            if class(character) != CharacterClass::Hidden {
                end = at + character.len_utf8();
                after_point = character == '.';
            }
            self.next();
        }
        end
    }

    fn digits(&mut self, start: usize, mut end: usize) -> usize {
        while let Some((at, character)) = self.peek() {
            let goes_on = match class(character) {
                CharacterClass::Digit | CharacterClass::Hidden => true,
                CharacterClass::Apostrophe => self.thousand_follows(),
                CharacterClass::Other => match character {
                    '.' | ',' => self.ahead(1, CharacterClass::Digit),
                    '\u{A0}' | '\u{202F}' | '\u{2009}' => self.thousand_follows(),
                    _ => false,
                },
                CharacterClass::Letter
                | CharacterClass::Fraction
                | CharacterClass::Dense
                | CharacterClass::Symbol
                | CharacterClass::Raised
                | CharacterClass::Mark => false,
            };
            if !goes_on || at - start >= WORD_BYTES_MAX {
                break;
            }
            if class(character) != CharacterClass::Hidden {
                end = at + character.len_utf8();
            }
            self.next();
        }
        end
    }

    /// Whether three digits, and no more, follow the next character.
    fn thousand_follows(&self) -> bool {
        let mut ahead = self.rest().skip(1).map(|character| class(character) == CharacterClass::Digit);
        ahead.by_ref().take(3).filter(|digit| *digit).count() == 3 && ahead.next() != Some(true)
    }

    fn run_of(&mut self, wanted: CharacterClass, mut end: usize) -> usize {
        while self.peek().is_some_and(|(_, character)| class(character) == wanted) {
            self.next();
            end = self.at;
        }
        end
    }

    fn after_digit(&self, start: usize) -> bool {
        self.text.get(..start).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_digit()))
    }
}

/// Short words that lose their vowel before another and are written together with it: `l'eau`, `dell'arte`.
fn is_elision(word: &str) -> bool {
    const ELISIONS: &[&str] = &[
        "l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un", "all",
        "dall", "dell", "nell", "sull", "quell", "quest", "gl",
    ];
    word.len() <= 7 && ELISIONS.iter().any(|elision| word.eq_ignore_ascii_case(elision))
}

fn fold(raw: &str, folded: &mut String) {
    if raw.is_ascii() {
        folded.extend(raw.chars().filter(|c| *c != '.').map(|c| c.to_ascii_lowercase()));
        return;
    }
    let seen = raw.chars().filter(|c| !classes::is_hidden(*c) && !classes::is_vowel_point(*c) && *c != '.');
    for character in seen.nfkc().flat_map(char::to_lowercase) {
        match character {
            'ß' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            'ё' => folded.push('е'),
            'œ' => folded.push_str("oe"),
            'æ' => folded.push_str("ae"),
            // What is left of a Turkish capital I with a dot.
            '\u{307}' => {}
            _ if class(character) == CharacterClass::Apostrophe => folded.push('\''),
            _ => folded.push(character),
        }
    }
}

/// Plain digits; groups of thousands are joined, the decimal sign stays as it is written.
fn fold_number(raw: &str, folded: &mut String) {
    let mut digits = String::with_capacity(raw.len());
    for character in raw.chars() {
        match (classes::digit(character), character) {
            (Some(digit), _) => digits.push(digit),
            (None, '.' | ',') => digits.push(character),
            (None, '½' | '¼' | '¾' | '⅓' | '⅔' | '⅛' | '⅜' | '⅝' | '⅞') => {
                digits.extend(std::iter::once(character).nfkc().map(|c| if c == '⁄' { '/' } else { c }))
            }
            _ => {}
        }
    }
    let grouped = |sign: char| {
        let mut groups = digits.split(sign);
        let first = groups.next().unwrap_or_default();
        let whole = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
        let mut count = 0;
        let thousands = groups.all(|group| {
            count += 1;
            let group = group.split_once('.').map_or(group, |(whole, _)| whole);
            group.len() == 3 && whole(group)
        });
        if thousands && whole(first) && (1..=3).contains(&first.len()) { count } else { 0 }
    };
    // `1,234` is read as thousands, `1.234` is not: one point is a decimal sign more often than not.
    let sign = if grouped(',') > 0 {
        Some(',')
    } else if grouped('.') > 1 && !digits.contains(',') {
        Some('.')
    } else {
        None
    };
    match sign {
        Some(sign) => folded.extend(digits.chars().filter(|c| *c != sign)),
        None => folded.push_str(&digits),
    }
}

/// As `case`, for letters `a` to `z` only.
fn ascii_case(raw: &str) -> LetterCase {
    let mut letters = raw.bytes();
    match letters.next() {
        Some(first) if first.is_ascii_uppercase() => {
            if raw.len() == 1 || letters.any(|letter| letter.is_ascii_lowercase()) {
                LetterCase::Capital
            } else {
                LetterCase::Upper
            }
        }
        _ => LetterCase::Lower,
    }
}

fn case(raw: &str) -> LetterCase {
    let mut letters = raw.chars().filter(|c| c.is_alphabetic());
    match letters.next() {
        Some(first) if first.is_uppercase() => {
            if letters.any(char::is_lowercase) || raw.chars().nth(1).is_none() {
                LetterCase::Capital
            } else {
                LetterCase::Upper
            }
        }
        _ => LetterCase::Lower,
    }
}

/// A folded word without accents: for comparing names, which lose theirs on keyboards that have none.
pub fn without_marks(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.to_owned();
    }
    folded
        .nfd()
        .filter(|c| class(*c) != CharacterClass::Mark)
        .map(|c| if c == 'ø' { 'o' } else { c })
        .collect()
}

#[cfg(test)]
mod tests;
