//! What is true: by label where the sentence has one, else by comparing a claim with its passages, thing by thing.

use std::collections::BTreeSet;

use crate::evidence::verdicts::letters;

/// What is so of a sentence and its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TruthLabel {
    True,
    /// The page says otherwise.
    False,
    /// The page does not say it.
    Absent,
    /// True with a reservation that is left out.
    Overstated,
}

impl TruthLabel {
    /// The word of the judge's schema.
    pub fn verdict(self) -> &'static str {
        match self {
            Self::True => "supported",
            Self::False => "contradicted",
            Self::Absent => "not_in_source",
            Self::Overstated => "qualified",
        }
    }
}

/// Neighbouring letters of a text: tells whether words are of it, in any script.
#[derive(Debug, Clone, Default)]
pub struct LetterPairs(BTreeSet<(char, char)>);

impl LetterPairs {
    pub fn of(text: &str) -> Self {
        let letters = letters(text);
        Self(letters.chars().zip(letters.chars().skip(1)).collect())
    }

    /// Share of these pairs that `other` has, in percent.
    fn percent_in(&self, other: &Self) -> usize {
        self.0.intersection(&other.0).count() * 100 / self.0.len().max(1)
    }
}

/// A passage stands on a page that has this much of it; how tables are written out may differ.
const SAME_PAGE_PERCENT: usize = 80;
/// A shorter part of a labelled sentence says nothing.
const PART_LETTERS_MIN: usize = 6;

#[derive(Debug, Clone)]
struct SentenceLabel {
    letters: String,
    label: TruthLabel,
    page: LetterPairs,
}

/// What is known of sentences, each with the page it cites.
#[derive(Debug, Clone, Default)]
pub struct SentenceLabels(Vec<SentenceLabel>);

impl SentenceLabels {
    /// `words` may be several sentences that have the same label.
    pub fn add(&mut self, words: &str, label: TruthLabel, page: &str) {
        self.0.push(SentenceLabel { letters: letters(words), label, page: LetterPairs::of(page) });
    }

    /// The label of a claim beside these passages. What is true beside its own page is absent from another.
    pub fn label(&self, claim: &str, passages: &[&str]) -> Option<TruthLabel> {
        let claim = letters(claim);
        let is_part = |known: &&SentenceLabel| {
            claim.len() >= PART_LETTERS_MIN
                && (known.letters.contains(&claim)
                    || (claim.contains(&known.letters) && known.label != TruthLabel::True))
        };
        let parts = || self.0.iter().filter(is_part);
        let same = self.0.iter().find(|known| known.letters == claim);
        let wrong = || parts().find(|known| known.label != TruthLabel::True);
        let known = same.or_else(wrong).or_else(|| parts().next())?;
        let stands = |passage: &&str| LetterPairs::of(passage).percent_in(&known.page) >= SAME_PAGE_PERCENT;
        if known.label == TruthLabel::True && !passages.iter().any(stands) {
            return Some(TruthLabel::Absent);
        }
        Some(known.label)
    }
}

/// The passage that has most of a claim.
pub fn nearest<'p>(claim: &str, passages: &[&'p str]) -> &'p str {
    let claim = LetterPairs::of(claim);
    let share = |passage: &&&str| claim.percent_in(&LetterPairs::of(passage));
    passages.iter().max_by_key(share).copied().unwrap_or_default()
}

/// Words that turn a sentence around; those of scripts without spaces are looked for inside.
const NEGATIONS: [&str; 26] = [
    "not", "no", "never", "none", "nobody", "without", "nicht", "kein", "keine", "keinen", "keiner", "nie",
    "pas", "aucun", "aucune", "jamais", "nunca", "ningún", "ninguna", "ninguno", "sin", "لم", "لا", "لن",
    "ليس", "ليست",
];
const NEGATIONS_INSIDE: [&str; 7] = ["不", "没", "未", "無", "ない", "ません", "なかった"];
/// Words that a sentence may have beyond the page's without saying anything else.
const SMALL_WORDS: [&str; 16] = [
    "each", "every", "there", "were", "that", "with", "laut", "nach", "hatte", "selon", "avait", "según",
    "tuvo", "كما", "كان", "عدد",
];
/// Short words that say how much of something is meant.
const QUANTIFIERS: [&str; 6] = ["all", "alle", "tous", "todos", "كل", "only"];
/// Share of the pairs of letters that a page has of what it says, in scripts without spaces.
const SAID_PERCENT: usize = 88;

/// One sentence of the passages has every number, name and long word of the claim, and denies what it denies.
pub fn compare(claim: &str, passages: &[&str]) -> TruthLabel {
    let split = |passage: &&str| passage.replace('。', "。\n").replace(". ", ".\n");
    let sentences: Vec<String> = passages.iter().map(split).collect();
    let sentences: Vec<&str> = sentences.iter().flat_map(|text| text.lines()).collect();
    let page = nearest(claim, &sentences);
    let (said, there) = (words(claim), words(page));
    let has_words = || {
        let mut needed = said.iter().filter(|word| needs_page(word));
        needed.all(|word| there.contains(word))
    };
    let has_pairs = || {
        let numbers = |text: &str| -> BTreeSet<String> {
            let split = text.split(|letter: char| !letter.is_ascii_digit());
            split.filter(|number| !number.is_empty()).map(str::to_owned).collect()
        };
        let is_said = LetterPairs::of(claim).percent_in(&LetterPairs::of(page)) >= SAID_PERCENT;
        is_said && numbers(claim).is_subset(&numbers(page))
    };
    let denials = |text: &str, words: &BTreeSet<String>| -> Vec<&'static str> {
        let inside = NEGATIONS_INSIDE.into_iter().filter(|part| text.contains(part));
        NEGATIONS.into_iter().filter(|word| words.contains(*word)).chain(inside).collect()
    };
    let is_said = if is_dense(claim) { has_pairs() } else { has_words() };
    let is_true = is_said && denials(claim, &said) == denials(page, &there);
    if is_true { TruthLabel::True } else { TruthLabel::Absent }
}

/// Written without spaces, for the most part.
fn is_dense(text: &str) -> bool {
    let dense = text.chars().filter(|letter| matches!(letter, '\u{3040}'..='\u{9fff}')).count();
    dense * 2 > text.chars().filter(|letter| letter.is_alphanumeric()).count()
}

/// Numbers, long words (of scripts with short ones, those of three letters) and words for how much.
fn needs_page(word: &str) -> bool {
    let letters_min = if word.is_ascii() { 4 } else { 3 };
    let is_long = word.chars().count() >= letters_min || word.chars().any(char::is_numeric);
    (is_long || QUANTIFIERS.contains(&word)) && !SMALL_WORDS.contains(&word)
}

/// Words in small letters; numbers without the marks inside them.
fn words(text: &str) -> BTreeSet<String> {
    let split = text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, ',' | '.'));
    let plain = |word: &str| word.replace([',', '.'], "").to_lowercase();
    split.map(plain).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{SentenceLabels, TruthLabel, compare};

    #[test]
    fn what_no_label_names_is_compared_thing_by_thing() {
        let passages = [
            "The weather was not mild. In 2021 the Orlo mill sold 1,200 tonnes, more than the Varda mill. Some wells were dry.",
            "2021年，青岚果园产梨412吨。",
        ];
        let check =
            |claim: &str, expected: TruthLabel| assert_eq!(compare(claim, &passages), expected, "{claim}");
        check("The Orlo mill sold 1,200 tonnes in 2021.", TruthLabel::True);
        check("The Orlo mill sold 1,300 tonnes in 2021.", TruthLabel::Absent);
        check("The Orlo mill sold 1,200 litres in 2021.", TruthLabel::Absent);
        check("In 2021 the Orlo mill never sold 1,200 tonnes.", TruthLabel::Absent);
        check("The weather was not without mild.", TruthLabel::Absent);
        check("The Tarnow mill sold 1,200 tonnes in 2021.", TruthLabel::Absent);
        check("All wells were dry.", TruthLabel::Absent);
        check("2021年青岚果园产梨412吨。", TruthLabel::True);
        check("2021年青岚果园产梨415吨。", TruthLabel::Absent);
    }

    #[test]
    fn a_label_holds_beside_its_own_page() {
        let mut labels = SentenceLabels::default();
        let page = "The mill sold 1,200 tonnes of flour.";
        labels.add("The mill sold 1,200 tonnes.", TruthLabel::True, page);
        labels.add("It was sold to a bishop.", TruthLabel::False, page);
        assert_eq!(labels.label("The mill sold 1,200 tonnes", &[page]), Some(TruthLabel::True));
        assert_eq!(
            labels.label("The mill sold 1,200 tonnes", &["Quite another thing."]),
            Some(TruthLabel::Absent)
        );
        assert_eq!(labels.label("It was sold to a bishop.", &[page]), Some(TruthLabel::False));
        assert_eq!(labels.label("The mill sold 1,300 tonnes.", &[page]), None);
    }
}
