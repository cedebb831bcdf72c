//! Drives one research in rounds with the real engines and a journal in memory.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use probity_engines::{ApiRounds, EngineDispatcher, GoogleEngines, Prompts};
use probity_models::{
    ApiKey, DeepResearch, DeepResearchSettings, HttpTransport, gemini::redirects::RedirectResolver,
};
use probity_research::{
    Code, CodedError, Digest, Event, RunId, RunState, Sequence, Step, StoredEvent,
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome},
    next_step,
    plan::{EngineName, Plan, RunLimits},
    ports::Engine as _,
    query::Query,
    react::{Reaction, RunFinish, react},
    rounds::RoundsPlan,
    time::Moment,
};
use probity_simulator::{Simulator, SimulatorOptions, TimeMode, WorldSettings};

const NOW: Moment = Moment(1_794_000_000_000);
/// Longer than any script here takes.
const STEPS_MAX: usize = 500;

pub struct Search {
    pub simulator: Simulator,
    engines: EngineDispatcher<Arc<HttpTransport>>,
    research: RunState,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    /// The prompts are long; what matters is which kind was sent.
    pub asked: Vec<(u32, bool)>,
}

impl Search {
    pub async fn new(plan: RoundsPlan, query: &str) -> Self {
        let options =
            SimulatorOptions { world: WorldSettings::default(), time: TimeMode::Real { speed: 10.0 } };
        let simulator = Simulator::start(options).await.unwrap();
        let base_url = simulator.base_url().to_owned();
        let network = Arc::new(HttpTransport::new(&base_url).unwrap());
        let key = ApiKey::parse("canary-key-7f3a").unwrap();
        let settings = DeepResearchSettings { base_url: base_url.clone(), ..DeepResearchSettings::new(key) };
        let google = GoogleEngines {
            service: Ok(DeepResearch::new(Arc::clone(&network), settings).unwrap()),
            api: ApiRounds::new(RedirectResolver::new(network, &base_url)),
            cli: Err(CodedError::new(Code::CliNotFound, "not here")),
        };
        let engines = EngineDispatcher {
            google: Ok(google),
            web: Err(CodedError::new(Code::UnknownEngine, "not here")),
            prompts: Prompts::default(),
        };
        let plan =
            Plan::for_rounds(EngineName::GeminiApi, plan, RunLimits::new(Duration::from_secs(600), None));
        let event = Event::Asked { query: Query::parse(query).unwrap(), plan };
        let asked = StoredEvent { sequence: Sequence(1), at: NOW, attended_ms: 0, event };
        let research = RunState::replay(RunId::from_random(7), &[asked]).unwrap();
        Self { simulator, engines, research, blobs: BTreeMap::new(), asked: Vec::new() }
    }

    pub async fn run(&mut self) -> RunFinish {
        let mut attention = DriverState::default();
        for _ in 0..STEPS_MAX {
            match next_step(&self.research, &attention) {
                Step::Record(event) => {
                    attention.intent_is_fresh = matches!(*event, Event::CreateIntended { .. });
                    self.append(*event);
                }
                // Waits are judged by the tests of the rules.
                Step::Wait(_) => attention.pause = None,
                Step::Fetch(digest) => {
                    attention.blobs.insert(digest, Arc::clone(self.blobs.get(&digest).unwrap()));
                }
                Step::Finish(finish) => return *finish,
                Step::Perform(call) => {
                    if let EngineCall::Ask(round) = &call {
                        self.asked.push((round.round, round.invalid.is_some()));
                    }
                    let finding = self.engines.perform(&self.research, &call).await;
                    self.take(&mut attention, finding);
                }
                Step::PerformAll(_) | Step::Recall(_) | Step::Rest => panic!("rests without an end"),
            }
        }
        panic!("no end after {STEPS_MAX} steps")
    }

    fn take(&mut self, attention: &mut DriverState, finding: EngineOutcome) {
        match react(&self.research, attention, finding, NOW) {
            Reaction::Nothing => {}
            Reaction::Append(event) => self.append(event),
            Reaction::KeepRound(kept) => {
                let digest = Digest([u8::try_from(self.blobs.len() + 1).unwrap(); 32]);
                let stored = (!kept.bytes.is_empty()).then_some(digest);
                self.blobs.insert(digest, kept.bytes.clone().into());
                self.append(kept.event(stored, None));
            }
            other => panic!("{other:?}"),
        }
    }

    fn append(&mut self, event: Event) {
        let sequence = self.research.sequence.next();
        self.research.apply(&StoredEvent { sequence, at: NOW, attended_ms: 0, event }).unwrap();
    }
}
