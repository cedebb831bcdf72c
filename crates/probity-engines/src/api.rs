//! Rounds at Google's Interactions API: a model with search and page reading, held to a JSON schema.

use probity_models::{
    DeepResearch, Transport,
    gemini::{
        redirects::Redirects,
        wire::{Create, Interaction, Labels, ResponseFormat, StepKind, Tool},
    },
};
use probity_research::{
    error::{Code, Problem},
    finding::{Call, Finding, Finished, RemoteEnd, Reply, RoundCall},
    model::{DEFAULT_MODEL, ModelName},
    rounds::{Evidence, RoundsPlan, course::Billed},
    seams::Engine as _,
    state::Research,
};
use serde_json::Value;

use crate::{
    prompts::{Carried, PromptName, Prompts},
    schema::schema,
    sources::name_sources,
};

/// What a round may do: look for pages and read them.
const TOOLS: [Tool; 2] = [Tool::GoogleSearch, Tool::UrlContext];
/// Pages of one answer that are listed as read.
const PAGES_MAX: usize = 500;

pub struct ApiRounds<T: Transport> {
    redirects: Redirects<T>,
    schema: Value,
}

impl<T: Transport> ApiRounds<T> {
    pub fn new(redirects: Redirects<T>) -> Self {
        Self { redirects, schema: schema() }
    }

    /// Carries out one call of a research in rounds, over the same runs and streams as everything else there.
    pub async fn perform<R: Transport>(
        &self,
        service: &DeepResearch<R>,
        prompts: &Prompts,
        research: &Research,
        plan: &RoundsPlan,
        call: &Call,
    ) -> Finding {
        let finding = match call {
            Call::Ask(round) => return Box::pin(self.ask(service, prompts, research, plan, round)).await,
            other => service.perform(research, other).await,
        };
        match finding {
            Finding::Finished(finished) => {
                let reply = name_sources(&self.redirects, reply(*finished)).await;
                Finding::Answered(Box::new(reply))
            }
            other => other,
        }
    }

    async fn ask<R: Transport>(
        &self,
        service: &DeepResearch<R>,
        prompts: &Prompts,
        research: &Research,
        plan: &RoundsPlan,
        call: &RoundCall,
    ) -> Finding {
        let prompt = prompts.fill(plan.manner, research.query.as_str(), call, Carried::Inline);
        let task = research.id.to_string();
        // A correction only puts words into shape: it has nothing to look up.
        let tools: &[Tool] = if call.invalid.is_some() { &[] } else { &TOOLS };
        let create = Create {
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
            labels: Labels { task: &task },
        };
        service.begin(research, &create).await
    }
}

/// What a finished run brought, with nothing of it taken from the model's own text.
fn reply(finished: Finished) -> Reply {
    let (pages, model) = seen(&finished.raw);
    let problem = match finished.end {
        // An answer that was cut off is told by its text, and can be corrected.
        RemoteEnd::Completed | RemoteEnd::Incomplete => None,
        RemoteEnd::Cancelled => {
            Some(Problem::new(Code::Cancelled, "the round was cancelled at the provider"))
        }
        RemoteEnd::Failed => {
            // Another try may go better; what cannot is refused before it starts.
            let words = finished.problem.map(|problem| problem.message).unwrap_or_default();
            Some(Problem::new(
                Code::ProviderUnavailable,
                &format!("the provider reports that the round failed: {words}"),
            ))
        }
    };
    Reply {
        text: finished.report.text,
        citations: finished.report.citations,
        evidence: Evidence { sources: finished.report.sources, queries: finished.report.queries, pages },
        billed: finished.usage.map_or(Billed::Unknown, Billed::Counted),
        model,
        problem,
        redirects: Vec::new(),
        raw: finished.raw,
    }
}

/// Pages that were read, and the model that wrote.
fn seen(raw: &[u8]) -> (Vec<String>, Option<String>) {
    let Ok(interaction) = Interaction::read(raw) else { return (Vec::new(), None) };
    let mut pages: Vec<String> = Vec::new();
    for step in interaction.steps.iter().filter(|step| step.kind() == StepKind::UrlContextResult) {
        for page in step.pages().iter().filter(|page| page.was_read()) {
            if pages.len() < PAGES_MAX && !pages.iter().any(|known| *known == *page.url) {
                pages.push(page.url.to_string());
            }
        }
    }
    let model = interaction.model.filled().and_then(|model| ModelName::parse(model).ok());
    (pages, model.map(|model| model.as_str().to_owned()))
}
