//! What clients see: MCP in both protocol eras over stdio and HTTP, a fleet's HTTP API, and the report as
//! Markdown. No rules.

pub mod answer;
pub mod app_view;
pub mod backend;
pub mod caller;
mod cancellations;
mod client_backlog;
mod client_directories;
mod confirm;
mod handover;
pub mod hang_up;
pub mod http;
pub mod ledger;
pub mod local_socket;
pub mod markdown;
pub mod mcp_server;
pub mod oauth;
mod open_requests;
pub mod operations;
mod outline;
mod paging;
mod panic_guard;
mod prompts;
mod render_thread;
pub mod resources;
pub mod rest;
mod results;
mod rounds;
pub mod stdio;
mod subscriptions;
mod tasks;
pub mod tools;
mod transports;
pub mod webhooks;
mod wire;

pub use backend::Backend;
pub use mcp_server::{McpServer, McpServerParts};
