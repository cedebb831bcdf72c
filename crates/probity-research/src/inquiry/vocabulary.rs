//! Values of quotations that a rule kept and no reader looked into, by the words that the reader used for others: names of
//! things, what is said of them, and which word behind a figure stands for which unit.
//!
//! Only what leaves no choice is read: one known name, one year, one other figure.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::TypedFact;

use super::{
    bank::Bank,
    figures::{dimension, figures, number_keys},
    keys::{key_words, normalized},
};
use crate::web::passages;

/// Years that a text may name; any other number of four digits is a figure.
const YEARS: std::ops::RangeInclusive<u32> = 1_900..=2_100;

/// A word that stands in quotations of so many attributes says nothing of what is measured.
const FRAME_ATTRIBUTES: usize = 4;

/// What the typed facts of a bank teach about its other quotations.
#[derive(Debug, Default)]
pub struct Vocabulary<'a> {
    entities: BTreeSet<&'a str>,
    /// The key words of each attribute, with a fact that has it.
    attributes: BTreeMap<String, &'a TypedFact>,
    /// The word behind a figure, in small letters, and the dimensions that a reader said it to be of.
    units: BTreeMap<String, BTreeSet<String>>,
    /// The words of quotations with one value, in whatever language, and the attributes of those that have them.
    wording: BTreeMap<String, BTreeSet<String>>,
}

/// The only figure of a sentence about one thing in one year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoneFigure<'t> {
    pub entity: String,
    /// As the text writes it.
    pub value: &'t str,
    pub year: String,
}

impl<'a> Vocabulary<'a> {
    pub fn of(bank: &'a Bank) -> Self {
        let mut known = Self::default();
        for (_, quote) in bank.usable() {
            for fact in &quote.facts {
                let attribute = key_words(&fact.attribute);
                if fact.entity.is_empty() || attribute.is_empty() {
                    continue;
                }
                known.entities.insert(&fact.entity);
                for word in plain_words(&quote.text).into_iter().filter(|_| quote.facts.len() == 1) {
                    known.wording.entry(word).or_default().insert(attribute.clone());
                }
                known.attributes.entry(attribute).or_insert(fact);
                if let Some(word) = word_behind(&quote.text, &fact.value).filter(|_| !fact.unit.is_empty()) {
                    known.units.entry(word).or_default().insert(dimension(&fact.unit).0);
                }
            }
        }
        known
    }

    /// What a reader would say of a text, as far as its words for other texts go.
    pub fn read(&self, text: &str) -> Option<TypedFact> {
        let figure = self.lone_figure(text)?;
        let words = format!(" {} ", normalized(text));
        let said = self.attributes.iter().filter(|(key, _)| is_named(&words, key));
        let (_, fact) = said.max_by_key(|(key, _)| key.len())?;
        self.valued(text, figure, fact)
    }

    /// The same for a text in another language than the reader's words for attributes: each of its words stands in
    /// quotations that were read, and those which do not stand everywhere stand with one attribute alone.
    pub fn read_wording(&self, text: &str) -> Option<TypedFact> {
        let figure = self.lone_figure(text)?;
        let mut sentences =
            passages::sentences(text).into_iter().filter_map(|(start, end)| text.get(start..end));
        let sentence = sentences.find(|sentence| sentence.contains(figure.value)).unwrap_or(text);
        let of_name = plain_words(&figure.entity);
        let mut meant: Option<BTreeSet<&str>> = None;
        for word in plain_words(sentence).difference(&of_name) {
            // A word that no quotation has may name something else.
            let attributes = self.wording.get(word)?;
            if attributes.len() >= FRAME_ATTRIBUTES {
                continue;
            }
            let said = attributes.iter().map(String::as_str);
            meant = Some(match meant {
                None => said.collect(),
                Some(before) => said.filter(|attribute| before.contains(attribute)).collect(),
            });
        }
        let meant = meant.filter(|meant| meant.len() == 1)?;
        let fact = meant.first().and_then(|attribute| self.attributes.get(*attribute))?;
        self.valued(text, figure, fact)
    }

    /// The figure of a text as a value of what a fact measures, where the word behind it measures the same.
    fn valued(&self, text: &str, figure: LoneFigure<'_>, fact: &TypedFact) -> Option<TypedFact> {
        let fits = self.dimensions_behind(text, figure.value).contains(&dimension(&fact.unit).0);
        fits.then(|| TypedFact {
            entity: figure.entity,
            attribute: fact.attribute.clone(),
            value: figure.value.to_owned(),
            unit: fact.unit.clone(),
            period: figure.year,
            as_of: String::new(),
        })
    }

    /// None where a text names two things, two years or two figures: which belongs to which is for a reader to say.
    pub fn lone_figure<'t>(&self, text: &'t str) -> Option<LoneFigure<'t>> {
        let named: Vec<&str> = self.entities.iter().copied().filter(|name| text.contains(name)).collect();
        let entity = *named.iter().max_by_key(|name| name.len())?;
        if named.iter().any(|name| !entity.contains(name)) {
            return None;
        }
        let of_name = number_keys(entity);
        let mut years: BTreeSet<String> = BTreeSet::new();
        let mut values: BTreeMap<String, &str> = BTreeMap::new();
        for piece in
            text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '（' | '）' | '，' | ';'))
        {
            let bare = piece.trim_matches(|c: char| !c.is_ascii_digit());
            let keys = number_keys(bare);
            let Some(key) = keys.first().filter(|key| keys.len() == 1 && !of_name.contains(*key)) else {
                continue;
            };
            // A digit inside a word is part of a name.
            if figures(piece).is_empty() {
                continue;
            }
            if bare.len() == 4 && bare.parse::<u32>().is_ok_and(|year| YEARS.contains(&year)) {
                years.insert(key.clone());
            } else {
                values.insert(key.clone(), bare);
            }
        }
        let (year, value) = (years.pop_first()?, values.pop_first()?.1);
        let alone = years.is_empty() && values.is_empty();
        alone.then(|| LoneFigure { entity: entity.to_owned(), value, year })
    }

    /// What the word behind a figure measures: as the reader said of others, and as the word itself says.
    fn dimensions_behind(&self, text: &str, value: &str) -> BTreeSet<String> {
        let Some(word) = word_behind(text, value) else { return BTreeSet::from([String::new()]) };
        let mut found = self.units.get(&word).cloned().unwrap_or_default();
        found.insert(dimension(&word).0);
        found
    }

    /// Whether the only figure of a text may be another value of what a fact gives, as far as names, years and units tell.
    /// The text is in other words than the fact, or its attribute would have been recognised.
    pub fn may_contradict(&self, fact: &TypedFact, text: &str, figure: &LoneFigure<'_>) -> bool {
        let same_thing = fact.entity == figure.entity
            && number_keys(&fact.period) == BTreeSet::from([figure.year.clone()])
            && passages::shared(&passages::words(&fact.attribute), text) == 0;
        let apart = match (figures(&fact.value).first(), figures(figure.value).first()) {
            (Some(one), Some(other)) => !one.agrees(*other),
            _ => false,
        };
        let known = word_behind(text, figure.value).is_some_and(|word| self.units.contains_key(&word));
        let dimension = dimension(&fact.unit).0;
        same_thing && apart && (!known || self.dimensions_behind(text, figure.value).contains(&dimension))
    }
}

/// The words of a text, of which none holds a digit.
fn plain_words(text: &str) -> BTreeSet<String> {
    let words = passages::words(text).into_iter();
    words.filter(|word| !word.chars().any(char::is_numeric)).collect()
}

/// Whether words hold a key: apart, as one compound (`tank farm` in `tankfarm`), or anywhere where none are spaced.
fn is_named(words: &str, key: &str) -> bool {
    words.contains(&format!(" {key} "))
        || (key.contains(' ') && words.contains(&format!(" {} ", key.replace(' ', ""))))
        || (key.chars().all(|c| c == ' ' || passages::is_dense(c)) && words.contains(key))
}

/// The word or sign right behind a figure, in small letters.
fn word_behind(text: &str, value: &str) -> Option<String> {
    if value.is_empty() {
        return None;
    }
    // Not inside a longer number.
    let alone = |at: &usize| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + value.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(|c| c.is_ascii_digit()) && !behind.is_some_and(|c| c.is_ascii_digit())
    };
    let at = text.match_indices(value).map(|(at, _)| at).find(alone)?;
    let behind = text.get(at + value.len()..)?.trim_start();
    let word: String =
        behind.chars().take_while(|c| c.is_alphabetic() || matches!(c, '%' | '$' | '€' | '£')).collect();
    Some(word.to_lowercase()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{QuoteRole, TypedFact};

    use super::Vocabulary;
    use crate::inquiry::bank::{Bank, BankQuote, PageFacts};

    /// A bank of sentences on pages of their own, some with what a reader said of them: entity, attribute, value, unit, year.
    fn bank(quotes: &[(&str, Option<[&str; 5]>)]) -> Bank {
        let mut bank = Bank::default();
        for (page, (text, fact)) in quotes.iter().enumerate() {
            bank.pages.push(PageFacts {
                origin: page,
                site: format!("s{page}.example"),
                ..PageFacts::default()
            });
            let fact = fact.map(|[entity, attribute, value, unit, period]| TypedFact {
                entity: entity.to_owned(),
                attribute: attribute.to_owned(),
                value: value.to_owned(),
                unit: unit.to_owned(),
                period: period.to_owned(),
                as_of: String::new(),
            });
            bank.quotes.push(BankQuote {
                page: u32::try_from(page).unwrap(),
                start: 0,
                end: 1,
                text: (*text).to_owned(),
                key: format!("{page}"),
                facets: Vec::new(),
                role: QuoteRole::Finding,
                facts: fact.into_iter().collect(),
                round: 1,
                home: None,
                copy_of: None,
                second_hand: false,
            });
        }
        bank
    }

    fn known() -> Bank {
        bank(&[
            (
                "Der Öltank-Umsatz von Orion Pier lag 2024 bei 12,5 Kronen.",
                Some(["Orion Pier", "tank sales", "12,5", "crowns", "2024"]),
            ),
            (
                "Vega Pier had a crane rent of 80 crowns in 2023.",
                Some(["Vega Pier", "crane rent", "80", "crowns", "2023"]),
            ),
        ])
    }

    #[track_caller]
    fn check(text: &str, read: Option<(&str, &str, &str, &str)>) {
        let bank = known();
        let found = Vocabulary::of(&bank).read(text);
        let found = found.as_ref().map(|fact| {
            (fact.entity.as_str(), fact.attribute.as_str(), fact.value.as_str(), fact.period.as_str())
        });
        assert_eq!(found, read, "{text}");
    }

    #[test]
    fn what_leaves_no_choice_is_read() {
        check(
            "In 2021 Orion Pier paid a crane rent of 75 crowns.",
            Some(("Orion Pier", "crane rent", "75", "2021")),
        );
        check("Orion Pier: Cranerent 75 Kronen (2021).", Some(("Orion Pier", "crane rent", "75", "2021")));
        // Two things, two years, two figures, another unit, an unknown attribute, no year.
        check("In 2021 Orion Pier and Vega Pier paid a crane rent of 75 crowns.", None);
        check("From 2021 to 2022 Orion Pier paid a crane rent of 75 crowns.", None);
        check("In 2021 Orion Pier paid a crane rent of 75 crowns for 2 cranes.", None);
        check("In 2021 Orion Pier had a crane rent of 75 days.", None);
        check("In 2021 Orion Pier paid a ground rent of 75 crowns.", None);
        check("Orion Pier pays a crane rent of 75 crowns.", None);
    }

    #[test]
    fn a_text_in_the_words_of_one_that_was_read_is_read_and_none_with_a_word_of_its_own() {
        let bank = known();
        let known = Vocabulary::of(&bank);
        let read = |text: &str| {
            let fact = known.read_wording(text)?;
            Some([fact.entity, fact.attribute, fact.value, fact.period])
        };
        let expected = ["Vega Pier", "tank sales", "14", "2021"].map(str::to_owned);
        assert_eq!(read("Der Öltank-Umsatz von Vega Pier lag 2021 bei 14 Kronen."), Some(expected));
        // Another thing, another unit, and words of both attributes.
        assert_eq!(read("Der Kran-Umsatz von Vega Pier lag 2021 bei 14 Kronen."), None);
        assert_eq!(read("Der Öltank-Umsatz von Vega Pier lag 2021 bei 14 Tagen."), None);
        assert_eq!(read("Der Öltank-Umsatz von Vega Pier had rent 2021 bei 14 Kronen."), None);
    }

    #[test]
    fn a_figure_in_another_language_may_contradict_and_one_of_another_year_or_unit_may_not() {
        let bank = known();
        let known = Vocabulary::of(&bank);
        let fact = bank.quotes[1].facts[0].clone();
        let may = |text: &str| {
            known.lone_figure(text).is_some_and(|figure| known.may_contradict(&fact, text, &figure))
        };
        assert!(may("Für Vega Pier waren es 2023 als Kranmiete 95 Kronen."));
        assert!(!may("Für Vega Pier waren es 2022 als Kranmiete 95 Kronen."));
        assert!(!may("Für Vega Pier waren es 2023 als Kranmiete 80 Kronen."));
        assert!(!may("Für Orion Pier waren es 2023 als Kranmiete 95 Kronen."));
        assert!(!may("In 2023 the ground rent of Vega Pier was 95 crowns."));
    }
}
