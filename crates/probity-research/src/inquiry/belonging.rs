//! Which part of a question a quotation is about. A search that finds nothing for a part returns pages about the others, and
//! what was quoted from them says nothing of it.

use std::collections::BTreeSet;

use probity_types::inquiry::FacetId;

use super::facet::Facet;
use crate::web::passages;

/// Endings that do not make another word: `cost` and `costs`.
const ENDING_CHARACTERS_MAX: usize = 2;
const STEM_CHARACTERS_MIN: usize = 4;

/// The words of each part that no other part has.
pub struct PartWords {
    telling: Vec<BTreeSet<String>>,
}

impl PartWords {
    pub fn of(facets: &[Facet]) -> Self {
        let all: Vec<BTreeSet<String>> = facets
            .iter()
            .map(|facet| {
                let words = passages::words(&format!("{} {}", facet.question, facet.query));
                words.into_iter().filter(|word| !word.chars().all(char::is_numeric)).collect()
            })
            .collect();
        let is_own = |place: usize, word: &String| {
            all.iter().enumerate().all(|(other, words)| other == place || !has(words, word))
        };
        let telling = all
            .iter()
            .enumerate()
            .map(|(place, words)| words.iter().filter(|word| is_own(place, word)).cloned().collect())
            .collect();
        Self { telling }
    }

    /// The part that a text is about instead of the one that it was found for: it has words of that part alone, and none
    /// of the one it was found for. None where nothing tells, as in another language than that of the question.
    pub fn another(&self, found_for: FacetId, text: &str) -> Option<FacetId> {
        let own = self.telling.get(found_for.index()?).filter(|words| !words.is_empty())?;
        let said = passages::words(text);
        let shared = |words: &BTreeSet<String>| words.iter().filter(|word| has(&said, word)).count();
        if shared(own) > 0 {
            return None;
        }
        let counted = self.telling.iter().enumerate().map(|(place, words)| (shared(words), place));
        // Of equals the first.
        let best = counted.rev().max_by_key(|(count, _)| *count)?;
        (best.0 > 0).then(|| FacetId::at(best.1))
    }
}

fn has(words: &BTreeSet<String>, wanted: &str) -> bool {
    words.contains(wanted) || words.iter().any(|word| is_same(word, wanted))
}

fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let ending = long.strip_prefix(short).filter(|ending| ending.chars().all(char::is_alphabetic));
    short.chars().count() >= STEM_CHARACTERS_MIN
        && ending.is_some_and(|ending| ending.chars().count() <= ENDING_CHARACTERS_MAX)
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::FacetId;

    use super::PartWords;
    use crate::inquiry::facet::Facet;

    #[test]
    fn what_speaks_only_of_another_part_belongs_there() {
        let facets = ["The cost of the Orion pier", "The cost of the Vega pier", "Accidents in 2024"]
            .map(|question| Facet::new(question, ""));
        let parts = PartWords::of(&facets);
        let check = |found_for: u32, text: &str, another: Option<u32>| {
            assert_eq!(parts.another(FacetId(found_for), text), another.map(FacetId), "{text}");
        };
        check(2, "The Orion pier cost 4 million.", Some(1));
        check(2, "The Vega pier cost less than the Orion pier.", None);
        check(2, "An accident closed the harbour.", Some(3));
        check(3, "The Vega pier cost 4 million in 2024.", Some(2));
        // Nothing tells: the words of all parts, or those of another language.
        check(1, "The pier cost 4 million.", None);
        check(1, "码头耗资四百万。", None);
        // Two parts in the same words cannot be told apart.
        let twins = PartWords::of(&["The cost", "the Cost"].map(|question| Facet::new(question, "")));
        assert_eq!(twins.another(FacetId(2), "The cost was 4 million."), None);
    }
}
