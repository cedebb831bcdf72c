//! Starts tasks whose owner waits for them. The only module that spawns.
#![expect(clippy::disallowed_methods, reason = "this is the one door to spawning")]

use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// A set of tasks that end together.
#[derive(Debug, Clone, Default)]
pub struct TaskGroup {
    tracker: TaskTracker,
    stop: CancellationToken,
}

impl TaskGroup {
    /// Tasks that also stop when `parent` does.
    pub fn child_of(parent: &CancellationToken) -> Self {
        Self { tracker: TaskTracker::new(), stop: parent.child_token() }
    }

    /// The name appears in a trace of what is running.
    pub fn spawn_named<F>(&self, name: &'static str, work: impl FnOnce(CancellationToken) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        tracing::trace!(name, "task starts");
        self.tracker.spawn(work(self.stop.clone()));
    }

    /// Asks every task to stop and waits until they have.
    pub async fn close(&self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}
