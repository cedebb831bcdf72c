//! Progress as data: things that were counted, and the share of the usual time where nothing can be counted.

use serde::{Deserialize, Serialize};

use crate::{agent::KnownAgent, cost::Usage};

/// Newest happenings shown of a run; older ones were shown before.
pub const NEWS_MAX: usize = 12;

/// Happenings kept of those that were seen and not yet recorded: they are what an end shows was done.
pub const NEWS_KEPT_MAX: usize = 200;

/// Highest share shown before the provider says that it is done.
pub const PERCENT_BEFORE_END_MAX: u32 = 95;

/// Share shown when the usual time is over: half of all runs take longer.
const PERCENT_AT_USUAL_TIME: u64 = 80;
/// The usual time where nobody knows one.
const USUAL_MINUTES: u32 = 10;

/// The share of a run that the elapsed time stands for. Grows with every second and never reaches the end: straight up
/// to the usual time, then ever slower.
pub fn percent_by_time(elapsed_ms: u64, usual_minutes: u32) -> u32 {
    let minutes = if usual_minutes == 0 { USUAL_MINUTES } else { usual_minutes };
    let usual_ms = u64::from(minutes) * 60_000;
    let percent = if elapsed_ms <= usual_ms {
        PERCENT_AT_USUAL_TIME.saturating_mul(elapsed_ms) / usual_ms
    } else {
        let left = u64::from(PERCENT_BEFORE_END_MAX) - PERCENT_AT_USUAL_TIME;
        let beyond = u128::from(left) * u128::from(elapsed_ms - usual_ms) / u128::from(elapsed_ms);
        PERCENT_AT_USUAL_TIME + u64::try_from(beyond).unwrap_or(left)
    };
    u32::try_from(percent).unwrap_or(PERCENT_BEFORE_END_MAX).min(PERCENT_BEFORE_END_MAX)
}

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
    /// Bytes of the report as the provider sent it, where that is more than is kept of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_bytes_sent: Option<u64>,
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
        self.report_bytes_sent = later.report_bytes_sent.or(self.report_bytes_sent);
        if !later.news.is_empty() {
            let shown = later.news.len().saturating_sub(NEWS_MAX);
            self.news = later.news.iter().skip(shown).cloned().collect();
        }
    }

    /// This progress and a later one together, with the happenings of both.
    pub fn joined_with(mut self, later: &Self) -> Self {
        let mut news = std::mem::take(&mut self.news);
        for line in &later.news {
            if !news.contains(line) {
                news.push(line.clone());
            }
        }
        news.drain(..news.len().saturating_sub(NEWS_KEPT_MAX));
        self.advance(later);
        Self { news, ..self }
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

#[cfg(test)]
mod tests {
    use super::{PERCENT_BEFORE_END_MAX, percent_by_time};

    #[test]
    fn the_share_of_the_time_grows_and_never_ends() {
        let minute = 60_000;
        for (elapsed, usual, expected) in [
            (0, 10, 0),
            (minute, 10, 8),
            (10 * minute, 10, 80),
            (20 * minute, 10, 87),
            (100 * minute, 10, 93),
            (5 * minute, 0, 40),
            (u64::MAX, 10, 94),
        ] {
            assert_eq!(percent_by_time(elapsed, usual), expected, "{elapsed} of {usual}");
        }
        let shares: Vec<u32> = (0..10_000).map(|second| percent_by_time(second * 1_000, 7)).collect();
        assert!(shares.is_sorted() && shares.iter().all(|share| *share < PERCENT_BEFORE_END_MAX));
    }
}
