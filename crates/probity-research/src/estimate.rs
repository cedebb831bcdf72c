//! What a run will likely cost and take, before it starts. Local: no token is spent on it.

use probity_types::status::{RunStatus, RunSummary};

use crate::{
    agent::AgentName,
    cost::{Cost, MicroUsd, Usage},
    inquiry::plan::InquiryPlan,
    limits::RunLimits,
    list::{LIST_MAX, ListFilter},
    plan::Plan,
    price,
    principal::RunAccess,
    query::Query,
    rounds::{Mode, RoundsPlan},
    web::{plan::WebPlan, strategy::StrategyLevel},
};

pub use probity_types::estimate::{Complexity, Estimate, EstimateBasis};

/// Fewer finished researches say too little about the next one.
pub const HISTORY_MIN: usize = 5;
/// More say nothing new, and prices of long ago mislead.
pub const HISTORY_MAX: usize = 50;

/// Documented span of a Deep Research run, in minutes.
const MINUTES_DOCUMENTED: EstimateRange = EstimateRange { min: 5, likely: 15, max: 60 };

/// What one finished research cost and took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastRun {
    pub cost: MicroUsd,
    pub minutes: u32,
    /// Of its question.
    pub complexity: Complexity,
}

impl PastRun {
    /// Only a complete run with a counted cost counts as history, and one whose model did its work: what a run without
    /// it cost and took says nothing about one with it.
    pub fn of(summary: &RunSummary) -> Option<Self> {
        let (RunStatus::Completed, Some(ended)) = (summary.status, summary.ended_at) else { return None };
        let minutes = ended.since_ms(summary.asked_at).div_ceil(60_000);
        if matches!(summary.cost, Cost::AtLeast(_)) || summary.model_problem.is_some() {
            return None;
        }
        Some(Self {
            cost: summary.cost.known()?,
            minutes: u32::try_from(minutes).unwrap_or(u32::MAX),
            complexity: complexity_of(&summary.query),
        })
    }
}

/// The filter for finished runs within `reach`; none for a caller without access.
pub fn finished_runs_filter(reach: &RunAccess) -> Option<ListFilter> {
    (*reach != RunAccess::Nothing).then(|| ListFilter {
        status: Some(RunStatus::Completed),
        asked_by: reach.principal().cloned(),
        limit: LIST_MAX,
        ..ListFilter::default()
    })
}

/// The finished runs that are history for `agent`, in the same order. A further question on a report is none: it is
/// asked of a model, for cents.
pub fn past_runs(finished: &[RunSummary], agent: &AgentName) -> Vec<PastRun> {
    let whole_runs = finished.iter().filter(|summary| summary.rounds.is_none() && is_first(summary));
    let same_agent = whole_runs.filter(|summary| summary.agent == agent.as_str());
    same_agent.filter_map(PastRun::of).take(HISTORY_MAX).collect()
}

/// A plan of `search`, `deep_search` or `deep_research` with the price that finished runs of the same tool really had,
/// once there are enough of them in `finished` (newest first); else with the price that it has.
pub fn with_history(mut plan: Plan, finished: &[RunSummary]) -> Plan {
    let Some(assumed) = plan.estimate else { return plan };
    let known = past_rounds(finished, &plan);
    if known.len() < HISTORY_MIN {
        return plan;
    }
    let PastRanges { cost, minutes } = PastRanges::of(&known, assumed.complexity);
    // What the web engine may spend is bounded by its plan. Rounds may cost what they once did, and cheap ones of the
    // past bound no bill of the future.
    let most = match plan.web {
        Some(_) => assumed.cost_max.0,
        None => cost.max.max(assumed.cost_max.0),
    };
    let cost = EstimateRange { min: cost.min.min(most), likely: cost.likely.min(most), max: most };
    plan.estimate = Some(in_ranges(assumed.complexity, cost, minutes, own_history(&known)));
    plan
}

/// The finished runs that are history for `plan`: of the same tool, on the same engine, as deep, with the same model.
/// Where the engine chooses the model, the one that it chose last counts.
fn past_rounds(finished: &[RunSummary], plan: &Plan) -> Vec<PastRun> {
    let Some(rounds) = &plan.rounds else { return Vec::new() };
    let is_alike = |summary: &&RunSummary| {
        let same_tool = summary
            .rounds
            .is_some_and(|past| past.manner == rounds.manner && past.rounds_max == rounds.rounds_max);
        same_tool && summary.engine == plan.engine.as_str() && is_first(summary)
    };
    let alike: Vec<&RunSummary> = finished.iter().filter(is_alike).collect();
    let chosen = match (&plan.web, &rounds.model) {
        (None, None) => alike.first().map(|newest| newest.agent.as_str()),
        _ => Some(plan.model_or_agent()),
    };
    let same_model = alike.into_iter().filter(|summary| Some(summary.agent.as_str()) == chosen);
    same_model.filter_map(PastRun::of).take(HISTORY_MAX).collect()
}

/// Neither the check of a text nor a further question on a report.
fn is_first(summary: &RunSummary) -> bool {
    !summary.given && summary.follows.is_none()
}

/// What finished runs cost and took, for a question of this kind: those of its kind, or the part of all that it falls in.
struct PastRanges {
    cost: EstimateRange,
    minutes: EstimateRange,
}

impl PastRanges {
    fn of(known: &[PastRun], complexity: Complexity) -> Self {
        let alike: Vec<PastRun> =
            known.iter().copied().filter(|past| past.complexity == complexity).collect();
        let is_enough = alike.len() >= HISTORY_MIN;
        let taken = if is_enough { alike.as_slice() } else { known };
        let cost = EstimateRange::of(taken.iter().map(|past| past.cost.0));
        let minutes = EstimateRange::of(taken.iter().map(|past| u64::from(past.minutes)));
        // Nobody reserves minutes: the longest run there was is what it may take.
        let longest = known.iter().map(|past| u64::from(past.minutes)).max().unwrap_or(0);
        let of_kind = |all: EstimateRange| if is_enough { all } else { all.part(complexity) };
        let minutes = EstimateRange { max: longest, ..of_kind(EstimateRange { max: longest, ..minutes }) };
        Self { cost: of_kind(cost), minutes }
    }
}

fn own_history(known: &[PastRun]) -> EstimateBasis {
    EstimateBasis::History { researches: u32::try_from(known.len()).unwrap_or(u32::MAX) }
}

/// The likely cost of `query`, from `history` (newest first, same agent) once there is enough of it.
pub fn estimate(agent: &AgentName, query: &Query, history: &[PastRun]) -> Estimate {
    let complexity = complexity(query);
    let known: Vec<PastRun> = history.iter().copied().take(HISTORY_MAX).collect();
    if known.len() < HISTORY_MIN {
        return documented(agent, complexity);
    }
    let PastRanges { cost, minutes } = PastRanges::of(&known, complexity);
    // Cheap runs of the past bound no bill of the future: the highest price stays the documented one.
    let cost = EstimateRange { max: cost.max.max(agent.facts().cost_max_micro_usd), ..cost };
    in_ranges(complexity, cost, minutes, own_history(&known))
}

/// A follow-up question to a model with a finished run as its context: seconds and cents, not minutes.
/// Assumed from the model's prices, until there is a history.
pub fn follow_up() -> Estimate {
    let cost = EstimateRange { min: 10_000, likely: 100_000, max: 500_000 };
    in_ranges(
        Complexity::Simple,
        cost,
        EstimateRange { min: 0, likely: 1, max: 5 },
        EstimateBasis::Documentation,
    )
}

/// What a run in rounds will likely cost: typical calls at the model's prices, times the rounds it may
/// take. Assumed from what such calls count, until there is a history.
pub fn rounds(plan: &RoundsPlan, query: &Query, date: &str) -> Estimate {
    let call = |input: u64, output: u64, searches: u64| {
        let usage = Usage { input_tokens: input, output_tokens: output, searches, ..Usage::default() };
        price::of_model(plan.model_name(), &usage, date).0
    };
    let least = u64::from(plan.rounds_max.min(2));
    let most = u64::from(plan.rounds_max);
    // One round that iterates by itself reads and writes about as much as a deep search does.
    let heavy = if plan.manner == Mode::DeepResearch { 4 } else { 1 };
    let cost = EstimateRange {
        min: call(10_000, 2_000, 2) * least * heavy,
        likely: call(40_000, 5_000, 8) * least.midpoint(most) * heavy,
        max: call(150_000, 12_000, 20) * most * heavy,
    };
    let minutes = EstimateRange { min: 0, likely: least.midpoint(most) * heavy, max: 3 * most * heavy };
    in_ranges(complexity(query), cost, minutes, EstimateBasis::Assumed)
}

/// What a run on the web engine will likely cost: each kind of call at its expected price, for one attempt at
/// least and all of them at most, which is what the plan's own budget was computed from. A stated budget bounds it.
pub fn web(plan: &WebPlan, limits: &RunLimits, query: &Query) -> Estimate {
    if let Some(inquiry) = &plan.inquiry {
        return inquiry_cost(plan, inquiry, query);
    }
    let strategy = &plan.strategy;
    let searches = u64::from(strategy.queries);
    let of_providers: u64 =
        plan.asked().iter().map(|provider| plan.price_of_search(*provider).unwrap_or_default().0).sum();
    let pages = u64::from(strategy.top_pages);
    let prices = &plan.prices;
    let attempt = prices.plan.0 + prices.choose.0 + searches * of_providers + pages * prices.read.0;
    let writing = if plan.model.is_some() { prices.write.0 } else { 0 };
    let (least, most) =
        if strategy.level == StrategyLevel::None { (0, 0) } else { (1, u64::from(strategy.max_attempts)) };
    // Everything but one search and the writing can be done by rule.
    let cheapest = writing + least * of_providers;
    let attempt = if plan.model.is_some() { attempt } else { searches * of_providers };
    let bounded = |cost: u64| cost.min(plan.budget(limits).0);
    // A plan that can spend nothing costs nothing, whatever it would be allowed to.
    let spends = cheapest + attempt + prices.checks.0 + plan.page_service_price().0 > 0;
    let cost = EstimateRange {
        min: bounded(cheapest),
        likely: bounded(writing + least.midpoint(most) * attempt + prices.checks.0 / 2),
        max: if spends { bounded(strategy.budget.0) } else { 0 },
    };
    let longest = u64::from(strategy.minutes).min(limits.deadline().as_secs().div_ceil(60));
    let minutes = EstimateRange { min: 0, likely: longest.div_ceil(3), max: longest };
    in_ranges(complexity(query), cost, minutes, EstimateBasis::Assumed)
}

/// The same on the second engine: all that its caps allow at most, and no dollars that the depth would set.
fn inquiry_cost(plan: &WebPlan, inquiry: &InquiryPlan, query: &Query) -> Estimate {
    let search = plan.price_of_query();
    let most = inquiry.estimate(search).plus(plan.prices.checks).0;
    let cheapest = inquiry.writing_floor(1).plus(search).0.min(most);
    let cost = EstimateRange { min: cheapest, likely: cheapest.midpoint(most), max: most };
    let longest = u64::from(inquiry.caps.minutes);
    let minutes = EstimateRange { min: 0, likely: longest.div_ceil(2), max: longest };
    in_ranges(complexity(query), cost, minutes, EstimateBasis::Assumed)
}

/// Whether a budget is enough for even the cheapest expected run.
pub fn affordable(estimate: &Estimate, budget: Option<MicroUsd>) -> bool {
    budget.is_none_or(|budget| budget >= estimate.cost_min)
}

/// Counts parts: words, listed things, questions. Rough on purpose; the range is what counts.
pub fn complexity(query: &Query) -> Complexity {
    complexity_of(query.as_str())
}

fn complexity_of(text: &str) -> Complexity {
    let words = text.split_whitespace().count().max(text.chars().count() / 12);
    let separators = text.matches([',', ';', '?', '\n', '、', '，', '？']).count();
    let joined = text.split_whitespace().filter(|word| JOINING.contains(&word.to_lowercase().as_str()));
    let parts = separators + joined.count();
    match (words, parts) {
        (..=12, ..=1) => Complexity::Simple,
        (41.., _) | (_, 5..) => Complexity::Complex,
        _ => Complexity::Medium,
    }
}

/// Words that put a second thing beside the first.
const JOINING: &[&str] =
    &["and", "or", "versus", "vs", "vs.", "compare", "compared", "between", "und", "oder", "et", "ou", "y"];

fn documented(agent: &AgentName, complexity: Complexity) -> Estimate {
    let facts = agent.facts();
    let whole = EstimateRange {
        min: facts.cost_min_micro_usd,
        likely: facts.cost_likely_micro_usd,
        max: facts.cost_max_micro_usd,
    };
    // A simple question is likely cheaper; what it may cost is what the provider documents.
    let cost = EstimateRange { max: whole.max, ..whole.part(complexity) };
    in_ranges(complexity, cost, MINUTES_DOCUMENTED.part(complexity), EstimateBasis::Documentation)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EstimateRange {
    min: u64,
    likely: u64,
    max: u64,
}

impl EstimateRange {
    /// The lowest tenth, the middle and the highest tenth of the values.
    fn of(values: impl Iterator<Item = u64>) -> Self {
        let mut sorted: Vec<u64> = values.collect();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let at = |tenths: usize| sorted.get((last * tenths + 5) / 10).copied().unwrap_or(0);
        Self { min: at(1), likely: at(5), max: at(9) }
    }

    /// The half of a documented range in which a question of this kind falls.
    fn part(self, complexity: Complexity) -> Self {
        let middle = |low: u64, high: u64| low.midpoint(high);
        match complexity {
            Complexity::Simple => {
                Self { min: self.min, likely: middle(self.min, self.likely), max: self.likely }
            }
            Complexity::Medium => self,
            Complexity::Complex => {
                Self { min: self.likely, likely: middle(self.likely, self.max), max: self.max }
            }
        }
    }
}

fn in_ranges(
    complexity: Complexity,
    cost: EstimateRange,
    minutes: EstimateRange,
    basis: EstimateBasis,
) -> Estimate {
    let short = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Estimate {
        complexity,
        cost_min: MicroUsd(cost.min),
        cost_likely: MicroUsd(cost.likely),
        cost_max: MicroUsd(cost.max),
        minutes_min: short(minutes.min),
        minutes_likely: short(minutes.likely),
        minutes_max: short(minutes.max),
        basis,
    }
}

#[cfg(test)]
mod tests;
