//! One worker's share of a provider's limit, from what all workers want and have.
//!
//! Shares are leased: a worker that dies loses its own. The leases never add up to more than is allowed at
//! the moment of leasing; when less is allowed than before, no worker gets more until enough leases were
//! returned.

use std::time::Duration;

use super::{CallObservations, CallRate, ThrottleAllowance, milliseconds, signed};
use crate::{id::OwnerId, time::Moment};

/// Slots of a worker that fell silent stay counted this long after its lease: calls that it made before go
/// on, and one that is only cut off from the database cannot be told from a dead one.
pub const LINGER: Duration = Duration::from_secs(15);
/// Longest lease: a dead worker's share is missing for so long. One that seems longer was given before the clock was
/// set back, and is over.
pub const LEASE_MAX: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShareDemand {
    pub slots: u32,
    pub rate: CallRate,
}

/// A worker's request for its share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShareRequest {
    pub wanted: ShareDemand,
    /// Slots in use now; they stay counted whatever share is given.
    pub busy: u32,
    pub observed: CallObservations,
}

/// The share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThrottleShare {
    pub slots: u32,
    pub rate: CallRate,
    /// Thousandths of calls.
    pub burst: u64,
    /// One call, then ask again.
    pub probe: bool,
    /// How long no worker gets a slot.
    pub pause: Duration,
    pub lease: Duration,
}

/// The stored lease of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShareLease {
    pub owner: OwnerId,
    /// Counted against the limit: the share, or the slots in use if that was more.
    pub slots: u32,
    pub rate: CallRate,
    pub wanted: ShareDemand,
    pub until: Moment,
    /// When it last had a slot. The longest waiting worker is first where there are fewer slots than workers.
    pub served_at: Moment,
}

impl ShareLease {
    /// It may begin no more calls.
    pub fn is_over(&self, now: Moment) -> bool {
        now >= self.until || self.until.since_ms(now) > milliseconds(LEASE_MAX)
    }

    /// Nothing of it counts any more.
    pub fn is_gone(&self, now: Moment) -> bool {
        self.is_over(now)
            && (self.slots == 0 || now < self.until || now >= self.until.plus_ms(signed(LINGER)))
    }
}

/// The share of `owner`, and the lease to remember in place of its last one. `leases` are those of all workers.
pub fn compute_share(
    allowed: &ThrottleAllowance,
    leases: &[ShareLease],
    owner: OwnerId,
    asked: &ShareRequest,
    lease: Duration,
    now: Moment,
) -> (ThrottleShare, ShareLease) {
    let lease = lease.min(LEASE_MAX);
    let last = leases.iter().find(|lease| lease.owner == owner);
    let others = || leases.iter().filter(|lease| lease.owner != owner && !lease.is_gone(now));
    let living = || others().filter(|lease| !lease.is_over(now));
    let served_at = last.map_or(Moment(0), |last| last.served_at);

    let mut claims: Vec<ShareClaim> = living()
        .map(|lease| ShareClaim { owner: lease.owner, wanted: lease.wanted, served_at: lease.served_at })
        .collect();
    claims.push(ShareClaim { owner, wanted: asked.wanted, served_at });
    claims.sort_by_key(|claim| (claim.served_at, claim.owner));

    let slots_held: u64 = others().map(|lease| u64::from(lease.slots)).sum();
    let rate_held: u64 = living().map(|lease| lease.rate.0).sum();
    let slots = fair_part(&claims, owner, u64::from(allowed.slots), |wanted| u64::from(wanted.slots));
    let slots = slots.min(u64::from(allowed.slots).saturating_sub(slots_held));
    let slots = u32::try_from(slots).unwrap_or(u32::MAX);
    let rate = fair_part(&claims, owner, allowed.rate.0, |wanted| wanted.rate.0);
    let rate = CallRate(rate.min(allowed.rate.0.saturating_sub(rate_held)));

    let share = ThrottleShare {
        slots,
        rate,
        burst: CallRate(allowed.burst).part(rate.0, allowed.rate.0).0,
        probe: allowed.probe,
        pause: allowed.pause,
        lease,
    };
    let held = ShareLease {
        owner,
        slots: slots.max(asked.busy),
        rate,
        wanted: asked.wanted,
        until: now.plus_ms(signed(lease)),
        served_at: if slots > 0 { now } else { served_at },
    };
    (share, held)
}

struct ShareClaim {
    owner: OwnerId,
    wanted: ShareDemand,
    served_at: Moment,
}

/// No worker gets more than it wants, and none gets less than another that wants as much; what cannot be
/// divided goes to the first in `claims`.
fn fair_part(claims: &[ShareClaim], owner: OwnerId, total: u64, of: impl Fn(&ShareDemand) -> u64) -> u64 {
    let mut wants: Vec<u64> = claims.iter().map(|claim| of(&claim.wanted)).collect();
    wants.sort_unstable();
    let (mut rest, mut level) = (total, 0);
    let mut sharing = wants.len() as u64;
    for want in wants {
        level = rest / sharing;
        if want > level {
            break;
        }
        // Satisfied with less than an equal part: the others divide the rest.
        rest -= want;
        sharing -= 1;
        level = want;
    }
    let mut odd = rest - level * sharing;
    for claim in claims {
        let want = of(&claim.wanted);
        let extra = u64::from(want > level && odd > 0);
        odd -= extra;
        if claim.owner == owner {
            return want.min(level + extra);
        }
    }
    0
}
