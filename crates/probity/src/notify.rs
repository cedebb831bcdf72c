//! Shows a desktop notification when a run comes to rest. Never blocks: bounded by a timeout, and a log line
//! for every run where there is no desktop, or none of which it is known that it shows them. Says what happened, not what was asked, unless the settings allow it.

pub mod system;
mod words;

use std::{env::consts::OS, sync::Arc, time::Duration};

use probity_research::{
    notify::{NotificationChannel, Notify},
    status::RunSummary,
};
use probity_runner::ExecutorContext as _;
use tokio::sync::broadcast::{
    Receiver,
    error::{RecvError, TryRecvError},
};
use tokio_util::sync::CancellationToken;

use crate::{app_context::AppContext, environment, settings::Settings};

use system::{EndLine, NotifierAnswer, NotifierTrial};
pub use words::{Notification, ShowQuery, inert, notification, several};

/// Longest wait for the desktop's bus. With it a notification is shown, or given up, within two seconds.
const SHOW_MAX: Duration = Duration::from_millis(1_500);
/// More ends than this at once become one notification.
const EACH_MAX: usize = 3;

/// How the end of a run is told here.
pub fn channel(settings: &Settings) -> NotificationChannel {
    match (settings.notifications.enabled, environment::has_desktop(), system::notifier(OS).trial) {
        (false, _, _) => NotificationChannel::SwitchedOff,
        (true, false, _) => NotificationChannel::ConsoleOnly,
        (true, true, NotifierTrial::Tried) => NotificationChannel::Desktop,
        (true, true, NotifierTrial::Untried) => NotificationChannel::Uncertain,
    }
}

/// Shows runs that come to rest until `stop`, and then those still queued. Listening begins with this call,
/// not with the first poll. Cancel `stop` when the executor has returned: its drivers announce until then.
pub fn notify_endings(
    app: &AppContext,
    settings: &Settings,
    stop: CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let endings = app.researches.executor().event_bus().subscribe_endings();
    let show_query = settings.notifications.show_query;
    let enabled = settings.notifications.enabled;
    async move {
        if enabled {
            let mut bell = DesktopNotifier { endings, show_query };
            bell.notify_until(&stop).await;
        }
    }
}

struct DesktopNotifier {
    endings: Receiver<Arc<RunSummary>>,
    show_query: ShowQuery,
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
                Err(RecvError::Lagged(missed)) => tracing::warn!(missed, "notifications skipped"),
                Err(RecvError::Closed) => return,
            }
        }
        if let Ok(first) = self.endings.try_recv() {
            self.notify_batch(first).await;
        }
    }

    /// This run and all that are queued behind it.
    async fn notify_batch(&mut self, first: Arc<RunSummary>) {
        let mut ended = vec![first];
        loop {
            match self.endings.try_recv() {
                Ok(next) => ended.push(next),
                Err(TryRecvError::Lagged(missed)) => tracing::warn!(missed, "notifications skipped"),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        ended.retain(|summary| summary.notify == Notify::WhenDone);
        let each: Vec<Notification> =
            ended.iter().map(|summary| notification(summary, self.show_query)).collect();
        if each.len() > EACH_MAX {
            show_or_log(&several(each.len()), &each).await;
            return;
        }
        for one in &each {
            show_or_log(one, std::slice::from_ref(one)).await;
        }
    }
}

/// Shows one notification, where the settings allow any.
pub async fn notify_once(settings: &Settings, notification: &Notification) {
    if settings.notifications.enabled {
        show_or_log(notification, std::slice::from_ref(notification)).await;
    }
}

/// Shows one notification; a line for every run that it stands for is logged where it is not certain to be seen.
async fn show_or_log(shown: &Notification, each: &[Notification]) {
    let (answer, cause) = match tokio::time::timeout(SHOW_MAX, show(shown)).await {
        Ok(Ok(())) => (NotifierAnswer::Accepted, String::new()),
        Ok(Err(error)) => (NotifierAnswer::Refused, error.to_string()),
        Err(_) => (NotifierAnswer::Refused, format!("the desktop did not answer within {SHOW_MAX:?}")),
    };
    let line = system::end_line(OS, answer);
    if answer == NotifierAnswer::Accepted {
        tracing::info!(title = shown.title, "notification shown");
    }
    for Notification { title, body } in each {
        match line {
            EndLine::NotNeeded => {}
            EndLine::NotShown => tracing::warn!(title, body, cause, "no desktop notification"),
            EndLine::Uncertain => tracing::warn!(title, body, "desktop notification not certain"),
        }
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

/// Over the desktop's D-Bus interface: no shell and no script ever sees the text.
fn message(notification: &Notification) -> notify_rust::Notification {
    let mut message = notify_rust::Notification::new();
    message.appname("Probity").summary(&notification.title).body(&notification.body);
    message
}

#[cfg(test)]
mod tests;
