//! `deep_research`: as deep as the question needs. Searches, reads and writes on our own web engine where a
//! search provider is configured; else one long prompt in which the model iterates by itself.

use probity_research::{
    Code, CodedError,
    rounds::Mode,
    scope::KeyScope,
    text,
    web::{StrategyHints, TaskScope, TaskType, strategy::CONTEXT_BYTES_MAX},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView};
use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    mcp_server::McpServer,
    rounds::{self, RoundsCall, RoundsOutput},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Scope")]
enum TaskScopeInput {
    Tiny,
    Normal,
    Large,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Type")]
enum TaskTypeHint {
    Reference,
    Debug,
    Architecture,
    Research,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct DeepResearchInput {
    query: String,
    task_scope: Option<TaskScopeInput>,
    task_type_hint: Option<TaskTypeHint>,
    /// Never sent to a search provider
    context_snippet: Option<String>,
    confirmed_cost_usd: Option<f64>,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "deep_research",
    description: "Research a question as deep as it needs: none, shallow, medium or deep, stopping when more no longer \
         helps. Paid. Returns like search.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<DeepResearchInput, RoundsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retried = call.retry_context(ToolName::DeepResearch, caller);
    let input: DeepResearchInput = call.input()?;
    let wanted = PlanOptions { hints: hints(&input)?, ..PlanOptions::new(Mode::DeepResearch) };
    let DeepResearchInput { query, confirmed_cost_usd, .. } = input;
    rounds::start(server, caller, RoundsCall { query, wanted, confirmed_cost_usd, retried }).await
}

fn hints(input: &DeepResearchInput) -> Result<StrategyHints, CodedError> {
    let context =
        input.context_snippet.as_deref().map(text::block).filter(|context| !context.trim().is_empty());
    if let Some(context) = context.as_ref().filter(|context| context.len() > CONTEXT_BYTES_MAX) {
        let message =
            format!("context_snippet has {} bytes; at most {CONTEXT_BYTES_MAX} are taken", context.len());
        return Err(CodedError::new(Code::InvalidArguments, &message));
    }
    Ok(StrategyHints {
        task_scope: input.task_scope.as_ref().map(|scope| match scope {
            TaskScopeInput::Tiny => TaskScope::Tiny,
            TaskScopeInput::Normal => TaskScope::Normal,
            TaskScopeInput::Large => TaskScope::Large,
        }),
        task_type_hint: input.task_type_hint.as_ref().map(|kind| match kind {
            TaskTypeHint::Reference => TaskType::Reference,
            TaskTypeHint::Debug => TaskType::Debug,
            TaskTypeHint::Architecture => TaskType::Architecture,
            TaskTypeHint::Research => TaskType::Research,
        }),
        context_snippet: context,
        ..StrategyHints::default()
    })
}
