//! Which pairs of pages have enough in common to be compared at all: found from the sequences, not from the pairs, so
//! that a thousand pages cost a thousand times what one does.

use std::borrow::Cow;

use super::{DERIVED_SHARE, SEQUENCES_MIN, TextFingerprint};
use crate::hash::QuickMap;

/// The hashes are gone through in so many parts, so that what is sorted at once stays small.
const PARTS: u64 = 256;

/// Pairs of pages (the earlier one first) that are not certain to be unrelated, in the order of the later page.
pub(super) fn candidate_pairs(shapes: &[Cow<'_, TextFingerprint>]) -> Vec<(usize, usize)> {
    let copies: Vec<&[u64]> = shapes.iter().map(|shape| shape.copies.as_slice()).collect();
    let excerpts: Vec<&[u64]> = shapes.iter().map(|shape| shape.excerpts_sorted.as_slice()).collect();
    let length = |page: u32| copies.get(page as usize).map_or(0, |list| list.len());
    let mut found: Vec<(usize, usize)> = Vec::new();
    for ((left, right), shared) in shared_counts(&copies) {
        let shorter = length(left).min(length(right));
        let enough = if shorter < SEQUENCES_MIN {
            shared as usize >= shorter
        } else {
            f64::from(shared) / shorter as f64 >= DERIVED_SHARE
        };
        if enough {
            found.push((left as usize, right as usize));
        }
    }
    found.extend(shared_counts(&excerpts).into_keys().map(|(left, right)| (left as usize, right as usize)));
    found.sort_unstable_by_key(|(left, right)| (*right, *left));
    found.dedup();
    found
}

/// How many members each pair of ascending lists shares; zero means a gap. Pairs that share none are not
/// named.
fn shared_counts(lists: &[&[u64]]) -> QuickMap<(u32, u32), u32> {
    let mut shared: QuickMap<(u32, u32), u32> = QuickMap::default();
    let mut rest: Vec<&[u64]> = lists.to_vec();
    let mut part: Vec<(u64, u32)> = Vec::new();
    for number in 0..PARTS {
        let last = (u64::MAX / PARTS).saturating_mul(number + 1);
        let last = if number + 1 == PARTS { u64::MAX } else { last };
        part.clear();
        for (list, page) in rest.iter_mut().zip(0_u32..) {
            let (here, later) = list.split_at(list.partition_point(|hash| *hash <= last));
            part.extend(here.iter().filter(|hash| **hash != 0).map(|hash| (*hash, page)));
            *list = later;
        }
        part.sort_unstable();
        for group in part.chunk_by(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            for (place, (_, right)) in group.iter().enumerate() {
                for (_, left) in group.iter().take(place) {
                    *shared.entry((*left, *right)).or_default() += 1;
                }
            }
        }
    }
    shared
}
