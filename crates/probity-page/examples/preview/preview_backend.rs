//! A house of invented researches: a thousand that are over, one that runs by itself, one with 500 claims, one that is
//! nothing but hostile text. For the preview and for the tests.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::{StreamExt, stream};
use probity_page::backend::{
    ChangedVerdict, CostGroup, CostOverview, KeyChange, LibraryCard, LibraryPage, LibraryQuery, PlanProposal,
    ReportDownload, RunCost, RunView, RunViewStream, SettingsView, SpendLimit, StartManner, SteeringView,
    TrialOutcome, UiBackend, UiCheck, UiFollowUp, UiFuture, UiSources, UiStartRequest,
};
use probity_report::{ReportDocument, ReportFormat};
use probity_research::{
    Code, CodedError, Event, RunId, RunState, Sequence, StoredEvent, agent,
    cost::{Cost, MicroUsd},
    estimate::{Complexity, Estimate, EstimateBasis},
    inquiry::{
        FacetId, SteeringNote,
        steering::{FacetStanding, FacetView},
    },
    query::Query,
    shelf::{ShelfEntry, ShelfPart, Tag, TagEdit, Title},
    status::{RunStatus, RunSummary},
    time::Moment,
    trace::Trace,
};
use probity_testing::report_fixture;

use crate::{journal, preview_settings};

pub const FIRST: u128 = 1;
pub const LARGE: u128 = 2;
pub const HOSTILE: u128 = 3;
pub const RUNNING: u128 = 4;
pub const UNWRITTEN: u128 = 5;
const RESEARCHES: u128 = 1_000;
/// When the preview's day begins.
pub const START: Moment = Moment(1_794_700_000_000);

pub fn id(number: u128) -> RunId {
    RunId::from_random(number)
}

pub struct PreviewBackend {
    documents: BTreeMap<u128, Arc<ReportDocument>>,
    summaries: Vec<(u128, RunSummary)>,
    /// How far the running one is; the preview lets it grow.
    pub events: tokio::sync::watch::Sender<usize>,
    journal: Vec<StoredEvent>,
    pub done: Mutex<Vec<String>>,
}

impl PreviewBackend {
    pub fn new() -> Self {
        let fixtures = [
            (FIRST, report_fixture::research()),
            (LARGE, report_fixture::large(500)),
            (HOSTILE, report_fixture::hostile()),
        ];
        let mut summaries: Vec<(u128, RunSummary)> = Vec::new();
        let mut documents = BTreeMap::new();
        for (number, fixture) in fixtures {
            documents.insert(number, Arc::new(report_fixture::document(&fixture)));
            summaries.push((number, RunSummary { id: id(number), ..fixture.summary }));
        }
        let pattern = report_fixture::research().summary;
        for number in UNWRITTEN..=RESEARCHES {
            summaries.push((number, invented(&pattern, number)));
        }
        let (events, _) = tokio::sync::watch::channel(2);
        Self { documents, summaries, events, journal: journal::web(), done: Mutex::default() }
    }

    /// One event more, until there are no more.
    pub fn advance(&self) -> bool {
        let most = self.journal.len();
        let mut moved = false;
        self.events.send_if_modified(|events| {
            moved = *events < most;
            *events += usize::from(moved);
            moved
        });
        moved
    }

    fn note(&self, what: String) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    fn running(&self, events: usize) -> Result<RunView, CodedError> {
        let known = self.journal.get(..events.min(self.journal.len())).unwrap_or_default();
        present(id(RUNNING), known)
    }

    fn summary(&self, wanted: RunId) -> Result<(u128, RunSummary), CodedError> {
        let found = self.summaries.iter().find(|(number, _)| id(*number) == wanted);
        found.cloned().ok_or_else(|| CodedError::new(Code::NotFound, "there is no such research"))
    }

    fn at(&self, wanted: RunId) -> Result<RunView, CodedError> {
        if wanted == id(RUNNING) {
            let running = self.running(*self.events.borrow());
            return running.map(|view| RunView { steering: steering(), ..view });
        }
        let (number, summary) = self.summary(wanted)?;
        let journal = if number == HOSTILE { journal::hostile() } else { journal::web() };
        let trace =
            Trace::of(wanted, &journal).map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
        let budget = Some(MicroUsd(2_000_000));
        Ok(RunView {
            sequence: Sequence(1),
            summary,
            trace,
            budget,
            budget_is_set: true,
            steering: SteeringView::default(),
        })
    }
}

fn steering() -> SteeringView {
    let questions = ["Why did the bridge fall?", "Who had warned of it?"];
    let facet = |(place, question): (usize, &&str)| FacetView {
        id: FacetId::at(place),
        question: (*question).to_owned(),
        standing: if place == 0 { FacetStanding::Searched } else { FacetStanding::LeftOut },
    };
    SteeringView {
        takes_notes: true,
        facets: questions.iter().enumerate().map(facet).collect(),
        notes: vec![SteeringNote::DropFacet { facet: FacetId(2) }],
    }
}

fn present(id: RunId, journal: &[StoredEvent]) -> Result<RunView, CodedError> {
    let broken =
        |error: probity_research::state::ReplayError| CodedError::new(error.code(), &error.to_string());
    let research = RunState::replay(id, journal).map_err(broken)?;
    let trace = Trace::of(id, journal).map_err(broken)?;
    Ok(RunView {
        sequence: research.sequence,
        summary: research.summary(),
        trace,
        budget: research.budget(),
        budget_is_set: research.plan.limits.budget.is_some(),
        steering: SteeringView::of(&research),
    })
}

fn invented(pattern: &RunSummary, number: u128) -> RunSummary {
    const SUBJECTS: [&str; 6] = [
        "How fast do glaciers in the Alps lose ice, and which measurements agree?",
        "Which batteries suit a house with solar panels in northern Europe?",
        "What is known about the side effects of intermittent fasting in older people?",
        "Did remote work change how many patents companies file?",
        "كيف تطورت محطات تحلية المياه في العقد الأخير؟",
        "Why did the Tacoma Narrows Bridge fall, and who had warned of it?",
    ];
    let place = usize::try_from(number).unwrap_or_default();
    let statuses = [
        RunStatus::Completed,
        RunStatus::Completed,
        RunStatus::Completed,
        RunStatus::Incomplete,
        RunStatus::Failed,
        RunStatus::OverBudget,
    ];
    let pick = |step: usize, length: usize| (place / step) % length;
    let asked = START.plus_ms(-(i64::try_from(number).unwrap_or_default()) * 5_400_000);
    RunSummary {
        id: id(number),
        query: SUBJECTS.get(pick(1, SUBJECTS.len())).copied().unwrap_or_default().to_owned(),
        status: match number {
            UNWRITTEN => RunStatus::Failed,
            _ => statuses.get(pick(3, statuses.len())).copied().unwrap_or(RunStatus::Completed),
        },
        asked_at: asked,
        updated_at: asked,
        ended_at: Some(asked.plus_ms(60_000 + i64::try_from(pick(1, 900)).unwrap_or_default() * 1_000)),
        cost: Cost::FromUsage(MicroUsd(u64::try_from(pick(1, 97)).unwrap_or_default() * 21_000)),
        sources: u32::try_from(pick(1, 40)).unwrap_or_default(),
        report: if number == UNWRITTEN { None } else { pattern.report },
        problem: (number == UNWRITTEN).then(|| CodedError::new(Code::NothingFound, "no page was found")),
        ..pattern.clone()
    }
}

/// The first run has a title that tries to act, and tags.
fn shelf_of(wanted: RunId) -> ShelfEntry {
    if wanted != id(FIRST) {
        return ShelfEntry::default();
    }
    let tags = ["bridges", "wörk"].iter().filter_map(|tag| Tag::parse(tag).ok()).collect();
    ShelfEntry { title: Title::parse("Ours <script>alert(1)</script>").ok(), tags, removed_at: None }
}

fn ready<'a, T: Send + 'a>(answer: Result<T, CodedError>) -> UiFuture<'a, T> {
    Box::pin(std::future::ready(answer))
}

fn sources_typed(sources: &UiSources) -> String {
    let day = |day: &Option<String>| day.clone().unwrap_or_default();
    format!(
        " sites {:?} without {:?} from {} to {} pages {:?} folders {:?}",
        sources.sites,
        sources.without_sites,
        day(&sources.after),
        day(&sources.before),
        sources.pages,
        sources.folders
    )
}

impl UiBackend for PreviewBackend {
    fn now(&self) -> Moment {
        let last = *self.events.borrow();
        self.journal.get(last.saturating_sub(1)).map_or(START, |recorded| recorded.at.plus_ms(400))
    }

    fn library(&self, shelf: LibraryQuery) -> UiFuture<'_, LibraryPage> {
        let running = self.at(id(RUNNING)).ok().map(|present| present.summary);
        let all = running.iter().chain(self.summaries.iter().map(|(_, summary)| summary));
        let fits = |summary: &&RunSummary| {
            (shelf.part != ShelfPart::Removed || summary.id == id(UNWRITTEN))
                && shelf.tag.as_ref().is_none_or(|tag| shelf_of(summary.id).tags.contains(tag))
                && shelf.status.is_none_or(|status| status == summary.status)
                && shelf
                    .text
                    .as_ref()
                    .is_none_or(|text| summary.query.to_lowercase().contains(&text.to_lowercase()))
        };
        let fitting: Vec<&RunSummary> = all.filter(fits).collect();
        let total = fitting.len();
        let verified = |summary: &RunSummary| match summary.status {
            RunStatus::Completed => Some(!summary.sources.is_multiple_of(3)),
            _ => None,
        };
        let cards = fitting.into_iter().skip(shelf.offset).take(shelf.limit);
        let cards = cards
            .map(|summary| LibraryCard {
                summary: summary.clone(),
                verified: verified(summary),
                shelf: shelf_of(summary.id),
            })
            .collect();
        ready(Ok(LibraryPage { cards, total }))
    }

    fn run_view(&self, id: RunId) -> UiFuture<'_, RunView> {
        ready(self.at(id))
    }

    fn document(&self, wanted: RunId) -> UiFuture<'_, Option<Arc<ReportDocument>>> {
        if wanted == id(RUNNING) {
            return ready(Ok(None));
        }
        ready(self.summary(wanted).map(|(number, _)| match number {
            UNWRITTEN => None,
            other => self.documents.get(&other).or(self.documents.get(&FIRST)).cloned(),
        }))
    }

    fn download(&self, id: RunId, format: ReportFormat) -> UiFuture<'_, ReportDownload> {
        let made = self.summary(id).map(|_| ReportDownload {
            filename: format!("../\"evil\r\nname.{}", format.extension()),
            media_type: format.media_type(),
            bytes: "<script>alert(1)</script>".into(),
        });
        ready(made)
    }

    fn costs(&self) -> UiFuture<'_, CostOverview> {
        let spent = |name: String, micro: u64, count: u32| CostGroup {
            name,
            cost: Cost::FromUsage(MicroUsd(micro)),
            count,
        };
        let day = |back: u64| START.plus_ms(-(i64::try_from(back).unwrap_or_default()) * 86_400_000).date();
        let by_research = self.summaries.iter().take(20).map(|(_, summary)| RunCost {
            id: summary.id,
            question: summary.query.clone(),
            asked_at: summary.asked_at,
            cost: summary.cost,
        });
        ready(Ok(CostOverview {
            since: day(30),
            total: Cost::AtLeast(MicroUsd(21_430_000)),
            by_day: (0..30).map(|back| spent(day(back), (back * 7_919 % 31) * 71_000, 1)).collect(),
            by_provider: vec![
                spent("gemini-3.8-flash".to_owned(), 14_200_000, 812),
                spent("tavily".to_owned(), 6_480_000, 810),
                CostGroup { name: "<b>ollama</b>".to_owned(), cost: Cost::Unknown, count: 41 },
            ],
            by_research: by_research.collect(),
            caps: vec![
                SpendLimit {
                    name: "per day".to_owned(),
                    limit: MicroUsd(5_000_000),
                    used: MicroUsd(1_900_000),
                },
                SpendLimit {
                    name: "per month".to_owned(),
                    limit: MicroUsd(25_000_000),
                    used: MicroUsd(21_430_000),
                },
            ],
        }))
    }

    fn settings(&self) -> UiFuture<'_, SettingsView> {
        ready(Ok(preview_settings::settings_view()))
    }

    fn change_settings(&self, typed: BTreeMap<String, String>) -> UiFuture<'_, String> {
        if typed.get("budget.max_usd").is_some_and(|text| text == "lots") {
            let message = "the new value: `budget.max_usd` is `lots`, which is not an amount in US dollars";
            return ready(Err(CodedError::new(Code::Settings, message)));
        }
        let words: Vec<String> = typed.iter().map(|(key, value)| format!("{key}={value}")).collect();
        self.note(format!("settings {}", words.join(" ")));
        ready(Ok(format!("saved: {}", words.join(", "))))
    }

    fn change_key(&self, name: String, change: KeyChange) -> UiFuture<'_, String> {
        let (did, bytes) = match &change {
            KeyChange::Store(key) => ("store", key.len()),
            KeyChange::Remove => ("remove", 0),
        };
        self.note(format!("key {did} {name} {bytes}"));
        ready(Ok(format!("{name}: {did}")))
    }

    fn try_setting(&self, name: String) -> UiFuture<'_, TrialOutcome> {
        self.note(format!("try {name}"));
        let is_good = name == "model";
        let sentence =
            if is_good { "<b>m</b> answers".to_owned() } else { format!("{name} does not answer") };
        ready(Ok(TrialOutcome { is_good, sentence }))
    }

    fn agents(&self) -> Vec<String> {
        agent::KNOWN.iter().map(|agent| agent.name.to_owned()).collect()
    }

    fn propose(&self, wanted: UiStartRequest) -> UiFuture<'_, PlanProposal> {
        if wanted.question.as_str().contains("without a key") {
            return ready(Err(CodedError::new(Code::KeyMissing, "no key of Gemini is set")));
        }
        let estimate = report_fixture::research().summary.estimate;
        ready(Ok(PlanProposal {
            plan: format!("web engine, {} characters of question", wanted.question.as_str().len()),
            cut: None,
            estimate,
            budget: wanted.budget.or(Some(MicroUsd(2_000_000))),
        }))
    }

    fn propose_follow_up(&self, wanted: UiFollowUp) -> UiFuture<'_, PlanProposal> {
        let estimate = report_fixture::research().summary.estimate;
        ready(self.summary(wanted.parent).map(|_| PlanProposal {
            plan: "one answer from stored pages".to_owned(),
            cut: None,
            estimate,
            budget: wanted.budget,
        }))
    }

    fn start_follow_up(&self, wanted: UiFollowUp) -> UiFuture<'_, RunId> {
        self.note(format!("follow-up {} {:?} {}", wanted.parent, wanted.kind, wanted.question.as_str()));
        ready(Ok(id(RUNNING)))
    }

    fn propose_check(&self, wanted: UiCheck) -> UiFuture<'_, PlanProposal> {
        let cent = MicroUsd(if wanted.by_rules_only { 0 } else { 10_000 });
        let estimate = Estimate {
            complexity: Complexity::Simple,
            cost_min: MicroUsd(0),
            cost_likely: cent,
            cost_max: cent,
            minutes_min: 0,
            minutes_likely: 1,
            minutes_max: 15,
            basis: EstimateBasis::Assumed,
        };
        ready(Ok(PlanProposal {
            plan: "one judge".to_owned(),
            cut: None,
            estimate: Some(estimate),
            budget: wanted.budget,
        }))
    }

    fn start_check(&self, wanted: UiCheck) -> UiFuture<'_, RunId> {
        self.note(format!("check {:?}, rules only: {}", wanted.subject, wanted.by_rules_only));
        ready(Ok(id(RUNNING)))
    }

    fn changed_verdicts(&self, run: RunId) -> UiFuture<'_, Option<Vec<ChangedVerdict>>> {
        let changed = ChangedVerdict {
            claim: "C1".to_owned(),
            words: "It cost <b>nine</b> million.".to_owned(),
            before: "supported".to_owned(),
            now: "contradicted".to_owned(),
            difference: "- nine million\n+ ten million".to_owned(),
        };
        ready(Ok((run == id(HOSTILE)).then(|| vec![changed])))
    }

    fn start(&self, wanted: UiStartRequest) -> UiFuture<'_, RunId> {
        let wishes = match (wanted.depth, wanted.words, wanted.language) {
            (Some(depth), Some(words), Some(language)) => {
                format!(" depth {}, {words} words, {language}", depth.as_str())
            }
            _ => String::new(),
        };
        let sources = match wanted.sources == UiSources::default() {
            true => String::new(),
            false => sources_typed(&wanted.sources),
        };
        let manner = match wanted.manner {
            StartManner::Rounds { mode, engine: None } => mode.as_str().to_owned(),
            StartManner::Rounds { mode, engine: Some(engine) } => {
                format!("{} on {}", mode.as_str(), engine.as_str())
            }
            StartManner::Agent { name } => format!("agent {}", name.unwrap_or_default()),
        };
        self.note(format!("start {manner} {}{wishes}{sources}", wanted.question.as_str()));
        ready(Ok(id(RUNNING)))
    }

    fn cancel(&self, id: RunId) -> UiFuture<'_, ()> {
        self.note(format!("cancel {id}"));
        ready(Ok(()))
    }

    fn steer(&self, id: RunId, note: SteeringNote) -> UiFuture<'_, ()> {
        self.note(format!("steer {id} {note}"));
        ready(Ok(()))
    }

    fn shelf_entry(&self, id: RunId) -> UiFuture<'_, ShelfEntry> {
        ready(Ok(shelf_of(id)))
    }

    fn rename(&self, id: RunId, title: Option<Title>) -> UiFuture<'_, ()> {
        let title = title.as_ref().map_or("the question", Title::as_str);
        self.note(format!("rename {id} {title}"));
        ready(Ok(()))
    }

    fn edit_tags(&self, id: RunId, edit: TagEdit) -> UiFuture<'_, ()> {
        let tags = edit.apply(Vec::new()).unwrap_or_default();
        let names: Vec<&str> = tags.iter().map(Tag::as_str).collect();
        self.note(format!("tags {id} {}", names.join(",")));
        ready(Ok(()))
    }

    fn removal_notice(&self, wanted: RunId) -> UiFuture<'_, Vec<String>> {
        if wanted == id(RUNNING) {
            return ready(Err(CodedError::new(Code::NotFinished, "it is under way; cancel it first")));
        }
        ready(self.summary(wanted).map(|(_, summary)| {
            vec![summary.query.clone(), "The provider keeps <b>its own record</b>.".to_owned()]
        }))
    }

    fn remove(&self, id: RunId) -> UiFuture<'_, ()> {
        self.note(format!("remove {id}"));
        ready(Ok(()))
    }

    fn restore(&self, id: RunId) -> UiFuture<'_, ()> {
        self.note(format!("restore {id}"));
        ready(Ok(()))
    }

    fn extend_budget(&self, id: RunId, to: MicroUsd) -> UiFuture<'_, ()> {
        self.note(format!("budget {id} {}", to.0));
        ready(Ok(()))
    }

    fn watch_run(&self, wanted: RunId, after: Sequence) -> UiFuture<'_, RunViewStream> {
        if wanted != id(RUNNING) {
            let now = self.at(wanted);
            return ready(now.map(|present| -> RunViewStream { Box::pin(stream::iter([present])) }));
        }
        let watch = self.events.subscribe();
        let journal = self.journal.clone();
        let seen = usize::try_from(after.0).unwrap_or(usize::MAX);
        let changes = stream::unfold((watch, seen), |(mut watch, seen)| async move {
            let events = *watch.wait_for(|events| *events > seen).await.ok()?;
            Some((events, (watch, events)))
        });
        let presents = changes.filter_map(move |events| {
            let known = journal.get(..events).map(|known| present(id(RUNNING), known));
            std::future::ready(known.and_then(Result::ok))
        });
        let presents: RunViewStream = Box::pin(presents);
        ready(Ok(presents))
    }
}

/// Only here so that a question can be made without a chance to fail.
pub fn question(text: &str) -> Option<Query> {
    Query::parse(text).ok()
}

/// The events of a journal with their moments.
pub fn recorded(events: Vec<Event>) -> Vec<StoredEvent> {
    let stamp = |(place, event): (usize, Event)| StoredEvent {
        sequence: Sequence(u64::try_from(place).unwrap_or_default() + 1),
        at: START.plus_ms(i64::try_from(place).unwrap_or_default() * 700),
        attended_ms: u64::try_from(place).unwrap_or_default() * 700,
        event,
    };
    events.into_iter().enumerate().map(stamp).collect()
}
