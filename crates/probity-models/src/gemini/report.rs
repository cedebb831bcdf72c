//! Makes one report of many output blocks: texts joined, citation offsets shifted, sources listed once.
//!
//! Attributed, not verified: whether a source supports a sentence is not decided here.

use std::collections::HashMap;

use probity_research::{
    cost::Usage,
    report::{Citation, REPORT_BYTES_MAX, Report, SourceLink},
    text,
};
use serde_json::value::RawValue;

use super::wire::{
    self, GroundingToolCount, InteractionStep, InteractionStepKind, StepContentKind, TextAnnotation,
    read_list, read_object,
};

/// Sources kept. A large run names some hundreds.
pub const SOURCES_MAX: usize = 5_000;
/// Citations kept. A large report has one per sentence.
pub const CITATIONS_MAX: usize = 50_000;
/// Search queries kept.
pub const QUERIES_MAX: usize = 5_000;
/// Longest address kept; redirects of the provider have some hundred characters.
const URL_BYTES_MAX: usize = 4_096;
const TITLE_CHARACTERS_MAX: usize = 300;
const QUERY_CHARACTERS_MAX: usize = 500;

/// A report and how many output blocks were no text and are not in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportAssembly {
    pub report: Report,
    pub blocks_skipped: u32,
    /// Bytes of all its text blocks, kept or not.
    pub bytes_sent: u64,
}

/// The report that these steps contain: all their output, not only the last block.
pub fn assemble(steps: &[InteractionStep<'_>]) -> ReportAssembly {
    let mut builder = ReportBuilder::default();
    for step in steps {
        match step.kind() {
            InteractionStepKind::ModelOutput => {
                for content in step.content() {
                    match content.kind() {
                        StepContentKind::Text => builder.block(&content.text, &content.annotations()),
                        StepContentKind::Unknown(_) => builder.skip(),
                    }
                }
            }
            InteractionStepKind::GoogleSearchCall => {
                step.arguments().queries().iter().for_each(|query| builder.query(query));
            }
            InteractionStepKind::UrlContextResult => {
                step.pages().iter().filter(|page| page.was_read()).for_each(|page| builder.page(&page.url));
            }
            InteractionStepKind::UserInput
            | InteractionStepKind::Thought
            | InteractionStepKind::UrlContextCall
            | InteractionStepKind::FunctionCall
            | InteractionStepKind::FunctionResult
            | InteractionStepKind::Unknown(_) => {}
        }
    }
    builder.finish()
}

/// Collects blocks in order. Cited sources come first, pages that were only read after them.
#[derive(Debug, Default)]
pub struct ReportBuilder {
    report: Report,
    source_by_url: HashMap<String, usize>,
    pages: Vec<String>,
    blocks_skipped: u32,
    bytes_sent: u64,
}

impl ReportAssembly {
    /// The size of the text as it was sent, where the report holds less than that.
    pub fn cut_from(&self) -> Option<u64> {
        let kept = u64::try_from(self.report.text.len()).unwrap_or(u64::MAX);
        (self.bytes_sent > kept).then_some(self.bytes_sent)
    }
}

impl ReportBuilder {
    /// One text block with the annotations whose offsets count from its first byte.
    pub fn block(&mut self, text: &str, annotations: &[TextAnnotation<'_>]) {
        self.bytes_sent = self.bytes_sent.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        let base = self.report.text.len();
        let room = REPORT_BYTES_MAX.saturating_sub(base);
        let kept = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        self.report.text.push_str(kept);
        for annotation in annotations {
            let title = annotation.title.non_empty().unwrap_or(&annotation.name);
            let Some(source) = self.source(&annotation.url, title) else { continue };
            let Some((start, end)) = range(kept, annotation) else { continue };
            if self.report.citations.len() < CITATIONS_MAX {
                self.report.citations.push(Citation { start: base + start, end: base + end, source });
            }
        }
    }

    pub fn skip(&mut self) {
        self.blocks_skipped = self.blocks_skipped.saturating_add(1);
    }

    pub fn query(&mut self, query: &str) {
        let query = text::line(query, QUERY_CHARACTERS_MAX);
        if !query.is_empty()
            && self.report.queries.len() < QUERIES_MAX
            && !self.report.queries.contains(&query)
        {
            self.report.queries.push(query);
        }
    }

    /// A page that the provider says it has read.
    pub fn page(&mut self, url: &str) {
        if self.pages.len() < SOURCES_MAX {
            self.pages.push(url.to_owned());
        }
    }

    pub fn finish(mut self) -> ReportAssembly {
        for url in std::mem::take(&mut self.pages) {
            self.source(&url, "");
        }
        for source in &mut self.report.sources {
            if source.title.is_empty() {
                source.title = host(&source.url);
            }
        }
        ReportAssembly {
            report: self.report,
            blocks_skipped: self.blocks_skipped,
            bytes_sent: self.bytes_sent,
        }
    }

    /// The index of this source in the list; `None` for what is no web address.
    fn source(&mut self, url: &str, title: &str) -> Option<usize> {
        let url = web_address(url)?;
        if let Some(position) = self.source_by_url.get(url) {
            if let Some(known) = self.report.sources.get_mut(*position)
                && known.title.is_empty()
            {
                known.title = text::line(title, TITLE_CHARACTERS_MAX);
            }
            return Some(*position);
        }
        let position = self.report.sources.len();
        if position >= SOURCES_MAX {
            return None;
        }
        let title = text::line(title, TITLE_CHARACTERS_MAX);
        self.report.sources.push(SourceLink { url: url.to_owned(), title });
        self.source_by_url.insert(url.to_owned(), position);
        Some(position)
    }
}

/// An address that may become a link: http or https, one line, nothing invisible in it.
fn web_address(url: &str) -> Option<&str> {
    let url = url.trim();
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    let is_ascii = || url.bytes().all(|byte| byte.is_ascii_graphic());
    let is_visible = || !url.contains(' ') && text::line(url, URL_BYTES_MAX) == url;
    (is_web && url.len() <= URL_BYTES_MAX && (is_ascii() || is_visible())).then_some(url)
}

fn host(url: &str) -> String {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    text::line(&host.unwrap_or_else(|| url.to_owned()), TITLE_CHARACTERS_MAX)
}

/// The annotated range within its block, extended to whole characters; `None` when nothing is left of it.
fn range(block: &str, annotation: &TextAnnotation<'_>) -> Option<(usize, usize)> {
    let offset = |number: u64| usize::try_from(number).unwrap_or(usize::MAX).min(block.len());
    let start = block.floor_char_boundary(offset(annotation.start_index.or_zero()));
    let end = block.ceil_char_boundary(offset(annotation.end_index.0?));
    (start < end).then_some((start, end))
}

/// Usage as counted by the provider; `None` when it did not count, so that a price is never computed from
/// nothing. `searches_seen` is used where the provider leaves its searches out.
pub fn usage(raw: Option<&RawValue>, searches_seen: u32) -> Option<Usage> {
    let usage: wire::InteractionUsage<'_> = read_object(raw);
    let input_tokens = usage.total_input_tokens.0?;
    let counts: Vec<GroundingToolCount<'_>> = read_list(usage.grounding_tool_count);
    let searches = match usage.grounding_tool_count {
        Some(_) => {
            let searches = counts.iter().filter(|count| &*count.kind == "google_search");
            searches.fold(0_u64, |sum, count| sum.saturating_add(count.count.or_zero()))
        }
        None => u64::from(searches_seen),
    };
    Some(Usage {
        input_tokens,
        cached_tokens: usage.total_cached_tokens.or_zero(),
        output_tokens: usage.total_output_tokens.or_zero(),
        thought_tokens: usage.total_thought_tokens.or_zero(),
        tool_use_tokens: usage.total_tool_use_tokens.or_zero(),
        total_tokens: usage.total_tokens.or_zero(),
        searches,
    })
}

#[cfg(test)]
mod tests;
