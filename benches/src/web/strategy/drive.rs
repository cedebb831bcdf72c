//! One research in a scripted world: the real rules say what comes next, the world answers, nothing else decides.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use probity_research::{
    cost::MicroUsd,
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    id::{Digest, RunId, Sequence},
    plan::{Plan, RunLimits},
    query::Query,
    react::{Reaction, react},
    rounds::{Mode, RoundsPlan},
    state::RunState,
    step::{Step, next_step},
    time::Moment,
    web::{
        bill::Bill,
        note::FactKind,
        page::{Extract, ExtractBlock, ExtractBlockKind, MediaKind, PageRecord, Provenance},
        plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
        search::{ProviderName, SearchFilters, SearchHit, SearchReply},
        strategy::{Strategy, StrategyHints, StrategyLevel},
        task::{
            FetchedPage, PlannedQuery, QueryPlan, ReadReply, ReportDraft, WebCall, WebRequest, WebTaskOutput,
            WebTaskReply,
        },
    },
};

use super::{ATTEMPTS_MAX, ScriptedPage, ScriptedWorld, is_figure};

/// A research of ten attempts takes a few hundred.
const STEPS_MAX: usize = 5_000;
const PROVIDERS: [ProviderName; 3] = [ProviderName::Tavily, ProviderName::Brave, ProviderName::Wikipedia];
const QUERIES: u32 = 4;
const NOW: Moment = Moment(1_800_000_000_000);

/// What became of one research.
#[derive(Debug)]
pub struct StrategyRun {
    /// Attempts whose searches brought anything.
    pub worked: usize,
    pub answered: bool,
    pub searches: usize,
}

/// What a research with a fixed number of attempts does in this world.
pub fn fixed(world: &ScriptedWorld, attempts: u32) -> StrategyRun {
    let made = world.outages.iter().take(attempts as usize);
    let worked = made.filter(|outage| !**outage).count();
    let searches = attempts as usize * QUERIES as usize * PROVIDERS.len();
    StrategyRun { worked, answered: worked >= world.answer_at, searches }
}

pub fn run(world: &ScriptedWorld) -> anyhow::Result<StrategyRun> {
    let mut driver = StrategyDriver::new(world)?;
    for _ in 0..STEPS_MAX {
        match next_step(&driver.research, &driver.attention) {
            Step::Record(event) => {
                driver.attention.intent_is_fresh = matches!(*event, Event::GatherIntended { .. });
                driver.append(*event)?;
            }
            Step::Wait(_) => driver.attention.pause = None,
            Step::Fetch(digest) => {
                let bytes = driver.blobs.get(&digest).context("bytes that nobody stored")?;
                driver.attention.blobs.insert(digest, Arc::clone(bytes));
            }
            Step::PerformAll(calls) => driver.perform(calls)?,
            Step::Finish(_) => return driver.ran(),
            Step::Perform(_) | Step::Recall(_) | Step::Rest => {
                bail!("the rules ask for something else than the web")
            }
        }
    }
    bail!("no end after {STEPS_MAX} steps")
}

struct StrategyDriver<'a> {
    world: &'a ScriptedWorld,
    research: RunState,
    attention: DriverState,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    /// Working attempts before this one, and whether this one's searches work.
    worked: usize,
    attempt: u32,
    searches: usize,
}

impl<'a> StrategyDriver<'a> {
    fn new(world: &'a ScriptedWorld) -> anyhow::Result<Self> {
        let strategy = Strategy {
            max_attempts: ATTEMPTS_MAX,
            queries: QUERIES,
            budget: MicroUsd(1_000_000_000),
            minutes: 600,
            ..Strategy::of(StrategyLevel::Deep, "measured")
        };
        let web = WebPlan {
            strategy,
            hints: StrategyHints::default(),
            providers: PROVIDERS.to_vec(),
            filters: SearchFilters::default(),
            model: Some(WebModel { name: "scripted".to_owned(), local: true }),
            prices: WebCallPrices::default(),
            pages: Vec::new(),
            folders: Vec::new(),
            render: false,
            page_service: None,
            roles: RoleModels::default(),
            cut: None,
            inquiry: None,
            parent: None,
        };
        let limits = RunLimits::new(Duration::from_secs(36_000), None);
        let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
        let query = Query::parse("What is the figure?").map_err(|problem| anyhow::anyhow!("{problem:?}"))?;
        let first = StoredEvent {
            sequence: Sequence(1),
            at: NOW,
            attended_ms: 0,
            event: Event::Asked { query, plan },
        };
        let research = RunState::replay(RunId::from_random(7), std::slice::from_ref(&first))?;
        Ok(Self {
            world,
            research,
            attention: DriverState::default(),
            blobs: BTreeMap::new(),
            worked: 0,
            attempt: 0,
            searches: 0,
        })
    }

    fn append(&mut self, event: Event) -> anyhow::Result<()> {
        let sequence = self.research.sequence.next();
        self.research.apply(&StoredEvent { sequence, at: NOW, attended_ms: 0, event })?;
        Ok(())
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Digest {
        let mut name = [0; 32];
        name.iter_mut().zip((self.blobs.len() as u64 + 1).to_be_bytes()).for_each(|(to, from)| *to = from);
        self.blobs.insert(Digest(name), bytes.into());
        Digest(name)
    }

    fn perform(&mut self, calls: Vec<EngineCall>) -> anyhow::Result<()> {
        for call in calls {
            let EngineCall::Web(call) = call else { bail!("a call that is not the web's") };
            let brought = self.answer(&call);
            let finding = EngineOutcome::Web(Box::new(WebTaskReply {
                task: call.task,
                output: brought,
                bill: Bill::NOTHING,
            }));
            match react(&self.research, &mut self.attention, finding, NOW) {
                Reaction::Append(event) => self.append(event)?,
                Reaction::KeepPage(page) => {
                    let (snapshot, text) =
                        (self.keep(page.snapshot.clone()), self.keep(page.extract.encode()));
                    self.append(page.event(Some(snapshot), Some(text)))?;
                }
                _ => bail!("the rules react as if this were no web research"),
            }
        }
        Ok(())
    }

    fn answer(&mut self, call: &WebCall) -> WebTaskOutput {
        match &call.ask {
            WebRequest::Plan(ask) => {
                if self.attempt > 0 && !self.is_outage() {
                    self.worked += 1;
                }
                self.attempt = ask.attempt;
                let query = |number: u32| {
                    let part = number as usize % self.world.parts;
                    let question = format!("part {part} of the question");
                    PlannedQuery { question, query: format!("words {} {number} {part}", ask.attempt) }
                };
                WebTaskOutput::Planned(QueryPlan {
                    queries: (0..ask.queries_max).map(query).collect(),
                    enough: false,
                })
            }
            WebRequest::Search(ask) => {
                self.searches += 1;
                if self.is_outage() || self.world.search_fails() {
                    return WebTaskOutput::Failed(CodedError::new(
                        Code::SearchFailed,
                        "the engines are down",
                    ));
                }
                let part = ask.query.rsplit(' ').next().and_then(|part| part.parse().ok()).unwrap_or(0);
                WebTaskOutput::Found(SearchReply {
                    hits: self.hits(part, ask.max_results as usize),
                    ..SearchReply::default()
                })
            }
            WebRequest::Choose(ask) => WebTaskOutput::Chosen((0..ask.candidates.len()).collect()),
            WebRequest::Page { url, .. } => match self.page(url) {
                Some(page) => WebTaskOutput::Page(Box::new(page)),
                None => WebTaskOutput::Failed(CodedError::new(Code::PageUnreadable, "gone")),
            },
            WebRequest::Read(ask) => WebTaskOutput::Read(read(&ask.text)),
            WebRequest::Folder { .. } => WebTaskOutput::Files(Vec::new()),
            WebRequest::Write(_) => WebTaskOutput::Written(ReportDraft::default()),
            WebRequest::Brief(_)
            | WebRequest::Line(_)
            | WebRequest::Survey(_)
            | WebRequest::Outline(_)
            | WebRequest::Section(_)
            | WebRequest::Synthesis(_)
            | WebRequest::Front(_) => WebTaskOutput::Failed(CodedError::new(
                Code::UnusableAnswer,
                "only the first engine is measured here",
            )),
        }
    }

    fn is_outage(&self) -> bool {
        let place = self.attempt.saturating_sub(1) as usize;
        self.world.outages.get(place).copied().unwrap_or(false)
    }

    /// What there is to this part of the question: new pages first, then copies and chaff, then what was found.
    fn hits(&self, part: usize, most: usize) -> Vec<SearchHit> {
        let now = self.world.batches.get(self.worked);
        let earlier = self.world.batches.iter().take(self.worked).flat_map(|batch| &batch.fresh);
        let fresh = now.into_iter().flat_map(|batch| &batch.fresh);
        let chaff = now.into_iter().flat_map(|batch| &batch.chaff);
        let hit = |page: &ScriptedPage| SearchHit {
            url: format!("{}?utm_source={part}", page.url),
            title: page.text.chars().take(50).collect(),
            snippet: page.text.chars().skip(50).take(150).collect(),
            published: None,
        };
        fresh.chain(chaff).chain(earlier).filter(|page| page.part == part).take(most).map(hit).collect()
    }

    fn page(&self, url: &str) -> Option<FetchedPage> {
        let bare = url.split('?').next()?;
        let mut all = self.world.batches.iter().flat_map(|batch| batch.fresh.iter().chain(&batch.chaff));
        let text = all.find(|page| page.url == bare)?.text.clone();
        let block = ExtractBlock {
            kind: ExtractBlockKind::Paragraph,
            start: 0,
            end: text.len(),
            source: None,
            page: None,
        };
        let record = PageRecord {
            asked_url: url.to_owned(),
            final_url: url.to_owned(),
            redirects: Vec::new(),
            address: None,
            fetched_at: NOW,
            status: 200,
            headers: Vec::new(),
            media: MediaKind::Html,
            bytes: text.len() as u64,
            provenance: Provenance::Direct,
            revalidated: false,
            overridden: false,
        };
        let snapshot = text.clone().into_bytes();
        Some(FetchedPage {
            record,
            snapshot,
            extract: Extract { text, blocks: vec![block], ..Extract::default() },
        })
    }

    fn ran(self) -> anyhow::Result<StrategyRun> {
        let gathering = self.research.web_state.context("no gathering")?;
        let quotes = || gathering.notes.iter().flat_map(|note| &note.note.quotes);
        let worked = gathering.gains.iter().filter(|gain| !gain.failed).count();
        Ok(StrategyRun {
            worked,
            answered: quotes().any(|quote| quote.text == self.world.answer),
            searches: self.searches,
        })
    }
}

/// A reader that quotes every sentence with a figure, and names the figure.
fn read(text: &str) -> ReadReply {
    let quotes: Vec<String> =
        text.lines().filter(|line| line.starts_with("The figure")).map(str::to_owned).collect();
    let figure = |(place, quote): (usize, &String)| {
        let value = quote.split(' ').find(|word| is_figure(word))?;
        Some((FactKind::Number, value.trim_end_matches('.').to_owned(), place))
    };
    let facts = quotes.iter().enumerate().filter_map(figure).collect();
    ReadReply { quotes, facts, links: Vec::new() }
}
