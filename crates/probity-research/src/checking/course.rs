//! What one judge was asked and answered in a run: the state that its tasks leave behind.

use std::collections::BTreeSet;

use super::{
    controls::{self, ControlTally},
    exam,
    plan::{TOGETHER_MAX, TRIES_MAX},
    task::JudgeAnswer,
};
use crate::{
    cost::MicroUsd,
    error::{Code, CodedError},
    id::Digest,
    ledger::ClaimId,
};

/// A question that the judge did not answer.
#[derive(Debug, Clone, PartialEq)]
pub struct UnansweredQuestion {
    pub claim: ClaimId,
    pub tries: u32,
    pub problem: CodedError,
}

#[derive(Debug, Clone, PartialEq)]
pub struct JudgeCourse {
    pub answers: Vec<JudgeAnswer>,
    pub unanswered: Vec<UnansweredQuestion>,
    /// Earlier answers to the questions were looked up.
    pub recalled: bool,
    /// Calls to the judge that may be under way at once.
    pub calls_at_once: usize,
    /// Its dearest single call: what another one may cost.
    pub dearest: MicroUsd,
    /// Answers to questions of earlier texts of this run.
    pub earlier: Vec<JudgeAnswer>,
    /// What the judge answered in its exam, in this run or before: the same for all texts.
    pub exam_answers: Vec<JudgeAnswer>,
    /// How it did with the known claims among those of the texts of this run: answers to earlier ones are used again.
    pub controls: ControlTally,
    /// What it answered to the known claims of this text.
    pub control_answers: Vec<JudgeAnswer>,
    /// Known claims of earlier texts: each is counted once.
    pub earlier_controls: BTreeSet<Digest>,
}

impl Default for JudgeCourse {
    fn default() -> Self {
        Self {
            answers: Vec::new(),
            unanswered: Vec::new(),
            recalled: false,
            calls_at_once: TOGETHER_MAX,
            dearest: MicroUsd(0),
            earlier: Vec::new(),
            exam_answers: Vec::new(),
            controls: ControlTally::default(),
            control_answers: Vec::new(),
            earlier_controls: BTreeSet::new(),
        }
    }
}

impl JudgeCourse {
    /// Another text is checked: what was learned about questions and of the judge stays.
    pub fn begin(&mut self) {
        let answers = std::mem::take(&mut self.answers);
        self.earlier.extend(answers);
        let known = std::mem::take(&mut self.control_answers);
        self.earlier_controls.extend(known.iter().map(|answer| answer.key));
        self.earlier.extend(known);
        self.unanswered.retain(|one| exam::is_question(one.claim));
        self.recalled = false;
    }

    /// Each answer to where it belongs: the exam, the known claims, or the claims of the text.
    pub fn sort_in(&mut self, answers: &[JudgeAnswer]) {
        for answer in answers {
            if exam::is_question(answer.claim) {
                self.exam_answers.push(answer.clone());
            } else if controls::truth(answer.claim).is_some() {
                if !self.earlier_controls.contains(&answer.key) {
                    self.controls.add(answer);
                }
                self.control_answers.push(answer.clone());
            } else {
                self.answers.push(answer.clone());
            }
        }
    }

    pub fn apply_answers(&mut self, answers: &[JudgeAnswer], asked: &[ClaimId]) {
        self.sort_in(answers);
        self.calls_at_once = (self.calls_at_once + 1).min(TOGETHER_MAX);
        // A judge that answers some questions of a call and not others is asked again for those.
        let problem = CodedError::new(Code::UnusableAnswer, "the judge did not answer this question");
        self.put(asked).iter().for_each(|claim| self.record_failure(*claim, &problem, 1));
    }

    pub fn apply_failure(&mut self, problem: &CodedError, asked: &[ClaimId]) {
        if problem.wait_before_retry().is_some() {
            self.calls_at_once = (self.calls_at_once / 2).max(1);
        }
        // Perhaps paid, or hopeless: not asked again.
        let again = problem.wait_before_retry().is_some() || problem.code == Code::UnusableAnswer;
        let tries = if again { 1 } else { TRIES_MAX };
        self.put(asked).iter().for_each(|claim| self.record_failure(*claim, problem, tries));
    }

    /// What is still open of a call: claims whose answers were bought before were not put again, and known ones go with
    /// the others.
    fn put(&self, asked: &[ClaimId]) -> Vec<ClaimId> {
        let known = controls::numbers(asked);
        asked.iter().copied().chain(known).filter(|claim| self.is_open(*claim)).collect()
    }

    fn record_failure(&mut self, claim: ClaimId, problem: &CodedError, tries: u32) {
        match self.unanswered.iter_mut().find(|one| one.claim == claim) {
            Some(known) => {
                known.tries = known.tries.saturating_add(tries);
                known.problem = problem.clone();
            }
            None => self.unanswered.push(UnansweredQuestion { claim, tries, problem: problem.clone() }),
        }
    }

    /// Neither answered nor given up.
    pub fn is_open(&self, claim: ClaimId) -> bool {
        let answers = match controls::truth(claim) {
            Some(_) => &self.control_answers,
            None if exam::is_question(claim) => &self.exam_answers,
            None => &self.answers,
        };
        !answers.iter().any(|answer| answer.claim == claim) && !self.is_given_up(claim)
    }

    /// Whether known claims are to be put alone: answers that came from another run are used for these claims, and nothing
    /// that was asked in this one tells what they are worth.
    pub fn needs_controls(&self, claims: &[ClaimId]) -> bool {
        let was_silent = |claim: &ClaimId| {
            self.unanswered.iter().any(|one| one.claim == *claim && one.problem.code == Code::UnusableAnswer)
        };
        let is_due = |claim: &ClaimId| self.is_open(*claim) && !was_silent(claim);
        let is_of_another_run = |answer: &JudgeAnswer| {
            claims.contains(&answer.claim) && !self.earlier.iter().any(|known| known.key == answer.key)
        };
        controls::numbers(claims).iter().any(is_due) && self.answers.iter().any(is_of_another_run)
    }

    /// Asked as often as allowed, without an answer.
    pub fn is_given_up(&self, claim: ClaimId) -> bool {
        self.unanswered.iter().any(|one| one.claim == claim && one.tries >= TRIES_MAX)
    }

    /// Whether it was asked anything in this run, by a paid call or a free one. Answers with a date are older.
    pub fn was_asked(&self) -> bool {
        let mut answers =
            self.answers.iter().chain(&self.earlier).chain(&self.exam_answers).chain(&self.control_answers);
        !self.unanswered.is_empty() || answers.any(|answer| answer.judged_at.is_none())
    }
}
