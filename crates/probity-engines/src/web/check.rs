//! Checking a text: fetch a cited page, examine every claim, ask the judge.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use probity_models::Transport;
use probity_research::{
    checking::{
        CheckCall, CheckTaskOutput, CheckTaskReply,
        task::{CheckRequest, ExamineRequest, JudgeSeat},
    },
    engine_call::EngineOutcome,
    error::{Code, CodedError},
    state::RunState,
    web::Bill,
};

use super::WebEngine;
use crate::{judge::Judge, prompts::Prompts};

/// A text whose deadline passed while its pages were fetched is examined all the same, for this long: every run ends
/// within five seconds of its deadline.
const EXAMINE_TIME_MIN: Duration = Duration::from_secs(4);

impl<T: Transport> WebEngine<T> {
    pub async fn check(&self, prompts: &Prompts, research: &RunState, call: &CheckCall) -> EngineOutcome {
        let (brought, bill) = match &call.ask {
            CheckRequest::Page { url } => (Box::pin(self.cited_page(url)).await, Bill::NOTHING),
            CheckRequest::Examine(ask) => (examine(ask.clone(), time_left(research)).await, Bill::NOTHING),
            CheckRequest::Judge(ask) => match self.judge_at(call.task.seat().0) {
                Some(judge) => Box::pin(judge.ask(prompts, ask)).await,
                None => {
                    let problem = CodedError::new(Code::KeyMissing, "no judge is configured any more");
                    (CheckTaskOutput::Failed(problem), Bill::NOTHING)
                }
            },
        };
        let failed = matches!(brought, CheckTaskOutput::Failed(_));
        tracing::debug!(research = %research.id, task = ?call.task, failed);
        EngineOutcome::Check(Box::new(CheckTaskReply { task: call.task.clone(), output: brought, bill }))
    }

    fn judge_at(&self, seat: JudgeSeat) -> Option<&Judge<T>> {
        match seat {
            JudgeSeat::First => self.judge.as_ref(),
            JudgeSeat::Second => self.second_judge.as_ref(),
        }
    }

    /// A page that a report cites, or its copy from an archive. Never a file: the text of a report is not
    /// trusted.
    async fn cited_page(&self, url: &str) -> CheckTaskOutput {
        let page = match self.fetch(url).await {
            Ok(fetched) => self.text(fetched.record, fetched.bytes).await,
            Err(problem) => Err(problem),
        };
        page.map_or_else(CheckTaskOutput::Failed, |page| CheckTaskOutput::Page(Box::new(page)))
    }
}

fn time_left(research: &RunState) -> Duration {
    let attended = Duration::from_millis(research.attended_ms);
    research.plan.limits.deadline().saturating_sub(attended).max(EXAMINE_TIME_MIN)
}

/// Ends the examination on its own thread when the task that waits for it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A long report takes a moment of one core: not on a thread that other tasks wait for, and not beyond the deadline.
async fn examine(ask: Box<ExamineRequest>, time_max: Duration) -> CheckTaskOutput {
    let stop = StopOnDrop(Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&stop.0);
    let work = tokio::task::spawn_blocking(move || probity_evidence::examine::examine_until(&ask, &flag));
    let failed = |code, message| CheckTaskOutput::Failed(CodedError::new(code, message));
    match tokio::time::timeout(time_max, work).await {
        Ok(Ok(Some(report))) => CheckTaskOutput::Examined(Box::new(report)),
        Ok(Ok(None) | Err(_)) => failed(Code::ExecutionError, "the examination of the text failed"),
        Err(_) => failed(
            Code::Deadline,
            "its claims were not examined before the deadline; give it more time with `--max-time`, or check the text \
             in smaller parts",
        ),
    }
}
