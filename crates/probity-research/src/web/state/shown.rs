//! What people see of a run on the web engine while it goes on: its share, its counts, what is under way.

use super::{WebStage, WebState, length, to_count, to_index};
use crate::{
    inquiry::InquiryStage,
    progress::{NEWS_MAX, Progress, ProgressLine},
    text,
    web::{plan::WebPlan, task::WebTask},
};

/// Longest progress line.
const NEWS_CHARACTERS_MAX: usize = 160;

impl WebState {
    /// Share of the stages of all attempts that are over: counted, and too low if the run stops early.
    pub fn percent(&self, plan: &WebPlan) -> u32 {
        const STAGES: u32 = 5;
        let writing = self
            .inquiry
            .as_ref()
            .map(|inquiry| inquiry.stage)
            .filter(|stage| *stage >= InquiryStage::Section);
        match writing {
            Some(InquiryStage::Section) => return 75,
            Some(_) => return 85,
            None => {}
        }
        let stage = match self.stage {
            WebStage::Plan => 0,
            WebStage::Search => 1,
            WebStage::Choose => 2,
            WebStage::Page => 3,
            WebStage::Read => 4,
            WebStage::Write | WebStage::Done => return 90,
        };
        let behind = self.attempt.saturating_sub(1).saturating_mul(STAGES).saturating_add(stage);
        behind.saturating_mul(90) / plan.attempts_max().max(1).saturating_mul(STAGES)
    }

    /// The counts so far, and what is under way.
    pub fn progress(&self) -> Progress {
        let searches = self.search_outcomes.iter().filter(|searched| searched.problem.is_none()).count();
        Progress {
            report_bytes_sent: None,
            steps: to_count(self.over.len()),
            searches: to_count(searches),
            pages: to_count((0..length(&self.pages)).filter(|page| !self.is_parents(*page)).count()),
            usage: None,
            news: self.open.iter().take(NEWS_MAX).map(|task| self.news(*task)).collect(),
            remote_status: String::new(),
        }
    }

    fn news(&self, task: WebTask) -> ProgressLine {
        let query = |query: u32| {
            self.queries.get(to_index(query)).map(|asked| asked.query.clone()).unwrap_or_default()
        };
        let listed = |candidate: u32| {
            self.candidates
                .get(to_index(candidate))
                .map(|listed| listed.candidate.url.clone())
                .unwrap_or_default()
        };
        match task {
            WebTask::Plan { attempt } => {
                ProgressLine::Thought(format!("what to look up in attempt {attempt}"))
            }
            WebTask::Brief => ProgressLine::Thought("the question in parts".to_owned()),
            WebTask::Line { facet, .. } => {
                let asked = self.inquiry.as_ref().and_then(|inquiry| inquiry.facet(facet));
                let asked = asked.map(|facet| facet.question.clone()).unwrap_or_default();
                ProgressLine::Thought(text::line(
                    &format!("what to look up on: {asked}"),
                    NEWS_CHARACTERS_MAX,
                ))
            }
            WebTask::Outline { .. } => ProgressLine::Thought("the outline of the report".to_owned()),
            WebTask::Section { node } => {
                let node = self.inquiry.as_ref().and_then(|inquiry| inquiry.outline.get(node));
                let heading = node.map(|node| node.heading.clone()).unwrap_or_default();
                ProgressLine::Writing(text::line(&heading, NEWS_CHARACTERS_MAX))
            }
            WebTask::Synthesis => ProgressLine::Writing("what follows from it".to_owned()),
            WebTask::Front => ProgressLine::Writing("the answer in short".to_owned()),
            WebTask::Choose { .. } => ProgressLine::Thought("which pages to read".to_owned()),
            WebTask::Search { query: asked, provider } => ProgressLine::Search(text::line(
                &format!("{} ({})", query(asked), provider.as_str()),
                NEWS_CHARACTERS_MAX,
            )),
            WebTask::Folder { .. } => ProgressLine::Search("your own files".to_owned()),
            WebTask::Page { candidate } => {
                ProgressLine::Page(text::line(&listed(candidate), NEWS_CHARACTERS_MAX))
            }
            WebTask::Read { page } | WebTask::Survey { page } => {
                let candidate = self.pages.get(to_index(page)).map(|page| page.candidate);
                ProgressLine::Page(text::line(
                    &candidate.map(listed).unwrap_or_default(),
                    NEWS_CHARACTERS_MAX,
                ))
            }
            WebTask::Write => ProgressLine::Writing("the report".to_owned()),
        }
    }
}
