//! What stands on a page and is still not told by itself: figures inside someone else's words, and figures in a unit that
//! another source contradicts. Both need a second voice; nothing here decides which voice is right.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::QuoteId;

use super::{
    bank::{Bank, normalized},
    conflict::key_words,
    figures::{dimension, number_keys},
};
use crate::web::passages;

/// How many times as many facts must measure a thing in the one dimension as in the other.
const MANY_TIMES: usize = 3;

/// One figure of its dimension among so many of another is odd.
const ODD_AMONG: usize = 12;

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

/// Whether a figure of this text stands inside quotation marks.
pub fn is_second_hand(text: &str) -> bool {
    spoken(text).into_iter().any(|(open, close)| text.get(open..close).is_some_and(counts))
}

fn counts(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

/// Byte ranges inside quotation marks; marks that are never closed reach to the end.
fn spoken(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let is_mark = match c {
            '„' | '“' | '”' | '«' | '»' | '「' | '」' | '『' | '』' => true,
            // Inches are no marks.
            '"' => open.is_some() || !before.is_numeric(),
            _ => false,
        };
        before = c;
        match open.filter(|_| is_mark) {
            Some(start) => {
                found.push((start, at + c.len_utf8()));
                open = None;
            }
            None if is_mark && c != '”' => open = Some(at),
            None => {}
        }
    }
    found.extend(open.map(|start| (start, text.len())));
    found
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
    use super::{is_second_hand, with_speaker};

    #[test]
    fn a_figure_inside_quotation_marks_is_second_hand() {
        for text in [
            "As the Orion Society once wrote: “The pier is 45 m long.”",
            "Die Orion-Gesellschaft schrieb: „Der Pier misst 45 m.“",
            "\"We sold 5 million,\" she said.",
            "As it wrote: “The pier is 45 m long",
        ] {
            assert!(is_second_hand(text), "{text}");
        }
        for text in [
            "The “Orion” pier is 45 m long.",
            "A 5\" pipe carries 45 litres.",
            "The pier is 45 m long, not “long”.",
        ] {
            assert!(!is_second_hand(text), "{text}");
        }
    }

    #[test]
    fn a_quotation_of_spoken_words_takes_its_speaker_along() {
        let page = "A title\nIt is old. As Orion wrote: “The pier is 45 m long.” It is wet.\nMore.";
        let start = page.find("The pier").unwrap();
        let end = page.find(".”").unwrap() + 1;
        let (from, to) = with_speaker(page, start, end).unwrap();
        assert_eq!(page.get(from..to), Some("As Orion wrote: “The pier is 45 m long.”"));
        assert_eq!(with_speaker(page, page.find("It is wet").unwrap(), page.find("\nMore").unwrap()), None);
    }
}
