//! The engine: carries out the driver's steps at Google's Interactions API.
//!
//! Keeps a few streams open and polls all other runs. Never repeats a call and never decides when to
//! stop; its only state between two calls are open streams, and losing them loses nothing.

mod follow;
mod poll;
mod stream_pool;
mod stream_progress;

use std::time::Duration;

use probity_research::{
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    id::RunId,
    plan::TurnKind,
    ports::Engine,
    state::RunState,
};

use crate::{
    gemini::{
        client::{CreateReply, InteractionsClient, InteractionsReply, is_usable_id},
        wire::{AgentConfig, CreateInteractionRequest, InteractionLabels},
    },
    secret::ApiKey,
    transport::{Transport, http},
};
use stream_pool::StreamPool;
use stream_progress::StreamProgress;

pub use follow::{LISTEN_MAX, SETTLE};
pub use stream_pool::STREAM_IDLE_MAX;

pub const BASE_URL: &str = "https://generativelanguage.googleapis.com";
pub const API_VERSION: &str = "v1";
/// Concurrent calls. At 30 ms each that is two thousand a second: ten thousand runs polled
/// every five seconds.
pub const CALLS_IN_FLIGHT_MAX: usize = 64;
/// Streams open at once; a run without one is polled instead.
pub const STREAMS_OPEN_MAX: usize = 16;
pub const MODEL_FOR_FOLLOW_UP: &str = "gemini-3.8-flash";

#[derive(Debug, Clone)]
pub struct DeepResearchSettings {
    pub base_url: String,
    pub api_version: String,
    pub key: ApiKey,
    pub calls_in_flight_max: usize,
    /// Zero means that every run is polled, none streamed.
    pub streams_open_max: usize,
    pub model_for_follow_up: String,
}

impl DeepResearchSettings {
    /// Google's service with the default limits.
    pub fn new(key: ApiKey) -> Self {
        Self {
            base_url: BASE_URL.to_owned(),
            api_version: API_VERSION.to_owned(),
            key,
            calls_in_flight_max: CALLS_IN_FLIGHT_MAX,
            streams_open_max: STREAMS_OPEN_MAX,
            model_for_follow_up: MODEL_FOR_FOLLOW_UP.to_owned(),
        }
    }
}

pub struct DeepResearch<T: Transport> {
    client: InteractionsClient<T>,
    streams: StreamPool<T::Body>,
    model_for_follow_up: String,
}

impl DeepResearch<http::HttpTransport> {
    /// The engine over the network.
    pub fn connect(settings: DeepResearchSettings) -> Result<Self, CodedError> {
        let transport = http::HttpTransport::new(&settings.base_url)?;
        Self::new(transport, settings)
    }
}

impl<T: Transport> DeepResearch<T> {
    /// Refuses a base address to which the key must not be sent, and a version that is no single path
    /// segment.
    pub fn new(transport: T, settings: DeepResearchSettings) -> Result<Self, CodedError> {
        http::check_base(&settings.base_url)?;
        let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_word(&settings.api_version) {
            return Err(CodedError::new(Code::Settings, "the API version must be a word such as `v1`"));
        }
        let DeepResearchSettings {
            base_url, api_version, key, calls_in_flight_max, streams_open_max, ..
        } = settings;
        Ok(Self {
            client: InteractionsClient::new(transport, &base_url, &api_version, key, calls_in_flight_max),
            streams: StreamPool::new(streams_open_max),
            model_for_follow_up: settings.model_for_follow_up,
        })
    }

    /// Removes a run and its output at the provider. One that is not there counts as removed.
    pub async fn delete(&self, remote_id: &str) -> Result<(), CodedError> {
        match self.client.delete(remote_id).await {
            InteractionsReply::Success(_) => Ok(()),
            InteractionsReply::Refused(refusal) if refusal.problem.http_status == Some(404) => Ok(()),
            InteractionsReply::Refused(refusal) => Err(refusal.problem),
            InteractionsReply::Broken(answer) => Err(answer.problem),
        }
    }

    /// Streams open at this moment.
    pub fn streams_open(&self) -> usize {
        self.streams.open_count()
    }

    #[tracing::instrument(level = "debug", skip_all, fields(research = %research.id, attempt = attempt))]
    async fn create(&self, research: &RunState, attempt: u32) -> EngineOutcome {
        let task = research.id.to_string();
        let plan = &research.plan;
        let (agent, model, planning) = match plan.turn {
            TurnKind::Research => (Some(plan.agent.as_str()), None, false),
            TurnKind::Planning => (Some(plan.agent.as_str()), None, true),
            TurnKind::FollowUp => (None, Some(self.model_for_follow_up.as_str()), false),
        };
        let create = CreateInteractionRequest {
            agent,
            model,
            input: research.query.as_str(),
            stream: true,
            background: true,
            store: true,
            agent_config: agent.map(|_| AgentConfig {
                kind: "deep-research",
                thinking_summaries: "auto",
                visualization: "off",
                collaborative_planning: planning,
            }),
            previous_interaction_id: plan.continues.as_deref(),
            system_instruction: None,
            tools: &[],
            response_format: None,
            labels: InteractionLabels { task: &task },
        };
        self.begin(research, &create).await
    }

    /// The paid call itself, for an agent's run or a model's round.
    pub async fn begin(&self, research: &RunState, create: &CreateInteractionRequest<'_>) -> EngineOutcome {
        self.streams.drop_stream(research.id);
        match self.client.create(create).await {
            CreateReply::Started { remote_id, cursor, rest } => {
                if let Some((body, frames)) = rest {
                    let watch = StreamProgress::from_start(&research.progress, cursor.clone());
                    self.streams.keep_new(research.id, &remote_id, body, frames, watch);
                }
                tracing::info!(remote_id, "research started");
                EngineOutcome::Started { remote_id, cursor }
            }
            CreateReply::Refused(problem) => {
                tracing::debug!(code = %problem.code, "start refused");
                EngineOutcome::Refused(problem)
            }
            CreateReply::Uncertain(problem) => {
                tracing::warn!(code = %problem.code, "unknown whether the start was accepted");
                EngineOutcome::Uncertain(problem)
            }
        }
    }

    #[tracing::instrument(level = "debug", skip_all, fields(research = %research.id))]
    async fn cancel(&self, research: &RunState, remote_id: &str, within: Duration) -> EngineOutcome {
        self.streams.drop_stream(research.id);
        match self.client.cancel(remote_id, within).await {
            InteractionsReply::Success(_) => EngineOutcome::CancelAccepted,
            InteractionsReply::Refused(refusal) => match refusal.problem.http_status {
                Some(408 | 429 | 500..) => EngineOutcome::Unreachable(refusal.problem),
                _ => EngineOutcome::CancelRefused(refusal.problem),
            },
            InteractionsReply::Broken(answer) => EngineOutcome::Unreachable(answer.problem),
        }
    }
}

impl<T: Transport> Engine for DeepResearch<T> {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        match call {
            EngineCall::Create { attempt } => Box::pin(self.create(research, *attempt)).await,
            // Rounds have an engine of their own; an agent cannot be asked for one. Nothing was sent.
            EngineCall::Ask(_) => {
                EngineOutcome::Refused(CodedError::new(Code::UnknownEngine, "an agent answers no rounds"))
            }
            EngineCall::Web(call) => {
                call.refused(CodedError::new(Code::UnknownEngine, "an agent fetches no pages")).into()
            }
            EngineCall::Check(call) => {
                call.refused(CodedError::new(Code::UnknownEngine, "an agent checks no claims")).into()
            }
            EngineCall::Follow { remote_id, .. }
            | EngineCall::Cancel { remote_id, .. }
            | EngineCall::Collect { remote_id, .. }
                if !is_usable_id(remote_id) =>
            {
                EngineOutcome::NotThere(CodedError::new(
                    Code::NotFound,
                    "this is not an id the provider gives",
                ))
            }
            EngineCall::Follow { remote_id, cursor, within } => {
                Box::pin(self.follow(research, remote_id, cursor.as_deref(), *within)).await
            }
            EngineCall::Cancel { remote_id, within } => {
                Box::pin(self.cancel(research, remote_id, *within)).await
            }
            EngineCall::Collect { remote_id, within } => {
                self.streams.drop_stream(research.id);
                Box::pin(self.poll(research, remote_id, research.cursor.clone(), None, *within)).await
            }
        }
    }

    fn release_run(&self, id: RunId) {
        self.streams.drop_stream(id);
    }
}

#[cfg(test)]
mod tests;
