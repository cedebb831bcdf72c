//! The loop under weather, as CI runs it: fifty seeds, and one seed twice.

use probity_benches::simulation::{self, CreateRetryPolicy};

#[test]
fn fifty_seeds_lose_nothing_pay_once_and_come_to_rest() {
    for seed in 0..50 {
        let outcome = simulation::run(seed, CreateRetryPolicy::Ours).unwrap();
        assert!(outcome.started > 0 && outcome.crashes > 0, "seed {seed} had no story: {outcome:?}");
        assert_eq!(outcome.faults, Vec::<String>::new(), "replay with seed {seed}");
    }
}

#[test]
fn a_seed_replays() {
    let (first, second) = (
        simulation::run(7, CreateRetryPolicy::Ours).unwrap(),
        simulation::run(7, CreateRetryPolicy::Ours).unwrap(),
    );
    assert_eq!(first, second);
}

#[test]
fn a_client_that_retries_lost_creates_is_caught() {
    let caught = (0..50)
        .filter(|seed| !simulation::run(*seed, CreateRetryPolicy::Careless).unwrap().faults.is_empty())
        .count();
    assert!(caught > 0, "the simulation cannot see a double payment");
}
