//! A question under way, whichever way its process is run.

use std::sync::Arc;

use super::{
    CliEvent,
    acp_agent::AcpConversation,
    one_shot::OneShotQuestion,
    process_pool::{PoolKey, ProcessPool},
};

/// A question under way. Dropping it stops it: its pipes close, and the supervisor ends the rest.
#[derive(Debug)]
pub struct CliCall(CliCallProcess);

#[derive(Debug)]
enum CliCallProcess {
    Alone(Box<OneShotQuestion>),
    Shared { conversation: Box<AcpConversation>, place: PoolKey, pool: Arc<ProcessPool> },
}

impl CliCall {
    pub(super) fn alone(question: OneShotQuestion) -> Self {
        Self(CliCallProcess::Alone(Box::new(question)))
    }

    pub(super) fn shared(conversation: AcpConversation, place: PoolKey, pool: Arc<ProcessPool>) -> Self {
        Self(CliCallProcess::Shared { conversation: Box::new(conversation), place, pool })
    }

    /// The next update. Cancel-safe. Nothing is read or written while this is not polled.
    pub async fn next(&mut self) -> CliEvent {
        match &mut self.0 {
            CliCallProcess::Alone(question) => question.next().await,
            CliCallProcess::Shared { conversation, place, pool } => {
                let (heard, agent) = conversation.next().await;
                if let Some(agent) = agent {
                    pool.put(place.clone(), agent);
                }
                heard
            }
        }
    }

    /// Stops the question and waits until nothing of it is left but, at most, an idle process.
    pub async fn stop(self) {
        match self.0 {
            CliCallProcess::Alone(question) => question.stop().await,
            CliCallProcess::Shared { conversation, place, pool } => {
                if let Some(agent) = conversation.stop().await {
                    pool.put(place, agent);
                }
            }
        }
    }
}
