//! Seeded choices: the same seed makes the same world, the same words make the same slip of the model.

use crate::world::mix;

/// A stream of draws.
#[derive(Debug, Clone)]
pub(super) struct SeededDraws(u64);

impl SeededDraws {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(mix(seed ^ 0x5eed))
    }

    /// A number below `bound`; zero if `bound` is.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = mix(self.0);
        usize::try_from((self.0 >> 16) % (bound.max(1) as u64)).unwrap_or_default()
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T], fallback: &'a T) -> &'a T {
        from.get(self.below(from.len())).unwrap_or(fallback)
    }

    /// The same things in another order.
    pub(super) fn shuffled<T>(&mut self, mut things: Vec<T>) -> Vec<T> {
        for place in (1..things.len()).rev() {
            things.swap(place, self.below(place + 1));
        }
        things
    }
}

/// A number between 0 and 1 that depends on these words alone.
pub(super) fn share_of(words: &[&str]) -> f64 {
    let hash =
        words.iter().flat_map(|word| word.bytes().chain([0])).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    (mix(hash) >> 11) as f64 / (1_u64 << 53) as f64
}
