//! Where the checking of a research's texts stands: the state that its events leave behind.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};

use super::{
    course::JudgeCourse,
    exam,
    task::{CheckTask, CheckTaskOutcome, JudgeSeat},
};
use crate::{
    error::{Code, CodedError},
    id::Digest,
    inquiry::patched::SentencePatch,
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

/// Whether all that keeps a claim from being supported is that its judge is not trusted, or needs a second one that did not
/// answer: another wording changes nothing.
fn lacks_only_a_judge(ledger: &Ledger, claim: ClaimId) -> bool {
    let opinions: Vec<Opinion> = ledger.checks_of(claim).map(|check| check.opinion).collect();
    let is_partly = ledger.verdict(claim).is_some_and(|settled| settled.verdict == Verdict::Partly);
    let needs_second = ledger.second_judge.as_ref().is_some_and(|second| second.is_needed);
    (!ledger.judge_standing.is_trusted() || needs_second)
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

#[derive(Debug, Clone, PartialEq, Default)]
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
    pub spent: SpendTotal,
    pub judge: JudgeCourse,
    /// The same of the second judge.
    pub second: JudgeCourse,
    /// What was changed in texts of this run after they were checked, in order.
    pub patch_rounds: Vec<PatchRound>,
}

/// The changes of one checked text.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchRound {
    pub subject: Digest,
    pub patches: Vec<SentencePatch>,
}

impl CheckState {
    /// Another text is checked: what was learned about pages and questions stays.
    pub fn begin(&mut self, subject: Digest) {
        if self.subject == Some(subject) {
            return;
        }
        self.subject = Some(subject);
        self.open.clear();
        self.examinations = 0;
        self.not_examined = None;
        self.draft = None;
        self.questions = 0;
        self.judge.begin();
        self.second.begin();
    }

    pub fn patch(&mut self, subject: Digest, patches: &[SentencePatch]) {
        self.patch_rounds.push(PatchRound { subject, patches: patches.to_vec() });
    }

    pub fn course(&self, seat: JudgeSeat) -> &JudgeCourse {
        match seat {
            JudgeSeat::First => &self.judge,
            JudgeSeat::Second => &self.second,
        }
    }

    pub fn intend(&mut self, tasks: &[CheckTask]) {
        for task in tasks {
            match task {
                // Computed here, alone, and begun anew by the next driver: only how often counts.
                CheckTask::Examine => self.examinations += 1,
                CheckTask::Page { .. }
                | CheckTask::Judge { .. }
                | CheckTask::Exam { .. }
                | CheckTask::Recall
                | CheckTask::Second { .. } => {
                    self.open.push(task.clone());
                }
            }
        }
    }

    pub fn apply_outcome(&mut self, task: &CheckTask, outcome: &CheckTaskOutcome, bill: &Bill) {
        self.open.retain(|open| open != task);
        self.spent.add(bill);
        let (seat, inner) = task.seat();
        let course = match seat {
            JudgeSeat::First => &mut self.judge,
            JudgeSeat::Second => &mut self.second,
        };
        course.dearest = course.dearest.max(bill.cost);
        match (inner, outcome) {
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
                course.apply_answers(answers, claims);
            }
            (CheckTask::Exam { batch }, CheckTaskOutcome::Judged { answers }) => {
                course.apply_answers(answers, &exam::claims_of(*batch).collect::<Vec<_>>());
            }
            (CheckTask::Judge { claims }, CheckTaskOutcome::Failed { problem }) => {
                course.apply_failure(problem, claims);
            }
            (CheckTask::Exam { batch }, CheckTaskOutcome::Failed { problem }) => {
                course.apply_failure(problem, &exam::claims_of(*batch).collect::<Vec<_>>());
            }
            (CheckTask::Recall, CheckTaskOutcome::Judged { answers }) => {
                course.sort_in(answers);
                course.recalled = true;
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

    /// Whether a judge was asked anything in this run, by a paid call or a free one.
    pub fn was_judge_asked(&self) -> bool {
        self.spent.calls > 0 || self.judge.was_asked() || self.second.was_asked()
    }

    /// The current action, as text.
    pub fn action(&self) -> String {
        match (self.draft, self.questions) {
            (None, _) if self.open.iter().any(|task| matches!(task, CheckTask::Page { .. })) => {
                format!("fetching cited pages ({} so far)", self.page_lookups.len())
            }
            (None, _) => "examining every claim".to_owned(),
            (Some(_), _) if self.open.iter().any(|task| matches!(task, CheckTask::Exam { .. })) => {
                format!("examining the judge ({} of {})", self.judge.exam_answers.len(), exam::ITEMS)
            }
            (Some(_), _) if self.open.iter().any(|task| matches!(task, CheckTask::Second { .. })) => {
                "asking the second judge".to_owned()
            }
            (Some(_), 0) => "settling verdicts".to_owned(),
            (Some(_), _) if !self.judge.recalled => "looking for earlier judgements".to_owned(),
            (Some(_), questions)
                if self.judge.answers.len() >= usize::try_from(questions).unwrap_or(usize::MAX) =>
            {
                "settling verdicts".to_owned()
            }
            (Some(_), questions) => format!("judging claims ({} of {questions})", self.judge.answers.len()),
        }
    }
}
