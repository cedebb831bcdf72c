//! A run with its report, as every answer contains it: one page of the text, its sources, whether it is verified and why,
//! what it cost. A call, a task, the results tool and REST show this and decide nothing.

use probity_evidence::split::without_source_lists;
use probity_research::{
    report::Report,
    rounds::{Mode, RoundNote, RoundsRecord},
    status::{RunStatus, RunSummary},
    text,
    time::Moment,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    markdown::SourceListVisibility,
    outline::{self, OutlineHeading, TextPage},
    rounds::strategy::{QualityBody, StrategyBody},
    tools::get_research_results::results_command,
    wire::{SourceBody, TokensUsed, cents, elapsed_minutes, usd},
};

/// Characters of a report in one answer. Below 25,000 tokens and below the 40,000 characters at which
/// clients start to cut.
pub const REPORT_CHARACTERS: usize = 30_000;
/// Sources listed in one answer; the rest is in the resource.
pub const SOURCES_MAX: usize = 100;
/// Searches in one answer; a deep search of five rounds makes some thirty.
const QUERIES_MAX: usize = 100;
/// Sources and searches of one round in the same answer; the resource of the round has all.
const OF_ROUND_MAX: usize = 40;
const JUDGE_CHARACTERS_MAX: usize = 80;
const ADDRESS_CHARACTERS_MAX: usize = 2_000;
const QUERY_CHARACTERS_MAX: usize = 300;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Metadata")]
pub struct ResultsMetadata {
    pub duration_minutes: f64,
    pub duration_ms: u64,
    pub query: String,
    pub engine: String,
    /// Why this engine was taken
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<String>,
    pub model: String,
    /// When it ended
    pub timestamp: String,
    pub mode: &'static str,
    pub tokens_used: Option<TokensUsed>,
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    pub verified: bool,
    pub verification_basis: String,
    /// The model that judged the claims; none where nobody did
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// Whether it is the one that wrote the text, where that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_wrote_the_text: Option<bool>,
    /// Who judged, in words; and when, where earlier judgements were used again
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<String>,
    /// Claims by verdict; each is in research://{id}/evidence
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<String>,
    /// How many there are, where more were visited than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources_total: Option<usize>,
    /// Of search, deep_search and deep_research
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", extend("type" = "object"))]
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundsMetadata>,
}

/// What is told of a run in rounds beside all this.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RoundsMetadata {
    pub iterations: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources_visited: Option<Vec<String>>,
    pub search_queries_used: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundEntry>,
    /// Why there was no further round.
    pub stop: &'static str,
    /// Addresses that nothing but the model's word stands behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model_only_sources: Vec<String>,
    /// How deep our own search was allowed to go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<StrategyBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<QualityBody>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Round")]
pub struct RoundEntry {
    pub round_number: u32,
    pub verified: bool,
    /// Left out where the round brought no text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_says_verified: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources_visited: Option<Vec<String>>,
    pub search_queries: Vec<String>,
    pub pages_read: u32,
    pub intermediate_result_summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    // For the words of the line alone.
    #[serde(skip)]
    was_stopped: bool,
}

impl RoundEntry {
    /// At most `most` of each list: an answer is bounded, a resource has all.
    pub fn of(note: &RoundNote, most: usize) -> Self {
        let problem = note.problem.as_ref();
        Self {
            round_number: note.round_number,
            verified: note.verified,
            model_says_verified: note.model_says(),
            sources_visited: Some(lines(note.sources_visited.iter(), most, ADDRESS_CHARACTERS_MAX)),
            search_queries: lines(note.search_queries.iter(), most, QUERY_CHARACTERS_MAX),
            pages_read: note.pages_read,
            intermediate_result_summary: note.intermediate_result_summary.clone(),
            problem: problem.map(|problem| format!("{}: {}", problem.code, problem.message)),
            was_stopped: note.was_stopped(),
        }
    }
}

impl RoundEntry {
    /// `round 1: not verified · 2 searches · 1 page: It ran in 2015.`
    fn line(&self, is_judged: bool) -> String {
        let outcome = match (&self.problem, self.verified, self.model_says_verified) {
            (Some(problem), ..) => {
                let end = if self.was_stopped { "stopped" } else { "failed" };
                return format!("round {}: {end}, {problem}", self.round_number);
            }
            (None, ..) if !is_judged => "",
            (None, true, _) => "verified · ",
            (None, false, Some(true)) => "not verified, though the model says so · ",
            (None, false, Some(false) | None) => "not verified · ",
        };
        let searches = if self.search_queries.len() == 1 { "search" } else { "searches" };
        let pages = if self.pages_read == 1 { "page" } else { "pages" };
        let told = format!(
            "round {}: {outcome}{} {searches} · {} {pages}: {}",
            self.round_number,
            self.search_queries.len(),
            self.pages_read,
            self.intermediate_result_summary
        );
        told.trim_end_matches([':', ' ']).to_owned()
    }
}

impl RoundsMetadata {
    fn of(report: &Report, record: &RoundsRecord, sources: SourceListVisibility) -> Self {
        let listed = sources == SourceListVisibility::Listed;
        // Those of a report on the web engine are the cited ones; what else was read stands in its attempts.
        let mut visited: Vec<&String> = report.sources.iter().map(|source| &source.url).collect();
        let read = record.rounds.iter().filter(|_| report.web.is_some());
        for url in read.flat_map(|note| &note.sources_visited) {
            if !visited.contains(&url) {
                visited.push(url);
            }
        }
        let mut rounds: Vec<RoundEntry> = match record.manner {
            Mode::DeepSearch => record.rounds.iter().map(|note| RoundEntry::of(note, OF_ROUND_MAX)).collect(),
            Mode::Search | Mode::DeepResearch => Vec::new(),
        };
        if !listed {
            rounds.iter_mut().for_each(|round| round.sources_visited = None);
        }
        Self {
            iterations: record.iterations,
            sources_visited: listed.then(|| lines(visited.into_iter(), SOURCES_MAX, ADDRESS_CHARACTERS_MAX)),
            search_queries_used: lines(report.queries.iter(), QUERIES_MAX, QUERY_CHARACTERS_MAX),
            rounds,
            stop: record.stop.as_str(),
            model_only_sources: match listed {
                true => lines(record.unresolved.iter(), SOURCES_MAX, ADDRESS_CHARACTERS_MAX),
                false => Vec::new(),
            },
            strategy: report.web.as_deref().map(StrategyBody::of),
            quality: report.web.as_deref().and_then(|web| web.quality.as_ref()).map(QualityBody::of),
        }
    }
}

impl RoundsMetadata {
    /// How it came about, as text: the same rounds and searches.
    fn text(&self) -> String {
        let mut lines = String::new();
        match self.iterations {
            0 | 1 if self.rounds.is_empty() => {}
            0 | 1 => lines.push_str(&format!("\n\nstop: {}", self.stop)),
            more => lines.push_str(&format!("\n\n{more} rounds, stop: {}", self.stop)),
        }
        // Of attempts of the web engine nobody says whether they are verified.
        let is_judged = self.strategy.is_none();
        self.rounds.iter().for_each(|round| lines.push_str(&format!("\n{}", round.line(is_judged))));
        if !self.search_queries_used.is_empty() {
            lines.push_str(&format!("\n\nsearched: {}", self.search_queries_used.join("; ")));
        }
        lines
    }
}

impl ResultsMetadata {
    /// Who worked, and how much was counted.
    pub fn line(&self) -> String {
        let tokens = self.tokens_used.as_ref().map_or_else(|| "tokens unknown".to_owned(), TokensUsed::line);
        format!("model: {} ({}) · {tokens} · cost basis: {}", self.model, self.engine, self.cost_basis)
    }

    pub fn of(
        summary: &RunSummary,
        report: &Report,
        sources_count: usize,
        sources: SourceListVisibility,
        now: Moment,
    ) -> Self {
        let outcome = report.verification();
        let model = report.rounds.as_ref().map_or(&summary.agent, |record| &record.model);
        let ended = summary.over_at().unwrap_or(now);
        let took = ended.since_ms(summary.asked_at);
        Self {
            duration_minutes: elapsed_minutes(summary, now),
            duration_ms: took,
            query: summary.query.clone(),
            engine: summary.engine.clone(),
            engine_reason: summary.engine_reason.clone(),
            model: model.clone(),
            timestamp: ended.to_string(),
            mode: summary.answer_mode(),
            tokens_used: summary.usage.as_ref().map(TokensUsed::of),
            cost_usd: usd(summary.cost),
            cost_basis: summary.cost.basis_in_words(),
            estimated_cost_usd: summary.estimate.map(|expected| cents(expected.cost_likely.as_usd())),
            verified: outcome.verified,
            judge: outcome.judge.map(|judge| text::line(judge.name, JUDGE_CHARACTERS_MAX)),
            judge_wrote_the_text: outcome.judge.and_then(|judge| judge.said_to_have_written()),
            judged: report.ledger.as_ref().map(|_| outcome.judge_in_words()),
            verification_basis: outcome.reason,
            claims: report.ledger.as_ref().map(|ledger| ledger.tally().line()),
            sources_total: Some(sources_count).filter(|all| *all > SOURCES_MAX),
            rounds: report.rounds.as_ref().map(|record| RoundsMetadata::of(report, record, sources)),
        }
    }
}

/// One page of a report with its sources.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Results")]
pub struct RunResults {
    pub report: String,
    /// The same text, where search, deep_search or deep_research wrote it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    pub verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_says_verified: Option<bool>,
    /// Why it is verified, or why not
    pub verification_basis: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceBody>,
    pub metadata: ResultsMetadata,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<OutlineHeading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl RunResults {
    /// The first page, as a call or a task ends with it.
    pub fn first_page(summary: &RunSummary, report: &Report, now: Moment) -> Self {
        let whole = clean_text(report, SourceListVisibility::Listed);
        let page = outline::page(&whole, 0, REPORT_CHARACTERS);
        Self::of(summary, report, (&whole, page), SourceListVisibility::Listed, now)
    }

    /// One page of `whole`, the report's cleaned text; the outline comes with it when there are more pages.
    pub fn of(
        summary: &RunSummary,
        report: &Report,
        (whole, page): (&str, TextPage),
        sources: SourceListVisibility,
        now: Moment,
    ) -> Self {
        // Read once: numbering them reads the whole text.
        let numbered = report.numbered_sources();
        let listed = match sources {
            SourceListVisibility::Listed => numbered.iter().take(SOURCES_MAX).map(SourceBody::of).collect(),
            SourceListVisibility::Omitted => Vec::new(),
        };
        let metadata = ResultsMetadata::of(summary, report, numbered.len(), sources, now);
        let record = report.rounds.as_deref();
        Self {
            outline: if page.is_whole() { Vec::new() } else { outline::list_headings(whole) },
            next_cursor: page.next.map(outline::cursor),
            result: record.map(|_| page.text.clone()),
            report: page.text,
            verified: metadata.verified,
            model_says_verified: record.and_then(RoundsRecord::model_says),
            verification_basis: metadata.verification_basis.clone(),
            note: summary.reader_note(record),
            sources: listed,
            metadata,
        }
    }

    /// The same as text.
    pub fn text(&self, summary: &RunSummary) -> String {
        let verified = if self.verified { "verified" } else { "not verified" };
        let mut lines = format!(
            "# {}\n{} · {} · {} min · {} · {verified}: {}\n\n{}",
            text::line(&summary.query, 200),
            summary.id,
            summary.status.as_str(),
            self.metadata.duration_minutes,
            summary.cost,
            self.verification_basis,
            self.report.trim_end()
        );
        if let Some(rounds) = &self.metadata.rounds {
            lines.push_str(&rounds.text());
        }
        if let Some(reason) = &self.metadata.engine_reason {
            lines.push_str(&format!("\n\nengine: {reason}"));
        }
        lines.push_str(&format!("\n\n{}", self.metadata.line()));
        if let Some(claims) = &self.metadata.claims {
            let judge = self.metadata.judged.as_deref().unwrap_or_default();
            lines.push_str(&format!("\n\n{claims} · {judge} (each in research://{}/evidence)", summary.id));
        }
        if let Some(note) = &self.note {
            lines.push_str(&format!("\n\nnote: {note}"));
        }
        if !self.sources.is_empty() {
            lines.push_str("\n\n## Sources");
            for source in &self.sources {
                lines.push_str(&format!("\n{}. {}", source.number, source.title));
                if !source.url.is_empty() {
                    lines.push_str(&format!(" <{}>", source.url));
                }
            }
            if let Some(all) = self.metadata.sources_total {
                lines.push_str(&format!("\n(all {all} in research://{}/sources)", summary.id));
            }
        }
        if let Some(next) = &self.next_cursor {
            lines.push_str(&format!("\n\n[more: {}; sections:", results_command(summary.id, next)));
            for heading in &self.outline {
                lines.push_str(&format!("\n{} (cursor='{}')", heading.title, heading.cursor));
            }
            lines.push(']');
        }
        lines
    }
}

/// The report's text without invisible control characters, for models read it; beside the numbered list, which stands for the list at the text's end, or without any list.
pub fn clean_text(report: &Report, sources: SourceListVisibility) -> String {
    match sources {
        SourceListVisibility::Listed => text::block(&report.numbered_text()),
        SourceListVisibility::Omitted => without_source_lists(&text::block(&report.renumbered_text())),
    }
}

/// Whether there is a report although the run did not complete.
pub fn is_partial(summary: &RunSummary) -> bool {
    summary.report.is_some() && summary.status != RunStatus::Completed
}

/// Foreign texts, each on one line, cut where it is longer than any genuine one.
fn lines<'a>(texts: impl Iterator<Item = &'a String>, most: usize, characters: usize) -> Vec<String> {
    texts.take(most).map(|text| text::line(text, characters)).collect()
}
