//! The JSON documents that `--json` prints: promises to scripts. Converted by hand, here only.

pub mod bundle;
pub mod clients;
pub mod rounds;
#[cfg(test)]
mod schema;
pub mod stream;

use std::collections::BTreeMap;

use probity_research::{
    CodedError, RunId,
    cost::Usage,
    ledger::Ledger,
    notify::{NotificationChannel, Notify, promise},
    report::{NumberedSource, Report},
    shelf::ShelfEntry,
    status::{RunStatus, RunSummary},
    way_out::way_out,
    web::record::WebRecord,
    work_done::WorkDone,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use rounds::RoundsDocument;

use crate::{
    command_error::{CommandError, error_page_path},
    exit::Exit,
};

/// Grows when a field changes its meaning or goes away; a new field does not count.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, Serialize, JsonSchema)]
pub struct ProblemDocument {
    pub code: &'static str,
    pub message: String,
    pub causes: Vec<String>,
    pub hint: String,
    pub page: String,
    pub http_status: Option<u16>,
    pub retry_after_ms: Option<u64>,
}

impl ProblemDocument {
    fn of_research(problem: &CodedError, summary: &RunSummary) -> Self {
        Self {
            code: problem.code.as_str(),
            message: problem.message.clone(),
            causes: Vec::new(),
            hint: way_out(problem.code, Some(summary)),
            page: error_page_path(problem.code),
            http_status: problem.http_status,
            retry_after_ms: problem.retry_after_ms,
        }
    }
}

/// A command that did not do what was asked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FailureDocument {
    pub schema_version: u32,
    pub success: bool,
    pub problem: ProblemDocument,
    pub exit_code: u8,
}

impl FailureDocument {
    pub fn of(failure: &CommandError) -> Self {
        let problem = &failure.problem;
        Self {
            schema_version: SCHEMA_VERSION,
            success: false,
            problem: ProblemDocument {
                code: problem.code.as_str(),
                message: problem.message.clone(),
                causes: failure.causes.clone(),
                hint: failure.hint.clone(),
                page: error_page_path(problem.code),
                http_status: problem.http_status,
                retry_after_ms: problem.retry_after_ms,
            },
            exit_code: failure.exit().number(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceDocument {
    /// As the text cites it.
    pub number: u32,
    pub url: String,
    pub title: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct UsageDocument {
    /// What the model read: the question and what its tools brought. Like `input` and `tokens_input` elsewhere.
    pub input_tokens: u64,
    /// The part of `input_tokens` that was cached.
    pub cached_tokens: u64,
    /// What the model wrote, its thoughts included. Like `output` and `tokens_output` elsewhere.
    pub output_tokens: u64,
    /// The part of `output_tokens` that is thoughts.
    pub thought_tokens: u64,
    /// The part of `input_tokens` that its tools brought.
    pub tool_use_tokens: u64,
    pub total_tokens: u64,
    pub searches: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgressDocument {
    pub percent: u32,
    pub percent_is_estimated: bool,
    pub current_action: String,
    pub steps: u32,
    pub searches: u32,
    pub pages: u32,
}

/// One research without its text: a row of `runs list`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RowDocument")]
pub struct RunRowDocument {
    pub task_id: String,
    pub status: &'static str,
    pub query: String,
    pub engine: String,
    /// Which engine, and why it was taken.
    pub engine_reason: Option<String>,
    pub agent: String,
    pub asked_at: String,
    pub updated_at: String,
    pub ended_at: Option<String>,
    pub remote_id: Option<String>,
    /// The research that this one continues or checks again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follows: Option<String>,
    /// The user's own name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// When it was put into the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<String>,
    pub progress: ProgressDocument,
    pub sources_count: u32,
    pub usage: Option<UsageDocument>,
    /// Null when the provider reported no usage: unknown is not zero.
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
    pub cancel_answer: Option<String>,
    pub note: Option<String>,
    /// How its start was approved; left out where that was not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalDocument>,
    pub problem: Option<ProblemDocument>,
}

/// Who let it spend, through which channel.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApprovalDocument {
    /// elicitation, terminal, page, flag, setting or argument
    pub channel: &'static str,
    /// Null where no amount was named
    pub up_to_usd: Option<f64>,
}

/// One research with everything that is known of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResearchDocument {
    pub schema_version: u32,
    /// Of a research that has ended: its report was returned in full, whatever the command made of it. A partial report
    /// is in `report` with false; of the command alone speaks `exit_code`.
    pub success: bool,
    #[serde(flatten)]
    pub row: RunRowDocument,
    pub verified: bool,
    pub verification_basis: String,
    /// How it came about, where it was worked out in rounds; null until it has ended, which is when it is known why there
    /// was no further one. The round it is in is told by `progress`.
    pub rounds: Option<RoundsDocument>,
    /// What stands behind the sentences, where our own web engine gathered it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub web: Option<WebRecord>,
    // `cites` are places in the ledger's own list, from 0; `source_numbers` and each source's `number` are those of `sources`.
    /// Every claim with its checks and its verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub evidence: Option<Value>,
    /// Without a list of its sources: they are in `sources`, under the numbers that its marks mean.
    pub report: Option<String>,
    /// What was searched and read, where it ended without a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub work_done: Option<WorkDone>,
    pub sources: Vec<SourceDocument>,
    pub queries: Vec<String>,
    /// Whether a process drives it at the moment, while it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driven: Option<bool>,
    pub exit_code: u8,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ListDocument {
    pub schema_version: u32,
    pub researches: Vec<RunRowDocument>,
    /// How many fit, where only the newest of them are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// The handle of a research that goes on in the background; its words are those of `start_deep_research`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HandleDocument {
    pub schema_version: u32,
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub mode: &'static str,
    pub message: String,
    pub check_status_command: String,
}

/// What a start would do and cost.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanDocument {
    pub schema_version: u32,
    pub started: bool,
    pub query: String,
    pub engine: &'static str,
    /// Which engine, and why it would be taken.
    pub engine_reason: Option<String>,
    pub agent: String,
    pub rounds_max: Option<u32>,
    /// How deep, on the web engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<&'static str>,
    /// Pages that the web engine reads at most: where all of them are short, half of them elsewhere from `medium` on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_max: Option<u32>,
    /// About so many words in the report, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// The language of the report, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Parts of the question that the user named; the model names others when it begins.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// Models that take a part of the work, by role.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<&'static str, String>,
    /// What was left out because the whole would cost too much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    pub superseded_by: Option<&'static str>,
    pub deadline_seconds: u64,
    pub note: Option<String>,
    pub budget_usd: Option<f64>,
    pub cost_usd_min: f64,
    pub cost_usd_likely: f64,
    pub cost_usd_max: f64,
    pub minutes_min: u32,
    pub minutes_likely: u32,
    pub minutes_max: u32,
    pub basis: String,
}

impl RunRowDocument {
    /// The same with what the user said of it.
    pub fn with_shelf(self, entry: Option<&ShelfEntry>) -> Self {
        let Some(entry) = entry else { return self };
        Self {
            title: entry.title.as_ref().map(|title| title.as_str().to_owned()),
            tags: entry.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            removed_at: entry.removed_at.map(|at| at.to_string()),
            ..self
        }
    }

    pub fn of(summary: &RunSummary) -> Self {
        Self {
            task_id: summary.id.to_string(),
            status: summary.status.as_str(),
            query: summary.query.clone(),
            engine: summary.engine.clone(),
            engine_reason: summary.engine_reason.clone(),
            agent: summary.agent.clone(),
            asked_at: summary.asked_at.to_string(),
            updated_at: summary.updated_at.to_string(),
            ended_at: summary.ended_at.map(|at| at.to_string()),
            remote_id: summary.remote_id.clone(),
            follows: summary.follows.map(|id| id.to_string()),
            title: None,
            tags: Vec::new(),
            removed_at: None,
            progress: ProgressDocument {
                percent: summary.progress_percent,
                percent_is_estimated: summary.progress_estimated,
                current_action: summary.current_action.clone(),
                steps: summary.steps,
                searches: summary.searches,
                pages: summary.pages,
            },
            sources_count: summary.sources,
            usage: summary.usage.map(usage),
            cost_usd: summary.cost.known().map(|cost| cost.as_usd()),
            cost_basis: summary.cost.basis_in_words(),
            cancel_answer: summary.cancel_answer.clone(),
            note: summary.note.clone(),
            approval: summary.approval.map(|approval| ApprovalDocument {
                channel: approval.channel.as_str(),
                up_to_usd: approval.up_to.map(|amount| amount.as_usd()),
            }),
            problem: summary.problem.as_ref().map(|problem| ProblemDocument::of_research(problem, summary)),
        }
    }
}

impl ResearchDocument {
    pub fn of(summary: &RunSummary, report: Option<&Report>, exit: Exit) -> Self {
        let outcome = report.map(Report::verification);
        Self {
            schema_version: SCHEMA_VERSION,
            // The same for every command that shows the run: a verdict of `--fail-on` is the command's own.
            success: match summary.status.is_final() {
                true => summary.status == RunStatus::Completed,
                false => exit == Exit::Done,
            },
            row: row(summary, report),
            verified: outcome.as_ref().is_some_and(|outcome| outcome.verified),
            verification_basis: outcome
                .map_or_else(|| "there is no report".to_owned(), |outcome| outcome.reason),
            rounds: report.and_then(|report| report.rounds.as_deref()).map(RoundsDocument::of),
            web: report.and_then(|report| report.web.as_deref()).cloned(),
            evidence: report.and_then(|report| Some(evidence(report, report.ledger.as_deref()?))),
            report: report.map(|report| report.numbered_text().into_owned()),
            work_done: None,
            sources: report
                .map_or_else(Vec::new, |report| report.numbered_sources().iter().map(source).collect()),
            queries: report.map_or_else(Vec::new, |report| report.queries.clone()),
            driven: None,
            exit_code: exit.number(),
        }
    }
}

impl ResearchDocument {
    pub fn with_driver(self, driven: Option<bool>) -> Self {
        Self { driven, ..self }
    }

    pub fn with_work_done(self, work_done: Option<WorkDone>) -> Self {
        Self { work_done, ..self }
    }

    /// With searches that only the steps tell.
    pub fn with_searches(mut self, done: &WorkDone) -> Self {
        for query in &done.queries {
            // A long one is cut in the list of steps.
            let start = query.strip_suffix('…');
            let is_same =
                |known: &String| known == query || start.is_some_and(|start| known.starts_with(start));
            if !self.queries.iter().any(is_same) {
                self.queries.push(query.clone());
            }
        }
        self
    }
}

impl HandleDocument {
    pub fn of(id: RunId, channel: NotificationChannel) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            success: true,
            task_id: id.to_string(),
            status: "running_async",
            mode: "async",
            message: format!("Research running in background. {}", promise(Notify::WhenDone, channel)),
            check_status_command: format!("check_research_status(task_id='{id}')"),
        }
    }
}

/// The ledger, its sources under the numbers by which everything else names them.
fn evidence(report: &Report, ledger: &Ledger) -> Value {
    let numbers = report.ledger_numbers(ledger);
    let number =
        |place: u32| usize::try_from(place).ok().and_then(|place| numbers.get(place).copied().flatten());
    let mut document = serde_json::to_value(ledger.clone().without_unasked_judge()).unwrap_or_default();
    let mut add = |list: &str, name: &str, values: Vec<Value>| {
        let rows = document.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        for (row, value) in rows.filter_map(Value::as_object_mut).zip(values) {
            row.insert(name.to_owned(), value);
        }
    };
    add("sources", "number", numbers.iter().map(|number| (*number).into()).collect());
    let cited = |cites: &[u32]| cites.iter().filter_map(|place| number(*place)).collect::<Vec<u32>>().into();
    add("claims", "source_numbers", ledger.claims.iter().map(|claim| cited(&claim.cites)).collect());
    let not_examined = ledger.not_examined();
    if let Some(fields) = document.as_object_mut().filter(|_| !not_examined.is_empty()) {
        fields.insert("not_examined".to_owned(), not_examined.into());
    }
    document
}

fn source(source: &NumberedSource<'_>) -> SourceDocument {
    SourceDocument { number: source.number, url: source.url.to_owned(), title: source.title.to_owned() }
}

/// The row, with what only the report tells.
fn row(summary: &RunSummary, report: Option<&Report>) -> RunRowDocument {
    let row = RunRowDocument::of(summary);
    let Some(report) = report else { return row };
    RunRowDocument {
        sources_count: u32::try_from(report.numbered_sources().len()).unwrap_or(u32::MAX),
        note: summary.reader_note(report.rounds.as_deref()),
        ..row
    }
}

fn usage(usage: Usage) -> UsageDocument {
    // The same two sums in every answer, file and screen.
    let (read, written) = (usage.tokens_in(), usage.tokens_out());
    let Usage {
        input_tokens: _,
        cached_tokens,
        output_tokens: _,
        thought_tokens,
        tool_use_tokens,
        total_tokens,
        searches,
    } = usage;
    UsageDocument {
        input_tokens: read,
        cached_tokens,
        output_tokens: written,
        thought_tokens,
        tool_use_tokens,
        total_tokens,
        searches,
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingDocument {
    pub key: &'static str,
    pub value: Option<String>,
    pub origin: String,
}

/// One setting or key, as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingValueDocument {
    pub schema_version: u32,
    pub key: &'static str,
    /// Of a secret only that there is one.
    pub value: Option<String>,
    pub origin: String,
    /// The user's own file, where something was to be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether that file holds something else than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// What goes before that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overridden_by: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PlaceDocument")]
pub struct SettingsFileDocument {
    pub role: &'static str,
    pub path: String,
    pub found: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsDocument {
    pub schema_version: u32,
    pub settings: Vec<SettingDocument>,
    pub files: Vec<SettingsFileDocument>,
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckDocument")]
pub struct DoctorCheckDocument {
    pub group: &'static str,
    pub name: &'static str,
    /// `ok`, `warning` or `failed`.
    pub result: &'static str,
    pub detail: String,
    pub fix: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorDocument {
    pub schema_version: u32,
    pub version: &'static str,
    pub healthy: bool,
    pub checks: Vec<DoctorCheckDocument>,
    pub exit_code: u8,
}

#[cfg(test)]
mod tests {
    use probity_research::{
        RunId,
        report::Report,
        status::{RunStatus, RunSummary},
        work_done::WorkDone,
    };
    use serde_json::json;

    use super::ResearchDocument;
    use crate::exit::Exit;

    fn completed() -> RunSummary {
        serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "completed", "due": false, "query": "q", "engine": "web",
            "agent": "none", "asked_at": 0, "updated_at": 9, "ended_at": 9, "progress_percent": 100,
            "progress_estimated": false, "current_action": "", "steps": 0, "searches": 0, "pages": 0,
            "attended_ms": 0, "cost": { "basis": "nothing" }, "sources": 0,
        }))
        .unwrap()
    }

    #[test]
    fn success_is_that_of_the_run_whichever_command_shows_it() {
        let success = |status, exit| {
            let summary = RunSummary { status, ..completed() };
            ResearchDocument::of(&summary, Some(&Report::default()), exit).success
        };
        assert!(success(RunStatus::Completed, Exit::Done));
        assert!(success(RunStatus::Completed, Exit::Contradicted), "as `probity verify` ends");
        assert!(!success(RunStatus::TimedOut, Exit::Done), "as `probity runs show` ends");
        assert!(!success(RunStatus::RunningAsync, Exit::Interrupted));
    }

    #[test]
    fn searches_of_a_run_that_goes_on_are_listed_once() {
        let report = Report { queries: vec!["a long query".to_owned()], ..Report::default() };
        let steps = ["a long…", "a longer one"].map(str::to_owned).to_vec();
        let document = ResearchDocument::of(&completed(), Some(&report), Exit::Done)
            .with_searches(&WorkDone { queries: steps, ..WorkDone::default() });
        assert_eq!(document.queries, ["a long query", "a longer one"]);
    }
}
