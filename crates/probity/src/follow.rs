//! Follows one run until it rests, driving due runs meanwhile.
//!
//! The same for a new run, a resumed one and one that another process drives: the executor claims
//! runs that have no lease, and the display shows the newest state.

use std::{sync::Arc, time::Duration};

use probity_research::{
    Code, RunId,
    ports::{Clock as _, JournalError, Leases as _},
    status::RunSummary,
    time_left,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{
    app_context::{AppContext, DriveCapability},
    command_error::CommandError,
    output::live::LiveProgress,
    shutdown::{ShutdownSignals, wait_for_impatience},
};

/// How often the stored status is read: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What a run may take beyond its deadline and the time for its end before the store is asked whether it takes anything.
const END_GRACE: Duration = Duration::from_secs(2);

/// How following a run ended.
#[derive(Debug)]
pub enum FollowOutcome {
    Rests(Box<RunSummary>),
    /// The user left; the run goes on at the provider.
    Left(Box<RunSummary>),
    OutOfTime(Box<RunSummary>),
}

pub async fn follow(
    app: &AppContext,
    id: RunId,
    live: &mut LiveProgress,
    limit: Option<Duration>,
) -> Result<FollowOutcome, CommandError> {
    let stop = CancellationToken::new();
    let watching = async {
        let followed = watch_run(app, id, live, limit).await;
        stop.cancel();
        followed
    };
    let driving = async {
        if app.drives != DriveCapability::Nothing {
            app.researches.executor().engine().prepare();
            app.researches.executor().run(stop.clone()).await;
            Box::pin(app.purge_expired()).await;
            app.back_up_when_due();
        }
    };
    tokio::select! {
        ((), followed) = async { tokio::join!(driving, watching) } => match followed {
            Ok(FollowOutcome::Left(left)) => leave(app, left),
            other => other,
        },
        // Shutdown waits for a start that is under way, because its answer says whether money was spent. One that
        // is left is shown as `unknown`.
        () = wait_for_impatience() => leave(app, Box::new(app.summary(id)?)),
    }
}

/// A report that came and that the store did not take is not at the provider alone: it is said where it is.
fn leave(app: &AppContext, left: Box<RunSummary>) -> Result<FollowOutcome, CommandError> {
    match app.store.rescue_file(left.id).filter(|_| !left.status.is_final()) {
        None => Ok(FollowOutcome::Left(left)),
        Some(path) => {
            let message =
                format!("the report has come, but its store did not take it: it is in `{}`", path.display());
            Err(CommandError::new(Code::StoreFailed, &message).with_run_id(left.id))
        }
    }
}

/// When this run must have ended if somebody drives it from now on.
async fn latest_end(app: &AppContext, id: RunId) -> Result<Duration, CommandError> {
    let research = app.researches.load(id).await?;
    let left = time_left::latest_end(&research).saturating_sub(Duration::from_millis(research.attended_ms));
    Ok(app.clock().monotonic() + left + END_GRACE)
}

async fn watch_run(
    app: &AppContext,
    id: RunId,
    live: &mut LiveProgress,
    limit: Option<Duration>,
) -> Result<FollowOutcome, CommandError> {
    let mut leave = ShutdownSignals::new();
    let mut published = app.researches.subscribe(id)?;
    let until = limit.map(|limit| app.clock().monotonic() + limit);
    let (mut trace, mut traced_at) = (None, None);
    let mut remote_id = None;
    let mut ends_by = latest_end(app, id).await?;
    loop {
        let stored = app.summary(id).inspect_err(|_| {
            if let Some(remote_id) = &remote_id {
                tracing::warn!("the provider knows this research as {remote_id}");
            }
        })?;
        remote_id.clone_from(&stored.remote_id);
        if stored.status.is_final() {
            return Ok(FollowOutcome::Rests(Box::new(stored)));
        }
        let newest = newer(&stored, &published);
        let shown = newest.as_deref().unwrap_or(&stored);
        if live.wants_steps() && traced_at != Some(shown.updated_at) {
            trace = app.trace(id).await?;
            traced_at = Some(shown.updated_at);
        }
        live.show(shown, trace.as_ref(), app.now())?;
        let now = app.clock().monotonic();
        if now >= ends_by && app.drives != DriveCapability::Nothing {
            // A deadline holds whatever the store does: one that takes nothing would keep the run open for ever.
            app.store.heartbeat(app.store.owner()).await.map_err(store_problem)?;
            ends_by = now + END_GRACE;
        }
        if until.is_some_and(|until| app.clock().monotonic() >= until) {
            return Ok(FollowOutcome::OutOfTime(Box::new(stored)));
        }
        tokio::select! {
            biased;
            _ = leave.wait() => return Ok(FollowOutcome::Left(Box::new(stored))),
            _ = published.changed() => {}
            () = app.clock().sleep(LOOK_EVERY) => {}
        }
    }
}

fn store_problem(error: JournalError) -> CommandError {
    match error {
        JournalError::Refused(problem) => problem.into(),
        JournalError::Conflict | JournalError::Fenced => {
            CommandError::new(Code::LeaseLost, "another process took this store's lease")
        }
    }
}

/// The state that this process published, unless the stored row is of a later event.
fn newer(
    stored: &RunSummary,
    published: &watch::Receiver<Option<Arc<RunSummary>>>,
) -> Option<Arc<RunSummary>> {
    let here = published.borrow().clone()?;
    (here.updated_at >= stored.updated_at && !here.status.is_final()).then_some(here)
}
