//! Tenants and API keys. The operator administers all of them; a tenant's own administrator its keys, and nothing of
//! anybody else: what belongs to others is not there.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
    routing,
};
use probity_research::{
    Problem,
    principal::Principal,
    scope::{Scope, Scopes},
    tenant::{Quota, Tenant},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Handler, Operation, Rest, operation::Verb, operator_only, problem::Refused, researches::read,
    starting::wrong, tenant_for, wire::micro_usd,
};
use crate::{
    desk::fleet::{KeyMade, KeyShown, NewKey, nothing_here},
    http::Admitted,
    wire::cents,
};

/// Keys live a year at most: one that nobody renews is one that nobody watches.
const DAYS_MAX: u32 = 366;
const DAY_MS: i64 = 24 * 3_600_000;

pub(super) fn routes() -> Vec<(Operation, Handler)> {
    let admin = |verb, path, id, summary| Operation::new(verb, path, id, Scope::Admin, summary);
    vec![
        (
            admin(Verb::Get, "/v1/admin/tenants", "listTenants", "Every tenant. For the operator")
                .gives::<Tenants>(200, "By name"),
            routing::get(tenants),
        ),
        (
            admin(Verb::Get, "/v1/admin/tenants/{name}", "getTenant", "One tenant and what it may use")
                .gives::<TenantOut>(200, "As it was set up"),
            routing::get(tenant),
        ),
        (
            admin(Verb::Put, "/v1/admin/tenants/{name}", "putTenant", "Set up a tenant. For the operator")
                .takes::<TenantIn>()
                .gives::<TenantOut>(200, "As it is now"),
            routing::put(put_tenant),
        ),
        (
            admin(Verb::Get, "/v1/admin/keys", "listKeys", "The keys of a tenant, without their secrets")
                .query("tenant", "string", "For the operator")
                .gives::<Keys>(200, "Newest first"),
            routing::get(keys),
        ),
        (
            admin(Verb::Post, "/v1/admin/keys", "makeKey", "Make a key; its secret is told this once")
                .takes::<KeyIn>()
                .gives::<KeyMadeOut>(201, "Made"),
            routing::post(make_key),
        ),
        (
            admin(Verb::Delete, "/v1/admin/keys/{id}", "revokeKey", "Revoke a key, at once and for good")
                .query("tenant", "string", "For the operator")
                .gives_nothing(204, "It opens nothing any more"),
            routing::delete(revoke_key),
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TenantToSetUp")]
#[serde(deny_unknown_fields)]
struct TenantIn {
    /// Spent or reserved within 24 hours; left out: without limit
    budget_per_day_usd: Option<f64>,
    in_flight_max: Option<u32>,
    waiting_max: Option<u32>,
    requests_per_second: Option<u32>,
    /// Share beside others that wait too
    weight: Option<u32>,
    /// Opens nothing and starts nothing
    #[serde(default)]
    suspended: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tenant")]
struct TenantOut {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_per_day_usd: Option<f64>,
    in_flight_max: u32,
    waiting_max: u32,
    requests_per_second: u32,
    weight: u32,
    suspended: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Tenants {
    tenants: Vec<TenantOut>,
}

impl TenantOut {
    fn of(tenant: &Tenant) -> Self {
        let quota = &tenant.quota;
        Self {
            name: tenant.name.as_str().to_owned(),
            budget_per_day_usd: quota.budget_per_day.map(|budget| cents(budget.as_usd())),
            in_flight_max: quota.in_flight_max,
            waiting_max: quota.waiting_max,
            requests_per_second: quota.requests_per_second,
            weight: quota.weight,
            suspended: tenant.suspended,
        }
    }
}

impl TenantIn {
    fn named(&self, name: Principal) -> Result<Tenant, Refused> {
        let budget = self.budget_per_day_usd.map(|dollars| {
            micro_usd(dollars).ok_or_else(|| wrong("`budget_per_day_usd` is not an amount of dollars"))
        });
        let usual = Quota::default();
        let quota = Quota {
            budget_per_day: budget.transpose()?,
            in_flight_max: self.in_flight_max.unwrap_or(usual.in_flight_max),
            waiting_max: self.waiting_max.unwrap_or(usual.waiting_max),
            requests_per_second: self.requests_per_second.unwrap_or(usual.requests_per_second),
            weight: self.weight.unwrap_or(usual.weight),
        };
        if quota.weight == 0 || quota.requests_per_second == 0 {
            return Err(wrong("`weight` and `requests_per_second` must be at least 1"));
        }
        Ok(Tenant { name, quota, suspended: self.suspended })
    }
}

async fn tenants(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
) -> Result<Json<Tenants>, Refused> {
    operator_only(&admitted)?;
    let tenants = rest.fleet.tenants().await?;
    Ok(Json(Tenants { tenants: tenants.iter().map(TenantOut::of).collect() }))
}

async fn tenant(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    Path(name): Path<String>,
) -> Result<Json<TenantOut>, Refused> {
    let name = tenant_for(&admitted, Some(&name))?;
    let tenant = rest.fleet.tenant(&name).await?.ok_or_else(|| nothing_here("tenant"))?;
    Ok(Json(TenantOut::of(&tenant)))
}

async fn put_tenant(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Json<TenantOut>, Refused> {
    operator_only(&admitted)?;
    let name = Principal::parse(&name)?;
    let tenant = json::<TenantIn>(&body)?.named(name)?;
    let put = rest.fleet.put_tenant(tenant.clone()).await;
    rest.noted(&admitted, "put-tenant", None, put).await?;
    Ok(Json(TenantOut::of(&tenant)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whose {
    tenant: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "KeyToMake")]
#[serde(deny_unknown_fields)]
struct KeyIn {
    /// For the operator; others make keys of their own tenant
    tenant: Option<String>,
    /// Such as research:read, research:start, research:cancel
    scopes: Vec<String>,
    /// 1 to 366
    expires_in_days: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Key")]
struct KeyOut {
    id: String,
    tenant: String,
    scopes: Vec<&'static str>,
    made_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    revoked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_day: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Keys {
    keys: Vec<KeyOut>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeyMade")]
struct KeyMadeOut {
    #[serde(flatten)]
    key: KeyOut,
    /// Told this once and stored nowhere
    secret: String,
}

impl KeyOut {
    fn of(key: &KeyShown) -> Self {
        Self {
            id: key.id.clone(),
            tenant: key.tenant.as_str().to_owned(),
            scopes: key.scopes.iter().map(Scope::as_str).collect(),
            made_at: key.made_at.to_string(),
            expires_at: key.expires_at.map(|at| at.to_string()),
            revoked: key.revoked,
            last_used_day: key.last_used_day.clone(),
        }
    }
}

async fn keys(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Whose>, QueryRejection>,
) -> Result<Json<Keys>, Refused> {
    let tenant = tenant_for(&admitted, read(query)?.tenant.as_deref())?;
    let keys = rest.fleet.keys(&tenant).await?;
    Ok(Json(Keys { keys: keys.iter().map(KeyOut::of).collect() }))
}

async fn make_key(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    body: Bytes,
) -> Result<(StatusCode, Json<KeyMadeOut>), Refused> {
    let input: KeyIn = json(&body)?;
    let tenant = tenant_for(&admitted, input.tenant.as_deref())?;
    let scopes = Scopes::parse(&input.scopes.join(" "))?;
    if scopes.is_empty() || !(1..=DAYS_MAX).contains(&input.expires_in_days) {
        return Err(wrong(&format!("a key needs a scope, and from 1 to {DAYS_MAX} days")));
    }
    let lives_ms = i64::from(input.expires_in_days) * DAY_MS;
    let expires_at = Some(rest.face.desk().now().plus_ms(lives_ms));
    let made = rest.fleet.make_key(NewKey { tenant, scopes, expires_at }).await;
    let KeyMade { key, secret } = rest.noted(&admitted, "make-key", None, made).await?;
    Ok((StatusCode::CREATED, Json(KeyMadeOut { key: KeyOut::of(&key), secret: secret.0 })))
}

async fn revoke_key(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
    query: Result<Query<Whose>, QueryRejection>,
) -> Result<StatusCode, Refused> {
    let tenant = tenant_for(&admitted, read(query)?.tenant.as_deref())?;
    let revoked = rest.fleet.revoke_key(&tenant, &id).await.and_then(|there| there_is(there, "key"));
    rest.noted(&admitted, "revoke-key", None, revoked).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) fn there_is(there: bool, what: &str) -> Result<(), Problem> {
    if there { Ok(()) } else { Err(nothing_here(what)) }
}

pub(super) fn json<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|error| wrong(&error.to_string()))
}
