//! Where a tenant wants webhooks sent when a run has come to rest, and the state of their deliveries.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
    routing,
};
use probity_research::scope::KeyScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ApiOperation, RestApi, RouteHandler,
    administration::{parse_json, require_found},
    operation::HttpVerb,
    problem::ApiError,
    runs::parse_query,
    starts::invalid_arguments,
    tenant_for,
};
use crate::{
    backend::admin::{CreatedWebhook, DeliveryInfo, WebhookInfo},
    http::CallerIdentity,
};

/// Longest address accepted.
const URL_BYTES_MAX: usize = 2_000;
/// Messages in one answer.
const DELIVERIES_MAX: usize = 100;

pub(super) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    let admin = |verb, path, id, summary| {
        ApiOperation::new(verb, path, id, KeyScope::Admin, summary).query(
            "tenant",
            "string",
            "For the operator",
        )
    };
    vec![
        (
            admin(HttpVerb::Get, "/v1/webhooks", "listWebhooks", "Where the ends of researches are told")
                .gives::<WebhookListBody>(200, "Without their secrets"),
            routing::get(list),
        ),
        (
            admin(HttpVerb::Post, "/v1/webhooks", "makeWebhook", "Tell the ends of researches to an address")
                .takes::<CreateWebhookBody>()
                .gives::<CreatedWebhookBody>(201, "Made; the secret is told this once"),
            routing::post(make),
        ),
        (
            admin(HttpVerb::Delete, "/v1/webhooks/{id}", "removeWebhook", "Tell it nothing more")
                .gives_nothing(204, "Removed"),
            routing::delete(remove),
        ),
        (
            admin(HttpVerb::Get, "/v1/webhooks/deliveries", "listDeliveries", "How the last messages fared")
                .gives::<DeliveryListBody>(200, "Newest first"),
            routing::get(deliveries),
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WebhookTenantParams {
    tenant: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebhookToMake")]
#[serde(deny_unknown_fields)]
struct CreateWebhookBody {
    /// An https address that the open web can reach
    url: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
struct WebhookBody {
    id: String,
    url: String,
    made_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhooks")]
struct WebhookListBody {
    webhooks: Vec<WebhookBody>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookMade")]
struct CreatedWebhookBody {
    #[serde(flatten)]
    webhook: WebhookBody,
    /// For checking signatures (Standard Webhooks); told this once
    secret: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
struct DeliveryBody {
    id: String,
    webhook_id: String,
    research_id: String,
    /// waiting, delivered, dead
    state: &'static str,
    attempts: u32,
    made_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Deliveries")]
struct DeliveryListBody {
    deliveries: Vec<DeliveryBody>,
}

impl WebhookBody {
    fn of(webhook: WebhookInfo) -> Self {
        Self { id: webhook.id, url: webhook.url, made_at: webhook.made_at.to_string() }
    }
}

impl DeliveryBody {
    fn of(delivery: DeliveryInfo) -> Self {
        Self {
            id: delivery.id,
            webhook_id: delivery.webhook_id,
            research_id: delivery.research.to_string(),
            state: delivery.state,
            attempts: delivery.attempts,
            made_at: delivery.made_at.to_string(),
        }
    }
}

async fn list(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<WebhookTenantParams>, QueryRejection>,
) -> Result<Json<WebhookListBody>, ApiError> {
    let tenant = tenant_for(&admitted, parse_query(query)?.tenant.as_deref())?;
    let webhooks = rest.fleet.webhooks(&tenant).await?;
    Ok(Json(WebhookListBody { webhooks: webhooks.into_iter().map(WebhookBody::of).collect() }))
}

async fn make(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<WebhookTenantParams>, QueryRejection>,
    body: Bytes,
) -> Result<(StatusCode, Json<CreatedWebhookBody>), ApiError> {
    let tenant = tenant_for(&admitted, parse_query(query)?.tenant.as_deref())?;
    let CreateWebhookBody { url } = parse_json(&body)?;
    if url.len() > URL_BYTES_MAX {
        return Err(invalid_arguments(&format!("`url` may have {URL_BYTES_MAX} bytes")));
    }
    let made = rest.fleet.make_webhook(&tenant, &url).await;
    let CreatedWebhook { webhook, secret } =
        rest.audit_outcome(&admitted, "make-webhook", None, made).await?;
    Ok((
        StatusCode::CREATED,
        Json(CreatedWebhookBody { webhook: WebhookBody::of(webhook), secret: secret.0 }),
    ))
}

async fn remove(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    query: Result<Query<WebhookTenantParams>, QueryRejection>,
) -> Result<StatusCode, ApiError> {
    let tenant = tenant_for(&admitted, parse_query(query)?.tenant.as_deref())?;
    let removed = rest.fleet.remove_webhook(&tenant, &id).await;
    let removed = removed.and_then(|there| require_found(there, "webhook"));
    rest.audit_outcome(&admitted, "remove-webhook", None, removed).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn deliveries(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<WebhookTenantParams>, QueryRejection>,
) -> Result<Json<DeliveryListBody>, ApiError> {
    let tenant = tenant_for(&admitted, parse_query(query)?.tenant.as_deref())?;
    let deliveries = rest.fleet.deliveries(&tenant, DELIVERIES_MAX).await?;
    Ok(Json(DeliveryListBody { deliveries: deliveries.into_iter().map(DeliveryBody::of).collect() }))
}
