//! What stands on a page and is still not told by itself: figures inside someone else's words, figures that the next sentence
//! says how to take, and figures in a unit that another source contradicts. And which results promise a second voice;
//! nothing here decides which voice is right.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{QuoteId, TypedFact};

use super::{
    bank::Bank,
    facet,
    figures::{dimension, number_keys},
    keys::{key_words, normalized},
    spoken::{counts, spoken},
};
use crate::web::passages;

/// How many times as many facts must measure a thing in the one dimension as in the other.
const MANY_TIMES: usize = 3;

/// One figure of its dimension among so many of another is odd.
const ODD_AMONG: usize = 12;

/// Words by which a sentence without a figure speaks of the one before it.
const FIGURE_WORDS: &[&str] = &[
    "figure", "figures", "number", "numbers", "value", "values", "count", "total", "estimate", "zahl",
    "zahlen", "angabe", "angaben", "wert", "werte", "chiffre", "chiffres", "cifra", "cifras",
];
/// The same where no words are spaced.
const FIGURE_WORDS_DENSE: &[&str] = &["数字", "数据", "数值", "数値", "統計", "统计"];
/// Years that a text may name; they are no figures of anything.
const YEARS: std::ops::RangeInclusive<u32> = 1_900..=2_100;

/// The range of a quotation whose figures stand inside quotation marks, with whoever said them: from the beginning of that
/// sentence to the end of the marks. None where the page says the figures itself.
pub fn with_speaker(page: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let line_start = page.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let line_end = page.get(end..)?.find('\n').map_or(page.len(), |at| end + at);
    let line = page.get(line_start..line_end)?;
    let (from, to) = (start - line_start, end - line_start);
    let (open, close) = spoken(line)
        .into_iter()
        .find(|(open, close)| line.get(*open.max(&from)..*close.min(&to)).is_some_and(counts))?;
    let begins = passages::sentences(line).into_iter().map(|(begins, _)| begins);
    let begins = begins.filter(|begins| *begins <= open).max().unwrap_or(open);
    Some((line_start + begins.min(from), line_start + close.max(to)))
}

/// Where a quotation with a figure ends together with the sentence behind it, if that one says how the figure is meant: it
/// stands on the same line, has no figure of its own and speaks of one, such as "This figure includes …" or "The earlier
/// number was corrected". None where the figure stands for itself.
pub fn with_meaning(page: &str, start: usize, end: usize) -> Option<usize> {
    let rest = page.get(end..)?;
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let (from, to) = passages::sentences(line).into_iter().next()?;
    let next = line.get(from..to)?;
    let lower = next.to_lowercase();
    let speaks = lower.split(|c: char| !c.is_alphanumeric()).any(|word| FIGURE_WORDS.contains(&word))
        || FIGURE_WORDS_DENSE.iter().any(|word| lower.contains(word));
    (speaks && !counts(next) && counts(page.get(start..end)?)).then_some(end + to)
}

/// Quotations whose unit is in doubt: another page gives the same number in a unit of another dimension, in which nearly all
/// that is known of such attributes is given, or nothing else of many such figures is given in its dimension. A quotation
/// that no reader found a value in is in doubt if a reader found its very figure elsewhere: it adds nothing, and nothing is
/// known of its unit.
pub fn doubtful_units(bank: &Bank) -> BTreeSet<QuoteId> {
    let mut of_kind: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut values: Vec<UnitValue> = Vec::new();
    let numbered = bank.quotes.iter().enumerate().map(|(place, quote)| (QuoteId::at(place), quote));
    for (id, quote) in numbered.filter(|(_, quote)| quote.copy_of.is_none()) {
        for fact in quote.facts.iter().filter(|fact| !fact.unit.is_empty()) {
            let attribute = key_words(&fact.attribute);
            let kind = attribute.split(' ').next_back().unwrap_or_default().to_owned();
            let (dimension, _) = dimension(&fact.unit);
            *of_kind.entry((kind.clone(), dimension.clone())).or_default() += 1;
            let key = [key_words(&fact.entity), attribute, key_words(&fact.period)];
            let value = number_keys(&fact.value);
            values.push(UnitValue { key, value, dimension, kind, page: quote.page, id });
        }
    }
    let many = |kind: &str, dimension: &str| {
        of_kind.get(&(kind.to_owned(), dimension.to_owned())).copied().unwrap_or_default()
    };
    let clashes = |one: &UnitValue, other: &UnitValue| {
        one.page != other.page
            && one.key == other.key
            && one.value == other.value
            && one.dimension != other.dimension
            && many(&one.kind, &other.dimension) >= MANY_TIMES * many(&one.kind, &one.dimension)
    };
    let is_odd = |one: &UnitValue| {
        let most = of_kind.iter().filter(|((kind, _), _)| *kind == one.kind).map(|(_, count)| *count).max();
        many(&one.kind, &one.dimension) == 1 && most.is_some_and(|most| most >= ODD_AMONG)
    };
    let wrong = values.iter().filter(|one| is_odd(one) || values.iter().any(|other| clashes(one, other)));
    let mut found: BTreeSet<QuoteId> = wrong.map(|one| one.id).collect();
    let bare = bank.quotes.iter().enumerate().filter(|(_, quote)| quote.facts.is_empty());
    for (place, quote) in bare {
        let numbers = number_keys(&quote.text);
        let words = normalized(&quote.text);
        let says = |value: &UnitValue| {
            let [entity, _, period] = &value.key;
            let told: BTreeSet<String> = value.value.union(&number_keys(period)).cloned().collect();
            value.page != quote.page && words.contains(entity.as_str()) && numbers == told
        };
        if !numbers.is_empty() && values.iter().any(says) {
            found.insert(QuoteId::at(place));
        }
    }
    found
}

/// What a result promises beyond what the bank holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// A further figure of something that figures are known of.
    More,
    /// Another figure than the known one for the same.
    Otherwise,
}

/// Things that the bank has figures of, and which.
#[derive(Debug)]
pub struct KnownFigures<'a> {
    of_thing: BTreeMap<&'a str, BTreeSet<String>>,
    facts: Vec<&'a TypedFact>,
}

impl<'a> KnownFigures<'a> {
    pub fn of(bank: &'a Bank) -> Self {
        let facts: Vec<&TypedFact> = bank
            .quotes
            .iter()
            .flat_map(|quote| &quote.facts)
            .filter(|fact| facet::is_name(&fact.entity))
            .collect();
        let mut of_thing: BTreeMap<&str, BTreeSet<String>> =
            facts.iter().map(|fact| (fact.entity.as_str(), BTreeSet::new())).collect();
        for quote in &bank.quotes {
            let numbers = number_keys(&quote.text);
            for (name, told) in &mut of_thing {
                if quote.text.contains(name) {
                    told.extend(numbers.iter().cloned());
                }
            }
        }
        Self { of_thing, facts }
    }

    /// None where a text names nothing that is known, or only figures that are known of it.
    pub fn promise(&self, text: &str) -> Option<Promise> {
        let all = number_keys(text);
        let is_year = |number: &str| number.parse::<u32>().is_ok_and(|year| YEARS.contains(&year));
        let figures: BTreeSet<String> = all.iter().filter(|number| !is_year(number)).cloned().collect();
        let mut things: BTreeSet<&str> = BTreeSet::new();
        for (name, told) in &self.of_thing {
            if text.contains(name) && !figures.is_subset(told) {
                things.insert(name);
            }
        }
        if things.is_empty() {
            return None;
        }
        let words = format!(" {} ", normalized(text));
        let is_otherwise = |fact: &&TypedFact| {
            things.contains(fact.entity.as_str())
                && words.contains(&format!(" {} ", key_words(&fact.attribute)))
                && number_keys(&fact.period).is_subset(&all)
        };
        Some(if self.facts.iter().any(is_otherwise) { Promise::Otherwise } else { Promise::More })
    }
}

/// One figure with what it is of.
struct UnitValue {
    key: [String; 3],
    value: BTreeSet<String>,
    dimension: String,
    /// The last word of the attribute: `output` of `annual output`.
    kind: String,
    page: u32,
    id: QuoteId,
}

#[cfg(test)]
mod tests {
    use probity_types::inquiry::{QuoteRole, TypedFact};

    use super::{KnownFigures, Promise, with_meaning, with_speaker};
    use crate::inquiry::bank::{Bank, BankQuote};

    #[test]
    fn a_quotation_of_spoken_words_takes_its_speaker_along() {
        let page = "A title\nIt is old. As Orion wrote: “The pier is 45 m long.” It is wet.\nMore.";
        let start = page.find("The pier").unwrap();
        let end = page.find(".”").unwrap() + 1;
        let (from, to) = with_speaker(page, start, end).unwrap();
        assert_eq!(page.get(from..to), Some("As Orion wrote: “The pier is 45 m long.”"));
        assert_eq!(with_speaker(page, page.find("It is wet").unwrap(), page.find("\nMore").unwrap()), None);
    }

    #[track_caller]
    fn check_meaning(page: &str, quote: &str, taken: Option<&str>) {
        let start = page.find(quote).unwrap();
        let end = with_meaning(page, start, start + quote.len());
        assert_eq!(end.map(|end| page.get(start..end).unwrap()), taken, "{page}");
    }

    #[test]
    fn a_figure_takes_along_the_sentence_that_says_how_it_is_meant() {
        let quote = "The pier is 45 m long.";
        check_meaning(
            "The pier is 45 m long. This figure includes the head. It is wet.",
            quote,
            Some("The pier is 45 m long. This figure includes the head."),
        );
        check_meaning(
            "码头长 45 米。该数字包括码头头部。",
            "码头长 45 米。",
            Some("码头长 45 米。该数字包括码头头部。"),
        );
        check_meaning(
            "The pier is 45 m long. It is wet, whatever the number.",
            quote,
            Some("The pier is 45 m long. It is wet, whatever the number."),
        );
        check_meaning("The pier is 45 m long. The country is wet.", quote, None);
        check_meaning("The pier is 45 m long. The other figure is 46 m.", quote, None);
        check_meaning("The pier is 45 m long.\nThis figure includes the head.", quote, None);
        check_meaning("The pier is long. This figure includes the head.", "The pier is long.", None);
    }

    #[test]
    fn a_result_that_says_otherwise_promises_most() {
        let fact = TypedFact {
            entity: "Orion Pier".to_owned(),
            attribute: "crane rent".to_owned(),
            value: "80".to_owned(),
            unit: "crowns".to_owned(),
            period: "2023".to_owned(),
            as_of: String::new(),
        };
        let text = "In 2023 the crane rent of Orion Pier was 80 crowns.".to_owned();
        let quote = BankQuote {
            page: 0,
            start: 0,
            end: 1,
            key: String::new(),
            text,
            facets: Vec::new(),
            role: QuoteRole::Finding,
            facts: vec![fact],
            round: 1,
            home: None,
            copy_of: None,
            second_hand: false,
        };
        let bank = Bank { quotes: vec![quote], ..Bank::default() };
        let known = KnownFigures::of(&bank);
        assert_eq!(
            known.promise("Orion Pier had a crane rent of 95 crowns in 2023."),
            Some(Promise::Otherwise)
        );
        assert_eq!(known.promise("Orion Pier had a crane rent of 95 crowns in 2022."), Some(Promise::More));
        assert_eq!(known.promise("Orion Pier employs 12 people."), Some(Promise::More));
        assert_eq!(known.promise("Orion Pier had a crane rent of 80 crowns in 2023."), None);
        assert_eq!(known.promise("Orion Pier was built in 1974."), None);
        assert_eq!(known.promise("Vega Pier had a crane rent of 95 crowns in 2023."), None);
    }
}
