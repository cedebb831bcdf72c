//! `estimate_research_cost`: ranges before the start, with their basis. Local, no token is spent.

use probity_research::{
    Problem,
    estimate::{Complexity, Estimate},
    query::Query,
};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Effect, ToolName, defined};
use crate::{answer::Answer, caller::Caller, face::Face, wire::cents};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    pub query: String,
    pub model: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Duration {
    pub min_minutes: u32,
    pub max_minutes: u32,
    pub likely_minutes: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Cost {
    pub min_usd: f64,
    pub max_usd: f64,
    pub likely_usd: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    pub query_complexity: &'static str,
    pub estimated_duration: Duration,
    pub estimated_cost: Cost,
    pub will_likely_go_async: bool,
    pub recommendation: String,
    pub basis: String,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::EstimateResearchCost,
        "Estimate cost and duration of a deep research before starting it. Local and free.",
        Effect::Reads,
    )
}

pub async fn run(face: &Face, caller: &Caller, input: Input) -> Result<Answer, Problem> {
    let rules = face.desk().rules();
    let query = Query::parse(&input.query)?;
    let agent = rules.agent_named(input.model.as_deref())?;
    let expected = face.desk().expected(&caller.reach, &agent, &query).await?;
    Ok(answer(&expected))
}

fn answer(expected: &Estimate) -> Answer {
    let output = Output {
        query_complexity: expected.complexity.as_str(),
        estimated_duration: Duration {
            min_minutes: expected.minutes_min,
            max_minutes: expected.minutes_max,
            likely_minutes: expected.minutes_likely,
        },
        estimated_cost: Cost {
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
    Answer::new(&output, text)
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
