//! A text as words, each with its bytes: the same rules for claims and pages, for every script.
//!
//! Words are folded so that what a reader takes for the same word is the same text: small letters, one form for
//! wide and joined letters, one apostrophe, no marks that are never seen. Letters keep their accents. Scripts
//! that write no spaces give one word per character; whoever needs longer units takes neighbours together.

pub mod classes;
pub mod negation;
pub mod stem;
pub mod stop;

pub use negation::is_negation;
pub use stem::stem;
pub use stop::is_stop_word;

use std::{iter::Peekable, str::CharIndices};

use classes::{Class, class};
use unicode_normalization::UnicodeNormalization;

/// Bytes of one word; what is longer is data, and is cut so that comparing words stays cheap.
pub const WORD_BYTES_MAX: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
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
pub enum Case {
    /// No capital letter in front; also every word of a script without capitals.
    Lower,
    /// A capital letter, then at least one small one.
    Capital,
    /// Capital letters only.
    Upper,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word's bytes in the text.
    pub start: usize,
    pub end: usize,
    pub folded: String,
    pub kind: Kind,
    pub case: Case,
}

/// A word that is not kept: `folded` is only lent.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    pub start: usize,
    pub end: usize,
    pub folded: &'a str,
    pub kind: Kind,
    pub case: Case,
}

pub fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    each_word(text, |seen| {
        let Seen { start, end, folded, kind, case } = seen;
        found.push(Word { start, end, folded: folded.to_owned(), kind, case });
    });
    found
}

/// Every word in its order, without an allocation for each.
pub fn each_word(text: &str, mut take: impl FnMut(Seen<'_>)) {
    let mut reader = Reader { text, characters: text.char_indices().peekable() };
    let mut folded = String::new();
    while let Some((start, character)) = reader.characters.next() {
        let kind = match class(character) {
            Class::Letter => Kind::Plain,
            Class::Digit | Class::Fraction => Kind::Number,
            Class::Dense => Kind::Dense,
            Class::Symbol => Kind::Symbol,
            Class::Raised if reader.after_digit(start) => Kind::Number,
            Class::Mark | Class::Hidden | Class::Apostrophe | Class::Raised | Class::Other => continue,
        };
        let end = start + character.len_utf8();
        let end = match (kind, class(character)) {
            (Kind::Plain, _) => reader.letters(start, end),
            (Kind::Number, Class::Digit) => reader.digits(start, end),
            (Kind::Number, Class::Raised) => reader.run_of(Class::Raised, end),
            (Kind::Dense, _) => reader.run_of(Class::Mark, end),
            _ => end,
        };
        let raw = text.get(start..end).unwrap_or_default();
        folded.clear();
        if kind == Kind::Number {
            fold_number(raw, &mut folded)
        } else {
            fold(raw, &mut folded)
        }
        if !folded.is_empty() {
            let case = if kind == Kind::Plain { case(raw) } else { Case::Lower };
            take(Seen { start, end, folded: &folded, kind, case });
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    characters: Peekable<CharIndices<'a>>,
}

impl Reader<'_> {
    /// Whether the character that comes so many after the next one is of this class.
    fn ahead(&self, places: usize, wanted: Class) -> bool {
        self.characters.clone().nth(places).is_some_and(|(_, character)| class(character) == wanted)
    }

    /// The end of a word of letters that begins at `start` and has been read up to `end`.
    fn letters(&mut self, start: usize, mut end: usize) -> usize {
        // `U.S.A.`: single letters with points between them are one word; `J.Smith` is two.
        let mut initials = true;
        let mut after_point = false;
        while let Some((at, character)) = self.characters.peek().copied() {
            let goes_on = match class(character) {
                Class::Letter => {
                    initials &= after_point;
                    true
                }
                Class::Mark | Class::Hidden => true,
                Class::Apostrophe => {
                    initials = false;
                    self.ahead(1, Class::Letter) && !is_elision(self.text.get(start..at).unwrap_or_default())
                }
                Class::Other => {
                    character == '.'
                        && initials
                        && self.ahead(1, Class::Letter)
                        && !self.ahead(2, Class::Letter)
                }
                Class::Digit | Class::Fraction | Class::Dense | Class::Symbol | Class::Raised => false,
            };
            if !goes_on || at - start >= WORD_BYTES_MAX {
                break;
            }
            if class(character) != Class::Hidden {
                end = at + character.len_utf8();
                after_point = character == '.';
            }
            self.characters.next();
        }
        end
    }

    fn digits(&mut self, start: usize, mut end: usize) -> usize {
        while let Some((at, character)) = self.characters.peek().copied() {
            let goes_on = match class(character) {
                Class::Digit | Class::Hidden => true,
                Class::Apostrophe => self.thousand_follows(),
                Class::Other => match character {
                    '.' | ',' => self.ahead(1, Class::Digit),
                    '\u{A0}' | '\u{202F}' | '\u{2009}' => self.thousand_follows(),
                    _ => false,
                },
                Class::Letter
                | Class::Fraction
                | Class::Dense
                | Class::Symbol
                | Class::Raised
                | Class::Mark => false,
            };
            if !goes_on || at - start >= WORD_BYTES_MAX {
                break;
            }
            if class(character) != Class::Hidden {
                end = at + character.len_utf8();
            }
            self.characters.next();
        }
        end
    }

    /// Whether three digits, and no more, follow the next character.
    fn thousand_follows(&self) -> bool {
        let mut ahead =
            self.characters.clone().skip(1).map(|(_, character)| class(character) == Class::Digit);
        ahead.by_ref().take(3).filter(|digit| *digit).count() == 3 && ahead.next() != Some(true)
    }

    fn run_of(&mut self, wanted: Class, mut end: usize) -> usize {
        while let Some((at, character)) =
            self.characters.next_if(|(_, character)| class(*character) == wanted)
        {
            end = at + character.len_utf8();
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
            _ if class(character) == Class::Apostrophe => folded.push('\''),
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

fn case(raw: &str) -> Case {
    let mut letters = raw.chars().filter(|c| c.is_alphabetic());
    match letters.next() {
        Some(first) if first.is_uppercase() => {
            if letters.any(char::is_lowercase) || raw.chars().nth(1).is_none() {
                Case::Capital
            } else {
                Case::Upper
            }
        }
        _ => Case::Lower,
    }
}

/// A folded word without accents: for comparing names, which lose theirs on keyboards that have none.
pub fn without_marks(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.to_owned();
    }
    folded.nfd().filter(|c| class(*c) != Class::Mark).map(|c| if c == 'ø' { 'o' } else { c }).collect()
}

#[cfg(test)]
mod tests;
