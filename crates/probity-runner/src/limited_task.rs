//! A task that is waited for no longer than its run has time.

use std::time::Duration;

use probity_research::{engine_call::EngineOutcome, ports::Clock};

/// The outcome of `work`, or what counts as its outcome once its time is over.
pub async fn within_limit(
    clock: &impl Clock,
    limit: Option<(Duration, EngineOutcome)>,
    work: impl Future<Output = EngineOutcome>,
) -> EngineOutcome {
    let Some((within, late)) = limit else { return work.await };
    tokio::select! {
        biased;
        finding = work => finding,
        () = clock.sleep(within) => late,
    }
}
