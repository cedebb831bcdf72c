//! The state of a run in rounds: what its events leave behind.

use std::{cmp::Reverse, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    RoundsPlan, RoundsStop, ToolEvidence,
    plan::{CYCLE_PAUSE_MAX, CYCLE_PAUSES, CYCLES_MAX},
};
use crate::{
    checking::VerificationSummary,
    cost::{Cost, MicroUsd, Usage},
    error::{Code, CodedError},
    id::Digest,
    price,
    progress::{NEWS_KEPT_MAX, Progress, ProgressLine},
    serde_helpers::is_zero,
    text,
};

/// Longest query in the journal: engines keep no longer ones.
const QUERY_CHARACTERS_MAX: usize = 500;
/// By so much of its beginning a query is known again: the shortest line of progress.
const QUERY_START_CHARACTERS: usize = 160;

/// Which call of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundStage {
    Main,
    /// The main answer could not be parsed: another call reformats it.
    Correction,
}

/// The call that is under way or comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundPosition {
    pub round: u32,
    pub cycle: u32,
    pub stage: RoundStage,
    /// The unusable answer that a correction works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<Digest>,
}

impl RoundPosition {
    pub const FIRST: Self = Self { round: 1, cycle: 1, stage: RoundStage::Main, invalid: None };

    fn next_round(self) -> Self {
        Self { round: self.round + 1, ..Self::FIRST }
    }
}

/// What is known of the bill of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "basis", content = "usage", rename_all = "kebab-case")]
pub enum CallBilling {
    /// Provably not accepted.
    Nothing,
    Counted(Usage),
    /// A part was counted, and it is known that there was more.
    AtLeast(Usage),
    /// Accepted, or perhaps accepted, and not counted.
    Unknown,
}

/// What a call without an answer did all the same.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallWork {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pages: u32,
}

impl CallWork {
    pub fn of(evidence: &ToolEvidence) -> Self {
        let mut queries = Vec::new();
        evidence.queries.iter().for_each(|query| add_query(&mut queries, query));
        Self { queries, pages: u32::try_from(evidence.pages.len()).unwrap_or(u32::MAX) }
    }

    pub fn is_empty(&self) -> bool {
        self.queries.is_empty() && self.pages == 0
    }
}

/// A call that is over without an answer, and what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredCall {
    pub round: u32,
    pub queries: Vec<String>,
    pub counts: CallCounts,
}

/// A round that returned an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredRound {
    pub round: u32,
    pub answer: Digest,
    pub facts: AnswerFacts,
    /// Its checked form, once every claim has a verdict.
    pub checked: Option<CheckedAnswer>,
}

/// An answer whose claims were checked, stored with its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedAnswer {
    pub report: Digest,
    pub standing: VerificationSummary,
}

/// What the rules must know of an answer without reading it again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswerFacts {
    pub verified: bool,
    pub model_says_verified: bool,
    /// Every address in its text came from a tool.
    pub resolved: bool,
    pub searches: u32,
    pub pages: u32,
    pub sources: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRound {
    pub round: u32,
    pub problem: CodedError,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RoundsState {
    pub position: RoundPosition,
    pub answered: Vec<AnsweredRound>,
    pub failed: Vec<FailedRound>,
    pub model_of_failed: Option<String>,
    /// Why no further round is asked, once that is certain.
    pub over: Option<RoundsStop>,
    pub calls: u32,
    pub calls_uncounted: u32,
    pub spent: Usage,
    /// The same by the model that answered, at whose prices it is billed; under none what nobody has named so far.
    pub spent_by_model: Vec<(Option<String>, Usage)>,
    /// The dearest call so far: what another one may cost.
    pub dearest: Usage,
    pub last_raw: Option<Digest>,
    /// Counted in calls that brought an answer.
    pub before: CallCounts,
    /// Calls that brought none, but for those whose text was put into shape: the answer has what they found.
    pub unanswered: Vec<UnansweredCall>,
    /// Searches of the call under way, as polls have shown them.
    pub searches_seen: Vec<String>,
    /// Answers are checked claim by claim.
    pub checks: bool,
    /// And the ledger, not the model and its sources alone, says whether one is verified.
    pub ledger_decides: bool,
    /// The first round whose prompt asks the model whether it verified its text; none if no round does.
    pub asks_model_from: Option<u32>,
}

/// Steps, searches and pages of several calls together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallCounts {
    pub steps: u32,
    pub searches: u32,
    pub pages: u32,
}

impl CallCounts {
    pub fn add(&mut self, progress: &Progress) {
        self.steps = self.steps.saturating_add(progress.steps);
        self.searches = self.searches.saturating_add(progress.searches);
        self.pages = self.pages.saturating_add(progress.pages);
    }

    /// The end of a call has all its counts; a quick one is over before it was ever polled. Polls show each time that a
    /// page was asked for, the end which pages were read.
    pub fn add_answer(&mut self, progress: &Progress, facts: &AnswerFacts) {
        self.add(&Progress {
            searches: progress.searches.max(facts.searches),
            pages: facts.pages,
            ..progress.clone()
        });
    }

    fn plus(self, other: Self) -> Self {
        Self {
            steps: self.steps.saturating_add(other.steps),
            searches: self.searches.saturating_add(other.searches),
            pages: self.pages.saturating_add(other.pages),
        }
    }
}

impl Default for RoundsState {
    fn default() -> Self {
        Self {
            position: RoundPosition::FIRST,
            answered: Vec::new(),
            failed: Vec::new(),
            model_of_failed: None,
            over: None,
            calls: 0,
            calls_uncounted: 0,
            spent: Usage::default(),
            spent_by_model: Vec::new(),
            dearest: Usage::default(),
            last_raw: None,
            before: CallCounts::default(),
            unanswered: Vec::new(),
            searches_seen: Vec::new(),
            checks: false,
            ledger_decides: false,
            asks_model_from: Some(1),
        }
    }
}

impl RoundsState {
    /// A round was answered.
    pub fn apply_answer(&mut self, answer: Digest, facts: &AnswerFacts, billed: CallBilling) {
        self.count(billed, facts.model.as_deref());
        self.searches_seen.clear();
        if self.position.stage == RoundStage::Correction
            && let Some(corrected) = self.unanswered.pop()
        {
            self.before.steps = self.before.steps.saturating_add(corrected.counts.steps);
        }
        let mut facts = facts.clone();
        facts.verified &= !self.ledger_decides;
        if facts.verified {
            self.over = Some(RoundsStop::Verified);
        }
        // The same bytes were checked before.
        let known =
            self.answered.iter().find(|answered| answered.answer == answer).and_then(|same| same.checked);
        self.answered.push(AnsweredRound { round: self.position.round, answer, facts, checked: None });
        self.position = self.position.next_round();
        if let Some(checked) = known {
            self.apply_check(answer, checked);
        }
    }

    /// Whether the newest round left open only what no round can settle, and settled nothing that the one before it
    /// had left open: it was told what could not be checked and found nothing that can be.
    pub fn is_out_of_reach(&self) -> bool {
        let [.., before, newest] = self.answered.as_slice() else { return false };
        let (Some(before), Some(newest)) = (before.checked, newest.checked) else { return false };
        let (before, newest) = (before.standing, newest.standing);
        self.ledger_decides && newest.is_out_of_reach() && newest.failing >= before.failing
    }

    /// What the model says of the text that it wrote in this round; nothing where it was not asked.
    pub fn model_says(&self, round: u32, facts: &AnswerFacts) -> Option<bool> {
        self.asks_model_from.is_some_and(|first| round >= first).then_some(facts.model_says_verified)
    }

    /// Whether the ledger's word makes the answer of this round verified: the model confirms it, or is never asked.
    pub fn may_be_verified(&self, round: u32, facts: &AnswerFacts) -> bool {
        self.model_says(round, facts).unwrap_or(self.asks_model_from.is_none())
    }

    /// The claims of an answer were checked: it is verified if the ledger confirms it, and the model where it is asked.
    pub fn apply_check(&mut self, subject: Digest, checked: CheckedAnswer) {
        let mut verified = false;
        let mut answers = std::mem::take(&mut self.answered);
        for answered in answers.iter_mut().filter(|answered| answered.answer == subject) {
            answered.checked = Some(checked);
            if self.ledger_decides {
                answered.facts.verified =
                    self.may_be_verified(answered.round, &answered.facts) && checked.standing.evidence_holds;
            }
            verified |= answered.facts.verified;
        }
        self.answered = answers;
        if verified {
            self.over = Some(RoundsStop::Verified);
        }
    }

    /// The newest answer, if it waits to be checked.
    pub fn unchecked(&self) -> Option<Digest> {
        let newest = self.answered.last().filter(|_| self.checks)?;
        newest.checked.is_none().then_some(newest.answer)
    }

    /// A poll showed what the call under way searches for.
    pub fn note_searches(&mut self, progress: &Progress) {
        for news in &progress.news {
            if let ProgressLine::Search(query) = news {
                add_query(&mut self.searches_seen, query);
            }
        }
    }

    /// A call ends without an answer: what it searched and read counts all the same. Noted before its failure moves on to
    /// the next round.
    pub fn note_unanswered(&mut self, work: &CallWork, progress: &Progress) {
        let mut queries = work.queries.clone();
        std::mem::take(&mut self.searches_seen).iter().for_each(|query| add_query(&mut queries, query));
        let searches = u32::try_from(queries.len()).unwrap_or(u32::MAX).max(progress.searches);
        let pages = if work.is_empty() { progress.pages } else { work.pages };
        let counts = CallCounts { steps: progress.steps, searches, pages };
        self.unanswered.push(UnansweredCall { round: self.position.round, queries, counts });
    }

    /// Counted in all calls that are over.
    pub fn counts(&self) -> CallCounts {
        self.unanswered.iter().fold(self.before, |sum, call| sum.plus(call.counts))
    }

    /// A call of a round failed. What follows: its correction, another cycle, the next round, or the end.
    pub fn apply_failure(
        &mut self,
        problem: &CodedError,
        kept: Option<Digest>,
        billed: CallBilling,
        model: Option<&str>,
    ) {
        self.count(billed, model);
        self.note_model(model);
        let correctable = problem.code == Code::UnusableAnswer && self.position.stage == RoundStage::Main;
        if let (true, Some(invalid)) = (correctable, kept) {
            self.position =
                RoundPosition { stage: RoundStage::Correction, invalid: Some(invalid), ..self.position };
            return;
        }
        let hopeless = problem.wait_before_retry().is_none() && problem.code != Code::CreateUncertain;
        if !hopeless && self.position.cycle < CYCLES_MAX {
            self.position = RoundPosition {
                cycle: self.position.cycle + 1,
                stage: RoundStage::Main,
                invalid: None,
                ..self.position
            };
            return;
        }
        self.failed.push(FailedRound { round: self.position.round, problem: problem.clone() });
        if hopeless || self.answered.is_empty() {
            self.over = Some(RoundsStop::Failure);
        }
        self.position = self.position.next_round();
    }

    fn count(&mut self, billed: CallBilling, model: Option<&str>) {
        match billed {
            CallBilling::Nothing => {}
            CallBilling::Unknown => {
                self.calls = self.calls.saturating_add(1);
                self.calls_uncounted = self.calls_uncounted.saturating_add(1);
            }
            CallBilling::Counted(usage) | CallBilling::AtLeast(usage) => {
                self.calls = self.calls.saturating_add(1);
                if matches!(billed, CallBilling::AtLeast(_)) {
                    self.calls_uncounted = self.calls_uncounted.saturating_add(1);
                }
                self.spent = self.spent.plus(&usage);
                let model = model.or_else(|| self.model_seen()).map(str::to_owned);
                match self.spent_by_model.iter_mut().find(|(known, _)| *known == model) {
                    Some((_, spent)) => *spent = spent.plus(&usage),
                    None => self.spent_by_model.push((model, usage)),
                }
                self.dearest = self.dearest.larger(&usage);
            }
        }
    }

    /// How long to wait after this failure: the table's pause or what the provider asked for; not at all
    /// before a correction, which is no second try, and where nothing follows.
    pub fn pause_after(&self, plan: &RoundsPlan, problem: &CodedError, kept: Option<Digest>) -> Duration {
        let mut after = self.clone();
        after.apply_failure(problem, kept, CallBilling::Nothing, None);
        let corrects = after.position.stage == RoundStage::Correction;
        if corrects || after.over.is_some() || after.position.round > plan.rounds_max {
            return Duration::ZERO;
        }
        let position = usize::try_from(self.position.cycle.saturating_sub(1)).unwrap_or(usize::MAX);
        let table = CYCLE_PAUSES.get(position).or(CYCLE_PAUSES.last()).copied().unwrap_or_default();
        let asked = Duration::from_millis(problem.retry_after_ms.unwrap_or(0));
        table.max(asked.min(CYCLE_PAUSE_MAX))
    }

    /// Rounds begun, failed ones included.
    pub fn iterations(&self) -> u32 {
        let answered = self.answered.last().map_or(0, |answered| answered.round);
        let failed = self.failed.last().map_or(0, |failed| failed.round);
        answered.max(failed)
    }

    /// The answer to show and to go on from: verified before not, with all its addresses traced before not,
    /// with pages read before not, with fewer claims refuted before more, borne out by its pages before not, later
    /// before earlier.
    pub fn best(&self) -> Option<&AnsweredRound> {
        self.answered.iter().max_by_key(|answered| {
            let facts = &answered.facts;
            let faults = answered.checked.map_or(0, |checked| checked.standing.faults());
            let holds = answered.checked.is_some_and(|checked| checked.standing.evidence_holds);
            (facts.verified, facts.resolved, facts.pages > 0, Reverse(faults), holds, answered.round)
        })
    }

    /// The model that answered last, where its name is known.
    pub fn model_seen(&self) -> Option<&str> {
        let answered = self.answered.iter().rev().find_map(|answered| answered.facts.model.as_deref());
        answered.or(self.model_of_failed.as_deref())
    }

    /// The model of an answer that was of no use: it is billed all the same.
    fn note_model(&mut self, model: Option<&str>) {
        if let Some(model) = model {
            self.model_of_failed = Some(model.to_owned());
        }
    }

    /// What was counted, each call at the prices of the model that answered it.
    fn counted(&self, plan: &RoundsPlan, date: &str) -> MicroUsd {
        let seen = self.model_seen().unwrap_or_else(|| plan.model_name());
        let priced = |(model, usage): &(Option<String>, Usage)| {
            price::of_model(model.as_deref().unwrap_or(seen), usage, date)
        };
        self.spent_by_model.iter().map(priced).fold(MicroUsd(0), MicroUsd::plus)
    }

    pub fn cost(&self, plan: &RoundsPlan, date: &str) -> Cost {
        let counted = self.counted(plan, date);
        match (self.calls, self.calls_uncounted) {
            (0, _) => Cost::Nothing,
            _ if self.spent == Usage::default() => Cost::Unknown,
            (_, 0) => Cost::FromUsage(counted),
            _ => Cost::AtLeast(counted),
        }
    }

    /// Whether another call like the dearest one would exceed the budget.
    pub fn exceeds_budget(&self, budget: Option<MicroUsd>, plan: &RoundsPlan, date: &str) -> bool {
        let model = self.model_seen().unwrap_or_else(|| plan.model_name());
        let expected = self.counted(plan, date).plus(price::of_model(model, &self.dearest, date));
        self.calls > 0 && budget.is_some_and(|budget| expected > budget)
    }
}

/// Adds a query once: lines of progress are shorter than the queries that they tell.
fn add_query(list: &mut Vec<String>, query: &str) {
    let start = |text: &str| text::line(text, QUERY_START_CHARACTERS);
    let known = start(query);
    if list.len() < NEWS_KEPT_MAX && !known.is_empty() && !list.iter().any(|listed| start(listed) == known) {
        list.push(text::line(query, QUERY_CHARACTERS_MAX));
    }
}

#[cfg(test)]
mod tests;
