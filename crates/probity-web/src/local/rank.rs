//! Which texts fit a question: BM25 over the question's words. Pure, and only for choosing what to read first.

use std::collections::{BTreeMap, BTreeSet};

/// BM25's k1 and b in their usual values: saturation of repeated words, and weight of length.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedText {
    /// Index in the given list.
    pub index: usize,
    pub score: f64,
}

/// The texts that contain a word of the question, best first. Pass a file's name with its text: names say a
/// lot.
pub fn rank<T: AsRef<str>>(question: &str, texts: &[T]) -> Vec<RankedText> {
    let asked: BTreeSet<String> = words(question).into_iter().collect();
    let texts: Vec<WordCounts> = texts.iter().map(|text| WordCounts::of(text.as_ref(), &asked)).collect();
    let count = texts.len() as f64;
    let average = texts.iter().map(|text| text.length).sum::<f64>() / count.max(1.0);
    let weight = |word: &str| {
        let holders = texts.iter().filter(|text| text.counts.contains_key(word)).count() as f64;
        (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
    };
    let weights: BTreeMap<&str, f64> = asked.iter().map(|word| (word.as_str(), weight(word))).collect();
    let score = |text: &WordCounts| -> f64 {
        let worn = SATURATION * (1.0 - LENGTH + LENGTH * text.length / average.max(1.0));
        let part = |(word, times): (&String, &f64)| {
            weights.get(word.as_str()).unwrap_or(&0.0) * times * (SATURATION + 1.0) / (times + worn)
        };
        text.counts.iter().map(part).sum()
    };
    let scored = texts.iter().enumerate().map(|(index, text)| RankedText { index, score: score(text) });
    let mut ranked: Vec<RankedText> = scored.filter(|ranked| ranked.score > 0.0).collect();
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.index.cmp(&other.index)));
    ranked
}

/// A text as the measure sees it.
struct WordCounts {
    length: f64,
    counts: BTreeMap<String, f64>,
}

impl WordCounts {
    fn of(text: &str, asked: &BTreeSet<String>) -> Self {
        let words = words(text);
        let length = words.len() as f64;
        let mut counts = BTreeMap::new();
        for word in words.into_iter().filter(|word| asked.contains(word)) {
            *counts.entry(word).or_insert(0.0) += 1.0;
        }
        Self { length, counts }
    }
}

/// Words in lower case. Scripts without spaces between words are cut into pairs of characters.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|character: char| !character.is_alphanumeric()).filter(|run| !run.is_empty()) {
        if run.chars().all(is_dense) && run.chars().nth(1).is_some() {
            let pairs = run.chars().zip(run.chars().skip(1));
            words.extend(pairs.map(|(one, other)| String::from_iter([one, other])));
        } else {
            words.push(run.to_lowercase());
        }
    }
    words
}

/// Chinese, Japanese and Thai write without spaces.
fn is_dense(character: char) -> bool {
    matches!(u32::from(character), 0x0e00..=0x0e7f | 0x3040..=0x30ff | 0x3400..=0x9fff | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[track_caller]
    fn check(question: &str, texts: &[&str], expected: &[usize]) {
        let found: Vec<usize> = rank(question, texts).into_iter().map(|ranked| ranked.index).collect();
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn a_rare_word_says_more_than_a_common_one() {
        let texts = ["the the the the", "the ferry sails", "the train leaves", "nothing"];
        check("When does the ferry sail?", &texts, &[1, 0, 2]);
    }

    #[test]
    fn a_text_without_a_word_of_the_question_is_not_ranked() {
        check("volcano", &["ferry", "train"], &[]);
        check("volcano", &[], &[]);
        check("?", &["ferry"], &[]);
    }

    #[test]
    fn length_does_not_win() {
        let long = format!("ferry {}", "word ".repeat(500));
        check("ferry", &[long.as_str(), "the ferry"], &[1, 0]);
    }

    #[test]
    fn scripts_without_spaces_are_found() {
        check("東京の人口", &["大阪の料理", "東京都の人口統計"], &[1]);
        check("Ärger", &["kein Ärger hier", "nichts"], &[0]);
    }
}
