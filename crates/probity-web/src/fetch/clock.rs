//! The runtime's own time, for pauses and lifetimes; a test may stop it. The time of day comes in with the settings.
#![expect(clippy::disallowed_methods, reason = "the one door to the runtime's clock in the fetcher")]

use tokio::time::Instant;

pub(super) fn now() -> Instant {
    Instant::now()
}
