//! Which claims a conclusion rests on. A model that is shown hundreds of them names wrong ones now and then: where the named
//! ones do not have the words that tell what a conclusion is about, those that have them take their place. Whether it
//! follows from them is for a judge to say.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::ClaimId;

use super::written::Claim;
use crate::web::passages;

/// A word that one claim of so many has, or fewer, tells which of them is meant.
const TELLING_OF: usize = 12;
/// So few claims with a word are few, however small the report is.
const TELLING_MIN: usize = 2;
/// Claims that are looked for by their words.
const LOOKED_FOR_MAX: usize = 3;

pub struct Premises<'a> {
    claims: &'a [Claim],
    /// Of each claim.
    words: Vec<BTreeSet<String>>,
    /// Claims that have a word.
    count: BTreeMap<String, usize>,
}

impl<'a> Premises<'a> {
    pub fn among(claims: &'a [Claim]) -> Self {
        let words: Vec<BTreeSet<String>> = claims.iter().map(|claim| passages::words(&claim.text)).collect();
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for word in words.iter().flatten() {
            *count.entry(word.clone()).or_default() += 1;
        }
        Self { claims, words, count }
    }

    /// The named ones, or those that are meant.
    pub fn of(&self, text: &str, named: &[ClaimId], needed: usize) -> Vec<&'a Claim> {
        let mut named: Vec<usize> = named.iter().filter_map(|id| id.index()).collect();
        named.retain(|place| *place < self.claims.len());
        named.sort_unstable();
        named.dedup();
        let said = passages::words(text);
        let telling = self.telling(&said);
        let missing = self.missing(&telling, &named);
        if missing > 0 || named.len() < needed {
            let meant = self.with_words(&telling, &said);
            if meant.len() >= needed && self.missing(&telling, &meant) < missing.max(1) {
                named = meant;
            }
        }
        named.into_iter().filter_map(|place| self.claims.get(place)).collect()
    }

    /// Without claims on other things, such as a disagreement that has nothing to do with it: those that have a word which
    /// tells what the text is about. All of them where too few have one.
    pub fn related(&self, text: &str, premises: Vec<&'a Claim>, needed: usize) -> Vec<&'a Claim> {
        let telling = self.telling(&passages::words(text));
        let tells = |claim: &&Claim| !telling.is_disjoint(&passages::words(&claim.text));
        let kept: Vec<&'a Claim> = premises.iter().copied().filter(tells).collect();
        if kept.len() >= needed.max(1) { kept } else { premises }
    }

    /// The words that few claims have.
    fn telling(&self, said: &BTreeSet<String>) -> BTreeSet<String> {
        let few = (self.claims.len() / TELLING_OF).max(TELLING_MIN);
        let tells = |word: &&String| self.count.get(*word).is_some_and(|count| *count <= few);
        said.iter().filter(tells).cloned().collect()
    }

    fn has(&self, place: usize, word: &str) -> bool {
        self.words.get(place).is_some_and(|words| words.contains(word))
    }

    /// How many of these words none of these claims has.
    fn missing(&self, telling: &BTreeSet<String>, places: &[usize]) -> usize {
        telling.iter().filter(|word| !places.iter().any(|place| self.has(*place, word))).count()
    }

    /// Claims that together have as many of the telling words as can be; of equals the one that shares more with the text.
    fn with_words(&self, telling: &BTreeSet<String>, said: &BTreeSet<String>) -> Vec<usize> {
        let mut open = telling.clone();
        let mut chosen: Vec<usize> = Vec::new();
        while !open.is_empty() && chosen.len() < LOOKED_FOR_MAX {
            let shared = |words: &BTreeSet<String>, with: &BTreeSet<String>| words.intersection(with).count();
            let score = |(place, words): (usize, &BTreeSet<String>)| {
                let new = shared(words, &open);
                let is_open = new > 0 && !chosen.contains(&place);
                is_open.then(|| (new, shared(words, telling), shared(words, said), std::cmp::Reverse(place)))
            };
            let Some((.., std::cmp::Reverse(best))) = self.words.iter().enumerate().filter_map(score).max()
            else {
                break;
            };
            open.retain(|word| !self.has(best, word));
            chosen.push(best);
        }
        chosen.sort_unstable();
        chosen
    }
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{ClaimId, NodeId, QuoteId};

    use super::Premises;
    use crate::inquiry::written::Claim;

    fn claims() -> Vec<Claim> {
        let mut texts: Vec<String> = Vec::new();
        for pier in ["Orion", "Vega", "Lyra", "Cygnus"] {
            for rent in ["crane", "ground", "boat", "winter"] {
                texts.push(format!("In 2024 the {rent} rent of the {pier} pier was 12 crowns."));
            }
        }
        let claim = |(place, text)| Claim { node: NodeId(1), text, quotes: vec![QuoteId::at(place)] };
        texts.into_iter().enumerate().map(claim).collect()
    }

    #[track_caller]
    fn check(text: &str, named: &[u32], needed: usize, expected: &[u32]) {
        let claims = claims();
        let named: Vec<ClaimId> = named.iter().copied().map(ClaimId).collect();
        let found = Premises::among(&claims).of(text, &named, needed);
        let found: Vec<u32> = found.iter().flat_map(|claim| &claim.quotes).map(|id| id.0).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_claims_that_a_conclusion_speaks_of_take_the_place_of_wrong_ones() {
        let claims = claims();
        // Four of sixteen claims have each name and each kind: few enough only where a report is longer.
        let longer: Vec<Claim> = (0..3).flat_map(|_| claims.clone()).collect();
        let of = |named: &[u32]| -> Vec<u32> {
            let named: Vec<ClaimId> = named.iter().copied().map(ClaimId).collect();
            let mut longer = longer.clone();
            for claim in longer.iter_mut().skip(claims.len()) {
                claim.text = "The sea was calm.".to_owned();
            }
            let text =
                "Taken together, the crane rent of the Orion pier was higher than that of the Vega pier.";
            let found = Premises::among(&longer).of(text, &named, 2);
            found.iter().flat_map(|claim| &claim.quotes).map(|id| id.0).collect()
        };
        assert_eq!(of(&[1, 5]), [1, 5]);
        assert_eq!(of(&[1, 12]), [1, 5]);
        assert_eq!(of(&[7]), [1, 5]);
        assert_eq!(of(&[99]), [1, 5]);
    }

    #[test]
    fn a_claim_on_another_thing_is_no_premise() {
        let texts = [
            "In 2024 the crane rent of Orion was 12 crowns.",
            "In 2024 the crane rent of Vega was 15 crowns.",
            "Sources disagree on the winter outage of Cygnus: 4 hours against 9 hours.",
        ];
        let claim = |(place, text): (usize, &&str)| Claim {
            node: NodeId(1),
            text: (*text).to_owned(),
            quotes: vec![QuoteId::at(place)],
        };
        let claims: Vec<Claim> = texts.iter().enumerate().map(claim).collect();
        let premises = Premises::among(&claims);
        let all: Vec<&Claim> = claims.iter().collect();
        let text = "Taken together, the crane rent of Vega was higher than that of Orion.";
        assert_eq!(premises.related(text, all.clone(), 2), [&claims[0], &claims[1]]);
        assert_eq!(premises.related("the sea was calm", all.clone(), 2), all);
    }

    #[test]
    fn named_claims_stay_where_no_word_tells_of_others() {
        check("the rents differ from pier to pier", &[3, 4], 2, &[3, 4]);
        check("the rents differ from pier to pier", &[3], 2, &[3]);
        check("nothing is known", &[], 1, &[]);
    }
}
