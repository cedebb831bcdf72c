//! Figures of different things that can be set side by side: the same attribute in the same period and dimension. Whoever is
//! to compare them must see both; this only says which belong together and concludes nothing.

use std::collections::BTreeSet;

use probity_types::inquiry::QuoteId;

use super::{bank::Bank, conflict::key_words, figures::dimension};

/// Attribute, period and dimension.
type ComparedKey = (String, String, String);

/// The quotations among these that give a figure which another of them gives for another thing, those of one kind one after
/// the other. Rows of one table stand side by side already.
pub fn comparable(bank: &Bank, among: &[QuoteId]) -> Vec<QuoteId> {
    let mut values: Vec<(ComparedKey, QuoteId, String)> = Vec::new();
    for id in among {
        let Some(quote) = bank.get(*id) else { continue };
        for fact in quote.facts.iter().filter(|fact| !fact.period.is_empty()) {
            let key = (key_words(&fact.attribute), key_words(&fact.period), dimension(&fact.unit).0);
            let entity = key_words(&fact.entity);
            if !key.0.is_empty() && !entity.is_empty() {
                values.push((key, *id, entity));
            }
        }
    }
    values.sort();
    let mut found: Vec<QuoteId> = Vec::new();
    for group in values.chunk_by(|left, right| left.0 == right.0) {
        let quotes: BTreeSet<QuoteId> = group.iter().map(|(_, id, _)| *id).collect();
        let entities: BTreeSet<&String> = group.iter().map(|(_, _, entity)| entity).collect();
        if quotes.len() > 1 && entities.len() > 1 {
            found.extend(quotes.into_iter().filter(|id| !found.contains(id)).collect::<Vec<_>>());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{QuoteId, QuoteRole, TypedFact};

    use super::comparable;
    use crate::inquiry::bank::{Bank, BankQuote, PageFacts};

    #[test]
    fn figures_of_different_things_belong_together_if_they_count_the_same() {
        let facts = [
            ("Orion Pier", "length", "2024"),
            ("Vega Pier", "length", "2023"),
            ("Vega Pier", "Length", "2024"),
            ("Orion Pier", "the length", "2024"),
            ("Lyra Pier", "cost", "2024"),
        ];
        let mut bank = Bank::default();
        for (page, (entity, attribute, period)) in facts.iter().enumerate() {
            bank.pages.push(PageFacts { origin: page, ..PageFacts::default() });
            let fact = TypedFact {
                entity: (*entity).to_owned(),
                attribute: (*attribute).to_owned(),
                value: page.to_string(),
                unit: "m".to_owned(),
                period: (*period).to_owned(),
                as_of: String::new(),
            };
            bank.quotes.push(BankQuote {
                page: u32::try_from(page).unwrap(),
                start: 0,
                end: 1,
                text: String::new(),
                key: String::new(),
                facets: Vec::new(),
                role: QuoteRole::Finding,
                facts: vec![fact],
                round: 1,
                home: None,
                copy_of: None,
                second_hand: false,
            });
        }
        let all: Vec<QuoteId> = bank.ids().collect();
        assert_eq!(comparable(&bank, &all), [QuoteId(1), QuoteId(3), QuoteId(4)]);
        assert!(comparable(&bank, &[QuoteId(1), QuoteId(4)]).is_empty());
    }
}
