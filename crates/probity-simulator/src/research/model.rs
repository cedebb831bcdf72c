//! A language model with honest limits, as a pure function of its prompt: same prompt, same answer.
//!
//! It recognises what a prompt wants by the fields of the schema or, without one, by the prompt's own words, and works on
//! the facts it finds in the prompt's text. It has a window, forgets, miscopies, mixes up sources and writes less than it
//! is asked for. A query holds only words that stand in the prompt. It never sees a world.

mod answer;
mod embed;
mod free;
mod judge;
mod limits;
mod material;
mod plan;
mod prompt;
mod read;
mod write;

use serde_json::Value;

use super::tokens::count_tokens;
pub(crate) use embed::embeddings;
pub use limits::ResearchLimits;
use prompt::ModelPrompt;

use crate::named_set::named;

named! {
    /// What a prompt wants.
    pub enum ResearchTask {
        /// Questions and queries for a whole subject.
        Plan = "plan",
        /// What is wanted, and in which parts.
        Brief = "brief",
        /// The next queries for one part.
        Line = "line",
        Choose = "choose",
        /// Quotations of one page.
        Read = "read",
        /// The same with typed facts, for several questions.
        Survey = "survey",
        Outline = "outline",
        Section = "section",
        Synthesis = "synthesis",
        Front = "front",
        /// A report as typed sections.
        Write = "write",
        Judge = "judge",
        /// A report as free text.
        Report = "report",
        /// What a page teaches, as free text.
        Learnings = "learnings",
        /// Queries as free text.
        Queries = "queries",
        /// A tool is to be called.
        Tools = "tools",
        Other = "other",
    }
}

impl ResearchTask {
    /// Whether the answer becomes the text that a reader sees.
    pub fn writes(self) -> bool {
        matches!(self, Self::Section | Self::Synthesis | Self::Front | Self::Write | Self::Report)
    }
}

/// One call as the measuring program sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchCall {
    pub task: ResearchTask,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// Traps whose words were in the prompt.
    pub traps: Vec<String>,
}

/// The answer to one prompt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ModelAnswer {
    Said {
        text: String,
        cut: bool,
        tool_calls: Vec<Value>,
        input_tokens: u64,
        output_tokens: u64,
    },
    /// The prompt has more tokens than the window.
    TooLong {
        tokens: u64,
    },
    /// The body is no request.
    Unreadable,
}

/// The model with its limits, and what it was asked.
#[derive(Debug, Clone, Default)]
pub struct ResearchModel {
    limits: ResearchLimits,
    calls: Vec<ResearchCall>,
    /// What the measuring program looks for in prompts. The model itself does not read it.
    watched: Vec<String>,
    /// When the answers that were begun are written.
    busy_until_ms: u64,
}

impl ResearchModel {
    pub fn new(limits: ResearchLimits, watched: Vec<String>) -> Self {
        Self { limits, watched, calls: Vec::new(), busy_until_ms: 0 }
    }

    pub fn calls(&self) -> &[ResearchCall] {
        &self.calls
    }

    pub fn start_over(&mut self) {
        self.calls.clear();
        self.busy_until_ms = 0;
    }

    /// When an answer of so many tokens is written that is begun now; none where that takes no time.
    pub(crate) fn written_at(&mut self, now_ms: u64, output_tokens: u64) -> Option<u64> {
        let speed = self.limits.tokens_per_second?;
        let takes_ms = output_tokens.saturating_mul(1_000) / speed.max(1);
        self.busy_until_ms = self.busy_until_ms.max(now_ms).saturating_add(takes_ms);
        Some(self.busy_until_ms)
    }

    pub(crate) fn answer(&mut self, body: &[u8]) -> ModelAnswer {
        let Some(prompt) = ModelPrompt::read(body) else { return ModelAnswer::Unreadable };
        let input_tokens = count_tokens(&prompt.whole);
        if input_tokens > self.limits.window_tokens {
            return ModelAnswer::TooLong { tokens: input_tokens };
        }
        let task = prompt.task();
        let (text, tool_calls) = answer::answer(task, &prompt, &self.limits);
        let most = prompt.output_tokens_max.unwrap_or(u64::MAX).min(self.limits.output_tokens_max);
        let (text, cut) = cut_to(text, most);
        let output_tokens =
            count_tokens(&text) + tool_calls.iter().map(|call| count_tokens(&call.to_string())).sum::<u64>();
        let traps =
            self.watched.iter().filter(|words| prompt.whole.contains(words.as_str())).cloned().collect();
        self.calls.push(ResearchCall { task, input_tokens, output_tokens, traps });
        ModelAnswer::Said { text, cut, tool_calls, input_tokens, output_tokens }
    }
}

/// A text that ends where its tokens do.
fn cut_to(mut text: String, tokens: u64) -> (String, bool) {
    let mut cut = false;
    while count_tokens(&text) > tokens {
        cut = true;
        let keep = text.len() * 9 / 10;
        text.truncate(text.floor_char_boundary(keep));
    }
    (text, cut)
}
