//! Collects the answer to a question: its text, its searches, its pages, and all that was printed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use probity_research::{
    cost::Usage,
    error::CodedError,
    report::{REPORT_BYTES_MAX, SourceLink},
};

use super::{
    CliEvent, CliReply, UsageCoverage,
    output_buffers::HeadAndTail,
    prompt,
    session_record::{self, SOURCES_MAX, SessionRecord},
};
use crate::secret::ApiKey;

/// What is kept of the printed lines at each end: enough to see what was asked for and how it ended.
const RAW_BYTES_EACH: usize = 512 * 1024;
/// Fetches that have not ended yet.
const FETCHES_MAX: usize = 1_000;
/// Longest text about a search or a fetch that is passed on.
const SHOWN_CHARACTERS_MAX: usize = 300;

#[derive(Debug)]
pub struct AnswerCollector {
    /// Redacted in everything that is passed on, should a page or a model have got hold of it.
    key: ApiKey,
    text: String,
    /// A tool was called since the last text: what follows belongs to a new turn.
    turn_over: bool,
    queries: Vec<String>,
    fetches: BTreeMap<String, Vec<String>>,
    pages: Vec<String>,
    searches: u64,
    models: BTreeSet<String>,
    counted: Option<Usage>,
    raw: HeadAndTail,
    heard: VecDeque<CliEvent>,
}

impl AnswerCollector {
    pub fn new(key: &ApiKey) -> Self {
        Self {
            key: key.clone(),
            text: String::new(),
            turn_over: false,
            queries: Vec::new(),
            fetches: BTreeMap::new(),
            pages: Vec::new(),
            searches: 0,
            models: BTreeSet::new(),
            counted: None,
            raw: HeadAndTail::new(RAW_BYTES_EACH),
            heard: VecDeque::new(),
        }
    }

    pub fn next_event(&mut self) -> Option<CliEvent> {
        self.heard.pop_front()
    }

    pub fn record_line(&mut self, line: &str) {
        self.raw.push(line.as_bytes());
        self.raw.push(b"\n");
    }

    pub fn record_text(&mut self, piece: &str) {
        if std::mem::take(&mut self.turn_over) {
            self.text.clear();
        }
        if self.text.len() + piece.len() <= REPORT_BYTES_MAX {
            self.text.push_str(piece);
        }
        self.heard.push_back(CliEvent::Wrote(self.key.redact(&prompt::restore_at_signs(piece))));
    }

    pub fn record_thought(&mut self, words: &str) {
        self.heard.push_back(CliEvent::Thought(self.shown(words)));
    }

    pub fn record_search(&mut self, query: &str) {
        self.turn_over = true;
        self.searches += 1;
        let query = prompt::restore_at_signs(query);
        self.heard.push_back(CliEvent::Searched(self.shown(&query)));
        if self.queries.len() < SOURCES_MAX {
            self.queries.push(query);
        }
    }

    pub fn record_fetch(&mut self, call: &str, asked: &str) {
        self.turn_over = true;
        let addresses = session_record::addresses_in(asked);
        let words = if addresses.is_empty() { asked.to_owned() } else { addresses.join(" ") };
        self.heard.push_back(CliEvent::Fetching(self.shown(&words)));
        if self.fetches.len() < FETCHES_MAX {
            self.fetches.insert(call.to_owned(), addresses);
        }
    }

    pub fn record_tool_use(&mut self) {
        self.turn_over = true;
    }

    /// A tool returned a result.
    pub fn record_tool_success(&mut self, call: &str) {
        let room = SOURCES_MAX.saturating_sub(self.pages.len());
        self.pages.extend(self.fetches.remove(call).into_iter().flatten().take(room));
    }

    pub fn counted(&mut self, usage: Usage, models: impl Iterator<Item = String>) {
        self.counted = Some(usage);
        self.models.extend(models);
    }

    /// The end, with what the CLI's own record adds.
    pub fn finish(self, outcome: Result<(), CodedError>, record: SessionRecord) -> CliReply {
        let recorded = record.model.is_some();
        let searches = self.searches.max(record.queries.len() as u64);
        let (usage, counted) = usage(self.counted, record.usage, searches);
        let mut models = self.models;
        models.extend(record.models);
        let key = self.key;
        let hidden = |texts: Vec<String>| texts.iter().map(|text| key.redact(text)).collect();
        let sources = record.sources.into_iter();
        CliReply {
            outcome,
            text: key.redact(&prompt::restore_at_signs(&self.text)),
            queries: hidden(if recorded && !record.queries.is_empty() {
                record.queries
            } else {
                self.queries
            }),
            sources: sources
                .map(|source| SourceLink { url: key.redact(&source.url), title: key.redact(&source.title) })
                .collect(),
            pages: hidden(if recorded { record.pages } else { self.pages }),
            usage,
            counted,
            model: record.model,
            models: models.into_iter().collect(),
            raw: self.raw.redacted_text(&key).into_bytes(),
        }
    }

    fn shown(&self, words: &str) -> String {
        probity_research::text::line(&self.key.redact(words), SHOWN_CHARACTERS_MAX)
    }
}

/// The CLI's own sum covers the calls inside a search; the record only the model that answers, but it tells
/// thinking from writing.
fn usage(summed: Option<Usage>, recorded: Option<Usage>, searches: u64) -> (Option<Usage>, UsageCoverage) {
    match (summed, recorded) {
        (None, recorded) => {
            let counted =
                if searches == 0 { UsageCoverage::Everything } else { UsageCoverage::MainModelOnly };
            (recorded.map(|usage| Usage { searches, ..usage }), counted)
        }
        (Some(summed), recorded) => {
            let rest = summed.total_tokens.saturating_sub(summed.input_tokens + summed.output_tokens);
            let thought_tokens = recorded.map_or(0, |usage| usage.thought_tokens).min(rest);
            let tool_use_tokens = rest - thought_tokens;
            (Some(Usage { thought_tokens, tool_use_tokens, searches, ..summed }), UsageCoverage::Everything)
        }
    }
}
