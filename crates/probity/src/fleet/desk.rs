//! A fleet's own questions, answered from its database: keys, tenants, events, search, spending, webhooks.

use probity_research::{
    Code, Problem, ResearchId, Sequence,
    event::Recorded,
    principal::{Principal, Reach},
    status::Summary,
    tenant::Tenant,
};
use probity_server::{
    desk::{
        Answered,
        fleet::{
            Begin, Begun, DayUsage, DeliveryShown, Door, FleetDesk, KeyHolder, KeyMade, KeyShown, NewKey,
            ToldOnce, WebhookMade, WebhookShown,
        },
    },
    webhooks::Secret,
};
use probity_store::postgres::{self, KeyId, NewWebhook, Sealed};

use super::{office::FleetOffice, postman::Postman};

impl FleetOffice {
    fn door_of(&self, requests_per_second: Option<u32>) -> Door {
        let default = self.settings.fleet.quota.requests_per_second;
        Door { requests_per_second: requests_per_second.unwrap_or(default) }
    }

    async fn holder(&self, presented: &str) -> Result<Option<KeyHolder>, Problem> {
        let found = self.postgres().key_for(presented).await?;
        // A key without a tenant is the operator's, who has a token of their own.
        Ok(found.and_then(|holder| {
            Some(KeyHolder {
                tenant: holder.tenant?,
                scopes: holder.scopes,
                key_id: holder.key.as_str().to_owned(),
                door: self.door_of(holder.requests_per_second),
            })
        }))
    }

    async fn made_key(&self, new: NewKey) -> Result<KeyMade, Problem> {
        let wanted = postgres::NewKey {
            tenant: Some(new.tenant.clone()),
            scopes: new.scopes,
            expires_at: new.expires_at,
        };
        let made = self.postgres().make_key(&wanted, random()?).await?;
        Ok(KeyMade {
            key: KeyShown {
                id: made.id().as_str().to_owned(),
                tenant: new.tenant,
                scopes: new.scopes,
                made_at: self.now(),
                expires_at: new.expires_at,
                revoked: false,
                last_used_day: None,
            },
            secret: ToldOnce(made.reveal()),
        })
    }

    async fn listed_keys(&self, tenant: &Principal) -> Result<Vec<KeyShown>, Problem> {
        let keys = self.postgres().keys(Some(tenant)).await?;
        let shown = |key: postgres::KeyShown| {
            Some(KeyShown {
                id: key.key.as_str().to_owned(),
                tenant: key.tenant?,
                scopes: key.scopes,
                made_at: key.made_at,
                expires_at: key.expires_at,
                revoked: key.revoked_at.is_some(),
                last_used_day: key.last_used_on,
            })
        };
        Ok(keys.into_iter().filter_map(shown).collect())
    }

    async fn revoked(&self, tenant: &Principal, key_id: &str) -> Result<bool, Problem> {
        let Some(key) = KeyId::parse(key_id) else { return Ok(false) };
        match self.postgres().revoke(Some(tenant), &key).await {
            Ok(()) => Ok(true),
            Err(problem) if problem.code == Code::NotFound => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    async fn made_webhook(&self, tenant: &Principal, url: &str) -> Result<WebhookMade, Problem> {
        Postman::new(&self.settings.fleet.webhook_hosts)?.allows(url)?;
        let secret = Secret::make()?;
        let new = NewWebhook {
            tenant: Some(tenant.clone()),
            url: url.to_owned(),
            secret: Sealed(secret.expose().as_bytes().to_vec()),
            statuses: Vec::new(),
        };
        let number = self.postgres().make_webhook(&new).await?;
        let webhook = WebhookShown { id: number.to_string(), url: new.url, made_at: self.now() };
        Ok(WebhookMade { webhook, secret: ToldOnce(secret.expose().to_owned()) })
    }

    async fn listed_webhooks(&self, tenant: &Principal) -> Result<Vec<WebhookShown>, Problem> {
        let webhooks = self.postgres().webhooks(Some(tenant)).await?;
        let shown = |webhook: postgres::Webhook| WebhookShown {
            id: webhook.number.to_string(),
            url: webhook.url,
            made_at: webhook.made_at,
        };
        Ok(webhooks.into_iter().map(shown).collect())
    }

    async fn listed_deliveries(
        &self,
        tenant: &Principal,
        limit: usize,
    ) -> Result<Vec<DeliveryShown>, Problem> {
        let deliveries = self.postgres().deliveries(Some(tenant), limit).await?;
        let shown = |delivery: postgres::Delivery| DeliveryShown {
            id: delivery.number.to_string(),
            webhook_id: delivery.webhook.to_string(),
            research: delivery.research,
            state: delivery.state.as_str(),
            attempts: delivery.attempts,
            made_at: delivery.made_at,
        };
        Ok(deliveries.into_iter().map(shown).collect())
    }
}

impl FleetDesk for FleetOffice {
    fn key_holder<'a>(&'a self, presented: &'a str) -> Answered<'a, Option<KeyHolder>> {
        Box::pin(self.holder(presented))
    }

    fn door<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Option<Door>> {
        Box::pin(async move {
            Ok(match self.postgres().tenant(tenant).await? {
                Some(tenant) if tenant.suspended => None,
                Some(tenant) => Some(self.door_of(Some(tenant.quota.requests_per_second))),
                None => Some(self.door_of(None)),
            })
        })
    }

    fn begin(&self, begin: Begin) -> Answered<'_, Begun> {
        Box::pin(Self::begin(self, begin))
    }

    fn wake_remote<'a>(&'a self, remote_id: &'a str) -> Answered<'a, ()> {
        Box::pin(async move {
            match self.postgres().of_remote(remote_id).await? {
                Some(id) => self.researches.executor().look_now(id).await,
                None => Ok(()),
            }
        })
    }

    fn events_after(&self, id: ResearchId, after: Sequence, limit: usize) -> Answered<'_, Vec<Recorded>> {
        Box::pin(self.postgres().events_after(id, after, limit))
    }

    fn search<'a>(&'a self, reach: &'a Reach, words: &'a str, limit: usize) -> Answered<'a, Vec<Summary>> {
        Box::pin(self.postgres().search(reach, words, limit))
    }

    fn usage<'a>(&'a self, tenant: Option<&'a Principal>, days: u32) -> Answered<'a, Vec<DayUsage>> {
        Box::pin(async move {
            let days = self.postgres().usage(tenant, days).await?;
            let shown = |day: postgres::DayUsed| DayUsage {
                day: day.day,
                researches: day.researches,
                spent: day.spent,
            };
            Ok(days.into_iter().map(shown).collect())
        })
    }

    fn tenants(&self) -> Answered<'_, Vec<Tenant>> {
        Box::pin(self.postgres().tenants())
    }

    fn tenant<'a>(&'a self, name: &'a Principal) -> Answered<'a, Option<Tenant>> {
        Box::pin(self.postgres().tenant(name))
    }

    fn put_tenant(&self, tenant: Tenant) -> Answered<'_, ()> {
        Box::pin(async move { self.postgres().put_tenant(&tenant).await })
    }

    fn keys<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Vec<KeyShown>> {
        Box::pin(self.listed_keys(tenant))
    }

    fn make_key(&self, key: NewKey) -> Answered<'_, KeyMade> {
        Box::pin(self.made_key(key))
    }

    fn revoke_key<'a>(&'a self, tenant: &'a Principal, key_id: &'a str) -> Answered<'a, bool> {
        Box::pin(self.revoked(tenant, key_id))
    }

    fn webhooks<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Vec<WebhookShown>> {
        Box::pin(self.listed_webhooks(tenant))
    }

    fn make_webhook<'a>(&'a self, tenant: &'a Principal, url: &'a str) -> Answered<'a, WebhookMade> {
        Box::pin(self.made_webhook(tenant, url))
    }

    fn remove_webhook<'a>(&'a self, tenant: &'a Principal, webhook_id: &'a str) -> Answered<'a, bool> {
        Box::pin(async move {
            let Ok(number) = webhook_id.parse() else { return Ok(false) };
            self.postgres().remove_webhook(Some(tenant), number).await
        })
    }

    fn deliveries<'a>(&'a self, tenant: &'a Principal, limit: usize) -> Answered<'a, Vec<DeliveryShown>> {
        Box::pin(self.listed_deliveries(tenant, limit))
    }
}

/// Bits for a key's name and secret.
pub fn random<const BYTES: usize>() -> Result<[u8; BYTES], Problem> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|_| Problem::new(Code::StoreFailed, "the system gives no random numbers"))?;
    Ok(bytes)
}
