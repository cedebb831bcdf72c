//! States and texts of researches that this worker drove last. Forgetting costs one read, never truth: what is
//! here is taken only if the journal has not moved on.

use std::collections::{BTreeMap, HashMap, VecDeque};

use probity_research::{Research, ResearchId, Sequence, attention::Attention, id::Digest};

/// What a state without texts takes, roughly.
const STATE_BYTES: usize = 4 * 1024;
/// Stamps without a bearer that may lie about before they are swept.
const IDLE_STAMPS_MAX: usize = 64;

pub struct AtHand {
    pub research: Research,
    blobs: BTreeMap<Digest, std::sync::Arc<[u8]>>,
    recalled: BTreeMap<Digest, Option<probity_research::checking::task::Answer>>,
    bytes: usize,
}

impl AtHand {
    /// Puts back what a driver had read.
    pub fn give(&self, attention: &mut Attention) {
        attention.blobs.clone_from(&self.blobs);
        attention.recalled.clone_from(&self.recalled);
    }
}

pub struct Cache {
    bytes_max: usize,
    bytes: usize,
    stamp: u64,
    held: HashMap<ResearchId, (u64, AtHand)>,
    /// Oldest first. What was taken out or put in again since leaves a stamp behind that nobody bears.
    order: VecDeque<(u64, ResearchId)>,
}

impl Cache {
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, bytes: 0, stamp: 0, held: HashMap::new(), order: VecDeque::new() }
    }

    /// Takes it out, if it is as new as the journal.
    pub fn take(&mut self, id: ResearchId, newest: Sequence) -> Option<AtHand> {
        self.remove(id).filter(|found| found.research.sequence == newest)
    }

    pub fn put(&mut self, research: Research, attention: Attention) {
        let Attention { blobs, recalled, .. } = attention;
        let bytes = STATE_BYTES + blobs.values().map(|blob| blob.len()).sum::<usize>();
        let id = research.id;
        drop(self.remove(id));
        self.stamp += 1;
        self.bytes += bytes;
        self.held.insert(id, (self.stamp, AtHand { research, blobs, recalled, bytes }));
        self.order.push_back((self.stamp, id));
        while self.bytes > self.bytes_max || self.order.len() > 2 * self.held.len() + IDLE_STAMPS_MAX {
            let Some((stamp, oldest)) = self.order.pop_front() else { return };
            if self.held.get(&oldest).is_some_and(|(newest, _)| *newest == stamp) {
                drop(self.remove(oldest));
            }
        }
    }

    fn remove(&mut self, id: ResearchId) -> Option<AtHand> {
        let (_, found) = self.held.remove(&id)?;
        self.bytes -= found.bytes;
        Some(found)
    }
}
