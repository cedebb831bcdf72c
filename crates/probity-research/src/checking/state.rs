//! Where the checking of a research's texts stands: the state that its events leave behind.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};

use super::{
    controls::{self, ControlTally},
    exam,
    plan::{TOGETHER_MAX, TRIES_MAX},
    task::{CheckTask, CheckTaskOutcome, JudgeAnswer},
};
use crate::{
    error::{Code, CodedError},
    id::Digest,
    ledger::{ClaimId, Ledger, Opinion, Verdict, VerdictTally, verdict::speaks_against},
    rounds::links,
    serde_helpers::is_zero,
    web::{bill::Bill, bill::SpendTotal, task::PageMetadata},
};

/// The verification of a checked text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VerificationSummary {
    pub tally: VerdictTally,
    /// Whether the ledger alone would make it verified.
    pub evidence_holds: bool,
    /// Key claims that keep it from that.
    pub failing: u32,
    /// Those among them that no other wording could settle: unreadable pages, no judge, a check that failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub out_of_reach: u32,
    /// It is not verified by the word of its judge, which failed its exam or did not sit it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub judge_not_trusted: bool,
}

impl VerificationSummary {
    /// Claims that the sources contradict or do not have.
    pub fn faults(&self) -> u32 {
        self.tally.contradicted.saturating_add(self.tally.not_in_source)
    }

    /// Whether everything that keeps it from being verified is out of a model's reach.
    pub fn is_out_of_reach(&self) -> bool {
        let is_open = self.failing > 0 || self.judge_not_trusted && !self.evidence_holds;
        is_open && self.failing == self.out_of_reach && self.tally.contradicted == 0
    }

    pub fn of(ledger: &Ledger) -> Self {
        let verification = ledger.verification.as_ref();
        let failing = verification.map(|verification| verification.failing.as_slice()).unwrap_or_default();
        let is_out_of_reach = |claim: &&ClaimId| {
            let settled = ledger.verdict(**claim);
            settled.is_some_and(|settled| settled.verdict.is_out_of_reach())
                || lacks_only_a_judge(ledger, **claim)
        };
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            tally: ledger.tally(),
            evidence_holds: verification.is_some_and(|verification| verification.evidence_holds),
            failing: count(failing.len()),
            out_of_reach: count(failing.iter().filter(is_out_of_reach).count()),
            judge_not_trusted: !ledger.judge_standing.is_trusted(),
        }
    }
}

/// Whether all that keeps a claim from being supported is that its judge is not trusted: another wording changes nothing.
fn lacks_only_a_judge(ledger: &Ledger, claim: ClaimId) -> bool {
    let opinions: Vec<Opinion> = ledger.checks_of(claim).map(|check| check.opinion).collect();
    let is_partly = ledger.verdict(claim).is_some_and(|settled| settled.verdict == Verdict::Partly);
    !ledger.judge_standing.is_trusted()
        && is_partly
        && opinions.contains(&Opinion::Supports)
        && !opinions.iter().any(|opinion| speaks_against(*opinion) || *opinion == Opinion::Doubts)
}

/// A page that was fetched or failed, for any text of this run.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLookup {
    /// Its address, in the form in which two spellings of it are the same.
    pub key: String,
    pub found: Result<Box<PageMetadata>, CodedError>,
}

impl PageLookup {
    fn of(url: &str, found: Result<Box<PageMetadata>, CodedError>) -> Self {
        Self { key: links::canonical(url), found }
    }
}

/// A question that the judge did not answer.
#[derive(Debug, Clone, PartialEq)]
pub struct UnansweredQuestion {
    pub claim: ClaimId,
    pub tries: u32,
    pub problem: CodedError,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CheckState {
    /// The stored text that is being checked.
    pub subject: Option<Digest>,
    pub open: Vec<CheckTask>,
    /// Kept from one text of the run to the next.
    pub page_lookups: Vec<PageLookup>,
    /// How often the examination of a large text was begun without its end being recorded.
    pub examinations: u32,
    /// Why the text cannot be examined.
    pub not_examined: Option<CodedError>,
    /// The examined text, with its ledger begun.
    pub draft: Option<Digest>,
    pub questions: u32,
    pub answers: Vec<JudgeAnswer>,
    pub unanswered: Vec<UnansweredQuestion>,
    /// Earlier answers to the questions were looked up.
    pub recalled: bool,
    /// Calls to the judge that may be under way at once.
    pub calls_at_once: usize,
    pub spent: SpendTotal,
    /// Answers to questions of earlier texts of this run.
    pub earlier: Vec<JudgeAnswer>,
    /// What the judge answered in its exam, in this run or before: the same for all texts.
    pub exam_answers: Vec<JudgeAnswer>,
    /// How it did with the known claims among those of this text.
    pub controls: ControlTally,
}

impl Default for CheckState {
    fn default() -> Self {
        Self {
            subject: None,
            open: Vec::new(),
            page_lookups: Vec::new(),
            examinations: 0,
            not_examined: None,
            draft: None,
            questions: 0,
            answers: Vec::new(),
            unanswered: Vec::new(),
            recalled: false,
            calls_at_once: TOGETHER_MAX,
            spent: SpendTotal::default(),
            earlier: Vec::new(),
            exam_answers: Vec::new(),
            controls: ControlTally::default(),
        }
    }
}

impl CheckState {
    /// Another text is checked: what was learned about pages and questions stays.
    pub fn begin(&mut self, subject: Digest) {
        if self.subject == Some(subject) {
            return;
        }
        let answers = std::mem::take(&mut self.answers);
        self.earlier.extend(answers);
        self.subject = Some(subject);
        self.open.clear();
        self.examinations = 0;
        self.not_examined = None;
        self.draft = None;
        self.questions = 0;
        self.unanswered.retain(|one| exam::is_question(one.claim));
        self.recalled = false;
        self.controls = ControlTally::default();
    }

    pub fn intend(&mut self, tasks: &[CheckTask]) {
        for task in tasks {
            match task {
                // Computed here, alone, and begun anew by the next driver: only how often counts.
                CheckTask::Examine => self.examinations += 1,
                CheckTask::Page { .. }
                | CheckTask::Judge { .. }
                | CheckTask::Exam { .. }
                | CheckTask::Recall => {
                    self.open.push(task.clone());
                }
            }
        }
    }

    pub fn apply_outcome(&mut self, task: &CheckTask, outcome: &CheckTaskOutcome, bill: &Bill) {
        self.open.retain(|open| open != task);
        self.spent.add(bill);
        match (task, outcome) {
            (CheckTask::Page { url }, CheckTaskOutcome::Page(page)) => {
                self.page_lookups.push(PageLookup::of(url, Ok(page.clone())));
            }
            (CheckTask::Page { url }, CheckTaskOutcome::Failed { problem }) => {
                self.page_lookups.push(PageLookup::of(url, Err(problem.clone())));
            }
            (CheckTask::Examine, CheckTaskOutcome::Examined { draft, questions }) => {
                self.draft = Some(*draft);
                self.questions = *questions;
            }
            (CheckTask::Examine, CheckTaskOutcome::Failed { problem }) if problem.code == Code::LeaseLost => {
                self.examinations = self.examinations.saturating_sub(1);
            }
            (CheckTask::Examine, CheckTaskOutcome::Failed { problem }) => {
                self.not_examined = Some(problem.clone());
            }
            (CheckTask::Judge { claims }, CheckTaskOutcome::Judged { answers }) => {
                self.apply_answers(answers, claims);
            }
            (CheckTask::Exam { batch }, CheckTaskOutcome::Judged { answers }) => {
                self.apply_answers(answers, &exam::claims_of(*batch).collect::<Vec<_>>());
            }
            (CheckTask::Judge { claims }, CheckTaskOutcome::Failed { problem }) => {
                self.apply_failure(problem, claims);
            }
            (CheckTask::Exam { batch }, CheckTaskOutcome::Failed { problem }) => {
                self.apply_failure(problem, &exam::claims_of(*batch).collect::<Vec<_>>());
            }
            (CheckTask::Recall, CheckTaskOutcome::Judged { answers }) => {
                self.sort_in(answers);
                self.recalled = true;
            }
            // An outcome of another kind says nothing about this task.
            (
                _,
                CheckTaskOutcome::Page(_)
                | CheckTaskOutcome::Examined { .. }
                | CheckTaskOutcome::Judged { .. }
                | CheckTaskOutcome::Failed { .. },
            ) => {}
        }
    }

    /// Each answer to where it belongs: the exam, the known claims, or the claims of the text.
    fn sort_in(&mut self, answers: &[JudgeAnswer]) {
        for answer in answers {
            if exam::is_question(answer.claim) {
                self.exam_answers.push(answer.clone());
            } else if controls::truth(answer.claim).is_some() {
                self.controls.add(answer);
            } else {
                self.answers.push(answer.clone());
            }
        }
    }

    fn apply_answers(&mut self, answers: &[JudgeAnswer], asked: &[ClaimId]) {
        self.sort_in(answers);
        self.calls_at_once = (self.calls_at_once + 1).min(TOGETHER_MAX);
        // A judge that answers some questions of a call and not others is asked again for those.
        let silent = asked.iter().filter(|claim| !answers.iter().any(|answer| answer.claim == **claim));
        let problem = CodedError::new(Code::UnusableAnswer, "the judge did not answer this question");
        silent.for_each(|claim| self.record_failure(*claim, &problem, 1));
    }

    fn apply_failure(&mut self, problem: &CodedError, asked: &[ClaimId]) {
        if problem.wait_before_retry().is_some() {
            self.calls_at_once = (self.calls_at_once / 2).max(1);
        }
        // Perhaps paid, or hopeless: not asked again.
        let again = problem.wait_before_retry().is_some() || problem.code == Code::UnusableAnswer;
        let tries = if again { 1 } else { TRIES_MAX };
        asked.iter().for_each(|claim| self.record_failure(*claim, problem, tries));
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

    pub fn is_answered(&self, claim: ClaimId) -> bool {
        let answers = if exam::is_question(claim) { &self.exam_answers } else { &self.answers };
        answers.iter().any(|answer| answer.claim == claim)
    }

    /// Whether the judge was asked anything in this run, by a paid call or a free one. Answers with a date are older.
    pub fn was_judge_asked(&self) -> bool {
        let mut answers = self.answers.iter().chain(&self.earlier).chain(&self.exam_answers);
        self.spent.calls > 0
            || !self.unanswered.is_empty()
            || answers.any(|answer| answer.judged_at.is_none())
    }

    /// Asked as often as allowed, without an answer.
    pub fn is_given_up(&self, claim: ClaimId) -> bool {
        self.unanswered.iter().any(|one| one.claim == claim && one.tries >= TRIES_MAX)
    }

    /// The current action, as text.
    pub fn action(&self) -> String {
        match (self.draft, self.questions) {
            (None, _) if self.open.iter().any(|task| matches!(task, CheckTask::Page { .. })) => {
                format!("fetching cited pages ({} so far)", self.page_lookups.len())
            }
            (None, _) => "examining every claim".to_owned(),
            (Some(_), _) if self.open.iter().any(|task| matches!(task, CheckTask::Exam { .. })) => {
                format!("examining the judge ({} of {})", self.exam_answers.len(), exam::ITEMS)
            }
            (Some(_), 0) => "settling verdicts".to_owned(),
            (Some(_), _) if !self.recalled => "looking for earlier judgements".to_owned(),
            (Some(_), questions)
                if self.answers.len() >= usize::try_from(questions).unwrap_or(usize::MAX) =>
            {
                "settling verdicts".to_owned()
            }
            (Some(_), questions) => format!("judging claims ({} of {questions})", self.answers.len()),
        }
    }
}
