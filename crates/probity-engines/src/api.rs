//! Rounds at Google's Interactions API: a model with search and page reading, bound to a JSON schema.

use probity_models::{
    DeepResearch, Transport,
    gemini::{
        redirects::RedirectResolver,
        wire::{
            CreateInteractionRequest, Interaction, InteractionLabels, InteractionStepKind, InteractionTool,
            ResponseFormat, readable,
        },
    },
};
use probity_research::{
    engine_call::{EngineCall, EngineOutcome, RemoteEnd, RemoteResult, RoundCall, RoundReply},
    error::{Code, CodedError},
    model::{DEFAULT_MODEL, ModelName},
    ports::Engine as _,
    rounds::{RoundsPlan, ToolEvidence, state::CallBilling},
    state::RunState,
};
use serde_json::Value;

use crate::{
    prompts::{CorrectionPlacement, PromptName, Prompts},
    schema::schema,
    sources::resolve_sources,
};

/// The tools of a round: search for pages and read them.
const TOOLS: [InteractionTool; 2] = [InteractionTool::GoogleSearch, InteractionTool::UrlContext];
/// Pages of one answer that are listed as read.
const PAGES_MAX: usize = 500;

pub struct ApiRounds<T: Transport> {
    redirects: RedirectResolver<T>,
    schema: Value,
}

impl<T: Transport> ApiRounds<T> {
    pub fn new(redirects: RedirectResolver<T>) -> Self {
        Self { redirects, schema: schema() }
    }

    /// Makes one call of a run in rounds, over the same remote runs and streams as everything else there.
    pub async fn perform<R: Transport>(
        &self,
        service: &DeepResearch<R>,
        prompts: &Prompts,
        research: &RunState,
        plan: &RoundsPlan,
        call: &EngineCall,
    ) -> EngineOutcome {
        let finding = match call {
            EngineCall::Ask(round) => {
                return Box::pin(self.ask(service, prompts, research, plan, round)).await;
            }
            other => service.perform(research, other).await,
        };
        match finding {
            EngineOutcome::Finished(finished) => {
                let reply = resolve_sources(&self.redirects, reply(*finished)).await;
                EngineOutcome::Answered(Box::new(reply))
            }
            other => other,
        }
    }

    async fn ask<R: Transport>(
        &self,
        service: &DeepResearch<R>,
        prompts: &Prompts,
        research: &RunState,
        plan: &RoundsPlan,
        call: &RoundCall,
    ) -> EngineOutcome {
        let prompt = prompts.fill(plan.manner, research.query.as_str(), call, CorrectionPlacement::Inline);
        let task = research.id.to_string();
        // A correction only reformats text: it has nothing to look up.
        let tools: &[InteractionTool] = if call.invalid.is_some() { &[] } else { &TOOLS };
        let create = CreateInteractionRequest {
            agent: None,
            model: Some(call.model.as_ref().map_or(DEFAULT_MODEL, ModelName::as_str)),
            input: &prompt,
            stream: true,
            background: true,
            store: true,
            agent_config: None,
            previous_interaction_id: None,
            system_instruction: Some(prompts.text(PromptName::System)),
            tools,
            response_format: Some(ResponseFormat::json(&self.schema)),
            labels: InteractionLabels { task: &task },
        };
        service.begin(research, &create).await
    }
}

/// The reply of a finished remote run, with nothing of it taken from the model's own text.
fn reply(finished: RemoteResult) -> RoundReply {
    let (pages, model) = pages_and_model(&finished.raw);
    let problem = match finished.end {
        // An answer that was cut off shows in its text, and can be corrected.
        RemoteEnd::Completed | RemoteEnd::Incomplete => None,
        RemoteEnd::Cancelled => {
            Some(CodedError::new(Code::Cancelled, "the round was cancelled at the provider"))
        }
        RemoteEnd::Failed => {
            // A retry may succeed; a call that cannot is refused before it starts.
            let words = finished.problem.map(|problem| problem.message).unwrap_or_default();
            Some(CodedError::new(
                Code::ProviderUnavailable,
                &format!("the provider reports that the round failed: {words}"),
            ))
        }
    };
    RoundReply {
        text: finished.report.text,
        citations: finished.report.citations,
        evidence: ToolEvidence { sources: finished.report.sources, queries: finished.report.queries, pages },
        billed: finished.usage.map_or(CallBilling::Unknown, CallBilling::Counted),
        model,
        problem,
        redirects: Vec::new(),
        raw: finished.raw,
    }
}

/// Pages that were read, and the model that wrote.
fn pages_and_model(raw: &[u8]) -> (Vec<String>, Option<String>) {
    let raw = readable(raw);
    let Ok(interaction) = Interaction::read(&raw) else { return (Vec::new(), None) };
    let mut pages: Vec<String> = Vec::new();
    for step in interaction.steps.iter().filter(|step| step.kind() == InteractionStepKind::UrlContextResult) {
        for page in step.pages().iter().filter(|page| page.was_read()) {
            if pages.len() < PAGES_MAX && !pages.iter().any(|known| *known == *page.url) {
                pages.push(page.url.to_string());
            }
        }
    }
    let model = interaction.model.non_empty().and_then(|model| ModelName::parse(model).ok());
    (pages, model.map(|model| model.as_str().to_owned()))
}
