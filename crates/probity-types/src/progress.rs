//! Progress as data: counted things only. No figure here comes from a clock.

use serde::{Deserialize, Serialize};

use crate::{agent::KnownAgent, cost::Usage};

/// Newest happenings kept with one observation; older ones were shown before.
pub const NEWS_MAX: usize = 12;

/// Highest share shown before the provider says that it is done.
pub const PERCENT_BEFORE_END_MAX: u32 = 95;

/// What polls of the provider have shown. Counts only grow: a resumed stream repeats itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// The provider's own name for its state.
    pub remote_status: String,
    pub steps: u32,
    pub searches: u32,
    pub pages: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub news: Vec<ProgressLine>,
}

/// One thing that happened, ready to be shown: a single clean line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "text", rename_all = "kebab-case")]
pub enum ProgressLine {
    Thought(String),
    Search(String),
    Page(String),
    Writing(String),
}

impl ProgressLine {
    pub fn sentence(&self) -> String {
        match self {
            Self::Thought(text) => format!("thinking: {text}"),
            Self::Search(text) => format!("searching: {text}"),
            Self::Page(text) => format!("reading: {text}"),
            Self::Writing(text) => format!("writing: {text}"),
        }
    }
}

impl Progress {
    /// Share of the searches that this agent typically makes; an estimate, and marked so wherever shown.
    pub fn percent_estimated(&self, agent: &KnownAgent) -> u32 {
        let expected = agent.searches_typical.max(1);
        (self.searches.saturating_mul(100) / expected).min(PERCENT_BEFORE_END_MAX)
    }

    /// The current action, in a few words.
    pub fn action(&self) -> String {
        match self.news.last() {
            Some(news) => news.sentence(),
            None if self.remote_status.is_empty() => "waiting for the provider".to_owned(),
            None => format!("provider says: {}", self.remote_status),
        }
    }

    /// Applies a later poll; counts never go back.
    pub fn advance(&mut self, later: &Self) {
        self.remote_status.clone_from(&later.remote_status);
        self.steps = self.steps.max(later.steps);
        self.searches = self.searches.max(later.searches);
        self.pages = self.pages.max(later.pages);
        self.usage = later.usage.or(self.usage);
        if !later.news.is_empty() {
            self.news.clone_from(&later.news);
        }
    }

    /// Whether `later` has news that are worth a row on disk.
    pub fn differs(&self, later: &Self) -> bool {
        later.steps > self.steps
            || later.searches > self.searches
            || later.pages > self.pages
            || later.remote_status != self.remote_status
            || (later.usage.is_some() && later.usage != self.usage)
    }
}
