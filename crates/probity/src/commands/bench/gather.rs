//! Researches the tasks, a few at once, and writes each report when its research rests.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use probity_bundle::bench::race_line;
use probity_research::{
    Code, RunId, plan::Plan, ports::Clock as _, query::Query, spending::RepeatRule, status::RunSummary,
};
use tokio_util::sync::CancellationToken;

use super::{files::BenchFiles, tasks::DrbTask};
use crate::{
    app_context::{self, AppContext},
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    format,
    shutdown::{ShutdownSignals, wait_for_impatience},
};

/// Researches under way at once. Each makes its own calls side by side; more would only meet providers' limits.
const AT_ONCE: usize = 4;
/// How often the stored status is read.
const LOOK_EVERY: Duration = Duration::from_millis(300);

pub struct PlannedTask {
    pub task: DrbTask,
    pub query: Query,
    pub plan: Plan,
}

pub async fn gather(
    context: &CommandContext,
    app: &AppContext,
    planned: Vec<PlannedTask>,
    files: &BenchFiles,
) -> Result<Exit, CommandError> {
    app.ensure_writable()?;
    let stop = CancellationToken::new();
    let watching = async {
        let ended = watch(context, app, planned, files).await;
        stop.cancel();
        ended
    };
    let driving = async {
        app.researches.executor().run(stop.clone()).await;
        app.back_up_when_due();
    };
    tokio::select! {
        ((), ended) = async { tokio::join!(driving, watching) } => ended,
        () = wait_for_impatience() => Ok(Exit::Interrupted),
    }
}

async fn watch(
    context: &CommandContext,
    app: &AppContext,
    planned: Vec<PlannedTask>,
    files: &BenchFiles,
) -> Result<Exit, CommandError> {
    let mut leave = ShutdownSignals::new();
    let known = files.runs()?;
    let all = planned.len() as u64;
    let mut waiting: VecDeque<PlannedTask> = planned.into();
    let mut running: Vec<(DrbTask, RunId)> = Vec::new();
    let mut written = 0_u64;
    loop {
        while running.len() < AT_ONCE
            && let Some(next) = waiting.pop_front()
        {
            let task = next.task.clone();
            running.push((task, Box::pin(begin(app, files, next, &known)).await?));
        }
        let mut still = Vec::new();
        for (task, id) in running {
            let summary = app.summary(id)?;
            match summary.status.is_final() {
                true => written += u64::from(settle(context, app, files, &task, &summary).await?),
                false => still.push((task, id)),
            }
        }
        running = still;
        if running.is_empty() && waiting.is_empty() {
            let ended = format::count(all - written, "task has", "tasks have");
            if written < all {
                context.output.print_message(&format!("{ended} no report; the same command tries again"));
            }
            return Ok(Exit::Done);
        }
        tokio::select! {
            biased;
            _ = leave.wait() => {
                context.output.print_message("left; the same command goes on from here");
                return Ok(Exit::Interrupted);
            }
            () = app.clock().sleep(LOOK_EVERY) => {}
        }
    }
}

/// The research of this task: the one of an earlier command unless that ended without a report, else a new one.
async fn begin(
    app: &AppContext,
    files: &BenchFiles,
    next: PlannedTask,
    known: &BTreeMap<String, RunId>,
) -> Result<RunId, CommandError> {
    let recorded = match known.get(&next.task.key()) {
        Some(id) => match app.summary(*id) {
            Ok(earlier) if !earlier.status.is_final() || earlier.report.is_some() => return Ok(*id),
            Ok(_) => None,
            // Recorded, never started.
            Err(failure) if failure.problem.code == Code::NotFound => Some(*id),
            Err(failure) => return Err(failure),
        },
        None => None,
    };
    let id = match recorded {
        Some(id) => id,
        None => {
            let id = app_context::new_id()?;
            files.record_run(&next.task.id, id)?;
            id
        }
    };
    app.researches.executor().engine().prepare_for(&next.plan);
    // Our own record keeps a task from being paid twice; the same question elsewhere is another research.
    app.researches.start_unless(id, next.query, next.plan, RepeatRule::StartAnother).await?;
    Ok(id)
}

/// Writes the report of a research that rests; whether there was one.
async fn settle(
    context: &CommandContext,
    app: &AppContext,
    files: &BenchFiles,
    task: &DrbTask,
    summary: &RunSummary,
) -> Result<bool, CommandError> {
    let status = summary.status.as_str().replace('_', " ");
    let line = |what: String| {
        let message = format!("task {} ({}): {what}, {}, {}", task.key(), summary.id, status, summary.cost);
        context.output.print_message(&message);
    };
    let Some(report) = app.report(summary).await? else {
        let why = summary.problem.as_ref().map(|problem| format!(": {}: {}", problem.code, problem.message));
        line(format!("no report{}", why.unwrap_or_default()));
        return Ok(false);
    };
    files.write_article(&race_line(&task.as_task(), &report))?;
    let words = report.text.split_whitespace().count() as u64;
    line(match report.verification().facts {
        Some(facts) => format!("{}, {}", format::count(words, "word", "words"), facts.line()),
        None => format::count(words, "word", "words"),
    });
    Ok(true)
}
