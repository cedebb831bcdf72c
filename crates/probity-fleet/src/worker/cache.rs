//! States and texts of runs that this worker drove last. Eviction costs one read, never correctness: an entry
//! is used only if the journal has not moved on.

use std::collections::{BTreeMap, HashMap, VecDeque};

use probity_research::{RunId, RunState, Sequence, driver_state::DriverState, id::Digest};

/// Approximate size of a state without texts.
const STATE_BYTES: usize = 4 * 1024;
/// Stale entries of `order` that may pile up before they are swept.
const IDLE_STAMPS_MAX: usize = 64;

pub struct CachedRun {
    pub research: RunState,
    blobs: BTreeMap<Digest, std::sync::Arc<[u8]>>,
    recalled: BTreeMap<Digest, Option<probity_research::checking::task::JudgeAnswer>>,
    bytes: usize,
}

impl CachedRun {
    /// Puts back the blobs that a driver had read.
    pub fn restore_into(&self, attention: &mut DriverState) {
        attention.blobs.clone_from(&self.blobs);
        attention.recalled.clone_from(&self.recalled);
    }
}

pub struct RunCache {
    bytes_max: usize,
    bytes: usize,
    stamp: u64,
    held: HashMap<RunId, (u64, CachedRun)>,
    /// Oldest first. An entry that was taken out or put in again since leaves a stale stamp behind.
    order: VecDeque<(u64, RunId)>,
}

impl RunCache {
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, bytes: 0, stamp: 0, held: HashMap::new(), order: VecDeque::new() }
    }

    /// Takes an entry out, if it is as new as the journal.
    pub fn take(&mut self, id: RunId, newest: Sequence) -> Option<CachedRun> {
        self.remove(id).filter(|found| found.research.sequence == newest)
    }

    pub fn put(&mut self, research: RunState, attention: DriverState) {
        let DriverState { blobs, recalled, .. } = attention;
        let bytes = STATE_BYTES + blobs.values().map(|blob| blob.len()).sum::<usize>();
        let id = research.id;
        drop(self.remove(id));
        self.stamp += 1;
        self.bytes += bytes;
        self.held.insert(id, (self.stamp, CachedRun { research, blobs, recalled, bytes }));
        self.order.push_back((self.stamp, id));
        while self.bytes > self.bytes_max || self.order.len() > 2 * self.held.len() + IDLE_STAMPS_MAX {
            let Some((stamp, oldest)) = self.order.pop_front() else { return };
            if self.held.get(&oldest).is_some_and(|(newest, _)| *newest == stamp) {
                drop(self.remove(oldest));
            }
        }
    }

    fn remove(&mut self, id: RunId) -> Option<CachedRun> {
        let (_, found) = self.held.remove(&id)?;
        self.bytes -= found.bytes;
        Some(found)
    }
}
