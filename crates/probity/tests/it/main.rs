//! The real binary against the simulator: what a user sees, what is on disk, and what the provider was asked.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests panic"
)]

mod admission;
mod canary;
mod child;
mod client;
mod clients;
mod commands;
mod damage;
mod demo;
mod docs;
mod endings;
mod escapes;
mod harness;
mod interruptions;
mod isolation;
mod laptop;
mod malformed;
mod mcp;
mod notifications;
mod page_bombs;
mod privacy;
mod research;
mod rounds;
mod rounds_cli;
mod rounds_engines;
mod rounds_real_cli;
mod scenarios;
mod scripted_cli;
mod seeded_random;
mod serve;
mod setup;
mod stdout_purity;
mod tidy;
mod web;
