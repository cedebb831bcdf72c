//! The reasons that clients gave when they cancelled calls of theirs.
//!
//! Only an explicit cancel of the user cancels a run. A stream that closes is not one: over HTTP the new era
//! has no other, and a broken connection looks the same. Nor is a timeout: client libraries cancel every call
//! that outlasts their own timeout, and the paid run behind it is fetched afterwards.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::model::{CancelledNotificationParam, RequestId};

/// Reasons kept for one session. A call reads its own within seconds; an evicted one counts as never given.
const KEPT_MAX: usize = 256;

/// How libraries spell a timeout, in the reasons they give: the TypeScript SDKs say `Request timed out`,
/// Python `timed out after 60s`, rmcp `request timeout`, Go `context deadline exceeded`.
const IMPATIENT: [&str; 4] = ["timed out", "timeout", "time out", "deadline"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallCancelReason {
    /// The result is not wanted any more.
    Unwanted,
    /// The client's own timeout was reached; the user decided nothing.
    ClientTimeout,
}

impl CallCancelReason {
    fn of(reason: Option<&str>) -> Self {
        let reason = reason.unwrap_or_default().to_lowercase();
        if IMPATIENT.iter().any(|spelling| reason.contains(spelling)) {
            Self::ClientTimeout
        } else {
            Self::Unwanted
        }
    }
}

/// The cancel reasons of one session. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct CancellationLog(Arc<Mutex<VecDeque<(RequestId, CallCancelReason)>>>);

impl CancellationLog {
    pub fn record(&self, cancelled: CancelledNotificationParam) {
        let word = CallCancelReason::of(cancelled.reason.as_deref());
        let Some(request) = cancelled.request_id else { return };
        let mut words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if words.len() >= KEPT_MAX {
            words.pop_front();
        }
        words.push_back((request, word));
    }

    /// The reason that the client gave for cancelling this call.
    pub fn reason(&self, request: &RequestId) -> Option<CallCancelReason> {
        let words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        words.iter().rev().find(|(said, _)| said == request).map(|(_, word)| *word)
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CancelledNotificationParam, RequestId};

    use super::{CallCancelReason, CancellationLog, KEPT_MAX};

    #[track_caller]
    fn check(reason: Option<&str>, expected: CallCancelReason) {
        assert_eq!(CallCancelReason::of(reason), expected, "{reason:?}");
    }

    #[test]
    fn a_limit_that_was_reached_is_nobodys_decision() {
        check(Some("McpError: MCP error -32001: Request timed out"), CallCancelReason::ClientTimeout);
        check(Some("SdkError: Request timed out"), CallCancelReason::ClientTimeout);
        check(Some("timed out after 5.0s"), CallCancelReason::ClientTimeout);
        check(Some("request timeout"), CallCancelReason::ClientTimeout);
        check(Some("context deadline exceeded"), CallCancelReason::ClientTimeout);
    }

    #[test]
    fn anything_else_is_meant() {
        check(None, CallCancelReason::Unwanted);
        check(Some(""), CallCancelReason::Unwanted);
        check(Some("AbortError: This operation was aborted"), CallCancelReason::Unwanted);
        check(Some("caller cancelled"), CallCancelReason::Unwanted);
        check(Some("the user pressed stop"), CallCancelReason::Unwanted);
    }

    #[test]
    fn a_word_is_about_one_call_and_the_oldest_are_forgotten() {
        let withdrawn = CancellationLog::default();
        let call = |number: usize| RequestId::Number(i64::try_from(number).unwrap());
        for number in 0..=KEPT_MAX {
            withdrawn.record(CancelledNotificationParam::new(Some(call(number)), None));
        }
        let said = |number| withdrawn.reason(&call(number));
        assert_eq!((said(0), said(1), said(KEPT_MAX + 1)), (None, Some(CallCancelReason::Unwanted), None));
    }
}
