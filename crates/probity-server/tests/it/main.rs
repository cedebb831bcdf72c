//! The server from outside: what a client, a foreign page and a stranger get to see.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests panic"
)]

mod http;
mod rest;
mod webhooks;
