//! Tells the desktop that a research came to rest. Never in the way: bounded in time, and a log line where
//! there is no desktop. Says what happened, not what was asked, unless the settings allow it.

#[cfg(test)]
mod promise;
mod words;

use std::{sync::Arc, time::Duration};

use probity_research::{plan::Notify, status::RunSummary};
use probity_runner::ExecutorContext as _;
use tokio::sync::broadcast::{
    Receiver,
    error::{RecvError, TryRecvError},
};
use tokio_util::sync::CancellationToken;

use crate::{app_context::AppContext, settings::Settings};

pub use words::{Notification, ShowQuery, notification, several};

/// Longest wait for the desktop's bus. With it a notification is shown, or given up, within two seconds.
const SHOW_MAX: Duration = Duration::from_millis(1_500);
/// More endings than this at once become one notification.
const EACH_MAX: usize = 3;

/// Shows what comes to rest until `stop`, and then what is still waiting. Listening begins with this call, not
/// with the first poll. Cancel `stop` when the executor has returned: its drivers announce until then.
pub fn notify_endings(
    desk: &AppContext,
    settings: &Settings,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let endings = desk.researches.executor().event_bus().subscribe_endings();
    let show_query = settings.notifications.show_query;
    let enabled = settings.notifications.enabled;
    async move {
        if enabled {
            let mut bell = DesktopNotifier { endings, show_query, silent: false };
            bell.notify_until(&stop).await;
        }
    }
}

struct DesktopNotifier {
    endings: Receiver<Arc<RunSummary>>,
    show_query: ShowQuery,
    /// The desktop did not take the last one: said once, not for every research.
    silent: bool,
}

impl DesktopNotifier {
    async fn notify_until(&mut self, stop: &CancellationToken) {
        loop {
            let heard = tokio::select! {
                biased;
                heard = self.endings.recv() => heard,
                () = stop.cancelled() => break,
            };
            match heard {
                Ok(first) => self.notify_batch(first).await,
                Err(RecvError::Lagged(missed)) => tracing::warn!(missed, "too many endings to notify of"),
                Err(RecvError::Closed) => return,
            }
        }
        if let Ok(first) = self.endings.try_recv() {
            self.notify_batch(first).await;
        }
    }

    /// This one and all that are waiting behind it.
    async fn notify_batch(&mut self, first: Arc<RunSummary>) {
        let mut ended = vec![first];
        loop {
            match self.endings.try_recv() {
                Ok(next) => ended.push(next),
                Err(TryRecvError::Lagged(missed)) => tracing::warn!(missed, "too many endings to notify of"),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        ended.retain(|summary| summary.notify == Notify::WhenDone);
        if ended.len() > EACH_MAX {
            self.show_or_log(&several(ended.len())).await;
            return;
        }
        for summary in ended {
            self.show_or_log(&notification(&summary, self.show_query)).await;
        }
    }

    async fn show_or_log(&mut self, notification: &Notification) {
        let Notification { title, body } = notification;
        let shown = tokio::time::timeout(SHOW_MAX, show(notification)).await;
        let cause = match shown {
            Ok(Ok(())) => {
                self.silent = false;
                tracing::info!(title, "notification shown");
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("the desktop did not answer within {SHOW_MAX:?}"),
        };
        if self.silent {
            tracing::info!(title, body, cause, "no desktop notification");
        } else {
            tracing::warn!(title, body, cause, "no desktop notification; said once");
        }
        self.silent = true;
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
async fn show(notification: &Notification) -> Result<(), notify_rust::error::Error> {
    message(notification).show_async().await.map(drop)
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
async fn show(notification: &Notification) -> Result<(), notify_rust::error::Error> {
    let message = message(notification);
    match tokio::task::spawn_blocking(move || message.show().map(drop)).await {
        Ok(shown) => shown,
        Err(_) => Ok(()),
    }
}

/// Over the desktop's own interface: no shell and no script ever sees the text.
fn message(notification: &Notification) -> notify_rust::Notification {
    let mut message = notify_rust::Notification::new();
    message.appname("Probity").summary(&notification.title).body(&notification.body);
    message
}

#[cfg(test)]
mod tests;
