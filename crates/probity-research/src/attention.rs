//! What a driver remembers while it attends to one research; lost at a crash, and that is fine.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::{checking::task::Answer, id::Digest};

/// Nothing here is needed to continue correctly: a fresh value makes the rules careful, not wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attention {
    /// Monotonic time that drivers have spent on this research, this and earlier ones together.
    pub attended: Duration,
    /// This driver recorded the intent itself, so the paid call has provably not been made yet.
    pub intent_is_fresh: bool,
    /// Wait before the next call.
    pub pause: Option<Duration>,
    pub failures_in_a_row: u32,
    pub not_there_in_a_row: u32,
    /// Looks that brought an answer since this driver took over. A deadline is judged only after one:
    /// the run may have finished while nobody attended to it.
    pub looks: u32,
    /// Looks for final results since the cancel was answered.
    pub collects: u32,
    /// When the last observation was recorded.
    pub recorded_at: Option<Duration>,
    /// Researches that the same process drives; see `react::record_pause`.
    pub crowd: usize,
    /// Stored bytes that the rules asked for: answers of earlier rounds.
    pub blobs: BTreeMap<Digest, Arc<[u8]>>,
    /// Questions that were looked up among those answered before.
    pub recalled: BTreeMap<Digest, Option<Answer>>,
}

impl Attention {
    pub fn resuming(attended_before: Duration) -> Self {
        Self { attended: attended_before, ..Self::default() }
    }

    pub fn blob(&self, digest: Digest) -> Option<&[u8]> {
        self.blobs.get(&digest).map(AsRef::as_ref)
    }
}
