//! What others see: MCP in both protocol eras over stdio and HTTP, a fleet's HTTP API, and the report as
//! Markdown. No rules.

pub mod answer;
pub mod app;
pub mod caller;
mod confirm;
pub mod desk;
pub mod face;
mod guard;
mod handover;
pub mod http;
pub mod ledger;
pub mod local;
pub mod markdown;
pub mod oauth;
pub mod operations;
mod outline;
mod paging;
mod prompts;
pub mod resources;
pub mod rest;
mod results;
mod rounds;
mod serving;
pub mod stdio;
mod subscriptions;
mod tasks;
pub mod tools;
pub mod webhooks;
mod wire;
mod withdrawn;

pub use desk::Desk;
pub use face::{Face, FaceParts};
