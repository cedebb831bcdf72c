//! Whole researches on the web engine, in milliseconds: a scripted outside, every step as the rules decide it.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{
    bill::Bill,
    gather::WebStop,
    page::{Block, BlockKind, Extract, Link, Media, PageRecord, Provenance},
    plan::{Prices, WebModel, WebPlan},
    search::{Hit, ProviderName, SearchAnswer},
    strategy::{Hints, Level, Strategy},
    task::{
        Ask, Brought, BroughtPage, Draft, DraftSection, DraftSentence, Planned, PlannedQuery, ReadReply,
        Task, WebCall, WebFinding,
    },
};
use crate::{
    attention::Attention,
    cost::{Cost, MicroUsd, Usage},
    error::{Code, Problem},
    event::{Event, Recorded},
    finding::{Call, Finding},
    id::{Digest, ResearchId, Sequence},
    plan::{Limits, Plan},
    query::Query,
    react::{Finish, Reaction, react},
    rounds::{Manner, RoundsPlan},
    state::Research,
    step::{Step, next_step},
    stop::{CancelReason, Partial, Stop},
    time::Moment,
};

const STEPS_MAX: usize = 400;
const QUESTION: &str = "Why did the Tacoma Narrows Bridge fall?";

/// The outside: what it answers, and what it was asked.
struct World {
    research: Research,
    attention: Attention,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    asked: Vec<WebCall>,
    /// Pages that exist, and what they say.
    pages: BTreeMap<String, String>,
    refuse: BTreeMap<Task, Vec<Code>>,
    /// Forget everything after so many answers, as a crash would.
    crash_after: Option<usize>,
    time_per_step: Duration,
    /// The reader returns what stands on no page.
    invents: bool,
}

fn plan(level: Level, model: Option<bool>) -> WebPlan {
    WebPlan {
        strategy: Strategy::of(level, "the test says so"),
        hints: Hints::default(),
        providers: vec![ProviderName::Tavily, ProviderName::Wikipedia],
        filters: super::Filters::default(),
        model: model.map(|local| WebModel { name: "tester".to_owned(), local }),
        prices: Prices {
            plan: MicroUsd(1_000),
            choose: MicroUsd(1_000),
            read: MicroUsd(2_000),
            write: MicroUsd(5_000),
            searches: vec![(ProviderName::Tavily, MicroUsd(8_000))],
        },
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
    }
}

impl World {
    fn new(web: WebPlan, budget: Option<MicroUsd>) -> Self {
        let limits = Limits::new(Duration::from_secs(3600), budget);
        let plan = Plan::on_the_web(RoundsPlan::new(Manner::DeepResearch, 1), web, limits);
        let event = Event::Asked { query: Query::parse(QUESTION).unwrap(), plan };
        let first = Recorded { sequence: Sequence(1), at: Moment(1_800_000_000_000), attended_ms: 0, event };
        let pages = (1..=9).map(|number| {
            let text = format!(
                "Report number {number} of its own kind.\nThe Tacoma Narrows Bridge fell in 1940 because of flutter, says expert {number}."
            );
            (format!("https://site{number}.example/bridge"), text)
        });
        Self {
            research: Research::replay(ResearchId::from_random(7), std::slice::from_ref(&first)).unwrap(),
            attention: Attention::default(),
            blobs: BTreeMap::new(),
            asked: Vec::new(),
            pages: pages.collect(),
            refuse: BTreeMap::new(),
            crash_after: None,
            time_per_step: Duration::ZERO,
            invents: false,
        }
    }

    fn append(&mut self, event: Event) {
        let recorded = Recorded {
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

    fn run(mut self) -> (Self, Finish) {
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
        panic!("no end after {STEPS_MAX} steps: {:?}", self.research.gathering)
    }

    fn perform(&mut self, calls: Vec<Call>) {
        for call in calls {
            let Call::Web(call) = call else { panic!("{call:?}") };
            if self.crash_after == Some(self.asked.len()) {
                self.crash_after = None;
                self.asked.push(*call);
                self.attention = Attention::default();
                return;
            }
            let (brought, bill) = self.answer(&call);
            let finding = Finding::Web(Box::new(WebFinding { task: call.task, brought, bill }));
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

    fn answer(&mut self, call: &WebCall) -> (Brought, Bill) {
        if let Some(code) = self.refuse.get_mut(&call.task).and_then(Vec::pop) {
            return (Brought::Failed(Problem::new(code, "no")), Bill::NOTHING);
        }
        let usage = Usage { total_tokens: 100, ..Usage::default() };
        let priced = Bill::counted(self.research.plan.web.as_ref().unwrap().price(&call.task), usage);
        let brought = match &call.ask {
            Ask::Plan(ask) => Brought::Planned(Planned {
                queries: (0..ask.queries_max)
                    .map(|number| PlannedQuery {
                        question: format!("bridge question {}.{number} 1940 Tacoma", ask.attempt),
                        query: format!("bridge {} {number}", ask.attempt),
                    })
                    .collect(),
                enough: false,
            }),
            Ask::Search(ask) => Brought::Found(SearchAnswer {
                hits: self.hits(usize::try_from(ask.max_results).unwrap()),
                ..SearchAnswer::default()
            }),
            Ask::Folder { .. } => Brought::Files(vec!["notes.md".to_owned()]),
            Ask::Choose(ask) => Brought::Chosen((0..ask.candidates.len()).rev().collect()),
            Ask::Page { url, .. } => match self.pages.get(url) {
                Some(text) => Brought::Page(Box::new(page(url, text))),
                None if url.starts_with("file:") => {
                    Brought::Page(Box::new(page(url, "My note: the Tacoma Bridge was private business.")))
                }
                None => Brought::Failed(Problem::new(Code::PageUnreadable, "gone")),
            },
            Ask::Read(_) if self.invents => Brought::Read(ReadReply {
                quotes: vec!["This stands on no page at all.".to_owned()],
                ..ReadReply::default()
            }),
            Ask::Read(ask) => Brought::Read(ReadReply {
                quotes: ask.text.lines().skip(1).map(str::to_owned).collect(),
                facts: Vec::new(),
                links: vec![0],
            }),
            Ask::Write(ask) => Brought::Written(Draft {
                title: "The bridge".to_owned(),
                sections: vec![DraftSection {
                    heading: "Why".to_owned(),
                    sentences: ask
                        .told
                        .iter()
                        .map(|told| DraftSentence { text: told.quotes.concat(), notes: vec![told.note] })
                        .collect(),
                }],
                unanswered: Vec::new(),
            }),
        };
        (brought, priced)
    }

    fn hits(&self, most: usize) -> Vec<Hit> {
        let hit = |url: &String| Hit {
            url: url.clone(),
            title: format!("Title of {url}"),
            snippet: format!("what {url} says about it"),
            published: None,
        };
        self.pages.keys().take(most).map(hit).collect()
    }

    fn count(&self, of: fn(&Ask) -> bool) -> usize {
        self.asked.iter().filter(|call| of(&call.ask)).count()
    }
}

fn page(url: &str, text: &str) -> BroughtPage {
    let extract = Extract {
        text: text.to_owned(),
        blocks: vec![Block {
            kind: BlockKind::Paragraph,
            start: 0,
            end: text.len(),
            source: None,
            page: None,
        }],
        title: Some(format!("Page {url}")),
        links: vec![Link { url: "https://linked.example/more".to_owned(), text: "more".to_owned() }],
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
        media: Media::Html,
        bytes: 10,
        provenance: Provenance::Direct,
        revalidated: false,
    };
    BroughtPage { record, snapshot: text.as_bytes().to_vec(), extract }
}

fn is_search(ask: &Ask) -> bool {
    matches!(ask, Ask::Search(_))
}

fn is_page(ask: &Ask) -> bool {
    matches!(ask, Ask::Page { .. })
}

#[test]
fn a_shallow_question_is_searched_once_and_written_with_its_sources() {
    let (world, finish) = World::new(plan(Level::Shallow, Some(false)), None).run();
    let report = finish.report.unwrap();
    assert_eq!(finish.stop, Stop::Completed);
    assert_eq!((world.count(is_search), world.count(is_page)), (2, 3));
    assert_eq!(report.sources.len(), 3);
    assert!(report.text.contains("# The bridge") && report.text.contains("[3]"), "{}", report.text);
    for citation in &report.citations {
        let said = report.text.get(citation.start..citation.end).unwrap();
        assert!(said.starts_with("The Tacoma Narrows Bridge fell in 1940"), "{said}");
    }
    let record = report.web.unwrap();
    assert!(record.sentences.iter().all(|sentence| sentence.origins == 1 && sentence.notes.len() == 1));
    // plan, choose, three reads, write, two searches
    assert_eq!(finish.cost, Cost::FromUsage(MicroUsd(1_000 + 1_000 + 6_000 + 5_000 + 16_000)));
}

#[test]
fn without_a_model_the_brief_is_made_of_quotations_and_says_so() {
    let (world, finish) = World::new(plan(Level::Shallow, None), None).run();
    let report = finish.report.unwrap();
    assert!(report.text.contains("no language model wrote it"), "{}", report.text);
    assert!(report.text.contains("“The Tacoma Narrows Bridge fell in 1940"), "{}", report.text);
    assert!(world.asked.iter().all(|call| matches!(call.ask, Ask::Search(_) | Ask::Page { .. })));
    for quote in report.web.unwrap().notes.iter().flat_map(|note| &note.quotes) {
        assert!(world.pages.values().any(|page| page.get(quote.start..quote.end) == Some(&quote.text)));
    }
}

#[test]
fn a_question_that_needs_no_search_gets_none_and_says_so() {
    let (world, finish) = World::new(plan(Level::None, Some(false)), None).run();
    assert_eq!((world.count(is_search), world.count(is_page)), (0, 0));
    let report = finish.report.unwrap();
    assert!(report.text.contains("No search was made: the test says so"), "{}", report.text);
    assert_eq!(report.web.unwrap().stop, WebStop::NotNeeded);
}

#[test]
fn the_budget_ends_gathering_and_writing_still_happens() {
    // Enough for the plan, one search and the report.
    let (world, finish) = World::new(plan(Level::Deep, Some(false)), Some(MicroUsd(24_000))).run();
    let report = finish.report.unwrap();
    assert_eq!(finish.stop, Stop::Completed);
    assert!(report.text.contains("The budget ended the search"), "{}", report.text);
    assert!(report.text.contains("# The bridge"), "{}", report.text);
    assert!(finish.cost.known().unwrap() <= MicroUsd(24_000), "{:?}", finish.cost);
    assert!(world.asked.iter().any(|call| call.task == Task::Write));
}

/// Each budget leaves a report from pages, and none is paid for that has no quotation to rest on.
#[test]
fn a_budget_leaves_out_and_never_leaves_nothing() {
    for (budget, pages_read_by_the_model) in [(13_000, 0), (16_500, 0), (100_000, 1)] {
        let (world, finish) = World::new(plan(Level::Shallow, Some(false)), Some(MicroUsd(budget))).run();
        assert_eq!(finish.stop, Stop::Completed, "{budget}");
        let report = finish.report.unwrap();
        assert!(report.sources.len() > 1, "{budget}: {}", report.text);
        assert!(report.text.contains("# The bridge"), "{budget}: {}", report.text);
        let said = report.text.contains("The budget did not carry everything");
        assert_eq!(said, pages_read_by_the_model == 0, "{budget}: {}", report.text);
        assert!(world.count(|ask| matches!(ask, Ask::Read(_))) >= pages_read_by_the_model, "{budget}");
        assert!(finish.cost.known().unwrap() <= MicroUsd(budget), "{:?}", finish.cost);
    }
    let (world, finish) = World::new(plan(Level::Shallow, Some(false)), Some(MicroUsd(6_000))).run();
    assert_eq!((finish.stop, finish.report.is_none()), (CancelReason::Budget.stop(), true));
    assert!(world.asked.iter().all(|call| call.task != Task::Write), "written from nothing");
}

#[test]
fn time_that_runs_out_ends_in_a_report() {
    let mut world = World::new(plan(Level::Deep, Some(false)), None);
    world.time_per_step = Duration::from_secs(60);
    let (_, finish) = world.run();
    assert_eq!(finish.stop, Stop::Completed);
    assert_eq!(finish.report.unwrap().web.unwrap().stop, WebStop::Deadline);
}

#[test]
fn a_crash_at_any_call_loses_no_page_and_repeats_no_paid_call_without_a_record() {
    let (whole, _) = World::new(plan(Level::Medium, Some(false)), None).run();
    for point in 0..whole.asked.len() {
        let mut world = World::new(plan(Level::Medium, Some(false)), None);
        world.crash_after = Some(point);
        let (world, finish) = world.run();
        assert_eq!(finish.stop, Stop::Completed, "crash at {point}");
        let lost = world.asked[point].clone();
        let mut times: BTreeMap<Task, usize> = BTreeMap::new();
        world.asked.iter().for_each(|call| *times.entry(call.task).or_default() += 1);
        let repeated: Vec<Task> =
            times.iter().filter(|(_, times)| **times > 1).map(|(task, _)| *task).collect();
        let record = world.research.gathering.unwrap().spent;
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
    let mut world = World::new(plan(Level::Shallow, Some(false)), None);
    world
        .refuse
        .insert(Task::Plan { attempt: 1 }, vec![Code::ProviderUnavailable, Code::ProviderUnavailable]);
    world.refuse.insert(Task::Read { page: 0 }, vec![Code::UnusableAnswer, Code::UnusableAnswer]);
    world.refuse.insert(Task::Page { candidate: 0 }, vec![Code::PageUnreadable]);
    world.refuse.insert(Task::Write, vec![Code::Timeout, Code::Timeout]);
    let (world, finish) = world.run();
    let report = finish.report.unwrap();
    assert_eq!(finish.stop, Stop::Completed);
    assert!(report.text.contains("The model did not write this report"), "{}", report.text);
    assert_eq!(report.queries.first().map(String::as_str), Some(QUESTION));
    assert_eq!(world.research.gathering.unwrap().pages.len(), 3, "a dead page was not replaced");
}

#[test]
fn a_model_that_refuses_the_key_is_not_asked_again() {
    let mut world = World::new(plan(Level::Medium, Some(false)), None);
    world.refuse.insert(Task::Plan { attempt: 1 }, vec![Code::KeyRefused]);
    let (world, finish) = world.run();
    assert_eq!(finish.stop, Stop::Completed);
    assert_eq!(
        world.count(|ask| matches!(ask, Ask::Plan(_) | Ask::Choose(_) | Ask::Read(_) | Ask::Write(_))),
        1
    );
}

#[test]
fn searches_that_all_fail_are_not_called_nothing_found() {
    let mut world = World::new(plan(Level::Shallow, None), None);
    for query in 0..4 {
        let task = Task::Search { query, provider: ProviderName::Tavily };
        world.refuse.insert(task, vec![Code::SearchFailed; 4]);
    }
    let (_, finish) = world.run();
    assert_eq!(finish.stop, Stop::Failed);
    assert_eq!(finish.problem.unwrap().code, Code::SearchFailed);
    let mut empty = World::new(plan(Level::Shallow, None), None);
    empty.pages.clear();
    let (_, finish) = empty.run();
    assert_eq!(finish.problem.unwrap().code, Code::NothingFound);
}

#[test]
fn private_context_and_own_files_reach_neither_a_search_nor_a_foreign_model() {
    let mut web = plan(Level::Medium, Some(false));
    web.hints.context_snippet = Some("CANARY".to_owned());
    web.folders = vec!["/home/me/notes".to_owned()];
    let (world, finish) = World::new(web, None).run();
    for call in &world.asked {
        let told = format!("{:?}", call.ask);
        let is_writer = matches!(call.ask, Ask::Write(_));
        assert_eq!(told.contains("CANARY"), is_writer, "{told}");
        assert!(!told.contains("private business"), "{told}");
    }
    let report = finish.report.unwrap();
    assert!(report.text.contains("## From your own files") && report.text.contains("private business"));
}

#[test]
fn a_cancel_keeps_what_was_found() {
    let mut world = World::new(plan(Level::Deep, Some(false)), None);
    while world.research.gathering.as_ref().unwrap().notes.is_empty() {
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
    world.append(Event::CancelRequested { reason: CancelReason::User, partial: Partial::Keep });
    let (_, finish) = world.run();
    assert_eq!(finish.stop, Stop::Cancelled);
    assert!(finish.report.unwrap().text.contains("It was cancelled"));
}

#[test]
fn links_named_by_a_reader_are_candidates_of_the_next_attempt_only() {
    let (world, _) = World::new(plan(Level::Medium, Some(false)), None).run();
    let linked =
        |call: &&WebCall| matches!(&call.ask, Ask::Page { url, .. } if url.contains("linked.example"));
    assert!(world.asked.iter().filter(linked).count() <= 1);
}

#[test]
fn a_reader_that_only_invents_is_replaced_by_the_rule() {
    let mut world = World::new(plan(Level::Shallow, Some(false)), None);
    world.invents = true;
    let (_, finish) = world.run();
    let record = finish.report.unwrap().web.unwrap();
    assert!(record.invented >= 3, "{}", record.invented);
    assert!(record.notes.iter().any(|note| note.quotes.iter().any(|quote| quote.text.contains("flutter"))));
}
