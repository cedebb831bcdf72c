//! One poll of a run: a get, and what it means.

use std::time::Duration;

use probity_research::{
    engine_call::{EngineOutcome, Poll, RemoteEnd, RemoteResult, StreamState, UnreadableAnswer},
    error::{Code, CodedError},
    progress::{NEWS_KEPT_MAX, Progress, ProgressLine},
    state::RunState,
    text,
};

use super::{
    DeepResearch,
    stream_progress::{self, StreamProgress},
};
use crate::{
    gemini::{
        client::InteractionsReply,
        error::ProviderRefusal,
        report,
        wire::{Interaction, InteractionStatus, InteractionStep, InteractionStepKind, readable},
    },
    transport::Transport,
};

/// Longest status text shown.
const STATUS_CHARACTERS_MAX: usize = 40;

impl<T: Transport> DeepResearch<T> {
    /// Polls once. `watch` is what a stream reported before it closed: a poll never takes that back.
    pub(super) async fn poll(
        &self,
        research: &RunState,
        remote_id: &str,
        cursor: Option<String>,
        watch: Option<StreamProgress>,
        within: Duration,
    ) -> EngineOutcome {
        match self.client.get(remote_id, within).await {
            InteractionsReply::Success(body) => poll_outcome(research, remote_id, body, cursor, watch),
            InteractionsReply::Refused(refusal) => refused_outcome(refusal),
            InteractionsReply::Broken(answer) if answer.raw.is_empty() => {
                EngineOutcome::Unreachable(answer.problem)
            }
            InteractionsReply::Broken(answer) => EngineOutcome::Unreadable(Box::new(answer)),
        }
    }
}

/// What a refused get says of the run.
pub(super) fn refused_outcome(refusal: ProviderRefusal) -> EngineOutcome {
    let ProviderRefusal { problem, raw, .. } = refusal;
    match (problem.http_status, problem.code) {
        (Some(403 | 404), Code::NotFound | Code::PermissionDenied) => EngineOutcome::NotThere(problem),
        _ if raw.is_empty() => EngineOutcome::Unreachable(problem),
        _ => EngineOutcome::Unreadable(Box::new(UnreadableAnswer { problem, raw })),
    }
}

fn poll_outcome(
    research: &RunState,
    remote_id: &str,
    body: Vec<u8>,
    cursor: Option<String>,
    watch: Option<StreamProgress>,
) -> EngineOutcome {
    let unreadable = |why: &str, raw: Vec<u8>| {
        let message = format!("the provider's answer cannot be read: {why}");
        let problem = CodedError::new(Code::UnreadableAnswer, &message).with_status(200);
        EngineOutcome::Unreadable(Box::new(UnreadableAnswer { problem, raw }))
    };
    let readable = readable(&body);
    let interaction = match Interaction::read(&readable) {
        Ok(interaction) => interaction,
        Err(_) => return unreadable("it is not an interaction", body.clone()),
    };
    if interaction.status.is_empty() {
        return unreadable("it has no status", body.clone());
    }
    if interaction.id.non_empty().is_some_and(|id| id != remote_id) {
        return unreadable("it is about another run", body.clone());
    }
    let mut progress = progress(&interaction, research.progress.steps);
    if let Some(watch) = watch {
        watch.merge_into(&mut progress);
    }
    let status = interaction.status();
    tracing::debug!(status = %progress.remote_status, bytes = body.len(), steps = progress.steps, "polled");
    let Some(end) = end(&status, &interaction.steps) else {
        let so_far = has_output(&interaction.steps).then(|| report::assemble(&interaction.steps).report);
        return EngineOutcome::Running(Box::new(Poll {
            progress,
            cursor,
            stream: StreamState::Closed,
            so_far: so_far.filter(|report| !report.is_empty()),
        }));
    };
    let assembled = report::assemble(&interaction.steps);
    if assembled.blocks_skipped > 0 {
        tracing::info!(blocks = assembled.blocks_skipped, "output blocks without text skipped");
    }
    progress.report_bytes_sent = assembled.cut_from();
    let problem = problem(end, &interaction);
    let finished = RemoteResult {
        end,
        report: assembled.report,
        usage: progress.usage,
        progress,
        problem,
        raw: Vec::new(),
    };
    drop(readable);
    let mut raw = body;
    raw.shrink_to_fit();
    EngineOutcome::Finished(Box::new(RemoteResult { raw, ..finished }))
}

fn has_output(steps: &[InteractionStep<'_>]) -> bool {
    steps.iter().any(|step| step.kind() == InteractionStepKind::ModelOutput)
}

/// How the run ended, if it did.
fn end(status: &InteractionStatus, steps: &[InteractionStep<'_>]) -> Option<RemoteEnd> {
    match status {
        InteractionStatus::Completed => Some(RemoteEnd::Completed),
        InteractionStatus::RequiresAction if has_finished_output(steps) => Some(RemoteEnd::Completed),
        InteractionStatus::Failed | InteractionStatus::RequiresAction => Some(RemoteEnd::Failed),
        InteractionStatus::Cancelled => Some(RemoteEnd::Cancelled),
        InteractionStatus::Incomplete | InteractionStatus::BudgetExceeded => Some(RemoteEnd::Incomplete),
        InteractionStatus::Queued
        | InteractionStatus::InProgress
        | InteractionStatus::RequiresContinuation
        | InteractionStatus::Unknown(_) => None,
    }
}

/// Some runs end as `requires_action` although they are done: then output comes last and no call is open.
fn has_finished_output(steps: &[InteractionStep<'_>]) -> bool {
    let mut spoken = steps.iter().rev().filter(|step| step.kind() != InteractionStepKind::Thought);
    let output_is_last = spoken.next().is_some_and(|step| step.kind() == InteractionStepKind::ModelOutput);
    let answered = |call: &InteractionStep<'_>| {
        steps
            .iter()
            .any(|step| step.kind() == InteractionStepKind::FunctionResult && *step.call_id == *call.id)
    };
    output_is_last
        && steps.iter().filter(|step| step.kind() == InteractionStepKind::FunctionCall).all(answered)
}

/// The provider's message for an end that is no success.
fn problem(end: RemoteEnd, interaction: &Interaction<'_>) -> Option<CodedError> {
    let code = match end {
        RemoteEnd::Completed | RemoteEnd::Cancelled => return None,
        RemoteEnd::Failed => Code::ProviderFailed,
        RemoteEnd::Incomplete => Code::Incomplete,
    };
    let mut words: Vec<String> = interaction.errors.iter().map(|error| error.message.to_string()).collect();
    words.extend(interaction.steps.iter().map(|step| step.error().message.to_string()));
    words.retain(|message| !message.is_empty());
    let said = if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) };
    Some(CodedError::new(code, &format!("the provider ended the run as `{}`{said}", &*interaction.status)))
}

/// Counts over all steps, and as new entries those after the first `steps_known` of them.
fn progress(interaction: &Interaction<'_>, steps_known: u32) -> Progress {
    let mut progress = Progress {
        remote_status: text::line(&interaction.status, STATUS_CHARACTERS_MAX),
        ..Progress::default()
    };
    for step in &interaction.steps {
        match step.kind() {
            InteractionStepKind::UserInput => continue,
            InteractionStepKind::GoogleSearchCall => {
                let queries = step.arguments().queries().len();
                progress.searches = progress.searches.saturating_add(count(queries));
            }
            InteractionStepKind::UrlContextResult => {
                let read = step.pages().iter().filter(|page| page.was_read()).count();
                progress.pages = progress.pages.saturating_add(count(read));
            }
            InteractionStepKind::ModelOutput
            | InteractionStepKind::Thought
            | InteractionStepKind::UrlContextCall
            | InteractionStepKind::FunctionCall
            | InteractionStepKind::FunctionResult
            | InteractionStepKind::Unknown(_) => {}
        }
        progress.steps = progress.steps.saturating_add(1);
    }
    progress.news = news(&interaction.steps, steps_known);
    progress.usage = report::usage(interaction.usage, progress.searches);
    progress
}

/// The newest lines, gathered from the end: most steps were reported before and need not be read again.
fn news(steps: &[InteractionStep<'_>], steps_known: u32) -> Vec<ProgressLine> {
    let own = steps.iter().filter(|step| step.kind() != InteractionStepKind::UserInput);
    let fresh: Vec<&InteractionStep<'_>> =
        own.skip(usize::try_from(steps_known).unwrap_or(usize::MAX)).collect();
    let mut newest_first: Vec<ProgressLine> = Vec::new();
    for step in fresh.into_iter().rev() {
        newest_first.extend(lines(step).into_iter().rev());
        newest_first.dedup();
        if newest_first.len() >= NEWS_KEPT_MAX {
            break;
        }
    }
    newest_first.truncate(NEWS_KEPT_MAX);
    newest_first.reverse();
    newest_first
}

fn lines(step: &InteractionStep<'_>) -> Vec<ProgressLine> {
    match step.kind() {
        InteractionStepKind::GoogleSearchCall => step
            .arguments()
            .queries()
            .iter()
            .filter_map(|query| stream_progress::search_news(query))
            .collect(),
        // A page that was asked for and refused was not read.
        InteractionStepKind::UrlContextResult => {
            let pages = step.pages();
            let read = pages.iter().filter(|page| page.was_read());
            read.filter_map(|page| stream_progress::page_news(&page.url)).collect()
        }
        InteractionStepKind::Thought => {
            step.summary().iter().filter_map(|part| stream_progress::thought_news(&part.text)).collect()
        }
        InteractionStepKind::ModelOutput => vec![stream_progress::writing_news()],
        InteractionStepKind::UserInput
        | InteractionStepKind::UrlContextCall
        | InteractionStepKind::FunctionCall
        | InteractionStepKind::FunctionResult
        | InteractionStepKind::Unknown(_) => Vec::new(),
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
