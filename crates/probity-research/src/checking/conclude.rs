//! The end of checking a text: its ledger complete, every claim with a verdict.

use super::{CheckPlan, CheckState, plan::JudgePlan, task::JudgeAnswer};
use crate::{
    ledger::{
        Check, CheckAspect, CheckAuthor, ClaimId, JudgeQuestion, Ledger, Opinion,
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
    fn reason(self) -> &'static str {
        match self {
            Self::Budget => NOT_ASKED_BUDGET,
            Self::Deadline => NOT_ASKED_DEADLINE,
            Self::Cancelled => "it was cancelled before this check",
        }
    }
}

/// Adds the judge's answers to the checks of the rules, and computes every verdict.
pub fn complete(
    mut report: Report,
    plan: &CheckPlan,
    checking: &CheckState,
    not_asked: Option<JudgeSkipReason>,
    model_says: Option<bool>,
    at: Moment,
) -> Report {
    let Some(ledger) = report.ledger.as_mut() else { return report };
    if let Some(judge) = &plan.judge {
        ledger.judge = Some(judge.name.clone());
        ledger.judge_wrote_it = judge.wrote_it;
        let questions = std::mem::take(&mut ledger.questions);
        for question in &questions {
            let checks = judged(ledger, judge, checking, question, not_asked, at);
            ledger.checks.extend(checks);
        }
        ledger.questions = questions;
    }
    ledger.compute_verdicts(model_says);
    let verification = ledger.verification.clone();
    if let (Some(rounds), Some(verification)) = (report.rounds.as_mut(), verification) {
        rounds.verified = verification.verified;
        rounds.verification_basis = verification.rule_in_words;
    }
    report
}

fn judged(
    ledger: &Ledger,
    judge: &JudgePlan,
    checking: &CheckState,
    question: &JudgeQuestion,
    not_asked: Option<JudgeSkipReason>,
    at: Moment,
) -> Vec<Check> {
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
    let answer = checking.answers.iter().rev().find(|answer| answer.claim == question.claim);
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
