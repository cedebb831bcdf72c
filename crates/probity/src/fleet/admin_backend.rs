//! The administrator's part of a fleet, answered from its database: keys, tenants, events, search, spending,
//! webhooks.

use probity_research::{
    Code, CodedError, RunId, Sequence,
    event::StoredEvent,
    principal::{Principal, RunAccess},
    status::RunSummary,
    tenant::Tenant,
};
use probity_server::{
    backend::{
        BackendFuture,
        admin::{
            AdminBackend, CreatedKey, CreatedWebhook, DayUsage, DeliveryInfo, KeyHolder, KeyInfo, KeyRequest,
            OneTimeSecret, StartOutcome, StartRequest, TenantLimits, WebhookInfo,
        },
    },
    webhooks::WebhookSecret,
};
use probity_store::postgres::{self, KeyId, NewWebhook, StoredSecret};

use super::{backend::FleetBackend, webhook_sender::GuardedWebhookSender};

impl FleetBackend {
    fn tenant_limits(&self, requests_per_second: Option<u32>) -> TenantLimits {
        let default = self.settings.fleet.quota.requests_per_second;
        TenantLimits { requests_per_second: requests_per_second.unwrap_or(default) }
    }

    async fn holder(&self, presented: &str) -> Result<Option<KeyHolder>, CodedError> {
        let found = self.postgres().find_key_holder(presented).await?;
        // A key without a tenant is the operator's, who has a token of their own.
        Ok(found.and_then(|holder| {
            Some(KeyHolder {
                tenant: holder.tenant?,
                scopes: holder.scopes,
                key_id: holder.key.as_str().to_owned(),
                limits: self.tenant_limits(holder.requests_per_second),
            })
        }))
    }

    async fn made_key(&self, new: KeyRequest) -> Result<CreatedKey, CodedError> {
        let wanted = postgres::NewKey {
            tenant: Some(new.tenant.clone()),
            scopes: new.scopes,
            expires_at: new.expires_at,
        };
        let made = self.postgres().make_key(&wanted, random_bytes()?).await?;
        Ok(CreatedKey {
            key: KeyInfo {
                id: made.id().as_str().to_owned(),
                tenant: new.tenant,
                scopes: new.scopes,
                made_at: self.now(),
                expires_at: new.expires_at,
                revoked: false,
                last_used_day: None,
            },
            secret: OneTimeSecret(made.reveal()),
        })
    }

    async fn listed_keys(&self, tenant: &Principal) -> Result<Vec<KeyInfo>, CodedError> {
        let keys = self.postgres().keys(Some(tenant)).await?;
        let shown = |key: postgres::KeyRow| {
            Some(KeyInfo {
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

    async fn revoked(&self, tenant: &Principal, key_id: &str) -> Result<bool, CodedError> {
        let Some(key) = KeyId::parse(key_id) else { return Ok(false) };
        match self.postgres().revoke(Some(tenant), &key).await {
            Ok(()) => Ok(true),
            Err(problem) if problem.code == Code::NotFound => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    async fn made_webhook(&self, tenant: &Principal, url: &str) -> Result<CreatedWebhook, CodedError> {
        GuardedWebhookSender::new(&self.settings.fleet.webhook_hosts)?.check_address(url)?;
        let Some(sealing) = &self.sealing else {
            let message = "webhooks need a key that seals their secrets, and this front end has none";
            return Err(CodedError::new(Code::Settings, message));
        };
        let secret = WebhookSecret::make()?;
        let new = NewWebhook {
            tenant: Some(tenant.clone()),
            url: url.to_owned(),
            secret: StoredSecret(sealing.seal(&secret, url)?),
            statuses: Vec::new(),
        };
        let number = self.postgres().make_webhook(&new).await?;
        let webhook = WebhookInfo { id: number.to_string(), url: new.url, made_at: self.now() };
        Ok(CreatedWebhook { webhook, secret: OneTimeSecret(secret.expose().to_owned()) })
    }

    async fn listed_webhooks(&self, tenant: &Principal) -> Result<Vec<WebhookInfo>, CodedError> {
        let webhooks = self.postgres().webhooks(Some(tenant)).await?;
        let shown = |webhook: postgres::Webhook| WebhookInfo {
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
    ) -> Result<Vec<DeliveryInfo>, CodedError> {
        let deliveries = self.postgres().deliveries(Some(tenant), limit).await?;
        let shown = |delivery: postgres::Delivery| DeliveryInfo {
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

impl AdminBackend for FleetBackend {
    fn key_holder<'a>(&'a self, presented: &'a str) -> BackendFuture<'a, Option<KeyHolder>> {
        Box::pin(self.holder(presented))
    }

    fn tenant_limits<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Option<TenantLimits>> {
        Box::pin(async move {
            Ok(match self.postgres().tenant(tenant).await? {
                Some(tenant) if tenant.suspended => None,
                Some(tenant) => Some(self.tenant_limits(Some(tenant.quota.requests_per_second))),
                None => Some(self.tenant_limits(None)),
            })
        })
    }

    fn start_idempotent(&self, begin: StartRequest) -> BackendFuture<'_, StartOutcome> {
        Box::pin(Self::begin(self, begin))
    }

    fn wake_remote<'a>(&'a self, remote_id: &'a str) -> BackendFuture<'a, ()> {
        Box::pin(async move {
            match self.postgres().find_by_remote_id(remote_id).await? {
                Some(id) => self.researches.executor().poll_now(id).await,
                None => Ok(()),
            }
        })
    }

    fn events_after(&self, id: RunId, after: Sequence, limit: usize) -> BackendFuture<'_, Vec<StoredEvent>> {
        Box::pin(self.postgres().events_after(id, after, limit))
    }

    fn search<'a>(
        &'a self,
        reach: &'a RunAccess,
        words: &'a str,
        limit: usize,
    ) -> BackendFuture<'a, Vec<RunSummary>> {
        Box::pin(self.postgres().search(reach, words, limit))
    }

    fn usage<'a>(&'a self, tenant: Option<&'a Principal>, days: u32) -> BackendFuture<'a, Vec<DayUsage>> {
        Box::pin(async move {
            let days = self.postgres().usage(tenant, days).await?;
            let shown = |day: postgres::DailyUsage| DayUsage {
                day: day.day,
                researches: day.researches,
                spent: day.spent,
            };
            Ok(days.into_iter().map(shown).collect())
        })
    }

    fn tenants(&self) -> BackendFuture<'_, Vec<Tenant>> {
        Box::pin(self.postgres().tenants())
    }

    fn tenant<'a>(&'a self, name: &'a Principal) -> BackendFuture<'a, Option<Tenant>> {
        Box::pin(self.postgres().tenant(name))
    }

    fn put_tenant(&self, tenant: Tenant) -> BackendFuture<'_, ()> {
        Box::pin(async move { self.postgres().put_tenant(&tenant).await })
    }

    fn keys<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Vec<KeyInfo>> {
        Box::pin(self.listed_keys(tenant))
    }

    fn make_key(&self, key: KeyRequest) -> BackendFuture<'_, CreatedKey> {
        Box::pin(self.made_key(key))
    }

    fn revoke_key<'a>(&'a self, tenant: &'a Principal, key_id: &'a str) -> BackendFuture<'a, bool> {
        Box::pin(self.revoked(tenant, key_id))
    }

    fn webhooks<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Vec<WebhookInfo>> {
        Box::pin(self.listed_webhooks(tenant))
    }

    fn make_webhook<'a>(&'a self, tenant: &'a Principal, url: &'a str) -> BackendFuture<'a, CreatedWebhook> {
        Box::pin(self.made_webhook(tenant, url))
    }

    fn remove_webhook<'a>(&'a self, tenant: &'a Principal, webhook_id: &'a str) -> BackendFuture<'a, bool> {
        Box::pin(async move {
            let Ok(number) = webhook_id.parse() else { return Ok(false) };
            self.postgres().remove_webhook(Some(tenant), number).await
        })
    }

    fn deliveries<'a>(&'a self, tenant: &'a Principal, limit: usize) -> BackendFuture<'a, Vec<DeliveryInfo>> {
        Box::pin(self.listed_deliveries(tenant, limit))
    }
}

/// Bits for a key's name and secret.
pub fn random_bytes<const BYTES: usize>() -> Result<[u8; BYTES], CodedError> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|_| CodedError::new(Code::StoreFailed, "the system gives no random numbers"))?;
    Ok(bytes)
}
