//! What comes next in an inquiry: the tasks that are due, as many as fit at once, into the budget and into the time.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use probity_types::inquiry::SurveyFacet;

use super::{
    anchor,
    requests::RequestContext,
    state::{InquiryStage, InquiryState},
};
use crate::{
    cost::MicroUsd,
    driver_state::DriverState,
    engine_call::EngineCall,
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    instruction::Step,
    state::{RunPhase, RunState},
    stop::CancelReason,
    web::{
        bill::Bill,
        conclude,
        page::Extract,
        plan::WebPlan,
        record::WebStop,
        search::SearchCall,
        state::{WebState, to_index},
        task::{WebCall, WebRequest, WebTask, WebTaskOutcome},
    },
};

/// Files of one folder that are read for one question.
const FILES_MAX: u32 = 10;
/// Results asked of one search.
const RESULTS_MAX: u32 = 20;

pub fn next(
    research: &RunState,
    plan: &WebPlan,
    gathering: &WebState,
    inquiry: &InquiryState,
    attention: &DriverState,
) -> Step {
    if matches!(research.phase, RunPhase::Ended(_) | RunPhase::Gathered(_)) {
        return Step::Rest;
    }
    let stage = InquiryStepContext { research, plan, gathering, inquiry, attention };
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
    match inquiry.stage {
        InquiryStage::Done => stage.finish(),
        InquiryStage::Section | InquiryStage::Synthesis | InquiryStage::Front => stage.write(),
        InquiryStage::Brief
        | InquiryStage::Line
        | InquiryStage::Search
        | InquiryStage::Page
        | InquiryStage::Survey
        | InquiryStage::Outline => stage.gather(),
    }
}

fn record(event: Event) -> Step {
    Step::Record(Box::new(event))
}

/// Not even started; something simpler replaces it.
fn give_up(task: WebTask, code: Code, why: &str) -> Step {
    let problem = CodedError::new(code, why);
    record(Event::GatherDone { task, outcome: WebTaskOutcome::Failed { problem }, bill: Bill::NOTHING })
}

/// Everything that a decision depends on.
struct InquiryStepContext<'a> {
    research: &'a RunState,
    plan: &'a WebPlan,
    gathering: &'a WebState,
    inquiry: &'a InquiryState,
    attention: &'a DriverState,
}

impl InquiryStepContext<'_> {
    /// Calls were intended and not all of them answered: as in the first engine, a paid one that may have been made
    /// before a crash counts as perhaps paid.
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

    /// The price of the least was reserved; only time can take it away.
    fn write(&self) -> Step {
        let due = self.gathering.due(self.plan);
        let Some(first) = due.first() else { return self.finish() };
        if self.attention.attended >= self.research.plan.limits.deadline() {
            return give_up(*first, Code::Deadline, "there was no time left to write it");
        }
        let tasks = self.affordable(&due);
        match tasks.is_empty() {
            true => give_up(*first, Code::Budget, "the budget does not carry this call"),
            false => record(Event::GatherIntended { tasks }),
        }
    }

    /// As many of them as fit at once and into the budget, with the price of what must follow reserved.
    fn affordable(&self, due: &[WebTask]) -> Vec<WebTask> {
        let budget = self.plan.budget(&self.research.plan.limits);
        let mut expected = self.spent_at_most().plus(self.reserved(budget));
        let mut tasks = Vec::new();
        for task in due.iter().take(to_index(self.inquiry.plan.caps.calls_at_once).max(1)) {
            let price = self.plan.price(task);
            if price > MicroUsd(0) && expected.plus(price) > budget {
                continue;
            }
            expected = expected.plus(price);
            tasks.push(*task);
        }
        tasks
    }

    /// What the rest of the report costs at least. Where the budget does not carry all sections, those are reserved
    /// that half of it carries: the other half is for finding something to write.
    fn reserved(&self, budget: MicroUsd) -> MicroUsd {
        self.plan.prices.checks.plus(self.reserved_for_writing(budget))
    }

    fn reserved_for_writing(&self, budget: MicroUsd) -> MicroUsd {
        if !self.gathering.has_model(self.plan) {
            return MicroUsd(0);
        }
        let plan = &self.inquiry.plan;
        match self.inquiry.stage {
            InquiryStage::Front | InquiryStage::Done => MicroUsd(0),
            InquiryStage::Section | InquiryStage::Synthesis => plan.price(&WebTask::Front),
            InquiryStage::Brief
            | InquiryStage::Line
            | InquiryStage::Search
            | InquiryStage::Page
            | InquiryStage::Survey
            | InquiryStage::Outline => {
                let fits = |sections: &u32| plan.writing_floor(*sections).0 <= budget.0 / 2;
                let carried = (1..=plan.caps.sections.max(1)).rev().find(fits);
                let least = plan.writing_floor(1);
                let floor = carried.map_or(least, |sections| plan.writing_floor(sections));
                if floor > budget { MicroUsd(0) } else { floor }
            }
        }
    }

    /// What was counted, and the most that calls without dollars on their bill may have cost.
    fn spent_at_most(&self) -> MicroUsd {
        let spent = &self.gathering.spent;
        let uncounted = self.plan.unpriced_call_max().0.saturating_mul(u64::from(spent.uncounted));
        spent.cost.plus(MicroUsd(uncounted))
    }

    fn affords_page_service(&self) -> bool {
        let together = u64::from(self.inquiry.plan.caps.calls_at_once);
        let price = MicroUsd(self.plan.page_service_price().0.saturating_mul(together));
        let budget = self.plan.budget(&self.research.plan.limits);
        let expected = self.spent_at_most().plus(self.reserved(budget)).plus(price);
        self.plan.page_service.is_some() && expected <= budget
    }

    /// What does not fit into the budget is done by rule or left out. Only another round is not begun.
    fn too_dear(&self, due: &[WebTask]) -> Step {
        let begins = |task: &WebTask| match task {
            WebTask::Line { .. } | WebTask::Search { .. } => true,
            WebTask::Plan { .. }
            | WebTask::Folder { .. }
            | WebTask::Choose { .. }
            | WebTask::Page { .. }
            | WebTask::Read { .. }
            | WebTask::Write
            | WebTask::Brief
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => false,
        };
        match due.first() {
            Some(task) if self.gathering.attempt == 1 || !begins(task) => {
                give_up(*task, Code::Budget, "the budget does not carry this call")
            }
            Some(_) | None => record(Event::GatherStopped { why: WebStop::Budget }),
        }
    }

    /// Pages that are here are still read, by rule: that takes milliseconds.
    fn too_late(&self, due: &[WebTask]) -> Step {
        let survey = due.iter().find(|task| match task {
            WebTask::Survey { .. } => true,
            WebTask::Plan { .. }
            | WebTask::Search { .. }
            | WebTask::Folder { .. }
            | WebTask::Choose { .. }
            | WebTask::Page { .. }
            | WebTask::Read { .. }
            | WebTask::Write
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => false,
        });
        match survey {
            Some(task) => give_up(*task, Code::Deadline, "there was no time left to read it with the model"),
            None => record(Event::GatherStopped { why: WebStop::Deadline }),
        }
    }

    /// Pages that no model may or can read are read by rule: the user's own files stay here.
    fn by_rule(&self, task: WebTask) -> Option<Step> {
        let WebTask::Survey { page } = task else { return None };
        let read = self.gathering.pages.get(to_index(page))?;
        let stays = self.gathering.stays_here(self.plan, page);
        if self.gathering.has_model(self.plan) && !read.by_rule && !stays {
            return None;
        }
        let Some(bytes) = self.attention.blob(read.metadata.extract) else {
            return Some(Step::Fetch(read.metadata.extract));
        };
        let extract = Extract::decode(bytes).unwrap_or_default();
        let mut note = anchor::by_rule(&extract, &self.facets_for(page, &extract));
        anchor::add_speakers(&extract, &mut note);
        let outcome = WebTaskOutcome::Surveyed(note);
        Some(record(Event::GatherDone { task, outcome, bill: Bill::NOTHING }))
    }

    /// The texts of pages that are about to be read.
    fn missing(&self, tasks: &[WebTask]) -> Option<Digest> {
        tasks.iter().find_map(|task| {
            let WebTask::Survey { page } = task else { return None };
            let digest = self.gathering.pages.get(to_index(*page))?.metadata.extract;
            self.attention.blob(digest).is_none().then_some(digest)
        })
    }

    fn facets_for(&self, page: u32, extract: &Extract) -> Vec<SurveyFacet> {
        let read = self.gathering.pages.get(to_index(page));
        let listed = read.and_then(|read| self.gathering.candidates.get(to_index(read.candidate)));
        let found_for = listed.and_then(|listed| self.inquiry.facet_asking(&listed.question));
        let query = read.and_then(|read| self.gathering.found_by(read.candidate, &extract.text));
        let question = self.question();
        self.requests(&question, "").facets_for(&extract.text, found_for, query)
    }

    fn requests<'a>(&'a self, question: &'a str, today: &'a str) -> RequestContext<'a> {
        RequestContext { inquiry: self.inquiry, question, context: self.plan.context_for_planning(), today }
    }

    fn call(&self, task: WebTask) -> EngineCall {
        let (question, today) = (self.question(), self.research.updated_at.date());
        let requests = self.requests(&question, &today);
        let ask = match task {
            WebTask::Brief => WebRequest::Brief(requests.brief()),
            WebTask::Line { facet, round } => {
                let asked: Vec<String> =
                    self.gathering.queries.iter().map(|asked| asked.query.clone()).collect();
                WebRequest::Line(requests.line(facet, round, &asked))
            }
            WebTask::Search { query, provider } => WebRequest::Search(SearchCall {
                provider,
                query: self
                    .gathering
                    .queries
                    .get(to_index(query))
                    .map(|asked| asked.query.clone())
                    .unwrap_or_default(),
                max_results: RESULTS_MAX.max(self.plan.strategy.max_results),
                depth: self.plan.strategy.search_depth,
                filters: self.plan.filters.clone(),
            }),
            WebTask::Folder { folder } => WebRequest::Folder {
                path: self.plan.folders.get(to_index(folder)).cloned().unwrap_or_default(),
                question,
                files_max: FILES_MAX,
            },
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
            WebTask::Survey { page } => self.survey(page, &requests),
            WebTask::Outline { round } => WebRequest::Outline(requests.outline(round)),
            WebTask::Section { node } => WebRequest::Section(requests.section(node)),
            WebTask::Synthesis => WebRequest::Synthesis(requests.synthesis()),
            WebTask::Front => WebRequest::Front(requests.front()),
            // Tasks of the first engine; a journal that holds one of them here is not ours, and the brief is harmless.
            WebTask::Plan { .. } | WebTask::Choose { .. } | WebTask::Read { .. } | WebTask::Write => {
                WebRequest::Brief(requests.brief())
            }
        };
        EngineCall::Web(Box::new(WebCall { task, paid: self.plan.is_paid(&task), ask }))
    }

    fn survey(&self, page: u32, requests: &RequestContext<'_>) -> WebRequest {
        let read = self.gathering.pages.get(to_index(page));
        let extract = read
            .and_then(|read| self.attention.blob(read.metadata.extract))
            .and_then(|bytes| Extract::decode(bytes).ok())
            .unwrap_or_default();
        let links = read
            .map(|read| read.metadata.links.iter().map(|link| link.text.clone()).collect())
            .unwrap_or_default();
        let facets = self.facets_for(page, &extract);
        WebRequest::Survey(requests.survey(&extract, links, facets))
    }

    fn question(&self) -> String {
        self.research.query.as_str().to_owned()
    }
}
