//! One research, driven by hand: calls go out through a recording transport, findings are shown as text.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use probity_models::{
    ApiKey, ConnectionReuse, DeepResearch, DeepResearchSettings, HeaderText, HttpRequest, HttpResponse,
    HttpTransport, Transport, TransportError,
};
use probity_research::{
    agent::AgentName,
    engine_call::{EngineCall, EngineOutcome, Poll, RemoteResult},
    error::CodedError,
    event::{Event, StoredEvent},
    id::{RunId, Sequence},
    plan::{Notify, Plan, RunLimits, TurnKind},
    ports::Engine as _,
    progress::ProgressLine,
    query::Query,
    report::Report,
    state::RunState,
    time::Moment,
};
use probity_simulator::{Simulator, SimulatorOptions, TimeMode, WorldSettings};

/// Time for a call that is not about time.
const LONG: Duration = Duration::from_secs(600);

/// No key of a real service; looked for wherever a key must not be.
pub const CANARY: &str = "canary-key-7f3a";

/// Passes everything on and writes down what it sent.
pub struct RequestRecorder {
    inner: HttpTransport,
    sent: Arc<Mutex<Vec<HttpRequest>>>,
}

impl Transport for RequestRecorder {
    type Body = <HttpTransport as Transport>::Body;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<Self::Body>, TransportError> {
        self.sent.lock().unwrap().push(request.clone());
        self.inner.send(request).await
    }
}

/// How a test follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FollowMethod {
    Stream,
    Poll,
}

pub struct DeepResearchHarness {
    pub simulator: Simulator,
    pub engine: DeepResearch<RequestRecorder>,
    pub research: RunState,
    sent: Arc<Mutex<Vec<HttpRequest>>>,
    base_url: String,
}

pub fn research(number: u128, query: &str, turn: TurnKind, continues: Option<String>) -> RunState {
    let plan = Plan {
        turn,
        continues,
        notify: Notify::Never,
        ..Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(3_600), None))
    };
    let query = Query::parse(query).unwrap();
    let asked = StoredEvent {
        sequence: Sequence(1),
        at: Moment(0),
        attended_ms: 0,
        event: Event::Asked { query, plan },
    };
    RunState::replay(RunId::from_random(number), &[asked]).unwrap()
}

impl DeepResearchHarness {
    /// A world whose time stands still until the test lets it pass.
    pub async fn new(by: FollowMethod, query: &str) -> Self {
        Self::with_key(by, query, CANARY).await
    }

    pub async fn with_key(by: FollowMethod, query: &str, key: &str) -> Self {
        let options = SimulatorOptions { world: WorldSettings::default(), time: TimeMode::Manual };
        let simulator = Simulator::start(options).await.unwrap();
        let base_url = simulator.base_url().to_owned();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let inner = HttpTransport::new(&base_url).unwrap();
        let settings = DeepResearchSettings {
            base_url: base_url.clone(),
            streams_open_max: if by == FollowMethod::Stream { 16 } else { 0 },
            ..DeepResearchSettings::new(ApiKey::parse(key).unwrap())
        };
        let engine = DeepResearch::new(RequestRecorder { inner, sent: Arc::clone(&sent) }, settings).unwrap();
        Self { simulator, engine, research: research(7, query, TurnKind::Research, None), sent, base_url }
    }

    /// Asks another question in the same world.
    pub fn ask(&mut self, query: &str, turn: TurnKind, continues: Option<String>) {
        self.research = research(8, query, turn, continues);
    }

    pub fn pass(&self, milliseconds: u64) {
        self.simulator.handle().advance(milliseconds);
    }

    pub fn remote_id(&self) -> String {
        self.research.remote_id.clone().unwrap()
    }

    pub async fn create(&mut self) -> EngineOutcome {
        let finding = self.engine.perform(&self.research, &EngineCall::Create { attempt: 1 }).await;
        if let EngineOutcome::Started { remote_id, cursor } = finding.clone() {
            self.record(Event::RemoteStarted { attempt: 1, remote_id, cursor });
        }
        finding
    }

    /// The create of a scenario in which it succeeds.
    pub async fn start(&mut self) {
        let finding = self.create().await;
        assert!(matches!(finding, EngineOutcome::Started { .. }), "{finding:?}");
    }

    pub async fn follow(&mut self) -> EngineOutcome {
        let call = EngineCall::Follow {
            remote_id: self.remote_id(),
            cursor: self.research.cursor.clone(),
            within: LONG,
        };
        let finding = self.engine.perform(&self.research, &call).await;
        if let EngineOutcome::Running(sighting) = finding.clone() {
            let Poll { progress, cursor, .. } = *sighting;
            self.record(Event::Observed { progress, cursor });
        }
        finding
    }

    pub async fn finished(&mut self) -> RemoteResult {
        match self.follow().await {
            EngineOutcome::Finished(finished) => *finished,
            other => panic!("not finished: {other:?}"),
        }
    }

    /// The simulator as it will be, without the connections of before.
    pub async fn cancel(&self) -> EngineOutcome {
        self.engine
            .perform(&self.research, &EngineCall::Cancel { remote_id: self.remote_id(), within: LONG })
            .await
    }

    pub async fn collect(&self) -> EngineOutcome {
        self.engine
            .perform(&self.research, &EngineCall::Collect { remote_id: self.remote_id(), within: LONG })
            .await
    }

    pub fn record(&mut self, event: Event) {
        let sequence = self.research.sequence.next();
        let recorded = StoredEvent { sequence, at: Moment(0), attended_ms: 0, event };
        self.research.apply(&recorded).unwrap();
    }

    /// Every request since the last time, one per line, the run's id as `ID`; all of them carried the key
    /// in its header and nowhere else.
    pub fn requests(&self) -> String {
        let mut lines = Vec::new();
        for request in self.sent.lock().unwrap().drain(..) {
            let is_key = |(name, text): &&(&'static str, HeaderText)| {
                *name == "x-goog-api-key" && matches!(text, HeaderText::Secret(key) if key.expose() == CANARY)
            };
            assert_eq!(request.headers.iter().filter(is_key).count(), 1);
            assert!(!request.url.contains(CANARY));
            let mut target = request.url.replace(&self.base_url, "");
            if let Some(id) = &self.research.remote_id {
                target = target.replace(id.as_str(), "ID");
            }
            let fresh =
                if request.connection == ConnectionReuse::Fresh { " on its own connection" } else { "" };
            let body = String::from_utf8(request.body.to_vec()).unwrap();
            let body = if body.is_empty() { body } else { format!("\n{body}") };
            lines.push(format!("{:?} {target}{fresh}{body}", request.method));
        }
        lines.join("\n")
    }
}

/// A finding in a few lines.
pub fn shown(finding: &EngineOutcome) -> String {
    match finding {
        EngineOutcome::Started { cursor, .. } => format!("Started at {cursor:?}"),
        EngineOutcome::Refused(problem) => format!("Refused {}", said(problem)),
        EngineOutcome::Uncertain(problem) => format!("Uncertain {}", said(problem)),
        EngineOutcome::Answered(_) => "answered".to_owned(),
        EngineOutcome::Lost(problem) => format!("lost {}", problem.code),
        EngineOutcome::NotThere(problem) => format!("NotThere {}", said(problem)),
        EngineOutcome::Unreachable(problem) => format!("Unreachable {}", said(problem)),
        EngineOutcome::Unreadable(answer) => {
            format!("Unreadable {} in {} bytes", said(&answer.problem), answer.raw.len())
        }
        EngineOutcome::CancelAccepted => "CancelAccepted".to_owned(),
        EngineOutcome::Check(_) => "checked".to_owned(),
        EngineOutcome::CancelRefused(problem) => format!("CancelRefused {}", said(problem)),
        EngineOutcome::Running(sighting) => {
            let progress = &sighting.progress;
            let news: Vec<String> = progress.news.iter().map(ProgressLine::sentence).collect();
            let text = sighting.so_far.as_ref().map_or(0, |report| report.text.len());
            format!(
                "Seen {} steps {} searches {} pages {} cursor {:?} text {text}\n{}",
                progress.remote_status,
                progress.steps,
                progress.searches,
                progress.pages,
                sighting.cursor,
                news.join("\n")
            )
        }
        EngineOutcome::Finished(finished) => ended(finished),
        EngineOutcome::Web(found) => format!("web {:?}", found.task),
    }
}

pub fn ended(finished: &RemoteResult) -> String {
    let Report { text, citations, sources, queries, .. } = &finished.report;
    let usage = finished.usage.map_or("no usage".to_owned(), |usage| {
        format!("{} tokens, {} searches billed", usage.total_tokens, usage.searches)
    });
    let problem = finished.problem.as_ref().map_or(String::new(), |problem| format!("\n{}", said(problem)));
    format!(
        "{:?}: {} bytes, {} citations, {} sources, {} queries\n{usage}, {} steps{problem}",
        finished.end,
        text.len(),
        citations.len(),
        sources.len(),
        queries.len(),
        finished.progress.steps,
    )
}

pub fn said(problem: &CodedError) -> String {
    let status = problem.http_status.map_or(String::new(), |status| format!(" {status}"));
    let wait = problem.retry_after_ms.map_or(String::new(), |wait| format!(" wait {wait} ms"));
    format!("{}{status}{wait}: {}", problem.code, problem.message)
}
