//! Passages for a claim in another language than its page: what needs no translation is looked for. Numbers, dates,
//! names, and words that begin alike.

use crate::{
    compare::PageFacts,
    locate::LocatedPassage,
    names,
    page::IndexedPage,
    value,
    words::{self, LetterCase, WordKind},
};

/// Words of a claim that are looked up.
const CLAIM_WORDS_MAX: usize = 100;
/// Letters that a cognate shares at its front.
const COGNATE_LETTERS: usize = 5;
/// How much each sign counts beside a cognate.
const NUMBER: f32 = 3.0;
const DATE: f32 = 2.5;
const NAME: f32 = 2.0;

/// The sentences that have most of what needs no translation, best first, at most `most`. The page is read once.
pub fn locate_across_languages(
    claim: &str,
    page: &IndexedPage,
    facts: &PageFacts,
    most: usize,
) -> Vec<LocatedPassage> {
    let mut scores = vec![0.0_f32; page.sentences().len()];
    let mut add = |start: usize, amount: f32| {
        let place = page.sentences().partition_point(|sentence| sentence.start <= start).checked_sub(1);
        place.and_then(|place| scores.get_mut(place)).into_iter().for_each(|score| *score += amount);
    };
    let (mine, theirs) = (value::values(claim), facts.values());
    for number in &theirs.numbers {
        if mine.numbers.iter().any(|claimed| claimed.agrees(number)) {
            add(number.start, NUMBER);
        }
    }
    for date in &theirs.dates {
        if mine.dates.iter().any(|claimed| claimed.agrees(date)) {
            add(date.start, DATE);
        }
    }
    let front = |word: &str| {
        let plain = names::plain_token(word);
        let end = plain.char_indices().nth(COGNATE_LETTERS).map_or(plain.len(), |(at, _)| at);
        (plain.chars().count() >= COGNATE_LETTERS).then(|| plain.get(..end).unwrap_or_default().to_owned())
    };
    let mut whole: Vec<String> = Vec::new();
    let mut fronts: Vec<String> = Vec::new();
    for word in words::words(claim).iter().take(CLAIM_WORDS_MAX) {
        if word.kind != WordKind::Plain || words::is_stop_word(&word.folded) {
            continue;
        }
        if word.case != LetterCase::Lower {
            whole.push(names::plain_token(&word.folded));
        }
        fronts.extend(front(&word.folded));
    }
    for word in
        page.words().iter().filter(|word| word.kind == WordKind::Plain && !page.is_stop_word(word.term))
    {
        let folded = page.folded(word.term);
        if whole.iter().any(|name| *name == names::plain_token(folded)) {
            add(word.start, NAME);
        } else if front(folded).is_some_and(|front| fronts.contains(&front)) {
            add(word.start, 1.0);
        }
    }
    let mut ranked: Vec<(usize, f32)> =
        scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let passage = |(place, score): (usize, f32)| {
        let sentence = page.sentences().get(place)?;
        Some(LocatedPassage { start: sentence.start, end: sentence.end, score })
    };
    ranked.into_iter().take(most).filter_map(passage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_cognates_need_no_translation() {
        let text = "The museum stands by the river. Lina Brandt opened the collection in 1987. It holds 4,300 paintings. \
            Visitors come from all over the world.";
        let page = IndexedPage::new(text);
        let facts = PageFacts::of(&page);
        let best = |claim: &str| {
            let found = locate_across_languages(claim, &page, &facts, 1);
            found
                .first()
                .and_then(|passage| text.get(passage.start..passage.end))
                .unwrap_or_default()
                .to_owned()
        };
        assert_eq!(best("Die Sammlung umfasst 4.300 Gemälde."), "It holds 4,300 paintings.");
        assert_eq!(best("该馆收藏了4300幅画作。"), "It holds 4,300 paintings.");
        assert_eq!(
            best("La colección fue inaugurada por Lina Brandt."),
            "Lina Brandt opened the collection in 1987."
        );
        assert_eq!(best("Nichts davon steht hier."), "");
    }
}
