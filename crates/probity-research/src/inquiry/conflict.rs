//! Two sources that give different values for the same thing.
//!
//! Keyed by entity, attribute, period and what the unit measures. Nothing else is called a conflict: a figure of another
//! year, in another unit or of another part is another fact.

use probity_types::inquiry::{ConflictId, FacetId, QuoteId, TypedFact};

use super::{
    bank::{Bank, normalized},
    figures::{Figure, dimension, figures},
};

/// Conflicts of one inquiry; a page of noise must not fill the report.
const CONFLICTS_MAX: usize = 20;
/// Words that make no difference between two names of one thing.
const FILLER: &[&str] = &["the", "a", "an", "of", "in", "der", "die", "das", "le", "la", "les", "el", "los"];

#[derive(Debug, Clone, PartialEq)]
pub struct ConflictValue {
    pub quote: QuoteId,
    pub value: String,
    pub unit: String,
    pub as_of: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    pub entity: String,
    pub attribute: String,
    pub period: String,
    /// One for each value that does not agree with the others; the first two are told.
    pub sides: Vec<ConflictValue>,
    pub facet: Option<FacetId>,
    /// Lines that looked for an answer.
    pub attempts: u32,
}

impl Conflict {
    /// The side that was said later, where both carry a date and they differ: it replaced the other.
    pub fn newer(&self, bank: &Bank) -> Option<QuoteId> {
        let date = |side: &ConflictValue| {
            let said = Some(side.as_of.clone()).filter(|date| !date.is_empty());
            said.or_else(|| bank.page(side.quote).and_then(|page| page.published.clone()))
        };
        let (first, second) = (self.sides.first()?, self.sides.get(1)?);
        let (one, two) = (date(first)?, date(second)?);
        // Dates of different precision cannot be put in order unless the shorter part differs.
        let shared = one.len().min(two.len());
        match one.get(..shared)?.cmp(two.get(..shared)?) {
            std::cmp::Ordering::Less => Some(second.quote),
            std::cmp::Ordering::Greater => Some(first.quote),
            std::cmp::Ordering::Equal => None,
        }
    }

    pub fn touches(&self, quotes: &[QuoteId]) -> bool {
        self.sides.iter().any(|side| quotes.contains(&side.quote))
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ConflictKey {
    entity: String,
    attribute: String,
    period: String,
    dimension: String,
}

struct KeyedValue<'a> {
    key: ConflictKey,
    figure: Figure,
    fact: &'a TypedFact,
    quote: QuoteId,
    origin: usize,
}

/// All conflicts in the bank, with the attempts of those that were known before.
pub fn find(bank: &Bank, before: &[Conflict]) -> Vec<Conflict> {
    let read_alike = read_alike(bank);
    let mut values: Vec<KeyedValue<'_>> = bank
        .usable()
        .flat_map(|(id, quote)| quote.facts.iter().filter_map(move |fact| keyed(bank, id, fact)))
        .chain(read_alike.iter().filter_map(|(id, fact)| keyed(bank, *id, fact)))
        .collect();
    values.sort_by(|left, right| (&left.key, left.quote).cmp(&(&right.key, right.quote)));
    let mut found = Vec::new();
    for group in values.chunk_by(|left, right| left.key == right.key) {
        if let Some(conflict) = of_group(group, bank) {
            found.push(conflict);
        }
    }
    found.truncate(CONFLICTS_MAX);
    for conflict in &mut found {
        let known = before.iter().find(|known| {
            (&known.entity, &known.attribute, &known.period)
                == (&conflict.entity, &conflict.attribute, &conflict.period)
        });
        conflict.attempts = known.map_or(0, |known| known.attempts);
    }
    found
}

/// Values of quotations that a rule kept and no reader looked into: each is read like a fact of another page that is about
/// the same thing in the same words.
fn read_alike(bank: &Bank) -> Vec<(QuoteId, TypedFact)> {
    let mut found = Vec::new();
    for (id, quote) in bank.usable().filter(|(_, quote)| quote.facts.is_empty()) {
        let others = bank.usable().filter(|(_, other)| other.page != quote.page);
        let alike = others.flat_map(|(_, other)| &other.facts).find_map(|fact| alike(fact, &quote.text));
        found.extend(alike.map(|fact| (id, fact)));
    }
    found
}

/// The number before the fact's unit, where a text names thing, attribute and period as the fact does.
fn alike(fact: &TypedFact, text: &str) -> Option<TypedFact> {
    let lower = text.to_lowercase();
    let unit = lower.find(&fact.unit.to_lowercase()).filter(|_| !fact.unit.is_empty())?;
    let words = format!(" {} ", normalized(text));
    let names = |part: &String| {
        let part = key_words(part);
        !part.is_empty() && words.contains(&format!(" {part} "))
    };
    let value = lower.get(..unit)?.split_whitespace().next_back()?;
    let is_figure = !figures(value).is_empty();
    (is_figure && [&fact.entity, &fact.attribute, &fact.period].into_iter().all(names))
        .then(|| TypedFact { value: value.to_owned(), ..fact.clone() })
}

fn keyed<'a>(bank: &Bank, quote: QuoteId, fact: &'a TypedFact) -> Option<KeyedValue<'a>> {
    let only = |text: &str| figures(text).first().copied();
    let figure = only(&fact.value)?;
    let (dimension, factor) = dimension(&fact.unit);
    let key = ConflictKey {
        entity: key_words(&fact.entity),
        attribute: key_words(&fact.attribute),
        period: key_words(&fact.period),
        dimension,
    };
    let named = !key.entity.is_empty() && !key.attribute.is_empty();
    let figure = Figure { value: figure.value * factor, slack: figure.slack * factor };
    named.then(|| KeyedValue { key, figure, fact, quote, origin: bank.origin(quote) })
}

/// Whether two values come from different hands. Pages that share their text are one origin, yet where they give different
/// values one was changed: a copy on another site that says something else is no copy there.
fn is_independent(bank: &Bank, left: &KeyedValue<'_>, right: &KeyedValue<'_>) -> bool {
    let site = |value: &KeyedValue<'_>| bank.page(value.quote).map(|page| page.site.as_str());
    left.origin != right.origin || site(left) != site(right)
}

/// The first value, and each that agrees with none of the kept ones and comes from another hand.
fn of_group(group: &[KeyedValue<'_>], bank: &Bank) -> Option<Conflict> {
    let mut sides: Vec<&KeyedValue<'_>> = Vec::new();
    for value in group {
        let differs =
            sides.iter().all(|side| !side.figure.agrees(value.figure) && is_independent(bank, side, value));
        if differs {
            sides.push(value);
        }
    }
    let first = sides.first().filter(|_| sides.len() > 1)?;
    Some(Conflict {
        entity: first.fact.entity.clone(),
        attribute: first.fact.attribute.clone(),
        period: first.fact.period.clone(),
        facet: bank.get(first.quote).and_then(|quote| quote.facets.first().copied()),
        attempts: 0,
        sides: sides
            .iter()
            .map(|side| ConflictValue {
                quote: side.quote,
                value: side.fact.value.clone(),
                unit: side.fact.unit.clone(),
                as_of: side.fact.as_of.clone(),
            })
            .collect(),
    })
}

/// The words of a name or an attribute that tell it from others.
pub fn key_words(text: &str) -> String {
    let plain = normalized(text);
    let words: Vec<&str> = plain.split(' ').filter(|word| !FILLER.contains(word)).collect();
    words.join(" ")
}

pub fn id(place: usize) -> ConflictId {
    ConflictId::at(place)
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::inquiry::bank::{Bank, BankQuote, PageFacts};
    use probity_types::inquiry::{FacetId, QuoteRole, TypedFact};

    fn fact(entity: &str, attribute: &str, value: &str, unit: &str, period: &str) -> TypedFact {
        TypedFact {
            entity: entity.to_owned(),
            attribute: attribute.to_owned(),
            value: value.to_owned(),
            unit: unit.to_owned(),
            period: period.to_owned(),
            as_of: String::new(),
        }
    }

    fn bank(facts: &[(usize, TypedFact)]) -> Bank {
        let mut bank = Bank::default();
        for (page, (origin, fact)) in facts.iter().enumerate() {
            bank.pages.push(PageFacts { origin: *origin, ..PageFacts::default() });
            bank.quotes.push(BankQuote {
                page: u32::try_from(page).unwrap(),
                start: 0,
                end: 1,
                text: format!("{page} {}", fact.value),
                key: format!("{page}"),
                facets: vec![FacetId(1)],
                role: QuoteRole::Finding,
                facts: vec![fact.clone()],
                round: 1,
                home: None,
                copy_of: None,
                second_hand: false,
            });
        }
        bank
    }

    #[track_caller]
    fn check(first: TypedFact, second: (usize, TypedFact), conflicts: usize) {
        assert_eq!(
            find(&bank(&[(0, first.clone()), second.clone()]), &[]).len(),
            conflicts,
            "{first:?} {second:?}"
        );
    }

    #[test]
    fn only_equal_keys_of_different_origins_with_values_apart_conflict() {
        let known = || fact("The Orion plant", "output", "12", "GWh", "2024");
        check(known(), (1, fact("Orion plant", "Output", "15", "GWh", "2024")), 1);
        check(known(), (1, fact("Orion plant", "output", "15,000", "MWh", "2024")), 1);
        check(known(), (1, fact("Orion plant", "output", "12,000", "MWh", "2024")), 0);
        check(known(), (1, fact("Orion plant", "output", "12.3", "GWh", "2024")), 0);
        check(known(), (0, fact("Orion plant", "output", "15", "GWh", "2024")), 0);
        check(known(), (1, fact("Orion plant", "output", "15", "GWh", "2023")), 0);
        check(known(), (1, fact("Orion plant", "output", "15", "GW", "2024")), 0);
        check(known(), (1, fact("Orion plant", "cost", "15", "GWh", "2024")), 0);
        check(known(), (1, fact("Vega plant", "output", "15", "GWh", "2024")), 0);
        check(known(), (1, fact("", "", "15", "GWh", "2024")), 0);
    }

    #[test]
    fn what_a_rule_kept_is_read_like_a_fact_about_the_same() {
        let known = fact("Orion plant", "annual output", "12", "GWh", "2024");
        let said = |text: &str| super::alike(&known, text).map(|fact| fact.value);
        assert_eq!(said("In 2024 the annual output of the Orion plant was 15 GWh.").as_deref(), Some("15"));
        assert_eq!(said("In 2023 the annual output of the Orion plant was 15 GWh."), None);
        assert_eq!(said("In 2024 the annual output of the Vega plant was 15 GWh."), None);
        assert_eq!(said("In 2024 the annual output of the Orion plant was 15 days old."), None);
    }

    #[test]
    fn pages_that_share_their_text_and_not_their_values_disagree() {
        let known = fact("Orion plant", "output", "12", "GWh", "2024");
        let mut bank = bank(&[(0, known.clone()), (0, TypedFact { value: "15".to_owned(), ..known })]);
        for (page, site) in bank.pages.iter_mut().zip(["orion.example", "vega.example"]) {
            page.site = site.to_owned();
        }
        assert_eq!(find(&bank, &[]).len(), 1);
    }

    #[test]
    fn the_later_word_is_known_where_dates_differ() {
        let older = TypedFact { as_of: "2021".to_owned(), ..fact("Orion", "staff", "100", "people", "") };
        let newer =
            TypedFact { as_of: "2024-03-01".to_owned(), ..fact("Orion", "staff", "140", "people", "") };
        let bank = bank(&[(0, older), (1, newer)]);
        let found = find(&bank, &[]);
        assert_eq!(found[0].newer(&bank), Some(probity_types::inquiry::QuoteId(2)));
    }
}
