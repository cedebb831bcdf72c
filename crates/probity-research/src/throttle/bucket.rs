//! Calls per second, for one worker: a bucket that fills steadily and that every call takes from.

use std::time::Duration;

use super::CallRate;

#[derive(Debug, Clone, Copy, Default)]
pub struct CallBucket {
    /// Calls that may go out now.
    level: f64,
    /// Calls per second.
    rate: f64,
    /// Most calls at once; at least one, else a slow provider would never be called.
    most: f64,
    filled_at: Duration,
}

impl CallBucket {
    /// A new share. What was saved up under the last one is kept as far as it fits; a first share starts with its
    /// part of the burst, so that many workers joining at once do not add up to more.
    pub fn set(&mut self, rate: CallRate, burst: u64, now: Duration) {
        let burst = burst as f64 / 1000.0;
        self.fill(now);
        if self.most == 0.0 {
            self.level = burst;
        }
        self.rate = rate.as_f64();
        self.most = burst.max(1.0);
        self.level = self.level.min(self.most);
    }

    /// Fills up to `until`: nothing is saved up while there is no share.
    pub fn fill(&mut self, until: Duration) {
        let passed = until.saturating_sub(self.filled_at);
        self.level = (self.level + passed.as_secs_f64() * self.rate).min(self.most);
        self.filled_at = self.filled_at.max(until);
    }

    /// Time without a share does not fill it.
    pub fn skip_to(&mut self, now: Duration) {
        self.filled_at = self.filled_at.max(now);
    }

    /// Takes one call out, or says how long until there is one.
    pub fn take(&mut self, now: Duration) -> Result<(), Duration> {
        self.fill(now);
        // A hair less than one is one: the sum of many small fillings.
        if self.level >= 1.0 - 1e-9 {
            self.level = (self.level - 1.0).max(0.0);
            return Ok(());
        }
        let missing = 1.0 - self.level;
        if self.rate <= 0.0 {
            return Err(Duration::MAX);
        }
        Err(Duration::try_from_secs_f64(missing / self.rate).unwrap_or(Duration::MAX))
    }

    /// The call was not made after all.
    pub fn put_back(&mut self) {
        self.level = (self.level + 1.0).min(self.most);
    }
}
