//! What the service of a fleet asks beyond [`Desk`](super::Desk): keys, tenants, starts that may be repeated,
//! events, full-text search, what was spent, webhooks. Values only; whose question it is has been settled
//! before: a desk is asked on behalf of a tenant and never checks tokens or scopes itself.

use probity_research::{
    Digest, Problem, ResearchId, Sequence,
    cost::MicroUsd,
    event::Recorded,
    plan::Plan,
    principal::{Principal, Reach},
    query::Query,
    scope::Scopes,
    status::Summary,
    tenant::Tenant,
    time::Moment,
};

use super::Answered;

/// Who holds an API key that is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyHolder {
    pub tenant: Principal,
    pub scopes: Scopes,
    /// Not the secret: the name under which the key is listed and revoked.
    pub key_id: String,
    pub door: Door,
}

/// What a tenant that may enter is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Door {
    pub requests_per_second: u32,
}

/// A start. When it has a key, the same start again gives the same research.
#[derive(Debug, Clone)]
pub struct Begin {
    /// None is the operator.
    pub tenant: Option<Principal>,
    /// Who acted for the tenant, for the audit log.
    pub actor: String,
    pub subject: Subject,
    pub idempotency: Option<Idempotency>,
}

#[derive(Debug, Clone)]
pub enum Subject {
    Question {
        query: Query,
        plan: Box<Plan>,
    },
    /// A text of somebody's own whose claims are to be checked.
    Text(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    pub key: String,
    /// Of everything that was asked for. Another digest under the same key is `Code::KeyReused`.
    pub request: Digest,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    pub summary: Summary,
    pub which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    New,
    /// It was started before with the same key.
    Same,
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
pub struct KeyShown {
    pub id: String,
    pub tenant: Principal,
    pub scopes: Scopes,
    pub made_at: Moment,
    pub expires_at: Option<Moment>,
    pub revoked: bool,
    /// `YYYY-MM-DD`.
    pub last_used_day: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    pub tenant: Principal,
    pub scopes: Scopes,
    pub expires_at: Option<Moment>,
}

/// Something that is told once and kept by nobody here.
#[derive(Clone, PartialEq, Eq)]
pub struct ToldOnce(pub String);

impl std::fmt::Debug for ToldOnce {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ToldOnce(hidden)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyMade {
    pub key: KeyShown,
    /// `prb_<id>_<secret>`.
    pub secret: ToldOnce,
}

/// Where a tenant wants to hear that a research has come to rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookShown {
    pub id: String,
    pub url: String,
    pub made_at: Moment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMade {
    pub webhook: WebhookShown,
    /// `whsec_…`.
    pub secret: ToldOnce,
}

/// One message to a webhook and how its delivery stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryShown {
    pub id: String,
    pub webhook_id: String,
    pub research: ResearchId,
    /// `waiting`, `delivered` or `dead`.
    pub state: &'static str,
    pub attempts: u32,
    pub made_at: Moment,
}

/// The operator's part of a fleet. `None` and `false` say that there is no such thing of that tenant.
pub trait FleetDesk: Send + Sync + 'static {
    /// Whose key this is; none for every key that opens nothing now: unknown, wrong, expired, revoked, of a
    /// suspended tenant. Told apart by nothing, not even by time.
    fn key_holder<'a>(&'a self, presented: &'a str) -> Answered<'a, Option<KeyHolder>>;
    /// Whether a tenant that an issuer vouches for may enter; none if it is suspended.
    fn door<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Option<Door>>;

    /// When this returns, the research is stored and its id may be told.
    fn begin(&self, begin: Begin) -> Answered<'_, Begun>;
    /// A provider says that its run with this id is worth a look. Nothing happens if it is not ours.
    fn wake_remote<'a>(&'a self, _remote_id: &'a str) -> Answered<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// Events with a larger sequence, in order, at most `limit`. The id has been found within reach before.
    fn events_after(&self, id: ResearchId, after: Sequence, limit: usize) -> Answered<'_, Vec<Recorded>>;
    /// Researches whose question or report has these words, the best first.
    fn search<'a>(&'a self, reach: &'a Reach, words: &'a str, limit: usize) -> Answered<'a, Vec<Summary>>;
    /// The last days, newest first; none is the operator's own.
    fn usage<'a>(&'a self, tenant: Option<&'a Principal>, days: u32) -> Answered<'a, Vec<DayUsage>>;

    fn tenants(&self) -> Answered<'_, Vec<Tenant>>;
    fn tenant<'a>(&'a self, name: &'a Principal) -> Answered<'a, Option<Tenant>>;
    fn put_tenant(&self, tenant: Tenant) -> Answered<'_, ()>;

    fn keys<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Vec<KeyShown>>;
    fn make_key(&self, key: NewKey) -> Answered<'_, KeyMade>;
    fn revoke_key<'a>(&'a self, tenant: &'a Principal, key_id: &'a str) -> Answered<'a, bool>;

    fn webhooks<'a>(&'a self, tenant: &'a Principal) -> Answered<'a, Vec<WebhookShown>>;
    /// Refuses an address that may not be asked.
    fn make_webhook<'a>(&'a self, tenant: &'a Principal, url: &'a str) -> Answered<'a, WebhookMade>;
    fn remove_webhook<'a>(&'a self, tenant: &'a Principal, webhook_id: &'a str) -> Answered<'a, bool>;
    fn deliveries<'a>(&'a self, tenant: &'a Principal, limit: usize) -> Answered<'a, Vec<DeliveryShown>>;
}

/// What there is to say to an id that is not there, and to one that belongs to another tenant.
pub fn nothing_here(what: &str) -> Problem {
    Problem::new(probity_research::Code::NotFound, &format!("there is no such {what}"))
}
