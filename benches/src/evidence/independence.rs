//! Are copies seen as copies, and independent pages as independent? Pairs made from real articles.

use probity_evidence::origins::{TextFingerprint, TextRelation, text_relation};

use super::{labelled_data as data, seeded_random::SeededRandom};
use crate::{
    figure::{Figure, MeasurementSize},
    named_kinds::named_kinds,
};

const PAIRS_QUICK: usize = 60;
const PAIRS_FULL: usize = 355;
const UNRELATED_TIMES: usize = 4;
/// The thresholds were fixed on another seed and other articles.
const SEED: u64 = 47_112_026;
/// Sentences of an excerpt.
const EXCERPT_SENTENCES: usize = 5;
const REPLACED: f64 = 0.12;
/// An article with fewer sentences has no excerpt to take.
const SENTENCES_MIN: usize = 12;
const CHROME: &str = "Home News Sport Contact Subscribe to our newsletter All rights reserved Terms of use and privacy policy\n";

named_kinds! {
    enum PairKind {
        Copy = "copies with a head and a foot",
        FirstHalf = "first halves",
        Replaced = "12 % of words replaced",
        Excerpt = "five sentences inside another article",
        NumbersChanged = "copies with a number changed, seen as altered",
        Unrelated = "unrelated articles",
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let Some(folder) = data::folder() else { return data::absent("independence", "copies at least 0.99") };
    let texts = articles(&folder, "claim_test")?;
    let rows = table(&texts, SEED, size.pick(PAIRS_QUICK, PAIRS_FULL));
    Ok(rows.iter().map(PairTally::figure).collect())
}

fn articles(folder: &std::path::Path, file: &str) -> anyhow::Result<Vec<Vec<String>>> {
    let mut texts: Vec<Vec<String>> =
        data::wice(folder, file)?.into_iter().map(|item| item.evidence).collect();
    texts.retain(|sentences| sentences.len() >= SENTENCES_MIN);
    // Several claims cite one article: it would be unrelated to itself.
    texts.sort();
    texts.dedup();
    Ok(texts)
}

fn table(texts: &[Vec<String>], seed: u64, count: usize) -> Vec<PairTally> {
    let mut random = SeededRandom::seeded(seed);
    let mut rows = Vec::new();
    for pair in PairKind::ALL.iter().copied() {
        let mut row = PairTally { pair, pairs: 0, dependent: 0, altered: 0, alike: 0 };
        // False alarms are rare: more pairs, so that one does not decide.
        let count = if pair == PairKind::Unrelated { count * UNRELATED_TIMES } else { count };
        for _ in 0..count {
            let place = random.below(texts.len());
            let other = (place + 1 + random.below(texts.len().saturating_sub(1))) % texts.len().max(1);
            if let (Some(text), Some(other)) = (texts.get(place), texts.get(other)) {
                row.add(text, other, &mut random);
            }
        }
        rows.push(row);
    }
    rows
}

#[derive(Debug)]
struct PairTally {
    pair: PairKind,
    pairs: usize,
    dependent: usize,
    altered: usize,
    /// By a share of all sequences of three words of 0.7, as others do it.
    alike: usize,
}

impl PairTally {
    fn add(&mut self, text: &[String], other: &[String], random: &mut SeededRandom) {
        let Some(second) = made(self.pair, text, other, random) else { return };
        let first = text.join("\n");
        let kin = text_relation(&TextFingerprint::of(&first), &TextFingerprint::of(&second));
        self.pairs += 1;
        self.dependent += usize::from(kin != TextRelation::Unrelated);
        self.altered += usize::from(kin == TextRelation::Altered);
        self.alike += usize::from(jaccard(&first, &second) >= 0.7);
    }

    fn figure(&self) -> Figure {
        let share = |count: usize| count as f64 / self.pairs.max(1) as f64;
        let (count, limit) = match self.pair {
            PairKind::Copy | PairKind::FirstHalf => (self.dependent, 0.99),
            PairKind::Replaced => (self.dependent, 0.95),
            PairKind::Excerpt => (self.dependent, 0.70),
            PairKind::NumbersChanged => (self.altered, 0.95),
            PairKind::Unrelated => (self.dependent, 0.01),
        };
        let (reached, goal) = match self.pair {
            PairKind::Unrelated => (share(count) <= limit, format!("at most {limit:.2}")),
            _ => (share(count) >= limit, format!("at least {limit:.2}")),
        };
        let (pairs, alike) = (self.pairs, share(self.alike));
        let name = format!("dependent: {}", self.pair.words());
        Figure::judged(&name, reached, format!("{:.3}", share(count)), &goal)
            .with_note(format!("n = {pairs}; a likeness of three-word sequences of 0.7 flags {alike:.3}"))
    }
}

fn made(pair: PairKind, text: &[String], other: &[String], random: &mut SeededRandom) -> Option<String> {
    let whole = text.join("\n");
    Some(match pair {
        PairKind::Copy => format!("{CHROME}{whole}\n{CHROME}"),
        PairKind::FirstHalf => format!("{CHROME}{}\n{CHROME}", text.get(..text.len() / 2)?.join("\n")),
        PairKind::Replaced => replaced(&whole, &other.join("\n"), random),
        PairKind::Excerpt => {
            let from = random.below(text.len().saturating_sub(EXCERPT_SENTENCES));
            let excerpt = text.get(from..from + EXCERPT_SENTENCES)?.join("\n");
            let place = random.below(other.len());
            format!("{}\n{excerpt}\n{}", other.get(..place)?.join("\n"), other.get(place..)?.join("\n"))
        }
        PairKind::NumbersChanged => other_number(&whole, random)?,
        PairKind::Unrelated => other.join("\n"),
    })
}

fn replaced(text: &str, other: &str, random: &mut SeededRandom) -> String {
    let foreign: Vec<&str> = other.split_whitespace().collect();
    let word = |word: &str| {
        if random.chance(REPLACED) {
            random.pick(&foreign).copied().unwrap_or_default().to_owned()
        } else {
            word.to_owned()
        }
    };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// One digit of a number that follows a word is changed.
fn other_number(text: &str, random: &mut SeededRandom) -> Option<String> {
    let bytes = text.as_bytes();
    let after_space = |at: &usize| at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b' ');
    let places: Vec<usize> = (0..bytes.len())
        .filter(|at| bytes.get(*at).is_some_and(u8::is_ascii_digit))
        .filter(after_space)
        .collect();
    let place = *random.pick(&places)?;
    let digit = usize::from(bytes.get(place)?.saturating_sub(b'0'));
    Some(format!("{}{}{}", text.get(..place)?, (digit + 1 + random.below(8)) % 10, text.get(place + 1..)?))
}

fn jaccard(one: &str, other: &str) -> f64 {
    let sequences = |text: &str| {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        words.windows(3).map(|three| three.join(" ")).collect::<std::collections::BTreeSet<String>>()
    };
    let (one, other) = (sequences(one), sequences(other));
    one.intersection(&other).count() as f64 / one.union(&other).count().max(1) as f64
}
