//! What comes next in a research on the web engine.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use super::{
    bill::Bill,
    canonical, conclude,
    page::Extract,
    passages,
    plan::WebPlan,
    record::WebStop,
    search::SearchCall,
    state::{WebStage, WebState, to_index},
    task::{
        ChooseRequest, PlanRequest, PromptNote, ReadRequest, WebCall, WebRequest, WebTask, WebTaskOutcome,
        WriteRequest,
    },
};
use crate::{
    cost::MicroUsd,
    driver_state::DriverState,
    engine_call::EngineCall,
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    inquiry,
    instruction::Step,
    report::phrases,
    state::{RunPhase, RunState},
    stop::CancelReason,
};

/// Calls under way at once for one run: pages of several hosts, readers of several pages.
pub const TOGETHER_MAX: usize = 6;
/// The part of one page that a reader is shown, in bytes: about 6,000 tokens, so that it fits a small model.
pub const READ_BYTES_MAX: usize = 24 * 1024;
/// Candidates that a chooser is shown.
const CHOOSE_MAX: usize = 30;
/// Files of one folder that are read for one question.
const FILES_MAX: u32 = 10;
/// Notes that a planner is shown: enough to see what is missing.
const PLANNER_NOTES_MAX: usize = 30;
/// Notes that a writer is shown at least; more where the plan lets more pages be read.
const WRITER_NOTES_MIN: usize = 80;

pub fn next(research: &RunState, plan: &WebPlan, gathering: &WebState, attention: &DriverState) -> Step {
    if matches!(research.phase, RunPhase::Ended(_) | RunPhase::Gathered(_)) {
        return Step::Rest;
    }
    if let Some(inquiry) = &gathering.inquiry {
        return inquiry::step::next(research, plan, gathering, inquiry, attention);
    }
    let stage = WebStepContext { research, plan, gathering, attention };
    if !gathering.open.is_empty() && research.cancel.is_none() {
        return stage.open();
    }
    if let Some(command) = &research.cancel {
        let stop = match command.reason {
            CancelReason::User => WebStop::Cancelled,
            CancelReason::Deadline => WebStop::Deadline,
            CancelReason::Budget => WebStop::Budget,
        };
        return Step::Finish(Box::new(conclude::conclude(research, plan, gathering, stop)));
    }
    match gathering.stage {
        WebStage::Done => stage.finish(),
        WebStage::Write => stage.write(),
        WebStage::Plan | WebStage::Search | WebStage::Choose | WebStage::Page | WebStage::Read => {
            stage.gather()
        }
    }
}

fn record(event: Event) -> Step {
    Step::Record(Box::new(event))
}

/// Not even started; something simpler replaces it.
fn give_up(task: WebTask, problem: CodedError) -> Step {
    record(Event::GatherDone { task, outcome: WebTaskOutcome::Failed { problem }, bill: Bill::NOTHING })
}

/// Everything that a decision depends on.
struct WebStepContext<'a> {
    research: &'a RunState,
    plan: &'a WebPlan,
    gathering: &'a WebState,
    attention: &'a DriverState,
}

impl WebStepContext<'_> {
    /// Calls were intended and not all of them answered. Those that this driver has not begun are made; after
    /// a crash it is unknown whether a paid one was made, so it is counted as perhaps paid.
    fn open(&self) -> Step {
        let interrupted = || self.gathering.open.iter().find(|task| self.plan.is_paid(task));
        if !self.attention.intent_is_fresh
            && let Some(task) = interrupted()
        {
            let problem = CodedError::new(
                Code::CreateUncertain,
                "Probity stopped between making a paid call and hearing its answer",
            );
            let outcome = WebTaskOutcome::Failed { problem };
            return record(Event::GatherDone { task: *task, outcome, bill: Bill::UNKNOWN });
        }
        match self.missing(&self.gathering.open) {
            Some(digest) => Step::Fetch(digest),
            None => Step::PerformAll(self.gathering.open.iter().map(|task| self.call(*task)).collect()),
        }
    }

    fn finish(&self) -> Step {
        let stop = self.gathering.stop.unwrap_or(WebStop::Limit);
        Step::Finish(Box::new(conclude::conclude(self.research, self.plan, self.gathering, stop)))
    }

    fn gather(&self) -> Step {
        let due = self.gathering.due(self.plan);
        if let Some(step) = due.iter().find_map(|task| self.by_rule(*task)) {
            return step;
        }
        if self.attention.attended >= self.plan.gather_until(&self.research.plan.limits) {
            return self.too_late(&due);
        }
        let tasks = self.affordable(&due);
        if tasks.is_empty() {
            return self.too_dear(&due);
        }
        match self.missing(&tasks) {
            Some(digest) => Step::Fetch(digest),
            None => record(Event::GatherIntended { tasks }),
        }
    }

    /// The price of writing was reserved; only time can take it away. Without a single quotation there is
    /// nothing to write: a model's own memory is no report.
    fn write(&self) -> Step {
        if self.gathering.due(self.plan).is_empty() {
            return self.finish();
        }
        if self.attention.attended >= self.research.plan.limits.deadline() {
            return give_up(
                WebTask::Write,
                CodedError::new(Code::Deadline, "there was no time left to write"),
            );
        }
        record(Event::GatherIntended { tasks: vec![WebTask::Write] })
    }

    /// As many of them as fit at once and into the budget, with the price of writing reserved.
    fn affordable(&self, due: &[WebTask]) -> Vec<WebTask> {
        let budget = self.plan.budget(&self.research.plan.limits);
        let reserved = self.reserved();
        let mut expected = self.spent_at_most().plus(reserved);
        let mut tasks = Vec::new();
        for task in due.iter().take(TOGETHER_MAX) {
            let price = self.plan.price(task);
            if price > MicroUsd(0) && expected.plus(price).plus(self.price_behind(task)) > budget {
                continue;
            }
            expected = expected.plus(price);
            tasks.push(*task);
        }
        tasks
    }

    /// The price of writing, and of checking what is written.
    fn reserved(&self) -> MicroUsd {
        let writing = if self.gathering.has_model(self.plan) { self.plan.prices.write } else { MicroUsd(0) };
        writing.plus(self.plan.prices.checks)
    }

    /// What was counted, and the most that calls without dollars on their bill may have cost.
    fn spent_at_most(&self) -> MicroUsd {
        let spent = &self.gathering.spent;
        let uncounted = self.plan.unpriced_call_max().0.saturating_mul(u64::from(spent.uncounted));
        spent.cost.plus(MicroUsd(uncounted))
    }

    /// Whether pages that cannot be read directly may be asked for elsewhere: the budget carries as many as are
    /// under way at once. Without it they are still fetched, which costs nothing.
    fn affords_page_service(&self) -> bool {
        let together = u64::try_from(TOGETHER_MAX).unwrap_or(u64::MAX);
        let price = MicroUsd(self.plan.page_service_price().0.saturating_mul(together));
        let expected = self.spent_at_most().plus(self.reserved()).plus(price);
        self.plan.page_service.is_some() && expected <= self.plan.budget(&self.research.plan.limits)
    }

    /// A plan is worth nothing without the search it is for.
    fn price_behind(&self, task: &WebTask) -> MicroUsd {
        let search = self.plan.asked().first().filter(|_| matches!(task, WebTask::Plan { .. }));
        search.and_then(|provider| self.plan.price_of_search(*provider)).unwrap_or_default()
    }

    /// What does not fit into the budget is left out or done by rule: pages that were found are read all the
    /// same. Only another attempt is not begun.
    fn too_dear(&self, due: &[WebTask]) -> Step {
        let begins = |task: &WebTask| match task {
            WebTask::Plan { .. } | WebTask::Search { .. } => true,
            WebTask::Folder { .. }
            | WebTask::Choose { .. }
            | WebTask::Page { .. }
            | WebTask::Read { .. }
            | WebTask::Write
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => false,
        };
        match due.first() {
            Some(task) if self.gathering.attempt == 1 || !begins(task) => {
                give_up(*task, CodedError::new(Code::Budget, "the budget does not carry this call"))
            }
            Some(_) | None => record(Event::GatherStopped { why: WebStop::Budget }),
        }
    }

    /// Pages that are here are still read, by rule: that takes milliseconds.
    fn too_late(&self, due: &[WebTask]) -> Step {
        match due.first() {
            Some(task @ WebTask::Read { .. }) => give_up(
                *task,
                CodedError::new(Code::Deadline, "there was no time left to read it with the model"),
            ),
            Some(
                WebTask::Plan { .. }
                | WebTask::Search { .. }
                | WebTask::Folder { .. }
                | WebTask::Choose { .. }
                | WebTask::Page { .. }
                | WebTask::Write
                | WebTask::Brief
                | WebTask::Line { .. }
                | WebTask::Survey { .. }
                | WebTask::Outline { .. }
                | WebTask::Section { .. }
                | WebTask::Synthesis
                | WebTask::Front,
            )
            | None => record(Event::GatherStopped { why: WebStop::Deadline }),
        }
    }

    /// Pages that no model may or can read are read by rule: the user's own files stay here.
    fn by_rule(&self, task: WebTask) -> Option<Step> {
        let WebTask::Read { page } = task else { return None };
        let read = self.gathering.pages.get(to_index(page))?;
        let listed = self.gathering.candidates.get(to_index(read.candidate))?;
        if self.gathering.has_model(self.plan) && !read.by_rule && !self.stays_here(page) {
            return None;
        }
        let Some(bytes) = self.attention.blob(read.metadata.extract) else {
            return Some(Step::Fetch(read.metadata.extract));
        };
        let extract = Extract::decode(bytes).unwrap_or_default();
        let outcome = WebTaskOutcome::Noted(passages::note(&extract, &listed.question));
        Some(record(Event::GatherDone { task, outcome, bill: Bill::NOTHING }))
    }

    fn stays_here(&self, page: u32) -> bool {
        self.gathering.stays_here(self.plan, page)
    }

    /// The texts of pages that are about to be read.
    fn missing(&self, tasks: &[WebTask]) -> Option<Digest> {
        tasks.iter().find_map(|task| {
            let WebTask::Read { page } = task else { return None };
            let digest = self.gathering.pages.get(to_index(*page))?.metadata.extract;
            self.attention.blob(digest).is_none().then_some(digest)
        })
    }

    fn call(&self, task: WebTask) -> EngineCall {
        let ask = match task {
            WebTask::Plan { attempt } => WebRequest::Plan(self.plan_ask(attempt)),
            WebTask::Search { query, provider } => WebRequest::Search(SearchCall {
                provider,
                query: self.query(query),
                max_results: self.plan.strategy.max_results,
                depth: self.plan.strategy.search_depth,
                filters: self.plan.filters.clone(),
            }),
            WebTask::Folder { folder } => WebRequest::Folder {
                path: self.plan.folders.get(to_index(folder)).cloned().unwrap_or_default(),
                question: self.question(),
                files_max: FILES_MAX,
            },
            WebTask::Choose { .. } => WebRequest::Choose(ChooseRequest {
                question: self.question(),
                pages_max: self.plan.strategy.top_pages,
                candidates: choices(self.gathering)
                    .into_iter()
                    .map(|(_, candidate)| candidate.clone())
                    .collect(),
            }),
            WebTask::Page { candidate } => WebRequest::Page {
                url: self
                    .gathering
                    .candidates
                    .get(to_index(candidate))
                    .map(|listed| listed.candidate.url.clone())
                    .unwrap_or_default(),
                render: self.plan.render,
                service: self.affords_page_service(),
            },
            WebTask::Read { page } => WebRequest::Read(self.read_ask(page)),
            // The tasks of an inquiry have steps of their own; here they can only come from a foreign journal.
            WebTask::Write
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => WebRequest::Write(WriteRequest {
                question: self.question(),
                context: self.plan.context_for_writing(),
                notes: self.prompt_notes(WRITER_NOTES_MIN.max(to_index(self.plan.strategy.pages_max()))),
                level: self.plan.strategy.level,
                words: self.plan.words(),
                language: self.language(),
                today: self.research.updated_at.date(),
            }),
        };
        EngineCall::Web(Box::new(WebCall { task, paid: self.plan.is_paid(&task), ask }))
    }

    fn question(&self) -> String {
        self.research.query.as_str().to_owned()
    }

    /// Asked for, else that of the question: notes in another one would lead a writer astray.
    fn language(&self) -> Option<String> {
        let asked = self.plan.hints.language.clone();
        asked.or_else(|| phrases::foreign_language(self.research.query.as_str()).map(str::to_owned))
    }

    fn query(&self, query: u32) -> String {
        self.gathering.queries.get(to_index(query)).map(|asked| asked.query.clone()).unwrap_or_default()
    }

    fn plan_ask(&self, attempt: u32) -> PlanRequest {
        PlanRequest {
            question: self.question(),
            context: self.plan.context_for_planning(),
            attempt,
            queries_max: self.plan.strategy.queries,
            asked_before: self.gathering.queries.iter().map(|asked| asked.query.clone()).collect(),
            notes: self.prompt_notes(PLANNER_NOTES_MAX),
            open: self.gathering.open_questions(),
            today: self.research.updated_at.date(),
        }
    }

    fn read_ask(&self, page: u32) -> ReadRequest {
        let Some(read) = self.gathering.pages.get(to_index(page)) else {
            return ReadRequest { question: self.question(), text: String::new(), links: Vec::new() };
        };
        let question =
            self.gathering.candidates.get(to_index(read.candidate)).map(|listed| listed.question.clone());
        let question = question.unwrap_or_else(|| self.question());
        let extract = self
            .attention
            .blob(read.metadata.extract)
            .and_then(|bytes| Extract::decode(bytes).ok())
            .unwrap_or_default();
        ReadRequest {
            text: passages::select(&extract, &question, READ_BYTES_MAX),
            links: read.metadata.links.iter().map(|link| link.text.clone()).collect(),
            question,
        }
    }

    /// Notes for planner and writer. What must stay on the machine is not among them.
    fn prompt_notes(&self, most: usize) -> Vec<PromptNote> {
        let notes = self.gathering.notes.iter().enumerate();
        notes
            .filter(|(_, note)| !note.note.quotes.is_empty() && !self.stays_here(note.page))
            .take(most)
            .filter_map(|(place_of_note, note)| {
                let page = self.gathering.pages.get(to_index(note.page))?;
                Some(PromptNote {
                    note: super::state::to_count(place_of_note),
                    site: canonical::site(&page.metadata.record.final_url).unwrap_or_default(),
                    published: page.metadata.published.clone(),
                    question: note.question.clone(),
                    quotes: note.note.quotes.iter().map(|quote| quote.text.clone()).collect(),
                })
            })
            .collect()
    }
}

/// What a chooser is shown, with each candidate's place in the whole list.
pub fn choices(gathering: &WebState) -> Vec<(u32, &super::task::Candidate)> {
    let waiting = gathering.waiting().into_iter().take(CHOOSE_MAX);
    waiting
        .filter_map(|candidate| Some((candidate, &gathering.candidates.get(to_index(candidate))?.candidate)))
        .collect()
}
