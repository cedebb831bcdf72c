//! Runs as MCP tasks (the 2026-07-28 extension), served from the store: a task id is a run's
//! `task_id`, outlives this process, and is never kept in memory only.

use probity_research::{
    CodedError,
    scope::KeyScope,
    status::{RunStatus, RunSummary},
    stop::PartialResults,
};
use rmcp::{
    ErrorData,
    model::{CallToolResult, DetailedTask, GetTaskResult, Task, TaskPayload, TaskStatus},
};
use serde_json::Value;

use crate::{answer::ToolAnswer, caller::Caller, handover::final_answer, mcp_server::McpServer};

/// How often a client should poll. The provider changes its state every few seconds at most.
const POLL_EVERY_MS: u64 = 5_000;

/// A run as a task. It is kept for good, so there is no time to live.
pub fn task(summary: &RunSummary) -> Task {
    Task::new(
        summary.id.to_string(),
        status(summary.status),
        summary.asked_at.to_string(),
        summary.updated_at.to_string(),
    )
    .with_status_message(message(summary))
    .with_poll_interval_ms(POLL_EVERY_MS)
}

impl McpServer {
    pub(crate) async fn task(&self, caller: &Caller, task_id: &str) -> Result<GetTaskResult, ErrorData> {
        caller.require_scope(KeyScope::Read).map_err(|problem| protocol_error(&problem))?;
        let summary = self.find(caller, task_id).await.map_err(|problem| protocol_error(&problem))?;
        let payload = match status(summary.status) {
            TaskStatus::Cancelled => TaskPayload::Cancelled,
            TaskStatus::Completed => TaskPayload::Completed { result: self.task_result(&summary).await },
            _ => TaskPayload::Working,
        };
        Ok(GetTaskResult::new(DetailedTask::new(task(&summary), payload)))
    }

    /// What the call itself would have answered.
    async fn task_result(&self, summary: &RunSummary) -> rmcp::model::JsonObject {
        let answer = final_answer(self, summary).await;
        let answer = answer.unwrap_or_else(|problem| ToolAnswer::of_problem(&problem, Some(summary.id)));
        match serde_json::to_value(CallToolResult::from(answer)) {
            Ok(Value::Object(result)) => result,
            _ => rmcp::model::JsonObject::new(),
        }
    }

    pub(crate) async fn cancel_task_of(&self, caller: &Caller, task_id: &str) -> Result<(), ErrorData> {
        caller.require_scope(KeyScope::Cancel).map_err(|problem| protocol_error(&problem))?;
        let summary = self.find(caller, task_id).await.map_err(|problem| protocol_error(&problem))?;
        if summary.status.is_final() {
            return Ok(());
        }
        let cancelled = self.backend().cancel(summary.id, PartialResults::Keep).await;
        let code = cancelled.as_ref().err().map(|problem| problem.code);
        self.record_audit(&caller.admitted, "tasks/cancel", Some(summary.id), code).await;
        cancelled.map(drop).map_err(|problem| protocol_error(&problem))
    }
}

/// A run that ended badly is a completed task whose result says so: `failed` is for broken calls.
fn status(status: RunStatus) -> TaskStatus {
    match status {
        RunStatus::Pending | RunStatus::RunningAsync | RunStatus::Cancelling => TaskStatus::Working,
        RunStatus::Cancelled => TaskStatus::Cancelled,
        RunStatus::Completed
        | RunStatus::Incomplete
        | RunStatus::Failed
        | RunStatus::Expired
        | RunStatus::TimedOut
        | RunStatus::OverBudget
        | RunStatus::Unknown => TaskStatus::Completed,
    }
}

/// The action of a run at rest is its status again.
fn message(summary: &RunSummary) -> String {
    let status = summary.status.as_str();
    let action = match summary.status.is_final() {
        true => String::new(),
        false => format!(": {}", summary.current_action),
    };
    let searches = match summary.searches {
        0 => String::new(),
        1 => " (1 search)".to_owned(),
        more => format!(" ({more} searches)"),
    };
    format!("{status}{action}{searches}")
}

pub(crate) fn protocol_error(problem: &CodedError) -> ErrorData {
    ErrorData::invalid_params(format!("{}: {}", problem.code, problem.message), None)
}

#[cfg(test)]
mod tests {
    use probity_research::{
        RunId,
        status::{RunStatus, RunSummary},
    };
    use serde_json::json;

    use super::message;

    #[test]
    fn a_task_says_what_it_does_and_at_its_end_only_how_it_ended() {
        let summary: RunSummary = serde_json::from_value(json!({
            "id": RunId::from_random(7), "status": "running_async", "due": true, "query": "q",
            "engine": "gemini-api", "agent": "a", "asked_at": 0, "updated_at": 9, "progress_percent": 5,
            "progress_estimated": true, "current_action": "searching: sky", "steps": 1, "searches": 1,
            "pages": 0, "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 0,
        }))
        .unwrap();
        assert_eq!(message(&summary), "running_async: searching: sky (1 search)");
        let action = "cancelled".to_owned();
        let ended =
            RunSummary { status: RunStatus::Cancelled, current_action: action, searches: 0, ..summary };
        assert_eq!(message(&ended), "cancelled");
    }
}
