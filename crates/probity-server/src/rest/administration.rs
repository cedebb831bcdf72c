//! Tenants and API keys. The operator administers all of them; a tenant's own administrator its keys, and
//! nothing of other tenants: what belongs to others does not exist.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
    routing,
};
use probity_research::{
    CodedError,
    cost::MicroUsd,
    principal::Principal,
    scope::{KeyScope, KeyScopes},
    tenant::{Tenant, TenantQuota},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ApiOperation, RestApi, RouteHandler, operation::HttpVerb, operator_only, problem::ApiError,
    runs::parse_query, starts::invalid_arguments, tenant_for, wire::micro_usd,
};
use crate::{
    backend::admin::{CreatedKey, KeyInfo, KeyRequest, not_found_error},
    http::CallerIdentity,
    wire::cents,
};

/// Keys live a year at most: one that is never renewed is one that is not watched.
const DAYS_MAX: u32 = 366;
const DAY_MS: i64 = 24 * 3_600_000;

pub(super) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    let admin = |verb, path, id, summary| ApiOperation::new(verb, path, id, KeyScope::Admin, summary);
    vec![
        (
            admin(HttpVerb::Get, "/v1/admin/tenants", "listTenants", "Every tenant. For the operator")
                .gives::<TenantListBody>(200, "By name"),
            routing::get(tenants),
        ),
        (
            admin(HttpVerb::Get, "/v1/admin/tenants/{name}", "getTenant", "One tenant and what it may use")
                .gives::<TenantBody>(200, "As it was set up"),
            routing::get(tenant),
        ),
        (
            admin(
                HttpVerb::Put,
                "/v1/admin/tenants/{name}",
                "putTenant",
                "Set up a tenant; what is left out is as for a new one. For the operator",
            )
            .takes::<PutTenantBody>()
            .gives::<TenantBody>(200, "As it is now"),
            routing::put(put_tenant),
        ),
        (
            admin(
                HttpVerb::Patch,
                "/v1/admin/tenants/{name}",
                "changeTenant",
                "Change what a tenant may use; what is left out stays. For the operator",
            )
            .takes::<PatchTenantBody>()
            .gives::<TenantBody>(200, "As it is now"),
            routing::patch(patch_tenant),
        ),
        (
            admin(HttpVerb::Get, "/v1/admin/keys", "listKeys", "The keys of a tenant, without their secrets")
                .query("tenant", "string", "For the operator")
                .gives::<KeyListBody>(200, "Newest first"),
            routing::get(keys),
        ),
        (
            admin(HttpVerb::Post, "/v1/admin/keys", "makeKey", "Make a key; its secret is told this once")
                .takes::<CreateKeyBody>()
                .gives::<CreatedKeyBody>(201, "Made"),
            routing::post(make_key),
        ),
        (
            admin(HttpVerb::Delete, "/v1/admin/keys/{id}", "revokeKey", "Revoke a key, at once and for good")
                .query("tenant", "string", "For the operator")
                .gives_nothing(204, "It opens nothing any more"),
            routing::delete(revoke_key),
        ),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TenantToSetUp")]
#[serde(deny_unknown_fields)]
struct PutTenantBody {
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

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TenantChange")]
#[serde(deny_unknown_fields)]
struct PatchTenantBody {
    /// Spent or reserved within 24 hours; null: without limit
    #[serde(default, deserialize_with = "named")]
    budget_per_day_usd: Option<Option<f64>>,
    in_flight_max: Option<u32>,
    waiting_max: Option<u32>,
    requests_per_second: Option<u32>,
    /// Share beside others that wait too
    weight: Option<u32>,
    /// Opens nothing and starts nothing
    suspended: Option<bool>,
}

/// A field that is there, null or not.
fn named<'de, D: serde::Deserializer<'de>>(field: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(field).map(Some)
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tenant")]
struct TenantBody {
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
#[schemars(rename = "Tenants")]
struct TenantListBody {
    tenants: Vec<TenantBody>,
}

impl TenantBody {
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

impl PutTenantBody {
    fn named(&self, name: Principal) -> Result<Tenant, ApiError> {
        let budget = self.budget_per_day_usd.map(budget_of);
        let usual = TenantQuota::default();
        let quota = TenantQuota {
            budget_per_day: budget.transpose()?,
            in_flight_max: self.in_flight_max.unwrap_or(usual.in_flight_max),
            waiting_max: self.waiting_max.unwrap_or(usual.waiting_max),
            requests_per_second: self.requests_per_second.unwrap_or(usual.requests_per_second),
            weight: self.weight.unwrap_or(usual.weight),
        };
        usable(Tenant { name, quota, suspended: self.suspended })
    }
}

impl PatchTenantBody {
    fn applied(&self, known: Tenant) -> Result<Tenant, ApiError> {
        let was = known.quota;
        let quota = TenantQuota {
            budget_per_day: match self.budget_per_day_usd {
                None => was.budget_per_day,
                Some(budget) => budget.map(budget_of).transpose()?,
            },
            in_flight_max: self.in_flight_max.unwrap_or(was.in_flight_max),
            waiting_max: self.waiting_max.unwrap_or(was.waiting_max),
            requests_per_second: self.requests_per_second.unwrap_or(was.requests_per_second),
            weight: self.weight.unwrap_or(was.weight),
        };
        usable(Tenant { quota, suspended: self.suspended.unwrap_or(known.suspended), ..known })
    }
}

fn budget_of(dollars: f64) -> Result<MicroUsd, ApiError> {
    micro_usd(dollars).ok_or_else(|| invalid_arguments("`budget_per_day_usd` is not an amount of dollars"))
}

fn usable(tenant: Tenant) -> Result<Tenant, ApiError> {
    if tenant.quota.weight == 0 || tenant.quota.requests_per_second == 0 {
        return Err(invalid_arguments("`weight` and `requests_per_second` must be at least 1"));
    }
    Ok(tenant)
}

async fn tenants(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
) -> Result<Json<TenantListBody>, ApiError> {
    operator_only(&admitted)?;
    let tenants = rest.fleet.tenants().await?;
    Ok(Json(TenantListBody { tenants: tenants.iter().map(TenantBody::of).collect() }))
}

async fn tenant(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(name): Path<String>,
) -> Result<Json<TenantBody>, ApiError> {
    let name = tenant_for(&admitted, Some(&name))?;
    let tenant = rest.fleet.tenant(&name).await?.ok_or_else(|| not_found_error("tenant"))?;
    Ok(Json(TenantBody::of(&tenant)))
}

async fn put_tenant(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Json<TenantBody>, ApiError> {
    operator_only(&admitted)?;
    let name = Principal::parse(&name)?;
    let tenant = parse_json::<PutTenantBody>(&body)?.named(name)?;
    let put = rest.fleet.put_tenant(tenant.clone()).await;
    rest.audit_outcome(&admitted, "put-tenant", None, put).await?;
    Ok(Json(TenantBody::of(&tenant)))
}

async fn patch_tenant(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Json<TenantBody>, ApiError> {
    operator_only(&admitted)?;
    let name = Principal::parse(&name).map_err(|_| not_found_error("tenant"))?;
    let change = parse_json::<PatchTenantBody>(&body)?;
    let known = rest.fleet.tenant(&name).await?.ok_or_else(|| not_found_error("tenant"))?;
    let tenant = change.applied(known)?;
    let put = rest.fleet.put_tenant(tenant.clone()).await;
    rest.audit_outcome(&admitted, "patch-tenant", None, put).await?;
    Ok(Json(TenantBody::of(&tenant)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyTenantParams {
    tenant: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "KeyToMake")]
#[serde(deny_unknown_fields)]
struct CreateKeyBody {
    /// For the operator; others make keys of their own tenant
    tenant: Option<String>,
    /// Such as research:read, research:start, research:cancel
    scopes: Vec<String>,
    /// 1 to 366
    expires_in_days: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Key")]
struct KeyBody {
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
#[schemars(rename = "Keys")]
struct KeyListBody {
    keys: Vec<KeyBody>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "KeyMade")]
struct CreatedKeyBody {
    #[serde(flatten)]
    key: KeyBody,
    /// Told this once and stored nowhere
    secret: String,
}

impl KeyBody {
    fn of(key: &KeyInfo) -> Self {
        Self {
            id: key.id.clone(),
            tenant: key.tenant.as_str().to_owned(),
            scopes: key.scopes.iter().map(KeyScope::as_str).collect(),
            made_at: key.made_at.to_string(),
            expires_at: key.expires_at.map(|at| at.to_string()),
            revoked: key.revoked,
            last_used_day: key.last_used_day.clone(),
        }
    }
}

async fn keys(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<KeyTenantParams>, QueryRejection>,
) -> Result<Json<KeyListBody>, ApiError> {
    let tenant = tenant_for(&admitted, parse_query(query)?.tenant.as_deref())?;
    let keys = rest.fleet.keys(&tenant).await?;
    Ok(Json(KeyListBody { keys: keys.iter().map(KeyBody::of).collect() }))
}

async fn make_key(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    body: Bytes,
) -> Result<(StatusCode, Json<CreatedKeyBody>), ApiError> {
    let input: CreateKeyBody = parse_json(&body)?;
    let tenant = tenant_for(&admitted, input.tenant.as_deref())?;
    let scopes = KeyScopes::parse(&input.scopes.join(" "))?;
    if scopes.is_empty() || !(1..=DAYS_MAX).contains(&input.expires_in_days) {
        return Err(invalid_arguments(&format!("a key needs a scope, and from 1 to {DAYS_MAX} days")));
    }
    let lives_ms = i64::from(input.expires_in_days) * DAY_MS;
    let expires_at = Some(rest.mcp_server.backend().now().plus_ms(lives_ms));
    let made = rest.fleet.make_key(KeyRequest { tenant, scopes, expires_at }).await;
    let CreatedKey { key, secret } = rest.audit_outcome(&admitted, "make-key", None, made).await?;
    Ok((StatusCode::CREATED, Json(CreatedKeyBody { key: KeyBody::of(&key), secret: secret.0 })))
}

async fn revoke_key(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    query: Result<Query<KeyTenantParams>, QueryRejection>,
) -> Result<StatusCode, ApiError> {
    let tenant = tenant_for(&admitted, parse_query(query)?.tenant.as_deref())?;
    let revoked = rest.fleet.revoke_key(&tenant, &id).await.and_then(|there| require_found(there, "key"));
    rest.audit_outcome(&admitted, "revoke-key", None, revoked).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) fn require_found(there: bool, what: &str) -> Result<(), CodedError> {
    if there { Ok(()) } else { Err(not_found_error(what)) }
}

pub(super) fn parse_json<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| invalid_arguments(&error.to_string()))
}
