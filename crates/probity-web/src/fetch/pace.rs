//! Limits the rate per host: so many pages of it at once, and a pause between two starts.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::clock;

/// Hosts remembered before those without a waiter are dropped.
const LANES_MAX: usize = 1_024;

#[derive(Debug)]
pub(super) struct HostPacer {
    per_host_max: usize,
    lanes: Mutex<HashMap<String, Arc<HostLane>>>,
}

#[derive(Debug)]
struct HostLane {
    open: Arc<Semaphore>,
    /// When the next page may start.
    next: tokio::sync::Mutex<Instant>,
}

impl HostPacer {
    pub(super) fn new(per_host_max: usize) -> Self {
        Self { per_host_max: per_host_max.max(1), lanes: Mutex::default() }
    }

    /// Waits for the host's turn; the slot is free again when the permit is dropped.
    pub(super) async fn wait_for_turn(&self, host: &str, pause: Duration) -> Option<OwnedSemaphorePermit> {
        let lane = self.lane(host);
        // Never closed, so never refused; and if it were, going on is the smaller harm.
        let permit = Arc::clone(&lane.open).acquire_owned().await.ok();
        let mut next = lane.next.lock().await;
        tokio::time::sleep_until(*next).await;
        *next = clock::now() + pause;
        permit
    }

    fn lane(&self, host: &str) -> Arc<HostLane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.len() >= LANES_MAX {
            let now = clock::now();
            let idle = |lane: &Arc<HostLane>| {
                Arc::strong_count(lane) == 1
                    && lane.open.available_permits() == self.per_host_max
                    && lane.next.try_lock().is_ok_and(|next| *next <= now)
            };
            lanes.retain(|_, lane| !idle(lane));
        }
        let new = || {
            let open = Arc::new(Semaphore::new(self.per_host_max));
            Arc::new(HostLane { open, next: tokio::sync::Mutex::new(clock::now()) })
        };
        Arc::clone(lanes.entry(host.to_owned()).or_insert_with(new))
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::{HostPacer, LANES_MAX, clock};

    const PAUSE: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_host_is_asked_twice_at_once_and_with_pauses() {
        let lanes = Arc::new(HostPacer::new(2));
        let began = clock::now();
        let first = lanes.wait_for_turn("a", PAUSE).await;
        let second = lanes.wait_for_turn("a", PAUSE).await;
        assert_eq!(began.elapsed(), PAUSE);
        let other = lanes.wait_for_turn("b", PAUSE).await;
        assert_eq!(began.elapsed(), PAUSE, "another host need not wait");
        let third = tokio::time::timeout(PAUSE * 10, lanes.wait_for_turn("a", PAUSE)).await;
        assert!(third.is_err(), "two pages of the host are open");
        drop(first);
        assert!(tokio::time::timeout(PAUSE, lanes.wait_for_turn("a", PAUSE)).await.is_ok());
        drop((second, other));
    }

    #[tokio::test(start_paused = true)]
    async fn idle_hosts_are_forgotten() {
        let lanes = HostPacer::new(2);
        let held = lanes.wait_for_turn("held", Duration::ZERO).await;
        for number in 0..3 * LANES_MAX {
            lanes.wait_for_turn(&number.to_string(), Duration::ZERO).await;
        }
        let known = lanes.lanes.lock().unwrap();
        assert!(known.len() <= LANES_MAX && known.contains_key("held"), "{}", known.len());
        drop(held);
    }
}
