//! The one way from waiting to a handle, for every tool that starts long work.
//!
//! The research is on disk before this begins. Nothing here can lose it: a client that goes away, stops
//! reading or cuts the call finds it again under its id. Only a client that says so cancels it.

use std::time::Duration;

use probity_research::{
    Problem,
    status::{Status, Summary},
    stop::Partial,
};
use rmcp::model::{CreateTaskResult, ProgressNotificationParam};

use crate::{
    answer::{Answer, Reply},
    caller::{Caller, Gone},
    desk::Until,
    face::Face,
    markdown::Sources,
    outline,
    resources::links,
    results::{REPORT_CHARACTERS, Results, clean},
    rounds, tasks,
    tools::{
        check_citations,
        get_research_results::{check_command, without_report},
        start_deep_research::Output,
    },
    wire::usd,
};

/// An answer that comes this soon needs no handle, in either era.
const SHORT_WAIT: Duration = Duration::from_secs(2);
/// A sign of life at least this often; clients give up after 15 to 60 seconds of silence.
const SIGN_EVERY: Duration = Duration::from_secs(5);
/// A client that does not read must not hold up its own call.
const SEND_WITHIN: Duration = Duration::from_secs(1);

/// Longest long poll. Below the 60 seconds after which most clients cut a call.
const WAIT_SECONDS_MAX: u64 = 50;

/// Waits a bounded time for the end of a research that was just started, then hands it over.
pub async fn hand_over(
    face: &Face,
    caller: &Caller,
    started: Summary,
    budget: Duration,
) -> Result<Reply, Problem> {
    let begun = face.desk().monotonic();
    let mut signs = Signs::new(caller);
    let soon = SHORT_WAIT.min(budget);
    let summary = match face.stay(&mut signs, &started, soon, OnCancel::Withdraw).await {
        Ok(summary) => summary,
        // The store did not answer; the research is on disk all the same.
        Err(problem) => return Ok(Reply::Done(handle(&started, Some(&problem)))),
    };
    if summary.status.is_final() {
        return ended(face, &summary).await.map(Reply::Done);
    }
    if caller.is_gone() {
        return Ok(Reply::Done(handle(&summary, None)));
    }
    if caller.takes_tasks() {
        return Ok(Reply::Task(Box::new(CreateTaskResult::new(tasks::task(&summary)))));
    }
    let spent = face.desk().monotonic().saturating_sub(begun);
    let left = budget.saturating_sub(spent);
    let summary = face.stay(&mut signs, &summary, left, OnCancel::Withdraw).await.unwrap_or(summary);
    if summary.status.is_final() {
        return ended(face, &summary).await.map(Reply::Done);
    }
    Ok(Reply::Done(handle(&summary, None)))
}

/// The seed's answer for work that goes on.
fn handle(summary: &Summary, problem: Option<&Problem>) -> Answer {
    let mut message = "Research running in background. Notification when complete.".to_owned();
    if summary.status == Status::Pending {
        message = format!("The provider has not taken it yet ({}). {message}", summary.current_action);
    }
    if let Some(note) = &summary.note {
        message.push_str(&format!(" Note: {note}."));
    }
    if let Some(problem) = problem {
        message.push_str(&format!(" Its status could not be read just now: {}.", problem.message));
    }
    let command = check_command(summary.id);
    let output = Output {
        success: true,
        task_id: summary.id.to_string(),
        status: match summary.status {
            Status::Pending => Status::Pending.as_str(),
            _ => Status::RunningAsync.as_str(),
        },
        mode: "async",
        message: Some(message.clone()),
        check_status_command: Some(command.clone()),
        results: None,
        cost_usd: None,
    };
    let text = format!("{message}\ntask_id: {}\nnext: {command}", output.task_id);
    Answer::new(&output, text)
}

/// The whole answer of a research that rests, as a call or a task gives it back.
pub async fn ended(face: &Face, summary: &Summary) -> Result<Answer, Problem> {
    let Some(report) = face.desk().report(summary).await? else { return Ok(without_report(summary)) };
    if let (true, Some(ledger)) = (summary.given, &report.ledger) {
        return Ok(check_citations::ended(summary, &report, ledger));
    }
    if let Some(record) = &report.rounds {
        return Ok(rounds::ended(summary, &report, record));
    }
    let whole = clean(&report);
    let page = outline::page(&whole, 0, REPORT_CHARACTERS);
    let results = Results::of(summary, &report, (&whole, page), Sources::Listed, face.desk().now());
    let text = results.text(summary);
    let completed = summary.status == Status::Completed;
    let output = Output {
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
        Answer::new(&output, text).with_link(links::report(summary)).with_link(links::sources(summary));
    Ok(if completed { answer } else { answer.failed() })
}

/// What an explicit cancel of the call means for the research.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnCancel {
    /// This call started it, and its caller no longer wants it.
    Withdraw,
    /// The call only looked: whoever looks may look away.
    LookAway,
}

impl Face {
    /// Brings `summary` up to the research's end, if that comes within the seconds that the caller gave.
    pub async fn long_poll(
        &self,
        caller: &Caller,
        summary: &mut Summary,
        wait_seconds: u64,
    ) -> Result<(), Problem> {
        if wait_seconds > 0 && !summary.status.is_final() {
            // Boxed: whoever does not wait, which is nearly every status call, need not carry it.
            *summary = Box::pin(async {
                let limit = Duration::from_secs(wait_seconds.min(WAIT_SECONDS_MAX));
                self.stay(&mut Signs::new(caller), summary, limit, OnCancel::LookAway).await
            })
            .await?;
        }
        Ok(())
    }

    /// Stays with a research until it rests or `limit` has passed, and tells the client how it is going.
    pub async fn stay(
        &self,
        signs: &mut Signs<'_>,
        summary: &Summary,
        limit: Duration,
        on_cancel: OnCancel,
    ) -> Result<Summary, Problem> {
        let begun = self.desk().monotonic();
        let mut latest = summary.clone();
        loop {
            let left = limit.saturating_sub(self.desk().monotonic().saturating_sub(begun));
            if left.is_zero() || latest.status.is_final() {
                return Ok(latest);
            }
            signs.give(&latest).await;
            tokio::select! {
                biased;
                gone = signs.caller.gone() => {
                    if (gone, on_cancel) == (Gone::Cancelled, OnCancel::Withdraw) {
                        self.withdraw(&latest).await;
                    }
                    // Whoever still reads is told how it stands now, not how it stood at the last look.
                    return Ok(self.desk().status(latest.id).await.unwrap_or(latest));
                }
                now = self.desk().watch(latest.id, Until::Rests, left.min(SIGN_EVERY)) => latest = now?,
            }
        }
    }

    async fn withdraw(&self, summary: &Summary) {
        if let Err(problem) = self.desk().cancel(summary.id, Partial::Keep).await {
            tracing::warn!(research = %summary.id, code = %problem.code, "could not cancel");
        }
    }
}

/// Progress notifications of one call. Counted things only, and the count must grow: what a client is told
/// is the number of signs, with the research's own words beside it.
pub struct Signs<'a> {
    caller: &'a Caller,
    given: u32,
}

impl<'a> Signs<'a> {
    pub fn new(caller: &'a Caller) -> Self {
        Self { caller, given: 0 }
    }

    async fn give(&mut self, summary: &Summary) {
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
