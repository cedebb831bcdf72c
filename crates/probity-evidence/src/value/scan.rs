//! A text as the small pieces that numbers, units and dates are read from: runs of digits, words, single signs.
//!
//! Kept apart from the words of `words.rs`: here `1,204`, `%` and `年` matter, and stop-words do too.

use std::borrow::Cow;

use crate::words::classes::digit;

/// One piece of the text, with its bytes.
#[derive(Debug, Clone)]
pub struct ScanPiece<'a> {
    pub start: usize,
    pub end: usize,
    pub text: &'a str,
    /// Lower case without diacritics; empty for signs.
    pub folded: Cow<'a, str>,
    pub kind: ScanPieceKind,
    /// White space is before it.
    pub apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanPieceKind {
    /// ASCII or full-width digits with the separators between them.
    Digits,
    /// Letters of an alphabet, or a run of one kana script.
    Word,
    /// One Han character.
    Han,
    /// Anything else but white space: one character.
    Sign,
}

/// The pieces of a text, in order.
pub fn pieces(text: &str) -> Vec<ScanPiece<'_>> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut next = 0;
    let mut apart = true;
    while let Some(first) = text.get(next..).and_then(|rest| rest.chars().next()) {
        let start = next;
        let mut end = start + first.len_utf8();
        next = end;
        if first.is_whitespace() {
            apart = true;
            continue;
        }
        let class = class_of(first);
        let joins = |end: usize| text.get(end..).and_then(|after| run_on(class, after));
        if matches!(
            class,
            LetterClass::Digit | LetterClass::Letter | LetterClass::Katakana | LetterClass::Hiragana
        ) {
            if class == LetterClass::Letter {
                let rest = text.as_bytes().get(end..).unwrap_or_default();
                end += rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            }
            // 318만명: the scale is a word of its own.
            let counts = found.last().is_some_and(|last: &ScanPiece<'_>| last.kind == ScanPieceKind::Digits);
            let is_scale = counts && !apart && matches!(first, '만' | '억' | '조' | '천' | '백');
            while let Some(more) = joins(end).filter(|_| !is_scale) {
                end += more;
            }
            next = end;
        }
        let piece = text.get(start..end).unwrap_or_default();
        let kind = match class {
            LetterClass::Digit => ScanPieceKind::Digits,
            LetterClass::Letter | LetterClass::Katakana | LetterClass::Hiragana => ScanPieceKind::Word,
            LetterClass::Han => ScanPieceKind::Han,
            LetterClass::Other => ScanPieceKind::Sign,
        };
        let folded = if kind == ScanPieceKind::Sign { Cow::Borrowed("") } else { folded(piece) };
        found.push(ScanPiece { start, end, text: piece, folded, kind, apart });
        apart = false;
    }
    found
}

/// As `fold`, without a copy of what is folded already.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    let same = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if same { Cow::Borrowed(text) } else { Cow::Owned(fold(text)) }
}

/// Lower case, Latin diacritics removed, `ß` as `ss`, full-width digits as digits.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
        } else {
            for lower in letter.to_lowercase() {
                match plain(lower) {
                    Some(plain) => folded.push_str(plain),
                    None if is_other_digit(lower) => folded.extend(digit(lower)),
                    None => folded.push(lower),
                }
            }
        }
    }
    folded
}

/// The letter without its diacritics, for the languages whose names cross borders most.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'ç' | 'ć' | 'č' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' | 'ė' => "e",
        'ğ' => "g",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => "i",
        'ł' | 'ľ' => "l",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => "o",
        'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ț' | 'ţ' => "t",
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        'æ' => "ae",
        'œ' => "oe",
        'ё' => "е",
        'þ' => "th",
        '０' => "0",
        '１' => "1",
        '２' => "2",
        '３' => "3",
        '４' => "4",
        '５' => "5",
        '６' => "6",
        '７' => "7",
        '８' => "8",
        '９' => "9",
        // Thousands in Arabic.
        '٬' => ",",
        '\u{300}'..='\u{36f}' => "",
        _ => return None,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Digit,
    Letter,
    Katakana,
    Hiragana,
    Han,
    Other,
}

/// A decimal digit that is not an ASCII one: Arabic, Persian, Devanagari and the like; raised ones are marks.
fn is_other_digit(letter: char) -> bool {
    letter > '\u{65f}' && digit(letter).is_some() && !matches!(letter, '\u{2070}'..='\u{2079}')
}

fn class_of(letter: char) -> LetterClass {
    match letter {
        'a'..='z' | 'A'..='Z' => LetterClass::Letter,
        '0'..='9' | '０'..='９' => LetterClass::Digit,
        '\u{30a0}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9f}' if letter != '・' => LetterClass::Katakana,
        '\u{3040}'..='\u{309f}' => LetterClass::Hiragana,
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ffff}' | '〇' | '々' => {
            LetterClass::Han
        }
        'º' | 'ª' => LetterClass::Other,
        _ if is_other_digit(letter) => LetterClass::Digit,
        _ if letter.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(&letter) => LetterClass::Letter,
        _ => LetterClass::Other,
    }
}

/// How many bytes of `after` still belong to a run of this class.
fn run_on(class: LetterClass, after: &str) -> Option<usize> {
    let mut letters = after.chars();
    let next = letters.next()?;
    if class_of(next) == class {
        return Some(next.len_utf8());
    }
    if class != LetterClass::Digit
        || !matches!(next, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '٫' | '٬' | '，')
    {
        return None;
    }
    // A separator belongs to the number only with a digit after it; a space only before a group of three.
    let spaced = matches!(next, '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '’');
    let behind = letters.clone().take_while(|&letter| class_of(letter) == LetterClass::Digit).count();
    (behind > 0 && (!spaced || behind == 3)).then_some(next.len_utf8())
}
