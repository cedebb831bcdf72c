//! Whole checks with a second judge beside the first.

use std::collections::BTreeMap;

use super::{STEPS_MAX, Turn, World, examined_judge, sit};
use crate::{
    checking::{
        CheckPlan, CheckTaskOutput, JudgePlan,
        conclude::first_supports,
        controls,
        exam::{self, BATCHES, ExamTruth, ITEMS},
        judge,
        task::{JudgeReply, JudgeRequest},
    },
    cost::{MicroUsd, Usage},
    error::{Code, CodedError},
    ledger::{CheckAspect, ClaimId, JudgeStanding, Ledger, Opinion, SecondJudge, SourceState, Verdict},
    web::{bill::Bill, page::Provenance},
};

/// What the second judge says.
pub(super) struct SecondScript {
    /// Of the claims of the text at these places; of all others that they are supported.
    says: BTreeMap<usize, Opinion>,
    /// How many questions of each call of the exam it answers correctly.
    right: usize,
    /// Says supported to the known claims too.
    flatters: bool,
    is_down: bool,
    exams: usize,
    judged: Vec<Vec<ClaimId>>,
}

impl Default for SecondScript {
    fn default() -> Self {
        Self {
            says: BTreeMap::new(),
            right: usize::MAX,
            flatters: false,
            is_down: false,
            exams: 0,
            judged: Vec::new(),
        }
    }
}

impl SecondScript {
    pub(super) fn answer(&mut self, ask: &JudgeRequest) -> (CheckTaskOutput, Bill) {
        if self.is_down {
            let problem = CodedError::new(Code::KeyMissing, "nobody is there");
            return (CheckTaskOutput::Failed(problem), Bill::NOTHING);
        }
        let bill = Bill::counted(MicroUsd(900), Usage::default());
        if ask.items.iter().all(|item| exam::is_question(item.claim)) {
            self.exams += 1;
            return (CheckTaskOutput::Judged(sit(&second_judge(false), ask, self.right)), bill);
        }
        let is_known = |claim: ClaimId| controls::truth(claim).is_some();
        let asked = ask.items.iter().map(|item| item.claim);
        self.judged.push(asked.clone().filter(|claim| !is_known(*claim)).collect());
        let reply = |claim: ClaimId| {
            let opinion = match controls::truth(claim) {
                Some(false) if !self.flatters => Opinion::Absent,
                Some(_) => Opinion::Supports,
                None => self.says.get(&claim.place()).copied().unwrap_or(Opinion::Supports),
            };
            let (quotations, reason) = (vec!["In 2024 revenue".to_owned()], "read twice".to_owned());
            JudgeReply { claim, opinion, quotations, confidence: 95, reason }
        };
        (CheckTaskOutput::Judged(asked.map(reply).collect()), bill)
    }
}

fn second_judge(local: bool) -> JudgePlan {
    JudgePlan { name: "judge-2".to_owned(), ..examined_judge(local) }
}

fn world(claims: usize, judge: JudgePlan, second: JudgePlan, budget: Option<MicroUsd>) -> World {
    let checks = CheckPlan { judge: Some(judge), second: Some(second), ..CheckPlan::without_judge() };
    World::planned(claims, checks, budget, &[])
}

fn usual(claims: usize) -> World {
    world(claims, examined_judge(false), second_judge(false), None)
}

fn run(world: &mut World) -> (Ledger, SecondJudge) {
    let ledger = world.run();
    let second = ledger.second_judge.as_deref().cloned().unwrap();
    (ledger, second)
}

/// A judge that wrote the text and has 36 of 40: enough for texts of others.
fn writing_judge(world: &mut World) -> JudgePlan {
    let judge = JudgePlan { wrote_it: true, ..examined_judge(false) };
    let mut shy = 4;
    for question in exam::questions(&judge) {
        let opinion = match question.truth {
            ExamTruth::Supported if shy > 0 => {
                shy -= 1;
                Opinion::Absent
            }
            ExamTruth::Supported => Opinion::Supports,
            ExamTruth::Wrong => Opinion::Contradicts,
            ExamTruth::Partly => Opinion::Partly,
            ExamTruth::Absent => Opinion::Absent,
        };
        let (claim, quotations) = (question.item.claim, vec![question.item.passages[0].clone()]);
        let reply = JudgeReply { claim, opinion, quotations, confidence: 99, reason: String::new() };
        let answer = judge::answer(&judge, &question.item, &reply);
        world.remembered.insert(answer.key, answer);
    }
    judge
}

#[test]
fn the_second_judge_sits_its_own_exam_and_is_asked_what_the_first_supports() {
    let mut world = usual(20);
    let (ledger, second) = run(&mut world);
    assert_eq!((world.exams, world.second.exams), (BATCHES, BATCHES));
    assert_eq!(world.second.judged, world.judged, "every claim that the first calls supported");
    assert_eq!((second.asked, second.agreed, second.disputed), (20, 20, 0));
    assert_eq!((second.name.as_str(), second.doubt), ("judge-2", None));
    let exam = second.exam.unwrap();
    assert_eq!((exam.right, exam.total), (ITEMS as u32, ITEMS as u32));
    assert!(exam.controls_total > 0 && exam.controls_right == exam.controls_total, "{exam:?}");
    assert_eq!(ledger.tally().line(), "20 claims: 20 supported");
    assert!(ledger.verification.as_ref().unwrap().verified);
    let opinions = ledger.checks.iter().filter(|check| check.aspect == CheckAspect::SecondOpinion);
    assert_eq!(opinions.count(), 20);
    assert_eq!(ledger.verdict(ClaimId::at(0)).unwrap().origins, 1, "two judges of one page are one origin");
}

#[test]
fn judges_that_disagree_make_a_claim_contested_and_both_are_named() {
    for says in [Opinion::Absent, Opinion::Contradicts, Opinion::Partly, Opinion::Qualifies] {
        let mut world = usual(4);
        world.second.says.insert(1, says);
        let (ledger, second) = run(&mut world);
        assert_eq!((second.agreed, second.disputed), (3, 1));
        assert_eq!(ledger.tally().line(), "4 claims: 3 supported, 1 partly");
        let contested = ledger.verdict(ClaimId::at(1)).unwrap();
        assert_eq!(
            (&contested.verdict, contested.aspect),
            (&Verdict::Partly, Some(CheckAspect::SecondOpinion))
        );
        let begin = "contested: judge-1 calls it supported, the second judge judge-2 ";
        let reason = &contested.reason;
        assert!(reason.starts_with(begin) && reason.ends_with(": read twice"), "{reason}");
        assert!(!ledger.verification.unwrap().verified);
    }
}

#[test]
fn a_judge_of_its_own_text_needs_the_higher_bar_or_a_second_judge() {
    let mut alone = World::new(3, None, None, &[]);
    let judge = writing_judge(&mut alone);
    let remembered = alone.remembered.clone();
    let mut alone = World::new(3, Some(judge.clone()), None, &[]);
    alone.remembered = remembered.clone();
    let ledger = alone.run();
    assert_eq!(ledger.judge_standing, JudgeStanding::Failed);
    assert_eq!((ledger.tally().line().as_str(), ledger.second_judge), ("3 claims: 3 partly", None));

    let mut both = world(3, judge.clone(), second_judge(false), None);
    both.remembered = remembered.clone();
    let (ledger, second) = run(&mut both);
    assert_eq!(ledger.tally().line(), "3 claims: 3 supported");
    assert_eq!((ledger.judge_standing, &ledger.judge_doubt), (JudgeStanding::Trusted, &None));
    assert!(second.is_needed && ledger.verification.unwrap().verified);
    assert_eq!(ledger.judge_exam.map(|exam| exam.right), Some(36));

    // Of what the second one says nothing, the first one's word does not suffice.
    let mut silent = world(3, judge.clone(), second_judge(false), None);
    silent.remembered = remembered.clone();
    silent.second.says.insert(2, Opinion::Abstains);
    let (ledger, second) = run(&mut silent);
    assert_eq!(ledger.tally().line(), "3 claims: 2 supported, 1 partly");
    assert_eq!((second.agreed, second.disputed), (2, 0));

    let mut failing = world(3, judge, second_judge(false), None);
    failing.remembered = remembered;
    failing.second.right = 2;
    let (ledger, second) = run(&mut failing);
    assert_eq!((ledger.judge_standing, second.standing), (JudgeStanding::Failed, JudgeStanding::Failed));
    assert_eq!((ledger.tally().line().as_str(), second.is_needed), ("3 claims: 3 partly", false));
}

/// The second judge does not count, for this reason, and the verdicts are those of the first one.
fn check_not_counted(world: &mut World, reason: &str) {
    let (ledger, second) = run(world);
    let doubt = second.doubt.clone().unwrap_or_default();
    assert!(doubt.contains(reason), "{doubt}");
    assert_eq!((second.agreed, second.disputed, second.is_needed), (0, 0, false));
    assert!(!ledger.checks.iter().any(|check| check.aspect == CheckAspect::SecondOpinion), "{reason}");
    assert_eq!(ledger.tally().line(), "8 claims: 8 supported");
    assert!(ledger.verification.unwrap().verified, "as without a second judge");
}

#[test]
fn a_second_judge_that_does_not_count_says_why_and_changes_nothing() {
    let mut failing = usual(8);
    failing.second.right = 2;
    check_not_counted(&mut failing, "the exam asks for 85 % right answers");
    assert!(failing.second.judged.is_empty(), "nobody is asked whose word does not count");

    let mut flattering = usual(8);
    flattering.second.flatters = true;
    check_not_counted(&mut flattering, "known false claims supported");

    let mut down = usual(8);
    down.second.is_down = true;
    check_not_counted(&mut down, "the exam was not sat: nobody is there");

    let mut poor = world(8, examined_judge(false), second_judge(false), Some(MicroUsd(8_000)));
    check_not_counted(&mut poor, "the budget did not carry the exam");
    assert_eq!((poor.judged.len(), poor.second.exams), (1, 0), "the first one comes first");

    let writer = JudgePlan { wrote_it: true, ..second_judge(false) };
    let mut own = world(8, examined_judge(false), writer, None);
    check_not_counted(&mut own, "it wrote the text itself");
    assert_eq!(own.second.exams, 0);
}

#[test]
fn a_second_judge_is_not_asked_where_nothing_is_supported() {
    let checks = CheckPlan {
        judge: Some(super::judge(false)),
        second: Some(second_judge(false)),
        ..CheckPlan::without_judge()
    };
    let mut world = World::planned(3, checks, None, &[Turn::Invents; 9]);
    let (ledger, second) = run(&mut world);
    assert_eq!(ledger.tally().line(), "3 claims: 3 check failed");
    assert_eq!((world.second.exams, world.second.judged.len(), second.asked), (0, 0, 0));
    assert!(second.doubt.unwrap().starts_with("the first judge calls nothing supported"));
}

#[test]
fn what_rests_on_own_files_is_shown_to_no_second_judge_far_away() {
    let mut world = World::new(3, Some(super::judge(true)), None, &[]);
    let mut ledger = world.run();
    ledger.checks.clear();
    let course = &world.research.check_state.as_ref().unwrap().judge;
    let asked = |ledger: &Ledger, local: bool| {
        first_supports(ledger, &super::judge(true), &second_judge(local), course).len()
    };
    assert_eq!((asked(&ledger, false), asked(&ledger, true)), (3, 3));
    if let SourceState::Kept { provenance, .. } = &mut ledger.sources[0].state {
        *provenance = Provenance::LocalFile;
    }
    assert_eq!((asked(&ledger, false), asked(&ledger, true)), (0, 3));
}

#[test]
fn what_the_second_judge_answered_is_not_bought_again() {
    let mut first = usual(9);
    first.run();
    let mut again = usual(9);
    again.remembered = first.remembered.clone();
    let (_, second) = run(&mut again);
    assert_eq!((again.second.exams, again.second.judged.len(), second.agreed), (0, 0, 9));
    let elsewhere = JudgePlan { endpoint: "other".to_owned(), ..examined_judge(false) };
    let mut other = world(9, examined_judge(false), elsewhere, None);
    other.remembered = first.remembered.clone();
    other.second.is_down = true;
    let (_, second) = run(&mut other);
    assert!(second.doubt.is_some(), "the first judge's own answers are not those of the same name elsewhere");
}

#[test]
fn a_crash_between_any_two_steps_changes_nothing() {
    let begin = || world(9, examined_judge(true), second_judge(true), None);
    let undisturbed = begin().run();
    let steps = {
        let mut world = begin();
        (0..STEPS_MAX).take_while(|_| world.step()).count()
    };
    for at in 0..steps {
        let mut world = begin();
        (0..at).for_each(|_| assert!(world.step()));
        world.crash();
        let ledger = world.run();
        assert_eq!(ledger.second_judge, undisturbed.second_judge, "killed before step {at}");
        assert_eq!(ledger.tally(), undisturbed.tally());
    }
}

#[test]
fn calls_to_the_second_judge_are_unreadable_to_older_versions_and_nothing_else_is() {
    let mut world = usual(3);
    world.run();
    let mut seconds = 0;
    for recorded in &world.journal {
        let text = recorded.event.encode().unwrap();
        let is_second = text.contains("\"check\":\"second\"") || text.contains("\"second\":{");
        assert_eq!(recorded.event.version() == 10, is_second, "{text}");
        seconds += usize::from(is_second);
    }
    assert!(seconds > BATCHES, "{seconds}");
}

#[test]
fn plans_without_a_second_judge_are_written_as_they_were() {
    let old = r#"{"pages_max":9,"claims_max":8,"judge":{"name":"m","version":"1","local":false,"price":1000,"wrote_it":false}}"#;
    let plan: CheckPlan = serde_json::from_str(old).unwrap();
    assert_eq!((&plan.second, serde_json::to_string(&plan).unwrap().as_str()), (&None, old));
    assert_eq!(plan.price_per_call(), MicroUsd(1_000));
    let both = CheckPlan { second: Some(second_judge(false)), ..plan };
    assert_eq!(both.price_per_call(), MicroUsd(2_000));
}
