//! The machine's clocks. The only module here that reads them.
#![expect(clippy::disallowed_methods, reason = "this is the one door to the clock")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use probity_research::{ports::Clock, time::Moment};
use tokio::time::Instant;

/// Wall clock of the machine and tokio's monotonic clock, which a test may pause.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { started: Instant::now() }
    }
}

/// The wall clock alone, for callers that never sleep.
pub fn wall_now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        wall_now()
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
