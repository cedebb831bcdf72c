//! `deep_research`: as deep as the question needs. Searches, reads and writes on our own web engine where a
//! search provider is configured; else one long prompt in which the model iterates by itself.

use probity_research::{
    CodedError,
    rounds::Mode,
    scope::KeyScope,
    text,
    web::{
        StrategyHints, TaskScope, TaskType,
        strategy::{ATTEMPTS_MAX, CONTEXT_BYTES_MAX, WORDS_MAX, WORDS_MIN},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView,
    depth::{DepthInput, language},
    meanings, repeat_rule,
};
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
#[schemars(rename = "Input")]
pub struct DeepResearchInput {
    #[schemars(description = meanings::QUESTION, example = meanings::QUESTION_EXAMPLE)]
    query: String,
    /// Default as needed
    #[schemars(extend("x-also" = ["level"], "x-values" = ["quick", "standard"]))]
    depth: Option<DepthInput>,
    #[schemars(description = meanings::WORDS, range(min = WORDS_MIN, max = WORDS_MAX), example = 1500)]
    words: Option<u32>,
    #[schemars(description = meanings::LANGUAGE, example = &"German")]
    language: Option<String>,
    /// Size of the task behind the question
    task_scope: Option<TaskScopeInput>,
    /// Its kind
    task_type_hint: Option<TaskTypeHint>,
    /// Private background; never sent to a search provider
    #[schemars(example = "We use PostgreSQL 17.", extend("x-also" = ["sdd_context_snippet"]))]
    context_snippet: Option<String>,
    /// What the whole task is for; background like the snippet.
    #[schemars(example = "Move the shop to PostgreSQL 18", extend("x-hidden" = true))]
    original_goal: Option<String>,
    /// Most attempts on the web engine (1-10)
    #[schemars(range(min = 1, max = ATTEMPTS_MAX), example = 3, extend("x-hidden" = true))]
    max_attempts: Option<u32>,
    #[schemars(description = meanings::CONFIRMED_COST, range(min = 0), example = 3.0)]
    confirmed_cost_usd: Option<f64>,
    #[schemars(description = meanings::AGAIN)]
    #[serde(default)]
    again: bool,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "deep_research",
    description: "Answer a question that came up in a task (code, bug, design, decision), as deep as it needs; takes private \
         background. Usually $0.8, 4 min. Returns like search.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<DeepResearchInput, RoundsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retried = call.retry_context(ToolName::DeepResearch, caller);
    let input: DeepResearchInput = call.input()?;
    let wanted = PlanOptions { hints: hints(&input)?, ..PlanOptions::new(Mode::DeepResearch) };
    let DeepResearchInput { query, confirmed_cost_usd, again, .. } = input;
    rounds::start(
        server,
        caller,
        RoundsCall { query, wanted, confirmed_cost_usd, repeat: repeat_rule(again), retried },
    )
    .await
}

fn hints(input: &DeepResearchInput) -> Result<StrategyHints, CodedError> {
    let goal = input.original_goal.as_deref().map(|goal| format!("The whole task: {goal}"));
    let background: Vec<String> =
        [goal.as_deref(), input.context_snippet.as_deref()].into_iter().flatten().map(text::block).collect();
    let context = Some(background.join("\n\n")).filter(|context| !context.trim().is_empty());
    if let Some(context) = context.as_ref().filter(|context| context.len() > CONTEXT_BYTES_MAX) {
        let allowed = format!("at most {CONTEXT_BYTES_MAX} bytes; these are {}", context.len());
        return Err(ToolName::DeepResearch.argument_rules().refuse("context_snippet", context, &allowed));
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
        max_attempts: input.max_attempts,
        context_may_leave: false,
        level: input.depth.map(DepthInput::level),
        words: input.words,
        language: language(ToolName::DeepResearch, input.language.as_deref())?,
    })
}
