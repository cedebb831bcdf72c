//! Finished researches, led to their end by the rules themselves against a scripted outside.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use probity_bundle::{
    BlobCollector, Bundle, BundleIssue, BundleParts, BundlePromise, PrivatePages, PromiseStatus,
    ReplayReaders, SigningKey, VerifyOptions, make_bundle, manifest::digest, verify,
};
use probity_research::{
    Digest, Event, RunId, RunState, Sequence, Step, StoredEvent,
    agent::AgentName,
    checking::{
        CheckPlan, CheckTask, CheckTaskOutcome, CheckTaskOutput, CheckTaskReply, ExamRule, JudgePlan,
        task::{CheckRequest, ExamineRequest, JudgeItem, JudgeReply},
    },
    cost::{Cost, MicroUsd},
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome as Found},
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, JudgeQuestion, Ledger, LedgerSource,
        Opinion, Passage, SourceState,
    },
    next_step,
    plan::{Plan, RunLimits},
    query::Query,
    react::{Reaction, react},
    report::{Report, SourceLink},
    rounds::{Mode, RoundsPlan},
    stop::RunStop,
    time::Moment,
    web::{
        SearchFilters,
        bill::Bill,
        page::{Extract, ExtractBlock, ExtractBlockKind, MediaKind, PageRecord, Provenance},
        plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
        search::{ProviderName, SearchHit, SearchReply},
        strategy::{Strategy, StrategyHints, StrategyLevel},
        task::{
            DraftSection, DraftSentence, FetchedPage, PlannedQuery, QueryPlan, ReadReply, ReportDraft,
            WebCall, WebRequest, WebTaskOutput, WebTaskReply,
        },
    },
};

pub const PROGRAM: &str = "0.0.test";
const STEPS_MAX: usize = 200;

/// A research with everything that a store would hold of it.
#[derive(Clone)]
pub struct StoredRun {
    pub id: RunId,
    pub journal: Vec<StoredEvent>,
    pub blobs: BTreeMap<Digest, Vec<u8>>,
}

pub fn key() -> SigningKey {
    SigningKey::from_pkcs8(&SigningKey::generate().unwrap()).unwrap()
}

impl StoredRun {
    fn begin(plan: Plan) -> Self {
        let query = Query::parse("Why did the Tacoma Narrows Bridge fall?").unwrap();
        let mut kept = Self { id: RunId::from_random(7), journal: Vec::new(), blobs: BTreeMap::new() };
        kept.append(Event::Asked { query, plan });
        kept
    }

    pub fn append(&mut self, event: Event) {
        let place = self.journal.len() as u64;
        self.journal.push(StoredEvent {
            sequence: Sequence(place + 1),
            at: Moment(1_800_000_000_000 + place as i64 * 1000),
            attended_ms: place * 1000,
            event,
        });
    }

    pub fn keep(&mut self, bytes: &[u8]) -> Option<Digest> {
        if bytes.is_empty() {
            return None;
        }
        self.blobs.insert(digest(bytes), bytes.to_vec());
        Some(digest(bytes))
    }

    /// Everything that the journal names and the store has, as the program collects it.
    pub fn bundle(&self, key: &SigningKey) -> Vec<u8> {
        let mut contents = BlobCollector::of(&self.journal);
        let mut blobs = BTreeMap::new();
        while let Some(wanted) = contents.next_digest() {
            if let Some(bytes) = self.blobs.get(&wanted) {
                contents.take(wanted, bytes);
                blobs.insert(wanted, bytes.clone());
            }
        }
        self.bundle_of(&blobs, key)
    }

    pub fn bundle_of(&self, blobs: &BTreeMap<Digest, Vec<u8>>, key: &SigningKey) -> Vec<u8> {
        let prompts = BTreeMap::from([("web-read-prompt.md".to_owned(), "Read {{page}}.".to_owned())]);
        let parts = BundleParts {
            research: self.id,
            journal: &self.journal,
            blobs,
            prompts: &prompts,
            program: PROGRAM,
        };
        make_bundle(&parts, key).unwrap()
    }

    pub fn report(&self) -> Report {
        Report::decode(&self.blobs[&self.ended().expect("a report")]).unwrap()
    }

    fn ended(&self) -> Option<Digest> {
        match &self.journal.last()?.event {
            Event::Ended { report, .. } => *report,
            _ => None,
        }
    }

    /// Puts another report in the place of the final one, the way a forger would.
    pub fn with_report(mut self, report: &Report) -> Self {
        let stored = self.keep(&report.encode());
        if let Some(StoredEvent { event: Event::Ended { report, .. }, .. }) = self.journal.last_mut() {
            *report = stored;
        }
        self
    }
}

/// A Deep Research run: the report is the provider's own document.
pub fn deep_research() -> StoredRun {
    let limits = RunLimits::new(Duration::from_secs(3600), None);
    let mut kept = StoredRun::begin(Plan::new(AgentName::default(), limits));
    let report = Report {
        text: "It fell because of flutter.".to_owned(),
        sources: vec![SourceLink { url: "https://a.example/".to_owned(), title: "A".to_owned() }],
        ..Report::default()
    };
    let raw = kept.keep(&provider_answer(&report));
    let stored = kept.keep(&report.encode());
    kept.append(Event::CreateIntended { attempt: 1 });
    kept.append(Event::RemoteStarted { attempt: 1, remote_id: "v1_a".to_owned(), cursor: None });
    kept.append(Event::Ended {
        stop: RunStop::Completed,
        report: stored,
        raw,
        usage: None,
        cost: Cost::Unknown,
        problem: None,
        sources: 1,
        progress: None,
    });
    kept
}

fn provider_answer(report: &Report) -> Vec<u8> {
    [b"answer:".as_slice(), &report.encode()].concat()
}

pub fn read_answer(raw: &[u8]) -> Result<Report, String> {
    let report = raw.strip_prefix(b"answer:").ok_or("not an answer")?;
    Report::decode(report).map_err(|error| error.to_string())
}

/// A research on the web engine, with a model that plans, chooses, reads and writes.
pub fn on_the_web() -> StoredRun {
    researched(None)
}

/// The same, with every claim examined and judged before it ends.
pub fn checked() -> StoredRun {
    let judge = JudgePlan {
        name: "judge".to_owned(),
        version: "1".to_owned(),
        local: true,
        price: MicroUsd(0),
        wrote_it: false,
        endpoint: String::new(),
        exam: ExamRule::Trusted,
    };
    researched(Some(Box::new(CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() })))
}

fn researched(checks: Option<Box<CheckPlan>>) -> StoredRun {
    let web = WebPlan {
        strategy: Strategy::of(StrategyLevel::Shallow, "the test says so"),
        hints: StrategyHints::default(),
        providers: vec![ProviderName::Wikipedia],
        filters: SearchFilters::default(),
        model: Some(WebModel { name: "tester".to_owned(), local: true }),
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
    let limits = RunLimits::new(Duration::from_secs(3600), None);
    let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits);
    let mut kept = StoredRun::begin(Plan { checks, ..plan });
    let mut attention = DriverState::default();
    for _ in 0..STEPS_MAX {
        let research = RunState::replay(kept.id, &kept.journal).unwrap();
        attention.attended = Duration::from_millis(kept.journal.len() as u64 * 1000);
        match next_step(&research, &attention) {
            Step::Record(event) => {
                attention.intent_is_fresh =
                    matches!(*event, Event::GatherIntended { .. } | Event::CheckIntended { .. });
                kept.append(*event);
            }
            Step::Fetch(wanted) => {
                attention.blobs.insert(wanted, Arc::from(kept.blobs[&wanted].as_slice()));
            }
            Step::Perform(call) => perform(&mut kept, &mut attention, &call),
            Step::PerformAll(calls) => calls.iter().for_each(|call| perform(&mut kept, &mut attention, call)),
            Step::Recall(keys) => attention.recalled.extend(keys.into_iter().map(|key| (key, None))),
            Step::Finish(finish) => {
                let report = kept.keep(&finish.report.as_ref().unwrap().encode());
                let event = finish.event(report, None, Moment(1_800_000_000_123));
                let over = matches!(event, Event::Ended { .. });
                kept.append(event);
                if over {
                    return kept;
                }
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("no end after {STEPS_MAX} steps")
}

fn perform(kept: &mut StoredRun, attention: &mut DriverState, call: &EngineCall) {
    let research = RunState::replay(kept.id, &kept.journal).unwrap();
    let bill = Bill::NOTHING;
    let finding = match call {
        EngineCall::Web(call) => {
            Found::Web(Box::new(WebTaskReply { task: call.task, output: answer(call), bill }))
        }
        EngineCall::Check(call) => {
            Found::Check(Box::new(CheckTaskReply { task: call.task.clone(), output: check(&call.ask), bill }))
        }
        other => panic!("{other:?}"),
    };
    match react(&research, attention, finding, Moment(0)) {
        Reaction::Append(event) => kept.append(event),
        Reaction::KeepPage(page) => {
            let snapshot = kept.keep(&page.snapshot);
            let text = kept.keep(&page.extract.encode());
            let event = page.event(snapshot, text);
            kept.append(event);
        }
        Reaction::KeepDraft(draft) => {
            let questions = u32::try_from(draft.ledger.as_ref().unwrap().questions.len()).unwrap();
            let draft = kept.keep(&draft.encode()).unwrap();
            let outcome = CheckTaskOutcome::Examined { draft, questions };
            kept.append(Event::CheckDone { task: CheckTask::Examine, outcome, bill });
        }
        other => panic!("{other:?}"),
    }
}

fn check(ask: &CheckRequest) -> CheckTaskOutput {
    match ask {
        CheckRequest::Page { url } => CheckTaskOutput::Page(Box::new(page(url))),
        CheckRequest::Examine(ask) => CheckTaskOutput::Examined(Box::new(examine(ask))),
        CheckRequest::Judge(ask) => {
            let reply = |item: &JudgeItem| JudgeReply {
                claim: item.claim,
                opinion: Opinion::Supports,
                quotations: item.passages.clone(),
                confidence: 90,
                reason: String::new(),
            };
            CheckTaskOutput::Judged(ask.items.iter().map(reply).collect())
        }
    }
}

/// One claim for each page: that what was quoted of it stands there.
pub fn examine(ask: &ExamineRequest) -> Report {
    let mut ledger = Ledger { checker: "1".to_owned(), ..Ledger::default() };
    for (place, cited) in ask.pages.iter().enumerate() {
        let stored = cited.page.as_ref().unwrap();
        let text = Extract::decode(&stored.extract).unwrap().text;
        let (start, end) = stored.quoted[0];
        let (id, source) = (ClaimId::at(place), u32::try_from(place).unwrap());
        ledger.claims.push(Claim {
            id,
            start: 0,
            end: 5,
            words: text.get(start..end).unwrap_or_default().to_owned(),
            kind: ClaimKind::Fact,
            load_bearing: true,
            cites: vec![source],
            quotations: Vec::new(),
            derived: None,
            context: Default::default(),
            inherited: None,
            repeats: None,
            rests_on: Vec::new(),
        });
        ledger.sources.push(LedgerSource {
            url: cited.url.clone(),
            title: stored.metadata.title.clone(),
            state: SourceState::Kept {
                snapshot: stored.metadata.snapshot,
                extract: stored.metadata.extract,
                fetched_at: Moment(0),
                provenance: Provenance::Direct,
                published: None,
            },
            origin: source,
            quoted: stored.quoted.clone(),
        });
        ledger.passages.push(Passage {
            source,
            start,
            end,
            text: text.get(start..end).unwrap_or_default().to_owned(),
            context: Default::default(),
        });
        ledger.questions.push(JudgeQuestion { claim: id, passages: vec![source], witnesses: Vec::new() });
        ledger.checks.push(Check {
            claim: id,
            aspect: CheckAspect::Quotation,
            opinion: Opinion::Quoted,
            by: CheckAuthor::Rules { version: "1".to_owned() },
            confidence: 99,
            source: Some(source),
            span: Some((start, end)),
            page: Some(stored.metadata.snapshot),
            at: ask.at,
            reason: String::new(),
        });
    }
    Report { ledger: Some(Box::new(ledger)), ..ask.report.clone() }
}

fn answer(call: &WebCall) -> WebTaskOutput {
    match &call.ask {
        WebRequest::Plan(_) => {
            let query =
                PlannedQuery { question: "Why did the bridge fall?".to_owned(), query: "tacoma".to_owned() };
            WebTaskOutput::Planned(QueryPlan { queries: vec![query], enough: false })
        }
        WebRequest::Search(_) => WebTaskOutput::Found(SearchReply {
            hits: (1..=3)
                .map(|number| SearchHit {
                    url: format!("https://site{number}.example/bridge"),
                    title: format!("Bridge {number}"),
                    snippet: "About the bridge".to_owned(),
                    published: None,
                })
                .collect(),
            ..SearchReply::default()
        }),
        WebRequest::Choose(ask) => WebTaskOutput::Chosen((0..ask.candidates.len()).collect()),
        WebRequest::Page { url, .. } => WebTaskOutput::Page(Box::new(page(url))),
        WebRequest::Read(ask) => WebTaskOutput::Read(ReadReply {
            quotes: ask.text.lines().skip(1).map(str::to_owned).collect(),
            ..ReadReply::default()
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
        WebRequest::Folder { .. } => WebTaskOutput::Files(Vec::new()),
        WebRequest::Brief(_)
        | WebRequest::Line(_)
        | WebRequest::Survey(_)
        | WebRequest::Outline(_)
        | WebRequest::Section(_)
        | WebRequest::Synthesis(_)
        | WebRequest::Front(_) => WebTaskOutput::Failed(probity_research::CodedError::new(
            probity_research::Code::KeyMissing,
            "the plans of these runs have no inquiry",
        )),
    }
}

fn page(url: &str) -> FetchedPage {
    let text = format!(
        "Page of {url}, “as it was”.\nThe bridge fell in 1940 because of flutter, says {url} itself."
    );
    let record = PageRecord {
        asked_url: url.to_owned(),
        final_url: url.to_owned(),
        redirects: Vec::new(),
        address: Some("93.184.216.34:443".to_owned()),
        fetched_at: Moment(0),
        status: 200,
        headers: Vec::new(),
        media: MediaKind::Html,
        bytes: text.len() as u64,
        provenance: Provenance::Direct,
        revalidated: false,
        overridden: false,
    };
    FetchedPage {
        record,
        snapshot: text.as_bytes().to_vec(),
        extract: read_page(MediaKind::Html, url, text.as_bytes()).unwrap(),
    }
}

/// The text of a page is its bytes.
pub fn read_page(_: MediaKind, url: &str, bytes: &[u8]) -> Result<Extract, String> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())?;
    let block = ExtractBlock {
        kind: ExtractBlockKind::Paragraph,
        start: 0,
        end: text.len(),
        source: None,
        page: None,
    };
    Ok(Extract { text, blocks: vec![block], title: Some(format!("Page {url}")), ..Extract::default() })
}

pub const OUTSIDE: ReplayReaders<'static> =
    ReplayReaders { raw: Some(&read_answer), examine: Some(&examine) };

pub fn means() -> VerifyOptions<'static> {
    VerifyOptions {
        pinned: None,
        program: PROGRAM,
        outside: OUTSIDE,
        page: Some(&read_page),
        private_pages: PrivatePages::Refused,
    }
}

pub fn findings(bytes: &[u8]) -> Vec<BundleIssue> {
    verify(&Bundle::read(bytes).unwrap(), &means())
}

/// The promises that are not kept.
pub fn broken(bytes: &[u8]) -> Vec<BundlePromise> {
    findings(bytes)
        .iter()
        .filter(|finding| finding.kept == PromiseStatus::No)
        .map(|finding| finding.promise)
        .collect()
}

pub fn kept(findings: &[BundleIssue], promise: BundlePromise) -> PromiseStatus {
    findings.iter().find(|finding| finding.promise == promise).unwrap().kept
}
