//! Figures of different things that can be set side by side: the same attribute in the same period and dimension. Whoever is
//! to compare them must see both; this only says which belong together and concludes nothing.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{QuoteId, TypedFact};

use super::{
    bank::Bank,
    claims::Claim,
    conflict,
    figures::{dimension, figures, number_keys},
    keys::{attribute_key, key_words, period_key},
};

/// Claims of one kind that are looked at for the ends of their row.
const ALIKE_MAX: usize = 40;

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

/// Claims that say the same of different things for the same time, or of one thing for different times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparableGroup {
    /// In the words of a reader.
    pub about: String,
    /// Their places among the claims.
    pub claims: Vec<usize>,
}

/// What a claim states, in parts that can be compared.
struct ClaimValue<'a> {
    claim: usize,
    page: u32,
    entity: String,
    attribute: String,
    period: String,
    dimension: String,
    fact: &'a TypedFact,
}

/// Groups of claims from different pages, those first that no section could set side by side because their claims stand in
/// different ones. `concluded` are the quotations behind each conclusion that is drawn already: a pair of them is left out.
/// No group has more than `most` claims: more of a kind belong into a table. Of more, two are the ends of their row.
pub fn groups(
    bank: &Bank,
    claims: &[Claim],
    concluded: &[BTreeSet<QuoteId>],
    most: usize,
) -> Vec<ComparableGroup> {
    let by_rule: BTreeMap<QuoteId, TypedFact> = conflict::read_by_rule(bank).into_iter().collect();
    let mut values = values(bank, claims, &by_rule);
    let mut found: Vec<ComparableGroup> = Vec::new();
    let of_kind = |value: &ClaimValue<'_>| {
        (value.attribute.clone(), value.dimension.clone(), value.period.clone(), value.claim)
    };
    values.sort_by_key(of_kind);
    for kind in values.chunk_by(|left, right| {
        (&left.attribute, &left.dimension, &left.period)
            == (&right.attribute, &right.dimension, &right.period)
    }) {
        let about = |fact: &TypedFact| [fact.attribute.as_str(), fact.period.as_str()].join(", ");
        found.extend(group(kind, most, |value| value.entity.clone(), about));
    }
    let of_thing = |value: &ClaimValue<'_>| {
        (value.entity.clone(), value.attribute.clone(), value.dimension.clone(), value.claim)
    };
    values.sort_by_key(of_thing);
    for thing in values.chunk_by(|left, right| {
        (&left.entity, &left.attribute, &left.dimension)
            == (&right.entity, &right.attribute, &right.dimension)
    }) {
        let about = |fact: &TypedFact| [fact.entity.as_str(), fact.attribute.as_str()].join(", ");
        found.extend(group(thing, most, |value| value.period.clone(), about));
    }
    let is_concluded = |group: &ComparableGroup| {
        let behind =
            |place: &usize| claims.get(*place).map(|claim| claim.quotes.as_slice()).unwrap_or_default();
        let rests = |quotes: &BTreeSet<QuoteId>| {
            group.claims.iter().all(|place| behind(place).iter().any(|id| quotes.contains(id)))
        };
        concluded.iter().any(rests)
    };
    found.retain(|group| !is_concluded(group));
    let in_one_section = |group: &ComparableGroup| {
        let nodes: BTreeSet<_> =
            group.claims.iter().filter_map(|place| claims.get(*place)).map(|claim| claim.node).collect();
        nodes.len() < 2
    };
    found.sort_by_key(in_one_section);
    found
}

/// What claims state of the facts behind them, each where its figure stands in the claim.
fn values<'a>(
    bank: &'a Bank,
    claims: &[Claim],
    by_rule: &'a BTreeMap<QuoteId, TypedFact>,
) -> Vec<ClaimValue<'a>> {
    let mut values = Vec::new();
    for (place, claim) in claims.iter().enumerate() {
        let told = number_keys(&claim.text);
        let lower = claim.text.to_lowercase();
        for id in &claim.quotes {
            let Some(quote) = bank.get(*id) else { continue };
            // Of a table with many names only the named row is meant.
            let alone = quote.facts.len() < 2;
            for fact in quote.facts.iter().chain(by_rule.get(id)) {
                let figure = number_keys(&fact.value);
                let named = alone || lower.contains(&fact.entity.to_lowercase());
                let value = ClaimValue {
                    claim: place,
                    page: quote.page,
                    entity: key_words(&fact.entity),
                    attribute: attribute_key(&fact.attribute),
                    period: period_key(&fact.period),
                    dimension: dimension(&fact.unit).0,
                    fact,
                };
                let whole =
                    ![&value.entity, &value.attribute, &value.period].into_iter().any(String::is_empty);
                if whole && named && !figure.is_empty() && figure.is_subset(&told) {
                    values.push(value);
                }
            }
        }
    }
    values
}

/// One claim for each page and for each of what they differ in: rows of one table stand side by side already, and two
/// values of the same are no comparison.
fn group(
    alike: &[ClaimValue<'_>],
    most: usize,
    differ_in: impl Fn(&ClaimValue<'_>) -> String,
    about: impl Fn(&TypedFact) -> String,
) -> Option<ComparableGroup> {
    let mut chosen: Vec<&ClaimValue<'_>> = Vec::new();
    for value in alike {
        let is_new = chosen.iter().all(|known| {
            differ_in(known) != differ_in(value) && known.page != value.page && known.claim != value.claim
        });
        if is_new && chosen.len() < ALIKE_MAX {
            chosen.push(value);
        }
    }
    match most {
        2 if chosen.len() > most => chosen = ends(&chosen),
        _ => chosen.truncate(most),
    }
    let first = chosen.first().filter(|_| chosen.len() > 1)?;
    Some(ComparableGroup {
        about: about(first.fact),
        claims: chosen.iter().map(|value| value.claim).collect(),
    })
}

/// The highest and the lowest: what stands between them tells a reader less.
fn ends<'v, 'b>(chosen: &[&'v ClaimValue<'b>]) -> Vec<&'v ClaimValue<'b>> {
    let size = |value: &ClaimValue<'_>| {
        let figure = figures(&value.fact.value).first().map_or(0.0, |figure| figure.value);
        figure * dimension(&value.fact.unit).1
    };
    let lowest = chosen.iter().min_by(|one, other| size(one).total_cmp(&size(other)));
    let highest = chosen.iter().max_by(|one, other| size(one).total_cmp(&size(other)));
    highest.into_iter().chain(lowest).copied().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use probity_types::inquiry::{NodeId, QuoteId, QuoteRole, TypedFact};

    use super::{comparable, groups};
    use crate::inquiry::{
        bank::{Bank, BankQuote, PageFacts},
        claims::Claim,
    };

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

    /// Entity, attribute, value and period of a quotation on a page, and the section that tells it.
    type ToldFact<'a> = (&'a str, &'a str, &'a str, &'a str, u32, u32);

    fn told(facts: &[ToldFact<'_>]) -> (Bank, Vec<Claim>) {
        let (mut bank, mut claims) = (Bank::default(), Vec::new());
        for (place, (entity, attribute, value, period, page, node)) in facts.iter().enumerate() {
            bank.pages.push(PageFacts { origin: place, ..PageFacts::default() });
            let text = format!("In {period} the {attribute} of {entity} was {value} m.");
            let fact = TypedFact {
                entity: (*entity).to_owned(),
                attribute: (*attribute).to_owned(),
                value: (*value).to_owned(),
                unit: "m".to_owned(),
                period: (*period).to_owned(),
                as_of: String::new(),
            };
            bank.quotes.push(BankQuote {
                page: *page,
                start: 0,
                end: 1,
                text: text.clone(),
                key: place.to_string(),
                facets: Vec::new(),
                role: QuoteRole::Finding,
                facts: vec![fact],
                round: 1,
                home: None,
                copy_of: None,
                second_hand: false,
            });
            claims.push(Claim { node: NodeId(*node), text, quotes: vec![QuoteId::at(place)] });
        }
        (bank, claims)
    }

    #[track_caller]
    fn check(facts: &[ToldFact<'_>], concluded: &[&[u32]], expected: &[(&str, &[usize])]) {
        let (bank, claims) = told(facts);
        let concluded: Vec<BTreeSet<QuoteId>> =
            concluded.iter().map(|ids| ids.iter().copied().map(QuoteId).collect()).collect();
        let found = groups(&bank, &claims, &concluded, 2);
        let found: Vec<(&str, &[usize])> =
            found.iter().map(|group| (group.about.as_str(), group.claims.as_slice())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn claims_of_different_pages_about_the_same_kind_or_the_same_thing_are_grouped() {
        let facts = [
            ("Orion Pier", "length", "45", "2024", 0, 1),
            ("Vega Pier", "Lengths", "52", "2024", 1, 1),
            ("Orion Pier", "length", "44", "2020", 2, 1),
            ("Lyra Pier", "cost", "45", "2024", 3, 1),
            ("Lyra Pier", "depth", "9", "2021", 4, 1),
            ("Vega Pier", "depth", "7", "2021", 5, 2),
        ];
        check(
            &facts,
            &[],
            &[("depth, 2021", &[4, 5]), ("length, 2024", &[0, 1]), ("Orion Pier, length", &[0, 2])],
        );
        // What a section concluded already is not offered again.
        check(&facts, &[&[5, 6, 1]], &[("length, 2024", &[0, 1]), ("Orion Pier, length", &[0, 2])]);
    }

    #[test]
    fn of_many_of_a_kind_the_highest_and_the_lowest_are_set_side_by_side() {
        let facts = [
            ("Orion Pier", "length", "45", "2024", 0, 1),
            ("Vega Pier", "length", "52", "2024", 1, 1),
            ("Lyra Pier", "length", "1,200", "2024", 2, 2),
            ("Cygnus Pier", "length", "44.5", "2024", 3, 1),
        ];
        check(&facts, &[], &[("length, 2024", &[2, 3])]);
        let (bank, claims) = told(&facts);
        let all = groups(&bank, &claims, &[], 4);
        assert_eq!(all.first().unwrap().claims, [0, 1, 2, 3]);
    }

    #[test]
    fn rows_of_one_page_and_two_values_of_one_thing_are_no_comparison() {
        check(
            &[("Orion Pier", "length", "45", "2024", 0, 1), ("Vega Pier", "length", "52", "2024", 0, 1)],
            &[],
            &[],
        );
        check(
            &[("Orion Pier", "length", "45", "2024", 0, 1), ("Orion Pier", "length", "52", "2024", 1, 1)],
            &[],
            &[],
        );
    }
}
