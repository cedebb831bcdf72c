//! What people see of a run on the web engine while it goes on: its share, its counts, what is under way.

use super::{WebStage, WebState, asks_a_model, is_for_good, length, to_count, to_index};
use crate::{
    error::{Code, CodedError},
    inquiry::InquiryStage,
    progress::{NEWS_MAX, Progress, ProgressLine},
    text,
    web::{plan::WebPlan, task::WebTask},
};

/// Longest progress line.
const NEWS_CHARACTERS_MAX: usize = 160;
/// The longest cause in a warning.
const WARNING_CHARACTERS_MAX: usize = 200;

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

    /// What is wrong with the model, once for each cause, as soon as it is known.
    pub fn model_warnings(&self) -> Vec<String> {
        let mut causes: Vec<Code> = Vec::new();
        let mut warnings = Vec::new();
        for (task, problem) in &self.troubles {
            if causes.contains(&problem.code) || !tells_of_model(*task, problem.code) {
                continue;
            }
            causes.push(problem.code);
            let why = text::line(problem.clause(), WARNING_CHARACTERS_MAX);
            warnings.push(match is_for_good(problem.code) {
                true => format!("the model cannot be used ({why}); the research goes on with quotations"),
                false => format!(
                    "the model gives no answer of use ({why}); the research goes on, with quotations in its place"
                ),
            });
        }
        warnings
    }

    /// What kept the model from writing, where that is the model's doing and no limit's.
    pub fn why_unwritten(&self) -> Option<&CodedError> {
        let of_writing = self.troubles.iter().rev().find(|(task, problem)| {
            matches!(task, WebTask::Write | WebTask::Section { .. })
                && !matches!(problem.code, Code::Budget | Code::Deadline | Code::Cancelled)
        });
        self.model_lost.as_ref().or(of_writing.map(|(_, problem)| problem))
    }

    /// The deadline came before all of the report was written.
    pub fn was_late_to_write(&self) -> bool {
        let writes = |task: &WebTask| {
            matches!(task, WebTask::Write | WebTask::Section { .. } | WebTask::Synthesis | WebTask::Front)
        };
        self.troubles.iter().any(|(task, problem)| writes(task) && problem.code == Code::Deadline)
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

/// Whether a failure says something about the model itself. The first call tells whether there is a model at all; later
/// an answer that is of no use is nothing but that.
fn tells_of_model(task: WebTask, code: Code) -> bool {
    let is_first = matches!(task, WebTask::Plan { .. } | WebTask::Brief);
    let is_away =
        matches!(code, Code::Network | Code::Timeout | Code::ProviderUnavailable | Code::RateLimited);
    let is_own = matches!(code, Code::Budget | Code::CreateUncertain);
    asks_a_model(task) && (is_away || is_for_good(code) || (is_first && !is_own))
}
