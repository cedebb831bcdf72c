//! Two sources that give different values for the same thing.
//!
//! Keyed by entity, attribute, period and what the unit measures. Nothing else is called a conflict: a figure of another
//! year, in another unit or of another part is another fact. What may be one and what only a reader of both can tell is
//! a suspect: it is shown to whoever writes, and never told by a rule.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{ConflictId, FacetId, QuoteId, TypedFact};

use super::{
    bank::Bank,
    figures::{Figure, dimension, figures},
    keys::{attribute_key, entity_key, key_words, normalized, period_key},
    vocabulary::Vocabulary,
};

/// Conflicts of one inquiry; a page of noise must not fill the report.
const CONFLICTS_MAX: usize = 20;
/// Suspects of one bank: each is one line of a prompt.
const SUSPECTS_MAX: usize = 20;

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

    /// What is searched for to settle it: the very thing, and then whoever speaks for it.
    pub fn queries(&self) -> [String; 2] {
        let parts = [&self.entity, &self.attribute, &self.period];
        let about: Vec<&str> =
            parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let plain = about.join(" ");
        let official = format!("{plain} official");
        [plain, official]
    }

    /// That of the next attempt.
    pub fn next_query(&self) -> String {
        let [plain, official] = self.queries();
        if self.attempts == 0 { plain } else { official }
    }

    pub fn touches(&self, quotes: &[QuoteId]) -> bool {
        self.sides.iter().any(|side| quotes.contains(&side.quote))
    }
}

/// How two readers' words are known to be about the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Their words are the same: the rule of runs that were begun under earlier ones.
    Words,
    /// Order, number, legal forms, words that only say that something is counted, and common synonyms make no difference.
    Meaning,
    /// The same, and what no reader looked into is also read in the words of quotations in its language.
    Wording,
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
pub fn find(bank: &Bank, before: &[Conflict], sameness: Sameness) -> Vec<Conflict> {
    let read_by_rule = match sameness {
        Sameness::Words => read_alike(bank),
        Sameness::Meaning => read_by_rule(bank),
        Sameness::Wording => read_by_wording(bank),
    };
    let mut values: Vec<KeyedValue<'_>> = bank
        .usable()
        .flat_map(|(id, quote)| quote.facts.iter().filter_map(move |fact| keyed(bank, id, fact, sameness)))
        .chain(read_by_rule.iter().filter_map(|(id, fact)| keyed(bank, *id, fact, sameness)))
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
/// the same thing in the same words, or with the words that the reader had for others.
pub fn read_by_rule(bank: &Bank) -> Vec<(QuoteId, TypedFact)> {
    let mut found = read_alike(bank);
    let vocabulary = Vocabulary::of(bank);
    read_more(bank, &mut found, |text| vocabulary.read(text));
    found
}

/// The same, and those in another language than the reader's words, where a quotation that was read says the like.
fn read_by_wording(bank: &Bank) -> Vec<(QuoteId, TypedFact)> {
    let mut found = read_by_rule(bank);
    let vocabulary = Vocabulary::of(bank);
    read_more(bank, &mut found, |text| vocabulary.read_wording(text));
    found
}

fn read_more(bank: &Bank, found: &mut Vec<(QuoteId, TypedFact)>, read: impl Fn(&str) -> Option<TypedFact>) {
    let known: BTreeSet<QuoteId> = found.iter().map(|(id, _)| *id).collect();
    let unread = bank.usable().filter(|(id, quote)| quote.facts.is_empty() && !known.contains(id));
    found.extend(unread.filter_map(|(id, quote)| Some((id, read(&quote.text)?))));
}

/// Pairs of quotations that may give different values for the same thing, which their words do not tell: one has a value
/// that is known, the other a lone figure of the same thing in the same year, in words of another language.
pub fn suspects(bank: &Bank, known: &[Conflict]) -> Vec<Conflict> {
    let vocabulary = Vocabulary::of(bank);
    let read: BTreeMap<QuoteId, TypedFact> = read_by_rule(bank).into_iter().collect();
    let mut found: Vec<Conflict> = Vec::new();
    for (id, quote) in bank.usable().filter(|(id, quote)| quote.facts.is_empty() && !read.contains_key(id)) {
        let Some(figure) = vocabulary.lone_figure(&quote.text) else { continue };
        let others = bank.usable().filter(|(other, rival)| {
            let apart = bank.origin(*other) != bank.origin(id) || site(bank, *other) != site(bank, id);
            rival.page != quote.page && apart
        });
        let rivals = others.filter_map(|(other, rival)| {
            let may = |fact: &&TypedFact| vocabulary.may_contradict(fact, &quote.text, &figure);
            Some((other, rival.facts.iter().chain(read.get(&other)).find(may)?))
        });
        for (other, fact) in rivals {
            let is_known = |one: &Conflict| one.touches(&[id]) && one.touches(&[other]);
            if found.len() < SUSPECTS_MAX && !known.iter().chain(&found).any(is_known) {
                let side = |quote: QuoteId, value: &str| ConflictValue {
                    quote,
                    value: value.to_owned(),
                    unit: fact.unit.clone(),
                    as_of: String::new(),
                };
                found.push(Conflict {
                    entity: fact.entity.clone(),
                    attribute: fact.attribute.clone(),
                    period: fact.period.clone(),
                    sides: vec![side(other, &fact.value), side(id, figure.value)],
                    facet: quote.facets.first().copied(),
                    attempts: 0,
                });
            }
        }
    }
    found
}

fn site(bank: &Bank, quote: QuoteId) -> Option<&str> {
    bank.page(quote).map(|page| page.site.as_str())
}

/// Those that another page says of the same thing in the same words.
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

fn keyed<'a>(bank: &Bank, quote: QuoteId, fact: &'a TypedFact, sameness: Sameness) -> Option<KeyedValue<'a>> {
    let only = |text: &str| figures(text).first().copied();
    let figure = only(&fact.value)?;
    let (dimension, factor) = dimension(&fact.unit);
    let key = match sameness {
        Sameness::Words => ConflictKey {
            entity: key_words(&fact.entity),
            attribute: key_words(&fact.attribute),
            period: key_words(&fact.period),
            dimension,
        },
        Sameness::Meaning | Sameness::Wording => ConflictKey {
            entity: entity_key(&fact.entity),
            attribute: attribute_key(&fact.attribute),
            period: period_key(&fact.period),
            dimension,
        },
    };
    let named = !key.entity.is_empty() && !key.attribute.is_empty();
    let figure = Figure { value: figure.value * factor, slack: figure.slack * factor };
    named.then(|| KeyedValue { key, figure, fact, quote, origin: bank.origin(quote) })
}

/// Whether two values come from different hands. Pages that share their text are one origin, yet where they give different
/// values one was changed: a copy on another site that says something else is no copy there.
fn is_independent(bank: &Bank, left: &KeyedValue<'_>, right: &KeyedValue<'_>) -> bool {
    left.origin != right.origin || site(bank, left.quote) != site(bank, right.quote)
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

pub fn id(place: usize) -> ConflictId {
    ConflictId::at(place)
}

#[cfg(test)]
mod tests {
    use super::{Sameness, attribute_key, entity_key, find, period_key, suspects};
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
        let bank = bank(&[(0, first.clone()), second.clone()]);
        for sameness in [Sameness::Words, Sameness::Meaning, Sameness::Wording] {
            assert_eq!(find(&bank, &[], sameness).len(), conflicts, "{first:?} {second:?} {sameness:?}");
        }
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
        assert_eq!(find(&bank, &[], Sameness::Words).len(), 1);
    }

    #[test]
    fn what_a_rule_kept_in_another_language_is_read_like_its_twin_in_the_same_words() {
        let known = fact("Orion Pier", "crane rent", "80", "crowns", "2023");
        let mut bank = bank(&[(0, known.clone()), (1, known.clone()), (2, known.clone())]);
        for (place, text) in [
            "Orion Pier meldete für 2023 als Kranmiete 80 Kronen.",
            "Orion Pier meldete für 2023 als Kranmiete 95 Kronen.",
            "Orion Pier meldete für 2023 als Bodenmiete 70 Kronen.",
        ]
        .into_iter()
        .enumerate()
        {
            bank.quotes[place].text = text.to_owned();
            if place > 0 {
                bank.quotes[place].facts.clear();
            }
        }
        assert!(find(&bank, &[], Sameness::Meaning).is_empty());
        let found = find(&bank, &[], Sameness::Wording);
        let values: Vec<&str> = found[0].sides.iter().map(|side| side.value.as_str()).collect();
        assert_eq!((found.len(), values), (1, vec!["80", "95"]));
    }

    #[test]
    fn the_later_word_is_known_where_dates_differ() {
        let older = TypedFact { as_of: "2021".to_owned(), ..fact("Orion", "staff", "100", "people", "") };
        let newer =
            TypedFact { as_of: "2024-03-01".to_owned(), ..fact("Orion", "staff", "140", "people", "") };
        let bank = bank(&[(0, older), (1, newer)]);
        let mut found = find(&bank, &[], Sameness::Words);
        assert_eq!(found[0].next_query(), "Orion staff");
        found[0].attempts = 1;
        assert_eq!(found[0].next_query(), "Orion staff official");
        assert_eq!(found[0].newer(&bank), Some(probity_types::inquiry::QuoteId(2)));
    }

    #[test]
    fn the_same_quantity_is_known_in_other_words() {
        let known = fact("Orion Power Inc.", "number of employees", "1,200", "people", "2024");
        let other = fact("The Orion Power", "Employees", "1,500", "people", "in the year 2024");
        let bank = bank(&[(0, known), (1, other)]);
        assert!(find(&bank, &[], Sameness::Words).is_empty());
        assert_eq!(find(&bank, &[], Sameness::Meaning).len(), 1);
    }

    #[test]
    fn keys_keep_what_makes_a_difference() {
        assert_eq!(attribute_key("annual output of the plant"), attribute_key("plant output, annual"));
        assert_eq!(attribute_key("the total staff"), attribute_key("Workforce"));
        assert_ne!(attribute_key("output"), attribute_key("output per worker"));
        assert_ne!(attribute_key("export tariff"), attribute_key("import tariff"));
        assert_eq!(attribute_key("total"), "total");
        assert_eq!(entity_key("Orion Power GmbH"), "orion power");
        assert_ne!(entity_key("Orion Power"), entity_key("Orion Water"));
        assert_eq!(entity_key("AG"), "ag");
        assert_eq!(period_key("im Jahr 2024"), period_key("2024 年"));
        assert_eq!(period_key("2024年"), "2024");
        assert_ne!(period_key("Q3 2024"), period_key("2024"));
        assert_ne!(period_key("fiscal 2024"), period_key("2024"));
    }

    #[test]
    fn what_only_a_reader_of_both_can_tell_is_a_suspect_and_no_conflict() {
        let known = fact("Orion Pier", "crane rent", "80", "crowns", "2023");
        let mut bank = bank(&[(0, known.clone()), (1, known.clone()), (2, known.clone())]);
        for (place, text) in [
            "In 2023 the crane rent of Orion Pier was 80 crowns.",
            "Für Orion Pier galten 2023 als Kranmiete 95 Kronen.",
            "Für Orion Pier galten 2022 als Kranmiete 95 Kronen.",
        ]
        .into_iter()
        .enumerate()
        {
            bank.quotes[place].text = text.to_owned();
            if place > 0 {
                bank.quotes[place].facts.clear();
            }
        }
        assert!(find(&bank, &[], Sameness::Meaning).is_empty());
        let found = suspects(&bank, &[]);
        let values: Vec<&str> = found[0].sides.iter().map(|side| side.value.as_str()).collect();
        assert_eq!((found.len(), values), (1, vec!["80", "95"]));
        assert!(suspects(&bank, &found).is_empty());
    }
}
