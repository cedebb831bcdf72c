//! `estimate_research_cost`: ranges before the start, with their basis. Local, no token is spent.

use probity_research::{
    CodedError,
    estimate::{Complexity, Estimate},
    query::Query,
    scope::KeyScope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView};
use crate::{answer::ToolAnswer, caller::Caller, mcp_server::McpServer, wire::cents};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct EstimateResearchCostInput {
    pub query: String,
    pub model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Duration")]
pub struct DurationRange {
    pub min_minutes: u32,
    pub max_minutes: u32,
    pub likely_minutes: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cost")]
pub struct CostRange {
    pub min_usd: f64,
    pub max_usd: f64,
    pub likely_usd: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct EstimateResearchCostOutput {
    pub query_complexity: &'static str,
    pub estimated_duration: DurationRange,
    pub estimated_cost: CostRange,
    pub will_likely_go_async: bool,
    pub recommendation: String,
    pub basis: String,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "estimate_research_cost",
    description: "Estimate cost and duration of a deep research before starting it. Local and free.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<EstimateResearchCostInput, EstimateResearchCostOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: EstimateResearchCostInput = call.input()?;
    let rules = server.backend().run_settings();
    let query = Query::parse(&input.query)?;
    let agent = rules.agent_named(input.model.as_deref())?;
    let expected = server.backend().estimate(&caller.reach, &agent, &query).await?;
    Ok(answer(&expected))
}

fn answer(expected: &Estimate) -> ToolAnswer {
    let output = EstimateResearchCostOutput {
        query_complexity: expected.complexity.as_str(),
        estimated_duration: DurationRange {
            min_minutes: expected.minutes_min,
            max_minutes: expected.minutes_max,
            likely_minutes: expected.minutes_likely,
        },
        estimated_cost: CostRange {
            min_usd: cents(expected.cost_min.as_usd()),
            max_usd: cents(expected.cost_max.as_usd()),
            likely_usd: cents(expected.cost_likely.as_usd()),
        },
        // Half a minute is what a call waits.
        will_likely_go_async: expected.minutes_likely >= 1,
        recommendation: recommendation(expected.complexity).to_owned(),
        basis: expected.basis.sentence(),
    };
    let text = format!(
        "{}: {} to {}, likely {}; {} to {} min, likely {}. {}\nbasis: {}",
        output.query_complexity,
        expected.cost_min,
        expected.cost_max,
        expected.cost_likely,
        expected.minutes_min,
        expected.minutes_max,
        expected.minutes_likely,
        output.recommendation,
        output.basis
    );
    ToolAnswer::new(&output, text)
}

fn recommendation(complexity: Complexity) -> &'static str {
    match complexity {
        Complexity::Simple => "Simple query. Deep research is thorough but slow; it runs in async mode.",
        Complexity::Medium => "Medium query. It will run in async mode: start it, then check its status.",
        Complexity::Complex => {
            "Complex query detected. It will run in async mode; splitting it may give better reports."
        }
    }
}
