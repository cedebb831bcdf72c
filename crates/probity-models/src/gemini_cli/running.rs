//! A question that is being answered, whichever way its process is run.

use std::sync::Arc;

use super::{
    Heard,
    agent::Conversation,
    pool::{Place, Pool},
    question::Question,
};

/// A question that is being answered. Dropping it stops it: its pipes close, and the keeper ends the rest.
#[derive(Debug)]
pub struct Running(Way);

#[derive(Debug)]
enum Way {
    Alone(Box<Question>),
    Shared { conversation: Box<Conversation>, place: Place, pool: Arc<Pool> },
}

impl Running {
    pub(super) fn alone(question: Question) -> Self {
        Self(Way::Alone(Box::new(question)))
    }

    pub(super) fn shared(conversation: Conversation, place: Place, pool: Arc<Pool>) -> Self {
        Self(Way::Shared { conversation: Box::new(conversation), place, pool })
    }

    /// The next thing heard. Cancel-safe. Nothing is read or written while nobody listens.
    pub async fn next(&mut self) -> Heard {
        match &mut self.0 {
            Way::Alone(question) => question.next().await,
            Way::Shared { conversation, place, pool } => {
                let (heard, agent) = conversation.next().await;
                if let Some(agent) = agent {
                    pool.put(place.clone(), agent);
                }
                heard
            }
        }
    }

    /// Stops the question and waits until nothing of it is left but, at most, a process that waits for the next.
    pub async fn stop(self) {
        match self.0 {
            Way::Alone(question) => question.stop().await,
            Way::Shared { conversation, place, pool } => {
                if let Some(agent) = conversation.stop().await {
                    pool.put(place, agent);
                }
            }
        }
    }
}
