//! The limits of one caller: requests per second, requests at once, and the bytes of their bodies. One runaway
//! client slows itself down, not the others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use probity_research::principal::Principal;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

/// Callers remembered before idle ones are dropped. Only callers with a token get an entry.
const SHARES_KEPT_MAX: usize = 1_024;
/// Bodies of one caller's open requests together. A question has some kilobytes; decoded, a body takes four times its
/// bytes.
const BODY_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Bodies are counted in units of this.
const UNIT_BYTES: usize = 1024;
/// `Retry-After` when too many of a caller's requests are open: most end within a second.
const RETRY_WHEN_FULL: Duration = Duration::from_secs(1);

/// The limits of each caller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimits {
    pub per_second: u32,
    /// Requests after a pause that need not wait: a client that starts lists everything at once.
    pub burst: u32,
    /// Requests and streams open at the same time.
    pub open_max: usize,
}

impl Default for RateLimits {
    /// An agent asks a few times a second; a loop that asks without pause is limited to two hundred.
    fn default() -> Self {
        Self { per_second: 200, burst: 400, open_max: 128 }
    }
}

impl RateLimits {
    /// The same at another rate.
    fn at(self, per_second: u32) -> Self {
        let seconds = self.burst.div_ceil(self.per_second.max(1)).max(1);
        Self { per_second, burst: per_second.saturating_mul(seconds), ..self }
    }
}

/// How long to wait before a retry, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RateLimitError {
    TooFast(Duration),
    TooManyOpen(Duration),
}

#[derive(Debug)]
pub(super) struct RateLimiter {
    pace: RateLimits,
    shares: Mutex<HashMap<Option<Principal>, CallerRate>>,
}

#[derive(Debug)]
struct CallerRate {
    bucket: RequestBucket,
    open: Arc<Semaphore>,
    body_units: Arc<Semaphore>,
}

/// One open request of a caller. Kept until the answer's last byte.
#[derive(Debug)]
pub(super) struct CallerPermit {
    _open: OwnedSemaphorePermit,
    body_units: Arc<Semaphore>,
    body: Option<OwnedSemaphorePermit>,
}

impl CallerPermit {
    /// Counts more bytes of the request's body, for as long as the permit is kept.
    pub(super) fn add_body(&mut self, bytes: usize) -> Result<(), RateLimitError> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX);
        let more = Arc::clone(&self.body_units)
            .try_acquire_many_owned(units)
            .map_err(|_| RateLimitError::TooManyOpen(RETRY_WHEN_FULL))?;
        match &mut self.body {
            Some(body) => body.merge(more),
            None => self.body = Some(more),
        }
        Ok(())
    }
}

impl RateLimiter {
    pub(super) fn new(pace: RateLimits) -> Self {
        Self { pace, shares: Mutex::new(HashMap::new()) }
    }

    /// Takes one request out of the caller's bucket. The permit is kept until the answer's last byte. A
    /// caller with a rate limit of its own may burst for as many seconds as every other.
    pub(super) fn take(
        &self,
        caller: Option<&Principal>,
        per_second: Option<u32>,
        now: Instant,
    ) -> Result<CallerPermit, RateLimitError> {
        let pace = per_second.map_or(self.pace, |per_second| self.pace.at(per_second));
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if shares.len() >= SHARES_KEPT_MAX {
            let open_max = self.pace.open_max;
            shares.retain(|_, share| share.open.available_permits() < open_max);
        }
        let share = shares.entry(caller.cloned()).or_insert_with(|| CallerRate {
            bucket: RequestBucket::full(pace, now),
            open: Arc::new(Semaphore::new(self.pace.open_max)),
            body_units: Arc::new(Semaphore::new(BODY_BYTES_MAX / UNIT_BYTES)),
        });
        share.bucket.take(pace, now).map_err(RateLimitError::TooFast)?;
        let open = Arc::clone(&share.open)
            .try_acquire_owned()
            .map_err(|_| RateLimitError::TooManyOpen(RETRY_WHEN_FULL))?;
        Ok(CallerPermit { _open: open, body_units: Arc::clone(&share.body_units), body: None })
    }
}

/// A token bucket: fills with time up to the burst, one token per request.
#[derive(Debug, Clone, Copy)]
struct RequestBucket {
    tokens: f64,
    at: Instant,
}

impl RequestBucket {
    fn full(pace: RateLimits, now: Instant) -> Self {
        Self { tokens: f64::from(pace.burst.max(1)), at: now }
    }

    /// `Err` says when the next token is there.
    fn take(&mut self, pace: RateLimits, now: Instant) -> Result<(), Duration> {
        let per_second = f64::from(pace.per_second.max(1));
        let grown = now.saturating_duration_since(self.at).as_secs_f64() * per_second;
        self.tokens = (self.tokens + grown).min(f64::from(pace.burst.max(1)));
        self.at = now;
        if self.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.tokens) / per_second));
        }
        self.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the runtime's time stands still here")]
mod tests {
    use std::time::Duration;

    use probity_research::principal::Principal;
    use tokio::time::Instant;

    use super::{BODY_BYTES_MAX, RateLimitError, RateLimiter, RateLimits};

    #[tokio::test(start_paused = true)]
    async fn a_burst_goes_through_then_the_pace_holds() {
        let shares = RateLimiter::new(RateLimits { per_second: 10, burst: 3, open_max: 100 });
        let start = Instant::now();
        let taken =
            |after_ms: u64| shares.take(None, None, start + Duration::from_millis(after_ms)).map(drop);
        assert_eq!([taken(0), taken(0), taken(0)], [Ok(()); 3]);
        assert_eq!(taken(0), Err(RateLimitError::TooFast(Duration::from_millis(100))));
        assert_eq!(taken(100), Ok(()));
        assert!(taken(150).is_err());
        assert_eq!([taken(10_000), taken(10_000), taken(10_000)], [Ok(()); 3], "full again, and not fuller");
        assert!(taken(10_000).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_may_have_a_pace_of_its_own() {
        let shares = RateLimiter::new(RateLimits { per_second: 10, burst: 20, open_max: 100 });
        let (anna, now) = (Principal::parse("anna").unwrap(), Instant::now());
        let taken = || shares.take(Some(&anna), Some(2), now).map(drop);
        assert_eq!([taken(), taken(), taken(), taken()], [Ok(()); 4]);
        assert_eq!(taken(), Err(RateLimitError::TooFast(Duration::from_millis(500))));
        assert_eq!(shares.take(None, None, now).map(drop), Ok(()), "others keep theirs");
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_at_once_are_bounded_and_free_with_their_requests() {
        let shares = RateLimiter::new(RateLimits { per_second: 1, burst: 9, open_max: 9 });
        let (anna, now) = (Principal::parse("anna").unwrap(), Instant::now());
        let mut first = shares.take(None, None, now).unwrap();
        for _ in 0..BODY_BYTES_MAX / (1024 * 1024) {
            first.add_body(1024 * 1024).unwrap();
        }
        let mut second = shares.take(None, None, now).unwrap();
        assert_eq!(second.add_body(1), Err(RateLimitError::TooManyOpen(Duration::from_secs(1))));
        shares.take(Some(&anna), None, now).unwrap().add_body(1).unwrap();
        drop(first);
        second.add_body(1).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn callers_have_shares_of_their_own() {
        let shares = RateLimiter::new(RateLimits { per_second: 1, burst: 9, open_max: 2 });
        let (anna, now) = (Principal::parse("anna").unwrap(), Instant::now());
        let held = [shares.take(None, None, now).unwrap(), shares.take(None, None, now).unwrap()];
        assert_eq!(
            shares.take(None, None, now).unwrap_err(),
            RateLimitError::TooManyOpen(Duration::from_secs(1))
        );
        drop(shares.take(Some(&anna), None, now).unwrap());
        drop(held);
        drop(shares.take(None, None, now).unwrap());
    }
}
