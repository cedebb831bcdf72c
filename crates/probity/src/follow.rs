//! Stays with one research until it rests, driving what is due meanwhile.
//!
//! The same for a new research, a resumed one and one that another process drives: the executor takes up
//! whatever nobody holds, and the display shows whichever news is newest.

use std::{sync::Arc, time::Duration};

use probity_research::{ResearchId, seams::Clock as _, status::Summary};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use crate::{
    desk::{Desk, Drives},
    failure::Failure,
    output::live::Live,
};

/// How often the stored status is looked at: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// How staying with a research ended.
#[derive(Debug)]
pub enum Followed {
    Rests(Box<Summary>),
    /// The user left; the research goes on at the provider.
    Left(Box<Summary>),
    OutOfTime(Box<Summary>),
}

pub async fn follow(
    desk: &Desk,
    id: ResearchId,
    live: &mut Live,
    limit: Option<Duration>,
) -> Result<Followed, Failure> {
    let stop = CancellationToken::new();
    let watching = async {
        let followed = watch_over(desk, id, live, limit).await;
        stop.cancel();
        followed
    };
    let driving = async {
        if desk.drives != Drives::Nothing {
            desk.researches.executor().engine().prepare();
            desk.researches.executor().run(stop.clone()).await;
            desk.copy_when_old();
        }
    };
    tokio::select! {
        ((), followed) = async { tokio::join!(driving, watching) } => followed,
        () = asked_twice() => Ok(Followed::Left(Box::new(desk.summary(id)?))),
    }
}

async fn watch_over(
    desk: &Desk,
    id: ResearchId,
    live: &mut Live,
    limit: Option<Duration>,
) -> Result<Followed, Failure> {
    let mut leave = Leave::new();
    let mut published = desk.researches.listen(id)?;
    let until = limit.map(|limit| desk.clock().monotonic() + limit);
    let (mut trace, mut traced_at) = (None, None);
    loop {
        let stored = desk.summary(id)?;
        if stored.status.is_final() {
            return Ok(Followed::Rests(Box::new(stored)));
        }
        let newest = newer(&stored, &published);
        let shown = newest.as_deref().unwrap_or(&stored);
        if live.wants_steps() && traced_at != Some(shown.updated_at) {
            trace = desk.trace(id).await?;
            traced_at = Some(shown.updated_at);
        }
        live.show(shown, trace.as_ref(), desk.now())?;
        if until.is_some_and(|until| desk.clock().monotonic() >= until) {
            return Ok(Followed::OutOfTime(Box::new(stored)));
        }
        tokio::select! {
            biased;
            () = leave.asked() => return Ok(Followed::Left(Box::new(stored))),
            _ = published.changed() => {}
            () = desk.clock().sleep(LOOK_EVERY) => {}
        }
    }
}

/// What this process published, unless the stored row is of a later event.
fn newer(stored: &Summary, published: &watch::Receiver<Option<Arc<Summary>>>) -> Option<Arc<Summary>> {
    let here = published.borrow().clone()?;
    (here.updated_at >= stored.updated_at && !here.status.is_final()).then_some(here)
}

/// Ctrl-C, or a polite request to end.
pub struct Leave {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
}

impl Leave {
    pub fn new() -> Self {
        let heard = |kind| match signal(kind) {
            Ok(signal) => Some(signal),
            Err(error) => {
                tracing::warn!(%error, "cannot listen for Ctrl-C; it will end the program at once");
                None
            }
        };
        Self { interrupt: heard(SignalKind::interrupt()), terminate: heard(SignalKind::terminate()) }
    }

    pub async fn asked(&mut self) {
        tokio::select! {
            () = next(&mut self.interrupt) => {}
            () = next(&mut self.terminate) => {}
        }
    }
}

/// Returns when the user or the system wants this process to end.
pub async fn asked_to_leave() {
    Leave::new().asked().await;
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Leaving waits for a start that is under way, because its answer says whether money was spent.
/// Whoever asks twice does not want to wait; the start is then shown as `unknown`.
async fn asked_twice() {
    let mut leave = Leave::new();
    leave.asked().await;
    leave.asked().await;
}
