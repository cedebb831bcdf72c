//! Our own web engine, as rules: how deep to search, which task is next, what its output means, when to stop.
//!
//! Search, read and write calls are performed by the outer crates; their outputs are the types below.

pub mod anchor;
pub mod bill;
pub mod canonical;
pub mod cluster;
pub mod compose;
pub mod conclude;
pub mod fuse;
pub mod gain;
pub mod note;
pub mod page;
pub mod passages;
pub mod plan;
pub mod providers;
pub mod react;
pub mod receipt;
pub mod record;
pub mod search;
pub mod state;
pub mod step;
pub mod strategy;
pub mod task;

pub use bill::{Bill, BillBasis};
pub use note::{NoteFact, Quote, ReaderNote};
pub use page::{Extract, MediaKind, PageRecord};
pub use providers::ProviderName;
pub use search::{SearchCall, SearchDepth, SearchFilters, SearchHit, SearchReply};
pub use strategy::{Strategy, StrategyHints, StrategyLevel, TaskScope, TaskType};

#[cfg(test)]
mod tests;
