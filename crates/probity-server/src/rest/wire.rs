//! The JSON of the HTTP API. Field names are promises to clients.

use probity_research::{
    cost::MicroUsd,
    status::{RunStatus, RunSummary},
    text,
    time::Moment,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    results::{RunResults, is_partial},
    tools::depth::DepthInput,
    wire::{TokensUsed, cents, usd},
};

/// How a question is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Manner")]
pub(super) enum RequestMode {
    /// A long run of the provider's Deep Research agent
    #[default]
    Agent,
    /// One round of web search
    Search,
    /// Rounds that verify and correct
    DeepSearch,
    /// As deep as the question needs, on the service's own web engine where there is one
    DeepResearch,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "StartResearch")]
pub(super) struct StartRunBody {
    /// The question
    pub query: String,
    #[serde(default)]
    pub manner: RequestMode,
    /// Name of a Deep Research agent, for the manner `agent`
    pub agent: Option<String>,
    /// Rounds at most, for the manner `deep_search` (2-20)
    pub rounds: Option<u32>,
    /// What the question is about; never sent to a search provider. For the manner `deep_research`
    pub context: Option<String>,
    /// none, shallow (or quick), medium (or standard), deep or exhaustive; else as deep as the question needs. For the
    /// manner `deep_research`, as are `words` and `language`
    pub depth: Option<DepthInput>,
    /// About so many words in the report (100-12000)
    pub words: Option<u32>,
    /// The language of the report, such as `German` or `pt-BR`; else that of the question
    pub language: Option<String>,
    /// The research ends after this with what there is
    pub max_minutes: Option<u32>,
    /// The research costs no more than this; needed when it may cost more than the service spends unasked
    pub max_cost_usd: Option<f64>,
    /// Start another although an equal one is running. An `Idempotency-Key` of its own means the same
    #[serde(default)]
    pub again: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FollowUp")]
pub(super) struct FollowUpBody {
    pub question: String,
    /// Start another although an equal one is running. An `Idempotency-Key` of its own means the same
    #[serde(default)]
    pub again: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CheckText")]
pub(super) struct CheckTextBody {
    /// Markdown or plain text with links, footnotes or a numbered source list
    pub text: String,
    /// Start another although an equal one is running. An `Idempotency-Key` of its own means the same
    #[serde(default)]
    pub again: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Research")]
pub(super) struct RunBody {
    pub id: String,
    /// pending, running_async, cancelling, or how it ended
    pub status: &'static str,
    pub query: String,
    pub engine: String,
    /// Which engine, and why it was taken
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<String>,
    pub model: String,
    pub asked_at: String,
    pub updated_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    pub progress_percent: u32,
    pub progress_is_estimated: bool,
    pub current_action: String,
    pub searches: u32,
    pub pages: u32,
    pub sources: u32,
    /// Null when nobody counted: unknown is not zero
    pub tokens_used: Option<TokensUsed>,
    /// Null when nobody counted: unknown is not zero
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    /// The research that this one continues
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<RunErrorBody>,
    /// There is a report although it did not complete
    pub partial: bool,
    pub has_report: bool,
}

/// Why a research did not complete.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WhatWentWrong")]
pub(super) struct RunErrorBody {
    pub code: &'static str,
    pub message: String,
}

impl RunBody {
    pub(super) fn of(summary: &RunSummary) -> Self {
        Self {
            id: summary.id.to_string(),
            status: summary.status.as_str(),
            query: summary.query.clone(),
            engine: summary.engine.clone(),
            engine_reason: summary.engine_reason.clone(),
            model: summary.agent.clone(),
            asked_at: summary.asked_at.to_string(),
            updated_at: summary.updated_at.to_string(),
            ended_at: summary.ended_at.map(|at| at.to_string()),
            progress_percent: summary.progress_percent,
            progress_is_estimated: summary.progress_estimated,
            current_action: text::line(&summary.current_action, 300),
            searches: summary.searches,
            pages: summary.pages,
            sources: summary.sources,
            tokens_used: summary.usage.as_ref().map(TokensUsed::of),
            cost_usd: usd(summary.cost),
            cost_basis: summary.cost.basis_in_words(),
            estimated_cost_usd: summary.estimate.map(|expected| cents(expected.cost_likely.as_usd())),
            follows: summary.follows.map(|id| id.to_string()),
            problem: summary.problem.as_ref().map(|problem| RunErrorBody {
                code: problem.code.as_str(),
                message: problem.message.clone(),
            }),
            partial: is_partial(summary),
            has_report: summary.report.is_some(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Researches")]
pub(super) struct RunListBody {
    pub researches: Vec<RunBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Report")]
pub(super) struct ReportBody {
    pub id: String,
    pub status: &'static str,
    pub query: String,
    #[serde(flatten)]
    pub results: RunResults,
}

/// One event of a stream, as it stood when it happened.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Event")]
pub(super) struct RunEventBody {
    pub sequence: u64,
    pub at: String,
    pub status: &'static str,
    pub progress_percent: u32,
    pub progress_is_estimated: bool,
    pub current_action: String,
    /// Null when nobody counted: unknown is not zero
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
    /// Nothing more follows unless someone asks for it
    pub rests: bool,
}

impl RunEventBody {
    pub(super) fn of(sequence: u64, at: Moment, summary: &RunSummary) -> Self {
        Self {
            sequence,
            at: at.to_string(),
            status: summary.status.as_str(),
            progress_percent: summary.progress_percent,
            progress_is_estimated: summary.progress_estimated,
            current_action: text::line(&summary.current_action, 300),
            cost_usd: usd(summary.cost),
            cost_basis: summary.cost.basis_in_words(),
            rests: summary.status.is_final(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Usage")]
pub(super) struct UsageBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Newest first
    pub days: Vec<DayUsageBody>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Day")]
pub(super) struct DayUsageBody {
    /// YYYY-MM-DD in UTC
    pub day: String,
    pub researches: u64,
    pub spent_usd: f64,
}

/// Money as a user typed it; more than a million dollars is a mistake.
pub(super) fn micro_usd(dollars: f64) -> Option<MicroUsd> {
    let micro = (dollars * 1_000_000.0).round();
    (micro.is_finite() && (0.0..=1e12).contains(&micro)).then_some(MicroUsd(micro as u64))
}

/// The status of this name, or an error that lists the names.
pub(super) fn status_named(word: &str) -> Result<RunStatus, probity_research::CodedError> {
    RunStatus::parse(word).ok_or_else(|| {
        let known: Vec<&str> = RunStatus::ALL.into_iter().map(RunStatus::as_str).collect();
        let message = format!("`{}` is not a status; there are {}", text::line(word, 40), known.join(", "));
        probity_research::CodedError::new(probity_research::Code::InvalidArguments, &message)
    })
}
