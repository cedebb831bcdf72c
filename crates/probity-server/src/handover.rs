//! The one way from waiting to a task handle, for every tool that starts long work.
//!
//! The run is on disk before this begins. Nothing here can lose it: a client that disconnects, stops reading
//! or cuts the call finds the run again under its id. Only an explicit cancel of the client cancels it.

use std::time::Duration;

use probity_research::{
    CodedError,
    notify::{NotificationChannel, promise},
    status::{RunStatus, RunSummary},
    stop::PartialResults,
};
use rmcp::model::{CreateTaskResult, ProgressNotificationParam};

use crate::{
    answer::{ToolAnswer, ToolReply},
    backend::{StartKind, StartOutcome, WatchCondition},
    caller::{AbandonReason, Caller},
    mcp_server::McpServer,
    resources::links,
    results::RunResults,
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
pub const WAIT_SECONDS_MAX: u64 = 50;

/// Waits a bounded time for the end of a run that was just started, then hands it over.
pub async fn wait_or_hand_over(
    server: &McpServer,
    caller: &Caller,
    started: StartOutcome,
    budget: Duration,
) -> Result<ToolReply, CodedError> {
    let StartOutcome { summary, which } = started;
    match which {
        StartKind::New => wait(server, caller, summary, budget, CancelPolicy::CancelRun).await,
        StartKind::Same => {
            let remark = repeat_remark(&summary);
            let reply = wait(server, caller, summary, budget, CancelPolicy::StopWaiting).await?;
            Ok(reply.with_remark(&remark))
        }
    }
}

/// Why nothing was started.
fn repeat_remark(summary: &RunSummary) -> String {
    let id = summary.id;
    match summary.is_start_uncertain() {
        true => format!(
            "This very question was sent to the provider before as {id}, and nobody knows whether it was taken and \
             billed; nothing was started now. To pay for another, call again with again=true."
        ),
        false => format!(
            "The same question was started before as {id}: this is that run. Nothing was started now and nothing more is \
             paid. To start another, call again with again=true."
        ),
    }
}

async fn wait(
    server: &McpServer,
    caller: &Caller,
    started: RunSummary,
    budget: Duration,
    on_cancel: CancelPolicy,
) -> Result<ToolReply, CodedError> {
    let channel = server.backend().run_settings().notifications;
    let begun = server.backend().monotonic();
    let mut signs = ProgressNotifier::new(caller);
    let soon = SHORT_WAIT.min(budget);
    let summary = match server.wait_with_progress(&mut signs, &started, soon, on_cancel).await {
        Ok(summary) => summary,
        // The store did not answer; the run is on disk all the same.
        Err(problem) => return Ok(ToolReply::Done(handle_answer(&started, channel, Some(&problem)))),
    };
    if summary.status.is_final() {
        return final_answer(server, &summary).await.map(ToolReply::Done);
    }
    if caller.is_gone() {
        let summary = note_handover(server, summary, on_cancel).await;
        return Ok(ToolReply::Done(handle_answer(&summary, channel, None)));
    }
    if caller.takes_tasks() {
        let summary = note_handover(server, summary, on_cancel).await;
        return Ok(ToolReply::Task(Box::new(CreateTaskResult::new(tasks::task(&summary)))));
    }
    let spent = server.backend().monotonic().saturating_sub(begun);
    let left = budget.saturating_sub(spent);
    let summary = server.wait_with_progress(&mut signs, &summary, left, on_cancel).await.unwrap_or(summary);
    let summary = note_handover(server, summary, on_cancel).await;
    if summary.status.is_final() {
        return final_answer(server, &summary).await.map(ToolReply::Done);
    }
    Ok(ToolReply::Done(handle_answer(&summary, channel, None)))
}

/// The run, with the note in its journal that the call which started it did not wait for its end. The end may have
/// come meanwhile.
async fn note_handover(server: &McpServer, summary: RunSummary, on_cancel: CancelPolicy) -> RunSummary {
    if summary.status.is_final() || on_cancel != CancelPolicy::CancelRun {
        return summary;
    }
    match server.backend().hand_over(summary.id).await {
        Ok(noted) => noted,
        Err(problem) => {
            tracing::warn!(research = %summary.id, code = %problem.code, "handover not noted");
            summary
        }
    }
}

/// The original tool's answer for work that goes on.
fn handle_answer(
    summary: &RunSummary,
    channel: NotificationChannel,
    problem: Option<&CodedError>,
) -> ToolAnswer {
    let promise = promise(summary.notify, channel);
    let mut message = match summary.status {
        _ if summary.is_start_unanswered() => format!(
            "Research saved; the provider was asked to start it and has not answered yet, so nobody knows whether it has \
             taken it. {promise}"
        ),
        RunStatus::Cancelling => format!("Research saved; it is being cancelled. {promise}"),
        RunStatus::Pending => format!(
            "Research saved, not running yet: the provider has not taken it ({}). Probity keeps trying. {promise}",
            summary.current_action
        ),
        _ => format!("Research running in background. {promise}"),
    };
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
    let Some(report) = server.backend().report(summary).await? else {
        return Ok(without_report(server, summary).await);
    };
    let now = server.backend().now();
    if let (true, Some(ledger)) = (summary.given, &report.ledger) {
        return Ok(check_citations::citations_answer(summary, &report, ledger, now));
    }
    // A further question is answered in the one form that its tool has, whatever engine answered it.
    if report.rounds.is_some() && summary.follows.is_none() {
        return Ok(rounds::rounds_answer(summary, &report, now));
    }
    let results = RunResults::first_page(summary, &report, now);
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
    // A partial report is an answer: only one with nothing to return is an error.
    Ok(ToolAnswer::new(&output, text).with_link(links::report(summary)).with_link(links::sources(summary)))
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
    /// Warnings of the run that the client was told of.
    warned: usize,
}

impl<'a> ProgressNotifier<'a> {
    pub fn new(caller: &'a Caller) -> Self {
        Self { caller, given: 0, warned: 0 }
    }

    async fn notify(&mut self, summary: &RunSummary) {
        let Some(token) = self.caller.progress_token() else { return };
        self.given += 1;
        let steps = f64::from(summary.steps.max(summary.searches));
        // Grows even when nothing was counted in between, by less than one step.
        let progress = steps + f64::from(self.given) / 1_000.0;
        let message = format!("{}: {}", summary.status.as_str(), news(summary, &mut self.warned));
        let sign = ProgressNotificationParam::new(token, progress).with_message(message);
        let sent = tokio::time::timeout(SEND_WITHIN, self.caller.peer().notify_progress(sign)).await;
        if !matches!(sent, Ok(Ok(()))) {
            tracing::debug!(research = %summary.id, "progress notification not sent");
        }
    }
}

/// What goes wrong, once; else what it does now. `warned` counts what was told before.
fn news(summary: &RunSummary, warned: &mut usize) -> String {
    let fresh = summary.warnings.get(*warned..).unwrap_or_default();
    *warned = summary.warnings.len().max(*warned);
    match fresh.is_empty() {
        true => summary.current_action.clone(),
        false => format!("warning: {}", fresh.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{RunId, status::RunSummary};
    use serde_json::json;

    use super::news;

    #[test]
    fn what_goes_wrong_is_told_once_and_then_what_is_done() {
        let summary: RunSummary = serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "running_async", "due": true, "query": "q",
            "engine": "web", "agent": "a", "asked_at": 0, "updated_at": 9, "progress_percent": 5,
            "progress_estimated": true, "current_action": "searching: sky", "steps": 1, "searches": 1,
            "pages": 0, "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 0,
            "warnings": ["the model is gone"],
        }))
        .unwrap();
        let mut warned = 0;
        assert_eq!(news(&summary, &mut warned), "warning: the model is gone");
        assert_eq!(news(&summary, &mut warned), "searching: sky");
    }
}
