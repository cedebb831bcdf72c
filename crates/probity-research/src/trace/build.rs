//! Builds the steps from the events, one event at a time, beside the state before each event.

use super::{CHILDREN_MAX, TraceStep, TraceStepKind, TraceStepStatus, format};
use crate::{
    checking::{CheckTask, CheckTaskOutcome},
    cost::{Cost, Usage},
    error::CodedError,
    event::{Event, StoredEvent},
    price,
    progress::{NEWS_MAX, Progress, ProgressLine},
    rounds::state::{CallBilling, RoundStage},
    state::RunState,
    time::Moment,
    web::{
        bill::{Bill, BillBasis},
        task::{WebTask, WebTaskOutcome as TaskOutcome},
    },
};

/// What belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TraceGroup {
    Attempt(u32),
    Round(u32),
    Check(u32),
}

/// Finds the row again at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TraceRowKey {
    Task(WebTask),
    Check(CheckTask),
    Call,
    Run,
}

#[derive(Debug)]
struct TraceRow {
    group: Option<TraceGroup>,
    key: TraceRowKey,
    step: TraceStep,
}

#[derive(Debug, Default)]
pub(super) struct TraceBuilder {
    rows: Vec<TraceRow>,
    texts_checked: u32,
}

/// How a step ended, and what it cost.
struct TraceStepEnd {
    outcome: TraceStepStatus,
    result: String,
    usage: Usage,
    cost: Cost,
}

impl TraceBuilder {
    /// Applies one event; `research` is the state before it.
    pub fn take(&mut self, research: &RunState, recorded: &StoredEvent) {
        let at = recorded.at;
        match &recorded.event {
            Event::CreateIntended { .. } => self.call_begins(research, at),
            Event::CreateRefused { problem, .. } => self.refused(problem, at),
            Event::CreateUncertain { problem, .. } => {
                self.close_call(at, failed(format::problem(problem), Cost::Unknown));
            }
            Event::Observed { progress, .. } => self.observed(progress, at),
            Event::RoundAnswered { facts, billed, .. } => {
                let model = facts.model.clone().unwrap_or_else(|| model_of_rounds(research));
                let result = format::counted(format::size(facts.sources), "source", "sources");
                let (usage, cost) = priced(*billed, &model, at);
                self.name_call(&model);
                self.close_call(at, TraceStepEnd { outcome: TraceStepStatus::Done, result, usage, cost });
            }
            Event::RoundStumbled { problem, billed, model, work, .. } => {
                // The run's bill counts a useless answer at the price of the model that wrote it.
                let model = model.clone().unwrap_or_else(|| model_of_rounds(research));
                let (usage, cost) = priced(*billed, &model, at);
                self.name_call(&model);
                self.add_searches(&work.queries, at);
                self.close_call(at, TraceStepEnd { usage, ..failed(format::problem(problem), cost) });
            }
            Event::GatherIntended { tasks } => {
                tasks.iter().for_each(|task| self.task_begins(research, *task, at));
            }
            Event::GatherDone { task, outcome, bill } => {
                self.task_ends(research, *task, (outcome, bill), at);
            }
            Event::Gathered(ending) => {
                self.last_seen(research, ending.progress.as_deref(), at);
                self.run_ends(ending.usage, ending.cost, at);
            }
            Event::CheckBegun { .. } => self.texts_checked = self.texts_checked.saturating_add(1),
            Event::CheckIntended { tasks } => {
                tasks.iter().for_each(|task| self.check_begins(research, task, at));
            }
            Event::CheckDone { task, outcome, bill } => {
                self.check_ends(research, task, (outcome, bill), at);
            }
            Event::Ended { usage, cost, stop, progress, .. } => {
                let at = research.end_moment(*stop, at);
                self.last_seen(research, progress.as_ref(), at);
                self.run_ends(*usage, *cost, at);
                self.leave_open_ones(at);
            }
            Event::Reopened => self.reopen(),
            // Commands, failed looks, budgets and moves are no work: they take no time and cost nothing.
            Event::Asked { .. }
            | Event::PayAgainAccepted
            | Event::RemoteStarted { .. }
            | Event::LookFailed { .. }
            | Event::PartialKept { .. }
            | Event::CancelRequested { .. }
            | Event::CancelAnswered { .. }
            | Event::GatherStopped { .. }
            | Event::Patched { .. }
            | Event::Checked { .. }
            | Event::Left
            | Event::Arrived
            | Event::BudgetRaised { .. }
            | Event::HandedOver
            | Event::Steered { .. } => {}
        }
    }

    /// The rows that did the work, each with a cost of its own, however they are grouped.
    pub fn rows(&self) -> impl Iterator<Item = &TraceStep> {
        self.rows.iter().map(|row| &row.step)
    }

    /// Rows of one group become the children of one step, at the position of the first of them.
    pub fn finish(self) -> Vec<TraceStep> {
        let mut steps: Vec<TraceStep> = Vec::new();
        let mut places: Vec<(TraceGroup, usize)> = Vec::new();
        for row in self.rows {
            let Some(group) = row.group else {
                steps.push(row.step);
                continue;
            };
            let known = places.iter().find(|(known, _)| *known == group).map(|(_, place)| *place);
            let place = known.unwrap_or_else(|| {
                places.push((group, steps.len()));
                steps.push(group.step(row.step.started));
                steps.len() - 1
            });
            if let Some(parent) = steps.get_mut(place) {
                add_child(parent, row.step);
            }
        }
        for (_, place) in places {
            if let Some(parent) = steps.get_mut(place) {
                conclude(parent);
            }
        }
        steps
    }

    fn call_begins(&mut self, research: &RunState, at: Moment) {
        let Some(course) = &research.rounds_state else { return self.run_begins(research, at) };
        let place = course.position;
        let label = match (place.stage, place.cycle) {
            (RoundStage::Correction, _) => "the answer put into shape".to_owned(),
            (RoundStage::Main, 1) => "the answer".to_owned(),
            (RoundStage::Main, cycle) => format!("the answer, try {cycle}"),
        };
        let mut step = begun(TraceStepKind::Call, label, at);
        step.provider = Some(model_of_rounds(research));
        step.cost = Cost::Unknown;
        self.rows.push(TraceRow {
            group: Some(TraceGroup::Round(place.round)),
            key: TraceRowKey::Call,
            step,
        });
    }

    fn run_begins(&mut self, research: &RunState, at: Moment) {
        if let Some(step) = self.last(&TraceRowKey::Run) {
            step.ended = None;
            step.outcome = TraceStepStatus::Open;
            step.cost = Cost::Unknown;
            return;
        }
        let name = research.plan.model_or_agent().to_owned();
        let mut step = begun(TraceStepKind::AgentRun, format::short(&name), at);
        step.provider = Some(name);
        step.cost = Cost::Unknown;
        self.rows.push(TraceRow { group: None, key: TraceRowKey::Run, step });
    }

    fn refused(&mut self, problem: &CodedError, at: Moment) {
        if let Some(step) = self.last(&TraceRowKey::Run) {
            step.refusals = step.refusals.saturating_add(1);
        }
        self.close_call(at, failed(format::problem(problem), Cost::Nothing));
    }

    fn observed(&mut self, progress: &Progress, at: Moment) {
        if let Some(row) = self.rows.last_mut() {
            add_progress(&mut row.step, progress, at);
        }
    }

    /// What a call without an answer had searched for, where no poll had shown it.
    fn add_searches(&mut self, queries: &[String], at: Moment) {
        let call = self.last(&TraceRowKey::Call).filter(|step| step.outcome == TraceStepStatus::Open);
        let Some(step) = call else { return };
        for query in queries {
            let (kind, label) = format::news(&ProgressLine::Search(query.clone()));
            if !step.children.iter().any(|child| child.kind == kind && child.label == label) {
                add_told(step, kind, label, at);
            }
        }
    }

    /// The last answer about an agent's run: what no poll before it had shown.
    fn last_seen(&mut self, research: &RunState, progress: Option<&Progress>, at: Moment) {
        let run = self.last(&TraceRowKey::Run).filter(|step| step.outcome == TraceStepStatus::Open);
        if let (Some(step), Some(last)) = (run, progress) {
            let mut counts = research.progress.clone();
            counts.advance(last);
            add_progress(step, &Progress { news: last.news.clone(), ..counts }, at);
        }
    }

    fn task_begins(&mut self, research: &RunState, task: WebTask, at: Moment) {
        let mut step = begun(format::task_kind(task), format::task_label(research, task), at);
        step.provider = match task {
            WebTask::Search { provider, .. } => Some(provider.as_str().to_owned()),
            WebTask::Folder { .. } | WebTask::Page { .. } => None,
            WebTask::Plan { .. }
            | WebTask::Choose { .. }
            | WebTask::Read { .. }
            | WebTask::Write
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => {
                research.plan.web.as_ref().and_then(|web| web.model.as_ref()).map(|model| model.name.clone())
            }
        };
        if research.plan.web.as_ref().is_some_and(|web| web.is_paid(&task)) {
            step.cost = Cost::Unknown;
        }
        let attempt = research.web_state.as_ref().map_or(1, |gathering| gathering.attempt);
        let writes = format::task_kind(task) == TraceStepKind::Write;
        let group = (!writes).then_some(TraceGroup::Attempt(attempt));
        self.begin_again(TraceRow { group, key: TraceRowKey::Task(task), step });
    }

    fn task_ends(&mut self, research: &RunState, task: WebTask, reply: (&TaskOutcome, &Bill), at: Moment) {
        let key = TraceRowKey::Task(task);
        if !self.is_open(&key) {
            // Done by rule, or given up before it was begun: no provider was called.
            self.task_begins(research, task, at);
            if let Some(step) = self.last(&key) {
                step.provider = None;
            }
        }
        if let (WebTask::Page { .. }, Some(step)) = (task, self.last(&key)) {
            // A page that was billed came from the service that is asked for pages.
            let service = research.plan.web.as_ref().and_then(|web| web.page_service.as_ref());
            let billed = reply.1.basis != BillBasis::Nothing;
            step.provider = service.filter(|_| billed).map(|service| service.name.clone());
        }
        let outcome = match reply.0 {
            TaskOutcome::Failed { .. } => TraceStepStatus::Failed,
            _ => TraceStepStatus::Done,
        };
        self.close(&key, at, end_of(outcome, format::task_result(reply.0), reply.1));
    }

    fn check_begins(&mut self, research: &RunState, task: &CheckTask, at: Moment) {
        let mut step = begun(format::check_kind(task), format::check_label(task), at);
        let judge = research.plan.checks.as_ref().and_then(|checks| checks.asked_by(task));
        step.provider = judge.map(|judge| judge.name.clone());
        if research.plan.checks.as_ref().is_some_and(|checks| checks.is_paid(task)) {
            step.cost = Cost::Unknown;
        }
        let group = Some(TraceGroup::Check(self.texts_checked.max(1)));
        self.begin_again(TraceRow { group, key: TraceRowKey::Check(task.clone()), step });
    }

    fn check_ends(
        &mut self,
        research: &RunState,
        task: &CheckTask,
        reply: (&CheckTaskOutcome, &Bill),
        at: Moment,
    ) {
        let key = TraceRowKey::Check(task.clone());
        if !self.is_open(&key) {
            self.check_begins(research, task, at);
        }
        let outcome = match reply.0 {
            CheckTaskOutcome::Failed { .. } => TraceStepStatus::Failed,
            _ => TraceStepStatus::Done,
        };
        self.close(&key, at, end_of(outcome, format::check_result(reply.0), reply.1));
    }

    /// A run of an agent is over; any other step keeps its own cost.
    fn run_ends(&mut self, usage: Option<Usage>, cost: Cost, at: Moment) {
        let Some(step) = self.last(&TraceRowKey::Run).filter(|step| step.outcome == TraceStepStatus::Open)
        else {
            return;
        };
        step.ended = Some(at);
        step.outcome = TraceStepStatus::Done;
        step.usage = usage.unwrap_or(step.usage);
        step.cost = cost;
    }

    /// The run is over and the outcome of these steps stays unknown.
    fn leave_open_ones(&mut self, at: Moment) {
        for row in self.rows.iter_mut().filter(|row| row.step.outcome == TraceStepStatus::Open) {
            row.step.ended = Some(at);
            row.step.outcome = TraceStepStatus::Failed;
            // A provider that was called may bill it; our own work costs nothing.
            row.step.cost = if row.step.provider.is_some() { Cost::Unknown } else { Cost::Nothing };
            row.step.result = "left when the research ended".to_owned();
        }
    }

    fn reopen(&mut self) {
        if let Some(step) = self.last(&TraceRowKey::Run) {
            step.ended = None;
            step.outcome = TraceStepStatus::Open;
        }
    }

    /// The same task tried again is a row of its own that says so.
    fn begin_again(&mut self, mut row: TraceRow) {
        let before = self.rows.iter().filter(|known| known.key == row.key && known.group == row.group);
        row.step.refusals = u32::try_from(before.count()).unwrap_or(u32::MAX);
        self.rows.push(row);
    }

    fn name_call(&mut self, model: &str) {
        if let Some(step) = self.last(&TraceRowKey::Call) {
            step.provider = Some(model.to_owned());
        }
    }

    fn close_call(&mut self, at: Moment, end: TraceStepEnd) {
        let key = if self.is_open(&TraceRowKey::Call) { TraceRowKey::Call } else { TraceRowKey::Run };
        self.close(&key, at, end);
    }

    fn close(&mut self, key: &TraceRowKey, at: Moment, end: TraceStepEnd) {
        let row = self.rows.iter_mut().rev().find(|row| row.key == *key);
        let Some(step) = row.map(|row| &mut row.step).filter(|step| step.outcome == TraceStepStatus::Open)
        else {
            return;
        };
        step.ended = Some(at);
        step.outcome = end.outcome;
        step.result = end.result;
        step.usage = end.usage;
        step.cost = end.cost;
    }

    fn is_open(&self, key: &TraceRowKey) -> bool {
        self.rows.iter().any(|row| row.key == *key && row.step.outcome == TraceStepStatus::Open)
    }

    fn last(&mut self, key: &TraceRowKey) -> Option<&mut TraceStep> {
        self.rows.iter_mut().rev().find(|row| row.key == *key).map(|row| &mut row.step)
    }
}

impl TraceGroup {
    fn step(self, at: Moment) -> TraceStep {
        match self {
            Self::Attempt(number) => begun(TraceStepKind::Attempt, format!("attempt {number}"), at),
            Self::Round(number) => begun(TraceStepKind::Round, format!("round {number}"), at),
            Self::Check(1) => begun(TraceStepKind::Check, "every claim checked".to_owned(), at),
            Self::Check(number) => {
                begun(TraceStepKind::Check, format!("every claim checked, text {number}"), at)
            }
        }
    }
}

/// A step under way that costs nothing; one that may be billed costs nobody knows what until it is over.
fn begun(kind: TraceStepKind, label: String, at: Moment) -> TraceStep {
    TraceStep {
        kind,
        label,
        provider: None,
        started: at,
        ended: None,
        outcome: TraceStepStatus::Open,
        usage: Usage::NONE,
        cost: Cost::Nothing,
        refusals: 0,
        result: String::new(),
        children: Vec::new(),
        children_left_out: 0,
    }
}

fn failed(result: String, cost: Cost) -> TraceStepEnd {
    TraceStepEnd { outcome: TraceStepStatus::Failed, result, usage: Usage::NONE, cost }
}

fn end_of(outcome: TraceStepStatus, result: String, bill: &Bill) -> TraceStepEnd {
    let cost = match bill.basis {
        BillBasis::Nothing => Cost::Nothing,
        BillBasis::Counted => Cost::FromUsage(bill.cost),
        BillBasis::AtLeast => Cost::AtLeast(bill.cost),
        BillBasis::Unknown => Cost::Unknown,
    };
    TraceStepEnd { outcome, result, usage: bill.usage, cost }
}

/// Counts and happenings of an agent's run, or of a call.
fn add_progress(step: &mut TraceStep, progress: &Progress, at: Moment) {
    step.usage = progress.usage.unwrap_or(step.usage);
    step.result = format!(
        "{} · {}",
        format::counted(format::size(progress.searches), "search", "searches"),
        format::counted(format::size(progress.pages), "page", "pages")
    );
    for news in &progress.news {
        let (kind, label) = format::news(news);
        // Polls overlap: what the last ones showed is not repeated.
        let earlier = step.children.iter().rev().take(2 * NEWS_MAX);
        if !earlier.into_iter().any(|child| child.kind == kind && child.label == label) {
            add_told(step, kind, label, at);
        }
    }
}

/// What a provider told once it was over.
fn add_told(step: &mut TraceStep, kind: TraceStepKind, label: String, at: Moment) {
    let mut child = begun(kind, label, at);
    child.ended = Some(at);
    child.outcome = TraceStepStatus::Done;
    add_child(step, child);
}

fn add_child(parent: &mut TraceStep, child: TraceStep) {
    if parent.children.len() < CHILDREN_MAX {
        parent.children.push(child);
    } else {
        parent.children_left_out = parent.children_left_out.saturating_add(1);
        parent.usage = parent.usage.plus(&child.usage);
        parent.cost = parent.cost.plus(child.cost);
    }
}

/// The sums of its rows.
fn conclude(parent: &mut TraceStep) {
    let children = &parent.children;
    let open = children.iter().any(|child| child.outcome == TraceStepStatus::Open);
    let all_failed = children.iter().all(|child| child.outcome == TraceStepStatus::Failed);
    parent.outcome = match (open, all_failed) {
        (true, _) => TraceStepStatus::Open,
        (false, true) => TraceStepStatus::Failed,
        (false, false) => TraceStepStatus::Done,
    };
    let last = children.iter().filter_map(|child| child.ended).max();
    parent.ended = last.filter(|_| !open);
    for child in children {
        parent.usage = parent.usage.plus(&child.usage);
        parent.cost = parent.cost.plus(child.cost);
        parent.refusals = parent.refusals.saturating_add(u32::from(child.outcome == TraceStepStatus::Failed));
    }
    parent.result = format::group_result(children);
}

fn model_of_rounds(research: &RunState) -> String {
    let seen = research.rounds_state.as_ref().and_then(|course| course.model_seen());
    let planned = research.plan.rounds.as_ref().map_or("auto", |rounds| rounds.model_name());
    seen.unwrap_or(planned).to_owned()
}

fn priced(billed: CallBilling, model: &str, at: Moment) -> (Usage, Cost) {
    let cost = |usage: &Usage| price::of_model(model, usage, &at.date());
    match billed {
        CallBilling::Nothing => (Usage::NONE, Cost::Nothing),
        CallBilling::Counted(usage) => (usage, Cost::FromUsage(cost(&usage))),
        CallBilling::AtLeast(usage) => (usage, Cost::AtLeast(cost(&usage))),
        CallBilling::Unknown => (Usage::NONE, Cost::Unknown),
    }
}
