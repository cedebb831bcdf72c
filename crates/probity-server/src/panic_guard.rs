//! A panic ends the call in which it happens, with an answer, and nothing else.
//!
//! The library answers nothing for a handler that panics, so its client would wait for ever. The panic
//! message is on stderr by then; a client is only told that there was one.

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

use rmcp::ErrorData;

use crate::tools::LOOK_BEFORE_RETRY;

/// The error text. A paid start may have happened before the panic: list runs before a retry.
const BROKEN: &str = "this call broke inside the server, which goes on; what it had started is on disk";

/// The answer of `work`, or an internal error if it panics.
pub async fn catch_panic<Out>(work: impl Future<Output = Result<Out, ErrorData>>) -> Result<Out, ErrorData> {
    let mut work = pin!(work);
    poll_fn(|context| {
        // After a panic `work` is dropped and never polled again, so nothing half-done is seen.
        match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(polled) => polled,
            Err(_) => {
                tracing::error!("call panicked; answered with an internal error");
                Poll::Ready(Err(ErrorData::internal_error(format!("{BROKEN}: {LOOK_BEFORE_RETRY}"), None)))
            }
        }
    })
    .await
}
