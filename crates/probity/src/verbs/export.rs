//! `probity export`: finished reports as lines that a benchmark reads. Judging them is the benchmark's work.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use probity_bundle::bench::{TASKS_BYTES_MAX, Tasks, fact, race};
use probity_research::{
    Code,
    status::{Status, Summary},
};
use probity_store::{LIST_MAX, ListFilter};

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    failure::Failure,
    identify::{identify, none_yet},
    settings::written::RawSettings,
    words,
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
    #[arg(value_name = "ID", add = crate::completing::researches())]
    pub ids: Vec<String>,
}

pub async fn run(context: &Context, arguments: &ExportArguments) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open_to_read(&settings)?.ok_or_else(none_yet)?;
    let tasks = tasks(arguments)?;
    let mut written = 0_u64;
    for summary in wanted(&desk, &arguments.ids)? {
        let Some(report) = desk.report(&summary).await? else {
            if arguments.ids.is_empty() {
                continue;
            }
            return Err(
                Failure::new(Code::NotFinished, &format!("{} has no report", summary.id)).about(summary.id)
            );
        };
        let task = tasks.of(&summary.query, &summary.id.to_string());
        let line = match arguments.deep_research_bench {
            BenchPart::Race => race(&task, &report),
            BenchPart::Fact => fact(&task, &report),
        };
        context.output.data(&line)?;
        written += 1;
    }
    context.output.say(&format!("{} exported", words::count(written, "report", "reports")));
    Ok(Exit::Done)
}

fn wanted(desk: &Desk, ids: &[String]) -> Result<Vec<Summary>, Failure> {
    if !ids.is_empty() {
        return ids.iter().map(|id| desk.summary(identify(desk, id)?)).collect();
    }
    let filter = ListFilter { status: Some(Status::Completed), limit: LIST_MAX, ..ListFilter::default() };
    let mut found = desk.store.list(&filter)?;
    found.reverse();
    Ok(found)
}

fn tasks(arguments: &ExportArguments) -> Result<Tasks, Failure> {
    let Some(path) = &arguments.queries else { return Ok(Tasks::default()) };
    let failed = |message: &str| {
        Failure::new(Code::InvalidArguments, &format!("{} {message}", path.display()))
            .with_hint("pass the benchmark's `data/prompt_data/query.jsonl` with `--queries`")
    };
    let length = std::fs::metadata(path).map_err(|error| failed("cannot be read").because(&error))?.len();
    if length > TASKS_BYTES_MAX as u64 {
        return Err(failed("is too long for a list of tasks"));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed("cannot be read").because(&error))?;
    Tasks::read(&text).map_err(|error| failed("is no list of tasks").because(&error))
}
