//! One look at a run: a get, and what it means.

use probity_research::{
    error::{Code, Problem},
    finding::{Ear, Finding, Finished, RemoteEnd, Sighting},
    progress::{NEWS_MAX, News, Progress},
    state::Research,
    text,
};

use super::{
    DeepResearch,
    watch::{self, Watch},
};
use crate::{
    gemini::{
        client::Answer,
        report,
        wire::{Interaction, Status, Step, StepKind},
    },
    transport::Transport,
};

/// Longest status word shown.
const STATUS_CHARACTERS_MAX: usize = 40;

impl<T: Transport> DeepResearch<T> {
    /// Looks once. `watch` is what a stream told before it closed: a look never takes that back.
    pub(super) async fn look(
        &self,
        research: &Research,
        remote_id: &str,
        cursor: Option<String>,
        watch: Option<Watch>,
    ) -> Finding {
        match self.client.get(remote_id).await {
            Answer::Success(body) => seen(research, body, cursor, watch),
            Answer::Refused(refusal) => refused(refusal.problem),
            Answer::Nothing(problem) => Finding::Unreachable(problem),
        }
    }
}

/// What a refused get says of the run.
pub(super) fn refused(problem: Problem) -> Finding {
    match (problem.http_status, problem.code) {
        (Some(403 | 404), Code::NotFound | Code::PermissionDenied) => Finding::NotThere(problem),
        _ => Finding::Unreachable(problem),
    }
}

fn seen(research: &Research, body: Vec<u8>, cursor: Option<String>, watch: Option<Watch>) -> Finding {
    let unreadable =
        |why: &str| Finding::Unreachable(Problem::new(Code::UnreadableAnswer, why).with_status(200));
    let interaction = match Interaction::read(&body) {
        Ok(interaction) => interaction,
        Err(_) => return unreadable("the provider's answer is not an interaction"),
    };
    if interaction.status.is_empty() {
        return unreadable("the provider's answer has no status");
    }
    let mut progress = progress(&interaction, research.progress.steps);
    if let Some(watch) = watch {
        watch.merge_into(&mut progress);
    }
    let status = interaction.status();
    tracing::debug!(status = %progress.remote_status, bytes = body.len(), steps = progress.steps, "looked");
    let Some(end) = end(&status, &interaction.steps) else {
        let so_far = has_output(&interaction.steps).then(|| report::assemble(&interaction.steps).report);
        return Finding::Seen(Box::new(Sighting {
            progress,
            cursor,
            ear: Ear::Closed,
            so_far: so_far.filter(|report| !report.is_empty()),
        }));
    };
    let assembled = report::assemble(&interaction.steps);
    if assembled.blocks_skipped > 0 {
        tracing::info!(blocks = assembled.blocks_skipped, "output that is no text is not in the report");
    }
    let problem = problem(end, &interaction);
    let finished =
        Finished { end, report: assembled.report, usage: progress.usage, progress, problem, raw: Vec::new() };
    let mut raw = body;
    raw.shrink_to_fit();
    Finding::Finished(Box::new(Finished { raw, ..finished }))
}

fn has_output(steps: &[Step<'_>]) -> bool {
    steps.iter().any(|step| step.kind() == StepKind::ModelOutput)
}

/// How the run ended, if it did.
fn end(status: &Status, steps: &[Step<'_>]) -> Option<RemoteEnd> {
    match status {
        Status::Completed => Some(RemoteEnd::Completed),
        Status::RequiresAction if has_finished_output(steps) => Some(RemoteEnd::Completed),
        Status::Failed | Status::RequiresAction => Some(RemoteEnd::Failed),
        Status::Cancelled => Some(RemoteEnd::Cancelled),
        Status::Incomplete | Status::BudgetExceeded => Some(RemoteEnd::Incomplete),
        Status::Queued | Status::InProgress | Status::RequiresContinuation | Status::Unknown(_) => None,
    }
}

/// Some runs end as `requires_action` although they are done: then output comes last and no call is open.
fn has_finished_output(steps: &[Step<'_>]) -> bool {
    let mut spoken = steps.iter().rev().filter(|step| step.kind() != StepKind::Thought);
    let output_is_last = spoken.next().is_some_and(|step| step.kind() == StepKind::ModelOutput);
    let answered = |call: &Step<'_>| {
        steps.iter().any(|step| step.kind() == StepKind::FunctionResult && *step.call_id == *call.id)
    };
    output_is_last && steps.iter().filter(|step| step.kind() == StepKind::FunctionCall).all(answered)
}

/// The provider's words on an end that is no success.
fn problem(end: RemoteEnd, interaction: &Interaction<'_>) -> Option<Problem> {
    let code = match end {
        RemoteEnd::Completed | RemoteEnd::Cancelled => return None,
        RemoteEnd::Failed => Code::ProviderFailed,
        RemoteEnd::Incomplete => Code::Incomplete,
    };
    let mut words: Vec<String> = interaction.errors.iter().map(|error| error.message.to_string()).collect();
    words.extend(interaction.steps.iter().map(|step| step.error().message.to_string()));
    words.retain(|message| !message.is_empty());
    let said = if words.is_empty() { String::new() } else { format!(": {}", words.join("; ")) };
    Some(Problem::new(code, &format!("the provider ended the run as `{}`{said}", &*interaction.status)))
}

/// Counts over all steps, and as news what came after the first `steps_known` of them.
fn progress(interaction: &Interaction<'_>, steps_known: u32) -> Progress {
    let mut progress = Progress {
        remote_status: text::line(&interaction.status, STATUS_CHARACTERS_MAX),
        ..Progress::default()
    };
    for step in &interaction.steps {
        match step.kind() {
            StepKind::UserInput => continue,
            StepKind::GoogleSearchCall => {
                let queries = step.arguments().queries().len();
                progress.searches = progress.searches.saturating_add(count(queries));
            }
            StepKind::UrlContextResult => {
                let read = step.pages().iter().filter(|page| page.was_read()).count();
                progress.pages = progress.pages.saturating_add(count(read));
            }
            StepKind::ModelOutput
            | StepKind::Thought
            | StepKind::UrlContextCall
            | StepKind::FunctionCall
            | StepKind::FunctionResult
            | StepKind::Unknown(_) => {}
        }
        progress.steps = progress.steps.saturating_add(1);
    }
    progress.news = news(&interaction.steps, steps_known);
    progress.usage = report::usage(interaction.usage, progress.searches);
    progress
}

/// The newest lines, gathered from the end: most steps were told before and need not be read again.
fn news(steps: &[Step<'_>], steps_known: u32) -> Vec<News> {
    let own = steps.iter().filter(|step| step.kind() != StepKind::UserInput);
    let fresh: Vec<&Step<'_>> = own.skip(usize::try_from(steps_known).unwrap_or(usize::MAX)).collect();
    let mut newest_first: Vec<News> = Vec::new();
    for step in fresh.into_iter().rev() {
        newest_first.extend(lines(step).into_iter().rev());
        newest_first.dedup();
        if newest_first.len() >= NEWS_MAX {
            break;
        }
    }
    newest_first.truncate(NEWS_MAX);
    newest_first.reverse();
    newest_first
}

fn lines(step: &Step<'_>) -> Vec<News> {
    match step.kind() {
        StepKind::GoogleSearchCall => {
            step.arguments().queries().iter().filter_map(|query| watch::search(query)).collect()
        }
        StepKind::UrlContextCall => {
            step.arguments().urls().iter().filter_map(|url| watch::page(url)).collect()
        }
        StepKind::Thought => step.summary().iter().filter_map(|part| watch::thought(&part.text)).collect(),
        StepKind::ModelOutput => vec![watch::writing()],
        StepKind::UserInput
        | StepKind::UrlContextResult
        | StepKind::FunctionCall
        | StepKind::FunctionResult
        | StepKind::Unknown(_) => Vec::new(),
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
