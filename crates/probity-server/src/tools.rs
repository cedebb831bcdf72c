//! The tools: one file each. Here are their names, the list that clients see, and the dispatch.

pub mod cancel_research;
pub mod check_citations;
pub mod check_research_status;
pub mod deep_research;
pub mod deep_search;
pub mod estimate_research_cost;
pub mod follow_up_research;
pub mod get_research_results;
pub mod list_research;
pub mod save_research_to_markdown;
pub mod schema;
pub mod search;
pub mod start_deep_research;

use std::sync::Arc;

use probity_research::{Code, CodedError, scope::KeyScope};
use rmcp::model::{InputResponses, JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::{answer::ToolReply, caller::Caller, confirm::RetryContext, mcp_server::McpServer};

/// Every tool there is. The order is the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolName {
    StartDeepResearch,
    CheckResearchStatus,
    GetResearchResults,
    CancelResearch,
    EstimateResearchCost,
    SaveResearchToMarkdown,
    ListResearch,
    FollowUpResearch,
    Search,
    DeepSearch,
    DeepResearch,
    CheckCitations,
}

impl ToolName {
    pub const ALL: [Self; 12] = [
        Self::StartDeepResearch,
        Self::CheckResearchStatus,
        Self::GetResearchResults,
        Self::CancelResearch,
        Self::EstimateResearchCost,
        Self::SaveResearchToMarkdown,
        Self::ListResearch,
        Self::FollowUpResearch,
        Self::Search,
        Self::DeepSearch,
        Self::DeepResearch,
        Self::CheckCitations,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::StartDeepResearch => "start_deep_research",
            Self::CheckResearchStatus => "check_research_status",
            Self::GetResearchResults => "get_research_results",
            Self::CancelResearch => "cancel_research",
            Self::EstimateResearchCost => "estimate_research_cost",
            Self::SaveResearchToMarkdown => "save_research_to_markdown",
            Self::ListResearch => "list_research",
            Self::FollowUpResearch => "follow_up_research",
            Self::Search => "search",
            Self::DeepSearch => "deep_search",
            Self::DeepResearch => "deep_research",
            Self::CheckCitations => "check_citations",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }

    pub fn definition(self) -> Tool {
        match self {
            Self::StartDeepResearch => start_deep_research::definition(),
            Self::CheckResearchStatus => check_research_status::definition(),
            Self::GetResearchResults => get_research_results::definition(),
            Self::CancelResearch => cancel_research::definition(),
            Self::EstimateResearchCost => estimate_research_cost::definition(),
            Self::SaveResearchToMarkdown => save_research_to_markdown::definition(),
            Self::ListResearch => list_research::definition(),
            Self::FollowUpResearch => follow_up_research::definition(),
            Self::Search => search::definition(),
            Self::DeepSearch => deep_search::definition(),
            Self::DeepResearch => deep_research::definition(),
            Self::CheckCitations => check_citations::definition(),
        }
    }
}

impl ToolName {
    /// The scope that a caller needs.
    pub fn scope(self) -> KeyScope {
        match self {
            Self::StartDeepResearch
            | Self::FollowUpResearch
            | Self::Search
            | Self::DeepSearch
            | Self::DeepResearch
            | Self::CheckCitations => KeyScope::Start,
            Self::CancelResearch => KeyScope::Cancel,
            Self::CheckResearchStatus
            | Self::GetResearchResults
            | Self::EstimateResearchCost
            | Self::SaveResearchToMarkdown
            | Self::ListResearch => KeyScope::Read,
        }
    }

    /// The full schema of its answer, for the reference page.
    pub fn full_output_schema(self) -> Arc<JsonObject> {
        match self {
            Self::StartDeepResearch | Self::FollowUpResearch => {
                schema::full_output::<start_deep_research::StartDeepResearchOutput>()
            }
            Self::CheckResearchStatus => {
                schema::full_output::<check_research_status::CheckResearchStatusOutput>()
            }
            Self::GetResearchResults => {
                schema::full_output::<get_research_results::GetResearchResultsOutput>()
            }
            Self::CheckCitations => schema::full_output::<check_citations::CheckCitationsOutput>(),
            Self::CancelResearch => schema::full_output::<cancel_research::CancelResearchOutput>(),
            Self::EstimateResearchCost => {
                schema::full_output::<estimate_research_cost::EstimateResearchCostOutput>()
            }
            Self::SaveResearchToMarkdown => {
                schema::full_output::<save_research_to_markdown::SaveResearchToMarkdownOutput>()
            }
            Self::ListResearch => schema::full_output::<list_research::ListResearchOutput>(),
            Self::Search | Self::DeepSearch | Self::DeepResearch => {
                schema::full_output::<crate::rounds::RoundsOutput>()
            }
        }
    }
}

/// One call as it arrived.
pub struct ToolCall {
    pub arguments: JsonObject,
    pub input_responses: Option<InputResponses>,
    pub request_state: Option<String>,
}

impl ToolCall {
    /// What this call returns from an earlier one. Read before the arguments are taken out.
    pub fn retry_context(&mut self, tool: ToolName, caller: &Caller) -> RetryContext {
        RetryContext::of(self, tool, &caller.reach)
    }

    /// Arguments come from a model: an error says in words it can act on what does not fit.
    pub fn input<T: DeserializeOwned>(&mut self) -> Result<T, CodedError> {
        let arguments = serde_json::Value::Object(std::mem::take(&mut self.arguments));
        serde_json::from_value(arguments)
            .map_err(|error| CodedError::new(Code::InvalidArguments, &format!("bad arguments: {error}")))
    }
}

pub async fn call(
    server: &McpServer,
    caller: &Caller,
    name: ToolName,
    mut call: ToolCall,
) -> Result<ToolReply, CodedError> {
    caller.require_scope(name.scope())?;
    match name {
        // First, and without a box: this one is called most.
        ToolName::CheckResearchStatus => {
            check_research_status::run(server, caller, call.input()?).await.map(ToolReply::Done)
        }
        ToolName::StartDeepResearch => Box::pin(start_deep_research::run(server, caller, call)).await,
        ToolName::FollowUpResearch => Box::pin(follow_up_research::run(server, caller, call)).await,
        ToolName::Search => Box::pin(search::run(server, caller, call)).await,
        ToolName::DeepSearch => Box::pin(deep_search::run(server, caller, call)).await,
        ToolName::DeepResearch => Box::pin(deep_research::run(server, caller, call)).await,
        ToolName::CheckCitations => Box::pin(check_citations::run(server, caller, call)).await,
        ToolName::GetResearchResults => {
            Box::pin(get_research_results::run(server, caller, call.input()?)).await.map(ToolReply::Done)
        }
        ToolName::CancelResearch => {
            Box::pin(cancel_research::run(server, caller, call.input()?)).await.map(ToolReply::Done)
        }
        ToolName::EstimateResearchCost => {
            Box::pin(estimate_research_cost::run(server, caller, call.input()?)).await.map(ToolReply::Done)
        }
        ToolName::SaveResearchToMarkdown => {
            Box::pin(save_research_to_markdown::run(server, caller, call.input()?)).await.map(ToolReply::Done)
        }
        ToolName::ListResearch => {
            Box::pin(list_research::run(server, caller, call.input()?)).await.map(ToolReply::Done)
        }
    }
}

/// The effect of a tool, for clients that ask before they call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    Reads,
    /// Starts paid work with a provider.
    Spends,
    /// Changes something of ours; doing it twice changes nothing more.
    Settles,
    /// Adds a file.
    Adds,
}

fn define_tool<I: JsonSchema, O: JsonSchema>(
    name: ToolName,
    description: &'static str,
    effect: ToolEffect,
) -> Tool {
    let hints = ToolAnnotations::new();
    let hints = match effect {
        ToolEffect::Reads => hints.read_only(true).open_world(false),
        ToolEffect::Spends => hints.destructive(false),
        ToolEffect::Settles => hints.destructive(false).idempotent(true),
        ToolEffect::Adds => hints.destructive(false).open_world(false),
    };
    Tool::new(name.as_str(), description, schema::input::<I>())
        .with_raw_output_schema(schema::output::<O>())
        .with_annotations(hints)
}

#[cfg(test)]
mod tests;
