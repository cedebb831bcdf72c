//! Webhooks on their way out: rows from the database's outbox, sent through the guarded fetcher.

use std::{sync::Arc, time::Duration};

use probity_research::{Code, Problem, seams::Clock as _};
use probity_runner::SystemClock;
use probity_server::webhooks::{self, Deliverer, Message, Outcome, Outgoing, Secret};
use probity_store::postgres::{Claimed, Postgres, Settled};
use probity_web::fetch::{Delivery, Fetcher, FetcherSettings, Reach, Words};
use tokio_util::sync::CancellationToken;

use crate::planning;

/// How often the outbox is looked into while it is empty.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Messages claimed by one worker at once; see `webhooks::Deliverer`.
const FULL: usize = 16;

pub struct Postman {
    fetcher: Arc<Fetcher>,
}

impl Postman {
    /// `hosts`: internal ones that may be told, as in `web.reach`.
    pub fn new(hosts: &[String]) -> Result<Self, Problem> {
        let settings = FetcherSettings { reach: Reach::parse(hosts)?, ..FetcherSettings::new(planning::now) };
        Ok(Self { fetcher: Arc::new(Fetcher::new(settings)?) })
    }

    /// Refuses what would be refused when there is something to tell.
    pub fn allows(&self, url: &str) -> Result<(), Problem> {
        let guard = self.fetcher.guard();
        let parsed = guard.parse(url)?;
        match parsed.scheme() == "https" || guard.reaches(&parsed) {
            true => Ok(()),
            false => Err(Problem::new(Code::AddressRefused, "a webhook is delivered by https only")),
        }
    }
}

impl webhooks::Postman for Postman {
    async fn post(
        &self,
        url: &str,
        headers: Vec<(&'static str, String)>,
        body: Vec<u8>,
    ) -> Result<u16, Problem> {
        let headers = headers.into_iter().map(|(name, value)| (name.to_owned(), Words::Plain(value)));
        let delivery = Delivery {
            url: url.to_owned(),
            headers: headers.collect(),
            content_type: "application/json".to_owned(),
            body: body.into(),
        };
        Ok(self.fetcher.deliver(delivery).await?)
    }
}

struct Outbox(Postgres);

impl webhooks::Outbox for Outbox {
    async fn claim(&self, room: usize) -> Result<Vec<Outgoing>, Problem> {
        let claimed = self.0.claim_deliveries(room).await?;
        Ok(claimed.into_iter().filter_map(outgoing).collect())
    }

    async fn settle(&self, id: &str, outcome: Outcome) -> Result<(), Problem> {
        let Some(number) = id.strip_prefix(MESSAGE).and_then(|number| number.parse().ok()) else {
            return Ok(());
        };
        let settled = match outcome {
            Outcome::Delivered => Settled::Delivered,
            Outcome::Again { after, why } => Settled::Again { after, why },
            Outcome::Dead { why } => Settled::Dead { why },
        };
        self.0.settle(number, &settled).await
    }
}

/// How the ids of messages begin.
const MESSAGE: &str = "msg_";

fn outgoing(claimed: Claimed) -> Option<Outgoing> {
    let secret = Secret::parse(std::str::from_utf8(&claimed.secret.0).ok()?).ok()?;
    Some(Outgoing {
        message: Message {
            id: format!("{MESSAGE}{}", claimed.number),
            research: claimed.research,
            status: claimed.status,
            asked_at: claimed.asked_at,
            rested_at: claimed.rested_at,
        },
        url: claimed.url,
        secrets: vec![secret],
        tries: claimed.attempt.saturating_sub(1),
    })
}

/// Delivers until `stop`.
pub async fn deliver(postgres: Postgres, hosts: Vec<String>, clock: SystemClock, stop: CancellationToken) {
    let postman = match Postman::new(&hosts) {
        Ok(postman) => postman,
        Err(problem) => {
            tracing::error!(message = %problem.message, "webhooks are not delivered by this worker");
            return;
        }
    };
    let deliverer = Deliverer::new(Outbox(postgres), postman);
    loop {
        let pause = match deliverer.round(clock.now()).await {
            Ok(count) if count >= FULL => Duration::ZERO,
            Ok(_) => LOOK_EVERY,
            Err(problem) => {
                tracing::warn!(code = %problem.code, message = %problem.message, "the outbox did not open");
                LOOK_EVERY
            }
        };
        if stop.run_until_cancelled(clock.sleep(pause)).await.is_none() {
            return;
        }
    }
}
