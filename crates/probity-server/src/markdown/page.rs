//! The values of a template: the run, its report, and which parts the reader wants.

use std::collections::BTreeMap;

use minijinja::{Value, context};
use probity_evidence::split::without_source_lists;
use probity_research::{
    RunId,
    cost::{Cost, MicroUsd, Usage},
    report::{NumberedSource, Report, SourceLink},
    rounds::RoundsRecord,
    status::{RunStatus, RunSummary},
    time::Moment,
};

use super::sanitize::{quote_front_matter, sanitize_line, sanitize_report, sanitize_web_address};

/// Longest heading made of a question.
const HEADING_CHARACTERS_MAX: usize = 120;
/// The longest sentence of ours names the claims that keep a report from being verified.
const SENTENCE_CHARACTERS_MAX: usize = 1_200;
const TITLE_CHARACTERS_MAX: usize = 300;

/// The front matter and the line below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataVisibility {
    Shown,
    Hidden,
}

/// The numbered list behind the report, and the lists that the report itself has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceListVisibility {
    Listed,
    Omitted,
}

#[derive(Debug, Clone, Copy)]
pub struct MarkdownPage<'a> {
    pub summary: &'a RunSummary,
    pub report: &'a Report,
    pub metadata: MetadataVisibility,
    pub sources: SourceListVisibility,
    pub written_at: Moment,
}

impl MarkdownPage<'_> {
    pub(super) fn values(&self) -> Value {
        let summary = self.summary;
        let run_values = TemplateRun {
            id: summary.id,
            status: summary.status,
            query: &summary.query,
            engine: &summary.engine,
            agent: &summary.agent,
            asked_at: summary.asked_at,
            ended_at: summary.ended_at,
            usage: summary.usage,
            cost: summary.cost,
            note: summary.reader_note(self.report.rounds.as_deref()),
        };
        run_values.values(self.report, self.metadata, self.sources, self.written_at)
    }
}

/// The part of a run's summary that a template can use.
struct TemplateRun<'a> {
    id: RunId,
    status: RunStatus,
    query: &'a str,
    engine: &'a str,
    agent: &'a str,
    asked_at: Moment,
    ended_at: Option<Moment>,
    usage: Option<Usage>,
    cost: Cost,
    note: Option<String>,
}

impl TemplateRun<'_> {
    /// Everything a template can use, harmless in Markdown; values below `yaml` are harmless in front matter.
    fn values(
        &self,
        report: &Report,
        metadata: MetadataVisibility,
        sources: SourceListVisibility,
        written_at: Moment,
    ) -> Value {
        let numbered = report.numbered_sources();
        let numbered_count = numbered.len();
        let facts = self.facts(report, numbered_count, written_at);
        let markdown: BTreeMap<&str, String> =
            facts.iter().map(|(name, fact)| (*name, fact.in_markdown())).collect();
        let yaml: BTreeMap<&str, String> = facts.iter().map(|(name, fact)| (*name, fact.in_yaml())).collect();
        let text = match sources {
            SourceListVisibility::Listed => sanitize_report(&report.numbered_text()),
            SourceListVisibility::Omitted => {
                sanitize_report(&without_source_lists(&report.renumbered_text()))
            }
        };
        let heading = (!text.starts_with("# ")).then(|| sanitize_line(self.query, HEADING_CHARACTERS_MAX));
        let sources = match sources {
            SourceListVisibility::Listed => source_values(numbered),
            SourceListVisibility::Omitted => Vec::new(),
        };
        context! {
            metadata => metadata == MetadataVisibility::Shown,
            took => self.minutes().map_or_else(|| "duration unknown".to_owned(), |minutes| format!("{minutes:.1} min")),
            cost => cost(self.cost),
            claims => report.ledger.as_ref().map(|ledger| ledger.tally().line()),
            judged => report.ledger.as_ref().map(|_| {
                sanitize_line(&report.verification().judge_in_words(), HEADING_CHARACTERS_MAX)
            }),
            note => self.note.as_deref().map(|note| sanitize_line(note, SENTENCE_CHARACTERS_MAX)),
            heading,
            report => text,
            sources_origin => sources_origin(report, numbered_count),
            sources,
            yaml,
            ..Value::from_pairs(markdown)
        }
    }

    fn minutes(&self) -> Option<f64> {
        self.ended_at.map(|ended| ended.since_ms(self.asked_at) as f64 / 60_000.0)
    }

    fn facts(
        &self,
        report: &Report,
        sources_count: usize,
        written_at: Moment,
    ) -> Vec<(&'static str, MetadataValue)> {
        let tokens = |count: fn(&Usage) -> u64| {
            self.usage
                .as_ref()
                .map_or(MetadataValue::Unknown, |usage| MetadataValue::Number(count(usage).to_string()))
        };
        let moment = |moment: Option<Moment>| {
            moment.map_or(MetadataValue::Unknown, |at| MetadataValue::Text(at.to_string()))
        };
        let outcome = report.verification();
        let dollars = self.cost.known().map(MicroUsd::as_usd);
        vec![
            ("task_id", MetadataValue::Text(self.id.to_string())),
            ("query", MetadataValue::Text(self.query.to_owned())),
            ("status", MetadataValue::Name(self.status.as_str())),
            ("engine", MetadataValue::Text(self.engine.to_owned())),
            ("agent", MetadataValue::Text(self.agent.to_owned())),
            ("asked_at", moment(Some(self.asked_at))),
            ("ended_at", moment(self.ended_at)),
            (
                "duration_minutes",
                self.minutes()
                    .map_or(MetadataValue::Unknown, |minutes| MetadataValue::Number(format!("{minutes:.1}"))),
            ),
            ("tokens_input", tokens(Usage::tokens_in)),
            ("tokens_output", tokens(Usage::tokens_out)),
            ("tokens_total", tokens(|usage| usage.total_tokens)),
            (
                "cost_usd",
                dollars.map_or(MetadataValue::Unknown, |dollars| MetadataValue::Number(dollars.to_string())),
            ),
            ("cost_basis", MetadataValue::Text(self.cost.basis_in_words().to_owned())),
            ("sources_count", MetadataValue::Number(sources_count.to_string())),
            ("verified", MetadataValue::Number(outcome.verified.to_string())),
            ("verification", MetadataValue::Sentence(outcome.sentence())),
            ("judge", MetadataValue::Text(outcome.judge.map_or("none".to_owned(), |judge| judge.named()))),
            ("verification_basis", MetadataValue::Sentence(outcome.reason)),
            ("written_at", moment(Some(written_at))),
        ]
    }
}

/// Who says that these are the sources.
fn sources_origin(report: &Report, count: usize) -> String {
    let unproven = report.rounds.as_deref().map_or(0, |record| record.unresolved.len());
    let origin = match (&report.web, report.sources.is_empty() || unproven >= count) {
        (Some(_), _) => "Found and read by Probity",
        (None, true) => "As the text cites them",
        (None, false) => "Attributed by the provider",
    };
    match report.rounds.as_deref().and_then(RoundsRecord::unproven) {
        Some(unproven) => format!("{origin}; {unproven}."),
        None => format!("{origin}."),
    }
}

fn source_values(numbered: Vec<NumberedSource<'_>>) -> Vec<Value> {
    let source = |source: NumberedSource<'_>| {
        let title = sanitize_line(source.title, TITLE_CHARACTERS_MAX);
        context! {
            number => source.number,
            title => if title.is_empty() { "untitled".to_owned() } else { title },
            url => sanitize_web_address(source.url).unwrap_or_else(|| without_address(source.url).to_owned()),
        }
    };
    numbered.into_iter().map(source).collect()
}

/// What stands in place of an address that nobody is led to.
fn without_address(url: &str) -> &'static str {
    match url {
        "" => "(only the text names it: it was neither found nor checked)",
        _ => "(not a web address)",
    }
}

/// One value of the metadata. A value that was not reported is `unknown`, never 0.
enum MetadataValue {
    Text(String),
    /// One of ours: programs find it in front matter as everywhere else, people read it without its underscore.
    Name(&'static str),
    /// Longer than fits a heading; ours.
    Sentence(String),
    /// Digits, or `true` and `false`: nothing that could act.
    Number(String),
    Unknown,
}

impl MetadataValue {
    fn in_markdown(&self) -> String {
        match self {
            Self::Text(text) => sanitize_line(text, HEADING_CHARACTERS_MAX),
            Self::Name(name) => name.replace('_', " "),
            Self::Sentence(text) => sanitize_line(text, SENTENCE_CHARACTERS_MAX),
            Self::Number(digits) => digits.clone(),
            Self::Unknown => "unknown".to_owned(),
        }
    }

    fn in_yaml(&self) -> String {
        match self {
            Self::Text(text) | Self::Sentence(text) => quote_front_matter(text),
            Self::Name(name) => quote_front_matter(name),
            Self::Number(digits) => digits.clone(),
            Self::Unknown => quote_front_matter("unknown"),
        }
    }
}

fn cost(cost: Cost) -> String {
    match cost {
        Cost::Unknown => "unknown".to_owned(),
        Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Nothing => cost.to_string(),
    }
}

/// The values of a page with every part in it, for trying a template before a run depends on it.
pub(super) fn sample() -> Value {
    let at = Moment(0);
    let run_values = TemplateRun {
        id: RunId::from_random(0),
        status: RunStatus::Completed,
        query: "a question",
        engine: "engine",
        agent: "agent",
        asked_at: at,
        ended_at: Some(at),
        usage: None,
        cost: Cost::Unknown,
        note: None,
    };
    let source = SourceLink { url: "https://example.com/".to_owned(), title: "a title".to_owned() };
    let report = Report { text: "A report.".to_owned(), sources: vec![source], ..Report::default() };
    run_values.values(&report, MetadataVisibility::Shown, SourceListVisibility::Listed, at)
}
