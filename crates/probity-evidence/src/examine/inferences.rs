//! Conclusions that a report of our own draws: which of its claims they are, and which claims each of them rests on.
//!
//! Whoever wrote the report recorded which sentences conclude and from which quotations; a conclusion rests on the claims
//! that tell these quotations and speak of the same things, and on those that tell what else it names. One of which no
//! claim tells anything follows from nothing: it is no fact that a page has to say.

use std::{cmp::Reverse, collections::BTreeSet};

use probity_types::{
    checking::task::JudgeLocation,
    ledger::{Check, CheckAspect, Claim, ClaimId, ClaimKind, JudgeQuestion, Opinion},
    report::Report,
    web::record::RecordedSentence,
};

use super::ReportExaminer;

/// Claims that one conclusion names: as many as a judge reads together.
const PREMISES_MAX: usize = 6;
/// A word that one claim of so many has, or fewer, tells which of them is meant; so few are always few.
const TELLING_OF: usize = 12;
const TELLING_MIN: usize = 2;
/// Words that a conclusion shares with a claim which it rests on.
const SHARED_MIN: usize = 2;
/// Shorter words are in every sentence.
const WORD_CHARACTERS_MIN: usize = 3;

/// A sentence of the record, where it stands in the text that is examined.
struct PlacedSentence<'a> {
    recorded: &'a RecordedSentence,
    start: usize,
    end: usize,
}

impl PlacedSentence<'_> {
    fn holds(&self, claim: &Claim) -> bool {
        claim.start < self.end && self.start < claim.end
    }
}

/// `written` is the report as it was recorded, `text` the one that is examined: repaired citations move its sentences.
pub fn mark_inferences(claims: &mut [Claim], written: &Report, text: &str) {
    let recorded = written.web.as_deref().map(|record| record.sentences.as_slice()).unwrap_or_default();
    if !recorded.iter().any(|sentence| sentence.inference) {
        return;
    }
    let placed: Vec<PlacedSentence<'_>> =
        recorded.iter().filter_map(|sentence| place(sentence, &written.text, text)).collect();
    let told: Vec<ToldClaim> = claims.iter().map(|claim| ToldClaim::of(claim, &placed)).collect();
    for (claim, own) in claims.iter_mut().zip(&told) {
        if !own.concludes {
            continue;
        }
        claim.kind = ClaimKind::Inference;
        claim.rests_on = premises(&told, own);
        claim.load_bearing = false;
        claim.repeats = None;
    }
}

fn place<'a>(sentence: &'a RecordedSentence, written: &str, text: &str) -> Option<PlacedSentence<'a>> {
    let words = written.get(sentence.start..sentence.end).filter(|words| !words.is_empty())?;
    let start = match text.get(sentence.start..sentence.end) {
        Some(same) if same == words => sentence.start,
        _ => text.find(words)?,
    };
    Some(PlacedSentence { recorded: sentence, start, end: start + words.len() })
}

/// What the record says of one claim.
struct ToldClaim {
    id: ClaimId,
    words: String,
    notes: BTreeSet<u32>,
    /// It states what its notes say.
    states: bool,
    concludes: bool,
}

impl ToldClaim {
    fn of(claim: &Claim, placed: &[PlacedSentence<'_>]) -> Self {
        let own = || placed.iter().filter(move |sentence| sentence.holds(claim));
        let (is_fact, may_conclude) = match claim.kind {
            ClaimKind::Fact => (true, true),
            ClaimKind::Derived => (true, false),
            ClaimKind::OwnWords => (false, true),
            ClaimKind::Inference | ClaimKind::Question => (false, false),
        };
        let drawn = own().filter(|sentence| sentence.recorded.inference).count();
        let stated = own().count() - drawn;
        Self {
            id: claim.id,
            words: claim.words.to_lowercase(),
            notes: own().flat_map(|sentence| &sentence.recorded.notes).copied().collect(),
            states: is_fact && drawn == 0 && stated > 0,
            concludes: may_conclude && drawn > 0 && stated == 0,
        }
    }
}

/// The claims that tell the notes of a conclusion and speak of what it speaks of, each wording once, and for what it names
/// beside them the claims that tell it.
fn premises(told: &[ToldClaim], own: &ToldClaim) -> Vec<ClaimId> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let stating: Vec<(&ToldClaim, BTreeSet<&str>)> = told
        .iter()
        .filter(|claim| claim.states && known.insert(&claim.words))
        .map(|claim| (claim, words_of(&claim.words)))
        .collect();
    let said = words_of(&own.words);
    let shared = |words: &BTreeSet<&str>| words.intersection(&said).count();
    let mut ranked: Vec<(Reverse<usize>, bool, usize)> = stating
        .iter()
        .enumerate()
        .filter(|(_, (claim, _))| !claim.notes.is_disjoint(&own.notes))
        .map(|(place, (claim, words))| (Reverse(shared(words)), !claim.notes.is_subset(&own.notes), place))
        .collect();
    ranked.sort_unstable();
    let best = ranked.first().map_or(0, |(Reverse(count), _, _)| *count);
    let near = ranked.into_iter().filter(|(Reverse(count), _, _)| count * 2 >= best);
    let mut chosen: Vec<usize> = near.map(|(_, _, place)| place).take(PREMISES_MAX).collect();

    let few = (stating.len() / TELLING_OF).max(TELLING_MIN);
    let has = |place: usize, word: &str| stating.get(place).is_some_and(|(_, words)| words.contains(word));
    let mut open: BTreeSet<&str> = said
        .iter()
        .copied()
        .filter(|word| {
            let count = stating.iter().filter(|(_, words)| words.contains(word)).count();
            (1..=few).contains(&count) && !chosen.iter().any(|place| has(*place, word))
        })
        .collect();
    while !open.is_empty() && chosen.len() < PREMISES_MAX {
        let scored = stating.iter().enumerate().filter_map(|(place, (_, words))| {
            let new = words.intersection(&open).count();
            let may_be = new > 0 && shared(words) >= SHARED_MIN && !chosen.contains(&place);
            may_be.then(|| (new, shared(words), Reverse(place)))
        });
        let Some((_, _, Reverse(next))) = scored.max() else { break };
        open.retain(|word| !has(next, word));
        chosen.push(next);
    }
    let mut premises: Vec<ClaimId> =
        chosen.into_iter().filter_map(|place| stating.get(place)).map(|(claim, _)| claim.id).collect();
    premises.sort_unstable();
    premises
}

fn words_of(lower: &str) -> BTreeSet<&str> {
    let words = lower.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| word.chars().count() >= WORD_CHARACTERS_MIN).collect()
}

impl ReportExaminer<'_> {
    /// No page has to say it: it brings nothing that its claims do not have, and a judge says whether it follows.
    pub(super) fn inference(&mut self, claim: &Claim) {
        let premises: Vec<&Claim> =
            claim.rests_on.iter().filter_map(|id| self.ledger.claims.get(id.place())).collect();
        if premises.is_empty() {
            let reason = "no claim of the report tells what it rests on".to_owned();
            let check = Check { reason, ..self.check(claim, CheckAspect::Inference, Opinion::Absent) };
            self.ledger.checks.push(check);
            return;
        }
        let words: Vec<&str> = premises.iter().map(|premise| premise.words.as_str()).collect();
        if let Some(number) = new_number(&claim.words, &words.join(" ")) {
            let reason = format!("{number} is in none of the claims it rests on");
            let check = Check { reason, ..self.check(claim, CheckAspect::Inference, Opinion::Absent) };
            self.ledger.checks.push(check);
            return;
        }
        let library = self.library;
        let is_local = |place: &u32| library.page(*place).is_some_and(|book| book.is_local);
        let is_own = |claim: &Claim| claim.cites.iter().any(is_local);
        let is_asked = match self.judging {
            JudgeLocation::Absent => false,
            JudgeLocation::Local => true,
            // What the user's own files say stays on this machine.
            JudgeLocation::Remote => !is_own(claim) && !premises.iter().any(|premise| is_own(premise)),
        };
        if is_asked {
            let question = JudgeQuestion { claim: claim.id, passages: Vec::new(), witnesses: Vec::new() };
            self.ledger.questions.push(question);
        }
    }
}

/// A number of a conclusion that none of the claims it rests on has, as it is written.
fn new_number(conclusion: &str, premises: &str) -> Option<String> {
    let known = numbers(premises);
    numbers(conclusion).into_iter().find(|number| !known.contains(number))
}

/// Numbers in digits, whatever groups their thousands.
fn numbers(text: &str) -> BTreeSet<String> {
    text.split(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ','))
        .map(|number| number.trim_matches(['.', ',']).replace(',', ""))
        .filter(|number| !number.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
