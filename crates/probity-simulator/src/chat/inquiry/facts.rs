//! Values and names inside a quotation, by the shape of the sentence: "the bridge of Norwick is 412 metres long".

use serde_json::{Value, json};

/// Words between what a sentence is about and what it says of it.
const VERBS: [&str; 16] = [
    "is", "was", "are", "were", "has", "had", "have", "costs", "cost", "opened", "reached", "counts",
    "carries", "employs", "weighs", "produced",
];
/// Longest name of what a sentence is about, in words.
const ENTITY_WORDS_MAX: usize = 8;
/// Names have two words at least and this many at most.
const NAME_WORDS_MAX: usize = 4;

/// Each number of a sentence with what it is about; none for a sentence without such a shape.
pub(super) fn of(sentence: &str) -> Vec<Value> {
    if sentence.contains(" | ") {
        return row(sentence);
    }
    let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
    let Some(verb) = words.iter().position(|word| VERBS.contains(&word.to_lowercase().as_str())) else {
        return Vec::new();
    };
    let before = words.get(..verb).unwrap_or_default();
    let start = usize::from(before.first().is_some_and(|word| word.eq_ignore_ascii_case("the")));
    let entity = before.get(start..).unwrap_or_default();
    if entity.is_empty() || entity.len() > ENTITY_WORDS_MAX {
        return Vec::new();
    }
    let behind: Vec<&str> = words.get(verb + 1..).unwrap_or_default().to_vec();
    let Some(place) = behind.iter().position(|word| is_number(word)) else { return Vec::new() };
    let value = behind.get(place).copied().unwrap_or_default();
    let unit =
        behind.get(place + 1).copied().filter(|word| is_word(word) && !is_year(value)).unwrap_or_default();
    let attribute = behind
        .get(place + 2)
        .copied()
        .filter(|word| !unit.is_empty() && is_word(word) && word.len() > 3)
        .or(behind.first().copied().filter(|word| is_word(word) && word.len() > 3))
        .or(words.get(verb).copied())
        .unwrap_or_default();
    vec![
        json!({"entity": entity.join(" "), "attribute": attribute, "value": value, "unit": unit, "period": "",
        "as_of": ""}),
    ]
}

/// The first cell names the row, each cell with a number is a value.
fn row(sentence: &str) -> Vec<Value> {
    let mut cells = sentence.split(" | ").map(str::trim);
    let entity = cells.next().unwrap_or_default();
    let values = cells.enumerate().filter(|(_, cell)| cell.chars().any(|letter| letter.is_ascii_digit()));
    let fact = |(place, cell): (usize, &str)| {
        json!({"entity": entity, "attribute": format!("column {}", place + 2), "value": cell, "unit": "", "period": "",
            "as_of": ""})
    };
    values.map(fact).collect()
}

/// Two or more words with capital letters in a row, not at the beginning of the sentence.
pub(super) fn names(sentence: &str) -> Vec<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut found = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let name = bare(word);
        let is_name = place > 0 && name.chars().count() > 1 && name.starts_with(char::is_uppercase);
        if is_name && run.len() < NAME_WORDS_MAX {
            run.push(name);
        }
        let ends = !is_name || word.ends_with(|letter: char| !letter.is_alphanumeric());
        if ends || place + 1 == words.len() {
            if run.len() > 1 {
                found.push(run.join(" "));
            }
            run.clear();
        }
    }
    found
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
}

fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && word.starts_with(['1', '2']) && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
}
