//! `probity watch`: reports whose cited pages are read again every few days, and what changed in them is told.

use std::time::Duration;

use clap::{Args, Subcommand};
use probity_evidence::verdict_changes::VerdictChange;
use probity_research::{
    Code, RunId, text,
    time::Moment,
    watch::{EVERY_MAX, EVERY_MIN, Watch, WatchOutcome},
};
use probity_store::WATCH_FEED;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::{CommandError, without_report},
    environment,
    exit::Exit,
    format,
    identify::{identify, no_runs_error},
    keys::ProviderKeys,
    settings::raw::RawSettings,
    shutdown::wait_for_shutdown,
    start_run::flags,
    watch::{self, WatchChoice, WatchConsent, WatchRound, words},
    wire::SCHEMA_VERSION,
};

const TITLE_MAX: usize = 200;

#[derive(Debug, Subcommand)]
pub enum WatchCommand {
    /// Check the report of a research again every few days
    Add(AddArguments),
    /// List what is watched, and when each is due
    List(WatchListArguments),
    /// Watch one no longer
    Remove(RemoveArguments),
    /// Do what is due now; for a line of cron
    Run(RunArguments),
}

#[derive(Debug, Args)]
pub struct AddArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// How often, such as 7d or 12h
    #[arg(long, default_value = "7d", value_name = "SPAN")]
    pub every: String,
}

#[derive(Debug, Args)]
pub struct WatchListArguments {
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    /// Check all that are watched, due or not
    #[arg(long)]
    pub all: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// What the judge may cost for each report, such as 0.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// Start without being asked, whatever it may cost
    #[arg(long)]
    pub yes: bool,
}

impl WatchCommand {
    pub fn wants_json(&self) -> bool {
        match self {
            Self::List(arguments) => arguments.json,
            Self::Run(arguments) => arguments.json,
            Self::Add(_) | Self::Remove(_) => false,
        }
    }
}

#[derive(Debug, Serialize)]
struct WatchListDocument {
    schema_version: u32,
    watches: Vec<WatchRow>,
}

#[derive(Debug, Serialize)]
struct WatchRow {
    task_id: RunId,
    title: String,
    every_seconds: u64,
    due_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_at: Option<String>,
    /// The run whose verdicts the next check is compared with.
    newest: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<WatchOutcome>,
}

#[derive(Debug, Serialize)]
struct WatchRunDocument<'a> {
    schema_version: u32,
    checked: Vec<WatchRoundRow<'a>>,
}

#[derive(Debug, Serialize)]
struct WatchRoundRow<'a> {
    #[serde(flatten)]
    watch: WatchRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<RunId>,
    flips: &'a [VerdictChange],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    untold: &'a [String],
}

impl WatchRow {
    fn of(watch: &Watch) -> Self {
        Self {
            task_id: watch.id,
            title: watch.title.clone(),
            every_seconds: watch.every().as_secs(),
            due_at: watch.due_at.to_string(),
            checked_at: watch.checked_at.map(|at| at.to_string()),
            newest: watch.newest,
            last: watch.last.clone(),
        }
    }
}

pub async fn run(context: &CommandContext, verb: &WatchCommand) -> Result<Exit, CommandError> {
    match verb {
        WatchCommand::Add(arguments) => Box::pin(add(context, arguments)).await,
        WatchCommand::List(arguments) => list(context, arguments),
        WatchCommand::Remove(arguments) => Box::pin(remove(context, arguments)).await,
        WatchCommand::Run(arguments) => Box::pin(run_due(context, arguments)).await,
    }
}

async fn add(context: &CommandContext, arguments: &AddArguments) -> Result<Exit, CommandError> {
    let every = every(&arguments.every)?;
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let summary = app.summary(identify(&app, &arguments.id)?)?;
    if app.report(&summary).await?.is_none() {
        return Err(without_report(&summary));
    }
    // A check is named after its text; the next one would be the check of a check.
    let title = summary.query.strip_prefix("check of ").unwrap_or(&summary.query);
    let watch = Watch::new(summary.id, &text::line(title, TITLE_MAX), every, app.now());
    let due = watch.due_at;
    app.store.add_watch(watch).await?;
    let output = &context.output;
    output.data(&format!("{} is checked again every {}, first on {}", summary.id, span(every), day(due)))?;
    let program = environment::program().map_or("probity".to_owned(), |path| path.display().to_string());
    if settings.watch.by_server {
        output.print_message("`probity serve` does that while it runs (`watch.by_server`)");
    } else {
        output.print_message("this line in your crontab (`crontab -e`) does that:");
        output.data(&words::cron_line(&program))?;
        output.print_message("or set `watch.by_server = true` and let `probity serve` do it while it runs");
    }
    let feed = settings.store_directory.join(WATCH_FEED);
    output
        .print_message(&format!("what changes is shown as a notification and written to {}", feed.display()));
    if settings.watch.webhook.is_none() {
        output.print_message("to have it posted somewhere as well, set `watch.webhook`");
    }
    Ok(Exit::Done)
}

fn list(context: &CommandContext, arguments: &WatchListArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let watches = match AppContext::open_to_read(&settings)? {
        Some(app) => app.store.watches()?,
        None => Vec::new(),
    };
    let output = &context.output;
    if arguments.json {
        let watches = watches.iter().map(WatchRow::of).collect();
        output.json(&WatchListDocument { schema_version: SCHEMA_VERSION, watches })?;
        return Ok(Exit::Done);
    }
    if watches.is_empty() {
        output.print_message("nothing is watched; begin with `probity watch add ID --every 7d`");
    }
    for watch in &watches {
        output.data(&format!(
            "{}  every {}, due {}  {}\n  {}",
            watch.id,
            span(watch.every()),
            day(watch.due_at),
            last(watch),
            text::line(&watch.title, TITLE_MAX)
        ))?;
    }
    Ok(Exit::Done)
}

async fn remove(context: &CommandContext, arguments: &RemoveArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let id = identify(&app, &arguments.id)?;
    if !app.store.remove_watch(id).await? {
        return Err(CommandError::new(Code::NotFound, &format!("{id} is not watched"))
            .with_hint("run `probity watch list` to see what is"));
    }
    context.output.data(&format!("{id} is watched no longer"))?;
    Ok(Exit::Done)
}

async fn run_due(context: &CommandContext, arguments: &RunArguments) -> Result<Exit, CommandError> {
    let typed = flags(&[("budget.max_usd", arguments.budget.as_ref(), "--budget")]);
    let settings = context.settings(typed)?.settings;
    if AppContext::open_to_read(&settings)?.is_none() {
        return Err(no_runs_error());
    }
    let keys = ProviderKeys::read(&context.environment)?;
    let app = AppContext::open(&settings, Some(keys))?;
    app.ensure_writable()?;
    let consent = match arguments.yes || arguments.budget.is_some() {
        true => WatchConsent::ByFlag,
        false => WatchConsent::WithinSettings,
    };
    let choice = if arguments.all { WatchChoice::All } else { WatchChoice::Due };
    let stop = CancellationToken::new();
    let checking = async {
        let rounds = tokio::select! {
            rounds = Box::pin(watch::check_watched(&app, &settings, choice, consent, &stop)) => Some(rounds),
            () = wait_for_shutdown() => None,
        };
        stop.cancel();
        rounds
    };
    let driving = async {
        app.researches.executor().engine().prepare();
        app.researches.executor().run(stop.clone()).await;
    };
    let (rounds, ()) = tokio::join!(checking, driving);
    Box::pin(app.purge_expired()).await;
    app.back_up_when_due();
    let Some(rounds) = rounds else { return Ok(Exit::Interrupted) };
    let rounds = rounds?;
    print_rounds(context, arguments, &rounds)?;
    let worse = rounds.iter().any(|round| words::worse(&round.changes) > 0);
    let undone = |round: &WatchRound| matches!(round.watch.last, Some(WatchOutcome::NotDone { .. }));
    Ok(match (worse, rounds.iter().any(undone)) {
        (true, _) => Exit::Contradicted,
        (false, true) => Exit::Capped,
        (false, false) => Exit::Done,
    })
}

fn print_rounds(
    context: &CommandContext,
    arguments: &RunArguments,
    rounds: &[WatchRound],
) -> Result<(), CommandError> {
    let output = &context.output;
    if arguments.json {
        let checked = rounds
            .iter()
            .map(|round| WatchRoundRow {
                watch: WatchRow::of(&round.watch),
                check: round.check,
                flips: &round.changes,
                untold: &round.untold,
            })
            .collect();
        return output.json(&WatchRunDocument { schema_version: SCHEMA_VERSION, checked });
    }
    if rounds.is_empty() {
        output.print_message("nothing is due");
    }
    for round in rounds {
        output.data(&format!("{}  {}", round.watch.id, last(&round.watch)))?;
        for change in &round.changes {
            for line in words::line(change).lines() {
                output.data(&format!("  {line}"))?;
            }
        }
        for untold in &round.untold {
            output.print_message(&format!("not told to {untold}"));
        }
    }
    Ok(())
}

fn every(typed: &str) -> Result<Duration, CommandError> {
    let every = format::parse_span(typed).filter(|every| (EVERY_MIN..=EVERY_MAX).contains(every));
    every.ok_or_else(|| {
        let shown = text::line(typed, 40);
        let message = format!("--every is `{shown}`, which is not a span from 1h to 366d");
        CommandError::new(Code::InvalidArguments, &message).with_hint("write it like `--every 7d`")
    })
}

/// `7 days`, `12 h`
fn span(every: Duration) -> String {
    match every.as_secs() {
        seconds if seconds.is_multiple_of(86_400) => format::count(seconds / 86_400, "day", "days"),
        _ => format::span(every),
    }
}

/// `2026-11-24 15:30 UTC`
fn day(at: Moment) -> String {
    let text: String = at.to_string().chars().take(16).collect();
    format!("{} UTC", text.replace('T', " "))
}

fn last(watch: &Watch) -> String {
    match &watch.last {
        None => "not checked yet".to_owned(),
        Some(WatchOutcome::Unchanged) => "no verdict changed".to_owned(),
        Some(WatchOutcome::Changed { changes, worse }) => {
            let all = format::count(u64::from(*changes), "verdict changed", "verdicts changed");
            format!("{all}, {worse} for the worse")
        }
        Some(WatchOutcome::NotDone { why, .. }) => format!("not checked: {}", text::line(why, TITLE_MAX)),
    }
}
