//! Who waits for a slot of one provider at one worker, in the order of coming.
//!
//! Nobody is called: whoever waits comes back by itself at the time it was told, and is let in before those who came
//! later. One that does not come back is forgotten.

use std::{collections::BTreeMap, time::Duration};

use crate::id::ResearchId;

/// How long after its time somebody is still expected: a durable timer and a busy worker are not punctual.
const GRACE: Duration = Duration::from_secs(30);
/// Places looked at for each question. Those at the front are the ones that are due.
const LOOKED_AT_MAX: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct Queue {
    next: u64,
    places: BTreeMap<u64, Place>,
    numbers: BTreeMap<ResearchId, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    id: ResearchId,
    back_at: Duration,
}

impl Queue {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether one of `free` slots is for this one: fewer than that many who came earlier are here to take them.
    pub fn is_turn(&self, id: ResearchId, free: u32, now: Duration) -> bool {
        let mine = self.numbers.get(&id).copied().unwrap_or(self.next);
        let here = |place: &Place| place.back_at <= now && now <= place.back_at + GRACE;
        let earlier = self.places.range(..mine).take(LOOKED_AT_MAX).filter(|(_, place)| here(place)).count();
        u32::try_from(earlier).unwrap_or(u32::MAX) < free
    }

    /// Keeps its place or takes one at the end; tells how many are before it, at most.
    pub fn join(&mut self, id: ResearchId, now: Duration) -> u64 {
        self.forget_lost(now);
        let number = *self.numbers.entry(id).or_insert(self.next);
        if number == self.next {
            self.next += 1;
        }
        self.places.insert(number, Place { id, back_at: now });
        let first = self.places.keys().next().copied().unwrap_or(number);
        number - first
    }

    pub fn told(&mut self, id: ResearchId, back_at: Duration) {
        if let Some(place) = self.numbers.get(&id).and_then(|number| self.places.get_mut(number)) {
            place.back_at = back_at;
        }
    }

    pub fn leave(&mut self, id: ResearchId) {
        if let Some(number) = self.numbers.remove(&id) {
            self.places.remove(&number);
        }
    }

    /// The front is cleared of those who did not come back.
    pub fn forget_lost(&mut self, now: Duration) {
        while let Some((number, place)) = self.places.first_key_value()
            && now > place.back_at + GRACE
        {
            let (number, id) = (*number, place.id);
            self.places.remove(&number);
            self.numbers.remove(&id);
        }
    }
}
