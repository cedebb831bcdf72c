//! The fetcher against real sockets: what it brings, what it refuses, what it says about a call that failed.

mod api;
mod pages;
mod proxy;
mod robots;
pub mod site;
