//! `probity bench drb`: reports for DeepResearch Bench, judged by the benchmark's own scripts where their keys are set.
//!
//! Each task is an ordinary research. What was started and what was written stands in the clone, so that the same
//! command goes on where the last one ended. Never judges anything itself, and prints no score that no script gave.

mod files;
mod gather;
mod scores;
mod scripts;
mod tasks;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use probity_research::{
    Code,
    approval::{Approval, ApprovalChannel},
    cost::MicroUsd,
    plan::{EngineName, Plan},
    query::Query,
    rounds::Mode,
    spending,
    web::{StrategyHints, TaskType},
};

use crate::{
    app_context::AppContext,
    approve::approved,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    format,
    keys::ProviderKeys,
    output::Tone,
    planning::{self, PlanningRequest},
    settings::{Settings, rounds::EngineChoice},
    start_run::flags,
};
use files::BenchFiles;
use gather::PlannedTask;
use tasks::{DrbTask, TaskCount};

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// DeepResearch Bench: research its tasks, then let its own scripts judge the reports
    Drb(DrbArguments),
}

#[derive(Debug, Args)]
pub struct DrbArguments {
    /// Your clone of the benchmark's repository
    #[arg(long, value_name = "CLONE")]
    pub dir: PathBuf,
    /// How many tasks, spread over the languages, or `all`
    #[arg(long, value_name = "N", default_value = "10")]
    pub tasks: String,
    /// How deep each task is researched: none, shallow, medium or deep
    #[arg(long, value_name = "DEPTH", default_value = "deep")]
    pub depth: String,
    /// The model that plans, reads and writes; else that of `chat.model`
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Under which name the reports stand in the clone; else made of depth and model
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Which tasks are drawn: the same number draws the same ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What each research may cost, such as 2.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// Research nothing: judge the reports that are there
    #[arg(long, conflicts_with = "dry_run")]
    pub judge_only: bool,
    /// Show the tasks and the price, and start nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Start without being asked, whatever it may cost
    #[arg(long)]
    pub yes: bool,
}

pub async fn run(context: &CommandContext, verb: &BenchCommand) -> Result<Exit, CommandError> {
    let BenchCommand::Drb(arguments) = verb;
    let overrides = flags(&[
        ("chat.model", arguments.model.as_ref(), "--model"),
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
    ]);
    let loaded = context.settings(overrides)?;
    let settings = Settings { engine: EngineChoice::Named(EngineName::Web), ..loaded.settings };
    let keys = ProviderKeys::read(&context.environment)?;
    let all = tasks::read(&arguments.dir)?;
    let chosen = tasks::choose(&all, TaskCount::parse(&arguments.tasks)?, arguments.seed);
    let files = BenchFiles::open(&arguments.dir, &name(arguments, &settings, &keys)?);
    if !arguments.judge_only {
        match Box::pin(research(context, arguments, &settings, keys, &chosen, &files)).await? {
            Exit::Done if !arguments.dry_run => {}
            ended => return Ok(ended),
        }
    }
    let exit = Box::pin(scripts::judge(context, &arguments.dir, &files)).await?;
    Box::pin(scores::print(context, &settings, &arguments.dir, &files, &chosen)).await?;
    Ok(exit)
}

/// Plans what is missing, shows its price, asks, and researches it.
async fn research(
    context: &CommandContext,
    arguments: &DrbArguments,
    settings: &Settings,
    keys: ProviderKeys,
    chosen: &[DrbTask],
    files: &BenchFiles,
) -> Result<Exit, CommandError> {
    let written = files.written()?;
    let missing: Vec<&DrbTask> = chosen.iter().filter(|task| !written.contains(&task.key())).collect();
    let hints = StrategyHints {
        level: Some(tasks::depth(&arguments.depth)?),
        task_type_hint: Some(TaskType::Research),
        ..StrategyHints::default()
    };
    let mut planned = Vec::new();
    for task in missing {
        let query = Query::parse(&task.prompt)?;
        let asking = PlanningRequest { hints: hints.clone(), ..PlanningRequest::new(Mode::DeepResearch) };
        let plan = planning::plan(settings, &keys, asking, &query)?;
        planned.push(PlannedTask { task: task.clone(), query, plan });
    }
    let most = planned.iter().fold(MicroUsd(0), |sum, one| sum.plus(spending::highest_price(&one.plan)));
    show_plan(context, files, chosen, &planned, most);
    if arguments.dry_run || planned.is_empty() {
        return Ok(Exit::Done);
    }
    let Some(channel) = approval(context, arguments, most)? else { return Ok(Exit::Done) };
    let planned = planned.into_iter().map(|one| {
        let up_to = one.plan.limits.budget.unwrap_or_else(|| spending::highest_price(&one.plan));
        PlannedTask { plan: approved(one.plan, Approval::new(channel, Some(up_to))), ..one }
    });
    let app = AppContext::open(settings, Some(keys))?;
    Box::pin(gather::gather(context, &app, planned.collect(), files)).await
}

fn show_plan(
    context: &CommandContext,
    files: &BenchFiles,
    chosen: &[DrbTask],
    planned: &[PlannedTask],
    most: MicroUsd,
) {
    let output = &context.output;
    let sum =
        |part: fn(&Plan) -> MicroUsd| planned.iter().fold(MicroUsd(0), |sum, one| sum.plus(part(&one.plan)));
    let likely = sum(|plan| plan.estimate.map_or(MicroUsd(0), |estimate| estimate.cost_likely));
    let model = planned.first().and_then(|one| one.plan.web.as_ref()?.model.as_ref());
    let done = chosen.len().saturating_sub(planned.len());
    let numbers = chosen.iter().map(DrbTask::key).collect::<Vec<_>>().join(", ");
    output.print_message(&output.style_err(Tone::Strong, "plan"));
    output.print_message(&output.rows(&[
        ("reports", files.articles_path().display().to_string()),
        ("tasks", format!("{} ({}): {numbers}", chosen.len(), tasks::by_language(chosen))),
        ("missing", format!("{}; {done} are written already", planned.len())),
        ("model", model.map_or("none: reports are made of quotations", |model| &model.name).to_owned()),
        ("cost", format!("up to {most}, likely {likely}; what the benchmark's judges cost comes on top")),
    ]));
}

/// Who said yes; none if the user said no.
fn approval(
    context: &CommandContext,
    arguments: &DrbArguments,
    most: MicroUsd,
) -> Result<Option<ApprovalChannel>, CommandError> {
    if arguments.yes {
        return Ok(Some(ApprovalChannel::Flag));
    }
    if most == MicroUsd(0) {
        return Ok(Some(ApprovalChannel::Setting));
    }
    if !context.output.can_ask() {
        let message =
            format!("this may cost up to {most}, and there is no terminal to ask at; nothing was started");
        return Err(CommandError::new(Code::InvalidArguments, &message)
            .with_hint("add `--yes` to accept it, or `--dry-run` to see the plan alone"));
    }
    let yes = context.output.confirm(&format!("Start these researches? They may cost up to {most}."));
    if !yes {
        context.output.print_message("nothing was started");
    }
    Ok(yes.then_some(ApprovalChannel::Terminal))
}

/// The name of the reports in the clone: letters, digits, dots and dashes, so that it is a file's name and nothing more.
fn name(arguments: &DrbArguments, settings: &Settings, keys: &ProviderKeys) -> Result<String, CommandError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.' | '_');
    match &arguments.name {
        Some(name) if !name.starts_with('.') && !name.is_empty() && name.chars().all(plain) => {
            Ok(name.clone())
        }
        Some(name) => {
            Err(CommandError::new(Code::InvalidArguments, &format!("--name is `{}`", format::fit(name, 60)))
                .with_hint("use letters, digits, `.`, `-` and `_`: `--name probity-deep`"))
        }
        None => {
            let model = planning::chat_settings(settings, keys).map(|chat| chat.model);
            let made = format!("probity-{}-{}", arguments.depth, model.as_deref().unwrap_or("no-model"));
            Ok(made.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect())
        }
    }
}
