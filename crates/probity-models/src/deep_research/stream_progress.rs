//! The progress that a stream has reported: counts, log entries, the text as it grows, and the cursor to
//! resume at.
//!
//! Steps are counted by their index, so a stream that repeats itself counts nothing twice.

use std::collections::{BTreeMap, VecDeque};

use probity_research::{
    progress::{NEWS_KEPT_MAX, Progress, ProgressLine},
    report::{REPORT_BYTES_MAX, Report},
    text,
};
use serde_json::value::RawValue;

use crate::gemini::{
    client::is_usable_id,
    report::{self, ReportBuilder},
    wire::{
        InteractionEvent, InteractionEventKind, InteractionStatus, InteractionStep, InteractionStepDelta,
        InteractionStepKind, TextAnnotation, read_list,
    },
};

const STATUS_CHARACTERS_MAX: usize = 40;
const NEWS_CHARACTERS_MAX: usize = 160;
/// Steps whose deltas are still arriving; in practice it is one or two.
const STEPS_OPEN_MAX: usize = 64;
/// Annotation texts kept with a growing report.
const ANNOTATION_BYTES_MAX: usize = 1024 * 1024;

/// The effect of one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEventEffect {
    Nothing,
    News,
    /// The run has ended.
    Over,
    /// The stream reports an error of its own.
    Broken,
}

/// Where a stream began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamOrigin {
    Start,
    Cursor,
}

#[derive(Debug)]
pub(super) struct StreamProgress {
    from: StreamOrigin,
    /// The progress that was known when the stream was opened.
    known: Progress,
    cursor: Option<String>,
    status: String,
    steps: u32,
    searches: u32,
    pages: u32,
    usage: Option<probity_research::cost::Usage>,
    news: VecDeque<ProgressLine>,
    /// Entries ever reported, also those no longer kept.
    news_count: u64,
    open_steps: BTreeMap<u64, OpenStreamStep>,
    blocks: Vec<ReportTextBlock>,
    text_bytes: usize,
    annotation_bytes: usize,
    text_is_new: bool,
    queries: Vec<String>,
    pages_read: Vec<String>,
}

/// A step between its start and its stop.
#[derive(Debug, Default)]
struct OpenStreamStep {
    started_here: bool,
    thought_told: bool,
    queries: Vec<String>,
    pages: Vec<String>,
}

/// One text block of the report as it grows.
#[derive(Debug)]
struct ReportTextBlock {
    step: u64,
    ended: bool,
    text: String,
    /// JSON lists, as received.
    annotations: Vec<Box<RawValue>>,
}

impl StreamProgress {
    /// A stream that reports everything from the first event on.
    pub(super) fn from_start(known: &Progress, cursor: Option<String>) -> Self {
        Self::new(StreamOrigin::Start, known, cursor)
    }

    /// A stream that resumes after an event.
    pub(super) fn from_cursor(known: &Progress, cursor: String) -> Self {
        Self::new(StreamOrigin::Cursor, known, Some(cursor))
    }

    fn new(from: StreamOrigin, known: &Progress, cursor: Option<String>) -> Self {
        let mut known = known.clone();
        known.news.clear();
        Self {
            from,
            status: known.remote_status.clone(),
            usage: known.usage,
            known,
            cursor,
            steps: 0,
            searches: 0,
            pages: 0,
            news: VecDeque::new(),
            news_count: 0,
            open_steps: BTreeMap::new(),
            blocks: Vec::new(),
            text_bytes: 0,
            annotation_bytes: 0,
            text_is_new: false,
            queries: Vec::new(),
            pages_read: Vec::new(),
        }
    }

    pub(super) fn cursor(&self) -> Option<String> {
        self.cursor.clone()
    }

    /// Counts so far, never below what was known before; returns the new entries.
    pub(super) fn progress(&mut self) -> Progress {
        let (searches, pages) = self.counts();
        Progress {
            report_bytes_sent: None,
            remote_status: self.status.clone(),
            steps: self.known.steps.max(self.steps),
            searches,
            pages,
            usage: self.usage,
            news: self.news.drain(..).collect(),
        }
    }

    /// Adds to a poll what only the stream has reported.
    pub(super) fn merge_into(mut self, progress: &mut Progress) {
        let seen = self.progress();
        progress.steps = progress.steps.max(seen.steps);
        progress.searches = progress.searches.max(seen.searches);
        progress.pages = progress.pages.max(seen.pages);
        progress.usage = progress.usage.or(seen.usage);
        if progress.news.is_empty() {
            progress.news = seen.news;
        }
    }

    /// The report as far as it is written, when it has grown and the stream has sent it from its beginning.
    pub(super) fn report_so_far(&mut self) -> Option<Report> {
        if self.from != StreamOrigin::Start || !std::mem::take(&mut self.text_is_new) {
            return None;
        }
        let mut builder = ReportBuilder::default();
        for block in &self.blocks {
            let annotations: Vec<TextAnnotation<'_>> =
                block.annotations.iter().flat_map(|raw| read_list(Some(raw))).collect();
            builder.block(&block.text, &annotations);
        }
        self.queries.iter().for_each(|query| builder.query(query));
        self.pages_read.iter().for_each(|url| builder.page(url));
        Some(builder.finish().report).filter(|report| !report.is_empty())
    }

    /// Applies one event.
    pub(super) fn apply_frame(&mut self, frame: &[u8]) -> StreamEventEffect {
        let Some(event) = InteractionEvent::read(frame) else { return StreamEventEffect::Nothing };
        let effect = self.event(&event);
        if effect != StreamEventEffect::Broken
            && let Some(id) = event.event_id.non_empty().filter(|id| is_usable_id(id))
        {
            self.cursor = Some(id.to_owned());
        }
        effect
    }

    fn event(&mut self, event: &InteractionEvent<'_>) -> StreamEventEffect {
        self.take_usage(event);
        match event.kind() {
            InteractionEventKind::Created => self.take_status(event),
            InteractionEventKind::StatusUpdate => self.take_status(event),
            // Sent for every end; a poll says which.
            InteractionEventKind::Completed => {
                self.take_status(event);
                StreamEventEffect::Over
            }
            InteractionEventKind::Error => {
                tracing::debug!(code = %text::line(&event.error().code, 60), "stream reports an error");
                StreamEventEffect::Broken
            }
            InteractionEventKind::StepStart => match event.index.0 {
                Some(index) => self.start_step(index, &event.step()),
                None => StreamEventEffect::Nothing,
            },
            InteractionEventKind::StepDelta => match event.index.0 {
                Some(index) => self.extend_step(index, &event.delta()),
                None => StreamEventEffect::Nothing,
            },
            InteractionEventKind::StepStop => {
                if let Some(index) = event.index.0 {
                    self.open_steps.remove(&index);
                    self.blocks
                        .iter_mut()
                        .filter(|block| block.step == index)
                        .for_each(|block| block.ended = true);
                }
                StreamEventEffect::Nothing
            }
            InteractionEventKind::Unknown(_) => StreamEventEffect::Nothing,
        }
    }

    fn take_status(&mut self, event: &InteractionEvent<'_>) -> StreamEventEffect {
        let Some(word) = event.status() else { return StreamEventEffect::Nothing };
        let shown = text::line(&word, STATUS_CHARACTERS_MAX);
        let changed = shown != self.status;
        self.status = shown;
        if InteractionStatus::parse(&word).is_end() {
            StreamEventEffect::Over
        } else if changed {
            StreamEventEffect::News
        } else {
            StreamEventEffect::Nothing
        }
    }

    fn take_usage(&mut self, event: &InteractionEvent<'_>) {
        let (searches, _) = self.counts();
        self.usage = report::usage(event.usage(), searches).or(self.usage);
    }

    fn counts(&self) -> (u32, u32) {
        match self.from {
            StreamOrigin::Start => (self.known.searches.max(self.searches), self.known.pages.max(self.pages)),
            StreamOrigin::Cursor => (
                self.known.searches.saturating_add(self.searches),
                self.known.pages.saturating_add(self.pages),
            ),
        }
    }

    fn start_step(&mut self, index: u64, step: &InteractionStep<'_>) -> StreamEventEffect {
        self.steps = self.steps.max(u32::try_from(index.saturating_add(1)).unwrap_or(u32::MAX));
        if self.open_steps.len() >= STEPS_OPEN_MAX {
            self.open_steps.pop_first();
        }
        self.open_steps.insert(index, OpenStreamStep { started_here: true, ..OpenStreamStep::default() });
        let arguments = step.arguments();
        match step.kind() {
            InteractionStepKind::GoogleSearchCall => {
                self.searched(index, arguments.queries().iter().map(|query| &**query))
            }
            InteractionStepKind::UrlContextResult => {
                let pages = step.pages();
                self.read(index, pages.iter().filter(|page| page.was_read()).map(|page| &*page.url));
            }
            InteractionStepKind::Thought => {
                step.summary().iter().for_each(|part| self.thought(index, &part.text));
            }
            InteractionStepKind::ModelOutput => {
                self.add_news(index, Some(writing_news()));
                for content in step.content() {
                    self.write(index, &content.text);
                    self.annotate(index, content.annotations);
                    self.end_block();
                }
            }
            // A page that was asked for may be refused; those that were read come with the result.
            InteractionStepKind::UrlContextCall
            | InteractionStepKind::UserInput
            | InteractionStepKind::FunctionCall
            | InteractionStepKind::FunctionResult
            | InteractionStepKind::Unknown(_) => {}
        }
        if self.is_known(index) { StreamEventEffect::Nothing } else { StreamEventEffect::News }
    }

    fn extend_step(&mut self, index: u64, delta: &InteractionStepDelta<'_>) -> StreamEventEffect {
        let news_before = self.news_count;
        match &*delta.kind {
            "text" => self.write(index, &delta.text),
            "text_annotation_delta" => self.annotate(index, delta.annotations),
            "thought_summary" => self.thought(index, &delta.content().text),
            "google_search_call" => {
                self.searched(index, delta.arguments().queries().iter().map(|query| &**query));
            }
            "url_context_result" => {
                let pages = delta.pages();
                self.read(index, pages.iter().filter(|page| page.was_read()).map(|page| &*page.url));
            }
            "image" | "audio" | "video" | "document" => self.end_block(),
            _ => {}
        }
        if self.news_count > news_before { StreamEventEffect::News } else { StreamEventEffect::Nothing }
    }

    /// A step that was counted and reported before this stream was opened.
    fn is_known(&self, index: u64) -> bool {
        index < u64::from(self.known.steps)
    }

    /// Whether events of this step add to the counts. After a cursor, a step that this stream
    /// starts anew though it was known has been counted by a poll.
    fn counts_here(&self, index: u64) -> bool {
        let started_here = self.open_steps.get(&index).is_some_and(|step| step.started_here);
        self.from == StreamOrigin::Start || !self.is_known(index) || !started_here
    }

    fn searched<'q>(&mut self, index: u64, queries: impl Iterator<Item = &'q str>) {
        for query in queries {
            let step = self.open_steps.entry(index).or_default();
            if query.is_empty() || step.queries.iter().any(|known| known == query) {
                continue;
            }
            step.queries.push(query.to_owned());
            if self.counts_here(index) {
                self.searches = self.searches.saturating_add(1);
            }
            if self.queries.len() < report::QUERIES_MAX {
                self.queries.push(query.to_owned());
            }
            self.add_news(index, search_news(query));
        }
    }

    fn read<'u>(&mut self, index: u64, urls: impl Iterator<Item = &'u str>) {
        for url in urls {
            let step = self.open_steps.entry(index).or_default();
            if step.pages.iter().any(|known| known == url) {
                continue;
            }
            step.pages.push(url.to_owned());
            if self.counts_here(index) {
                self.pages = self.pages.saturating_add(1);
            }
            if self.pages_read.len() < report::SOURCES_MAX {
                self.pages_read.push(url.to_owned());
            }
            self.add_news(index, page_news(url));
        }
    }

    /// Every summary begins with its title; a step may bring several, and in pieces.
    fn thought(&mut self, index: u64, summary: &str) {
        let step = self.open_steps.entry(index).or_default();
        let begins = summary.trim_start().starts_with("**") || !step.thought_told;
        step.thought_told = true;
        if begins {
            self.add_news(index, thought_news(summary));
        }
    }

    fn write(&mut self, index: u64, text: &str) {
        if self.from != StreamOrigin::Start
            || text.is_empty()
            || self.text_bytes + text.len() > REPORT_BYTES_MAX
        {
            return;
        }
        self.text_bytes += text.len();
        self.text_is_new = true;
        match self.blocks.last_mut() {
            Some(block) if block.step == index && !block.ended => block.text.push_str(text),
            _ => self.blocks.push(ReportTextBlock {
                step: index,
                ended: false,
                text: text.to_owned(),
                annotations: Vec::new(),
            }),
        }
    }

    fn annotate(&mut self, index: u64, annotations: Option<&RawValue>) {
        let Some(annotations) = annotations else { return };
        let bytes = self.annotation_bytes + annotations.get().len();
        if bytes > ANNOTATION_BYTES_MAX {
            return;
        }
        if let Some(block) = self.blocks.last_mut().filter(|block| block.step == index) {
            self.annotation_bytes = bytes;
            block.annotations.push(annotations.to_owned());
        }
    }

    fn end_block(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.ended = true;
        }
    }

    fn add_news(&mut self, index: u64, news: Option<ProgressLine>) {
        let Some(news) = news.filter(|_| !self.is_known(index)) else { return };
        if self.news.back() == Some(&news) {
            return;
        }
        if self.news.len() >= NEWS_KEPT_MAX {
            self.news.pop_front();
        }
        self.news_count += 1;
        self.news.push_back(news);
    }
}

/// The title of a summary: its first line without the markup around it.
pub(super) fn thought_news(summary: &str) -> Option<ProgressLine> {
    let first = summary.lines().map(str::trim).find(|line| !line.is_empty())?;
    let title = text::line(first.trim_matches(['*', '#', '_', ' ']), NEWS_CHARACTERS_MAX);
    (!title.is_empty()).then_some(ProgressLine::Thought(title))
}

pub(super) fn search_news(query: &str) -> Option<ProgressLine> {
    let query = text::line(query, NEWS_CHARACTERS_MAX);
    (!query.is_empty()).then_some(ProgressLine::Search(query))
}

/// Host and path: a query may contain private data, which a screen must not show.
pub(super) fn page_news(url: &str) -> Option<ProgressLine> {
    let url = url::Url::parse(url).ok()?;
    let path = url.path().trim_end_matches('/');
    Some(ProgressLine::Page(text::line(&format!("{}{path}", url.host_str()?), NEWS_CHARACTERS_MAX)))
}

pub(super) fn writing_news() -> ProgressLine {
    ProgressLine::Writing("report".to_owned())
}

#[cfg(test)]
mod tests;
