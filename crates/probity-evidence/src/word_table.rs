//! A list of words with what is known of each. Most words of a text are in no list: their first byte and their length
//! say so before anything is hashed.

use crate::hash::QuickMap;

/// Bits of a set of lengths; the last one stands for all that are longer.
const LENGTHS: usize = 32;

#[derive(Debug)]
pub(crate) struct WordTable<V> {
    words: QuickMap<&'static str, V>,
    /// By first byte: the lengths that its words have, one bit each.
    lengths: Vec<u32>,
}

impl<V> WordTable<V> {
    pub fn get(&self, word: &str) -> Option<&V> {
        let (first, length) = mark(word);
        let may_be_known = self.lengths.get(first).is_some_and(|lengths| lengths & length != 0);
        if may_be_known { self.words.get(word) } else { None }
    }
}

/// Of a word that is listed twice, the later entry counts.
impl<V> FromIterator<(&'static str, V)> for WordTable<V> {
    fn from_iter<I: IntoIterator<Item = (&'static str, V)>>(words: I) -> Self {
        let words: QuickMap<&'static str, V> = words.into_iter().collect();
        let mut lengths = vec![0_u32; 256];
        for (first, length) in words.keys().map(|word| mark(word)) {
            lengths.get_mut(first).into_iter().for_each(|known| *known |= length);
        }
        Self { words, lengths }
    }
}

/// The first byte of a word, and the bit of its length.
fn mark(word: &str) -> (usize, u32) {
    let first = word.as_bytes().first().map_or(0, |byte| usize::from(*byte));
    (first, 1_u32 << word.len().min(LENGTHS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_words_are_known() {
        let long = "a word of more letters than there are bits for lengths";
        let listed = [("", 0), ("ten", 1), ("über", 2), (long, 3), ("ten", 4)];
        let table: WordTable<u8> = listed.into_iter().collect();
        let known = ["", "ten", "über", long].map(|word| table.get(word).copied());
        assert_eq!(known, [Some(0), Some(4), Some(2), Some(3)]);
        let longer = "a word of more letters than there are bits for lengths, and another";
        assert!(!["t", "tan", "tens", "uber", longer].into_iter().any(|word| table.get(word).is_some()));
    }
}
