//! Where a research on the web engine stands: the state that its events leave behind.

mod judge;
mod list;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    bill::{Bill, Spent},
    fuse::Candidate,
    gain::Gain,
    note::Note,
    passages,
    plan::WebPlan,
    search::{Heeded, Hit, ProviderName},
    strategy::Level,
    task::{Draft, KeptPage, Outcome, Planned, PlannedQuery, Task},
};
use crate::{
    error::{Code, Problem},
    progress::{NEWS_MAX, News, Progress},
    text,
};

/// Tries of one call: a second one after a failure that may pass, or after a crash in between.
const TRIES_MAX: u32 = 2;
/// Pages fetched in one attempt for each one that is wanted: some are dead, and the next best takes their place.
const FETCHES_PER_PAGE: usize = 2;

/// Longest line of news.
const NEWS_CHARACTERS_MAX: usize = 160;

/// Why nothing more is gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebStop {
    /// The question needs no search.
    NotNeeded,
    /// Nothing is left to ask.
    Enough,
    /// Another attempt no longer helped.
    Saturated,
    /// All attempts that the plan allows were used.
    Limit,
    Budget,
    Deadline,
    /// Every search failed.
    Failure,
    Cancelled,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
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
pub struct AskedQuery {
    pub attempt: u32,
    pub question: String,
    pub query: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    pub query: u32,
    pub provider: ProviderName,
    pub hits: Vec<Hit>,
    pub heeded: Heeded,
    pub silent_engines: Vec<String>,
    pub problem: Option<Problem>,
}

/// Where an address came from. Never from a model's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    User,
    Search,
    /// A link on a page that was read.
    Link,
    LocalFile,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Waiting,
    Chosen,
    /// Place in the list of pages.
    Kept(u32),
    Failed(Problem),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub candidate: Candidate,
    pub attempt: u32,
    pub question: String,
    pub origin: Origin,
    pub fate: Fate,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ReadPage {
    pub candidate: u32,
    pub attempt: u32,
    pub kept: KeptPage,
    /// The model did not manage: its words are looked up by rule.
    pub by_rule: bool,
    pub is_read: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageNote {
    pub page: u32,
    pub question: String,
    pub note: Note,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Gathering {
    /// From 1.
    pub attempt: u32,
    pub stage: Stage,
    /// Intended and not yet answered.
    pub open: Vec<Task>,
    pub queries: Vec<AskedQuery>,
    pub searched: Vec<Searched>,
    pub listed: Vec<Listed>,
    pub pages: Vec<ReadPage>,
    pub notes: Vec<PageNote>,
    pub gains: Vec<Gain>,
    pub draft: Option<Draft>,
    pub stop: Option<WebStop>,
    pub spent: Spent,
    /// What was given up, and why.
    pub troubles: Vec<(Task, Problem)>,
    /// The model cannot be used any more: the rest is done by rule.
    pub model_lost: Option<Problem>,
    tries: BTreeMap<Task, u32>,
    over: Vec<Task>,
}

impl Gathering {
    pub fn begin(plan: &WebPlan, question: &str) -> Self {
        let mut gathering = Self {
            attempt: 1,
            stage: Stage::Plan,
            open: Vec::new(),
            queries: Vec::new(),
            searched: Vec::new(),
            listed: Vec::new(),
            pages: Vec::new(),
            notes: Vec::new(),
            gains: Vec::new(),
            draft: None,
            stop: None,
            spent: Spent::default(),
            troubles: Vec::new(),
            model_lost: None,
            tries: BTreeMap::new(),
            over: Vec::new(),
        };
        if plan.strategy.level == Level::None && plan.pages.is_empty() && plan.folders.is_empty() {
            gathering.stop(WebStop::NotNeeded);
        }
        gathering.list_own_pages(plan, question);
        gathering.settle(plan, question);
        gathering
    }

    pub fn has_model(&self, plan: &WebPlan) -> bool {
        plan.model.is_some() && self.model_lost.is_none()
    }

    /// These are about to be done.
    pub fn intend(&mut self, tasks: &[Task]) {
        self.open.extend_from_slice(tasks);
    }

    /// Something was done.
    pub fn take(&mut self, plan: &WebPlan, question: &str, task: Task, outcome: &Outcome, bill: &Bill) {
        self.open.retain(|open| *open != task);
        self.spent.add(bill);
        match outcome {
            Outcome::Failed { problem } => self.fail(task, problem),
            outcome => {
                self.over.push(task);
                self.succeed(plan, question, task, outcome);
            }
        }
        self.settle(plan, question);
    }

    /// Nothing more is gathered; what is there is written down.
    pub fn stop(&mut self, why: WebStop) {
        self.stop = self.stop.or(Some(why));
        self.stage = self.stage.max(Stage::Write);
    }

    fn succeed(&mut self, plan: &WebPlan, question: &str, task: Task, outcome: &Outcome) {
        match (task, outcome) {
            (Task::Plan { .. }, Outcome::Planned(planned)) => self.take_queries(plan, question, planned),
            (Task::Search { query, provider }, Outcome::Found { hits, heeded, silent_engines }) => {
                self.searched.push(Searched {
                    query,
                    provider,
                    hits: hits.clone(),
                    heeded: *heeded,
                    silent_engines: silent_engines.clone(),
                    problem: None,
                });
            }
            (Task::Folder { folder }, Outcome::Files { names }) => self.list_files(folder, names, question),
            (Task::Choose { .. }, Outcome::Chosen { candidates }) => self.choose(candidates, plan),
            (Task::Page { candidate }, Outcome::Page(kept)) => {
                let place = length(&self.pages);
                self.pages.push(ReadPage {
                    candidate,
                    attempt: self.attempt,
                    kept: (**kept).clone(),
                    by_rule: false,
                    is_read: false,
                });
                self.fate(candidate, Fate::Kept(place));
            }
            (Task::Read { page }, Outcome::Noted(note)) => self.take_note(page, note),
            (Task::Write, Outcome::Written(draft)) => self.draft = Some(draft.clone()),
            // An outcome of another kind says nothing about this task.
            _ => {}
        }
    }

    fn take_note(&mut self, page: u32, note: &Note) {
        let Some(read) = self.pages.get_mut(place(page)) else { return };
        // A reader that only invents is replaced by the rule.
        let only_invented = note.quotes.is_empty() && note.invented > 0 && !read.by_rule;
        read.is_read = !only_invented;
        read.by_rule |= only_invented;
        if only_invented {
            self.over.retain(|over| *over != Task::Read { page });
        }
        let question = self.listed.get(place(read.candidate)).map(|listed| listed.question.clone());
        if !note.quotes.is_empty() || note.invented > 0 {
            self.notes.push(PageNote { page, question: question.unwrap_or_default(), note: note.clone() });
        }
    }

    /// A failure that may pass is tried once more; any other is given up, and something simpler takes its place.
    fn fail(&mut self, task: Task, problem: &Problem) {
        let tries = self.tries.entry(task).or_default();
        *tries += 1;
        let may_pass = problem.wait_before_retry().is_some() || problem.code == Code::CreateUncertain;
        if may_pass && *tries < TRIES_MAX {
            return;
        }
        self.over.push(task);
        self.troubles.push((task, problem.clone()));
        if asks_a_model(task) && is_for_good(problem.code) {
            self.model_lost = Some(problem.clone());
        }
        match task {
            Task::Search { query, provider } => self.searched.push(Searched {
                query,
                provider,
                hits: Vec::new(),
                heeded: Heeded::default(),
                silent_engines: Vec::new(),
                problem: Some(problem.clone()),
            }),
            Task::Page { candidate } => self.fate(candidate, Fate::Failed(problem.clone())),
            Task::Read { page } => {
                // Read by rule instead.
                self.over.retain(|over| *over != task);
                if let Some(page) = self.pages.get_mut(place(page)) {
                    page.by_rule = true;
                }
            }
            Task::Plan { .. } | Task::Choose { .. } | Task::Folder { .. } | Task::Write => {}
        }
    }

    fn take_queries(&mut self, plan: &WebPlan, question: &str, planned: &Planned) {
        // Who has not found anything cannot have enough.
        let quoted = self.notes.iter().any(|note| !note.note.quotes.is_empty());
        if planned.enough && quoted {
            self.stop(WebStop::Enough);
            return;
        }
        // A planner whose queries find nothing is not trusted again: the question's own words come first.
        if self.attempt > 1 && self.listed.is_empty() {
            self.plain_queries(plan, question);
        }
        let asked = |known: &[AskedQuery], query: &str| known.iter().any(|asked| asked.query == query);
        for PlannedQuery { question: wanted, query } in &planned.queries {
            if self.queries_now().count() >= wanted_queries(plan) {
                break;
            }
            let query = text::line(query, super::search::QUERY_CHARACTERS_MAX);
            if !query.is_empty() && !asked(&self.queries, &query) {
                let wanted = text::line(wanted, super::search::QUERY_CHARACTERS_MAX);
                let wanted = if wanted.is_empty() { question.to_owned() } else { wanted };
                self.queries.push(AskedQuery { attempt: self.attempt, question: wanted, query });
            }
        }
    }

    /// The words of the question, where no model put them into queries.
    fn plain_queries(&mut self, plan: &WebPlan, question: &str) {
        let wanted = wanted_queries(plan);
        for query in passages::queries(question, wanted) {
            if self.queries_now().count() < wanted && !self.queries.iter().any(|asked| asked.query == query) {
                self.queries.push(AskedQuery { attempt: self.attempt, question: question.to_owned(), query });
            }
        }
    }

    fn queries_now(&self) -> impl Iterator<Item = (usize, &AskedQuery)> {
        self.queries.iter().enumerate().filter(|(_, query)| query.attempt == self.attempt)
    }

    /// What there is to do now, most wanted first.
    pub fn due(&self, plan: &WebPlan) -> Vec<Task> {
        let all: Vec<Task> = match self.stage {
            Stage::Plan if self.has_model(plan) && wanted_queries(plan) > 0 => {
                vec![Task::Plan { attempt: self.attempt }]
            }
            Stage::Search => self.due_searches(plan),
            Stage::Choose if self.must_choose(plan) => vec![Task::Choose { attempt: self.attempt }],
            Stage::Page => self.due_pages(),
            Stage::Read => {
                let unread = self.pages.iter().enumerate().filter(|(_, page)| !page.is_read);
                unread.map(|(page, _)| Task::Read { page: count(page) }).collect()
            }
            Stage::Write if self.has_model(plan) && self.can_be_written() => vec![Task::Write],
            Stage::Plan | Stage::Choose | Stage::Write | Stage::Done => Vec::new(),
        };
        all.into_iter().filter(|task| !self.over.contains(task) && !self.open.contains(task)).collect()
    }

    /// There is something to write from, or the question needs nothing.
    fn can_be_written(&self) -> bool {
        self.stop == Some(WebStop::NotNeeded) || self.notes.iter().any(|note| !note.note.quotes.is_empty())
    }

    fn due_searches(&self, plan: &WebPlan) -> Vec<Task> {
        let folders = (0..count(plan.folders.len()))
            .filter(|_| self.attempt == 1)
            .map(|folder| Task::Folder { folder });
        let searches = self.queries_now().flat_map(|(query, _)| {
            let alive = plan.asked().iter().filter(|provider| !self.is_dead(**provider));
            alive.map(move |provider| Task::Search { query: count(query), provider: *provider })
        });
        folders.chain(searches).collect()
    }

    /// A provider that refused for good is not asked again.
    fn is_dead(&self, provider: ProviderName) -> bool {
        self.searched.iter().any(|searched| {
            searched.provider == provider
                && searched.problem.as_ref().is_some_and(|problem| is_for_good(problem.code))
        })
    }

    fn due_pages(&self) -> Vec<Task> {
        let chosen = self.listed.iter().enumerate().filter(|(_, listed)| listed.fate == Fate::Chosen);
        chosen.map(|(candidate, _)| Task::Page { candidate: count(candidate) }).collect()
    }

    /// Goes on to the first stage in which there is something to do.
    fn settle(&mut self, plan: &WebPlan, question: &str) {
        while self.open.is_empty() && self.stage != Stage::Done && self.due(plan).is_empty() {
            match self.stage {
                Stage::Plan => {
                    if self.queries_now().count() == 0 {
                        self.plain_queries(plan, question);
                    }
                    self.stage = Stage::Search;
                }
                Stage::Search => {
                    self.list_hits(plan);
                    self.stage = Stage::Choose;
                }
                Stage::Choose => {
                    self.choose_best(plan);
                    self.stage = Stage::Page;
                }
                // Dead pages are replaced by the next best, as long as there are any.
                Stage::Page => {
                    if !self.choose_best(plan) {
                        self.stage = Stage::Read;
                    }
                }
                Stage::Read => self.judge(plan),
                Stage::Write => self.stage = Stage::Done,
                Stage::Done => {}
            }
        }
    }

    fn fate(&mut self, candidate: u32, fate: Fate) {
        if let Some(listed) = self.listed.get_mut(place(candidate)) {
            listed.fate = fate;
        }
    }

    /// Something was intended, done or decided.
    pub fn has_begun(&self) -> bool {
        !self.open.is_empty() || !self.over.is_empty() || !self.tries.is_empty()
    }

    /// Share of the stages of all attempts that are behind us: counted, and more than it will be if it stops early.
    pub fn percent(&self, plan: &WebPlan) -> u32 {
        const STAGES: u32 = 5;
        let stage = match self.stage {
            Stage::Plan => 0,
            Stage::Search => 1,
            Stage::Choose => 2,
            Stage::Page => 3,
            Stage::Read => 4,
            Stage::Write | Stage::Done => return 90,
        };
        let behind = self.attempt.saturating_sub(1).saturating_mul(STAGES).saturating_add(stage);
        behind.saturating_mul(90) / plan.strategy.max_attempts.max(1).saturating_mul(STAGES)
    }

    /// What can be counted so far, and what is under way.
    pub fn progress(&self) -> Progress {
        let searches = self.searched.iter().filter(|searched| searched.problem.is_none()).count();
        Progress {
            steps: length(&self.over),
            searches: count(searches),
            pages: length(&self.pages),
            usage: None,
            news: self.open.iter().take(NEWS_MAX).map(|task| self.news(*task)).collect(),
            remote_status: String::new(),
        }
    }

    fn news(&self, task: Task) -> News {
        let query =
            |query: u32| self.queries.get(place(query)).map(|asked| asked.query.clone()).unwrap_or_default();
        let listed = |candidate: u32| {
            self.listed.get(place(candidate)).map(|listed| listed.candidate.url.clone()).unwrap_or_default()
        };
        match task {
            Task::Plan { attempt } => News::Thought(format!("what to look up in attempt {attempt}")),
            Task::Choose { .. } => News::Thought("which pages to read".to_owned()),
            Task::Search { query: asked, provider } => News::Search(text::line(
                &format!("{} ({})", query(asked), provider.as_str()),
                NEWS_CHARACTERS_MAX,
            )),
            Task::Folder { .. } => News::Search("your own files".to_owned()),
            Task::Page { candidate } => News::Page(text::line(&listed(candidate), NEWS_CHARACTERS_MAX)),
            Task::Read { page } => {
                let candidate = self.pages.get(place(page)).map(|page| page.candidate);
                News::Page(text::line(&candidate.map(listed).unwrap_or_default(), NEWS_CHARACTERS_MAX))
            }
            Task::Write => News::Writing("the report".to_owned()),
        }
    }

    /// Sub-questions that no quotation speaks to.
    pub fn open_questions(&self) -> Vec<String> {
        let mut open: Vec<String> = Vec::new();
        for asked in &self.queries {
            let told =
                self.notes.iter().any(|note| note.question == asked.question && !note.note.quotes.is_empty());
            if !told && !open.contains(&asked.question) {
                open.push(asked.question.clone());
            }
        }
        open
    }
}

/// A question that needs no search asks for none, even where there are pages of the user's own to read.
fn wanted_queries(plan: &WebPlan) -> usize {
    place(plan.strategy.queries)
}

fn asks_a_model(task: Task) -> bool {
    matches!(task, Task::Plan { .. } | Task::Choose { .. } | Task::Read { .. } | Task::Write)
}

/// Asking again would bring the same refusal.
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

pub(crate) fn place(index: u32) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

pub(super) fn count(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn length<T>(list: &[T]) -> u32 {
    count(list.len())
}
