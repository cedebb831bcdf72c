//! The web engine in the real program: what a user reads, and what the small web, its search APIs and its chat model
//! were asked and paid for.

mod answers;
mod claims;
mod depths;
mod dialects;
mod endings;
mod follow_ups;
mod gate;
mod guarded;
mod interrupted;
mod overmcp;
pub mod stage;
mod steering;
