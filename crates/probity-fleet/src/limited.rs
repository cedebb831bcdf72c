//! An engine that keeps to what its providers take, together with all other workers.
//!
//! A slot is taken before an intent is recorded ([`Engine::ready`]) and given back when the call is over. Shares come
//! from a lessor, for a few seconds each; what calls teach goes to it in the same visit. The rules are
//! `probity_research::throttle`.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use probity_research::{
    OwnerId, Research, ResearchId,
    error::{Code, Problem},
    finding::{Call, Finding},
    id::Digest,
    seams::{Clock, Engine, Upcoming},
    throttle::{
        Ceiling, Lessor, Rate, Target,
        gate::Gate,
        share::Wanted,
        target::{self, Outcome},
    },
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A share is good for so long: five visits, so that a slow database does not stop the work.
const LEASE: Duration = Duration::from_secs(5);
/// Between two visits to the lessor for the same provider.
const VISIT_EVERY: Duration = Duration::from_secs(1);
/// How often it is looked whether a visit is due.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a call waits whose intent is recorded and that has no slot: one of a bundle, behind the others. After
/// that it is answered as refused, which costs nothing.
const PATIENCE: Duration = Duration::from_secs(120);
/// Such a call looks again this often at least.
const PATIENCE_STEP_MAX: Duration = Duration::from_secs(2);

/// What the operator allows, and which key is used where.
#[derive(Debug, Clone)]
pub struct Limits {
    /// By the provider's name (see `throttle::target`) or by what stands before the slash in it.
    pub ceilings: BTreeMap<String, Ceiling>,
    pub otherwise: Ceiling,
    /// Hashes of keys, by the same names: workers with different keys do not share a limit.
    pub keys: BTreeMap<String, Digest>,
}

impl Default for Limits {
    /// What the usual paid plans of the providers carry; more is a setting.
    fn default() -> Self {
        let otherwise = Ceiling { slots: 64, rate: Rate::per_second(20), burst: 40 };
        Self { ceilings: BTreeMap::new(), otherwise, keys: BTreeMap::new() }
    }
}

impl Limits {
    fn ceiling(&self, provider: &str) -> Ceiling {
        by_name(&self.ceilings, provider).unwrap_or(self.otherwise)
    }

    fn target(&self, provider: &str) -> Target {
        let key = by_name(&self.keys, provider).unwrap_or(Digest([0; 32]));
        Target { provider: provider.to_owned(), key }
    }
}

fn by_name<T: Copy>(values: &BTreeMap<String, T>, provider: &str) -> Option<T> {
    let family = || provider.split_once('/').and_then(|(family, _)| values.get(family));
    values.get(provider).or_else(family).copied()
}

/// What one provider's gate looks like from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateStanding {
    pub provider: String,
    pub running: u32,
    pub waiting: usize,
}

/// Cheap to clone; all clones share the gates. [`Limited::run`] must be running, else nobody gets a slot.
pub struct Limited<E, L, C> {
    inner: Arc<Inner<E, L, C>>,
}

impl<E, L, C> Clone for Limited<E, L, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

struct Inner<E, L, C> {
    engine: E,
    lessor: L,
    clock: C,
    owner: OwnerId,
    limits: Limits,
    gates: Mutex<BTreeMap<String, Kept>>,
    wanted: Notify,
}

struct Kept {
    gate: Gate,
    target: Target,
    visited_at: Option<Duration>,
    /// Nobody wants anything, and the lessor knows.
    released: bool,
}

impl<E: Engine, L: Lessor, C: Clock> Limited<E, L, C> {
    pub fn new(engine: E, lessor: L, clock: C, owner: OwnerId, limits: Limits) -> Self {
        let gates = Mutex::default();
        let wanted = Notify::new();
        Self { inner: Arc::new(Inner { engine, lessor, clock, owner, limits, gates, wanted }) }
    }

    /// Takes shares and tells what was observed, until `stop`; then gives back what is held. Stop it after the last
    /// call is over.
    pub async fn run(&self, stop: CancellationToken) {
        let inner = &self.inner;
        loop {
            inner.visit_due().await;
            let woken = async {
                tokio::select! {
                    () = inner.wanted.notified() => {}
                    () = inner.clock.sleep(LOOK_EVERY) => {}
                }
            };
            if stop.run_until_cancelled(woken).await.is_none() {
                break;
            }
        }
        let all: Vec<String> = inner.gates().keys().cloned().collect();
        join_all(all.iter().map(|provider| inner.visit(provider, Visit::Last))).await;
    }

    /// For status and metrics.
    pub fn standings(&self) -> Vec<GateStanding> {
        let gates = self.inner.gates();
        let standing = |(provider, kept): (&String, &Kept)| GateStanding {
            provider: provider.clone(),
            running: kept.gate.running(),
            waiting: kept.gate.waiting(),
        };
        gates.iter().map(standing).collect()
    }
}

impl<E: Engine, L: Lessor, C: Clock> Engine for Limited<E, L, C> {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        let Some(provider) = target::of_call(research, call) else {
            return self.inner.engine.perform(research, call).await;
        };
        let slot = match self.inner.slot(&provider, research.id).await {
            Ok(slot) => slot,
            Err(wait) => return no_room(call, wait),
        };
        let finding = Box::pin(self.inner.engine.perform(research, call)).await;
        slot.over(target::outcome(&finding));
        finding
    }

    fn ready(&self, research: &Research, upcoming: Upcoming<'_>) -> Option<Duration> {
        let inner = &self.inner;
        if let Some(wait) = inner.engine.ready(research, upcoming) {
            return Some(wait);
        }
        let now = inner.clock.monotonic();
        let wanted = target::of_upcoming(research, upcoming);
        let mut gates = inner.gates();
        for (provider, calls) in &wanted {
            let asked = inner.gate(&mut gates, provider).ask(research.id, research.updated_at, *calls, now);
            if let Err(wait) = asked {
                // All or none: a slot that waits for another one is lost to others.
                let taken = wanted.keys().take_while(|other| *other != provider);
                taken.for_each(|other| inner.gate(&mut gates, other).leave(research.id));
                return Some(wait);
            }
        }
        None
    }

    fn forget(&self, id: ResearchId) {
        self.inner.gates().values_mut().for_each(|kept| kept.gate.leave(id));
        self.inner.engine.forget(id);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Regular,
    /// Nothing more will be called: all is given back.
    Last,
}

impl<E: Engine, L: Lessor, C: Clock> Inner<E, L, C> {
    fn gates(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A provider that is asked for the first time is visited at once.
    fn gate<'a>(&self, gates: &'a mut BTreeMap<String, Kept>, provider: &str) -> &'a mut Gate {
        let kept = match gates.entry(provider.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let (gate, target) = (Gate::default(), self.limits.target(provider));
                new.insert(Kept { gate, target, visited_at: None, released: true })
            }
        };
        if kept.released {
            kept.released = false;
            self.wanted.notify_one();
        }
        &mut kept.gate
    }

    async fn visit_due(&self) {
        let now = self.clock.monotonic();
        let due: Vec<String> = {
            let mut gates = self.gates();
            let due = gates.iter_mut().filter(|(_, kept)| {
                let is_time = kept.visited_at.is_none_or(|at| now.saturating_sub(at) >= VISIT_EVERY);
                is_time && !kept.released
            });
            due.map(|(provider, _)| provider.clone()).collect()
        };
        join_all(due.iter().map(|provider| self.visit(provider, Visit::Regular))).await;
    }

    /// Tells and asks. Without an answer the old share goes on until it ends.
    async fn visit(&self, provider: &str, visit: Visit) {
        let now = self.clock.monotonic();
        let (target, mut asked, idle) = {
            let mut gates = self.gates();
            let Some(kept) = gates.get_mut(provider) else { return };
            kept.visited_at = Some(now);
            let idle = kept.gate.is_idle(now);
            (kept.target.clone(), kept.gate.asked(now), idle)
        };
        if visit == Visit::Last {
            asked.wanted = Wanted::default();
        }
        let ceiling = self.limits.ceiling(provider);
        let given = self.lessor.lease(self.owner, &target, ceiling, asked, LEASE).await;
        let now = self.clock.monotonic();
        let mut gates = self.gates();
        let Some(kept) = gates.get_mut(provider) else { return };
        match given {
            Ok(share) => {
                kept.gate.granted(share, now);
                kept.released = idle;
            }
            Err(problem) => {
                kept.gate.put_back(asked.observed);
                tracing::warn!(provider, code = %problem.code, "could not renew the share of a provider's limit");
            }
        }
    }

    /// The slot that was taken for this call, or the next one that is free.
    async fn slot(&self, provider: &str, id: ResearchId) -> Result<Slot<'_, E, L, C>, Duration> {
        let began = self.clock.monotonic();
        loop {
            let now = self.clock.monotonic();
            let begun = self.gate(&mut self.gates(), provider).begin(id, now);
            match begun {
                Ok(()) => {
                    return Ok(Slot {
                        inner: self,
                        provider: provider.to_owned(),
                        began: now,
                        is_over: false,
                    });
                }
                Err(wait) if now.saturating_sub(began) >= PATIENCE => return Err(wait),
                Err(wait) => self.clock.sleep(wait.min(PATIENCE_STEP_MAX)).await,
            }
        }
    }
}

/// A call under way; given back also when it is dropped in the middle.
struct Slot<'a, E: Engine, L: Lessor, C: Clock> {
    inner: &'a Inner<E, L, C>,
    provider: String,
    began: Duration,
    is_over: bool,
}

impl<E: Engine, L: Lessor, C: Clock> Slot<'_, E, L, C> {
    fn over(mut self, outcome: Outcome) {
        self.end(outcome);
        self.is_over = true;
    }

    fn end(&self, outcome: Outcome) {
        let took = self.inner.clock.monotonic().saturating_sub(self.began);
        if let Some(kept) = self.inner.gates().get_mut(&self.provider) {
            kept.gate.end(outcome, took);
        }
    }
}

impl<E: Engine, L: Lessor, C: Clock> Drop for Slot<'_, E, L, C> {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(Outcome::Unknown);
        }
    }
}

/// The call was not made: nothing was paid, and the rules come back to it.
fn no_room(call: &Call, wait: Duration) -> Finding {
    let problem = Problem::new(Code::RateLimited, "the provider takes no more calls for now")
        .with_retry_after(Some(wait));
    match call {
        Call::Create { .. } | Call::Ask(_) => Finding::Refused(problem),
        Call::Follow { .. } | Call::Collect { .. } | Call::Cancel { .. } => Finding::Unreachable(problem),
        Call::Web(call) => call.refused(problem),
        Call::Check(call) => call.refused(problem),
    }
}

#[cfg(test)]
mod tests;
