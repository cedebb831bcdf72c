//! Changes of the lists of tools and prompts, from the tool that makes one to every listening stream.

use rmcp::service::SubscriptionContext;
use tokio::sync::broadcast;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListChange {
    Tools,
    Prompts,
}

/// Changes that a slow listener may be behind; the suite makes one at a time.
const CHANGES_WAITING_MAX: usize = 16;

#[derive(Debug, Clone)]
pub struct ListChangeBus(broadcast::Sender<ListChange>);

impl ListChangeBus {
    pub fn new() -> Self {
        Self(broadcast::Sender::new(CHANGES_WAITING_MAX))
    }

    pub fn announce(&self, change: ListChange) {
        // Without a subscriber the change is dropped.
        self.0.send(change).ok();
    }

    /// Forwards what the client asked for until it disconnects.
    pub async fn forward(&self, subscription: &SubscriptionContext) {
        let mut changes = self.0.subscribe();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return,
                change = changes.recv() => change,
            };
            let wanted = subscription.accepted();
            let sent = match change {
                Ok(ListChange::Tools) if wanted.tools_list_changed == Some(true) => {
                    subscription.sink().notify_tool_list_changed().await
                }
                Ok(ListChange::Prompts) if wanted.prompts_list_changed == Some(true) => {
                    subscription.sink().notify_prompt_list_changed().await
                }
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return,
            };
            if sent.is_err() {
                return;
            }
        }
    }
}
