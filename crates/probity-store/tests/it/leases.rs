//! Claims on a laptop's files: locks, clocks, and what happens when a driver dies or falls silent.

use std::sync::atomic::Ordering;

use probity_research::{
    Code, Fence,
    ports::{Journal, JournalError, LeaseClaim, Leases},
};
use probity_store::{LEASE, OpenMode, Store, StoreOptions};

use crate::world::{ASKED_MS, Truth, World, driver, observed, owner, started};

const LEASE_MS: u64 = LEASE.as_millis() as u64;

#[test]
fn whoever_starts_together_on_a_new_directory_finds_it_whole() {
    for _ in 0..20 {
        let world = World::new();
        std::thread::scope(|scope| {
            for number in 0..6 {
                let world = &world;
                scope.spawn(move || {
                    let mode = if number % 2 == 0 { OpenMode::ReadWrite } else { OpenMode::ReadOnly };
                    let options = StoreOptions { mode, ..world.options(number + 1) };
                    let opened = Store::open(&world.directory(), options).map(drop);
                    let refused = opened.err().map(|problem| problem.code);
                    // A reader may come before there is anything to read; nobody may see damage.
                    let allowed = if mode == OpenMode::ReadWrite { None } else { Some(Code::StoreReadOnly) };
                    assert!(refused.is_none() || refused == allowed, "{refused:?}");
                });
            }
        });
    }
}

#[tokio::test]
async fn a_run_that_was_just_asked_for_is_left_to_who_asked() {
    let world = World::new();
    world.time.wall_ms.store(ASKED_MS, Ordering::Relaxed);
    let (asker, other) = (world.open(1), world.open(2));
    let truths = [Truth::ask(&asker, 1).await, Truth::ask(&asker, 2).await];
    assert_eq!(other.claim_due(owner(2), 9).await.unwrap(), []);
    let claim = |truth: &Truth| LeaseClaim { id: truth.id, fence: Fence(1) };
    assert_eq!(asker.claim_due(owner(1), 1).await.unwrap(), [claim(&truths[0])]);
    // Who asked does nothing about it, or is gone.
    world.time.pass(2_001);
    assert_eq!(other.claim_due(owner(2), 9).await.unwrap(), [claim(&truths[1])]);
}

#[tokio::test]
async fn closing_a_store_frees_its_claims() {
    let world = World::new();
    let (first, second) = (world.open(1), world.open(2));
    let truth = Truth::ask(&first, 1).await;
    first.claim_due(owner(1), 1).await.unwrap();
    drop(first);
    assert_eq!(second.claim_due(owner(2), 1).await.unwrap(), [LeaseClaim { id: truth.id, fence: Fence(2) }]);
    let locks: Vec<_> = std::fs::read_dir(world.directory().join("owners")).unwrap().collect();
    assert_eq!(locks.len(), 1, "only the second store's lock is left");
}

#[tokio::test]
async fn an_owner_that_falls_silent_loses_its_claims_and_its_appends_are_refused() {
    let world = World::new();
    let (hung, other) = (world.open(1), world.open(2));
    let truth = Truth::ask(&hung, 1).await;
    hung.claim_due(owner(1), 1).await.unwrap();
    assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), []);
    world.time.pass(LEASE_MS);
    assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), [], "not yet");
    world.time.pass(1);
    assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), [LeaseClaim { id: truth.id, fence: Fence(2) }]);
    // It wakes up.
    hung.heartbeat(owner(1)).await.unwrap();
    assert_eq!(hung.append(truth.entry(driver(1, 1), started(1))).await, Err(JournalError::Fenced));
    other.append(truth.entry(driver(2, 2), started(1))).await.unwrap();
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_frees_nothing_and_loses_nothing() {
    let world = World::new();
    let (alive, other) = (world.open(1), world.open(2));
    let mut truth = Truth::ask(&alive, 1).await;
    alive.claim_due(owner(1), 1).await.unwrap();
    for (searches, days) in [400_i64, -800, 400].into_iter().enumerate() {
        world.time.wall_ms.fetch_add(days * 86_400_000, Ordering::Relaxed);
        assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), []);
        truth.append(&alive, driver(1, 1), observed(u32::try_from(searches).unwrap())).await.unwrap();
    }
    assert_eq!(other.load(truth.id).await.unwrap(), truth.journal);
}

#[tokio::test]
async fn what_a_dead_process_left_is_swept_and_what_a_living_one_has_under_way_is_not() {
    let world = World::new();
    let alive = world.open(1);
    let unfinished = world.directory().join("blobs/unfinished");
    std::fs::create_dir_all(&unfinished).unwrap();
    let of = |bits: u128| unfinished.join(format!("{}.0", owner(bits)));
    let lock = |bits: u128| world.directory().join(format!("owners/{}.lock", owner(bits)));
    for bits in [1, 7] {
        std::fs::write(of(bits), b"half").unwrap();
    }
    std::fs::write(lock(7), b"").unwrap();
    let _other = world.open(2);
    let left = [of(1), of(7), lock(1), lock(2), lock(7)].map(|path| path.exists());
    assert_eq!(left, [true, false, true, true, false]);
    drop(alive);
}

#[tokio::test]
async fn an_owner_is_not_used_twice() {
    let world = World::new();
    let _first = world.open(1);
    let problem = Store::open(&world.directory(), world.options(1)).unwrap_err();
    assert_eq!(problem.code, Code::StoreBusy);
}
