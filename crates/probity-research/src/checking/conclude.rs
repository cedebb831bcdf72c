//! The end of checking a text: its ledger complete, every claim with a verdict.

use super::{CheckPlan, CheckState, plan::JudgePlan, standing::MeasuredJudge, task::JudgeAnswer};
use crate::{
    ledger::{
        Check, CheckAspect, CheckAuthor, ClaimId, JudgeQuestion, Ledger, Opinion, ReusedJudgements,
        verdict::{NOT_ASKED_BUDGET, NOT_ASKED_DEADLINE},
    },
    report::Report,
    time::Moment,
};

/// Why a question was not put to the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeSkipReason {
    Budget,
    Deadline,
    Cancelled,
}

impl JudgeSkipReason {
    /// Why the exam was not sat.
    pub fn of_exam(self) -> &'static str {
        match self {
            Self::Budget => "the budget did not carry the exam",
            Self::Deadline => "there was no time left for the exam",
            Self::Cancelled => "it was cancelled before the exam",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Budget => NOT_ASKED_BUDGET,
            Self::Deadline => NOT_ASKED_DEADLINE,
            Self::Cancelled => "it was cancelled before this check",
        }
    }
}

/// Questions that were not put to the judge: those of the text, and those of its exam.
#[derive(Debug, Clone, Copy, Default)]
pub struct SkippedQuestions {
    pub claims: Option<JudgeSkipReason>,
    pub exam: Option<JudgeSkipReason>,
}

/// Adds the judge's answers to the checks of the rules, and computes every verdict.
pub fn complete(
    mut report: Report,
    plan: &CheckPlan,
    checking: &CheckState,
    skipped: SkippedQuestions,
    model_says: Option<bool>,
    at: Moment,
) -> Report {
    let written_by = report.rounds.as_ref().map(|record| record.model.clone());
    let Some(ledger) = report.ledger.as_mut() else { return report };
    if let Some(judge) = &plan.judge {
        ledger.judge = Some(judge.name.clone());
        ledger.judge_wrote_it = judge.wrote_it.then_some(true);
        written_by.iter().for_each(|model| ledger.note_writer(model));
        let questions = std::mem::take(&mut ledger.questions);
        let why_not_sat = skipped.exam.map(JudgeSkipReason::of_exam);
        // Who wrote the text is known for certain only now; such a judge needs the higher bar.
        let wrote_it = judge.wrote_it || ledger.judge_wrote_it == Some(true);
        let measured = MeasuredJudge::of(&JudgePlan { wrote_it, ..judge.clone() }, checking, why_not_sat);
        for question in &questions {
            let checks = judged(ledger, judge, checking, question, skipped.claims, at);
            ledger.checks.extend(
                checks.into_iter().map(|check| Check { confidence: confidence(&measured, &check), ..check }),
            );
        }
        if !questions.is_empty() {
            ledger.judge_standing = measured.standing;
            ledger.judge_exam = measured.exam;
            ledger.judge_doubt = measured.doubt;
        }
        ledger.questions = questions;
    }
    ledger.compute_verdicts(model_says);
    ledger.judge_reused = reused(checking);
    let verification = ledger.verification.clone();
    if let (Some(rounds), Some(verification)) = (report.rounds.as_mut(), verification) {
        rounds.verified = verification.verified;
        rounds.verification_basis = verification.rule_in_words;
    }
    report
}

/// What was measured of a judge that was examined, else what it says of itself.
fn confidence(measured: &MeasuredJudge, check: &Check) -> u8 {
    let examined = measured.exam.filter(|exam| exam.total > 0 && check.confidence > 0);
    examined.and_then(|exam| exam.certain_percent()).unwrap_or(check.confidence)
}

/// The answers that were given before this text was checked.
fn reused(checking: &CheckState) -> Option<ReusedJudgements> {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let dates: Vec<Moment> = checking.answers.iter().filter_map(|answer| answer.judged_at).collect();
    let latest = dates.iter().copied().max()?;
    Some(ReusedJudgements { claims: count(dates.len()), of: count(checking.answers.len()), latest })
}

fn judged(
    ledger: &Ledger,
    judge: &JudgePlan,
    checking: &CheckState,
    question: &JudgeQuestion,
    not_asked: Option<JudgeSkipReason>,
    at: Moment,
) -> Vec<Check> {
    let answer = checking.answers.iter().rev().find(|answer| answer.claim == question.claim);
    // A judgement that is used again keeps its date.
    let at = answer.and_then(|answer| answer.judged_at).unwrap_or(at);
    let check = |opinion, confidence, reason: &str| Check {
        claim: question.claim,
        aspect: CheckAspect::Meaning,
        opinion,
        by: CheckAuthor::Model { name: judge.name.clone(), version: judge.version.clone() },
        confidence,
        source: None,
        span: None,
        page: None,
        at,
        reason: reason.to_owned(),
    };
    match answer {
        Some(answer) => {
            let placed =
                placed(ledger, question, answer, &check(answer.opinion, answer.confidence, &answer.reason));
            match placed.is_empty() {
                true => vec![check(answer.opinion, answer.confidence, &answer.reason)],
                false => placed,
            }
        }
        None => vec![check(Opinion::Abstains, 0, &why_unanswered(checking, question.claim, not_asked))],
    }
}

fn why_unanswered(checking: &CheckState, claim: ClaimId, not_asked: Option<JudgeSkipReason>) -> String {
    match checking.unanswered.iter().find(|one| one.claim == claim) {
        Some(one) => one.problem.message.clone(),
        None => not_asked.map_or("the judge was not asked", JudgeSkipReason::reason).to_owned(),
    }
}

/// One check for each page that the judge quoted.
fn placed(ledger: &Ledger, question: &JudgeQuestion, answer: &JudgeAnswer, plain: &Check) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for (place, start, end) in &answer.places {
        let passage = usize::try_from(*place)
            .ok()
            .and_then(|place| question.passages.get(place))
            .and_then(|passage| ledger.passages.get(usize::try_from(*passage).ok()?));
        let Some(passage) = passage else { continue };
        let page = usize::try_from(passage.source)
            .ok()
            .and_then(|source| ledger.sources.get(source))
            .and_then(|source| source.state.snapshot());
        if page.is_none() || checks.iter().any(|check| check.source == Some(passage.source)) {
            continue;
        }
        checks.push(Check {
            source: Some(passage.source),
            span: Some((passage.start + start, passage.start + end)),
            page,
            ..plain.clone()
        });
    }
    checks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::reused;
    use crate::{checking::CheckState, id::Digest, ledger::ReusedJudgements, time::Moment};

    #[test]
    fn answers_that_were_kept_are_told_from_those_to_this_text() {
        let answer = |claim: &str, judged_at: Option<i64>| {
            serde_json::from_value(json!({ "claim": claim, "key": Digest([1; 32]), "opinion": "supports",
                "confidence": 90, "judged_at": judged_at }))
            .unwrap()
        };
        let answers = vec![answer("C1", Some(7)), answer("C2", None), answer("C3", Some(9))];
        let checking = CheckState { answers, ..CheckState::default() };
        assert_eq!(reused(&checking), Some(ReusedJudgements { claims: 2, of: 3, latest: Moment(9) }));
        let fresh = CheckState { answers: vec![answer("C1", None)], ..CheckState::default() };
        assert_eq!(reused(&fresh), None);
    }
}
