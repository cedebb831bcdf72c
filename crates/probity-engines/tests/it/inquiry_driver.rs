//! Drives whole inquiries: real rules, real engine, the simulated web and the simulated model over HTTP.
//!
//! Pages are fetched for real and parsed here: the confined process that parses them belongs to the program.

use std::{collections::BTreeMap, ffi::OsString, sync::Arc, time::Duration};

use probity_engines::{EngineDispatcher, Prompts, RoleClients, WebEngine};
use probity_extract::{ParserPool, ParserSettings, extract};
use probity_models::{
    ApiKey, HttpTransport,
    chat::{ChatClient, ChatKind, ChatSettings},
};
use probity_research::{
    Code, CodedError, Digest, Event, RunId, RunState, Sequence, Step, StoredEvent,
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome},
    inquiry::InquiryPlan,
    next_step,
    plan::{Plan, RunLimits},
    planning::{ModelOffer, ModelOffers, PlanCap, PlanningRequest, WebOptions, web_plan},
    ports::Engine as _,
    query::Query,
    react::{Reaction, RunFinish, react},
    rounds::{Mode, RoundsPlan},
    time::Moment,
    web::{
        Bill, ProviderName,
        task::{FetchedPage, WebRequest, WebTaskOutput, WebTaskReply},
    },
};
use probity_simulator::{Script, Simulator, SimulatorOptions, SmallWeb};
use probity_web::{
    fetch::{Fetcher, FetcherSettings, ReachRules},
    search::{SearchClient, SearchSettings},
};

const NOW: Moment = Moment(1_794_000_000_000);
/// Longer than any inquiry here takes.
const STEPS_MAX: usize = 2_000;
/// Nobody listens there: what is not simulated is refused at once.
const NOBODY: &str = "127.0.0.1:1";

pub struct Inquiry {
    pub simulator: Simulator,
    engines: EngineDispatcher<Arc<HttpTransport>>,
    research: RunState,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
}

impl Inquiry {
    pub async fn new(web: SmallWeb, script: Script, question: &str, inquiry: InquiryPlan) -> Self {
        let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
        simulator.handle().set_web(web);
        simulator.handle().with_chat(|model, _| model.set_script(script));
        let query = Query::parse(question).unwrap();
        let free = |_, _| None;
        let options = WebOptions {
            providers: vec![ProviderName::TavilyKeyless],
            unbilled: Vec::new(),
            page_service: None,
            models: Some(ModelOffers::one(ModelOffer { name: "gpt-5", local: true, price: &free })),
            window: None,
            checks: None,
            cap: PlanCap::of(None, None),
            today: "2026-11-17",
        };
        let mut asking = PlanningRequest::new(Mode::DeepResearch);
        asking.hints.level = Some(inquiry.depth);
        let plan = web_plan(options, asking, &query).with_inquiry(inquiry);
        let limits = RunLimits::new(Duration::from_secs(3_600), None);
        let plan = Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), plan, limits);
        let event = Event::Asked { query, plan };
        let asked = StoredEvent { sequence: Sequence(1), at: NOW, attended_ms: 0, event };
        let research = RunState::replay(RunId::from_random(7), &[asked]).unwrap();
        let web = Ok(engine(simulator.base_url()));
        let google = Err(CodedError::new(Code::UnknownEngine, "not here"));
        let engines = EngineDispatcher { google, web, prompts: Prompts::default() };
        Self { simulator, engines, research, blobs: BTreeMap::new() }
    }

    pub async fn run(&mut self) -> RunFinish {
        let mut attention = DriverState::default();
        for _ in 0..STEPS_MAX {
            match next_step(&self.research, &attention) {
                Step::Record(event) => {
                    attention.decided(Some(event.is_intent()));
                    self.append(*event);
                }
                // Waits are judged by the tests of the rules.
                Step::Wait(_) => attention.pause = None,
                Step::Fetch(digest) => {
                    attention.blobs.insert(digest, Arc::clone(self.blobs.get(&digest).unwrap()));
                }
                Step::Finish(finish) => return *finish,
                Step::Perform(call) => self.perform(&mut attention, vec![call]).await,
                Step::PerformAll(calls) => self.perform(&mut attention, calls).await,
                Step::Recall(_) | Step::Rest => panic!("rests without an end"),
            }
        }
        panic!("no end after {STEPS_MAX} steps")
    }

    async fn perform(&mut self, attention: &mut DriverState, calls: Vec<EngineCall>) {
        let mut outcomes = Vec::new();
        for call in &calls {
            outcomes.push(match self.page(call).await {
                Some(outcome) => outcome,
                None => self.engines.perform(&self.research, call).await,
            });
        }
        for outcome in outcomes {
            self.take(attention, outcome);
        }
    }

    /// A page, if this call is for one.
    async fn page(&self, call: &EngineCall) -> Option<EngineOutcome> {
        let EngineCall::Web(call) = call else { return None };
        let WebRequest::Page { url, .. } = &call.ask else { return None };
        let fetcher = &self.engines.web.as_ref().unwrap().fetcher;
        let read = fetcher.page(url).await.and_then(|page| {
            let text = extract(&page.bytes, page.record.media, &page.record.final_url)?;
            Ok(FetchedPage { record: page.record, snapshot: page.bytes.to_vec(), extract: text })
        });
        let output = read.map_or_else(WebTaskOutput::Failed, |page| WebTaskOutput::Page(Box::new(page)));
        Some(WebTaskReply { task: call.task, output, bill: Bill::NOTHING }.into())
    }

    fn take(&mut self, attention: &mut DriverState, outcome: EngineOutcome) {
        match react(&self.research, attention, outcome, NOW) {
            Reaction::Nothing => {}
            Reaction::Append(event) => self.append(event),
            Reaction::KeepPage(page) => {
                let snapshot = self.keep(page.snapshot.clone());
                let text = self.keep(page.extract.encode());
                self.append(page.event(Some(snapshot), Some(text)));
            }
            other => panic!("{other:?}"),
        }
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Digest {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&(self.blobs.len() as u64 + 1).to_be_bytes());
        self.blobs.insert(Digest(digest), bytes.into());
        Digest(digest)
    }

    fn append(&mut self, event: Event) {
        let sequence = self.research.sequence.next();
        self.research.apply(&StoredEvent { sequence, at: NOW, attended_ms: 0, event }).unwrap();
    }
}

fn engine(base: &str) -> WebEngine<Arc<HttpTransport>> {
    let here = base.trim_start_matches("http://");
    let rules = [format!("*:80={here}"), format!("{here}={here}"), format!("*:443={NOBODY}")];
    let settings =
        FetcherSettings { reach: ReachRules::parse(rules).unwrap(), ..FetcherSettings::new(|| NOW) };
    let fetcher = Arc::new(Fetcher::new(settings).unwrap());
    let bases = BTreeMap::from([(ProviderName::TavilyKeyless, format!("{base}/search-api/tavily"))]);
    let search = SearchSettings { keys: BTreeMap::new(), bases, contact: None };
    let mut chat = ChatSettings::new(ChatKind::OpenAi, "gpt-5");
    base.clone_into(&mut chat.base_url);
    chat.key = Some(ApiKey::parse("canary-key-7f3a").unwrap());
    let network = Arc::new(HttpTransport::new(base).unwrap());
    WebEngine {
        search: SearchClient::new(Arc::clone(&fetcher), search),
        fetcher,
        parser: ParserPool::new(ParserSettings::new(vec![OsString::from("/nonexistent")])),
        archive: None,
        page_service: None,
        browser: Err(CodedError::new(Code::BrowserMissing, "not here")),
        chat: Some(ChatClient::new(network, chat, || NOW).unwrap()),
        roles: RoleClients::none(),
        judge: None,
        second_judge: None,
        now: Box::new(|| NOW),
    }
}
