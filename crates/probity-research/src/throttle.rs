//! How many calls a provider gets at once, learnt from its answers: a limit that halves when the provider
//! answers "too many" and grows back slowly, and a circuit breaker that suspends a provider that does not
//! answer.
//!
//! Pure: time is passed in. One value per provider and key, shared by all workers; [`share`] divides what it allows
//! among them, [`gate`] is one worker's part of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    error::CodedError,
    id::{Digest, OwnerId},
    time::Moment,
};

pub mod bucket;
pub mod gate;
mod queue;
pub mod share;
pub mod target;

/// Failures in a row before a provider is suspended.
pub const FAILURES_IN_A_ROW_MAX: u32 = 5;
/// Or half of this many calls within one window.
const FAILED_SHARE_CALLS_MIN: u32 = 20;
/// First rest of a provider that does not answer, doubled with every probe that fails, up to the longest: an
/// outage of ten minutes costs about fifteen probes, and its end is noticed within a minute.
pub const REST_FIRST: Duration = Duration::from_secs(5);
pub const REST_MAX: Duration = Duration::from_secs(60);
/// Longest `Retry-After` that is accepted. Past an hour it is more likely a mistake than intended.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(3600);
/// The limit changes at most once in this time, or in one round trip if that is longer: earlier answers were
/// sent under the limit before.
const WINDOW_MIN: Duration = Duration::from_secs(1);
/// Longest round trip that is accepted; longer ones are streams, not answers.
const WINDOW_MAX: Duration = Duration::from_secs(60);
/// A provider is called at least this often while it has a slot, else its recovery would go unnoticed.
const RATE_MIN: CallRate = CallRate(50);

/// Calls per second, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallRate(pub u64);

impl CallRate {
    pub fn per_second(calls: u32) -> Self {
        Self(u64::from(calls) * 1000)
    }

    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    fn part(self, of: u64, whole: u64) -> Self {
        let product = u128::from(self.0) * u128::from(of);
        Self(product.checked_div(u128::from(whole)).and_then(|part| u64::try_from(part).ok()).unwrap_or(0))
    }
}

/// The operator's limit for a provider, for all workers together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderCeiling {
    pub slots: u32,
    pub rate: CallRate,
    pub burst: u32,
}

/// What is limited: a provider as [`target`] names it, and which key is used there (its hash, never the key).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThrottleTarget {
    pub provider: String,
    pub key: Digest,
}

/// How calls ended since the last report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallObservations {
    pub ok: u32,
    /// The provider is up and answers with a rate limit.
    pub throttled: u32,
    pub failed: u32,
    /// The longest `Retry-After` of the provider.
    pub retry_after: Option<Duration>,
    /// How long its answers took, the longest of them.
    pub round_trip: Option<Duration>,
}

impl CallObservations {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn add(&mut self, other: Self) {
        self.ok = self.ok.saturating_add(other.ok);
        self.throttled = self.throttled.saturating_add(other.throttled);
        self.failed = self.failed.saturating_add(other.failed);
        self.retry_after = self.retry_after.max(other.retry_after);
        self.round_trip = self.round_trip.max(other.round_trip);
    }
}

/// What all workers together may have under way now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThrottleAllowance {
    pub slots: u32,
    pub rate: CallRate,
    /// Thousandths of calls that may go out at once.
    pub burst: u64,
    /// The one slot is for a probe: one call, then wait for its outcome.
    pub probe: bool,
    /// How long no call is allowed at all.
    pub pause: Duration,
}

/// Divides a provider's limit among workers; see [`share::compute_share`].
pub trait ShareAllocator: Send + Sync {
    /// Reports what was observed and takes a share for `lease`, in one request. At most once a second per
    /// target.
    fn take_share(
        &self,
        owner: OwnerId,
        target: &ThrottleTarget,
        ceiling: ProviderCeiling,
        asked: share::ShareRequest,
        lease: Duration,
    ) -> impl Future<Output = Result<share::ThrottleShare, CodedError>> + Send;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
enum Breaker {
    #[default]
    Closed,
    Open {
        until: Moment,
        rest_ms: u64,
    },
    /// One call at a time until one succeeds.
    Probing {
        rest_ms: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct ThrottleWindow {
    began: Moment,
    ok: u32,
    throttled: u32,
    failed: u32,
}

/// The state of one provider and key. Stored as JSON; fields are added with a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Throttle {
    limit: u32,
    /// Below it the limit doubles with every good window, from it on it grows by one.
    doubling_until: u32,
    window: ThrottleWindow,
    halved_at: Option<Moment>,
    blocked_until: Option<Moment>,
    in_a_row: u32,
    breaker: Breaker,
    round_trip_ms: u64,
}

impl Default for Throttle {
    /// Starts at the ceiling, whatever it is: the operator knows the provider.
    fn default() -> Self {
        Self {
            limit: u32::MAX,
            doubling_until: u32::MAX,
            window: ThrottleWindow::default(),
            halved_at: None,
            blocked_until: None,
            in_a_row: 0,
            breaker: Breaker::Closed,
            round_trip_ms: 0,
        }
    }
}

impl Throttle {
    /// Applies what workers observed. Order within one report is not known; one success in it breaks a row of
    /// failures.
    pub fn observe(&mut self, ceiling: ProviderCeiling, observed: CallObservations, now: Moment) {
        self.tick(now);
        if observed.is_empty() {
            return;
        }
        self.learn_round_trip(observed.round_trip);
        if let Some(wait) = observed.retry_after {
            let until = now.plus_ms(signed(wait.min(RETRY_AFTER_MAX)));
            self.blocked_until = self.blocked_until.max(Some(until));
        }
        let bad = observed.throttled.saturating_add(observed.failed);
        self.in_a_row = if observed.ok > 0 { 0 } else { self.in_a_row.saturating_add(bad) };
        match self.breaker {
            Breaker::Closed => self.observe_closed(ceiling, observed, now),
            // Answers to calls from before the suspension say nothing new.
            Breaker::Open { .. } => {}
            Breaker::Probing { .. } if observed.ok > 0 => self.close(now),
            Breaker::Probing { rest_ms } if bad > 0 => self.open(rest_ms.saturating_mul(2), now),
            Breaker::Probing { .. } => {}
        }
    }

    /// Applies what only time changes.
    pub fn tick(&mut self, now: Moment) {
        if let Breaker::Open { until, rest_ms } = self.breaker
            && left(Some(until), now, REST_MAX).is_zero()
        {
            self.breaker = Breaker::Probing { rest_ms };
        }
        if left(self.blocked_until, now, RETRY_AFTER_MAX).is_zero() {
            self.blocked_until = None;
        }
    }

    /// What may be under way now; call [`Self::tick`] or [`Self::observe`] first.
    pub fn allowed(&self, ceiling: ProviderCeiling, now: Moment) -> ThrottleAllowance {
        let blocked = left(self.blocked_until, now, RETRY_AFTER_MAX);
        let (slots, probe, pause) = match self.breaker {
            Breaker::Open { until, .. } => (0, false, left(Some(until), now, REST_MAX).max(blocked)),
            _ if !blocked.is_zero() => (0, false, blocked),
            Breaker::Probing { .. } => (1, true, Duration::ZERO),
            Breaker::Closed => (self.limit(ceiling), false, Duration::ZERO),
        };
        // The rate shrinks with the limit: halving the calls under way does nothing to one that answers at once.
        let (of, whole) = (u64::from(slots), u64::from(ceiling.slots.max(1)));
        let floor = if slots == 0 { CallRate(0) } else { RATE_MIN.min(ceiling.rate) };
        let rate = ceiling.rate.part(of, whole).max(floor);
        let burst = u64::from(ceiling.burst).saturating_mul(1000).saturating_mul(of) / whole;
        ThrottleAllowance { slots: slots.min(ceiling.slots), rate, burst, probe, pause }
    }

    /// Whether the provider is suspended, or probed.
    pub fn is_open(&self) -> bool {
        self.breaker != Breaker::Closed
    }

    fn limit(&self, ceiling: ProviderCeiling) -> u32 {
        self.limit.min(ceiling.slots).max(1)
    }

    fn observe_closed(&mut self, ceiling: ProviderCeiling, observed: CallObservations, now: Moment) {
        self.window.ok = self.window.ok.saturating_add(observed.ok);
        self.window.throttled = self.window.throttled.saturating_add(observed.throttled);
        self.window.failed = self.window.failed.saturating_add(observed.failed);
        if observed.throttled > 0 {
            self.halve(ceiling, now);
        }
        let ThrottleWindow { began, ok, throttled, failed } = self.window;
        let calls = ok.saturating_add(throttled).saturating_add(failed);
        let mostly_failed = calls >= FAILED_SHARE_CALLS_MIN && failed >= calls.div_ceil(2);
        if self.in_a_row >= FAILURES_IN_A_ROW_MAX || mostly_failed {
            // The limit that worked before is what the recovery aims at.
            self.doubling_until = self.limit(ceiling).max(2);
            return self.open(milliseconds(REST_FIRST), now);
        }
        if now.since_ms(began) < milliseconds(self.window()) && now >= began {
            return;
        }
        if ok > 0 && throttled == 0 && failed <= calls / 10 {
            self.grow(ceiling);
        }
        self.window = ThrottleWindow { began: now, ..ThrottleWindow::default() };
    }

    fn halve(&mut self, ceiling: ProviderCeiling, now: Moment) {
        let lately = |at: Moment| now >= at && now.since_ms(at) < milliseconds(self.window());
        if self.halved_at.is_some_and(lately) {
            return;
        }
        self.limit = (self.limit(ceiling) / 2).max(1);
        self.doubling_until = self.limit;
        self.halved_at = Some(now);
    }

    fn grow(&mut self, ceiling: ProviderCeiling) {
        let limit = self.limit(ceiling);
        let grown = if limit < self.doubling_until {
            limit.saturating_mul(2).min(self.doubling_until)
        } else {
            limit.saturating_add(1)
        };
        self.limit = grown.min(ceiling.slots).max(1);
    }

    fn open(&mut self, rest_ms: u64, now: Moment) {
        let rest_ms = rest_ms.min(milliseconds(REST_MAX));
        let until = now.plus_ms(i64::try_from(rest_ms).unwrap_or(i64::MAX));
        self.breaker = Breaker::Open { until, rest_ms };
    }

    /// The first success: go on with one call at a time, and double from there.
    fn close(&mut self, now: Moment) {
        self.breaker = Breaker::Closed;
        self.limit = 1;
        self.in_a_row = 0;
        self.window = ThrottleWindow { began: now, ..ThrottleWindow::default() };
    }

    fn learn_round_trip(&mut self, seen: Option<Duration>) {
        let Some(seen) = seen else { return };
        let seen = milliseconds(seen.min(WINDOW_MAX));
        self.round_trip_ms = if self.round_trip_ms == 0 { seen } else { (self.round_trip_ms * 7 + seen) / 8 };
    }

    fn window(&self) -> Duration {
        Duration::from_millis(self.round_trip_ms).clamp(WINDOW_MIN, WINDOW_MAX)
    }
}

/// What is left until then. More than was ever given means that the clock was set back: then nothing is.
fn left(until: Option<Moment>, now: Moment, most: Duration) -> Duration {
    let left = until.map_or(0, |until| until.since_ms(now));
    Duration::from_millis(if left > milliseconds(most) { 0 } else { left })
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn signed(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
