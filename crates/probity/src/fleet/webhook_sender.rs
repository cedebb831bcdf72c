//! Sends webhooks: rows from the database's outbox, through the guarded fetcher.

use std::{sync::Arc, time::Duration};

use probity_research::{Code, CodedError, ports::Clock as _};
use probity_runner::SystemClock;
use probity_server::webhooks::{
    self, DeliveryOutcome, OutgoingMessage, SealingKeys, WebhookDispatcher, WebhookMessage, WebhookSecret,
    open_secret,
};
use probity_store::postgres::{AttemptOutcome, DeliveryAttempt, Postgres};
use probity_web::fetch::{Fetcher, FetcherSettings, ReachRules, RequestValue, WebhookPost};
use tokio_util::sync::CancellationToken;

use crate::planning;

/// How often an empty outbox is polled.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A secret that this worker cannot open is tried again after this.
const UNSEALED_PAUSE: Duration = Duration::from_secs(300);
/// Deliveries claimed by one worker at once; see `webhooks::WebhookDispatcher`.
const FULL: usize = 16;

pub struct GuardedWebhookSender {
    fetcher: Arc<Fetcher>,
}

impl GuardedWebhookSender {
    /// `hosts`: internal ones that may receive webhooks, as in `web.reach`.
    pub fn new(hosts: &[String]) -> Result<Self, CodedError> {
        let settings =
            FetcherSettings { reach: ReachRules::parse(hosts)?, ..FetcherSettings::new(planning::now) };
        Ok(Self { fetcher: Arc::new(Fetcher::new(settings)?) })
    }

    /// Refuses a URL now that would be refused at delivery.
    pub fn check_address(&self, url: &str) -> Result<(), CodedError> {
        let guard = self.fetcher.guard();
        let parsed = guard.parse(url)?;
        match parsed.scheme() == "https" || guard.has_reach_rule_for(&parsed) {
            true => Ok(()),
            false => Err(CodedError::new(Code::AddressRefused, "a webhook is delivered by https only")),
        }
    }
}

impl webhooks::WebhookSender for GuardedWebhookSender {
    async fn post(
        &self,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> Result<u16, CodedError> {
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), RequestValue::Plain(value)));
        let delivery = WebhookPost {
            url: url.to_owned(),
            headers: headers.collect(),
            content_type: "application/json".to_owned(),
            body: body.into(),
        };
        Ok(self.fetcher.deliver(delivery).await?)
    }
}

struct PostgresOutbox {
    postgres: Postgres,
    sealing: Option<SealingKeys>,
}

impl webhooks::Outbox for PostgresOutbox {
    async fn claim(&self, room: usize) -> Result<Vec<OutgoingMessage>, CodedError> {
        let mut messages = Vec::new();
        for claimed in self.postgres.claim_deliveries(room).await? {
            match open_secret(self.sealing.as_ref(), &claimed.secret.0, &claimed.url) {
                Ok(opened) => messages.push(outgoing(claimed, opened.secret)),
                Err(problem) => {
                    // Tried again: another worker may have the key, or this one after its restart.
                    tracing::warn!(cause = %problem.message, webhook = claimed.webhook, "delivery not signed");
                    let again = AttemptOutcome::Again { after: UNSEALED_PAUSE, why: problem.message };
                    self.postgres.settle_delivery(claimed.number, &again).await?;
                }
            }
        }
        Ok(messages)
    }

    async fn settle(&self, id: &str, outcome: DeliveryOutcome) -> Result<(), CodedError> {
        let Some(number) = id.strip_prefix(MESSAGE).and_then(|number| number.parse().ok()) else {
            return Ok(());
        };
        let settled = match outcome {
            DeliveryOutcome::Delivered => AttemptOutcome::Delivered,
            DeliveryOutcome::Retry { after, why } => AttemptOutcome::Again { after, why },
            DeliveryOutcome::Dead { why } => AttemptOutcome::Dead { why },
        };
        self.postgres.settle_delivery(number, &settled).await
    }
}

/// The prefix of delivery ids.
const MESSAGE: &str = "msg_";

fn outgoing(claimed: DeliveryAttempt, secret: WebhookSecret) -> OutgoingMessage {
    OutgoingMessage {
        message: WebhookMessage {
            id: format!("{MESSAGE}{}", claimed.number),
            research: claimed.research,
            status: claimed.status,
            asked_at: claimed.asked_at,
            rested_at: claimed.rested_at,
        },
        url: claimed.url,
        secrets: vec![secret],
        tries: claimed.attempt.saturating_sub(1),
    }
}

/// Delivers until `stop`.
pub async fn deliver_webhooks(
    postgres: Postgres,
    hosts: Vec<String>,
    sealing: Option<SealingKeys>,
    clock: SystemClock,
    stop: CancellationToken,
) {
    let sender = match GuardedWebhookSender::new(&hosts) {
        Ok(sender) => sender,
        Err(problem) => {
            tracing::error!(cause = %problem.message, "this worker delivers no webhooks");
            return;
        }
    };
    let deliverer = WebhookDispatcher::new(PostgresOutbox { postgres, sealing }, sender);
    loop {
        let pause = match deliverer.deliver_due(clock.now()).await {
            Ok(count) if count >= FULL => Duration::ZERO,
            Ok(_) => LOOK_EVERY,
            Err(problem) => {
                tracing::warn!(code = %problem.code, cause = %problem.message, "webhook outbox not read");
                LOOK_EVERY
            }
        };
        if stop.run_until_cancelled(clock.sleep(pause)).await.is_none() {
            return;
        }
    }
}
