//! Tells whoever listens how a research is going. Bounded, and lossy on purpose: only the newest matters.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use probity_research::{
    ResearchId,
    error::{Code, Problem},
    status::Summary,
};
use tokio::sync::{broadcast, watch};

/// Researches that can be listened to at once. Any number of listeners share one.
pub const WATCHED_MAX: usize = 4_096;

/// Endings that wait for a slow listener; a listener that falls further behind is told how many it missed.
pub const ENDINGS_WAITING_MAX: usize = 256;

/// The newest state of each research that somebody listens to.
type Watched = HashMap<ResearchId, watch::Sender<Option<Arc<Summary>>>>;

#[derive(Debug, Clone)]
pub struct Board {
    watched: Arc<Mutex<Watched>>,
    endings: broadcast::Sender<Arc<Summary>>,
}

impl Default for Board {
    fn default() -> Self {
        Self { watched: Arc::default(), endings: broadcast::Sender::new(ENDINGS_WAITING_MAX) }
    }
}

impl Board {
    /// Starts listening. The first value may be `None`: nothing was published since.
    pub fn listen(&self, id: ResearchId) -> Result<watch::Receiver<Option<Arc<Summary>>>, Problem> {
        let mut watched = self.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        if watched.len() >= WATCHED_MAX && !watched.contains_key(&id) {
            let message = format!("{WATCHED_MAX} researches are being watched already");
            return Err(Problem::new(Code::RateLimited, &message));
        }
        Ok(watched.entry(id).or_insert_with(|| watch::Sender::new(None)).subscribe())
    }

    /// Researches that somebody listens to now.
    pub fn watched(&self) -> Vec<ResearchId> {
        let mut watched = self.lock();
        watched.retain(|_, sender| sender.receiver_count() > 0);
        watched.keys().copied().collect()
    }

    /// Shows the newest state; `summary` is only computed when somebody listens.
    pub fn publish(&self, id: ResearchId, summary: impl FnOnce() -> Summary) {
        if let Some(sender) = self.lock().get(&id) {
            sender.send_replace(Some(Arc::new(summary())));
        }
    }

    /// Every research that this process drives to rest from now on, each once.
    pub fn endings(&self) -> broadcast::Receiver<Arc<Summary>> {
        self.endings.subscribe()
    }

    /// Told by the driver under whose hands a research came to rest, and by nobody else.
    pub fn announce(&self, summary: impl FnOnce() -> Summary) {
        if self.endings.receiver_count() > 0 {
            // The last listener may have left meanwhile.
            drop(self.endings.send(Arc::new(summary())));
        }
    }

    /// A listener's panic leaves a map that is still whole: every change to it is one call.
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
