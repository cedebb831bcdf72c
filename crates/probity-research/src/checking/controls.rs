//! Claims of ours hidden among those of a report: some that its own pages state, some that they do not.
//!
//! Made by rule from the passages of the very claims they go with, so that nothing more leaves the machine than with these,
//! and put in the form of the others. What is true of each is certain: nothing that stands around its passages says what it
//! says. The number of such a claim says what is true of it; its answer never becomes a claim.

mod sentences;
#[cfg(test)]
mod tests;

use sentences::{PageSentence, reordered, rephrased, sentences};

use super::{
    exam,
    task::{JudgeAnswer, JudgeItem},
};
use crate::ledger::{ClaimContext, ClaimId, Opinion, PassageContext};

/// Calls with fewer claims than this have one known claim, which does not follow; others have one of each.
const CLAIMS_FOR_TWO: usize = 4;
/// Known claims that follow are numbered from here on, and those that do not from the other.
const FIRST_TRUE: usize = 2_000_000_000;
const FIRST_FALSE: usize = 3_000_000_000;
const NUMBERS: usize = 1_000_000_000;
/// Passages from which on a claim that does not follow has one less than the claim it is made from.
const PASSAGES_FOR_LESS: usize = 3;
/// Share of a sentence's words that another page may have, in percent, for the sentence to be absent there.
const SHARED_PERCENT_MAX: usize = 40;
/// Words that a sentence needs for that.
const WORDS_MIN: usize = 5;
/// English verbs that are negated by a word behind them.
const VERBS: [&str; 5] = [" was ", " were ", " is ", " are ", " will "];
/// English sentences that have one of these already say no.
const DENIALS: [&str; 9] =
    [" not ", "n't ", " never ", " no ", " none ", " neither ", " nor ", "cannot", " without "];
/// Sentences with one of these may hold together with their opposite.
const HEDGES: [&str; 17] = [
    " some ",
    " few ",
    " many ",
    " most ",
    " several ",
    " only ",
    " often ",
    " sometimes ",
    " usually ",
    " may ",
    " might ",
    " partly ",
    " half ",
    " whether ",
    " if ",
    " unless ",
    " either ",
];

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
pub fn mixed(items: Vec<JudgeItem>) -> Vec<JudgeItem> {
    let known = of(&items);
    with(items, known)
}

/// The same with known ones that were made before.
pub fn with(mut items: Vec<JudgeItem>, known: Vec<JudgeItem>) -> Vec<JudgeItem> {
    for control in known {
        let place = spread(&control.words, items.len() + 1);
        items.insert(place, control);
    }
    items
}

/// The numbers that known claims of these have, where there are any: one that follows and one that does not.
pub fn numbers(claims: &[ClaimId]) -> Vec<ClaimId> {
    let of_text = claims.iter().filter(|claim| truth(**claim).is_none() && !exam::is_question(**claim));
    let first = of_text.map(|claim| claim.place()).min();
    let numbered = |first: usize| [FIRST_TRUE, FIRST_FALSE].map(|from| ClaimId::at(from + first % NUMBERS));
    first.map(numbered).into_iter().flatten().collect()
}

/// The known claims that go with these; the same for the same ones.
pub fn of(items: &[JudgeItem]) -> Vec<JudgeItem> {
    let Some(first) = items.iter().map(|item| item.claim.place()).min() else { return Vec::new() };
    // An inference is shown no page that a known claim could be made from.
    let items: Vec<JudgeItem> = items.iter().filter(|item| !item.is_inference).cloned().collect();
    if items.is_empty() {
        return Vec::new();
    }
    let items = items.as_slice();
    let turn = spread(&items.iter().map(|item| item.words.as_str()).collect::<String>(), items.len());
    let rotated = || items.iter().cycle().skip(turn).take(items.len());
    let numbered =
        |known: JudgeItem, from: usize| JudgeItem { claim: ClaimId::at(from + first % NUMBERS), ..known };
    let mut known = Vec::new();
    if items.len() >= CLAIMS_FOR_TWO {
        known.extend(rotated().find_map(restated).map(|follows| numbered(follows, FIRST_TRUE)));
    }
    let number = || rotated().find_map(|item| changed(item, other_number));
    let denied = || rotated().find_map(|item| changed(item, denied));
    let page = || rotated().find_map(|item| of_another_place(item, items));
    // Which kind comes first differs from call to call.
    let wrong = match turn % 3 {
        0 => page().or_else(number).or_else(denied),
        1 => denied().or_else(page).or_else(number),
        _ => number().or_else(page).or_else(denied),
    };
    known.extend(wrong.map(|wrong| numbered(thinned(wrong, items), FIRST_FALSE)));
    known
}

/// A claim from this sentence beside the passages of an item, in the form of the others: under the heading of the claim
/// that cites its page, with about as many passages and what stands around each.
fn known_claim(of: &JudgeItem, sentence: &PageSentence<'_>, words: String, beside: &JudgeItem) -> JudgeItem {
    JudgeItem {
        words,
        context: ClaimContext {
            headings: of.context.headings.clone(),
            before: sentence.before.to_owned(),
            ..ClaimContext::default()
        },
        witnesses: Vec::new(),
        ..beside.clone()
    }
}

/// A claim that does not follow, with one passage less where no two claims have the very same ones. A short page is shown
/// whole with each of its claims.
fn thinned(mut known: JudgeItem, items: &[JudgeItem]) -> JudgeItem {
    let has_same = |item: &&JudgeItem| {
        item.passages.len() == known.passages.len()
            && item.passages.iter().all(|passage| known.passages.contains(passage))
    };
    let is_shared = items.iter().filter(has_same).count() > 1;
    if known.passages.len() >= PASSAGES_FOR_LESS && !is_shared {
        let fewer = known.passages.len().saturating_sub(1);
        known.passages.truncate(fewer);
        known.passage_contexts.truncate(fewer);
        known.passage_places.truncate(fewer);
    }
    known
}

/// Everything that a judge reads beside a claim with the passages of this item.
fn shown(item: &JudgeItem) -> String {
    let mut texts: Vec<&str> = item.passages.iter().map(String::as_str).collect();
    for context in &item.passage_contexts {
        let PassageContext { title, published, heading, columns, before, after } = context;
        texts.extend([title, heading, columns, before, after].map(String::as_str));
        texts.extend(published.as_deref());
    }
    texts.join("\n")
}

/// A sentence of the item's pages, in another order where that is safe.
fn restated(item: &JudgeItem) -> Option<JudgeItem> {
    let sentence = sentences(item).into_iter().next()?;
    let words = reordered(sentence.words).unwrap_or_else(|| sentence.words.to_owned());
    Some(known_claim(item, &sentence, words, item))
}

/// A sentence of the item's pages with one thing changed, so that they do not say it. `change` is given what the judge
/// will be shown.
fn changed(item: &JudgeItem, change: fn(&str, &str) -> Option<String>) -> Option<JudgeItem> {
    let sentences = sentences(item);
    let shown = shown(item);
    let made = |sentence: &PageSentence<'_>, words: &str| {
        Some(known_claim(item, sentence, change(words, &shown)?, item))
    };
    // What is nearly the page's own sentence is easily told from a claim: only where nothing else is to be had.
    let in_other_words = sentences.iter().find_map(|sentence| made(sentence, &rephrased(sentence.words)?));
    in_other_words.or_else(|| sentences.iter().find_map(|sentence| made(sentence, sentence.words)))
}

/// Another number, which is nowhere in what is shown.
fn other_number(sentence: &str, shown: &str) -> Option<String> {
    let (start, end) = number(sentence)?;
    let digits = sentence.get(start..end)?;
    let is_year = digits.len() == 4 && (digits.starts_with("1") || digits.starts_with("20"));
    let place = if is_year { 2 } else { digits.find(|digit: char| matches!(digit, '1'..='9'))? };
    let digit = digits.get(place..)?.chars().next()?.to_digit(10)?;
    let other = if digit >= 5 { digit - 3 } else { digit + 4 };
    let other = format!("{}{other}{}", digits.get(..place)?, digits.get(place + 1..)?);
    let is_new = !figures(shown).contains(&other.as_str());
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

/// Numbers of a text as they are written.
fn figures(text: &str) -> Vec<&str> {
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, ',' | '.');
    let figures = text.split(|letter: char| !is_part(letter)).map(|figure| figure.trim_matches([',', '.']));
    figures.filter(|figure| !figure.is_empty()).collect()
}

/// The opposite, in English: other languages put the word elsewhere. Not where anything shown denies something: that may
/// be the same.
fn denied(sentence: &str, shown: &str) -> Option<String> {
    let is_english = sentence.starts_with("The ") || sentence.contains(" the ");
    let spaced = |text: &str| format!(" {} ", text.to_lowercase().replace('\n', " "));
    let (said, around) = (spaced(sentence), spaced(shown));
    let denies = DENIALS.iter().any(|word| around.contains(word) || said.contains(word));
    // As it is written inside: a month is no `may`.
    let hedges = HEDGES.iter().any(|word| sentence.contains(word) || said.starts_with(word));
    let verbs: Vec<(usize, &str)> = VERBS.iter().flat_map(|verb| sentence.match_indices(verb)).collect();
    let [(start, verb)] = verbs.as_slice() else { return None };
    if !is_english || denies || hedges {
        return None;
    }
    let end = start + verb.len();
    Some(format!("{}not {}", sentence.get(..end)?, sentence.get(end..)?))
}

/// A sentence of this item beside passages of another one, of the same page or not, that do not have it; neither has
/// anything around them. Only one with figures that are nowhere there: other words, or another language, may say the same.
fn of_another_place(item: &JudgeItem, items: &[JudgeItem]) -> Option<JudgeItem> {
    sentences(item).iter().find_map(|sentence| {
        let mut wanted_figures = figures(sentence.words);
        wanted_figures.retain(|figure| figure.len() > 1);
        let wanted = words(sentence.words);
        if wanted.len() < WORDS_MIN || wanted_figures.is_empty() {
            return None;
        }
        items.iter().find_map(|other| {
            let shown = shown(other);
            let (there, figures_there) = (words(&shown), figures(&shown));
            let shared = wanted.iter().filter(|word| there.contains(word)).count();
            let is_absent = !there.is_empty()
                && shared * 100 <= wanted.len() * SHARED_PERCENT_MAX
                && !wanted_figures.iter().any(|figure| figures_there.contains(figure));
            is_absent.then(|| known_claim(item, sentence, sentence.words.to_owned(), other))
        })
    })
}

/// Words of four letters and more, and numbers.
fn words(text: &str) -> Vec<String> {
    let fits = |word: &&str| word.chars().count() >= 4 || word.bytes().any(|byte| byte.is_ascii_digit());
    text.split(|letter: char| !letter.is_alphanumeric()).filter(fits).map(str::to_lowercase).collect()
}

/// A place that follows from a text and cannot be guessed from it.
fn spread(text: &str, bound: usize) -> usize {
    let hash = blake3::hash(text.as_bytes());
    let number =
        hash.as_bytes().iter().take(4).fold(0_usize, |number, byte| (number << 8) | usize::from(*byte));
    number % bound.max(1)
}
