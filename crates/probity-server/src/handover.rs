//! The one way from waiting to a handle, for every tool that starts long work.
//!
//! The research is on disk before this begins. Nothing here can lose it: a client that goes away, stops
//! reading or cuts the call finds it again under its id. Only a client that says so cancels it.

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
/// A sign of life at least this often; clients give up after 15 to 60 seconds of silence.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);
/// A client that does not read must not hold up its own call.
const SEND_WITHIN: Duration = Duration::from_secs(1);

/// Longest long poll. Below the 60 seconds after which most clients cut a call.
const WAIT_SECONDS_MAX: u64 = 50;

/// Waits a bounded time for the end of a research that was just started, then hands it over.
pub async fn wait_or_hand_over(
    face: &McpServer,
    caller: &Caller,
    started: RunSummary,
    budget: Duration,
) -> Result<ToolReply, CodedError> {
    let begun = face.backend().monotonic();
    let mut signs = ProgressNotifier::new(caller);
    let soon = SHORT_WAIT.min(budget);
    let summary = match face.wait_with_progress(&mut signs, &started, soon, CancelPolicy::CancelRun).await {
        Ok(summary) => summary,
        // The store did not answer; the research is on disk all the same.
        Err(problem) => return Ok(ToolReply::Done(handle_answer(&started, Some(&problem)))),
    };
    if summary.status.is_final() {
        return final_answer(face, &summary).await.map(ToolReply::Done);
    }
    if caller.is_gone() {
        return Ok(ToolReply::Done(handle_answer(&summary, None)));
    }
    if caller.takes_tasks() {
        return Ok(ToolReply::Task(Box::new(CreateTaskResult::new(tasks::task(&summary)))));
    }
    let spent = face.backend().monotonic().saturating_sub(begun);
    let left = budget.saturating_sub(spent);
    let summary =
        face.wait_with_progress(&mut signs, &summary, left, CancelPolicy::CancelRun).await.unwrap_or(summary);
    if summary.status.is_final() {
        return final_answer(face, &summary).await.map(ToolReply::Done);
    }
    Ok(ToolReply::Done(handle_answer(&summary, None)))
}

/// The seed's answer for work that goes on.
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

/// The whole answer of a research that rests, as a call or a task gives it back.
pub async fn final_answer(face: &McpServer, summary: &RunSummary) -> Result<ToolAnswer, CodedError> {
    let Some(report) = face.backend().report(summary).await? else { return Ok(without_report(summary)) };
    if let (true, Some(ledger)) = (summary.given, &report.ledger) {
        return Ok(check_citations::citations_answer(summary, &report, ledger));
    }
    if let Some(record) = &report.rounds {
        return Ok(rounds::rounds_answer(summary, &report, record));
    }
    let whole = clean(&report);
    let page = outline::page(&whole, 0, REPORT_CHARACTERS);
    let results =
        RunResults::of(summary, &report, (&whole, page), SourceListVisibility::Listed, face.backend().now());
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

/// What an explicit cancel of the call means for the research.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelPolicy {
    /// This call started it, and its caller no longer wants it.
    CancelRun,
    /// The call only looked: whoever looks may look away.
    StopWaiting,
}

impl McpServer {
    /// Brings `summary` up to the research's end, if that comes within the seconds that the caller gave.
    pub async fn long_poll(
        &self,
        caller: &Caller,
        summary: &mut RunSummary,
        wait_seconds: u64,
    ) -> Result<(), CodedError> {
        if wait_seconds > 0 && !summary.status.is_final() {
            // Boxed: whoever does not wait, which is nearly every status call, need not carry it.
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

    /// Stays with a research until it rests or `limit` has passed, and tells the client how it is going.
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
                    // Whoever still reads is told how it stands now, not how it stood at the last look.
                    return Ok(self.backend().status(latest.id).await.unwrap_or(latest));
                }
                now = self.backend().watch(latest.id, WatchCondition::Rests, left.min(PROGRESS_INTERVAL)) => latest = now?,
            }
        }
    }

    async fn cancel_run(&self, summary: &RunSummary) {
        if let Err(problem) = self.backend().cancel(summary.id, PartialResults::Keep).await {
            tracing::warn!(research = %summary.id, code = %problem.code, "could not cancel");
        }
    }
}

/// Progress notifications of one call. Counted things only, and the count must grow: what a client is told
/// is the number of signs, with the research's own words beside it.
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
            tracing::debug!(research = %summary.id, "the client took no progress");
        }
    }
}
