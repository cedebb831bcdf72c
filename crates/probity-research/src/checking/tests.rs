//! Whole checks in memory: the rules against scripted pages and a scripted judge, without a clock or a disk.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{
    CheckPlan, CheckTask, CheckTaskOutput, CheckTaskReply, ExamRule, JudgePlan, controls, exam,
    task::{CheckCall, CheckRequest, JudgeAnswer, JudgeReply, JudgeSeat},
};
use crate::{
    Digest, Event, RunId, RunState, Sequence, Step, StoredEvent,
    agent::AgentName,
    cost::{Cost, MicroUsd, Usage},
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome, RemoteEnd, RemoteResult},
    error::{Code, CodedError},
    ledger::{Claim, ClaimId, ClaimKind, JudgeQuestion, Ledger, LedgerSource, Opinion, Passage, SourceState},
    next_step,
    plan::{Plan, RunLimits},
    progress::Progress,
    query::Query,
    react::{Reaction, RunFinish, react},
    report::{Report, SourceLink},
    state::RunPhase,
    stop::RunStop,
    time::Moment,
    web::{
        bill::Bill,
        page::{Extract, MediaKind, PageRecord, Provenance},
        task::FetchedPage,
    },
};

mod authorship;
mod examined;
mod large_text;
mod reused;
mod second;

const STEPS_MAX: usize = 400;
const FACT: &str = "In 2024 revenue rose 12 % to 5 bn.";

/// What the judge says to the next call.
#[derive(Debug, Clone, Copy)]
enum Turn {
    Supports,
    /// Supports with a quotation that stands nowhere.
    Invents,
    RateLimited,
    /// Answers only the first question.
    Half,
    /// The process dies while the call is under way.
    Crash,
    /// Says supported to the known claims too.
    Flatters,
    /// Answers in something that is no answer.
    Babbles,
}

struct World {
    research: RunState,
    journal: Vec<StoredEvent>,
    attention: DriverState,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    remembered: BTreeMap<Digest, JudgeAnswer>,
    turns: Vec<Turn>,
    claims: usize,
    fetched: Vec<String>,
    judged: Vec<Vec<ClaimId>>,
    /// Calls that put questions of the exam.
    exams: usize,
    /// How many questions of each call of the exam are answered correctly; all unless said.
    exam_right: usize,
    second: second::SecondScript,
    pauses: usize,
}

fn judge(local: bool) -> JudgePlan {
    JudgePlan {
        name: "judge-1".to_owned(),
        version: "1".to_owned(),
        local,
        price: MicroUsd(1_000),
        wrote_it: false,
        endpoint: String::new(),
        exam: ExamRule::Trusted,
    }
}

impl World {
    fn new(claims: usize, judge: Option<JudgePlan>, budget: Option<MicroUsd>, turns: &[Turn]) -> Self {
        Self::planned(claims, CheckPlan { judge, ..CheckPlan::without_judge() }, budget, turns)
    }

    fn planned(claims: usize, checks: CheckPlan, budget: Option<MicroUsd>, turns: &[Turn]) -> Self {
        let limits = RunLimits::new(Duration::from_secs(3600), budget);
        let plan = Plan { checks: Some(Box::new(checks)), ..Plan::new(AgentName::default(), limits) };
        let event = Event::Asked { query: Query::parse("how did revenue develop?").unwrap(), plan };
        let first =
            StoredEvent { sequence: Sequence(1), at: Moment(1_800_000_000_000), attended_ms: 0, event };
        let research = RunState::replay(RunId::from_random(7), std::slice::from_ref(&first)).unwrap();
        let mut world = Self {
            research,
            journal: vec![first],
            attention: DriverState::default(),
            blobs: BTreeMap::new(),
            remembered: BTreeMap::new(),
            turns: turns.iter().rev().copied().collect(),
            claims,
            fetched: Vec::new(),
            judged: Vec::new(),
            exams: 0,
            exam_right: usize::MAX,
            second: second::SecondScript::default(),
            pauses: 0,
        };
        world.append(Event::CreateIntended { attempt: 1 });
        world.append(Event::RemoteStarted { attempt: 1, remote_id: "v1".to_owned(), cursor: None });
        world
    }

    fn append(&mut self, event: Event) {
        let sequence = Sequence(self.journal.len() as u64 + 1);
        let at = Moment(1_800_000_000_000 + self.journal.len() as i64 * 1000);
        let recorded = StoredEvent { sequence, at, attended_ms: self.journal.len() as u64, event };
        let text = recorded.event.encode().unwrap();
        assert_eq!(
            Event::decode(recorded.event.version(), &text).unwrap(),
            recorded.event,
            "events are read as written"
        );
        if let Event::CheckDone {
            task: CheckTask::Judge { .. } | CheckTask::Exam { .. } | CheckTask::Second { .. },
            outcome: super::CheckTaskOutcome::Judged { answers },
            ..
        } = &recorded.event
        {
            // As the store keeps them.
            let is_kept = !answers.iter().any(controls::is_passed);
            let is_known = |answer: &JudgeAnswer| controls::truth(answer.claim).is_some();
            let kept = answers
                .iter()
                .filter(|answer| is_known(answer) || is_kept && answer.opinion != Opinion::Abstains);
            self.remembered.extend(kept.map(|answer| (answer.key, answer.clone())));
        }
        self.research.apply(&recorded).unwrap();
        self.journal.push(recorded);
        let replayed = RunState::replay(self.research.id, &self.journal).unwrap();
        assert_eq!(replayed, self.research, "the journal alone tells the state");
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Digest {
        let digest = Digest(*blake3::hash(&bytes).as_bytes());
        self.blobs.insert(digest, bytes.into());
        digest
    }

    fn crash(&mut self) {
        self.attention = DriverState::default();
    }

    fn finish(&mut self, finish: RunFinish) {
        let report = finish.report.as_ref().map(|report| self.keep(report.encode()));
        self.append(finish.event(report, None, Moment(1)));
    }

    fn take(&mut self, finding: EngineOutcome) {
        match react(&self.research, &mut self.attention, finding, Moment(1)) {
            Reaction::Nothing => {}
            Reaction::Append(event) => self.append(event),
            Reaction::Finish(finish) => self.finish(*finish),
            Reaction::KeepPage(mut page) => {
                let snapshot = self.keep(std::mem::take(&mut page.snapshot));
                let extract = self.keep(page.extract.encode());
                self.append(page.event(Some(snapshot), Some(extract)));
            }
            Reaction::KeepDraft(draft) => {
                let questions = draft.ledger.as_ref().unwrap().questions.len() as u32;
                let draft = self.keep(draft.encode());
                let outcome = super::CheckTaskOutcome::Examined { draft, questions };
                self.append(Event::CheckDone { task: CheckTask::Examine, outcome, bill: Bill::NOTHING });
            }
            other => panic!("unexpected: {other:?}"),
        }
    }

    fn report(&self) -> Report {
        let url = |name: &str| SourceLink { url: format!("https://{name}.example/"), title: name.to_owned() };
        Report {
            text: format!("{FACT} [a](https://a.example/) and [b](https://gone.example/x)"),
            sources: vec![url("a")],
            ..Report::default()
        }
    }

    fn perform(&mut self, call: &CheckCall) -> Option<EngineOutcome> {
        let found = |brought, bill| {
            Some(EngineOutcome::Check(Box::new(CheckTaskReply {
                task: call.task.clone(),
                output: brought,
                bill,
            })))
        };
        match &call.ask {
            CheckRequest::Page { url } => {
                self.fetched.push(url.clone());
                if url.contains("gone") {
                    let problem = CodedError::new(Code::PageUnreachable, "404");
                    return found(CheckTaskOutput::Failed(problem), Bill::NOTHING);
                }
                found(CheckTaskOutput::Page(Box::new(page(url))), Bill::NOTHING)
            }
            CheckRequest::Examine(ask) => {
                assert_eq!(ask.pages.len(), 2, "the cited pages, reachable or not");
                let kept = ask.pages[0].page.as_ref().unwrap();
                assert_eq!(ask.pages[1].page.as_ref().unwrap_err(), "404");
                let report =
                    examined(&ask.report, self.claims, kept.metadata.snapshot, kept.metadata.extract);
                found(CheckTaskOutput::Examined(Box::new(report)), Bill::NOTHING)
            }
            CheckRequest::Judge(ask) if call.task.seat().0 == JudgeSeat::Second => {
                let (output, bill) = self.second.answer(ask);
                found(output, bill)
            }
            CheckRequest::Judge(ask) => {
                let claims: Vec<ClaimId> = ask.items.iter().map(|item| item.claim).collect();
                let of_text: Vec<ClaimId> =
                    claims.iter().copied().filter(|claim| claim.place() < self.claims).collect();
                let is_exam = claims.iter().all(|claim| exam::is_question(*claim));
                match is_exam {
                    true => self.exams += 1,
                    false => self.judged.push(of_text.clone()),
                }
                let reply = |claim: &ClaimId, quotation: &str| JudgeReply {
                    claim: *claim,
                    opinion: Opinion::Supports,
                    quotations: vec![quotation.to_owned()],
                    confidence: 95,
                    reason: String::new(),
                };
                let bill = Bill::counted(MicroUsd(900), Usage::default());
                let known = claims.iter().filter_map(|claim| {
                    let opinion = if controls::truth(*claim)? { Opinion::Supports } else { Opinion::Absent };
                    Some(JudgeReply { opinion, ..reply(claim, "revenue rose") })
                });
                let turn = self.turns.pop().unwrap_or(Turn::Supports);
                if let (true, Turn::Supports | Turn::Flatters) = (is_exam, turn) {
                    return found(
                        CheckTaskOutput::Judged(sit(&examined_judge(false), ask, self.exam_right)),
                        bill,
                    );
                }
                match turn {
                    Turn::Supports => {
                        let replies = of_text.iter().map(|claim| reply(claim, "revenue rose 12 %"));
                        found(CheckTaskOutput::Judged(replies.chain(known).collect()), bill)
                    }
                    Turn::Flatters => {
                        let replies = of_text.iter().map(|claim| reply(claim, "revenue rose 12 %"));
                        let flattery = claims.iter().filter(|claim| controls::truth(**claim).is_some());
                        let flattery = flattery.map(|claim| reply(claim, "In 2024 revenue"));
                        found(CheckTaskOutput::Judged(replies.chain(flattery).collect()), bill)
                    }
                    Turn::Babbles => {
                        let problem = CodedError::new(Code::UnusableAnswer, "no JSON");
                        found(CheckTaskOutput::Failed(problem), bill)
                    }
                    Turn::Invents => found(
                        CheckTaskOutput::Judged(
                            of_text.iter().map(|claim| reply(claim, "revenue fell 99 %")).collect(),
                        ),
                        bill,
                    ),
                    Turn::Half => found(
                        CheckTaskOutput::Judged(
                            of_text.iter().take(1).map(|claim| reply(claim, "revenue rose 12 %")).collect(),
                        ),
                        bill,
                    ),
                    Turn::RateLimited => found(
                        CheckTaskOutput::Failed(CodedError::new(Code::RateLimited, "slow down")),
                        Bill::NOTHING,
                    ),
                    Turn::Crash => None,
                }
            }
        }
    }

    /// One step; false when there is nothing left to do.
    fn step(&mut self) -> bool {
        match next_step(&self.research, &self.attention) {
            Step::Rest => return false,
            Step::Record(event) => {
                let fresh = matches!(*event, Event::CheckIntended { .. });
                self.append(*event);
                self.attention.intent_is_fresh = fresh;
            }
            Step::Fetch(digest) => {
                let bytes = Arc::clone(&self.blobs[&digest]);
                self.attention.blobs.insert(digest, bytes);
            }
            Step::Recall(questions) => {
                for question in questions {
                    self.attention.recalled.insert(question, self.remembered.get(&question).cloned());
                }
            }
            Step::Wait(_) => {
                self.pauses += 1;
                self.attention.pause = None;
            }
            Step::Finish(finish) => self.finish(*finish),
            Step::Perform(EngineCall::Follow { .. }) => {
                let finished = RemoteResult {
                    end: RemoteEnd::Completed,
                    report: self.report(),
                    usage: None,
                    progress: Progress::default(),
                    problem: None,
                    raw: Vec::new(),
                };
                self.take(EngineOutcome::Finished(Box::new(finished)));
            }
            Step::Perform(EngineCall::Check(call)) => {
                let finding = self.perform(&call).unwrap();
                self.take(finding);
            }
            Step::PerformAll(calls) => {
                for call in calls {
                    let EngineCall::Check(call) = call else { panic!("not a check") };
                    match self.perform(&call) {
                        Some(finding) => self.take(finding),
                        None => {
                            self.crash();
                            break;
                        }
                    }
                }
            }
            other => panic!("unexpected step: {other:?}"),
        }
        true
    }

    fn run(&mut self) -> Ledger {
        for _ in 0..STEPS_MAX {
            if !self.step() {
                break;
            }
        }
        let ending = self.research.ending().expect("it ends");
        assert_eq!(ending.stop, RunStop::Completed);
        let report = Report::decode(&self.blobs[&ending.report.unwrap()]).unwrap();
        *report.ledger.unwrap()
    }
}

fn page(url: &str) -> FetchedPage {
    FetchedPage {
        record: PageRecord {
            asked_url: url.to_owned(),
            final_url: url.to_owned(),
            redirects: Vec::new(),
            address: None,
            fetched_at: Moment(5),
            status: 200,
            headers: Vec::new(),
            media: MediaKind::Text,
            bytes: 10,
            provenance: Provenance::Direct,
            revalidated: false,
            overridden: false,
        },
        snapshot: FACT.as_bytes().to_vec(),
        extract: Extract { text: FACT.to_owned(), ..Extract::default() },
    }
}

/// What an examiner would find: each claim cites the first page and is left open.
fn examined(report: &Report, claims: usize, snapshot: Digest, extract: Digest) -> Report {
    let source = LedgerSource {
        url: "https://a.example/".to_owned(),
        title: String::new(),
        state: SourceState::Kept {
            snapshot,
            extract,
            fetched_at: Moment(5),
            provenance: Provenance::Direct,
            published: None,
        },
        origin: 0,
        quoted: Vec::new(),
    };
    let claim = |place: usize| Claim {
        id: ClaimId::at(place),
        start: 0,
        end: 10,
        words: format!("Revenue rose 12 %, part {place}."),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: vec![0],
        quotations: Vec::new(),
        derived: None,
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    };
    let ledger = Ledger {
        checker: "1".to_owned(),
        claims: (0..claims).map(claim).collect(),
        sources: vec![source],
        passages: vec![Passage {
            source: 0,
            start: 0,
            end: FACT.len(),
            text: FACT.to_owned(),
            context: Default::default(),
        }],
        questions: (0..claims)
            .map(|place| JudgeQuestion {
                claim: ClaimId::at(place),
                passages: vec![0],
                witnesses: Vec::new(),
            })
            .collect(),
        ..Ledger::default()
    };
    Report { ledger: Some(Box::new(ledger)), ..report.clone() }
}

/// Answers to questions of the exam: so many as they should be, the rest called supported.
fn sit(judge: &JudgePlan, ask: &super::task::JudgeRequest, right: usize) -> Vec<JudgeReply> {
    let questions = exam::questions(judge);
    let reply = |(place, item): (usize, &super::task::JudgeItem)| {
        let question = questions.iter().find(|question| question.item.claim == item.claim).unwrap();
        let opinion = match question.truth {
            _ if place >= right => Opinion::Supports,
            exam::ExamTruth::Supported => Opinion::Supports,
            exam::ExamTruth::Wrong => Opinion::Contradicts,
            exam::ExamTruth::Partly => Opinion::Partly,
            exam::ExamTruth::Absent => Opinion::Absent,
        };
        let (claim, quotations) = (item.claim, vec![item.passages[0].clone()]);
        JudgeReply { claim, opinion, quotations, confidence: 99, reason: String::new() }
    };
    ask.items.iter().enumerate().map(reply).collect()
}

/// A judge that has to sit the exam.
fn examined_judge(local: bool) -> JudgePlan {
    JudgePlan { exam: ExamRule::Required, ..judge(local) }
}

#[test]
fn a_report_is_fetched_examined_judged_and_verified() {
    let mut world = World::new(20, Some(judge(false)), None, &[]);
    let ledger = world.run();
    assert_eq!(world.fetched, ["https://a.example/", "https://gone.example/x"]);
    assert_eq!(world.judged.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 4]);
    assert_eq!(ledger.tally().line(), "20 claims: 20 supported");
    let first = ledger.verdict(ClaimId::at(0)).unwrap();
    let (start, end) = first.span.unwrap();
    assert_eq!(FACT.get(start..end), Some("revenue rose 12 %"));
    assert!(ledger.verification.unwrap().verified);
    assert_eq!(
        world.research.ending().unwrap().cost,
        Cost::AtLeast(MicroUsd(2_700)),
        "the agent's own is unknown"
    );
}

#[test]
fn without_a_judge_nothing_is_called_supported() {
    let mut world = World::new(3, None, None, &[]);
    let ledger = world.run();
    assert_eq!(ledger.tally().line(), "3 claims: 3 not checked");
    assert!(world.judged.is_empty() && !ledger.verification.unwrap().verified);
}

#[test]
fn a_judge_that_invents_its_quotations_supports_nothing() {
    let ledger = World::new(3, Some(judge(false)), None, &[Turn::Invents; 9]).run();
    assert_eq!(ledger.tally().line(), "3 claims: 3 check failed");
}

#[test]
fn a_rate_limit_slows_down_and_is_never_a_refutation() {
    let mut world = World::new(40, Some(judge(false)), None, &[Turn::RateLimited; 2]);
    let ledger = world.run();
    assert_eq!(ledger.tally().line(), "40 claims: 40 supported");
    assert!(world.pauses > 0);
    let ledger = World::new(3, Some(judge(false)), None, &[Turn::RateLimited; 9]).run();
    assert_eq!(ledger.tally().line(), "3 claims: 3 check failed");
    assert_eq!(ledger.verdict(ClaimId::at(0)).unwrap().verdict.to_string(), "check failed: slow down");
}

#[test]
fn questions_left_out_are_asked_again() {
    let mut world = World::new(3, Some(judge(false)), None, &[Turn::Half]);
    assert_eq!(world.run().tally().supported, 3);
    assert_eq!(world.judged.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
}

#[test]
fn the_budget_leaves_claims_unchecked_and_says_so() {
    let mut world = World::new(30, Some(judge(false)), Some(MicroUsd(2_500)), &[]);
    let ledger = world.run();
    assert_eq!(world.judged.len(), 2);
    assert_eq!(ledger.tally().line(), "30 claims: 16 supported, 14 not checked");
    assert_eq!(ledger.verdict(ClaimId::at(29)).unwrap().verdict.to_string(), "not checked: budget");
}

#[test]
fn what_was_bought_before_is_not_bought_again() {
    let mut first = World::new(9, Some(judge(false)), None, &[]);
    first.run();
    let mut second = World::new(10, Some(judge(false)), None, &[]);
    second.remembered = first.remembered.clone();
    let ledger = second.run();
    assert_eq!(second.judged, [[ClaimId::at(9)]]);
    assert_eq!(ledger.tally().supported, 10);
}

#[test]
fn a_call_under_way_at_a_crash_is_not_bought_again_unless_it_is_free() {
    let mut world = World::new(16, Some(judge(false)), None, &[Turn::Supports, Turn::Crash]);
    let ledger = world.run();
    assert_eq!(world.judged.len(), 2);
    assert_eq!(ledger.tally().line(), "16 claims: 8 supported, 8 check failed");
    let mut world = World::new(16, Some(judge(true)), None, &[Turn::Supports, Turn::Crash]);
    assert_eq!(world.run().tally().line(), "16 claims: 16 supported");
    assert_eq!(world.judged.len(), 3);
}

#[test]
fn a_crash_between_any_two_steps_changes_nothing() {
    let undisturbed = World::new(20, Some(judge(true)), None, &[]).run();
    let steps = {
        let mut world = World::new(20, Some(judge(true)), None, &[]);
        (0..STEPS_MAX).take_while(|_| world.step()).count()
    };
    for at in 0..steps {
        let mut world = World::new(20, Some(judge(true)), None, &[]);
        (0..at).for_each(|_| assert!(world.step()));
        world.crash();
        let mut ledger = world.run();
        // When something was judged is told by the journal's own times.
        for (check, other) in ledger.checks.iter_mut().zip(&undisturbed.checks) {
            check.at = other.at;
        }
        assert_eq!(ledger.checks, undisturbed.checks, "killed before step {at}");
        assert_eq!(world.fetched.len(), 2, "a stored page is not fetched again");
    }
}

#[test]
fn a_cancel_during_the_checks_keeps_the_report() {
    let mut world = World::new(20, Some(judge(false)), None, &[]);
    while !matches!(world.research.phase, RunPhase::Gathered(_))
        || world.research.check_state.as_ref().unwrap().draft.is_none()
    {
        assert!(world.step());
    }
    world.append(Event::CancelRequested {
        reason: crate::stop::CancelReason::User,
        partial: crate::stop::PartialResults::Keep,
    });
    let ledger = world.run();
    assert!(world.judged.is_empty());
    assert_eq!(ledger.tally().line(), "20 claims: 20 check failed");
}
