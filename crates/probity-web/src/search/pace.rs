//! Rate limits of providers: so many calls in so much time, and none while a provider asked us to wait.
//!
//! Counts the calls of this process only. A call that would wait too long is refused instead.
#![expect(clippy::disallowed_methods, reason = "the only module of the search that reads the clock")]

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use probity_types::{
    error::{Code, CodedError},
    web::{ProviderName, providers::RateLimit},
};
use tokio::time::Instant;

/// Longest wait for a slot; a run has other providers to ask meanwhile.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// How long a provider is not called that said "too many" without a retry time.
const HOLD_USUAL: Duration = Duration::from_secs(10);
/// Longest retry time believed; a provider's own window is never longer than a day.
const HOLD_MAX: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Default)]
pub(super) struct ProviderPacer(Mutex<BTreeMap<ProviderName, PacerState>>);

#[derive(Debug, Default)]
struct PacerState {
    /// When the last calls started or will start, oldest first; as many as the limit counts.
    starts: VecDeque<Instant>,
    held_until: Option<Instant>,
}

impl ProviderPacer {
    /// Waits for the provider's slot, or says at once how long it would take.
    pub(super) async fn wait_for_turn(&self, provider: ProviderName) -> Result<(), CodedError> {
        let start = self.reserve(provider, Instant::now())?;
        tokio::time::sleep_until(start).await;
        Ok(())
    }

    /// Does not call a provider for as long as it asked.
    pub(super) fn pause_provider(&self, provider: ProviderName, retry_after_ms: Option<u64>) {
        let wait = retry_after_ms.map_or(HOLD_USUAL, Duration::from_millis).min(HOLD_MAX);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(provider).or_default().held_until = Some(Instant::now() + wait);
    }

    fn reserve(&self, provider: ProviderName, now: Instant) -> Result<Instant, CodedError> {
        let RateLimit { calls, per } = provider.facts().pace;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let turns = all.entry(provider).or_default();
        let free = match turns.starts.front() {
            Some(oldest) if turns.starts.len() >= calls => *oldest + per,
            _ => now,
        };
        let start = free.max(now).max(turns.held_until.unwrap_or(now));
        let wait = start.saturating_duration_since(now);
        if wait > WAIT_MAX {
            let words = format!("{} takes no more calls for now", provider.as_str());
            return Err(CodedError::new(Code::RateLimited, &words).with_retry_after(Some(wait)));
        }
        if turns.starts.len() >= calls {
            turns.starts.pop_front();
        }
        turns.starts.push_back(start);
        Ok(start)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Instant, ProviderName, ProviderPacer, WAIT_MAX};
    use probity_types::error::Code;

    #[tokio::test(start_paused = true)]
    async fn a_provider_is_asked_no_faster_than_it_allows() {
        let pace = ProviderPacer::default();
        let began = Instant::now();
        for _ in 0..3 {
            pace.wait_for_turn(ProviderName::Arxiv).await.unwrap();
        }
        assert_eq!(began.elapsed(), Duration::from_secs(6));
        for _ in 0..10 {
            pace.wait_for_turn(ProviderName::Github).await.unwrap();
        }
        assert_eq!(began.elapsed(), Duration::from_secs(6), "ten a minute may come at once");
        let problem = pace.wait_for_turn(ProviderName::Github).await.unwrap_err();
        assert_eq!((problem.code, problem.retry_after_ms), (Code::RateLimited, Some(60_000)));
        assert_eq!(began.elapsed(), Duration::from_secs(6), "who would wait too long is told at once");
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_asked_to_wait_is_left_alone() {
        let pace = ProviderPacer::default();
        pace.pause_provider(ProviderName::Tavily, Some(5_000));
        let began = Instant::now();
        pace.wait_for_turn(ProviderName::Tavily).await.unwrap();
        assert_eq!(began.elapsed(), Duration::from_secs(5));
        pace.pause_provider(ProviderName::Tavily, Some(u64::MAX));
        assert!(pace.wait_for_turn(ProviderName::Tavily).await.is_err());
        pace.wait_for_turn(ProviderName::Exa).await.unwrap();
        assert_eq!(began.elapsed(), Duration::from_secs(5), "others need not wait");
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_is_bounded_for_every_provider() {
        for provider in ProviderName::ALL {
            let pace = ProviderPacer::default();
            let longest = loop {
                let now = Instant::now();
                match pace.reserve(provider, now) {
                    Ok(start) => assert!(start - now <= WAIT_MAX),
                    Err(problem) => break problem,
                }
            };
            assert_eq!(longest.code, Code::RateLimited);
        }
    }
}
