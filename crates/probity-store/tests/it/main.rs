//! The store on real files: what survives, what is refused, what is noticed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests panic"
)]
#![expect(clippy::disallowed_methods, reason = "damages databases by hand, starts itself as other processes")]

mod admission;
mod charges;
mod corruption;
mod deliveries;
mod faults;
mod injected;
mod journal;
mod leases;
mod library;
mod limits;
mod object_server;
mod objects;
mod postgres_server;
mod postgres_speed;
mod postgres_store;
mod postgres_tables;
mod processes;
mod purges;
mod speed;
mod suite;
mod tenants;
mod views;
mod watches;
mod world;
