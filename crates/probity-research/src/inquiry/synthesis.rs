//! What the part that draws conclusions is written from: the claims that can be set side by side first, then the others in
//! turn, as far as a prompt carries them.

use std::collections::BTreeSet;

use probity_types::inquiry::{NodeId, QuoteId, answer::POINTS_MAX};

use super::{
    bank::Bank,
    claims::Claim,
    comparable::{self, ComparableGroup},
};

/// Words that a conclusion takes.
pub const WORDS_PER_POINT: u32 = 15;
const POINTS_MIN: u32 = 6;
/// A quotation with so many values is a table: what can be compared there stands side by side.
const TABLE_VALUES: usize = 3;
/// Groups that one prompt names.
const GROUPS_MAX: usize = 40;

pub struct SynthesisMaterial {
    /// Places of the claims, the most wanted first.
    pub order: Vec<usize>,
    pub groups: Vec<ComparableGroup>,
}

/// `concluded` are the quotations behind each conclusion that the sections draw.
pub fn material(
    bank: &Bank,
    claims: &[Claim],
    concluded: &[BTreeSet<QuoteId>],
    group_most: usize,
) -> SynthesisMaterial {
    let mut groups = comparable::groups(bank, claims, concluded, group_most);
    groups.truncate(GROUPS_MAX);
    let mut order: Vec<usize> = Vec::new();
    for place in groups.iter().flat_map(|group| &group.claims) {
        if !order.contains(place) {
            order.push(*place);
        }
    }
    // What nothing was concluded from yet, then the rest, tables last.
    let later = |place: &usize| {
        let quotes = claims.get(*place).map(|claim| claim.quotes.as_slice()).unwrap_or_default();
        let is_row = |id: &QuoteId| bank.get(*id).is_some_and(|quote| quote.facts.len() >= TABLE_VALUES);
        let is_used = |id: &QuoteId| concluded.iter().any(|used| used.contains(id));
        (quotes.iter().any(is_row), quotes.iter().any(is_used))
    };
    let mut rest: Vec<usize> = in_turn(claims).into_iter().filter(|place| !order.contains(place)).collect();
    rest.sort_by_key(later);
    order.extend(rest);
    SynthesisMaterial { order, groups }
}

/// The first claim of each section before the second of any.
pub fn in_turn(claims: &[Claim]) -> Vec<usize> {
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    let mut seen: Vec<(NodeId, usize)> = Vec::new();
    for (place, claim) in claims.iter().enumerate() {
        let rank = match seen.iter_mut().find(|(node, _)| *node == claim.node) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                seen.push((claim.node, 0));
                0
            }
        };
        ranked.push((rank, place));
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, place)| place).collect()
}

/// Conclusions that so many words carry.
pub fn points_max(words: u32) -> u32 {
    let most = u32::try_from(POINTS_MAX).unwrap_or(POINTS_MIN).max(POINTS_MIN);
    (words / WORDS_PER_POINT).clamp(POINTS_MIN, most)
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{NodeId, QuoteId};

    use super::{in_turn, points_max};
    use crate::inquiry::claims::Claim;

    #[test]
    fn sections_take_turns() {
        let claims: Vec<Claim> = [1, 1, 1, 2, 3, 3]
            .into_iter()
            .enumerate()
            .map(|(place, node)| Claim {
                node: NodeId(node),
                text: place.to_string(),
                quotes: vec![QuoteId::at(place)],
            })
            .collect();
        assert_eq!(in_turn(&claims), [0, 3, 4, 1, 5, 2]);
    }

    #[test]
    fn more_words_carry_more_conclusions_up_to_a_bound() {
        assert_eq!([60, 150, 333, 500].map(points_max), [6, 10, 22, 24]);
    }
}
