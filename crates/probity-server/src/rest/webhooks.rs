//! Where a tenant wants to hear that a research has come to rest, and how the messages fared.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::StatusCode,
    routing,
};
use probity_research::scope::Scope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Handler, Operation, Rest,
    administration::{json, there_is},
    operation::Verb,
    problem::Refused,
    researches::read,
    starting::wrong,
    tenant_for,
};
use crate::{
    desk::fleet::{DeliveryShown, WebhookMade, WebhookShown},
    http::Admitted,
};

/// Longest address taken.
const URL_BYTES_MAX: usize = 2_000;
/// Messages in one answer.
const DELIVERIES_MAX: usize = 100;

pub(super) fn routes() -> Vec<(Operation, Handler)> {
    let admin = |verb, path, id, summary| {
        Operation::new(verb, path, id, Scope::Admin, summary).query("tenant", "string", "For the operator")
    };
    vec![
        (
            admin(Verb::Get, "/v1/webhooks", "listWebhooks", "Where the ends of researches are told")
                .gives::<Webhooks>(200, "Without their secrets"),
            routing::get(list),
        ),
        (
            admin(Verb::Post, "/v1/webhooks", "makeWebhook", "Tell the ends of researches to an address")
                .takes::<WebhookIn>()
                .gives::<WebhookMadeOut>(201, "Made; the secret is told this once"),
            routing::post(make),
        ),
        (
            admin(Verb::Delete, "/v1/webhooks/{id}", "removeWebhook", "Tell it nothing more")
                .gives_nothing(204, "Removed"),
            routing::delete(remove),
        ),
        (
            admin(Verb::Get, "/v1/webhooks/deliveries", "listDeliveries", "How the last messages fared")
                .gives::<Deliveries>(200, "Newest first"),
            routing::get(deliveries),
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whose {
    tenant: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "WebhookToMake")]
#[serde(deny_unknown_fields)]
struct WebhookIn {
    /// An https address that the open web can reach
    url: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
struct WebhookOut {
    id: String,
    url: String,
    made_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Webhooks {
    webhooks: Vec<WebhookOut>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WebhookMade")]
struct WebhookMadeOut {
    #[serde(flatten)]
    webhook: WebhookOut,
    /// For checking signatures (Standard Webhooks); told this once
    secret: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
struct DeliveryOut {
    id: String,
    webhook_id: String,
    research_id: String,
    /// waiting, delivered, dead
    state: &'static str,
    attempts: u32,
    made_at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Deliveries {
    deliveries: Vec<DeliveryOut>,
}

impl WebhookOut {
    fn of(webhook: WebhookShown) -> Self {
        Self { id: webhook.id, url: webhook.url, made_at: webhook.made_at.to_string() }
    }
}

impl DeliveryOut {
    fn of(delivery: DeliveryShown) -> Self {
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
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Whose>, QueryRejection>,
) -> Result<Json<Webhooks>, Refused> {
    let tenant = tenant_for(&admitted, read(query)?.tenant.as_deref())?;
    let webhooks = rest.fleet.webhooks(&tenant).await?;
    Ok(Json(Webhooks { webhooks: webhooks.into_iter().map(WebhookOut::of).collect() }))
}

async fn make(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Whose>, QueryRejection>,
    body: Bytes,
) -> Result<(StatusCode, Json<WebhookMadeOut>), Refused> {
    let tenant = tenant_for(&admitted, read(query)?.tenant.as_deref())?;
    let WebhookIn { url } = json(&body)?;
    if url.len() > URL_BYTES_MAX {
        return Err(wrong(&format!("`url` may have {URL_BYTES_MAX} bytes")));
    }
    let made = rest.fleet.make_webhook(&tenant, &url).await;
    let WebhookMade { webhook, secret } = rest.noted(&admitted, "make-webhook", None, made).await?;
    Ok((StatusCode::CREATED, Json(WebhookMadeOut { webhook: WebhookOut::of(webhook), secret: secret.0 })))
}

async fn remove(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
    query: Result<Query<Whose>, QueryRejection>,
) -> Result<StatusCode, Refused> {
    let tenant = tenant_for(&admitted, read(query)?.tenant.as_deref())?;
    let removed = rest.fleet.remove_webhook(&tenant, &id).await;
    let removed = removed.and_then(|there| there_is(there, "webhook"));
    rest.noted(&admitted, "remove-webhook", None, removed).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn deliveries(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Whose>, QueryRejection>,
) -> Result<Json<Deliveries>, Refused> {
    let tenant = tenant_for(&admitted, read(query)?.tenant.as_deref())?;
    let deliveries = rest.fleet.deliveries(&tenant, DELIVERIES_MAX).await?;
    Ok(Json(Deliveries { deliveries: deliveries.into_iter().map(DeliveryOut::of).collect() }))
}
