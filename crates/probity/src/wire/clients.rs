//! What `probity mcp install`, `uninstall` and `status` print as JSON.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Serialize, JsonSchema)]
pub struct ClientsDocument {
    pub schema_version: u32,
    pub success: bool,
    /// Whether anything was allowed to be written.
    pub written: bool,
    pub clients: Vec<ClientDocument>,
    pub exit_code: u8,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ClientDocument {
    pub client: &'static str,
    pub file: String,
    /// `added`, `updated`, `removed`, `nothing` or `failed`.
    pub change: &'static str,
    pub command: Option<String>,
    pub args: Vec<String>,
    pub next: Option<&'static str>,
    pub problem: Option<String>,
    pub fix: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusDocument")]
pub struct ClientsStatusDocument {
    pub schema_version: u32,
    pub success: bool,
    pub clients: Vec<ClientStatusDocument>,
    pub exit_code: u8,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ClientStatusDocument {
    pub client: &'static str,
    pub file: String,
    /// `answers`, `fails`, `foreign`, `unreadable` or `absent`.
    pub state: &'static str,
    pub command: Option<String>,
    pub args: Vec<String>,
    pub server: Option<String>,
    pub version: Option<String>,
    pub tools: Option<usize>,
    pub took_ms: Option<u64>,
    pub problem: Option<String>,
    pub fix: Option<String>,
}
