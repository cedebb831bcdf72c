//! What the exam and the known claims of a report mean: whether a judge's `supported` counts.

use super::{
    CheckState, exam,
    plan::{ExamRule, JudgePlan},
};
use crate::{
    error::Code,
    ledger::{ClaimId, JudgeExam, JudgeStanding},
};

/// Right answers that a judge needs in the exam, in percent. One that says yes, no or half to everything has 25 to 75.
pub const RIGHT_PERCENT_MIN: u32 = 85;
/// The same for a judge that wrote the text: it is kinder to its own sentences, and no second judge looks at them.
pub const RIGHT_PERCENT_MIN_OWN_TEXT: u32 = 95;
/// Claims of the exam that do not follow and may be called supported, in percent.
pub const FALSE_SUPPORT_PERCENT_MAX: u32 = 10;
/// Claims of the exam that do not follow: three of four.
const NOT_SUPPORTED: u32 = 30;
/// Known claims that do not follow, for each of which one may be called supported: below that many, none.
pub const FALSE_CONTROLS_PER_ERROR: u32 = 20;

/// A judge as it was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredJudge {
    pub standing: JudgeStanding,
    /// None if nothing was measured.
    pub exam: Option<JudgeExam>,
    /// Why it is not trusted.
    pub doubt: Option<String>,
}

impl MeasuredJudge {
    /// `why_not_sat`: why questions of the exam are open, where the rules left them out.
    pub fn of(judge: &JudgePlan, checking: &CheckState, why_not_sat: Option<&str>) -> Self {
        let mut measured = match judge.exam {
            ExamRule::Required => result(judge, checking),
            ExamRule::Trusted => JudgeExam::default(),
        };
        measured.controls_right = checking.controls.right();
        measured.controls_total = checking.controls.total();
        let (standing, doubt) = match judge.exam {
            ExamRule::Required if measured.total < exam::ANSWERS_MIN => {
                let why = why_not_sat.map_or_else(|| why_unanswered(checking), str::to_owned);
                (JudgeStanding::Unexamined, Some(why))
            }
            ExamRule::Required => match below_bar(judge, &measured) {
                Some(why) => (JudgeStanding::Failed, Some(why)),
                None => (JudgeStanding::Trusted, None),
            },
            ExamRule::Trusted => (JudgeStanding::Trusted, None),
        };
        let (standing, doubt) = match passed_controls(checking) {
            Some(why) => (JudgeStanding::Failed, Some(why)),
            None => (standing, doubt),
        };
        let is_measured = measured.total > 0 || measured.controls_total > 0;
        Self { standing, exam: is_measured.then_some(measured), doubt }
    }
}

/// Right answers of the exam, as far as it was sat.
pub fn result(judge: &JudgePlan, checking: &CheckState) -> JudgeExam {
    let unusable = checking.unanswered.iter().filter(|one| one.problem.code == Code::UnusableAnswer);
    let given_up: Vec<ClaimId> =
        unusable.map(|one| one.claim).filter(|claim| checking.is_given_up(*claim)).collect();
    exam::score(&exam::questions(judge), &checking.exam_answers, &given_up)
}

/// Why a judge that sat the exam did not pass it.
pub fn below_bar(judge: &JudgePlan, exam: &JudgeExam) -> Option<String> {
    let needed = if judge.wrote_it { RIGHT_PERCENT_MIN_OWN_TEXT } else { RIGHT_PERCENT_MIN };
    let own = if judge.wrote_it { " of a judge that wrote the text" } else { "" };
    if exam.right.saturating_mul(100) < needed.saturating_mul(exam.total) {
        return Some(format!("the exam asks for {needed} % right answers{own}"));
    }
    if exam.false_support.saturating_mul(100) > FALSE_SUPPORT_PERCENT_MAX.saturating_mul(NOT_SUPPORTED) {
        return Some(format!(
            "it called {} of {NOT_SUPPORTED} claims supported that are not",
            exam.false_support
        ));
    }
    None
}

fn passed_controls(checking: &CheckState) -> Option<String> {
    let controls = &checking.controls;
    let allowed = controls.false_total / FALSE_CONTROLS_PER_ERROR;
    (controls.passed() > allowed).then(|| match controls.passed() {
        1 => "it called one claim supported that we had made false".to_owned(),
        passed => format!("it called {passed} claims supported that we had made false"),
    })
}

fn why_unanswered(checking: &CheckState) -> String {
    let failed = checking.unanswered.iter().find(|one| exam::is_question(one.claim));
    failed.map_or("the exam was not sat".to_owned(), |one| {
        format!("the exam was not sat: {}", one.problem.message)
    })
}

#[cfg(test)]
mod tests;
