//! The store on real files: what survives, what is refused, what is noticed.
#![expect(clippy::disallowed_methods, reason = "damages databases by hand, starts itself as other processes")]

mod claims;
mod corruption;
mod faults;
mod journal;
mod lists;
mod processes;
mod speed;
mod world;
