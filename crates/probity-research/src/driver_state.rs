//! What a driver remembers while it attends to one run; lost at a crash, and that is fine.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    checking::{cited::CitedAddresses, task::JudgeAnswer},
    id::Digest,
    progress::Progress,
    serde_helpers::is_zero,
};

/// A fresh run may be invisible for a while (404 or 403 right after create were seen for up to a minute).
pub const NOT_THERE_GRACE: Duration = Duration::from_secs(120);
/// And one look is not enough to call it lost.
pub const NOT_THERE_POLLS_MIN: u32 = 5;
/// Looks for final results and usage after a cancel: the provider's answer may lag behind it.
pub const COLLECTS_MAX: u32 = 3;
/// Pause between those looks.
pub const COLLECT_PAUSE: Duration = Duration::from_millis(1_200);

/// Nothing here is needed to continue correctly: a fresh value makes the rules careful, not wrong. On a
/// distributed engine the small part travels from step to step in its journal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DriverState {
    /// Monotonic time that drivers have spent on this run, this and earlier ones together.
    pub attended: Duration,
    /// This driver recorded the intent itself, so the paid call has provably not been made yet.
    #[serde(skip)]
    pub intent_is_fresh: bool,
    /// Wait before the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Duration>,
    #[serde(skip_serializing_if = "is_zero")]
    pub failures_in_a_row: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub not_there_in_a_row: u32,
    /// Polls that were answered since this driver took over.
    #[serde(skip_serializing_if = "is_zero")]
    pub looks: u32,
    /// What drivers before this one had attended to the run; zero for its first driver.
    #[serde(skip_serializing_if = "Duration::is_zero")]
    pub took_over_at: Duration,
    /// When drivers began to carry out the cancel command: when this one first saw it, or when it was answered
    /// before this one took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending_since: Option<Duration>,
    /// Polls for final results since the cancel was answered.
    #[serde(skip_serializing_if = "is_zero")]
    pub collects: u32,
    /// When the last observation was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_at: Option<Duration>,
    /// What polls have shown since then and was not worth a row of its own: it goes with the next row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<Box<Progress>>,
    /// Runs that the same process drives; see `react::record_pause`.
    #[serde(skip)]
    pub crowd: usize,
    /// Stored bytes that the rules asked for: answers of earlier rounds.
    #[serde(skip)]
    pub blobs: BTreeMap<Digest, Arc<[u8]>>,
    /// Questions that were looked up among those answered before.
    #[serde(skip)]
    pub recalled: BTreeMap<Digest, Option<JudgeAnswer>>,
    /// What the text that is being checked cites.
    #[serde(skip)]
    pub cited: CitedAddresses,
}

impl DriverState {
    pub fn resuming(attended_before: Duration) -> Self {
        Self { attended: attended_before, took_over_at: attended_before, ..Self::default() }
    }

    /// Later progress with all that was seen and not recorded before it.
    pub fn take_unrecorded(&mut self, later: Progress) -> Progress {
        match self.unrecorded.take() {
            Some(seen) => seen.joined_with(&later),
            None => later,
        }
    }

    /// A decision was appended, and whether it was an intent; `None` if another writer was faster. At the end of a run
    /// what was not recorded is the first decision.
    pub fn decided(&mut self, appended: Option<bool>) {
        self.intent_is_fresh = appended == Some(true);
        if appended.is_some() {
            self.unrecorded = None;
        }
    }

    pub fn blob(&self, digest: Digest) -> Option<&[u8]> {
        self.blobs.get(&digest).map(AsRef::as_ref)
    }
}
