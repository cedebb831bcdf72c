use std::time::Duration;

use super::{
    CallObservations, CallRate, FAILURES_IN_A_ROW_MAX, ProviderCeiling, REST_FIRST, REST_MAX, Throttle,
    ThrottleAllowance,
    bucket::CallBucket,
    gate::ThrottleGate,
    share::{LINGER, ShareDemand, ShareLease, ShareRequest, ThrottleShare, compute_share},
    target::{self, CallOutcome},
};
use crate::{
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    fixture::replay,
    id::{OwnerId, RunId},
    ports::UpcomingCalls,
    time::Moment,
};

const CEILING: ProviderCeiling = ProviderCeiling { slots: 40, rate: CallRate(20_000), burst: 20 };
const LEASE: Duration = Duration::from_secs(5);

fn ok(ok: u32) -> CallObservations {
    CallObservations { ok, ..CallObservations::default() }
}

fn throttled(throttled: u32) -> CallObservations {
    CallObservations { throttled, ok: 1, ..CallObservations::default() }
}

fn failed(failed: u32) -> CallObservations {
    CallObservations { failed, ..CallObservations::default() }
}

/// Slots allowed after each of these, a second apart.
fn slots(throttle: &mut Throttle, from: i64, steps: &[CallObservations]) -> Vec<u32> {
    (from..)
        .zip(steps)
        .map(|(second, observed)| {
            let now = Moment(second * 1000);
            throttle.observe(CEILING, *observed, now);
            throttle.allowed(CEILING, now).slots
        })
        .collect()
}

#[test]
fn too_much_halves_the_limit_once_a_window_and_success_raises_it_by_one() {
    let mut throttle = Throttle::default();
    assert_eq!(slots(&mut throttle, 10, &[ok(9), throttled(3), throttled(1)]), [40, 20, 10]);
    let now = Moment(12_500);
    throttle.observe(CEILING, throttled(30), now);
    assert_eq!(throttle.allowed(CEILING, now).slots, 10, "the same window");
    assert_eq!(slots(&mut throttle, 14, &[ok(5), ok(5), ok(5), throttled(1)]), [10, 11, 12, 6]);
    assert_eq!(throttle.allowed(CEILING, Moment(17_000)).rate, CallRate(3_000), "the rate shrinks with it");
}

#[test]
fn the_limit_stays_between_one_and_the_ceiling() {
    let mut throttle = Throttle::default();
    let last = *slots(&mut throttle, 10, &[throttled(4); 20]).last().unwrap();
    assert_eq!(last, 1);
    let last = *slots(&mut throttle, 40, &[ok(4); 200]).last().unwrap();
    assert_eq!(last, CEILING.slots);
}

#[test]
fn failures_in_a_row_open_the_breaker_and_probes_close_it_step_by_step() {
    let mut throttle = Throttle::default();
    let row = slots(&mut throttle, 10, &[ok(3), failed(4), ok(1), failed(FAILURES_IN_A_ROW_MAX)]);
    assert_eq!(row, [40, 40, 40, 0]);
    let open = throttle.allowed(CEILING, Moment(14_000));
    assert_eq!((open.slots, open.pause, open.probe), (0, Duration::from_secs(4), false));
    throttle.observe(CEILING, ok(7), Moment(14_500));
    assert!(throttle.is_open(), "a late answer to an old call closes nothing");

    throttle.tick(Moment(18_000));
    let probing = throttle.allowed(CEILING, Moment(18_000));
    assert_eq!((probing.slots, probing.probe), (1, true));
    throttle.observe(CEILING, failed(1), Moment(18_100));
    assert_eq!(throttle.allowed(CEILING, Moment(18_100)).pause, REST_FIRST * 2, "longer every time");

    throttle.tick(Moment(28_100));
    assert_eq!(
        slots(&mut throttle, 29, &[ok(1), ok(1), ok(2), ok(4), ok(8), ok(9), ok(9), ok(9)]),
        [1, 2, 4, 8, 16, 32, 40, 40]
    );
}

#[test]
fn half_of_many_calls_failing_opens_the_breaker() {
    let mut throttle = Throttle::default();
    let mixed = CallObservations { ok: 10, failed: 12, ..CallObservations::default() };
    assert_eq!(slots(&mut throttle, 10, &[mixed]), [0]);
}

#[test]
fn a_rest_never_grows_beyond_its_longest() {
    let mut throttle = Throttle::default();
    let mut now = Moment(10_000);
    for _ in 0..30 {
        throttle.observe(CEILING, failed(9), now);
        let pause = throttle.allowed(CEILING, now).pause;
        assert!(pause <= REST_MAX, "{pause:?}");
        now = now.plus_ms(i64::try_from(pause.as_millis()).unwrap());
    }
    assert_eq!(throttle.allowed(CEILING, now.plus_ms(-1)).pause.as_millis(), 1);
}

#[test]
fn retry_after_is_heeded_and_absurd_ones_are_not() {
    let mut throttle = Throttle::default();
    let asked = CallObservations {
        ok: 1,
        throttled: 1,
        retry_after: Some(Duration::from_secs(90)),
        ..CallObservations::default()
    };
    throttle.observe(CEILING, asked, Moment(10_000));
    assert_eq!(throttle.allowed(CEILING, Moment(50_000)).pause, Duration::from_secs(50));
    assert_eq!(throttle.allowed(CEILING, Moment(100_000)).slots, 20);
    let absurd = CallObservations { retry_after: Some(Duration::from_secs(9_999_999)), ..asked };
    throttle.observe(CEILING, absurd, Moment(100_000));
    assert_eq!(throttle.allowed(CEILING, Moment(100_000)).pause, Duration::from_secs(3600));
}

#[test]
fn a_clock_that_is_set_back_blocks_nobody_for_ever() {
    let mut throttle = Throttle::default();
    let year = 400 * 24 * 3600 * 1000;
    throttle.observe(CEILING, failed(9), Moment(year));
    throttle.tick(Moment(1_000));
    assert_eq!(throttle.allowed(CEILING, Moment(1_000)).slots, 1);
    let lease = held(1, 10, year);
    assert!(lease.is_gone(Moment(1_000)));
}

#[test]
fn what_is_known_survives_as_json() {
    let mut throttle = Throttle::default();
    slots(&mut throttle, 10, &[throttled(3), ok(1), failed(8)]);
    let text = serde_json::to_string(&throttle).unwrap();
    assert_eq!(serde_json::from_str::<Throttle>(&text).unwrap(), throttle);
    assert_eq!(serde_json::from_str::<Throttle>("{}").unwrap(), Throttle::default());
}

fn owner(number: u128) -> OwnerId {
    OwnerId::from_random(number)
}

fn held(number: u128, slots: u32, until: i64) -> ShareLease {
    let wanted = ShareDemand { slots, rate: CallRate::per_second(slots) };
    let (rate, until) = (CallRate(0), Moment(until));
    ShareLease { owner: owner(number), slots, rate, wanted, until, served_at: Moment(0) }
}

fn allowed(slots: u32) -> ThrottleAllowance {
    ThrottleAllowance {
        slots,
        rate: CallRate::per_second(slots),
        burst: 1000,
        probe: false,
        pause: Duration::ZERO,
    }
}

fn asked(slots: u32, busy: u32) -> ShareRequest {
    ShareRequest {
        wanted: ShareDemand { slots, rate: CallRate::per_second(slots) },
        busy,
        observed: CallObservations::default(),
    }
}

/// Several rounds of asking by all, each round a second later; what everybody has in the end.
fn settle(limit: u32, wants: &[u32], rounds: i64) -> Vec<u32> {
    let mut leases: Vec<ShareLease> = Vec::new();
    let mut last = vec![0; wants.len()];
    for round in 0..rounds {
        for (number, want) in wants.iter().enumerate() {
            let me = owner(number as u128);
            let now = Moment(round * 1000 + number as i64);
            let (given, mine) = compute_share(&allowed(limit), &leases, me, &asked(*want, 0), LEASE, now);
            leases.retain(|lease| lease.owner != me);
            leases.push(mine);
            last[number] = given.slots;
            assert!(leases.iter().map(|lease| lease.slots).sum::<u32>() <= limit);
            assert!(leases.iter().map(|lease| lease.rate.0).sum::<u64>() <= CallRate::per_second(limit).0);
        }
    }
    last
}

#[test]
fn everybody_gets_an_equal_part_and_leaves_what_it_does_not_want() {
    assert_eq!(settle(40, &[100], 1), [40]);
    assert_eq!(settle(40, &[100, 100, 100, 100], 3), [10, 10, 10, 10]);
    assert_eq!(settle(41, &[5, 100, 100], 3), [5, 18, 18]);
    assert_eq!(settle(40, &[3, 0, 4], 3), [3, 0, 4]);
    assert_eq!(settle(0, &[3, 9], 3), [0, 0]);
}

#[test]
fn fewer_slots_than_workers_go_round() {
    let mut had = [0; 5];
    for rounds in 1..40 {
        for (count, slots) in had.iter_mut().zip(settle(2, &[9; 5], rounds)) {
            *count += slots;
        }
    }
    assert!(had.iter().all(|count| *count >= 5), "{had:?}");
}

#[test]
fn a_dead_workers_slots_come_back_after_its_calls_must_be_over() {
    let leases = [held(1, 30, 10_000)];
    let get =
        |now: i64| compute_share(&allowed(40), &leases, owner(2), &asked(40, 0), LEASE, Moment(now)).0.slots;
    let linger = i64::try_from(LINGER.as_millis()).unwrap();
    assert_eq!([get(9_000), get(10_001), get(10_000 + linger)], [10, 10, 40]);
}

#[test]
fn a_shrunk_limit_gives_nothing_until_enough_came_back() {
    let leases = [held(1, 30, 10_000)];
    let (given, mine) = compute_share(&allowed(8), &leases, owner(2), &asked(20, 6), LEASE, Moment(9_000));
    assert_eq!((given.slots, mine.slots), (0, 6), "calls under way stay counted");
}

#[test]
fn a_bucket_lets_its_burst_through_and_then_its_rate() {
    let mut bucket = CallBucket::default();
    bucket.set(CallRate::per_second(10), 5_000, Duration::ZERO);
    let mut taken = 0;
    for millisecond in 0..1000 {
        taken += u32::from(bucket.take(Duration::from_millis(millisecond)).is_ok());
    }
    assert_eq!(taken, 14);
    let wait = bucket.take(Duration::from_millis(1000)).and(bucket.take(Duration::from_millis(1000)));
    assert_eq!(wait.unwrap_err().as_millis(), 100);
}

fn research(number: u128) -> RunId {
    RunId::from_random(number)
}

fn gate(slots: u32) -> ThrottleGate {
    let mut gate = ThrottleGate::default();
    let rate = CallRate::per_second(1000);
    let share = ThrottleShare { slots, rate, burst: 100_000, lease: LEASE, ..ThrottleShare::default() };
    gate.asked(Duration::ZERO);
    gate.set_share(share, Duration::ZERO);
    gate
}

#[test]
fn without_a_share_nobody_calls_and_a_share_ends() {
    let now = Duration::from_secs(1);
    assert!(ThrottleGate::default().reserve_slots(research(1), Moment(1), 1, now).is_err());
    let mut gate = gate(1);
    assert_eq!(gate.reserve_slots(research(1), Moment(1), 1, now), Ok(()));
    assert!(gate.reserve_slots(research(2), Moment(2), 1, now).is_err(), "the only slot is taken");
    assert_eq!(gate.reserve_slots(research(1), Moment(1), 1, now), Ok(()), "who has it keeps it");
    gate.release_slots(research(1));
    assert!(gate.reserve_slots(research(3), Moment(3), 1, LEASE).is_err(), "the share is over");
}

#[test]
fn who_came_first_is_let_in_first() {
    let mut gate = gate(1);
    let now = Duration::from_secs(1);
    gate.reserve_slots(research(1), Moment(1), 1, now).unwrap();
    gate.begin(research(1), now).unwrap();
    let wait = gate.reserve_slots(research(2), Moment(2), 1, now).unwrap_err();
    gate.end(CallOutcome::Answered, Duration::from_millis(100));
    let then = now + wait;
    assert!(gate.reserve_slots(research(3), Moment(3), 1, then).is_err(), "the other was first");
    assert_eq!(gate.reserve_slots(research(2), Moment(2), 1, then), Ok(()));
}

#[test]
fn a_batch_takes_what_is_there() {
    let mut gate = gate(4);
    let now = Duration::from_secs(1);
    gate.reserve_slots(research(1), Moment(1), 6, now).unwrap();
    assert_eq!(gate.busy(), 4);
    for _ in 0..4 {
        gate.begin(research(1), now).unwrap();
    }
    assert!(gate.begin(research(1), now).is_err());
    gate.end(CallOutcome::Answered, Duration::from_millis(100));
    assert_eq!(gate.begin(research(1), now), Ok(()));
    assert_eq!(gate.running(), 4);
}

#[test]
fn too_much_stops_a_worker_until_the_lessor_knows() {
    let mut gate = gate(4);
    let now = Duration::from_secs(1);
    gate.reserve_slots(research(1), Moment(1), 1, now).unwrap();
    gate.begin(research(1), now).unwrap();
    gate.end(CallOutcome::Throttled(None), Duration::from_millis(9));
    assert!(gate.reserve_slots(research(2), Moment(2), 1, now).is_err());
    assert_eq!(gate.asked(now).observed.throttled, 1);
}

#[test]
fn a_probe_is_one_call() {
    let mut gate = ThrottleGate::default();
    gate.asked(Duration::ZERO);
    let share = ThrottleShare {
        slots: 1,
        probe: true,
        lease: LEASE,
        rate: CallRate(50),
        burst: 1000,
        ..ThrottleShare::default()
    };
    gate.set_share(share, Duration::ZERO);
    let now = Duration::from_millis(10);
    gate.reserve_slots(research(1), Moment(1), 1, now).unwrap();
    gate.begin(research(1), now).unwrap();
    gate.end(CallOutcome::Answered, now);
    assert!(gate.reserve_slots(research(2), Moment(2), 1, now * 2).is_err());
}

#[test]
fn a_slot_that_nobody_uses_comes_back() {
    let mut gate = gate(1);
    gate.reserve_slots(research(1), Moment(1), 1, Duration::from_secs(1)).unwrap();
    let later = Duration::from_secs(120);
    assert_eq!(gate.asked(later).busy, 0);
}

#[test]
fn starting_and_looking_are_limited_apart_and_cancelling_never() {
    let research = replay("asked intended started");
    let remote_id = "v1_a".to_owned();
    let name = |call: &EngineCall| target::of_call(&research, call);
    assert_eq!(name(&EngineCall::Create { attempt: 1 }).as_deref(), Some("gemini-api/start"));
    let within = Duration::from_secs(1);
    let follow = EngineCall::Follow { remote_id: remote_id.clone(), cursor: None, within };
    assert_eq!(name(&follow).as_deref(), Some("gemini-api/look"));
    assert_eq!(name(&EngineCall::Cancel { remote_id, within }), None);
    let intent = crate::event::Event::CreateIntended { attempt: 1 };
    let counted = target::of_upcoming(&research, UpcomingCalls::Intent(&intent));
    assert_eq!(counted.into_iter().collect::<Vec<_>>(), [("gemini-api/start".to_owned(), 1)]);
}

#[test]
fn an_answer_of_any_kind_shows_that_the_provider_lives() {
    let of = |code, status: Option<u16>| {
        let problem = CodedError::new(code, "words");
        target::call_outcome(&EngineOutcome::Unreachable(
            status.map_or(problem.clone(), |status| problem.with_status(status)),
        ))
    };
    assert_eq!(of(Code::RateLimited, Some(429)), CallOutcome::Throttled(None));
    assert_eq!(of(Code::ProviderUnavailable, Some(503)), CallOutcome::Throttled(None));
    assert_eq!(of(Code::ProviderUnavailable, Some(500)), CallOutcome::Failed);
    assert_eq!(of(Code::BadRequest, Some(400)), CallOutcome::Answered);
    assert_eq!(of(Code::Network, None), CallOutcome::Failed);
    assert_eq!(of(Code::KeyMissing, None), CallOutcome::Unknown);
}
