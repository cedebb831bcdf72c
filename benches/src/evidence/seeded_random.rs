//! Seeded choices: the same seed makes the same cases on every machine.

/// SplitMix64, spelt out: published cases must not change with a library.
#[derive(Debug, Clone)]
pub struct SeededRandom(u64);

impl SeededRandom {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `bound`; zero if `bound` is.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        if bound == 0 { 0 } else { usize::try_from(self.draw() % bound).unwrap_or(0) }
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let place = self.below(from.len());
        from.get(place)
    }

    /// True in `share` of the cases.
    pub fn chance(&mut self, share: f64) -> bool {
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64 <= share
    }
}
