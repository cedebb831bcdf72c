//! Runs that wait for a slot of one provider at one worker; the longest waiting is first.
//!
//! No run is notified: a waiting run retries by itself at the time it was given, and perhaps at another
//! worker. So what counts is since when it waits, which comes with the retry, and a run that does not retry
//! is soon dropped.

use std::{collections::BTreeMap, time::Duration};

use crate::{id::RunId, time::Moment};

/// How long after its time a run that waited longer still comes first: longer, and slots stay idle for runs
/// that retried at another worker.
const EXPECTED: Duration = Duration::from_millis(300);
/// And how long it counts as waiting here: a durable timer and a busy worker are not punctual.
const GRACE: Duration = Duration::from_secs(3);
/// Positions that are counted: runs further back all wait equally long.
const COUNTED_MAX: usize = 1_000;
/// Positions searched for a run before this one: those that waited longest retry most often.
const LOOKED_AT_MAX: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct SlotQueue {
    places: BTreeMap<(Moment, RunId), Duration>,
    since: BTreeMap<RunId, Moment>,
}

impl SlotQueue {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether one of `free` slots is for this run: fewer than that many that waited longer are about to take
    /// them.
    pub fn is_turn(&self, id: RunId, since: Moment, free: u32, now: Duration) -> bool {
        let here = |back_at: &Duration| *back_at <= now && now <= *back_at + EXPECTED;
        let longer = self.places.range(..(since, id)).take(LOOKED_AT_MAX);
        let longer = longer.filter(|(_, back_at)| here(back_at)).count();
        u32::try_from(longer).unwrap_or(u32::MAX) < free
    }

    /// Takes or keeps a position; returns how many are before it, as far as they are counted.
    pub fn join(&mut self, id: RunId, since: Moment) -> usize {
        self.leave(id);
        self.since.insert(id, since);
        self.places.insert((since, id), Duration::ZERO);
        self.places.range(..(since, id)).take(COUNTED_MAX).count()
    }

    pub fn set_return_time(&mut self, id: RunId, back_at: Duration) {
        if let Some(since) = self.since.get(&id) {
            self.places.insert((*since, id), back_at);
        }
    }

    pub fn leave(&mut self, id: RunId) {
        if let Some(since) = self.since.remove(&id) {
            self.places.remove(&(since, id));
        }
    }

    /// Removes runs that did not retry.
    pub fn forget_lost(&mut self, now: Duration) {
        let since = &mut self.since;
        self.places.retain(|(_, id), back_at| {
            let kept = now <= *back_at + GRACE;
            if !kept {
                since.remove(id);
            }
            kept
        });
    }
}
