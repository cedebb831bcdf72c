//! The hash of the last event of runs that this process wrote or read lately, so that an append needs no read
//! first. Eviction costs one query; a wrong entry is noticed by the append itself.

use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, PoisonError},
};

use probity_research::id::{RunId, Sequence};

use crate::row::Hash;

/// Runs in one generation; two are kept. About 10 MB when both are full.
const GENERATION_MAX: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(super) struct ChainHashCache(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<RunId, (Sequence, Hash)>,
    old: HashMap<RunId, (Sequence, Hash)>,
}

impl ChainHashCache {
    /// The hash of event `sequence`, if that was the last one known.
    pub fn at(&self, id: RunId, sequence: Sequence) -> Option<Hash> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.young.get(&id).or_else(|| known.old.get(&id));
        found.filter(|(last, _)| *last == sequence).map(|(_, chain)| *chain)
    }

    pub fn remember(&self, id: RunId, sequence: Sequence, chain: Hash) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.young.len() >= GENERATION_MAX {
            known.old = mem::take(&mut known.young);
        }
        known.young.insert(id, (sequence, chain));
    }

    pub fn forget(&self, id: RunId) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.young.remove(&id);
        known.old.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use probity_research::id::{RunId, Sequence};

    use super::{ChainHashCache, GENERATION_MAX};

    #[test]
    fn the_newest_are_known_and_memory_is_bounded() {
        let chains = ChainHashCache::default();
        let id = |number: usize| RunId::from_random(number as u128);
        for number in 0..GENERATION_MAX * 3 {
            chains.remember(id(number), Sequence(1), [number as u8; 32]);
        }
        let last = GENERATION_MAX * 3 - 1;
        assert_eq!(chains.at(id(last), Sequence(1)), Some([last as u8; 32]));
        assert_eq!(chains.at(id(last), Sequence(2)), None);
        assert_eq!(chains.at(id(0), Sequence(1)), None);
        chains.forget(id(last));
        assert_eq!(chains.at(id(last), Sequence(1)), None);
    }
}
