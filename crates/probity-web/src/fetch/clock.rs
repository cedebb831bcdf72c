//! The runtime's own time, for pauses and lifetimes; a test may stop it. The wall clock comes in with the
//! settings.
#![expect(clippy::disallowed_methods, reason = "the only module of the fetcher that reads the clock")]

use tokio::time::Instant;

pub(super) fn now() -> Instant {
    Instant::now()
}
