//! A fast hash for words and numbers that live in memory only; never stored, never compared across processes.
//!
//! Pages are hostile: the seed is random, so that no page can choose words that all collide.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

pub type QuickMap<K, V> = HashMap<K, V, QuickHashBuilder>;
pub type QuickSet<K> = HashSet<K, QuickHashBuilder>;

/// Any odd number with about as many ones as zeros spreads well.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(SPREAD));

/// Makes hashers with this process's seed.
#[derive(Debug, Clone, Copy)]
pub struct QuickHashBuilder(u64);

impl Default for QuickHashBuilder {
    fn default() -> Self {
        Self(*SEED)
    }
}

impl BuildHasher for QuickHashBuilder {
    type Hasher = QuickHasher;

    fn build_hasher(&self) -> QuickHasher {
        QuickHasher(self.0)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct QuickHasher(u64);

impl QuickHasher {
    /// Multiplies to twice the width and folds the halves together: every bit of the input reaches every bit.
    #[inline]
    fn add(&mut self, value: u64) {
        let wide = u128::from(self.0 ^ value).wrapping_mul(u128::from(SPREAD));
        let (low, high) = (wide as u64, (wide >> 64) as u64);
        self.0 = low ^ high.rotate_left(32);
    }
}

impl Hasher for QuickHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (chunks, rest) = bytes.as_chunks::<8>();
        for chunk in chunks {
            self.add(u64::from_le_bytes(*chunk));
        }
        if let (Some(front), Some(back)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
            let (front, back) = (u32::from_le_bytes(*front), u32::from_le_bytes(*back));
            self.add(u64::from(front) | u64::from(back) << 32);
        } else {
            self.add(rest.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)));
        }
        self.0 = self.0.wrapping_add(bytes.len() as u64);
    }

    /// The terminator after a text; its length already marks its end.
    #[inline]
    fn write_u8(&mut self, value: u8) {
        self.0 ^= u64::from(value);
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.add(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_words_hash_differently() {
        let quick = QuickHashBuilder::default();
        let words = (0..20_000_u32).flat_map(|number| {
            [format!("{number}"), format!("w{number}"), format!("{number:08}"), format!("a{number:011}z")]
        });
        let words: HashSet<String> = words.collect();
        let hashes: HashSet<u64> = words.iter().map(|word| quick.hash_one(word)).collect();
        assert_eq!(hashes.len(), words.len());
        // The upper bits choose the group in a table, the lower ones the place: both must spread.
        let buckets = |shift: u32| {
            words.iter().map(|word| quick.hash_one(word) >> shift & 0xfff).collect::<HashSet<_>>()
        };
        assert_eq!((buckets(0).len(), buckets(52).len()), (4096, 4096));
    }
}
