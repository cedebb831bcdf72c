//! The lines of `--stream-json`: one JSON document per line, each with its `type`. The first says the version of the
//! schema, the last is the result or the failure.

use std::collections::VecDeque;

use probity_research::{
    cost::{Cost, MicroUsd},
    progress::{NEWS_MAX, ProgressLine},
    status::RunSummary,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{FailureDocument, ResearchDocument, SCHEMA_VERSION};

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StreamLine {
    /// The research is on disk; its id may be used.
    Started {
        schema_version: u32,
        task_id: String,
        query: String,
        engine: String,
        /// Which engine, and why it was taken.
        engine_reason: Option<String>,
        agent: String,
        budget_usd: Option<f64>,
    },
    /// Counted things only; nothing here comes from a clock.
    Progress {
        at: String,
        status: &'static str,
        percent: u32,
        percent_is_estimated: bool,
        steps: u32,
        searches: u32,
        pages: u32,
        /// Null while the provider has reported no usage: unknown is not zero.
        cost_usd: Option<f64>,
        cost_basis: &'static str,
    },
    Thought {
        text: String,
    },
    Search {
        query: String,
    },
    Page {
        title: String,
    },
    Writing {
        text: String,
    },
    /// Something goes wrong, and the research goes on; told once for each cause.
    Warning {
        text: String,
    },
    /// The same document as `--json` prints.
    Result(Box<ResearchDocument>),
    /// Nothing was done, or it could not be told how it ended.
    Failure(FailureDocument),
}

impl StreamLine {
    pub fn started(summary: &RunSummary, budget: Option<MicroUsd>) -> Self {
        Self::Started {
            schema_version: SCHEMA_VERSION,
            task_id: summary.id.to_string(),
            query: summary.query.clone(),
            engine: summary.engine.clone(),
            engine_reason: summary.engine_reason.clone(),
            agent: summary.agent.clone(),
            budget_usd: budget.map(|budget| budget.as_usd()),
        }
    }

    fn of_news(news: &ProgressLine) -> Self {
        match news.clone() {
            ProgressLine::Thought(text) => Self::Thought { text },
            ProgressLine::Search(query) => Self::Search { query },
            ProgressLine::Page(title) => Self::Page { title },
            ProgressLine::Writing(text) => Self::Writing { text },
        }
    }
}

/// Which lines are new since the last state.
#[derive(Debug, Default)]
pub struct StreamLineCursor {
    printed: VecDeque<ProgressLine>,
    counted: Option<ProgressCounts>,
    warned: usize,
}

/// What a progress line says, without its moment.
#[derive(Debug, Clone, PartialEq)]
struct ProgressCounts {
    status: &'static str,
    counts: (u32, u32, u32, u32),
    cost: Cost,
}

impl StreamLineCursor {
    pub fn lines(&mut self, summary: &RunSummary) -> Vec<StreamLine> {
        let fresh = self.unseen_news(&summary.news);
        let unsaid = summary.warnings.iter().skip(self.warned);
        let mut lines: Vec<StreamLine> =
            unsaid.map(|text| StreamLine::Warning { text: text.clone() }).collect();
        self.warned = self.warned.max(summary.warnings.len());
        lines.extend(fresh.iter().map(StreamLine::of_news));
        let counted = ProgressCounts {
            status: summary.status.as_str(),
            counts: (summary.progress_percent, summary.steps, summary.searches, summary.pages),
            cost: summary.cost,
        };
        if self.counted.as_ref() != Some(&counted) {
            lines.push(progress(summary));
            self.counted = Some(counted);
        }
        lines
    }

    /// Entries that were printed already are skipped: the longest suffix of them that the new entries begin
    /// with.
    fn unseen_news(&mut self, news: &[ProgressLine]) -> Vec<ProgressLine> {
        let printed = self.printed.make_contiguous();
        let overlap = (0..=printed.len().min(news.len()))
            .rev()
            .find(|count| printed.iter().rev().take(*count).rev().eq(news.iter().take(*count)))
            .unwrap_or(0);
        let fresh: Vec<ProgressLine> = news.iter().skip(overlap).cloned().collect();
        self.printed.extend(fresh.iter().cloned());
        while self.printed.len() > NEWS_MAX {
            self.printed.pop_front();
        }
        fresh
    }
}

fn progress(summary: &RunSummary) -> StreamLine {
    StreamLine::Progress {
        at: summary.updated_at.to_string(),
        status: summary.status.as_str(),
        percent: summary.progress_percent,
        percent_is_estimated: summary.progress_estimated,
        steps: summary.steps,
        searches: summary.searches,
        pages: summary.pages,
        cost_usd: summary.cost.known().map(|cost| cost.as_usd()),
        cost_basis: summary.cost.basis_in_words(),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{RunId, progress::ProgressLine, status::RunSummary};
    use serde_json::json;

    use super::{StreamLine, StreamLineCursor};

    fn said(words: &str) -> Vec<ProgressLine> {
        words.split_whitespace().map(|word| ProgressLine::Search(word.to_owned())).collect()
    }

    #[test]
    fn what_was_told_is_not_told_again() {
        let mut changes = StreamLineCursor::default();
        assert_eq!(changes.unseen_news(&said("a b c")), said("a b c"));
        assert_eq!(changes.unseen_news(&said("a b c")), said(""));
        assert_eq!(changes.unseen_news(&said("b c d")), said("d"));
        assert_eq!(changes.unseen_news(&said("x y")), said("x y"));
        assert_eq!(changes.unseen_news(&said("y y")), said("y"));
    }

    #[test]
    fn a_warning_is_told_once() {
        let summary: RunSummary = serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "running_async", "due": true, "query": "q", "engine": "web",
            "agent": "none", "asked_at": 0, "updated_at": 9, "progress_percent": 1,
            "progress_estimated": true, "current_action": "", "steps": 0, "searches": 0, "pages": 0,
            "attended_ms": 0, "cost": { "basis": "nothing" }, "sources": 0, "warnings": ["no model"],
        }))
        .unwrap();
        let mut changes = StreamLineCursor::default();
        let warned = |lines: Vec<StreamLine>| {
            lines.iter().filter(|line| matches!(line, StreamLine::Warning { .. })).count()
        };
        assert_eq!(warned(changes.lines(&summary)), 1);
        assert_eq!(warned(changes.lines(&summary)), 0);
    }
}
