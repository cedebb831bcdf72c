//! `deep_research`: as deep as the question needs. Searches, reads and writes on our own web engine where there is
//! somebody to search with; else one long prompt in which the model iterates by itself.

use probity_research::{
    Code, Problem,
    rounds::Manner,
    text,
    web::{Hints, TaskScope, TaskType, strategy::CONTEXT_BYTES_MAX},
};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Call, Effect, ToolName, defined};
use crate::{
    answer::Reply,
    caller::Caller,
    desk::Wanted,
    face::Face,
    rounds::{self, Asked, Output},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Tiny,
    Normal,
    Large,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Type {
    Reference,
    Debug,
    Architecture,
    Research,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    query: String,
    task_scope: Option<Scope>,
    task_type_hint: Option<Type>,
    /// Never sent to a search provider
    context_snippet: Option<String>,
    confirmed_cost_usd: Option<f64>,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::DeepResearch,
        "Research a question as deep as it needs: none, shallow, medium or deep, stopping when more no longer \
         helps. Paid. Returns like search.",
        Effect::Spends,
    )
}

pub async fn run(face: &Face, caller: &Caller, mut call: Call) -> Result<Reply, Problem> {
    let retried = call.retried(ToolName::DeepResearch, caller);
    let input: Input = call.input()?;
    let wanted = Wanted { hints: hints(&input)?, ..Wanted::new(Manner::DeepResearch) };
    let Input { query, confirmed_cost_usd, .. } = input;
    rounds::start(face, caller, Asked { query, wanted, confirmed_cost_usd, retried }).await
}

fn hints(input: &Input) -> Result<Hints, Problem> {
    let context =
        input.context_snippet.as_deref().map(text::block).filter(|context| !context.trim().is_empty());
    if let Some(context) = context.as_ref().filter(|context| context.len() > CONTEXT_BYTES_MAX) {
        let message =
            format!("context_snippet has {} bytes; at most {CONTEXT_BYTES_MAX} are taken", context.len());
        return Err(Problem::new(Code::InvalidArguments, &message));
    }
    Ok(Hints {
        task_scope: input.task_scope.as_ref().map(|scope| match scope {
            Scope::Tiny => TaskScope::Tiny,
            Scope::Normal => TaskScope::Normal,
            Scope::Large => TaskScope::Large,
        }),
        task_type_hint: input.task_type_hint.as_ref().map(|kind| match kind {
            Type::Reference => TaskType::Reference,
            Type::Debug => TaskType::Debug,
            Type::Architecture => TaskType::Architecture,
            Type::Research => TaskType::Research,
        }),
        context_snippet: context,
        ..Hints::default()
    })
}
