//! What comes next in checking a text.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    CheckPlan, CheckState, VerificationSummary, calls,
    conclude::{JudgeSkipReason, SkippedQuestions, complete, first_supports},
    controls, exam, judge, patching,
    plan::{ExamRule, JudgePlan},
    react::draft,
    standing::{MeasuredJudge, is_writer},
    state::PageLookup,
    task::{
        CheckCall, CheckRequest, CheckTask, CheckTaskOutcome, CitedPage, ExamineRequest, JudgeAnswer,
        JudgeLocation, JudgeRequest, JudgeSeat, StoredPage,
    },
};
use crate::{
    cost::{Cost, MicroUsd, Usage},
    driver_state::DriverState,
    engine_call::EngineCall,
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    instruction::{FinishAction, RunFinish, Step},
    ledger::{
        ClaimId, Ledger,
        source::{BEYOND_BYTES, BEYOND_LIMIT, NO_TIME_TO_FETCH},
    },
    report::Report,
    rounds::links,
    state::{RunPhase, RunState},
    stop::RunStop,
    web::{
        bill::Bill,
        state::{WebState, to_index},
        task::PageMetadata,
    },
};

/// A text that is larger, with its pages, may take seconds to examine: that it begins is recorded first, so that one
/// which brings drivers down is not begun by every later process.
const QUICK_BYTES_MAX: usize = 256 * 1024;
/// Examinations of one text that may be begun and never end.
const EXAMINATIONS_MAX: u32 = 2;
/// The part of a run's time after which no exam is begun: what is left belongs to the claims.
const EXAM_TIME_SHARE: f64 = 0.75;
/// Pages fetched for one report at once.
const PAGES_TOGETHER: usize = 6;
/// Stored text of all pages of one report: all of it is in memory while the report is examined. A thousand pages of
/// usual length are a fifth of it; it is what 120 pages of the greatest length take.
const PAGE_BYTES_MAX: usize = 240 * 1024 * 1024;

/// What to do for the text that waits to be checked; none if there is none.
pub fn next(research: &RunState, attention: &DriverState) -> Option<Step> {
    let plan = research.plan.checks.as_deref()?;
    let subject = subject(research)?;
    let checking = research.check_state.as_deref()?;
    Some(CheckStepContext { research, plan, checking, attention, subject }.next())
}

/// The stored text that waits: a finished report, or the answer of a round.
pub fn subject(research: &RunState) -> Option<Digest> {
    match &research.phase {
        RunPhase::Gathered(ending) => ending.report,
        RunPhase::Asked if research.cancel.is_none() => {
            research.rounds_state.as_ref().and_then(|course| course.unchecked())
        }
        RunPhase::Asked
        | RunPhase::Intended { .. }
        | RunPhase::Refused { .. }
        | RunPhase::Uncertain { .. }
        | RunPhase::Running
        | RunPhase::Ended(_) => None,
    }
}

struct CheckStepContext<'a> {
    research: &'a RunState,
    plan: &'a CheckPlan,
    checking: &'a CheckState,
    attention: &'a DriverState,
    subject: Digest,
}

impl CheckStepContext<'_> {
    fn next(&self) -> Step {
        let Some(report) = self.attention.blob(self.subject) else { return Step::Fetch(self.subject) };
        if self.checking.subject != Some(self.subject) {
            return record(Event::CheckBegun { subject: self.subject });
        }
        // Asked for every page that arrives, so the report is not read for it.
        if !self.checking.open.is_empty() {
            return self.open();
        }
        if let Some(changed) = patching::composed(self.research, self.checking, self.subject) {
            return Step::Finish(Box::new(changed));
        }
        match self.checking.draft {
            None => self.gather(report),
            Some(draft) => self.judge(draft),
        }
    }

    /// Cannot happen to bytes that were stored completely; if it does, the text ends as it is.
    fn unreadable(&self) -> Step {
        let problem =
            CodedError::new(Code::StoreCorrupt, "the stored text cannot be read, so it was not checked");
        let finish = self.finish(Report::default(), Some(problem));
        Step::Finish(Box::new(RunFinish { report: None, ..finish }))
    }

    /// Calls were intended and not all of them answered; see the web engine's rules for the same case.
    fn open(&self) -> Step {
        let paid = |task: &&CheckTask| self.plan.is_paid(task);
        if !self.attention.intent_is_fresh
            && let Some(task) = self.checking.open.iter().find(paid)
        {
            let problem = CodedError::new(
                Code::CreateUncertain,
                "Probity stopped between asking the judge and hearing its answer; it was not asked again",
            );
            return done(task.clone(), CheckTaskOutcome::Failed { problem }, Bill::UNKNOWN);
        }
        if let Some(digest) = self.missing_draft() {
            return Step::Fetch(digest);
        }
        let ledger = draft(self.checking, self.attention).unwrap_or_default();
        Step::PerformAll(self.checking.open.iter().map(|task| self.call(task, &ledger)).collect())
    }

    fn missing_draft(&self) -> Option<Digest> {
        self.checking.draft.filter(|draft| self.attention.blob(*draft).is_none())
    }

    fn call(&self, task: &CheckTask, ledger: &Ledger) -> EngineCall {
        let ask = match task {
            CheckTask::Page { url } => CheckRequest::Page { url: url.clone() },
            CheckTask::Judge { .. } | CheckTask::Exam { .. } | CheckTask::Second { .. } => {
                let course = self.checking.course(task.seat().0);
                let asked = self.plan.asked_by(task).map(|judge| judge::asked(judge, course, ledger, task));
                CheckRequest::Judge(JudgeRequest { items: asked.unwrap_or_default() })
            }
            CheckTask::Examine | CheckTask::Recall => CheckRequest::Judge(JudgeRequest { items: Vec::new() }),
        };
        EngineCall::Check(Box::new(CheckCall { task: task.clone(), paid: self.plan.is_paid(task), ask }))
    }

    fn is_late(&self) -> bool {
        self.attention.attended >= self.research.plan.limits.deadline()
    }

    /// Fetch pages that are cited and not stored yet; then examine.
    fn gather(&self, stored: &[u8]) -> Step {
        let Some(cited) = self.attention.cited.of(self.subject, stored) else { return self.unreadable() };
        let known = KnownPages::of(self);
        let wanted: Vec<CheckTask> = cited
            .iter()
            .take(to_index(self.plan.pages_max))
            .filter(|address| !known.has(&address.key))
            .take(PAGES_TOGETHER)
            .map(|address| CheckTask::Page { url: address.url.clone() })
            .collect();
        if !wanted.is_empty() && !self.is_late() && self.research.cancel.is_none() {
            return record(Event::CheckIntended { tasks: wanted });
        }
        let mut pages = Vec::new();
        let mut room = PAGE_BYTES_MAX;
        for (place, address) in cited.iter().enumerate() {
            match self.page(&known, (place, &address.key), &mut room) {
                Ok(page) => pages.push(CitedPage { url: address.url.clone(), page }),
                Err(missing) => return Step::Fetch(missing),
            }
        }
        let Ok(report) = Report::decode(stored) else { return self.unreadable() };
        let judging = match &self.plan.judge {
            None => JudgeLocation::Absent,
            Some(judge) if judge.local => JudgeLocation::Local,
            Some(_) => JudgeLocation::Remote,
        };
        let given = self.research.plan.given.is_some();
        if let Some(step) = self.before_examination(&report, &pages) {
            return step;
        }
        let claims_max = to_index(self.plan.claims_max);
        let ask = ExamineRequest { report, pages, at: self.research.updated_at, judging, given, claims_max };
        Step::Perform(EngineCall::Check(Box::new(CheckCall {
            task: CheckTask::Examine,
            paid: false,
            ask: CheckRequest::Examine(Box::new(ask)),
        })))
    }

    /// What comes before the examination of a text: the count of one that may take long, or the end of one that
    /// failed too often.
    fn before_examination(&self, report: &Report, pages: &[CitedPage]) -> Option<Step> {
        let begun = self.checking.examinations;
        if let Some(problem) = &self.checking.not_examined {
            return Some(self.give_up(report.clone(), problem.clone()));
        }
        if begun > 0 && self.research.cancel.is_some() {
            let problem = CodedError::new(Code::Cancelled, "cancelled before its claims were examined");
            return Some(self.give_up(report.clone(), problem));
        }
        let page_bytes = |page: &CitedPage| page.page.as_ref().map_or(0, |stored| stored.extract.len());
        let bytes = report.text.len() + pages.iter().map(page_bytes).sum::<usize>();
        if bytes <= QUICK_BYTES_MAX || self.attention.intent_is_fresh && begun > 0 {
            return None;
        }
        if begun >= EXAMINATIONS_MAX {
            let problem = CodedError::new(
                Code::ExecutionError,
                &format!(
                    "its claims were not examined: this was begun {begun} times, and each time the program \
                     ended before it was done; check the text in smaller parts with `probity verify`"
                ),
            );
            return Some(self.give_up(report.clone(), problem));
        }
        Some(record(Event::CheckIntended { tasks: vec![CheckTask::Examine] }))
    }

    /// The text ends as it is, unchecked: what was paid for is kept.
    fn give_up(&self, report: Report, problem: CodedError) -> Step {
        let finish = self.finish(report, Some(problem.clone()));
        let stop = if self.research.plan.given.is_none() {
            finish.stop
        } else if problem.code == Code::Cancelled {
            RunStop::Cancelled
        } else if problem.code == Code::Deadline {
            RunStop::TimedOut
        } else {
            RunStop::Failed
        };
        let problem = finish.problem.clone().filter(|problem| problem.code != Code::Cancelled);
        Step::Finish(Box::new(RunFinish { stop, problem, ..finish }))
    }

    /// The page as it is stored, or why it is not; an error names bytes that must be loaded first. `room` is what pages
    /// may still take.
    fn page(
        &self,
        known: &KnownPages<'_>,
        (place, key): (usize, &str),
        room: &mut usize,
    ) -> Result<Result<StoredPage, String>, Digest> {
        let Some((kept, quoted)) = known.stored(key) else {
            let most = self.plan.pages_max;
            return Ok(Err(match known.problem(key) {
                Some(why) => why.message.clone(),
                None if place < to_index(most) => NO_TIME_TO_FETCH.to_owned(),
                None => format!("{BEYOND_LIMIT}{most} pages; `checks.pages_max` raises it"),
            }));
        };
        let beyond = || Ok(Err(format!("{BEYOND_BYTES}{} MB of text of pages", PAGE_BYTES_MAX / 1_048_576)));
        if *room == 0 {
            return beyond();
        }
        let Some(bytes) = self.attention.blobs.get(&kept.extract) else { return Err(kept.extract) };
        if bytes.len() > *room {
            *room = 0;
            return beyond();
        }
        *room -= bytes.len();
        Ok(Ok(StoredPage { metadata: kept.clone(), extract: Arc::clone(bytes), quoted }))
    }

    /// Questions that rules leave open go to the judge, if there is one, and time and money. What it calls supported goes
    /// to the second one, if there is one.
    fn judge(&self, draft_digest: Digest) -> Step {
        if let Some(digest) = self.missing_draft() {
            return Step::Fetch(digest);
        }
        let report = self.attention.blob(draft_digest).and_then(|bytes| Report::decode(bytes).ok());
        let Report { ledger, rounds, .. } = report.unwrap_or_default();
        let ledger = ledger.map(|ledger| *ledger).unwrap_or_default();
        let judge = self.plan.judge.as_ref();
        // Nobody is examined for nothing.
        let Some(judge) = judge.filter(|_| !ledger.questions.is_empty()) else {
            return self.settle(draft_digest, [None, None]);
        };
        let asked: Vec<ClaimId> = ledger.questions.iter().map(|question| question.claim).collect();
        let first = match self.ask(JudgeSeat::First, judge, &ledger, &asked) {
            Ok(step) => return step,
            Err(why) => why,
        };
        let written_by = rounds.as_ref().map(|record| record.model.as_str());
        match self.ask_second(judge, &ledger, written_by) {
            Ok(step) => step,
            Err(second) => self.settle(draft_digest, [first, second]),
        }
    }

    /// The next thing to do with a judge: look for earlier answers, examine it, ask it about these claims. An error says
    /// why the rest of them is not put to it; none where there is no rest.
    fn ask(
        &self,
        seat: JudgeSeat,
        judge: &JudgePlan,
        ledger: &Ledger,
        claims: &[ClaimId],
    ) -> Result<Step, Option<JudgeSkipReason>> {
        let course = self.checking.course(seat);
        if !course.recalled {
            return Ok(self.recall(seat, judge, ledger, claims));
        }
        let open: Vec<ClaimId> = claims.iter().copied().filter(|claim| course.is_open(*claim)).collect();
        if let Some(step) = self.examine_judge(seat, judge, &open) {
            return Ok(step);
        }
        // The same claims go together whether or not some were answered before, and so do the known ones among them: a
        // judge is tested for the whole text.
        let is_due = |claims: &&[ClaimId]| {
            claims.iter().any(|claim| course.is_open(*claim))
                || course.needs_controls(claims)
                    && judge::known(ledger, claims).iter().any(|item| course.is_open(item.claim))
        };
        let mut due = calls::of(judge, ledger, claims).into_iter().filter(is_due).peekable();
        if due.peek().is_none() {
            return Err(None);
        }
        if let Some(why) = self.is_over() {
            return Err(Some(why));
        }
        let at_once = self.affordable(seat, judge).min(course.calls_at_once);
        let tasks: Vec<CheckTask> =
            due.take(at_once).map(|claims| seat.task(CheckTask::Judge { claims: claims.to_vec() })).collect();
        match tasks.is_empty() {
            true => Err(Some(JudgeSkipReason::Budget)),
            false => Ok(record(Event::CheckIntended { tasks })),
        }
    }

    /// The same for the second judge, about what the first one calls supported. One whose word would not count is not
    /// asked about claims.
    fn ask_second(
        &self,
        judge: &JudgePlan,
        ledger: &Ledger,
        written_by: Option<&str>,
    ) -> Result<Step, Option<JudgeSkipReason>> {
        let Some(second) = &self.plan.second else { return Err(None) };
        let (seat, course) = (JudgeSeat::Second, &self.checking.second);
        let claims = first_supports(ledger, judge, second, &self.checking.judge);
        if is_writer(second, written_by) || claims.is_empty() {
            return Err(None);
        }
        let batches = self.open_batches(seat, second);
        let is_trusted = || MeasuredJudge::of(second, course, None).standing.is_trusted();
        if course.recalled && batches.is_empty() && !is_trusted() {
            return Err(None);
        }
        if course.recalled
            && !batches.is_empty()
            && let Some(why) = self.exam_left_out(seat, second, &batches, &claims)
        {
            return Err(Some(why));
        }
        self.ask(seat, second, ledger, &claims)
    }

    fn is_over(&self) -> Option<JudgeSkipReason> {
        if self.research.cancel.is_some() {
            Some(JudgeSkipReason::Cancelled)
        } else if self.is_late() {
            Some(JudgeSkipReason::Deadline)
        } else {
            None
        }
    }

    /// The exam comes before the first claim. None: it was sat, is not asked for, or is left out.
    fn examine_judge(&self, seat: JudgeSeat, judge: &JudgePlan, open: &[ClaimId]) -> Option<Step> {
        let batches = self.open_batches(seat, judge);
        let is_left_out = self.exam_left_out(seat, judge, &batches, open).is_some();
        if batches.is_empty() || is_left_out {
            return None;
        }
        let batches = batches.into_iter().take(self.checking.course(seat).calls_at_once);
        let tasks = batches.map(|batch| seat.task(CheckTask::Exam { batch })).collect();
        Some(record(Event::CheckIntended { tasks }))
    }

    /// Calls of the exam that are still to be made.
    fn open_batches(&self, seat: JudgeSeat, judge: &JudgePlan) -> Vec<u32> {
        let is_open = |claim: ClaimId| self.checking.course(seat).is_open(claim);
        let batches = 0..u32::try_from(exam::BATCHES).unwrap_or(0);
        match judge.exam {
            ExamRule::Required => batches.filter(|batch| exam::claims_of(*batch).any(is_open)).collect(),
            ExamRule::Trusted => Vec::new(),
        }
    }

    /// Why the exam is not sat although it is open: no time, or no money for it and one call with claims.
    fn exam_left_out(
        &self,
        seat: JudgeSeat,
        judge: &JudgePlan,
        batches: &[u32],
        open: &[ClaimId],
    ) -> Option<JudgeSkipReason> {
        if let Some(why) = self.is_over() {
            return Some(why);
        }
        let deadline = self.research.plan.limits.deadline();
        if self.attention.attended >= deadline.mul_f64(EXAM_TIME_SHARE) {
            return Some(JudgeSkipReason::Deadline);
        }
        let needed = batches.len() + usize::from(!open.is_empty());
        (self.affordable(seat, judge) < needed).then_some(JudgeSkipReason::Budget)
    }

    /// Calls that still fit into the budget.
    fn affordable(&self, seat: JudgeSeat, judge: &JudgePlan) -> usize {
        let Some(budget) = self.research.budget() else { return usize::MAX };
        let price = judge.price.max(self.checking.course(seat).dearest);
        if price == MicroUsd(0) {
            return usize::MAX;
        }
        let left = budget.minus(self.research.spent_before_checks()).minus(self.checking.spent.cost);
        usize::try_from(left.0 / price.0).unwrap_or(usize::MAX)
    }

    /// Questions asked before, in this run or another, keep their answer.
    fn recall(&self, seat: JudgeSeat, judge: &JudgePlan, ledger: &Ledger, claims: &[ClaimId]) -> Step {
        let course = self.checking.course(seat);
        let known =
            calls::of(judge, ledger, claims).into_iter().flat_map(|claims| judge::known(ledger, claims));
        let known = known.map(|item| (item.claim, judge::question_key(judge, &item)));
        let claims: BTreeSet<ClaimId> = claims.iter().copied().collect();
        let questions = ledger.questions.iter().filter(|question| claims.contains(&question.claim));
        let asked = questions.filter_map(|question| {
            let item = judge::item(ledger, question)?;
            Some((question.claim, judge::question_key(judge, &item)))
        });
        let examined = match judge.exam {
            ExamRule::Required if course.exam_answers.is_empty() => exam::questions(judge),
            ExamRule::Required | ExamRule::Trusted => Vec::new(),
        };
        let examined = examined.iter().map(|it| (it.item.claim, judge::question_key(judge, &it.item)));
        let asked: Vec<(ClaimId, Digest)> = asked.chain(known).chain(examined).collect();
        let unknown: Vec<Digest> = asked
            .iter()
            .map(|(_, key)| *key)
            .filter(|key| !self.attention.recalled.contains_key(key))
            .collect();
        if !unknown.is_empty() {
            return Step::Recall(unknown);
        }
        // What was said of a known claim is never the word on one of the text.
        let is_known = |claim: ClaimId| controls::truth(claim).is_some();
        let earlier = |key: Digest| course.earlier.iter().rev().filter(move |answer| answer.key == key);
        let stored = |key: Digest| self.attention.recalled.get(&key).and_then(Option::as_ref);
        let answers = asked.iter().filter_map(|(claim, key)| {
            let mut said = earlier(*key).chain(stored(*key));
            let answer = said.find(|answer| is_known(*claim) || !is_known(answer.claim))?.clone();
            Some(JudgeAnswer { claim: *claim, key: *key, ..answer })
        });
        let outcome = CheckTaskOutcome::Judged { answers: answers.collect() };
        done(seat.task(CheckTask::Recall), outcome, Bill::NOTHING)
    }

    /// `not_asked`: why claims were not put to the first judge, and to the second.
    fn settle(&self, draft: Digest, not_asked: [Option<JudgeSkipReason>; 2]) -> Step {
        let Some(report) = self.attention.blob(draft).and_then(|bytes| Report::decode(bytes).ok()) else {
            return self.unreadable();
        };
        let at = self.research.updated_at;
        let exam = |seat: JudgeSeat| {
            let judge = self.plan.judge_at(seat)?;
            let batches = self.open_batches(seat, judge);
            self.exam_left_out(seat, judge, &batches, &[]).filter(|_| !batches.is_empty())
        };
        let [first, second] = not_asked;
        let skipped = [(JudgeSeat::First, first), (JudgeSeat::Second, second)]
            .map(|(seat, claims)| SkippedQuestions { claims, exam: exam(seat) });
        let report = complete(report, self.plan, self.checking, skipped, self.model_says(), at);
        let patches = patching::due(self.research, self.checking, &report);
        if let Some(patches) = patches.filter(|_| self.is_over().is_none()) {
            return record(Event::Patched { subject: self.subject, patches });
        }
        Step::Finish(Box::new(self.finish(report, None)))
    }

    /// Whether the model calls its own text verified, where it is asked to.
    fn model_says(&self) -> Option<bool> {
        let course = self.research.rounds_state.as_ref()?;
        let answered = course.answered.iter().find(|answered| answered.answer == self.subject)?;
        course.model_says(answered.round, &answered.facts)
    }

    fn finish(&self, report: Report, problem: Option<CodedError>) -> RunFinish {
        let standing =
            report.ledger.as_ref().map(|ledger| VerificationSummary::of(ledger)).unwrap_or_default();
        let base = RunFinish {
            stop: RunStop::Completed,
            problem: problem.clone(),
            report: Some(report),
            raw: Vec::new(),
            raw_kept: None,
            usage: None,
            cost: Cost::Nothing,
            progress: self.research.progress.clone(),
            action: FinishAction::Checked { subject: self.subject, standing },
        };
        match &self.research.phase {
            RunPhase::Gathered(ending) => RunFinish {
                stop: ending.stop,
                problem: ending.problem.clone().or(problem),
                raw_kept: ending.raw,
                usage: Usage::with_judge(ending.usage, ending.cost, self.checking.spent.usage),
                cost: ending.cost.plus(self.checking.spent.as_cost()),
                action: FinishAction::End,
                ..base
            },
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Refused { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running
            | RunPhase::Ended(_) => base,
        }
    }
}

/// The pages of a run by address: the web engine's own, and those looked up for checking.
struct KnownPages<'a> {
    gathering: Option<&'a WebState>,
    /// Places in the web engine's list.
    read: BTreeMap<String, usize>,
    looked_up: BTreeMap<&'a str, &'a PageLookup>,
}

impl<'a> KnownPages<'a> {
    fn of(context: &CheckStepContext<'a>) -> Self {
        let gathering = context.research.web_state.as_deref();
        let mut read = BTreeMap::new();
        for (place, page) in gathering.iter().flat_map(|gathering| gathering.pages.iter().enumerate()) {
            let record = &page.metadata.record;
            for url in [&record.final_url, &record.asked_url] {
                read.entry(links::canonical(url)).or_insert(place);
            }
        }
        let mut looked_up = BTreeMap::new();
        for lookup in &context.checking.page_lookups {
            looked_up.entry(lookup.key.as_str()).or_insert(lookup);
        }
        Self { gathering, read, looked_up }
    }

    fn has(&self, key: &str) -> bool {
        self.read.contains_key(key) || self.looked_up.contains_key(key)
    }

    /// The page with what a reader quoted of it.
    fn stored(&self, key: &str) -> Option<(&'a PageMetadata, Vec<(usize, usize)>)> {
        let gathering = self.gathering.zip(self.read.get(key));
        if let Some((gathering, place)) = gathering
            && let Some(page) = gathering.pages.get(*place)
        {
            let notes = gathering.notes.iter().filter(|note| to_index(note.page) == *place);
            let quotes = notes.flat_map(|note| &note.note.quotes).map(|quote| (quote.start, quote.end));
            return Some((&page.metadata, quotes.collect()));
        }
        Some((self.looked_up.get(key)?.found.as_deref().ok()?, Vec::new()))
    }

    fn problem(&self, key: &str) -> Option<&'a CodedError> {
        self.looked_up.get(key)?.found.as_ref().err()
    }
}

/// What is recorded of an examination whose driver was asked to stop: it is not one that brought a driver down.
pub fn stopped(research: &RunState, call: &EngineCall) -> Option<Event> {
    let EngineCall::Check(call) = call else { return None };
    let is_counted = research.check_state.as_ref().is_some_and(|checking| checking.examinations > 0);
    let problem =
        CodedError::new(Code::LeaseLost, "the driver was asked to stop; the next one examines the text");
    (call.task == CheckTask::Examine && is_counted).then_some(Event::CheckDone {
        task: CheckTask::Examine,
        outcome: CheckTaskOutcome::Failed { problem },
        bill: Bill::NOTHING,
    })
}

fn record(event: Event) -> Step {
    Step::Record(Box::new(event))
}

fn done(task: CheckTask, outcome: CheckTaskOutcome, bill: Bill) -> Step {
    record(Event::CheckDone { task, outcome, bill })
}
