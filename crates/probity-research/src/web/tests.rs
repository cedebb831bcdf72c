//! Whole runs on the web engine, in milliseconds: a scripted outside, every step as the rules decide it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{
    bill::Bill,
    page::{Extract, ExtractBlock, ExtractBlockKind, ExtractLink, MediaKind, PageRecord, Provenance},
    plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
    record::WebStop,
    search::{ProviderName, SearchHit, SearchReply},
    strategy::{Strategy, StrategyHints, StrategyLevel},
    task::{
        DraftSection, DraftSentence, FetchedPage, PlannedQuery, QueryPlan, ReadReply, ReportDraft, WebCall,
        WebRequest, WebTask, WebTaskOutput, WebTaskReply,
    },
};
use crate::{
    cost::{Cost, MicroUsd, Usage},
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    id::{Digest, RunId, Sequence},
    plan::{Plan, RunLimits},
    query::Query,
    react::{Reaction, RunFinish, react},
    rounds::{Mode, RoundsPlan},
    state::RunState,
    step::{Step, next_step},
    stop::{CancelReason, PartialResults, RunStop},
    time::Moment,
};

mod follow_ups;
mod price_points;

const STEPS_MAX: usize = 400;
const QUESTION: &str = "Why did the Tacoma Narrows Bridge fall?";

/// The outside: what it answers, and what it was asked.
struct World {
    research: RunState,
    attention: DriverState,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    asked: Vec<WebCall>,
    /// Pages that exist, and what they say.
    pages: BTreeMap<String, String>,
    refuse: BTreeMap<WebTask, Vec<Code>>,
    /// Forget everything after so many answers, as a crash would.
    crash_after: Option<usize>,
    time_per_step: Duration,
    /// The reader returns what stands on no page.
    invents: bool,
    /// Every query finds other pages.
    finds_others: bool,
}

fn plan(level: StrategyLevel, model: Option<bool>) -> WebPlan {
    WebPlan {
        strategy: Strategy::of(level, "the test says so"),
        hints: StrategyHints::default(),
        providers: vec![ProviderName::Tavily, ProviderName::Wikipedia],
        filters: super::SearchFilters::default(),
        model: model.map(|local| WebModel { name: "tester".to_owned(), local }),
        prices: WebCallPrices {
            plan: MicroUsd(1_000),
            choose: MicroUsd(1_000),
            read: MicroUsd(2_000),
            write: MicroUsd(5_000),
            searches: vec![(ProviderName::Tavily, MicroUsd(8_000))],
            checks: MicroUsd(0),
        },
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
        page_service: None,
        roles: RoleModels::default(),
        cut: None,
        inquiry: None,
        parent: None,
    }
}

impl World {
    fn new(web: WebPlan, budget: Option<MicroUsd>) -> Self {
        let limits = RunLimits::new(Duration::from_secs(3600), budget);
        let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
        let event = Event::Asked { query: Query::parse(QUESTION).unwrap(), plan };
        let first =
            StoredEvent { sequence: Sequence(1), at: Moment(1_800_000_000_000), attended_ms: 0, event };
        let pages = (1..=9).map(|number| {
            let text = format!(
                "Report number {number} of its own kind.\nThe Tacoma Narrows Bridge fell in 1940 because of flutter, says expert {number}."
            );
            (format!("https://site{number}.example/bridge"), text)
        });
        Self {
            research: RunState::replay(RunId::from_random(7), std::slice::from_ref(&first)).unwrap(),
            attention: DriverState::default(),
            blobs: BTreeMap::new(),
            asked: Vec::new(),
            pages: pages.collect(),
            refuse: BTreeMap::new(),
            crash_after: None,
            time_per_step: Duration::ZERO,
            invents: false,
            finds_others: false,
        }
    }

    fn append(&mut self, event: Event) {
        let recorded = StoredEvent {
            sequence: self.research.sequence.next(),
            at: Moment(1_800_000_000_000),
            attended_ms: 0,
            event,
        };
        let text = recorded.event.encode().unwrap();
        assert_eq!(Event::decode(recorded.event.version(), &text).unwrap(), recorded.event);
        self.research.apply(&recorded).unwrap();
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Option<Digest> {
        let digest = Digest([u8::try_from(self.blobs.len() + 1).unwrap(); 32]);
        self.blobs.insert(digest, bytes.into());
        Some(digest)
    }

    fn run(mut self) -> (Self, RunFinish) {
        for _ in 0..STEPS_MAX {
            self.attention.attended += self.time_per_step;
            match next_step(&self.research, &self.attention) {
                Step::Record(event) => {
                    self.attention.intent_is_fresh = matches!(*event, Event::GatherIntended { .. });
                    self.append(*event);
                }
                Step::Wait(_) => self.attention.pause = None,
                Step::Fetch(digest) => {
                    self.attention.blobs.insert(digest, Arc::clone(self.blobs.get(&digest).unwrap()));
                }
                Step::PerformAll(calls) => self.perform(calls),
                Step::Finish(finish) => {
                    self.append(finish.event(None, None, Moment(1)));
                    return (self, *finish);
                }
                other @ (Step::Perform(_) | Step::Rest | Step::Recall(_)) => panic!("{other:?}"),
            }
        }
        panic!("no end after {STEPS_MAX} steps: {:?}", self.research.web_state)
    }

    fn perform(&mut self, calls: Vec<EngineCall>) {
        for call in calls {
            let EngineCall::Web(call) = call else { panic!("{call:?}") };
            if self.crash_after == Some(self.asked.len()) {
                self.crash_after = None;
                self.asked.push(*call);
                self.attention = DriverState::default();
                return;
            }
            let (brought, bill) = self.answer(&call);
            let finding =
                EngineOutcome::Web(Box::new(WebTaskReply { task: call.task, output: brought, bill }));
            self.asked.push(*call);
            match react(&self.research, &mut self.attention, finding, Moment(0)) {
                Reaction::Append(event) => self.append(event),
                Reaction::KeepPage(page) => {
                    let snapshot = self.keep(page.snapshot.clone());
                    let text = self.keep(page.extract.encode());
                    self.append(page.event(snapshot, text));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn answer(&mut self, call: &WebCall) -> (WebTaskOutput, Bill) {
        if let Some(code) = self.refuse.get_mut(&call.task).and_then(Vec::pop) {
            return (WebTaskOutput::Failed(CodedError::new(code, "no")), Bill::NOTHING);
        }
        let usage = Usage { total_tokens: 100, ..Usage::default() };
        let priced = Bill::counted(self.research.plan.web.as_ref().unwrap().price(&call.task), usage);
        let brought = match &call.ask {
            WebRequest::Plan(ask) => WebTaskOutput::Planned(QueryPlan {
                queries: (0..ask.queries_max)
                    .map(|number| PlannedQuery {
                        question: format!("bridge question {}.{number} 1940 Tacoma", ask.attempt),
                        query: format!("bridge {} {number}", ask.attempt),
                    })
                    .collect(),
                enough: false,
            }),
            WebRequest::Search(ask) => WebTaskOutput::Found(SearchReply {
                hits: self.hits(&ask.query, usize::try_from(ask.max_results).unwrap()),
                ..SearchReply::default()
            }),
            WebRequest::Folder { .. } => WebTaskOutput::Files(vec!["notes.md".to_owned()]),
            WebRequest::Choose(ask) => WebTaskOutput::Chosen((0..ask.candidates.len()).rev().collect()),
            WebRequest::Page { url, .. } => match self.pages.get(url) {
                Some(text) => WebTaskOutput::Page(Box::new(page(url, text))),
                None if url.starts_with("file:") => WebTaskOutput::Page(Box::new(page(
                    url,
                    "My note: the Tacoma Bridge was private business.",
                ))),
                None => WebTaskOutput::Failed(CodedError::new(Code::PageUnreadable, "gone")),
            },
            WebRequest::Read(_) if self.invents => WebTaskOutput::Read(ReadReply {
                quotes: vec!["This stands on no page at all.".to_owned()],
                ..ReadReply::default()
            }),
            WebRequest::Read(ask) => WebTaskOutput::Read(ReadReply {
                quotes: ask.text.lines().skip(1).map(str::to_owned).collect(),
                facts: Vec::new(),
                links: vec![0],
            }),
            WebRequest::Write(ask) => WebTaskOutput::Written(ReportDraft {
                title: "The bridge".to_owned(),
                sections: vec![DraftSection {
                    heading: "Why".to_owned(),
                    sentences: ask
                        .notes
                        .iter()
                        .map(|told| DraftSentence { text: told.quotes.concat(), notes: vec![told.note] })
                        .collect(),
                }],
                unanswered: Vec::new(),
            }),
            other => panic!("the first engine never asks this: {other:?}"),
        };
        (brought, priced)
    }

    /// Many sites, of which every query finds others.
    fn add_sites(&mut self, sites: usize) {
        let text = |site: usize| {
            format!(
                "Report {site}.\nThe Tacoma Narrows Bridge fell in 1940 for reason {site}, says expert {site}."
            )
        };
        self.pages
            .extend((10..10 + sites).map(|site| (format!("https://site{site}.example/bridge"), text(site))));
        self.finds_others = true;
    }

    fn hits(&self, query: &str, most: usize) -> Vec<SearchHit> {
        let numbers = query.split_whitespace().filter_map(|word| word.parse::<usize>().ok());
        let first =
            if self.finds_others { numbers.fold(0, |sum, number| sum * 5 + number) * most } else { 0 };
        let hit = |url: &String| SearchHit {
            url: url.clone(),
            title: format!("Title of {url}"),
            snippet: format!("what {url} says about it"),
            published: None,
        };
        let all = self.pages.len();
        self.pages.keys().cycle().skip(first % all.max(1)).take(most.min(all)).map(hit).collect()
    }

    fn count(&self, of: fn(&WebRequest) -> bool) -> usize {
        self.asked.iter().filter(|call| of(&call.ask)).count()
    }
}

fn page(url: &str, text: &str) -> FetchedPage {
    let extract = Extract {
        text: text.to_owned(),
        blocks: vec![ExtractBlock {
            kind: ExtractBlockKind::Paragraph,
            start: 0,
            end: text.len(),
            source: None,
            page: None,
        }],
        title: Some(format!("Page {url}")),
        links: vec![ExtractLink { url: "https://linked.example/more".to_owned(), text: "more".to_owned() }],
        ..Extract::default()
    };
    let record = PageRecord {
        asked_url: url.to_owned(),
        final_url: url.to_owned(),
        redirects: Vec::new(),
        address: None,
        fetched_at: Moment(0),
        status: 200,
        headers: Vec::new(),
        media: MediaKind::Html,
        bytes: 10,
        provenance: Provenance::Direct,
        revalidated: false,
        overridden: false,
    };
    FetchedPage { record, snapshot: text.as_bytes().to_vec(), extract }
}

fn is_search(ask: &WebRequest) -> bool {
    matches!(ask, WebRequest::Search(_))
}

fn is_page(ask: &WebRequest) -> bool {
    matches!(ask, WebRequest::Page { .. })
}

#[test]
fn a_shallow_question_is_searched_once_and_written_with_its_sources() {
    let (world, finish) = World::new(plan(StrategyLevel::Shallow, Some(false)), None).run();
    let report = finish.report.unwrap();
    assert_eq!(finish.stop, RunStop::Completed);
    assert_eq!((world.count(is_search), world.count(is_page)), (2, 4));
    assert_eq!(report.sources.len(), 4);
    assert!(report.text.contains("# The bridge") && report.text.contains("[3]"), "{}", report.text);
    for citation in &report.citations {
        let said = report.text.get(citation.start..citation.end).unwrap();
        assert!(said.starts_with("The Tacoma Narrows Bridge fell in 1940"), "{said}");
    }
    let record = report.web.unwrap();
    assert!(record.model.is_some());
    assert!(record.sentences.iter().all(|sentence| sentence.origins == 1 && sentence.notes.len() == 1));
    // plan, choose, four reads, write, two searches
    assert_eq!(finish.cost, Cost::FromUsage(MicroUsd(1_000 + 1_000 + 8_000 + 5_000 + 16_000)));
}

#[test]
fn without_a_model_the_brief_is_made_of_quotations_and_says_so() {
    let (world, finish) = World::new(plan(StrategyLevel::Shallow, None), None).run();
    let report = finish.report.unwrap();
    assert!(report.text.contains("no language model wrote it"), "{}", report.text);
    assert!(report.text.contains("“The Tacoma Narrows Bridge fell in 1940"), "{}", report.text);
    assert!(
        world.asked.iter().all(|call| matches!(call.ask, WebRequest::Search(_) | WebRequest::Page { .. }))
    );
    for quote in report.web.unwrap().notes.iter().flat_map(|note| &note.quotes) {
        assert!(world.pages.values().any(|page| page.get(quote.start..quote.end) == Some(&quote.text)));
    }
}

#[test]
fn a_question_that_needs_no_search_gets_none_and_says_so() {
    let (world, finish) = World::new(plan(StrategyLevel::None, Some(false)), None).run();
    assert_eq!((world.count(is_search), world.count(is_page)), (0, 0));
    let report = finish.report.unwrap();
    assert!(report.text.contains("No search was made: the test says so"), "{}", report.text);
    assert_eq!(report.web.unwrap().stop, WebStop::NotNeeded);
}

#[test]
fn the_budget_ends_gathering_and_writing_still_happens() {
    // Enough for the plan, one search and the report.
    let (world, finish) = World::new(plan(StrategyLevel::Deep, Some(false)), Some(MicroUsd(24_000))).run();
    let report = finish.report.unwrap();
    assert_eq!(finish.stop, RunStop::Completed);
    assert!(report.text.contains("The budget ended the search"), "{}", report.text);
    assert!(report.text.contains("# The bridge"), "{}", report.text);
    assert!(finish.cost.known().unwrap() <= MicroUsd(24_000), "{:?}", finish.cost);
    assert!(world.asked.iter().any(|call| call.task == WebTask::Write));
}

/// Each budget leaves a report from pages, and none is paid for that has no quotation to rest on.
#[test]
fn a_budget_leaves_out_and_never_leaves_nothing() {
    for (budget, pages_read_by_the_model) in [(13_000, 0), (16_500, 0), (100_000, 1)] {
        let (world, finish) =
            World::new(plan(StrategyLevel::Shallow, Some(false)), Some(MicroUsd(budget))).run();
        assert_eq!(finish.stop, RunStop::Completed, "{budget}");
        let report = finish.report.unwrap();
        assert!(report.sources.len() > 1, "{budget}: {}", report.text);
        assert!(report.text.contains("# The bridge"), "{budget}: {}", report.text);
        let said = report.text.contains("The budget did not carry everything");
        assert_eq!(said, pages_read_by_the_model == 0, "{budget}: {}", report.text);
        assert!(world.count(|ask| matches!(ask, WebRequest::Read(_))) >= pages_read_by_the_model, "{budget}");
        assert!(finish.cost.known().unwrap() <= MicroUsd(budget), "{:?}", finish.cost);
    }
    let (world, finish) = World::new(plan(StrategyLevel::Shallow, Some(false)), Some(MicroUsd(6_000))).run();
    assert_eq!((finish.stop, finish.report.is_none()), (CancelReason::Budget.stop(), true));
    assert!(world.asked.iter().all(|call| call.task != WebTask::Write), "written from nothing");
}

#[test]
fn time_that_runs_out_ends_in_a_report() {
    let mut world = World::new(plan(StrategyLevel::Deep, Some(false)), None);
    world.time_per_step = Duration::from_secs(60);
    let (_, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert_eq!(finish.report.unwrap().web.unwrap().stop, WebStop::Deadline);
}

#[test]
fn a_crash_at_any_call_loses_no_page_and_repeats_no_paid_call_without_a_record() {
    let (whole, _) = World::new(plan(StrategyLevel::Medium, Some(false)), None).run();
    for point in 0..whole.asked.len() {
        let mut world = World::new(plan(StrategyLevel::Medium, Some(false)), None);
        world.crash_after = Some(point);
        let (world, finish) = world.run();
        assert_eq!(finish.stop, RunStop::Completed, "crash at {point}");
        let lost = world.asked[point].clone();
        let mut times: BTreeMap<WebTask, usize> = BTreeMap::new();
        world.asked.iter().for_each(|call| *times.entry(call.task).or_default() += 1);
        let repeated: Vec<WebTask> =
            times.iter().filter(|(_, times)| **times > 1).map(|(task, _)| *task).collect();
        let record = world.research.web_state.unwrap().spent;
        if lost.paid {
            assert!(record.uncounted > 0, "crash at {point}: nobody recorded {:?}", lost.task);
        }
        // Free calls of the batch that had no answer are simply made again; paid ones only with a record.
        let paid =
            repeated.iter().filter(|task| whole.research.plan.web.as_ref().unwrap().is_paid(task)).count();
        assert!(paid <= usize::try_from(record.uncounted).unwrap(), "crash at {point}: {repeated:?}");
    }
}

#[test]
fn failures_are_tried_once_more_and_then_something_simpler_takes_their_place() {
    let mut world = World::new(plan(StrategyLevel::Shallow, Some(false)), None);
    world
        .refuse
        .insert(WebTask::Plan { attempt: 1 }, vec![Code::ProviderUnavailable, Code::ProviderUnavailable]);
    world.refuse.insert(WebTask::Read { page: 0 }, vec![Code::UnusableAnswer, Code::UnusableAnswer]);
    world.refuse.insert(WebTask::Page { candidate: 0 }, vec![Code::PageUnreadable]);
    world.refuse.insert(WebTask::Write, vec![Code::Timeout, Code::Timeout]);
    let (world, finish) = world.run();
    let report = finish.report.unwrap();
    assert_eq!(finish.stop, RunStop::Completed);
    assert!(report.text.contains("The model did not write this report"), "{}", report.text);
    // Who wrote it is what happened, not what was planned.
    assert_eq!(report.web.as_ref().and_then(|record| record.model.as_deref()), None);
    assert_eq!(report.queries.first().map(String::as_str), Some(QUESTION));
    assert_eq!(world.research.web_state.unwrap().pages.len(), 4, "a dead page was not replaced");
}

#[test]
fn a_model_that_refuses_the_key_is_not_asked_again() {
    let mut world = World::new(plan(StrategyLevel::Medium, Some(false)), None);
    world.refuse.insert(WebTask::Plan { attempt: 1 }, vec![Code::KeyRefused]);
    let (world, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Completed);
    assert_eq!(
        world.count(|ask| matches!(
            ask,
            WebRequest::Plan(_) | WebRequest::Choose(_) | WebRequest::Read(_) | WebRequest::Write(_)
        )),
        1
    );
}

#[test]
fn searches_that_all_fail_are_not_called_nothing_found() {
    let mut world = World::new(plan(StrategyLevel::Shallow, None), None);
    for query in 0..4 {
        let task = WebTask::Search { query, provider: ProviderName::Tavily };
        world.refuse.insert(task, vec![Code::SearchFailed; 4]);
    }
    let (_, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Failed);
    assert_eq!(finish.problem.unwrap().code, Code::SearchFailed);
    let mut empty = World::new(plan(StrategyLevel::Shallow, None), None);
    empty.pages.clear();
    let (_, finish) = empty.run();
    assert_eq!(finish.problem.unwrap().code, Code::NothingFound);
}

#[test]
fn private_context_and_own_files_reach_neither_a_search_nor_a_foreign_model() {
    let mut web = plan(StrategyLevel::Medium, Some(false));
    web.hints.context_snippet = Some("CANARY".to_owned());
    web.folders = vec!["/home/me/notes".to_owned()];
    let (world, finish) = World::new(web, None).run();
    for call in &world.asked {
        let told = format!("{:?}", call.ask);
        let is_writer = matches!(call.ask, WebRequest::Write(_));
        assert_eq!(told.contains("CANARY"), is_writer, "{told}");
        assert!(!told.contains("private business"), "{told}");
    }
    let report = finish.report.unwrap();
    assert!(report.text.contains("## From your own files") && report.text.contains("private business"));
}

#[test]
fn a_cancel_keeps_what_was_found() {
    let mut world = World::new(plan(StrategyLevel::Deep, Some(false)), None);
    while world.research.web_state.as_ref().unwrap().notes.is_empty() {
        match next_step(&world.research, &world.attention) {
            Step::Record(event) => {
                world.attention.intent_is_fresh = matches!(*event, Event::GatherIntended { .. });
                world.append(*event);
            }
            Step::Fetch(digest) => {
                let bytes = Arc::clone(world.blobs.get(&digest).unwrap());
                world.attention.blobs.insert(digest, bytes);
            }
            Step::PerformAll(calls) => world.perform(calls),
            other => panic!("{other:?}"),
        }
    }
    world.append(Event::CancelRequested { reason: CancelReason::User, partial: PartialResults::Keep });
    let (_, finish) = world.run();
    assert_eq!(finish.stop, RunStop::Cancelled);
    assert!(finish.report.unwrap().text.contains("It was cancelled"));
}

#[test]
fn links_named_by_a_reader_are_candidates_of_the_next_attempt_only() {
    let (world, _) = World::new(plan(StrategyLevel::Medium, Some(false)), None).run();
    let linked =
        |call: &&WebCall| matches!(&call.ask, WebRequest::Page { url, .. } if url.contains("linked.example"));
    assert!(world.asked.iter().filter(linked).count() <= 1);
}

#[test]
fn a_reader_that_only_invents_is_replaced_by_the_rule() {
    let mut world = World::new(plan(StrategyLevel::Shallow, Some(false)), None);
    world.invents = true;
    let (_, finish) = world.run();
    let record = finish.report.unwrap().web.unwrap();
    assert!(record.invented >= 3, "{}", record.invented);
    assert!(record.notes.iter().any(|note| note.quotes.iter().any(|quote| quote.text.contains("flutter"))));
}
