//! Tools that send notifications while they work: log messages, progress, changed lists.
#![expect(deprecated, reason = "logging is deprecated, and the suite still asks for it")]

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
};
use serde_json::json;

use super::{FixtureCall, content};
use crate::changes::ListChange;

/// The suite wants to see messages arrive one by one.
const PAUSE: Duration = Duration::from_millis(50);

pub async fn logging(call: &FixtureCall<'_>) -> CallToolResponse {
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        log(call, text).await;
        tokio::time::sleep(PAUSE).await;
    }
    content::text("Logged three times.").into()
}

/// Since 2026-07-28 a request that set no level gets no log.
async fn log(call: &FixtureCall<'_>, text: &str) {
    if call.is_modern() && call.context.meta.log_level().is_none() {
        return;
    }
    let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text));
    // A client that disconnected needs no log.
    call.context.peer.notify_logging_message(message).await.ok();
}

pub async fn progress(call: &FixtureCall<'_>) -> CallToolResponse {
    let token = call.context.meta.get_progress_token();
    for done in [0.0, 50.0, 100.0] {
        if let Some(token) = token.clone() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            call.context.peer.notify_progress(progress).await.ok();
        }
        tokio::time::sleep(PAUSE).await;
    }
    content::text("Done, with progress.").into()
}

/// Notifies the open streams; a client of an older revision is notified on its own connection.
pub async fn announce(call: &FixtureCall<'_>, change: ListChange) -> CallToolResponse {
    call.fixtures.changes.announce(change);
    if !call.is_modern() {
        let peer = &call.context.peer;
        let sent = match change {
            ListChange::Tools => peer.notify_tool_list_changed().await,
            ListChange::Prompts => peer.notify_prompt_list_changed().await,
        };
        sent.ok();
    }
    content::text("Announced.").into()
}
