//! Uncited sentences that only say again what supported sentences of the same report say, such as the line in front
//! that sums it up.
//!
//! Words alone decide, and strictly, because nobody judges such a sentence: it brings no word of its own, keeps the
//! order, and leaves out nothing that limits. What only sounds alike, or says it in other words, is not covered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ClaimId;

/// How much of a supported sentence, in percent of its words, one that says it again must contain: a place, a group or a
/// condition that is left out makes another statement.
const SHARE_PERCENT_MIN: usize = 80;
/// Fewer words say too little to be told apart.
const WORDS_MIN: usize = 3;
/// A part of a sentence between two joints.
const PART_WORDS_MIN: usize = 2;
/// Words of the subject that a later part of a sentence may share with its beginning.
const SUBJECT_WORDS_MAX: usize = 5;
/// Joints of one sentence; what has more is a list.
const JOINTS_MAX: usize = 8;
/// Supported sentences compared with one part.
const CANDIDATES_MAX: usize = 64;

/// An uncited sentence and the supported ones that it says again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restatement {
    pub claim: ClaimId,
    pub of: Vec<ClaimId>,
}

/// Say nothing of their own.
const STOP: &[&str] = &[
    "a", "an", "the", "of", "in", "on", "at", "for", "with", "as", "that", "which", "who", "this", "these",
    "those", "it", "its", "they", "their", "is", "are", "was", "were", "be", "been", "being", "has", "have",
    "had", "do", "does", "did", "there", "also", "and", "while", "whereas",
];
/// Announce or join a statement without adding to it.
const NEUTRAL: &[&str] = &[
    "overall",
    "summary",
    "short",
    "thus",
    "therefore",
    "hence",
    "so",
    "again",
    "finally",
    "then",
    "sum",
    "evidence",
    "finding",
    "figure",
    "data",
    "source",
    "show",
    "conclusion",
    "conclude",
    "report",
    "brief",
    "tl",
    "dr",
    "tldr",
];
/// Change what is said: never left out. Numbers are treated alike.
const LIMITS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nobody",
    "nothing",
    "nor",
    "neither",
    "without",
    "hardly",
    "barely",
    "rarely",
    "seldom",
    "few",
    "fewer",
    "less",
    "least",
    "only",
    "just",
    "some",
    "several",
    "many",
    "most",
    "mostly",
    "mainly",
    "partly",
    "almost",
    "nearly",
    "about",
    "around",
    "roughly",
    "approximately",
    "up",
    "may",
    "might",
    "could",
    "can",
    "would",
    "should",
    "must",
    "will",
    "likely",
    "unlikely",
    "possibly",
    "perhaps",
    "probably",
    "reportedly",
    "allegedly",
    "appear",
    "seem",
    "suggest",
    "say",
    "said",
    "claim",
    "believe",
    "argue",
    "according",
    "estimate",
    "estimated",
    "expect",
    "expected",
    "forecast",
    "project",
    "projected",
    "plan",
    "planned",
    "propose",
    "proposed",
    "allege",
    "alleged",
    "hope",
    "aim",
    "if",
    "unless",
    "when",
    "until",
    "except",
    "but",
    "although",
    "though",
    "however",
    "despite",
    "before",
    "after",
    "since",
    "under",
    "over",
    "below",
    "above",
    "against",
    "between",
    "from",
    "to",
    "by",
    "than",
    "or",
    "either",
    "sometimes",
    "often",
    "usually",
    "always",
    "every",
    "all",
    "each",
    "any",
    "both",
    "half",
    "former",
    "first",
    "last",
    "fail",
    "failed",
    "deny",
    "denied",
    "reject",
    "rejected",
    "cease",
    "ceased",
    "stop",
    "stopped",
    "unlike",
    "instead",
    "rather",
    "too",
    "other",
    "another",
    "nicht",
    "kein",
    "keine",
    "nie",
    "ohne",
    "ne",
    "pas",
    "jamais",
    "sans",
    "sin",
    "nunca",
    "non",
    "mai",
    "senza",
    "não",
    "не",
    "нет",
    "без",
];
/// Stand for something said elsewhere.
const PRONOUNS: &[&str] = &[
    "it", "they", "this", "these", "that", "those", "he", "she", "we", "its", "their", "his", "her", "both",
    "such", "here", "there", "one", "some", "others",
];
/// Only English has them: elsewhere words that limit are not known, so nothing may be left out.
const ENGLISH: &[&str] =
    &["the", "and", "are", "were", "that", "with", "from", "has", "which", "its", "is", "of"];

/// Supported sentences of one report, ready to be compared with.
#[derive(Debug, Default)]
pub struct SupportedSentences {
    sentences: Vec<(ClaimId, Sentence)>,
    /// Places in `sentences` by their words.
    by_word: BTreeMap<String, Vec<usize>>,
}

impl SupportedSentences {
    pub fn of<'a>(claims: impl IntoIterator<Item = (ClaimId, &'a str)>) -> Self {
        let mut supported = Self::default();
        for (id, words) in claims {
            let sentence = Sentence::of(words);
            if sentence.begins_with_pronoun {
                continue;
            }
            let place = supported.sentences.len();
            for word in &sentence.words {
                let places = supported.by_word.entry(word.text.clone()).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
            supported.sentences.push((id, sentence));
        }
        supported
    }

    /// The supported sentences that together say everything that this one says; none if it says more.
    pub fn that_say(&self, words: &str) -> Option<Vec<ClaimId>> {
        let sentence = Sentence::of(words);
        if sentence.begins_with_pronoun || sentence.words.len() < WORDS_MIN {
            return None;
        }
        let mut ends = sentence.joints.clone();
        ends.truncate(JOINTS_MAX);
        ends.push(sentence.words.len());
        let mut parts: Vec<Option<Vec<ClaimId>>> = vec![None; ends.len()];
        // The longest part first: `men and women` is one subject, not two statements.
        for (place, end) in ends.iter().enumerate() {
            let starts = (0..=place).map(|before| match before.checked_sub(1) {
                None => (Some(Vec::new()), 0),
                Some(last) => {
                    (parts.get(last).cloned().flatten(), ends.get(last).copied().unwrap_or_default())
                }
            });
            let found =
                starts.filter_map(|(known, start)| Some((known?, start))).find_map(|(known, start)| {
                    let id = self.says_part(&sentence, start, *end)?;
                    Some(known.into_iter().chain([id]).collect::<Vec<_>>())
                });
            if let Some(part) = parts.get_mut(place) {
                *part = found;
            }
        }
        let mut of = parts.pop().flatten()?;
        of.sort_unstable();
        of.dedup();
        Some(of)
    }

    /// A supported sentence that says the words between two joints, with the sentence's own subject where the part has
    /// none.
    fn says_part(&self, sentence: &Sentence, start: usize, end: usize) -> Option<ClaimId> {
        let part: Vec<&Word> = sentence.words.get(start..end)?.iter().collect();
        if part.len() < PART_WORDS_MIN {
            return None;
        }
        let longest = if start == 0 { 0 } else { SUBJECT_WORDS_MAX.min(start) };
        (0..=longest).find_map(|subject| {
            let shared = sentence.words.get(..subject).unwrap_or_default();
            let whole: Vec<&Word> = shared.iter().chain(part.iter().copied()).collect();
            self.candidates(&whole)
                .filter_map(|place| self.sentences.get(place))
                .find(|(_, supported)| supported.contains(&whole, sentence))
                .map(|(id, _)| *id)
        })
    }

    /// Supported sentences that have the rarest of these words.
    fn candidates(&self, words: &[&Word]) -> impl Iterator<Item = usize> + '_ {
        let known = |word: &&&Word| !word.neutral;
        let lists = words.iter().filter(known).map(|word| self.by_word.get(&word.text).map(Vec::as_slice));
        let rarest = lists.map(Option::unwrap_or_default).min_by_key(|places| places.len());
        rarest.unwrap_or_default().iter().copied().take(CANDIDATES_MAX)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// A number, or a word that limits: never left out.
    limits: bool,
    neutral: bool,
}

#[derive(Debug, Default)]
struct Sentence {
    /// Without words that say nothing of their own.
    words: Vec<Word>,
    /// Places in `words` before which a new statement may begin.
    joints: Vec<usize>,
    begins_with_pronoun: bool,
    is_english: bool,
    /// Says what is, or what was.
    present: bool,
    past: bool,
}

impl Sentence {
    fn of(text: &str) -> Self {
        let mut sentence = Self::default();
        let mut is_first = true;
        for part in parts(text) {
            let word = match part {
                SentencePart::Joint => {
                    sentence.joint();
                    continue;
                }
                SentencePart::Word(word) => word,
            };
            let lower = word.to_lowercase();
            let known = |list: &[&str]| list.contains(&lower.as_str());
            sentence.begins_with_pronoun |= is_first && known(PRONOUNS);
            is_first = false;
            sentence.is_english |= known(ENGLISH);
            sentence.present |= known(&["is", "are", "has", "have"]);
            sentence.past |= known(&["was", "were", "had"]);
            if known(&["and", "while", "whereas"]) {
                sentence.joint();
            }
            let is_number = lower.starts_with(|c: char| c.is_numeric()) || known(&["%", "$", "€", "£", "¥"]);
            if let Some(stem) = lower
                .strip_suffix("n't")
                .or_else(|| lower.strip_suffix("n’t"))
                .or_else(|| (lower == "cannot").then_some("can"))
            {
                sentence.push(stem.to_owned(), false, false);
                sentence.push("not".to_owned(), true, false);
            } else if is_number {
                sentence.push(lower, true, false);
            } else if !known(STOP) {
                let text = stem(&lower);
                let listed = |list: &[&str]| known(list) || list.contains(&text.as_str());
                let (limits, neutral) = (listed(LIMITS), listed(NEUTRAL));
                sentence.push(text, limits, neutral);
            }
        }
        sentence
    }

    fn push(&mut self, text: String, limits: bool, neutral: bool) {
        if !text.is_empty() && !STOP.contains(&text.as_str()) {
            self.words.push(Word { text, limits, neutral });
        }
    }

    fn joint(&mut self) {
        let place = self.words.len();
        if place > 0 && self.joints.last() != Some(&place) {
            self.joints.push(place);
        }
    }

    /// Whether this says all of `words`, in their order, and `words` leave out nothing of weight.
    fn contains(&self, words: &[&Word], of: &Self) -> bool {
        if of.present && self.past && !self.present {
            return false;
        }
        let mut wanted = words.iter().filter(|word| !word.neutral).peekable();
        let (mut own, mut said) = (0_usize, 0_usize);
        for word in self.words.iter().filter(|word| !word.neutral) {
            own += 1;
            if wanted.next_if(|next| next.text == word.text).is_some() {
                said += 1;
            } else if word.limits {
                return false;
            }
        }
        let share = if of.is_english && self.is_english { SHARE_PERCENT_MIN } else { 100 };
        said > 0 && wanted.peek().is_none() && said * 100 >= own * share
    }
}

/// Without the ending of the plural or of the third person; other endings change what is said.
fn stem(lower: &str) -> String {
    let word = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(lower);
    let plural = word.len() > 3 && word.is_ascii() && !word.ends_with("ss") && !word.ends_with("us");
    word.strip_suffix('s').filter(|_| plural).unwrap_or(word).to_owned()
}

enum SentencePart<'a> {
    Word(&'a str),
    /// A comma or the like.
    Joint,
}

/// Words, numbers with their separators, signs of amounts, and single characters of scripts without spaces.
fn parts(text: &str) -> Vec<SentencePart<'_>> {
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    let mut characters = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let joins = match character {
            '.' | ',' => before.is_numeric() && next.is_numeric(),
            '\'' | '’' => before.is_alphabetic() && next.is_alphabetic(),
            other => other.is_alphanumeric() && !is_dense(other),
        };
        before = character;
        if joins {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            found.extend(text.get(start..at).map(SentencePart::Word));
        }
        if matches!(character, ',' | ';' | ':' | '，' | '；' | '、' | '—' | '–') {
            found.push(SentencePart::Joint);
        } else if is_dense(character) || matches!(character, '%' | '$' | '€' | '£' | '¥') {
            found.extend(text.get(at..at + character.len_utf8()).map(SentencePart::Word));
        }
    }
    found.extend(start.and_then(|start| text.get(start..)).map(SentencePart::Word));
    found
}

/// Of a script that writes no spaces.
fn is_dense(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{0E00}'..='\u{0E7F}')
}

#[cfg(test)]
mod tests;
