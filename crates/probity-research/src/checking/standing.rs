//! What the exam and the known claims of a report mean: whether a judge's `supported` counts.

use super::{
    JudgeCourse, exam,
    judge::question_key,
    plan::{ExamRule, JudgePlan},
    task::JudgeAnswer,
};
use crate::{
    error::Code,
    ledger::{ClaimId, JudgeExam, JudgeStanding, is_same_model},
};

/// Right answers that a judge needs in the exam, in percent. One that says yes, no or half to everything has 25 to 75.
pub const RIGHT_PERCENT_MIN: u32 = 85;
/// The same for a judge that wrote the text: it is kinder to its own sentences. Where a second judge agrees, that one
/// looked at them.
pub const RIGHT_PERCENT_MIN_OWN_TEXT: u32 = 95;
/// Claims of the exam that do not follow and may be called supported, in percent.
pub const FALSE_SUPPORT_PERCENT_MAX: u32 = 7;
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
    pub fn of(judge: &JudgePlan, course: &JudgeCourse, why_not_sat: Option<&str>) -> Self {
        let mut measured = match judge.exam {
            ExamRule::Required => result(judge, course),
            ExamRule::Trusted => JudgeExam::default(),
        };
        measured.controls_right = course.controls.right();
        measured.controls_total = course.controls.total();
        measured.false_controls = course.controls.false_total;
        measured.false_controls_passed = course.controls.passed();
        let (standing, doubt) = match judge.exam {
            ExamRule::Required if measured.total < exam::ANSWERS_MIN => {
                let why = why_not_sat.map_or_else(|| why_unanswered(course), str::to_owned);
                (JudgeStanding::Unexamined, Some(why))
            }
            ExamRule::Required => match below_bar(judge, &measured) {
                Some(why) => (JudgeStanding::Failed, Some(why)),
                None => (JudgeStanding::Trusted, None),
            },
            ExamRule::Trusted => (JudgeStanding::Trusted, None),
        };
        let (standing, doubt) = match passed_controls(course, &measured) {
            Some(why) => (JudgeStanding::Failed, Some(why)),
            None => (standing, doubt),
        };
        let is_measured = measured.total > 0 || measured.controls_total > 0;
        Self { standing, exam: is_measured.then_some(measured), doubt }
    }

    /// The same of a second judge. One that wrote the text cannot confirm what is said of it.
    pub fn of_second(
        judge: &JudgePlan,
        course: &JudgeCourse,
        written_by: Option<&str>,
        why_not_sat: Option<&str>,
    ) -> Self {
        if is_writer(judge, written_by) {
            let doubt = Some("it wrote the text itself".to_owned());
            return Self { standing: JudgeStanding::Unexamined, exam: None, doubt };
        }
        Self::of(judge, course, why_not_sat)
    }
}

/// Whether a judge wrote the text, as far as that is known.
pub fn is_writer(judge: &JudgePlan, written_by: Option<&str>) -> bool {
    judge.wrote_it || written_by.is_some_and(|model| is_same_model(model, &judge.name))
}

/// Right answers of the exam, as far as it was sat.
pub fn result(judge: &JudgePlan, course: &JudgeCourse) -> JudgeExam {
    let unusable = course.unanswered.iter().filter(|one| one.problem.code == Code::UnusableAnswer);
    let given_up: Vec<ClaimId> =
        unusable.map(|one| one.claim).filter(|claim| course.is_given_up(*claim)).collect();
    let questions = exam::questions(judge);
    // An answer to a question of another version of the exam, from before this program was replaced, tells nothing.
    let is_of_this_exam = |answer: &&JudgeAnswer| {
        let question = questions.iter().find(|question| question.item.claim == answer.claim);
        question.is_some_and(|question| question_key(judge, &question.item) == answer.key)
    };
    let answers: Vec<JudgeAnswer> = course.exam_answers.iter().filter(is_of_this_exam).cloned().collect();
    exam::score(&questions, &answers, &given_up)
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

/// What speaks against the judge where it called too many known false claims supported.
fn passed_controls(course: &JudgeCourse, measured: &JudgeExam) -> Option<String> {
    let allowed = course.controls.false_total / FALSE_CONTROLS_PER_ERROR;
    (course.controls.passed() > allowed).then(|| measured.controls_doubt())
}

fn why_unanswered(course: &JudgeCourse) -> String {
    let failed = course.unanswered.iter().find(|one| exam::is_question(one.claim));
    failed.map_or("the exam was not sat".to_owned(), |one| {
        format!("the exam was not sat: {}", one.problem.message)
    })
}

#[cfg(test)]
mod tests;
