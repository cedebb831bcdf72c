//! Words that are only asked for: short ones are kept as numbers, so that a page costs no allocation for each.

use crate::hash::QuickSet;

/// Bytes of a word that fit into a number beside its length.
const SHORT_BYTES_MAX: usize = 15;

#[derive(Debug, Clone, Default)]
pub(crate) struct WordSet {
    short: QuickSet<u128>,
    long: QuickSet<Box<str>>,
}

impl WordSet {
    /// With room for so many short words.
    pub fn with_room(words: usize) -> Self {
        Self {
            short: QuickSet::with_capacity_and_hasher(words, Default::default()),
            long: QuickSet::default(),
        }
    }

    pub fn insert(&mut self, word: &str) {
        match packed(word) {
            Some(word) => {
                self.short.insert(word);
            }
            None if self.long.contains(word) => {}
            None => {
                self.long.insert(word.into());
            }
        }
    }

    pub fn contains(&self, word: &str) -> bool {
        match packed(word) {
            Some(word) => self.short.contains(&word),
            None => self.long.contains(word),
        }
    }
}

/// A short word as a number that no other word has: its bytes, and its length above them.
fn packed(word: &str) -> Option<u128> {
    let length = u8::try_from(word.len()).ok().filter(|length| usize::from(*length) <= SHORT_BYTES_MAX)?;
    let mut bytes = [0_u8; SHORT_BYTES_MAX + 1];
    bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    Some(u128::from_le_bytes(bytes) | u128::from(length) << 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_length_are_told_apart() {
        let long = ["fifteen letters", "sixteen letters.", "ßßßßßßß", "ßßßßßßßß"];
        let words: Vec<&str> = ["", "\0", "a", "a\0", "ab", "b"].into_iter().chain(long).collect();
        for (place, word) in words.iter().enumerate() {
            let mut known = WordSet::with_room(2);
            known.insert(word);
            known.insert(word);
            for (other_place, other) in words.iter().enumerate() {
                assert_eq!(known.contains(other), place == other_place, "{word:?} {other:?}");
            }
        }
    }
}
