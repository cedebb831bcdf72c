//! The state of a run at each change: for a page that is open while it runs.

use std::{sync::Arc, time::Duration};

use futures_util::stream;
use probity_page::backend::{RunView, RunViewStream};
use probity_research::{RunId, Sequence, ports::Clock as _};

use super::run_view;
use crate::app_context::AppContext;

/// How often the store is read: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(400);

pub(super) fn run_view_stream(app: Arc<AppContext>, id: RunId, after: Sequence) -> RunViewStream {
    let begin = RunViewCursor { app, id, after, over: false };
    Box::pin(stream::unfold(begin, RunViewCursor::next))
}

struct RunViewCursor {
    app: Arc<AppContext>,
    id: RunId,
    after: Sequence,
    over: bool,
}

impl RunViewCursor {
    /// The next state that is newer than the one shown; ends after the last one.
    async fn next(mut self) -> Option<(RunView, Self)> {
        if self.over {
            return None;
        }
        let mut published = self.app.researches.subscribe(self.id).ok();
        loop {
            let now = run_view(&self.app, self.id).await.ok()?;
            let ended = now.summary.status.is_final();
            if now.sequence > self.after || ended {
                self.after = now.sequence;
                self.over = ended;
                return Some((now, self));
            }
            let heard = async {
                match &mut published {
                    Some(published) => drop(published.changed().await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = heard => {}
                () = self.app.clock().sleep(LOOK_EVERY) => {}
            }
        }
    }
}
