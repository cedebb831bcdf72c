//! How a research stands, each time something happened: for a page that is looked at while it runs.

use std::{sync::Arc, time::Duration};

use futures_util::stream;
use probity_page::house::{Changes, Present};
use probity_research::{ResearchId, Sequence, seams::Clock as _};

use super::present;
use crate::desk::Desk;

/// How often the store is looked at: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(400);

pub(super) fn of(desk: Arc<Desk>, id: ResearchId, after: Sequence) -> Changes {
    let begin = Following { desk, id, after, over: false };
    Box::pin(stream::unfold(begin, Following::next))
}

struct Following {
    desk: Arc<Desk>,
    id: ResearchId,
    after: Sequence,
    over: bool,
}

impl Following {
    /// The next state that is newer than what was shown; ends behind the last one.
    async fn next(mut self) -> Option<(Present, Self)> {
        if self.over {
            return None;
        }
        let mut published = self.desk.researches.listen(self.id).ok();
        loop {
            let now = present(&self.desk, self.id).await.ok()?;
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
                () = self.desk.clock().sleep(LOOK_EVERY) => {}
            }
        }
    }
}
