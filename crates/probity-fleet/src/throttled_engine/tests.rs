use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use probity_research::{
    Event, OwnerId, RunId, RunState, Sequence, StoredEvent,
    agent::AgentName,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    plan::{Plan, RunLimits as PlanLimits},
    ports::{Clock as _, Engine, UpcomingCalls},
    query::Query,
    throttle::{
        CallRate, ProviderCeiling, ShareAllocator, Throttle, ThrottleTarget,
        share::{ShareLease, ShareRequest, ThrottleShare, compute_share},
    },
    time::Moment,
};
use probity_runner::{clock::SystemClock, tasks::TaskGroup};

use super::{ThrottleSettings, ThrottledEngine};

type Books = BTreeMap<ThrottleTarget, (Throttle, Vec<ShareLease>)>;

/// What the database does, in memory and by the test's clock.
#[derive(Clone)]
struct FakeShareAllocator {
    books: Arc<Mutex<Books>>,
    clock: SystemClock,
}

impl ShareAllocator for FakeShareAllocator {
    async fn take_share(
        &self,
        owner: OwnerId,
        target: &ThrottleTarget,
        ceiling: ProviderCeiling,
        asked: ShareRequest,
        lease: Duration,
    ) -> Result<ThrottleShare, CodedError> {
        let now = Moment(self.clock.monotonic().as_millis() as i64 + 1_000_000);
        let mut books = self.books.lock().unwrap();
        let (throttle, leases) = books.entry(target.clone()).or_default();
        throttle.observe(ceiling, asked.observed, now);
        let (given, held) = compute_share(&throttle.allowed(ceiling, now), leases, owner, &asked, lease, now);
        leases.retain(|lease| lease.owner != owner && !lease.is_gone(now));
        leases.push(held);
        Ok(given)
    }
}

/// A provider that counts.
#[derive(Clone, Default)]
struct Provider {
    calls: Arc<AtomicU32>,
    under_way: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
    is_down: Arc<AtomicBool>,
}

impl Engine for Provider {
    async fn perform(&self, _: &RunState, _: &EngineCall) -> EngineOutcome {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let under_way = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(under_way, Ordering::SeqCst);
        let down = self.is_down.load(Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(if down { 30 } else { 400 })).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        if down {
            return EngineOutcome::Refused(
                CodedError::new(Code::ProviderUnavailable, "down").with_status(503),
            );
        }
        EngineOutcome::Started { remote_id: "v1_a".to_owned(), cursor: None }
    }
}

fn research(number: u128) -> RunState {
    let plan = Plan::new(AgentName::default(), PlanLimits::new(Duration::from_secs(3600), None));
    let event = Event::Asked { query: Query::parse("why is the sky blue").unwrap(), plan };
    let at = Moment(1_000 + number as i64);
    let recorded = StoredEvent { sequence: Sequence(1), at, attended_ms: 0, event };
    let id = RunId::from_random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    RunState::replay(id, &[recorded]).unwrap()
}

type TestEngine = ThrottledEngine<Provider, FakeShareAllocator, SystemClock>;

fn workers(count: u128, provider: &Provider, slots: u32) -> Vec<TestEngine> {
    let clock = SystemClock::default();
    let office = FakeShareAllocator { books: Arc::default(), clock };
    let otherwise = ProviderCeiling { slots, rate: CallRate::per_second(500), burst: 500 };
    let limits = ThrottleSettings { otherwise, ..ThrottleSettings::default() };
    (0..count)
        .map(|number| {
            let owner = OwnerId::from_random(number + 1);
            ThrottledEngine::new(provider.clone(), office.clone(), clock, owner, limits.clone())
        })
        .collect()
}

/// As a turn does it: ready, intent, call; again after a pause until it is started.
async fn start(workers: Vec<TestEngine>, number: u128) {
    let research = research(number);
    let intent = Event::CreateIntended { attempt: 1 };
    for turn in number.. {
        let worker = &workers[turn as usize % workers.len()];
        if let Some(wait) = worker.ready(&research, UpcomingCalls::Intent(&intent)) {
            tokio::time::sleep(wait).await;
            continue;
        }
        match worker.perform(&research, &EngineCall::Create { attempt: 1 }).await {
            EngineOutcome::Started { .. } => return,
            _ => tokio::time::sleep(Duration::from_secs(4)).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn all_workers_together_keep_to_the_limit_through_an_outage() {
    let provider = Provider::default();
    let workers = workers(3, &provider, 12);
    let (shares, starts) = (TaskGroup::default(), TaskGroup::default());
    for worker in workers.clone() {
        shares.spawn_named("shares", |stop| async move { worker.run(stop).await });
    }
    provider.is_down.store(true, Ordering::SeqCst);
    for number in 0..400 {
        let workers = workers.clone();
        starts.spawn_named("start", move |_| start(workers, number));
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    let wasted = provider.calls.load(Ordering::SeqCst);
    provider.is_down.store(false, Ordering::SeqCst);
    let clock = SystemClock::default();
    let began = clock.monotonic();
    starts.close().await;
    let took = clock.monotonic().saturating_sub(began);
    shares.close().await;
    println!("{wasted} calls in an outage of 600 s, all of 400 started {took:?} after it");
    assert!(wasted <= 40, "{wasted}");
    assert_eq!(provider.calls.load(Ordering::SeqCst), wasted + 400);
    assert!(provider.most.load(Ordering::SeqCst) <= 12);
    assert!(took < Duration::from_secs(240), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_lessor_nobody_calls_and_nothing_is_burnt() {
    let provider = Provider::default();
    let workers = workers(1, &provider, 12);
    let research = research(1);
    let intent = Event::CreateIntended { attempt: 1 };
    assert!(workers[0].ready(&research, UpcomingCalls::Intent(&intent)).is_some());
    let finding = workers[0].perform(&research, &EngineCall::Create { attempt: 1 }).await;
    assert!(
        matches!(&finding, EngineOutcome::Refused(problem) if problem.code == Code::RateLimited),
        "provably not made: {finding:?}"
    );
    assert_eq!(provider.calls.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_gives_its_slot_back() {
    let provider = Provider::default();
    let workers = workers(1, &provider, 1);
    let shares = TaskGroup::default();
    let worker = workers[0].clone();
    shares.spawn_named("shares", |stop| async move { worker.run(stop).await });
    let (first, second) = (research(1), research(2));
    let follow =
        [EngineCall::Follow { remote_id: "v1_a".to_owned(), cursor: None, within: Duration::from_secs(1) }];
    while let Some(wait) = workers[0].ready(&first, UpcomingCalls::Calls(&follow)) {
        tokio::time::sleep(wait).await;
    }
    let dropped =
        tokio::time::timeout(Duration::from_millis(50), workers[0].perform(&first, &follow[0])).await;
    assert!(dropped.is_err());
    assert_eq!(workers[0].gate_statuses()[0].running, 0);
    let mut waited = Duration::ZERO;
    while let Some(wait) = workers[0].ready(&second, UpcomingCalls::Calls(&follow)) {
        tokio::time::sleep(wait).await;
        waited += wait;
    }
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    shares.close().await;
}
