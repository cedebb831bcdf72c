//! A webhook's body as receivers read it.

use serde::Serialize;

#[derive(Serialize)]
pub struct WebhookPayload {
    #[serde(rename = "type")]
    pub kind: String,
    pub timestamp: String,
    pub data: WebhookPayloadData,
}

#[derive(Serialize)]
pub struct WebhookPayloadData {
    pub id: String,
    pub status: &'static str,
    pub asked_at: String,
    pub rested_at: String,
}
