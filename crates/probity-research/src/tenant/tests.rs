use proptest::prelude::*;

use super::{TenantUsage, admissions_per_tenant, newcomers_room};

fn standing(in_flight: usize, in_flight_max: usize, waiting: usize, weight: u32) -> TenantUsage {
    TenantUsage { in_flight, in_flight_max, waiting, weight }
}

/// `in flight/max waiting ×weight` per tenant, the room in this round, and who gets how many.
#[track_caller]
fn check(standings: &[TenantUsage], fleet_max: usize, room: usize, expected: &[usize]) {
    let in_flight = standings.iter().map(|standing| standing.in_flight).sum();
    assert_eq!(admissions_per_tenant(standings, in_flight, fleet_max, room), expected);
}

#[test]
fn who_floods_does_not_delay_who_asks_once() {
    check(&[standing(0, 50_000, 10_000, 1), standing(0, 10, 1, 1)], 50_000, 2, &[1, 1]);
    check(&[standing(500, 50_000, 10_000, 1), standing(0, 10, 1, 1)], 50_000, 1, &[0, 1]);
}

#[test]
fn a_full_fleet_keeps_room_for_newcomers() {
    // 95 of 100 are taken by one tenant: it gets no more, the newcomer starts at once.
    check(&[standing(95, 1_000, 9_000, 1), standing(0, 10, 3, 1)], 100, 50, &[0, 1]);
    check(&[standing(94, 1_000, 9_000, 1)], 100, 50, &[1]);
    check(&[standing(100, 1_000, 9_000, 1), standing(0, 10, 3, 1)], 100, 50, &[0, 0]);
}

#[test]
fn a_fleet_of_one_still_works() {
    check(&[standing(0, 10, 5, 1)], 1, 5, &[1]);
    assert_eq!([0, 1, 2, 20, 21, 100].map(newcomers_room), [0, 0, 1, 1, 2, 5]);
}

#[test]
fn no_tenant_goes_above_its_own_limit() {
    check(&[standing(3, 5, 100, 1), standing(7, 5, 100, 1)], 1_000, 100, &[2, 0]);
}

#[test]
fn weights_share_what_there_is() {
    check(&[standing(0, 1_000, 1_000, 1), standing(0, 1_000, 1_000, 3)], 1_000, 40, &[10, 30]);
    check(&[standing(9, 1_000, 1_000, 0), standing(9, 1_000, 1_000, 1)], 1_000, 2, &[1, 1]);
}

#[test]
fn among_equals_the_first_listed_is_first() {
    check(&[standing(0, 9, 1, 1), standing(0, 9, 1, 1), standing(0, 9, 1, 1)], 100, 2, &[1, 1, 0]);
}

prop_compose! {
    fn any_standing()(in_flight in 0_usize..40, max in 0_usize..40, waiting in 0_usize..60, weight in 0_u32..5)
        -> TenantUsage { standing(in_flight, max, waiting, weight) }
}

proptest! {
    #[test]
    fn limits_hold_and_nobody_small_is_passed_over(
        standings in proptest::collection::vec(any_standing(), 0..8), fleet_max in 0_usize..200, room in 0_usize..80,
    ) {
        let in_flight: usize = standings.iter().map(|standing| standing.in_flight).sum();
        let admitted = admissions_per_tenant(&standings, in_flight, fleet_max, room);
        let total: usize = admitted.iter().sum();
        prop_assert!(total <= room && (total == 0 || in_flight + total <= fleet_max));
        for (standing, count) in standings.iter().zip(&admitted) {
            prop_assert!(*count <= standing.waiting);
            prop_assert!(*count == 0 || standing.in_flight + count <= standing.in_flight_max);
        }
        // A newcomer is left out only when the round or the fleet is used up by other newcomers.
        let newcomers = |standing: &TenantUsage| standing.in_flight == 0 && standing.in_flight_max > 0 && standing.waiting > 0;
        let all = standings.iter().filter(|standing| newcomers(standing)).count();
        let served = standings.iter().zip(&admitted).filter(|(standing, count)| newcomers(standing) && **count > 0).count();
        prop_assert_eq!(served, all.min(room).min(fleet_max.saturating_sub(in_flight)));
    }
}
