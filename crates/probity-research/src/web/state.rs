//! The state of a run on the web engine: what its events leave behind.

mod attempt_gain;
mod candidates;
mod inquiry;
mod parent;
mod shown;

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::SteeringNote;

use super::{
    bill::{Bill, SpendTotal},
    gain::AttemptGain,
    note::ReaderNote,
    passages,
    plan::WebPlan,
    record::WebStop,
    search::{FilterReport, ProviderName, SearchHit},
    strategy::StrategyLevel,
    task::{Candidate, PageMetadata, PlannedQuery, QueryPlan, ReportDraft, WebTask, WebTaskOutcome},
};
use crate::{
    error::{Code, CodedError},
    inquiry::InquiryState,
    text,
};

/// Tries of one call: a second one after a failure that may pass, or after a crash in between.
const TRIES_MAX: u32 = 2;
/// Pages fetched in one attempt for each one that is wanted: some are dead, and the next best replaces them.
const FETCHES_PER_PAGE: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebStage {
    Plan,
    Search,
    Choose,
    Page,
    Read,
    Write,
    Done,
}

/// A query with the question it is to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    pub attempt: u32,
    pub question: String,
    pub query: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOutcome {
    pub query: u32,
    pub provider: ProviderName,
    pub hits: Vec<SearchHit>,
    pub heeded: FilterReport,
    pub silent_engines: Vec<String>,
    pub problem: Option<CodedError>,
}

/// The origin of an address. Never a model's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateOrigin {
    User,
    Search,
    /// A link on a page that was read.
    Link,
    LocalFile,
    /// A page that the research which this one continues had read.
    Parent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CandidateStatus {
    Waiting,
    Chosen,
    /// Position in the list of pages.
    Fetched(u32),
    Failed(CodedError),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ListedCandidate {
    pub candidate: Candidate,
    pub attempt: u32,
    pub question: String,
    pub origin: CandidateOrigin,
    pub status: CandidateStatus,
}

#[derive(Debug, Clone, PartialEq)]
pub struct GatheredPage {
    pub candidate: u32,
    pub attempt: u32,
    pub metadata: PageMetadata,
    /// The model failed: its question is searched by rule.
    pub by_rule: bool,
    pub is_read: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageNote {
    pub page: u32,
    pub question: String,
    pub note: ReaderNote,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WebState {
    /// From 1.
    pub attempt: u32,
    pub stage: WebStage,
    /// Intended and not yet answered.
    pub open: Vec<WebTask>,
    pub queries: Vec<SearchQuery>,
    pub search_outcomes: Vec<SearchOutcome>,
    pub candidates: Vec<ListedCandidate>,
    pub pages: Vec<GatheredPage>,
    pub notes: Vec<PageNote>,
    pub gains: Vec<AttemptGain>,
    pub draft: Option<ReportDraft>,
    pub stop: Option<WebStop>,
    pub spent: SpendTotal,
    /// Tasks that were given up, and why.
    pub troubles: Vec<(WebTask, CodedError)>,
    /// The model cannot be used any more: the rest is done by rule.
    pub model_lost: Option<CodedError>,
    /// The second engine's own state; none in a run of the first.
    pub inquiry: Option<Box<InquiryState>>,
    /// What the user said while it was under way, in order.
    pub steered: Vec<SteeringNote>,
    tries: BTreeMap<WebTask, u32>,
    over: BTreeSet<WebTask>,
    /// The canonical addresses of all candidates.
    listed: BTreeSet<String>,
    /// Search providers asked beyond the plan's first ones, after those failed.
    providers_added: usize,
}

impl WebState {
    pub fn begin(plan: &WebPlan, question: &str) -> Self {
        let mut gathering = Self {
            attempt: 1,
            stage: WebStage::Plan,
            open: Vec::new(),
            queries: Vec::new(),
            search_outcomes: Vec::new(),
            candidates: Vec::new(),
            pages: Vec::new(),
            notes: Vec::new(),
            gains: Vec::new(),
            draft: None,
            stop: None,
            spent: SpendTotal::default(),
            troubles: Vec::new(),
            model_lost: None,
            inquiry: None,
            steered: Vec::new(),
            tries: BTreeMap::new(),
            over: BTreeSet::new(),
            listed: BTreeSet::new(),
            providers_added: 0,
        };
        gathering.begin_inquiry(plan);
        gathering.take_over(plan, question);
        if plan.strategy.level == StrategyLevel::None && plan.pages.is_empty() && plan.folders.is_empty() {
            gathering.stop(WebStop::NotNeeded);
        }
        gathering.list_own_pages(plan, question);
        gathering.settle(plan, question);
        gathering
    }

    pub fn has_model(&self, plan: &WebPlan) -> bool {
        plan.model.is_some() && self.model_lost.is_none()
    }

    /// A page of the user's own, and a model that is not on this machine.
    pub fn stays_here(&self, plan: &WebPlan, page: u32) -> bool {
        let local_model = plan.model.as_ref().is_none_or(|model| model.local);
        let listed =
            self.pages.get(to_index(page)).and_then(|page| self.candidates.get(to_index(page.candidate)));
        !local_model && listed.is_some_and(|listed| listed.origin == CandidateOrigin::LocalFile)
    }

    /// These are about to be done.
    pub fn intend(&mut self, tasks: &[WebTask]) {
        self.open.extend_from_slice(tasks);
    }

    /// A task is over.
    pub fn apply_outcome(
        &mut self,
        plan: &WebPlan,
        question: &str,
        task: WebTask,
        outcome: &WebTaskOutcome,
        bill: &Bill,
    ) {
        self.open.retain(|open| *open != task);
        self.spent.add(bill);
        if let (WebTask::Survey { .. }, Some(inquiry)) = (task, &mut self.inquiry) {
            inquiry.reading.add(bill);
        }
        match outcome {
            WebTaskOutcome::Failed { problem } => self.fail(task, problem),
            outcome => {
                self.over.insert(task);
                self.succeed(plan, question, task, outcome);
            }
        }
        self.settle(plan, question);
    }

    /// Nothing more is gathered; the report is written from what there is.
    pub fn stop(&mut self, why: WebStop) {
        self.stop = self.stop.or(Some(why));
        if self.inquiry.is_some() {
            self.stop_inquiry();
            return;
        }
        self.stage = self.stage.max(WebStage::Write);
    }

    /// The same, and on to the first stage in which something is left to do.
    pub fn stop_now(&mut self, plan: &WebPlan, question: &str, why: WebStop) {
        self.stop(why);
        if self.inquiry.is_some() {
            self.settle(plan, question);
        }
    }

    /// A model wrote the report, at least in part.
    pub fn is_written(&self) -> bool {
        self.draft.is_some() || self.inquiry.as_ref().is_some_and(|inquiry| inquiry.is_written())
    }

    fn succeed(&mut self, plan: &WebPlan, question: &str, task: WebTask, outcome: &WebTaskOutcome) {
        match (task, outcome) {
            (WebTask::Plan { .. }, WebTaskOutcome::Planned(planned)) => {
                self.take_queries(plan, question, planned)
            }
            (WebTask::Search { query, provider }, WebTaskOutcome::Found { hits, heeded, silent_engines }) => {
                self.search_outcomes.push(SearchOutcome {
                    query,
                    provider,
                    hits: hits.clone(),
                    heeded: *heeded,
                    silent_engines: silent_engines.clone(),
                    problem: None,
                });
            }
            (WebTask::Folder { folder }, WebTaskOutcome::Files { names }) => {
                self.list_files(folder, names, question)
            }
            (WebTask::Choose { .. }, WebTaskOutcome::Chosen { candidates }) => self.choose(candidates, plan),
            (WebTask::Page { candidate }, WebTaskOutcome::Page(kept)) => {
                let place = length(&self.pages);
                self.pages.push(GatheredPage {
                    candidate,
                    attempt: self.attempt,
                    metadata: (**kept).clone(),
                    // Whoever wants it finished now does not wait for a model that reads.
                    by_rule: self.stop == Some(WebStop::Finished),
                    is_read: false,
                });
                self.set_candidate_status(candidate, CandidateStatus::Fetched(place));
            }
            (WebTask::Read { page }, WebTaskOutcome::Noted(note)) => self.take_note(page, note),
            (WebTask::Write, WebTaskOutcome::Written(draft)) => self.draft = Some(draft.clone()),
            (
                task,
                outcome @ (WebTaskOutcome::Briefed(_)
                | WebTaskOutcome::Lined(_)
                | WebTaskOutcome::Surveyed(_)
                | WebTaskOutcome::Outlined(_)
                | WebTaskOutcome::Sectioned(_)
                | WebTaskOutcome::Synthesized(_)
                | WebTaskOutcome::Fronted(_)),
            ) => self.succeed_in_inquiry(task, outcome),
            // An outcome of another kind says nothing about this task.
            (
                _,
                WebTaskOutcome::Planned(_)
                | WebTaskOutcome::Found { .. }
                | WebTaskOutcome::Files { .. }
                | WebTaskOutcome::Chosen { .. }
                | WebTaskOutcome::Page(_)
                | WebTaskOutcome::Noted(_)
                | WebTaskOutcome::Written(_)
                | WebTaskOutcome::Failed { .. },
            ) => {}
        }
    }

    fn take_note(&mut self, page: u32, note: &ReaderNote) {
        let Some(read) = self.pages.get_mut(to_index(page)) else { return };
        // A reader that only invents quotations is replaced by the rule.
        let only_invented = note.quotes.is_empty() && note.invented > 0 && !read.by_rule;
        read.is_read = !only_invented;
        read.by_rule |= only_invented;
        if only_invented {
            self.over.remove(&WebTask::Read { page });
        }
        let question = self.candidates.get(to_index(read.candidate)).map(|listed| listed.question.clone());
        if !note.quotes.is_empty() || note.invented > 0 {
            self.notes.push(PageNote { page, question: question.unwrap_or_default(), note: note.clone() });
        }
    }

    /// Whether this failure shows that the model is not there: nobody reached it, twice, and it never answered before.
    /// Waiting for it once more at every task would take all of the time.
    pub fn is_away(&self, task: WebTask, code: Code) -> bool {
        let is_tried = self.tries.get(&task).is_some_and(|tries| *tries + 1 >= TRIES_MAX);
        code == Code::Network && asks_a_model(task) && is_tried && !self.has_heard_model()
    }

    /// Whether any question to the model was answered.
    fn has_heard_model(&self) -> bool {
        let failed = |task: &WebTask| self.troubles.iter().any(|(troubled, _)| troubled == task);
        self.over.iter().any(|task| asks_a_model(*task) && !failed(task))
    }

    /// A failure that may pass is retried once; any other is given up, and something simpler replaces it.
    fn fail(&mut self, task: WebTask, problem: &CodedError) {
        let is_away = self.is_away(task, problem.code);
        let tries = self.tries.entry(task).or_default();
        *tries += 1;
        let may_pass = problem.wait_before_retry().is_some() || problem.code == Code::CreateUncertain;
        let tries = *tries;
        if may_pass && tries < TRIES_MAX {
            return;
        }
        if asks_a_model(task) && tries < TRIES_MAX && self.shrink_after(problem.code) {
            return;
        }
        self.over.insert(task);
        self.troubles.push((task, problem.clone()));
        if asks_a_model(task) && (is_for_good(problem.code) || is_away) {
            self.model_lost = Some(problem.clone());
        }
        match task {
            WebTask::Search { query, provider } => self.search_outcomes.push(SearchOutcome {
                query,
                provider,
                hits: Vec::new(),
                heeded: FilterReport::default(),
                silent_engines: Vec::new(),
                problem: Some(problem.clone()),
            }),
            WebTask::Page { candidate } => {
                self.set_candidate_status(candidate, CandidateStatus::Failed(problem.clone()))
            }
            WebTask::Read { page } => {
                // Read by rule instead.
                self.over.remove(&task);
                if let Some(page) = self.pages.get_mut(to_index(page)) {
                    page.by_rule = true;
                }
            }
            WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => self.replace_in_inquiry(task),
            WebTask::Plan { .. } | WebTask::Choose { .. } | WebTask::Folder { .. } | WebTask::Write => {}
        }
    }

    fn take_queries(&mut self, plan: &WebPlan, question: &str, planned: &QueryPlan) {
        // An attempt that found nothing cannot have enough.
        let quoted =
            self.notes.iter().any(|note| !note.note.quotes.is_empty() && !self.is_parents(note.page));
        if planned.enough && quoted {
            self.stop(WebStop::Enough);
            return;
        }
        // A planner whose queries find nothing is not used again: the question's own words come first.
        if self.attempt > 1 && self.candidates.is_empty() {
            self.plain_queries(plan, question);
        }
        let asked = |known: &[SearchQuery], query: &str| known.iter().any(|asked| asked.query == query);
        for PlannedQuery { question: wanted, query } in &planned.queries {
            if self.queries_now().count() >= wanted_queries(plan) {
                break;
            }
            let query = text::line(query, super::search::QUERY_CHARACTERS_MAX);
            if !query.is_empty() && !asked(&self.queries, &query) {
                let wanted = text::line(wanted, super::search::QUERY_CHARACTERS_MAX);
                let wanted = if wanted.is_empty() { question.to_owned() } else { wanted };
                self.queries.push(SearchQuery { attempt: self.attempt, question: wanted, query });
            }
        }
    }

    /// The words of the question, where no model wrote queries.
    fn plain_queries(&mut self, plan: &WebPlan, question: &str) {
        let wanted = wanted_queries(plan);
        for query in passages::queries(question, wanted) {
            if self.queries_now().count() < wanted && !self.queries.iter().any(|asked| asked.query == query) {
                self.queries.push(SearchQuery {
                    attempt: self.attempt,
                    question: question.to_owned(),
                    query,
                });
            }
        }
    }

    fn queries_now(&self) -> impl Iterator<Item = (usize, &SearchQuery)> {
        self.queries.iter().enumerate().filter(|(_, query)| query.attempt == self.attempt)
    }

    /// The tasks that are due, most wanted first.
    pub fn due(&self, plan: &WebPlan) -> Vec<WebTask> {
        if let Some(inquiry) = &self.inquiry {
            return self.due_in_inquiry(plan, inquiry);
        }
        let all: Vec<WebTask> = match self.stage {
            WebStage::Plan if self.has_model(plan) && wanted_queries(plan) > 0 => {
                vec![WebTask::Plan { attempt: self.attempt }]
            }
            WebStage::Search => self.due_searches(plan),
            WebStage::Choose if self.must_choose(plan) => vec![WebTask::Choose { attempt: self.attempt }],
            WebStage::Page => self.due_pages(),
            WebStage::Read => {
                let unread = self.pages.iter().enumerate().filter(|(_, page)| !page.is_read);
                unread.map(|(page, _)| WebTask::Read { page: to_count(page) }).collect()
            }
            WebStage::Write if self.has_model(plan) && self.can_be_written() => vec![WebTask::Write],
            WebStage::Plan | WebStage::Choose | WebStage::Write | WebStage::Done => Vec::new(),
        };
        all.into_iter().filter(|task| !self.over.contains(task) && !self.open.contains(task)).collect()
    }

    /// There is something to write from, or the question needs nothing.
    fn can_be_written(&self) -> bool {
        self.stop == Some(WebStop::NotNeeded) || self.notes.iter().any(|note| !note.note.quotes.is_empty())
    }

    fn due_searches(&self, plan: &WebPlan) -> Vec<WebTask> {
        let folders = (0..to_count(plan.folders.len()))
            .filter(|_| self.attempt == 1)
            .map(|folder| WebTask::Folder { folder });
        let wanted = self.queries_now().filter(|(_, asked)| !self.is_left_out(&asked.question));
        let searches = wanted.flat_map(|(query, _)| {
            let alive = self.asked(plan).iter().filter(|provider| !self.is_dead(**provider));
            alive.map(move |provider| WebTask::Search { query: to_count(query), provider: *provider })
        });
        folders.chain(searches).collect()
    }

    /// The providers that queries go to.
    fn asked<'a>(&self, plan: &'a WebPlan) -> &'a [ProviderName] {
        let most = plan.asked().len().saturating_add(self.providers_added);
        plan.providers.get(..most).unwrap_or(&plan.providers)
    }

    /// A provider that refused for good is not called again.
    fn is_dead(&self, provider: ProviderName) -> bool {
        self.search_outcomes.iter().any(|searched| {
            searched.provider == provider
                && searched.problem.as_ref().is_some_and(|problem| is_for_good(problem.code))
        })
    }

    fn due_pages(&self) -> Vec<WebTask> {
        let mut chosen: Vec<(usize, &ListedCandidate)> = self
            .candidates
            .iter()
            .enumerate()
            .filter(|(_, listed)| listed.status == CandidateStatus::Chosen)
            .collect();
        // What the user named comes first, also where it was named late.
        chosen.sort_by_key(|(_, listed)| listed.origin != CandidateOrigin::User);
        chosen.into_iter().map(|(candidate, _)| WebTask::Page { candidate: to_count(candidate) }).collect()
    }

    /// Goes on to the first stage in which there is a task.
    fn settle(&mut self, plan: &WebPlan, question: &str) {
        if self.inquiry.is_some() {
            self.settle_inquiry(plan, question);
            return;
        }
        while self.open.is_empty() && self.stage != WebStage::Done && self.due(plan).is_empty() {
            match self.stage {
                WebStage::Plan => {
                    if self.queries_now().count() == 0 {
                        self.plain_queries(plan, question);
                    }
                    self.stage = WebStage::Search;
                }
                WebStage::Search => {
                    self.list_hits(plan);
                    self.stage = WebStage::Choose;
                }
                WebStage::Choose => {
                    self.choose_best(plan);
                    self.stage = WebStage::Page;
                }
                // Dead pages are replaced by the next best, as long as there are any.
                WebStage::Page => {
                    if !self.choose_best(plan) {
                        self.stage = WebStage::Read;
                    }
                }
                WebStage::Read => self.judge_attempt(plan),
                WebStage::Write => self.stage = WebStage::Done,
                WebStage::Done => {}
            }
        }
    }

    fn set_candidate_status(&mut self, candidate: u32, fate: CandidateStatus) {
        if let Some(listed) = self.candidates.get_mut(to_index(candidate)) {
            listed.status = fate;
        }
    }

    /// Something was intended, done or decided.
    pub fn has_begun(&self) -> bool {
        !self.open.is_empty() || !self.over.is_empty() || !self.tries.is_empty()
    }

    /// Sub-questions without any quotation.
    pub fn open_questions(&self) -> Vec<String> {
        let mut open: Vec<String> = Vec::new();
        for asked in &self.queries {
            let answered =
                self.notes.iter().any(|note| note.question == asked.question && !note.note.quotes.is_empty());
            if !answered && !open.contains(&asked.question) {
                open.push(asked.question.clone());
            }
        }
        open
    }
}

/// A question that needs no search asks for none, even where there are pages of the user's own to read.
fn wanted_queries(plan: &WebPlan) -> usize {
    to_index(plan.strategy.queries)
}

fn asks_a_model(task: WebTask) -> bool {
    match task {
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
        | WebTask::Front => true,
        WebTask::Search { .. } | WebTask::Folder { .. } | WebTask::Page { .. } => false,
    }
}

/// A retry would get the same refusal.
fn is_for_good(code: Code) -> bool {
    matches!(
        code,
        Code::KeyMissing
            | Code::KeyRefused
            | Code::PermissionDenied
            | Code::QuotaExhausted
            | Code::UnknownModel
    )
}

pub(crate) fn to_index(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

pub(super) fn to_count(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn length<T>(list: &[T]) -> u32 {
    to_count(list.len())
}
