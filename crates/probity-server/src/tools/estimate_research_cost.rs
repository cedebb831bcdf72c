//! `estimate_research_cost`: ranges before the start, with their basis. Local, no token is spent.

use probity_research::{
    CodedError,
    agent::DEFAULT_AGENT,
    estimate::{Complexity, Estimate, complexity, follow_up},
    query::Query,
    rounds::Mode,
    scope::KeyScope,
    web::{
        StrategyHints,
        strategy::{WORDS_MAX, WORDS_MIN},
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, depth::DepthInput, meanings,
    start_deep_research::agent,
};
use crate::{answer::ToolAnswer, backend::PlanOptions, caller::Caller, mcp_server::McpServer, wire::cents};

/// The tools that spend money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Tool")]
pub enum PaidTool {
    #[default]
    StartDeepResearch,
    FollowUpResearch,
    Search,
    DeepSearch,
    DeepResearch,
    CheckCitations,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct EstimateResearchCostInput {
    /// The question; for check_citations the text
    #[schemars(example = meanings::QUESTION_EXAMPLE, extend("x-also" = ["question", "text"]))]
    pub query: String,
    /// Default start_deep_research
    pub tool: Option<PaidTool>,
    #[schemars(description = meanings::MODEL, example = DEFAULT_AGENT)]
    pub model: Option<String>,
    /// How deep, where the web engine answers
    #[schemars(extend("x-also" = ["level"], "x-values" = ["quick", "standard"], "x-hidden" = true))]
    pub depth: Option<DepthInput>,
    #[schemars(description = meanings::WORDS, range(min = WORDS_MIN, max = WORDS_MAX), example = 1500, extend("x-hidden" = true))]
    pub words: Option<u32>,
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
    description: "What a paid tool would cost and how long it would take, before starting it. Free, instant, starts \
         nothing. What a run did cost: check_research_status.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<EstimateResearchCostInput, EstimateResearchCostOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: EstimateResearchCostInput = call.input()?;
    let expected = expected(server, caller, &input).await?;
    let tool = input.tool.unwrap_or_default();
    let told = answer(tool, &expected);
    Ok(match (&input.model, tool) {
        (Some(_), tool) if tool != PaidTool::StartDeepResearch => {
            told.with_remark("Only start_deep_research takes a model; it changes nothing in this estimate.")
        }
        _ => told,
    })
}

/// As the tool itself would tell it before it starts.
async fn expected(
    server: &McpServer,
    caller: &Caller,
    input: &EstimateResearchCostInput,
) -> Result<Estimate, CodedError> {
    let backend = server.backend();
    // Refused for every tool: a name that nobody knows must not look as if it counted.
    let agent = agent(backend.run_settings(), ToolName::EstimateResearchCost, input.model.as_deref())?;
    let mode = match input.tool.unwrap_or_default() {
        PaidTool::CheckCitations => {
            return backend.estimate_check(&input.query).map(|expected| judged_by_question(expected, input));
        }
        PaidTool::StartDeepResearch => {
            let query = Query::parse(&input.query)?;
            return backend.estimate(&caller.reach, &agent, &query).await;
        }
        PaidTool::FollowUpResearch => {
            return Query::parse(&input.query).map(|_| judged_by_question(follow_up(), input));
        }
        PaidTool::Search => Mode::Search,
        PaidTool::DeepSearch => Mode::DeepSearch,
        PaidTool::DeepResearch => Mode::DeepResearch,
    };
    let level = input.depth.map(DepthInput::level);
    let hints = StrategyHints { level, words: input.words, ..StrategyHints::default() };
    let (wanted, query) = (PlanOptions { hints, ..PlanOptions::new(mode) }, Query::parse(&input.query)?);
    let plan = backend.plan(&caller.reach, wanted, &query).await?;
    Ok(plan.estimate.unwrap_or_else(follow_up))
}

/// One question is as complex whichever tool it is asked with. What is too long to be a question is not simple.
fn judged_by_question(expected: Estimate, input: &EstimateResearchCostInput) -> Estimate {
    let complexity = Query::parse(&input.query).map_or(Complexity::Complex, |query| complexity(&query));
    Estimate { complexity, ..expected }
}

fn answer(tool: PaidTool, expected: &Estimate) -> ToolAnswer {
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
        will_likely_go_async: outlasts_call(expected),
        recommendation: recommendation(tool, expected).to_owned(),
        basis: expected.basis.sentence(),
    };
    let text = format!(
        "{}: {}; {}. {}\nbasis: {}",
        output.query_complexity,
        expected.cost_with_likely(),
        expected.minutes_with_likely(),
        output.recommendation,
        output.basis
    );
    ToolAnswer::new(&output, text)
}

/// Half a minute is what a call waits.
fn outlasts_call(expected: &Estimate) -> bool {
    expected.minutes_likely >= 1
}

fn recommendation(tool: PaidTool, expected: &Estimate) -> &'static str {
    match tool {
        PaidTool::StartDeepResearch => {}
        PaidTool::FollowUpResearch | PaidTool::Search if !outlasts_call(expected) => {
            return "Answers within the call, as a rule.";
        }
        PaidTool::FollowUpResearch | PaidTool::Search | PaidTool::DeepSearch | PaidTool::DeepResearch => {
            return "May outlast the call: then it returns a task_id to wait for with check_research_status.";
        }
        PaidTool::CheckCitations => return "Longer texts have more claims to check, and cost more.",
    }
    match expected.complexity {
        Complexity::Simple => {
            "Simple query. Deep research is thorough but slow: a task_id comes back if it outlasts the call."
        }
        Complexity::Medium => {
            "Medium query. As a rule it outlasts the call: then a task_id comes back, to wait for with \
             check_research_status."
        }
        Complexity::Complex => {
            "Complex query detected. As a rule it outlasts the call and a task_id comes back; splitting it may give \
             better reports."
        }
    }
}

#[cfg(test)]
mod tests {
    use probity_research::estimate::{Complexity, follow_up};
    use serde_json::json;

    use super::{EstimateResearchCostInput, judged_by_question};

    #[test]
    fn a_question_is_as_complex_whichever_tool_it_is_asked_with() {
        let complexity = |query: &str| {
            let input: EstimateResearchCostInput = serde_json::from_value(json!({ "query": query })).unwrap();
            judged_by_question(follow_up(), &input).complexity
        };
        let hard =
            "Compare Rust, Go, Zig and C++ for storage engines: latency, safety, build time, and hiring?";
        assert_eq!(complexity("why is the sky blue?"), Complexity::Simple);
        assert_eq!(complexity(hard), Complexity::Complex);
        assert_eq!(complexity(&"a claim. ".repeat(40_000)), Complexity::Complex);
    }
}
