//! Tells subscribers how a run is going. Bounded, and lossy on purpose: only the newest state matters.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use probity_research::{
    RunId,
    error::{Code, CodedError},
    status::RunSummary,
};
use tokio::sync::{broadcast, watch};

/// Runs that can have subscribers at once. Any number of subscribers share one.
pub const SUBSCRIPTIONS_MAX: usize = 4_096;

/// Endings that wait for a slow subscriber; one that falls further behind is told how many it missed.
pub const ENDINGS_WAITING_MAX: usize = 256;

/// The newest state of each run that has subscribers.
type RunSubscription = HashMap<RunId, watch::Sender<Option<Arc<RunSummary>>>>;

#[derive(Debug, Clone)]
pub struct EventBus {
    subscriptions: Arc<Mutex<RunSubscription>>,
    endings: broadcast::Sender<Arc<RunSummary>>,
}

impl Default for EventBus {
    fn default() -> Self {
        Self { subscriptions: Arc::default(), endings: broadcast::Sender::new(ENDINGS_WAITING_MAX) }
    }
}

impl EventBus {
    /// Subscribes to a run. The first value may be `None`: nothing was published since.
    pub fn subscribe(&self, id: RunId) -> Result<watch::Receiver<Option<Arc<RunSummary>>>, CodedError> {
        let mut watched = self.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        if watched.len() >= SUBSCRIPTIONS_MAX && !watched.contains_key(&id) {
            let message = format!("{SUBSCRIPTIONS_MAX} researches are being watched already");
            return Err(CodedError::new(Code::RateLimited, &message));
        }
        Ok(watched.entry(id).or_insert_with(|| watch::Sender::new(None)).subscribe())
    }

    /// Runs that have subscribers now.
    pub fn subscribed_runs(&self) -> Vec<RunId> {
        let mut watched = self.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        watched.keys().copied().collect()
    }

    /// Publishes the newest state; `summary` is only computed when the run has subscribers.
    pub fn publish(&self, id: RunId, summary: impl FnOnce() -> RunSummary) {
        if let Some(sender) = self.lock().get(&id) {
            sender.send_replace(Some(Arc::new(summary())));
        }
    }

    /// Every run that this process drives to rest from now on, each once.
    pub fn subscribe_endings(&self) -> broadcast::Receiver<Arc<RunSummary>> {
        self.endings.subscribe()
    }

    /// Called only by the driver that brought the run to rest.
    pub fn publish_ending(&self, summary: impl FnOnce() -> RunSummary) {
        if self.endings.receiver_count() > 0 {
            // The last subscriber may have left meanwhile.
            drop(self.endings.send(Arc::new(summary())));
        }
    }

    /// A panic of a subscriber leaves a map that is still consistent: every change to it is one call.
    fn lock(&self) -> MutexGuard<'_, RunSubscription> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
