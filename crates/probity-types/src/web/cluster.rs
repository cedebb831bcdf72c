//! Which pages are independent: copies of one text, and pages of one site, are one origin.
//!
//! A fingerprint is a sample of a text's word sequences. The sample is the same for the same text, so two samples
//! tell how much two texts share. Numbers are left out of the sequences and kept beside them: a copy of a page in
//! which only a number was changed is then still seen as a copy, and as an altered one.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde::{Deserialize, Serialize};

/// Words in one sequence: shorter ones are shared by texts that have nothing to do with each other.
const SHINGLE_WORDS: usize = 4;
/// Sequences kept of one text. Sixty-four tell a share within about six percent.
const SAMPLE_MAX: usize = 64;
/// Numbers kept of one text, each with the words before it.
const NUMBERS_MAX: usize = 32;
/// Words before a number that say what it counts.
const NUMBER_CONTEXT_WORDS: usize = 3;
/// Share of the shorter text that is in the longer one from which it is a copy. Two reports that quote the
/// same press release at length share less; a copy with another head and foot shares more.
const COPY_SHARE: f64 = 0.7;
/// Shared places of numbers from which pages with no number in common are pages of one form, not copies.
const OTHER_NUMBERS_MIN: usize = 2;
/// A text shorter than this many sequences says too little to call another its copy, unless it is equal.
const SEQUENCES_MIN: u64 = 8;

/// A sample of a text, about a kilobyte.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fingerprint {
    /// How many different sequences the text has.
    sequences: u64,
    /// The smallest hashes of them, ascending.
    sample: Vec<u32>,
    /// Hash of the words before a number, hash of the numbers there; the smallest, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<(u32, u32)>,
}

/// How two texts are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyRelation {
    Unrelated,
    Copy,
    /// The same words with other numbers: one of the two is wrong or was made to be.
    AlteredCopy,
}

impl Fingerprint {
    pub fn of(text: &str) -> Self {
        let words = words(text);
        let hashes: Vec<u64> = words.iter().map(WordToken::hash).collect();
        let sequences: BTreeSet<u32> = match hashes.len() {
            0 => BTreeSet::new(),
            1..SHINGLE_WORDS => BTreeSet::from([folded(&hashes)]),
            _ => hashes.windows(SHINGLE_WORDS).map(folded).collect(),
        };
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        for (place, word) in words.iter().enumerate() {
            if let WordToken::Number(value) = word {
                let context =
                    hashes.get(place.saturating_sub(NUMBER_CONTEXT_WORDS)..place).unwrap_or_default();
                // Several numbers after the same words (a table's column): together, in any order.
                *numbers.entry(folded(context)).or_default() ^= top(hash_of(value));
            }
        }
        Self {
            sequences: u64::try_from(sequences.len()).unwrap_or(u64::MAX),
            sample: sequences.into_iter().take(SAMPLE_MAX).collect(),
            numbers: numbers.into_iter().take(NUMBERS_MAX).collect(),
        }
    }

    /// Whether there was any text.
    pub fn is_empty(&self) -> bool {
        self.sample.is_empty()
    }

    pub fn copy_relation(&self, other: &Self) -> CopyRelation {
        if !self.is_copy_of(other) {
            CopyRelation::Unrelated
        } else if self.numbers_differ(other) {
            CopyRelation::AlteredCopy
        } else {
            CopyRelation::Copy
        }
    }

    /// A text without words is a copy of nothing: two pages that could not be read are not alike.
    fn is_copy_of(&self, other: &Self) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        if self.sequences.min(other.sequences) < SEQUENCES_MIN {
            return self.sample == other.sample;
        }
        self.share_of_shorter(other) >= COPY_SHARE && !self.counts_other_things(other)
    }

    /// Pages that are filled in from one form (one for each town, product or year) share their words and no number. In
    /// a copy that was altered, others still agree.
    fn counts_other_things(&self, other: &Self) -> bool {
        let (shared, equal) = self.shared_numbers(other);
        shared >= OTHER_NUMBERS_MIN && equal == 0
    }

    /// The share of the shorter text's sequences that the longer one has too, as the samples tell it.
    fn share_of_shorter(&self, other: &Self) -> f64 {
        // The smallest hashes of both texts together are a fair sample of both together.
        // Both are ascending: one walk through them, as a run compares every page with every other.
        let (mut left, mut right) = (self.sample.iter().peekable(), other.sample.iter().peekable());
        let (mut fair, mut shared) = (0_u64, 0_u64);
        while fair < SAMPLE_MAX as u64 {
            let order = match (left.peek(), right.peek()) {
                (Some(left), Some(right)) => left.cmp(right),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            if order.is_le() {
                left.next();
            }
            if order.is_ge() {
                right.next();
            }
            fair += 1;
            shared += u64::from(order.is_eq());
        }
        let alike = as_f64(shared) / as_f64(fair.max(1));
        let together = as_f64(self.sequences.saturating_add(other.sequences));
        let shorter = as_f64(self.sequences.min(other.sequences).max(1));
        (alike * together / (1.0 + alike) / shorter).min(1.0)
    }

    fn numbers_differ(&self, other: &Self) -> bool {
        let (shared, equal) = self.shared_numbers(other);
        equal < shared
    }

    /// Places with a number in both texts, and at how many of them it is the same one.
    fn shared_numbers(&self, other: &Self) -> (usize, usize) {
        let value = |context: &u32| {
            let place = other.numbers.binary_search_by_key(context, |(context, _)| *context).ok()?;
            other.numbers.get(place).map(|(_, value)| *value)
        };
        let pairs = self.numbers.iter().filter_map(|(context, here)| Some((*here, value(context)?)));
        pairs.fold((0, 0), |(shared, equal), (here, there)| (shared + 1, equal + usize::from(here == there)))
    }
}

/// The origin of each page, named by the position of its first page. Pages of one site, and copies of each
/// other on any site, are one origin; a page without a site (a file of the user's own) only by its text.
pub fn origins(pages: &[(Option<&str>, &Fingerprint)]) -> Vec<usize> {
    let mut origins: Vec<usize> = Vec::with_capacity(pages.len());
    for (place, (site, fingerprint)) in pages.iter().enumerate() {
        let related: BTreeSet<usize> = pages
            .iter()
            .zip(&origins)
            .filter(|((earlier, text), _)| {
                (site.is_some() && earlier == site) || text.is_copy_of(fingerprint)
            })
            .map(|(_, origin)| *origin)
            .collect();
        let first = related.first().copied().unwrap_or(place);
        // A page that is related to two origins makes them one.
        for origin in &mut origins {
            if related.contains(origin) {
                *origin = first;
            }
        }
        origins.push(first);
    }
    origins
}

/// Pairs of pages on different sites that say the same with other numbers. A sign that one was made to mislead;
/// pages of one site are left out, because a site's own pages often differ in nothing else.
pub fn altered_copies(pages: &[(Option<&str>, &Fingerprint)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (right, (site, fingerprint)) in pages.iter().enumerate() {
        for (left, (earlier, text)) in pages.iter().enumerate().take(right) {
            let one_site = site.is_some() && site == earlier;
            if !one_site && text.copy_relation(fingerprint) == CopyRelation::AlteredCopy {
                found.push((left, right));
            }
        }
    }
    found
}

#[derive(Debug, PartialEq, Eq)]
enum WordToken {
    Plain(String),
    Number(String),
}

impl WordToken {
    fn hash(&self) -> u64 {
        match self {
            Self::Plain(word) => hash_of(word),
            Self::Number(_) => hash_of("#"),
        }
    }
}

/// The words of a text in small letters; where words are not spaced, each character is one.
fn words(text: &str) -> Vec<WordToken> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let joins = matches!(character, '.' | ',')
            && ends_in_digit(&word)
            && characters.peek().copied().and_then(digit).is_some();
        if joins {
            // 1,5 and 1.5 count as the same number in copies.
            word.push('.');
        } else if let Some(digit) = digit(character) {
            if !word.is_empty() && !ends_in_digit(&word) {
                finish(&mut word, &mut words);
            }
            word.push(digit);
        } else if character.is_alphanumeric() {
            if ends_in_digit(&word) || unspaced(character) {
                finish(&mut word, &mut words);
            }
            word.extend(character.to_lowercase());
            if unspaced(character) {
                finish(&mut word, &mut words);
            }
        } else {
            finish(&mut word, &mut words);
        }
    }
    finish(&mut word, &mut words);
    words
}

fn finish(word: &mut String, words: &mut Vec<WordToken>) {
    if word.is_empty() {
        return;
    }
    let done = std::mem::take(word);
    words.push(if ends_in_digit(&done) { WordToken::Number(done) } else { WordToken::Plain(done) });
}

fn ends_in_digit(word: &str) -> bool {
    word.ends_with(|character: char| character.is_ascii_digit())
}

/// Digits of the usual and of the wide form.
fn digit(character: char) -> Option<char> {
    match character {
        '0'..='9' => Some(character),
        '０'..='９' => char::from_u32(u32::from(character) - u32::from('０') + u32::from('0')),
        _ => None,
    }
}

/// Scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han.
fn unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3134F)
}

/// FNV-1a, spelt out because journals keep these hashes: a library may change its own.
fn hash_of(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Hashes in their order as one, with the bits spread evenly: the smallest are a fair sample.
fn folded(hashes: &[u64]) -> u32 {
    let joined = hashes.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |sum, hash| {
        (sum.rotate_left(23) ^ hash).wrapping_mul(0xff51_afd7_ed55_8ccd)
    });
    top((joined ^ (joined >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53))
}

fn top(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or_default()
}

/// Counts of sequences: far below where a float loses whole numbers.
fn as_f64(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests;
