//! How many runs a process may claim now. Pure: the caller passes the time.
//!
//! After a restart thousands may be due at once; claiming them all in the same instant would send the
//! provider and the database one burst of calls.

use std::time::Duration;

/// Runs claimed per second. 5,000 due ones are spread over about half a minute.
pub const STARTS_PER_SECOND: f64 = 150.0;
/// Runs claimed at once after a quiet time, so that a user who starts a few never waits.
pub const STARTS_BURST: f64 = 50.0;
/// Runs driven by one process. Each is a waiting task of a few KiB, not a thread.
pub const DRIVEN_MAX: usize = 20_000;

/// A token bucket that refills with time.
#[derive(Debug, Clone)]
pub struct AdmissionBucket {
    driven_max: usize,
    per_second: f64,
    tokens: f64,
    refilled_at: Duration,
}

impl AdmissionBucket {
    pub fn new(driven_max: usize, per_second: f64) -> Self {
        Self { driven_max, per_second, tokens: STARTS_BURST, refilled_at: Duration::ZERO }
    }

    /// How many runs may be claimed at `now`, given how many are driven already.
    pub fn room(&mut self, now: Duration, driven: usize) -> usize {
        let passed = now.saturating_sub(self.refilled_at).as_secs_f64();
        self.refilled_at = now.max(self.refilled_at);
        self.tokens = (self.tokens + passed * self.per_second).min(STARTS_BURST);
        (self.tokens as usize).min(self.driven_max.saturating_sub(driven))
    }

    /// Takes the tokens of the runs that were claimed.
    pub fn take(&mut self, started: usize) {
        self.tokens = (self.tokens - started as f64).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{AdmissionBucket, STARTS_PER_SECOND};

    #[test]
    fn five_thousand_due_researches_are_spread_over_half_a_minute() {
        let mut admission = AdmissionBucket::new(20_000, STARTS_PER_SECOND);
        let (mut driven, mut ticks) = (0, 0_u64);
        while driven < 5_000 {
            let room = admission.room(Duration::from_millis(ticks * 100), driven).min(5_000 - driven);
            admission.take(room);
            driven += room;
            ticks += 1;
        }
        let seconds = ticks as f64 / 10.0;
        assert!((30.0..40.0).contains(&seconds), "{seconds}");
    }

    #[test]
    fn the_number_driven_is_never_exceeded() {
        let mut admission = AdmissionBucket::new(7, 1e9);
        assert_eq!(admission.room(Duration::from_secs(1), 0), 7);
        assert_eq!(admission.room(Duration::from_secs(2), 7), 0);
        assert_eq!(admission.room(Duration::from_secs(3), 9), 0);
    }
}
