//! What a research will likely cost and take, before it starts. Local: no token is spent on it.

use crate::{agent::AgentName, cost::MicroUsd};

/// Ranges with their basis. The provider documents a threefold spread, so a single figure would be a lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    pub cost_min: MicroUsd,
    pub cost_likely: MicroUsd,
    pub cost_max: MicroUsd,
    pub minutes_min: u32,
    pub minutes_likely: u32,
    pub minutes_max: u32,
    pub basis: &'static str,
}

pub fn estimate(agent: &AgentName) -> Estimate {
    let facts = agent.facts();
    Estimate {
        cost_min: MicroUsd(facts.cost_min_micro_usd),
        cost_likely: MicroUsd(facts.cost_likely_micro_usd),
        cost_max: MicroUsd(facts.cost_max_micro_usd),
        minutes_min: 5,
        minutes_likely: 15,
        minutes_max: 60,
        basis: "the provider's documentation of this agent (not yet your own history)",
    }
}

/// Whether a budget can carry even the cheapest documented run.
pub fn affordable(estimate: &Estimate, budget: Option<MicroUsd>) -> bool {
    budget.is_none_or(|budget| budget >= estimate.cost_min)
}
