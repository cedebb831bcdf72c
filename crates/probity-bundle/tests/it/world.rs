//! Finished researches, led to their end by the rules themselves against a scripted outside.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use probity_bundle::{
    Bundle, Contents, Finding, Kept, Means, Outside, Parts, Promise, SigningKey, make, manifest::digest,
    verify,
};
use probity_research::{
    Digest, Event, Recorded, Research, ResearchId, Sequence, Step,
    agent::AgentName,
    attention::Attention,
    checking::{
        CheckBrought, CheckFinding, CheckOutcome, CheckPlan, CheckTask, JudgePlan,
        task::{CheckAsk, ExamineAsk, JudgeItem, JudgeReply},
    },
    cost::{Cost, MicroUsd},
    finding::{Call, Finding as Found},
    ledger::{
        Aspect, By, Check, Claim, ClaimId, ClaimKind, Ledger, LedgerSource, Opinion, Passage, Question,
        SourceState,
    },
    next_step,
    plan::{Limits, Plan},
    query::Query,
    react::{Reaction, react},
    report::{Report, SourceLink},
    rounds::{Manner, RoundsPlan},
    stop::Stop,
    time::Moment,
    web::{
        Filters,
        bill::Bill,
        page::{Block, BlockKind, Extract, Media, PageRecord, Provenance},
        plan::{Prices, WebModel, WebPlan},
        search::{Hit, ProviderName, SearchAnswer},
        strategy::{Hints, Level, Strategy},
        task::{
            Ask, Brought, BroughtPage, Draft, DraftSection, DraftSentence, Planned, PlannedQuery, ReadReply,
            WebCall, WebFinding,
        },
    },
};

pub const PROGRAM: &str = "0.0.test";
const STEPS_MAX: usize = 200;

/// A research with everything that a store would hold of it.
#[derive(Clone)]
pub struct Stored {
    pub id: ResearchId,
    pub journal: Vec<Recorded>,
    pub blobs: BTreeMap<Digest, Vec<u8>>,
}

pub fn key() -> SigningKey {
    SigningKey::from_pkcs8(&SigningKey::generate().unwrap()).unwrap()
}

impl Stored {
    fn begin(plan: Plan) -> Self {
        let query = Query::parse("Why did the Tacoma Narrows Bridge fall?").unwrap();
        let mut kept = Self { id: ResearchId::from_random(7), journal: Vec::new(), blobs: BTreeMap::new() };
        kept.append(Event::Asked { query, plan });
        kept
    }

    pub fn append(&mut self, event: Event) {
        let place = self.journal.len() as u64;
        self.journal.push(Recorded {
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
        let mut contents = Contents::of(&self.journal);
        let mut blobs = BTreeMap::new();
        while let Some(wanted) = contents.wanted() {
            if let Some(bytes) = self.blobs.get(&wanted) {
                contents.take(wanted, bytes);
                blobs.insert(wanted, bytes.clone());
            }
        }
        self.bundle_of(&blobs, key)
    }

    pub fn bundle_of(&self, blobs: &BTreeMap<Digest, Vec<u8>>, key: &SigningKey) -> Vec<u8> {
        let prompts = BTreeMap::from([("web-read-prompt.md".to_owned(), "Read {{page}}.".to_owned())]);
        let parts =
            Parts { research: self.id, journal: &self.journal, blobs, prompts: &prompts, program: PROGRAM };
        make(&parts, key).unwrap()
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
        if let Some(Recorded { event: Event::Ended { report, .. }, .. }) = self.journal.last_mut() {
            *report = stored;
        }
        self
    }
}

/// A Deep Research run: the report is the provider's own document.
pub fn deep_research() -> Stored {
    let limits = Limits::new(Duration::from_secs(3600), None);
    let mut kept = Stored::begin(Plan::new(AgentName::default(), limits));
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
        stop: Stop::Completed,
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
pub fn on_the_web() -> Stored {
    researched(None)
}

/// The same, with every claim examined and judged before it ends.
pub fn checked() -> Stored {
    let judge = JudgePlan {
        name: "judge".to_owned(),
        version: "1".to_owned(),
        local: true,
        price: MicroUsd(0),
        wrote_it: false,
    };
    researched(Some(Box::new(CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() })))
}

fn researched(checks: Option<Box<CheckPlan>>) -> Stored {
    let web = WebPlan {
        strategy: Strategy::of(Level::Shallow, "the test says so"),
        hints: Hints::default(),
        providers: vec![ProviderName::Wikipedia],
        filters: Filters::default(),
        model: Some(WebModel { name: "tester".to_owned(), local: true }),
        prices: Prices::default(),
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
    };
    let limits = Limits::new(Duration::from_secs(3600), None);
    let plan = Plan::on_the_web(RoundsPlan::new(Manner::DeepResearch, 1), web, limits);
    let mut kept = Stored::begin(Plan { checks, ..plan });
    let mut attention = Attention::default();
    for _ in 0..STEPS_MAX {
        let research = Research::replay(kept.id, &kept.journal).unwrap();
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

fn perform(kept: &mut Stored, attention: &mut Attention, call: &Call) {
    let research = Research::replay(kept.id, &kept.journal).unwrap();
    let bill = Bill::NOTHING;
    let finding = match call {
        Call::Web(call) => Found::Web(Box::new(WebFinding { task: call.task, brought: answer(call), bill })),
        Call::Check(call) => {
            Found::Check(Box::new(CheckFinding { task: call.task.clone(), brought: check(&call.ask), bill }))
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
            let outcome = CheckOutcome::Examined { draft, questions };
            kept.append(Event::CheckDone { task: CheckTask::Examine, outcome, bill });
        }
        other => panic!("{other:?}"),
    }
}

fn check(ask: &CheckAsk) -> CheckBrought {
    match ask {
        CheckAsk::Page { url } => CheckBrought::Page(Box::new(page(url))),
        CheckAsk::Examine(ask) => CheckBrought::Examined(Box::new(examine(ask))),
        CheckAsk::Judge(ask) => {
            let reply = |item: &JudgeItem| JudgeReply {
                claim: item.claim,
                opinion: Opinion::Supports,
                quotations: item.passages.clone(),
                confidence: 90,
                reason: String::new(),
            };
            CheckBrought::Judged(ask.items.iter().map(reply).collect())
        }
    }
}

/// One claim for each page: that what was quoted of it stands there.
pub fn examine(ask: &ExamineAsk) -> Report {
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
        });
        ledger.sources.push(LedgerSource {
            url: cited.url.clone(),
            title: stored.kept.title.clone(),
            state: SourceState::Kept {
                snapshot: stored.kept.snapshot,
                extract: stored.kept.extract,
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
        });
        ledger.questions.push(Question { claim: id, passages: vec![source] });
        ledger.checks.push(Check {
            claim: id,
            aspect: Aspect::Quotation,
            opinion: Opinion::Quoted,
            by: By::Rules { version: "1".to_owned() },
            confidence: 99,
            source: Some(source),
            span: Some((start, end)),
            page: Some(stored.kept.snapshot),
            at: ask.at,
            reason: String::new(),
        });
    }
    Report { ledger: Some(Box::new(ledger)), ..ask.report.clone() }
}

fn answer(call: &WebCall) -> Brought {
    match &call.ask {
        Ask::Plan(_) => {
            let query =
                PlannedQuery { question: "Why did the bridge fall?".to_owned(), query: "tacoma".to_owned() };
            Brought::Planned(Planned { queries: vec![query], enough: false })
        }
        Ask::Search(_) => Brought::Found(SearchAnswer {
            hits: (1..=3)
                .map(|number| Hit {
                    url: format!("https://site{number}.example/bridge"),
                    title: format!("Bridge {number}"),
                    snippet: "About the bridge".to_owned(),
                    published: None,
                })
                .collect(),
            ..SearchAnswer::default()
        }),
        Ask::Choose(ask) => Brought::Chosen((0..ask.candidates.len()).collect()),
        Ask::Page { url, .. } => Brought::Page(Box::new(page(url))),
        Ask::Read(ask) => Brought::Read(ReadReply {
            quotes: ask.text.lines().skip(1).map(str::to_owned).collect(),
            ..ReadReply::default()
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
        Ask::Folder { .. } => Brought::Files(Vec::new()),
    }
}

fn page(url: &str) -> BroughtPage {
    let text = format!(
        "Page of {url}, “as it was”.\nThe bridge fell in 1940 because of flutter, says {url} itself."
    );
    let record = PageRecord {
        asked_url: url.to_owned(),
        final_url: url.to_owned(),
        redirects: Vec::new(),
        address: None,
        fetched_at: Moment(0),
        status: 200,
        headers: Vec::new(),
        media: Media::Html,
        bytes: text.len() as u64,
        provenance: Provenance::Direct,
        revalidated: false,
    };
    BroughtPage {
        record,
        snapshot: text.as_bytes().to_vec(),
        extract: read_page(Media::Html, url, text.as_bytes()).unwrap(),
    }
}

/// The text of a page is its bytes.
pub fn read_page(_: Media, url: &str, bytes: &[u8]) -> Result<Extract, String> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())?;
    let block = Block { kind: BlockKind::Paragraph, start: 0, end: text.len(), source: None, page: None };
    Ok(Extract { text, blocks: vec![block], title: Some(format!("Page {url}")), ..Extract::default() })
}

pub const OUTSIDE: Outside<'static> = Outside { raw: Some(&read_answer), examine: Some(&examine) };

pub fn means() -> Means<'static> {
    Means { pinned: None, program: PROGRAM, outside: OUTSIDE, page: Some(&read_page) }
}

pub fn findings(bytes: &[u8]) -> Vec<Finding> {
    verify(&Bundle::read(bytes).unwrap(), &means())
}

/// The promises that are not kept.
pub fn broken(bytes: &[u8]) -> Vec<Promise> {
    findings(bytes).iter().filter(|finding| finding.kept == Kept::No).map(|finding| finding.promise).collect()
}

pub fn kept(findings: &[Finding], promise: Promise) -> Kept {
    findings.iter().find(|finding| finding.promise == promise).unwrap().kept
}
