//! Simulated time: tokio's paused clock, and a wall clock that jumps when the story says so.
#![expect(clippy::disallowed_methods, reason = "reads tokio's paused clock, which is simulated time")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use probity_research::{ports::Clock, time::Moment};
use tokio::time::Instant;

use super::process_life::ProcessLife;

const EPOCH_MS: i64 = 1_794_700_000_000;

#[derive(Debug, Clone)]
pub struct SimulatedClock {
    began: Instant,
    jump_ms: Arc<AtomicI64>,
    life: ProcessLife,
}

impl SimulatedClock {
    pub fn new() -> Self {
        Self { began: Instant::now(), jump_ms: Arc::default(), life: ProcessLife::default() }
    }

    /// The same time as another process sees it.
    pub fn with_life(&self, life: ProcessLife) -> Self {
        Self { began: self.began, jump_ms: Arc::clone(&self.jump_ms), life }
    }

    pub fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The machine's clock is set, by hand or by a bad time server.
    pub fn jump(&self, milliseconds: i64) {
        self.jump_ms.store(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Moment {
        let elapsed = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        Moment(EPOCH_MS + elapsed).plus_ms(self.jump_ms.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        self.began.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
        self.life.needed().await;
    }
}
