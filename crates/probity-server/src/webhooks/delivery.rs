//! Sends webhooks from the outbox to their receivers: at least once, with growing pauses, never forever.
//!
//! Decides what an answer means and when to retry. Rows are up to the outbox, sockets to the sender.

use std::time::Duration;

use futures_util::future::join_all;
use probity_research::{CodedError, time::Moment};

use super::{message::WebhookMessage, secret::WebhookSecret, signature::sign};

/// Webhooks under way at once in one process. A receiver that hangs takes one slot until the sender's
/// timeout; the lease of a row must outlive that timeout.
pub const AT_ONCE_MAX: usize = 16;
/// The pauses between tries: a day and a half together, as the standard proposes. After the last the delivery
/// is dead.
pub const PAUSES: [Duration; 8] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(5 * 3600),
    Duration::from_secs(8 * 3600),
    Duration::from_secs(8 * 3600),
    Duration::from_secs(12 * 3600),
];
/// Up to this share of a pause is added, so that a receiver that recovers does not get everything at once.
const SPREAD: f64 = 0.2;
/// The receiver says that this address is gone for good.
const GONE: u16 = 410;

/// A row that this process has claimed.
#[derive(Debug, Clone)]
pub struct OutgoingMessage {
    pub message: WebhookMessage,
    pub url: String,
    /// The webhook's valid secrets, the newest first.
    pub secrets: Vec<WebhookSecret>,
    /// Tries before this one.
    pub tries: u32,
}

/// The outcome of one try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Delivered,
    /// Not before this pause has passed.
    Retry {
        after: Duration,
        why: String,
    },
    /// Never again: the tries are used up, or the receiver is gone.
    Dead {
        why: String,
    },
}

/// The outbox. Written in the transaction that brought the run to rest.
pub trait Outbox: Send + Sync {
    /// Up to `room` messages that are due, claimed for longer than one try takes.
    fn claim(&self, room: usize) -> impl Future<Output = Result<Vec<OutgoingMessage>, CodedError>> + Send;
    /// Stores the outcome of a claimed message, named by its id.
    fn settle(
        &self,
        id: &str,
        outcome: DeliveryOutcome,
    ) -> impl Future<Output = Result<(), CodedError>> + Send;
}

/// Sends one message once and returns the status. Guards addresses, follows no redirect, has a timeout.
pub trait WebhookSender: Send + Sync {
    fn post(
        &self,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> impl Future<Output = Result<u16, CodedError>> + Send;
}

pub struct WebhookDispatcher<O, P> {
    outbox: O,
    sender: P,
}

impl<O: Outbox, P: WebhookSender> WebhookDispatcher<O, P> {
    pub fn new(outbox: O, sender: P) -> Self {
        Self { outbox, sender }
    }

    /// Delivers the due messages, once. Returns how many there were: with as many as `AT_ONCE_MAX` there may
    /// be more. Safe to run anywhere at any time.
    pub async fn deliver_due(&self, now: Moment) -> Result<usize, CodedError> {
        let claimed = self.outbox.claim(AT_ONCE_MAX).await?;
        let count = claimed.len();
        join_all(claimed.into_iter().map(|outgoing| self.deliver_one(outgoing, now))).await;
        Ok(count)
    }

    async fn deliver_one(&self, outgoing: OutgoingMessage, now: Moment) {
        let id = outgoing.message.id.clone();
        let outcome = self.try_delivery(outgoing, now).await;
        tracing::debug!(webhook = id, ?outcome, "webhook tried");
        // An unsettled row returns to the outbox when its lease expires, and is delivered twice at worst.
        if let Err(problem) = self.outbox.settle(&id, outcome).await {
            tracing::warn!(webhook = id, %problem, "webhook outcome not stored");
        }
    }

    async fn try_delivery(&self, outgoing: OutgoingMessage, now: Moment) -> DeliveryOutcome {
        let OutgoingMessage { message, url, secrets, tries } = outgoing;
        let body = match message.body() {
            Ok(body) => body,
            Err(problem) => return DeliveryOutcome::Dead { why: problem.message },
        };
        let signed = sign(&secrets, &message.id, now, &body);
        let headers = signed.named().map(|(name, text)| (name, text.to_owned())).to_vec();
        let answer = self.sender.post(&url, headers, body).await;
        outcome(&answer, tries, message.research.spread(u64::from(tries)))
    }
}

/// What an answer means. `spread` in `0.0..1.0` spreads messages that were tried at the same time.
fn outcome(answer: &Result<u16, CodedError>, tries: u32, spread: f64) -> DeliveryOutcome {
    let why = match answer {
        Ok(200..=299) => return DeliveryOutcome::Delivered,
        Ok(GONE) => return DeliveryOutcome::Dead { why: format!("the receiver answered {GONE}") },
        Ok(status) => format!("the receiver answered {status}"),
        Err(problem) => problem.message.clone(),
    };
    let pause = usize::try_from(tries).ok().and_then(|tries| PAUSES.get(tries));
    match pause {
        Some(pause) => DeliveryOutcome::Retry { after: pause.mul_f64(1.0 + SPREAD * spread), why },
        None => DeliveryOutcome::Dead { why },
    }
}

#[cfg(test)]
mod tests;
