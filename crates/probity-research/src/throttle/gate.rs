//! One worker's part of a provider's limit: which run may call now, which wait, and how calls ended.
//!
//! A slot is taken before an intent is recorded, so that no intent waits on disk for a provider that accepts
//! nothing. The share comes from the share allocator; without one no call is made.

use std::{collections::BTreeMap, time::Duration};

use super::{
    CallObservations, CallRate, FAILURES_IN_A_ROW_MAX,
    bucket::CallBucket,
    queue::SlotQueue,
    share::{ShareDemand, ShareRequest, ThrottleShare},
    target::CallOutcome,
};
use crate::{id::RunId, time::Moment};

/// A slot taken for an intent is returned if no call follows: longer than a database may take to record it.
const PERMIT_LIFE: Duration = Duration::from_secs(90);
/// Between two questions of the same run.
const WAIT_MIN: Duration = Duration::from_millis(200);
/// A recovery is noticed by all waiting runs within this time.
pub const WAIT_MAX: Duration = Duration::from_secs(30);
/// Part of the expected time after which a waiting run tries again.
const EARLY: f64 = 0.8;
/// While no share has come yet: about one request to the share allocator.
const FIRST_WAIT: Duration = Duration::from_millis(300);
/// Slots asked for beyond the demand, so that the next call need not wait for the next lease.
const SPARE: u32 = 8;
/// The same for calls per second: a share that only fits earlier calls makes the next run wait.
const SPARE_RATE: f64 = 50.0;
/// No call under way and no run waiting for this long: the share is returned and no longer asked for.
const IDLE: Duration = Duration::from_secs(20);
/// For the first estimates, until the provider was seen.
const CALLS_PER_SECOND_FIRST: f64 = 50.0;
const ROUND_TRIP_FIRST: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Default)]
pub struct ThrottleGate {
    share: ThrottleShare,
    /// When the share ends, by this worker's clock.
    ends: Duration,
    pause_ends: Duration,
    running: u32,
    permits: BTreeMap<RunId, Permit>,
    bucket: CallBucket,
    queue: SlotQueue,
    observed: CallObservations,
    /// Bad answers since the last share.
    bad_in_a_row: u32,
    /// No more calls are begun before the share allocator knows of the failures.
    calls_suspended: bool,
    probes_left: u32,
    begun: u32,
    asked_at: Duration,
    wanted_at: Duration,
    round_trip: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
struct Permit {
    calls: u32,
    until: Duration,
}

impl ThrottleGate {
    /// Takes a slot for each of `calls` that will be made for `id`, or for as many as there are, but one at
    /// least; else says when to retry. Asking again keeps what was taken. Runs that have waited longer come
    /// first.
    pub fn reserve_slots(
        &mut self,
        id: RunId,
        since: Moment,
        calls: u32,
        now: Duration,
    ) -> Result<(), Duration> {
        self.wanted_at = now;
        self.forget_permits(now);
        if let Some(permit) = self.permits.get_mut(&id) {
            permit.until = now + PERMIT_LIFE;
            return Ok(());
        }
        let refused = match self.free(now) {
            0 => self.until_free(now),
            free if !self.queue.is_turn(id, since, free, now) => WAIT_MIN,
            free => match self.take(calls.clamp(1, free), now) {
                Ok(calls) => {
                    self.permits.insert(id, Permit { calls, until: now + PERMIT_LIFE });
                    self.queue.leave(id);
                    return Ok(());
                }
                Err(wait) => wait,
            },
        };
        Err(self.wait(id, since, refused, now))
    }

    /// A call begins: with the slot that was taken for it, or with one that is free; else says when to retry.
    pub fn begin(&mut self, id: RunId, now: Duration) -> Result<(), Duration> {
        self.wanted_at = now;
        self.forget_permits(now);
        if let Some(permit) = self.permits.get_mut(&id) {
            permit.calls -= 1;
            if permit.calls == 0 {
                self.permits.remove(&id);
            }
            self.running += 1;
            return Ok(());
        }
        let wait = match self.free(now) {
            0 => self.until_free(now),
            _ => match self.take(1, now) {
                Ok(_) => {
                    self.running += 1;
                    return Ok(());
                }
                Err(wait) => wait,
            },
        };
        Err(wait.clamp(WAIT_MIN, WAIT_MAX))
    }

    /// The call is over, or was given up.
    pub fn end(&mut self, outcome: CallOutcome, took: Duration) {
        self.running = self.running.saturating_sub(1);
        let mut seen = CallObservations::default();
        match outcome {
            CallOutcome::Answered => seen.ok = 1,
            CallOutcome::Throttled(wait) => {
                seen.throttled = 1;
                seen.retry_after = wait;
            }
            CallOutcome::Failed => seen.failed = 1,
            CallOutcome::Unknown => return,
        }
        if outcome == CallOutcome::Answered {
            self.bad_in_a_row = 0;
            seen.round_trip = Some(took);
            self.round_trip = Some(self.round_trip.map_or(took, |before| (before * 7 + took) / 8));
        } else {
            self.bad_in_a_row += 1;
        }
        let throttled = matches!(outcome, CallOutcome::Throttled(_));
        self.calls_suspended |= throttled || self.bad_in_a_row >= FAILURES_IN_A_ROW_MAX;
        self.observed.add(seen);
    }

    /// The run goes elsewhere or will not call: its slots are free again.
    pub fn release_slots(&mut self, id: RunId) {
        self.queue.leave(id);
        if let Some(permit) = self.permits.remove(&id) {
            (0..permit.calls).for_each(|_| self.bucket.put_back());
            if self.share.probe {
                self.probes_left += permit.calls;
            }
        }
    }

    /// Whether there is nothing to report to the share allocator and nothing to ask for.
    pub fn is_idle(&self, now: Duration) -> bool {
        let quiet = self.running == 0 && self.queue.len() == 0 && self.observed.is_empty();
        quiet && now.saturating_sub(self.wanted_at) > IDLE
    }

    /// What to tell the lessor. What was observed is handed over: put it back if it could not be told.
    pub fn asked(&mut self, now: Duration) -> ShareRequest {
        self.forget_permits(now);
        self.queue.forget_lost(now);
        let busy = self.busy();
        let waiting = u32::try_from(self.queue.len()).unwrap_or(u32::MAX);
        let passed = now.saturating_sub(self.asked_at).as_secs_f64().max(0.5);
        let begun_per_second = f64::from(self.begun) / passed;
        let idle = self.is_idle(now);
        let calls = 2.0 * f64::from(waiting) + 4.0 * begun_per_second + SPARE_RATE;
        self.begun = 0;
        self.asked_at = now;
        let wanted = ShareDemand {
            slots: busy.saturating_add(waiting).saturating_add(SPARE),
            rate: CallRate((calls * 1000.0) as u64),
        };
        let wanted = if idle { ShareDemand::default() } else { wanted };
        ShareRequest { wanted, busy, observed: std::mem::take(&mut self.observed) }
    }

    pub fn put_back(&mut self, observed: CallObservations) {
        self.observed.add(observed);
    }

    /// A new share. It counts from the moment it was asked for, so that it ends here before it ends at the
    /// share allocator.
    pub fn set_share(&mut self, share: ThrottleShare, now: Duration) {
        self.bucket.fill(now.min(self.ends));
        self.bucket.skip_to(now);
        self.bucket.set(share.rate, share.burst, now);
        self.ends = self.asked_at + share.lease;
        self.pause_ends = now + share.pause;
        self.probes_left = u32::from(share.probe).saturating_sub(self.running);
        self.share = share;
        self.bad_in_a_row = 0;
        // Slots returned meanwhile are not known to the share allocator yet.
        self.calls_suspended = self.observed.throttled > 0 || self.observed.failed >= FAILURES_IN_A_ROW_MAX;
    }

    /// Slots in use, or taken for calls that are about to be made.
    pub fn busy(&self) -> u32 {
        let permits: u32 = self.permits.values().map(|permit| permit.calls).sum();
        self.running + permits
    }

    pub fn running(&self) -> u32 {
        self.running
    }

    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn free(&self, now: Duration) -> u32 {
        if now >= self.ends || self.calls_suspended {
            return 0;
        }
        let free = self.share.slots.saturating_sub(self.busy());
        if self.share.probe { free.min(self.probes_left) } else { free }
    }

    fn take(&mut self, calls: u32, now: Duration) -> Result<u32, Duration> {
        self.bucket.take(now)?;
        let more = (1..calls).take_while(|_| self.bucket.take(now).is_ok()).count();
        let taken = 1 + u32::try_from(more).unwrap_or(0);
        self.begun += taken;
        self.probes_left = self.probes_left.saturating_sub(taken);
        Ok(taken)
    }

    /// When there may be a slot again, for the first in the queue.
    fn until_free(&self, now: Duration) -> Duration {
        let pause = self.pause_ends.saturating_sub(now);
        if !pause.is_zero() {
            return pause;
        }
        if now >= self.ends || self.calls_suspended || self.share.slots == 0 {
            return FIRST_WAIT;
        }
        self.round_trip.unwrap_or(ROUND_TRIP_FIRST) / self.share.slots.max(1)
    }

    /// Later for runs further back; spread, so that they do not retry together.
    fn wait(&mut self, id: RunId, since: Moment, first: Duration, now: Duration) -> Duration {
        let before = self.queue.join(id, since);
        // A little early: a slot that waits for its caller is lost, a caller that asks twice loses nothing.
        let behind = Duration::from_secs_f64(EARLY * before as f64 / self.calls_per_second());
        let wait = first.saturating_add(behind).clamp(WAIT_MIN, WAIT_MAX);
        let salt = u64::try_from(now.as_millis()).unwrap_or(0);
        let wait = wait.mul_f64(1.0 - 0.25 * id.spread(salt));
        self.queue.set_return_time(id, now + wait);
        wait
    }

    /// How fast waiting runs get slots, as far as it is known.
    fn calls_per_second(&self) -> f64 {
        if self.share.lease.is_zero() {
            return CALLS_PER_SECOND_FIRST;
        }
        let round_trip = self.round_trip.unwrap_or(ROUND_TRIP_FIRST).as_secs_f64().max(0.001);
        let by_slots = f64::from(self.share.slots.max(1)) / round_trip;
        let by_rate = if self.share.rate.0 == 0 { by_slots } else { self.share.rate.as_f64() };
        by_slots.min(by_rate).max(0.1)
    }

    fn forget_permits(&mut self, now: Duration) {
        self.permits.retain(|_, permit| permit.until > now);
    }
}
