//! The only randomness of a simulation: one seed, drawn from in a fixed order.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

#[derive(Debug, Clone)]
pub struct SimulationRandom(Arc<Mutex<u64>>);

impl SimulationRandom {
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x5DEE_CE66)))
    }

    pub fn bits(&self) -> u64 {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = *state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    pub fn wide(&self) -> u128 {
        (u128::from(self.bits()) << 64) | u128::from(self.bits())
    }

    pub fn within(&self, range: Range<u64>) -> u64 {
        range.start + self.bits() % (range.end - range.start).max(1)
    }

    pub fn chance(&self, percent: u64) -> bool {
        self.within(0..100) < percent
    }

    pub fn pick<'a, T>(&self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.within(0..choices.len() as u64) as usize)
    }
}
