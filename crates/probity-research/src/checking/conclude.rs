//! The end of checking a text: its ledger complete, every claim with a verdict.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CheckPlan, CheckState, JudgeCourse, plan::JudgePlan, standing::MeasuredJudge, task::JudgeAnswer,
};
use crate::{
    ledger::{
        Check, CheckAspect, CheckAuthor, ClaimId, ClaimKind, JudgeQuestion, JudgeStanding, Ledger, Opinion,
        ReusedJudgements, SecondJudge, SourceState, Verdict,
        verdict::{self, NOT_ASKED_BUDGET, NOT_ASKED_CANCELLED, NOT_ASKED_DEADLINE, speaks_against},
    },
    report::Report,
    text,
    time::Moment,
    web::page::Provenance,
};

const NAME_CHARACTERS_MAX: usize = 80;
/// Why a second judge does not count where there is nothing to confirm.
const NOTHING_SUPPORTED: &str = "the first judge calls nothing supported that it could be asked about";

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
            Self::Cancelled => NOT_ASKED_CANCELLED,
        }
    }
}

/// Questions that were not put to a judge: those of the text, and those of its exam.
#[derive(Debug, Clone, Copy, Default)]
pub struct SkippedQuestions {
    pub claims: Option<JudgeSkipReason>,
    pub exam: Option<JudgeSkipReason>,
}

/// Adds the answers of the judges to the checks of the rules, and computes every verdict. `skipped` is of the first judge
/// and of the second.
pub fn complete(
    mut report: Report,
    plan: &CheckPlan,
    checking: &CheckState,
    skipped: [SkippedQuestions; 2],
    model_says: Option<bool>,
    at: Moment,
) -> Report {
    let written_by = report.rounds.as_ref().map(|record| record.model.clone());
    // A plan knows who was to write; whether that model did is known only from the report.
    let is_quoted = report.web.as_ref().is_some_and(|record| record.model.is_none());
    let Some(ledger) = report.ledger.as_mut() else { return report };
    if let Some(judge) = &plan.judge {
        let [skipped, second_skipped] = skipped;
        let second = plan.second.as_ref().filter(|_| !ledger.questions.is_empty());
        let second = second.map(|second| (second, first_supports(ledger, judge, second, &checking.judge)));
        ledger.judge = Some(judge.name.clone());
        ledger.judge_wrote_it = (judge.wrote_it && !is_quoted).then_some(true);
        written_by.iter().for_each(|model| ledger.note_writer(model));
        let questions = std::mem::take(&mut ledger.questions);
        let why_not_sat = skipped.exam.map(JudgeSkipReason::of_exam);
        // Who wrote the text is known for certain only now; such a judge needs the higher bar.
        let wrote_it = ledger.judge_wrote_it == Some(true) || (judge.wrote_it && !is_quoted);
        let measure = |wrote_it| {
            MeasuredJudge::of(&JudgePlan { wrote_it, ..judge.clone() }, &checking.judge, why_not_sat)
        };
        let measured = measure(wrote_it);
        let heard = HeardJudge::new(judge, &checking.judge, skipped.claims, at);
        for question in &questions {
            let checks = heard.checks(ledger, question);
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
        if let Some((second, supported)) = second {
            let why_not_sat = second_skipped.exam.or(second_skipped.claims).map(JudgeSkipReason::of_exam);
            let as_writer = JudgePlan { wrote_it: second.wrote_it && !is_quoted, ..second.clone() };
            let measured =
                MeasuredJudge::of_second(&as_writer, &checking.second, written_by.as_deref(), why_not_sat);
            let heard = HeardJudge::new(second, &checking.second, second_skipped.claims, at);
            // What it lacks for texts of its own, another judge that agrees makes up for.
            let is_enough = measure(false).standing.is_trusted();
            add_second(ledger, &heard, &measured, &supported, is_enough);
        }
    }
    ledger.compute_verdicts(model_says);
    ledger.judge_reused = reused(&checking.judge);
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
fn reused(course: &JudgeCourse) -> Option<ReusedJudgements> {
    let dates: Vec<Moment> = course.answers.iter().filter_map(|answer| answer.judged_at).collect();
    let latest = dates.iter().copied().max()?;
    Some(ReusedJudgements { claims: count(dates.len()), of: count(course.answers.len()), latest })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Claims that would be supported by the first judge's word if somebody else had written the text: the second judge is
/// asked about these. What rests on the user's own files is shown to nobody far away.
pub fn first_supports(
    ledger: &Ledger,
    judge: &JudgePlan,
    second: &JudgePlan,
    course: &JudgeCourse,
) -> Vec<ClaimId> {
    let mut ledger = ledger.clone();
    let measured = MeasuredJudge::of(&JudgePlan { wrote_it: false, ..judge.clone() }, course, None);
    ledger.judge_standing = measured.standing;
    let heard = HeardJudge::new(judge, course, None, Moment(0));
    let questions = std::mem::take(&mut ledger.questions);
    for question in &questions {
        let checks = heard.checks(&ledger, question);
        ledger.checks.extend(checks);
    }
    let settled = verdict::compute_verdicts(&ledger);
    let is_supported = |claim: ClaimId| {
        settled.get(claim.place()).is_some_and(|settled| settled.verdict == Verdict::Supported)
    };
    let may_see = |question: &JudgeQuestion| second.local || !rests_on_own_files(&ledger, question);
    let asked = questions.iter().filter(|question| is_supported(question.claim) && may_see(question));
    asked.map(|question| question.claim).collect()
}

fn rests_on_own_files(ledger: &Ledger, question: &JudgeQuestion) -> bool {
    question.passages.iter().any(|place| {
        let passage = usize::try_from(*place).ok().and_then(|place| ledger.passages.get(place));
        let source = passage
            .and_then(|passage| usize::try_from(passage.source).ok())
            .and_then(|place| ledger.sources.get(place));
        source.is_some_and(|source| match &source.state {
            SourceState::Kept { provenance, .. } => *provenance == Provenance::LocalFile,
            SourceState::Unreachable { .. } => false,
        })
    })
}

/// What the second judge says of the claims that the first one calls supported, if its word counts. `is_enough`: the
/// first one lacks nothing but what is asked of a judge of its own text.
fn add_second(
    ledger: &mut Ledger,
    heard: &HeardJudge<'_>,
    measured: &MeasuredJudge,
    supported: &[ClaimId],
    is_enough: bool,
) {
    let has_opinion =
        |claim: &ClaimId| heard.answers.get(claim).is_some_and(|answer| answer.opinion != Opinion::Abstains);
    let doubt = match supported.first() {
        None => Some(NOTHING_SUPPORTED.to_owned()),
        Some(first) => measured.doubt.clone().or_else(|| {
            let is_silent = !supported.iter().any(has_opinion);
            is_silent.then(|| heard.why_silent(*first))
        }),
    };
    let mut second = SecondJudge {
        name: heard.plan.name.clone(),
        standing: measured.standing,
        exam: measured.exam,
        doubt,
        asked: count(supported.len()),
        ..SecondJudge::default()
    };
    if second.doubt.is_none() {
        let first = text::line(ledger.judge.as_deref().unwrap_or_default(), NAME_CHARACTERS_MAX);
        let questions = std::mem::take(&mut ledger.questions);
        let supported: BTreeSet<ClaimId> = supported.iter().copied().collect();
        for question in questions.iter().filter(|question| supported.contains(&question.claim)) {
            let checks = heard.checks(ledger, question);
            let opinion = checks.first().map_or(Opinion::Abstains, Check::opinion);
            second.agreed += u32::from(opinion == Opinion::Supports);
            second.disputed += u32::from(speaks_against(opinion));
            ledger.checks.extend(checks.into_iter().map(|check| Check {
                aspect: CheckAspect::SecondOpinion,
                confidence: confidence(measured, &check),
                reason: dispute(&first, &second.name, &check).unwrap_or_else(|| check.reason.clone()),
                ..check
            }));
        }
        ledger.questions = questions;
        if !ledger.judge_standing.is_trusted() && is_enough {
            second.is_needed = true;
            ledger.judge_standing = JudgeStanding::Trusted;
            ledger.judge_doubt = None;
        }
    }
    ledger.second_judge = Some(Box::new(second));
}

/// Why a claim is contested between its judges; none where the second does not speak against it.
fn dispute(first: &str, second: &str, check: &Check) -> Option<String> {
    let says = match check.opinion {
        Opinion::Contradicts => "finds it contradicted",
        Opinion::Absent => "does not find it on the page",
        Opinion::Qualifies => "finds it with a reservation",
        Opinion::Partly => "finds a part of it",
        Opinion::Agrees | Opinion::Quoted | Opinion::Supports | Opinion::Doubts | Opinion::Abstains => {
            return None;
        }
    };
    let why = if check.reason.is_empty() { String::new() } else { format!(": {}", check.reason) };
    let second = text::line(second, NAME_CHARACTERS_MAX);
    Some(format!("contested: {first} calls it supported, the second judge {second} {says}{why}"))
}

/// A judge with what it answered about a text.
struct HeardJudge<'a> {
    plan: &'a JudgePlan,
    course: &'a JudgeCourse,
    /// The latest answer to each question.
    answers: BTreeMap<ClaimId, &'a JudgeAnswer>,
    /// Why questions that are open were not put to it.
    not_asked: Option<JudgeSkipReason>,
    at: Moment,
}

impl<'a> HeardJudge<'a> {
    fn new(
        plan: &'a JudgePlan,
        course: &'a JudgeCourse,
        not_asked: Option<JudgeSkipReason>,
        at: Moment,
    ) -> Self {
        let answers = course.answers.iter().map(|answer| (answer.claim, answer)).collect();
        Self { plan, course, answers, not_asked, at }
    }

    /// Its answer as checks.
    fn checks(&self, ledger: &Ledger, question: &JudgeQuestion) -> Vec<Check> {
        let answer = self.answers.get(&question.claim).copied();
        // A judgement that is used again keeps its date.
        let at = answer.and_then(|answer| answer.judged_at).unwrap_or(self.at);
        let claim = ledger.claim(question.claim);
        let is_inference = claim.is_some_and(|claim| claim.kind == ClaimKind::Inference);
        let aspect = if is_inference { CheckAspect::Inference } else { CheckAspect::Meaning };
        let check = |opinion: Opinion, confidence, reason: &str| Check {
            claim: question.claim,
            aspect,
            // That it follows from claims is no support by a page.
            opinion: if is_inference && opinion == Opinion::Supports { Opinion::Agrees } else { opinion },
            by: CheckAuthor::Model { name: self.plan.name.clone(), version: self.plan.version.clone() },
            confidence,
            source: None,
            span: None,
            page: None,
            at,
            reason: reason.to_owned(),
        };
        match answer {
            Some(answer) => {
                let plain = check(answer.opinion, answer.confidence, &answer.reason);
                let placed = placed(ledger, question, answer, &plain);
                if placed.is_empty() { vec![plain] } else { placed }
            }
            None => vec![check(Opinion::Abstains, 0, &self.why_silent(question.claim))],
        }
    }

    /// Why it has no opinion on a claim.
    fn why_silent(&self, claim: ClaimId) -> String {
        let failed = self.course.unanswered.iter().find(|one| one.claim == claim);
        match (self.answers.get(&claim), failed) {
            (Some(answer), _) => answer.reason.clone(),
            (None, Some(one)) => one.problem.message.clone(),
            (None, None) => {
                self.not_asked.map_or("the judge was not asked", JudgeSkipReason::reason).to_owned()
            }
        }
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
    use crate::{checking::JudgeCourse, id::Digest, ledger::ReusedJudgements, time::Moment};

    #[test]
    fn answers_that_were_kept_are_told_from_those_to_this_text() {
        let answer = |claim: &str, judged_at: Option<i64>| {
            serde_json::from_value(json!({ "claim": claim, "key": Digest([1; 32]), "opinion": "supports",
                "confidence": 90, "judged_at": judged_at }))
            .unwrap()
        };
        let answers = vec![answer("C1", Some(7)), answer("C2", None), answer("C3", Some(9))];
        let course = JudgeCourse { answers, ..JudgeCourse::default() };
        assert_eq!(reused(&course), Some(ReusedJudgements { claims: 2, of: 3, latest: Moment(9) }));
        let fresh = JudgeCourse { answers: vec![answer("C1", None)], ..JudgeCourse::default() };
        assert_eq!(reused(&fresh), None);
    }
}
