//! Finds facts in any text: in sentences of whatever wording and language, and in rows of tables however they were
//! flattened. It knows the words of the lexicon and no world.

use std::ops::Range;

use super::{
    fact::{FactAttribute, FactTuple},
    lexicon::{BODY_KINDS, DECOY_WORDS, PLACE_KINDS, QUALIFIERS, QUANTITIES},
};

/// Years that a text of these worlds can speak of.
const YEARS: Range<u16> = 2010..2031;
/// A longer line is prose, not a row.
const ROW_BYTES_MAX: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFact {
    pub tuple: FactTuple,
    /// The sentence or the row.
    pub place: Range<usize>,
    /// Where the head of the table begins, for a row.
    pub table: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Attribute(FactAttribute),
    /// An attribute with unit and year in brackets.
    Column(FactAttribute, usize, u16),
    Entity(String),
    /// A number, and its unit if one follows.
    Number(u32, Option<usize>),
    Year(u16),
}

/// Every fact of a text, in its order.
pub fn find_facts(text: &str) -> Vec<FoundFact> {
    let mut found = Vec::new();
    let mut table = TableReader::default();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if !table.read(line, offset, &mut found) {
            for place in sentences(line) {
                let sentence = line.get(place.clone()).unwrap_or_default();
                let shifted = offset + place.start..offset + place.end;
                found.extend(in_sentence(sentence).into_iter().map(|tuple| FoundFact {
                    tuple,
                    place: shifted.clone(),
                    table: None,
                }));
            }
        }
        offset += line.len();
    }
    found
}

/// The invented names of a text with the places where they stand.
pub fn entities_in(text: &str) -> Vec<(Range<usize>, String)> {
    let mut names = Vec::new();
    let mut before: Option<Range<usize>> = None;
    for place in words(text) {
        let word = text.get(place.clone()).unwrap_or_default();
        let is_kind = PLACE_KINDS.contains(&word) || BODY_KINDS.contains(&word);
        if let Some(first) = before.filter(|first| is_kind && first.end + 1 == place.start) {
            let whole = first.start..place.end;
            let name = text.get(whole.clone()).unwrap_or_default();
            if name.chars().next().is_some_and(|letter| letter.is_ascii_uppercase()) && !name.contains('\n') {
                names.push((whole, name.to_owned()));
            }
        }
        before = Some(place);
    }
    names
}

/// The sentences of a text: they end at `.`, `!`, `?` before a space, at `。`, and at the end of a line.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (place, letter) in text.char_indices() {
        let end = place + letter.len_utf8();
        let ends = match letter {
            '。' | '\n' | '”' | '！' | '？' => true,
            '.' | '!' | '?' => text
                .get(end..)
                .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '\n', '"', '”', '['])),
            _ => false,
        };
        if ends {
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..text.len());
    let trimmed = |place: Range<usize>| {
        let piece = text.get(place.clone())?;
        let skipped = piece.len() - piece.trim_start().len();
        let kept = piece.trim();
        (!kept.is_empty()).then(|| place.start + skipped..place.start + skipped + kept.len())
    };
    found.into_iter().filter_map(trimmed).collect()
}

/// Each value of a sentence with the attribute, the name and the year nearest to it.
fn in_sentence(sentence: &str) -> Vec<FactTuple> {
    if DECOY_WORDS.iter().any(|word| sentence.contains(word)) {
        return Vec::new();
    }
    let items = items(sentence);
    let value = |(place, item): &(usize, Item)| match item {
        Item::Number(tenths, Some(unit)) => {
            let attribute = nearest(&items, *place, |item| match item {
                Item::Attribute(attribute) | Item::Column(attribute, ..) => Some(*attribute),
                _ => None,
            })?;
            let entity = nearest(&items, *place, |item| match item {
                Item::Entity(name) => Some(name.clone()),
                _ => None,
            })?;
            let year = nearest(&items, *place, |item| match item {
                Item::Year(year) => Some(*year),
                _ => None,
            });
            let period = year.unwrap_or_default();
            Some(FactTuple { entity, attribute, tenths: *tenths, unit: *unit, period })
        }
        _ => None,
    };
    items.iter().filter_map(value).collect()
}

/// The last one before a place, or else the first behind it.
fn nearest<T>(items: &[(usize, Item)], place: usize, wanted: impl Fn(&Item) -> Option<T>) -> Option<T> {
    let before = items.iter().rev().filter(|(at, _)| *at < place).find_map(|(_, item)| wanted(item));
    before.or_else(|| items.iter().filter(|(at, _)| *at > place).find_map(|(_, item)| wanted(item)))
}

/// What of the lexicon stands where in a line.
fn items(line: &str) -> Vec<(usize, Item)> {
    let mut found: Vec<(usize, Item)> = Vec::new();
    let mut taken: Vec<Range<usize>> = address_places(line);
    for (place, attribute) in attributes_in(line) {
        let rest = line.get(place.end..).unwrap_or_default();
        match column_tail(rest) {
            Some((unit, year, length)) => {
                taken.push(place.start..place.end + length);
                found.push((place.start, Item::Column(attribute, unit, year)));
            }
            None => found.push((place.start, Item::Attribute(attribute))),
        }
    }
    found.extend(entities_in(line).into_iter().map(|(place, name)| (place.start, Item::Entity(name))));
    for (place, digits) in numbers(line) {
        if taken.iter().any(|range| range.contains(&place.start)) {
            continue;
        }
        let unit = unit_at(line.get(place.end..).unwrap_or_default()).map(|(unit, _)| unit);
        let year = digits.parse::<u16>().ok().filter(|year| YEARS.contains(year) && unit.is_none());
        found.extend(match year {
            Some(year) => Some((place.start, Item::Year(year))),
            None => tenths(digits).map(|tenths| (place.start, Item::Number(tenths, unit))),
        });
    }
    found.sort_by_key(|(place, _)| *place);
    found
}

/// Addresses and numbers of sources in brackets say nothing about the world.
fn address_places(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (open, close) in [('[', ']'), ('<', '>')] {
        for (start, _) in line.match_indices(open) {
            if let Some(length) = line.get(start..).and_then(|rest| rest.find(close)) {
                found.push(start..start + length);
            }
        }
    }
    for (start, _) in line.match_indices("http") {
        let rest = line.get(start..).unwrap_or_default();
        found.push(start..start + rest.find([' ', ')', '>', '\n']).unwrap_or(rest.len()));
    }
    found
}

/// The attributes of a text with the places where they stand.
pub fn attributes_in(line: &str) -> Vec<(Range<usize>, FactAttribute)> {
    let mut found = Vec::new();
    for (quantity, forms) in QUANTITIES.iter().enumerate() {
        for (language, base) in forms.base.iter().enumerate() {
            for (at, _) in line.match_indices(base) {
                let before = line.get(..at).unwrap_or_default();
                let before = if language == 0 { before.strip_suffix(' ').unwrap_or("") } else { before };
                let qualifier = QUALIFIERS.iter().enumerate().find_map(|(place, forms)| {
                    let word = forms.get(language)?;
                    let start = before.len().checked_sub(word.len())?;
                    before.get(start..)?.eq_ignore_ascii_case(word).then_some((place, start))
                });
                if let Some((qualifier, start)) = qualifier {
                    found.push((start..at + base.len(), FactAttribute { qualifier, quantity }));
                }
            }
        }
    }
    found.sort_by_key(|(place, _)| place.start);
    found.dedup_by_key(|(place, _)| place.start);
    found
}

/// ` (unit, year)` or ` year (unit)` right behind an attribute, and its length.
fn column_tail(rest: &str) -> Option<(usize, u16, usize)> {
    let year = |text: &str| text.trim().parse().ok().filter(|year| YEARS.contains(year));
    let (before, behind) = rest.split_once('(')?;
    let (inside, _) = behind.split_once(')')?;
    let (unit, length) = unit_at(inside)?;
    let tail = inside.get(length..)?;
    let named = match (before.trim_matches([' ', ',']), tail.strip_prefix(", ")) {
        ("", Some(tail)) => year(tail),
        (before, None) if tail.is_empty() => year(before),
        _ => None,
    };
    Some((unit, named?, before.len() + inside.len() + "()".len()))
}

/// The unit that a text begins with, and its length; the longest that fits.
fn unit_at(text: &str) -> Option<(usize, usize)> {
    let skipped = text.len() - text.trim_start_matches(' ').len();
    let rest = text.get(skipped..)?;
    let units =
        QUANTITIES.iter().enumerate().flat_map(|(place, quantity)| quantity.unit.map(|unit| (place, unit)));
    let fitting = units.filter(|(_, unit)| rest.starts_with(unit));
    fitting.max_by_key(|(_, unit)| unit.len()).map(|(place, unit)| (place, skipped + unit.len()))
}

fn numbers(line: &str) -> Vec<(Range<usize>, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (place, letter) in line.char_indices().chain([(line.len(), ' ')]) {
        let part = letter.is_ascii_digit() || matches!(letter, '.' | ',') && start.is_some();
        match (part, start) {
            (true, None) => start = Some(place),
            (false, Some(from)) => {
                let digits = line.get(from..place).unwrap_or_default().trim_end_matches(['.', ',']);
                found.push((from..from + digits.len(), digits));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn tenths(digits: &str) -> Option<u32> {
    let (whole, part) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
    (part.len() == 1).then_some(())?;
    whole.parse::<u32>().ok()?.checked_mul(10)?.checked_add(part.parse().ok()?)
}

fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty()).map(
        move |word| {
            let start = word.as_ptr() as usize - base;
            start..start + word.len()
        },
    )
}

/// Follows the columns of a table over its rows.
#[derive(Debug, Default)]
struct TableReader {
    columns: Vec<(FactAttribute, usize, u16)>,
    begins: usize,
    row: Option<String>,
    next: usize,
}

impl TableReader {
    /// Whether the line belongs to a table; its facts are added.
    fn read(&mut self, line: &str, offset: usize, found: &mut Vec<FoundFact>) -> bool {
        let items = items(line);
        let has_columns = items.iter().any(|(_, item)| matches!(item, Item::Column(..)));
        let has_attribute = items.iter().any(|(_, item)| matches!(item, Item::Attribute(_)));
        let is_prose = has_attribute
            || line.starts_with('[')
            || line.trim_end().ends_with(['。', ':'])
            || line.trim_end().ends_with('.') && !line.contains('|')
            || line.len() > ROW_BYTES_MAX && !has_columns;
        if !has_columns && (self.columns.is_empty() || is_prose) {
            *self = Self::default();
            return false;
        }
        let trimmed = line.trim();
        let mut named_at = None;
        for (place, item) in items {
            match item {
                Item::Column(attribute, unit, year) => {
                    if self.row.is_some() || self.columns.is_empty() {
                        *self = Self {
                            begins: offset + line.find(trimmed).unwrap_or_default(),
                            ..Self::default()
                        };
                    }
                    self.columns.push((attribute, unit, year));
                }
                Item::Entity(name) => {
                    self.row = Some(name);
                    self.next = 0;
                    named_at = Some(place);
                }
                Item::Number(tenths, _) => {
                    // An empty cell has no number: bars are counted where there are any.
                    let between = named_at.and_then(|from| line.get(from..place)).unwrap_or_default();
                    self.next = between.matches('|').count().checked_sub(1).unwrap_or(self.next);
                    let (Some(entity), Some(column)) = (self.row.clone(), self.columns.get(self.next)) else {
                        continue;
                    };
                    self.next += 1;
                    let (attribute, unit, period) = *column;
                    let tuple = FactTuple { entity, attribute, tenths, unit, period };
                    let start = if has_columns { offset + place } else { offset };
                    let end = offset + line.trim_end().len();
                    found.push(FoundFact { tuple, place: start..end, table: Some(self.begins) });
                }
                Item::Attribute(_) | Item::Year(_) => {}
            }
        }
        true
    }
}
