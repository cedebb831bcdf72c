//! Claims of ours hidden among those of a report: some that its own pages state, some that they do not.
//!
//! Made by rule from the passages of the very call they go with, so that nothing more leaves the machine than before and a
//! judge cannot tell them apart. The number of such a claim says what is true of it; its answer never becomes a claim.

#[cfg(test)]
mod tests;

use super::{
    exam::plain_item,
    task::{JudgeAnswer, JudgeItem},
};
use crate::ledger::{ClaimId, Opinion};

/// Calls with fewer claims than this have one known claim, which does not follow; others have one of each.
const CLAIMS_FOR_TWO: usize = 4;
/// Known claims that follow are numbered from here on, and those that do not from the other.
const FIRST_TRUE: usize = 2_000_000_000;
const FIRST_FALSE: usize = 3_000_000_000;
const NUMBERS: usize = 1_000_000_000;
/// A shorter sentence is a heading, a longer one is no sentence.
const SENTENCE_CHARACTERS: std::ops::RangeInclusive<usize> = 24..=320;
/// Passages that go with a known claim: enough to look like any other.
const PASSAGES_MAX: usize = 2;
/// Share of a sentence's words that another page may have, in percent, for the sentence to be absent there.
const SHARED_PERCENT_MAX: usize = 40;
/// Words that a sentence needs for that.
const WORDS_MIN: usize = 5;
/// Words that begin a part of an English sentence which may as well end it.
const OPENINGS: [&str; 8] = ["In ", "After ", "During ", "Since ", "Before ", "By ", "Until ", "Between "];
/// English verbs that are negated by a word behind them.
const VERBS: [&str; 6] = [" was ", " were ", " is ", " are ", " can ", " will "];
/// English sentences that have one of these already say no.
const DENIALS: [&str; 7] = [" not ", "n't ", " never ", " no ", " none ", " neither ", " nor "];

/// How a judge did with known claims: those that follow, and those that do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ControlTally {
    pub true_right: u32,
    pub true_total: u32,
    pub false_right: u32,
    pub false_total: u32,
}

impl ControlTally {
    /// Counts an answer to a known claim; any other is ignored.
    pub fn add(&mut self, answer: &JudgeAnswer) {
        let supports = answer.opinion == Opinion::Supports;
        match truth(answer.claim) {
            Some(true) => {
                self.true_total += 1;
                self.true_right += u32::from(supports);
            }
            Some(false) => {
                self.false_total += 1;
                self.false_right += u32::from(!supports);
            }
            None => {}
        }
    }

    pub fn right(&self) -> u32 {
        self.true_right.saturating_add(self.false_right)
    }

    pub fn total(&self) -> u32 {
        self.true_total.saturating_add(self.false_total)
    }

    /// Claims that do not follow and were called supported.
    pub fn passed(&self) -> u32 {
        self.false_total.saturating_sub(self.false_right)
    }
}

/// Whether a known claim follows; none for any other claim.
pub fn truth(claim: ClaimId) -> Option<bool> {
    match claim.place() {
        place if (FIRST_TRUE..FIRST_TRUE + NUMBERS).contains(&place) => Some(true),
        place if place >= FIRST_FALSE => Some(false),
        _ => None,
    }
}

/// Whether an answer shows that its judge calls supported what is not: nothing of the same call is kept for later.
pub fn is_passed(answer: &JudgeAnswer) -> bool {
    truth(answer.claim) == Some(false) && answer.opinion == Opinion::Supports
}

/// The claims of a call with known ones among them.
pub fn mixed(mut items: Vec<JudgeItem>) -> Vec<JudgeItem> {
    for control in of(&items) {
        let place = spread(&control.words, items.len() + 1);
        items.insert(place, control);
    }
    items
}

/// The known claims that go with these; the same for the same ones.
pub fn of(items: &[JudgeItem]) -> Vec<JudgeItem> {
    let Some(first) = items.iter().map(|item| item.claim.place()).min() else { return Vec::new() };
    let turn = spread(&items.iter().map(|item| item.words.as_str()).collect::<String>(), items.len());
    let rotated = || items.iter().cycle().skip(turn).take(items.len());
    let mut known = Vec::new();
    if items.len() >= CLAIMS_FOR_TWO {
        let follows = rotated().find_map(restated);
        known.extend(
            follows.map(|(words, passages)| {
                plain_item(ClaimId::at(FIRST_TRUE + first % NUMBERS), words, passages)
            }),
        );
    }
    let number = || rotated().find_map(|item| changed(item, other_number));
    let denied = || rotated().find_map(|item| changed(item, denied));
    let page = || rotated().find_map(|item| of_another_page(item, items));
    // Which kind comes first differs from call to call.
    let wrong = match turn % 3 {
        0 => page().or_else(number).or_else(denied),
        1 => denied().or_else(number).or_else(page),
        _ => number().or_else(denied).or_else(page),
    };
    known
        .extend(wrong.map(|(words, passages)| {
            plain_item(ClaimId::at(FIRST_FALSE + first % NUMBERS), words, passages)
        }));
    known.into_iter().map(|item| surrounded(item, items)).collect()
}

/// A known claim whose passages are shown as those of the others are.
fn surrounded(known: JudgeItem, items: &[JudgeItem]) -> JudgeItem {
    let shown = |passage: &String| {
        items.iter().find_map(|item| {
            let place = item.passages.iter().position(|other| other == passage)?;
            item.passage_contexts.get(place).cloned()
        })
    };
    let passage_contexts = known.passages.iter().map(|passage| shown(passage).unwrap_or_default()).collect();
    JudgeItem { passage_contexts, ..known }
}

/// A known claim and the passages that go with it.
type KnownClaim = (String, Vec<String>);

/// A sentence of the item's pages, in another order where that is safe.
fn restated(item: &JudgeItem) -> Option<KnownClaim> {
    let (place, sentence) = sentences(item).next()?;
    Some((reordered(sentence).unwrap_or_else(|| sentence.to_owned()), beside(item, place)))
}

/// `In 2024, revenue rose.` as `Revenue rose in 2024.`
fn reordered(sentence: &str) -> Option<String> {
    let (opening, rest) = sentence.split_once(", ")?;
    let is_movable = OPENINGS.iter().any(|word| opening.starts_with(word));
    let rest = rest.strip_suffix('.').filter(|rest| is_movable && !rest.contains([',', ';', ':', '(']))?;
    let (first, behind) = first_letter(rest)?;
    let (opening_first, opening_behind) = first_letter(opening)?;
    let (first, opening_first) = (first.to_uppercase(), opening_first.to_lowercase());
    Some(format!("{first}{behind} {opening_first}{opening_behind}."))
}

fn first_letter(text: &str) -> Option<(char, &str)> {
    let mut letters = text.chars();
    Some((letters.next()?, letters.as_str()))
}

/// A sentence of the item's pages with one thing changed, so that they do not say it.
fn changed(item: &JudgeItem, change: fn(&str, &JudgeItem) -> Option<String>) -> Option<KnownClaim> {
    sentences(item).find_map(|(place, sentence)| Some((change(sentence, item)?, beside(item, place))))
}

/// Another number, which is nowhere in the passages.
fn other_number(sentence: &str, item: &JudgeItem) -> Option<String> {
    let (start, end) = number(sentence)?;
    let digits = sentence.get(start..end)?;
    let is_year = digits.len() == 4 && (digits.starts_with("1") || digits.starts_with("20"));
    let place = if is_year { 2 } else { digits.find(|digit: char| matches!(digit, '1'..='9'))? };
    let digit = digits.get(place..)?.chars().next()?.to_digit(10)?;
    let other = if digit >= 5 { digit - 3 } else { digit + 4 };
    let other = format!("{}{other}{}", digits.get(..place)?, digits.get(place + 1..)?);
    let is_new = !item.passages.iter().any(|passage| passage.contains(&other));
    is_new.then(|| {
        format!(
            "{}{other}{}",
            sentence.get(..start).unwrap_or_default(),
            sentence.get(end..).unwrap_or_default()
        )
    })
}

/// The first number that stands alone: no reference, no part of a name.
fn number(sentence: &str) -> Option<(usize, usize)> {
    let mut search = 0;
    while let Some(found) = sentence.get(search..)?.find(|letter: char| letter.is_ascii_digit()) {
        let start = search + found;
        let behind = sentence.get(start..)?;
        let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, ',' | '.');
        let length = behind.find(|letter| !is_part(letter)).unwrap_or(behind.len());
        let end = start + behind.get(..length)?.trim_end_matches([',', '.']).len();
        let joins = |letter: char| {
            letter.is_ascii_alphabetic() || matches!(letter, '-' | '–' | '/' | '[' | ']' | '#' | '_')
        };
        let before = sentence.get(..start)?.chars().next_back();
        let after = sentence.get(end..)?.chars().next();
        if !before.is_some_and(joins) && !after.is_some_and(joins) {
            return Some((start, end));
        }
        search = start + length;
    }
    None
}

/// The opposite, in English: other languages put the word elsewhere.
fn denied(sentence: &str, _item: &JudgeItem) -> Option<String> {
    let is_english = sentence.starts_with("The ") || sentence.contains(" the ");
    let denies = DENIALS.iter().any(|word| sentence.contains(word));
    let verbs: Vec<(usize, &str)> = VERBS.iter().flat_map(|verb| sentence.match_indices(verb)).collect();
    let [(start, verb)] = verbs.as_slice() else { return None };
    if !is_english || denies {
        return None;
    }
    let end = start + verb.len();
    Some(format!("{}not {}", sentence.get(..end)?, sentence.get(end..)?))
}

/// A sentence of this item beside the passages of another one that do not have it.
fn of_another_page(item: &JudgeItem, items: &[JudgeItem]) -> Option<KnownClaim> {
    sentences(item).find_map(|(_, sentence)| {
        let wanted = words(sentence);
        let is_absent = |other: &&JudgeItem| {
            let there: Vec<String> = other.passages.iter().flat_map(|passage| words(passage)).collect();
            let shared = wanted.iter().filter(|word| there.contains(word)).count();
            !there.is_empty() && shared * 100 <= wanted.len() * SHARED_PERCENT_MAX
        };
        let other = items.iter().filter(|_| wanted.len() >= WORDS_MIN).find(is_absent)?;
        Some((sentence.to_owned(), other.passages.iter().take(PASSAGES_MAX).cloned().collect()))
    })
}

/// Words of four letters and more, and numbers.
fn words(text: &str) -> Vec<String> {
    let fits = |word: &&str| word.chars().count() >= 4 || word.bytes().any(|byte| byte.is_ascii_digit());
    text.split(|letter: char| !letter.is_alphanumeric()).filter(fits).map(str::to_lowercase).collect()
}

/// Whole sentences that state something, with the place of their passage.
fn sentences(item: &JudgeItem) -> impl Iterator<Item = (usize, &str)> {
    item.passages.iter().enumerate().flat_map(|(place, passage)| {
        pieces(passage).filter(|piece| is_statement(piece)).map(move |piece| (place, piece))
    })
}

fn pieces(passage: &str) -> impl Iterator<Item = &str> {
    let mut rest = passage;
    std::iter::from_fn(move || {
        let end = rest.char_indices().find_map(|(place, letter)| {
            let end = place + letter.len_utf8();
            let behind = rest.get(end..)?.chars().next();
            let ends = match letter {
                '.' | '!' | '?' => behind.is_none_or(char::is_whitespace),
                '。' | '！' | '？' => true,
                _ => false,
            };
            ends.then_some(end)
        });
        let (piece, behind) = rest.split_at_checked(end?)?;
        rest = behind;
        Some(piece.trim())
    })
}

fn is_statement(piece: &str) -> bool {
    let begins = piece.chars().next().is_some_and(|first| !first.is_lowercase() && first.is_alphanumeric());
    let is_marked = piece.contains(['[', ']', '{', '}', '<', '>', '|']) || piece.contains("://");
    begins
        && !is_marked
        && piece.ends_with(['.', '。'])
        && SENTENCE_CHARACTERS.contains(&piece.chars().count())
}

/// The passage at this place and one more of the same claim, in the order of the pages.
fn beside(item: &JudgeItem, place: usize) -> Vec<String> {
    let others = item.passages.iter().enumerate().filter(|(other, _)| *other != place);
    let mut kept: Vec<(usize, &String)> = others.take(PASSAGES_MAX - 1).collect();
    kept.extend(item.passages.get(place).map(|passage| (place, passage)));
    kept.sort_by_key(|(place, _)| *place);
    kept.into_iter().map(|(_, passage)| passage.clone()).collect()
}

/// A place that follows from a text and cannot be guessed from it.
fn spread(text: &str, bound: usize) -> usize {
    let hash = blake3::hash(text.as_bytes());
    let number =
        hash.as_bytes().iter().take(4).fold(0_usize, |number, byte| (number << 8) | usize::from(*byte));
    number % bound.max(1)
}
