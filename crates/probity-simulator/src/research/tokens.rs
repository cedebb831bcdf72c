//! One fixed way to count tokens for every system that is measured, whatever its own library would say.

/// Letters of a word that make one token: English prose has about 4.5 letters in a token of common vocabularies.
const LETTERS_PER_TOKEN: usize = 5;
/// Digits that make one token.
const DIGITS_PER_TOKEN: usize = 3;

/// Pieces of words and numbers, Chinese characters one by one, and every mark; spaces count nothing.
pub fn count_tokens(text: &str) -> u64 {
    let (mut tokens, mut letters, mut digits) = (0_usize, 0_usize, 0_usize);
    for letter in text.chars() {
        let is_digit = letter.is_ascii_digit();
        let is_letter = !is_digit && letter.is_alphabetic() && !is_han(letter);
        if !is_letter {
            tokens += letters.div_ceil(LETTERS_PER_TOKEN);
            letters = 0;
        }
        if !is_digit {
            tokens += digits.div_ceil(DIGITS_PER_TOKEN);
            digits = 0;
        }
        match (is_letter, is_digit) {
            (true, _) => letters += 1,
            (_, true) => digits += 1,
            _ => tokens += usize::from(!letter.is_whitespace()),
        }
    }
    (tokens + letters.div_ceil(LETTERS_PER_TOKEN) + digits.div_ceil(DIGITS_PER_TOKEN)) as u64
}

/// A Chinese character.
pub(super) fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}')
}

/// Words as a reader counts them; a Chinese character is half a word.
pub fn count_words(text: &str) -> usize {
    let han = text.chars().filter(|letter| is_han(*letter)).count();
    let parts = text.split(|letter: char| letter.is_whitespace() || is_han(letter));
    han / 2 + parts.filter(|part| part.chars().any(char::is_alphanumeric)).count()
}
