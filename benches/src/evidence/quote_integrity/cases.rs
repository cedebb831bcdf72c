//! Sentences of real articles as quotations, honest and tampered with.

use std::collections::{BTreeMap, BTreeSet};

use crate::{evidence::seeded_random::SeededRandom, named_kinds::named_kinds};

/// Tries for one case before a class is given up for an article.
const TRIES: usize = 30;
const SENTENCE_BYTES: std::ops::Range<usize> = 50..400;
const WORDS_MIN: usize = 8;
/// Shorter names have too many that are alike.
const NAME_LETTERS_MIN: usize = 4;
/// Share of letters that noise touches.
const NOISE: f64 = 0.02;

named_kinds! {
    pub enum QuoteCaseKind {
        Exact = "as they are",
        Spaces = "other spaces and quotation marks",
        Capitals = "other capitals",
        SourceMarks = "reference marks in the source",
        SmallWordDropped = "a small word left out",
        Ellipsis = "an ellipsis in the middle",
        NoiseInWords = "2 % of letters wrong, outside names",
        Noise = "2 % of letters wrong, names too",
        NumberChanged = "a number changed",
        NegationPutIn = "a negation put in",
        NegationTakenOut = "a negation taken out",
        NegationHidden = "a negation behind an ellipsis",
        NameChanged = "a name changed",
        NameAlike = "a name changed to one that differs in a letter",
        Splice = "two sentences made one",
        OtherArticle = "a sentence of another article",
    }
}

impl QuoteCaseKind {
    pub fn is_tampered(self) -> bool {
        self >= Self::NumberChanged
    }
}

#[derive(Debug, Clone)]
pub struct QuoteCase {
    pub class: QuoteCaseKind,
    pub quote: String,
    pub page: String,
}

/// As many of each class as the articles give, never more than `per_class`.
pub fn cases(texts: &[String], seed: u64, per_class: usize) -> Vec<QuoteCase> {
    let mut random = SeededRandom::seeded(seed);
    let alike = SimilarNames::of(texts);
    let mut found = Vec::new();
    for class in QuoteCaseKind::ALL.iter().copied() {
        let mut made = 0;
        for _ in 0..per_class * TRIES {
            if made == per_class {
                break;
            }
            let place = random.below(texts.len());
            let other = (place + 1 + random.below(texts.len().saturating_sub(1))) % texts.len().max(1);
            let (Some(text), Some(other)) = (texts.get(place), texts.get(other)) else { continue };
            if let Some(case) = make(class, text, other, &alike, &mut random) {
                // What stands on the page as it is was not tampered with, whatever we did to make it.
                let stands = || super::ControlMatcher::of(&case.page).has_as_it_is(&case.quote);
                if !class.is_tampered() || !stands() {
                    made += 1;
                    found.push(case);
                }
            }
        }
    }
    found
}

fn make(
    class: QuoteCaseKind,
    text: &str,
    other: &str,
    alike: &SimilarNames,
    random: &mut SeededRandom,
) -> Option<QuoteCase> {
    let sentence = sentence(text, random)?;
    let mut page = text.to_owned();
    let quote = match class {
        QuoteCaseKind::Exact => sentence.to_owned(),
        QuoteCaseKind::Spaces => spaces(sentence),
        QuoteCaseKind::Capitals => {
            if random.chance(0.5) {
                sentence.to_lowercase()
            } else {
                sentence.to_uppercase()
            }
        }
        QuoteCaseKind::SourceMarks => {
            page = text.replacen(sentence, &with_marks(sentence, random), 1);
            sentence.to_owned()
        }
        QuoteCaseKind::SmallWordDropped => without(sentence, random, |word| SMALL.contains(&word))?,
        QuoteCaseKind::Ellipsis => ellipsis(sentence, random)?,
        QuoteCaseKind::NoiseInWords => noise(sentence, random, NameHandling::Spared)?,
        QuoteCaseKind::Noise => noise(sentence, random, NameHandling::Touched)?,
        QuoteCaseKind::NumberChanged => other_number(sentence, random)?,
        QuoteCaseKind::NegationPutIn => negated(sentence, random)?,
        QuoteCaseKind::NegationTakenOut => unnegated(sentence, random)?,
        QuoteCaseKind::NegationHidden => hidden_negation(sentence, random)?,
        QuoteCaseKind::NameChanged => {
            let from = if random.chance(0.5) { text } else { other };
            other_name(sentence, from, random)?
        }
        QuoteCaseKind::NameAlike => name_alike(sentence, alike, random)?,
        QuoteCaseKind::Splice => splice(text, sentence, random)?,
        QuoteCaseKind::OtherArticle => self::sentence(other, random)?.to_owned(),
    };
    Some(QuoteCase { class, quote, page })
}

/// What people leave out without noticing.
const SMALL: &[&str] = &[
    "a", "an", "the", "of", "in", "on", "at", "by", "for", "to", "with", "from", "and", "that", "which",
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "as", "it", "this", "also",
];
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "will", "can", "could", "would", "should", "did",
    "does", "do", "may", "must",
];
const COUNTS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "first", "second",
    "third", "half", "hundred", "thousand", "million", "billion",
];
const NEGATIONS: &[&str] = &["not", "never", "no", "without", "nor", "neither", "none", "nothing", "cannot"];

fn sentence<'a>(text: &'a str, random: &mut SeededRandom) -> Option<&'a str> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| SENTENCE_BYTES.contains(&line.len()))
        .filter(|line| line.split_whitespace().count() >= WORDS_MIN && !line.starts_with("(meta data)"))
        .collect();
    random.pick(&lines).copied()
}

fn words(sentence: &str) -> Vec<&str> {
    sentence.split_whitespace().collect()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn spaces(sentence: &str) -> String {
    let curly = sentence.replace('\'', "’").replace('"', "”");
    curly.split(' ').collect::<Vec<_>>().join("\u{A0} \n")
}

fn with_marks(sentence: &str, random: &mut SeededRandom) -> String {
    let words = words(sentence);
    let places = [random.below(words.len()), random.below(words.len()), words.len().saturating_sub(1)];
    let mut marked = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let mark =
            if places.contains(&place) { format!("[{}]", 1 + random.below(120)) } else { String::new() };
        marked.push(format!("{word}{mark}"));
    }
    marked.join(" ")
}

/// The sentence without one word of a kind that stands inside it.
fn without(sentence: &str, random: &mut SeededRandom, kind: impl Fn(&str) -> bool) -> Option<String> {
    let words = words(sentence);
    let inside = 2..words.len().saturating_sub(1);
    let places: Vec<usize> =
        inside.filter(|place| words.get(*place).is_some_and(|word| kind(word))).collect();
    let gone = *random.pick(&places)?;
    let kept = words.iter().enumerate().filter(|(place, _)| *place != gone).map(|(_, word)| *word);
    Some(kept.collect::<Vec<_>>().join(" "))
}

fn ellipsis(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    let words = words(sentence);
    let third = words.len() / 3;
    let from = third + random.below(third.max(1)) / 2;
    let to = from + 1 + random.below(third.max(1));
    // An ellipsis that hides a negation is a class of its own.
    if words.get(from..to)?.iter().any(|word| is_negation(word)) {
        return None;
    }
    let sign = *random.pick(&["…", "...", "[…]", "[...]"])?;
    Some(format!("{} {sign} {}", words.get(..from)?.join(" "), words.get(to..)?.join(" ")))
}

/// An ellipsis in the place of a negation and at most one word beside it.
fn hidden_negation(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    let words = words(sentence);
    let inside = 3..words.len().saturating_sub(4);
    let places: Vec<usize> =
        inside.filter(|place| words.get(*place).is_some_and(|word| is_negation(word))).collect();
    let from = *random.pick(&places)?;
    let to = from + 1 + random.below(2);
    Some(format!("{} … {}", words.get(..from)?.join(" "), words.get(to..)?.join(" ")))
}

fn is_negation(word: &str) -> bool {
    let lower = bare(word).to_lowercase();
    NEGATIONS.contains(&lower.as_str()) || lower.ends_with("n't") || lower.ends_with("n’t")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameHandling {
    Spared,
    Touched,
}

/// Letters changed, doubled or lost at random. A misspelt name may be another's; sparing names, and words that count
/// or deny, leaves the slips that change nothing.
fn noise(sentence: &str, random: &mut SeededRandom, names: NameHandling) -> Option<String> {
    let mut noisy = String::new();
    for word in sentence.split_inclusive(' ') {
        let spared = names == NameHandling::Spared
            && (bare(word).starts_with(|c: char| !c.is_lowercase())
                || is_negation(word)
                || COUNTS.contains(&bare(word)));
        for letter in word.chars() {
            if spared || !letter.is_ascii_alphabetic() || !random.chance(NOISE) {
                noisy.push(letter);
                continue;
            }
            let wrong = char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0));
            match random.below(3) {
                0 => {}
                1 => noisy.extend([letter, wrong]),
                _ => noisy.push(wrong),
            }
        }
    }
    (noisy != sentence).then_some(noisy)
}

fn other_number(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    let digits: Vec<usize> =
        sentence.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let place = *random.pick(&digits)?;
    let old = sentence.get(place..=place)?;
    let wrong = (old.parse::<usize>().ok()? + 1 + random.below(8)) % 10;
    Some(format!("{}{wrong}{}", sentence.get(..place)?, sentence.get(place + 1..)?))
}

fn negated(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    let words = words(sentence);
    let inside = 1..words.len().saturating_sub(1);
    let places: Vec<usize> =
        inside.filter(|place| words.get(*place).is_some_and(|word| VERBS.contains(word))).collect();
    let place = *random.pick(&places)?;
    let denial = *random.pick(&["not", "never"])?;
    Some(format!("{} {denial} {}", words.get(..=place)?.join(" "), words.get(place + 1..)?.join(" ")))
}

fn unnegated(sentence: &str, random: &mut SeededRandom) -> Option<String> {
    if let Some(at) = sentence.find("n't ").filter(|_| random.chance(0.5)) {
        return Some(format!("{}{}", sentence.get(..at)?, sentence.get(at + 3..)?));
    }
    without(sentence, random, |word| NEGATIONS.contains(&word))
}

/// A word with a capital inside a sentence.
fn names(sentence: &str) -> Vec<&str> {
    let inside = words(sentence).into_iter().skip(1).map(bare);
    let capital = |word: &&str| word.len() > 2 && word.starts_with(char::is_uppercase);
    inside.filter(capital).collect()
}

fn other_name(sentence: &str, from: &str, random: &mut SeededRandom) -> Option<String> {
    let old = *random.pick(&names(sentence))?;
    let others: Vec<&str> = from.lines().flat_map(names).filter(|name| *name != old).collect();
    let new = *random.pick(&others)?;
    let at = sentence.rfind(old)?;
    Some(format!("{}{new}{}", sentence.get(..at)?, sentence.get(at + old.len()..)?))
}

/// Names of the articles by the forms that they have without one letter: those who share one are alike.
struct SimilarNames(BTreeMap<String, BTreeSet<String>>);

impl SimilarNames {
    fn of(texts: &[String]) -> Self {
        let mut forms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in texts.iter().flat_map(|text| text.lines()).flat_map(names) {
            if name.len() >= NAME_LETTERS_MIN && name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                for form in shorter(name) {
                    forms.entry(form).or_default().insert(name.to_owned());
                }
            }
        }
        Self(forms)
    }

    /// Names of the same length that differ from this one in a letter.
    fn to(&self, name: &str) -> Vec<&str> {
        let near =
            shorter(name).into_iter().filter_map(|form| self.0.get(&form)).flatten().map(String::as_str);
        let differ = |other: &&str| {
            let letters = other.bytes().zip(name.bytes());
            other.len() == name.len()
                && letters.filter(|(one, two)| !one.eq_ignore_ascii_case(two)).count() == 1
        };
        near.filter(differ).collect()
    }
}

/// The name without each of its letters in turn.
fn shorter(name: &str) -> Vec<String> {
    let without =
        |gone: usize| name.chars().enumerate().filter(move |(at, _)| *at != gone).map(|(_, c)| c).collect();
    (0..name.chars().count()).map(without).collect()
}

fn name_alike(sentence: &str, alike: &SimilarNames, random: &mut SeededRandom) -> Option<String> {
    let pairs: Vec<(&str, &str)> = names(sentence)
        .into_iter()
        .flat_map(|old| alike.to(old).into_iter().map(move |new| (old, new)))
        .collect();
    let (old, new) = *random.pick(&pairs)?;
    let at = sentence.rfind(old)?;
    Some(format!("{}{new}{}", sentence.get(..at)?, sentence.get(at + old.len()..)?))
}

/// The first half of one sentence and the second half of another that is not its neighbour.
fn splice(text: &str, first: &str, random: &mut SeededRandom) -> Option<String> {
    let second = sentence(text, random)?;
    let at = |wanted: &str| text.lines().position(|line| line.trim() == wanted);
    if at(first)?.abs_diff(at(second)?) < 2 {
        return None;
    }
    let (first, second) = (words(first), words(second));
    Some(format!("{} {}", first.get(..first.len() / 2)?.join(" "), second.get(second.len() / 2..)?.join(" ")))
}
