//! In-flight locks that this worker may have without knowing: the journal did not answer while one was taken
//! or released.
//!
//! While this worker lives no other worker drops such a lock, so it is released again and again for a while:
//! a statement on a connection that was cut can still arrive at the database minutes later.

use std::collections::BTreeMap;

use probity_research::RunId;

/// Heartbeats for which a lock is released: three minutes, longer than a system goes on sending what a closed
/// connection left behind.
const TIMES: u32 = 18;
/// Runs remembered. A worker has a few hundred turns under way at most; beyond this the oldest id is dropped,
/// and its lock waits until this worker ends.
const REMEMBERED_MAX: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct UncertainLocks {
    left: BTreeMap<RunId, u32>,
}

impl UncertainLocks {
    pub(super) fn remember(&mut self, id: RunId) {
        if self.left.len() >= REMEMBERED_MAX {
            self.left.pop_first();
        }
        self.left.insert(id, TIMES);
    }

    /// Runs whose lock is to be released now.
    pub(super) fn due(&mut self) -> Vec<RunId> {
        let due = self.left.keys().copied().collect();
        self.left.retain(|_, times| {
            *times -= 1;
            *times > 0
        });
        due
    }
}

#[cfg(test)]
mod tests {
    use probity_research::RunId;

    use super::{REMEMBERED_MAX, TIMES, UncertainLocks};

    #[test]
    fn a_hold_is_let_go_for_a_while_and_then_forgotten() {
        let mut lingering = UncertainLocks::default();
        let id = RunId::from_random(1);
        lingering.remember(id);
        let times = (0..100).take_while(|_| lingering.due() == [id]).count();
        assert_eq!(times, TIMES as usize);
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let mut lingering = UncertainLocks::default();
        (0..REMEMBERED_MAX as u128 + 5).for_each(|number| lingering.remember(RunId::from_random(number)));
        assert_eq!(lingering.due().len(), REMEMBERED_MAX);
    }
}
