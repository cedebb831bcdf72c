//! What the service of a fleet asks beyond [`Backend`](super::Backend): keys, tenants, idempotent starts,
//! events, full-text search, usage, webhooks. Values only; the caller is known before: a backend is asked on
//! behalf of a tenant and never checks tokens or scopes itself.

use probity_research::{
    CodedError, Digest, RunId, Sequence,
    approval::Approval,
    cost::MicroUsd,
    event::StoredEvent,
    plan::Plan,
    principal::{Principal, RunAccess},
    query::Query,
    scope::KeyScopes,
    spending::RepeatRule,
    status::RunSummary,
    tenant::Tenant,
    time::Moment,
};

pub use super::{StartKind, StartOutcome};

use super::BackendFuture;

/// The holder of an API key that is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHolder {
    pub tenant: Principal,
    pub scopes: KeyScopes,
    /// Not the secret: the name under which the key is listed and revoked.
    pub key_id: String,
    pub limits: TenantLimits,
}

/// The limits of a tenant that may use the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TenantLimits {
    pub requests_per_second: u32,
}

/// A start. When it has a key, the same start again gives the same run.
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// None is the operator.
    pub tenant: Option<Principal>,
    /// Who acted for the tenant, for the audit log.
    pub actor: String,
    pub subject: StartSubject,
    pub idempotency: Option<Idempotency>,
    pub approval: Approval,
    pub repeat: RepeatRule,
}

#[derive(Debug, Clone)]
pub enum StartSubject {
    Question {
        query: Query,
        plan: Box<Plan>,
    },
    /// A text of the tenant's own whose claims are to be checked.
    Text {
        text: String,
        /// Nobody waits: the caller has only the id.
        handed_over: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    pub key: String,
    /// Digest of everything that was asked for. Another digest under the same key is `Code::KeyReused`.
    pub request: Digest,
}

/// What one day cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayUsage {
    /// `YYYY-MM-DD` in UTC.
    pub day: String,
    pub researches: u64,
    pub spent: MicroUsd,
}

/// An API key without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    pub id: String,
    pub tenant: Principal,
    pub scopes: KeyScopes,
    pub made_at: Moment,
    pub expires_at: Option<Moment>,
    pub revoked: bool,
    /// `YYYY-MM-DD`.
    pub last_used_day: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRequest {
    pub tenant: Principal,
    pub scopes: KeyScopes,
    pub expires_at: Option<Moment>,
}

/// A secret that is shown once and not stored here.
#[derive(Clone, PartialEq, Eq)]
pub struct OneTimeSecret(pub String);

impl std::fmt::Debug for OneTimeSecret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ToldOnce(hidden)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedKey {
    pub key: KeyInfo,
    /// `prb_<id>_<secret>`.
    pub secret: OneTimeSecret,
}

/// Where a tenant wants webhooks sent when a run has come to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookInfo {
    pub id: String,
    pub url: String,
    pub made_at: Moment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedWebhook {
    pub webhook: WebhookInfo,
    /// `whsec_…`.
    pub secret: OneTimeSecret,
}

/// One webhook message and the state of its delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryInfo {
    pub id: String,
    pub webhook_id: String,
    pub research: RunId,
    /// `waiting`, `delivered` or `dead`.
    pub state: &'static str,
    pub attempts: u32,
    pub made_at: Moment,
}

/// The administrator's part of a fleet. `None` and `false` mean that the tenant has no such thing.
pub trait AdminBackend: Send + Sync + 'static {
    /// The holder of this key; none for every key that is refused now: unknown, wrong, expired, revoked, of a
    /// suspended tenant. Not distinguishable, not even by time.
    fn key_holder<'a>(&'a self, presented: &'a str) -> BackendFuture<'a, Option<KeyHolder>>;
    /// The limits of a tenant that an issuer vouches for; none if the tenant is suspended.
    fn tenant_limits<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Option<TenantLimits>>;

    /// When this returns, the run is stored and its id may be given out.
    fn start_idempotent(&self, begin: StartRequest) -> BackendFuture<'_, StartOutcome>;
    /// A provider's webhook says that its run with this id has news. Nothing happens if it is not ours.
    fn wake_remote<'a>(&'a self, _remote_id: &'a str) -> BackendFuture<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// Events with a larger sequence, in order, at most `limit`. The caller has checked access to the id
    /// before.
    fn events_after(&self, id: RunId, after: Sequence, limit: usize) -> BackendFuture<'_, Vec<StoredEvent>>;
    /// Runs whose question or report has these words, the best first.
    fn search<'a>(
        &'a self,
        reach: &'a RunAccess,
        words: &'a str,
        limit: usize,
    ) -> BackendFuture<'a, Vec<RunSummary>>;
    /// The last days, newest first; none is the operator's own.
    fn usage<'a>(&'a self, tenant: Option<&'a Principal>, days: u32) -> BackendFuture<'a, Vec<DayUsage>>;

    fn tenants(&self) -> BackendFuture<'_, Vec<Tenant>>;
    fn tenant<'a>(&'a self, name: &'a Principal) -> BackendFuture<'a, Option<Tenant>>;
    fn put_tenant(&self, tenant: Tenant) -> BackendFuture<'_, ()>;

    fn keys<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Vec<KeyInfo>>;
    fn make_key(&self, key: KeyRequest) -> BackendFuture<'_, CreatedKey>;
    fn revoke_key<'a>(&'a self, tenant: &'a Principal, key_id: &'a str) -> BackendFuture<'a, bool>;

    fn webhooks<'a>(&'a self, tenant: &'a Principal) -> BackendFuture<'a, Vec<WebhookInfo>>;
    /// Refuses an address that must not be called.
    fn make_webhook<'a>(&'a self, tenant: &'a Principal, url: &'a str) -> BackendFuture<'a, CreatedWebhook>;
    fn remove_webhook<'a>(&'a self, tenant: &'a Principal, webhook_id: &'a str) -> BackendFuture<'a, bool>;
    fn deliveries<'a>(&'a self, tenant: &'a Principal, limit: usize) -> BackendFuture<'a, Vec<DeliveryInfo>>;
}

/// The same error for an id that is not there and for one that belongs to another tenant.
pub fn not_found_error(what: &str) -> CodedError {
    CodedError::new(probity_research::Code::NotFound, &format!("there is no such {what}"))
}
