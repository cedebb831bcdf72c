//! The server from outside: what a client, a foreign page and a stranger get to see.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests panic, and say what they counted"
)]

mod http;
mod rest;
mod webhooks;
