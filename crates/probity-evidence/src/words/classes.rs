//! What a character does in a word.

use unicode_normalization::char::is_combining_mark;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharacterClass {
    Letter,
    Digit,
    /// A number in one character: `½`.
    Fraction,
    /// A character of a script without spaces.
    Dense,
    /// Belongs to the character before it.
    Mark,
    /// Never seen: soft hyphens, joiners, signs of direction.
    Hidden,
    Apostrophe,
    Symbol,
    /// A raised digit: a power after a digit, elsewhere a mark of a note or a unit's power.
    Raised,
    Other,
}

pub fn class(character: char) -> CharacterClass {
    match character {
        'a'..='z' | 'A'..='Z' => CharacterClass::Letter,
        '0'..='9' => CharacterClass::Digit,
        '\'' => CharacterClass::Apostrophe,
        '%' | '$' => CharacterClass::Symbol,
        _ if character.is_ascii() => CharacterClass::Other,
        _ => wide(character),
    }
}

fn wide(character: char) -> CharacterClass {
    match character {
        '’' | '‘' | 'ʼ' | '＇' | '\u{201B}' | '\u{2032}' => CharacterClass::Apostrophe,
        '€' | '£' | '¥' | '₹' | '₽' | '₩' | '₺' | '°' | '‰' | '％' | '＄' | '￥' | '￡' | '℃' | '℉' => {
            CharacterClass::Symbol
        }
        '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' => CharacterClass::Raised,
        '½' | '¼' | '¾' | '⅓' | '⅔' | '⅛' | '⅜' | '⅝' | '⅞' => CharacterClass::Fraction,
        _ if is_hidden(character) => CharacterClass::Hidden,
        _ if digit(character).is_some() => CharacterClass::Digit,
        _ if is_combining_mark(character) => CharacterClass::Mark,
        _ if is_dense(character) => CharacterClass::Dense,
        _ if character.is_alphanumeric() => CharacterClass::Letter,
        _ => CharacterClass::Other,
    }
}

pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{640}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}')
}

/// Vowel signs of Hebrew and Arabic, which most texts leave out.
pub fn is_vowel_point(character: char) -> bool {
    matches!(character, '\u{591}'..='\u{5BD}' | '\u{5BF}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' | '\u{670}')
}

/// Scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han.
pub fn is_dense(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3040..=0x30FA | 0x30FC..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9D | 0x20000..=0x3134F)
        && character.is_alphanumeric()
}

/// A decimal digit of any of the usual scripts, as an ASCII one.
pub fn digit(character: char) -> Option<char> {
    const ZEROS: [u32; 10] = [0x30, 0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xED0, 0x1040, 0x17E0, 0xFF10];
    let raised = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|raised| raised == character);
    if let Some(value) = raised.and_then(|value| u32::try_from(value).ok()) {
        return char::from_digit(value, 10);
    }
    let code = u32::from(character);
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_digit(code - zero, 10)
}
