//! Checks watched reports again when they are due, and tells what changed: by notification, webhook and feed.
//!
//! The same for `probity watch run` and for `probity serve`. Somebody drives the runs meanwhile. Never asks at a terminal:
//! what would cost more than the settings allow is not started, and that is what is recorded.

pub mod words;

use std::time::Duration;

use probity_evidence::verdict_changes::{VerdictChange, verdict_changes};
use probity_research::{
    Code, CodedError, RunId,
    approval::{Approval, ApprovalChannel},
    ledger::Ledger,
    notify::Notify,
    plan::Plan,
    ports::Clock as _,
    report::Report,
    spending::{self, RepeatRule},
    watch::{self, Watch, WatchOutcome},
};
use probity_server::webhooks::WebhookSender as _;
use secrecy::ExposeSecret as _;
use tokio_util::sync::CancellationToken;

use self::words::WatchNews;
use crate::{
    app_context::AppContext,
    approve,
    checks::{self, CheckInput},
    fleet::webhook_sender::GuardedWebhookSender,
    notify,
    settings::Settings,
};

/// How often a server looks for what is due.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// A check ends by its own deadline; this long after it the wait for it ends.
const GRACE: Duration = Duration::from_secs(300);

/// What the user said about money on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchConsent {
    /// What needs no question by the settings.
    WithinSettings,
    /// `--yes` or `--budget`.
    ByFlag,
}

/// Which watched reports are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchChoice {
    Due,
    All,
}

/// One watched report after its check.
#[derive(Debug, Clone)]
pub struct WatchRound {
    pub watch: Watch,
    pub check: Option<RunId>,
    pub changes: Vec<VerdictChange>,
    /// Whom it could not be told.
    pub untold: Vec<String>,
}

/// Checks them one after the other, until `stop`.
pub async fn check_watched(
    app: &AppContext,
    settings: &Settings,
    choice: WatchChoice,
    consent: WatchConsent,
    stop: &CancellationToken,
) -> Result<Vec<WatchRound>, CodedError> {
    let watches = app.store.watches()?;
    let mut rounds = Vec::new();
    let chosen = match choice {
        WatchChoice::Due => watch::due(&watches, app.now()),
        WatchChoice::All => watches.iter().collect(),
    };
    for watch in chosen {
        let claimed = watch.claimed(app.now());
        // Another process may have begun it, or the user removed it.
        if !app.store.replace_watch(watch.clone(), claimed.clone()).await? {
            continue;
        }
        match stop.run_until_cancelled(Box::pin(check_one(app, settings, consent, watch, claimed))).await {
            Some(round) => rounds.push(round?),
            None => {
                tracing::info!(id = %watch.id, "the check of a watched report goes on later");
                break;
            }
        }
    }
    Ok(rounds)
}

/// Looks for what is due until `stop`.
pub async fn keep_checking(app: &AppContext, settings: &Settings, stop: CancellationToken) {
    while stop.run_until_cancelled(app.clock().sleep(LOOK_EVERY)).await.is_some() {
        let checking = check_watched(app, settings, WatchChoice::Due, WatchConsent::WithinSettings, &stop);
        match Box::pin(checking).await {
            Ok(rounds) if rounds.is_empty() => {}
            Ok(rounds) => tracing::info!(checked = rounds.len(), "watched reports checked"),
            Err(problem) => {
                tracing::warn!(code = %problem.code, cause = %problem.message, "watched reports not checked");
            }
        }
    }
}

async fn check_one(
    app: &AppContext,
    settings: &Settings,
    consent: WatchConsent,
    watch: &Watch,
    claimed: Watch,
) -> Result<WatchRound, CodedError> {
    let checked = Box::pin(check_again(app, settings, consent, watch)).await;
    let now = app.now();
    let (check, changes, outcome) = match checked {
        Ok((check, changes)) if changes.is_empty() => (Some(check), changes, WatchOutcome::Unchanged),
        Ok((check, changes)) => {
            let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            let outcome =
                WatchOutcome::Changed { changes: count(changes.len()), worse: count(words::worse(&changes)) };
            (Some(check), changes, outcome)
        }
        Err(problem) => {
            tracing::warn!(id = %watch.id, code = %problem.code, cause = %problem.message, "a watched report was not checked");
            (None, Vec::new(), WatchOutcome::NotDone { code: problem.code, why: problem.message })
        }
    };
    let after = watch.after(now, check, outcome);
    let mut round = WatchRound { watch: after.clone(), check, changes, untold: Vec::new() };
    if let Some(check) = check.filter(|_| !round.changes.is_empty()) {
        let news =
            WatchNews { watched: watch.id, check, title: &watch.title, at: now, changes: &round.changes };
        // Told before it is recorded as done: after a crash it is told again rather than never.
        round.untold = Box::pin(tell(app, settings, &news)).await;
    }
    // Removed meanwhile: then it stays removed.
    app.store.replace_watch(claimed, after).await?;
    Ok(round)
}

/// The new check and the verdicts that it changed.
async fn check_again(
    app: &AppContext,
    settings: &Settings,
    consent: WatchConsent,
    watch: &Watch,
) -> Result<(RunId, Vec<VerdictChange>), CodedError> {
    let watched = stored_report(app, watch.id).await?;
    let before = match watch.newest == watch.id {
        true => watched.ledger.as_deref().cloned().unwrap_or_default(),
        false => stored_report(app, watch.newest).await?.ledger.map(|ledger| *ledger).unwrap_or_default(),
    };
    let report = Report {
        text: watched.text,
        citations: watched.citations,
        sources: watched.sources,
        ..Report::default()
    };
    let given =
        CheckInput { report, title: Some(watch.title.clone()), follows: Some(watch.id), asked_by: None };
    let plan = Plan { notify: Notify::Never, ..checks::plan(settings, &app.keys, &given)? };
    let plan = approve::approved(plan.clone(), approval(settings, &plan, consent)?);
    let started = Box::pin(checks::start(app, &given, plan, RepeatRule::ReturnRunning)).await?;
    let waiting = app.researches.wait(started.summary.id, Some(settings.deadline + GRACE));
    let rested = Box::pin(waiting).await?;
    let now = app.report(&rested).await.map_err(|failure| failure.problem)?.and_then(|report| report.ledger);
    let Some(now) = now.filter(|_| rested.status.is_final()) else {
        let unfinished = || CodedError::new(Code::ExecutionError, "its check came to no verdicts");
        return Err(rested.problem.clone().unwrap_or_else(unfinished));
    };
    Ok((rested.id, changes(&before, &now)))
}

fn changes(before: &Ledger, now: &Ledger) -> Vec<VerdictChange> {
    words::told(verdict_changes(before, now))
}

async fn stored_report(app: &AppContext, id: RunId) -> Result<Report, CodedError> {
    let summary = app.store.status(id)?;
    let report = app.report(&summary).await.map_err(|failure| failure.problem)?;
    report.ok_or_else(|| CodedError::new(Code::NotFound, &format!("{id} has no report")))
}

/// The same gate as for every other check, without a terminal to ask at.
fn approval(settings: &Settings, plan: &Plan, consent: WatchConsent) -> Result<Approval, CodedError> {
    let most = spending::highest_price(plan);
    match consent {
        WatchConsent::ByFlag => Ok(Approval::new(ApprovalChannel::Flag, plan.limits.budget)),
        WatchConsent::WithinSettings if most <= settings.ask_above => {
            Ok(Approval::new(ApprovalChannel::Setting, plan.limits.budget))
        }
        WatchConsent::WithinSettings => {
            let message = format!(
                "its check may cost up to {most}, and more than {} needs a yes: `probity watch run --budget USD`, or \
                 a higher `mcp.ask_above_usd`",
                settings.ask_above
            );
            Err(CodedError::new(Code::InvalidArguments, &message))
        }
    }
}

/// Tells everybody; whom it could not be told comes back.
async fn tell(app: &AppContext, settings: &Settings, news: &WatchNews<'_>) -> Vec<String> {
    let mut untold = Vec::new();
    let fed =
        app.store.watch_feed().and_then(|known| app.store.write_watch_feed(&news.feed(known.as_deref())));
    if let Err(problem) = fed {
        untold.push(format!("the feed: {}", problem.message));
    }
    notify::notify_once(settings, &news.notification(settings.notifications.show_query)).await;
    if let Err(problem) = Box::pin(post(settings, news)).await {
        untold.push(format!("the webhook: {}", problem.message));
    }
    untold.iter().for_each(|what| tracing::warn!(what, "a changed verdict was not told"));
    untold
}

/// Once, without following redirects; the feed has it whatever comes of this.
async fn post(settings: &Settings, news: &WatchNews<'_>) -> Result<(), CodedError> {
    let Some(url) = &settings.watch.webhook else { return Ok(()) };
    // Plain text and numbers: cannot fail.
    let body = serde_json::to_vec(&news.message()).unwrap_or_default();
    let sender = GuardedWebhookSender::new(&settings.watch.reach)?;
    let status = Box::pin(sender.post(url.expose_secret(), Vec::new(), body)).await?;
    match status {
        200..300 => Ok(()),
        other => Err(CodedError::new(Code::ExecutionError, &format!("it answered with status {other}"))),
    }
}
