//! What a research on the web engine is allowed to do; part of its plan.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    parent::{FollowUpKind, ParentBank},
    plan_cut::PlanCut,
    providers::SearchPrice,
    search::{ProviderName, SearchFilters},
    strategy::{Strategy, StrategyHints, StrategyLevel},
    task::WebTask,
};
use crate::{cost::MicroUsd, inquiry::plan::InquiryPlan, limits::RunLimits};

/// Folders and addresses that a user may name as sources of one run.
pub const OWN_SOURCES_MAX: usize = 20;
/// Shown as the model where none was used.
pub const NO_MODEL: &str = "none";
/// Words of the longest report that is written in one call: its answer must not be cut off.
pub const WRITTEN_WORDS_MAX: u32 = 3_500;
/// Kept for writing: the longest a report takes to be written.
const WRITING_TIME: Duration = Duration::from_secs(90);

/// The chat model that plans, chooses, reads and writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebModel {
    pub name: String,
    /// It runs on this machine: nothing that it is shown leaves it.
    pub local: bool,
}

/// Models by role, where they are others than the one of the plan; all are asked at the same address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoleModels {
    /// Plans queries and chooses pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<String>,
}

impl RoleModels {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Each role that has a model of its own.
    pub fn named(&self) -> Vec<(&'static str, &str)> {
        let roles = [("planner", &self.planner), ("reader", &self.reader), ("writer", &self.writer)];
        roles.into_iter().filter_map(|(role, name)| Some((role, name.as_deref()?))).collect()
    }
}

/// Who is asked for pages that cannot be read directly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageServicePlan {
    pub name: String,
    /// The most that one page may cost; nothing at a server of the user's own.
    pub price: MicroUsd,
}

/// What one call of each kind is expected to cost, at the prices of the day it was planned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WebCallPrices {
    pub plan: MicroUsd,
    pub choose: MicroUsd,
    pub read: MicroUsd,
    pub write: MicroUsd,
    /// One search, by provider; those that are not here are free.
    #[serde(default)]
    pub searches: Vec<(ProviderName, MicroUsd)>,
    /// Kept back for the judge of the report, all its calls together.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub checks: MicroUsd,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebPlan {
    pub strategy: Strategy,
    #[serde(default)]
    pub hints: StrategyHints,
    /// The search providers, the preferred one first.
    pub providers: Vec<ProviderName>,
    #[serde(default, skip_serializing_if = "SearchFilters::is_empty")]
    pub filters: SearchFilters,
    /// None: the brief is made of quotations, without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<WebModel>,
    #[serde(default)]
    pub prices: WebCallPrices,
    /// Addresses that the user typed: read before anything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<String>,
    /// Folders of the user's own; their text never leaves the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// Let a browser render pages whose text is made by scripts.
    #[serde(default)]
    pub render: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_service: Option<PageServicePlan>,
    /// None of them: `model` does everything.
    #[serde(default, skip_serializing_if = "RoleModels::is_empty")]
    pub roles: RoleModels,
    /// What was left out because the whole would cost too much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<PlanCut>,
    /// Present: the second engine (`web/2`) with these caps. Absent: the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inquiry: Option<InquiryPlan>,
    /// What a follow-up begins with; none in a research of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Box<ParentBank>>,
}

impl WebPlan {
    /// A further question that is answered from what its parent read: nothing is searched and nothing fetched.
    pub fn answers_from_parent(&self) -> bool {
        self.parent.as_ref().is_some_and(|bank| match bank.kind {
            FollowUpKind::Ask => true,
            FollowUpKind::Search => false,
        })
    }

    /// What the writer is told beside the question: the user's own context, and what was told before.
    pub fn context_for_writing(&self) -> Option<String> {
        self.with_told(self.hints.context_snippet.as_deref())
    }

    /// The same for whoever plans queries, which leave the machine: of the user's own context what may leave it.
    pub fn context_for_planning(&self) -> Option<String> {
        self.with_told(self.context_for_queries())
    }

    fn with_told(&self, own: Option<&str>) -> Option<String> {
        let told = self.parent.as_deref().and_then(ParentBank::told_before);
        let parts: Vec<String> = own.map(str::to_owned).into_iter().chain(told).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    /// How many providers one query goes to: more providers where more is at stake.
    pub fn providers_per_query(&self) -> usize {
        match self.strategy.level {
            StrategyLevel::None => 0,
            StrategyLevel::Shallow => 1,
            StrategyLevel::Medium => 2,
            StrategyLevel::Deep | StrategyLevel::Exhaustive => 3,
        }
    }

    /// About so many words are asked of the writer; none: as many as the level has.
    pub fn words(&self) -> Option<u32> {
        self.hints.words.map(|words| words.min(WRITTEN_WORDS_MAX))
    }

    /// The model that writes the report.
    pub fn writer(&self) -> Option<&str> {
        let model = self.model.as_ref()?;
        Some(self.roles.writer.as_deref().unwrap_or(&model.name))
    }

    /// Whether pages are taken by rank although there is a model.
    pub fn chooses_by_rule(&self) -> bool {
        self.cut.as_ref().is_some_and(PlanCut::chooses_by_rule)
    }

    /// The same run on the second engine: what shows attempts, pages and minutes then shows its caps.
    pub fn with_inquiry(mut self, inquiry: InquiryPlan) -> Self {
        self.strategy.max_attempts = inquiry.caps.rounds.max(1);
        self.strategy.minutes = inquiry.caps.minutes;
        self.strategy.queries = inquiry.caps.queries.div_ceil(self.strategy.max_attempts);
        self.strategy.top_pages = inquiry.caps.pages.div_ceil(self.strategy.max_attempts);
        self.inquiry = Some(inquiry);
        self
    }

    /// Attempts that may come at most, those that the user's own later words add aside.
    pub fn attempts_max(&self) -> u32 {
        self.inquiry.as_ref().map_or(self.strategy.max_attempts, InquiryPlan::rounds_max)
    }

    /// Pages that are read at most where all of them are short; elsewhere no more than `pages_max`.
    pub fn pages_most(&self) -> u32 {
        self.inquiry.as_ref().map_or_else(|| self.strategy.pages_max(), InquiryPlan::pages_most)
    }

    /// Pages that are planned for, those that the user names aside.
    pub fn pages_max(&self) -> u32 {
        self.inquiry.as_ref().map_or_else(|| self.strategy.pages_max(), |inquiry| inquiry.caps.pages)
    }

    /// What one query costs at all the providers that it goes to.
    pub fn price_of_query(&self) -> MicroUsd {
        let prices = self.asked().iter().filter_map(|provider| self.price_of_search(*provider));
        prices.fold(MicroUsd(0), MicroUsd::plus)
    }

    pub fn asked(&self) -> &[ProviderName] {
        self.providers.get(..self.providers_per_query()).unwrap_or(&self.providers)
    }

    /// The user's own budget, or what the plan was computed to cost.
    pub fn budget(&self, limits: &RunLimits) -> MicroUsd {
        limits.budget.unwrap_or(self.strategy.budget)
    }

    /// When nothing more is gathered: the rest is for writing, however short the time was.
    pub fn gather_until(&self, limits: &RunLimits) -> Duration {
        let deadline = limits.deadline().min(self.usual_time());
        deadline.saturating_sub(WRITING_TIME.min(deadline / 3))
    }

    /// Whether the deadline is shorter than what a research of this depth takes.
    pub fn ends_by_deadline(&self, limits: &RunLimits) -> bool {
        limits.deadline() < self.usual_time()
    }

    fn usual_time(&self) -> Duration {
        Duration::from_secs(u64::from(self.strategy.minutes) * 60)
    }

    /// What a call is expected to cost.
    pub fn price(&self, task: &WebTask) -> MicroUsd {
        match task {
            WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => self.inquiry.as_ref().map(|inquiry| inquiry.price(task)).unwrap_or_default(),
            WebTask::Plan { .. } => self.prices.plan,
            WebTask::Choose { .. } => self.prices.choose,
            WebTask::Read { .. } => self.prices.read,
            WebTask::Write => self.prices.write,
            WebTask::Search { provider, .. } => self.price_of_search(*provider).unwrap_or_default(),
            WebTask::Page { .. } | WebTask::Folder { .. } => MicroUsd(0),
        }
    }

    pub fn price_of_search(&self, provider: ProviderName) -> Option<MicroUsd> {
        self.prices.searches.iter().find(|(name, _)| *name == provider).map(|(_, price)| *price)
    }

    /// The most that one page may cost if it cannot be read directly.
    pub fn page_service_price(&self) -> MicroUsd {
        self.page_service.as_ref().map(|service| service.price).unwrap_or_default()
    }

    /// What a call may have cost whose provider counts in credits: its bill has no dollars.
    pub fn unpriced_call_max(&self) -> MicroUsd {
        let prepaid = |name: &&ProviderName| match name.facts().price {
            SearchPrice::Prepaid { .. } => true,
            SearchPrice::Free | SearchPrice::PerSearch { .. } => false,
        };
        let searches = self.asked().iter().filter(prepaid);
        let dearest = searches.filter_map(|name| self.price_of_search(*name)).max().unwrap_or_default();
        dearest.max(self.page_service_price())
    }

    /// Whether making this call twice could be paid for twice.
    pub fn is_paid(&self, task: &WebTask) -> bool {
        match task {
            WebTask::Page { .. } => self.page_service_price() > MicroUsd(0),
            WebTask::Folder { .. } => false,
            WebTask::Search { provider, .. } => self.price_of_search(*provider).is_some(),
            WebTask::Plan { .. }
            | WebTask::Choose { .. }
            | WebTask::Read { .. }
            | WebTask::Write
            | WebTask::Brief
            | WebTask::Line { .. }
            | WebTask::Survey { .. }
            | WebTask::Outline { .. }
            | WebTask::Section { .. }
            | WebTask::Synthesis
            | WebTask::Front => self.model.as_ref().is_some_and(|model| !model.local),
        }
    }

    /// The part of the user's own context that the model may see while it writes queries.
    fn context_for_queries(&self) -> Option<&str> {
        self.hints.context_snippet.as_deref().filter(|_| self.hints.context_may_leave)
    }
}

fn is_nothing(amount: &MicroUsd) -> bool {
    *amount == MicroUsd(0)
}
