//! The one way from waiting to a task handle, for every tool that starts long work.
//!
//! The run is on disk before this begins. Nothing here can lose it: a client that disconnects, stops reading
//! or cuts the call finds the run again under its id. Only an explicit cancel of the client cancels it.

use std::time::Duration;

use probity_research::{
    CodedError,
    status::{RunStatus, RunSummary},
    stop::PartialResults,
};
use rmcp::model::{CreateTaskResult, ProgressNotificationParam};

use crate::{
    answer::{ToolAnswer, ToolReply},
    backend::WatchCondition,
    caller::{AbandonReason, Caller},
    markdown::SourceListVisibility,
    mcp_server::McpServer,
    outline,
    resources::links,
    results::{REPORT_CHARACTERS, RunResults, clean},
    rounds, tasks,
    tools::{
        check_citations,
        get_research_results::{check_command, without_report},
        start_deep_research::StartDeepResearchOutput,
    },
    wire::usd,
};

/// An answer that comes this soon needs no handle, in either era.
const SHORT_WAIT: Duration = Duration::from_secs(2);
/// A progress notification at least this often; clients give up after 15 to 60 seconds of silence.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
/// A client that does not read must not block its own call.
const SEND_WITHIN: Duration = Duration::from_secs(1);

/// Longest long poll. Below the 60 seconds after which most clients cut a call.
const WAIT_SECONDS_MAX: u64 = 50;

/// Waits a bounded time for the end of a run that was just started, then hands it over.
pub async fn wait_or_hand_over(
    server: &McpServer,
    caller: &Caller,
    started: RunSummary,
    budget: Duration,
) -> Result<ToolReply, CodedError> {
    let begun = server.backend().monotonic();
    let mut signs = ProgressNotifier::new(caller);
    let soon = SHORT_WAIT.min(budget);
    let summary = match server.wait_with_progress(&mut signs, &started, soon, CancelPolicy::CancelRun).await {
        Ok(summary) => summary,
        // The store did not answer; the run is on disk all the same.
        Err(problem) => return Ok(ToolReply::Done(handle_answer(&started, Some(&problem)))),
    };
    if summary.status.is_final() {
        return final_answer(server, &summary).await.map(ToolReply::Done);
    }
    if caller.is_gone() {
        return Ok(ToolReply::Done(handle_answer(&summary, None)));
    }
    if caller.takes_tasks() {
        return Ok(ToolReply::Task(Box::new(CreateTaskResult::new(tasks::task(&summary)))));
    }
    let spent = server.backend().monotonic().saturating_sub(begun);
    let left = budget.saturating_sub(spent);
    let summary = server
        .wait_with_progress(&mut signs, &summary, left, CancelPolicy::CancelRun)
        .await
        .unwrap_or(summary);
    if summary.status.is_final() {
        return final_answer(server, &summary).await.map(ToolReply::Done);
    }
    Ok(ToolReply::Done(handle_answer(&summary, None)))
}

/// The original tool's answer for work that goes on.
fn handle_answer(summary: &RunSummary, problem: Option<&CodedError>) -> ToolAnswer {
    let mut message = "Research running in background. Notification when complete.".to_owned();
    if summary.status == RunStatus::Pending {
        message = format!("The provider has not taken it yet ({}). {message}", summary.current_action);
    }
    if let Some(note) = &summary.note {
        message.push_str(&format!(" Note: {note}."));
    }
    if let Some(problem) = problem {
        message.push_str(&format!(" Its status could not be read just now: {}.", problem.message));
    }
    let command = check_command(summary.id);
    let output = StartDeepResearchOutput {
        success: true,
        task_id: summary.id.to_string(),
        status: match summary.status {
            RunStatus::Pending => RunStatus::Pending.as_str(),
            _ => RunStatus::RunningAsync.as_str(),
        },
        mode: "async",
        message: Some(message.clone()),
        check_status_command: Some(command.clone()),
        results: None,
        cost_usd: None,
    };
    let text = format!("{message}\ntask_id: {}\nnext: {command}", output.task_id);
    ToolAnswer::new(&output, text)
}

/// The full answer of a run at rest, as a call or a task returns it.
pub async fn final_answer(server: &McpServer, summary: &RunSummary) -> Result<ToolAnswer, CodedError> {
    let Some(report) = server.backend().report(summary).await? else { return Ok(without_report(summary)) };
    if let (true, Some(ledger)) = (summary.given, &report.ledger) {
        return Ok(check_citations::citations_answer(summary, &report, ledger));
    }
    if let Some(record) = &report.rounds {
        return Ok(rounds::rounds_answer(summary, &report, record));
    }
    let whole = clean(&report);
    let page = outline::page(&whole, 0, REPORT_CHARACTERS);
    let results = RunResults::of(
        summary,
        &report,
        (&whole, page),
        SourceListVisibility::Listed,
        server.backend().now(),
    );
    let text = results.text(summary);
    let completed = summary.status == RunStatus::Completed;
    let output = StartDeepResearchOutput {
        success: completed,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        mode: results.metadata.mode,
        message: summary.problem.as_ref().map(|problem| problem.message.clone()),
        check_status_command: None,
        cost_usd: usd(summary.cost),
        results: Some(results),
    };
    let answer =
        ToolAnswer::new(&output, text).with_link(links::report(summary)).with_link(links::sources(summary));
    Ok(if completed { answer } else { answer.failed() })
}

/// What an explicit cancel of the call means for the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelPolicy {
    /// This call started the run, and its caller no longer wants it.
    CancelRun,
    /// The call only watched the run: it stops waiting.
    StopWaiting,
}

impl McpServer {
    /// Updates `summary` to the run's end, if that comes within the seconds that the caller gave.
    pub async fn long_poll(
        &self,
        caller: &Caller,
        summary: &mut RunSummary,
        wait_seconds: u64,
    ) -> Result<(), CodedError> {
        if wait_seconds > 0 && !summary.status.is_final() {
            // Boxed: a call that does not wait, which is nearly every status call, need not carry the future.
            *summary = Box::pin(async {
                let limit = Duration::from_secs(wait_seconds.min(WAIT_SECONDS_MAX));
                self.wait_with_progress(
                    &mut ProgressNotifier::new(caller),
                    summary,
                    limit,
                    CancelPolicy::StopWaiting,
                )
                .await
            })
            .await?;
        }
        Ok(())
    }

    /// Waits until a run is at rest or `limit` has passed, and sends the client progress.
    pub async fn wait_with_progress(
        &self,
        signs: &mut ProgressNotifier<'_>,
        summary: &RunSummary,
        limit: Duration,
        on_cancel: CancelPolicy,
    ) -> Result<RunSummary, CodedError> {
        let begun = self.backend().monotonic();
        let mut latest = summary.clone();
        loop {
            let left = limit.saturating_sub(self.backend().monotonic().saturating_sub(begun));
            if left.is_zero() || latest.status.is_final() {
                return Ok(latest);
            }
            signs.notify(&latest).await;
            tokio::select! {
                biased;
                gone = signs.caller.wait_until_gone() => {
                    if (gone, on_cancel) == (AbandonReason::Cancelled, CancelPolicy::CancelRun) {
                        self.cancel_run(&latest).await;
                    }
                    // A client that still reads gets the status as it is now, not as of the last poll.
                    return Ok(self.backend().status(latest.id).await.unwrap_or(latest));
                }
                now = self.backend().watch(latest.id, WatchCondition::Rests, left.min(PROGRESS_INTERVAL)) => latest = now?,
            }
        }
    }

    async fn cancel_run(&self, summary: &RunSummary) {
        if let Err(problem) = self.backend().cancel(summary.id, PartialResults::Keep).await {
            tracing::warn!(research = %summary.id, code = %problem.code, "cancel failed");
        }
    }
}

/// Progress notifications of one call. The count must grow: the client gets the number of notifications, with
/// the run's own progress text beside it.
pub struct ProgressNotifier<'a> {
    caller: &'a Caller,
    given: u32,
}

impl<'a> ProgressNotifier<'a> {
    pub fn new(caller: &'a Caller) -> Self {
        Self { caller, given: 0 }
    }

    async fn notify(&mut self, summary: &RunSummary) {
        let Some(token) = self.caller.progress_token() else { return };
        self.given += 1;
        let steps = f64::from(summary.steps.max(summary.searches));
        // Grows even when nothing was counted in between, by less than one step.
        let progress = steps + f64::from(self.given) / 1_000.0;
        let message = format!("{}: {}", summary.status.as_str(), summary.current_action);
        let sign = ProgressNotificationParam::new(token, progress).with_message(message);
        let sent = tokio::time::timeout(SEND_WITHIN, self.caller.peer().notify_progress(sign)).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::debug!(research = %summary.id, "progress notification not sent");
        }
    }
}
