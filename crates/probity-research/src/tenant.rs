//! Tenants of a fleet: their quotas, and which run is admitted next when many are queued.
//!
//! Pure: counting what is in flight and queued is up to the store.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::{cost::MicroUsd, principal::Principal};

/// A tenant without a quota of its own may have this many runs under way: a team, not a flood.
const IN_FLIGHT_MAX: u32 = 100;
/// And this many in the queue: an afternoon's batch; more is a mistake in a loop.
const WAITING_MAX: u32 = 10_000;
/// And this many requests per second: a handful of people who watch their runs.
const REQUESTS_PER_SECOND: u32 = 50;
/// One part in this many of the fleet is kept for tenants that have nothing in flight: a newcomer then never
/// waits for the runs of others to end.
const NEWCOMERS_PART: usize = 20;

/// The quota of one tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantQuota {
    /// Spent or reserved within 24 hours; none is without limit.
    pub budget_per_day: Option<MicroUsd>,
    pub in_flight_max: u32,
    pub waiting_max: u32,
    pub requests_per_second: u32,
    /// Its share beside other tenants that wait; never below 1.
    pub weight: u32,
}

impl Default for TenantQuota {
    fn default() -> Self {
        Self {
            budget_per_day: None,
            in_flight_max: IN_FLIGHT_MAX,
            waiting_max: WAITING_MAX,
            requests_per_second: REQUESTS_PER_SECOND,
            weight: 1,
        }
    }
}

/// A tenant as the operator set it up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant {
    pub name: Principal,
    pub quota: TenantQuota,
    /// Its keys are refused and it starts nothing; what is in flight goes on to its end.
    pub suspended: bool,
}

/// What one tenant uses before a round of admission. None is the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantUsage {
    pub in_flight: usize,
    pub in_flight_max: usize,
    /// Counted no further than could be admitted.
    pub waiting: usize,
    pub weight: u32,
}

/// How many of each tenant's queued runs to admit, in the order of `standings`: one after the other to the
/// tenant with the fewest in flight for its weight. Among equals the earlier one is first, so the caller
/// lists the tenant that has waited longest first. `in_flight` is that of the whole fleet, of which
/// `fleet_max` is the limit.
pub fn admissions_per_tenant(
    standings: &[TenantUsage],
    in_flight: usize,
    fleet_max: usize,
    room: usize,
) -> Vec<usize> {
    let mut admitted = vec![0; standings.len()];
    let mut turns: BinaryHeap<Reverse<AdmissionTurn>> = standings
        .iter()
        .enumerate()
        .filter(|(_, standing)| standing.takes(0))
        .map(|(place, standing)| Reverse(AdmissionTurn::of(place, standing, 0)))
        .collect();
    let for_newcomers = newcomers_room(fleet_max);
    let most = in_flight + room.min(fleet_max.saturating_sub(in_flight));
    for total in in_flight..most {
        let Some(Reverse(turn)) = turns.pop() else { break };
        // The next tenant has the fewest: if it is no newcomer, none is.
        if turn.in_flight > 0 && total + for_newcomers >= fleet_max {
            break;
        }
        let (Some(count), Some(standing)) = (admitted.get_mut(turn.place), standings.get(turn.place)) else {
            continue;
        };
        *count += 1;
        if standing.takes(*count) {
            turns.push(Reverse(AdmissionTurn::of(turn.place, standing, *count)));
        }
    }
    admitted
}

/// Room of the fleet that only tenants with nothing in flight may take.
fn newcomers_room(fleet_max: usize) -> usize {
    fleet_max.div_ceil(NEWCOMERS_PART).min(fleet_max.saturating_sub(1))
}

impl TenantUsage {
    /// Whether one more may be admitted after `admitted` of this round.
    fn takes(&self, admitted: usize) -> bool {
        admitted < self.waiting && self.in_flight + admitted < self.in_flight_max
    }
}

/// A tenant's position in the queue: fewest in flight for its weight, then the longest waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AdmissionTurn {
    in_flight: usize,
    weight: u32,
    place: usize,
}

impl AdmissionTurn {
    fn of(place: usize, standing: &TenantUsage, admitted: usize) -> Self {
        Self { in_flight: standing.in_flight + admitted, weight: standing.weight.max(1), place }
    }
}

impl Ord for AdmissionTurn {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Fractions compared crosswise: exact.
        let one = self.in_flight as u128 * u128::from(other.weight);
        let two = other.in_flight as u128 * u128::from(self.weight);
        one.cmp(&two).then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for AdmissionTurn {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
