//! Workers, a share allocator and a provider in virtual time: crashes, refusals, outages, and how the rules
//! cope.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

use proptest::prelude::*;

use super::{
    CallRate, ProviderCeiling, Throttle, ThrottleAllowance,
    gate::ThrottleGate,
    share::{ShareLease, compute_share},
    target::CallOutcome,
};
use crate::{
    id::{OwnerId, RunId},
    time::Moment,
};

const LEASE_MS: u64 = 5_000;
const VISIT_MS: u64 = 1_000;
/// From the database's answer to the worker.
const WIRE_MS: u64 = 5;
/// A dead worker's runs are handed to another after this.
const TAKEOVER_MS: u64 = 30_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SimulatedEvent {
    Visit { worker: usize },
    Ask { research: usize, turn: u32 },
    Over { research: usize, worker: usize, life: u32, began: u64, outcome: u8 },
    Crash { worker: usize },
}

struct SimulatedWorker {
    gate: ThrottleGate,
    /// Counts restarts: answers to an earlier life are lost.
    life: u32,
}

struct SimulatedRun {
    worker: usize,
    calls_left: u32,
    failures: u32,
    /// Counts hand-overs: what was planned before one is void.
    turn: u32,
    /// Since when it wants what it wants next.
    since: u64,
}

/// What the provider does, by time.
struct SimulatedProvider {
    down: Vec<(u64, u64)>,
    /// More at once than this is answered with "too many".
    capacity: u32,
    /// How an outage shows: an answer that says so, or none.
    says_so: bool,
}

struct SimulatedFleet {
    now: u64,
    next: BinaryHeap<Reverse<(u64, u64, SimulatedEvent)>>,
    count: u64,
    dice: u64,
    ceiling: ProviderCeiling,
    throttle: Throttle,
    leases: Vec<ShareLease>,
    workers: Vec<SimulatedWorker>,
    researches: Vec<SimulatedRun>,
    provider: SimulatedProvider,
    in_flight: u32,
    in_flight_max: u32,
    /// Limits in force lately.
    limits: VecDeque<(u64, u32)>,
    calls: u32,
    asked: u32,
    begun_per_second: Vec<u32>,
}

impl SimulatedFleet {
    fn new(
        ceiling: ProviderCeiling,
        workers: usize,
        researches: usize,
        calls: u32,
        provider: SimulatedProvider,
    ) -> Self {
        let mut world = Self {
            now: 0,
            next: BinaryHeap::new(),
            count: 0,
            dice: 7,
            ceiling,
            throttle: Throttle::default(),
            leases: Vec::new(),
            workers: (0..workers)
                .map(|_| SimulatedWorker { gate: ThrottleGate::default(), life: 0 })
                .collect(),
            researches: (0..researches)
                .map(|at| SimulatedRun {
                    worker: at % workers,
                    calls_left: calls,
                    failures: 0,
                    turn: 0,
                    since: 0,
                })
                .collect(),
            provider,
            in_flight: 0,
            in_flight_max: 0,
            limits: VecDeque::new(),
            calls: 0,
            asked: 0,
            begun_per_second: Vec::new(),
        };
        for worker in 0..workers {
            world.at(37 * worker as u64, SimulatedEvent::Visit { worker });
        }
        for research in 0..researches {
            let after = world.random(2_000);
            world.at(after, SimulatedEvent::Ask { research, turn: 0 });
        }
        world
    }

    fn at(&mut self, after: u64, next: SimulatedEvent) {
        self.count += 1;
        self.next.push(Reverse((self.now + after, self.count, next)));
    }

    fn random(&mut self, below: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % below.max(1)
    }

    fn time(&self) -> Duration {
        Duration::from_millis(self.now)
    }

    /// Until everything is done, or the time is up.
    fn run(&mut self, until: u64) -> bool {
        while let Some(Reverse((at, _, next))) = self.next.pop() {
            self.now = at;
            if at > until || self.is_done() {
                break;
            }
            match next {
                SimulatedEvent::Visit { worker } => self.visit(worker),
                SimulatedEvent::Ask { research, turn } => self.ask(research, turn),
                SimulatedEvent::Over { research, worker, life, began, outcome } => {
                    self.over(research, worker, life, began, outcome);
                }
                SimulatedEvent::Crash { worker } => self.crash(worker),
            }
        }
        self.is_done()
    }

    fn is_done(&self) -> bool {
        self.researches.iter().all(|research| research.calls_left == 0)
    }

    fn visit(&mut self, worker: usize) {
        let (now, moment) = (self.time(), Moment(self.now as i64));
        self.at(VISIT_MS, SimulatedEvent::Visit { worker });
        let Some(SimulatedWorker { gate, .. }) = self.workers.get_mut(worker) else { return };
        let asked = gate.asked(now);
        self.throttle.observe(self.ceiling, asked.observed, moment);
        let allowed = self.throttle.allowed(self.ceiling, moment);
        let owner = owner(worker);
        let lease = Duration::from_millis(LEASE_MS);
        let (given, held) = compute_share(&allowed, &self.leases, owner, &asked, lease, moment);
        self.leases.retain(|lease| lease.owner != owner && !lease.is_gone(moment));
        self.leases.push(held);
        gate.set_share(given, now + Duration::from_millis(WIRE_MS));
        self.check_leases(&allowed, given.slots, asked.busy);
        self.limits.push_back((self.now, allowed.slots));
        while self.limits.front().is_some_and(|(at, _)| at + LEASE_MS < self.now) {
            self.limits.pop_front();
        }
    }

    /// Whoever gets a slot gets it within the limit, whatever was leased before.
    fn check_leases(&self, allowed: &ThrottleAllowance, given: u32, busy: u32) {
        let slots: u32 = self.leases.iter().map(|lease| lease.slots).sum();
        assert!(given <= busy || slots <= allowed.slots, "{slots} leased of {}", allowed.slots);
        let rate: u64 = self
            .leases
            .iter()
            .filter(|lease| !lease.is_over(Moment(self.now as i64)))
            .map(|it| it.rate.0)
            .sum();
        assert!(
            given == 0 || rate <= allowed.rate.0 || allowed.rate < self.ceiling.rate,
            "{rate} of {:?}",
            allowed.rate
        );
    }

    fn ask(&mut self, research: usize, turn: u32) {
        self.asked += 1;
        let now = self.time();
        let id = RunId::from_random(research as u128 * 0x9E37_79B9);
        // The engine hands it to any worker.
        let worker = self.random(self.workers.len() as u64) as usize;
        let asking = &mut self.researches[research];
        if asking.calls_left == 0 || asking.turn != turn {
            return;
        }
        asking.worker = worker;
        let since = Moment(asking.since as i64);
        let Some(SimulatedWorker { gate, life }) = self.workers.get_mut(worker) else { return };
        match gate.reserve_slots(id, since, 1, now) {
            Err(wait) => self.at(wait.as_millis() as u64, SimulatedEvent::Ask { research, turn }),
            Ok(()) => {
                gate.begin(id, now).unwrap();
                let life = *life;
                self.call(research, worker, life);
            }
        }
    }

    fn call(&mut self, research: usize, worker: usize, life: u32) {
        self.calls += 1;
        self.in_flight += 1;
        self.in_flight_max = self.in_flight_max.max(self.in_flight);
        let second = (self.now / 1000) as usize;
        self.begun_per_second.resize(self.begun_per_second.len().max(second + 1), 0);
        self.begun_per_second[second] += 1;
        let limit = self.limits.iter().map(|(_, limit)| *limit).max().unwrap_or(0);
        assert!(self.in_flight <= limit, "{} in flight, {limit} allowed at {} ms", self.in_flight, self.now);
        let down = self.provider.down.iter().any(|(from, to)| (*from..*to).contains(&self.now));
        let (took, outcome) = match down {
            true if self.provider.says_so => (20, 1),
            true => (3_000, 2),
            false if self.in_flight > self.provider.capacity => (50, 1),
            false => (200 + self.random(1_500), 0),
        };
        let began = self.now;
        self.at(took, SimulatedEvent::Over { research, worker, life, began, outcome });
    }

    fn over(&mut self, research: usize, worker: usize, life: u32, began: u64, outcome: u8) {
        let took = Duration::from_millis(self.now - began);
        let Some(SimulatedWorker { gate, life: living }) = self.workers.get_mut(worker) else { return };
        if *living != life {
            return;
        }
        self.in_flight -= 1;
        gate.end(
            [CallOutcome::Answered, CallOutcome::Throttled(None), CallOutcome::Failed][outcome as usize],
            took,
        );
        let research_of = &mut self.researches[research];
        let pause = if outcome == 0 {
            research_of.calls_left -= 1;
            research_of.failures = 0;
            5_000
        } else {
            // The rules' own patience.
            research_of.failures += 1;
            2_000 * (1 << research_of.failures.min(5))
        };
        let turn = research_of.turn;
        let pause = pause + self.random(1_000);
        self.researches[research].since = self.now + pause;
        self.at(pause, SimulatedEvent::Ask { research, turn });
    }

    /// Its connections break, its memory is gone, another takes over its runs, and it starts again.
    fn crash(&mut self, worker: usize) {
        let living = self.workers.len();
        let Some(dead) = self.workers.get_mut(worker) else { return };
        self.in_flight -= dead.gate.running();
        *dead = SimulatedWorker { gate: ThrottleGate::default(), life: dead.life + 1 };
        // A new process has a new name; the old one's lease lapses.
        for lease in self.leases.iter_mut().filter(|lease| lease.owner == owner(worker)) {
            lease.owner = OwnerId::from_random(1_000_000 + u128::from(self.count));
        }
        let mine: Vec<usize> =
            (0..self.researches.len()).filter(|at| self.researches[*at].worker == worker).collect();
        for research in mine {
            self.researches[research].worker = (worker + 1) % living;
            self.researches[research].turn += 1;
            let turn = self.researches[research].turn;
            let after = TAKEOVER_MS + self.random(1_000);
            self.at(after, SimulatedEvent::Ask { research, turn });
        }
    }
}

fn owner(worker: usize) -> OwnerId {
    OwnerId::from_random(worker as u128)
}

fn ceiling(slots: u32, rate: u32) -> ProviderCeiling {
    ProviderCeiling { slots, rate: CallRate::per_second(rate), burst: rate }
}

/// Ten minutes without a provider, five thousand runs that wait for it: nearly every call that is made is one
/// that was needed, and no run is forgotten.
#[test]
fn an_outage_of_ten_minutes_makes_no_storm() {
    for says_so in [true, false] {
        let provider = SimulatedProvider { down: vec![(3_000, 603_000)], capacity: u32::MAX, says_so };
        let mut world = SimulatedFleet::new(ceiling(100, 200), 4, 5_000, 2, provider);
        let done = world.run(1_500_000);
        let needed = 10_000;
        let amplification = f64::from(world.calls) / f64::from(needed);
        println!(
            "outage (says so: {says_so}): {} calls for {needed}, amplification {amplification:.4}, in flight at most {}, \
             questions {}, all done {} s after the recovery, busiest second {} calls",
            world.calls,
            world.in_flight_max,
            world.asked,
            world.now.saturating_sub(603_000) / 1000,
            world.begun_per_second.iter().max().unwrap(),
        );
        assert!(done, "not all done");
        assert!(amplification <= 1.1, "{amplification}");
        assert!(world.in_flight_max <= 100);
        assert!(world.now < 603_000 + 400_000, "{}", world.now);
        assert!(world.asked < 400_000, "{}", world.asked);
        // The herd comes back step by step: in the first ten seconds after the outage never more than doubled.
        let after: Vec<u32> = world.begun_per_second.iter().skip(603).take(10).copied().collect();
        assert!(after.iter().take(3).sum::<u32>() <= 32, "{after:?}");
    }
}

/// A provider that takes less than the operator thinks: its refusals stay rare.
#[test]
fn a_ceiling_that_is_too_high_is_corrected() {
    let provider = SimulatedProvider { down: Vec::new(), capacity: 20, says_so: true };
    let mut world = SimulatedFleet::new(ceiling(100, 200), 4, 2_000, 2, provider);
    let done = world.run(1_200_000);
    println!("too high a ceiling: {} calls for 4000 in {} s", world.calls, world.now / 1000);
    assert!(done);
    assert!(world.calls < 4_800, "{}", world.calls);
    // Ideal: 4,000 calls of 0.95 s at 20 at once are 190 s.
    assert!(world.now < 600_000, "{}", world.now);
}

/// Without trouble the limit is used: sharing it among workers costs little.
#[test]
fn a_healthy_provider_is_used_to_its_limit() {
    let provider = SimulatedProvider { down: Vec::new(), capacity: u32::MAX, says_so: true };
    let mut world = SimulatedFleet::new(ceiling(50, 1_000), 4, 3_000, 1, provider);
    assert!(world.run(1_200_000));
    println!(
        "healthy: 3000 calls of about 0.95 s at 50 at once in {} s (57 s would be perfect)",
        world.now / 1000
    );
    assert_eq!(world.calls, 3_000);
    assert!(world.now < 57_000 * 2, "{}", world.now);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// `call` and `visit` assert at every step that neither slots nor rates exceed what was allowed.
    #[test]
    fn whatever_dies_nobody_starves_and_no_limit_is_passed(
        workers in 1_usize..7,
        slots in 1_u32..30,
        rate in 1_u32..60,
        capacity in 1_u32..40,
        says_so: bool,
        down_from in 0_u64..60_000,
        down_for in 0_u64..120_000,
        crashes in prop::collection::vec((0_usize..7, 0_u64..200_000), 0..5),
        dice: u64,
    ) {
        let provider = SimulatedProvider { down: vec![(down_from, down_from + down_for)], capacity, says_so };
        let mut world = SimulatedFleet::new(ceiling(slots, rate), workers, 80, 2, provider);
        world.dice = dice;
        for (worker, after) in crashes {
            world.at(after, SimulatedEvent::Crash { worker: worker % workers });
        }
        prop_assert!(world.run(3_600_000), "not all done after an hour");
        prop_assert!(world.in_flight_max <= slots);
    }
}
