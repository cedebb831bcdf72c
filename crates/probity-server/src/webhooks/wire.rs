//! A webhook's body as receivers read it.

use serde::Serialize;

#[derive(Serialize)]
pub struct Wire {
    #[serde(rename = "type")]
    pub kind: String,
    pub timestamp: String,
    pub data: Data,
}

#[derive(Serialize)]
pub struct Data {
    pub id: String,
    pub status: &'static str,
    pub asked_at: String,
    pub rested_at: String,
}
