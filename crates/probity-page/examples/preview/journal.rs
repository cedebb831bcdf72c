//! The journal of an invented research on the web engine: two attempts, pages that fail, hostile words on request.

use probity_research::{
    Code, CodedError, Digest, Event, StoredEvent,
    cost::{Cost, MicroUsd, Usage},
    plan::{Plan, RunLimits},
    rounds::{Mode, RoundsPlan},
    stop::RunStop,
    web::{
        bill::Bill,
        note::{Quote, ReaderNote},
        page::{MediaKind, PageRecord, Provenance},
        plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
        search::{ProviderName, SearchHit},
        strategy::{Strategy, StrategyHints, StrategyLevel},
        task::{
            DraftSection, DraftSentence, PageMetadata, PlannedQuery, QueryPlan, ReportDraft, WebTask,
            WebTaskOutcome,
        },
    },
};

use crate::preview_backend::{START, question, recorded};

const HOSTILE: &str =
    "<script>alert(1)</script><img src=x onerror=alert(2)>\u{202E}evil \" onfocus=\"alert(3)";

pub fn web() -> Vec<StoredEvent> {
    recorded(events(
        &[
            "tacoma narrows bridge collapse cause",
            "aeroelastic flutter 1940 report",
            "Moisseiff deflection theory critics",
        ],
        "tacoma",
    ))
}

pub fn hostile() -> Vec<StoredEvent> {
    let long = "w".repeat(600);
    recorded(events(&[HOSTILE, "javascript:alert(1)", &long], HOSTILE))
}

fn bill(micro: u64, tokens: u64) -> Bill {
    Bill::counted(
        MicroUsd(micro),
        Usage {
            input_tokens: tokens,
            output_tokens: tokens / 8,
            total_tokens: tokens + tokens / 8,
            ..Usage::NONE
        },
    )
}

fn plan() -> Plan {
    let web = WebPlan {
        strategy: Strategy::of(StrategyLevel::Medium, "the preview says so"),
        hints: StrategyHints::default(),
        providers: vec![ProviderName::Tavily, ProviderName::Wikipedia],
        filters: Default::default(),
        model: Some(WebModel { name: "gemini-3.8-flash".to_owned(), local: false }),
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
    let limits = RunLimits::new(std::time::Duration::from_secs(1_200), Some(MicroUsd(500_000)));
    Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits)
}

fn hit(word: &str, query: u32, place: u32) -> SearchHit {
    SearchHit {
        url: format!(
            "https://site{query}{place}.example/{}",
            word.chars().filter(char::is_ascii_alphanumeric).collect::<String>()
        ),
        title: format!("Page {place} about {word}"),
        snippet: String::new(),
        published: None,
    }
}

fn kept(word: &str, number: u32) -> PageMetadata {
    PageMetadata {
        record: PageRecord {
            asked_url: format!("https://site{number}.example/"),
            final_url: format!("https://site{number}.example/"),
            redirects: Vec::new(),
            address: None,
            fetched_at: START,
            status: 200,
            headers: Vec::new(),
            media: MediaKind::Html,
            bytes: 48_211,
            provenance: Provenance::Direct,
            revalidated: false,
            overridden: false,
        },
        snapshot: Digest([1; 32]),
        extract: Digest([2; 32]),
        title: format!("{word}: what the engineers knew"),
        published: None,
        language: None,
        fingerprint: Default::default(),
        signs: Vec::new(),
        links: Vec::new(),
    }
}

fn done(task: WebTask, outcome: WebTaskOutcome, bill: Bill) -> Event {
    Event::GatherDone { task, outcome, bill }
}

fn failed(task: WebTask, code: Code, words: &str) -> Event {
    done(task, WebTaskOutcome::Failed { problem: CodedError::new(code, words) }, Bill::NOTHING)
}

fn found(task: WebTask, word: &str, place: usize) -> Event {
    let place = u32::try_from(place).unwrap_or_default();
    let hits = (0..5).map(|number| hit(word, place, number)).collect();
    let outcome = WebTaskOutcome::Found { hits, heeded: Default::default(), silent_engines: Vec::new() };
    done(task, outcome, bill(8_000, 0))
}

fn events(queries: &[&str], word: &str) -> Vec<Event> {
    let mut events = Vec::new();
    if let Some(query) = question(&format!("Why did the {word} bridge fall, and who had warned of it?")) {
        events.push(Event::Asked { query, plan: plan() });
    }
    let planning = WebTask::Plan { attempt: 1 };
    events.push(Event::GatherIntended { tasks: vec![planning] });
    let planned = queries
        .iter()
        .map(|query| PlannedQuery { question: "why did it fall?".to_owned(), query: (*query).to_owned() });
    events.push(done(
        planning,
        WebTaskOutcome::Planned(QueryPlan { queries: planned.collect(), enough: false }),
        bill(4_100, 2_600),
    ));
    let searches: Vec<WebTask> = (0..3)
        .flat_map(|query| {
            [ProviderName::Tavily, ProviderName::Wikipedia]
                .map(|provider| WebTask::Search { query, provider })
        })
        .collect();
    events.push(Event::GatherIntended { tasks: searches.clone() });
    for (place, task) in searches.iter().enumerate() {
        events.push(match place {
            3 => failed(*task, Code::SearchFailed, "the engine did not answer"),
            _ => found(*task, word, place),
        });
    }
    // What failed is tried once more.
    events.extend(searches.get(3).map(|task| Event::GatherIntended { tasks: vec![*task] }));
    events.extend(searches.get(3).map(|task| found(*task, word, 3)));
    let choosing = WebTask::Choose { attempt: 1 };
    events.push(Event::GatherIntended { tasks: vec![choosing] });
    events.push(done(choosing, WebTaskOutcome::Chosen { candidates: (0..6).collect() }, bill(2_000, 1_900)));
    let pages: Vec<WebTask> = (0..6).map(|candidate| WebTask::Page { candidate }).collect();
    events.push(Event::GatherIntended { tasks: pages.clone() });
    for (place, task) in pages.into_iter().enumerate() {
        let number = u32::try_from(place).unwrap_or_default();
        events.push(match place {
            2 => failed(task, Code::RobotsRefused, "the site asks not to be read"),
            _ => done(task, WebTaskOutcome::Page(Box::new(kept(word, number))), Bill::NOTHING),
        });
    }
    let reads: Vec<WebTask> = (0..5).map(|page| WebTask::Read { page }).collect();
    events.push(Event::GatherIntended { tasks: reads.clone() });
    for task in reads {
        let quote = Quote { start: 0, end: 9, text: word.to_owned() };
        events.push(done(
            task,
            WebTaskOutcome::Noted(ReaderNote { quotes: vec![quote], ..ReaderNote::default() }),
            bill(9_000, 6_200),
        ));
    }
    let draft = ReportDraft {
        title: word.to_owned(),
        sections: vec![DraftSection {
            heading: word.to_owned(),
            sentences: vec![DraftSentence { text: word.to_owned(), notes: vec![0] }],
        }],
        unanswered: Vec::new(),
    };
    events.push(Event::GatherStopped { why: probity_research::web::record::WebStop::Enough });
    events.push(Event::GatherIntended { tasks: vec![WebTask::Write] });
    events.push(done(WebTask::Write, WebTaskOutcome::Written(draft), bill(31_000, 18_000)));
    events.push(Event::Ended {
        stop: RunStop::Completed,
        report: Some(Digest([3; 32])),
        raw: None,
        usage: None,
        cost: Cost::FromUsage(MicroUsd(131_000)),
        problem: None,
        sources: 5,
        progress: None,
    });
    events
}
