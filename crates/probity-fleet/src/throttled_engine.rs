//! An engine that stays within its providers' limits, together with all other workers.
//!
//! A slot is taken before an intent is recorded ([`Engine::ready`]) and returned when the call is over.
//! Shares of a limit come from the share allocator, for a few seconds each; what the calls observed goes to
//! it in the same request. The rules are `probity_research::throttle`.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use probity_research::{
    OwnerId, RunId, RunState,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    id::Digest,
    ports::{Clock, Engine, UpcomingCalls},
    throttle::{
        CallRate, ProviderCeiling, ShareAllocator, ThrottleTarget,
        gate::ThrottleGate,
        share::ShareDemand,
        target::{self, CallOutcome},
    },
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// A share is valid for this long: five renewals, so that a slow database does not stop the work.
const LEASE: Duration = Duration::from_secs(5);
/// Between two renewals of the share of one provider.
const RENEW_EVERY: Duration = Duration::from_secs(1);
/// How often it is checked whether a renewal is due.
const DUE_CHECK_EVERY: Duration = Duration::from_millis(250);
/// How long a call waits whose intent is recorded and that has no slot: one of a batch, behind the others.
/// After that it is answered as refused, which costs nothing.
const PERMIT_WAIT_MAX: Duration = Duration::from_secs(120);
/// Such a call tries again at least this often.
const PERMIT_WAIT_STEP_MAX: Duration = Duration::from_secs(2);

/// What the operator allows, and which key is used where.
#[derive(Debug, Clone)]
pub struct ThrottleSettings {
    /// By the provider's name (see `throttle::target`) or by its part before the slash.
    pub ceilings: BTreeMap<String, ProviderCeiling>,
    pub otherwise: ProviderCeiling,
    /// Hashes of keys, by the same names: workers with different keys do not share a limit.
    pub keys: BTreeMap<String, Digest>,
}

impl Default for ThrottleSettings {
    /// What the providers' usual paid plans allow; more is a setting.
    fn default() -> Self {
        let otherwise = ProviderCeiling { slots: 64, rate: CallRate::per_second(20), burst: 40 };
        Self { ceilings: BTreeMap::new(), otherwise, keys: BTreeMap::new() }
    }
}

impl ThrottleSettings {
    fn ceiling(&self, provider: &str) -> ProviderCeiling {
        by_name(&self.ceilings, provider).unwrap_or(self.otherwise)
    }

    fn target(&self, provider: &str) -> ThrottleTarget {
        let key = by_name(&self.keys, provider).unwrap_or(Digest([0; 32]));
        ThrottleTarget { provider: provider.to_owned(), key }
    }
}

fn by_name<T: Copy>(values: &BTreeMap<String, T>, provider: &str) -> Option<T> {
    let family = || provider.split_once('/').and_then(|(family, _)| values.get(family));
    values.get(provider).or_else(family).copied()
}

/// The state of one provider's gate, for status and metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateStatus {
    pub provider: String,
    pub running: u32,
    pub waiting: usize,
}

/// Cheap to clone; all clones share the gates. [`ThrottledEngine::run`] must be running, else no call gets a
/// slot.
pub struct ThrottledEngine<E, L, C> {
    inner: Arc<ThrottledEngineInner<E, L, C>>,
}

impl<E, L, C> Clone for ThrottledEngine<E, L, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

struct ThrottledEngineInner<E, L, C> {
    engine: E,
    allocator: L,
    clock: C,
    owner: OwnerId,
    limits: ThrottleSettings,
    gates: Mutex<BTreeMap<String, GateRecord>>,
    wanted: Notify,
}

struct GateRecord {
    gate: ThrottleGate,
    target: ThrottleTarget,
    visited_at: Option<Duration>,
    /// No call wants a slot, and the share allocator knows.
    released: bool,
}

impl<E: Engine, L: ShareAllocator, C: Clock> ThrottledEngine<E, L, C> {
    pub fn new(engine: E, allocator: L, clock: C, owner: OwnerId, limits: ThrottleSettings) -> Self {
        let gates = Mutex::default();
        let wanted = Notify::new();
        Self {
            inner: Arc::new(ThrottledEngineInner { engine, allocator, clock, owner, limits, gates, wanted }),
        }
    }

    /// Renews shares and reports what was observed, until `stop`; then returns the shares. Stop it after the
    /// last call is over.
    pub async fn run(&self, stop: CancellationToken) {
        let inner = &self.inner;
        loop {
            inner.renew_due_shares().await;
            let woken = async {
                tokio::select! {
                    () = inner.wanted.notified() => {}
                    () = inner.clock.sleep(DUE_CHECK_EVERY) => {}
                }
            };
            if stop.run_until_cancelled(woken).await.is_none() {
                break;
            }
        }
        let all: Vec<String> = inner.gates().keys().cloned().collect();
        join_all(all.iter().map(|provider| inner.renew_share(provider, RenewalKind::Last))).await;
    }

    /// For status and metrics.
    pub fn gate_statuses(&self) -> Vec<GateStatus> {
        let gates = self.inner.gates();
        let standing = |(provider, kept): (&String, &GateRecord)| GateStatus {
            provider: provider.clone(),
            running: kept.gate.running(),
            waiting: kept.gate.waiting(),
        };
        gates.iter().map(standing).collect()
    }
}

impl<E: Engine, L: ShareAllocator, C: Clock> Engine for ThrottledEngine<E, L, C> {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        let Some(provider) = target::of_call(research, call) else {
            return self.inner.engine.perform(research, call).await;
        };
        let slot = match self.inner.acquire_permit(&provider, research.id).await {
            Ok(slot) => slot,
            Err(wait) => return rate_limited_outcome(call, wait),
        };
        let finding = Box::pin(self.inner.engine.perform(research, call)).await;
        slot.release(target::call_outcome(&finding));
        finding
    }

    fn ready(&self, research: &RunState, upcoming: UpcomingCalls<'_>) -> Option<Duration> {
        let inner = &self.inner;
        if let Some(wait) = inner.engine.ready(research, upcoming) {
            return Some(wait);
        }
        let now = inner.clock.monotonic();
        let wanted = target::of_upcoming(research, upcoming);
        let mut gates = inner.gates();
        for (provider, calls) in &wanted {
            let asked =
                inner.gate(&mut gates, provider).reserve_slots(research.id, research.updated_at, *calls, now);
            if let Err(wait) = asked {
                // All or none: a slot that waits for another one is lost to others.
                let taken = wanted.keys().take_while(|other| *other != provider);
                taken.for_each(|other| inner.gate(&mut gates, other).release_slots(research.id));
                return Some(wait);
            }
        }
        None
    }

    fn release_run(&self, id: RunId) {
        self.inner.gates().values_mut().for_each(|kept| kept.gate.release_slots(id));
        self.inner.engine.release_run(id);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RenewalKind {
    Regular,
    /// No more calls will be made: everything is returned.
    Last,
}

impl<E: Engine, L: ShareAllocator, C: Clock> ThrottledEngineInner<E, L, C> {
    fn gates(&self) -> MutexGuard<'_, BTreeMap<String, GateRecord>> {
        self.gates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The share of a provider that is called for the first time is renewed at once.
    fn gate<'a>(&self, gates: &'a mut BTreeMap<String, GateRecord>, provider: &str) -> &'a mut ThrottleGate {
        let kept = match gates.entry(provider.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let (gate, target) = (ThrottleGate::default(), self.limits.target(provider));
                new.insert(GateRecord { gate, target, visited_at: None, released: true })
            }
        };
        if kept.released {
            kept.released = false;
            self.wanted.notify_one();
        }
        &mut kept.gate
    }

    async fn renew_due_shares(&self) {
        let now = self.clock.monotonic();
        let due: Vec<String> = {
            let mut gates = self.gates();
            let due = gates.iter_mut().filter(|(_, kept)| {
                let is_time = kept.visited_at.is_none_or(|at| now.saturating_sub(at) >= RENEW_EVERY);
                is_time && !kept.released
            });
            due.map(|(provider, _)| provider.clone()).collect()
        };
        join_all(due.iter().map(|provider| self.renew_share(provider, RenewalKind::Regular))).await;
    }

    /// Reports and asks. Without an answer the old share goes on until it ends.
    async fn renew_share(&self, provider: &str, visit: RenewalKind) {
        let now = self.clock.monotonic();
        let (target, mut asked, idle) = {
            let mut gates = self.gates();
            let Some(kept) = gates.get_mut(provider) else { return };
            kept.visited_at = Some(now);
            let idle = kept.gate.is_idle(now);
            (kept.target.clone(), kept.gate.asked(now), idle)
        };
        if visit == RenewalKind::Last {
            asked.wanted = ShareDemand::default();
        }
        let ceiling = self.limits.ceiling(provider);
        let given = self.allocator.take_share(self.owner, &target, ceiling, asked, LEASE).await;
        let now = self.clock.monotonic();
        let mut gates = self.gates();
        let Some(kept) = gates.get_mut(provider) else { return };
        match given {
            Ok(share) => {
                kept.gate.set_share(share, now);
                kept.released = idle;
            }
            Err(problem) => {
                kept.gate.put_back(asked.observed);
                tracing::warn!(provider, code = %problem.code, "could not renew the share of the limit");
            }
        }
    }

    /// The slot that was taken for this call, or the next one that is free.
    async fn acquire_permit(&self, provider: &str, id: RunId) -> Result<PermitGuard<'_, E, L, C>, Duration> {
        let began = self.clock.monotonic();
        loop {
            let now = self.clock.monotonic();
            let begun = self.gate(&mut self.gates(), provider).begin(id, now);
            match begun {
                Ok(()) => {
                    return Ok(PermitGuard {
                        inner: self,
                        provider: provider.to_owned(),
                        began: now,
                        is_over: false,
                    });
                }
                Err(wait) if now.saturating_sub(began) >= PERMIT_WAIT_MAX => return Err(wait),
                Err(wait) => self.clock.sleep(wait.min(PERMIT_WAIT_STEP_MAX)).await,
            }
        }
    }
}

/// A call under way; its slot is returned also when the call is dropped in the middle.
struct PermitGuard<'a, E: Engine, L: ShareAllocator, C: Clock> {
    inner: &'a ThrottledEngineInner<E, L, C>,
    provider: String,
    began: Duration,
    is_over: bool,
}

impl<E: Engine, L: ShareAllocator, C: Clock> PermitGuard<'_, E, L, C> {
    fn release(mut self, outcome: CallOutcome) {
        self.return_permit(outcome);
        self.is_over = true;
    }

    fn return_permit(&self, outcome: CallOutcome) {
        let took = self.inner.clock.monotonic().saturating_sub(self.began);
        if let Some(kept) = self.inner.gates().get_mut(&self.provider) {
            kept.gate.end(outcome, took);
        }
    }
}

impl<E: Engine, L: ShareAllocator, C: Clock> Drop for PermitGuard<'_, E, L, C> {
    fn drop(&mut self) {
        if !self.is_over {
            self.return_permit(CallOutcome::Unknown);
        }
    }
}

/// The call was not made: nothing was paid, and the rules retry it.
fn rate_limited_outcome(call: &EngineCall, wait: Duration) -> EngineOutcome {
    let problem = CodedError::new(Code::RateLimited, "the provider takes no more calls for now")
        .with_retry_after(Some(wait));
    match call {
        EngineCall::Create { .. } | EngineCall::Ask(_) => EngineOutcome::Refused(problem),
        EngineCall::Follow { .. } | EngineCall::Collect { .. } | EngineCall::Cancel { .. } => {
            EngineOutcome::Unreachable(problem)
        }
        EngineCall::Web(call) => call.refused(problem).into(),
        EngineCall::Check(call) => call.refused(problem).into(),
    }
}

#[cfg(test)]
mod tests;
