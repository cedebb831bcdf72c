//! `probity export`: finished reports as lines that a benchmark reads. Judging them is the benchmark's work.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use probity_bundle::bench::{BenchTaskList, TASKS_BYTES_MAX, fact_line, race_line};
use probity_research::{
    Code,
    status::{RunStatus, RunSummary},
};
use probity_store::{LIST_MAX, ListFilter};

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::{CommandError, without_report},
    exit::Exit,
    format,
    identify::{identify, no_runs_error},
    settings::raw::RawSettings,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchPart {
    /// Whole articles, with `id`, `prompt` and `article`
    Race,
    /// The same with `citations`: statements, and the addresses they cite
    Fact,
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Lines of JSON for DeepResearch Bench, on stdout
    #[arg(long, value_name = "PART", required = true)]
    pub deep_research_bench: BenchPart,
    /// The benchmark's own list of tasks, `query.jsonl`: gives each report the number of its task
    #[arg(long, value_name = "FILE")]
    pub queries: Option<PathBuf>,
    /// Which researches; else all that are completed, oldest first
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub ids: Vec<String>,
}

pub async fn run(context: &CommandContext, arguments: &ExportArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let tasks = tasks(arguments)?;
    let mut written = 0_u64;
    for summary in selected_runs(&app, &arguments.ids)? {
        let Some(report) = app.report(&summary).await? else {
            if arguments.ids.is_empty() {
                continue;
            }
            return Err(without_report(&summary));
        };
        let task = tasks.of(&summary.query, &summary.id.to_string());
        let line = match arguments.deep_research_bench {
            BenchPart::Race => race_line(&task, &report),
            BenchPart::Fact => fact_line(&task, &report),
        };
        context.output.data(&line)?;
        written += 1;
    }
    context.output.print_message(&format!("{} exported", format::count(written, "report", "reports")));
    Ok(Exit::Done)
}

fn selected_runs(app: &AppContext, ids: &[String]) -> Result<Vec<RunSummary>, CommandError> {
    if !ids.is_empty() {
        return ids.iter().map(|id| app.summary(identify(app, id)?)).collect();
    }
    let filter = ListFilter { status: Some(RunStatus::Completed), limit: LIST_MAX, ..ListFilter::default() };
    let mut found = app.store.list(&filter)?;
    found.reverse();
    Ok(found)
}

fn tasks(arguments: &ExportArguments) -> Result<BenchTaskList, CommandError> {
    let Some(path) = &arguments.queries else { return Ok(BenchTaskList::default()) };
    let failed = |message: &str| {
        CommandError::new(Code::InvalidArguments, &format!("{} {message}", path.display()))
            .with_hint("pass the benchmark's `data/prompt_data/query.jsonl` with `--queries`")
    };
    let length = std::fs::metadata(path).map_err(|error| failed("cannot be read").with_cause(&error))?.len();
    if length > TASKS_BYTES_MAX as u64 {
        return Err(failed("is too long for a list of tasks"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed("cannot be read").with_cause(&error))?;
    BenchTaskList::read(&text).map_err(|error| failed("is no list of tasks").with_cause(&error))
}
