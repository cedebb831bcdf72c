//! The only module that reads the real clock: world time is real time times a speed, or scripted.
#![expect(clippy::disallowed_methods, reason = "the only module that reads the clock")]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// The longest real sleep before polling again: a cancel may have brought the end forward.
const LOOK_AGAIN_MAX: Duration = Duration::from_secs(1);
/// The same while time is scripted: a test may have advanced it.
const LOOK_AGAIN_SCRIPTED: Duration = Duration::from_millis(10);
const LOOK_AGAIN_MIN: Duration = Duration::from_millis(1);

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeMode {
    /// World time passes this many times faster than real time.
    Real { speed: f64 },
    /// World time passes only when it is advanced.
    Manual,
}

#[derive(Debug)]
pub(super) struct WorldClock {
    time: TimeMode,
    started: Instant,
    advanced_ms: AtomicU64,
}

impl WorldClock {
    pub(super) fn new(time: TimeMode) -> Self {
        Self { time, started: Instant::now(), advanced_ms: AtomicU64::new(0) }
    }

    pub(super) fn now_ms(&self) -> u64 {
        let passed = match self.time {
            TimeMode::Real { speed } => self.started.elapsed().mul_f64(speed).as_millis(),
            TimeMode::Manual => 0,
        };
        u64::try_from(passed).unwrap_or(u64::MAX).saturating_add(self.advanced_ms.load(Ordering::Relaxed))
    }

    pub(super) fn advance(&self, by_ms: u64) {
        self.advanced_ms.fetch_add(by_ms, Ordering::Relaxed);
    }

    /// How long to sleep, in real time, before it is worth asking about this world time again.
    pub(super) fn sleep_until(&self, at_ms: u64) -> Duration {
        match self.time {
            TimeMode::Manual => LOOK_AGAIN_SCRIPTED,
            TimeMode::Real { speed } => {
                let wait_ms = at_ms.saturating_sub(self.now_ms()) as f64 / speed.max(f64::MIN_POSITIVE);
                let wait = Duration::try_from_secs_f64(wait_ms / 1_000.0).unwrap_or(LOOK_AGAIN_MAX);
                wait.clamp(LOOK_AGAIN_MIN, LOOK_AGAIN_MAX)
            }
        }
    }
}
