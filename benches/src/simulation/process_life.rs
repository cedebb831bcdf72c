//! Whether a simulated process is alive. A dead one never returns from an await: it stopped there.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

#[derive(Debug, Clone, Default)]
pub struct ProcessLife(Arc<AtomicBool>);

impl ProcessLife {
    pub fn end(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns at once in a living process and never in a dead one.
    pub async fn needed(&self) {
        if self.0.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
    }
}
