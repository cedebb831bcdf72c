//! What checking is allowed to do; part of a run's plan.

use serde::{Deserialize, Serialize};

use super::task::{CheckTask, JudgeSeat};
use crate::{cost::MicroUsd, ledger::CLAIMS_DEFAULT};

/// Pages that one report may have fetched for it, unless the user sets another limit: the longest published reports
/// cite about ninety, collections of them some hundred.
const PAGES_DEFAULT: u32 = 1_000;
/// The most that a user may set: no more addresses are looked for in one text.
pub const PAGES_MAX: u32 = 5_000;
/// Claims put to a judge in one call. Eight with five passages each are about 4,000 tokens: that fits a small
/// model, and a call that fails loses little.
pub const CLAIMS_PER_CALL: usize = 8;
/// Calls to a judge under way at once, at most; fewer after it answers with a rate limit.
pub const TOGETHER_MAX: usize = 4;
/// Times that a question is put to a judge that does not answer it.
pub const TRIES_MAX: u32 = 3;

/// Version of the exam's questions; another one is another exam, and answers are bought anew.
pub const EXAM_VERSION: &str = "exam/2";

/// Whether a judge is examined before its `supported` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExamRule {
    Required,
    /// The user vouches for it; plans from before there was an exam.
    #[default]
    Trusted,
}

impl ExamRule {
    fn is_trusted(&self) -> bool {
        match self {
            Self::Required => false,
            Self::Trusted => true,
        }
    }
}

/// The judge of whether a passage supports a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgePlan {
    pub name: String,
    /// Version of the question put to it; another one is another judge.
    pub version: String,
    /// It runs on this machine: asking twice costs nothing.
    pub local: bool,
    /// What one call is expected to cost.
    pub price: MicroUsd,
    /// The judge is the model that will write the text, as far as that is known beforehand.
    pub wrote_it: bool,
    /// Names the endpoint without telling it: the same name elsewhere is another model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
    #[serde(default, skip_serializing_if = "ExamRule::is_trusted")]
    pub exam: ExamRule,
}

impl JudgePlan {
    /// What makes it this judge and no other; every answer is bought and stored under it.
    pub fn identity(&self) -> [&str; 4] {
        let exam = match self.exam {
            ExamRule::Required => EXAM_VERSION,
            ExamRule::Trusted => "",
        };
        [&self.name, &self.version, &self.endpoint, exam]
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckPlan {
    pub pages_max: u32,
    /// Runs from before this limit could be set have the one that held then.
    #[serde(default = "claims_before")]
    pub claims_max: u32,
    /// None: the best verdict of a claim is `quoted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgePlan>,
    /// Asked about what the first one calls supported; another model, or the same elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<JudgePlan>,
}

impl CheckPlan {
    pub fn without_judge() -> Self {
        Self { pages_max: PAGES_DEFAULT, claims_max: CLAIMS_DEFAULT, judge: None, second: None }
    }

    pub fn judge_at(&self, seat: JudgeSeat) -> Option<&JudgePlan> {
        match seat {
            JudgeSeat::First => self.judge.as_ref(),
            JudgeSeat::Second => self.second.as_ref(),
        }
    }

    /// The judge that is asked by this task; none where nobody is asked.
    pub fn asked_by(&self, task: &CheckTask) -> Option<&JudgePlan> {
        let (seat, inner) = task.seat();
        match inner {
            CheckTask::Judge { .. } | CheckTask::Exam { .. } => self.judge_at(seat),
            // Fetched or computed by our own process, or bought before.
            CheckTask::Page { .. } | CheckTask::Examine | CheckTask::Recall | CheckTask::Second { .. } => {
                None
            }
        }
    }

    /// What one call to each judge is expected to cost. One that wrote the text is never asked as a second one.
    pub fn price_per_call(&self) -> MicroUsd {
        let second = self.second.as_ref().filter(|second| !second.wrote_it);
        [self.judge.as_ref(), second]
            .into_iter()
            .flatten()
            .fold(MicroUsd(0), |sum, judge| sum.plus(judge.price))
    }

    /// Whether making this call twice could be paid for twice.
    pub fn is_paid(&self, task: &CheckTask) -> bool {
        self.asked_by(task).is_some_and(|judge| !judge.local)
    }
}

fn claims_before() -> u32 {
    5_000
}
