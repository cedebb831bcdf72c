//! Conclusions that a report of our own draws: which of its claims they are, and which claims each of them rests on.
//!
//! Whoever wrote the report recorded which sentences conclude and from which quotations; a conclusion rests on the claims
//! that tell these quotations. One of which no claim tells anything stays a claim that its page has to say.

use std::collections::BTreeSet;

use probity_types::{
    checking::task::JudgeLocation,
    ledger::{Check, CheckAspect, Claim, ClaimId, ClaimKind, JudgeQuestion, Opinion},
    report::Report,
    web::record::RecordedSentence,
};

use super::ReportExaminer;

/// Claims that one conclusion names: as many as a judge reads together.
const PREMISES_MAX: usize = 6;

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
        let premises = premises(&told, &own.notes);
        if !premises.is_empty() {
            claim.kind = ClaimKind::Inference;
            claim.rests_on = premises;
            claim.load_bearing = false;
            claim.repeats = None;
        }
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

/// The claims that tell these notes: first those that tell nothing else, each wording once.
fn premises(told: &[ToldClaim], notes: &BTreeSet<u32>) -> Vec<ClaimId> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut telling: Vec<(bool, ClaimId)> = told
        .iter()
        .filter(|claim| claim.states && !claim.notes.is_disjoint(notes) && known.insert(&claim.words))
        .map(|claim| (!claim.notes.is_subset(notes), claim.id))
        .collect();
    telling.sort_unstable();
    telling.truncate(PREMISES_MAX);
    let mut premises: Vec<ClaimId> = telling.into_iter().map(|(_, id)| id).collect();
    premises.sort_unstable();
    premises
}

impl ReportExaminer<'_> {
    /// No page has to say it: it brings nothing that its claims do not have, and a judge says whether it follows.
    pub(super) fn inference(&mut self, claim: &Claim) {
        let premises: Vec<&Claim> =
            claim.rests_on.iter().filter_map(|id| self.ledger.claims.get(id.place())).collect();
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
