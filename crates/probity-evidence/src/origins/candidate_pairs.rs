//! Which pairs of pages have enough in common to be compared at all: found from the sequences, not from the pairs, so
//! that a thousand pages cost a thousand times what one does.

use std::borrow::Cow;

use super::{DERIVED_SHARE, SEQUENCES_MIN, TextFingerprint};
use crate::hash::QuickMap;

/// The hashes are gone through in so many parts at most, so that what is sorted at once stays small.
const PARTS_MAX: u64 = 256;
/// Hashes that are sorted at once without being parted.
const PART_HASHES: usize = 4_096;
/// Marks for each hash: with fewer, too many that one list has alone fall on the mark of another.
const MARKS_PER_HASH: usize = 16;
/// So many marks at most, 16 MB: with more hashes fewer are left out, and the result is the same.
const MARKS_MAX: usize = 1 << 26;

/// Two pages that are not certain to be unrelated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CandidatePair {
    /// The earlier page.
    pub left: usize,
    pub right: usize,
    /// Sequences that identify copies and that both have.
    pub shared_copies: usize,
}

/// What several pages have in common.
#[derive(Debug)]
pub(super) struct Candidates {
    /// In the order of the later page.
    pub pairs: Vec<CandidatePair>,
    /// For each page the sequences that identify excerpts, ascending, without most of those that it has alone.
    pub excerpts: Vec<Vec<u64>>,
}

/// Pairs of pages that are not certain to be unrelated.
pub(super) fn candidate_pairs(shapes: &[Cow<'_, TextFingerprint>]) -> Candidates {
    let copies: Vec<&[u64]> = shapes.iter().map(|shape| shape.copies.as_slice()).collect();
    let excerpts: Vec<&[u64]> = shapes.iter().map(|shape| shape.excerpts_sorted.as_slice()).collect();
    let excerpts = repeated(&excerpts);
    let length = |page: u32| copies.get(page as usize).map_or(0, |list| list.len());
    let mut found: Vec<(usize, usize)> = Vec::new();
    let shared_copies = shared_counts(&repeated(&copies));
    for ((left, right), shared) in shared_copies.iter().map(|(pair, shared)| (*pair, *shared)) {
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
    let shared = |left: usize, right: usize| {
        let pair = u32::try_from(left).ok().zip(u32::try_from(right).ok())?;
        shared_copies.get(&pair).map(|shared| *shared as usize)
    };
    let pair =
        |(left, right)| CandidatePair { left, right, shared_copies: shared(left, right).unwrap_or_default() };
    Candidates { pairs: found.into_iter().map(pair).collect(), excerpts }
}

/// How many members each pair of ascending lists shares; zero means a gap. Pairs that share none are not
/// named.
fn shared_counts(lists: &[Vec<u64>]) -> QuickMap<(u32, u32), u32> {
    let mut shared: QuickMap<(u32, u32), u32> = QuickMap::default();
    let mut rest: Vec<&[u64]> = lists.iter().map(Vec::as_slice).collect();
    let all: usize = rest.iter().map(|list| list.len()).sum();
    let parts = u64::try_from(all / PART_HASHES).map_or(PARTS_MAX, |parts| parts.clamp(1, PARTS_MAX));
    let mut part: Vec<(u64, u32)> = Vec::new();
    for number in 0..parts {
        let last = (u64::MAX / parts).saturating_mul(number + 1);
        let last = if number + 1 == parts { u64::MAX } else { last };
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

/// The lists without most of what one of them has alone, which is nearly everything: nothing that two lists share is
/// left out.
fn repeated(lists: &[&[u64]]) -> Vec<Vec<u64>> {
    let all: usize = lists.iter().map(|list| list.len()).sum();
    let mut marks = HashMarks::with_room(all);
    for list in lists {
        list.iter().for_each(|hash| marks.add(*hash));
    }
    lists.iter().map(|list| list.iter().copied().filter(|hash| marks.is_repeated(*hash)).collect()).collect()
}

/// Which hashes were seen once and which again: two bits for each mark, and several hashes may have the same mark.
#[derive(Debug)]
struct HashMarks {
    once: Vec<u64>,
    again: Vec<u64>,
    /// How far a hash is shifted so that its front is the number of its mark.
    shift: u32,
}

impl HashMarks {
    fn with_room(hashes: usize) -> Self {
        let marks = hashes.saturating_mul(MARKS_PER_HASH).clamp(64, MARKS_MAX).next_power_of_two();
        let words = marks / 64;
        Self { once: vec![0; words], again: vec![0; words], shift: 64 - marks.trailing_zeros() }
    }

    /// The word of its mark, and the mark's bit there.
    fn place(&self, hash: u64) -> (usize, u64) {
        let mark = hash >> self.shift;
        (usize::try_from(mark / 64).unwrap_or(usize::MAX), 1 << (mark % 64))
    }

    fn add(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        let (Some(once), Some(again)) = (self.once.get_mut(word), self.again.get_mut(word)) else { return };
        *again |= *once & bit;
        *once |= bit;
    }

    fn is_repeated(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.again.get(word).is_some_and(|again| again & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_lists_share_is_counted_among_much_that_none_does() {
        // Spread over all hashes, as those of sequences are.
        let hash = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let own = |list: u64| (1..500).map(move |number: u64| hash(4 * number + list));
        let common = |number: u64| hash(1_000_000 + number);
        let mut lists: Vec<Vec<u64>> = (0..3).map(|list| own(list).collect()).collect();
        for (list, shared) in lists.iter_mut().zip([0..7, 0..5, 3..5]) {
            list.extend(shared.map(common).chain([0]));
            list.sort_unstable();
        }
        let lists: Vec<&[u64]> = lists.iter().map(Vec::as_slice).collect();
        let kept = repeated(&lists);
        assert!(kept.iter().all(|list| list.len() < 250), "most of what a list has alone is left out");
        let mut found: Vec<_> = shared_counts(&kept).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [((0, 1), 5), ((0, 2), 2), ((1, 2), 2)]);
    }
}
